"""The parameters of links and drives in a row, as the columns of a regressor have them: their order, and their sense.

First ten a link, joint by joint: mass, first moments, and the inertia tensor about the origin of the frame on the
joint, which is that of the child of the joint; then, where they are wanted, rotor inertias, and then friction, kind by
kind and joint by joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import check_flag, matrix, numbers, vector
from rne.errors import ArgumentError
from rne.model.edits import with_drives
from rne.model.passivity import DAMPERS, active, active_joints
from rne.model.tree import Body, Drive, Joint, Tree, resolved_mimics

Array = NDArray[np.float64]

OF_BODY = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
OF_FRICTION = ("viscous", "coulomb_plus", "coulomb_minus")
ROUNDING = 1e-6  # what is forgiven of a body, as a part of its moments; files are rounded

_UPPER = np.triu_indices(3)


def pseudo_inertias(bodies: Array) -> Array:
    """Pseudo-inertias (..., 4, 4) of bodies (..., 10): integrals of r r^T dm with r = [x, y, z, 1].

    A body can have the numbers if it has no negative eigenvalue (Wensing, Kim, Slotine 2018).
    """
    J = np.empty((*bodies.shape[:-1], 4, 4))
    J[..., 3, 3] = bodies[..., 0]
    J[..., :3, 3] = J[..., 3, :3] = bodies[..., 1:4]
    J[..., :3, :3] = _other_moments(bodies[..., 4:], 0.5)
    return J


def from_pseudo_inertias(J: Array) -> Array:
    """Bodies (..., 10) of pseudo-inertias (..., 4, 4)."""
    tensor = _other_moments(J[..., :3, :3][..., _UPPER[0], _UPPER[1]], 1.0)
    return np.concatenate([J[..., 3:, 3], J[..., :3, 3], tensor[..., _UPPER[0], _UPPER[1]]], axis=-1)


def _other_moments(six: Array, share: float) -> Array:
    """Second moments from an inertia tensor (share 1/2), or the other way round (share 1): share trace 1 - moments."""
    full = np.empty((*six.shape[:-1], 3, 3))
    full[..., _UPPER[0], _UPPER[1]] = full[..., _UPPER[1], _UPPER[0]] = six
    trace = np.trace(full, axis1=-2, axis2=-1)
    moments: Array = share * trace[..., None, None] * np.eye(3) - full
    return moments


def units(bodies: Array) -> tuple[Array, Array]:
    """Mass and radius of gyration of bodies (..., 10), each (...); 1 where there is none."""
    mass, moment = bodies[..., 0], bodies[..., [4, 7, 9]].sum(axis=-1) / 2
    sound = (mass > 0) & (moment > 0)
    mass = np.where(mass > 0, mass, 1.0)
    return mass, np.sqrt(np.where(sound, moment, mass) / mass)


def physical(bodies: Array) -> NDArray[np.bool_]:
    """Whether bodies (..., 10) can exist, but for rounding."""
    mass, radius = units(bodies)
    side = np.stack([radius, radius, radius, np.ones_like(radius)], axis=-1)
    J = pseudo_inertias(bodies) / (mass[..., None, None] * side[..., :, None] * side[..., None, :])
    return np.asarray((bodies[..., 0] >= 0) & (np.linalg.eigvalsh(J)[..., 0] >= -ROUNDING))


def with_parameters(tree: Tree, names: Sequence[str], pi: ArrayLike, strict: bool) -> Tree:
    """Give links other bodies, and joints other drives if there are numbers for them.

    names : the movable joints, in the order of the numbers.

    Raises
    ------
    ArgumentError
        No such number of parameters; first moments without a mass; and, where `strict`, no body has them. A negative
        rotor inertia or friction.
    """
    check_flag("strict", strict)
    count = len(names)
    try:
        shape = np.shape(pi)
    except ValueError:  # ragged
        shape = ()
    if shape not in [(k * count,) for k in (10, 11, 13, 14)]:
        wanted = " or ".join(str(k * count) for k in (10, 11, 13, 14))
        raise ArgumentError(f"pi: wanted {wanted} numbers, ten a link and those of its drive; got shape {shape}")
    if not count:  # none of nothing; the shape of nothing tells no number of rows
        numbers("pi", pi, shape)
        return tree
    values, extra = numbers("pi", pi, shape), shape[0] - len(OF_BODY) * count
    rows, drives = values[: len(values) - extra].reshape(count, -1), values[len(values) - extra :].reshape(-1, count)
    joints = {joint.name: joint for joint in tree.joints}
    bodies = {joints[name].child: _body(joints[name], row, strict) for name, row in zip(names, rows, strict=True)}
    tree = _with_bodies(tree, bodies)
    if not extra:
        return tree
    changed = {name: _drive(joints[name].drive, column) for name, column in zip(names, drives.T, strict=True)}
    return with_drives(tree, changed)


def active_dampers(tree: Tree, names: Sequence[str], viscous: Array) -> set[str]:
    """Return the joints whose dampers would drive the robot if those of `names` were `viscous`, couplings included."""
    return active_joints(_damped(tree, names, viscous), tree.couplings, DAMPERS)


def passive_dampers(tree: Tree, names: Sequence[str], viscous: Array) -> Array:
    """Return dampers, raised all alike until they do not drive the robot; the same ones if they do not anyway."""
    found = active(_damped(tree, names, viscous), tree.couplings, DAMPERS)
    if found is None:
        return viscous
    leads = {joint.name for joint in tree.joints if joint.mimic is None}
    return viscous - found[0] * np.array([name in leads for name in names])


def coupled_joints(tree: Tree) -> set[str]:
    """Return the joints that move with a damper of a coupling."""
    mimics = resolved_mimics(tree.joints)
    ends = [name for coupling in tree.couplings if coupling.viscous for name in (coupling.first, coupling.second)]
    leaders = {mimics[name].leader for name in ends if name in mimics}
    return {name for name, mimic in mimics.items() if mimic.leader in leaders}


def _damped(tree: Tree, names: Sequence[str], viscous: Array) -> list[Joint]:
    own = dict(zip(names, viscous.tolist(), strict=True))
    return [replace(j, drive=replace(j.drive, viscous=own.get(j.name, j.drive.viscous))) for j in tree.joints]


def _body(joint: Joint, row: Array, strict: bool) -> Body:
    mass, first = row[0], row[1:4]
    if mass == 0 and first.any():
        raise ArgumentError(f"pi: first moments {first.tolist()} of joint '{joint.name}' without a mass have no center")
    if strict and not physical(row):
        raise ArgumentError(
            f"pi: no body has the numbers {row.tolist()} of joint '{joint.name}' (strict=False takes them)"
        )
    com = first / mass if mass else first
    tensor = np.empty((3, 3))
    tensor[_UPPER] = tensor.T[_UPPER] = row[4:]
    tensor -= mass * (com @ com * np.eye(3) - np.outer(com, com))
    return Body(joint.child, float(mass), vector("pi", com), matrix("pi", tensor))


def _with_bodies(tree: Tree, bodies: dict[str, Body]) -> Tree:
    """Give movable links bodies, by the name of the child of the joint; what is bolted to it then weighs nothing."""
    carrier = {joint.child: joint.parent for joint in tree.joints if not joint.movable}
    carried_by: dict[str, str] = {}

    def changed(body: Body) -> Body:
        name, chain = body.name, []
        while name in carrier and name not in carried_by:
            chain.append(name)
            name = carrier[name]
        name = carried_by.get(name, name)
        carried_by.update(dict.fromkeys(chain, name))
        if name == body.name:
            return bodies.get(name, body)
        return Body(body.name, has_inertial=False, line=body.line) if name in bodies else body

    return replace(tree, bodies=tuple(changed(body) for body in tree.bodies))


def _drive(drive: Drive, column: Array) -> Drive:
    """Return the drive with a rotor inertia on the joint side, or the friction, or both."""
    if len(column) != len(OF_FRICTION):
        ratio = drive.gear_ratio or 1.0
        drive = replace(drive, rotor_inertia=float(column[0]) / ratio**2, gear_ratio=ratio)
    if len(column) > 1:
        drive = replace(drive, **dict(zip(OF_FRICTION, column[-3:].tolist(), strict=True)))
    return drive
