"""The rows of a DH table: joint, drive, limits and body of each, before any convention comes in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import inf, tau

import numpy as np

from rne.bodies.physical import about_center
from rne.check import SYMMETRY_ROUNDING, ZERO, Matrix, vector
from rne.errors import listed, shown
from rne.model.checks import check_body, check_drive, check_limits, is_measurable, note_far
from rne.model.drive import OF_CURVES, Drive, at_joint
from rne.model.findings import WrongValueError
from rne.model.tree import Body, Joint, Limits, Mimic
from rne.model.values import as_number, as_numbers, as_sequence, as_square
from rne.read.dh.fields import Fields
from rne.read.dh.toml import Places
from rne.read.poses import as_matrix, tensor

FIXED, SCREW = "fixed", "screw"
KINDS = {
    "revolute": "turns about z",
    "prismatic": "slides along z",
    SCREW: "turns about z and slides along it",
    FIXED: "does not move",
}
BRANCHING = ("gamma", "b")
"""The two parameters of Khalil and Kleinfinger for branches."""
ROW_KEYS = (
    *("joint", "a", "alpha", "d", "theta", *BRANCHING, "mass", "com", "first_moment", "inertia", "name", "link"),
    *("parent", "sign", "pitch", "mimic"),
    *("rotor_inertia", "gear_ratio", "viscous", "coulomb", "friction", "stiffness", "rest"),
    *("lower", "upper", "velocity", "effort"),
)
# The names of keys in other robotics toolboxes.
OTHER_NAMES = {
    "type": "joint",
    "sigma": "joint",
    "offset": "theta of a revolute joint, d of a prismatic one",
    "m": "mass",
    "I": "inertia",
    "Jm": "rotor_inertia",
    "r": "com, or d of Khalil and Kleinfinger",
    "epsilon": "b",
    "G": "gear_ratio",
    "B": "viscous",
    "Tc": "coulomb",
    "qlim": "lower and upper",
}
MOMENTS, PRODUCTS = ("ixx", "iyy", "izz"), ("ixy", "ixz", "iyz")
MOST_ROWS = 3_000
"""Rows that are read within a second or two."""


@dataclass(frozen=True)
class Row:
    """What a row says.

    Attributes
    ----------
    joint : about or along z; its child and origin depend on the convention and are not filled in.
    body : the link, in the DH frame of the row.
    a, alpha, d, theta : the constant parts, m and rad.
    gamma, b : of a branch, rad and m: what comes before them, Rz(gamma) Tz(b).
    pitch : of a screw, m of travel per rad; zero for other joints.
    """

    joint: Joint
    body: Body
    a: float
    alpha: float
    d: float
    theta: float
    gamma: float = 0.0
    b: float = 0.0
    pitch: float = 0.0


def read_rows(table: Fields, places: Places) -> list[Row]:
    """Read the rows of a table; report what is wrong with them."""
    given = table.values.get("rows")
    if isinstance(given, Mapping):
        table.spot("rows").error("rows is one table; a list of tables is wanted, each under [[rows]] in two brackets")
        return []
    rows = as_sequence(given)
    if not rows:
        table.spot("rows").error("there are no rows; a list with a table of keys and values for each joint is wanted")
        return []
    if len(rows) > MOST_ROWS:
        table.spot("rows").error(f"there are {len(rows):,} rows; more than {MOST_ROWS:,} are not accepted")
        return []
    links = ["base"]
    found = []
    for number, row in enumerate(rows, 1):
        found.append(_read_row(row, number, table, places, links))
        links.append(found[-1].body.name)
    return found


def _read_row(values: object, number: int, table: Fields, places: Places, links: list[str]) -> Row:
    line_of = partial(places.entry, "rows", number - 1)
    element = f"row {number}"
    if not isinstance(values, Mapping):
        table.findings.at(element, line_of("")).error(f"{shown(values)} is not a table of keys and values")
        values = {"joint": "revolute"}  # stands in, so that only one thing is said
    elif isinstance(values.get("name"), str):
        element += f" ({values['name']!r})"
    row = Fields(values, element, table.findings, line_of)
    row.reject_unknown(ROW_KEYS, OTHER_NAMES)
    kind = row.choice("joint", KINDS) or "revolute"
    name, parent = row.text("name", f"joint{number}"), _read_parent(row, links)
    joint = Joint(
        name,
        "revolute" if kind == SCREW else kind,
        parent,
        "",
        axis=(0.0, 0.0, _read_sign(row)),
        limits=_read_limits(row),
        drive=_read_drive(row),
        mimic=_read_mimic(row),
        line=line_of(""),
    )
    if kind == FIXED:
        joint = _read_fixed(joint, row)
    body = _read_body(row, row.text("link", f"link{number}"))
    lengths = {key: row.number(key) for key in ("a", "d", "b")}
    for key, length in lengths.items():
        note_far(key, length, row.spot(key))
    angles = {key: _read_angle(row, key) for key in ("alpha", "theta", "gamma")}
    return Row(joint, body, **lengths, **angles, pitch=_read_pitch(row, kind))


def _read_parent(row: Fields, links: list[str]) -> str:
    """Return the parent link of the row: that of the previous row, of an earlier one, or the base."""
    parent = row.text("parent", links[-1])
    if parent != links[-1] and parent not in links:
        row.spot("parent").error(f"parent = {parent!r} is not one of the previous links: {listed(links)}")
        return links[-1]
    return parent


def _read_sign(row: Fields) -> float:
    sign = row.number("sign", 1.0)
    if abs(sign) != 1.0:
        row.spot("sign").error(f"sign = {sign:g} is neither 1 nor -1, the direction in which q counts")
        return 1.0
    return sign


def _read_mimic(row: Fields) -> Mimic | None:
    if not row.has("mimic"):
        return None
    if isinstance(row.values["mimic"], str):
        return Mimic(row.text("mimic", ""))
    inner = row.inner("mimic")
    if inner is None:
        given = shown(row.values["mimic"])
        row.spot("mimic").error(f"mimic = {given} is no name of a joint, nor a table of joint, ratio, offset")
        return None
    inner.reject_unknown(("joint", "ratio", "offset"), {"multiplier": "ratio"})
    if not inner.has("joint"):
        inner.spot("joint").error("'joint' is missing, the name of the joint that is followed")
        return None
    return Mimic(inner.text("joint", ""), inner.number("ratio", 1.0), inner.number("offset"))


def _read_pitch(row: Fields, kind: str) -> float:
    pitch = row.number("pitch")
    if kind != SCREW:
        if row.has("pitch"):
            row.spot("pitch").error("pitch is for joint = 'screw', the travel in m per rad")
        return 0.0
    if pitch == 0:
        zero = "pitch = 0 makes no screw; say joint = 'revolute'"
        row.spot("pitch").error(zero if row.has("pitch") else "'pitch' is missing, the travel in m per rad")
    return pitch


_OF_MOTION = (
    *("sign", "lower", "upper", "velocity", "effort", "stiffness", "rest", "mimic"),
    *("rotor_inertia", "gear_ratio", "viscous", "coulomb", "friction"),
)


def _read_fixed(joint: Joint, row: Fields) -> Joint:
    """Return a joint without what a fixed one has not; note what is given in vain."""
    if given := [key for key in _OF_MOTION if row.has(key)]:
        row.spot(given[0]).note(f"the joint is fixed, so {', '.join(given)} say nothing")
    return Joint(joint.name, FIXED, joint.parent, joint.child, line=joint.line)


def _read_angle(row: Fields, key: str) -> float:
    angle = row.number(key)
    if abs(angle) > tau + 1e-9:
        row.spot(key).note(f"{key} = {angle:g} is more than a full turn; angles are in radians")
    return angle


def _read_limits(row: Fields) -> Limits:
    errors = len(row.findings.errors)
    limits = Limits(
        lower=row.number("lower", -inf),
        upper=row.number("upper", inf),
        velocity=row.number("velocity", inf),
        effort=row.number("effort", inf),
    )
    if len(row.findings.errors) == errors:  # otherwise the numbers are stand-ins
        check_limits(limits, row.spot("lower"))
    return limits


def _read_drive(row: Fields) -> Drive:
    errors = len(row.findings.errors)
    ratio = row.number("gear_ratio", 1.0)
    plus, minus = _read_coulomb(row)
    # Rows give friction on the motor side; the torque grows with the ratio, for viscous friction the speed as well.
    drive = Drive(
        rotor_inertia=row.number("rotor_inertia"),
        gear_ratio=ratio,
        viscous=ratio * ratio * row.number("viscous"),
        coulomb_plus=abs(ratio) * plus,
        coulomb_minus=abs(ratio) * minus,
        stiffness=row.number("stiffness"),
        rest=row.number("rest"),
        **_read_curves(row, ratio),
    )
    if len(row.findings.errors) == errors:
        check_drive(drive, row.spot("gear_ratio"))
    return drive


def _read_curves(row: Fields, ratio: float) -> dict[str, float]:
    """Return the friction of a drive beyond viscous and Coulomb friction, on the joint side."""
    inner = row.inner("friction")
    if inner is None:
        if row.has("friction"):
            row.spot("friction").error(f"friction is no table; wanted one with any of {listed(list(OF_CURVES))}")
        return {}
    inner.reject_unknown(tuple(OF_CURVES))
    return {key: inner.number(key) * at_joint(key, ratio) for key in OF_CURVES if inner.has(key)}


def _read_coulomb(row: Fields) -> tuple[float, float]:
    value = row.values.get("coulomb", 0.0)
    try:
        if isinstance(value, Mapping) and set(value) == {"plus", "minus"}:
            plus, minus = as_number(value["plus"]), as_number(value["minus"])
        elif as_sequence(value) is not None:
            plus, minus = as_numbers(value, 2)
        else:
            plus = minus = as_number(value)
    except WrongValueError:
        row.spot("coulomb").error(
            f"coulomb = {shown(value)} is not a finite number, nor two of them as [plus, minus] or {{plus, minus}}"
        )
        return 0.0, 0.0
    return plus, abs(minus) if minus is not plus else minus


def _read_body(row: Fields, name: str) -> Body:
    errors = len(row.findings.errors)
    mass, com, first = row.number("mass"), row.vector("com", ZERO), row.vector("first_moment", ZERO)
    inertia = _read_inertia(row)
    given = row.has("mass", "com", "first_moment", "inertia")
    body = Body(name, mass, com, inertia, has_inertial=given, line=row.line_of(""), first_moment=first)
    if row.has("com") and row.has("first_moment"):
        row.spot("first_moment").error("com and first_moment are both given; the inertia is about one of them only")
    spot = row.spot("inertia" if row.has("inertia") else "mass")
    if len(row.findings.errors) == errors and is_measurable(body, spot):
        if row.has("first_moment"):
            center, central, rest = about_center(mass, np.array(first), np.array(inertia))
            body = replace(
                body,
                com=vector("com", center),
                inertia=as_matrix(central),
                first_moment=vector("first_moment", rest),
            )
        check_body(body, spot)
    return body


def _read_inertia(row: Fields) -> Matrix:
    value = row.values.get("inertia", Body.inertia)
    by_name = row.inner("inertia")
    if by_name is not None:
        return _read_tensor(by_name)
    try:
        matrix = np.array(as_square(value, 3))
    except WrongValueError as wrong:
        row.spot("inertia").error(f"inertia = {shown(value)} {wrong}, nor a table of {', '.join(MOMENTS + PRODUCTS)}")
        return Body.inertia
    if np.abs(matrix - matrix.T).max() > SYMMETRY_ROUNDING * np.abs(matrix).max():
        row.spot("inertia").error(f"inertia = {shown(value)} is not symmetric")
    return as_matrix(matrix / 2 + matrix.T / 2)


def _read_tensor(inertia: Fields) -> Matrix:
    inertia.reject_unknown(MOMENTS + PRODUCTS)
    for key in MOMENTS:
        if not inertia.has(key):
            inertia.spot(key).error(f"{key!r} is missing; all three moments are wanted, products count 0 where missing")
    return tensor(**{key: inertia.number(key) for key in MOMENTS + PRODUCTS})
