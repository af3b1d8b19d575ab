"""Penalized splines: what removes the noise of recorded positions, evaluated with its derivatives.

A quintic spline on even knots is fitted to samples at any times, by least squares with a penalty on differences of its
coefficients (P-splines: Eilers and Marx, Statistical Science 11 (1996) 89). With a penalty of order m it is a low-pass
filter without delay, whose response 1 / (1 + (f / f_c)^2m) is that of a Butterworth filter run forward and backward
(Green and Silverman, Nonparametric Regression (1994)), but it needs neither even times nor invented samples beyond the
ends.

The spline is fitted in windows that overlap, anchored at the first time: a window depends on its samples alone, so that
a long motion can be processed in parts without a change of any bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DEGREE = 5
SMOOTHING, SHORT = 6, 3  # orders of the penalty; that of short stretches leaves less free
CORE, MARGIN = 128, 96  # cells of a window, and those added on each side: its ends are forgotten there to 1e-4
_HALF_POWER = math.sqrt(2.0) - 1.0
_KNOTS = 8.0  # knots per period of the cutoff, at least
_TINY = 1e-9  # weight of the penalty in interpolation
REACH = 2.5  # periods of the cutoff from an end, up to where the penalty is less
_AT_A_TIME = 64  # windows
_PAIRS = [(k, m) for k in range(DEGREE + 1) for m in range(k, DEGREE + 1)]


@dataclass(frozen=True)
class Penalty:
    """The filter of one coordinate.

    Attributes
    ----------
    cutoff : frequency in Hz where the amplitude falls to 1/sqrt(2); infinite for interpolation.
    order : of the differences that are penalized.
    step : between knots, s.
    weight : of the penalty.
    interval : usual time between samples, s.
    edge : factor on the cutoff at the ends of a motion, see `weights`.
    """

    cutoff: float
    order: int
    step: float
    weight: float
    interval: float
    edge: float = 1.0

    def weights(self, rows: Ints, cells: int | None) -> Floats:
        """Weight of the penalty on the differences that begin at coefficients, in a motion of so many cells.

        At its ends a penalized spline is flatter than the motion, since there is nothing beyond; the error is as the
        square root of that in the middle. A penalty that falls towards the ends evens this out.
        """
        if self.edge == 1.0 or not math.isfinite(self.cutoff):
            return np.full(rows.shape, self.weight)
        middle = rows + (self.order - DEGREE) / 2
        near = middle if cells is None else np.minimum(middle, cells - middle)
        depth = np.clip(1 - near * self.step * self.cutoff / REACH, 0.0, 1.0)
        found: Floats = self.weight * self.edge ** (-2 * self.order * depth)
        return found

    def response(self, frequency: Floats) -> Floats:
        """Amplitude response at frequencies in Hz up to that of Nyquist."""
        angle = 2 * np.pi * frequency * self.step
        bare = _symbol(angle) * (self.step / self.interval)
        found: Floats = bare / (bare + self.weight * (2 * np.sin(angle / 2)) ** (2 * self.order))
        return found


def penalty_of(cutoff: float, interval: float, edge: float = 1.0, order: int = SMOOTHING) -> Penalty:
    """Return the filter with a cutoff, in Hz; from the frequency of Nyquist on it is interpolation.

    The tiny penalty of interpolation takes what the samples leave free: with order 6 one quintic comes out whole, as
    with knots left out at both ends.
    """
    if not cutoff < 0.5 / interval:
        return Penalty(math.inf, order, interval, _TINY, interval)
    octaves = max(0, math.floor(math.log2(1 / (_KNOTS * cutoff * interval))))
    step = interval * 2.0**octaves
    angle = 2 * math.pi * cutoff * step
    weight = _HALF_POWER * float(_symbol(np.array(angle))) * 2.0**octaves / (2 * math.sin(angle / 2)) ** (2 * order)
    return Penalty(cutoff, order, step, weight, interval, edge)


def _symbol(angle: Floats) -> Floats:
    """Response of the normal equations without penalty: that of the quintic B-spline, squared."""
    found: Floats = ((33 + 26 * np.cos(angle) + np.cos(2 * angle)) / 60) ** 2
    return found


def basis(u: Floats, derivatives: int) -> list[Floats]:
    """Return for each derivative the six quintic B-splines (6, samples) of a cell, at fractions u of its length."""
    rising: list[list[Floats]] = [[np.ones_like(u)]]
    for d in range(1, DEGREE + 1):
        last = rising[-1]
        new = []
        for k in range(d + 1):
            value = np.zeros_like(u)
            if k >= 1:
                value = value + (u + (d - k)) * last[k - 1]
            if k < d:
                value = value + (1 + k - u) * last[k]
            new.append(value / d)
        rising.append(new)
    found = []
    for order in range(derivatives + 1):
        row, zero = rising[DEGREE - order], np.zeros_like(u)
        for _ in range(order):
            row = [a - b for a, b in zip([zero, *row], [*row, zero], strict=True)]
        found.append(np.array(row))
    return found


def fit(
    cell: Ints, u: Floats, y: Floats, penalties: Sequence[Penalty], low: Ints, high: Ints, cells: int | None
) -> Floats:
    """Fit splines in windows.

    Parameters
    ----------
    cell, u : (samples,) cell of each sample, nondecreasing, and the fraction of it that has passed.
    y : (n, columns, samples) columns of n coordinates.
    penalties : of the coordinates, all with the same step and order.
    low, high : (windows,) first cell of each window, and the one after its last.
    cells : of the whole motion, if its end is known.

    Returns
    -------
    coefficients : (windows, cells + 5, n, columns), of which those beyond the cells of a window mean nothing.
    """
    order, base = penalties[0].order, int(low[0])
    length = int((high - low).max())
    gram, moments = _sums(cell - base, u, y, int(high.max()) - base)
    found = np.empty((len(low), length + DEGREE, *y.shape[:2]))
    for first in range(0, len(low), _AT_A_TIME):
        part = slice(first, first + _AT_A_TIME)
        size = high[part] - low[part]
        where = (low[part] - base)[:, None] + np.arange(length)
        inside = np.arange(length) < size[:, None]
        where = np.where(inside, where, 0)
        band = np.zeros((length + DEGREE, max(DEGREE, order) + 1, len(size)))
        for (k, m), products in zip(_PAIRS, gram, strict=True):
            band[k : k + length, m - k] += np.where(inside, products[where], 0.0).T
        right = np.zeros((length + DEGREE, len(size), *y.shape[:2]))
        for k in range(DEGREE + 1):
            taken = np.where(inside[:, :, None, None], moments[where, k], 0.0)
            right[k : k + length] += taken.swapaxes(0, 1)
        starts = low[part] + np.arange(length + DEGREE)[:, None]
        weights = np.stack([penalty.weights(starts, cells) for penalty in penalties], axis=-1)
        weights[np.arange(length + DEGREE)[:, None] >= size + DEGREE - order] = 0.0
        beyond = np.arange(length + DEGREE)[:, None] >= size + DEGREE
        band[:, 0][beyond] = 1.0
        found[part] = _solve(band, right, weights, order).swapaxes(0, 1)
    return found


def _sums(cell: Ints, u: Floats, y: Floats, cells: int) -> tuple[Floats, Floats]:
    """Return by cell the products of the B-splines (21, cells), and these times the values (cells, 6, n, columns)."""
    b = basis(u, 0)[0]
    starts = np.flatnonzero(np.diff(cell, prepend=-1))
    there = cell[starts]
    gram = np.zeros((len(_PAIRS), cells))
    moments = np.zeros((cells, DEGREE + 1, *y.shape[:2]))
    if len(starts):
        for row, (k, m) in zip(gram, _PAIRS, strict=True):
            row[there] = np.add.reduceat(b[k] * b[m], starts)
        for k in range(DEGREE + 1):
            moments[there, k] = np.moveaxis(np.add.reduceat(b[k] * y, starts, axis=-1), -1, 0)
    return gram, moments


def _factors(order: int) -> list[float]:
    return [(-1.0) ** (order - k) * math.comb(order, k) for k in range(order + 1)]


def _solve(band: Floats, right: Floats, weights: Floats, order: int) -> Floats:
    """Solve (G + D^T W D) c = right for every window and coordinate, with one step of iterative refinement.

    The refinement takes the penalty as D^T (W (D c)), since the rounding of its matrix, whose entries are a million
    times those of G, would show in accelerations.
    """
    rows, width = band.shape[:2]
    factors = _factors(order)
    count = rows - order
    # Windows without enough samples are singular, and give what is not finite.
    full = np.repeat(band[..., None], weights.shape[-1], axis=-1)  # (rows, band, windows, n)
    for d in range(order + 1):
        for k in range(order + 1 - d):
            full[k : k + count, d] += factors[k] * factors[k + d] * weights[:count]
    upper = np.triu(np.ones((width - 1, width - 1)))[:, :, None, None]
    down, across = full.strides[0] - full.strides[1], full.strides[1]
    for i in range(rows):  # L D L^T in place
        pivot = 1.0 / full[i, 0]
        scaled = full[i, 1:] * pivot
        below = min(width, rows - i) - 1
        if below:  # all entries below and right of the pivot, by a view along the diagonals
            block = np.lib.stride_tricks.as_strided(
                full[i + 1 :], (below, width - 1, *full.shape[2:]), (down, across, *full.strides[2:])
            )
            block -= scaled[:below, None] * full[i, 1:] * upper[:below]
        full[i, 1:] = scaled
        full[i, 0] = pivot
    found = _substitute(full, right.copy())
    rest = right - _times(band, found)
    bend: Floats = np.zeros_like(found[:count])
    for k, factor in enumerate(factors):
        bend += factor * found[k : k + count]
    bend *= weights[:count, :, :, None]
    for k, factor in enumerate(factors):
        rest[k : k + count] -= factor * bend
    return found + _substitute(full, rest)


def _substitute(full: Floats, x: Floats) -> Floats:
    rows, width = full.shape[:2]
    for i in range(rows - 1):
        count = min(width, rows - i) - 1
        x[i + 1 : i + 1 + count] -= full[i, 1 : 1 + count, :, :, None] * x[i]
    x *= full[:, 0, :, :, None]
    for i in range(rows - 2, -1, -1):
        count = min(width, rows - i) - 1
        for_row = full[i, 1 : 1 + count, :, :, None] * x[i + 1 : i + 1 + count]
        x[i] -= for_row.sum(axis=0)
    return x


def _times(band: Floats, x: Floats) -> Floats:
    """Return the product of a symmetric band matrix of each window with its columns."""
    found: Floats = band[:, 0][..., None, None] * x
    for k in range(1, band.shape[1]):
        across = band[:-k, k][..., None, None]
        found[k:] += across * x[:-k]
        found[:-k] += across * x[k:]
    return found


def evaluate(
    cell: Ints, u: Floats, window: Ints, low: Ints, coefficients: Floats, step: float, derivatives: int
) -> list[Floats]:
    """Return values (samples, n, columns) of splines, each sample in its window; derivatives of the first column."""
    places = cell - low[window]
    found = []
    for order, row in enumerate(basis(u, derivatives)):
        taken = coefficients if order == 0 else coefficients[..., :1]
        total = np.zeros((len(cell), *taken.shape[2:]))
        for k in range(DEGREE + 1):
            total += row[k][:, None, None] * taken[window, places + k]
        found.append(total / step**order)
    return found
