"""Checks of arguments: each returns what was given in the form wanted, or says what is wrong."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.errors import ArgumentError, UnknownNameError, close_names, listed, shown

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]

IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ZERO: Vector = (0.0, 0.0, 0.0)

SYMMETRY_ROUNDING = 1e-9
"""Difference of mirrored entries of a matrix, as a part of the largest entry."""
ORTHONORMAL = 1e-6
"""What R R^T may differ from 1."""
SINGLE = 1e-4
"""What either may be of numbers that float32 can hold: they may have gathered its rounding along a chain of joints."""


def unknown_name(argument: str, kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Return the error for a name that is not there, with close ones suggested."""
    names = list(known)
    close = close_names(name, names, 3) if isinstance(name, str) else []
    hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else f"; there are {listed(names)}"
    return UnknownNameError(f"{argument}: no {kind} is named {shown(name)}{hint}")


def real_array(argument: str, value: ArrayLike) -> NDArray[Any]:
    """Return `value` as an array of float64, or float32 where it is that already.

    Raises
    ------
    ArgumentError
        It holds anything but real numbers, or is ragged, or masked.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentError(f"{argument}: a masked array says nothing of what to do with the masked; fill it first")
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
    """Return `value`, a whole number that is not too small."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ArgumentError(f"{argument}: wanted a whole number of at least {least}, got {shown(value)}")
    return int(value)


def numbers(argument: str, value: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return `value` as finite float64 numbers of the wanted shape, in memory of their own.

    Raises
    ------
    ArgumentError
        It is anything else.
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
    """Return what rounding may have done: `double`, or more where all numbers are such as float32 holds.

    Judged by the numbers and not by their type, which a list, a file or a change of type does not keep.
    """
    with np.errstate(over="ignore"):
        single = array.dtype == np.float32 or np.array_equal(array.astype(np.float32), array, equal_nan=True)
    return max(double, SINGLE) if single else double


def symmetric(argument: str, value: ArrayLike, size: int) -> NDArray[np.float64]:
    """Return `value` as a symmetric matrix of finite numbers, small differences evened out."""
    full = numbers(argument, value, (size, size))
    if np.abs(full - full.T).max() > rounding(full, SYMMETRY_ROUNDING) * np.abs(full).max():
        raise ArgumentError(f"{argument}: wanted a symmetric matrix, got {full.tolist()}")
    return (full + full.T) / 2


def together(**arrays: NDArray[np.float64]) -> tuple[int, ...]:
    """Return the leading axes that vectors (..., 3) have together.

    Raises
    ------
    ArgumentError
        They do not broadcast against each other.
    """
    try:
        return np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    except ValueError:
        given = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ArgumentError(f"leading axes do not broadcast against each other: {given}") from None


def vectors(argument: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return `value` as real numbers of shape (..., 3); NaN and infinity may be among them."""
    array = real_array(argument, value)
    if array.ndim == 0 or array.shape[-1] != 3:
        raise ArgumentError(f"{argument}: wanted real numbers of shape (..., 3), got {array.dtype} {array.shape}")
    return array.astype(np.float64)


def rotation_matrix(argument: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return `value` as a rotation (3, 3), freed of its rounding.

    Raises
    ------
    ArgumentError
        It is no orthonormal, right-handed matrix.
    """
    R = numbers(argument, value, (3, 3))
    if not are_rotations(R).all():
        raise ArgumentError(f"{argument}: wanted an orthonormal, right-handed matrix, got {R.tolist()}")
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-12:  # the nearest rotation; what is one to the last digits stays
        left, _, right = np.linalg.svd(R)
        R = left @ right
    return R


def are_rotations(R: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which of the matrices (..., 3, 3) are orthonormal and right-handed, or NaN."""
    off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-2, -1))
    return np.asarray(~((off > rounding(R, ORTHONORMAL)) | (np.linalg.det(R) < 0)))


def at_home(path: str | os.PathLike[str]) -> str:
    """Return a path as text, with the home folder in place of a leading ``~`` or ``~user``, as a shell has it."""
    return os.path.expanduser(os.fspath(path))


def check_flag(argument: str, value: object) -> None:
    """Refuse all but True and False: "no" would count as yes.

    Raises
    ------
    ArgumentError
        It is something else.
    """
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(f"{argument}: wanted True or False, got {shown(value)}")


def check_choice(argument: str, value: object, choices: Iterable[str]) -> None:
    """Refuse all but one of some words.

    Raises
    ------
    ArgumentError
        It is something else.
    """
    *others, last = choices
    if not isinstance(value, str) or value not in (*others, last):
        raise ArgumentError(f"{argument}: wanted {', '.join(map(repr, others))} or {last!r}, got {shown(value)}")
