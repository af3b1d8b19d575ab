"""MJCF, the format of MuJoCo, from a tree.

Bodies nest as the tree does, each in the frame it has there, and its inertia is written by principal moments: those
that MuJoCo finds of a full tensor have fewer digits.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rne.check import Matrix
from rne.export.document import (
    FREE,
    UNLIMITED,
    Losses,
    in_order,
    number,
    numbers,
    quaternion_of,
    refuse,
    symmetric_friction,
    unused,
    xml_text,
)

if TYPE_CHECKING:
    from rne.model.tree import Body, Coupling, Joint, Tree

FORMAT = "MJCF"
SUFFIXES = (".xml", ".mjcf")
WORLD = "world"
KINDS = {"revolute": "hinge", "prismatic": "slide"}
STAND_IN = 1e-14
"""Mass (kg) and moments (kg m^2) of a body that moves and has none: MuJoCo refuses less than 1e-15."""
ROUNDING = 1e-12
"""By how much a sum of two principal moments may miss the third by rounding, as a part of that."""
NO_REST = -1.0
"""What MuJoCo reads as "not given" where the rest length of a tendon stands."""


def mjcf_of(tree: Tree, coordinates: Sequence[str], base: Sequence[str] = ()) -> tuple[str, Losses]:
    """Return a tree as MJCF, and what that cannot hold.

    base : names of the 13 numbers of pose and motion of a base that floats, in named states.

    Raises
    ------
    ModelError
        A name cannot stand in XML, or a body other than the root has the name of MuJoCo's own world.
    ArgumentError
        A link has first moments without a mass.
    """
    losses = Losses(tree, FORMAT)
    root = ET.Element("mujoco", model=tree.name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="false", inertiafromgeom="false")
    ET.SubElement(root, "option", gravity=numbers(tree.gravity))
    writer = _Bodies(tree, coordinates, losses)
    root.append(writer.world())
    if writer.order != list(coordinates):
        losses.add("coordinates stand in the order of the bodies", ", ".join(writer.order))
    _add_tendons(root, tree)
    _add_followers(root, tree)
    _add_keyframes(root, tree, writer.moving, base)
    return xml_text(root, tree), losses


class _Bodies:
    """The bodies of a tree as nested elements; `order` is that of the coordinates then, `moving` that of all joints."""

    def __init__(self, tree: Tree, coordinates: Sequence[str], losses: Losses) -> None:
        self._tree = tree
        self._losses = losses
        self._body = {body.name: body for body in tree.bodies}
        self._behind: dict[str, list[Joint]] = {}
        for joint in in_order(tree, coordinates):
            self._behind.setdefault(joint.parent, []).append(joint)
        self._stand_ins: set[str] = set()
        self.order: list[str] = []
        self.moving: list[str] = []

    def world(self) -> ET.Element:
        """Return the world with all bodies in it."""
        children = {joint.child for joint in self._tree.joints}
        root = self._body[self._tree.root]
        if WORLD in children or (root.name == WORLD and self._tree.floating):
            raise refuse(self._tree, f"link {WORLD!r}", "MuJoCo has a world of its own, which is the root; rename it")
        for joint in self._tree.joints:
            if joint.movable:
                self._find_stand_in(joint.child)
        if self._tree.floating:
            self._find_stand_in(root.name)
        world = ET.Element("worldbody")
        if root.name == WORLD:
            if root.mass or np.any(root.inertia):
                self._losses.add("the world has no mass; that of the root is not written", root.name)
            elements = {root.name: world}
        else:
            elements = {root.name: ET.SubElement(world, "body", name=root.name)}
            if self._tree.floating:
                ET.SubElement(elements[root.name], "freejoint", name=unused(FREE, self._tree.joints))
            _add_inertia(elements[root.name], root, root.name in self._stand_ins, self._losses)
        for joint in self._depth_first(root.name):
            elements[joint.child] = self._add(elements[joint.parent], joint)
        return world

    def _find_stand_in(self, moved: str) -> None:
        """Mark the body that needs mass or inertia from nowhere, if what a joint moves is too little for MuJoCo."""
        bolted = [moved]
        for name in bolted:
            bolted += [behind.child for behind in self._behind.get(name, []) if not behind.movable]
        if not any(_weighs(self._body[name]) for name in bolted):
            heaviest = max(bolted, key=lambda name: self._body[name].mass)
            self._stand_ins.add(heaviest)
            if self._body[heaviest].mass < STAND_IN:
                what = f"MuJoCo refuses joints that move no mass; {STAND_IN:g} kg is written"
                self._losses.add(what, heaviest)

    def _depth_first(self, root: str) -> list[Joint]:
        found, waiting = [], list(reversed(self._behind.get(root, [])))
        while waiting:
            joint = waiting.pop()
            found.append(joint)
            waiting.extend(reversed(self._behind.get(joint.child, [])))
        return found

    def _add(self, parent: ET.Element, joint: Joint) -> ET.Element:
        body, origin = self._body[joint.child], joint.origin
        turn = numbers(quaternion_of(origin.rotation))
        element = ET.SubElement(parent, "body", name=body.name, pos=numbers(origin.position), quat=turn)
        _add_inertia(element, body, body.name in self._stand_ins, self._losses)
        if joint.movable:
            element.append(_joint(joint, self._losses))
            self.moving.append(joint.name)
            if joint.mimic is None:
                self.order.append(joint.name)
        return element


def _weighs(body: Body) -> bool:
    """Whether MuJoCo takes a body as one that can move."""
    return body.mass >= STAND_IN and float(np.linalg.eigvalsh(np.array(body.inertia))[0]) >= STAND_IN


def _add_inertia(element: ET.Element, body: Body, stands_in: bool, losses: Losses) -> None:
    if not (body.has_inertial and (body.mass or np.any(body.inertia))) and not stands_in:
        return
    whole = body.to_inertia()
    moments, axes = whole.principal()
    a, b, c = moments.tolist()
    if c - a - b > ROUNDING * c or a < -ROUNDING * abs(c) or whole.mass < 0:
        losses.add("MuJoCo refuses this unphysical mass or inertia; `rne check --fix` corrects it", body.name)
    else:
        a, b = max(a, 0.0), max(b, 0.0)
        while a + b < c:  # by rounding, which MuJoCo does not forgive
            a = max(math.nextafter(a, math.inf), c - b)
    if stands_in:
        a, b, c = (max(moment, STAND_IN) for moment in (a, b, c))
        whole = type(whole)(max(whole.mass, STAND_IN), whole.com, whole.tensor)
    ET.SubElement(
        element,
        "inertial",
        pos=numbers(whole.com),
        quat=numbers(quaternion_of(_rows(axes))),
        mass=number(whole.mass),
        diaginertia=numbers((a, b, c)),
    )


def _rows(array: np.ndarray) -> Matrix:
    a, b, c = (tuple(row) for row in array.tolist())
    return a, b, c


def _joint(joint: Joint, losses: Losses) -> ET.Element:
    limits, drive = joint.limits, joint.drive
    element = ET.Element("joint", name=joint.name, type=KINDS[joint.kind], pos="0 0 0", axis=numbers(joint.axis))
    if limits.lower < limits.upper and (math.isfinite(limits.lower) or math.isfinite(limits.upper)):
        element.set("limited", "true")
        element.set("range", numbers(max(-UNLIMITED, min(UNLIMITED, x)) for x in (limits.lower, limits.upper)))
        if math.isinf(limits.lower) or math.isinf(limits.upper):
            losses.add(f"both limits are demanded; {UNLIMITED:g} is written for that which is not there", joint.name)
    elif limits.lower >= limits.upper:
        losses.add("limits that leave no room are not written", joint.name)
    if math.isfinite(limits.effort) and limits.effort > 0:
        element.set("actuatorfrclimited", "true")
        element.set("actuatorfrcrange", numbers((-limits.effort, limits.effort)))
    if math.isfinite(limits.velocity):
        losses.add("limits of velocity are not written", joint.name)
    own = {
        "armature": drive.reflected_inertia,
        "damping": drive.viscous,
        "frictionloss": symmetric_friction(joint, losses),
        "stiffness": drive.stiffness,
    }
    for key, value in own.items():
        if value:
            element.set(key, number(value))
    if drive.stiffness:
        element.set("springref", number(drive.rest))
    return element


def _add_tendons(root: ET.Element, tree: Tree) -> None:
    """Add springs and dampers between joints; a fixed one is at zero and does not contribute to the length."""
    movable = {joint.name for joint in tree.joints if joint.movable}
    acting = [coupling for coupling in tree.couplings if {coupling.first, coupling.second} & movable]
    if not acting:
        return
    tendons = ET.SubElement(root, "tendon")
    for count, coupling in enumerate(acting, 1):
        tendon = ET.SubElement(tendons, "fixed", name=f"coupling_{count}")
        _set_spring(tendon, coupling)
        for joint, factor in ((coupling.first, 1.0), (coupling.second, -coupling.ratio)):
            if joint in movable:
                ET.SubElement(tendon, "joint", joint=joint, coef=number(factor))


def _set_spring(tendon: ET.Element, coupling: Coupling) -> None:
    rest = math.nextafter(coupling.rest, 0.0) if coupling.rest == NO_REST else coupling.rest
    tendon.set("stiffness", number(coupling.stiffness))
    tendon.set("springlength", numbers((rest, rest)))
    tendon.set("damping", number(coupling.viscous))


def _add_followers(root: ET.Element, tree: Tree) -> None:
    followers: Iterable[Joint] = [joint for joint in tree.joints if joint.movable and joint.mimic is not None]
    equality = ET.Element("equality")
    for joint in followers:
        mimic = joint.mimic
        assert mimic is not None
        law = numbers((mimic.offset, mimic.ratio, 0.0, 0.0, 0.0))
        ET.SubElement(equality, "joint", joint1=joint.name, joint2=mimic.leader, polycoef=law)
    if len(equality):
        root.append(equality)


def _add_keyframes(root: ET.Element, tree: Tree, moving: Sequence[str], base: Sequence[str]) -> None:
    """Add the named states; a follower stands where its leader puts it."""
    if not tree.states:
        return
    joints = {joint.name: joint for joint in tree.joints}
    keyframe = ET.SubElement(root, "keyframe")

    def values(of: tuple[tuple[str, float], ...], offsets: bool) -> str:
        known = dict(of)

        def value(name: str) -> float:
            mimic = joints[name].mimic
            if mimic is None:
                return known.get(name, 0.0)
            return mimic.ratio * value(mimic.leader) + offsets * mimic.offset

        return numbers(map(value, moving))

    for state in tree.states:
        q, qd = values(state.q, True), values(state.qd, False)
        if tree.floating:
            pose, motion = _base_of(base, dict(state.q), dict(state.qd))
            q, qd = f"{pose} {q}".rstrip(), f"{motion} {qd}".rstrip()
        ET.SubElement(keyframe, "key", name=state.name, qpos=q, qvel=qd)


def _base_of(base: Sequence[str], q: Mapping[str, float], qd: Mapping[str, float]) -> tuple[str, str]:
    """Return pose and motion of a base as MuJoCo has them: the scalar first, the linear velocity in world axes."""
    place, turn = base[:3], base[3:7]
    x, y, z, w = (q.get(name, float(name == turn[-1])) for name in turn)
    pose = [*(q.get(name, 0.0) for name in place), w, x, y, z]
    motion = np.array([qd.get(name, 0.0) for name in base[7:]])
    r, v = np.array([x, y, z]), motion[:3]
    across = 2 * np.cross(r, v) / (x * x + y * y + z * z + w * w)
    return numbers(pose), numbers([*(v + w * across + np.cross(r, across)), *motion[3:]])
