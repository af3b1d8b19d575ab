"""CSV, read in blocks of whole lines: by pyarrow where a block is plain, by a careful look where it is not."""

from __future__ import annotations

import contextlib
import csv as python_csv
import gzip
import math
import os
from collections.abc import Callable, Iterator, Sequence, Set
from io import StringIO
from typing import Any, BinaryIO

import numpy as np

from rne.errors import FileError, shown
from rne.files import csv_exact as careful
from rne.files.base import Piece, Sink, Source, reason
from rne.files.dialect import (
    COMMENTS,
    all_numbers,
    check_text,
    decimal_commas,
    decoder,
    dialect_of,
    dialect_of_row,
    is_row,
    readable,
)
from rne.files.extra import compute, csv, pa

_BLOCK = 2 << 20  # bytes
_LONGEST = 64 << 20  # bytes of a line; what is longer is no CSV


class Csv(Source):
    """A CSV file, or a stream of it. UTF-8, with or without byte order mark, and any ends of lines.

    Parameters
    ----------
    stream : read to its end, without seeking.
    name : of the file, for errors.
    codec : how it is compressed.
    names : of the columns, of a file without a header.
    sparse : whether empty fields are nulls; they are refused otherwise.
    by_position : returns names of so many columns, and remarks, for a file without a header.
    """

    is_text = True

    def __init__(
        self,
        stream: BinaryIO,
        name: str,
        codec: str | None = None,
        names: Sequence[str] | None = None,
        sparse: bool = False,
        by_position: Callable[[str, int], tuple[tuple[str, ...], tuple[str, ...]]] | None = None,
    ) -> None:
        self._sparse = sparse
        self._stream, self._name = stream, name
        self._unpacked: Any = stream
        if codec:
            self._unpacked = pa.CompressedInputStream(pa.PythonFile(_Kept(stream), "r"), codec)
        self._line = 1  # of the next block
        self._blocks = self._cut()
        self._decode: Callable[[bytes], bytes] | None = None
        self._begun = False
        self._rest = self._begin(names, by_position)

    def _begin(self, names: Sequence[str] | None, by_position: Callable[..., Any] | None) -> bytes:
        """Read the header; return what follows it in its block."""
        block = self._past_blanks(next(self._blocks, b"").removeprefix(b"\xef\xbb\xbf"))
        while block.lstrip().startswith(COMMENTS):
            line, _, rest = block.partition(b"\n")
            line_number, rest = self._line, self._past_blanks(rest, 1)
            # `numpy.savetxt` and `rostopic echo -p` mark the header itself as a comment: then rows follow it.
            if not rest or (names is None and is_row(rest.partition(b"\n")[0])):
                self._line, block = line_number, line + b"\n" + rest
                break
            block = rest
        if not block:
            raise FileError(f"{self._name}: the file is empty; the first line must name the columns")
        line, _, rest = block.partition(b"\n")
        self.where = f"{self._name}:{self._line}"
        check_text(self.where, line)
        text = line.decode("utf-8", "surrogateescape").strip()
        if names is None and by_position is not None and all_numbers(text):
            self._dialect = dialect_of_row(text)
            prepared = self._dialect.prepared(line).decode("utf-8", "surrogateescape")
            width = len(careful.fields(self.where, prepared, self._dialect.separator))
            self.names, remarks = by_position(f"{self.where}: no header, and by position", width)
            self.remarks = (f"no header: columns taken by position as {', '.join(self.names)}", *remarks)
            return block
        if names is not None:
            self._dialect = dialect_of_row(text)
            if not is_row(line):
                raise FileError(
                    f"{self.where}: wanted a row of numbers, for names of columns were given; got {shown(text)}"
                )
            prepared = self._dialect.prepared(line).decode("utf-8", "surrogateescape")
            if (got := len(careful.fields(self.where, prepared, self._dialect.separator))) != len(names):
                raise FileError(f"{self.where}: {len(names)} names of columns were given, and the row has {got} fields")
            self.names = tuple(names)
            return block
        self._line += 1
        if not rest.strip():
            rest += next(self._blocks, b"")
        first = rest.partition(b"\n")[0].decode("utf-8", "surrogateescape").strip()
        text = text.removeprefix("#").strip()
        self._dialect = dialect_of(text, first)
        text = self._dialect.prepared(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
        self.names = tuple(map(readable, careful.header(self.where, text, self._dialect.separator)))
        return rest

    def _past_blanks(self, block: bytes, lines: int = 0) -> bytes:
        """Return what begins at the next line that is not blank, some lines later, and count them; empty at the end."""
        self._line += lines
        while True:
            if blank := len(block) - len(block.lstrip()):
                start = block.rfind(b"\n", 0, blank) + 1
                self._line += block.count(b"\n", 0, start)
                block = block[start:]
            if block.strip():
                return block
            if not (more := next(self._blocks, b"")):
                return b""
            block = more

    def pieces(self, kept: Sequence[int], places: Sequence[int], rows: int | None) -> Iterator[Piece]:
        start, first, blank = self._line, self._line, None
        for block in self._rest_of_blocks():
            plain = block.rstrip(b" \t\n")
            if plain and blank is not None:
                raise FileError(f"{self._name}:{blank}: blank line between rows")
            for part in _split(plain, rows) if plain else ():
                count = _line_feeds(part) + 1
                yield Piece(first - start, self._reader(first, part, count, [*kept, *places], frozenset(kept)))
                first += count
            if blank is None and block.count(b"\n", len(plain)) > bool(plain):
                blank = first

    def first(self, places: Sequence[int]) -> list[str]:
        if not self._rest.strip():
            self._rest += next(self._blocks, b"")
        line = self._rest.partition(b"\n")[0]
        if not line.strip():
            return [""] * len(places)
        line = self._dialect.prepared(line)
        columns = careful.rows(
            self._name, self._line, line, self.names, places, frozenset(places), self._dialect.separator
        )
        return [column[0].as_py() for column in columns]

    def _rest_of_blocks(self) -> Iterator[bytes]:
        if self._rest:
            yield self._rest
        self._rest = b""
        yield from self._blocks

    def _reader(
        self, line: int, block: bytes, rows: int, places: Sequence[int], text: Set[int]
    ) -> Callable[[], list[pa.Array]]:
        # A function of few things, so that the block goes when the piece goes.
        name, names, dialect, sparse = self._name, self.names, self._dialect, self._sparse

        def read() -> list[pa.Array]:
            lines = dialect.prepared(block)
            found = _plain(lines, rows, len(names), places, text, dialect.separator, sparse)
            return found or careful.rows(name, line, lines, names, places, text, dialect.separator, sparse)

        return read

    def _cut(self) -> Iterator[bytes]:
        """Read blocks of whole lines that all end with a line feed, but for the last one."""
        rest = b""
        while data := self._read_text():
            rest += data
            stop = rest.rfind(b"\n") + 1 or rest.rfind(b"\r", 0, -1) + 1
            if stop:
                yield _unix(rest[:stop])
                rest = rest[stop:]
            elif len(rest) > _LONGEST:
                raise FileError(f"{self._name}: a line of more than {_LONGEST} bytes; this is no CSV")
        if rest:
            yield _unix(rest)

    def _read_text(self) -> bytes:
        """Read on, in UTF-8; empty at the end."""
        data = self._read()
        if not self._begun:
            self._decode, self._begun = decoder(data), True
        if self._decode is None:
            return data
        try:
            text = self._decode(data)
            while data and not text:  # half a character
                data = self._read()
                text = self._decode(data)
        except UnicodeDecodeError as error:
            raise FileError(f"{self._name}: the UTF-16 text is damaged or cut off: {error.reason}") from None
        return text

    def _read(self) -> bytes:
        try:
            data: bytes = self._unpacked.read(_BLOCK)
        except OSError as error:
            if self._unpacked is self._stream:
                raise
            raise FileError(f"{self._name}: the compressed file is damaged or cut off: {reason(error)}") from None
        return data

    def done(self) -> float:
        try:
            size = os.fstat(self._stream.fileno()).st_size
            return self._stream.tell() / size if size else math.nan
        except (OSError, ValueError):
            return math.nan


class _Kept:
    """A stream that stays open, where pyarrow closes what it forgets.

    Parameters
    ----------
    stream : to read.
    """

    closed = False

    def __init__(self, stream: BinaryIO) -> None:
        self.read = stream.read

    def close(self) -> None:
        pass


def _unix(block: bytes) -> bytes:
    return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block


def _split(block: bytes, rows: int | None) -> Iterator[bytes]:
    """Cut a block into parts of `count` lines, without the line feeds at their ends."""
    ends = (
        [] if rows is None else np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))[rows - 1 :: rows].tolist()
    )
    start = 0
    for end in [*ends, len(block)]:
        yield block[start:end]
        start = end + 1


