"""Unit quaternions of bases that float, (..., 4), scalar last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rne.model.floating import UNIT

Array = NDArray[np.float64]


def unit_quaternions(quaternions: Array) -> Array:
    """Quaternions (..., 4) of unit length; NaN for those that do not have it within `UNIT`."""
    length = np.linalg.norm(quaternions, axis=-1, keepdims=True)
    return quaternions / np.where(np.abs(length - 1.0) <= UNIT, length, np.nan)


def product(a: Array, b: Array) -> Array:
    """Products of quaternions, (..., 4) each."""
    vector = a[..., 3:] * b[..., :3] + b[..., 3:] * a[..., :3] + np.cross(a[..., :3], b[..., :3])
    scalar = a[..., 3:] * b[..., 3:] - (a[..., :3] * b[..., :3]).sum(axis=-1, keepdims=True)
    return np.concatenate([vector, scalar], axis=-1)


def conjugate(quaternions: Array) -> Array:
    """The inverse rotations."""
    return np.multiply(quaternions, [-1.0, -1.0, -1.0, 1.0])


def rotate(quaternions: Array, vectors: Array) -> Array:
    """Vectors (..., 3) turned by unit quaternions."""
    across = 2.0 * np.cross(quaternions[..., :3], vectors)
    turned: Array = vectors + quaternions[..., 3:] * across + np.cross(quaternions[..., :3], across)
    return turned


def continuous(quaternions: Array, last: Array) -> Array:
    """Quaternions (T, 4) with the signs that bring each closest to the one before it; rows with NaN have none.

    last : the one before the first, NaN if there is none.
    """
    rows = np.concatenate([last[None], quaternions])
    known = np.flatnonzero(np.isfinite(rows).all(axis=1))
    flips = np.ones(len(rows))
    near = np.einsum("ij,ij->i", rows[known[1:]], rows[known[:-1]])
    flips[known[1:]] = np.where(near < 0, -1.0, 1.0)
    steady: Array = quaternions * np.cumprod(flips)[1:, None]
    return steady
