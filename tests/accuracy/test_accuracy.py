"""Errors against fifty digits, at the edges of what numbers hold; the bounds are those of docs/accuracy.md."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import precise
import pytest
from strategies import random_tree

import rne

PAGE = (Path(__file__).parents[2] / "docs" / "accuracy.md").read_text(encoding="utf-8")
PLAIN = {"mimic": 0.0, "massless": 0.0}


def panda() -> rne.model.tree.Tree:
    tree = rne.load("models/panda/robot.urdf", lock={"panda_finger_joint1": 0.0}).tree
    fixed = [replace(joint, mimic=None) for joint in tree.joints]
    return replace(tree, joints=tuple(fixed))


def tree(joints: int, **features: float) -> rne.model.tree.Tree:
    return random_tree(np.random.default_rng(joints), joints, **PLAIN, **features)


def wide_masses() -> rne.model.tree.Tree:
    """Ten links in a row whose masses are spread over fifteen decades."""
    rng, chain = np.random.default_rng(3), tree(10, branching=0.0, fixed=0.0, rotors=False)
    factors = 10.0 ** rng.uniform(-9, 6, len(chain.bodies))
    factors[[2, 5]] = 1e-9, 1e6
    bodies = [
        replace(body, mass=factor, inertia=tuple(tuple(x / body.mass * factor for x in row) for row in body.inertia))
        for body, factor in zip(chain.bodies, factors.tolist(), strict=True)
    ]
    return replace(chain, bodies=tuple(bodies))


# What the page calls it: the tree, the largest angle, the largest velocity, how many states.
CASES = {
    "Panda, angles to 3 rad": (panda, 3.0, 2.0, 8),
    "Panda, angles to 1e9 rad": (panda, 1e9, 2.0, 8),
    "Panda, velocities to 1e6 rad/s": (panda, 3.0, 1e6, 8),
    "random tree, 30 joints": (lambda: tree(30), 3.0, 2.0, 4),
    "random chain, 100 joints": (lambda: tree(100, branching=0.0), 3.0, 2.0, 3),
    "random chain, 1000 joints": (lambda: tree(1000, branching=0.0, fixed=0.0), 3.0, 2.0, 1),
    "chain of 10, masses from 1e-9 to 1e6 kg": (wide_masses, 3.0, 2.0, 6),
}


def states(n: int, angle: float, speed: float, count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    return [rng.uniform(-1, 1, (count, n)) * size for size in (angle, speed, 5.0)]


def test_the_page_and_the_cases_are_the_same() -> None:
    names = re.findall(r"^\| (.+?) \| \d\S+ \| \S+ \|$", PAGE, re.MULTILINE)
    assert names == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_torques(name) -> None:
    build, angle, speed, count = CASES[name]
    robot = rne.Robot(build())
    bounds = re.search(rf"^\| {re.escape(name)} \| (\S+) \| (\S+) \|$", PAGE, re.MULTILINE)
    for dtype, bound in zip((np.float64, np.float32), map(float, bounds.groups()), strict=True):
        state = [x.astype(dtype) for x in states(robot.n, angle, speed, count)]
        got = rne.inverse_dynamics(robot, *state)
        assert got.dtype == dtype
        wanted = np.array([precise.inverse_dynamics(robot.tree, *x) for x in zip(*state, strict=True)], dtype=float)
        error = np.abs(got - wanted).max(axis=1) / np.abs(wanted).max(axis=1)
        assert error.max() < bound


def test_light_joints_keep_their_digits_beside_heavy_ones() -> None:
    robot = rne.Robot(wide_masses())
    for q, qd, qdd in zip(*states(robot.n, 3.0, 2.0, 6), strict=True):
        wanted = precise.inverse_dynamics(robot.tree, q, qd, qdd).astype(float)
        assert np.abs(rne.inverse_dynamics(robot, q, qd, qdd) / wanted - 1).max() < 1e-12
        M = precise.mass_matrix(robot.tree, q).astype(float)
        size = np.sqrt(np.diag(M))
        assert np.abs((rne.mass_matrix(robot, q) - M) / np.outer(size, size)).max() < 1e-14


@pytest.mark.parametrize("build", [panda, wide_masses])
@pytest.mark.parametrize("method", ["aba", "crba"])
def test_forward_dynamics_loses_what_the_condition_says(build, method) -> None:
    robot = rne.Robot(build())
    worst = 0.0
    for k, (q, qd, tau) in enumerate(zip(*states(robot.n, 3.0, 2.0, 6), strict=True)):
        M = precise.mass_matrix(robot.tree, q).astype(float)
        size = np.sqrt(np.diag(M))
        worst = max(worst, np.linalg.cond(M))
        wanted = precise.forward_dynamics(robot.tree, q, qd, tau * size)
        got = rne.forward_dynamics(robot, q, qd, tau * size, method=method)
        error = np.abs((got - wanted) * size).max() / np.abs(wanted * size).max()
        assert error < robot.n * np.finfo(float).eps * np.linalg.cond(M / np.outer(size, size)), k
    assert build is panda or worst > 1e10  # the states are hard ones
