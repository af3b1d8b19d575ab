"""Coriolis matrix against Pinocchio: by its action, by the rate of the mass matrix, and entry by entry.

Pinocchio's matrix is the one of Christoffel symbols, too.
"""

from __future__ import annotations

import numpy as np
import oracles
import pinocchio as pin
import pytest
from checks import assert_same_bits

import rne

# Arms, arms with hands, hands, dogs, and humanoids, all with a fixed base; some with followers.
ROBOTS = [
    "alex_nub_hands.urdf",
    "alex_sake_hands.urdf",
    "alexander_v1.lowerBodyOnly.urdf",
    "allegro_left_hand.urdf",
    "allegro_right_hand.urdf",
    "anymal-kinova.urdf",
    "b1-z1.urdf",
    "baxter.urdf",
    "bolt.urdf",
    "centauro.urdf",
    "double_pendulum_continuous.urdf",
    "finger_edu.urdf",
    "g1_29dof_with_hand_rev_1_0.urdf",
    "go2.urdf",
    "hextilt_flying_arm_5.urdf",
    "human.urdf",
    "hyq_no_sensors.urdf",
    "icub.urdf",
    "kinova.urdf",
    "panda.urdf",
    "pr2.urdf",
    "quadruped.urdf",
    "romeo.urdf",
    "simple_humanoid.urdf",
    "so101.urdf",
    "solo12.urdf",
    "talos_full_v2.urdf",
    "tiago.urdf",
    "tiago_dual.urdf",
    "tiago_pro.urdf",
    "ur3_gripper.urdf",
    "ur10_robot.urdf",
    "xarm7.urdf",
    "z1.urdf",
]

DIFFERENCES = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
STEP = 2e-3

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


def mass_matrix_rate(pm, names, q, qd):
    """Central differences of eighth order of Pinocchio's mass matrix along the motion."""
    M = {k: oracles.pin_mass_matrix(pm, names, q + k * STEP * qd) for k in range(-4, 5) if k}
    return sum(c * (M[k] - M[-k]) / STEP for k, c in enumerate(DIFFERENCES, start=1))


def pin_coriolis_matrix(pm, names, q, qd):
    """Pinocchio's matrix of all joints, reduced to the coordinates: G^T C G."""
    position, rates = oracles.pin_q(pm, names, q), oracles.pin_v(pm, names, qd)
    C = pin.computeCoriolisMatrix(pm.model, pm.data, position, rates).reshape(pm.model.nv, pm.model.nv)
    G = np.array([oracles.pin_v(pm, names, unit) for unit in np.eye(len(names))]).T
    return G.T @ C @ G


@pytest.mark.parametrize("name", ROBOTS)
def test_matrix_is_that_of_pinocchio(name):
    path = oracles.example_urdf(name)
    robot, names, pm = rne.load(path), oracles.urdf_coordinates(path), oracles.pin_model(path)
    rng = np.random.default_rng(robot.n)
    q, qd = 2 * rng.normal(size=(4, robot.n)), rng.normal(size=(4, robot.n))
    C = rne.coriolis_matrix(robot, q, qd)
    for k in range(4):
        assert_same_bits(rne.coriolis_matrix(robot, q[k], qd[k]), C[k])
        wanted = pin_coriolis_matrix(pm, names, q[k], qd[k])
        scale = np.abs(wanted).max()
        np.testing.assert_allclose(C[k], wanted, rtol=0, atol=1e-12 * scale)
        action = oracles.pin_inverse_dynamics(pm, names, q[k], qd[k], gravity=np.zeros(3))
        np.testing.assert_allclose(C[k] @ qd[k], action, rtol=0, atol=1e-12 * np.abs(action).max())
    rate = mass_matrix_rate(pm, names, q[0], qd[0])
    np.testing.assert_allclose(C[0] + C[0].T, rate, rtol=0, atol=1e-9 * np.abs(rate).max())
    D = rne.christoffel(robot, q[1])
    np.testing.assert_allclose(D @ qd[1], C[1], rtol=0, atol=1e-12 * np.abs(C[1]).max())


def test_these_are_enough():
    assert len(set(ROBOTS)) >= 25
