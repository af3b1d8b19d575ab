"""A second look at lines of CSV: one by one, with quotes, and telling where one cannot be read."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence, Set
from io import StringIO

import numpy as np

from rne.errors import FileError
from rne.files.base import as_arrow
from rne.files.extra import pa

_NAN = re.compile(r"[-+]?nan\([a-z0-9]*\)", re.IGNORECASE)  # as C libraries may write it, and pyarrow reads it


def header(where: str, line: str) -> list[str]:
    """Return the names of the columns.

    Parameters
    ----------
    where : file and line, for errors.
    line : names with commas between them; `numpy.savetxt` puts a # in front.

    Raises
    ------
    FileError
        It is no line of CSV with names, or something else than commas separates them.
    """
    line = line.removeprefix("#")
    if "\0" in line:
        raise FileError(f"{where}: this is not UTF-8 text (UTF-16, or no text at all)")
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if separator in line and "," not in line:
            raise FileError(f"{where}: columns are separated by {name}; wanted are commas (and decimal points)")
    try:
        names = [name.strip() for name in next(csv.reader([line], strict=True, skipinitialspace=True))]
    except csv.Error as error:
        raise FileError(f"{where}: the header is no line of CSV: {error}") from None
    if all(map(_is_number, names)):
        raise FileError(f"{where}: no header; the first line must name the columns, as q_<joint>")
    return names


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def rows(
    name: str, line: int, block: bytes, names: Sequence[str], places: Sequence[int], text: Set[int]
) -> list[pa.Array]:
    """Read lines.

    Parameters
    ----------
    name : of the file, for errors.
    line : number of the first line.
    block : whole lines of bytes, without the line feed of the last.
    names : of all columns.
    places : of the columns that are wanted.
    text : places of those that are kept as text.

    Returns
    -------
    columns : one array a place.

    Raises
    ------
    FileError
        A row has too few or too many fields, or a field that is not a number; the message tells line and column.
    """
    # Bytes that are no UTF-8 pass: they may stand in a column that nobody reads; a number with them is refused.
    lines = StringIO(block.decode("utf-8", "surrogateescape") + "\n", newline="\n")
    records = csv.reader(lines, strict=True, skipinitialspace=True)
    columns: list[list[float | bytes]] = [[] for _ in places]
    at = line - 1
    try:
        for at, record in enumerate(records, line):
            where = f"{name}:{at}"
            if records.line_num != at - line + 1:
                raise FileError(f"{where}: a quote that does not end on its line")
            _check(where, record, len(names))
            for column, place in zip(columns, places, strict=True):
                field = record[place].strip()
                if place in text:
                    column.append(field.encode("utf-8", "surrogateescape"))
                    continue
                try:
                    column.append(number(field))
                except ValueError as error:
                    raise FileError(f"{where}: column {names[place]!r}: {error}") from None
    except csv.Error as error:
        raise FileError(f"{name}:{at + 1}: {error}") from None
    return [
        pa.array(column, pa.binary()).view(pa.string()) if place in text else as_arrow(np.array(column, float))
        for column, place in zip(columns, places, strict=True)
    ]


def _check(where: str, record: list[str], wanted: int) -> None:
    if not record or (wanted == 1 and not record[0].strip()):
        raise FileError(f"{where}: blank line between rows")
    if (got := len(record)) != wanted:
        hint = " (are there decimal commas? wanted are points)" if got in (2 * wanted, 2 * wanted - 1) else ""
        raise FileError(f"{where}: {got} fields where the header has {wanted}{hint}")


def number(text: str) -> float:
    """Return the number that is written in decimal digits, or nan or inf."""
    if not text:
        raise ValueError("empty (nan stands for a number that is not known)")
    try:
        if text.isascii() and "_" not in text:
            return math.nan if _NAN.fullmatch(text) else float(text)
    except ValueError:
        pass
    hint = " (wanted is a decimal point)" if "," in text else ""
    raise ValueError(f"not a number: {text!r}{hint}")
