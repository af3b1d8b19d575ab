"""Checks of single arguments: each returns the converted value, or raises an error that says what is wrong."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.errors import MANY_NAMES, ArgumentError, UnknownNameError, close_names, did_you_mean, listed, shown

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]

IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ZERO: Vector = (0.0, 0.0, 0.0)

SYMMETRY_ROUNDING = 1e-9
"""Tolerated difference of mirrored entries of a symmetric matrix, relative to the largest entry."""
ORTHONORMAL = 1e-6
"""Tolerated deviation of R R^T from 1: many files give six digits."""
SINGLE = 1e-4
"""The same tolerances for values that float32 represents exactly: its rounding may have accumulated along a chain."""


def unknown_name(argument: str, kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Return the error for an unknown name, with suggestions: the names that are close, few names, or the nearest."""
    names = list(known)
    if isinstance(name, list | tuple | set | np.ndarray):
        given = f"{len(name)} in a {type(name).__name__}; make a call for each"
        return UnknownNameError(f"{argument}: wanted the name of one {kind}, got {given}")
    hint = did_you_mean(close_names(name, names, 3)) if isinstance(name, str) else ""
    if not hint and isinstance(name, str) and len(names) > MANY_NAMES:
        hint = f"the nearest of {len(names)} are {', '.join(close_names(name, names, 3, least=0.0)) or 'none'}"
    return UnknownNameError(f"{argument}: no {kind} is named {shown(name)}; {hint or f'there are {listed(names)}'}")


def real_array(argument: str, value: ArrayLike) -> NDArray[Any]:
    """Return `value` as an array of float64, or of float32 if it is one already.

    Raises
    ------
    ArgumentError
        `value` contains anything but real numbers, or is ragged or masked.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentError(f"{argument}: masked arrays are not supported; fill the masked values first")
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise ArgumentError(f"{argument}: not an array of numbers: {error}") from None
    if array.dtype.kind not in "iuf":
        given = shown(value) if array.ndim == 0 else f"{array.dtype} of shape {array.shape}"
        raise ArgumentError(f"{argument}: wanted real numbers, got {given}")
    single = array.dtype.kind == "f" and array.dtype.itemsize == 4
    return array.astype(np.float32 if single else np.float64, copy=False)


def whole_number(argument: str, value: object, least: int) -> int:
    """Return `value` as an int of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ArgumentError(f"{argument}: wanted a whole number of at least {least}, got {shown(value)}")
    return int(value)


def numbers(argument: str, value: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return `value` as a new float64 array of the wanted shape with finite entries.

    Raises
    ------
    ArgumentError
        `value` is anything else.
    """
    array: NDArray[np.float64] = real_array(argument, value).astype(np.float64)
    if array.shape != shape:
        raise ArgumentError(f"{argument}: wanted shape {shape}, got {array.shape}")
    if not np.isfinite(array).all():
        raise ArgumentError(f"{argument}: wanted finite numbers, got {shown(value)}")
    return array


def vector(argument: str, value: ArrayLike) -> Vector:
    """Return `value` as three finite numbers."""
    x, y, z = numbers(argument, value, (3,)).tolist()
    return x, y, z


def matrix(argument: str, value: ArrayLike) -> Matrix:
    """Return `value` as 3x3 finite numbers."""
    a, b, c = numbers(argument, value, (3, 3)).tolist()
    return (a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2])


def rounding(array: NDArray[Any], double: float) -> float:
    """Return the tolerance for rounding: `double`, or more if float32 can represent all numbers exactly.

    The numbers decide, not the dtype, because lists, files and conversions do not preserve the dtype.
    """
    with np.errstate(over="ignore"):
        single = array.dtype == np.float32 or np.array_equal(array.astype(np.float32), array, equal_nan=True)
    return max(double, SINGLE) if single else double


def symmetric(argument: str, value: ArrayLike, size: int) -> NDArray[np.float64]:
    """Return `value` as a symmetric matrix of finite numbers; small asymmetries are averaged."""
    full = numbers(argument, value, (size, size))
    if np.abs(full - full.T).max() > rounding(full, SYMMETRY_ROUNDING) * np.abs(full).max():
        raise ArgumentError(f"{argument}: wanted a symmetric matrix, got {full.tolist()}")
    return (full + full.T) / 2


def together(**arrays: NDArray[np.float64]) -> tuple[int, ...]:
    """Return the broadcast leading axes of vectors (..., 3).

    Raises
    ------
    ArgumentError
        The arrays do not broadcast against each other.
    """
    try:
        return np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    except ValueError:
        given = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ArgumentError(f"leading axes do not broadcast against each other: {given}") from None


def vectors(argument: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return `value` as real numbers of shape (..., 3); NaN and infinity are allowed."""
    array = real_array(argument, value)
    if array.ndim == 0 or array.shape[-1] != 3:
        raise ArgumentError(f"{argument}: wanted real numbers of shape (..., 3), got {array.dtype} {array.shape}")
    return array.astype(np.float64)


def rotation_matrix(argument: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return `value` as a rotation matrix (3, 3), with rounding removed.

    Raises
    ------
    ArgumentError
        `value` is not an orthonormal, right-handed matrix.
    """
    R = numbers(argument, value, (3, 3))
    if not are_rotations(R).all():
        raise ArgumentError(f"{argument}: wanted an orthonormal, right-handed matrix, got {R.tolist()}")
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-12:  # the nearest rotation; exact ones are unchanged
        left, _, right = np.linalg.svd(R)
        R = left @ right
    return R


def are_rotations(R: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which of the matrices (..., 3, 3) are orthonormal and right-handed, or contain NaN."""
    off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-2, -1))
    return np.asarray(~((off > rounding(R, ORTHONORMAL)) | (np.linalg.det(R) < 0)))


