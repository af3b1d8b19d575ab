"""The algebra of 3-vectors against numpy's."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from rne.kernels.algebra import vec

a, b, v = np.random.default_rng(0).normal(size=(3, 3))
A = np.random.default_rng(1).normal(size=(3, 3))
ANGLE, X = 0.7, -1.3
C, S = math.cos(ANGLE), math.sin(ANGLE)
RZ = np.array([[C, -S, 0.0], [S, C, 0.0], [0.0, 0.0, 1.0]])
RX = np.array([[1.0, 0.0, 0.0], [0.0, C, -S], [0.0, S, C]])


def skew(w):
    """The matrix [w]x of the cross product."""
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


@numba.njit
def everything(a, b, v, A, c, s, x):
    return (
        vec.add(a, b),
        vec.subtract(a, b),
        vec.scale(a, x),
        vec.add_scaled(v, a, x),
        vec.cross(a, b),
        vec.add_cross(v, a, b),
        vec.turn_z(v, c, s),
        vec.unturn_z(v, c, s),
        vec.turn_x(v, c, s),
        vec.unturn_x(v, c, s),
        vec.turn(v, A),
        vec.unturn(v, A),
        vec.add_product(v, A, b),
    )


WANTED = {
    "add": a + b,
    "subtract": a - b,
    "scale": X * a,
    "add_scaled": v + X * a,
    "cross": np.cross(a, b),
    "add_cross": v + np.cross(a, b),
    "turn_z": RZ.T @ v,
    "unturn_z": RZ @ v,
    "turn_x": RX.T @ v,
    "unturn_x": RX @ v,
    "turn": A.T @ v,
    "unturn": A @ v,
    "add_product": v + A @ b,
}


@pytest.fixture(scope="module")
def results():
    return dict(zip(WANTED, everything(*map(tuple, (a, b, v, A.ravel())), C, S, X), strict=True))


@pytest.mark.parametrize("name", WANTED)
def test_it_is_what_numpy_says(results, name):
    np.testing.assert_allclose(results[name], WANTED[name], rtol=1e-14, atol=1e-15)


def test_dot_and_the_matrix_of_a_motion():
    @numba.njit
    def both(w, wd):
        return vec.dot(w, wd), vec.motion_matrix(w, wd)

    product, matrix = both(tuple(a), tuple(b))
    assert product == pytest.approx(a @ b, rel=1e-14)
    np.testing.assert_allclose(np.reshape(matrix, (3, 3)), skew(b) + skew(a) @ skew(a), rtol=1e-13, atol=1e-15)
