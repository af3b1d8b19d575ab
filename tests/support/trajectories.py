"""Trajectories as text, for the robot of `cli/conftest.py`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from click.testing import Result

Run = Callable[..., Result]  # calls `rne` with arguments

COLUMNS = ("q_turn", "q_slide", "qd_turn", "qd_slide", "qdd_turn", "qdd_slide")


def as_csv(states: np.ndarray, columns: tuple[str, ...] = COLUMNS) -> str:
    return "\n".join([",".join(columns), *(",".join(map(repr, row)) for row in states.tolist())]) + "\n"
