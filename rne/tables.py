"""Tables of plain text, for results that a person prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

NOISE = 1e-12
"""What a table takes for rounding, as a part of the largest number of its column."""


def cells(values: NDArray[np.float64], unit: str = "") -> list[str]:
    """Four digits of each, and none of what is but rounding beside the largest; "-" for infinity: no limit, never."""
    noise = NOISE * np.abs(values[np.isfinite(values)]).max(initial=0.0)
    numbers = [0.0 if abs(value) <= noise else value for value in values]
    return ["-" if value == np.inf else f"{value:.4g}{unit}" for value in numbers]


def columns(table: Mapping[str, Sequence[str]]) -> str:
    """Aligned columns under their titles, the first to the left."""
    texts = [[title.strip(), *rows] for title, rows in table.items()]
    widths = [max(map(len, column)) for column in texts]
    lines = []
    for first, *rest in zip(*texts, strict=True):
        right = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        lines.append("  ".join((first.ljust(widths[0]), *right)).rstrip())
    return "\n".join(lines)
