"""How many numbers an argument has, and what they are: of joints, and of a base that floats."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.errors import ArgumentError
from rne.model.floating import OF_POSITIONS, QUATERNION, UNIT
from rne.model.robot import Robot


def width_of(robot: Robot, argument: str) -> int:
    """Return the length of the last axis of an argument."""
    return robot.nq if argument in OF_POSITIONS else robot.n


def meaning(robot: Robot, argument: str) -> str:
    """Return what the numbers on the last axis of an argument are, for errors."""
    if not robot.floating:
        return f"one number per joint of {robot.name} ({_shortened(robot.joint_names)})"
    if argument in OF_POSITIONS:
        return f"pose of the base and one number per joint ({_shortened(robot.position_names)})"
    return f"six numbers of the base and one per joint ({_shortened(robot.coordinate_names)})"


def _shortened(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) <= 8 else ", ".join((*names[:7], "..."))


def check_pose(argument: str, q: NDArray[Any]) -> None:
    """Refuse the pose of a base whose quaternion does not have unit length within `UNIT`.

    Raises
    ------
    ArgumentError
        It does not; also where it is NaN.
    """
    quaternion = q[QUATERNION].astype(np.float64)
    length = float(np.linalg.norm(quaternion))
    if not abs(length - 1.0) <= UNIT:
        raise ArgumentError(
            f"{argument}: wanted a unit quaternion of the base in {argument}[3:7], [qx, qy, qz, qw], got "
            f"{quaternion.tolist()} of length {length:.6g}; rne.neutral(robot) has one"
        )
