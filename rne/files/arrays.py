"""NPY and NPZ, streamed: a member of an NPZ is never unpacked as a whole, and nothing is mapped into memory."""

from __future__ import annotations

import itertools
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.lib import format as npy
from numpy.typing import NDArray

from rne.errors import FileError
from rne.files.sources import Piece, Sink, Source, as_arrow, asked, rows_of


class _Place:
    """A stream with a place of its own to read at.

    Parameters
    ----------
    stream : shared; it is sought before every read.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._place = stream, 0

    def read(self, size: int = -1) -> bytes:
        self._stream.seek(self._place)
        data = self._stream.read(size)
        self._place += len(data)
        return data

    def seek(self, place: int) -> None:
        self._place = place

    def tell(self) -> int:
        return self._place


class _Member:
    """An array of one or two axes, read row by row.

    Parameters
    ----------
    where : for errors.
    opened : opens it anew, at its beginning.

    Attributes
    ----------
    odd : why it cannot be read as columns; empty if it can.
    """

    def __init__(self, where: str, opened: Callable[[], Any]) -> None:
        self._where = where
        with _damage(where):
            first = opened()
            version = npy.read_magic(first)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, fortran, self.dtype = read(first)
        self.odd, self.rows, self.width = "", 0, 1
        if self.dtype.hasobject or len(shape) not in (1, 2) or (self.dtype.names and len(shape) != 1):
            self.odd = f"{where}: wanted an array of one or two axes, got {self.dtype} of shape {shape}"
            return
        self.rows, self.width = shape[0], 1 if len(shape) == 1 else shape[1]
        self._streams, self._per_row = [first], self.width
        if fortran and self.width != 1:  # column after column: each is read by itself
            start = first.tell()
            self._per_row = 1
            with _damage(where):
                self._streams = [first, *(opened() for _ in range(1, self.width))]
                for k, stream in enumerate(self._streams):
                    stream.seek(start + k * self.rows * self.dtype.itemsize)

    def read(self, rows: int) -> NDArray[Any]:
        """Return the next rows, (rows, width)."""
        parts = []
        for stream in self._streams:
            size = rows * self._per_row * self.dtype.itemsize
            with _damage(self._where):
                data = stream.read(size)
            if len(data) < size:
                raise FileError(f"{self._where}: the file is cut off")
            parts.append(np.frombuffer(data, self.dtype).reshape(rows, self._per_row))
        return parts[0] if len(parts) == 1 else np.hstack(parts)


class Arrays(Source):
    """An NPY or NPZ file as columns.

    Parameters
    ----------
    stream : must be seekable.
    name : of the file, for errors.
    widths : by quantity that may be there, the names of its columns, in order.
    kind : "npy" or "npz".
    """

    def __init__(self, stream: BinaryIO, name: str, widths: Mapping[str, Sequence[str]], kind: str) -> None:
        self.where = name
        self._first = 0
        if not stream.seekable():
            raise FileError(f"{name}: wanted is a file, not a pipe")
        if kind == "npz":
            self._members = _members(stream, name)
            self._rows = _rows(name, self._members, {"t", *widths, *itertools.chain(*widths.values())})
            named = [_names(f"{name}: {key}", key, member, widths) for key, member in self._members.items()]
        else:
            member = _Member(name, lambda: _Place(stream))
            named = [_layout(name, member, widths)]
            self._members, self._rows = {"": member}, member.rows
        self._named = dict(zip(self._members, named, strict=True))
        self.names = tuple(column for columns in named for column in columns)
        self._types = [
            m.odd or (m.dtype[k] if m.dtype.names else m.dtype)
            for m in self._members.values()
            for k in range(_width(m))
        ]

    def type_of(self, place: int) -> pa.DataType:
        kind = self._types[place]
        if isinstance(kind, str):
            raise FileError(kind)
        try:
            return pa.from_numpy_dtype(kind)
        except (pa.ArrowException, TypeError):
            return pa.null()

    def pieces(self, time: int | None, places: Sequence[int], rows: int | None) -> Iterator[Piece]:
        names = [self.names[place] for place in asked(time, places)]
        wanted = set(names)
        members = {key: m for key, m in self._members.items() if wanted & set(self._named[key])}
        most = rows_of(sum(map(_width, members.values())), rows)
        while self._first < self._rows:
            count = min(most, self._rows - self._first)
            read = {key: member.read(count) for key, member in members.items()}
            yield Piece(self._first, self._columns(read, names))
            self._first += count

    def _columns(self, read: dict[str, NDArray[Any]], names: Sequence[str]) -> Callable[[], list[pa.Array]]:
        columns = {}
        for key, array in read.items():
            for k, name in enumerate(self._named[key]):
                columns[name] = array[array.dtype.names[k]][:, 0] if array.dtype.names else array[:, k]
        wanted = [columns[name] for name in names]
        return lambda: [as_arrow(np.ascontiguousarray(_native(column))) for column in wanted]

    def done(self) -> float:
        return self._first / max(1, self._rows)


def _native(column: NDArray[Any]) -> NDArray[Any]:
    return column.astype(column.dtype.newbyteorder("="), copy=False)


def _width(member: _Member) -> int:
    return len(member.dtype.names) if member.dtype.names and not member.odd else member.width


def _members(stream: BinaryIO, name: str) -> dict[str, _Member]:
    with _damage(name):
        archive = zipfile.ZipFile(stream)
    keys = [info.filename for info in archive.infolist() if info.filename.endswith(".npy")]
    return {key[:-4]: _Member(f"{name}: {key[:-4]}", _opener(archive, key)) for key in keys}


def _opener(archive: zipfile.ZipFile, key: str) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(key)


def _rows(name: str, members: Mapping[str, _Member], known: Collection[str]) -> int:
    """Return how many rows there are by the arrays whose names are known; mark those that do not fit as odd."""
    for key, member in members.items():
        if member.odd and key in known:
            raise FileError(member.odd)
    even = {key: member for key, member in members.items() if not member.odd}
    rows = {key: m.rows for key, m in even.items() if key in known} or {key: m.rows for key, m in even.items()}
    told = f"{name}: arrays of different length: {', '.join(f'{key} {count}' for key, count in rows.items())}"
    if len(set(rows.values())) > 1:
        raise FileError(told)
    count = next(iter(rows.values()), 0)
    for key, member in even.items():
        if member.rows != count:
            member.odd, member.width = f"{told}, {key} {member.rows}", 1
    return count


def _names(where: str, key: str, member: _Member, widths: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Return the names of the columns that a member of an NPZ holds: an array (N, n) a quantity, or a column."""
    if key in widths:
        if member.width != len(widths[key]):
            raise FileError(
                f"{where}: wanted {len(widths[key])} columns ({', '.join(widths[key])}), got {member.width}"
            )
        return widths[key]
    return [key] if member.width == 1 else [f"{key}[{k}]" for k in range(member.width)]


