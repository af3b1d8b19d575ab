"""Results into files of any size, complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rne.errors import ArgumentError, FileError, check_flag, shown
from rne.files.arrays import NpySink, NpzSink
from rne.files.arrow import ArrowSink
from rne.files.formats import check_format, codec_of, format_of
from rne.files.sources import as_arrow
from rne.files.text import CsvSink
from rne.files.trajectory import seconds
from rne.whole import replacing

Floats = NDArray[Any]


def _is_group(item: tuple[Any, Any]) -> bool:
    quantity, names = item
    several = isinstance(names, Sequence) and not isinstance(names, str)
    return isinstance(quantity, str) and several and all(isinstance(name, str) for name in names)


class Results:
    """A file of results, written chunk by chunk; it takes its place when it is complete.

    Columns are t, if there is one, and <quantity>_<joint>; an NPZ has an array (N, n) a quantity. CSV (also .gz, .zst,
    .bz2, .lz4), Parquet, Arrow (.arrow, .feather), NPY and NPZ, by the suffix. CSV has as many digits as it takes to
    read the same numbers back.

    Parameters
    ----------
    path : the file, or an open stream of bytes of `format`. Where anything goes wrong inside the ``with`` statement, an
        old file stays as it was.
    columns : by quantity, the names of its columns.
    time : type of the column t (a pyarrow type; text is written as text only into CSV); None for no such column.
    single : whether the numbers are float32.
    format : of a stream, or of a file whose name does not tell: csv, parquet, arrow, npy or npz.

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
        if not isinstance(columns, Mapping) or not all(map(_is_group, columns.items())):
            raise ArgumentError(f"columns: wanted by quantity the names of its columns, got {shown(columns)}")
        if time is not None and not isinstance(time, pa.DataType):
            raise ArgumentError(f"time: wanted a pyarrow type, got {shown(time)}")
        self._stack = ExitStack()
        named = isinstance(path, str | Path)
        self._name = str(path) if named else str(getattr(path, "name", "<stream>"))
        self._kind = format or (format_of(self._name) if named else "csv")
        self._folder = Path(os.path.realpath(self._name)).parent if named else None
        self._with_time = time is not None
        stream: BinaryIO = self._stack.enter_context(replacing(str(path))) if named else path  # type: ignore[assignment]
        try:
            self._sink = self._opened(stream, columns, time, pa.float32() if single else pa.float64())
        except BaseException as error:
            self._stack.__exit__(type(error), error, error.__traceback__)
            raise

    def _opened(
        self, stream: BinaryIO, columns: Mapping[str, Sequence[str]], time: pa.DataType | None, kind: pa.DataType
    ) -> Any:
        fields = [(name, kind) for names in columns.values() for name in names]
        if time is not None:
            text = pa.types.is_string(time) and self._kind != "csv"
            fields.insert(0, ("t", pa.float64() if text else time))
        schema = pa.schema(fields)
        if self._kind == "csv":
            return CsvSink(stream, schema, codec_of(self._name))
        if self._kind in ("parquet", "arrow"):
            return ArrowSink(stream, schema, self._kind)
        if not stream.seekable():
            raise FileError(f"{self._name}: {self._kind} cannot be written into a pipe")
        dtype = np.dtype(kind.to_pandas_dtype())
        if self._kind == "npy":
            return NpySink(stream, (len(fields),), dtype)
        shapes: dict[str, tuple[int, ...]] = {"t": ()} if time is not None else {}
        shapes |= {key: (len(names),) for key, names in columns.items()}
        return NpzSink(stream, self._folder, shapes, dtype)

    @property
    def busy(self) -> bool:
        """Whether `put` is much of the work."""
        return self._kind in ("parquet", "arrow") or codec_of(self._name) is not None

    def encode(self, t: pa.Array | None, arrays: Mapping[str, Floats], first: int = 0) -> object:
        """Make of the next rows what `put` takes; this is most of the work, and may be done in any thread.

        Parameters
        ----------
        t : the column t, as `Chunk` has it.
        arrays : by quantity, (rows, n).
        first : number of the first row, for errors.

        Returns
        -------
        encoded : for `put`.

        Raises
        ------
        FileError
            A time is no number, where the format wants one.
        """
        t = t if self._with_time else None
        if self._kind in ("npy", "npz"):
            times = {} if t is None else {"t": seconds(self._name, t, first)}
            return self._sink.encode({**times, **arrays})
        if t is not None and self._kind != "csv" and pa.types.is_string(t.type):
            t = as_arrow(seconds(self._name, t, first))
        columns = [as_arrow(column) for array in arrays.values() for column in np.ascontiguousarray(array.T)]
        return self._sink.encode(columns if t is None else [t, *columns])

    def put(self, encoded: object) -> None:
        """Take the next rows, from `encode`."""
        self._sink.write(encoded)

    def write(self, t: pa.Array | None, arrays: Mapping[str, Floats]) -> None:
        """Take the next rows; arguments as for `encode`."""
        self.put(self.encode(t, arrays))

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
