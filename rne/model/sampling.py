"""Finite ranges of the joints, for random postures, exciting motions, sliders and benchmarks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rne.model.floating import QUATERNION
from rne.model.robot import Robot

Array = NDArray[np.float64]

FAR = 100.0
"""Multiple of `reach` from home beyond which a limit counts as none, such as the 1e9 of some files."""


def reach(robot: Robot) -> Array:
    """Return the range (nq,) of a joint without limits in either direction: half a turn, or one meter; 1 of a base."""
    revolute = np.array([robot.joint(name).kind == "revolute" for name in robot.joint_names], dtype=bool)
    return np.concatenate([np.ones(robot.nq - len(revolute)), np.where(revolute, np.pi, 1.0)])


def position_limits(robot: Robot) -> tuple[Array, Array]:
    """Return the lower and upper limits of the coordinates, (nq,) each, including those of mimic joints.

    Limits in the wrong order are swapped. Where no position satisfies those of a joint and of all its mimic joints, the
    lower is above the upper limit. Without limits they are -inf and inf.
    """
    lower, upper = np.sort([robot.lower_limit, robot.upper_limit], axis=0)
    for bounds, ratio, shift, leader in _followers(robot, "lower", "upper"):
        low, high = np.sort((bounds - shift) / ratio)
        leader += robot.nq - robot.n
        lower[leader], upper[leader] = max(lower[leader], low), min(upper[leader], high)
    return lower, upper


def position_range(robot: Robot) -> tuple[Array, Array]:
    """Return the lower and upper ends of the ranges of the coordinates, (nq,) each, finite and in order.

    The ends are the limits of the joint and of its mimic joints (see `position_limits`), or of the joint alone if no
    position satisfies all of them. Without a limit, or with one farther than a hundred times `reach`, the end is one
    `reach` from home: from zero, or from the position within the limits nearest to zero.
    """
    lower, upper = position_limits(robot)
    own = np.sort([robot.lower_limit, robot.upper_limit], axis=0)
    lower, upper = np.where(lower <= upper, (lower, upper), own)
    wide = reach(robot)
    home = np.clip(0.0, lower, upper)
    return (  # zeros without sign: numpy draws nothing between 0.0 and -0.0
        np.where(home - lower <= FAR * wide, lower, home - wide) + 0.0,
        np.where(upper - home <= FAR * wide, upper, home + wide) + 0.0,
    )


def velocity_limits(robot: Robot) -> Array:
    """Return the velocity limits of the coordinates, (n,), including those of mimic joints; inf for none or zero."""
    limits = _speed(robot.velocity_limit)
    for bounds, ratio, _, leader in _followers(robot, "velocity"):
        limits[leader] = min(limits[leader], *_speed(bounds) / abs(ratio))
    return limits


def random_positions(robot: Robot, samples: int, rng: np.random.Generator) -> Array:
    """Draw (samples, nq) positions uniformly within the range of each joint, see `position_range`.

    A base that floats is within one meter of the origin, and its orientation is uniform among the rotations.
    """
    lower, upper = position_range(robot)
    q = np.clip(rng.uniform(lower, upper, (samples, robot.nq)), lower, upper)  # clipped, for rounding
    if robot.floating:
        turn = rng.normal(size=(samples, 4))
        q[:, QUATERNION] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
    return q


def _speed(velocity: Array) -> Array:
    """Magnitudes of velocity limits; zero, which many files use for unknown limits, counts as none."""
    return np.where(velocity == 0, np.inf, np.abs(velocity))


def _followers(robot: Robot, *limits: str) -> list[tuple[Array, float, float, int]]:
    """Limits of every mimic joint, with ratio, shift and index of the coordinate q in ratio q + shift."""
    found = []
    links = robot.links
    follows = zip(links.joints, links.ratios.tolist(), links.shifts.tolist(), links.leaders.tolist(), strict=True)
    for name, ratio, shift, leader in follows:
        joint = robot.joint(name)
        if joint.mimic is not None and ratio:
            found.append((np.array([getattr(joint.limits, limit) for limit in limits]), ratio, shift, leader))
    return found
