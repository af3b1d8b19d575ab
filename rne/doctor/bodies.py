"""Findings about bodies: what their masses and inertias say against their shapes, their sizes and each other.

What no body can have (negative mass, an inertia that is not positive semidefinite, the triangle inequality) is found by
the readers, for every load says it; here is what is merely unlikely.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rne.doctor.report import Finding
from rne.model.checks import FAR, POINT_RADIUS
from rne.model.robot import Robot
from rne.model.tree import Body
from rne.read.urdf.geometry import Geometry

Array = NDArray[np.float64]

# Rules of thumb, set so that of the 69 robots of example-robot-data only those with a fault are suspected of one.
DENSEST = 3000.0  # kg in a cube as wide as the robot reaches; arms have 10 to 30, hands and grippers 100 to 300
HEAVY = 100.0  # kg; whatever weighs less is not suspected of grams
TINY_GYRATION = 2e-4  # m; a body whose mass lies within a fifth of a millimetre of its centre
PLACEHOLDERS = 3  # bodies of different mass with the very same inertia
SLACK = 1.1  # shapes are drawn by hand, and rounded


def examine(robot: Robot, geometry: Sequence[Geometry]) -> Iterator[Finding]:
    """Yield what is doubtful about bodies."""
    reach = size(robot)
    shapes: dict[str, list[Geometry]] = {}
    for shape in geometry:
        shapes.setdefault(shape.link, []).append(shape)
    for body in robot.tree.bodies:
        if body.has_inertial and body.mass > 0:
            yield from _against_size(body, reach)
            yield from _against_shapes(body, shapes.get(body.name, []))
    yield from _placeholders(robot)
    yield from _units(robot, reach)


def size(robot: Robot) -> float:
    """Return how far the robot reaches, m: the longest way through the origins of its joints, slides drawn out."""
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
            if joint.kind == "prismatic":
                step += max((abs(x) for x in (joint.limits.lower, joint.limits.upper) if np.isfinite(x)), default=0.0)
            reach[joint.child] = reach[name] + step
            names.append(joint.child)
    for body in robot.tree.bodies:
        longest = max(longest, reach[body.name] + (float(np.linalg.norm(body.com)) if body.mass else 0.0))
    return longest


def second_moments(body: Body) -> Array:
    """Return integral of r r^T dm about the centre of mass, kg m^2."""
    inertia = np.array(body.inertia)
    second: Array = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    return second


def _against_size(body: Body, reach: float) -> Iterator[Finding]:
    where = f"link {body.name!r}"
    gyration = float(np.sqrt(max(np.trace(second_moments(body)), 0.0) / body.mass))
    if gyration < POINT_RADIUS:
        yield Finding("info", "point-mass", where, f"{body.mass:g} kg without inertia, a point mass", line=body.line)
    elif gyration < TINY_GYRATION:
        what = f"its mass lies within {1e3 * gyration:.2g} mm (radius of gyration) of the centre of mass"
        yield Finding("warning", "inertia-tiny", where, what, "give the inertia in kg m^2", body.line)
    elif reach and gyration > reach:
        what = f"radius of gyration {gyration:.3g} m, but the whole robot reaches {reach:.3g} m"
        fix = "check the unit: 1 kg mm^2 is 1e-6 kg m^2, 1 kg cm^2 is 1e-4, 1 g mm^2 is 1e-9"
        yield Finding("warning", "inertia-huge", where, what, fix, body.line)


def _against_shapes(body: Body, shapes: Sequence[Geometry]) -> Iterator[Finding]:
    """A body lies within its shapes: so does its centre, and no mass is farther from it than their far sides.

    Not said where a mesh may be larger than the shapes that can be measured.
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
        what = f"its centre of mass {_numbers(center)} m lies outside its shapes, {_numbers(low)} to {_numbers(high)} m"
        yield Finding("warning", "com-outside-shape", where, what, "check <origin> and the unit (metres)", body.line)
        return
    farthest = np.maximum(high - center, center - low)
    moments = np.diagonal(second_moments(body))
    for axis, moment, far in zip("xyz", moments.tolist(), farthest.tolist(), strict=True):
        spread = math.sqrt(max(moment, 0.0) / body.mass)
        if spread > SLACK * far:
            what = f"its mass spreads {spread:.3g} m along {axis}, its shapes end {far:.3g} m from the centre of mass"
            fix = "check the unit of the inertia (kg m^2), and that it is about the centre of mass"
            yield Finding("warning", "inertia-beyond-shape", where, what, fix, body.line)
            return


def _placeholders(robot: Robot) -> Iterator[Finding]:
    """The same ball-like inertia on bodies of different mass was typed in, not measured."""
    alike: dict[float, list[Body]] = {}
    for body in robot.tree.bodies:
        inertia = np.array(body.inertia)
        if body.mass > 0 and inertia[0, 0] > 0 and np.array_equal(inertia, inertia[0, 0] * np.eye(3)):
            alike.setdefault(float(inertia[0, 0]), []).append(body)
    for moment, bodies in alike.items():
        if len(bodies) >= PLACEHOLDERS and len({body.mass for body in bodies}) > 1:
            names = ", ".join(body.name for body in bodies[:4]) + (", ..." if len(bodies) > 4 else "")
            what = f"{len(bodies)} bodies of different mass have the same inertia, {moment:g} kg m^2 about every axis"
            fix = "replace the stand-ins by true values"
            yield Finding("warning", "inertia-placeholder", "", f"{what} ({names})", fix, bodies[0].line)


def _units(robot: Robot, reach: float) -> Iterator[Finding]:
    mass = robot.total_mass
    if reach > FAR and not any(note.code == "unit-length" for note in robot.tree.notes):
        what = f"the robot reaches {reach:.4g} m"
        yield Finding("warning", "unit-length", "", what, "lengths are in metres; divide millimetres by 1000")
    elif reach and mass > HEAVY and mass > DENSEST * reach**3:
        what = f"the robot weighs {mass:.4g} kg and reaches {reach:.3g} m"
        yield Finding("warning", "unit-mass", "", what, "masses are in kilograms; divide grams by 1000")
    pull = float(np.linalg.norm(robot.gravity))
    if pull and not 1.0 < pull < 30.0:  # Moon 1.6, Jupiter 25
        fix = "give it in m/s^2, about 9.81 on Earth"
        yield Finding("warning", "unit-gravity", "", f"gravity is {pull:.4g} m/s^2", fix)


def _numbers(vector: Array) -> str:
    return "(" + ", ".join(f"{x:.3g}" for x in vector) + ")"
