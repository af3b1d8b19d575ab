"""Derivatives of robots whose base floats against Pinocchio with a free flyer, and along small steps of the group."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import oracles
import pinocchio as pin
import pytest
from checks import assert_near, random_tree
from oracles_floating import WORLD, FreeFlyer, random_states

import rne

SAMPLES = 9  # a full pack of samples and part of another
SHAPES = [
    {"joints": 1, "mimic": 0.0},
    {"joints": 7, "branching": 0.0, "mimic": 0.0},
    {"joints": 9, "mimic": 0.0},
    {"joints": 12, "mimic": 0.4},
]
EXAMPLES = [
    "solo12.urdf",
    "anymal-kinova.urdf",
    "talos_reduced.urdf",
    "quadrotor_base.urdf",
    "baxter.urdf",  # joints that follow others
]

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


def tree_robot(seed, **shape):
    return rne.Robot(replace(random_tree(seed, heavy_tips=True, massless=0.0, **shape), floating=True))


def example_robot(name):
    return rne.load(oracles.example_urdf(name), floating=True)


ROBOTS = [pytest.param(tree_robot, (seed, shape), id=f"{shape['joints']}") for seed, shape in enumerate(SHAPES)]
ROBOTS += [pytest.param(example_robot, (name, {}), id=name) for name in EXAMPLES]
several = pytest.mark.parametrize(("make", "given"), ROBOTS)
TREE = tree_robot(3, joints=9, mimic=0.0)
FOLLOWERS = tree_robot(4, joints=12, mimic=0.4)


def derivatives_of_torques(oracle, robot, *state):
    """Those of Pinocchio, with springs."""
    found = oracle.derivatives(*state)
    found[0] += robot.links.stiffness
    return found


@several
def test_pinocchio(make, given):
    robot = make(given[0], **given[1])
    oracle = FreeFlyer(robot.tree, robot.joint_names)
    G, model, data = oracle.G, oracle.model, oracle.data
    q, qd, qdd = random_states(robot, SAMPLES, 5)
    weights = np.random.default_rng(6).normal(size=(SAMPLES, robot.n))
    D = rne.inverse_dynamics_derivatives(robot, q, qd, qdd)
    gradient = rne.inverse_dynamics_vjp(robot, q, qd, qdd, weights)
    slope = rne.gravity_derivative(robot, q)
    frame = robot.frame_names[-1]
    rate = rne.jacobian_dot(robot, q, qd, frame)
    M = rne.mass_matrix(robot, q)
    sound = np.linalg.cond(M).max() < 1e9
    back = rne.forward_dynamics_derivatives(robot, q, qd, qdd) if sound else None
    qdd_back = rne.forward_dynamics(robot, q, qd, qdd) if sound else None
    for k in range(SAMPLES):
        wanted = derivatives_of_torques(oracle, robot, q[k], qd[k], qdd[k])
        for j, part in enumerate(wanted):
            assert_near(D[j][k], part, 1e-11)
            assert_near(gradient[j][k], weights[k] @ part, 1e-11)
        still = pin.computeGeneralizedGravityDerivatives(model, data, oracle.q(q[k]))
        assert_near(slope[k], G.T @ still @ G, 1e-11)
        pin.computeJointJacobiansTimeVariation(model, data, oracle.q(q[k]), G @ qd[k])
        pin.updateFramePlacements(model, data)
        wanted = pin.getFrameJacobianTimeVariation(model, data, oracle.frames[frame], WORLD) @ G
        assert_near(rate[k], wanted, 1e-11)
        if not sound:
            continue
        by_q, by_qd, mass = derivatives_of_torques(oracle, robot, q[k], qd[k], qdd_back[k])
        wanted = -np.linalg.solve(mass, by_q), -np.linalg.solve(mass, by_qd), np.linalg.inv(mass)
        for j, part in enumerate(wanted):
            assert_near(back[j][k], part, 1e-11 + 1e-15 * np.linalg.cond(mass))
        if robot.n == model.nv and not robot.links.stiffness.any():
            P = G.T  # a permutation: no joint follows another
            wanted = pin.computeABADerivatives(model, data, oracle.q(q[k]), G @ qd[k], G @ qdd[k])
            for j, part in enumerate(wanted[:2]):
                assert_near(back[j][k], P @ part @ G, 1e-11 + 1e-15 * np.linalg.cond(mass))


@pytest.mark.parametrize("robot", [TREE, FOLLOWERS], ids=["tree", "followers"])
def test_wrenches(robot):
    """In world and in local axes, on the base and beyond: steps of the group, and Pinocchio for local ones."""
    oracle = FreeFlyer(robot.tree, robot.joint_names)
    q, qd, qdd = (x[0] for x in random_states(robot, 1, 8))
    rng = np.random.default_rng(9)
    frames = [robot.tree.root, robot.links.joint_frames[0], robot.links.joint_frames[-1]]
    world = {name: rng.normal(size=6) * 10 for name in frames}
    local = {name: (wrench, "local") for name, wrench in world.items()}
    h = 1e-6
    for f_ext in (world, local):
        D = rne.inverse_dynamics_derivatives(robot, q, qd, qdd, f_ext=f_ext).dtau_dq
        steps = h * np.eye(robot.n)
        ahead, behind = (
            rne.inverse_dynamics(robot, rne.integrate(robot, q, s * steps), qd, qdd, f_ext=f_ext) for s in (1, -1)
        )
        assert_near(D, (ahead - behind).T / (2 * h), 1e-8)
        weights = rng.normal(size=robot.n)
        assert_near(rne.inverse_dynamics_vjp(robot, q, qd, qdd, weights, f_ext=f_ext).q, weights @ D, 1e-12)
        acceleration = rne.forward_dynamics(robot, q, qd, qdd, f_ext=f_ext)
        back = rne.forward_dynamics_derivatives(robot, q, qd, qdd, f_ext=f_ext)
        by_q, by_qd, M = rne.inverse_dynamics_derivatives(robot, q, qd, acceleration, f_ext=f_ext)
        assert_near(M @ back.dqdd_dq, -by_q, 1e-9)
        assert_near(M @ back.dqdd_dqd, -by_qd, 1e-9)
    forces = pin.StdVec_Force()
    forces.extend([pin.Force.Zero()] * oracle.model.njoints)
    for name, wrench in world.items():
        frame = oracle.model.frames[oracle.frames[name]]
        forces[frame.parentJoint] += frame.placement.act(pin.Force(wrench[:3], wrench[3:]))
    G = oracle.G
    wanted = pin.computeRNEADerivatives(oracle.model, oracle.data, oracle.q(q), G @ qd, G @ qdd, forces)[0]
    assert_near(D, G.T @ wanted @ G + robot.links.stiffness, 1e-11)


@pytest.mark.parametrize("robot", [TREE, FOLLOWERS], ids=["tree", "followers"])
def test_ways_to_call(robot):
    """Single states, batches and float32 agree; a base without a pose is NaN in its sample alone."""
    q, qd, qdd = random_states(robot, SAMPLES, 10)
    weights = np.random.default_rng(11).normal(size=(SAMPLES, robot.n))
    frame = robot.frame_names[-1]

    def calls(q, qd, qdd, weights):
        return [
            np.stack(rne.inverse_dynamics_derivatives(robot, q, qd, qdd), axis=-3),
            np.stack(rne.forward_dynamics_derivatives(robot, q, qd, qdd), axis=-3),
            np.stack(rne.inverse_dynamics_vjp(robot, q, qd, qdd, weights), axis=-2),
            rne.gravity_derivative(robot, q),
            rne.jacobian_dot(robot, q, qd, frame),
            np.stack(rne.inverse_dynamics_derivatives(robot, q, qd, qdd, f_ext={frame: np.ones(6, q.dtype)}), axis=-3),
        ]

    batch = calls(q, qd, qdd, weights)
    for k in (0, SAMPLES - 1):
        for got, wanted in zip(calls(q[k], qd[k], qdd[k], weights[k]), batch, strict=True):
            assert_near(got, wanted[k], 1e-13)
    narrow = [x.astype(np.float32) for x in (q, qd, qdd, weights)]
    wide = calls(*(x.astype(np.float64) for x in narrow))
    for states in (narrow, [x[2] for x in narrow]):
        for got, wanted in zip(calls(*states), wide, strict=True):
            assert got.dtype == np.float32
            wanted = wanted if states is narrow else wanted[2]
            assert np.abs(got - wanted).max() < 1e-3 * np.abs(wanted).max()
    q[3, 6] += 0.1
    for got, wanted in zip(calls(q, qd, qdd, weights)[:4], batch, strict=False):
        others = np.arange(SAMPLES) != 3
        assert np.isnan(got[3]).any()
        assert_near(got[others], wanted[others], 1e-13)


def test_a_step_is_predicted_by_the_linear_system():
    """Deviations from the motion that starts at a state, as `difference` measures them."""
    robot = TREE
    q, qd, tau = (x[0] for x in random_states(robot, 1, 12))
    A, B = rne.linearize(robot, q, qd, tau)
    n = robot.n
    rng = np.random.default_rng(13)
    dx, du = rng.normal(size=2 * n), rng.normal(size=n)
    rate = A @ dx + B @ du
    h, t = 1e-4, 1e-4

    def deviation(s, t):
        """Deviation after time t, to second order in t, of the motion that begins s dx away."""
        ends = []
        for k in (0.0, s):
            at, v = rne.integrate(robot, q, k * dx[:n]), qd + k * dx[n:]
            a = rne.forward_dynamics(robot, at, v, tau + k * du)
            ends.append((rne.integrate(robot, at, t * v + t * t / 2 * a), v + t * a))
        return np.concatenate([rne.difference(robot, ends[0][0], ends[1][0]), ends[1][1] - ends[0][1]])

    found = (deviation(h, t) - deviation(h, -t) - deviation(-h, t) + deviation(-h, -t)) / (4 * h * t)
    assert_near(found[:6], rate[:6], 1e-6)
    assert_near(found[6:], rate[6:], 1e-6)
    assert rne.linearize(robot, q[None], qd, tau, dt=0.01).A.shape == (1, 2 * n, 2 * n)
