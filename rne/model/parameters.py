"""Parameters of links and drives as a vector, in the order of the columns of a regressor.

The first are ten per link, joint by joint: mass, first moments, and the inertia tensor about the origin of the frame of
the joint, which is that of its child link. The body of a base that floats is the first, in its own frame. Then
optionally rotor inertias, and then friction, kind by kind and joint by joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.bodies.physical import Fault, about_center, refusal
from rne.check import check_flag, matrix, numbers, vector
from rne.errors import ArgumentError
from rne.model.checks import LARGEST
from rne.model.drive import Drive
from rne.model.edits import with_drives
from rne.model.link_table import LinkTable
from rne.model.mimics import resolved_mimics
from rne.model.passivity import DAMPERS, active, active_joints
from rne.model.tree import Body, Joint, Tree

Array = NDArray[np.float64]

OF_BODY = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
OF_FRICTION = ("viscous", "coulomb_plus", "coulomb_minus")
SAME = 1e-9  # relative difference up to which the numbers of a body count as unchanged

_UPPER = np.triu_indices(3)


def pseudo_inertias(bodies: Array) -> Array:
    """Pseudo-inertias (..., 4, 4) of bodies (..., 10): integrals of r r^T dm with r = [x, y, z, 1].

    A body is physically consistent if its pseudo-inertia has no negative eigenvalue (Wensing, Kim, Slotine 2018).
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
    """Second moments from an inertia tensor (share 1/2), or vice versa (share 1): share * trace * identity - given."""
    full = np.empty((*six.shape[:-1], 3, 3))
    full[..., _UPPER[0], _UPPER[1]] = full[..., _UPPER[1], _UPPER[0]] = six
    trace = np.trace(full, axis1=-2, axis2=-1)
    moments: Array = share * trace[..., None, None] * np.eye(3) - full
    return moments


def units(bodies: Array) -> tuple[Array, Array]:
    """Mass and radius of gyration of bodies (..., 10), each (...); 1 if there is no mass."""
    mass, moment = bodies[..., 0], bodies[..., [4, 7, 9]].sum(axis=-1) / 2
    sound = (mass > 0) & (moment > 0)
    mass = np.where(mass > 0, mass, 1.0)
    return mass, np.sqrt(np.where(sound, moment, mass) / mass)


def physical(bodies: Array) -> NDArray[np.bool_]:
    """Whether bodies (links, 10) can exist, up to rounding, by the rule of `rne.bodies.physical`."""
    return np.array([_fault(row) is None for row in bodies], dtype=np.bool_)


def _fault(row: Array) -> Fault | None:
    com, tensor, first = about_center(float(row[0]), row[1:4], _tensor(row))
    return refusal(float(row[0]), com, tensor, first)


def _tensor(row: Array) -> Array:
    """Inertia tensor (3, 3) about the origin from the ten parameters of a body."""
    tensor = np.empty((3, 3))
    tensor[_UPPER] = tensor.T[_UPPER] = row[4:]
    return tensor


def of_links(links: LinkTable, floating: bool) -> Array:
    """Return the parameters (bodies, 10) of the links in the frames of the joints, after those of a floating base."""
    frames = [links.frames[name] for name in links.joint_frames]
    base, *inertias = links.pseudo_inertias
    rows = [_of_link(J, f.rotation, f.position) for J, f in zip(inertias, frames, strict=True)]
    if floating:
        rows.insert(0, from_pseudo_inertias(base))
    return np.array(rows).reshape(-1, len(OF_BODY))


def _of_link(J: Array, rotation: Array, position: Array) -> Array:
    """Ten parameters of a body in the frame at `rotation`, `position`, from its pseudo-inertia in the row frame."""
    into = np.eye(4)
    into[:3, :3], into[:3, 3] = rotation.T, -rotation.T @ position
    return from_pseudo_inertias(into @ J @ into.T)


def _same(rows: Array, own: Array) -> NDArray[np.bool_]:
    """Whether bodies (links, 10) equal the present ones, up to rounding."""
    size = np.abs(own)
    mass, second = size[:, :1], size[:, 4:].max(axis=1, keepdims=True, initial=0.0)
    first = np.maximum(size[:, 1:4].max(axis=1, keepdims=True, initial=0.0), np.sqrt(mass * second))
    scale = np.concatenate([mass, *[first] * 3, *[second] * 6], axis=1)
    return np.asarray((np.abs(rows - own) <= SAME * scale).all(axis=1))