def at_home(path: str | os.PathLike[str]) -> str:
    """Return a path as text, with the home folder in place of a leading ``~`` or ``~user``, as a shell has it."""
    return os.path.expanduser(os.fspath(path))


def check_flag(argument: str, value: object) -> None:
    """Refuse anything but True and False, since the string "no" would count as true.

    Raises
    ------
    ArgumentError
        `value` is anything else.
    """
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(f"{argument}: wanted True or False, got {shown(value)}")


def check_choice(argument: str, value: object, choices: Iterable[str]) -> None:
    """Refuse anything but one of the given strings.

    Raises
    ------
    ArgumentError
        `value` is anything else.
    """
    *others, last = choices
    if not isinstance(value, str) or value not in (*others, last):
        raise ArgumentError(f"{argument}: wanted {', '.join(map(repr, others))} or {last!r}, got {shown(value)}")


def as_joint(joint_names: tuple[str, ...], joint: object, argument: str) -> int:
    """Return the index in q of a coordinate.

    Parameters
    ----------
    joint_names : those of the robot.
    joint : one of them, or its number, from 1 as the books count.

    Raises
    ------
    UnknownNameError, ArgumentError
        No joint has this name or number.
    """
    if isinstance(joint, str):
        if joint not in joint_names:
            raise unknown_name(argument, "coordinate", joint, joint_names)
        return joint_names.index(joint)
    if isinstance(joint, bool) or not isinstance(joint, (int, np.integer)) or not 1 <= joint <= len(joint_names):
        wanted = f"the name of a joint, or its number from 1 to {len(joint_names)}"
        raise ArgumentError(f"{argument}: wanted {wanted}, got {joint!r}")
    return int(joint) - 1


def several_joints(joint_names: tuple[str, ...], joints: object, argument: str) -> list[int]:
    """Return the indices of several coordinates, given by name or by number from 1, in ascending order.

    Raises
    ------
    UnknownNameError, ArgumentError
        One is none, or `joints` is something else.
    """
    if isinstance(joints, str) or not isinstance(joints, Iterable):
        raise ArgumentError(f"{argument}: wanted several joints, such as [{joints!r}], got {joints!r}")
    return sorted({as_joint(joint_names, joint, argument) for joint in joints})


def row_numbers(argument: str, rows: object) -> list[int]:
    """Return rows of a Jacobian as a list of different numbers from 0 to 5, at least one.

    Raises
    ------
    ArgumentError
        `rows` is anything else.
    """
    chosen = list(rows) if isinstance(rows, Sequence | np.ndarray) else []
    if not all(isinstance(row, int | np.integer) and not isinstance(row, bool) for row in chosen):
        chosen = []
    if not chosen or len(set(chosen)) < len(chosen) or not set(chosen) <= set(range(6)):
        raise ArgumentError(f"{argument}: wanted different numbers from 0 to 5, at least one, got {shown(rows)}")
    return chosen
