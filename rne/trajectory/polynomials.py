"""Least-squares polynomials in sliding windows: the filter of Savitzky and Golay, also at uneven times.

Analytical Chemistry 36 (1964) 1627; orthogonal polynomials (Forsythe, J. SIAM 5 (1957) 74) extend it to uneven times.
At the ends the window is shifted so that it stays inside, and the sample is then not at its center.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.check import whole_number
from rne.errors import ArgumentError

Floats = NDArray[np.float64]

DEGREE = 4
_BLOCK = 1024  # samples per block, so that their windows fit into the cache


def check_filter(window: int, degree: int) -> None:
    """Refuse a window that is even or too short for the degree.

    Raises
    ------
    ArgumentError
        The window is even or not larger than the degree, or a number is not a whole number.
    """
    whole_number("degree", degree, 2)
    whole_number("window", window, 1)
    if window % 2 == 0 or window <= degree:
        raise ArgumentError(f"window: wanted an odd number of samples, more than the degree {degree}, got {window!r}")


def derivatives(t: Floats, q: Floats, window: int, degree: int) -> list[Floats]:
    """Return the values of the polynomials, and their first and second derivatives, (T, n) each.

    Each result depends only on the samples in its window, bit for bit, so that a long motion can be processed in
    overlapping parts.
    """
    found = [np.empty_like(q) for _ in range(3)]
    width = min(window, len(t))
    for first in range(0, len(t), _BLOCK):
        samples = np.arange(first, min(first + _BLOCK, len(t)))
        left = np.clip(samples - window // 2, 0, len(t) - width)
        _fit(t, q, samples, left, width, degree, found)
    return found


def cutoff_of(window: int, degree: int, interval: float) -> float:
    """Return the frequency in Hz where the amplitude of the filter falls to 1/sqrt(2), at even times."""
    t = np.arange(window, dtype=np.float64) - window // 2
    impulse = np.eye(window)
    weights = derivatives(t, impulse, window, degree)[0][window // 2]
    angles = np.linspace(0.0, np.pi, 4096)
    response = np.cos(np.outer(angles, t)) @ weights
    below = np.flatnonzero(response < math.sqrt(0.5))
    return float(angles[below[0]] / (2 * np.pi * interval)) if below.size else math.inf


def window_of(cutoff: float, degree: int, interval: float) -> int:
    """Return the odd window whose filter has a cutoff (fit of Schafer, IEEE Signal Processing 28 (2011) no. 4, 111)."""
    half = ((degree + 1) / (2 * cutoff * interval) + 4.6) / 3.2 if math.isfinite(cutoff) else 0.0
    return 2 * max(round(half), degree // 2 + 1) + 1


def gain_of(window: int, degree: int, interval: float, derivative: int) -> float:
    """Return by what white noise is multiplied in a derivative, at even times."""
    t: Floats = interval * (np.arange(window, dtype=np.float64) - window // 2)
    weights = derivatives(t, np.eye(window), window, degree)[derivative][window // 2]
    return math.sqrt(float((weights**2).sum()))


def _fit(
    t: Floats, q: Floats, samples: NDArray[Any], left: NDArray[Any], width: int, degree: int, found: list[Floats]
) -> None:
    """Fill the values and derivatives at some samples, whose windows start at `left`.

    Sums are accumulated element by element in a fixed order; the order of `numpy.sum` depends on the shape.
    """
    where = left + np.arange(width)[:, None]  # (width, samples)
    times = t[where]
    scale = (times[-1] - times[0]) / 2
    enough = 1 + np.count_nonzero(np.diff(times, axis=0), axis=0) > degree
    scale[~enough] = 1.0
    u = (times - t[samples]) / scale
    here, before = np.ones_like(u), np.zeros_like(u)  # current and previous polynomial at the times of the window
    zero = np.zeros(len(samples))
    value, slope, bend = (zero + 1.0, zero), (zero, zero), (zero, zero)  # value and derivatives of both at the sample
    zeroth, first, second = np.zeros_like(u), np.zeros_like(u), np.zeros_like(u)  # weights of the positions
    size, beta = zero + width, zero
    with np.errstate(divide="ignore", invalid="ignore"):  # windows with too few distinct times
        for k in range(degree + 1):
            zeroth += value[0] / size * here
            first += slope[0] / size * here
            second += bend[0] / size * here
            if k == degree:
                break
            alpha = _sum(u * here * here) / size
            here, before = (u - alpha) * here - beta * before, here
            bend = (2 * slope[0] - alpha * bend[0] - beta * bend[1], bend[0])
            slope = (value[0] - alpha * slope[0] - beta * slope[1], slope[0])
            value = (-alpha * value[0] - beta * value[1], value[0])
            size, old = _sum(here * here), size
            beta = size / old
    first /= scale
    second /= scale * scale
    for weights, result in zip((zeroth, first, second), found, strict=True):
        total = np.zeros((len(samples), q.shape[1]))
        for weight, at in zip(weights, where, strict=True):
            # Away from the ends the indices are contiguous, and a slice is faster than fancy indexing.
            total += weight[:, None] * (q[at[0] : at[-1] + 1] if at[-1] - at[0] == len(at) - 1 else q[at])
        total[~enough] = np.nan
        result[samples] = total


def _sum(rows: Floats) -> Floats:
    total: Floats = rows[0].copy()
    for row in rows[1:]:
        total += row
    return total
