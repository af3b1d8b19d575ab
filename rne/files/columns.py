"""The columns of a trajectory, matched to a robot by name."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rne.check import unknown_name
from rne.errors import ArgumentError, FileError, shown
from rne.model.robot import Robot

QUANTITIES = ("q", "qd", "qdd", "tau")
_TOLD = 40  # names of columns in a message, at most
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")


@dataclass(frozen=True)
class Columns:
    """Which columns of a trajectory hold what.

    Parameters
    ----------
    names : of all columns of the file.
    groups : by quantity that is there (q, qd, qdd, tau), the places of its columns, in the order of the joints.
    wrenches : by frame, the places of fx, fy, fz, mx, my, mz.
    time : place of the column t, if there is one.
    missing : the quantities that were asked for and are not there.
    remarks : what was left aside.

    Examples
    --------
    >>> import rne
    >>> panda = rne.load("models/panda/robot.urdf")
    >>> with rne.files.Trajectory("models/panda/trajectory.csv", panda) as motion:
    ...     sorted(motion.columns.groups), motion.columns.time, motion.columns.missing
    (['q', 'qd', 'qdd'], 0, ())
    """

    names: tuple[str, ...]
    groups: dict[str, tuple[int, ...]]
    wrenches: dict[str, tuple[int, ...]]
    time: int | None
    missing: tuple[str, ...]
    remarks: tuple[str, ...]


def check_asked(
    robot: Robot, quantities: Sequence[str], wrenches: Sequence[str], rename: Mapping[str, str] | None
) -> None:
    """Refuse arguments of `Trajectory` that ask for what there cannot be.

    Raises
    ------
    ArgumentError
        They do.
    """
    for argument, given in (("quantities", quantities), ("wrenches", wrenches)):
        if isinstance(given, str) or not isinstance(given, Collection) or not all(isinstance(n, str) for n in given):
            raise ArgumentError(f"{argument}: wanted several names, got {shown(given)}")
    if "q" not in quantities or not set(quantities) <= set(QUANTITIES):
        raise ArgumentError(f"quantities: wanted q, and of {', '.join(QUANTITIES)} no others, got {shown(quantities)}")
    if unknown := [frame for frame in wrenches if frame not in robot.links.frames]:
        raise unknown_name("wrenches", "frame", unknown[0], robot.links.frames)
    if rename is not None and not (
        isinstance(rename, Mapping) and all(isinstance(word, str) for pair in rename.items() for word in pair)
    ):
        raise ArgumentError(f"rename: wanted a mapping from quantity to pattern, got {shown(rename)}")
    for key, pattern in (rename or {}).items():
        if key == "t":
            continue
        if key not in QUANTITIES:
            raise ArgumentError(f"rename: wanted one of t, {', '.join(QUANTITIES)}, got {key!r}")
        if not re.search(r"\{(joint|0|1)\}", pattern):
            raise ArgumentError(f"rename: wanted {{joint}}, {{0}} or {{1}} in the pattern of {key}, got {pattern!r}")


def match(
    where: str,
    names: Sequence[str],
    robot: Robot,
    quantities: Sequence[str],
    wrenches: Sequence[str] = (),
    rename: Mapping[str, str] | None = None,
) -> Columns:
    """Match the columns of a trajectory to the coordinates of a robot.

    Parameters
    ----------
    where : file, and line if it has lines, for errors.
    names : of the columns, in any order.
    quantities : of q, qd, qdd, tau those that are looked for; q must be there.
    wrenches : frames whose wrenches must be there, in columns fx_<frame> to mz_<frame>.
    rename : other names of columns, as `Trajectory` takes them.

    Raises
    ------
    FileError
        Columns are missing, stand twice, or belong to no joint; those that were given other names must be there.
    """
    rename = dict(rename or {})
    renamed = "t" in rename
    time = rename.pop("t", "t")
    wanted = {quantity: _expected(quantity, robot.joint_names, rename) for quantity in quantities}
    loads = {frame: [f"{part}_{frame}" for part in WRENCH] for frame in wrenches}
    meant = {time, *(name for group in [*wanted.values(), *loads.values()] for name in group)}
    twice = [name for name, count in Counter(names).items() if name and count > 1]
    if twice:
        raise FileError(f"{where}: columns that stand twice: {', '.join(twice)}")
    place = {name: k for k, name in enumerate(names)}
    # As q, what has a pattern must be there: one that matches nothing is a slip, for which nothing is taken as zero.
    there = {"q", *rename}
    groups = {key: group for key, group in wanted.items() if key in there or any(name in place for name in group)}
    _check_distinct({**groups, **loads, **({"t": [time]} if time in place else {})})
    needed = [name for group in [*groups.values(), *loads.values()] for name in group] + [time] * renamed
    known = {time, *needed}
    others = [name for name in names if name and name not in known]
    missing = [name for name in needed if name not in place]
    if missing:
        told = _suggest(missing, others)
        if len(missing) == len(needed):  # perhaps none of them is what the reader thinks it is
            told += f"; the columns are {_listed([*map(repr, names)])}"
        raise FileError(f"{where}: missing columns: {told}")
    return Columns(
        tuple(names),
        {key: tuple(place[name] for name in group) for key, group in groups.items()},
        {frame: tuple(place[name] for name in group) for frame, group in loads.items()},
        place.get(time),
        tuple(key for key in quantities if key not in groups),
        tuple(_leave_aside(where, others, robot, [key for key in quantities if key not in rename], meant)),
    )


def _check_distinct(groups: Mapping[str, Iterable[str]]) -> None:
    """Refuse patterns that make one column mean two things."""
    meanings: dict[str, str] = {}
    for key, group in groups.items():
        for name in group:
            other = meanings.setdefault(name, key)
            if other != key:
                raise ArgumentError(f"rename: column {name!r} would be both {other} and {key}; wanted are two columns")


def _expected(quantity: str, joints: Sequence[str], rename: Mapping[str, str]) -> list[str]:
    pattern = rename.get(quantity, quantity + "_{joint}")
    return [
        pattern.replace("{0}", str(k)).replace("{1}", str(k + 1)).replace("{joint}", joint)
        for k, joint in enumerate(joints)
    ]


def _leave_aside(
    where: str, others: Iterable[str], robot: Robot, quantities: Sequence[str], wanted: Collection[str]
) -> list[str]:
    """Return remarks on columns that mean nothing; raise for those that look like a joint the robot has not."""
    known = {f"{quantity}_{joint.name}" for quantity in quantities for joint in robot.tree.joints}
    strange = [name for name in others if name not in known and name.startswith(tuple(f"{g}_" for g in quantities))]
    if strange:
        raise FileError(f"{where}: columns of joints that {robot.name} does not have: {_suggest(strange, wanted)}")
    remarks = []
    if still := [name for name in others if name in known]:
        remarks.append(f"ignored, for these joints are no coordinates (locked, fixed or mimicking): {_listed(still)}")
    if rest := [name for name in others if name not in known]:
        remarks.append(f"ignored columns: {_listed(rest)}")
    return remarks


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _TOLD
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:_TOLD])} and {more:,} more"


def _suggest(names: Iterable[str], known: Collection[str]) -> str:
    """Return the names, each with the known one that comes closest."""
    close = {name: difflib.get_close_matches(name, known, n=1) for name in names}
    return ", ".join(f"{name} (did you mean {near[0]}?)" if near else name for name, near in close.items())
