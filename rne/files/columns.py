"""The columns of a trajectory, matched to a robot by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rne.check import unknown_name
from rne.errors import ArgumentError, FileError, close_names, did_you_mean, shown
from rne.files.base_pose import wanted as wanted_names
from rne.files.guesses import fitting, miscounted, options
from rne.files.patterns import (
    NameColumns,
    advice,
    check_order,
    name_columns,
    quantity_of,
    seconds_of,
    split,
)
from rne.model.floating import OF_POSITION, OF_VELOCITY, columns_of
from rne.model.robot import Robot

QUANTITIES = ("q", "qd", "qdd", "tau")
_TOLD = 40  # names of columns in a message, at most
LOAD = "f_ext:"
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")


@dataclass(frozen=True)
class Columns:
    """Which columns of a trajectory hold what.

    Parameters
    ----------
    names : of all columns of the file.
    groups : by quantity that is there (q, qd, qdd, tau), the places of its columns, in the order of the joints; those
        of a base that floats come first.
    wrenches : by frame, the places of fx, fy, fz, mx, my, mz.
    time : place of the column t, if there is one.
    missing : the quantities that were asked for and are not there.
    remarks : what was left aside, and what was taken as it may not be meant.
    nanoseconds : place of the column that continues t, if it has two.
    labels : places of columns with names of joints, and the names that must stand there in every row.

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
    nanoseconds: int | None = None
    labels: dict[int, str] = field(default_factory=dict)

    @property
    def named_groups(self) -> dict[str, list[str]]:
        """Names of the columns of each quantity, in the order of the joints."""
        return {key: [self.names[place] for place in group] for key, group in self.groups.items()}


Pattern = str | Sequence[str]


def check_names(argument: str, given: object) -> None:
    """Refuse what is not several names.

    Raises
    ------
    ArgumentError
        It is something else.
    """
    if isinstance(given, str) or not isinstance(given, Collection) or not all(isinstance(n, str) for n in given):
        raise ArgumentError(f"{argument}: wanted several names, got {shown(given)}")


def check_asked(
    robot: Robot,
    quantities: Sequence[str],
    wrenches: Sequence[str],
    rename: Mapping[str, Pattern] | None,
    joints: Sequence[str] | None = None,
) -> None:
    """Refuse arguments of `Trajectory` that ask for what there cannot be.

    Raises
    ------
    ArgumentError
        They do.
    """
    for argument, given in (("quantities", quantities), ("wrenches", wrenches), ("joints", joints or ())):
        check_names(argument, given)
    if not set(quantities) <= set(QUANTITIES) or not (quantities or wrenches):
        raise ArgumentError(f"quantities: wanted one or more of {', '.join(QUANTITIES)}, got {shown(quantities)}")
    if rename is not None and not (isinstance(rename, Mapping) and all(map(_is_renaming, rename.items()))):
        raise ArgumentError(f"rename: wanted a mapping from quantity to pattern, got {shown(rename)}")
    frames = [key.removeprefix(LOAD) for key in rename or {} if key.startswith(LOAD)]
    if unknown := [frame for frame in (*wrenches, *frames) if frame not in robot.links.frames]:
        raise unknown_name("wrenches", "frame", unknown[0], robot.links.frames)
    if joints is not None:
        check_joints(robot, "joints", joints)
    for key, pattern in (rename or {}).items():
        if key == "t" or key.startswith(LOAD):
            continue
        if key not in QUANTITIES:
            raise ArgumentError(f"rename: wanted one of t, {', '.join(QUANTITIES)}, {LOAD}FRAME, got {key!r}")
        listed = split(pattern)
        if listed is not None and len(listed) == 1 and robot.n > 1:
            raise ArgumentError(
                f"rename: wanted {{joint}}, {{0}} or {{1}} in the pattern of {key}, or the names of its columns, "
                f"got {pattern!r}"
            )


def _is_renaming(item: tuple[object, object]) -> bool:
    key, pattern = item
    if not isinstance(key, str) or (key == "t" and not isinstance(pattern, str)):
        return False
    return isinstance(pattern, Sequence) and all(isinstance(name, str) for name in pattern)


def check_joints(robot: Robot, where: str, joints: Sequence[str]) -> None:
    """Refuse names of joints, in the order of a file, among which one of the robot's is not there, or is twice.

    Raises
    ------
    ArgumentError
        One is.
    """
    if twice := [name for name, count in Counter(joints).items() if count > 1]:
        raise ArgumentError(f"{where}: duplicate joints: {', '.join(twice)}")
    if missing := [name for name in robot.joint_names if name not in joints]:
        raise ArgumentError(f"{where}: joints of {robot.name} that are not named: {_suggest(missing, joints)}")


