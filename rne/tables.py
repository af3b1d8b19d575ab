"""Plain text tables for results and the command line, and the base class of all reports."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Cell = str | int | float | None

_FEW = 8
"""Largest number of values or names that the `repr` of a report shows."""
NOISE = 1e-12
"""Size below which a table treats a number as rounding error, relative to the largest number of its column."""


def columns(titled: Mapping[str, Sequence[str]]) -> str:
    """Return columns aligned under their titles, the first to the left.

    Trailing blanks, which distinguish equal titles, are not shown.

    Examples
    --------
    >>> print(columns({"joint": ["shoulder", "elbow"], "torque": ["19.6", "4.9"]}))
    joint     torque
    shoulder    19.6
    elbow        4.9
    """
    texts = [[title.strip(), *cells] for title, cells in titled.items()]
    widths = [max(map(len, column)) for column in texts]
    lines = []
    for first, *rest in zip(*texts, strict=True):
        cells = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        lines.append("  ".join((first.ljust(widths[0]), *cells)).rstrip())
    return "\n".join(lines)


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
    """Return rows as lines with aligned columns, text to the left and numbers to the right.

    Parameters
    ----------
    titles : one for each column.
    rows : cells; None and infinity (no limit) are shown as "-". A column of None only is omitted.

    Examples
    --------
    >>> import math
    >>> print(table(["joint", "upper [rad]"], [["shoulder", 2.5], ["elbow", math.inf]]))
    joint     upper [rad]
    shoulder          2.5
    elbow               -
    """
    cells = list(rows)
    columns = []
    for k, title in enumerate(titles):
        column = [row[k] for row in cells]
        if all(cell is None for cell in column):
            continue
        texts = [title, *map(_text, column)]
        width = max(map(len, texts))
        words = any(isinstance(cell, str) for cell in column)
        columns.append([text.ljust(width) if words else text.rjust(width) for text in texts])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


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

    def _table(self) -> str:
        """Return the table that `str` shows."""
        raise NotImplementedError

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
        values = (getattr(self, name) for name in _fields(self))
        promised = any(hasattr(value, "__dask_graph__") for value in values)
        return repr(self) if promised else self._table()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={_brief(getattr(self, k))}' for k in _fields(self))})"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _fields(value: Any) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass or named tuple."""
    return tuple(field.name for field in fields(value)) if is_dataclass(value) else value._fields


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


def of_many(shape: tuple[int, ...], what: str = "states") -> str:
    """Return the line above a table of the largest magnitudes over many states; empty for one state."""
    return f"largest sizes of {math.prod(shape)} {what}\n" if shape else ""
