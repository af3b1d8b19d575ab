"""Rotations, poses and tensors as files and users write them, in tuples of floats."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, sin

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import ORTHONORMAL, ZERO, Matrix, Vector, numbers, rotation_matrix, rounding, vector
from rne.errors import ArgumentError, shown
from rne.model.tree import Pose

XYZ_RPY = ("xyz", "rpy")


def rotation_x(angle: float) -> Matrix:
    """Return the rotation by `angle` (rad) about x."""
    c, s = cos(angle), sin(angle)
    return (1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c)


def rotation_z(angle: float) -> Matrix:
    """Return the rotation by `angle` (rad) about z."""
    c, s = cos(angle), sin(angle)
    return (c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)


def rotation_quaternion(w: float, x: float, y: float, z: float) -> Matrix:
    """Return the rotation of a quaternion, of any length but zero."""
    double = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        (1.0 - double * (y * y + z * z), double * (x * y - w * z), double * (x * z + w * y)),
        (double * (x * y + w * z), 1.0 - double * (x * x + z * z), double * (y * z - w * x)),
        (double * (x * z - w * y), double * (y * z + w * x), 1.0 - double * (x * x + y * y)),
    )


def rotation_rpy(rpy: Vector) -> Matrix:
    """Return the rotation of roll, pitch, yaw (rad) about the fixed axes x, y, z: Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, cp, cy), (sr, sp, sy) = map(cos, rpy), map(sin, rpy)
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def tensor(ixx: float, iyy: float, izz: float, ixy: float = 0.0, ixz: float = 0.0, iyz: float = 0.0) -> Matrix:
    """Return the inertia tensor of six numbers: they are its entries, so `ixy` is minus the integral of x y dm."""
    return (ixx, ixy, ixz), (ixy, iyy, iyz), (ixz, iyz, izz)


def rotate_tensor(rotation: Matrix, inertia: Matrix) -> Matrix:
    """Return R I R^T: the tensor in outer axes, given in axes with orientation `rotation` in the outer ones."""
    with np.errstate(all="ignore"):  # what overflows is not finite, and refused by the checks
        turned = np.array(rotation) @ np.array(inertia) @ np.array(rotation).T
    return as_matrix(turned / 2 + turned.T / 2)


def as_vector(array: NDArray[np.float64]) -> Vector:
    """Return an array of three numbers as a tuple."""
    x, y, z = array.tolist()
    return x, y, z


def as_matrix(array: NDArray[np.float64]) -> Matrix:
    """Return a 3x3 array as nested tuples."""
    x, y, z = map(as_vector, array)
    return x, y, z


def as_pose(argument: str, value: object) -> Pose:
    """Return a pose given as a `Pose`, a 4x4 matrix, or a mapping with ``xyz`` (m) and ``rpy`` (rad); None stays None.

    Raises
    ------
    ArgumentError
        It is anything else, or no rotation and position up to rounding.
    """
    if value is None:
        return Pose()
    if isinstance(value, Pose):
        return _checked(argument, value.rotation, value.position)
    if isinstance(value, Mapping):
        if not value or not set(value) <= set(XYZ_RPY):
            raise ArgumentError(f"{argument}: wanted a mapping with xyz and rpy, got the keys {shown(list(value))}")
        rpy = vector(f"{argument}['rpy']", value.get("rpy", ZERO))
        return Pose(rotation_rpy(rpy), vector(f"{argument}['xyz']", value.get("xyz", ZERO)))
    full = numbers(argument, value, (4, 4))  # type: ignore[arg-type]
    if np.abs(full[3] - (0.0, 0.0, 0.0, 1.0)).max() > rounding(full, ORTHONORMAL):
        raise ArgumentError(f"{argument}: wanted the last row 0 0 0 1 of a pose, got {full[3].tolist()}")
    return _checked(argument, full[:3, :3], full[:3, 3])


def _checked(argument: str, rotation: ArrayLike, position: ArrayLike) -> Pose:
    return Pose(as_matrix(rotation_matrix(argument, rotation)), vector(argument, position))
