"""Velocities and accelerations that a file does not have, from those columns that it has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.errors import ArgumentError, FileError, shown
from rne.files.chunk import Chunk, joined
from rne.files.patterns import advice, time_like
from rne.files.times import seconds, wrap_hint
from rne.files.trajectory import Trajectory
from rne.files.unwrapped import Unwrap, Unwrapper
from rne.trajectory.differentiate import DEGREE, WINDOW, check_filter, derivatives, usual_gap

Floats = NDArray[Any]

_FIRST = 2000  # rows that are read before the first are given on: enough to know the usual step


@dataclass
class Differentiated:
    r"""A trajectory whose missing velocities and accelerations are made by `rne.differentiate`.

    Where velocities are there, accelerations are their first derivatives; else both come from the positions. The
    results do not depend on the chunks, to the last bit: each chunk is filtered with enough of its neighbors.

    Parameters
    ----------
    motion : the trajectory; it must have a column t.
    window, degree : of the filter.
    unwrap : names of joints whose positions wrap, besides the continuous ones; a jump of nearly a turn elsewhere is
        refused. An empty sequence leaves all as it is.
    duplicates, gaps : counted in reading: rows with the time of the row before, and gaps in time.

    Examples
    --------
    >>> import io, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rows = "".join(f"{k / 10},{(k / 10) ** 2},0\n" for k in range(50))
    >>> text = io.BytesIO(f"t,q_shoulder,q_elbow\n{rows}".encode())
    >>> with rne.files.Trajectory(text, arm) as motion:
    ...     [chunk] = [read() for read in rne.files.Differentiated(motion).pieces()]
    >>> abs(chunk.arrays["qdd"][25]).round(6)
    array([2., 0.])
    """

    motion: Trajectory
    window: int = WINDOW
    degree: int = DEGREE
    unwrap: Unwrap = None
    duplicates: int = field(default=0, init=False)
    gaps: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        check_filter(self.window, self.degree)
        if not isinstance(self.motion, Trajectory):
            raise ArgumentError(f"motion: wanted a Trajectory, got {shown(self.motion)}")
        if self.motion.columns.time is None:
            like = time_like(self.motion.columns.names)
            told = f"; try {advice({'t': like})}" if like else ""
            raise FileError(f"{self.motion.where}: without a column t nothing can be differentiated{told}")
        self._unwrapper = Unwrapper(self.motion.robot, self.unwrap)

    @property
    def turns(self) -> dict[str, int]:
        """By joint, how many jumps by a turn were taken out of its positions."""
        return self._unwrapper.turns

    @property
    def missing(self) -> tuple[str, ...]:
        """The quantities that are made."""
        return tuple(key for key in ("qd", "qdd") if key in self.motion.columns.missing)

    def pieces(self) -> Iterator[Callable[[], Chunk]]:
        """Yield functions that return the chunks, as those of `Trajectory`.

        Yields
        ------
        read : a function without arguments that returns a `Chunk`.
        """
        groups = self.motion.columns.groups
        self.duplicates = self.gaps = 0  # of this time through the file
        self._unwrapper = Unwrapper(self.motion.robot, self.unwrap)
        if not self.missing:
            yield from self.motion.pieces()
            return
        source = "qd" if "qd" in groups else "q"
        overlap, longest = self.window - 1, None
        parts = self._parts()
        before = next(parts, None)
        if before is None:
            return
        left = (before.t[:0], before.values(source)[:0])
        while before is not None:
            after = next(parts, None)
            while after is not None and len(after.t) < overlap and (more := next(parts, None)) is not None:
                after = after.joined(more)
            if longest is None:
                longest = usual_gap(before.t)
            self.gaps += int(np.count_nonzero(np.diff(before.t, prepend=left[0][-1:]) > longest))
            right = (after.t[:overlap], after.values(source)[:overlap]) if after else (before.t[:0], left[1][:0])
            t = np.concatenate([left[0], before.t, right[0]])
            values = np.concatenate([left[1], before.values(source), right[1]])
            yield self._reader(before, source, t, values, len(left[0]), longest)
            left = (
                np.concatenate([left[0], before.t])[-overlap:],
                np.concatenate([left[1], before.values(source)])[-overlap:],
            )
            before = after

    def _reader(
        self, part: _Part, source: str, t: Floats, values: Floats, start: int, longest: float
    ) -> Callable[[], Chunk]:
        def read() -> Chunk:
            wide = values.astype(np.float64, copy=False)
            first, second = derivatives(t, wide, self.window, self.degree, longest)
            made = {"qdd": first} if source == "qd" else {"qd": first, "qdd": second}
            kept = slice(start, start + len(part.t))
            fresh = {key: made[key][kept].astype(values.dtype, copy=False) for key in self.missing}
            return replace(part.chunk, arrays={**part.chunk.arrays, **fresh})

        return read

    def _parts(self) -> Iterator[_Part]:
        """Yield chunks with their times checked; the first is long enough to know the usual step."""
        last, origin = -np.inf, None
        first: _Part | None = None
        for read in self.motion.pieces():
            chunk = read()
            if "qd" in self.missing:
                chunk = self._unwrapper(self.motion.name, chunk)
            if origin is None:
                origin = chunk.t[0] if chunk.t else None
            part = _Part(chunk, self._times(chunk, origin, last))
            last = part.t[-1] if len(part.t) else last
            if first is not None:
                first = first.joined(part)
            elif chunk.first == 0:
                first = part
            else:
                yield part
                continue
            if len(first.t) >= _FIRST:
                yield first
                first = None
        if first is not None:
            yield first

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
                f"{self.motion.name}: row {chunk.first + k + 1}: time falls from {old:.17g} to {t[k]:.17g} s"
                f"{wrap_hint(old, t[k])}"
            )
        self.duplicates += int(np.count_nonzero(steps == 0))
        return t


@dataclass(frozen=True)
class _Part:
    """A chunk and its times in seconds."""

    chunk: Chunk
    t: Floats

    def values(self, source: str) -> Floats:
        return self.chunk.arrays[source]

    def joined(self, other: _Part) -> _Part:
        return _Part(joined([self.chunk, other.chunk]), np.concatenate([self.t, other.t]))
