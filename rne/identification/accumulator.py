"""Measurements added chunk by chunk to the moments of equations."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import as_batch
from rne.batch.threads import run, thread_count
from rne.errors import ArgumentError
from rne.identification.delay import moved
from rne.identification.equations import Equations, Index
from rne.identification.fit import Fit, fit
from rne.identification.moments import SUMS, TORQUE, TORQUE_SQUARES, Moments
from rne.identification.repeats import Repeats

Array = NDArray[np.float64]
Rows = tuple[Array, Array, Array, Array]  # q, qd, qdd, tau

FIRST = 8192  # samples that are kept as they came: they center the moments, and show how the residuals are correlated
PIECE = 8192  # samples that threads share
CHUNK = 1024  # samples of which the columns are evaluated at a time


class Accumulator:
    """Samples added to the moments of equations; the first `FIRST` are also kept as they came.

    The moments are those of residuals about a first estimate, which loses no digits to the size of the torques.

    Parameters
    ----------
    equations : of the parameters.
    noise, unexcited : as in `Identifier`.
    huber : bound of the residuals in standard deviations; None for no bound.
    final : whether the columns stay as they are, rather than that they suit the velocities of the first samples.
    lag : delay of the torques behind the positions that is taken out, s.
    start, sd : parameters, and standard deviations of the torques, about which residuals are bounded; None if not.
    """

    def __init__(
        self,
        equations: Equations,
        noise: Array | str | None,
        unexcited: str,
        huber: float | None = None,
        start: Array | None = None,
        sd: Array | None = None,
        final: bool = False,
        lag: float = 0.0,
    ) -> None:
        self.equations, self.noise, self.unexcited, self.huber = equations, noise, unexcited, huber
        self.sd, self.final, self.lag = sd, final, lag
        self.center = None if start is None else start - equations.given
        self.moments = Moments(equations.index)
        self.first: list[Rows] = []
        self.repeats = Repeats()
        self.waiting = 0  # samples of `first` that are not in the moments yet

    @property
    def samples(self) -> int:
        """Number of samples."""
        return self.moments.samples + self.waiting

    def add(self, given: dict[str, ArrayLike]) -> None:
        """Add measurements q, qd, qdd, tau, (..., n) each.

        Raises
        ------
        ArgumentError
            One of them has the wrong shape or type, or is not finite.
        """
        robot = self.equations.robot
        for name, value in given.items():
            if value is None:  # elsewhere None stands for zeros
                raise ArgumentError(f"{name}: wanted an array of measurements, got None")
        batch = as_batch(robot, given, required="q")
        for name, rows in batch.rows.items():
            for begin in range(0, len(rows), FIRST):
                sound = np.isfinite(rows[begin : begin + FIRST])
                if not sound.all():
                    sample = begin + int(np.argmin(sound.all(axis=1)))
                    raise ArgumentError(f"{name}: sample {sample} of {len(rows)} is not finite")
        q, qd, qdd, tau = (batch.rows[name] for name in ("q", "qd", "qdd", "tau"))
        if self.lag and len(q):
            q, qd, qdd, tau = moved(_floats((q, qd, qdd, tau), slice(None)), self.lag)
        for first in range(0, len(q), FIRST):
            _, speeds, _, torques = _floats((q, qd, qdd, tau), slice(first, first + FIRST))
            self.repeats.add(speeds, torques)
        begin, count = 0, len(q)
        kept = sum(len(part[0]) for part in self.first)
        if kept < FIRST and count:
            begin = min(count, FIRST - kept)
            self.first.append(_floats((q, qd, qdd, tau), slice(begin), copy=True))
            self.waiting += begin
        if begin < count and self.waiting:
            self._absorb()
        if begin < count:
            self._put(self.moments, (q[begin:], qd[begin:], qdd[begin:], tau[begin:]))

    def kept(self) -> Rows:
        """Return the first samples as they came: q, qd, qdd, tau."""
        q, qd, qdd, tau = (np.concatenate(parts) for parts in zip(*self.first, strict=True))
        return q, qd, qdd, tau

    def _absorb(self) -> None:
        """Put the samples that wait into the moments, about an estimate from them."""
        if not self.final:
            self.equations = self.equations.scaled(self.kept()[1])
        if self.center is None:
            self.center = self._estimate()
        self.moments.length = FIRST // 32
        self._put(self.moments, self.kept())
        self.waiting = 0

    def _estimate(self) -> Array:
        moments = Moments(self.equations.index)
        center, self.center = self.center, np.zeros(len(self.equations.given))
        moments.length = max(1, self.waiting)
        self._put(moments, self.kept())
        found = fit(moments, self.equations, self.center, self.noise, "fix", correlated=False)
        self.center = center
        return found.change

    def settled(self) -> tuple[Moments, Array]:
        """Return the moments of all samples, and what they are centered at, relative to the given parameters."""
        if not self.waiting:
            return self.moments, np.zeros(len(self.equations.given)) if self.center is None else self.center
        if not self.final:
            self.equations = self.equations.scaled(self.kept()[1])
        before, start = self.center, self.center
        self.center = self._estimate() if start is None else start
        moments = Moments(self.equations.index)
        moments.length = max(1, -(-self.waiting // 64))
        self._put(moments, self.kept())
        center, self.center = self.center, before
        return moments, center

    def fit(self, moments: Moments, center: Array, only: Index | None = None) -> Fit:
        """Estimate the parameters, or some of them with the others zero, from settled moments."""
        return fit(moments, self.equations, center, self.noise, self.unexcited, self.huber, only)

    def _put(self, moments: Moments, rows: Rows) -> None:
        """Add samples to moments, in pieces that fit into their blocks; threads share a piece."""
        begin, count = 0, len(rows[0])
        while begin < count:
            if not moments.room:
                moments.begin()
            stop = min(count, begin + min(moments.room, PIECE))
            part = _floats(rows, slice(begin, stop))
            found: dict[int, tuple[Array, Array]] = {}

            def work(first: int, last: int, part: Rows = part, found: dict[int, tuple[Array, Array]] = found) -> None:
                for k in range(first, last, CHUNK):
                    found[k] = self._moments_of(moments, _floats(part, slice(k, min(last, k + CHUNK))))

            run(work, stop - begin, thread_count(None, stop - begin, part[0].shape[1]))
            for k in sorted(found):  # always in the same order, for the same rounding
                moments.add(0, *found[k])
            moments.add(stop - begin, np.zeros(1), np.zeros(1))
            begin = stop

    def _moments_of(self, moments: Moments, rows: Rows) -> tuple[Array, Array]:
        """Return the moments of samples, and their sums (n, SUMS)."""
        assert self.center is not None
        q, qd, qdd, tau = rows
        rest = tau - self.equations.torque((q, qd, qdd))
        joints, sums = self.equations.columns((q, qd, qdd)), np.zeros((tau.shape[1], SUMS))
        sums[:, TORQUE], sums[:, TORQUE_SQUARES] = tau.sum(axis=0), np.sum(tau**2, axis=0)
        for j, (Z, index) in enumerate(zip(joints, self.equations.index, strict=True)):
            Z[:, -1] = rest[:, j] - Z[:, :-1] @ self.center[index]
            sums[j, 2:] = self._bounded(Z, j)
        return moments.products(joints), sums

    def _bounded(self, Z: Array, joint: int) -> Array:
        """Weight rows by their residuals if these are bounded; return sums of squares, of those within, of weights."""
        if self.huber is None or self.sd is None:
            return np.zeros(3)
        size = np.abs(Z[:, -1])
        bound = self.huber * self.sd[joint]
        weight = np.where(size > bound, bound / np.maximum(size, np.finfo(float).tiny), 1.0)
        squares = np.minimum(size, bound) ** 2
        Z *= np.sqrt(weight)[:, None]
        return np.array([squares.sum(), np.count_nonzero(size <= bound), weight.sum()])


def _floats(rows: Rows, part: slice, copy: bool = False) -> Rows:
    """Return some of the rows as float64."""
    q, qd, qdd, tau = (x[part].astype(np.float64, copy=copy) for x in rows)
    return q, qd, qdd, tau
