"""Random postures of a robot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rne.robot import Robot


def reach(robot: Robot) -> NDArray[np.float64]:
    """Return (n,) how far a joint without limits is taken either way: half a turn, or a metre."""
    revolute = np.array([robot.joint(name).kind == "revolute" for name in robot.joint_names], dtype=bool)
    return np.where(revolute, np.pi, 1.0)


def random_positions(robot: Robot, samples: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw (samples, n) positions evenly within the limits, of which no more than four reaches are used."""
    wide = reach(robot)
    lower, upper = np.maximum(robot.lower, -2 * wide), np.minimum(robot.upper, 2 * wide)
    lower, upper = np.where(np.isinf(robot.lower), -wide, lower), np.where(np.isinf(robot.upper), wide, upper)
    return rng.uniform(np.minimum(lower, upper), np.maximum(lower, upper), (samples, robot.n))
