"""Results into files of any size, complete or not at all."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from rne.atomic_write import replacing
from rne.check import at_home, check_flag, real_array
from rne.errors import ArgumentError, listed, shown
from rne.files.array_sinks import NpySink, NpzSink, check_stream
from rne.files.arrow import ArrowSink
from rne.files.base import as_arrow, as_numpy, reason
from rne.files.csv_fast import CsvSink
from rne.files.extra import compute, pa
from rne.files.formats import FORMATS, check_format, codec_of, format_of
from rne.files.layout import written_order
from rne.files.times import is_text, seconds, written

Floats = NDArray[Any]


def _is_group(item: tuple[Any, Any]) -> bool:
    quantity, names = item
    several = isinstance(names, Sequence) and not isinstance(names, str)
    return isinstance(quantity, str) and several and all(isinstance(name, str) for name in names)


def _checked(columns: object, time: bool) -> dict[str, tuple[str, ...]]:
    """Return the columns by quantity; refuse ambiguous ones."""
    if not isinstance(columns, Mapping) or not all(map(_is_group, columns.items())):
        raise ArgumentError(f"columns: wanted by quantity the names of its columns, got {shown(columns)}")
    names = [name for group in columns.values() for name in group] + ["t"] * time
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise ArgumentError(f"columns: duplicate names: {', '.join(twice)}")
    if not names:
        raise ArgumentError(f"columns: wanted one column or more, got {shown(columns)}")
    if time and "t" in columns:
        raise ArgumentError("columns: t is the name of the times; wanted is another for the quantity")
    return {key: tuple(group) for key, group in columns.items()}


class Results:
    """A file of results, written chunk by chunk; it takes its place when it is complete.

    Columns are t, if there is one, and <quantity>_<joint>; an NPZ has an array (N, n) a quantity. CSV (also .gz, .zst,
    .bz2, .lz4), Parquet, Arrow (.arrow, .feather), NPY and NPZ, by the suffix. CSV has as many digits as it takes to
    read the same numbers back. An NPY has no names: states are written in the order q, qd, qdd, tau in which they are
    read, and refused where some are left out.

    Parameters
    ----------
    path : the file, or an open stream of bytes of `format`. Where anything goes wrong inside the ``with`` statement, an
        old file stays as it was. Of streams, only plain files with the name of a compressed file are compressed; what
        `gzip.open` and similar functions return is written unchanged.
    columns : by quantity, the names of its columns.
    time : type of the column t (a pyarrow type; text is written as text only into CSV, durations there as
        seconds with all their digits); None for no such column.
    single : whether the numbers are float32. Times are not: an NPY with times, which has one type, is all float64.
    format : of a stream, or of a file whose name does not tell: csv, parquet, arrow, npy or npz.

    Raises
    ------
    ArgumentError
        An argument has the wrong type; names are repeated, or ambiguous in an NPY; what is written has
        other quantities, widths or lengths than `columns`.
    FileError
        The stream cannot be written in this format.

    Examples
    --------
    >>> import io, numpy as np, rne
    >>> stream = io.BytesIO()
    >>> with rne.files.Results(stream, {"tau": ["tau_shoulder", "tau_elbow"]}) as results:
    ...     results.write(None, {"tau": np.array([[1.5, 2.0], [0.25, 1e-9]])})
    >>> print(stream.getvalue().decode())
    tau_shoulder,tau_elbow
    1.5,2
    0.25,1e-9
    """

    def __init__(
        self,
        path: str | Path | BinaryIO,
        columns: Mapping[str, Sequence[str]],
        *,
        time: pa.DataType | None = None,
        single: bool = False,
        format: str | None = None,  # noqa: A002
    ) -> None:
        check_format(format)
        check_flag("single", single)
        if not isinstance(path, str | Path) and not hasattr(path, "write"):
            raise ArgumentError(f"path: wanted a path or an open stream, got {shown(path)}")
        if time is not None and (not isinstance(time, pa.DataType) or pa.types.is_nested(time)):
            raise ArgumentError(f"time: wanted a pyarrow type of numbers, text or time stamps, got {shown(time)}")
        self._stack = ExitStack()
        named = isinstance(path, str | Path)
        self._name = at_home(path) if isinstance(path, str | Path) else str(getattr(path, "name", "<stream>"))
        self._kind = format or (format_of(self._name) if named else "csv")
        if self._kind not in FORMATS:
            raise ArgumentError(f"{self._name}: {self._kind} files are only read; written are {listed(FORMATS)}")
        self._columns = _checked(columns, time is not None)
        if self._kind == "npy":
            self._columns = {
                key: self._columns[key] for key in written_order(self._name, self._columns, time is not None)
            }
        self._codec = codec_of(path) if self._kind == "csv" else None
        self._folder = Path(os.path.realpath(self._name)).parent if named else None
        self._rows = 0
        self._dtype = np.dtype(np.float32 if single else np.float64)
        # Text is as it was in text alone; and there a duration would be a bare count.
        told = time is not None and self._kind != "csv" and is_text(time)
        self._time = pa.float64() if told or (time is not None and self._kind in ("npy", "npz")) else time
        stream: BinaryIO = self._stack.enter_context(replacing(self._name)) if named else path  # type: ignore[assignment]
        try:
            self._sink = self._opened(stream)
        except BaseException as error:
            self._stack.__exit__(type(error), error, error.__traceback__)
            raise

    def _opened(self, stream: BinaryIO) -> Any:
        names = [name for group in self._columns.values() for name in group]
        # A duration is written out in seconds.
        told = self._kind == "csv" and self._time is not None and pa.types.is_duration(self._time)
        times = [] if self._time is None else [("t", pa.string() if told else self._time)]
        schema = pa.schema([*times, *((name, pa.from_numpy_dtype(self._dtype)) for name in names)])
        if self._kind == "csv":
            return CsvSink(stream, schema, self._codec)
        if self._kind in ("parquet", "arrow"):
            return ArrowSink(stream, schema, self._kind)
        check_stream(stream, self._name, self._kind)
        if self._kind == "npy":
            return NpySink(stream, (len(schema),), np.float64 if times else self._dtype)
        shapes: dict[str, tuple[int, ...]] = {"t": ()} if times else {}
        shapes |= {key: (len(group),) for key, group in self._columns.items()}
        return NpzSink(stream, self._folder, shapes, self._dtype)

    @property
    def busy(self) -> bool:
        """Whether `put` is much of the work."""
        return self._kind in ("parquet", "arrow") or self._codec is not None

    def encode(self, t: pa.Array | None, arrays: Mapping[str, Floats], first: int = 0) -> object:
        """Make of the next rows what `put` takes; this is most of the work, and may be done in any thread.

        Parameters
        ----------
        t : the column t, as `Chunk` has it; None if there is none.
        arrays : by quantity, (rows, n); those of `columns`, in any order.
        first : number of the first row, for errors.

        Returns
        -------
        encoded : for `put`.

        Raises
        ------
        ArgumentError
            Quantities, widths or lengths are not those of the file, or the type of t is another.
        FileError
            A time is not a number, which the format requires.
        """
        ordered, rows = self._ordered(arrays)
        times = self._times(t, rows, first)
        if self._kind in ("npy", "npz"):
            return self._sink.encode(ordered if times is None else {"t": as_numpy(times), **ordered})
        columns = [as_arrow(column) for array in ordered.values() for column in np.ascontiguousarray(array.T)]
        return self._sink.encode(columns if times is None else [times, *columns])

    def _ordered(self, arrays: Mapping[str, Floats]) -> tuple[dict[str, Floats], int | None]:
        """Return the arrays in the order of the file, and how many rows they have; refuse what does not fit it."""
        if not isinstance(arrays, Mapping):
            raise ArgumentError(f"{self._name}: arrays: wanted a mapping from quantity to array, got {shown(arrays)}")
        if arrays.keys() != self._columns.keys():
            told = [", ".join(map(str, keys)) or "none" for keys in (self._columns, arrays)]
            raise ArgumentError(f"{self._name}: arrays: wanted {told[0]}, got {told[1]}")
        ordered: dict[str, Floats] = {}
        rows = None
        for key, names in self._columns.items():
            where = f"{self._name}: arrays[{key!r}]"
            array = real_array(where, arrays[key])
            if array.ndim != 2 or array.shape[1] != len(names) or array.shape[0] != (rows or array.shape)[0]:
                wanted = rows[0] if rows else "rows"
                raise ArgumentError(f"{where}: wanted shape ({wanted}, {len(names)}), got {array.shape}")
            rows = array.shape
            ordered[key] = array if array.dtype == self._dtype else self._cast(where, array)
        return ordered, rows[0] if rows else None

    def _cast(self, where: str, array: Floats) -> Floats:
        with np.errstate(over="ignore"):
            cast = array.astype(self._dtype)
        if (np.isinf(cast) & np.isfinite(array)).any():
            raise ArgumentError(f"{where}: has numbers too large for float32; write it without single")
        return cast

    def _times(self, t: pa.Array | None, rows: int | None, first: int) -> pa.Array | None:
        """Return t as the file has it."""
        if t is None or self._time is None:
            if (t is None) == (self._time is None):
                return None
            told = "wanted None, because the file has no column t (see time)" if self._time is None else "wanted times"
            raise ArgumentError(f"{self._name}: t: {told}, got {'None' if t is None else type(t).__name__}")
        if not isinstance(t, pa.Array | pa.ChunkedArray):
            raise ArgumentError(f"{self._name}: t: wanted a pyarrow array, got {shown(t)}")
        if isinstance(t, pa.ChunkedArray):
            t = t.combine_chunks()
        if len(t) != rows and rows is not None:
            raise ArgumentError(f"{self._name}: t: wanted {rows} times, one a row of the arrays, got {len(t)}")
        if pa.types.is_float64(self._time) and not pa.types.is_floating(t.type):
            return as_arrow(seconds(self._name, t, first))
        try:
            t = t if t.type == self._time else t.cast(self._time)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise ArgumentError(f"{self._name}: t: wanted {self._time}, got {t.type}: {reason(error)}") from None
        if self._kind == "csv" and pa.types.is_duration(t.type):
            return written(t)
        if self._kind == "csv" and pa.types.is_floating(t.type) and t.null_count:
            t = compute.fill_null(t, pa.scalar(math.nan, t.type))  # an empty field means NaN
        return t

    def put(self, encoded: object) -> None:
        """Take the next rows, from `encode`."""
        self._sink.write(encoded)

    def write(self, t: pa.Array | None, arrays: Mapping[str, Floats]) -> None:
        """Take the next rows; arguments as for `encode`."""
        self.put(self.encode(t, arrays, self._rows))
        self._rows += len(next(iter(arrays.values()), ()))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            with self._stack:
                self._sink.close()
        else:
            self._sink.abandon()
            self._stack.__exit__(kind, error, trace)
