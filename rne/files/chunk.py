"""Some rows of a trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.errors import ArgumentError, shown
from rne.files.extra import pa

Floats = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a trajectory.

    Parameters
    ----------
    first : number of the first row, from zero.
    t : the column t as the file has it, a pyarrow array (of text if the file is text); None if there is none.
    arrays : by quantity that is there, (rows, n): arguments of the public functions.
    wrenches : by frame, (rows, 6).
    nulls : how many numbers of the file are null; in the arrays they are NaN.

    Examples
    --------
    >>> import numpy as np, rne.files
    >>> chunk = rne.files.Chunk(0, None, {"q": np.zeros((5, 2))})
    >>> chunk.rows
    5
    """

    first: int
    t: pa.Array | None
    arrays: dict[str, Floats]
    wrenches: dict[str, Floats] = field(default_factory=dict)
    nulls: int = 0

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter((*self.arrays.values(), *self.wrenches.values()))))


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """Put chunks that follow each other into one.

    Parameters
    ----------
    chunks : one or more, of the same quantities.

    Returns
    -------
    chunk : all their rows.

    Examples
    --------
    >>> import rne
    >>> panda = rne.load("models/panda/robot.urdf")
    >>> with rne.files.Trajectory("models/panda/trajectory.csv", panda, chunk=100) as motion:
    ...     rne.files.joined(list(motion)).rows
    2001
    """
    if not isinstance(chunks, Sequence) or not chunks or not all(isinstance(chunk, Chunk) for chunk in chunks):
        raise ArgumentError(f"chunks: wanted one chunk or more, got {shown(chunks)}")
    if len(chunks) == 1:
        return chunks[0]
    first = chunks[0]
    return Chunk(
        first.first,
        None if first.t is None else pa.concat_arrays([chunk.t for chunk in chunks]),
        {key: np.concatenate([chunk.arrays[key] for chunk in chunks]) for key in first.arrays},
        {frame: np.concatenate([chunk.wrenches[frame] for chunk in chunks]) for frame in first.wrenches},
        sum(chunk.nulls for chunk in chunks),
    )


def cut(chunk: Chunk, start: int, stop: int) -> Chunk:
    """Return rows of a chunk."""
    if start == 0 and stop == chunk.rows:
        return chunk
    arrays = {key: array[start:stop] for key, array in chunk.arrays.items()}
    return Chunk(
        chunk.first + start,
        None if chunk.t is None else chunk.t[start:stop],
        arrays,
        {frame: wrench[start:stop] for frame, wrench in chunk.wrenches.items()},
        sum(int(np.isnan(array).sum()) for array in arrays.values()) if chunk.nulls else 0,
    )