def match(
    where: str,
    names: Sequence[str],
    robot: Robot,
    quantities: Sequence[str],
    wrenches: Sequence[str] = (),
    rename: Mapping[str, Pattern] | None = None,
    joints: Sequence[str] | None = None,
    first: Callable[[Sequence[int]], Sequence[str]] | None = None,
) -> Columns:
    """Match the columns of a trajectory to the coordinates of a robot.

    Parameters
    ----------
    where : file, and line if it has lines, for errors.
    names : of the columns, in any order.
    quantities : of q, qd, qdd, tau those that are looked for; q must be there, or the first of them without q.
    wrenches : frames whose wrenches must be there, in columns fx_<frame> to mz_<frame>.
    rename : other names of columns, as `Trajectory` takes them.
    joints : names as the file numbers them.
    first : returns texts of the first row, by places.

    Raises
    ------
    FileError
        Columns are missing, repeated, or belong to no joint; renamed columns must exist.
    """
    rename = dict(rename or {})
    renamed = "t" in rename
    remarks: list[str] = []
    usual = "%time" if "%time" in names and "t" not in names else "t"
    time, rest = _parts(where, str(rename.pop("t", usual)), names)
    rests = [] if rest is None else [rest]
    loads = {frame: [f"{part}_{frame}" for part in WRENCH] for frame in wrenches}
    for key in [key for key in rename if key.startswith(LOAD)]:
        loads[key.removeprefix(LOAD)] = _wrench(key, rename.pop(key))
    labels, order = _labelled(where, names, robot, rename, joints, first)
    if labels is not None and order is not None:
        for key in quantities:
            beside = labels.beside(key, names)
            standard = any(column in names for column in columns_of(robot, key))
            if key not in rename and beside is not None and not standard:
                rename[key] = [beside.replace("{0}", labels.numbers[order.index(joint)]) for joint in robot.joint_names]
        remarks.append(f"joints by the names in the columns {labels.columns[0]}, ...: {', '.join(order or ())}")
    wanted = {
        key: wanted_names(robot, key, rename.get(key), _order_of(key, rename, order, joints)) for key in quantities
    }
    meant = {time, *(name for group in [*wanted.values(), *loads.values()] for name in group)}
    place = {name: k for k, name in enumerate(names)}
    # As q, what has a pattern must be there: one that matches nothing is a slip, for which nothing is taken as zero.
    there = {*(["q"] if "q" in quantities else quantities[:1]), *rename}
    groups = {key: group for key, group in wanted.items() if key in there or any(name in place for name in group)}
    _check_distinct({**groups, **loads, **({"t": [time]} if time in place else {})})
    needed = [name for group in [*groups.values(), *loads.values()] for name in group] + [time] * renamed
    needed += rests
    known = {time, *needed, *(labels.columns if labels else ())}
    asked = {*needed, time, *(labels.columns if labels else ())}
    twice = [name for name, count in Counter(names).items() if name in asked and count > 1]
    if twice:
        raise FileError(f"{where}: duplicate columns: {', '.join(twice)}")
    others = list(dict.fromkeys(name for name in names if name and name not in known))
    missing = [name for name in needed if name not in place]
    if missing:
        fit = {key: found for key, found in fitting(names, robot, quantities).items() if found != key + "_{joint}"}
        fits = any(key in fit and set(group) & set(missing) for key, group in {**groups, "t": [time]}.items())
        unlike = len(missing) == len(needed)  # perhaps none of them is what the reader thinks it is
        told = _suggest(missing, () if unlike and fits else others)
        if unlike:
            told += f"; the columns are {_listed([*map(repr, names)])}"
        if fits:
            told += f"; try {options(fit, names)}"
        elif unlike:
            told += miscounted(names, robot)
        raise FileError(f"{where}: missing columns: {told}")
    return Columns(
        tuple(names),
        {key: tuple(place[name] for name in group) for key, group in groups.items()},
        {frame: tuple(place[name] for name in group) for frame, group in loads.items()},
        place.get(time),
        tuple(key for key in quantities if key not in groups),
        (*remarks, *_leave_aside(where, others, robot, [key for key in quantities if key not in rename], meant)),
        None if rest is None else place[rest],
        {} if labels is None else dict(zip((place[name] for name in labels.columns), order or (), strict=True)),
    )


def _parts(where: str, time: str, names: Sequence[str]) -> tuple[str, str | None]:
    """Return the column of times and the one of nanoseconds that continues it; refuse nanoseconds alone."""
    if time not in names and "+" in time:
        whole, _, rest = (part.strip() for part in time.partition("+"))
        return whole, rest
    if time in names and (first := seconds_of(time, names)) is not None:
        wanted = advice({"t": f"{first}+{time}"})
        raise FileError(f"{where}: column {time!r} has the nanoseconds within each second alone; wanted is {wanted}")
    return time, None


