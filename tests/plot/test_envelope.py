"""Samples left out of a long line: no peak, no gap and no end is lost, and what is drawn was there."""

from __future__ import annotations

import numpy as np
import pytest

from rne.plot.envelope import envelope


def long_line(seed: int, count: int = 20_000, even: bool = True):
    rng = np.random.default_rng(seed)
    x = np.linspace(2.0, 7.0, count) if even else np.sort(rng.exponential(size=count))
    y = np.sin(9 * x) + 0.1 * rng.normal(size=count)
    y[rng.integers(count, size=5)] = rng.normal(size=5) * 50  # peaks of one sample
    for start in rng.integers(count, size=4):
        y[start : start + 700] = np.nan
    y[rng.integers(count, size=3)] = (np.inf, -np.inf, np.nan)
    return x, y


@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_every_column_keeps_its_extremes_and_its_gap(seed, even):
    x, y = long_line(seed, even=even)
    columns = 100
    kept = envelope(x, [y], columns)
    assert len(kept) <= 3 * columns + 2
    assert (np.diff(kept) > 0).all()
    assert {0, len(x) - 1} <= set(kept)
    there = np.isfinite(y)
    edges = np.linspace(x[0], x[-1], columns, endpoint=False)
    place = np.searchsorted(edges, x, side="right")
    for column in np.unique(place):
        inside = np.flatnonzero(place == column)
        drawn = np.intersect1d(inside, kept)
        if there[inside].any():
            assert y[drawn[there[drawn]]].min() == y[inside[there[inside]]].min()
            assert y[drawn[there[drawn]]].max() == y[inside[there[inside]]].max()
        assert there[drawn].all() == there[inside].all()


def test_peaks_of_every_line_are_kept():
    x, first = long_line(1)
    _, second = long_line(2)
    kept = envelope(x, [first, second], 50)
    for y in (first, second):
        there = np.isfinite(y)
        for extreme in (np.argmin(np.where(there, y, np.inf)), np.argmax(np.where(there, y, -np.inf))):
            assert y[extreme] in y[kept]


@pytest.mark.parametrize("count", [0, 1, 2, 400])
def test_a_short_line_is_drawn_whole(count):
    x = np.arange(count)
    np.testing.assert_array_equal(envelope(x, [np.sin(x)], 100), x)


def test_samples_at_one_time_and_a_line_of_nothing():
    """A clock that stands still has one column; a line without values keeps its ends and its gaps."""
    x = np.zeros(1000)
    y = np.cos(np.arange(1000.0))
    assert set(envelope(x, [y], 10)) == {0, y.argmin(), y.argmax(), 999}
    kept = envelope(np.arange(1000), [np.full(1000, np.nan)], 10)
    np.testing.assert_array_equal(kept, [*range(0, 1000, 100), 999])
