"""The filter of a recorded motion: chosen from the data, or as asked, and the same for all that is recorded."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import real_array, whole_number
from rne.errors import ArgumentError, shown
from rne.trajectory.bandwidth import Choice, choose, noise_of
from rne.trajectory.penalized import SHORT, SMOOTHING, penalty_of
from rne.trajectory.pieces import Pieces, Polynomials
from rne.trajectory.polynomials import DEGREE, check_filter, cutoff_of, gain_of, window_of

Floats = NDArray[np.float64]

LIMIT = 131_072
"""Samples up to which the filter is chosen from all of them."""
_BLOCK = 32_768  # samples of a stretch where there are more
_STEPS = 1000  # initial steps that tell the usual one
_REST = 1e-6  # of the longest step between samples, below which a step is rest
_GAP = 10.0  # steps longer than this multiple of the usual step are gaps
LEAST = 5  # distinct times, below which there are no derivatives


def usual_step(t: Floats) -> tuple[float, float]:
    """Return the usual step of times from the first ones, and the step above which samples count as missing.

    The usual step is the mean of those that are no gaps. Both are infinite if the times are all equal.
    """
    steps = np.diff(t[: _STEPS + 1])
    if not (steps > 0).any():
        return math.inf, math.inf
    gap = _GAP * float(np.median(steps[steps > 0]))
    return float(np.mean(steps[steps <= gap])), gap


@dataclass(frozen=True)
class Wish:
    """What the user asks of the filter; None is chosen from the data."""

    cutoff: float | Floats | None = None
    window: int | None = None
    degree: int | None = None

    @property
    def polynomials(self) -> bool:
        """Whether the filter is that of polynomials in windows."""
        return self.window is not None or self.degree is not None


def wish_of(cutoff: ArrayLike | None, window: int | None, degree: int | None) -> Wish:
    """Check what is asked of the filter.

    Raises
    ------
    ArgumentError
        A value is none of its kind, or cutoff and window are both given.
    """
    if cutoff is not None:
        if window is not None:
            raise ArgumentError("cutoff: the window has one already; wanted is cutoff or window, not both")
        values = real_array("cutoff", cutoff).astype(np.float64)
        if values.ndim > 1 or not (values > 0).all():
            raise ArgumentError(f"cutoff: wanted a positive frequency in Hz, or one a coordinate, got {shown(cutoff)}")
        cutoff = values
    if degree is not None:
        whole_number("degree", degree, 2)
    if window is not None:
        check_filter(window, DEGREE if degree is None else degree)
    return Wish(cutoff, window, degree)


class Collector:
    """Keeps of a motion what its filter is chosen from: all, or of a long one where each coordinate moves most.

    Parameters
    ----------
    n : number of coordinates.
    """

    def __init__(self, n: int) -> None:
        self._pending: list[tuple[Floats, Floats]] = []
        self._blocks: list[tuple[int, Floats, Floats]] = []  # number of the stretch, times, samples
        self._stretch = self.rows = 0
        self._n, self._all = n, True

    def add(self, t: Floats, y: Floats) -> None:
        """Take the next samples of a stretch without gaps; those with NaN are left out."""
        known = ~np.isnan(y).any(axis=1)
        if not known.all():
            t, y = t[known], y[known]
        self._pending.append((t, y))
        self.rows += len(t)
        while sum(len(part[0]) for part in self._pending) >= _BLOCK:
            t, y = (np.concatenate(parts) for parts in zip(*self._pending, strict=True))
            self._keep(t[:_BLOCK], y[:_BLOCK])
            self._pending = [(t[_BLOCK:], y[_BLOCK:])]

    def end(self) -> None:
        """End a stretch."""
        if self._pending:
            t, y = (np.concatenate(parts) for parts in zip(*self._pending, strict=True))
            self._keep(t, y)
            self._pending = []
        self._stretch += 1

    def _keep(self, t: Floats, y: Floats) -> None:
        if not len(t):
            return
        self._blocks.append((self._stretch, t.copy(), y.astype(np.float64)))
        if self._all and sum(len(block[1]) for block in self._blocks) <= LIMIT:
            return
        self._all = False
        motion = np.array([block[2].var(axis=0) for block in self._blocks])
        best = {0, *motion.argmax(axis=0).tolist()}
        self._blocks = [block for k, block in enumerate(self._blocks) if k in best]

    def stretches(self) -> list[tuple[Floats, Floats]]:
        """Return times and samples of stretches without gaps."""
        if not self._all:
            return [(t, y) for _, t, y in self._blocks]
        numbers = dict.fromkeys(block[0] for block in self._blocks)
        return [
            (
                np.concatenate([t for k, t, _ in self._blocks if k == number]),
                np.concatenate([y for k, _, y in self._blocks if k == number]),
            )
            for number in numbers
        ]


class Filter:
    """The filter of a motion.

    Parameters
    ----------
    wish : what is asked of it.
    collector : has what it is chosen from.
    interval : usual time between samples, s.
    n : number of coordinates.
    derivative : of the samples, up to the accelerations: 2 for positions, 1 for velocities.

    Attributes
    ----------
    cutoff : (n,) Hz, infinite where samples are interpolated.
    noise : (n,) standard deviation of the noise in the accelerations, NaN where it is not known.
    edge : (n,) time from an end or a gap within which the filter is one-sided, s.
    run : the filter, piece by piece.
    """

    def __init__(self, wish: Wish, collector: Collector, interval: float, n: int, derivative: int) -> None:
        choice = choose(collector.stretches(), interval, derivative)
        if not len(choice.cutoff):
            choice = Choice(np.full(n, np.inf), np.zeros(n), np.zeros(n))
        if wish.cutoff is not None:
            given = np.asarray(wish.cutoff)
            if given.ndim and given.shape != (n,):
                raise ArgumentError(f"cutoff: wanted a number or {n}, one a coordinate, got shape {given.shape}")
            choice = Choice(np.broadcast_to(given, n).astype(np.float64), choice.density, choice.power)
        step = interval if math.isfinite(interval) else 1.0
        self.run: Pieces | Polynomials
        if wish.polynomials:
            degree = DEGREE if wish.degree is None else wish.degree
            # All coordinates have one window, that of the fastest.
            window = wish.window or window_of(float(choice.cutoff.max(initial=0.0)) or np.inf, degree, step)
            self.run = Polynomials(window, degree, step)
            self.cutoff = np.full(n, cutoff_of(window, degree, step))
            gain = gain_of(window, degree, step, derivative)
            self.noise = np.where(choice.density > 0, gain * np.sqrt(choice.density / step), np.nan)
            self.edge = np.full(n, window // 2 * step)
            self._short: Pieces | Polynomials = self.run
            self._few: Pieces | Polynomials = self.run
        else:
            penalties = choice.penalties(step, derivative)
            for k in np.flatnonzero(np.isinf(choice.cutoff) & _resting(collector.stretches(), n)):
                penalties[k] = penalty_of(np.inf, step, order=SHORT)
            self.run = Pieces(penalties, step)
            self.cutoff = np.array([penalty.cutoff for penalty in penalties])
            self.noise = np.array(
                [
                    noise_of(penalty, density, derivative) if density > 0 else math.nan
                    for penalty, density in zip(penalties, choice.density, strict=True)
                ]
            )
            self.edge = np.where(np.isfinite(self.cutoff), 1 / self.cutoff, 2 * step)
            # With few samples a penalty of high order leaves too much free.
            self._few = Pieces([penalty_of(cutoff, step, order=SHORT) for cutoff in self.cutoff], step)
            orders = [penalty.order if np.isinf(penalty.cutoff) else SHORT for penalty in penalties]
            self._short = Pieces(
                [penalty_of(cutoff, step, order=order) for cutoff, order in zip(self.cutoff, orders, strict=True)], step
            )

    def piece(
        self, t: Floats, y: Floats, core: slice, number: int, end: float | None, derivatives: int
    ) -> list[Floats]:
        """Return the same as `Pieces.piece`; a stretch that is too short has no derivatives."""
        lost = int(np.isnan(y).any(axis=1).sum(axis=0).max(initial=0)) if number == 0 and end is not None else 0
        if number == 0 and end is not None and len(t) - lost < 2 * SMOOTHING:
            distinct = 1 + np.count_nonzero(np.diff(t))
            if isinstance(self.run, Pieces) and distinct < LEAST:
                rows, _, n = y[core].shape
                nothing = [np.full((rows, 1, n), np.nan) for _ in range(derivatives)]
                return [y[core].astype(np.float64), *nothing]
            return (self._few if distinct - lost <= SMOOTHING else self._short).piece(
                t, y, core, number, end, derivatives
            )
        return self.run.piece(t, y, core, number, end, derivatives)

    def rows_of(self, t: Floats, number: int) -> tuple[int, int, int, int]:
        """Return which rows of a stretch a piece needs, and which it is made of: low <= first, last <= high.

        Parameters
        ----------
        t : times since the start of the stretch; rows from low on may be all there are, and high may be beyond them.
        number : of the piece.
        """
        begin, end = number * self.run.duration, (number + 1) * self.run.duration
        first, last = np.searchsorted(t, [begin, end]).tolist()
        low, high = np.searchsorted(t, [begin - self.run.overlap, end + self.run.overlap]).tolist()
        return max(0, min(low, first - self.run.rows)), first, last, max(high, last + self.run.rows)

    def whole(self, t: Floats, y: Floats, gap: float, derivatives: int) -> list[Floats]:
        """Return values and derivatives of a motion (T, columns, n) with gaps."""
        found = [np.empty((len(t), y.shape[1] if k == 0 else 1, y.shape[2])) for k in range(derivatives + 1)]
        for start, stop in stretches(t, gap):
            time = t[start:stop] - t[start]
            for number in range(int(time[-1] / self.run.duration) + 1):
                low, first, last, high = self.rows_of(time, number)
                if first == last:
                    continue
                part = slice(start + low, min(start + high, stop))
                ended = float(time[-1]) if start + high >= stop else None
                core = slice(first - low, last - low)
                parts = self.piece(t[part] - t[start], y[part], core, number, ended, derivatives)
                for total, made in zip(found, parts, strict=True):
                    total[start + first : start + last] = made
        return found

    def edges(self, t: Floats, gap: float) -> NDArray[np.bool_]:
        """Return which samples (T, n) are so near an end or a gap that the filter is one-sided."""
        found = np.zeros((len(t), len(self.edge)), bool)
        for start, stop in stretches(t, gap):
            near = np.minimum(t[start:stop] - t[start], t[stop - 1] - t[start:stop])
            found[start:stop] = near[:, None] < self.edge
        return found


def _resting(parts: list[tuple[Floats, Floats]], n: int) -> NDArray[np.bool_]:
    """Return which coordinates rest at both ends of all stretches: there, ends without jerk are right."""
    found = np.ones(n, bool)
    for _, y in parts:
        steps = abs(np.diff(y, axis=0))
        if len(steps):
            found &= np.maximum(steps[0], steps[-1]) <= _REST * steps.max(axis=0)
    return found


def stretches(t: Floats, gap: float) -> Iterator[tuple[int, int]]:
    """Yield beginnings and ends of the stretches between gaps."""
    if len(t):
        yield from pairwise([0, *(np.flatnonzero(np.diff(t) > gap) + 1).tolist(), len(t)])
