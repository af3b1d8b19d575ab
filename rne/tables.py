"""Tables as text and as HTML for results and the command line, and the base class of all reports."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Cell = str | int | float | None

_FEW = 8
"""Largest number of values or names that the `repr` of a report shows."""
NOISE = 1e-12
"""Size below which a table treats a number as rounding error, relative to the largest number of its column."""


class Column(NamedTuple):
    """One column of a table: its title, its cells as texts, and whether they stand to the left."""

    title: str
    cells: Sequence[str]
    left: bool = False


Part = str | list[Column]
"""What reports consist of: lines of text, or the columns of one table."""


def titled(columns: Mapping[str, Sequence[str]], *, left: Iterable[str] = ()) -> list[Column]:
    """Return texts under titles as a table: the first column to the left, the others to the right.

    Parameters
    ----------
    columns : cells by title. Trailing blanks, which distinguish equal titles, are not shown.
    left : titles of further columns that stand to the left.

    Examples
    --------
    >>> print(text_of(titled({"joint": ["shoulder", "elbow"], "note": ["ok", "hot"]}, left=["note"])))
    joint     note
    shoulder  ok
    elbow     hot
    """
    lefts = {*left, next(iter(columns), None)}
    return [Column(title.strip(), cells, title in lefts) for title, cells in columns.items()]


def typed(titles: Sequence[str], rows: Iterable[Sequence[Cell]]) -> list[Column]:
    """Return rows of values as a table, text to the left and numbers to the right.

    Parameters
    ----------
    titles : one for each column.
    rows : cells; None and infinity (no limit) are shown as "-". A column of None only is omitted.
    """
    cells, found = list(rows), []
    for k, title in enumerate(titles):
        column = [row[k] for row in cells]
        if not all(cell is None for cell in column):
            words = any(isinstance(cell, str) for cell in column)
            found.append(Column(title, list(map(_text, column)), words))
    return found


def text_of(part: Part) -> str:
    """Return a part of a report as lines with aligned columns."""
    if isinstance(part, str):
        return part
    aligned = []
    for title, texts, left in part:
        width = max(map(len, [title, *texts]))
        aligned.append([text.ljust(width) if left else text.rjust(width) for text in (title, *texts)])
    return "\n".join("  ".join(line).rstrip() for line in zip(*aligned, strict=True))


def html_of(part: Part) -> str:
    """Return a part of a report as HTML.

    Examples
    --------
    >>> html_of("a < b")
    '<p style="white-space: pre-wrap">a &lt; b</p>'
    """
    if isinstance(part, str):
        return f'<p style="white-space: pre-wrap">{html.escape(part)}</p>' if part.strip() else ""
    head = _row("th", part, [column.title for column in part])
    rows = (_row("td", part, cells) for cells in zip(*(column.cells for column in part), strict=True))
    return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"


def _row(kind: str, columns: list[Column], cells: Sequence[str]) -> str:
    entries = (
        f'<{kind} style="text-align: {"left" if column.left else "right"}">{html.escape(cell)}</{kind}>'
        for column, cell in zip(columns, cells, strict=True)
    )
    return f"<tr>{''.join(entries)}</tr>"


def columns(titled_cells: Mapping[str, Sequence[str]]) -> str:
    """Return columns aligned under their titles as text, the first to the left; see `titled`.

    Examples
    --------
    >>> print(columns({"joint": ["shoulder", "elbow"], "torque": ["19.6", "4.9"]}))
    joint     torque
    shoulder    19.6
    elbow        4.9
    """
    return text_of(titled(titled_cells))


def cells(values: Array, unit: str = "") -> list[str]:
    """Format values with four digits; "-" for an infinite value, and zero for one that is rounding error.

    Examples
    --------
    >>> cells(np.array([2.0, 1e-17, np.inf]), " W")
    ['2 W', '0 W', '-']
    """
    noise = NOISE * np.abs(values[np.isfinite(values)]).max(initial=0.0)
    shown = [0.0 if abs(value) <= noise else value for value in values]
    return ["-" if value == np.inf else f"{value:.4g}{unit}" for value in shown]


def percent(parts: Array) -> list[str]:
    """Format fractions in percent, with three digits.

    Examples
    --------
    >>> percent(np.array([0.25, 0.00123]))
    ['25 %', '0.123 %']
    """
    return [f"{100 * part:.3g} %" for part in parts]


def table(titles: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return rows of values as lines with aligned columns; see `typed`.

    Examples
    --------
    >>> import math
    >>> print(table(["joint", "upper [rad]"], [["shoulder", 2.5], ["elbow", math.inf]]))
    joint     upper [rad]
    shoulder          2.5
    elbow               -
    """
    return text_of(typed(titles, rows))


