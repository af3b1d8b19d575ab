"""URDF: the XML robot description of ROS.

Read are the links with their inertials and the joints with origin, axis, limits, dynamics and mimic. Everything else
(visual and collision shapes, meshes, transmissions, plugins, elements of other programs) is left unopened, and
listed in `Tree.ignored`.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace

from rne.check import ZERO, Matrix, Vector, check_flag
from rne.errors import shown
from rne.model.checks import (
    check_body,
    check_drive,
    check_limits,
    check_passive,
    check_place,
    note_far,
    note_weightless,
)
from rne.model.drive import Drive
from rne.model.findings import Findings
from rne.model.structure import check_structure, parents_first
from rne.model.tree import Body, Joint, Limits, Mimic, Pose, Tree
from rne.read.files import file_name, read_bytes
from rne.read.followers import free_followers
from rne.read.poses import rotate_tensor, rotation_rpy, tensor
from rne.read.urdf.extensions import with_extensions
from rne.read.urdf.free_root import FLOATING, release_base
from rne.read.urdf.grammar import MIRRORED, check_grammar
from rne.read.urdf.leftovers import check_leftovers
from rne.read.urdf.nodes import Node
from rne.read.urdf.planar import PLANAR, check_planar, unfold_planar
from rne.read.urdf.repeats import each_once
from rne.read.urdf.xmltree import Element, parse

KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "planar": PLANAR,
}
"""What a joint of URDF is here."""
DEFAULT_AXIS: Vector = (1.0, 0.0, 0.0)
VERSIONS = ("1.0", "1")
NAMELESS = "robot"

_OTHER_ROOTS = {
    "sdf": "this is SDF, not URDF; convert it to URDF first",
    "mujoco": "this is MJCF (MuJoCo), not URDF; rne.load_mjcf reads it",
}


def read_urdf(path_or_text: str | bytes | os.PathLike[str], *, strict: bool = True, extensions: bool = False) -> Tree:
    """Read a URDF file or text.

    Parameters
    ----------
    path_or_text : a path, or the document itself: text that contains ``<``, or bytes.
    strict : whether doubts are errors: unphysical values (a negative mass, an indefinite inertia), and what may be lost
        or meant otherwise (a misspelt attribute, two different inertias, an inertia left out). If False they become
        notes of the tree. What has no defensible reading is always an error. `docs/robots.md` has the list.
    extensions : whether to read rotors, springs and damping where other programs keep them, see
        `rne.read.urdf.extensions`. If False, what is there and acts on the robot is a note of the tree.

    Returns
    -------
    Tree
        Links and joints in the order of the file, lengths in m, angles in rad, masses in kg, inertias in kg m^2 about
        the center of mass in the axes of the link. Gravity is the standard (0, 0, -9.81) m/s^2.

    Raises
    ------
    ModelError
        The file cannot be read or is not a robot; contains all problems found, each with its line.
    ArgumentError
        The argument is neither text, bytes nor a path.

    Examples
    --------
    >>> tree = read_urdf('''<robot name="pendulum">
    ...   <link name="base"/>
    ...   <link name="bob">
    ...     <inertial>
    ...       <origin xyz="0 0 -0.5"/> <mass value="2"/>
    ...       <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>
    ...     </inertial>
    ...   </link>
    ...   <joint name="swing" type="continuous">
    ...     <parent link="base"/> <child link="bob"/> <axis xyz="0 2 0"/>
    ...   </joint>
    ... </robot>''')
    >>> tree.bodies[1].mass, tree.bodies[1].com
    (2.0, (0.0, 0.0, -0.5))
    >>> tree.joints[0].kind, tree.joints[0].axis
    ('revolute', (0.0, 1.0, 0.0))
    """
    check_flag("extensions", extensions)
    findings, data, encoding = open_urdf(path_or_text, strict)
    return read_document(data, findings, encoding, extensions)


def read_document(data: bytes, findings: Findings, encoding: str | None = None, extensions: bool = False) -> Tree:
    """Read a URDF document; the parameters are those of `rne.read.xmltree.parse`, result and errors as for a file."""
    robot = parse(data, findings, encoding)
    _check_document(robot, findings)
    ignored = check_grammar(robot, findings)
    name = _read_name(robot, findings)
    bodies = [_read_link(element, findings) for element in each_once(robot, "link", findings)]
    joints = [_read_joint(element, findings) for element in each_once(robot, "joint", findings)]
    bodies, joints, floating = release_base(bodies, joints, findings)
    joints = with_extensions(robot, free_followers(joints, findings), findings, extensions)
    bodies, joints = unfold_planar(bodies, joints)
    check_structure(bodies, joints, findings)
    check_passive(joints, (), findings)
    if not findings.errors:
        note_weightless(parents_first(bodies, joints), bodies, findings)
    notes = findings.close()
    parts = tuple(bodies), tuple(joints)
    return Tree(name, *parts, source=findings.where, notes=notes, ignored=ignored, floating=floating)


def open_urdf(path_or_text: str | bytes | os.PathLike[str], strict: bool) -> tuple[Findings, bytes, str | None]:
    """Return empty findings, the document, and its encoding if that is known better than the document says."""
    if isinstance(path_or_text, bytes):
        return Findings("<urdf>", strict), path_or_text, None
    if isinstance(path_or_text, str) and "<" in path_or_text:
        # Text is decoded already, so the encoding it declares no longer holds.
        return Findings("<urdf>", strict), path_or_text.encode("utf-8", "surrogatepass"), "utf-8"
    findings = Findings(file_name(path_or_text, "the text of a URDF file begins with <", "path_or_text"), strict)
    return findings, read_bytes(findings), None


def _check_document(robot: Element, findings: Findings) -> None:
    spot = findings.at(f"<{robot.tag}>", robot.line)
    if robot.tag != "robot":
        spot.fail(_OTHER_ROOTS.get(robot.tag, "the outermost element of URDF is <robot>"))
    check_leftovers(robot, findings)


def _read_name(robot: Element, findings: Findings) -> str:
    """Return the name of the robot; note that it has none, or a version whose news would be passed over."""
    node = Node(robot, "<robot>", findings)
    name, version = node.text("name"), node.text("version")
    if version is not None and version.strip() not in VERSIONS:
        node.spot.note(
            f"version {shown(version)} of URDF is not known; it is read as version 1.0, without what is new in it"
        )
    if name is None or not name.strip():
        node.spot.note(f"the robot has no name, which the format demands; it is called {NAMELESS!r}")
        return NAMELESS
    return name


def _read_link(element: Element, findings: Findings) -> Body:
    name = Node(element, "link", findings).needed_text("name")
    node = Node(element, f"link {name!r}", findings)
    inertial = node.child("inertial")
    if inertial is None:
        return Body(name, has_inertial=False, line=element.line)
    errors = len(findings.errors)
    origin = _read_pose(inertial)
    mass, inertia = inertial.needed_child("mass"), inertial.child("inertia")
    if inertia is None:
        inertial.spot.doubt("<inertial> has no <inertia>, which the format demands; the link is taken as a point mass")
    body = Body(
        name,
        mass=mass.needed_number("value") if mass else 0.0,
        com=origin.position,
        inertia=rotate_tensor(origin.rotation, _read_tensor(inertia)) if inertia else Body.inertia,
        line=element.line,
    )
    if len(findings.errors) == errors:  # otherwise the numbers are stand-ins
        check_body(body, inertial.spot)
    return body


def _read_tensor(inertia: Node) -> Matrix:
    ixx, iyy, izz = map(inertia.needed_number, ("ixx", "iyy", "izz"))
    missing = [key for key in MIRRORED.values() if not inertia.has(key)]
    if missing:
        plural = "s" if len(missing) > 1 else ""
        inertia.spot.doubt(
            f"<inertia> has no attribute{plural} {', '.join(map(repr, missing))}, which the format demands; what is "
            "missing is taken from its mirror (iyx for ixy), or as zero"
        )
    keys = (key if inertia.has(key) else mirror for mirror, key in MIRRORED.items())
    ixy, ixz, iyz = (inertia.number(key, 0.0) for key in keys)
    return tensor(ixx, iyy, izz, ixy, ixz, iyz)


def _read_pose(node: Node) -> Pose:
    origin = node.child("origin")
    if origin is None:
        return Pose()
    if origin.has("quat_xyzw"):
        origin.spot.error("<origin> quat_xyzw is not supported yet; give the rotation as rpy")
    rpy = origin.vector("rpy", ZERO)
    if max(map(abs, rpy)) > math.tau + 1e-9:
        origin.spot.note(
            f"rpy = {' '.join(f'{angle:g}' for angle in rpy)} is more than a full turn; angles are in radians"
        )
    return Pose(rotation_rpy(rpy), origin.vector("xyz", ZERO))


def _read_joint(element: Element, findings: Findings) -> Joint:
    name = Node(element, "joint", findings).needed_text("name")
    node = Node(element, f"joint {name!r}", findings)
    kind = node.needed_text("type")
    if kind and kind not in KINDS and kind != FLOATING:
        node.spot.error(f"type {kind!r} is unknown{findings.hint(kind, KINDS)}; known are {', '.join(KINDS)}")
    parent, child = node.needed_child("parent"), node.needed_child("child")
    fixed = Joint(
        name,
        "fixed",
        parent=parent.needed_text("link") if parent else "",
        child=child.needed_text("link") if child else "",
        origin=_read_pose(node),
        line=element.line,
    )
    note_far("the distance from its parent", math.hypot(*fixed.origin.position), node.spot)
    if kind == FLOATING:
        return replace(fixed, kind=FLOATING)
    joint = fixed if KINDS.get(kind, "fixed") == "fixed" else _make_movable(fixed, kind, node)
    check_place(joint, node.spot)
    return joint


def _make_movable(joint: Joint, kind: str, node: Node) -> Joint:
    if kind == PLANAR:
        check_planar(node)
        return replace(joint, kind=PLANAR, axis=_read_axis(node))
    return replace(
        joint,
        kind=KINDS[kind],
        axis=_read_axis(node),
        limits=_read_limits(node, kind),
        drive=_read_drive(node),
        mimic=_read_mimic(node),
    )


def _read_axis(node: Node) -> Vector:
    axis = node.child("axis")
    if axis is None:
        return DEFAULT_AXIS
    if not axis.has("xyz"):
        axis.spot.doubt("<axis> has no attribute 'xyz', which the format demands; it is taken as 1 0 0, its default")
    x, y, z = axis.vector("xyz", DEFAULT_AXIS)
    # Scaling first keeps the squares of very large and very small numbers in range.
    size = max(abs(x), abs(y), abs(z))
    if size == 0:
        axis.spot.error("the axis is zero; a direction is wanted, for example 0 0 1")
        return DEFAULT_AXIS
    x, y, z = x / size, y / size, z / size
    length = math.hypot(x, y, z)
    return x / length, y / length, z / length


def _read_limits(node: Node, kind: str) -> Limits:
    limit = node.child("limit")
    if limit is None:
        return Limits()
    errors = len(node.findings.errors)
    lower, upper = -math.inf, math.inf
    if limit.has("lower") or limit.has("upper"):
        bounds = limit.number("lower", 0.0), limit.number("upper", 0.0)
        if kind != "continuous":
            lower, upper = bounds
    elif kind != "continuous":
        limit.spot.note("<limit> has neither lower nor upper; the position is taken as free")
    limits = Limits(lower, upper, limit.number("velocity", math.inf), limit.number("effort", math.inf))
    if len(node.findings.errors) == errors:
        check_limits(limits, limit.spot)
    return limits


def _read_drive(node: Node) -> Drive:
    dynamics = node.child("dynamics")
    if dynamics is None:
        return Drive()
    friction = dynamics.number("friction", 0.0)
    drive = Drive(viscous=dynamics.number("damping", 0.0), coulomb_plus=friction, coulomb_minus=friction)
    check_drive(drive, dynamics.spot)
    return drive


def _read_mimic(node: Node) -> Mimic | None:
    mimic = node.child("mimic")
    if mimic is None:
        return None
    return Mimic(mimic.needed_text("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
