"""Robots whose base floats against Pinocchio with a free flyer: random trees with every feature, and a lone body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_near, random_tree
from oracles_floating import LOCAL, FreeFlyer, random_states

import rne

SAMPLES = 11  # a full pack of samples and part of another


def floating(seed, joints=9, **features):
    """A random robot, and Pinocchio's of the same tree."""
    tree = replace(random_tree(seed, joints, **features), floating=True)
    robot = rne.Robot(tree)
    return robot, FreeFlyer(tree, robot.joint_names)


SHAPES = [
    {"joints": 1, "mimic": 0.0},
    {"joints": 7, "branching": 0.0, "mimic": 0.0, "fixed": 0.0},
    {"joints": 9, "mimic": 0.0},
    {"joints": 12, "mimic": 0.4},
    {"joints": 25, "branching": 0.5, "prismatic": 0.5, "mimic": 0.0},
]
ROBOTS = [pytest.param(seed, shape, id=f"{seed}-{shape['joints']}") for seed in range(4) for shape in SHAPES]
several = pytest.mark.parametrize(("seed", "shape"), ROBOTS)


def assert_calls_near(call, arguments, wanted, rtol=1e-10):
    """A batch, and single calls of its samples, are near what is wanted."""
    assert_near(call(*arguments), wanted, rtol)
    for k in (0, len(wanted) - 1):
        assert_near(call(*(x[k] for x in arguments)), wanted[k], rtol)


@several
def test_torques(seed, shape):
    robot, oracle = floating(seed, **shape)
    q, qd, qdd = random_states(robot, SAMPLES, seed)
    wanted = np.array([oracle.inverse_dynamics(*state) for state in zip(q, qd, qdd, strict=True)])
    assert_calls_near(lambda *state: rne.inverse_dynamics(robot, *state), (q, qd, qdd), wanted)
    still = np.zeros_like(qd)
    wanted = np.array([oracle.inverse_dynamics(a, b, b) for a, b in zip(q, still, strict=True)])
    assert_calls_near(lambda q: rne.gravity_vector(robot, q), (q,), wanted)
    wanted = np.array([oracle.inverse_dynamics(a, b, 0 * b) for a, b in zip(q, qd, strict=True)])
    assert_calls_near(lambda *state: rne.bias_vector(robot, *state), (q, qd), wanted)
    gravity = rne.gravity_vector(robot, q)
    assert_near(rne.coriolis_vector(robot, q, qd) + gravity, wanted, 1e-10)


@several
def test_torques_of_wrenches(seed, shape):
    robot, oracle = floating(seed, **shape)
    q, qd, qdd = random_states(robot, SAMPLES, seed)
    rng = np.random.default_rng(seed)
    names = [robot.frame_names[0], *rng.choice(robot.frame_names, 2)]
    f_ext = {name: rng.normal(size=6) * 10 for name in names}
    wanted = np.array([oracle.inverse_dynamics(*state, f_ext) for state in zip(q, qd, qdd, strict=True)])
    assert_calls_near(lambda *state: rne.inverse_dynamics(robot, *state, f_ext=f_ext), (q, qd, qdd), wanted)


@several
def test_mass_matrix_and_forward_dynamics(seed, shape):
    robot, oracle = floating(seed, heavy_tips=True, massless=0.0, **shape)
    q, qd, tau = random_states(robot, SAMPLES, seed)
    wanted = np.array([oracle.mass_matrix(x) for x in q])
    assert_calls_near(lambda q: rne.mass_matrix(robot, q), (q,), wanted)
    bias = np.array([oracle.inverse_dynamics(a, b, 0 * b) for a, b in zip(q, qd, strict=True)])
    qdd = np.linalg.solve(wanted, (tau - bias)[..., None])[..., 0]
    for method in ("aba", "crba"):
        assert_calls_near(
            lambda *state, method=method: rne.forward_dynamics(robot, *state, method=method), (q, qd, tau), qdd, 1e-8
        )
    inverse = rne.mass_matrix_inverse(robot, q)
    assert_near(wanted @ inverse, np.broadcast_to(np.eye(robot.n), inverse.shape), 1e-7)


@several
def test_kinematics(seed, shape):
    robot, oracle = floating(seed, **shape)
    q, qd, qdd = random_states(robot, SAMPLES, seed)
    for frame in (robot.frame_names[0], robot.frame_names[-1], robot.frame_names[len(robot.frame_names) // 2]):
        wanted = np.array([oracle.pose(x, frame) for x in q])
        assert_calls_near(lambda q, frame=frame: rne.forward_kinematics(robot, q, frame), (q,), wanted)
        wanted = np.array([oracle.jacobian(x, frame) for x in q])
        assert_calls_near(lambda q, frame=frame: rne.jacobian(robot, q, frame), (q,), wanted)
        local = np.array([oracle.jacobian(x, frame, LOCAL) for x in q])
        assert_near(rne.jacobian(robot, q, frame, axes="local"), local, 1e-10)
        speed = np.einsum("kij,kj->ki", wanted, qd)
        assert_calls_near(lambda *s, frame=frame: rne.frame_velocity(robot, *s, frame), (q, qd), speed)
        wanted = np.array([oracle.acceleration(*state, frame) for state in zip(q, qd, qdd, strict=True)])
        assert_calls_near(lambda *s, frame=frame: rne.frame_acceleration(robot, *s, frame), (q, qd, qdd), wanted)
        wanted = np.array([oracle.acceleration(a, b, 0 * b, frame) for a, b in zip(q, qd, strict=True)])
        assert_calls_near(lambda *s, frame=frame: rne.jacobian_dot_qd(robot, *s, frame), (q, qd), wanted)


@several
def test_center_of_mass_and_energies(seed, shape):
    robot, oracle = floating(seed, **shape)
    if not robot.total_mass:
        return
    q, qd, _ = random_states(robot, SAMPLES, seed)
    found = [oracle.center_of_mass(*state) for state in zip(q, qd, strict=True)]
    assert_calls_near(lambda q: rne.center_of_mass(robot, q), (q,), np.array([x[0] for x in found]))
    assert_calls_near(lambda *s: rne.center_of_mass_velocity(robot, *s), (q, qd), np.array([x[1] for x in found]))
    assert_calls_near(lambda q: rne.center_of_mass_jacobian(robot, q), (q,), np.array([x[2] for x in found]))
    wanted = np.array([oracle.energies(*state) for state in zip(q, qd, strict=True)])
    assert_calls_near(lambda *s: rne.kinetic_energy(robot, *s), (q, qd), wanted[:, 0])
    assert_calls_near(lambda q: rne.potential_energy(robot, q), (q,), wanted[:, 1])
    links = rne.kinetic_energy(robot, q, qd, per_link=True)
    assert_near(links.sum(axis=-1), wanted[:, 0], 1e-10)
