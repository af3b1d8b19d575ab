"""Functions that return a changed tree: freeze joints, add a payload, set drives."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace

import numpy as np
from numpy.typing import ArrayLike

from rne.bodies.physical import MASS_NEGATIVE, refusal
from rne.check import (
    SYMMETRY_ROUNDING,
    matrix,
    numbers,
    rotation_matrix,
    symmetric,
    unknown_name,
    vector,
)
from rne.errors import ArgumentError, shown
from rne.model.checks import faults_of_curves
from rne.model.drive import Drive
from rne.model.mimics import resolved_mimics
from rne.model.passivity import DAMPERS, SPRINGS, active
from rne.model.tree import Body, Coupling, Joint, Pose, Tree

# Suffix of the name of the joint that holds a payload. A payload does not count as a new tip.
MOUNT = " mount"  # with a blank, so that it is unlikely to occur in a file


def locked(tree: Tree, values: Mapping[str, float], argument: str = "lock") -> Tree:
    """Freeze joints at the given positions; joints that mimic them are frozen, too.

    `argument` is the name of the positions in error messages.

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
    return replace(joint, kind="fixed", origin=moved(joint, position), axis=(0.0, 0.0, 1.0), mimic=None)


def _relaxed(coupling: Coupling, frozen: Mapping[str, float]) -> Coupling:
    """Return a coupling with the same forces once the frozen joints are fixed ones, which stay at zero."""
    first, second = frozen.get(coupling.first, 0.0), frozen.get(coupling.second, 0.0)
    return replace(coupling, rest=coupling.rest - first + coupling.ratio * second)


def moved(joint: Joint, position: float) -> Pose:
    """Return the pose of the child of a joint in its parent, with the joint at `position`."""
    rotation, axis = np.array(joint.origin.rotation), np.array(joint.axis)
    offset = np.array(joint.origin.position)
    if joint.kind == "prismatic":
        return replace(joint.origin, position=vector("lock", offset + rotation @ axis * position))
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn = np.eye(3) + math.sin(position) * cross + (1 - math.cos(position)) * (cross @ cross)
    return replace(joint.origin, rotation=matrix("lock", rotation @ turn))


def with_body(tree: Tree, frame: str, mass: float, com: ArrayLike, inertia: ArrayLike | None) -> Tree:
    """Attach a body to a frame; center of mass and the inertia about it are in the axes of that frame.

    Raises
    ------
    UnknownNameError
        The robot has no such frame.
    ArgumentError
        A negative mass, numbers that are not finite, or an inertia that is not physical.
    """
    names = {body.name for body in tree.bodies}
    if not isinstance(frame, str) or frame not in names:
        raise unknown_name("frame", "link", frame, names)
    number = float(numbers("mass", mass, ()))
    tensor = np.zeros((3, 3)) if inertia is None else symmetric("inertia", inertia, 3)
    place = vector("com", com)
    fault = refusal(number, place, tensor)
    if fault is not None and fault.code == MASS_NEGATIVE:
        raise ArgumentError(f"mass: wanted zero or more, got {mass!r}")
    if fault is not None:
        moments = np.linalg.eigvalsh(tensor).tolist()
        raise ArgumentError(f"inertia: the principal moments {moments} kg m^2 are not physical: {fault.what}")
    count = 1
    while f"payload_{count}" in names:
        count += 1
    name = f"payload_{count}"
    body = Body(name, number, place, matrix("inertia", tensor))
    joint = Joint(name + MOUNT, "fixed", frame, name, Pose(), (0.0, 0.0, 1.0))
    return replace(tree, bodies=(*tree.bodies, body), joints=(*tree.joints, joint))


def with_frame(tree: Tree, name: str, frame: str, position: ArrayLike, rotation: ArrayLike) -> Tree:
    """Attach a new frame, without mass, to a frame.

    Raises
    ------
    UnknownNameError
        The robot has no such frame.
    ArgumentError
        The name is not a string or already used, or position and rotation are not a pose.
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


def with_drives(tree: Tree, drives: Mapping[str, Drive]) -> Tree:
    """Replace the drives of joints.

    Raises
    ------
    UnknownNameError
        No movable joint has this name.
    ArgumentError
        A value is not a Drive, or one of its numbers is not finite, or negative where that is not allowed; or the
        springs or dampers of the robot, couplings included, would become active, or more active than before.
    """
    if not isinstance(drives, Mapping):
        raise ArgumentError(f"drives: wanted a mapping from joint name to Drive, got {type(drives).__name__}")
    known = {joint.name: joint.drive for joint in tree.joints if joint.movable}
    for name, drive in drives.items():
        if name not in known:
            raise unknown_name("drives", "movable joint", name, known)
        if not isinstance(drive, Drive):
            raise ArgumentError(f"drives[{name!r}]: wanted a Drive, got {type(drive).__name__}")
        values = {key: float(numbers(f"drives[{name!r}].{key}", value, ())) for key, value in asdict(drive).items()}
        for key in ("rotor_inertia", "coulomb_plus", "coulomb_minus"):
            # A negative value that strict=False accepted may stay, but not grow.
            if values[key] < (1 + SYMMETRY_ROUNDING) * min(getattr(known[name], key), 0.0):
                raise ArgumentError(f"drives[{name!r}].{key}: wanted zero or more, got {values[key]}")
        for fault in faults_of_curves(drive):
            raise ArgumentError(f"drives[{name!r}].{fault}")
        if values["gear_ratio"] == 0:
            raise ArgumentError(f"drives[{name!r}].gear_ratio: wanted anything but zero; 1 is without gears")
    changed = replace(tree, joints=tuple(replace(j, drive=drives.get(j.name, j.drive)) for j in tree.joints))
    for what in (DAMPERS, SPRINGS):
        _refuse_active(tree, changed, what)
    return changed


def _refuse_active(before: Tree, after: Tree, what: str) -> None:
    """Refuse springs or dampers that are more active than before; strict=False may have accepted active ones."""
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
        "that is intended, pass all springs to with_springs"
    )


def drives_the_robot(argument: str, value: float, direction: Mapping[str, float]) -> str:
    """Return the error message for dampers that supply energy."""
    return (
        f"{argument}: these dampers would drive the robot: qd^T B qd is {value:.6g} along qd = {dict(direction)}; "
        "wanted a positive semidefinite matrix B of all dampers, couplings included"
    )


def coordinate_order(joints: Sequence[str], there: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of all coordinates in the requested order."""
    if isinstance(joints, str | set | frozenset) or not isinstance(joints, Iterable):  # a set has no order
        raise ArgumentError(f"joints: wanted a list of names, got {joints!r}")
    wanted = tuple(joints)
    known = set(there)
    for name in wanted:
        if not isinstance(name, str) or name not in known:
            raise unknown_name("joints", "coordinate", name, there)
    given = set(wanted)
    missing = [name for name in there if name not in given]
    if missing or len(given) != len(wanted):
        what = f"{', '.join(missing)} missing (lock={{...}} freezes joints)" if missing else "a name is repeated"
        raise ArgumentError(f"joints: wanted each of {', '.join(there)} once; {what}")
    return wanted
