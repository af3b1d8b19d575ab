"""Tables of plain text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

Cell = str | int | float | None


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
