"""What a repair of a file says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NAMES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True)
class Repair:
    """One inertia that was replaced.

    Attributes
    ----------
    link : name of the link.
    line : line of its inertia in the file.
    before, after : ixx, iyy, izz, ixy, ixz, iyz about the center of mass, kg m^2; in a URDF file in the axes of the
        inertial frame, in a DH table in those of the row.
    """

    link: str
    line: int
    before: tuple[float, ...]
    after: tuple[float, ...]

    @property
    def change(self) -> float:
        """Size of the change relative to the original inertia (Frobenius norms)."""
        before = six_to_matrix(self.before)
        return float(np.linalg.norm(six_to_matrix(self.after) - before) / np.linalg.norm(before))


def six_to_matrix(six: tuple[float, ...]) -> NDArray[np.float64]:
    """Return the tensor with these six numbers."""
    matrix = np.empty((3, 3))
    for (i, j), number in zip(PLACES, six, strict=True):
        matrix[i, j] = matrix[j, i] = number
    return matrix