def _line_feeds(block: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n")))  # three times as fast as bytes.count


def _plain(
    block: bytes, rows: int, width: int, places: Sequence[int], text: Set[int], separator: str, sparse: bool
) -> list[pa.Array] | None:
    """Read rows without quotes or comments; None if there is anything about them."""
    if b'"' in block or block.startswith(b"#") or b"\n#" in block:  # pyarrow takes "1"2 for 12
        return None
    names = [str(k) for k in range(width)]
    wanted = [names[place] for place in places]
    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names),
            csv.ParseOptions(delimiter=separator, quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(
                include_columns=wanted,
                column_types={names[k]: pa.string() if k in text else pa.float64() for k in places},
                null_values=[""] if sparse else [],
                check_utf8=False,
                decimal_point="," if decimal_commas(separator) and b"," in block else ".",
            ),
        )
    except pa.ArrowInvalid:
        return None
    if table.num_rows != rows:
        return None
    [batch] = table.to_batches()
    spaced, commas = b" " in block or b"\t" in block, decimal_commas(separator) and b"," in block
    found = []
    for column, place in zip(batch.columns, places, strict=True):
        kept = compute.ascii_trim_whitespace(column) if spaced and place in text else column
        found.append(careful.with_points(kept) if commas and place in text else kept)
    return found


