"""The condition number of the mass matrix over postures, which limits the accuracy of forward dynamics."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rne.doctor.report import Finding
from rne.lagrange.terms import inertia_matrix
from rne.model.robot import Robot
from rne.model.sampling import random_positions

Array = NDArray[np.float64]

SLOW = 40
"""Number of coordinates from which Lagrange takes longer than the import of numba, which smaller robots avoid."""
ILL = 1e7  # condition number at which half the digits of an acceleration are lost


def condition_numbers(robot: Robot, samples: int, seed: int) -> tuple[float, float]:
    """Return the median and the largest condition number (2-norm, SI units) of M over random postures."""
    q = random_positions(robot, samples, np.random.default_rng(seed))
    eigenvalues = np.linalg.eigvalsh(_mass_matrices(robot, q))
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = np.where(eigenvalues[:, 0] > 0, eigenvalues[:, -1] / eigenvalues[:, 0].clip(0.0), np.inf)
    return float(np.median(condition)), float(condition.max())


def _mass_matrices(robot: Robot, q: Array) -> Array:
    if robot.n < SLOW and not robot.floating:
        return inertia_matrix(robot, q)
    from rne.dynamics.mass_matrix import mass_matrix

    return mass_matrix(robot, q)


def examine(condition: tuple[float, float], samples: int) -> Iterator[Finding]:
    """Yield the findings about the condition numbers."""
    median, worst = condition
    what = f"condition number of the mass matrix over {samples} postures: median {median:.2g}, largest {worst:.2g}"
    if worst < ILL:
        yield Finding("info", "condition", "", what)
        return
    lost = "all" if worst > 1e16 else f"{np.log10(worst):.0f} of 16"
    fix = f"forward dynamics loses {lost} digits; look for joints that move very little mass next to heavy links"
    yield Finding("warning", "condition", "", what, fix)
