"""How well forward dynamics can be solved: the condition of the mass matrix over postures."""

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
"""Coordinates from where on Lagrange takes longer than numba to be imported, which `rne check` does without below."""
ILL = 1e7  # condition number from where on half the digits of an acceleration are gone


def condition_numbers(robot: Robot, samples: int, seed: int) -> tuple[float, float]:
    """Return the median and the largest condition number (2-norm, SI units) of M over random postures."""
    q = random_positions(robot, samples, np.random.default_rng(seed))
    eigenvalues = np.linalg.eigvalsh(_mass_matrices(robot, q))
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = np.where(eigenvalues[:, 0] > 0, eigenvalues[:, -1] / eigenvalues[:, 0].clip(0.0), np.inf)
    return float(np.median(condition)), float(condition.max())


def _mass_matrices(robot: Robot, q: Array) -> Array:
    if robot.n < SLOW:
        return inertia_matrix(robot, q)
    from rne.dynamics.mass_matrix import mass_matrix

    return mass_matrix(robot, q)


def examine(condition: tuple[float, float], samples: int) -> Iterator[Finding]:
    """Yield what the condition numbers mean."""
    median, worst = condition
    what = f"condition number of the mass matrix over {samples} postures: median {median:.2g}, largest {worst:.2g}"
    if worst < ILL:
        yield Finding("info", "condition", "", what)
        return
    lost = "all" if worst > 1e16 else f"{np.log10(worst):.0f} of 16"
    fix = f"forward dynamics loses {lost} digits; look for joints that move hardly any mass beside heavy ones"
    yield Finding("warning", "condition", "", what, fix)
