"""The names of columns: patterns with joints or numbers, columns that contain names, and the quantity."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rne.errors import ArgumentError, FileError, shown
from rne.files.extra import compute, pa
from rne.model.robot import Robot

_WORDS = {
    "q": {"q", "position", "positions", "pos", "angle", "angles"},
    "qd": {"qd", "dq", "velocity", "velocities", "vel", "speed", "speeds", "qdot"},
    "qdd": {"qdd", "ddq", "acceleration", "accelerations", "acc", "accel", "qddot"},
    "tau": {"tau", "effort", "efforts", "torque", "torques", "moment"},
}
_WANTED = {"d", "des", "desired", "target", "targets", "cmd", "command", "commanded", "ref", "reference", "goal"}
_TIMES = {
    "t",
    "time",
    "times",
    "timestamp",
    "timestamps",
    "stamp",
    "duration",
    "clock",
    "secs",
    "sec",
    "seconds",
    "zeit",
}
_NAMES = re.compile(r"(?P<before>.*?)(?P<word>names?)(?P<between>[^0-9]*)(?P<number>[0-9]+)(?P<after>[^0-9]*)")
FORM = re.compile(r"\{(joint|0|1)\}")


@dataclass(frozen=True)
class NameColumns:
    """Columns that hold the names of joints, as those of ROS joint states do beside the positions.

    Attributes
    ----------
    before, between, after : text before, between and after the word "name" and the number.
    numbers : of the columns, as they are written.
    columns : their names, in the order of the numbers.
    """

    before: str
    between: str
    after: str
    numbers: tuple[str, ...]
    columns: tuple[str, ...]

    def beside(self, quantity: str, names: Collection[str]) -> str | None:
        """Return the pattern of the columns of a quantity beside these; None if there are none."""
        for word in sorted(_WORDS[quantity]):
            pattern = f"{self.before}{word}{self.between}{{0}}{self.after}"
            if all(pattern.replace("{0}", number) in names for number in self.numbers):
                return pattern
        return None

    def is_beside(self, pattern: str) -> bool:
        """Return whether a pattern is of columns beside these."""
        form = f"{re.escape(self.before)}[^0-9]*{re.escape(self.between)}\\{{[01]\\}}{re.escape(self.after)}"
        return re.fullmatch(form, pattern) is not None


def name_columns(names: Sequence[str]) -> NameColumns | None:
    """Return the columns name0, name1, ... of a file, with anything before, between and behind; None if not one set."""
    sets: dict[tuple[str, str, str], list[tuple[int, str, str]]] = {}
    for name in names:
        if found := _NAMES.fullmatch(name):
            key = (found["before"], found["between"], found["after"])
            sets.setdefault(key, []).append((int(found["number"]), found["number"], name))
    if len(sets) != 1:
        return None
    [(key, entries)] = sets.items()
    entries.sort()
    numbers = [number for number, _, _ in entries]
    if numbers not in (list(range(len(numbers))), list(range(1, len(numbers) + 1))):
        return None
    return NameColumns(*key, tuple(text for _, text, _ in entries), tuple(name for _, _, name in entries))


def check_label(where: str, first: int, name: str, column: pa.Array, wanted: str) -> None:
    """Refuse rows in which another joint is named than in the first.

    Raises
    ------
    FileError
        One is.
    """
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    same = compute.fill_null(compute.equal(compute.utf8_trim_whitespace(column), wanted), False)
    if not compute.all(same, min_count=0).as_py():
        row = compute.index(same, False).as_py()
        raise FileError(
            f"{where}: row {first + row + 1}: column {name!r}: joint {column[row].as_py()!r} stands where the first "
            f"row has {wanted!r}; wanted is one order in all rows"
        )


def expected(key: str, pattern: str | Sequence[str], joints: Sequence[str], order: Sequence[str] | None) -> list[str]:
    """Return the names of the columns of a quantity, in the order of the robot's joints.

    Parameters
    ----------
    key : the quantity, for errors.
    pattern : with {joint}, {0} or {1}; or the names, in a sequence or with commas between them.
    joints : of the robot.
    order : joints as the file numbers them; None for those of the robot.
    """
    listed = split(pattern)
    if listed is not None:
        wanted = list(joints) if order is None else list(order)
        if len(listed) != len(wanted):
            raise ArgumentError(
                f"rename: {key}: wanted {len(wanted)} columns ({', '.join(wanted)}), got {len(listed)}: "
                f"{shown(pattern)}"
            )
        by_joint = dict(zip(wanted, listed, strict=True))
        return [by_joint[joint] for joint in joints]
    place = {joint: k for k, joint in enumerate(joints if order is None else order)}
    return [
        str(pattern).replace("{0}", str(place[joint])).replace("{1}", str(place[joint] + 1)).replace("{joint}", joint)
        for joint in joints
    ]


def split(pattern: str | Sequence[str]) -> list[str] | None:
    """Return an explicit list of columns; None for a pattern."""
    if not isinstance(pattern, str):
        return list(pattern)
    return None if FORM.search(pattern) else [name.strip() for name in pattern.split(",")]


def check_order(where: str, names: Sequence[str], robot: Robot) -> None:
    """Refuse numbers for joints where the file names its joints in another order than the robot.

    Raises
    ------
    FileError
        It does.
    """
    for pattern in by_joint(names, robot.joint_names):
        place = {joint: names.index(pattern.replace("{joint}", joint)) for joint in robot.joint_names}
        order = sorted(robot.joint_names, key=place.__getitem__)
        if order != list(robot.joint_names):
            raise FileError(
                f"{where}: columns {pattern!r} name the joints in the order {', '.join(order)}, which is not that of "
                f"{robot.name}; numbers may mean other joints: use {{joint}}, or say --joints {','.join(order)}"
            )


def by_joint(names: Sequence[str], joints: Sequence[str]) -> Iterator[str]:
    """Yield the patterns with {joint} of which all columns are there."""
    if not joints:
        return
    known = set(names)
    first = joints[0]
    for name in names:
        start = name.find(first)
        while start >= 0:
            before, after = name[:start], name[start + len(first) :]
            if all(f"{before}{joint}{after}" in known for joint in joints):
                yield f"{before}{{joint}}{after}"
            start = name.find(first, start + 1)


def by_number(names: Sequence[str], count: int) -> Iterator[str]:
    """Yield the patterns with {0} or {1} that match exactly as many columns as there are joints."""
    return (pattern for pattern, columns in numbered(names) if columns == count)


def numbered(names: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield the patterns with {0} or {1} of which no number is missing, and how many columns they match."""
    sets: dict[tuple[str, str], set[str]] = {}
    for name in names:
        for found in re.finditer(r"[0-9]+", name):
            sets.setdefault((name[: found.start()], name[found.end() :]), set()).add(found[0])
    for (before, after), numbers in sets.items():
        for first in (0, 1):
            if numbers == {str(k) for k in range(first, first + len(numbers))}:
                yield f"{before}{{{first}}}{after}", len(numbers)


