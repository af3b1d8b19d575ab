"""Joints given by screws: a line in space, and the pitch of the motion along it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rne.check import Vector
from rne.errors import ArgumentError, shown
from rne.model.tree import Body, Joint, Limits, Mimic, Pose
from rne.read.poses import as_vector

Array = NDArray[np.float64]

UNIT = 1e-9
"""Tolerated deviation of a screw from unit length, or of its pitch from zero."""


@dataclass(frozen=True)
class Screw:
    """A screw [w, v] taken apart.

    Attributes
    ----------
    direction : of the line, a unit vector.
    point : point of the line nearest to the origin; arbitrary for a translation.
    size : motion per unit of the coordinate, rad, or m for a translation.
    pitch : m of travel per rad; None for a slide.
    """

    direction: Array
    point: Array
    size: float
    pitch: float | None


def taken_apart(argument: str, screw: Array) -> Screw:
    """Return line, size and pitch of a screw (6,), angular part first.

    Raises
    ------
    ArgumentError
        It is all zeros.
    """
    w, v = screw[:3], screw[3:]
    turn, travel = float(np.linalg.norm(w)), float(np.linalg.norm(v))
    if turn > UNIT * max(1.0, travel):
        pitch = float(w @ v) / turn**2
        pitch = pitch if abs(pitch) > UNIT * max(1.0, travel) else 0.0
        return Screw(w / turn, np.cross(w, v) / turn**2, _unit(turn), pitch)
    if travel == 0:
        raise ArgumentError(f"{argument}: wanted a screw [w, v], and not all zeros, got {shown(screw.tolist())}")
    return Screw(v / travel, np.zeros(3), _unit(travel), None)


def _unit(size: float) -> float:
    return 1.0 if abs(size - 1.0) <= UNIT else size


def moved(screw: Array, rotation: Array, position: Array) -> Array:
    """Transform a screw to an outer frame: the adjoint of Lynch and Park (3.3.2)."""
    w = rotation @ screw[:3]
    return np.concatenate([w, rotation @ screw[3:] + np.cross(position, w)])


def screw_joint(joint: Joint, screw: Screw) -> tuple[list[Body], list[Joint]]:
    """Return the joints, and the bodies without mass between them, of what a screw moves.

    A pitch is a slide that follows the turn, and a size other than one is a second joint on the same line that follows
    the first: the coordinate stays that of `joint`, and the dynamics are exact.

    Parameters
    ----------
    joint : its names, parent, child and the placement of the child; the kind and the axis are those of the screw.
    screw : in the axes of the parent, about its origin.
    """
    R, place = np.array(joint.origin.rotation), np.array(joint.origin.position)
    slides = screw.pitch is None
    kind = "prismatic" if slides else "revolute"
    # The axis of a joint passes through the origin of its child; a translation has no position.
    nearest = place if slides else screw.point + screw.direction @ (place - screw.point) * screw.direction
    offset = R.T @ (place - nearest)
    bolted = float(np.abs(offset).max()) > UNIT * max(1.0, float(np.abs(place).max()))
    steps: list[tuple[str, str, Mimic | None]] = [(joint.name, kind, joint.mimic)]
    if screw.size != 1.0:
        steps.append((f"{joint.name}_more", kind, Mimic(joint.name, screw.size - 1.0)))
    if screw.pitch:
        steps.append((f"{joint.name}_travel", "prismatic", Mimic(joint.name, screw.pitch * screw.size)))
    ends = [f"{joint.child}_axis", f"{joint.child}_more", f"{joint.child}_travel"][: len(steps)]
    if not bolted:
        ends[-1] = joint.child
    axis: Vector = as_vector(R.T @ screw.direction)
    start = Pose(joint.origin.rotation, as_vector(nearest) if bolted else joint.origin.position)
    joints, parent = [], joint.parent
    for (name, what, mimic), end in zip(steps, ends, strict=True):
        first = name == joint.name
        limits, drive = (joint.limits, joint.drive) if first else (Limits(), Joint.drive)
        joints.append(Joint(name, what, parent, end, start if first else Pose(), axis, limits, drive, mimic))
        parent = end
    if bolted:
        joints.append(Joint(f"{joint.child}_fixed", "fixed", parent, joint.child, Pose(position=as_vector(offset))))
    return [Body(end, has_inertial=False) for end in ends if end != joint.child], joints
