"""Robots written to files, selected by the suffix."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable

import rne
from rne.cli.options import say
from rne.model.robot import Robot


def robot_writers(robot: Robot, convention: str = "modified") -> dict[str, Callable[[str], str]]:
    """Return by suffix what writes a robot to a file of that name."""
    return {
        ".urdf": robot.to_urdf,
        ".xml": robot.to_mjcf,
        ".toml": functools.partial(robot.to_dh, convention=convention),
    }


def write_robot(writer: Callable[[str], str], path: str) -> None:
    """Write a robot, and report what the format cannot hold."""
    with warnings.catch_warnings(record=True, action="always", category=rne.ModelWarning) as caught:
        writer(path)
    say(*(f"warning: {warning.message}" for warning in caught))
