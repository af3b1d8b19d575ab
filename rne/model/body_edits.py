"""Changes to the bodies of a tree: remove, lighten and scale bodies, attach tools."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from rne.bodies.inertia import Inertia
from rne.check import matrix, numbers, rotation_matrix, symmetric, unknown_name, vector
from rne.errors import ArgumentError, ModelWarning, listed, shown
from rne.model.edits import MOUNT
from rne.model.tree import Body, Coupling, Joint, Mimic, Pose, Tree


def without_body(tree: Tree, name: str, level: int) -> Tree:
    """Remove a body, all bodies beyond it, and couplings that end there, with a warning `level` frames up the stack.

    Raises
    ------
    UnknownNameError
        The robot has no such body.
    ArgumentError
        It is the root, or a remaining joint mimics a removed one.
    """
    if not isinstance(name, str) or name not in {body.name for body in tree.bodies}:
        raise unknown_name("name", "link", name, (body.name for body in tree.bodies))
    if all(joint.child != name for joint in tree.joints):
        raise ArgumentError(f"name: {name!r} is the root of the robot, which carries all the rest")
    gone = _beyond(tree, name)
    kept = tuple(joint for joint in tree.joints if joint.child not in gone)
    names = {joint.name for joint in kept}
    for joint in kept:
        if joint.mimic is not None and joint.mimic.leader not in names:
            leader = joint.mimic.leader
            raise ArgumentError(
                f"name: joint {joint.name!r} stays, but follows {leader!r}, which goes; lock that one first"
            )
    couplings = tuple(c for c in tree.couplings if c.first in names and c.second in names)
    if lost := [f"{c.first} - {c.second}" for c in tree.couplings if c not in couplings]:
        message = f"{tree.name} without {name!r}: the springs and dampers to what is gone go along ({listed(lost)})"
        warnings.warn(message, ModelWarning, stacklevel=level + 1)
    bodies = tuple(body for body in tree.bodies if body.name not in gone)
    return replace(tree, bodies=bodies, joints=kept, couplings=couplings)


def _beyond(tree: Tree, name: str) -> set[str]:
    """Return a body and all that it carries."""
    behind: dict[str, list[str]] = {}
    for joint in tree.joints:
        behind.setdefault(joint.parent, []).append(joint.child)
    found, waiting = set(), [name]
    while waiting:
        body = waiting.pop()
        found.add(body)
        waiting.extend(behind.get(body, []))
    return found


def lightened(tree: Tree, frame: str, mass: float, com: ArrayLike, inertia: ArrayLike | None) -> Tree:
    """Remove mass from the bodies that are rigidly connected with a frame; mass and inertia are negative.

    It is removed from the first of these bodies, beginning with the frame itself, that remains physical. If none does,
    but all of them together do, they become one body on the link that the joint moves.

    Raises
    ------
    UnknownNameError
        The robot has no such frame.
    ArgumentError
        The removed body or the remaining body is not physical.
    """
    placed = _bolted(tree, frame)
    tensor = np.zeros((3, 3)) if inertia is None else symmetric("inertia", inertia, 3)
    off = Inertia(-mass, vector("com", com), -tensor)
    if not off.is_physical:
        raise ArgumentError(
            f"mass: the removed body is not physical: mass {-mass:g} kg, inertia {off.tensor.tolist()} kg m^2; a "
            "negative mass goes with a negative inertia"
        )
    bodies = {body.name: body for body in tree.bodies}
    for name, pose in placed.items():
        left = _minus(bodies[name].to_inertia(), _seen_from(off, pose))
        if left is not None:
            return _with_bodies(tree, {name: left})
    parts = [bodies[name].to_inertia().at(pose.rotation, pose.position) for name, pose in placed.items()]
    whole = _minus(sum(parts[1:], parts[0]), off)
    if whole is None:
        there = sum(part.mass for part in parts)
        raise ArgumentError(
            f"mass: {-mass:g} kg cannot be taken off {frame!r}: {listed(placed)} together have {there:g} kg, and the "
            "remaining body would not be physical"
        )
    carrier = next(name for name in placed if not _is_bolted(tree, name))
    changed = {name: Inertia(0.0) for name in placed} | {carrier: _seen_from(whole, placed[carrier])}
    return _with_bodies(tree, changed)


def _bolted(tree: Tree, frame: str) -> dict[str, Pose]:
    """Return the poses in a frame of all bodies that are rigidly connected with it, itself first."""
    names = {body.name for body in tree.bodies}
    if not isinstance(frame, str) or frame not in names:
        raise unknown_name("frame", "link", frame, names)
    found, waiting = {frame: Pose()}, [frame]
    while waiting:
        name = waiting.pop(0)
        for joint in tree.joints:
            if joint.movable:
                continue
            if joint.parent == name and joint.child not in found:
                found[joint.child] = _after(found[name], joint.origin)
                waiting.append(joint.child)
            elif joint.child == name and joint.parent not in found:
                found[joint.parent] = _after(found[name], _inverse(joint.origin))
                waiting.append(joint.parent)
    return found


def _is_bolted(tree: Tree, name: str) -> bool:
    return any(joint.child == name and not joint.movable for joint in tree.joints)


def _after(outer: Pose, inner: Pose) -> Pose:
    R, p = np.array(outer.rotation), np.array(outer.position)
    return Pose(matrix("rotation", R @ np.array(inner.rotation)), vector("position", p + R @ np.array(inner.position)))


def _inverse(pose: Pose) -> Pose:
    R = np.array(pose.rotation).T
    return Pose(matrix("rotation", R), vector("position", -R @ np.array(pose.position)))


def _seen_from(body: Inertia, pose: Pose) -> Inertia:
    """Return a body in the axes of a frame that is placed at `pose`."""
    inner = _inverse(pose)
    return body.at(inner.rotation, inner.position)


def _minus(whole: Inertia, part: Inertia) -> Inertia | None:
    """Return the remaining body, None if it is not physical; an empty body if the two are equal up to rounding."""
    if abs(whole.mass - part.mass) <= 1e-12 * whole.mass:
        size = np.abs(whole.about(whole.com)).max() + whole.mass * (1 + np.abs(whole.com).max()) ** 2
        same = np.abs(whole.pseudo - part.pseudo).max() <= 1e-12 * size
        return Inertia(0.0) if same else None
    left = whole - part
    return left if left.is_physical else None


def _with_bodies(tree: Tree, changed: Mapping[str, Inertia]) -> Tree:
    """Return the tree with other masses; a payload without any mass left is removed."""
    empty = {name for name, body in changed.items() if body.mass == 0 and not body.tensor.any()}
    carrying = {joint.parent for joint in tree.joints}
    gone = {j.child for j in tree.joints if j.name == j.child + MOUNT and j.child in empty and j.child not in carrying}
    bodies = (
        _holding(body, changed[body.name]) if body.name in changed else body
        for body in tree.bodies
        if body.name not in gone
    )
    joints = tuple(joint for joint in tree.joints if joint.child not in gone)
    return replace(tree, bodies=tuple(bodies), joints=joints)


def _holding(body: Body, inertia: Inertia) -> Body:
    made = Body.from_inertia(body.name, inertia)
    return replace(made, has_inertial=body.has_inertial or bool(inertia.mass), line=body.line)


def scaled(tree: Tree, factor: float, links: Iterable[str] | None) -> Tree:
    """Multiply mass and inertia of links, of all if none are named.

    Raises
    ------
    UnknownNameError
        The robot has no such link.
    ArgumentError
        The factor is not positive, or `links` is not a list of names.
    """
    number = float(numbers("factor", factor, ()))
    if number <= 0:
        raise ArgumentError(f"factor: wanted more than zero, got {shown(factor)}; without_body takes a body off")
    names = {body.name for body in tree.bodies}
    if links is None:
        wanted = names
    else:
        if isinstance(links, str) or not isinstance(links, Iterable):
            raise ArgumentError(f"links: wanted a list of names, got {shown(links)}")
        listed_links = list(links)
        for name in listed_links:
            if not isinstance(name, str) or name not in names:
                raise unknown_name("links", "link", name, names)
        wanted = set(listed_links)
    return replace(tree, bodies=tuple(_scaled(b, number) if b.name in wanted else b for b in tree.bodies))


def _scaled(body: Body, factor: float) -> Body:
    tensor = matrix("inertia", factor * np.array(body.inertia))
    return replace(body, mass=factor * body.mass, inertia=tensor)


def with_tool(
    tree: Tree, tool: Tree | Inertia, frame: str, position: ArrayLike, rotation: ArrayLike, name: str
) -> Tree:
    """Attach a tool to a frame: a body, or a robot by its root.

    If names of the tool are already used, all of them get the prefix `name` and a slash.

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
    if not isinstance(name, str) or not name.strip():
        raise ArgumentError(f"name: wanted a non-empty string, got {shown(name)}")
    place = Pose(matrix("rotation", rotation_matrix("rotation", rotation)), vector("position", position))
    if isinstance(tool, Inertia):
        added = Tree(name, (Body.from_inertia(name, tool),), ())
        called = {name: name}
    else:
        added = tool
        taken = names | {joint.name for joint in tree.joints}
        own = [*(body.name for body in tool.bodies), *(joint.name for joint in tool.joints)]
        prefix = f"{name}/" if taken & set(own) else ""
        called = {part: prefix + part for part in own}
    known = names | {joint.name for joint in tree.joints}
    if clash := sorted(known & set(called.values())):
        raise ArgumentError(f"name: the robot has {listed(clash)} already; give the tool another name")
    root = added.root
    mount = Joint(_free(f"{called[root]}_mount", known | {*called.values()}), "fixed", frame, called[root], place)
    bodies = tuple(replace(body, name=called[body.name], line=None) for body in added.bodies)
    joints = tuple(_renamed(joint, called) for joint in added.joints)
    couplings = tuple(_coupling(coupling, called) for coupling in added.couplings)
    return replace(
        tree,
        bodies=(*tree.bodies, *bodies),
        joints=(*tree.joints, mount, *joints),
        couplings=(*tree.couplings, *couplings),
    )


