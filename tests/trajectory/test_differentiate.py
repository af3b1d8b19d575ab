"""Derivatives of recorded motions: polynomials exactly, sines as told, the filter of scipy where times are even."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_near, assert_same_bits
from scipy.signal import savgol_filter

import rne

RANDOM = np.random.default_rng(5)


@pytest.mark.parametrize(("window", "degree"), [(21, 4), (5, 2), (7, 6), (51, 3)])
@pytest.mark.parametrize("samples", [51, 52, 3000])
def test_at_even_times_it_is_the_filter_of_savitzky_and_golay(window, degree, samples) -> None:
    q = RANDOM.normal(size=(samples, 3))
    motion = rne.differentiate(5.0 + np.arange(samples) * 0.01, q, window=window, degree=degree)
    for k, got in ((1, motion.qd), (2, motion.qdd)):
        wanted = savgol_filter(q, window, degree, deriv=k, delta=0.01, axis=0, mode="interp")
        assert_near(got, wanted, 1e-9)


@pytest.mark.parametrize("degree", [2, 3, 4, 6])
def test_polynomials_are_exact_at_uneven_times(degree) -> None:
    t = np.cumsum(RANDOM.uniform(0.001, 0.02, 500))
    factors = RANDOM.normal(size=(degree + 1, 4))
    poly = np.polynomial.polynomial
    motion = rne.differentiate(t, poly.polyval(t, factors).T, window=15, degree=degree)
    assert_near(motion.qd, poly.polyval(t, poly.polyder(factors, 1)).T, 1e-8)
    assert_near(motion.qdd, poly.polyval(t, poly.polyder(factors, 2)).T, 1e-6)
    assert motion.gaps.size == motion.duplicates.size == 0


@pytest.mark.parametrize(("window", "of_qd", "of_qdd"), [(21, 3e-5, 2e-3), (51, 6e-6, 2e-4)])
def test_a_noisy_sine_is_as_good_as_told(window, of_qd, of_qdd) -> None:
    t = np.arange(20_000) / 1000 + RANDOM.uniform(-1e-4, 1e-4, 20_000)
    w = 2 * np.pi
    q = np.sin(w * t) + 1e-6 * RANDOM.normal(size=t.size)
    motion = rne.differentiate(t, q, window=window)
    assert motion.qd.shape == q.shape
    errors = motion.qd / w - np.cos(w * t), motion.qdd / w**2 + np.sin(w * t)
    for error, bound in zip(errors, (of_qd, of_qdd), strict=True):
        assert bound / 4 < np.sqrt(np.mean(error**2)) < bound


def test_a_wider_window_takes_out_more_noise() -> None:
    t = np.arange(5000) / 1000
    noise = RANDOM.normal(size=t.size)
    sizes = [rne.differentiate(t, noise, window=window).qdd.std() for window in (7, 15, 31, 63)]
    assert sizes == sorted(sizes, reverse=True)


def test_duplicates_are_reported_and_do_no_harm() -> None:
    t = np.repeat(np.arange(200) / 100, 2)[:300]
    motion = rne.differentiate(t, t**2)
    np.testing.assert_array_equal(motion.duplicates, np.arange(1, 300, 2))
    assert_near(motion.qd, 2 * t, 1e-9)
    assert_near(motion.qdd, 2 * np.ones_like(t), 1e-7)


def test_no_window_spans_a_gap() -> None:
    t = np.concatenate([np.arange(100), 1000 + np.arange(80), 5000 + np.arange(3)]) / 100
    q = np.concatenate([np.arange(100) ** 2.0, 7 - np.arange(80.0), [1.0, 2.0, 5.0]])
    motion = rne.differentiate(t, q)
    np.testing.assert_array_equal(motion.gaps, [100, 180])
    assert_near(motion.qdd[:100], np.full(100, 2e4), 1e-9)
    assert_near(motion.qd[100:180], np.full(80, -100.0), 1e-9)
    assert np.isnan(motion.qd[180:]).all()
    assert np.isnan(motion.qdd[180:]).all()
    whole = rne.differentiate(t, q, gap=100)
    assert whole.gaps.size == 0
    assert np.isfinite(whole.qd).all()


def test_nan_stays_in_its_windows_and_in_its_joint() -> None:
    t = np.arange(100) / 100
    q = np.column_stack([np.sin(t), np.cos(t)])
    clean = rne.differentiate(t, q, window=11)
    q[50, 0] = np.nan
    motion = rne.differentiate(t, q, window=11)
    near = abs(np.arange(100) - 50) <= 5
    assert np.isnan(motion.qd[near, 0]).all()
    assert_same_bits(motion.qd[~near], clean.qd[~near])
    assert_same_bits(motion.qdd[:, 1], clean.qdd[:, 1])


@pytest.mark.parametrize("samples", [0, 1, 2, 4])
def test_too_few_samples_are_nan(samples) -> None:
    motion = rne.differentiate(np.arange(samples), np.ones((samples, 2)))
    assert np.isnan(motion.qd).all()
    assert motion.qd.shape == (samples, 2)
    assert np.isfinite(rne.differentiate(np.arange(5), np.ones((5, 2))).qd).all()


@pytest.mark.parametrize(
    ("t", "q", "options", "word"),
    [
        ([0, 1, 0.5], [1, 2, 3], {}, "t: times decrease from 1 to 0.5 s at sample 2"),
        ([0, 1, np.nan], [1, 2, 3], {}, "t: wanted finite numbers"),
        ([[0, 1]], [1, 2], {}, "t: wanted shape"),
        ([0, 1], [1, 2, 3], {}, r"q: wanted shape \(2, n\), since t has 2 times; got \(3,\)"),
        ([0, 1], ["a", "b"], {}, "q: wanted real numbers"),
        ([0, 1], [1, 2], {"window": 20}, "window: wanted an odd number of samples, more than the degree 4, got 20"),
        ([0, 1], [1, 2], {"window": 3}, "window: wanted an odd number"),
        ([0, 1], [1, 2], {"degree": 1}, "degree: wanted a whole number of at least 2, got 1"),
    ],
)
def test_wrong_arguments(t, q, options, word) -> None:
    with pytest.raises(rne.ArgumentError, match=word):
        rne.differentiate(t, q, **options)
