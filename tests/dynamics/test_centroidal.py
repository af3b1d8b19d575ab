"""Centroidal momentum against Pinocchio, and by the balance of momentum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_near, random_robot, random_tree
from oracles_floating import FreeFlyer, random_states

import rne

SHAPES = [{"joints": 7, "branching": 0.0, "mimic": 0.0}, {"joints": 9, "mimic": 0.0}, {"joints": 12, "mimic": 0.4}]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", SHAPES, ids=["chain", "tree", "followers"])
def test_momentum_is_that_of_pinocchio(seed, shape):
    tree = replace(random_tree(seed, rotors=False, **shape), floating=True)
    robot = rne.Robot(tree)
    oracle = FreeFlyer(tree, robot.joint_names)
    q, qd, _ = random_states(robot, 11, seed)
    found = [oracle.centroidal(*state) for state in zip(q, qd, strict=True)]
    momentum, matrix, rate = (np.array([x[k] for x in found]) for k in range(3))
    assert_near(rne.centroidal_momentum(robot, q, qd), momentum, 1e-11)
    assert_near(rne.centroidal_momentum_matrix(robot, q), matrix, 1e-11)
    assert_near(rne.centroidal_momentum_bias(robot, q, qd), rate, 1e-11)
    assert_near(rne.centroidal_momentum(robot, q[0], qd[0]), momentum[0], 1e-11)
    assert_near(rne.centroidal_momentum_matrix(robot, q[0]), matrix[0], 1e-11)


def test_rotors_do_not_count():
    robot = random_robot(1, 6, rotors=False, mimic=0.0)
    geared = robot.with_drives(
        {name: replace(robot.joint(name).drive, rotor_inertia=1.0) for name in robot.joint_names}
    )
    q, qd, _ = random_states(robot, 3)
    assert_near(rne.centroidal_momentum(geared, q, qd), rne.centroidal_momentum(robot, q, qd))
    assert_near(rne.centroidal_momentum_matrix(geared, q), rne.centroidal_momentum_matrix(robot, q))


@pytest.mark.parametrize("floating", [True, False])
def test_balance_of_momentum(floating):
    """The rate is that of central differences along the motion, and linear momentum that of the center of mass."""
    robot = rne.Robot(replace(random_tree(2, 9, mimic=0.2), floating=floating))
    q, qd, qdd = random_states(robot, 5, 1) if floating else np.random.default_rng(1).normal(size=(3, 5, robot.n))
    h = 1e-5

    def momentum(t):
        return rne.centroidal_momentum(robot, rne.integrate(robot, q, t * qd + 0.5 * t * t * qdd), qd + t * qdd)

    A = rne.centroidal_momentum_matrix(robot, q)
    rate = np.einsum("kij,kj->ki", A, qdd) + rne.centroidal_momentum_bias(robot, q, qd)
    assert_near((momentum(h) - momentum(-h)) / (2 * h), rate, 1e-7)
    assert_near(np.einsum("kij,kj->ki", A, qd), momentum(0.0), 1e-12)
    velocity = rne.center_of_mass_velocity(robot, q, qd)
    assert_near(momentum(0.0)[:, :3], robot.total_mass * velocity, 1e-11)


def test_a_lone_body():
    body = rne.load_urdf(
        '<robot name="top"><link name="body"><inertial><origin xyz="0.3 0 0"/><mass value="2"/>'
        '<inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
        floating=True,
    )
    q = rne.neutral(body)
    q[:3] = 5.0, 6.0, 7.0
    assert_near(rne.centroidal_momentum(body, q, [0, 0, 0, 1, 2, 3]), [0.0, 1.8, -1.2, 1.0, 4.0, 7.5])


def test_a_robot_without_mass():
    with pytest.raises(rne.ArgumentError, match="no mass"):
        rne.centroidal_momentum(
            rne.load_urdf('<robot name="g"><link name="body"/></robot>', floating=True),
            [0, 0, 0, 0, 0, 0, 1],
            np.zeros(6),
        )
