"""Joint states of ROS 1 and ROS 2 bags (.bag, .db3, .mcap, folders), message by message, by the names in them."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rne.errors import FileError, needing
from rne.files.base import Piece, Source, as_arrow, reason, rows_of
from rne.files.extra import pa
from rne.model.robot import Robot

with needing("ros", "ROS bags need"):
    from rosbags.highlevel import AnyReader, AnyReaderError
    from rosbags.typesys import Stores, get_typestore

_TYPE = "sensor_msgs/msg/JointState"
_PARTS = {"q": "position", "qd": "velocity", "tau": "effort"}


class Bag(Source):
    """The joint states of one topic as columns t, q_<joint>, qd_<joint>, tau_<joint>.

    Messages that do not name all joints of the robot, as those of a gripper on the same topic, are left out. Times are
    those in the headers, since 1970; the times of recording if there are none.

    Parameters
    ----------
    path : of the bag.
    robot : its joints must be named.
    quantities : those that are looked for; velocities and efforts may be missing.
    topic : None where only one fits.
    """

    def __init__(self, path: str, robot: Robot, quantities: Sequence[str], topic: str | None) -> None:
        self.where = path
        self._joints, self._left_out = robot.joint_names, 0
        self._count = self._done = 0
        self._reader: Any = None
        with _damage(path):
            folder = Path(path).parent
            whole = folder if Path(path).suffix in (".db3", ".mcap") and (folder / "metadata.yaml").exists() else path
            self._reader = AnyReader([Path(whole)], default_typestore=get_typestore(Stores.LATEST))
            self._reader.open()
        try:
            self._begin(topic, quantities)
        except BaseException:
            self.close()
            raise

    def _begin(self, topic: str | None, quantities: Sequence[str]) -> None:
        self._connections = self._chosen(topic)
        self._count = sum(connection.msgcount for connection in self._connections)
        first = next(self._messages(), None)
        if first is None:
            raise FileError(f"{self.where}: no message names all of {', '.join(self._joints)}; {self._told()}")
        message, _ = first
        self._stamped = _nanoseconds(message) != 0
        there = [key for key, part in _PARTS.items() if key in quantities and len(getattr(message, part))]
        self._keys = there if "q" not in quantities or "q" in there else ["q", *there]
        self.names = ("t", *(f"{key}_{joint}" for key in self._keys for joint in self._joints))
        others = [joint for joint in message.name if joint not in self._joints]
        self.remarks = (f"ignored joints: {', '.join(others)}",) if others else ()

    def _chosen(self, topic: str | None) -> list[Any]:
        all_of = [c for c in self._reader.connections if c.msgtype == _TYPE]
        topics = list(dict.fromkeys(connection.topic for connection in all_of))
        if not topics:
            kinds = sorted({connection.msgtype for connection in self._reader.connections})
            raise FileError(f"{self.where}: no topic of {_TYPE}; the bag has {', '.join(kinds) or 'no messages'}")
        if topic is not None and topic not in topics:
            raise FileError(f"{self.where}: no joint states on topic {topic!r}; there are {', '.join(topics)}")
        fitting = [topic] if topic is not None else topics
        if len(fitting) > 1:
            fitting = [name for name in topics if self._fits([c for c in all_of if c.topic == name])]
            if len(fitting) != 1:
                told = ", ".join(fitting or topics)
                raise FileError(f"{self.where}: joint states on several topics, {told}; say which: --topic {topics[0]}")
        return [connection for connection in all_of if connection.topic == fitting[0]]

    def _fits(self, connections: list[Any]) -> bool:
        self._connections = connections
        return next(self._messages(), None) is not None

    def _told(self) -> str:
        with _damage(self.where):
            for connection, _, data in self._reader.messages(self._connections):
                message: Any = self._reader.deserialize(data, connection.msgtype)
                return f"the first has {', '.join(message.name) or 'no names'}"
        return "there are no messages"

    def _messages(self) -> Iterator[tuple[Any, int]]:
        """Yield messages that name all joints, and when they were recorded."""
        wanted = set(self._joints)
        self._done = self._left_out = 0
        with _damage(self.where):
            for connection, recorded, data in self._reader.messages(self._connections):
                self._done += 1
                message: Any = self._reader.deserialize(data, connection.msgtype)
                if wanted <= set(message.name):
                    yield message, recorded
                else:
                    self._left_out += 1

    def pieces(self, kept: Sequence[int], places: Sequence[int], rows: int | None) -> Iterator[Piece]:
        most, first = rows_of(len(self.names), rows), 0
        times: list[int] = []
        states: list[list[float]] = []
        order: dict[tuple[str, ...], list[int]] = {}
        for message, recorded in self._messages():
            names = tuple(message.name)
            if names not in order:
                order[names] = [names.index(joint) for joint in self._joints]
            times.append(_nanoseconds(message) if self._stamped else recorded)
            states.append(self._state(message, order[names], first + len(states) + 1))
            if len(states) == most:
                yield self._piece(first, times, states, kept, places)
                first, times, states = first + most, [], []
        if states:
            yield self._piece(first, times, states, kept, places)

    def _state(self, message: Any, order: Sequence[int], row: int) -> list[float]:
        state: list[float] = []
        for key in self._keys:
            values = getattr(message, _PARTS[key])
            if len(values) not in (0, len(message.name)):
                raise FileError(
                    f"{self.where}: row {row}: {len(values)} numbers in {_PARTS[key]} for {len(message.name)} names"
                )
            state += [float(values[k]) for k in order] if len(values) else [math.nan] * len(order)
        return state

    def _piece(
        self, first: int, times: list[int], states: list[list[float]], kept: Sequence[int], places: Sequence[int]
    ) -> Piece:
        def read() -> list[pa.Array]:
            numbers = np.array(states)
            columns = {0: pa.array(times, pa.int64()).cast(pa.duration("ns"))}
            return [columns[k] if k in columns else as_arrow(numbers[:, k - 1].copy()) for k in (*kept, *places)]

        return Piece(first, read)

    def first(self, places: Sequence[int]) -> list[str]:
        return [""] * len(places)

    def type_of(self, place: int) -> pa.DataType:
        return pa.float64() if place else pa.duration("ns")

    def done(self) -> float:
        return self._done / max(1, self._count)

    def close(self) -> None:
        with contextlib.suppress(AnyReaderError):  # it is closed already
            self._reader.close()

    def late_remarks(self) -> list[str]:
        if not self._left_out:
            return []
        return [f"messages that do not name all joints of the robot, left out: {self._left_out}"]


def _nanoseconds(message: Any) -> int:
    stamp = message.header.stamp
    return int(stamp.sec) * 10**9 + int(stamp.nanosec)


@contextlib.contextmanager
def _damage(where: str) -> Iterator[None]:
    """Turn errors of damaged files into one line; OSError passes unchanged."""
    try:
        yield
    except (FileError, OSError):
        raise
    except (AnyReaderError, Exception) as error:  # of databases, compression and messages, each has its own
        raise FileError(f"{where}: the bag cannot be read: {reason(error)}") from error
