"""The link table: a tree compiled into numbers that the kernels can run on. The one definition of a link.

A link is a moving joint together with every body that moves rigidly with it. Compilation orders parents first, folds
fixed joints, turns every joint axis onto z, resolves mimic joints into coordinates, brings the frames into the normal
form of `rne.kernels.layout` and regroups the inertias.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.errors import ModelError, Problem
from rne.kernels import layout as at
from rne.model.frames import AXES, Frame, sites_of
from rne.model.rotations import split_zxz, turn_z, z_onto
from rne.model.tree import Body, Coupling, Joint, Tree, resolved_mimics

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinkTable:
    """What the kernels need of a robot.

    Attributes
    ----------
    table : (1 + links + couplings, WIDTH) float64, rows and columns as in `rne.kernels.layout`; read-only.
    table32 : the same in float32.
    joints : names of all moving joints, in the order of the rows 1, 2, ...; longer than `coordinates` with mimics.
    joint_frames : names of the frames that the file puts on them: those of the bodies that they carry.
    coordinates : names of the joints whose values make up q, in the order of q.
    frames : placement of every body of the tree, by name.
    """

    table: Array
    table32: NDArray[np.float32]
    joints: tuple[str, ...]
    joint_frames: tuple[str, ...]
    coordinates: tuple[str, ...]
    frames: dict[str, Frame]

    @cached_property
    def joint_sites(self) -> dict[str, Array]:
        """The frames on the joints as kernels want them, a table (links, SITE_WIDTH), by the axes of the answer."""
        return {axes: sites_of([self.frames[name] for name in self.joint_frames], axes) for axes in AXES}

    @staticmethod
    def with_gravity(table: NDArray[Any], gravity: Array) -> NDArray[Any]:
        """Return a copy of a table with another gravity."""
        copy = table.copy()
        copy[0, at.GRAVITY : at.GRAVITY + 3] = gravity
        copy.flags.writeable = False
        return copy


Moments = tuple[float, Array, Array]  # mass, first moments (integral of r dm), second moments (integral of r r^T dm)


@dataclass
class _Link:
    """A link while it is being compiled; moments are about the origin, in the axes of the link's frame."""

    joint: Joint
    parent: int
    rotation: Array  # of this frame in the frame of the parent, at q = 0
    position: Array
    moments: Moments
    felt: Moments  # what the joints feel of it, once regrouped
    keep: bool = False  # whether a link other than the next hangs on this one


def compile_tree(tree: Tree, order: tuple[str, ...] | None = None) -> LinkTable:
    """Compile a tree.

    Parameters
    ----------
    tree : as a reader made it; its structure is sound.
    order : names of the coordinates in the wanted order; the order of the file by default.

    Examples
    --------
    >>> from rne.model.tree import Body, Joint, Tree
    >>> tree = Tree("swing", (Body("base"), Body("arm", 1.0)), (Joint("hinge", "revolute", "base", "arm"),))
    >>> compile_tree(tree).coordinates
    ('hinge',)
    """
    joints = _parents_first(tree)
    links, frames = _fold(tree, joints)
    _normalise(links, frames)
    _regroup(links, frames, tree)
    coordinates = order or tuple(j.name for j in tree.joints if j.movable and j.mimic is None)
    rows = {link.joint.name: row for row, link in enumerate(links)}
    couplings = [coupling for coupling in tree.couplings if coupling.first in rows or coupling.second in rows]
    table = np.zeros((len(links) + len(couplings), at.WIDTH))
    table[0, at.LINKS], table[0, at.COUPLINGS] = len(links) - 1, len(couplings)
    table[0, at.COORDINATES] = len(coordinates)
    table[0, at.GRAVITY : at.GRAVITY + 3] = tree.gravity
    table[0, at.MIMIC] = len(coordinates) < len(links) - 1
    for row, link in enumerate(links):
        _write_body(table[row], link)
        if row:
            _write_frame(table[row], link, row)
            _write_drive(table[row], link)
    for out, coupling in zip(table[len(links) :], couplings, strict=True):
        _write_coupling(out, coupling, rows)
    _write_bounds(table, links)
    _write_coordinates(table, links, tree, coordinates)
    table += 0.0  # turns negative zeros into zeros
    with np.errstate(over="ignore"):
        table32 = table.astype(np.float32)
    if not np.isfinite(table32).all():
        what = "masses, lengths or mimic ratios are so large that they overflow when combined; check their units"
        raise ModelError(Problem(tree.source, None, f"robot '{tree.name}'", what))
    for frame in frames.values():
        frame.rotation.flags.writeable = frame.position.flags.writeable = False
    table.flags.writeable = table32.flags.writeable = False
    moving = [link.joint for link in links[1:]]
    names, children = (tuple(getattr(joint, name) for joint in moving) for name in ("name", "child"))
    return LinkTable(table, table32, names, children, coordinates, frames)