def _renamed(joint: Joint, called: Mapping[str, str]) -> Joint:
    mimic = joint.mimic and Mimic(called[joint.mimic.leader], joint.mimic.ratio, joint.mimic.offset)
    parent, child = called[joint.parent], called[joint.child]
    return replace(joint, name=called[joint.name], parent=parent, child=child, mimic=mimic, line=None)


def _coupling(coupling: Coupling, called: Mapping[str, str]) -> Coupling:
    return replace(coupling, first=called[coupling.first], second=called[coupling.second])


def mount_of(tree: Tree, name: str) -> Joint:
    """Return the fixed joint that holds a body.

    Raises
    ------
    UnknownNameError
        The robot has no such body.
    ArgumentError
        It is the root, or a joint moves it.
    """
    if not isinstance(name, str) or name not in {body.name for body in tree.bodies}:
        raise unknown_name("replacing", "link", name, (body.name for body in tree.bodies))
    found = next((joint for joint in tree.joints if joint.child == name), None)
    if found is None or found.movable:
        why = "it is the root" if found is None else f"joint {found.name!r} moves it"
        raise ArgumentError(f"replacing: {name!r} is not bolted to anything, {why}; name a link on a fixed joint")
    return found


def with_base(tree: Tree, pose: Pose) -> Tree:
    """Place the root of a tree at a pose in a new root named world."""
    root = tree.root
    bodies = {body.name for body in tree.bodies}
    joints = {joint.name for joint in tree.joints}
    world, mount = _free("world", bodies), _free("base_pose", joints)
    return replace(
        tree,
        bodies=(Body(world, has_inertial=False), *tree.bodies),
        joints=(Joint(mount, "fixed", world, root, pose), *tree.joints),
    )


def _free(name: str, taken: Iterable[str]) -> str:
    """Return an unused name: this one, or with a number appended."""
    known, count, found = set(taken), 1, name
    while found in known:
        count += 1
        found = f"{name}_{count}"
    return found


def remaining(tree: Tree, coordinates: Sequence[str]) -> tuple[str, ...]:
    """Return the coordinates that a changed tree still has, in their order, followed by new ones."""
    there = [joint.name for joint in tree.joints if joint.movable and joint.mimic is None]
    known = set(coordinates)
    return (*(name for name in coordinates if name in set(there)), *(name for name in there if name not in known))