def _text(cell: Cell) -> str:
    if isinstance(cell, float):
        return f"{cell:.6g}" if math.isfinite(cell) else "-"
    return "-" if cell is None else str(cell)


class Report:
    """Base class of the reports: `str(report)` is a table, and `to_dict` returns plain data for JSON.

    Attributes
    ----------
    DERIVED : properties that `to_dict` includes in addition to the fields.
    """

    __slots__ = ()
    DERIVED: ClassVar[tuple[str, ...]] = ()

    def _parts(self) -> Sequence[Part]:
        """Return the lines and tables that the report shows, from top to bottom."""
        raise NotImplementedError

    def _page(self) -> str:
        """Return the text that `str` shows."""
        return "\n".join(map(text_of, self._parts()))

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON types: numbers, strings, lists, dicts and None.

        A robot is represented by its name. Numbers that JSON lacks become the strings "NaN", "Infinity" and
        "-Infinity", which `float` and numpy can read.

        Returns
        -------
        data : dict, by field name; ``json.dumps(data, allow_nan=False)`` accepts it.

        Examples
        --------
        >>> import rne
        >>> arm = rne.load("models/planar2/robot.dh.toml")
        >>> rne.velocity_torques(arm, [0.0, 0.0], [1.0, 0.0]).to_dict()
        {'centripetal': [0.0, 0.0], 'coriolis': [0.0, 0.0]}
        """
        return {name: plain(getattr(self, name)) for name in (*_fields(self), *self.DERIVED)}

    def __str__(self) -> str:
        return repr(self) if self._promised() else self._page()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={_brief(getattr(self, k))}' for k in _fields(self))})"

    def _promised(self) -> bool:
        """Return whether any field is a dask array, which is not computed to be shown."""
        return any(hasattr(getattr(self, name), "__dask_graph__") for name in _fields(self))

    def _repr_html_(self) -> str:
        return html_of(repr(self)) if self._promised() else "".join(map(html_of, self._parts()))


def _fields(value: Any) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass or named tuple; those with an underscore are internal."""
    names = [field.name for field in fields(value)] if is_dataclass(value) else value._fields
    return tuple(name for name in names if not name.startswith("_"))


def plain(value: Any) -> Any:
    """Return a value as JSON types; see `Report.to_dict`.

    Examples
    --------
    >>> plain({"limits": np.array([1.0, np.inf]), "at": None})
    {'limits': [1.0, 'Infinity'], 'at': None}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else "NaN" if value != value else f"{'-' * (value < 0)}Infinity"
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, Report):
        return value.to_dict()
    if is_dataclass(value):
        return {name: plain(getattr(value, name)) for name in _fields(value)}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if hasattr(value, "__array__"):
        array = np.asarray(value)
        sound = array.dtype.kind != "f" or np.isfinite(array).all()
        return array.tolist() if sound else plain(array.tolist())
    return str(value.name)


def _brief(value: Any) -> str:
    """Return the short form of a field for `repr`: short values in full, large arrays by dtype and shape."""
    if isinstance(value, np.ndarray) and value.ndim < 2 and value.size <= _FEW:
        return np.array2string(value, precision=4, separator=", ", max_line_width=10**6)
    if hasattr(value, "shape"):
        return f"<{getattr(value, 'dtype', '')} {value.shape}>"
    if isinstance(value, tuple | list) and (len(value) > _FEW or not all(isinstance(x, str | float) for x in value)):
        return f"<{len(value)}>"
    if isinstance(value, Mapping):
        return f"<{', '.join(map(str, value))}>"
    if value is None or isinstance(value, str | int | float | tuple | list):
        return repr(value)
    return f"<{type(value).__name__}>" if isinstance(value, Report) else f"<{type(value).__name__} {value.name}>"


def worst(values: Any) -> Array:
    """Return the signed value of largest magnitude over many states, (..., n) to (n,), for a table.

    Examples
    --------
    >>> worst(np.array([[1.0, -2.0], [-3.0, 0.5]]))
    array([-3., -2.])
    """
    rows = np.asarray(values, np.float64).reshape(math.prod(values.shape[:-1]), values.shape[-1])
    if not len(rows):
        return np.full(values.shape[-1], np.nan)
    found: Array = np.take_along_axis(rows, np.abs(rows).argmax(axis=0)[None], axis=0)[0]
    return found


def of_many(shape: tuple[int, ...], what: str = "states") -> list[Part]:
    """Return the line above a table of the largest magnitudes over many states; none for one state."""
    return [f"largest sizes of {math.prod(shape)} {what}"] if shape else []
