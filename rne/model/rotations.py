"""Rotations that bring frames into normal form, as cosines and sines instead of angles for exactness."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Angle = tuple[float, float]  # cosine and sine


def z_onto(axis: Array) -> Array:
    """Return the smallest rotation that maps z to `axis`; exact for the coordinate axes."""
    x, y, z = axis
    if z < 0:
        return z_onto(-axis) @ np.diag([1.0, -1.0, -1.0])
    k = 1 / (1 + z)
    return np.array([[1 - x * x * k, -x * y * k, x], [-x * y * k, 1 - y * y * k, y], [-x, -y, z]])


def turn_z(c: float, s: float) -> Array:
    """Rotation about z."""
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _unit(c: float, s: float) -> Angle:
    length = float(np.hypot(c, s))
    return float(c) / length, float(s) / length


def split_zxz(rotation: Array) -> tuple[Angle, Angle, Angle]:
    """Decompose a rotation into Rz Rx Rz; the first angle is at most 90 degrees, and zero if the z axes are parallel.

    Returns cosines and sines, since angles would add rounding errors.
    """
    lean = float(np.hypot(rotation[0, 2], rotation[1, 2]))
    if lean < 4 * np.finfo(float).eps:
        turn, alpha = (1.0, 0.0), (float(np.copysign(1.0, rotation[2, 2])), 0.0)
    else:
        lean = lean if rotation[1, 2] <= 0 else -lean
        turn = _unit(-rotation[1, 2] / lean, rotation[0, 2] / lean)
        alpha = _unit(rotation[2, 2], lean)
    row = turn[0] * rotation[0] + turn[1] * rotation[1]
    return turn, alpha, _unit(row[0], -row[1])
