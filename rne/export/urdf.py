"""URDF from a tree.

URDF has no rotors and springs. They are written in the form of Drake and Gazebo, which other programs ignore.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rne.export.document import (
    FREE,
    UNLIMITED,
    Losses,
    in_order,
    number,
    numbers,
    rpy_of,
    symmetric_friction,
    unused,
    xml_text,
)

if TYPE_CHECKING:
    from rne.model.tree import Body, Joint, Pose, Tree

FORMAT = "URDF"
SUFFIXES = (".urdf", ".xml")
STANDARD_GRAVITY = (0.0, 0.0, -9.81)
DRAKE = "http://drake.mit.edu"


def urdf_of(tree: Tree, coordinates: Sequence[str]) -> tuple[str, Losses]:
    """Return a tree as URDF, and what that cannot hold; its coordinates come in the order of the file.

    Raises
    ------
    ModelError
        A name cannot stand in XML.
    ArgumentError
        A link has first moments without a mass.
    """
    losses = Losses(tree, FORMAT)
    losses.add_states(tree)
    if tuple(tree.gravity) != STANDARD_GRAVITY:
        losses.add(f"the gravity {tuple(tree.gravity)} is not written, readers take that of the Earth along -z")
    root = ET.Element("robot", name=tree.name)
    joints = in_order(tree, coordinates)
    if tree.floating:
        root.extend(_free(tree))
    root.extend([_link(body) for body in tree.bodies])
    root.extend([_joint(joint, losses) for joint in joints])
    for joint in joints:
        _add_drive(root, joint, losses)
    for coupling in tree.couplings:
        losses.add("springs and dampers between joints are not written", f"{coupling.first} - {coupling.second}")
    return xml_text(root, tree), losses


def _free(tree: Tree) -> list[ET.Element]:
    """Return a link for the world, and the floating joint on which the root hangs."""
    world = unused("world", tree.bodies)
    joint = ET.Element("joint", name=unused(FREE, tree.joints), type="floating")
    ET.SubElement(joint, "parent", link=world)
    ET.SubElement(joint, "child", link=tree.root)
    return [ET.Element("link", name=world), joint]


def _link(body: Body) -> ET.Element:
    link = ET.Element("link", name=body.name)
    if body.has_inertial:
        whole = body.to_inertia()
        inertial = ET.SubElement(link, "inertial")
        ET.SubElement(inertial, "origin", xyz=numbers(whole.com), rpy="0 0 0")
        ET.SubElement(inertial, "mass", value=number(whole.mass))
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = whole.tensor.tolist()
        six = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
        ET.SubElement(inertial, "inertia", {key: number(value) for key, value in six.items()})
    return link


def _joint(joint: Joint, losses: Losses) -> ET.Element:
    limits = joint.limits
    free = math.isinf(limits.lower) and math.isinf(limits.upper)
    kind = "continuous" if joint.kind == "revolute" and free else joint.kind
    element = ET.Element("joint", name=joint.name, type=kind)
    element.append(_origin(joint.origin))
    ET.SubElement(element, "parent", link=joint.parent)
    ET.SubElement(element, "child", link=joint.child)
    if not joint.movable:
        return element
    ET.SubElement(element, "axis", xyz=numbers(joint.axis))
    bounds = {"effort": limits.effort, "velocity": limits.velocity}
    if kind != "continuous":
        bounds |= {"lower": limits.lower, "upper": limits.upper}
    if kind != "continuous" or any(map(math.isfinite, bounds.values())):
        ET.SubElement(element, "limit", {key: _bound(value, key, joint, losses) for key, value in bounds.items()})
    friction = symmetric_friction(joint, losses)
    if joint.drive.viscous or friction:
        ET.SubElement(element, "dynamics", damping=number(joint.drive.viscous), friction=number(friction))
    if joint.mimic is not None:
        follows = joint.mimic
        ET.SubElement(
            element, "mimic", joint=follows.leader, multiplier=number(follows.ratio), offset=number(follows.offset)
        )
    return element


def _origin(pose: Pose) -> ET.Element:
    return ET.Element("origin", xyz=numbers(pose.position), rpy=numbers(rpy_of(pose.rotation)))


def _bound(value: float, key: str, joint: Joint, losses: Losses) -> str:
    if math.isinf(value):
        losses.add(f"the format requires a limit; {UNLIMITED:g} is written for {key}, which is unlimited", joint.name)
        value = math.copysign(UNLIMITED, value)
    return number(value)


def _add_drive(root: ET.Element, joint: Joint, losses: Losses) -> None:
    """Add rotor and spring of a joint in the elements of Drake and Gazebo."""
    drive = joint.drive
    if drive.rotor_inertia and joint.movable:
        root.set("xmlns:drake", DRAKE)
        transmission = ET.SubElement(root, "transmission", name=f"{joint.name}_transmission")
        ET.SubElement(transmission, "type").text = "transmission_interface/SimpleTransmission"
        ET.SubElement(transmission, "joint", name=joint.name)
        motor = ET.SubElement(transmission, "actuator", name=f"{joint.name}_motor")
        ET.SubElement(motor, "drake:rotor_inertia", value=number(drive.rotor_inertia))
        ET.SubElement(motor, "drake:gear_ratio", value=number(drive.gear_ratio))
        losses.add("rotor inertias are in the <transmission> of Drake, which other readers pass over", joint.name)
    if drive.stiffness and joint.movable:
        spring = ET.SubElement(root, "gazebo", reference=joint.name)
        ET.SubElement(spring, "implicitSpringDamper").text = "true"
        ET.SubElement(spring, "springStiffness").text = number(drive.stiffness)
        ET.SubElement(spring, "springReference").text = number(drive.rest)
        losses.add("joint springs are in the <gazebo> of Gazebo, which other readers pass over", joint.name)
