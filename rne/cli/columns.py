"""The columns of a trajectory, matched to a robot by name."""

from __future__ import annotations

import csv
import difflib
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from rne.errors import FileError
from rne.robot import Robot

GROUPS = {"q": "positions", "qd": "velocities", "qdd": "accelerations"}


@dataclass(frozen=True)
class Columns:
    """Which columns of a trajectory hold what.

    Attributes
    ----------
    names : of all columns.
    groups : which of q, qd, qdd are there.
    numbers : places of the columns of these groups, each in the order of the joints.
    time : place of the column t, if there is one.
    remarks : what was taken as zero or left aside.
    """

    names: tuple[str, ...]
    groups: tuple[str, ...]
    numbers: tuple[int, ...]
    time: int | None
    remarks: tuple[str, ...]


def match(where: str, header: str, robot: Robot) -> Columns:
    """Match the header of a trajectory to the coordinates of a robot.

    Parameters
    ----------
    where : file and line, for errors.
    header : names with commas between them, in any order; `numpy.savetxt` puts a # in front.

    Raises
    ------
    FileError
        Columns are missing, stand twice, belong to no joint, or are not separated by commas.
    """
    names = _split(where, header.removeprefix("#"))
    twice = [name for name, count in Counter(names).items() if name and count > 1]
    if twice:
        raise FileError(f"{where}: columns that stand twice: {', '.join(twice)}")
    place = {name: k for k, name in enumerate(names)}
    wanted = {group: [f"{group}_{joint}" for joint in robot.joint_names] for group in GROUPS}
    groups = tuple(group for group in GROUPS if any(name in place for name in wanted[group]))
    known = {name for group in groups for name in wanted[group]}
    others = [name for name in names if name and name != "t" and name not in known]
    missing = [name for group in groups for name in wanted[group] if name not in place]
    if "q" not in groups:
        missing = wanted["q"]
    if missing:
        raise FileError(f"{where}: missing columns: {_suggest(missing, others)}")
    return Columns(
        tuple(names),
        groups,
        tuple(place[name] for group in groups for name in wanted[group]),
        place.get("t"),
        (
            *(f"no {group} columns: {GROUPS[group]} taken as zero" for group in GROUPS if group not in groups),
            *_leave_aside(where, others, robot, [name for group in wanted.values() for name in group]),
        ),
    )


def _split(where: str, header: str) -> list[str]:
    if "\0" in header:
        raise FileError(f"{where}: this is not UTF-8 text (UTF-16, or no text at all)")
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if separator in header and "," not in header:
            raise FileError(f"{where}: columns are separated by {name}; wanted are commas (and decimal points)")
    try:
        names = [name.strip() for name in next(csv.reader([header], strict=True, skipinitialspace=True))]
    except csv.Error as error:
        raise FileError(f"{where}: the header is no line of CSV: {error}") from None
    if all(map(_is_number, names)):
        raise FileError(f"{where}: no header; the first line must name the columns, as q_<joint>")
    return names


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _leave_aside(where: str, others: Iterable[str], robot: Robot, wanted: Collection[str]) -> list[str]:
    """Return remarks on columns that mean nothing; raise for those that look like a joint the robot has not."""
    known = {f"{group}_{joint.name}" for group in GROUPS for joint in robot.tree.joints}
    strange = [name for name in others if name not in known and name.startswith(tuple(f"{g}_" for g in GROUPS))]
    if strange:
        raise FileError(f"{where}: columns of joints that {robot.name} does not have: {_suggest(strange, wanted)}")
    remarks = []
    if still := [name for name in others if name in known]:
        remarks.append(f"ignored, for these joints are no coordinates (locked, fixed or mimicking): {', '.join(still)}")
    if rest := [name for name in others if name not in known]:
        remarks.append(f"ignored columns: {', '.join(rest)}")
    return remarks


def _suggest(names: Iterable[str], known: Collection[str]) -> str:
    """Return the names, each with the known one that comes closest."""
    close = {name: difflib.get_close_matches(name, known, n=1) for name in names}
    return ", ".join(f"{name} (did you mean {near[0]}?)" if near else name for name, near in close.items())
