"""Changes to a tree that make a new tree: freeze joints, add a payload, set drives."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.errors import ArgumentError, UnknownNameError, close_names, listed, shown
from rne.passivity import DAMPERS, SPRINGS, active
from rne.tree import Body, Coupling, Drive, Joint, Matrix, Pose, Tree, Vector, resolved_mimics

# How the joint that holds a payload is called, after it: a payload makes no new tip.
MOUNT = " mount"  # with a blank, which no name in a file is likely to have there

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


def locked(tree: Tree, values: Mapping[str, float], argument: str = "lock") -> Tree:
    """Freeze joints at the given positions; joints that mimic them freeze along.

    `argument` is what the caller calls the positions.

    Raises
    ------
    UnknownNameError
        No movable joint has this name.
    ArgumentError
        A value is not a finite number, or the joint mimics another (lock that one).
    """
    if not isinstance(values, Mapping):
        raise ArgumentError(f"{argument}: wanted a mapping from joint name to position, got {type(values).__name__}")
    joints = {joint.name: joint for joint in tree.joints if joint.movable}
    for name, value in values.items():
        if name not in joints:
            raise unknown_name(argument, "movable joint", name, joints)
        mimic = joints[name].mimic
        if mimic is not None and mimic.leader not in values:
            raise ArgumentError(f"{argument}: joint {name!r} mimics {mimic.leader!r}; lock that one")
        numbers(f"{argument}[{name!r}]", value, ())
    mimics = resolved_mimics(replace(j, mimic=None) if j.name in values else j for j in joints.values())
    frozen = {
        name: mimic.ratio * float(values[mimic.leader]) + mimic.offset
        for name, mimic in mimics.items()
        if mimic.leader in values
    }
    return replace(
        tree,
        joints=tuple(_fixed(j, frozen[j.name]) if j.name in frozen else j for j in tree.joints),
        couplings=tuple(_relaxed(coupling, frozen) for coupling in tree.couplings),
    )


def _fixed(joint: Joint, position: float) -> Joint:
    return replace(joint, kind="fixed", origin=_moved(joint, position), axis=(0.0, 0.0, 1.0), mimic=None)


def _relaxed(coupling: Coupling, frozen: Mapping[str, float]) -> Coupling:
    """Return a coupling that feels the same once joints stand at zero, as fixed ones do."""
    first, second = frozen.get(coupling.first, 0.0), frozen.get(coupling.second, 0.0)
    return replace(coupling, rest=coupling.rest - first + coupling.ratio * second)


def _moved(joint: Joint, position: float) -> Pose:
    """Where the child of a joint lies in the parent when the joint stands at `position`."""
    rotation, axis = np.array(joint.origin.rotation), np.array(joint.axis)
    offset = np.array(joint.origin.position)
    if joint.kind == "prismatic":
        return replace(joint.origin, position=vector("lock", offset + rotation @ axis * position))
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn = np.eye(3) + math.sin(position) * cross + (1 - math.cos(position)) * (cross @ cross)
    return replace(joint.origin, rotation=matrix("lock", rotation @ turn))


def with_body(tree: Tree, frame: str, mass: float, com: ArrayLike, inertia: ArrayLike | None) -> Tree:
    """Fix one more body to a frame; mass, centre of mass and inertia about it in the axes of that frame.

    Raises
    ------
    UnknownNameError
        The robot has no such frame.
    ArgumentError
        A negative mass, numbers that are not finite, or an inertia that no body can have.
    """
    names = {body.name for body in tree.bodies}
    if not isinstance(frame, str) or frame not in names:
        raise unknown_name("frame", "link", frame, names)
    number = float(numbers("mass", mass, ()))
    if number < 0:
        raise ArgumentError(f"mass: wanted zero or more, got {mass!r}")
    tensor = np.zeros((3, 3)) if inertia is None else symmetric("inertia", inertia, 3)
    moments = np.linalg.eigvalsh(tensor)
    if moments[0] < -rounding(tensor, 1e-9) * moments[2] or moments[0] + moments[1] < (1 - 1e-6) * moments[2]:
        raise ArgumentError(f"inertia: no body has the principal moments {moments.tolist()}")
    count = 1
    while f"payload_{count}" in names:
        count += 1
    name = f"payload_{count}"
    body = Body(name, number, vector("com", com), matrix("inertia", tensor))
    joint = Joint(name + MOUNT, "fixed", frame, name, Pose(), (0.0, 0.0, 1.0))
    return replace(tree, bodies=(*tree.bodies, body), joints=(*tree.joints, joint))


def with_frame(tree: Tree, name: str, frame: str, position: ArrayLike, rotation: ArrayLike) -> Tree:
    """Fix one more frame, which weighs nothing, to a frame.

    Raises
    ------
    UnknownNameError
        The robot has no such frame.
    ArgumentError
        A name that is no text or taken, or numbers that are no place.
    """
    names = {body.name for body in tree.bodies}
    if not isinstance(frame, str) or frame not in names:
        raise unknown_name("frame", "link", frame, names)
    if not isinstance(name, str) or not name or name in names:
        raise ArgumentError(f"name: wanted a name that no frame has yet, got {shown(name)}")
    place = Pose(matrix("rotation", rotation_matrix("rotation", rotation)), vector("position", position))
    body = Body(name, has_inertial=False)
    joint = Joint(name + MOUNT, "fixed", frame, name, place)
    return replace(tree, bodies=(*tree.bodies, body), joints=(*tree.joints, joint))


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


def with_drives(tree: Tree, drives: Mapping[str, Drive]) -> Tree:
    """Give joints other drives.

    Raises
    ------
    UnknownNameError
        No movable joint has this name.
    ArgumentError
        Something is no Drive, or its numbers are not finite or negative where they must not be; or the springs or
        dampers of the robot, couplings included, would be active, or more so than they were.
    """
    if not isinstance(drives, Mapping):
        raise ArgumentError(f"drives: wanted a mapping from joint name to Drive, got {type(drives).__name__}")
    known = {joint.name for joint in tree.joints if joint.movable}
    for name, drive in drives.items():
        if name not in known:
            raise unknown_name("drives", "movable joint", name, known)
        if not isinstance(drive, Drive):
            raise ArgumentError(f"drives[{name!r}]: wanted a Drive, got {type(drive).__name__}")
        values = {key: float(numbers(f"drives[{name!r}].{key}", value, ())) for key, value in asdict(drive).items()}
        for key in ("rotor_inertia", "coulomb_plus", "coulomb_minus"):
            if values[key] < 0:
                raise ArgumentError(f"drives[{name!r}].{key}: wanted zero or more, got {values[key]}")
        if values["gear_ratio"] == 0:
            raise ArgumentError(f"drives[{name!r}].gear_ratio: wanted anything but zero; 1 is without gears")
    changed = replace(tree, joints=tuple(replace(j, drive=drives.get(j.name, j.drive)) for j in tree.joints))
    for what in (DAMPERS, SPRINGS):
        _refuse_active(tree, changed, what)
    return changed


def _refuse_active(before: Tree, after: Tree, what: str) -> None:
    """Refuse springs or dampers that are more active than those before; these may be so, by a lenient load."""
    found = active(after.joints, after.couplings, what)
    if found is None:
        return
    value, direction = found
    known = active(before.joints, before.couplings, what)
    if known is not None and value >= known[0] * (1 + SYMMETRY_ROUNDING):
        return
    if what == DAMPERS:
        raise ArgumentError(drives_the_robot("drives", value, direction))
    raise ArgumentError(
        f"drives: these springs would push the robot away from rest: q^T K q is {value:.6g} along q = {direction}; if "
        "that is meant, give them all to with_springs"
    )


def drives_the_robot(argument: str, value: float, direction: Mapping[str, float]) -> str:
    """Return the message on dampers that feed energy in."""
    return (
        f"{argument}: these dampers would drive the robot: qd^T B qd is {value:.6g} along qd = {dict(direction)}; "
        "wanted a positive semidefinite matrix B of all dampers, couplings included"
    )
