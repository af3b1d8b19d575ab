"""What URDF has no place for and other programs keep in the file: rotors, gears, springs and damping of the joints.

============================ ================================================================================
where                        what
============================ ================================================================================
``<transmission>``           ``<rotor_inertia value>``, ``<gear_ratio value>`` of Drake, with its prefix or
                             without; ``<mechanicalReduction>`` of ROS where no gear ratio is
``<gazebo reference=JOINT>`` ``<springStiffness>``, ``<springReference>``, ``<damping>``, ``<friction>``; the same
                             in ``<dynamics>`` as SDF spells it
``<dynamics>`` of a joint    ``spring_stiffness`` or ``stiffness``, ``spring_reference``, ``armature``;
                             ``mu_viscous``, ``mu_coulomb`` where ``damping``, ``friction`` are not
``<mujoco>``                 ``<joint name>`` with ``armature``, ``damping``, ``frictionloss``, ``stiffness``,
                             ``springref``; the same in ``<joint>`` of ``<default>``, for all joints
============================ ================================================================================

Sources: the pages "URDF/SDFormat support" of Drake, "Gazebo plugins in URDF", and the XML reference of MuJoCo.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rne.errors import listed
from rne.model.checks import check_drive
from rne.model.drive import Drive
from rne.model.findings import Findings, WrongValueError
from rne.model.tree import Joint
from rne.read.urdf.nodes import parse_numbers
from rne.read.urdf.xmltree import Element

ROTOR, GEAR, REDUCTION, ARMATURE = "rotor inertia", "gear ratio", "mechanical reduction", "armature"
DAMPING, FRICTION, STIFFNESS, REST = "damping", "friction", "spring", "rest position of the spring"
EVERY = ""
"""Stands for all joints."""

_GAZEBO = {
    "springStiffness": STIFFNESS,
    "spring_stiffness": STIFFNESS,
    "damping": DAMPING,
    "springReference": REST,
    "spring_reference": REST,
    "friction": FRICTION,
}
_DYNAMICS = {"spring_stiffness": STIFFNESS, "stiffness": STIFFNESS, "spring_reference": REST, "armature": ARMATURE}
_INSTEAD = {"mu_viscous": ("damping", DAMPING), "mu_coulomb": ("friction", FRICTION)}
_MUJOCO = {
    "armature": ARMATURE,
    "damping": DAMPING,
    "frictionloss": FRICTION,
    "stiffness": STIFFNESS,
    "springref": REST,
}
_ACTUATOR = {"rotor_inertia": ROTOR, "gear_ratio": GEAR}
_REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")
_DRIVE = {ROTOR: "rotor_inertia", GEAR: "gear_ratio", STIFFNESS: "stiffness", REST: "rest", DAMPING: "viscous"}


@dataclass(frozen=True)
class _Said:
    """A number that a file says of a joint: which of its quantities, where, and the text."""

    joint: str
    quantity: str
    where: str
    text: str
    line: int


def with_extensions(robot: Element, joints: Sequence[Joint], findings: Findings, read: bool) -> list[Joint]:
    """Return the joints with what the extensions of a file say of them.

    Parameters
    ----------
    robot : the outermost element.
    joints : as URDF proper has them.
    findings : collects doubts: invalid numbers, and quantities with two different values.
    read : whether to do so; if not, there is one note on what would have an effect.
    """
    movable = {joint.name for joint in joints if joint.movable}
    said = [one for one in _all_said(robot) if one.joint in movable or one.joint == EVERY]
    if not said:
        return list(joints)
    if not read:
        _tell_unread(said, joints, findings)
        return list(joints)
    values = _values(said, findings)
    return [_driven(joint, values, findings) if joint.movable else joint for joint in joints]


def _all_said(robot: Element) -> Iterator[_Said]:
    for element in robot.children:
        if element.tag == "transmission":
            yield from _in_transmission(element)
        elif element.tag == "ros2_control":
            for inner in element.children:
                if inner.tag == "transmission":
                    yield from _in_transmission(inner)
        elif element.tag == "gazebo" and "reference" in element.attributes:
            yield from _in_gazebo(element)
        elif element.tag == "mujoco":
            yield from _in_mujoco(element)
        elif element.tag == "joint":
            yield from _in_joint(element)


def _in_transmission(element: Element) -> Iterator[_Said]:
    """Yield what a transmission between one motor and one joint says; those of several couple them, and are left."""
    joints = {child.attributes.get("name", "") for child in element.children if child.tag == "joint"}
    if len(joints) != 1 or sum(child.tag == "actuator" for child in element.children) > 1:
        return
    (joint,) = joints
    for inner in element.walk():
        local = inner.tag.rpartition(":")[2]
        if local in _ACTUATOR:
            text = inner.attributes.get("value", inner.text)
            yield _Said(joint, _ACTUATOR[local], "<transmission>", text, inner.line)
        elif local in _REDUCTIONS:
            yield _Said(joint, REDUCTION, "<transmission>", inner.text, inner.line)


def _in_gazebo(element: Element) -> Iterator[_Said]:
    inside = [
        *element.children,
        *(part for inner in element.walk() if inner.tag == "dynamics" for part in inner.children),
    ]
    for inner in inside:
        if inner.tag in _GAZEBO:
            text = inner.text or inner.attributes.get("value", "")
            yield _Said(element.attributes["reference"], _GAZEBO[inner.tag], "<gazebo>", text, inner.line)


def _in_mujoco(element: Element) -> Iterator[_Said]:
    for inner in element.walk():
        if inner.tag == "default":
            yield from (
                said for child in inner.children if child.tag == "joint" for said in _mujoco_joint(child, EVERY)
            )
        elif inner.tag == "joint" and "name" in inner.attributes:
            yield from _mujoco_joint(inner, inner.attributes["name"])
        elif inner.tag == "joint" and "reference" in element.attributes:
            yield from _mujoco_joint(inner, element.attributes["reference"])


def _mujoco_joint(element: Element, joint: str) -> Iterator[_Said]:
    for key, quantity in _MUJOCO.items():
        if key in element.attributes:
            yield _Said(joint, quantity, "<mujoco>", element.attributes[key], element.line)


def _in_joint(element: Element) -> Iterator[_Said]:
    name = element.attributes.get("name", "")
    for child in element.children:
        if child.tag == "dynamics":
            for key, quantity in _DYNAMICS.items():
                if key in child.attributes:
                    yield _Said(name, quantity, "<dynamics>", child.attributes[key], child.line)
            for key, (standard, quantity) in _INSTEAD.items():
                if key in child.attributes and standard not in child.attributes:
                    yield _Said(name, quantity, "<dynamics>", child.attributes[key], child.line)
        elif child.tag == "mujoco":
            for inner in child.walk():
                if inner.tag in ("mujoco", "joint"):
                    yield from _mujoco_joint(inner, name)


def _number(said: _Said) -> float:
    return parse_numbers(said.text, 1)[0]


def _tell_unread(said: Sequence[_Said], joints: Sequence[Joint], findings: Findings) -> None:
    """Note once what acts on the joints and is not read: neither zeros, nor gears alone, nor what is read elsewhere."""
    drives = {joint.name: joint.drive for joint in joints}
    felt: dict[str, list[_Said]] = {}
    for one in said:
        if one.quantity in (GEAR, REDUCTION, REST):
            continue
        drive = drives.get(one.joint, Drive())
        known = {DAMPING: drive.viscous, FRICTION: drive.coulomb_plus}.get(one.quantity, 0.0)
        try:
            if _number(one) == known:
                continue
        except WrongValueError:
            pass  # whatever it means, it means something
        felt.setdefault(f"{one.quantity} in {one.where}", []).append(one)
    if not felt:
        return
    parts = [f"{what} ({_joints_of(some)})" for what, some in felt.items()]
    line = min(one.line for some in felt.values() for one in some)
    findings.at("", line).note(
        f"not read, though it acts on the torques: {'; '.join(parts)}; extensions=True (--extensions) reads it",
        "extensions",
    )


def _joints_of(said: Sequence[_Said]) -> str:
    names = list(dict.fromkeys(one.joint for one in said))
    if EVERY in names:
        return "all joints"
    return listed(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"


def _values(said: Sequence[_Said], findings: Findings) -> dict[tuple[str, str], float]:
    """Return the numbers by joint and quantity; of several that differ the first."""
    values: dict[tuple[str, str], float] = {}
    for one in said:
        spot = findings.at(f"joint {one.joint!r}" if one.joint else "all joints", one.line)
        try:
            number = _number(one)
        except WrongValueError as wrong:
            spot.doubt(f"the {one.quantity} in {one.where} {wrong}; it is left out")
            continue
        first = values.setdefault((one.joint, one.quantity), number)
        if first != number:
            spot.doubt(f"the {one.quantity} in {one.where} is {number:g}, elsewhere {first:g}; the first is taken")
    return values


def _driven(joint: Joint, values: dict[tuple[str, str], float], findings: Findings) -> Joint:
    said = {quantity: number for (name, quantity), number in values.items() if name == EVERY}
    said |= {quantity: number for (name, quantity), number in values.items() if name == joint.name}
    spot = findings.at(f"joint {joint.name!r}", joint.line)
    if GEAR in said and said.get(REDUCTION, said[GEAR]) != said[GEAR]:
        spot.note(f"the gear ratio is {said[GEAR]:g}, the mechanical reduction {said[REDUCTION]:g}; the first is taken")
    gear = said.get(GEAR, said.get(REDUCTION, 1.0))
    rotor = said.get(ROTOR)
    if rotor is not None and ARMATURE in said:
        spot.doubt(f"a rotor inertia and an armature of {said[ARMATURE]:g} are given; the rotor inertia is taken")
    changes = {_DRIVE[quantity]: number for quantity, number in said.items() if quantity in _DRIVE and quantity != GEAR}
    if rotor is not None:
        changes["gear_ratio"] = gear
    elif ARMATURE in said:
        changes["rotor_inertia"] = said[ARMATURE]
    if FRICTION in said:
        changes |= {"coulomb_plus": said[FRICTION], "coulomb_minus": said[FRICTION]}
    if not changes:
        return joint
    check_drive(Drive(**changes), spot)
    for key, what in ("viscous", "damping"), ("coulomb_plus", "friction"):
        before = getattr(joint.drive, key)
        if before and changes.get(key, before) != before:
            spot.note(f"the {what} is {changes[key]:g} in an extension, {before:g} in <dynamics>; the first is taken")
    return replace(joint, drive=replace(joint.drive, **changes))
