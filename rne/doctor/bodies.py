"""Findings about bodies: masses and inertias compared with the shapes, the size of the robot and each other.

Physically impossible values (`rne.bodies.physical`) in a file are found by its reader, since every load reports them. A
robot that was built or changed in Python is checked against the same rule here. All other findings in this module are
values that are possible but unlikely.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rne.bodies.physical import POINT_RADIUS, faults
from rne.doctor.report import Finding
from rne.errors import Problem
from rne.model.checks import FAR
from rne.model.robot import Robot
from rne.model.tree import Body
from rne.read.urdf.geometry import Geometry

Array = NDArray[np.float64]

# Rules of thumb, chosen such that among the 69 robots of example-robot-data only those with a fault are reported.
DENSEST = 3000.0  # kg per cube of the reach, m^3; arms have 10 to 30, hands and grippers 100 to 300
HEAVY = 100.0  # kg; a lighter robot is not suspected of masses in grams
TINY_GYRATION = 2e-4  # m; a smaller radius of gyration suggests a wrong unit of the inertia
PLACEHOLDERS = 3  # number of bodies of different mass with identical inertia
SLACK = 1.1  # shapes are drawn by hand, and rounded
# Times the largest distance between the frames of a link and its neighbors. Of sound links the radius of gyration is up
# to 3.2 times, the center of mass up to 2 times as far: a flat hand, a foot, a long tool.
FAR_GYRATION, FAR_CENTER = 4.0, 4.0


def examine(robot: Robot, geometry: Sequence[Geometry]) -> Iterator[Finding]:
    """Yield the findings about bodies."""
    reach = size(robot)
    shapes: dict[str, list[Geometry]] = {}
    for shape in geometry:
        shapes.setdefault(shape.link, []).append(shape)
    around = _surroundings(robot)
    for body in robot.tree.bodies:
        if body.has_inertial and body.mass > 0:
            found = [*_against_size(body, reach), *_against_shapes(body, shapes.get(body.name, []))]
            yield from found or _against_neighbors(body, around[body.name])
    yield from _placeholders(robot)
    yield from _units(robot, reach)


def impossible(robot: Robot) -> Iterator[Problem]:
    """Yield the reasons why bodies of the robot are physically impossible."""
    for body in robot.tree.bodies:
        for fault in faults(body.mass, body.com, body.inertia, body.first_moment):
            yield Problem(robot.tree.source, body.line, f"link {body.name!r}", fault.what, fault.code)


def size(robot: Robot, *, slides: bool = True) -> float:
    """Return the reach, m: the longest path through the joint origins, with slides fully extended, or at zero."""
    reach = {}
    longest = 0.0
    waiting = list(robot.tree.joints)
    roots = {body.name for body in robot.tree.bodies} - {joint.child for joint in waiting}
    reach.update(dict.fromkeys(roots, 0.0))
    children: dict[str, list[int]] = {}
    for k, joint in enumerate(waiting):
        children.setdefault(joint.parent, []).append(k)
    names = list(roots)
    while names:
        name = names.pop()
        for k in children.get(name, ()):
            joint = waiting[k]
            step = float(np.linalg.norm(joint.origin.position))
            if slides and joint.kind == "prismatic":
                step += max((abs(x) for x in (joint.limits.lower, joint.limits.upper) if np.isfinite(x)), default=0.0)
            reach[joint.child] = reach[name] + step
            names.append(joint.child)
    for body in robot.tree.bodies:
        longest = max(longest, reach[body.name] + (float(np.linalg.norm(body.com)) if body.mass else 0.0))
    return longest


def second_moments(body: Body) -> Array:
    """Return the second moments, integral of r r^T dm about the center of mass, kg m^2."""
    inertia = np.array(body.inertia)
    second: Array = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    return second


def _surroundings(robot: Robot) -> dict[str, float]:
    """Return for each link the largest distance between two frames, m, of its own joints and of its neighbors'."""
    steps: dict[str, float] = {}
    for joint in robot.tree.joints:
        step = float(np.linalg.norm(joint.origin.position))
        for link in (joint.parent, joint.child):
            steps[link] = max(step, steps.get(link, 0.0))
    around = dict.fromkeys((body.name for body in robot.tree.bodies), 0.0)
    for joint in robot.tree.joints:
        widest = max(steps[joint.parent], steps[joint.child])
        for link in (joint.parent, joint.child):
            around[link] = max(widest, around[link])
    return around


def _against_neighbors(body: Body, around: float) -> Iterator[Finding]:
    """Compare a body with the frames around it; a frame on the axis of a joint may be all that there is."""
    if not around:
        return
    where, center, gyration = f"link {body.name!r}", float(np.linalg.norm(body.com)), _gyration(body)
    if center > FAR_CENTER * around:
        what = f"its center of mass is {center:.3g} m from its frame, all frames around within {around:.3g} m"
        fix = "check <origin> and the unit (meters)"
        yield Finding("warning", "com-beyond-neighbors", where, what, fix, body.line)
    elif gyration > FAR_GYRATION * around:
        what = f"radius of gyration {gyration:.3g} m, but all frames around are within {around:.3g} m"
        fix = "check the unit of the inertia (kg m^2), and that it is about the center of mass"
        yield Finding("warning", "inertia-beyond-neighbors", where, what, fix, body.line)


