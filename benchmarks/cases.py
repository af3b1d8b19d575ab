"""The list of cases: robots x batch sizes x libraries, with their targets.

The pytest suite, the side-by-side run, the report and the test that all contenders agree use it; a new row is one line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import contact, derivatives, single_calls  # noqa: F401  they register contenders
from benchmarks.contenders import CONTENDERS
from benchmarks.subjects import States


@dataclass(frozen=True)
class Row:
    """Two contenders at one task; `must` and `aim` are targets for the time of the rival divided by ours."""

    task: str
    robot: str
    samples: int
    rival: str = "pinocchio"
    ours: str = "rne"
    threads: int = 1
    must: float | None = None
    aim: float | None = None


ROWS = [
    Row("inverse dynamics", "Panda", 100_000, must=20, aim=40),
    Row("inverse dynamics", "Panda", 100_000, threads=2, must=18, aim=40),
    Row("inverse dynamics", "Panda", 100_000, rival="rne", ours="rne float32", must=1.5, aim=2),
    Row("inverse dynamics", "Panda", 100_000, rival="mujoco"),
    Row("inverse dynamics", "Panda", 100_000, rival="casadi"),
    Row("inverse dynamics", "Panda", 100_000, rival="casadi", ours="rne in C", must=1, aim=1 / 0.7),
    Row("inverse dynamics", "Panda", 4_000, rival="rne", ours="rne specialized", must=1.5, aim=1.9),
    Row("inverse dynamics", "UR5e", 4_000, rival="rne", ours="rne specialized", must=1.6),
    Row("inverse dynamics", "Puma", 4_000, rival="rne", ours="rne specialized", must=1.7),
    Row("inverse dynamics", "humanoid", 10_000, must=10, aim=25),
    Row("inverse dynamics", "Panda", 64, rival="rne one by one", ours="rne small batch", must=8, aim=20),
    Row("inverse dynamics, one call", "Panda", 1_000, must=1 / 0.8, aim=1 / 0.6),
    Row("inverse dynamics, one call", "Panda", 1_000, ours="rne in a jitted loop", must=1 / 0.3, aim=1 / 0.15),
    Row("gravity, one call", "Panda", 1_000, must=1.0, aim=1 / 0.7),
    Row("forward dynamics", "Panda", 100_000, must=12, aim=30),
    Row("forward dynamics", "humanoid", 10_000, must=10, aim=25),
    Row("forward dynamics", "humanoid", 10_000, rival="rne on one thread", threads=2, must=1.8, aim=1.95),
    Row("forward dynamics, one call", "Panda", 1_000, must=1.0, aim=1 / 0.7),
    Row("mass matrix", "Panda", 10_000, must=12, aim=25),
    Row("mass matrix, one call", "Panda", 1_000, must=1.0, aim=1 / 0.7),
    Row("Coriolis matrix", "Panda", 10_000, must=12, aim=25),
    Row("inverse dynamics derivatives", "Panda", 10_000, must=12, aim=25),
    Row("inverse dynamics derivatives", "humanoid", 1_000, must=8, aim=20),
    Row("inverse dynamics derivatives, one call", "Panda", 1_000, must=1.0, aim=1 / 0.7),
    Row("forward dynamics derivatives", "Panda", 10_000, must=10, aim=20),
    Row("forward dynamics derivatives", "humanoid", 1_000, must=8, aim=20),
    Row("forward dynamics derivatives, one call", "Panda", 1_000, must=1.0, aim=1 / 0.7),
    Row("gradient of weighted torques", "Panda", 10_000),
    Row("regressor", "Panda", 10_000),
    Row("inverse dynamics", "ANYmal", 10_000, must=12, aim=25),
    Row("inverse dynamics", "Talos", 10_000, must=12, aim=25),
    Row("forward dynamics", "ANYmal", 10_000, must=10),
    Row("forward dynamics", "Talos", 10_000, must=10),
    Row("mass matrix", "ANYmal", 10_000, must=10),
    Row("mass matrix", "Talos", 10_000, must=10),
    Row("inverse dynamics, one call", "ANYmal", 1_000, must=1.0),
    Row("inverse dynamics, one call", "Talos", 1_000, must=1.0),
    Row("contact forward dynamics", "ANYmal", 10_000),
    Row("simulation", "Panda", 1_000, must=5, aim=10),
]


def rows() -> Iterator[Row]:
    """The rows whose function exists in this version of rne."""
    for row in ROWS:
        if (row.task, row.ours) in CONTENDERS:
            yield row


# The part of a result that is compared: factorizations of C differ, but the product with the velocity does not.
COMPARED: dict[str, Callable[[Any, States], Any]] = {
    "Coriolis matrix": lambda C, s: np.einsum("kij,kj->ki", C, s.qd),
    "inverse dynamics derivatives": lambda parts, _: _side_by_side(parts),
    "forward dynamics derivatives": lambda parts, _: _side_by_side(parts),
    "gradient of weighted torques": lambda parts, _: _side_by_side(parts),
    "regressor": lambda Y, _: _same_order(Y.reshape(*Y.shape[:2], -1, 10)),
}


def _side_by_side(parts: Any) -> Any:
    """Return the results of one array in it, and several as one array."""
    return np.stack(parts, axis=1) if isinstance(parts, tuple) else parts


def _same_order(Y: Any) -> Any:
    """Replace the columns of Ixz and Iyy, whose order differs between the libraries, by their sum."""
    return np.concatenate([Y[..., [0, 1, 2, 3, 4, 5, 8, 9]], Y[..., 6:8].sum(axis=-1, keepdims=True)], axis=-1)
