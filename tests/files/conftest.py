"""A robot and a motion of it."""

from __future__ import annotations

import numpy as np
import own_robots
import pytest
from checks import random_states
from motions import Columns, N

import rne


@pytest.fixture(scope="session")
def robot() -> rne.Robot:
    return rne.load_urdf(own_robots.ARM)


@pytest.fixture
def motion(robot: rne.Robot) -> Columns:
    """t, and q, qd, qdd of all joints, column by column."""
    columns = {"t": np.linspace(0, 3, N)}
    for key, array in zip(("q", "qd", "qdd"), random_states(robot.n, N), strict=True):
        columns |= {f"{key}_{joint}": array[:, k] for k, joint in enumerate(robot.joint_names)}
    return columns