def _gyration(body: Body) -> float:
    return float(np.sqrt(max(np.trace(second_moments(body)), 0.0) / body.mass))


def _against_size(body: Body, reach: float) -> Iterator[Finding]:
    where = f"link {body.name!r}"
    gyration = _gyration(body)
    if gyration < POINT_RADIUS:
        yield Finding("info", "point-mass", where, f"{body.mass:g} kg without inertia, a point mass", line=body.line)
    elif gyration < TINY_GYRATION:
        what = f"its mass lies within {1e3 * gyration:.2g} mm (radius of gyration) of the center of mass"
        yield Finding("warning", "inertia-tiny", where, what, "give the inertia in kg m^2", body.line)
    elif reach and gyration > reach:
        what = f"radius of gyration {gyration:.3g} m, but the whole robot reaches {reach:.3g} m"
        fix = "check the unit: 1 kg mm^2 is 1e-6 kg m^2, 1 kg cm^2 is 1e-4, 1 g mm^2 is 1e-9"
        yield Finding("warning", "inertia-huge", where, what, fix, body.line)


def _against_shapes(body: Body, shapes: Sequence[Geometry]) -> Iterator[Finding]:
    """Check that the center of mass lies within the shapes of a body, and that its mass does not extend beyond them.

    Skipped if the body has a visual mesh, which may be larger than the shapes that can be measured.
    """
    boxes = [(shape, half) for shape in shapes if (half := shape.half_extents) is not None]
    if not boxes or any(shape.kind == "mesh" and shape.role == "visual" for shape in shapes):
        return
    where = f"link {body.name!r}"
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for shape, half in boxes:
        reach = np.abs(np.array(shape.origin.rotation)) @ np.array(half)
        low, high = np.minimum(low, shape.origin.position - reach), np.maximum(high, shape.origin.position + reach)
    center, room = np.array(body.com), (SLACK - 1) * float(np.max(high - low))
    if (center < low - room).any() or (center > high + room).any():
        what = f"its center of mass {_numbers(center)} m lies outside its shapes, {_numbers(low)} to {_numbers(high)} m"
        yield Finding("warning", "com-outside-shape", where, what, "check <origin> and the unit (meters)", body.line)
        return
    farthest = np.maximum(high - center, center - low)
    moments = np.diagonal(second_moments(body))
    for axis, moment, far in zip("xyz", moments.tolist(), farthest.tolist(), strict=True):
        spread = math.sqrt(max(moment, 0.0) / body.mass)
        if spread > SLACK * far:
            what = f"its mass extends {spread:.3g} m along {axis}, its shapes end {far:.3g} m from the center of mass"
            fix = "check the unit of the inertia (kg m^2), and that it is about the center of mass"
            yield Finding("warning", "inertia-beyond-shape", where, what, fix, body.line)
            return


def _placeholders(robot: Robot) -> Iterator[Finding]:
    """Report identical isotropic inertias on bodies of different mass, which are placeholders, not measurements."""
    alike: dict[float, list[Body]] = {}
    for body in robot.tree.bodies:
        inertia = np.array(body.inertia)
        if body.mass > 0 and inertia[0, 0] > 0 and np.array_equal(inertia, inertia[0, 0] * np.eye(3)):
            alike.setdefault(float(inertia[0, 0]), []).append(body)
    for moment, bodies in alike.items():
        if len(bodies) >= PLACEHOLDERS and len({body.mass for body in bodies}) > 1:
            names = ", ".join(body.name for body in bodies[:4]) + (", ..." if len(bodies) > 4 else "")
            what = f"{len(bodies)} bodies of different mass have the same inertia, {moment:g} kg m^2 about every axis"
            fix = "replace the placeholders with measured or calculated values"
            yield Finding("warning", "inertia-placeholder", "", f"{what} ({names})", fix, bodies[0].line)


def _units(robot: Robot, reach: float) -> Iterator[Finding]:
    mass = robot.total_mass
    still = size(robot, slides=False)
    if still > FAR and not any(note.code == "unit-length" for note in robot.tree.notes):
        what = f"the robot reaches {still:.4g} m"
        yield Finding("warning", "unit-length", "", what, "lengths are in meters; divide millimeters by 1000")
    elif reach and mass > HEAVY and mass > DENSEST * reach**3:
        what = f"the robot weighs {mass:.4g} kg and reaches {reach:.3g} m"
        yield Finding("warning", "unit-mass", "", what, "masses are in kilograms; divide grams by 1000")
    pull = float(np.linalg.norm(robot.gravity))
    if pull and not 1.0 < pull < 30.0:  # Moon 1.6, Jupiter 25
        fix = "give it in m/s^2, about 9.81 on Earth"
        yield Finding("warning", "unit-gravity", "", f"gravity is {pull:.4g} m/s^2", fix)


def _numbers(vector: Array) -> str:
    return "(" + ", ".join(f"{x:.3g}" for x in vector) + ")"
