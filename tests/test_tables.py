"""Tables of text: alignment, what a cell becomes, and rounding that is no number to show."""

from __future__ import annotations

import math

import numpy as np

from rne import tables


def test_columns_are_as_wide_as_their_widest_cell():
    text = tables.columns({"name": ["a", "long name"], "x": ["1", "10"], "x ": ["", "2"]})
    assert text.splitlines() == [
        "name        x  x",
        "a           1",
        "long name  10  2",
    ]


def test_cells_show_four_digits_no_noise_and_no_infinity():
    values = np.array([1234.56, -0.012345, 1e-10, np.inf, 0.0])
    assert tables.cells(values, " N") == ["1235 N", "-0.01235 N", "0 N", "-", "0 N"]
    assert tables.cells(np.array([1e-10])) == ["1e-10"]  # beside nothing larger it is no noise
    assert tables.cells(np.array([])) == []


def test_percent():
    assert tables.percent(np.array([1.0, 0.123456, 0.0])) == ["100 %", "12.3 %", "0 %"]


def test_a_table_leaves_out_columns_of_nothing():
    rows = [["a", 1, None, 2.5], ["bc", 20, None, math.inf], ["d", None, None, 1e-7]]
    assert tables.table(["name", "count", "gone", "x"], rows).splitlines() == [
        "name  count      x",
        "a         1    2.5",
        "bc       20      -",
        "d         -  1e-07",
    ]
