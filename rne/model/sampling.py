"""Where a robot may be: the range of each joint, for random postures, exciting motions, sliders and benchmarks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rne.kernels import layout as at
from rne.model.robot import Robot

Array = NDArray[np.float64]

FAR = 100.0
"""Reaches from home beyond which a limit stands for none, as the 1e9 of some files does."""


def reach(robot: Robot) -> Array:
    """Return (n,) how far a joint without limits is taken either way: half a turn, or a meter."""
    revolute = np.array([robot.joint(name).kind == "revolute" for name in robot.joint_names], dtype=bool)
    return np.where(revolute, np.pi, 1.0)


def position_limits(robot: Robot) -> tuple[Array, Array]:
    """Return the lower and the upper limits of the coordinates, (n,) each, those of mimic followers included.

    Limits of a joint in the wrong order are taken in the right one. Where no position keeps those of a joint and of all
    its followers, the lower comes out above the upper. -inf and inf where there is none.
    """
    lower, upper = np.sort([robot.lower_limit, robot.upper_limit], axis=0)
    for bounds, ratio, shift, leader in _followers(robot, "lower", "upper"):
        low, high = np.sort((bounds - shift) / ratio)
        lower[leader], upper[leader] = max(lower[leader], low), min(upper[leader], high)
    return lower, upper


def position_range(robot: Robot) -> tuple[Array, Array]:
    """Return from where to where the coordinates are taken, (n,) each, finite and in order.

    That is from limit to limit, of the joint and of those that follow it (see `position_limits`); where no position
    keeps all of these, those of the joint alone. Where there is no limit, or none within a hundred reaches, it is one
    `reach` from home: from zero, or from the position within the limits that is nearest to it.
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
    """Return the largest velocities of the coordinates, (n,), with those of followers; inf for none or zero."""
    limits = _speed(robot.velocity_limit)
    for bounds, ratio, _, leader in _followers(robot, "velocity"):
        limits[leader] = min(limits[leader], *_speed(bounds) / abs(ratio))
    return limits


def random_positions(robot: Robot, samples: int, rng: np.random.Generator) -> Array:
    """Draw (samples, n) positions evenly within the range of each joint, see `position_range`."""
    lower, upper = position_range(robot)
    return np.clip(rng.uniform(lower, upper, (samples, robot.n)), lower, upper)  # clipped, for rounding


def _speed(velocity: Array) -> Array:
    """Sizes of velocity limits; a zero, which many files write for what they do not know, is none."""
    return np.where(velocity == 0, np.inf, np.abs(velocity))


def _followers(robot: Robot, *limits: str) -> list[tuple[Array, float, float, int]]:
    """Limits of every joint that follows another, and ratio, shift and place of the coordinate q of ratio q + shift."""
    found = []
    for row, name in enumerate(robot.links.joints, start=1):
        joint = robot.joint(name)
        ratio, shift, leader = robot.links.table[row, [at.RATIO, at.SHIFT, at.LEADER]].tolist()
        if joint.mimic is not None and ratio:
            found.append((np.array([getattr(joint.limits, limit) for limit in limits]), ratio, shift, int(leader)))
    return found
