"""The rows of a DH table: joint, drive, limits and body of each, before any convention comes in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import inf, tau

import numpy as np

from rne.bodies.physical import about_center
from rne.check import SYMMETRY_ROUNDING, ZERO, Matrix, vector
from rne.errors import listed, shown
from rne.model.checks import check_body, check_drive, check_limits, is_measurable, note_far
from rne.model.findings import WrongValueError
from rne.model.tree import Body, Drive, Joint, Limits
from rne.model.values import as_number, as_numbers, as_sequence, as_square
from rne.read.dh.fields import Fields
from rne.read.dh.toml import Places
from rne.read.poses import as_matrix, tensor

KINDS = {"revolute": "turns about z", "prismatic": "slides along z"}
ROW_KEYS = (
    *("joint", "a", "alpha", "d", "theta", "mass", "com", "first_moment", "inertia", "name", "parent"),
    *("rotor_inertia", "gear_ratio", "viscous", "coulomb", "stiffness", "rest"),
    *("lower", "upper", "velocity", "effort"),
)
# The names of keys in other robotics toolboxes.
OTHER_NAMES = {
    "type": "joint",
    "sigma": "joint",
    "offset": "theta of a revolute joint, d of a prismatic one",
    "m": "mass",
    "r": "com",
    "I": "inertia",
    "Jm": "rotor_inertia",
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
    """

    joint: Joint
    body: Body
    a: float
    alpha: float
    d: float
    theta: float


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
    return [_read_row(row, number, table, places) for number, row in enumerate(rows, 1)]


def _read_row(values: object, number: int, table: Fields, places: Places) -> Row:
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
    name = row.text("name", f"joint{number}")
    joint = Joint(
        name, kind, _read_parent(row, number), "", limits=_read_limits(row), drive=_read_drive(row), line=line_of("")
    )
    body = _read_body(row, f"link{number}")
    a, d = row.number("a"), row.number("d")
    for key, length in ("a", a), ("d", d):
        note_far(key, length, row.spot(key))
    return Row(joint, body, a, _read_angle(row, "alpha"), d, _read_angle(row, "theta"))


def _read_parent(row: Fields, number: int) -> str:
    """Return the parent link of the row: that of the previous row, of an earlier one, or the base."""
    before = f"link{number - 1}" if number > 1 else "base"
    parent = row.text("parent", before)
    if not _stands_before(parent, number):
        earlier = listed(chain(["base"], (f"link{k}" for k in range(1, number))))
        row.spot("parent").error(f"parent = {parent!r} is not one of the previous rows: {earlier}")
        return before
    return parent


def _stands_before(parent: str, number: int) -> bool:
    found = _LINK.fullmatch(parent)
    return parent == "base" or (found is not None and int(found[1]) < number)


_LINK = re.compile(r"link([1-9][0-9]{0,8})")


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
    )
    if len(row.findings.errors) == errors:
        check_drive(drive, row.spot("gear_ratio"))
    return drive


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
