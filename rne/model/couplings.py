"""Stiffness and damping matrices, decomposed into springs and dampers of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import fsum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import numbers, rounding
from rne.errors import ArgumentError
from rne.model.edits import drives_the_robot
from rne.model.passivity import negative_part
from rne.model.tree import Coupling, Tree

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""Tolerance for asymmetry, relative to the largest entry."""


def with_springs(tree: Tree, coordinates: tuple[str, ...], stiffness: ArrayLike, rest: ArrayLike | None) -> Tree:
    """Replace the springs of the coordinates: those between two become couplings, the others belong to the joints.

    With x = q - rest, x^T K x / 2 is the sum of -K_ij (x_i - x_j)^2 / 2 over all pairs (springs between two joints) and
    of s_i x_i^2 / 2 over all coordinates (springs of one joint), where s_i is the sum of row i.

    Raises
    ------
    ArgumentError
        `stiffness` or `rest` has the wrong shape or is not finite, or `stiffness` is not symmetric.
    """
    K = _symmetric("stiffness", stiffness, coordinates)
    x0 = np.zeros(len(coordinates)) if rest is None else numbers("rest", rest, (len(coordinates),))
    own = {name: (fsum(row), float(x)) for name, row, x in zip(coordinates, K, x0, strict=True)}
    joints = []
    for joint in tree.joints:
        k, x = own.get(joint.name, (0.0, 0.0))
        joints.append(replace(joint, drive=replace(joint.drive, stiffness=k, rest=x)))
    kept = [replace(coupling, stiffness=0.0, rest=0.0) for coupling in tree.couplings if coupling.viscous]
    made = [Coupling(coordinates[i], coordinates[j], stiffness=k, rest=float(x0[i] - x0[j])) for i, j, k in _between(K)]
    return replace(tree, joints=tuple(joints), couplings=(*kept, *made))


def with_dampers(tree: Tree, coordinates: tuple[str, ...], viscous: ArrayLike) -> Tree:
    """Replace the dampers of the coordinates, decomposed as in `with_springs`; Coulomb friction is kept.

    Raises
    ------
    ArgumentError
        `viscous` has the wrong shape, is not finite, or is not symmetric positive semidefinite.
    """
    B = _symmetric("viscous", viscous, coordinates)
    values, directions = negative_part(B)
    if values.size:
        direction = dict(zip(coordinates, directions[:, 0].round(4).tolist(), strict=True))
        raise ArgumentError(drives_the_robot("viscous", float(values[0]), direction))
    own = {name: fsum(row) for name, row in zip(coordinates, B, strict=True)}
    joints = [replace(j, drive=replace(j.drive, viscous=own.get(j.name, 0.0))) for j in tree.joints]
    kept = [replace(coupling, viscous=0.0) for coupling in tree.couplings if coupling.stiffness]
    made = [Coupling(coordinates[i], coordinates[j], viscous=b) for i, j, b in _between(B)]
    return replace(tree, joints=tuple(joints), couplings=(*kept, *made))


def _symmetric(argument: str, value: ArrayLike, coordinates: tuple[str, ...]) -> Array:
    """Return a symmetric matrix (n, n), given as such or by its diagonal (n,)."""
    n = len(coordinates)
    try:
        diagonal = np.ndim(value) == 1
    except ValueError:  # ragged
        diagonal = False
    matrix = np.diag(numbers(argument, value, (n,))) if diagonal else numbers(argument, value, (n, n))
    off, forgiven = np.abs(matrix - matrix.T), rounding(matrix, ROUNDING) * np.abs(matrix).max(initial=0.0)
    if off.max(initial=0.0) > forgiven:
        pairs = [
            f"[{i}, {j}] ({coordinates[i]}, {coordinates[j]}): {matrix[i, j]:g} and {matrix[j, i]:g}"
            for i, j in np.argwhere(np.triu(off) > forgiven)
        ]
        raise ArgumentError(f"{argument}: wanted a symmetric matrix, but these entries differ: {'; '.join(pairs)}")
    symmetric: Array = (matrix + matrix.T) / 2
    return symmetric


def _between(matrix: Array) -> Iterator[tuple[int, int, float]]:
    """Yield the springs or dampers between two coordinates."""
    for i, j in zip(*np.triu_indices(len(matrix), 1), strict=True):
        if matrix[i, j]:
            yield int(i), int(j), float(-matrix[i, j])
