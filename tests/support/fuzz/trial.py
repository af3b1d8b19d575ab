"""What must hold of any file whatsoever: a robot that works, or an error of rne with a word to say."""

from __future__ import annotations

import functools
import tempfile
import warnings
from pathlib import Path

import numpy as np

import rne


def attempt(data: bytes, suffix: str) -> rne.Robot | None:
    """Load a file of these bytes and use the robot; None if it is refused as it should be.

    Any exception but an RneError, any warning but a ModelWarning, and an error without a word or a place come through.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", rne.ModelWarning)
        path = Path(_folder().name) / f"robot{suffix}"
        path.write_bytes(data)
        try:
            robot = rne.load(path)
        except rne.ModelError as error:
            refusal = error
        else:
            use(robot)
            return robot
    assert refusal.problems
    for problem in refusal.problems:
        assert problem.what.strip(), "nothing said"
        assert problem.where == str(path), "no place told"
    return None


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """One folder for all files of this process: to make and remove one takes longer than to read a robot."""
    return tempfile.TemporaryDirectory()


def use(robot: rne.Robot) -> None:
    """A robot that was loaded has a table of numbers, names for its coordinates, and torques."""
    assert np.isfinite(robot.links.table).all()
    assert len(robot.joint_names) == robot.n == len(set(robot.joint_names))
    if robot.n:
        with np.errstate(all="ignore"):  # masses of 1e90 overflow, and that shows
            tau = rne.gravity_vector(robot, np.zeros(robot.n))
        assert tau.shape == (robot.n,)
