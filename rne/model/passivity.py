"""Passivity of springs and dampers, a property of the stiffness K and damping B of the whole robot.

A negative damper of one joint is harmless if couplings to other joints compensate for it: decomposed into dampers of
single joints and of pairs, the dissipative B = [[1, -2], [-2, 5]] has -1 N m s/rad at its first joint.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rne.model.mimics import resolved_mimics
from rne.model.tree import Coupling, Joint

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""Tolerance for negative eigenvalues, relative to the largest entry."""
TAKES_PART = 1e-3
"""Component of a motion of length 1 above which a coordinate is named."""
DAMPERS, SPRINGS = "viscous", "stiffness"
"""Attributes of drives and couplings that make up B and K."""


def negative_part(matrix: Array) -> tuple[Array, Array]:
    """Return the negative eigenvalues of a symmetric matrix, the lowest first, and their directions as columns."""
    values, directions = np.linalg.eigh(matrix)
    below = values < -ROUNDING * np.abs(matrix).max(initial=0.0)
    return values[below], directions[:, below]


def active(joints: Sequence[Joint], couplings: Sequence[Coupling], what: str) -> tuple[float, dict[str, float]] | None:
    """Return how active the springs or dampers of a valid tree are, and along which motion.

    Parameters
    ----------
    joints, couplings : of the tree.
    what : DAMPERS or SPRINGS.

    Returns
    -------
    value, direction : the lowest eigenvalue of B or K over the coordinates, and its eigenvector of length 1 by
        coordinate; None if the matrix is positive semidefinite up to rounding.
    """
    names, values, directions = _negative(joints, couplings, what)
    if not values.size:
        return None
    return float(values[0]), dict(zip(names, directions[:, 0].round(4).tolist(), strict=True))


def active_joints(joints: Sequence[Joint], couplings: Sequence[Coupling], what: str) -> set[str]:
    """Return the joints involved in motions along which the springs or dampers of a valid tree are active."""
    names, _, directions = _negative(joints, couplings, what)
    moved = {name for name, share in zip(names, np.abs(directions), strict=True) if share.max(initial=0.0) > TAKES_PART}
    return {name for name, mimic in resolved_mimics(joints).items() if mimic.leader in moved}


def _negative(joints: Sequence[Joint], couplings: Sequence[Coupling], what: str) -> tuple[list[str], Array, Array]:
    """Return the coordinates that may be involved, and the negative part of B or K over them."""
    terms = _terms(joints, couplings, what)
    names = _concerned(terms)  # usually few, even in very large robots
    place = {name: k for k, name in enumerate(names)}
    matrix = np.zeros((len(names), len(names)))
    for value, stretch in terms:
        if stretch.keys() <= place.keys():
            at = [place[name] for name in stretch]
            slope = np.array(list(stretch.values()))
            matrix[np.ix_(at, at)] += value * np.outer(slope, slope)
    return names, *negative_part(matrix)


def _terms(joints: Sequence[Joint], couplings: Sequence[Coupling], what: str) -> list[tuple[float, dict[str, float]]]:
    """Coefficients of all springs or dampers, and their elongation per coordinate."""
    mimics = resolved_mimics(joints)
    terms = []
    for joint in joints:
        value = getattr(joint.drive, what)
        if value and joint.movable:
            terms.append((value, {mimics[joint.name].leader: mimics[joint.name].ratio}))
    for coupling in couplings:
        value = getattr(coupling, what)
        stretch: dict[str, float] = {}
        for name, factor in (coupling.first, 1.0), (coupling.second, -coupling.ratio):
            if name in mimics:  # fixed joints do not move
                leader = mimics[name].leader
                stretch[leader] = stretch.get(leader, 0.0) + factor * mimics[name].ratio
        if value and stretch:
            terms.append((value, stretch))
    return terms


def _concerned(terms: list[tuple[float, dict[str, float]]]) -> list[str]:
    """Coordinates with a negative spring or damper, and those coupled to them."""
    todo = [name for value, stretch in terms if value < 0 for name in stretch]
    if not todo:
        return []
    beside: dict[str, set[str]] = {}
    for _, stretch in terms:
        for name in stretch:
            beside.setdefault(name, set()).update(stretch)
    found: dict[str, None] = {}
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = None
            todo.extend(beside[name])
    return list(found)