def _parents_first(tree: Tree) -> list[Joint]:
    """Moving joints depth first: most links then follow their parent at once, whose state is still at hand."""
    children: dict[str, list[Joint]] = {}
    for joint in tree.joints:
        children.setdefault(joint.parent, []).append(joint)
    child_names = {joint.child for joint in tree.joints}
    waiting = [joint for body in tree.bodies if body.name not in child_names for joint in children.get(body.name, [])]
    waiting.reverse()
    ordered = []
    while waiting:
        joint = waiting.pop()
        ordered.append(joint)
        waiting.extend(reversed(children.get(joint.child, [])))
    if len(ordered) != len(tree.joints):
        raise ModelError(Problem(tree.source, None, f"robot '{tree.name}'", "joints do not form a tree"))
    return ordered


def _fold(tree: Tree, joints: list[Joint]) -> tuple[list[_Link], dict[str, Frame]]:
    """Gather the bodies that move together into links, and place every body in the frame of its link."""
    identity, origin = np.eye(3), np.zeros(3)
    nothing: Moments = (0.0, origin, np.zeros((3, 3)))
    children = {joint.child for joint in joints}
    root = next(body.name for body in tree.bodies if body.name not in children)
    links = [_Link(Joint("", "fixed", "", root), -1, identity, origin, nothing, nothing)]
    frames = {root: Frame(0, identity, origin)}
    for joint in joints:
        outer = frames[joint.parent]
        rotation = outer.rotation @ np.array(joint.origin.rotation)
        position = outer.position + outer.rotation @ np.array(joint.origin.position)
        if joint.movable:
            axis = z_onto(np.array(joint.axis))
            links.append(_Link(joint, outer.row, rotation @ axis, position, nothing, nothing))
            frames[joint.child] = Frame(len(links) - 1, axis.T, origin)
        else:
            frames[joint.child] = Frame(outer.row, rotation, position)
    for body in tree.bodies:
        frame = frames[body.name]
        link = links[frame.row]
        link.moments = _sum(link.moments, _placed(_moments(body), frame.rotation, frame.position))
    for row, link in enumerate(links):
        if link.parent not in (-1, row - 1):
            links[link.parent].keep = True
    return links, frames


def _moments(body: Body) -> Moments:
    """Moments of a body about the origin of its frame."""
    inertia, com = np.array(body.inertia), np.array(body.com)
    central = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    return body.mass, body.mass * com, central + body.mass * np.outer(com, com)


def _placed(moments: Moments, rotation: Array, position: Array) -> Moments:
    """Moments about the origin of an outer frame in which the inner one lies at `rotation`, `position`."""
    mass, first, second = moments
    h = rotation @ first
    cross = np.outer(h, position)
    second = rotation @ second @ rotation.T + cross + cross.T + mass * np.outer(position, position)
    return mass, h + mass * position, second


def _sum(a: Moments, b: Moments) -> Moments:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _normalise(links: list[_Link], frames: dict[str, Frame]) -> None:
    """Turn every frame about its own z so that the rotation from it to the next link needs no first turn."""
    spins = [np.eye(3) for _ in links]
    for row in range(1, len(links) - 1):
        if links[row + 1].parent == row:
            spins[row] = turn_z(*split_zxz(links[row + 1].rotation)[0])
    for row, link in enumerate(links):
        outer, inner = spins[max(link.parent, 0)], spins[row]
        link.rotation = outer.T @ link.rotation @ inner
        link.position = outer.T @ link.position
        link.moments = link.felt = _placed(link.moments, inner.T, np.zeros(3))
    for name, frame in frames.items():
        inner = spins[frame.row].T
        frames[name] = Frame(frame.row, inner @ frame.rotation, inner @ frame.position)


def _regroup(links: list[_Link], frames: dict[str, Frame], tree: Tree) -> None:
    """Move, from the tips to the base, all that the joint of a link cannot feel to its parent (Gautier, Khalil 1990).

    What could as well lie on the axis of a revolute joint (mass, first moment along z, second moment zz) moves with the
    parent just as well. The frame of a slide may sit anywhere: at the centre of all that slides it leaves the slide a
    plain mass, and the parent all second moments, since the axes of the two turn together.
    """
    for row in range(len(links) - 1, 0, -1):
        link = links[row]
        if link.joint.kind == "revolute":
            mass, first, second = link.felt
            on_axis = (mass, first * [0, 0, 1], second * np.diag([0.0, 0.0, 1.0]))
            link.felt = (0.0, first - on_axis[1], second - on_axis[2])
            moved = _placed(on_axis, link.rotation, link.position)
        else:
            _center(links, frames, row, tree)
            mass, nothing, second = link.felt
            link.felt = (mass, nothing, np.zeros((3, 3)))
            moved = (0.0, nothing, link.rotation @ second @ link.rotation.T)
        above = links[link.parent]
        above.felt = _sum(above.felt, moved)


