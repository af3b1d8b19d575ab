"""NPY and NPZ, streamed: a member of an NPZ is never unpacked as a whole, and nothing is mapped into memory."""

from __future__ import annotations

import itertools
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from rne.errors import FileError
from rne.files.base import Piece, Source, as_arrow, reason, rows_of
from rne.files.extra import pa
from rne.files.layout import read_layout
from rne.files.mat_hdf5 import hdf5_members, mat_members

_SKIPPED = 1 << 20  # bytes read at a time
_HEADER = 30  # bytes of a member's header in an archive, before its name and what else there is


class _Place:
    """A stream with a place of its own to read at.

    Parameters
    ----------
    stream : shared; every read is preceded by a seek.
    place : where to begin.
    """

    def __init__(self, stream: BinaryIO, place: int = 0) -> None:
        self._stream, self._place = stream, place

    def read(self, size: int = -1) -> bytes:
        self._stream.seek(self._place)
        data = self._stream.read(size)
        self._place += len(data)
        return data

    def skip(self, size: int) -> None:
        self._place += size


def _skip(stream: Any, size: int) -> None:
    """Go forward. A member of an archive is read for it: its checksum is kept, and its `seek` is not to be trusted.

    In Python 3.13.0, `seek` of one member goes from where another has read last.
    """
    if isinstance(stream, _Place):
        stream.skip(size)
        return
    while size:
        data = stream.read(min(size, _SKIPPED))
        if not data:
            raise EOFError
        size -= len(data)


class _Member:
    """An array of one or two axes, read row by row.

    Parameters
    ----------
    where : for errors.
    opened : opens it anew, at its beginning.
    placed : the same, where there is a way to go forward without reading.

    Attributes
    ----------
    odd : why it cannot be read as columns; empty if it can.
    """

    def __init__(self, where: str, opened: Callable[[], Any], placed: Callable[[], _Place] | None = None) -> None:
        self._where, self._opened, self._placed = where, opened, placed
        with _damage(where):
            first, shape, fortran, self.dtype = _begun(opened)
        self.odd, self.rows, self.width = "", 0, 1
        if self.dtype.hasobject or len(shape) not in (1, 2) or (self.dtype.names and len(shape) != 1):
            self.odd = f"{where}: wanted an array of one or two axes, got {self.dtype} of shape {shape}"
            return
        self.rows, self.width = shape[0], 1 if len(shape) == 1 else shape[1]
        self._streams, self._per_row = [first], self.width
        if fortran and self.width != 1:  # column after column: each is read by itself
            self._streams, self._per_row = [], 1

    def _columns(self) -> list[Any]:
        """Return a stream for each column, where it begins."""
        streams = []
        for k in range(self.width):
            # The last one is read from the beginning of the member, so that its checksum is looked at.
            by_place = self._placed is not None and k < self.width - 1
            stream = _begun(self._placed if by_place else self._opened)[0]  # type: ignore[arg-type]
            _skip(stream, k * self.rows * self.dtype.itemsize)
            streams.append(stream)
        return streams

    def read(self, rows: int) -> NDArray[Any]:
        """Return the next rows, (rows, width)."""
        parts = []
        if not self._streams and self.width:
            with _damage(self._where):
                self._streams = self._columns()
        for stream in self._streams:
            size = rows * self._per_row * self.dtype.itemsize
            with _damage(self._where):
                data = stream.read(size)
            if len(data) < size:
                raise FileError(f"{self._where}: the file is cut off")
            parts.append(np.frombuffer(data, self.dtype).reshape(rows, self._per_row))
        return parts[0] if len(parts) == 1 else np.hstack(parts)


def _begun(opened: Callable[[], Any]) -> tuple[Any, tuple[int, ...], bool, np.dtype[Any]]:
    """Open an array and read its header."""
    stream = opened()
    version = npy.read_magic(stream)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    return (stream, *read(stream))


class Arrays(Source):
    """An NPY, NPZ, MATLAB or HDF5 file as columns.

    Parameters
    ----------
    stream : must be seekable.
    name : of the file, for errors.
    widths : by quantity and frame that may be there, the names of its columns, in order.
    quantities, frames : of them, those that are looked for.
    kind : "npy", "npz", "mat" or "hdf5".
    """

    def __init__(
        self,
        stream: BinaryIO,
        name: str,
        widths: Mapping[str, Sequence[str]],
        quantities: Sequence[str],
        frames: Sequence[str],
        kind: str,
    ) -> None:
        self.where = name
        self._first = 0
        if not stream.seekable():
            raise FileError(f"{name}: wanted is a file, not a pipe")
        if kind != "npy":
            reader: Callable[[BinaryIO, str], Mapping[str, Any]] = _READERS[kind]
            self._members = reader(stream, name)
            widths = {key: widths[key] for key in (*quantities, *frames)}
            self._rows = _rows(name, self._members, {"t", *widths, *itertools.chain(*widths.values())})
            named = [_names(f"{name}: {key}", key, member, widths) for key, member in self._members.items()]
        else:
            member = _Member(name, lambda: _Place(stream), lambda: _Place(stream))
            if member.odd:
                raise FileError(member.odd)
            names = member.dtype.names
            if names is None:
                names, self.remarks = read_layout(name, member.width, widths, quantities, frames)
            named = [names]
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

    def pieces(self, kept: Sequence[int], places: Sequence[int], rows: int | None) -> Iterator[Piece]:
        names = [self.names[place] for place in (*kept, *places)]
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

    def first(self, places: Sequence[int]) -> list[str]:
        return [""] * len(places)  # these formats have no columns with names of joints

    def done(self) -> float:
        return self._first / max(1, self._rows)


def _native(column: NDArray[Any]) -> NDArray[Any]:
    return column.astype(column.dtype.newbyteorder("="), copy=False)


def _width(member: _Member) -> int:
    return len(member.dtype.names) if member.dtype.names and not member.odd else member.width


def _members(stream: BinaryIO, name: str) -> dict[str, _Member]:
    with _damage(name):
        archive = zipfile.ZipFile(stream)
    infos = [info for info in archive.infolist() if info.filename.endswith(".npy")]
    return {info.filename[:-4]: _member(archive, info, f"{name}: {info.filename[:-4]}", stream) for info in infos}


_READERS: dict[str, Callable[[BinaryIO, str], Mapping[str, Any]]] = {
    "npz": _members,
    "mat": mat_members,
    "hdf5": hdf5_members,
}


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str, stream: BinaryIO) -> _Member:
    def placed() -> _Place:
        lengths = _Place(stream, info.header_offset + _HEADER - 4).read(4)
        if len(lengths) < 4:
            raise EOFError
        return _Place(stream, info.header_offset + _HEADER + sum(struct.unpack("<HH", lengths)))

    stored = info.compress_type == zipfile.ZIP_STORED
    return _Member(where, lambda: archive.open(info), placed if stored else None)


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
    if member.dtype.names and not member.odd:  # a table, whose name has no meaning
        return list(member.dtype.names)
    if key in widths:
        if member.width != len(widths[key]):
            raise FileError(
                f"{where}: wanted {len(widths[key])} columns ({', '.join(widths[key])}), got {member.width}"
            )
        return widths[key]
    return [key] if member.width == 1 else [f"{key}[{k}]" for k in range(member.width)]


@contextmanager
def _damage(where: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError) as error:  # the last if it is encrypted
        raise FileError(f"{where}: cannot be read: {reason(error)}") from None
