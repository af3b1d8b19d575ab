"""A second look at lines of CSV: one by one, with quotes, and telling where one cannot be read."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence, Set

from rne.errors import FileError
from rne.files.dialect import decimal_commas
from rne.files.extra import compute, pa

_NAN = re.compile(r"[-+]?nan\([a-z0-9]*\)", re.IGNORECASE)  # as C libraries may write it, and pyarrow reads it

# A number, a clock or a time stamp with a decimal comma.
_COMMA = r"^([-+]?[0-9][^,.]*|[-+]?),([0-9]+(?:[eE][-+]?[0-9]+)?(?:Z|[-+][0-9]{2}:?[0-9]{2})?)$"


def with_points(column: pa.Array) -> pa.Array:
    """Return texts of numbers and times with a point in the place of a decimal comma; others as they are."""
    return compute.replace_substring_regex(column, _COMMA, r"\1.\2")


def header(where: str, line: str, separator: str = ",") -> list[str]:
    """Return the names of the columns.

    Parameters
    ----------
    where : file and line, for errors.
    line : names with the separator between them.

    Raises
    ------
    FileError
        It is not a line of CSV with names.
    """
    names = fields(where, line, separator)
    if all(map(_is_number, names)):
        raise FileError(
            f"{where}: no header; the first line must name the columns, as q_<joint>, or --header a,b,c gives the names"
        )
    return names


def fields(where: str, line: str, separator: str) -> list[str]:
    """Return the fields of a line.

    Raises
    ------
    FileError
        It is not a line of CSV.
    """
    try:
        [names] = csv.reader([line], strict=True, skipinitialspace=True, delimiter=separator)
    except csv.Error as error:
        raise FileError(f"{where}: the header is not a line of CSV: {error}") from None
    return [name.strip() for name in names]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def rows(
    name: str,
    line: int,
    block: bytes,
    names: Sequence[str],
    places: Sequence[int],
    text: Set[int],
    separator: str = ",",
    sparse: bool = False,
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
    sparse : whether empty fields are nulls.
    separator : of fields, which decides on decimal commas. Lines that begin with # are skipped.

    Returns
    -------
    columns : one array a place.

    Raises
    ------
    FileError
        A row has too few or too many fields, or a field that is not a number; the message contains line and column.
    """
    # Bytes that are not UTF-8 pass: they may be in a column that is not used; a number with them is refused.
    lines = enumerate(block.decode("utf-8", "surrogateescape").split("\n"), line)
    numbered = [(at, one) for at, one in lines if not one.startswith("#")]
    records = csv.reader([one + "\n" for _, one in numbered], strict=True, skipinitialspace=True, delimiter=separator)
    columns: list[list[float | bytes | None]] = [[] for _ in places]
    at = line - 1
    try:
        for k, record in enumerate(records):
            at = numbered[k][0]
            where = f"{name}:{at}"
            if records.line_num != k + 1:
                raise FileError(f"{where}: a quote that does not end on its line")
            _check(where, record, len(names))
            for column, place in zip(columns, places, strict=True):
                field = record[place].strip()
                if place in text:
                    column.append(field.encode("utf-8", "surrogateescape"))
                    continue
                if sparse and not field:
                    column.append(None)
                    continue
                try:
                    column.append(number(_with_point(field) if decimal_commas(separator) else field))
                except ValueError as error:
                    raise FileError(f"{where}: column {names[place]!r}: {error}") from None
    except csv.Error as error:
        raise FileError(f"{name}:{at + 1}: {error}") from None
    found = []
    for column, place in zip(columns, places, strict=True):
        array = pa.array(column, pa.binary()).view(pa.string()) if place in text else pa.array(column, pa.float64())
        found.append(with_points(array) if place in text and decimal_commas(separator) else array)
    return found


def _check(where: str, record: list[str], wanted: int) -> None:
    if not record or (wanted == 1 and not record[0].strip()):
        raise FileError(f"{where}: blank line between rows")
    if (got := len(record)) != wanted:
        hint = " (are there decimal commas? wanted are points)" if got in (2 * wanted, 2 * wanted - 1) else ""
        raise FileError(f"{where}: {got} fields where the header has {wanted}{hint}")


def _with_point(text: str) -> str:
    """Return a number with a decimal point in the place of its comma."""
    return text.replace(",", ".") if text.count(",") == 1 and "." not in text else text


def number(text: str) -> float:
    """Return the number that is written in decimal digits, or nan or inf."""
    if not text:
        raise ValueError("empty (write nan for an unknown number); --fill last or linear fills it")
    try:
        if text.isascii() and "_" not in text:
            return math.nan if _NAN.fullmatch(text) else float(text)
    except ValueError:
        pass
    hint = " (wanted is a decimal point)" if "," in text else ""
    raise ValueError(f"not a number: {text!r}{hint}")
