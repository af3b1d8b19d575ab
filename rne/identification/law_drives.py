"""Drives with the friction laws that an identification chose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rne.identification.equations import Index
from rne.identification.friction_laws import NOT_IN_DRIVES, Law, LawEquations
from rne.identification.moments import Moments
from rne.model.checks import faults_of_curves
from rne.model.drive import OF_CURVES, Drive
from rne.model.parameters import OF_FRICTION
from rne.model.robot import Robot

Array = NDArray[np.float64]

_SIGNED = ("offset", "quadratic", "cubic", "stribeck")  # those that may be negative


def drives_of(
    moments: Moments, equations: LawEquations, center: Array, vector: Array, laws: list[Law]
) -> tuple[dict[str, Drive], Array]:
    """Return drives by name of the joint, and the parameters (p,) with what these drives have for friction.

    Joints whose law no drive can have are left out. Coefficients that have to be positive and are not become zero, and
    the others are fitted again with the bodies as they are.
    """
    robot, found, drives = equations.robot, vector.copy(), {}
    gram = moments.of_joints(moments.total())
    for j, law in enumerate(laws):
        places, name = equations.places(j), robot.joint_names[j]
        terms = [term for term in law.terms if term in places]
        if len(terms) < len(law.terms) or not set(terms).isdisjoint(NOT_IN_DRIVES):
            continue
        start = vector - equations.given - center
        start[[*places.values()]] = -(equations.given + center)[[*places.values()]]
        values = _positive(gram[j], equations.index[j], start, {term: places[term] for term in terms})
        drive = _drive(robot.joint(name).drive, values, float(equations.speed[j]))
        if any(faults_of_curves(drive)):
            continue
        drives[name] = drive
        found[[*places.values()]] = 0.0
        for term, value in values.items():
            found[places[term]] = value
    return drives, found


def _positive(G: Array, columns: Index, start: Array, places: dict[str, int]) -> dict[str, float]:
    """Fit the terms of a joint; those that would become negative and must not are zero."""
    terms, order = list(places), list(columns)
    while terms:
        at = [order.index(places[term]) for term in terms]
        left = G[at, -1] - G[at, :-1] @ start[columns]
        values = np.linalg.lstsq(G[np.ix_(at, at)], left, rcond=1e-10)[0]
        bad = [value if term not in _SIGNED else 0.0 for term, value in zip(terms, values.tolist(), strict=True)]
        if min(bad) >= 0:
            return dict(zip(terms, values.tolist(), strict=True))
        terms.pop(int(np.argmin(bad)))
    return {}


def _drive(drive: Drive, values: dict[str, float], speed: float) -> Drive:
    """Return a drive with the terms of a law, which count in shares of `speed`."""
    numbers = dict.fromkeys((*OF_FRICTION, *OF_CURVES), 0.0)
    for term, value in values.items():
        name, _, share = term.partition(" ")
        if name == "tanh":
            numbers |= {"coulomb_plus": value, "coulomb_minus": value, "smoothing": float(share) * speed}
        elif name == "stribeck":
            numbers |= {"stribeck": value, "stribeck_velocity": float(share) * speed}
        else:
            numbers[name] = value / speed ** {"quadratic": 2, "cubic": 3}.get(name, 0)
    return replace(drive, **numbers)


def without_curves(robot: Robot) -> Robot:
    """Return the robot without friction beyond viscous and Coulomb friction."""
    if not robot.links.curved:
        return robot
    bare = dict.fromkeys(OF_CURVES, 0.0)
    return robot.with_drives({j.name: replace(j.drive, **bare) for j in robot.tree.joints if j.movable})


def with_laws(robot: Robot, drives: dict[str, Drive]) -> Robot:
    """Return a robot with drives that carry the friction of a coordinate; the joints that follow have none."""
    links, bare = robot.links, dict.fromkeys((*OF_FRICTION, *OF_CURVES), 0.0)
    changed = dict(drives)
    for name, leader in zip(links.joints, links.leaders, strict=True):
        if name not in robot.joint_names and robot.joint_names[leader] in drives:
            changed[name] = replace(robot.joint(name).drive, **bare)
    # The rotor inertias are those that were identified, which are in the robot already.
    motors = {name: robot.joint(name).drive for name in changed}
    rotors = {name: {"rotor_inertia": d.rotor_inertia, "gear_ratio": d.gear_ratio} for name, d in motors.items()}
    return robot.with_drives({name: replace(drive, **rotors[name]) for name, drive in changed.items()})