class CsvSink(Sink):
    """Writes lines of numbers, each the shortest that reads back as the same number.

    Parameters
    ----------
    stream : of bytes, only written to.
    schema : of the columns.
    codec : how to compress.
    """

    def __init__(self, stream: BinaryIO, schema: pa.Schema, codec: str | None) -> None:
        self._stream = _packed(stream, codec) if codec else stream
        self._flush = None if codec else stream.flush
        self._schema = schema
        line = StringIO()
        python_csv.writer(line, lineterminator="\n").writerow(schema.names)
        # A name that came as bytes that are no UTF-8 goes out as the same bytes.
        self.write(line.getvalue().encode("utf-8", "surrogateescape"))

    def encode(self, columns: Sequence[pa.Array]) -> pa.Buffer:
        batch = pa.record_batch(list(columns), schema=self._schema)
        try:
            return _lines(batch, "none")
        except pa.ArrowInvalid:  # a text with a comma or a quote
            return _lines(batch, "needed")

    def write(self, encoded: pa.Buffer | bytes) -> None:
        self._stream.write(encoded)
        if self._flush:  # a pipe is read as data arrive
            self._flush()

    def close(self) -> None:
        if not self._flush:
            self._stream.close()

    def abandon(self) -> None:
        # Or else pyarrow writes the rest when it forgets the stream, and complains.
        with contextlib.suppress(Exception):
            self.close()


def _packed(stream: BinaryIO, codec: str) -> Any:
    if codec == "gzip":
        # Of digits that look random the hardest way, which pyarrow takes, saves 6 % and takes ten times as long.
        return gzip.GzipFile("", "wb", 1, stream, 0)
    return pa.CompressedOutputStream(pa.PythonFile(stream, "w"), codec)


def _lines(batch: pa.RecordBatch, quoting: str) -> pa.Buffer:
    stream = pa.BufferOutputStream()
    csv.write_csv(batch, stream, csv.WriteOptions(include_header=False, quoting_style=quoting))
    return stream.getvalue()
