"""How a text file writes its columns: code of the characters, comments in front, header, what separates fields."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable
from dataclasses import dataclass

from rne.errors import FileError

COMMENTS = (b"#", b"%")
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_SPLIT = re.compile(r"[,;\t ]+")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_SEPARATORS = (",", ";", "\t")


@dataclass(frozen=True)
class Dialect:
    """What separates the fields of rows.

    Attributes
    ----------
    separator : one character; `decimal_commas` says whether numbers may have them.
    blanks : whether fields stand apart by any number of blanks, which `prepared` makes separators of.
    """

    separator: str = ","
    blanks: bool = False

    def prepared(self, block: bytes) -> bytes:
        """Return whole lines with one separator between fields."""
        if not self.blanks:
            return block
        lines = re.sub(rb"[ \t]*\n[ \t]*", b"\n", block.strip(b" \t"))
        return re.sub(rb"[ \t]+", self.separator.encode(), lines)


def decimal_commas(separator: str) -> bool:
    """Return whether a comma in a field is that of a number: it does not separate fields."""
    return separator != ","


def decoder(start: bytes) -> Callable[[bytes], bytes] | None:
    """Return what makes UTF-8 of a text that begins so, block by block; None if it is that already.

    UTF-16 is known by its byte order mark, or by the zero beside its first character.
    """
    name = next((name for mark, name in _UTF16.items() if start.startswith(mark)), None)
    if name is None and len(start) >= 4 and 0 in start[:2]:
        name = "utf-16-be" if start[:1] == b"\0" and start[2:3] == b"\0" else None
        name = "utf-16-le" if start[1:2] == b"\0" and start[3:4] == b"\0" else name
    if name is None:
        return None
    decode = codecs.getincrementaldecoder(name)().decode
    return lambda data: decode(data, not data).encode("utf-8", "surrogateescape")


def readable(name: str) -> str:
    """Return a name from bytes that are not UTF-8 in the code of Windows, such as that of a degree sign."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogateescape").decode("cp1252", "replace")
    return name


def is_row(line: bytes) -> bool:
    """Return whether a line is a row of numbers: a header has names alone."""
    fields = _SPLIT.split(line.decode("utf-8", "replace").replace('"', " ").strip())
    return any(map(_NUMBER.fullmatch, fields))


def all_numbers(line: str) -> bool:
    """Return whether all fields of a line are numbers: there is no header."""
    return all(map(_NUMBER.fullmatch, _SPLIT.split(line.strip())))


def dialect_of(header: str, row: str) -> Dialect:
    """Return the dialect of a header and the row that follows it, which may be empty."""
    for separator in _SEPARATORS:
        count = _count(header, separator)
        if count > 1 and (not row or _count(row, separator) == count):
            return Dialect(separator)
    blank = header.split()
    if row and len(blank) > 1 and len(blank) == len(row.split()) and not any(s in header for s in _SEPARATORS[:2]):
        return Dialect(";", blanks=True)
    # No fit: as the header alone says, so that the first row is refused with its number of fields.
    counts = {separator: _count(header, separator) for separator in _SEPARATORS}
    most = max(counts, key=counts.__getitem__)
    return Dialect(most if counts[most] > 1 and not counts[","] > 1 else ",")


def dialect_of_row(row: str) -> Dialect:
    """Return the dialect of a row of numbers that no header is above."""
    for separator in (";", "\t", ","):
        if separator in row:
            return Dialect(separator)
    return Dialect(";", blanks=True)


def _count(line: str, separator: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=separator, skipinitialspace=True), []))
    except csv.Error:
        return 0


def check_text(where: str, line: bytes) -> None:
    """Raise an error unless the argument is a string.

    Raises
    ------
    FileError
        It is not a string.
    """
    if b"\0" in line:
        raise FileError(
            f"{where}: this is not UTF-8 text, so it is no CSV; by their suffixes are read also Parquet, Arrow, NPZ, "
            "NPY, .mat, HDF5 and ROS bags"
        )
