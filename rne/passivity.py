"""Whether springs and dampers are passive: a matter of the stiffness K and damping B of a robot as a whole.

A negative damper of one joint is no harm where couplings to other joints make up for it: taken apart into dampers of
single joints and of pairs, B = [[1, -2], [-2, 5]], which only ever takes energy, has -1 N m s/rad on its first joint.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rne.tree import Coupling, Joint, resolved_mimics

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""What is forgiven of a negative eigenvalue, as a part of the largest entry."""
DAMPERS, SPRINGS = "viscous", "stiffness"
"""The numbers of drives and couplings that B and K are made of."""


def is_negative(matrix: Array) -> tuple[float, Array] | None:
    """Return the lowest eigenvalue of a symmetric matrix and its direction, or None where it is none below zero."""
    values, directions = np.linalg.eigh(matrix)
    if not values.size or values[0] >= -ROUNDING * np.abs(matrix).max():
        return None
    return float(values[0]), directions[:, 0]


def active(joints: Sequence[Joint], couplings: Sequence[Coupling], what: str) -> tuple[float, dict[str, float]] | None:
    """Tell whether the springs or dampers of a sound tree are active: by how much, and along which motion.

    Parameters
    ----------
    joints, couplings : of the tree.
    what : DAMPERS or SPRINGS.

    Returns
    -------
    value, direction : the lowest eigenvalue of B or K over the coordinates, and by coordinate a motion of length 1 that
        has it; None where the matrix is positive semidefinite, but for rounding.
    """
    terms = _terms(joints, couplings, what)
    names = _concerned(terms)  # of a giant, mostly few
    if not names:
        return None
    place = {name: k for k, name in enumerate(names)}
    matrix = np.zeros((len(names), len(names)))
    for value, stretch in terms:
        if stretch.keys() <= place.keys():
            at = [place[name] for name in stretch]
            slope = np.array(list(stretch.values()))
            matrix[np.ix_(at, at)] += value * np.outer(slope, slope)
    found = is_negative(matrix)
    if found is None:
        return None
    return found[0], dict(zip(names, found[1].round(4).tolist(), strict=True))


def _terms(joints: Sequence[Joint], couplings: Sequence[Coupling], what: str) -> list[tuple[float, dict[str, float]]]:
    """Numbers of all springs or dampers, and by how much each coordinate that moves stretches them."""
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
            if name in mimics:  # a fixed joint stands still
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
