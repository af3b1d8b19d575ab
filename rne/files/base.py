"""What the formats have in common: a source gives the rows of its columns piece by piece, a sink takes them so."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.files.extra import compute, pa

PIECE = 3 << 20  # bytes of numbers in a piece: what a core's cache holds, and enough not to see the costs of a call


@dataclass(frozen=True)
class Piece:
    """Some rows that are still to be made numbers of.

    Attributes
    ----------
    first : number of the first row, from zero.
    read : returns the columns; may be called in any thread.
    """

    first: int
    read: Callable[[], Sequence[pa.Array]]


class Source(ABC):
    """A file of columns.

    Attributes
    ----------
    where : the file, and the line of the header if it has lines, for errors.
    names : of its columns.
    is_text : whether numbers are written out in it.
    remarks : on how it was taken, where that is not certain.
    """

    is_text = False
    remarks: tuple[str, ...] = ()
    where: str
    names: tuple[str, ...]

    @abstractmethod
    def pieces(self, kept: Sequence[int], places: Sequence[int], rows: int | None) -> Iterator[Piece]:
        """Read on.

        Parameters
        ----------
        kept : places of columns that are kept as they are: in text as it is written. Times, and names.
        places : of the columns of numbers that are wanted. A piece has those kept and these, in this order.
        rows : most rows of a piece; by default as many as are read fast in little memory.
        """

    @abstractmethod
    def done(self) -> float:
        """Return how much has been read, from zero to one; NaN if that cannot be known."""

    def first(self, places: Sequence[int]) -> list[str]:
        """Return the first row as text, empty if there is none, without consuming it."""
        raise NotImplementedError

    def close(self) -> None:  # noqa: B027
        """Let go of what was opened besides the stream."""

    def late_remarks(self) -> list[str]:
        """Return remarks on what has been read so far."""
        return []

    def type_of(self, place: int) -> pa.DataType:  # noqa: ARG002
        """Return the type of a column; raise an error if it is invalid."""
        return pa.float64()


class Sink(ABC):
    """A file that is written piece by piece."""

    @abstractmethod
    def encode(self, columns: Any) -> Any:
        """Make of the next rows what `write` takes; in any thread."""

    @abstractmethod
    def write(self, encoded: Any) -> None:
        """Take the next rows."""

    @abstractmethod
    def close(self) -> None:
        """Write the end of the file; the stream stays open."""

    def abandon(self) -> None:  # noqa: B027
        """Let go of a file that will not be finished."""


# In place, both; what pyarrow offers for it imports pandas where that is installed, and takes as long as all the rest.


def as_arrow(column: NDArray[Any]) -> pa.Array:
    """Return contiguous numbers as pyarrow has them."""
    return pa.Array.from_buffers(pa.from_numpy_dtype(column.dtype), len(column), [None, pa.py_buffer(column)])


def as_numpy(column: pa.Array) -> NDArray[Any]:
    """Return numbers as numpy has them; nulls become NaN."""
    if column.null_count:
        column = compute.fill_null(column.cast(pa.float64(), safe=False), math.nan)
    values, dtype = column.buffers()[1], np.dtype(column.type.to_pandas_dtype())
    if not len(column):
        return np.empty(0, dtype)
    return np.frombuffer(values, dtype, len(column), column.offset * dtype.itemsize)


def numbers_of(column: pa.Array) -> NDArray[Any]:
    """Return a column of any type of number as numpy has it; nulls are NaN."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not pa.types.is_floating(column.type):
        column = column.cast(pa.float64(), safe=False)
    return as_numpy(column)


def reason(error: BaseException) -> str:
    """Return in one line why something cannot be read; some errors, as that of an end too early, say nothing."""
    said = str(error).strip().splitlines()
    if said:
        return said[0]
    return "it ends too early" if isinstance(error, EOFError) else type(error).__name__


def rows_of(columns: int, rows: int | None) -> int:
    """Return how many rows make a piece."""
    return rows or max(256, PIECE // (8 * max(1, columns)))
