"""Repair of impossible inertias in DH tables: the numbers are replaced in the text, which stays as it is otherwise."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.bodies.physical import about_center, nearest_inertia
from rne.doctor.repairs import NAMES, PLACES, Repair, six_to_matrix
from rne.errors import FileError
from rne.model.findings import Findings
from rne.read.dh.reader import read_dh
from rne.read.files import read_bytes

Array = NDArray[np.float64]

_BOM = b"\xef\xbb\xbf"
_ROW = re.compile(r"^[ \t]*\[\[[ \t]*rows[ \t]*\]\]", re.MULTILINE)
_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_VALUE = re.compile(r"^[ \t]*inertia[ \t]*=[ \t]*", re.MULTILINE)
_SUBTABLE = re.compile(r"^[ \t]*\[[ \t]*rows[ \t]*\.[ \t]*inertia[ \t]*\]", re.MULTILINE)
_NUMBER = r"[+-]?\d[\d_]*(?:\.[\d_]+)?(?:[eE][+-]?\d+)?"


def repair_dh(where: str) -> tuple[bytes, tuple[Repair, ...]]:
    """Return a DH table in TOML with impossible inertias replaced; see `rne.doctor.repair.repair_inertias`.

    Raises
    ------
    ModelError
        The file does not load, not even with ``strict=False``.
    FileError
        The place of an inertia in the text is not found.
    """
    read_dh(where, strict=False)  # raises if the file does not load
    data = read_bytes(Findings(where))
    mark = _BOM if data.startswith(_BOM) else b""
    text = data.removeprefix(mark).decode()
    rows = tomllib.loads(text)["rows"]
    starts = [match.start() for match in _ROW.finditer(text)]
    repairs: list[Repair] = []
    wanted: dict[int, Array] = {}
    for k in reversed(range(len(rows))):  # from the end, so that the places before stay where they are
        if "inertia" not in rows[k]:
            continue
        before, more = _central(rows[k])
        after = nearest_inertia(before)
        if (after == before).all():
            continue
        if len(starts) != len(rows):
            raise FileError(f"{where}: row {k + 1}: an inertia is replaced in a row under [[rows]] only; write them so")
        stop = starts[k + 1] if k + 1 < len(rows) else len(text)
        wanted[k] = after + more
        text, line = _replaced(text, starts[k], stop, wanted[k], f"{where}: row {k + 1}")
        link = str(rows[k].get("link", f"link{k + 1}"))
        repairs.append(Repair(link, line, _six(before), _six(after)))
    _check(where, rows, tomllib.loads(text)["rows"], wanted)
    return mark + text.encode(), tuple(reversed(repairs))


def _central(row: Mapping[str, Any]) -> tuple[Array, Array]:
    """Return the inertia of a row about the center of mass, and by how much the numbers of the row are more."""
    given = _matrix(row["inertia"])
    if "first_moment" not in row:
        return given, np.zeros((3, 3))
    first = np.array(row["first_moment"], dtype=float)
    _, central, _ = about_center(float(row.get("mass", 0.0)), first, given)
    return central, given - central


def _matrix(value: Any) -> Array:
    if isinstance(value, Mapping):
        return six_to_matrix(tuple(float(value.get(name, 0.0)) for name in NAMES))
    matrix = np.array(value, dtype=float)
    symmetric: Array = matrix / 2 + matrix.T / 2
    return symmetric


def _six(matrix: Array) -> tuple[float, ...]:
    return tuple(float(matrix[place]) for place in PLACES)


def _replaced(text: str, start: int, stop: int, new: Array, place: str) -> tuple[str, int]:
    """Return the text with the inertia between two places replaced, and its line."""
    table = _SUBTABLE.search(text, start, stop)
    value = _VALUE.search(text, start, stop)
    if table:
        end = _HEADER.search(text, table.end(), stop)
        first, last = table.end(), end.start() if end else stop
    elif value:
        first, last = value.end(), _end_of(text, value.end(), stop)
    else:
        raise FileError(f"{place}: its inertia is not found in the text; write it as inertia = [[...], [...], [...]]")
    inside = text[first:last]
    inside = _with_rows(inside, new) if inside.startswith("[") and not table else _with_names(inside, new)
    return text[:first] + inside + text[last:], text.count("\n", 0, first) + 1


def _end_of(text: str, start: int, stop: int) -> int:
    """Return where a value in brackets ends."""
    depth, at = 0, start
    while at < stop:
        if text[at] == "#":
            at = text.find("\n", at)
        depth += (text[at] in "[{") - (text[at] in "]}")
        at += 1
        if depth == 0:
            break
    return at


def _with_names(inside: str, new: Array) -> str:
    """Replace the numbers behind names, and add products that were not there and are no longer zero."""
    missing = []
    for name, number in zip(NAMES, map(repr, _six(new)), strict=True):
        found = re.search(rf"\b{name}\b[\"']?[ \t]*=[ \t]*({_NUMBER})", inside)
        if found:
            inside = inside[: found.start(1)] + number + inside[found.end(1) :]
        elif float(number):
            missing.append(f"{name} = {number}")
    if not missing:
        return inside
    if inside.startswith("{"):
        return f"{inside[:-1].rstrip()}, {', '.join(missing)} }}"
    return "\n" + "\n".join(missing) + inside


def _with_rows(inside: str, new: Array) -> str:
    """Replace nine numbers in their order, and leave comments alone."""
    numbers: Iterator[str] = map(repr, new.ravel().tolist())
    parts = re.split(r"(#[^\n]*)", inside)
    return "".join(
        part if part.startswith("#") else re.sub(_NUMBER, lambda found: next(numbers, found[0]), part) for part in parts
    )


def _check(where: str, before: Sequence[Any], after: Sequence[Any], wanted: Mapping[int, Array]) -> None:
    """Make sure that the text says the new numbers, and what it said otherwise."""
    for k, (old, new) in enumerate(zip(before, after, strict=True)):
        rest_old, rest_new = ({key: row[key] for key in row if key != "inertia"} for row in (old, new))
        right = bool((_matrix(new["inertia"]) == wanted[k]).all()) if k in wanted else old == new
        if rest_old != rest_new or not right:
            raise FileError(f"{where}: row {k + 1}: its inertia cannot be replaced as it is written; write 3x3 numbers")
