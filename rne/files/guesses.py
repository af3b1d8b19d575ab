"""What the columns of a file may be, for messages: the patterns that fit them, and the units that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from rne.files.patterns import by_joint, by_number, numbered, quantity_of, time_like, words_of
from rne.files.units import named_units, unit_in
from rne.model.robot import Robot

_JOINT = {"joint", "joints", "jnt", "j", "axis", "axes", "axe", "ax", "a", "achse", "gelenk", "eje", "asse", "link"}
_ANGLE = {"theta", "th", "phi", "rad", "deg", "degree", "degrees", "mm", "m"}
_PART = re.compile(r"[a-z]+|[0-9]+")


def fitting(names: Sequence[str], robot: Robot, quantities: Sequence[str]) -> dict[str, str]:
    """Return, by quantity and t, the pattern or list that fits the columns that are there; measured before wanted ones.

    Columns that say nothing but the joint, as J1 or "Shoulder Pan (deg)", are positions, if no others are.
    """
    found: dict[str, list[tuple[bool, int, str]]] = {}
    bare = []
    patterns = [
        *by_joint(names, robot.joint_names),
        *by_number(names, len(robot.joint_names)),
        *_by_words(names, robot.joint_names),
    ]
    for k, pattern in enumerate(dict.fromkeys(patterns)):
        kind = quantity_of(pattern)
        if kind is not None and kind[0] in quantities:
            found.setdefault(kind[0], []).append((kind[1], k, pattern))
        elif kind is None and _is_bare(pattern, robot):
            bare.append(pattern)
    told = {key: min(patterns)[2] for key, patterns in found.items()}
    if "q" not in told and bare:
        told = {"q": bare[0], **told}
    if (time := time_like(names)) is not None:
        told = {"t": time, **told}
    return told


def miscounted(names: Sequence[str], robot: Robot) -> str:
    """Return what to say of numbered positions that are more or fewer than the coordinates; empty if none are."""
    for pattern, count in numbered(names):
        kind = quantity_of(pattern)
        positions = kind[0] == "q" if kind is not None else _is_bare(pattern, robot)
        if positions and count != len(robot.joint_names) and count > 1:
            return f"; {pattern!r} has {count} columns, and {robot.name} {len(robot.joint_names)} coordinates"
    return ""


def _is_bare(pattern: str, robot: Robot) -> bool:
    of_joints = {word for name in robot.joint_names for word in words_of(name)} if "," in pattern else set()
    return words_of(pattern) <= _JOINT | _ANGLE | of_joints


def _by_words(names: Sequence[str], joints: Sequence[str]) -> Iterator[str]:
    """Yield the lists of columns that have the words of the joints, and otherwise equal ones: shoulder_pan, ..."""
    wanted = {joint: _parts(joint) - _JOINT for joint in joints}
    if len(joints) < 2 or not all(wanted.values()):
        return
    groups: dict[frozenset[str], dict[str, list[str]]] = {}
    for name in names:
        parts = _parts(name) - {"joint"}
        for joint, words in wanted.items():
            if words <= parts and "," not in name:
                groups.setdefault(frozenset(parts - words), {}).setdefault(joint, []).append(name)
    for group in groups.values():
        columns = [name for joint in joints for name in group.get(joint, [])]
        if len(columns) == len(joints) == len(group) == len(set(columns)):
            yield ",".join(columns)


def _parts(name: str) -> set[str]:
    return set(_PART.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()))


def options(patterns: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the options of the command line that say so, and name the units that the columns name.

    names : of the columns of the file.
    """
    told = [f"--columns '{key}={pattern}'" for key, pattern in patterns.items()]
    for key, pattern in patterns.items():
        meant = [name for name in names if name in pattern.split(",") or _matches(pattern, name)]
        if key == "t":
            unit = unit_in(pattern) if pattern in names else None
            told += [f"--time-unit {unit}"] if unit not in (None, "s") else []
        elif units := named_units(key, meant):
            told.append(f"--unit {key}={units}")
    return " ".join(told)


def _matches(pattern: str, name: str) -> bool:
    """Return whether a column may be one of a pattern with a joint or number."""
    form = re.sub(r"\\\{(joint|0|1)\\\}", ".+", re.escape(pattern))
    return form != re.escape(pattern) and re.fullmatch(form, name) is not None


def unit_doubts(groups: Mapping[str, Sequence[str]], known: Mapping[str, str]) -> dict[str, str]:
    """Return, by quantity, the question about a unit that its columns name and nobody has said.

    groups : the columns of each quantity.
    known : units that were said, by quantity.
    """
    asked = {}
    for key, columns in groups.items():
        if key not in known and (units := named_units(key, columns)):
            asked[key] = (
                f"warning: columns such as {columns[0]!r} are read in SI units; if they are in {units}, "
                f"say --unit {key}={units}"
            )
    return asked
