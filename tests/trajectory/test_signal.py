"""Sampled functions of time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import interp1d

import rne


@pytest.mark.parametrize(("kind", "in_scipy"), [("zero-order", "previous"), ("linear", "linear")])
def test_values_between_the_times(kind, in_scipy):
    t = np.array([0.5, 1.0, 1.2, 4.0])
    values = np.random.default_rng(0).normal(size=(2, 4, 3))
    at = np.concatenate([np.linspace(0.5, 4.0, 101), t])
    signal = rne.Signal(t, values, interpolation=kind)
    wanted = interp1d(t, values, in_scipy, axis=-2)
    np.testing.assert_allclose(signal(at), wanted(at), rtol=0, atol=1e-14)
    assert signal(2.0).shape == (2, 3)
    assert (signal([0.0, 9.0]) == values[:, [0, 3]]).all()
    assert signal.shape == (2,)
    assert signal.width == 3


def test_a_single_time_is_a_constant():
    assert rne.Signal([2.0], [[7.0]], interpolation="linear")([0.0, 3.0]).tolist() == [[7.0], [7.0]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1.0, 0.0], [[1.0], [2.0]]), "t: wanted finite times, each later"),
        (([0.0, 1.0], [1.0, 2.0]), r"values: wanted shape \(..., 2, width\), one row per time; got \(2,\)"),
        (([0.0, 1.0], [[1.0], [np.nan]]), "values: wanted finite numbers; that is not so in row 1, at t = 1 s"),
        (([0.0], [[1.0]], "cubic"), "interpolation: wanted"),
    ],
)
def test_what_is_refused(arguments, said):
    with pytest.raises(rne.ArgumentError, match=said):
        rne.Signal(*arguments)
