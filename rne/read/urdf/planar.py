"""Planar joints: two slides in the plane and a turn about its normal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rne.check import Vector
from rne.model.tree import Body, Joint
from rne.read.urdf.nodes import Node

PLANAR = "planar"
"""Kind of such a joint until `unfold_planar` has taken it apart."""
SUFFIXES = ("x", "y", "theta")
"""Of the names of the three joints."""


def check_planar(joint: Node) -> None:
    """Report what is read of other joints and says nothing of a planar one."""
    if joint.child("axis") is None:
        joint.spot.note("a planar joint without <axis> moves in the plane across x, the default of the format")
    mimic = joint.child("mimic")
    if mimic is not None:
        mimic.spot.error("a planar joint cannot mimic another; it has three coordinates")
    for tag in ("limit", "dynamics"):
        child = joint.child(tag)
        if child is not None and child.element.attributes:
            child.spot.note(f"<{tag}> of a planar joint is ignored; it does not say which of its coordinates is meant")


def unfold_planar(bodies: Sequence[Body], joints: Sequence[Joint]) -> tuple[list[Body], list[Joint]]:
    """Replace planar joints by three joints and two links without mass, called after the joint.

    ``NAME_x`` slides along the first axis of the plane, ``NAME_y`` along the second, ``NAME_theta`` turns about the
    normal. The first axis is the coordinate axis that follows the nearest one of the normal, made perpendicular: a
    normal along z gives x and y, one along x gives y and z.

    Returns
    -------
    bodies, joints : in the order of the file.
    """
    more: list[Body] = []
    unfolded: list[Joint] = []
    for joint in joints:
        if joint.kind != PLANAR:
            unfolded.append(joint)
            continue
        first, second = _directions(joint.axis)
        names = [f"{joint.name}_{suffix}" for suffix in SUFFIXES]
        more += [Body(name, has_inertial=False, line=joint.line) for name in names[:2]]
        links = [joint.parent, *names[:2], joint.child]
        slide = replace(joint, name=names[0], kind="prismatic", child=links[1], axis=first)
        across = Joint(names[1], "prismatic", links[1], links[2], axis=second, line=joint.line)
        turn = Joint(names[2], "revolute", links[2], links[3], axis=joint.axis, line=joint.line)
        unfolded += [slide, across, turn]
    return [*bodies, *more], unfolded


def _directions(normal: Vector) -> tuple[Vector, Vector]:
    """Return two unit vectors that make a right-handed frame with a normal of length one."""
    nearest = max(range(3), key=lambda k: abs(normal[k]))
    start = [float(k == (nearest + 1) % 3) for k in range(3)]
    along = normal[(nearest + 1) % 3]
    x, y, z = (s - along * n for s, n in zip(start, normal, strict=True))
    length = (x * x + y * y + z * z) ** 0.5
    x, y, z = x / length, y / length, z / length
    a, b, c = normal
    return (x, y, z), (b * z - c * y, c * x - a * z, a * y - b * x)