def _layout(where: str, member: _Member, widths: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Return the names of the columns of an NPY: its fields, or the quantities in order, with t in front or without."""
    if member.odd:
        raise FileError(member.odd)
    if member.dtype.names:
        return member.dtype.names
    names: list[str] = []
    layouts: list[list[str]] = []
    for columns in widths.values():
        names += columns
        layouts += [[*names], ["t", *names]]
    fitting = [layout for layout in layouts if len(layout) == member.width]
    if not fitting:
        told = " and ".join(f"{key} ({len(columns)})" for key, columns in widths.items())
        raise FileError(f"{where}: {member.width} columns; wanted are the first of {told}, with t in front or without")
    if len(fitting) > 1:  # of a robot of one joint
        told = " or ".join(", ".join(layout) for layout in fitting)
        raise FileError(f"{where}: {member.width} columns may be {told}; wanted are names: an NPZ, or fields")
    return fitting[0]


@contextmanager
def _damage(where: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise FileError(f"{where}: cannot be read: {error}") from None


class NpySink(Sink):
    """Writes one array (N, columns); its header is written again when N is known.

    Parameters
    ----------
    stream : must be seekable.
    shape : of a row.
    dtype : of the numbers.
    """

    def __init__(self, stream: BinaryIO, shape: tuple[int, ...], dtype: Any) -> None:
        self._stream, self._shape, self.dtype = stream, shape, np.dtype(dtype)
        self._rows = 0
        self._header(0)

    def _header(self, rows: int) -> None:
        # numpy leaves room for the longest number of rows, so that this header has always the same length.
        description = {"descr": npy.dtype_to_descr(self.dtype), "fortran_order": False, "shape": (rows, *self._shape)}
        npy.write_array_header_1_0(self._stream, description)

    def encode(self, columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        return np.column_stack(list(columns.values())).astype(self.dtype, copy=False)

    def write(self, encoded: NDArray[Any]) -> None:
        self._stream.write(encoded.tobytes())
        self._rows += len(encoded)

    def close(self) -> None:
        self._stream.seek(0)
        self._header(self._rows)


class NpzSink(Sink):
    """Writes an array for each quantity. They grow side by side in files without names until they are put together.

    Parameters
    ----------
    stream : of the archive.
    folder : where there is room for as much again; the usual one for temporary files if None.
    shapes : of a row, by key.
    dtype : of the numbers, but for times, which keep their digits.
    """

    def __init__(
        self, stream: BinaryIO, folder: Path | None, shapes: Mapping[str, tuple[int, ...]], dtype: Any
    ) -> None:
        self._stream = stream
        self._parts = {key: tempfile.TemporaryFile(dir=folder) for key in shapes}  # noqa: SIM115
        self._sinks = {
            key: NpySink(part, shapes[key], np.float64 if key == "t" else dtype) for key, part in self._parts.items()
        }

    def encode(self, columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        return {key: columns[key].astype(sink.dtype, copy=False) for key, sink in self._sinks.items()}

    def write(self, encoded: Mapping[str, NDArray[Any]]) -> None:
        for key, sink in self._sinks.items():
            sink.write(encoded[key])

    def close(self) -> None:
        with zipfile.ZipFile(self._stream, "w", allowZip64=True) as archive:
            for key, part in self._parts.items():
                self._sinks[key].close()
                part.seek(0)
                with archive.open(f"{key}.npy", "w", force_zip64=True) as member:
                    while data := part.read(1 << 20):
                        member.write(data)
                part.close()

    def abandon(self) -> None:
        for part in self._parts.values():
            part.close()