def _center(links: list[_Link], frames: dict[str, Frame], row: int, tree: Tree) -> None:
    """Move the origin of a sliding link to the centre of what its joint feels."""
    link = links[row]
    mass, first, _ = link.felt
    if not mass:
        if first.any():
            what = "the masses that slide sum to zero, but their moments do not: no such bodies exist"
            raise ModelError(Problem(tree.source, link.joint.line, f"joint '{link.joint.name}'", what))
        return
    shift = first / mass
    link.felt = _placed(link.felt, np.eye(3), -shift)
    link.felt = (mass, np.zeros(3), link.felt[2])
    link.moments = _placed(link.moments, np.eye(3), -shift)
    link.position = link.position + link.rotation @ shift
    for child in links[row + 1 :]:
        if child.parent == row:
            child.position = child.position - shift
    for name, frame in frames.items():
        if frame.row == row:
            frames[name] = Frame(row, frame.rotation, frame.position - shift)


def _second(second: Array) -> list[float]:
    return [float(second[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


def _write_body(out: Array, link: _Link) -> None:
    mass, first, second = link.moments
    out[at.FULL_MASS] = mass
    out[at.FULL_HX : at.FULL_HZ + 1] = first
    out[at.FULL_XX : at.FULL_YZ + 1] = _second(second)


def _write_frame(out: Array, link: _Link, row: int) -> None:
    turn, alpha, offset = split_zxz(link.rotation)
    follows = link.parent == row - 1
    if follows and row > 1:
        turn = (1.0, 0.0)  # made so by _normalise, up to rounding
    out[at.PARENT] = link.parent
    out[at.KIND] = at.REVOLUTE if link.joint.kind == "revolute" else at.PRISMATIC
    out[at.FOLLOWS], out[at.KEEP] = follows, link.keep
    out[[at.COS_TURN, at.SIN_TURN]] = turn
    out[at.HAS_TURN] = turn != (1.0, 0.0)
    out[at.PX : at.PZ + 1] = link.position
    out[[at.COS_ALPHA, at.SIN_ALPHA]] = alpha
    out[[at.COS_OFFSET, at.SIN_OFFSET]] = offset
    mass, first, second = link.felt
    out[at.MASS], out[at.HX], out[at.HY] = mass, first[0], first[1]
    out[[at.XX, at.YY, at.XY, at.XZ, at.YZ]] = np.array(_second(second))[[0, 1, 3, 4, 5]]


def _write_drive(out: Array, link: _Link) -> None:
    drive = link.joint.drive
    out[at.ROTOR] = drive.reflected_inertia
    out[at.VISCOUS] = drive.viscous
    out[at.COULOMB_PLUS], out[at.COULOMB_MINUS] = drive.coulomb_plus, drive.coulomb_minus
    out[at.STIFFNESS], out[at.REST] = drive.stiffness, drive.rest


def _write_coupling(out: Array, coupling: Coupling, rows: dict[str, int]) -> None:
    """Of a joint that is fixed the coupling sees nothing; the other stands in for it."""
    first, second = rows.get(coupling.first), rows.get(coupling.second)
    out[at.OF_FIRST] = 0.0 if first is None else 1.0
    out[at.OF_SECOND] = 0.0 if second is None else -coupling.ratio
    out[at.FIRST], out[at.SECOND] = first or second, second or first  # no joint moves row 0
    out[at.STIFFNESS], out[at.REST], out[at.VISCOUS] = coupling.stiffness, coupling.rest, coupling.viscous


NO_LIMIT = 1e3
"""Travel in m from which on a limit only stands for none: as a bound it would make all beside it look like rounding."""


def _write_bounds(table: Array, links: list[_Link]) -> None:
    """Bound what every joint may feel: its subtree stretched out straight and swung about the link origin.

    The roots of second moments about a point add up no faster than distances (Minkowski).
    """
    mass = np.array([link.moments[0] for link in links]).clip(0.0)
    swing = np.array([np.trace(link.moments[2]) for link in links]).clip(0.0)
    for row in range(len(links) - 1, 0, -1):
        joint, above = links[row].joint, links[row].parent
        slides = joint.kind == "prismatic"
        table[row, at.BOUND] = mass[row] if slides else swing[row]
        reach = float(np.linalg.norm(links[row].position))
        if slides:
            stops = abs(joint.limits.lower), abs(joint.limits.upper)
            reach += max((stop for stop in stops if stop < NO_LIMIT), default=0.0)
        mass[above] += mass[row]
        swing[above] += (np.sqrt(swing[row]) + np.sqrt(mass[row]) * reach) ** 2


def _write_coordinates(table: Array, links: list[_Link], tree: Tree, coordinates: tuple[str, ...]) -> None:
    """Resolve mimic joints, chains of them included: q_joint = ratio * q[leader] + shift."""
    mimics = resolved_mimics(tree.joints)
    place = {name: k for k, name in enumerate(coordinates)}
    reduced = bool(table[0, at.MIMIC])
    for row, link in enumerate(links[1:], start=1):
        mimic = mimics[link.joint.name]
        leader = place[mimic.leader]
        table[row, [at.RATIO, at.SHIFT, at.LEADER]] = mimic.ratio, mimic.offset, leader
        table[row, at.COORDINATE] = row - 1 if reduced else leader