def quantity_of(name: str) -> tuple[str, bool] | None:
    """Return the quantity that a name or pattern belongs to, and whether in the usual form; None if unknown."""
    words = words_of(name)
    kinds = {key for key, known in _WORDS.items() if words & known}
    return (kinds.pop(), bool(words & _WANTED)) if len(kinds) == 1 else None


def words_of(name: str) -> set[str]:
    """Return the words of a name or pattern, in lower case."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", FORM.sub(" ", name))
    return set(re.findall(r"[a-z]+", spaced.lower()))


def time_like(names: Sequence[str]) -> str | None:
    """Return the column that must be the time, or two with a plus between them; None if none is like it."""
    if "t" in names:
        return None
    for name in names:
        if (other := nanoseconds_of(name, names)) is not None:
            return f"{name}+{other}"
    likely = [name for name in names if name == "%time" or words_of(re.sub(r"[\[(].*", "", name)) & _TIMES]
    return min(likely, key=len) if likely else None


def nanoseconds_of(name: str, names: Collection[str]) -> str | None:
    """Return the column of nanoseconds that continues a column of seconds; None if there is none."""
    for whole, rests in (
        ("secs", ("nsecs",)),
        ("sec", ("nanosec", "nsec", "nanoseconds")),
        ("seconds", ("nanoseconds",)),
    ):
        if name.endswith(whole) and not name.endswith(rests):
            for rest in rests:
                if (other := name[: -len(whole)] + rest) in names:
                    return other
    return None


def whole_seconds(time: str, names: Collection[str]) -> str:
    """Return what times that are repeated in most rows may come from, and what takes all of them."""
    rest = nanoseconds_of(time, names)
    if rest is None:
        return f"column {time!r} is too coarse for these rows, as whole seconds are; wanted are finer times"
    wanted = advice({"t": f"{time}+{rest}"})
    return f"column {time!r} has whole seconds alone, which {rest!r} continues; wanted is {wanted}"


def seconds_of(name: str, names: Collection[str]) -> str | None:
    """Return the column of seconds that a column of nanoseconds continues; None if there is none."""
    return next((whole for whole in names if nanoseconds_of(whole, names) == name), None)


def advice(patterns: Mapping[str, str]) -> str:
    """Return the options of the command line that say so."""
    return " ".join(f"--columns '{key}={pattern}'" for key, pattern in patterns.items())
