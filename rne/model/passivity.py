"""Whether springs and dampers are passive: a matter of the stiffness K and damping B of a robot as a whole.

A negative damper of one joint is no harm where couplings to other joints make up for it: taken apart into dampers of
single joints and of pairs, B = [[1, -2], [-2, 5]], which only ever takes energy, has -1 N m s/rad on its first joint.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rne.model.mimics import resolved_mimics
from rne.model.tree import Coupling, Joint

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""What is forgiven of a negative eigenvalue, as a part of the largest entry."""
TAKES_PART = 1e-3
"""Share of a motion of length 1 from which on a coordinate is named."""
DAMPERS, SPRINGS = "viscous", "stiffness"
"""The numbers of drives and couplings that B and K are made of."""


def negative_part(matrix: Array) -> tuple[Array, Array]:
    """Return the negative eigenvalues of a symmetric matrix, the lowest first, and their directions as columns."""
    values, directions = np.linalg.eigh(matrix)
    below = values < -ROUNDING * np.abs(matrix).max(initial=0.0)
    return values[below], directions[:, below]


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
    names, values, directions = _negative(joints, couplings, what)
    if not values.size:
        return None
    return float(values[0]), dict(zip(names, directions[:, 0].round(4).tolist(), strict=True))


def active_joints(joints: Sequence[Joint], couplings: Sequence[Coupling], what: str) -> set[str]:
    """Return the joints that take part in a motion along which the springs or dampers of a sound tree are active."""
    names, _, directions = _negative(joints, couplings, what)
    moved = {name for name, share in zip(names, np.abs(directions), strict=True) if share.max(initial=0.0) > TAKES_PART}
    return {name for name, mimic in resolved_mimics(joints).items() if mimic.leader in moved}


def _negative(joints: Sequence[Joint], couplings: Sequence[Coupling], what: str) -> tuple[list[str], Array, Array]:
    """Return the coordinates that may take part, and the negative part of B or K over them."""
    terms = _terms(joints, couplings, what)
    names = _concerned(terms)  # of a giant, mostly few
    place = {name: k for k, name in enumerate(names)}
    matrix = np.zeros((len(names), len(names)))
    for value, stretch in terms:
        if stretch.keys() <= place.keys():
            at = [place[name] for name in stretch]
            slope = np.array(list(stretch.values()))
            matrix[np.ix_(at, at)] += value * np.outer(slope, slope)
    return names, *negative_part(matrix)


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
