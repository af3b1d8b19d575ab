"""Tables of plain text: how results and the command line print numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Cell = str | int | float | None

NOISE = 1e-12
"""What a table takes for rounding, as a part of the largest number of its column."""


def columns(titled: Mapping[str, Sequence[str]]) -> str:
    """Aligned columns under their titles, the first to the left; blanks that tell equal titles apart are not shown.

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
    """Four digits of each, and none of what is but rounding beside the largest; "-" for no limit.

    Examples
    --------
    >>> cells(np.array([2.0, 1e-17, np.inf]), " W")
    ['2 W', '0 W', '-']
    """
    noise = NOISE * np.abs(values[np.isfinite(values)]).max(initial=0.0)
    shown = [0.0 if abs(value) <= noise else value for value in values]
    return ["-" if value == np.inf else f"{value:.4g}{unit}" for value in shown]


def percent(parts: Array) -> list[str]:
    """Parts of a whole in percent, with three digits.

    Examples
    --------
    >>> percent(np.array([0.25, 0.00123]))
    ['25 %', '0.123 %']
    """
    return [f"{100 * part:.3g} %" for part in parts]


def table(titles: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return rows as lines with aligned columns, words to the left and numbers to the right.

    Parameters
    ----------
    titles : one a column.
    rows : cells; None (nothing) and infinity (no limit) become "-". A column of nothing is left out.

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
