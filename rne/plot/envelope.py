"""Few samples that draw the same line as many: no peak and no gap is lost. Numbers only."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import Floats

Indices = NDArray[np.intp]


def envelope(x: Floats, lines: Iterable[Floats], columns: int) -> Indices:
    """Samples to draw, so that lines look as if all were drawn.

    The width of the picture is cut into columns of equal width. Of each line and column remain the lowest and the
    highest sample and the first one without a value; and the first and last sample of all. What is drawn are samples
    that there are, at their own place, and the extremes of a line are among them, both of all and of each column.

    Parameters
    ----------
    x : (T,) places, none before the one in front of it.
    lines : of (T,) values each; NaN and infinity are gaps.
    columns : about as many as the picture has pixels; up to four times as many samples are all drawn.

    Returns
    -------
    kept : indices, growing; for m lines at most 3 m columns + 2 of them where samples are left out.
    """
    count = len(x)
    if count <= 4 * columns:
        return np.arange(count)
    edges = np.linspace(float(x[0]), float(x[-1]), columns, endpoint=False)
    starts = np.unique(np.searchsorted(x, edges))
    starts = np.unique([0, *starts[starts < count]])
    kept = [np.array([0, count - 1])]
    for y in lines:
        missing = ~np.isfinite(y)
        kept += [_lowest(np.where(missing, np.inf, values), starts) for values in (y, -y)]
        kept.append(_first(missing, starts))
    return np.unique(np.concatenate(kept))


def _lowest(y: Floats, starts: Indices) -> Indices:
    """Index of the lowest value of each column."""
    lengths = np.diff(starts, append=len(y))
    return _first(y == np.repeat(np.minimum.reduceat(y, starts), lengths), starts)


def _first(marked: NDArray[np.bool_], starts: Indices) -> Indices:
    """Index of the first marked sample of each column that has one."""
    found = np.flatnonzero(marked)
    column = np.searchsorted(starts, found, side="right")
    first: Indices = found[np.diff(column, prepend=0) > 0]
    return first
