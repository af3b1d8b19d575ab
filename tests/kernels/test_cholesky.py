"""The factors L^T D L of symmetric matrices, of floats and of packs: products, solutions, inverses, tiny pivots."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from checks import assert_same_bits

from rne.kernels.cholesky import factor, invert, solve
from rne.kernels.simd.pack import LANES, as_packs

SIZES = pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13])
PRECISION = pytest.mark.parametrize("dtype", [np.float64, np.float32])
WIDTH = {np.float64: LANES[numba.float64], np.float32: LANES[numba.float32]}


@numba.njit(error_model="numpy")
def _factor(A, x):
    return factor(A, x, len(A))


@numba.njit(error_model="numpy")
def _solve(A, x):
    tiny = factor(A, x, len(A))
    solve(A, x, len(A))
    return tiny


@numba.njit(error_model="numpy")
def _invert(A, x):
    tiny = factor(A, x, len(A))
    invert(A, len(A))
    return tiny


@numba.njit(error_model="numpy")
def _packs(buffer, x, n):
    A, b = as_packs(buffer, 0, n, n), as_packs(x, 0, 2, n)
    tiny = factor(A, b, n)
    solve(A, b, n)
    invert(A, n)
    return tiny


def matrix(n, seed=0, sparse=False):
    """A positive definite matrix; `sparse` as of a robot whose joints all hang on the first."""
    A = np.random.default_rng(seed).normal(size=(n, n))
    A = A @ A.T + 0.1 * np.eye(n)
    if sparse:
        A[1:, 1:] = np.diag(np.diagonal(A)[1:])
        A[0, 0] += 10 * np.abs(A[0]).sum() ** 2
    return A


def right_side(n, dtype=np.float64):
    """A right side, and bounds of zero, which leave each pivot to the entry that it started from."""
    return np.stack([np.arange(1.0, n + 1.0), np.zeros(n)]).astype(dtype)


@SIZES
@pytest.mark.parametrize("sparse", [False, True])
def test_the_factors_multiply_to_the_matrix(n, sparse):
    A = matrix(n, n, sparse)
    got = A.copy()
    assert not _factor(got, right_side(n))
    L, D = np.tril(got, -1) + np.eye(n), np.diag(1.0 / np.diagonal(got))
    np.testing.assert_allclose(L.T @ D @ L, A, rtol=0, atol=1e-13 * np.abs(A).max())
    assert_same_bits(np.triu(got, 1), np.triu(A, 1))  # only the lower triangle is read and written


@SIZES
@PRECISION
def test_solutions_and_inverses(n, dtype):
    A, x = matrix(n, n), right_side(n, dtype)
    assert not _solve(A.astype(dtype), x)
    tolerance = (1e-13 if dtype == np.float64 else 1e-5) * np.linalg.cond(A)
    wanted = np.linalg.solve(A, np.arange(1.0, n + 1.0))
    np.testing.assert_allclose(x[0], wanted, rtol=0, atol=tolerance * np.abs(wanted).max())
    inverse = A.astype(dtype)
    assert not _invert(inverse, right_side(n, dtype))
    wanted = np.linalg.inv(A)
    np.testing.assert_allclose(inverse, wanted, rtol=0, atol=tolerance * np.abs(wanted).max())
    assert_same_bits(inverse, inverse.T)


@SIZES
@PRECISION
def test_lanes_of_packs_are_single_matrices_bit_for_bit(n, dtype):
    """Also where a lane holds zeros that its neighbors do not."""
    width = WIDTH[dtype]
    lanes = [matrix(n, seed, sparse=bool(seed % 2)).astype(dtype) for seed in range(width)]
    buffer = np.stack(lanes, axis=-1)
    x = np.repeat(right_side(n, dtype)[..., None], width, axis=-1)
    flat, b = buffer.ravel(), x.ravel()
    assert not _packs(flat, b, n)
    for lane, A in enumerate(lanes):
        inverse, solution = A.copy(), right_side(n, dtype)
        _solve(A.copy(), solution)
        _invert(inverse, right_side(n, dtype))
        assert_same_bits(flat.reshape(n, n, width)[..., lane], inverse)
        assert_same_bits(b.reshape(2, n, width)[0, :, lane], solution[0])


@pytest.mark.parametrize(
    ("A", "tiny"),
    [
        ([[0.0]], True),
        ([[-1.0]], True),
        ([[1e-290]], False),
        ([[1.0, 1.0], [1.0, 1.0]], True),
        ([[1.0, 1.0], [1.0, 1.0 + 1e-10]], False),
        ([[1.0, 1.0], [1.0, 1.0 + 1e-13]], True),
        ([[1e-8, 0.0], [0.0, 1e8]], False),
        ([[1.0, 2.0], [2.0, 1.0]], True),
        ([[np.nan, 0.0], [0.0, 1.0]], False),
        ([[1.0, np.nan], [np.nan, 1.0]], False),
    ],
)
def test_tiny_pivots_are_told(A, tiny):
    assert _factor(np.array(A), right_side(len(A))) == tiny
    lanes = np.repeat(np.array(A)[..., None], 8, axis=-1)
    lanes[..., 1:] = np.eye(len(A))[..., None]
    assert _packs(lanes.ravel(), np.repeat([1.0, 0.0], 8 * len(A)), len(A)) == tiny


def test_nan_stays_in_its_lane_and_is_not_skipped_as_a_zero():
    lanes = np.repeat(np.eye(3)[..., None], 8, axis=-1)
    lanes[2, 0, 5] = np.nan
    flat, b = lanes.ravel(), np.ones(2 * 3 * 8)
    _packs(flat, b, 3)
    assert np.isnan(flat.reshape(3, 3, 8)[..., 5]).any()
    assert_same_bits(np.delete(flat.reshape(3, 3, 8), 5, axis=-1), np.repeat(np.eye(3)[..., None], 7, axis=-1))
    assert np.isnan(b.reshape(2, 3, 8)[0, :, 5]).all()