def _wrench(key: str, pattern: Pattern) -> list[str]:
    listed = split(pattern)
    if listed is not None and len(listed) == 1 and "{axis}" in listed[0]:
        return [listed[0].replace("{axis}", part) for part in WRENCH]
    if listed is None:
        return [str(pattern).replace("{0}", str(k)).replace("{1}", str(k + 1)) for k in range(6)]
    if len(listed) != 6:
        raise ArgumentError(
            f"rename: {key}: wanted six columns (fx, fy, fz, mx, my, mz), or a pattern with {{axis}} for these, "
            f"{{0}} or {{1}} for their numbers; got {shown(pattern)}"
        )
    return listed


def _order_of(
    key: str, rename: Mapping[str, Pattern], order: Sequence[str] | None, joints: Sequence[str] | None
) -> Sequence[str] | None:
    """Return the joints in the order of the numbers in the file, if the columns of a quantity are numbered."""
    pattern = rename.get(key)
    if pattern is None or (split(pattern) is not None and joints is None):
        return None  # a list stands in the order of the robot
    return order


def _labelled(
    where: str,
    names: Sequence[str],
    robot: Robot,
    rename: Mapping[str, Pattern],
    joints: Sequence[str] | None,
    first: Callable[[Sequence[int]], Sequence[str]] | None,
) -> tuple[NameColumns | None, Sequence[str] | None]:
    """Return the columns that hold names, where they count, and the joints as the file numbers them."""
    numbered = [p for p in rename.values() if isinstance(p, str) and ("{0}" in p or "{1}" in p)]
    found = name_columns(names) if first is not None else None
    order: Sequence[str] | None = None
    if found is not None and first is not None:
        order = [text.strip() for text in first([names.index(name) for name in found.columns])]
        if not set(order) & set(robot.joint_names):  # names of something else
            found = order = None
    if joints is not None:
        if found is not None and order is not None and list(order) != list(joints) and numbered:
            told = f"{','.join(joints)} is not what the columns {found.columns[0]}, ... say: {','.join(order)}"
            raise FileError(f"{where}: --joints {told}")
        return None, joints
    if found is not None and order is not None:
        used = any(map(found.is_beside, numbered)) or any(
            key not in rename and found.beside(key, names) for key in QUANTITIES
        )
        check_joints(robot, f"{where}: columns {found.columns[0]}, ...", order)
        if numbered and not all(map(found.is_beside, numbered)) and list(order) != list(robot.joint_names):
            raise FileError(
                f"{where}: columns {found.columns[0]}, ... name the joints in the order {', '.join(order)}, which is "
                f"not that of {robot.name}; numbers may mean other joints: say --joints {','.join(order)}"
            )
        if used:
            return found, order
    if numbered:
        check_order(where, names, robot)
    return None, None


def _check_distinct(groups: Mapping[str, Iterable[str]]) -> None:
    """Refuse patterns that make one column mean two things."""
    meanings: dict[str, str] = {}
    for key, group in groups.items():
        for name in group:
            other = meanings.setdefault(name, key)
            if other != key:
                raise ArgumentError(f"rename: column {name!r} would be both {other} and {key}; wanted are two columns")


def _leave_aside(
    where: str, others: Iterable[str], robot: Robot, quantities: Sequence[str], wanted: Collection[str]
) -> list[str]:
    """Return remarks on columns that mean nothing; raise for those that look like a joint the robot has not."""
    known = {f"{quantity}_{joint.name}" for quantity in quantities for joint in robot.tree.joints}
    strange = [name for name in others if name not in known and name.startswith(tuple(f"{g}_" for g in quantities))]
    if not robot.floating and any(name.partition("_")[2] in (*OF_POSITION, *OF_VELOCITY) for name in strange):
        raise FileError(
            f"{where}: columns of a base that floats: {_listed(strange)}; that of {robot.name} is fixed: load it with "
            "floating=True (--floating)"
        )
    if strange:
        raise FileError(f"{where}: columns of joints that {robot.name} does not have: {_suggest(strange, wanted)}")
    remarks = []
    if still := [name for name in others if name in known]:
        remarks.append(f"ignored; these joints are not coordinates (locked, fixed or mimicking): {_listed(still)}")
    if rest := [name for name in others if name not in known]:
        remarks.append(f"ignored columns: {_listed(rest)}")
    return remarks


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _TOLD
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:_TOLD])} and {more:,} more"


def _may_be(name: str, other: str) -> bool:
    """Return whether one may be a misspelling of the other; an effort is not one of a position."""
    kinds = quantity_of(name), quantity_of(other)
    return kinds[0] is None or kinds[1] is None or kinds[0][0] == kinds[1][0]


def _suggest(names: Iterable[str], known: Collection[str]) -> str:
    """Return the names, each with the known one that comes closest."""
    close = {name: close_names(name, [k for k in known if _may_be(name, k)]) for name in names}
    return ", ".join(f"{name} ({did_you_mean(near)})" if near else name for name, near in close.items())
