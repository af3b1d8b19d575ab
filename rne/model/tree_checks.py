"""Checks of a tree that may not come from a reader: types of parts, valid numbers, and structure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from rne.check import ORTHONORMAL
from rne.errors import listed, shown
from rne.model.checks import check_drive, check_place, is_measurable
from rne.model.drive import Drive
from rne.model.findings import Findings, Spot, WrongValueError
from rne.model.floating import OF_POSITION, OF_VELOCITY
from rne.model.states import State
from rne.model.structure import check_structure
from rne.model.tree import Body, Coupling, Joint, Limits, Mimic, Pose, Tree
from rne.model.values import as_number, as_numbers, as_square

Part = TypeVar("Part")

KINDS = ("revolute", "prismatic", "fixed")
"""Kinds of joints in a tree; file formats have their own names for them."""
UNIT_ROUNDING = 1e-9
"""Tolerance for the length of a joint axis."""
SYMMETRY_ROUNDING = 1e-6
"""Tolerance for the asymmetry of an inertia, relative to its largest entry: six digits, as in many files."""
OF_LIMITS = ("lower", "upper", "velocity", "effort")
OF_DRIVE = tuple(field.name for field in fields(Drive))
OF_COUPLING = ("stiffness", "viscous", "rest", "ratio")


def check_tree(tree: Tree) -> None:
    """Refuse an invalid tree, such as one built by hand.

    Raises
    ------
    ModelError
        Parts or numbers have the wrong type, bodies and joints do not form one tree, the kind of a joint is unknown,
        its axis is not a unit vector, or a coupling is not between two joints.
    """
    findings = Findings(tree.source if isinstance(tree.source, str) else "<tree>", strict=False)
    _check_entries(tree, findings)
    findings.close()  # the checks below rely on the types of all parts
    for joint in tree.joints:
        spot = findings.at(f"joint {joint.name!r}", joint.line)
        if joint.kind not in KINDS:
            spot.error(f"the kind {joint.kind!r} is unknown{findings.hint(str(joint.kind), KINDS)}; known are {KINDS}")
        elif joint.movable and not abs(math.hypot(*joint.axis) - 1) < UNIT_ROUNDING:
            spot.error(f"the axis {joint.axis} is not a unit vector")
        if tree.floating and joint.movable and joint.name in (*OF_POSITION, *OF_VELOCITY):
            spot.error("this name is that of a number of the base, which floats; rename the joint")
    check_structure(list(tree.bodies), list(tree.joints), findings)
    _check_couplings(tree, findings)
    findings.close()


def _check_couplings(tree: Tree, findings: Findings) -> None:
    known = {joint.name: None for joint in tree.joints}
    for coupling in tree.couplings:
        spot = findings.at(f"coupling of {coupling.first!r} and {coupling.second!r}")
        for name in (coupling.first, coupling.second):
            if name not in known:
                spot.error(f"no joint is named {name!r}{findings.hint(name, known) or f'; there are {listed(known)}'}")
        if coupling.first == coupling.second:
            spot.error("a coupling connects two different joints; the spring of one joint belongs in its Drive")


def _check_entries(tree: Tree, findings: Findings) -> None:
    """Report parts of a tree with the wrong type, and invalid or meaningless numbers.

    Physically impossible bodies, such as those with negative mass, are not errors, since lenient loading accepts them.
    """
    robot = findings.at("")
    for key in ("name", "source"):
        _holds(tree, key, _text, robot)
    _holds(tree, "gravity", _vector, robot)
    _holds(tree, "floating", _flag, robot)
    for body in _parts(tree, "bodies", Body, robot):
        _check_body(body, findings.at(f"link {shown(body.name)}", body.line))
    for joint in _parts(tree, "joints", Joint, robot):
        _check_joint(joint, findings.at(f"joint {shown(joint.name)}", joint.line))
    for coupling in _parts(tree, "couplings", Coupling, robot):
        spot = findings.at(f"coupling of {shown(coupling.first)} and {shown(coupling.second)}")
        for key in ("first", "second"):
            _holds(coupling, key, _text, spot)
        for key in OF_COUPLING:
            _holds(coupling, key, as_number, spot)
    for state in _parts(tree, "states", State, robot):
        spot = findings.at(f"state {shown(state.name)}")
        _holds(state, "name", _text, spot)
        for key in ("q", "qd"):
            _holds(state, key, _positions, spot)


def _parts(tree: Tree, key: str, kind: type[Part], spot: Spot) -> Sequence[Part]:
    parts = getattr(tree, key)
    if not isinstance(parts, tuple | list):  # an iterator would be used up
        spot.error(f"{key} = {shown(parts)} is not a tuple")
        return ()
    for part in parts:
        if not isinstance(part, kind):
            spot.error(f"{key} hold {shown(part)}; each must be a {kind.__name__}")
    return [part for part in parts if isinstance(part, kind)]


def _check_body(body: Body, spot: Spot) -> None:
    _holds(body, "name", _text, spot)
    kinds: tuple[tuple[str, Callable[[Any], object]], ...]
    kinds = (("mass", as_number), ("com", _vector), ("inertia", _square), ("first_moment", _vector))
    sound = [_holds(body, key, of, spot) for key, of in kinds]
    if not all(sound) or not is_measurable(body, spot):
        return
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = body.inertia
    largest = max(map(abs, (xx, yy, zz, xy, xz, yz)))
    if max(abs(xy - yx), abs(xz - zx), abs(yz - zy)) > SYMMETRY_ROUNDING * largest:
        spot.error(f"the inertia {shown(body.inertia)} is not symmetric")


def _check_joint(joint: Joint, spot: Spot) -> None:
    for key in ("name", "parent", "child"):
        _holds(joint, key, _text, spot)
    if joint.kind != "fixed":
        _holds(joint, "axis", _vector, spot)
    kinds = {"origin": Pose, "limits": Limits, "drive": Drive, "mimic": Mimic | None}
    strange = [key for key, kind in kinds.items() if not isinstance(getattr(joint, key), kind)]
    for key in strange:
        name = "Pose" if key == "origin" else key.capitalize()
        spot.error(f"its {key} {shown(getattr(joint, key))} is not of type {name}; see rne.Joint")
    if strange:
        return
    pose = joint.origin
    placed = [_holds(pose, "rotation", _square, spot), _holds(pose, "position", _vector, spot)]
    if placed[0] and not _is_rotation(pose.rotation):
        spot.error(f"the rotation {pose.rotation} is not an orthonormal, right-handed matrix")
    for key in OF_LIMITS:
        _holds(joint.limits, key, _bound, spot)
    if joint.mimic is not None:
        checks: tuple[tuple[str, Callable[[Any], object]], ...]
        checks = (("leader", _text), ("ratio", as_number), ("offset", as_number))
        placed += [_holds(joint.mimic, key, of, spot) for key, of in checks]
    if all(placed):
        check_place(joint, spot)
    driven = [_holds(joint.drive, key, as_number, spot) for key in OF_DRIVE]
    if all(driven):
        check_drive(joint.drive, spot)


def _holds(part: object, key: str, convert: Callable[[Any], object], spot: Spot) -> bool:
    """Report an attribute that cannot be converted; return whether it can."""
    value = getattr(part, key)
    try:
        convert(value)
    except WrongValueError as wrong:
        spot.error(f"{type(part).__name__}.{key} = {shown(value)} {wrong}")
        return False
    return True


def _text(value: object) -> None:
    if not isinstance(value, str) or not value:
        raise WrongValueError("is not a nonempty string")


def _flag(value: object) -> None:
    if not isinstance(value, bool):
        raise WrongValueError("is not True or False")


def _positions(value: object) -> None:
    pairs = value if isinstance(value, tuple | list) else [None]
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[0], str):
            raise WrongValueError("is not a tuple of pairs of a name and a number")
        as_number(pair[1])


def _vector(value: object) -> None:
    as_numbers(value, 3)


def _square(value: object) -> None:
    as_square(value, 3)


def _bound(value: object) -> None:
    """Accept a limit, which may be infinite, but not NaN."""
    if not isinstance(value, float | np.floating) or not math.isinf(value):
        as_number(value)


def _is_rotation(rotation: Sequence[Sequence[float]]) -> bool:
    a, b, c = ([float(x) for x in row] for row in rotation)
    products = (_dot(a, a) - 1, _dot(b, b) - 1, _dot(c, c) - 1, _dot(a, b), _dot(b, c), _dot(c, a))
    volume = _dot(a, (b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]))
    return all(abs(x) <= ORTHONORMAL for x in products) and volume > 0


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