def with_parameters(tree: Tree, links: LinkTable, pi: ArrayLike, strict: bool) -> Tree:
    """Replace the bodies of the links and, if `pi` includes them, the parameters of the drives.

    Raises
    ------
    ArgumentError
        `pi` has the wrong length, a rotor inertia or friction is negative, or, if `strict`, a body is physically
        impossible; a body that the link has already is accepted, since loading has reported it.
    """
    check_flag("strict", strict)
    names = links.joints
    joints = {joint.name: joint for joint in tree.joints}
    owners = [(f"joint {name!r}", joints[name].child) for name in names]
    if tree.floating:
        owners.insert(0, ("the base", tree.root))
    bodies, count = len(OF_BODY) * len(owners), len(names)
    try:
        shape = np.shape(pi)
    except ValueError:  # ragged
        shape = ()
    if shape not in [(bodies + k * count,) for k in (0, 1, 3, 4)]:
        wanted = " or ".join(dict.fromkeys(str(bodies + k * count) for k in (0, 1, 3, 4)))
        raise ArgumentError(f"pi: wanted {wanted} numbers, ten per link and those of its drive; got shape {shape}")
    if not bodies:  # an empty array does not determine the number of rows
        numbers("pi", pi, shape)
        return tree
    values, extra = numbers("pi", pi, shape), shape[0] - bodies
    rows, drives = values[:bodies].reshape(-1, len(OF_BODY)), values[bodies:]
    beyond = np.flatnonzero(~(np.abs(rows) < LARGEST).all(axis=1))
    if beyond.size:
        raise ArgumentError(f"pi: a number of {owners[beyond[0]][0]} is beyond {LARGEST:g} in SI units")
    known = _same(rows, of_links(links, tree.floating)) if strict else np.ones(len(owners), dtype=np.bool_)
    changed = [_body(*owner, row, judged) for owner, row, judged in zip(owners, rows, ~known, strict=True)]
    tree = _with_bodies(tree, {body.name: body for body in changed})
    if not extra:
        return tree
    columns = drives.reshape(-1, count).T
    return with_drives(
        tree, {name: _drive(joints[name].drive, column) for name, column in zip(names, columns, strict=True)}
    )


def active_dampers(tree: Tree, names: Sequence[str], viscous: Array) -> set[str]:
    """Return the joints with active dampers if those of `names` were `viscous`, couplings included."""
    return active_joints(_damped(tree, names, viscous), tree.couplings, DAMPERS)


def passive_dampers(tree: Tree, names: Sequence[str], viscous: Array) -> Array:
    """Return the dampers, raised by the same amount until they are passive; unchanged if they already are."""
    found = active(_damped(tree, names, viscous), tree.couplings, DAMPERS)
    if found is None:
        return viscous
    leads = {joint.name for joint in tree.joints if joint.mimic is None}
    return viscous - found[0] * np.array([name in leads for name in names])


def coupled_joints(tree: Tree) -> set[str]:
    """Return the joints that move together with a damped coupling."""
    mimics = resolved_mimics(tree.joints)
    ends = [name for coupling in tree.couplings if coupling.viscous for name in (coupling.first, coupling.second)]
    leaders = {mimics[name].leader for name in ends if name in mimics}
    return {name for name, mimic in mimics.items() if mimic.leader in leaders}


def _damped(tree: Tree, names: Sequence[str], viscous: Array) -> list[Joint]:
    own = dict(zip(names, viscous.tolist(), strict=True))
    return [replace(j, drive=replace(j.drive, viscous=own.get(j.name, j.drive.viscous))) for j in tree.joints]


def _body(owner: str, link: str, row: Array, judged: bool) -> Body:
    fault = _fault(row) if judged else None
    if fault is not None:
        raise ArgumentError(
            f"pi: the numbers {row.tolist()} of {owner} are physically impossible: {fault.what} "
            "(strict=False accepts them)"
        )
    mass = float(row[0])
    com, tensor, first = about_center(mass, row[1:4], _tensor(row))
    return Body(link, mass, vector("pi", com), matrix("pi", tensor), first_moment=vector("pi", first))


def _with_bodies(tree: Tree, bodies: dict[str, Body]) -> Tree:
    """Replace the bodies of links, by name of the child of the joint; bodies fixed to them become massless."""
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
    """Return the drive with a given reflected rotor inertia, friction, or both."""
    if len(column) != len(OF_FRICTION):
        ratio = drive.gear_ratio or 1.0
        drive = replace(drive, rotor_inertia=float(column[0]) / ratio**2, gear_ratio=ratio)
    if len(column) > 1:
        drive = replace(drive, **dict(zip(OF_FRICTION, column[-3:].tolist(), strict=True)))
    return drive
