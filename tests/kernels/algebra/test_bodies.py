"""Moments, composites, articulated inertias and wrenches on their way between frames, against sums over points of mass.

And against 6x6 matrices, which the kernels nowhere form.
"""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from rne.kernels import layout as at
from rne.kernels.algebra import body, inertia, moments, transfer

RNG = np.random.default_rng(7)
POINTS, MASSES = RNG.normal(size=(12, 3)), RNG.uniform(0.5, 2.0, 12)
D, DD, W = RNG.normal(size=(3, 3))
KINDS = pytest.mark.parametrize("kind", [at.REVOLUTE, at.PRISMATIC], ids=["revolute", "prismatic"])
TURN = pytest.mark.parametrize("turn", [0.0, 0.4], ids=["chain", "branch"])
ALPHA, SPIN, Q, P = 0.9, -0.6, 0.35, np.array([0.2, -0.5, 0.8])


def skew(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def rz(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rx(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def six(S):
    return S[0, 0], S[1, 1], S[2, 2], S[0, 1], S[0, 2], S[1, 2]


def full(numbers):
    xx, yy, zz, xy, xz, yz = numbers
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def moments_of(points, seconds=None):
    """First moments, and the integral of r r^T dm, or of r' r^T dm where velocities are given."""
    left = points if seconds is None else seconds
    return MASSES @ left, np.einsum("k,ki,kj", MASSES, left, points)


def near(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)


# ------------------------------------------------------------------------------------------------------------ moments


@numba.njit
def of_moments(m, h, S, hd, V, d, dd, w, R, v):
    return (
        moments.moved(m, h, S, d),
        moments.moved_rates(m, h, hd, V, d, dd),
        moments.transposed(V),
        moments.spun(w, S),
        moments.around(S, v),
        moments.turned(R, S[0], S[1], S[3], S[4], S[5]),
    )


def test_moments_are_sums_over_points():
    velocities = RNG.normal(size=POINTS.shape)
    (h, S), (hd, V) = moments_of(POINTS), moments_of(POINTS, velocities)
    R = rz(0.3) @ rx(1.1) @ rz(-2.0)
    numbers = (tuple(h), six(S), tuple(hd), tuple(V.ravel()), *map(tuple, (D, DD, W, R.ravel(), DD)))
    moved, rates, transposed, spun, around, turned = of_moments(MASSES.sum(), *numbers)
    for (first, second), shape, (one, two) in (
        (moved, full, moments_of(POINTS + D)),
        (rates, lambda V: np.reshape(V, (3, 3)), moments_of(POINTS + D, velocities + DD)),
    ):
        near(first, one)
        near(shape(second), two)
    near(np.reshape(transposed, (3, 3)), V.T)
    near(np.reshape(spun, (3, 3)), moments_of(POINTS, np.cross(W, POINTS))[1])
    near(around, MASSES @ np.cross(POINTS, np.cross(DD, POINTS)))
    flat = S.copy()
    flat[2, 2] = 0.0
    near(full(turned), R @ flat @ R.T)


# ------------------------------------------------------------------------------------------------- from link to parent


def table_of(kind, turn):
    """A table with one link, of which only kind and frame are written."""
    table = np.zeros((2, at.WIDTH))
    row = table[1]
    row[at.KIND], row[at.HAS_TURN] = kind, turn != 0.0
    row[at.COS_TURN], row[at.SIN_TURN] = math.cos(turn), math.sin(turn)
    row[at.COS_ALPHA], row[at.SIN_ALPHA] = math.cos(ALPHA), math.sin(ALPHA)
    row[at.PX : at.PZ + 1] = P
    return table


def pose(kind, turn):
    """Rotation and position of the link in its parent: of a slide the joint moves the origin along z."""
    R = rz(turn) @ rx(ALPHA) @ rz(SPIN)
    return R, P + R @ [0.0, 0.0, Q * (kind == at.PRISMATIC)]


@numba.njit
def to_parent(table, m, h, S, J, B, M, f, n, wd, a, c, s, q):
    return (
        inertia.composite_to_parent(table, 1, m, h, S, c, s, q),
        inertia.articulated_to_parent(table, 1, J, B, M, c, s, q),
        transfer.wrench_to_parent(table, 1, f, n, c, s, q),
        transfer.acceleration_to_child(table, 1, wd, a, c, s, q),
    )


@KINDS
@TURN
def test_from_link_to_parent(kind, turn):
    R, p = pose(kind, turn)
    h, S = moments_of(POINTS)
    felt = RNG.normal(size=(6, 6))
    felt = felt @ felt.T  # moment first, then force
    J, B, M = felt[:3, :3], felt[:3, 3:], felt[3:, 3:]
    f, n, wd, a = RNG.normal(size=(4, 3))
    given = (tuple(h), six(S), six(J), tuple(B.ravel()), six(M), *map(tuple, (f, n, wd, a)))
    composite, articulated, wrench, acceleration = to_parent(
        table_of(kind, turn), MASSES.sum(), *given, math.cos(SPIN), math.sin(SPIN), Q
    )
    wanted = moments_of(POINTS @ R.T + p)
    near(composite[0], wanted[0])
    near(full(composite[1]), wanted[1])
    shift = np.block([[R, skew(p) @ R], [np.zeros((3, 3)), R]])
    moved = shift @ felt @ shift.T
    near(full(articulated[0]), moved[:3, :3])
    near(np.reshape(articulated[1], (3, 3)), moved[:3, 3:])
    near(full(articulated[2]), moved[3:, 3:])
    near(np.r_[wrench[1], wrench[0]], shift @ np.r_[n, f])
    near(np.r_[acceleration[0], acceleration[1]], shift.T @ np.r_[wd, a])


@numba.njit
def of_six(J, K, B, C, M, f, n, unit_f, unit_n):
    return inertia.add6(J, K), inertia.add9(B, C), inertia.less_product(J, B, M, f, n, unit_f, unit_n)


def test_sums_and_what_a_joint_takes_away():
    felt, other = RNG.normal(size=(2, 6, 6))
    felt, other = felt @ felt.T, other @ other.T
    axis = RNG.normal(size=6)
    wrench = felt @ axis
    unit = wrench / (axis @ wrench)
    parts = [six(x[:3, :3]) for x in (felt, other)] + [tuple(x[:3, 3:].ravel()) for x in (felt, other)]
    sum6, sum9, (J, B, M) = of_six(*parts, six(felt[3:, 3:]), *map(tuple, (wrench[3:], wrench[:3], unit[3:], unit[:3])))
    near(full(sum6), felt[:3, :3] + other[:3, :3])
    near(np.reshape(sum9, (3, 3)), felt[:3, 3:] + other[:3, 3:])
    wanted = felt - np.outer(wrench, unit)
    near(full(J), wanted[:3, :3])
    near(np.reshape(B, (3, 3)), wanted[:3, 3:])
    near(full(M), wanted[3:, 3:])
    left = np.block([[full(J), np.reshape(B, (3, 3))], [np.reshape(B, (3, 3)).T, full(M)]])
    near(left @ axis, np.zeros(6))  # the joint gives way along its axis


# --------------------------------------------------------------------------------------------------------- whole bodies


@numba.njit
def of_body(table, a, A, w, v):
    return body.wrench(table, 1, at.FULL_MASS, a, A), body.kinetic_energy(table, 1, w, v)


def test_wrench_and_energy_of_a_body_are_sums_over_points():
    h, S = moments_of(POINTS)
    table = np.zeros((2, at.WIDTH))
    table[1, at.FULL_MASS] = MASSES.sum()
    table[1, at.FULL_HX : at.FULL_HZ + 1] = h
    table[1, at.FULL_XX : at.FULL_YZ + 1] = six(S)
    w, wd, v, a = RNG.normal(size=(4, 3))
    A = skew(wd) + skew(w) @ skew(w)
    (f, n), energy = of_body(table, *map(tuple, (a, A.ravel(), w, v)))
    forces = MASSES[:, None] * (a + POINTS @ A.T)
    near(f, forces.sum(axis=0))
    near(n, np.cross(POINTS, forces).sum(axis=0))
    near(energy, 0.5 * MASSES @ ((v + np.cross(w, POINTS)) ** 2).sum(axis=1))
