"""Drives with the friction laws that an identification chose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rne.dynamics.stiction import without
from rne.identification.equations import Index
from rne.identification.friction_laws import NOT_IN_DRIVES, STANDARD, Law, LawEquations
from rne.model.checks import faults_of_curves
from rne.model.drive import OF_CURVES, Drive
from rne.model.parameters import OF_FRICTION
from rne.model.robot import Robot

Array = NDArray[np.float64]

_SIGNED = ("offset", "quadratic", "cubic")  # terms that may be negative


def drives_of(
    grams: Sequence[Array], equations: LawEquations, center: Array, vector: Array, laws: Sequence[Law]
) -> tuple[dict[str, Drive], Array]:
    """Return drives by name of the joint, and the parameters (p,) with what these drives have for friction.

    Friction is fitted again to the bodies as they are in `vector`: those of a consistent robot are not those that were
    identified, and part of the difference is friction. Coefficients that have to be positive and are not become zero.
    A joint whose law no drive can have gets viscous and Coulomb friction. `grams` are the moments of the joints.
    """
    robot, found, drives = equations.robot, vector.copy(), {}
    for j, law in enumerate(laws):
        places, name = equations.places(j), robot.joint_names[j]
        start = vector - equations.given - center
        start[[*places.values()]] = -(equations.given + center)[[*places.values()]]
        for terms in (law.terms, STANDARD):
            if not set(terms) <= set(places) - set(NOT_IN_DRIVES):
                continue
            values = opposing(grams[j], equations.index[j], start, {term: places[term] for term in terms})
            drive = _drive(robot.joint(name).drive, values, float(equations.speed[j]))
            if any(faults_of_curves(drive)):
                continue
            drives[name] = drive
            found[[*places.values()]] = 0.0
            for term, value in values.items():
                found[places[term]] = value
            break
    return drives, found


def opposing(G: Array, columns: Index, start: Array, places: dict[str, int]) -> dict[str, float]:
    """Fit the terms of a joint so that friction opposes motion: viscous and Coulomb friction are not negative.

    A Stribeck term may be, down to no friction at rest. Such terms are sums, with positive factors, of single terms and
    of both Coulomb terms minus the Stribeck term. Which factors are zero is tried out, as there are at most five.
    """
    terms, order = list(places), list(columns)
    at = [order.index(place) for place in places.values()]
    A, left = G[np.ix_(at, at)], G[at, -1] - G[at, :-1] @ start[columns]
    T = np.eye(len(terms))
    if any(term.startswith("stribeck") for term in terms):
        both = [1.0 if term in STANDARD[1:] else -1.0 if term.startswith("stribeck") else 0.0 for term in terms]
        T = np.column_stack([T, both])
    signed = [k for k, term in enumerate(terms) if term in _SIGNED]
    others = [k for k in range(T.shape[1]) if k not in signed]
    best, most = np.zeros(len(terms)), 0.0
    for count in range(len(others), -1, -1):
        for some in combinations(others, count):
            P = T[:, [*some, *signed]]
            factors = np.linalg.lstsq(P.T @ A @ P, P.T @ left, rcond=1e-10)[0]
            values = P @ factors
            gain = float(values @ (2 * left - A @ values))
            if gain > most and (factors[:count] >= 0).all():
                best, most = values, gain
    return {term: value for term, value in zip(terms, best.tolist(), strict=True) if value}


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
    return without(robot, OF_CURVES) if robot.links.curved else robot


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
