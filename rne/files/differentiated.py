"""Velocities and accelerations that a file does not have, from those columns that it has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import check_flag
from rne.dynamics.mass_matrix import mass_matrix
from rne.errors import ArgumentError, FileError, shown
from rne.files.chunk import Chunk, cut, joined
from rne.files.patterns import advice, nanoseconds_of, time_like, whole_seconds
from rne.files.plausible import mostly_repeated
from rne.files.times import seconds, wrap_hint
from rne.files.trajectory import Trajectory
from rne.files.unwrapped import Unwrap, Unwrapper
from rne.model.floating import QUATERNION
from rne.trajectory import base_motion
from rne.trajectory.filters import LIMIT, Collector, Filter, usual_step, wish_of

Floats = NDArray[Any]

_FIRST = 2000  # rows that are read before the first are given on: enough to know the usual step
_STATES, _OF_EACH = 64, 8  # pieces, and rows of each, at which the mass matrix is evaluated


@dataclass
class Differentiated:
    r"""A trajectory whose missing velocities and accelerations are made by the filter of `rne.differentiate`.

    Where velocities are there, accelerations are their first derivatives; else both come from the positions, those of a
    base that floats in its own axes. What is
    there, torques included if wanted, passes the same filter. It is chosen in a first pass through the file; of a pipe,
    which can be read but once, from the first 131,072 rows. The results do not depend on the chunks, to the last bit.

    Parameters
    ----------
    motion : the trajectory; it must have a column t.
    cutoff, window, degree : of the filter, as in `rne.differentiate`.
    unwrap : names of joints whose positions wrap, besides the continuous ones; a jump of nearly a turn elsewhere is
        refused. An empty sequence leaves all as it is.
    torques : whether torques pass the filter, too, as a comparison with a model needs it. If not, they stay as they
        are: an identification from them is unbiased, since a filter would round the steps of Coulomb friction.
    filter : once it is chosen, with the attributes cutoff, noise and edge, one number a column of q; None before.
    duplicates, gaps : counted in reading: rows with the time of the row before, and gaps in time.

    Examples
    --------
    >>> import io, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rows = "".join(f"{k / 10},{(k / 10) ** 2},0\n" for k in range(50))
    >>> text = io.BytesIO(f"t,q_shoulder,q_elbow\n{rows}".encode())
    >>> with rne.files.Trajectory(text, arm) as motion:
    ...     [chunk] = [read() for read in rne.files.Differentiated(motion).pieces()]
    >>> abs(chunk.arrays["qdd"][25]).round(4)
    array([2., 0.])
    """

    motion: Trajectory
    cutoff: ArrayLike | None = None
    window: int | None = None
    degree: int | None = None
    unwrap: Unwrap = None
    torques: bool = True
    filter: Filter | None = field(default=None, init=False)
    duplicates: int = field(default=0, init=False)
    gaps: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._wish = wish_of(self.cutoff, self.window, self.degree)
        check_flag("torques", self.torques)
        if not isinstance(self.motion, Trajectory):
            raise ArgumentError(f"motion: wanted a Trajectory, got {shown(self.motion)}")
        if self.motion.columns.time is None:
            like = time_like(self.motion.columns.names)
            told = f"; try {advice({'t': like})}" if like else ""
            raise FileError(f"{self.motion.where}: without a column t nothing can be differentiated{told}")
        if self.missing and "q" not in self.motion.columns.groups:
            raise ArgumentError("motion: wanted a Trajectory with q among its quantities, to differentiate")
        self._unwrapper = Unwrapper(self.motion.robot, self.unwrap)
        self._floats = self.motion.robot.floating
        self._states: list[Floats] = []

    @property
    def turns(self) -> dict[str, int]:
        """By joint, how many jumps by a turn were taken out of its positions."""
        return self._unwrapper.turns

    @property
    def missing(self) -> tuple[str, ...]:
        """The quantities that are made."""
        return tuple(key for key in ("qd", "qdd") if key in self.motion.columns.missing)

    def torque_noise(self) -> Floats | None:
        """RMS (n,) of the torque that is due to the noise left in the accelerations; None if nothing is known of it.

        Returns
        -------
        noise : N m or N, from the mass matrix along the motion that was read.
        """
        if self.filter is None or not self._states or not np.isfinite(self.filter.noise).any():
            return None
        states = np.concatenate(self._states)
        M = mass_matrix(self.motion.robot, states[np.isfinite(states).all(axis=1)])
        left = base_motion.noise_of_rates(self.filter.noise) if self._floats else self.filter.noise
        noise: Floats = np.sqrt(((M**2) @ np.nan_to_num(left) ** 2).sum(axis=0) / max(1, len(M)))
        return noise

    def pieces(self) -> Iterator[Callable[[], Chunk]]:
        """Yield functions that return chunks, which are not those of the file.

        Yields
        ------
        read : a function without arguments that returns a `Chunk`.
        """
        if not self.missing:
            yield from self.motion.pieces(self.unwrap)
            return
        groups = self.motion.columns.groups
        keys = ("qd", "q") if "qd" in groups else ("q",)
        self._keys = (*keys, "tau") if self.torques and "tau" in groups else keys
        if self.motion.rereadable:
            self._choose(self._stretches())
            yield from self._filtered(self._stretches())
            return
        first, rest = [], self._stretches()  # a pipe
        rows = 0
        for event in rest:
            first.append(event)
            rows += event[0].rows
            if rows >= LIMIT:
                break
        self._choose(iter(first))
        yield from self._filtered(_both(first, rest))

    def _choose(self, events: Iterator[_Event]) -> None:
        collector, interval = Collector(self.motion.robot.nq), np.inf
        for k, (chunk, t, begins) in enumerate(events):
            if k == 0:
                interval = usual_step(t)[0]
            if begins and k:
                collector.end()
            collector.add(t, self._column_by_column(chunk, self._keys[0]))
        collector.end()
        self._interval = interval
        derivative = 1 if self._keys[0] == "qd" else 2
        self.filter = Filter(self._wish, collector, interval, self.motion.robot.nq, derivative)

    def _filtered(self, events: Iterator[_Event]) -> Iterator[Callable[[], Chunk]]:
        assert self.filter is not None
        held: _Held | None = None
        empty: Chunk | None = None
        for chunk, t, begins in events:
            if not chunk.rows:
                empty = chunk
                continue
            if begins and held is not None:
                yield from self._emit(held, ended=True)
                held = None
            if held is None:
                held = _Held(chunk, t - t[0], t[0], 0)
            else:
                held = _Held(
                    joined([held.chunk, chunk]), np.concatenate([held.t, t - held.start]), held.start, held.number
                )
            yield from self._emit(held, ended=False)
            held.drop(self.filter.rows_of(held.t, held.number)[0])
        if held is not None:
            yield from self._emit(held, ended=True)
        elif empty is not None:
            rates = empty.arrays["q"][:, : self.motion.robot.n]
            none = replace(empty, arrays={**empty.arrays, **dict.fromkeys(self.missing, rates)})
            yield lambda: none

    def _emit(self, held: _Held, ended: bool) -> Iterator[Callable[[], Chunk]]:
        """Yield the pieces of a stretch that have all that they need."""
        assert self.filter is not None
        while len(held.t):
            low, first, last, high = self.filter.rows_of(held.t, held.number)
            if high >= len(held.t) and not ended:
                return
            if first == len(held.t):
                return
            if first < last:
                stop = float(held.t[-1]) if high >= len(held.t) else None
                high = min(high, len(held.t))
                core = slice(first - low, last - low)
                yield self._reader(cut(held.chunk, low, high), held.t[low:high], core, held.number, stop)
            held.number += 1

    def _reader(self, chunk: Chunk, t: Floats, core: slice, number: int, end: float | None) -> Callable[[], Chunk]:
        assert self.filter is not None
        chosen, keys = self.filter, self._keys

        def read() -> Chunk:
            rows = np.stack([self._column_by_column(chunk, key) for key in keys], axis=1)
            made = chosen.piece(t, rows.astype(np.float64, copy=False), core, number, end, 1 if keys[0] == "qd" else 2)
            kind = chunk.arrays["q"].dtype
            fresh = {key: made[0][:, k] for k, key in enumerate(keys)}
            names = ("qdd",) if keys[0] == "qd" else ("qd", "qdd")
            fresh |= {key: part[:, 0] for key, part in zip(names, made[1:], strict=True)}
            if self._floats:
                fresh = _of_base(fresh, made="qd" not in keys)
            fresh = {key: array.astype(kind, copy=False) for key, array in fresh.items()}
            part = cut(chunk, core.start, core.stop)
            if len(self._states) < _STATES and part.rows:
                self._states.append(fresh["q"][:: max(1, part.rows // _OF_EACH)].astype(np.float64))
            kept = {key: fresh[key] for key in (*keys, *self.missing) if key in fresh}
            return replace(part, arrays={**part.arrays, **kept})

        return read

    def _column_by_column(self, chunk: Chunk, key: str) -> Floats:
        """Return a quantity with a column for each of q, where the base floats."""
        array = chunk.arrays[key]
        return base_motion.widened(array) if self._floats and key != "q" else array

    def _stretches(self) -> Iterator[_Event]:
        """Yield chunks that span no gap, with their times, and whether they begin a stretch."""
        self.duplicates = self.gaps = 0  # of this time through the file
        self._unwrapper = Unwrapper(self.motion.robot, self.unwrap)
        longest, last = None, -np.inf
        for chunk, t in self._parts():
            if longest is None:
                longest = usual_step(t)[1]
                self._check_repeated(t)
            breaks = np.flatnonzero(np.diff(t, prepend=t[:1] if last == -np.inf else last) > longest)
            self.gaps += len(breaks)
            if not len(t):
                yield chunk, t, True
            edges = sorted({0, *breaks.tolist(), len(t)})
            starts = {0, *breaks.tolist()} if last == -np.inf else set(breaks.tolist())
            for start, stop in pairwise(edges):
                yield cut(chunk, start, stop), t[start:stop], start in starts
            last = t[-1] if len(t) else last

    def _check_repeated(self, t: Floats) -> None:
        """Refuse whole seconds where another column has the nanoseconds."""
        columns = self.motion.columns
        if columns.time is None or columns.nanoseconds is not None or not mostly_repeated(np.diff(t)):
            return
        name = columns.names[columns.time]
        if nanoseconds_of(name, columns.names) is not None:
            raise FileError(
                f"{self.motion.where}: most times are that of the row before: {whole_seconds(name, columns.names)}"
            )

    def _parts(self) -> Iterator[tuple[Chunk, Floats]]:
        """Yield chunks with their times checked; the first is long enough to know the usual step."""
        last, origin = -np.inf, None
        turn = np.full(4, np.nan)
        first: list[tuple[Chunk, Floats]] | None = []
        for read in self.motion.pieces(self.unwrap):
            chunk = read()
            if "qd" in self.missing:
                chunk = self._unwrapper(self.motion.name, chunk)
            if self._floats and chunk.rows:
                q = base_motion.steady(chunk.arrays["q"], turn)
                turn = q[-1, QUATERNION] if np.isfinite(q[-1, QUATERNION]).all() else turn
                chunk = replace(chunk, arrays={**chunk.arrays, "q": q.astype(chunk.arrays["q"].dtype, copy=False)})
            if origin is None:
                origin = chunk.t[0] if chunk.t else None
            t = self._times(chunk, origin, last)
            last = t[-1] if len(t) else last
            if first is None:
                yield chunk, t
                continue
            first.append((chunk, t))
            if sum(len(times) for _, times in first) >= _FIRST:
                yield _one(first)
                first = None
        if first:
            yield _one(first)

    def _times(self, chunk: Chunk, origin: Any, last: float) -> Floats:
        t = seconds(self.motion.name, chunk.t, chunk.first, origin)
        bad = np.flatnonzero(~np.isfinite(t))
        if bad.size:
            raise FileError(
                f"{self.motion.name}: row {chunk.first + bad[0] + 1}: time is not a finite number: {t[bad[0]]}"
            )
        steps = np.diff(t, prepend=last)
        if (steps < 0).any():
            k = int(np.argmax(steps < 0))
            old = t[k - 1] if k else last
            raise FileError(
                f"{self.motion.name}: row {chunk.first + k + 1}: "
                f"time falls from {_shortest(old)} to {_shortest(t[k])} s"
                f"{wrap_hint(old, t[k])}"
            )
        self.duplicates += int(np.count_nonzero(steps == 0))
        return t


_Event = tuple[Chunk, Floats, bool]


@dataclass
class _Held:
    """Rows of a stretch that are still needed, their times since its start, and the number of the next piece."""

    chunk: Chunk
    t: Floats
    start: float
    number: int

    def drop(self, rows: int) -> None:
        if rows > 0:
            self.chunk, self.t = cut(self.chunk, rows, self.chunk.rows), self.t[rows:]


def _of_base(fresh: dict[str, Floats], made: bool) -> dict[str, Floats]:
    """Return filtered quantities as they are of a base that floats; made : whether rates come from the positions."""
    if made:
        q, qd, qdd = base_motion.moved(fresh["q"], fresh["qd"], fresh["qdd"])
    else:
        q = base_motion.steady(fresh["q"])
        qd, qdd = (base_motion.narrowed(fresh[key]) for key in ("qd", "qdd"))
    more = {"tau": base_motion.narrowed(fresh["tau"])} if "tau" in fresh else {}
    return {"q": q, "qd": qd, "qdd": qdd, **more}


def _one(parts: list[tuple[Chunk, Floats]]) -> tuple[Chunk, Floats]:
    return joined([chunk for chunk, _ in parts]), np.concatenate([t for _, t in parts])


def _both(first: list[_Event], rest: Iterator[_Event]) -> Iterator[_Event]:
    while first:
        yield first.pop(0)
    yield from rest


def _shortest(time: float) -> str:
    """Return the fewest digits that tell the number from others."""
    return np.format_float_positional(time, trim="-")
