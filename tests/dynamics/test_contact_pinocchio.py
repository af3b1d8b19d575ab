"""Dynamics under contact against Pinocchio: random trees, and contacts that repeat each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_near, random_tree
from oracles_contact import constraint_dynamics, dense, impulse_dynamics, jacobian, terms
from oracles_floating import FreeFlyer, random_states

import rne

SAMPLES = 9  # a full pack of samples and part of another
SHAPES = {
    "tree": {"joints": 12, "mimic": 0.0},
    "chain": {"joints": 9, "branching": 0.0, "mimic": 0.0, "prismatic": 0.4},
    "followers": {"joints": 14, "mimic": 0.4},
}
KINDS = [
    [("point", "world"), ("point", "local")],
    [("surface", "local"), ("point", "world")],
    [("surface", "world"), ("surface", "world"), ("surface", "local"), ("point", "local")],  # some repeat others
]
cases = pytest.mark.parametrize("kinds", KINDS, ids=["points", "surface", "repeated"])
shapes = pytest.mark.parametrize("shape", SHAPES)


def setting(shape, kinds, seed=3):
    """A robot, its oracle, contacts on its last links, and states in which the held frames are at rest."""
    tree = replace(random_tree(seed, heavy_tips=True, massless=0.0, **SHAPES[shape]), floating=True)
    robot = rne.Robot(tree)
    oracle = FreeFlyer(tree, robot.joint_names)
    q, qd, tau = random_states(robot, SAMPLES, seed)
    frames = sorted(robot.frame_names, key=lambda name: moved_by(robot, q[0], name).sum())
    contacts = dict(zip([frames[k] for k in (-1, len(frames) // 2, -3, 2)], kinds, strict=False))
    for k in range(SAMPLES):
        J = jacobian(oracle, q[k], contacts)
        qd[k] -= np.linalg.pinv(J, rcond=1e-10) @ J @ qd[k]
    return robot, oracle, contacts, q, qd, 10 * tau


def moved_by(robot, q, frame):
    """Which joints move a frame."""
    return np.abs(rne.jacobian(robot, q, frame)[:, 6:]).max(axis=0) > 1e-6


@cases
@shapes
def test_forward_dynamics(shape, kinds):
    robot, oracle, contacts, q, qd, tau = setting(shape, kinds)
    motion = rne.contact_forward_dynamics(robot, q, qd, tau, contacts)
    found = [dense(oracle, *state, contacts) for state in zip(q, qd, tau, strict=True)]
    assert_near(motion.qdd, np.array([qdd for qdd, _ in found]), 1e-9)
    if shape != "followers":
        wanted = [constraint_dynamics(oracle, *state, contacts) for state in zip(q, qd, tau, strict=True)]
        assert_near(motion.qdd, np.array(wanted), 1e-9)
    for k, (_, forces) in enumerate(found):
        assert_near(along(robot, q[k], contacts, motion.wrenches[k]), forces, 1e-8)


def along(robot, q, contacts, wrenches):
    """Numbers of the wrenches along the held directions, in the axes of the contacts."""
    parts = []
    for (name, (kind, axes)), w in zip(contacts.items(), wrenches, strict=True):
        R = rne.forward_kinematics(robot, q, name)[:3, :3] if axes == "local" else np.eye(3)
        w = np.concatenate([R.T @ w[:3], R.T @ w[3:]])
        parts.append(w[:3] if kind == "point" else w)
        assert_near(w[len(parts[-1]) :], np.zeros(6 - len(parts[-1])))
    return np.concatenate(parts)


@pytest.mark.parametrize("restitution", [0.0, 0.7])
@pytest.mark.parametrize("kinds", KINDS[:2], ids=["points", "surface"])
def test_impacts(kinds, restitution):
    robot, oracle, contacts, q, _, _ = setting("tree", kinds)
    qd = random_states(robot, SAMPLES, 8)[1]
    impact = rne.contact_impulse(robot, q, qd, contacts, restitution=restitution)
    wanted = [impulse_dynamics(oracle, a, b, contacts, restitution) for a, b in zip(q, qd, strict=True)]
    assert_near(impact.qd, np.array(wanted), 1e-9)


@shapes
@pytest.mark.parametrize("kinds", KINDS[1:], ids=["surface", "repeated"])
def test_inverse_dynamics(shape, kinds):
    """The minimum with weights is that of a dense system of optimality conditions, from the terms of Pinocchio."""
    robot, oracle, contacts, q, qd, qdd = setting(shape, kinds)
    rng = np.random.default_rng(1)
    heavy = {name: rng.uniform(0.5, 2.0, 6) for name in contacts}
    motors = rng.uniform(0.0, 2.0, len(robot.joint_names))
    # A joint between two contacts: the wrench on the rest of the robot is given, and does not move it.
    tip, middle = (moved_by(robot, q[0], name) for name in list(contacts)[:2])
    passive = int(np.flatnonzero(tip != middle)[0])
    options = {"passive": [robot.joint_names[passive]], "wrench_weights": heavy, "torque_weights": motors}
    found = rne.contact_inverse_dynamics(robot, q, qd, qdd, contacts, **options)
    idle = [*range(6), 6 + passive]  # seven, which nine and more numbers of wrenches can serve
    driven = [k for k in range(robot.n) if k not in idle]
    D = np.concatenate([heavy[name][: {"point": 3, "surface": 6}[kind]] for name, (kind, _) in contacts.items()])
    T = motors[[k - 6 for k in driven]]
    for k in range(SAMPLES):
        M, bias, J, _ = terms(oracle, q[k], qd[k], contacts)
        needed = M @ qdd[k] + bias
        A, B = J[:, idle].T, J[:, driven].T
        H = np.diag(D) + B.T @ (T[:, None] * B)
        matrix = np.block([[H, A.T], [A, np.zeros((len(idle), len(idle)))]])
        side = np.concatenate([B.T @ (T * needed[driven]), needed[idle]])
        w = np.linalg.lstsq(matrix, side, rcond=1e-13)[0][: len(D)]
        assert_near(along(robot, q[k], contacts, found.wrenches[k]), w, 1e-8)
        assert_near(found.tau[k][driven], needed[driven] - B @ w, 1e-8)
        assert_near(found.remainder[k] / np.abs(needed).max(), np.zeros(robot.n), 1e-9)
        assert_near(found.tau[k][idle], np.zeros(len(idle)), 0.0)


def test_what_contacts_cannot_carry():
    """Forces on two points have no moment about the line between them: the rest is that of least squares."""
    robot, oracle, contacts, q, qd, qdd = setting("tree", KINDS[0])
    found = rne.contact_inverse_dynamics(robot, q, qd, qdd, contacts)
    for k in range(SAMPLES):
        M, bias, J, _ = terms(oracle, q[k], qd[k], contacts)
        needed = (M @ qdd[k] + bias)[:6]
        w, _, rank, _ = np.linalg.lstsq(J[:, :6].T, needed, rcond=1e-11)
        assert rank == 5
        assert_near(found.remainder[k][:6], needed - J[:, :6].T @ w, 1e-9)
        assert_near(along(robot, q[k], contacts, found.wrenches[k]), w, 1e-9)
