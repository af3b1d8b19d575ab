"""Second derivatives: against fifty digits, against complex steps of the plain twin, and against known matrices."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import precise
import pytest
import reference
from checks import random_robot, random_states, random_tree
from complex_steps import STEP, torque
from differentiable import ROBOTS

import rne
from rne.autograd.models import Model
from rne.autograd.operations import PoseCurvature, TorqueCurvature

FAR = 2e-3


def near(got, wanted, rtol):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=rtol * max(np.abs(wanted).max(initial=0.0), 1e-3))


def subject(seed, **features):
    tree = random_tree(seed, 2 + seed % 4, **features)
    robot = rne.Robot(tree)
    rng = np.random.default_rng(seed)
    return tree, robot, random_states(robot.n, seed=seed), rng.normal(size=robot.n), rng.normal(size=(3, robot.n))


@pytest.mark.parametrize("seed", range(6))
def test_they_have_the_digits_of_fifty(seed):
    """Mixed differences with a step of 1e-12 are exact to 1e-24 there."""
    tree, robot, state, weights, direction = subject(seed, mimic=0.0, friction=0.0)
    n = robot.n
    got = TorqueCurvature(Model(robot)).evaluate(*state, weights, direction.ravel())
    with mp.workdps(precise.DIGITS):
        step, at, along = mp.mpf(10) ** -12, precise.exact(state), precise.exact(direction)

        def tau(x):
            return precise.inverse_dynamics(tree, *x)

        def work(x):
            return precise.exact(weights) @ tau(x)

        for m in range(3):
            for k in range(n):
                unit = precise.exact(np.zeros((3, n)))
                unit[m, k] = mp.mpf(1)
                mixed = sum(s * r * work(at + step * (s * along + r * unit)) for s in (1, -1) for r in (1, -1))
                near(got[m * n + k], float(mixed / (4 * step**2)), 1e-12)
        rate = (tau(at + step * along) - tau(at - step * along)) / (2 * step)
        springs = reference.spring_torque(tree, state[0] + direction[0]) - reference.spring_torque(tree, state[0])
        near(got[3 * n :], [float(x) for x in rate] + springs, 1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_they_are_differences_of_complex_steps(seed):
    """With mimic joints, springs, couplings and friction: 4th-order differences of derivatives that are exact."""
    tree, robot, state, weights, direction = subject(seed, mimic=0.4, couplings=0.4, degenerate=0.2)
    options = {"friction": True, "gravity": np.array([1.0, -2.0, 7.0])}

    def along(x):
        return np.imag(weights @ torque(tree, *(x + 1j * STEP * direction), **options)) / STEP

    wanted = np.empty((3, robot.n))
    for m in range(3):
        for k in range(robot.n):
            unit = np.zeros((3, robot.n))
            unit[m, k] = FAR
            one, two = (along(np.array(state) + s * unit) - along(np.array(state) - s * unit) for s in (1, 2))
            wanted[m, k] = (8 * one - two) / (12 * FAR)
    model = Model(robot, (1.0, -2.0, 7.0), True)
    got = TorqueCurvature(model).evaluate(*state, weights, direction.ravel())
    near(got[: 3 * robot.n], wanted.ravel(), 1e-8)


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e6])
def test_they_are_linear_in_the_direction(size):
    """Neither small nor large directions lose digits."""
    robot = ROBOTS["arm"]
    state, rng = random_states(6, seed=3), np.random.default_rng(3)
    pi, weights, direction = rne.parameters(robot, friction=True), rng.normal(size=6), rng.normal(size=18 + 84)
    operation = TorqueCurvature(Model(robot, None, True))
    wanted = operation.evaluate(*state, weights, direction, pi)
    near(operation.evaluate(*state, weights, size * direction, pi) / size, wanted, 1e-13)


@pytest.mark.parametrize("friction", [False, True])
@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_along_parameters_they_are_differences_of_robots(robot, friction):
    """Gradients are linear in the parameters, and so differences are exact."""
    n, rng = robot.n, np.random.default_rng(0)
    state, weights = random_states(n, seed=1), rng.normal(size=n)
    pi = rne.parameters(robot, friction=friction)
    change = 0.2 * pi * rng.normal(size=len(pi))
    direction = np.concatenate([np.zeros(3 * n), change])
    got = TorqueCurvature(Model(robot, None, friction)).evaluate(*state, weights, direction, pi)
    more, less = (robot.with_parameters(pi + s * change / 10, strict=False) for s in (5, -5))

    def gradient(other):
        parts = rne.inverse_dynamics_vjp(other, *state, weights, friction=friction)
        return np.concatenate([*parts, rne.inverse_dynamics(other, *state, friction=friction)])

    near(got[: 4 * n], gradient(more) - gradient(less), 1e-12)
    assert not got[4 * n :].any()


@pytest.mark.parametrize("seed", range(6))
def test_poses_by_complex_steps(seed):
    tree = random_tree(seed, 6, mimic=0.3)
    robot, frame = rne.Robot(tree), tree.bodies[-1].name
    rng = np.random.default_rng(seed)
    q, direction = rng.normal(size=(2, robot.n))
    weights = rng.normal(size=(4, 4))

    def along(x):
        R, p = reference.forward_kinematics(tree, x + 1j * STEP * direction)[frame]
        rate = np.zeros((4, 4))
        rate[:3, :3], rate[:3, 3] = np.imag(R) / STEP, np.imag(p) / STEP
        return rate

    wanted = []
    for unit in FAR * np.eye(robot.n):
        one, two = (along(q + s * unit) - along(q - s * unit) for s in (1, 2))
        wanted.append((weights * (8 * one - two)).sum() / (12 * FAR))
    got = PoseCurvature(Model(robot), (frame,)).evaluate(q, weights.ravel(), direction)
    near(got[: robot.n], wanted, 1e-9)
    near(got[robot.n :], along(q).ravel(), 1e-13)


def test_the_hessian_is_symmetric():
    robot = random_robot(4, 8, mimic=0.3)
    n = robot.n
    state, weights = random_states(n, seed=2), np.random.default_rng(2).normal(size=n)
    rows = TorqueCurvature(Model(robot)).evaluate(*state, weights, np.eye(3 * n))
    H = rows[:, : 3 * n]
    near(H, H.T, 1e-13)
    near(H[2 * n :, 2 * n :], np.zeros((n, n)), 1e-13)
    near(H[n : 2 * n, 2 * n :], np.zeros((n, n)), 1e-13)
    D = rne.christoffel(robot, state[0])
    near(H[n : 2 * n, n : 2 * n], 2 * np.einsum("i,ijk->jk", weights, D), 1e-12)


def test_coulomb_friction_is_constant():
    """The gradient by viscous friction changes with the velocity; that by Coulomb friction jumps at rest alone."""
    robot = ROBOTS["arm"]
    state, weights = random_states(6, seed=1), np.arange(1.0, 7.0)
    of_qd = -3.0 * state[1]  # a whole step turns all velocities round
    direction = np.concatenate([np.zeros(6), of_qd, np.zeros(6 + 84)])
    pi = rne.parameters(robot, friction=True)
    got = TorqueCurvature(Model(robot, None, True)).evaluate(*state, weights, direction, pi)[24:]
    names = rne.parameter_names(robot, friction=True)
    assert not got[[k for k, name in enumerate(names) if name.startswith(("coulomb", "rotor"))]].any()
    order = [robot.joint_names.index(name) for name in robot.links.joints]
    near(got[[k for k, name in enumerate(names) if name.startswith("viscous")]], (of_qd * weights)[order], 1e-13)
