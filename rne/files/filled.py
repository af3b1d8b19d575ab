"""Numbers for empty fields: the last one above, or those between the next ones."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.errors import FileError
from rne.files.base_pose import interpolated, whole
from rne.files.chunk import Chunk, joined
from rne.files.times import seconds
from rne.files.unwrapped import NEAR, TURN, Unwrapper

FILLS = ("last", "linear")
_LONGEST = 200_000  # rows that are held until a number comes that ends what is missing

Floats = NDArray[Any]
Read = Callable[[], Chunk]


def filled(where: str, pieces: Iterable[Read], how: str, unwrapper: Unwrapper) -> Iterator[Read]:
    """Yield chunks without NaN, but above the first number of a column, and below the last where it is linear.

    They are read here, one after the other, for each needs what comes before.

    Parameters
    ----------
    where : the file, for errors.
    pieces : functions that return chunks.
    how : "last" or "linear".
    unwrapper : tells of which joints angles wrap, for "linear".

    Raises
    ------
    FileError
        Too many rows are without a number, or an angle that should not wrap jumps by nearly a turn across them.
    """
    chunks = (whole(read()) if unwrapper.floating else read() for read in pieces)
    for chunk in _last(chunks) if how == "last" else _linear(where, chunks, unwrapper):
        yield lambda chunk=chunk: chunk  # type: ignore[misc]


def _last(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    above: dict[str, Floats] = {}
    for chunk in chunks:
        arrays = {}
        for key, array in chunk.arrays.items():
            start = above.get(key, np.full((1, array.shape[1]), np.nan, array.dtype))
            arrays[key] = _forward(np.concatenate([start, array]))[1:]
            above[key] = arrays[key][-1:] if len(array) else start
        yield _counted(chunk, arrays)


def _forward(array: Floats) -> Floats:
    rows = np.where(np.isnan(array), 0, np.arange(len(array))[:, None])
    return np.take_along_axis(array, np.maximum.accumulate(rows, axis=0), axis=0)


def _linear(where: str, chunks: Iterable[Chunk], unwrapper: Unwrapper) -> Iterator[Chunk]:
    held: Chunk | None = None  # its first row is given already, where there was one
    done, origin = 0, None
    for chunk in chunks:
        if origin is None and chunk.t is not None and chunk.rows:
            origin = chunk.t[0]
        held = chunk if held is None else joined([held, chunk])
        # Up to the first row with something missing for which there is nothing yet below.
        known = [_last_known(array) for array in held.arrays.values()]
        ready = min((int(rows.min()) for rows in known if rows.size), default=held.rows - 1)
        if held.rows - ready > _LONGEST:
            raise FileError(
                f"{where}: after row {held.first + ready + 1} more than {_LONGEST:,} rows have no number in some "
                "column; nothing is interpolated over so many (--fill last may)"
            )
        if ready > done:
            full = _between(where, held, origin, unwrapper)
            yield _part(full, done, ready)
            held, done = _part(full, ready - 1, held.rows), 1
    if held is not None:
        yield _part(_between(where, held, origin, unwrapper), done, held.rows)


def _last_known(array: Floats) -> NDArray[np.int64]:
    """Return by column one more than the last row that has a number; zero if there is none."""
    there = ~np.isnan(array)
    rows = len(array) - np.argmax(there[::-1], axis=0)
    found: NDArray[np.int64] = np.where(there.any(axis=0), rows, 0)
    return found


def _between(where: str, chunk: Chunk, origin: Any, unwrapper: Unwrapper) -> Chunk:
    x = np.arange(chunk.rows, dtype=float)
    if chunk.t is not None and chunk.rows:
        x = seconds(where, chunk.t, chunk.first, origin)

    def fill(array: Floats, angles: bool) -> Floats:
        full = array.copy()
        for k in range(array.shape[1]):
            known = np.isfinite(array[:, k]) & np.isfinite(x)
            gaps = np.isnan(array[:, k])
            if gaps.any() and known.any():
                full[gaps, k] = np.interp(x[gaps], x[known], array[known, k], left=np.nan, right=np.nan)
                if angles and (unwrapper.taken[k] or unwrapper.refused[k]):
                    _turn(where, chunk.first, k, unwrapper, x, np.flatnonzero(known), full)
        return full

    arrays = {key: fill(array, False) for key, array in chunk.arrays.items() if key != "q"}
    fill_q = functools.partial(fill, angles=True)
    if "q" in chunk.arrays:
        q = chunk.arrays["q"]
        arrays["q"] = interpolated(q, fill_q) if unwrapper.floating else fill_q(q)
    return _counted(chunk, {key: arrays[key] for key in chunk.arrays})


def _turn(where: str, first: int, k: int, unwrapper: Unwrapper, x: Floats, known: NDArray[np.int64], q: Floats) -> None:
    """Fill what is missing of an angle where it wraps meanwhile: the short way round, from the number above."""
    change = np.diff(q[known, k].astype(np.float64))
    wide = np.diff(known) > 1
    if unwrapper.refused[k]:
        jumps = np.flatnonzero(wide & (abs(abs(change) - TURN) < NEAR))
        if jumps.size:
            name = unwrapper.names[k]
            raise FileError(
                f"{where}: row {first + known[jumps[0]] + 1}: q of {name} jumps by {change[jumps[0]]:.4g} rad, nearly "
                f"a turn, across rows without a number; if the log wraps its angles, say --differentiate --unwrap "
                f"{name}, and if not, --differentiate --unwrap none or --fill last"
            )
        return
    for jump in np.flatnonzero(wide & (abs(change) > math.pi)).tolist():
        begin, end = known[jump], known[jump + 1]
        way = change[jump] - TURN * np.rint(change[jump] / TURN)
        if x[end] > x[begin]:
            q[begin + 1 : end, k] = q[begin, k] + way * (x[begin + 1 : end] - x[begin]) / (x[end] - x[begin])


def _counted(chunk: Chunk, arrays: dict[str, Floats]) -> Chunk:
    return replace(chunk, arrays=arrays, nulls=sum(int(np.isnan(array).sum()) for array in arrays.values()))


def _part(chunk: Chunk, start: int, stop: int) -> Chunk:
    rows = slice(start, stop)
    part = replace(
        chunk,
        first=chunk.first + start,
        t=None if chunk.t is None else chunk.t[rows],
        arrays={key: array[rows] for key, array in chunk.arrays.items()},
        wrenches={key: array[rows] for key, array in chunk.wrenches.items()},
    )
    return _counted(part, part.arrays)
