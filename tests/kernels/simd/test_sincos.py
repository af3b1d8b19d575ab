"""Sine and cosine of the kernels: in units of the last place, near the zeros, far out, lane by lane."""

from __future__ import annotations

import mpmath
import numba
import numpy as np
import pytest
from checks import assert_same_bits

from rne.kernels.simd.pack import LANES, as_packs
from rne.kernels.simd.sincos import sincos

DTYPES = [np.float64, np.float32]
WIDTH = {np.float64: LANES[numba.float64], np.float32: LANES[numba.float32]}


@numba.njit(error_model="numpy")
def _packs(x, s, c, packs):
    angles, sines, cosines = as_packs(x, 0, 1, packs), as_packs(s, 0, 1, packs), as_packs(c, 0, 1, packs)
    for i in range(packs):
        sines[0, i], cosines[0, i] = sincos(angles[0, i])


@numba.njit(error_model="numpy")
def _scalars(x, s, c):
    for i in range(x.size):
        s[i], c[i] = sincos(x[i])


def by_packs(x):
    """Sine and cosine, side by side; the last pack is filled up with ones."""
    width = WIDTH[x.dtype.type]
    packs = -(-x.size // width)
    padded = np.ones(packs * width, x.dtype)
    padded[: x.size] = x
    s, c = np.empty_like(padded), np.empty_like(padded)
    _packs(padded, s, c, packs)
    return np.stack([s, c], axis=1)[: x.size]


def by_scalars(x):
    s, c = np.empty_like(x), np.empty_like(x)
    _scalars(x, s, c)
    return np.stack([s, c], axis=1)


def wanted(x):
    """Numpy's, in double precision at least."""
    wide = x.astype(np.float64)
    return np.stack([np.sin(wide), np.cos(wide)], axis=1)


def ulps(got, true):
    """Error in units of the last place of the true value, in the precision of what we got."""
    return np.abs(got.astype(np.float64) - true) / np.spacing(np.abs(true).astype(got.dtype)).astype(np.float64)


def dense(limit, count=200_000):
    rng = np.random.default_rng(3)
    return np.concatenate([rng.uniform(-limit, limit, count), rng.uniform(-7, 7, count), rng.normal(size=count) * 1e-3])


def quarters(largest, steps=(-2, -1, 0, 1, 2)):
    """Floats next to multiples of pi/2: there one of the two is nearly zero, and all its digits come from pi."""
    k = np.concatenate([np.arange(-300, 301), np.random.default_rng(4).integers(-largest, largest, 3000)])
    x = k * (np.pi / 2)
    return np.concatenate([x + step * np.spacing(x) for step in steps])


def test_double_precision_is_within_two_ulps_of_numpy():
    x = np.concatenate([dense(1e4), quarters(6000)])
    assert np.abs(x).max() <= 1e4
    assert ulps(by_packs(x), wanted(x)).max() < 2.0


def test_double_precision_near_the_zeros_is_within_two_ulps_of_the_truth():
    """Against arithmetic of 60 digits: numpy and we might err together."""
    x = np.concatenate([quarters(6000)[::29], dense(1e4, 200)])
    with mpmath.workdps(60):
        true = np.array([[float(mpmath.sin(mpmath.mpf(v))), float(mpmath.cos(mpmath.mpf(v)))] for v in x.tolist()])
    assert ulps(by_packs(x), true).max() < 2.0


@pytest.mark.parametrize("limit", [1e5, 1e6, 1e7, 1e8, 1e9])
def test_double_precision_far_out_is_right_to_a_trillionth(limit):
    x = np.concatenate([dense(limit), quarters(int(limit / 1.6))])
    x = x[np.abs(x) <= limit]
    assert np.abs(by_packs(x) - wanted(x)).max() < 1e-12


@pytest.mark.parametrize("size", [1e11, 1e12, 1e13, 1e15, 1e18, 1e22, 1e100, 1e300])
def test_double_precision_is_right_for_any_size(size):
    x = size * np.linspace(-1.0, 1.0, 333)
    assert np.abs(by_packs(x) - wanted(x)).max() < 1e-12


def test_single_precision_is_within_two_ulps_of_the_truth():
    """The angle is what it is in single precision; its sine and cosine in double precision are the truth."""
    x = np.concatenate([dense(1e4), quarters(6000)]).astype(np.float32)
    assert ulps(by_packs(x), wanted(x)).max() < 2.0


@pytest.mark.parametrize("size", [4.9e4, 5.1e4, 1e6, 1e9, 1e30])
def test_single_precision_far_out(size):
    x = (size * np.linspace(-1.0, 1.0, 33333)).astype(np.float32)
    assert np.abs(by_packs(x) - wanted(x)).max() < 2e-7


@pytest.mark.parametrize("dtype", DTYPES)
def test_single_numbers_and_packs_agree_to_the_last_bit(dtype):
    far = np.float64([1e5, -3e7, 2e9, 1e13, -1e30, np.nan, np.inf, 0.0, -0.0, 5e-324, 1e-40])
    x = np.concatenate([dense(1e4, 5000), quarters(6000), far]).astype(dtype)
    assert_same_bits(by_scalars(x), by_packs(x))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf, 1e20])
def test_a_strange_lane_leaves_the_others_alone(dtype, strange):
    width = WIDTH[dtype]
    x = np.random.default_rng(5).normal(size=width).astype(dtype)
    clean = by_packs(x)
    for lane in range(width):
        spoilt = x.copy()
        spoilt[lane] = strange
        got = by_packs(spoilt)
        assert_same_bits(np.delete(got, lane, axis=0), np.delete(clean, lane, axis=0))
        if np.isfinite(strange):
            assert np.abs(got[lane] - wanted(spoilt[lane : lane + 1])[0]).max() < 2e-7
        else:
            assert np.isnan(got[lane]).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_plainest_angles_are_exact(dtype):
    np.testing.assert_array_equal(by_packs(np.array([0.0, -0.0], dtype)), [[0.0, 1.0], [0.0, 1.0]])
    tiny = np.array([np.finfo(dtype).tiny, -1e-30], dtype)
    assert_same_bits(by_packs(tiny)[:, 0], tiny)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sine_is_odd_and_cosine_even_to_the_last_bit(dtype):
    x = np.concatenate([dense(1e4, 5000), quarters(6000), [1e7, 1e13]]).astype(dtype)
    plus, minus = by_packs(x), by_packs(-x)
    np.testing.assert_array_equal(minus, plus * np.array([-1, 1], dtype))
