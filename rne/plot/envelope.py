"""Selection of few samples that draw the same line as all of them: no peak and no gap is lost. Numbers only."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import Floats

Indices = NDArray[np.intp]


def envelope(x: Floats, lines: Iterable[Floats], columns: int) -> Indices:
    """Select samples such that the lines look as if all samples were drawn.

    The width of the plot is divided into columns of equal width. For each line and column, the lowest and the highest
    sample and the first gap are kept, in addition to the first and the last sample of all. The result consists of
    original samples at their original places, and includes the extremes of every line and column.

    Parameters
    ----------
    x : (T,) abscissas, not decreasing.
    lines : arrays of (T,) values; NaN and infinity are gaps.
    columns : number of columns, about the number of pixels. Up to four times as many samples are all kept.

    Returns
    -------
    kept : increasing indices; for m lines at most 3 m columns + 2 of them if samples are omitted.
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
    """Return the index of the lowest value of each column."""
    lengths = np.diff(starts, append=len(y))
    return _first(y == np.repeat(np.minimum.reduceat(y, starts), lengths), starts)


def _first(marked: NDArray[np.bool_], starts: Indices) -> Indices:
    """Return the index of the first marked sample of each column that has one."""
    found = np.flatnonzero(marked)
    column = np.searchsorted(starts, found, side="right")
    first: Indices = found[np.diff(column, prepend=0) > 0]
    return first
