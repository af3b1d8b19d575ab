"""Units of columns that are not SI: factors that make radians, meters, N m and N of their numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rne.errors import ArgumentError, shown
from rne.files.base_pose import base_names
from rne.model.floating import of_joints
from rne.model.robot import Robot

Floats = NDArray[np.float64]

TIME_UNITS = ("s", "ms", "us", "ns")
_ANGLES = {"rad": 1.0, "deg": math.pi / 180, "grad": math.pi / 200, "rev": 2 * math.pi, "mrad": 1e-3}
_LENGTHS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254}
_EFFORTS = ({"Nm": 1.0, "Ncm": 1e-2, "mNm": 1e-3, "kNm": 1e3}, {"N": 1.0, "mN": 1e-3, "kN": 1e3})
_PER = {"q": "", "qd": "/s", "qdd": "/s^2"}
_RATES = {"qd": {"rpm": 2 * math.pi / 60}, "qdd": {"rpm/s": 2 * math.pi / 60}}
_GAINS = ("A", "mA", "%", "percent")  # a torque only with a constant for each joint


def factors(robot: Robot, quantity: str, text: object, joints: Sequence[str] | None = None) -> Floats | None:
    """Return what the numbers of a quantity of the joints are multiplied by, (joints,); None for SI units.

    Parameters
    ----------
    robot : defines which coordinates are angles, and the effort limits.
    quantity : q, qd, qdd or tau.
    text : a unit; several with commas between them, one a coordinate, or one for angles and one for lengths. Currents
        and percentages have a number a coordinate, or one for all: ``A:0.11,0.11,0.07`` (N m/A, at the joint),
        ``%:87,87,12`` (N m at 100); without numbers a percentage is that of the effort limits.
    joints : names of the joints in the order of several units or numbers; that of the robot by default.

    Raises
    ------
    ArgumentError
        The unit is unknown, or does not belong to this quantity or coordinate.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> factors(arm, "qd", "rpm").round(5)
    array([0.10472, 0.10472])
    """
    argument = f"units[{quantity!r}]"
    if not isinstance(text, str) or not text.strip():
        raise ArgumentError(f"{argument}: wanted a unit, got {shown(text)}")
    order = list(robot.joint_names if joints is None else joints)
    angular = [robot.joint(name).kind == "revolute" for name in robot.joint_names]
    name, colon, gains = text.partition(":")
    if quantity == "tau" and name.strip() in _GAINS:
        return _by_gain(argument, robot, name.strip(), gains if colon else None, order)
    words = [word.strip() for word in text.split(",")]
    angles, lengths = (_known(quantity, kind) for kind in (True, False))
    for word in words:
        if word not in angles and word not in lengths:
            others = f", {', '.join(_GAINS[:3])}" if quantity == "tau" else ""
            known = ", ".join([*angles, *lengths]) + others
            raise ArgumentError(f"{argument}: wanted of {known}, got {word!r}")
    by_kind = [[word for word in words if word in known] for known in (angles, lengths)]
    if max(map(len, by_kind)) == 1:
        for kind, units in zip((True, False), by_kind, strict=True):
            if units and kind not in angular:
                what = "revolute" if kind else "prismatic"
                raise ArgumentError(f"{argument}: {units[0]!r} is for {what} joints, and {robot.name} has none")
        values = [known[units[0]] if units else 1.0 for known, units in zip((angles, lengths), by_kind, strict=True)]
        return _or_none(np.array([values[0] if is_angle else values[1] for is_angle in angular]))
    if len(words) != len(order):
        raise ArgumentError(f"{argument}: wanted one unit, or {len(order)}, one a joint, got {len(words)}")
    words = [words[order.index(joint)] for joint in robot.joint_names]
    found = np.empty(len(angular))
    for k, (word, is_angle) in enumerate(zip(words, angular, strict=True)):
        if word not in (angles if is_angle else lengths):
            what = "an angle" if is_angle else "a length"
            raise ArgumentError(f"{argument}: {robot.joint_names[k]} is {what}; {word!r} is not a unit of it")
        found[k] = (angles if is_angle else lengths)[word]
    return _or_none(found)


def _or_none(found: Floats) -> Floats | None:
    return None if (found == 1.0).all() else found


def _known(quantity: str, angular: bool) -> dict[str, float]:
    if quantity == "tau":
        return _EFFORTS[0 if angular else 1]
    base = _ANGLES if angular else _LENGTHS
    per = _PER[quantity]
    rates = _RATES.get(quantity, {}) if angular else {}
    return {**{unit + per: size for unit, size in base.items()}, **(base if per else {}), **rates}


def _by_gain(argument: str, robot: Robot, unit: str, text: str | None, order: Sequence[str]) -> Floats:
    part = {"A": 1.0, "mA": 1e-3}.get(unit, 1e-2)
    if text is None:
        if unit in ("A", "mA"):
            raise ArgumentError(f"{argument}: wanted {unit}:GAIN, or a gain a joint with commas, N m/A; got {unit!r}")
        limits = of_joints(robot, robot.effort_limit)
        if not np.isfinite(limits).all():
            raise ArgumentError(f"{argument}: some joints of {robot.name} have no effort limit; wanted %:RATED, in N m")
        return part * limits
    try:
        gains = [float(number) for number in re.split(r"\s*,\s*", text.strip())]
    except ValueError:
        gains = []
    if len(gains) not in (1, len(order)) or not all(map(math.isfinite, gains)):
        raise ArgumentError(
            f"{argument}: wanted 1 or {len(order)} numbers after {unit}: ({', '.join(order)}), got {text!r}"
        )
    if len(gains) == 1:
        return np.full(len(robot.joint_names), part * gains[0])
    return part * np.array([gains[order.index(joint)] for joint in robot.joint_names])


def check_units(
    robot: Robot, units: object, quantities: Sequence[str], joints: Sequence[str] | None = None
) -> dict[str, Floats]:
    """Return the factors by quantity, of those that are read and are not SI; one for the numbers of the base.

    Raises
    ------
    ArgumentError
        A unit is unknown, or no mapping is given.
    """
    if units is None:
        return {}
    if not isinstance(units, Mapping) or not set(units) <= {*_PER, "tau"}:
        raise ArgumentError(f"units: wanted a mapping from q, qd, qdd or tau to a unit, got {shown(units)}")
    found = {key: factors(robot, key, unit, joints) for key, unit in units.items()}
    return {
        key: np.concatenate([np.ones(len(base_names(robot, key))), factor])
        for key, factor in found.items()
        if factor is not None and key in quantities
    }


_WORDS = {
    "ms": ("ms", "msec", "msecs", "millis", "millisec", "milliseconds"),
    "us": ("us", "usec", "usecs", "micros", "microsec", "microseconds"),
    "ns": ("ns", "nsec", "nsecs", "nanos", "nanosec", "nanosecs", "nanoseconds"),
    "s": ("s", "sec", "secs", "second", "seconds"),
}

_NAMED = {"deg": {"deg", "degs", "degree", "degrees"}, "mrad": {"mrad"}, "rpm": {"rpm"}, "mm": {"mm"}, "cm": {"cm"}}


def unit_in(name: str) -> str | None:
    """Return the unit of time that the name of a column ends with, as time_ms or stamp [ns]; None if it says none.

    Examples
    --------
    >>> unit_in("time_ms"), unit_in("header.stamp.nanosec"), unit_in("Timestamp (us)"), unit_in("items")
    ('ms', 'ns', 'us', None)
    """
    if name == "%time":  # what `rostopic echo -p` writes
        return "ns"
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    words = re.findall(r"[a-z]+", spaced.replace("\N{MICRO SIGN}", "u").replace("\N{GREEK SMALL LETTER MU}", "u"))
    last = words[-1] if words else ""
    return next((unit for unit, known in _WORDS.items() if last in known), None)


def named_units(quantity: str, names: Sequence[str]) -> str:
    """Return the units other than SI that the names of columns name, as `factors` takes them; empty if there are none.

    Examples
    --------
    >>> named_units("q", ["Axis 1 [deg]", "slide_mm"]), named_units("qd", ["speed1 (rpm)"]), named_units("q", ["degas"])
    ('deg,mm', 'rpm', '')
    """
    words = set()
    for name in names:
        words |= set(re.findall(r"[a-z]+", name.lower().replace("\N{DEGREE SIGN}", " deg ")))
    if quantity not in _PER:
        return ""
    found = [unit for unit, known in _NAMED.items() if words & known]
    units = [unit if unit == "rpm" else unit + _PER[quantity] for unit in found]
    return ",".join(unit for unit in units if unit != "rpm" or quantity == "qd")
