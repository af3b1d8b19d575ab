"""Parquet and Arrow files, read and written in batches."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

from rne.errors import FileError
from rne.files.base import Piece, Sink, Source, reason, rows_of
from rne.files.extra import ipc, pa, parquet

_BUFFER = 1 << 18  # bytes read of a column at a time
_GROUP = 16 << 20  # bytes of numbers in a row group; it is held in memory until it is written


class Parquet(Source):
    """A Parquet file, whatever its row groups: they are read page by page, for some are as large as the file.

    Parameters
    ----------
    stream : must be seekable.
    name : of the file, for errors.
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.where = name
        if not stream.seekable():
            raise FileError(f"{name}: Parquet is read from its end; wanted is a file, not a pipe")
        with _damage(name):
            self._file = parquet.ParquetFile(
                stream, buffer_size=_BUFFER, pre_buffer=False, page_checksum_verification=True
            )
        self._schema = self._file.schema_arrow
        self.names = tuple(self._schema.names)
        self._read = 0

    def type_of(self, place: int) -> pa.DataType:
        return self._schema.field(place).type

    def pieces(self, kept: Sequence[int], places: Sequence[int], rows: int | None) -> Iterator[Piece]:
        names = [self.names[place] for place in (*kept, *places)]
        batches = self._file.iter_batches(rows_of(len(names), rows), columns=list(dict.fromkeys(names)))
        while True:
            with _damage(f"{self.where}: after row {self._read}"):
                batch = next(batches, None)
            if batch is None:
                return
            yield Piece(self._read, _columns(batch, names))
            self._read += batch.num_rows

    def first(self, places: Sequence[int]) -> list[str]:
        names = [self.names[place] for place in places]
        with _damage(f"{self.where}: row 1"):
            batch = next(self._file.iter_batches(1, columns=names), None)
        return _texts(batch, names)

    def done(self) -> float:
        return float(self._read / max(1, self._file.metadata.num_rows))


class Arrow(Source):
    """An Arrow file (Feather, version 2).

    Parameters
    ----------
    stream : of bytes; a file of batches must be seekable.
    name : of the file, for errors.
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.where = name
        with _damage(name):
            self._file = ipc.open_file(pa.PythonFile(stream, "r"))
        self._schema = self._file.schema
        self.names = tuple(self._schema.names)
        self._next = 0

    def type_of(self, place: int) -> pa.DataType:
        return self._schema.field(place).type

    def pieces(self, kept: Sequence[int], places: Sequence[int], rows: int | None) -> Iterator[Piece]:
        names = [self.names[place] for place in (*kept, *places)]
        most, first = rows_of(len(names), rows), 0
        while self._next < self._file.num_record_batches:
            with _damage(f"{self.where}: after row {first}"):
                whole = self._file.get_batch(self._next)
            for start in range(0, whole.num_rows, most):
                part = whole.slice(start, most)
                yield Piece(first, _columns(part, names))
                first += part.num_rows
            self._next += 1

    def first(self, places: Sequence[int]) -> list[str]:
        with _damage(f"{self.where}: row 1"):
            batch = self._file.get_batch(0) if self._file.num_record_batches else None
        return _texts(batch, [self.names[place] for place in places])

    def done(self) -> float:
        return float(self._next / max(1, self._file.num_record_batches))


def _columns(batch: pa.RecordBatch, names: Sequence[str]) -> Callable[[], list[pa.Array]]:
    return lambda: [batch.column(name) for name in names]


def _texts(batch: pa.RecordBatch | None, names: Sequence[str]) -> list[str]:
    if batch is None or not batch.num_rows:
        return [""] * len(names)
    return [str(batch.column(name)[0].as_py()) for name in names]


@contextlib.contextmanager
def _damage(where: str) -> Iterator[None]:
    """Turn errors of damaged files into one line; OSError passes unchanged."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise FileError(f"{where}: cannot be read: {reason(error)}") from None


class ArrowSink(Sink):
    """Writes record batches, into Parquet by row groups of fair size.

    Parameters
    ----------
    stream : of bytes, only written to.
    schema : of the batches.
    kind : "parquet" or "arrow".
    """

    def __init__(self, stream: BinaryIO, schema: pa.Schema, kind: str) -> None:
        self._schema = schema
        self._waiting: list[pa.RecordBatch] = []
        self._rows = 0
        self._group = 1 if kind == "arrow" else rows_of(0, max(1024, _GROUP // (8 * max(1, len(schema)))))
        # Of computed numbers hardly two are the same: a dictionary of them takes three times as long and saves nothing.
        self._writer: Any = (
            parquet.ParquetWriter(stream, schema, use_dictionary=False)
            if kind == "parquet"
            else ipc.new_file(pa.PythonFile(stream, "w"), schema)
        )

    def encode(self, columns: Sequence[pa.Array]) -> pa.RecordBatch:
        return pa.record_batch(list(columns), schema=self._schema)

    def write(self, batch: pa.RecordBatch) -> None:
        self._waiting.append(batch)
        self._rows += batch.num_rows
        if self._rows >= self._group:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(pa.Table.from_batches(self._waiting, self._schema))
        self._waiting, self._rows = [], 0

    def close(self) -> None:
        if self._rows:
            self._flush()
        self._writer.close()

    def abandon(self) -> None:
        # Or else the writer writes the end of the file when it is forgotten, and complains.
        with contextlib.suppress(Exception):
            self._writer.close()
