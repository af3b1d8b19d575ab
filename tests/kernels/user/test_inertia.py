"""Mass matrix and forward dynamics inside a user's own compiled code."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from checks import assert_same_bits, random_states
from own_robots import arm, gripper

import rne
from rne.kernels.jit import STAMP

ROBOTS = {"arm": arm(), "gripper": gripper()}
ALL = pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)


def _user_code(stamp):
    """What a user would write. Kept on disk as rne keeps its own: anew for every version of the kernels."""

    @numba.njit(cache=True)
    def fall(model, q, qd, tau, qdd, friction):
        stamp  # noqa: B018
        for k in range(len(q)):
            rne.jit.forward_dynamics(model, q[k], qd[k], tau[k], qdd[k], friction)

    @numba.njit(cache=True)
    def weigh(model, q, mass):
        stamp  # noqa: B018
        for k in range(len(q)):
            rne.jit.mass_matrix(model, q[k], mass[k])

    return fall, weigh


fall, weigh = _user_code(STAMP)


@ALL
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_they_are_the_public_functions_bit_for_bit(robot, dtype):
    model, states = rne.jit.model(robot, dtype), random_states(robot.n, 9, dtype=dtype)
    qdd, mass = np.empty((9, robot.n), dtype), np.empty((9, robot.n, robot.n), dtype)
    for friction in (False, True):
        fall(model, *states, qdd, friction)
        assert_same_bits(qdd, rne.forward_dynamics(robot, *states, friction=friction))
    weigh(model, states[0], mass)
    assert_same_bits(mass, rne.mass_matrix(robot, states[0]))


def test_a_singular_mass_matrix_raises():
    """Two rods with a mass at the end only: stretched out, no torque moves it along them."""
    rods = rne.from_dh(
        [{"joint": "revolute", "a": 0.5}, {"joint": "revolute", "a": 0.4, "mass": 1.0}], convention="standard"
    )
    q, qdd = np.full((3, 2), 0.6), np.empty((3, 2))
    fall(rne.jit.model(rods), q, q, q, qdd, False)
    assert_same_bits(qdd, rne.forward_dynamics(rods, q, q, q))
    q[1, 1] = 0.0
    with pytest.raises(ValueError, match=r"rne\.jit: the mass matrix is singular"):
        fall(rne.jit.model(rods), q, q, q, qdd, False)
    q[1, 1] = np.nan
    fall(rne.jit.model(rods), q, q, q, qdd, False)
    assert np.isnan(qdd[1]).all()
    assert np.isfinite(qdd[[0, 2]]).all()


def test_wrong_lengths_raise():
    model, right = rne.jit.model(arm()), np.zeros((1, 6))
    for which in range(4):
        arrays = [right.copy() for _ in range(4)]
        arrays[which] = np.zeros((1, 5))
        with pytest.raises(ValueError, match="an array does not have one entry per joint"):
            fall(model, *arrays, False)
    for q, mass in (((1, 5), (1, 6, 6)), ((1, 6), (1, 5, 6)), ((1, 6), (1, 6, 5))):
        with pytest.raises(ValueError, match=r"rne\.jit: "):
            weigh(model, np.zeros(q), np.zeros(mass))
