"""Plain text of numbers: how results print themselves as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

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
