"""Trajectories from CSV, in chunks: numpy's tokenizer where a chunk is plain, a careful look where it is not."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from rne.cli.columns import Columns, match
from rne.errors import FileError
from rne.robot import Robot

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Chunk:
    """Some rows of a trajectory: arrays (rows, n), and the texts of the column t; None for what is not there."""

    q: Floats
    qd: Floats | None
    qdd: Floats | None
    times: list[str] | None


class Trajectory:
    """A CSV file of states, as `opened` returns it.

    Parameters
    ----------
    stream : the text; its first line that is not blank names the columns.
    name : of the file, for errors.
    robot : the columns are those of its coordinates.

    Attributes
    ----------
    columns : Columns
        What is there, and what was left aside.

    Raises
    ------
    FileError
        There is no header, or it does not fit the robot.
    """

    def __init__(self, stream: TextIOWrapper, name: str, robot: Robot) -> None:
        self._stream = stream
        self._name = name
        self._joints = robot.n
        self._line = 0
        header = ""
        for header in stream:
            self._line += 1
            if header.strip():
                break
        if not header.strip():
            raise FileError(f"{name}: the file is empty; the first line must name the columns")
        self.columns: Columns = match(self._at(self._line), header.strip(), robot)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Read on.

        Parameters
        ----------
        rows : most rows of a chunk; by default as many as hold 100,000 fields.

        Raises
        ------
        FileError
            A row has too few or too many fields, or a field that is not a number; the message tells line and column.
        """
        rows = rows or max(1, 100_000 // len(self.columns.names))
        while lines := list(islice(self._stream, rows)):
            read = len(lines)
            while lines and not lines[-1].strip():
                lines.pop()
            if lines:
                yield self._chunk(lines)
            self._line += len(lines)
            if len(lines) < read:
                self._expect_blank()

    def _at(self, line: int) -> str:
        return f"{self._name}:{line}"

    def _expect_blank(self) -> None:
        if any(line.strip() for line in self._stream):
            raise FileError(f"{self._at(self._line + 1)}: blank line between rows")

    def _chunk(self, lines: list[str]) -> Chunk:
        """Turn lines into numbers, as fast as their look allows."""
        values, times = self._read(lines) or self._read_carefully(lines)
        n = self._joints
        state = {group: values[:, k * n : (k + 1) * n] for k, group in enumerate(self.columns.groups)}
        return Chunk(state["q"], state.get("qd"), state.get("qdd"), times)

    def _read(self, lines: list[str]) -> tuple[Floats, list[str] | None] | None:
        """Read rows without quotes; None if there is anything about them."""
        fields, k = len(self.columns.names), self.columns.time
        if {line.count(",") for line in lines} != {fields - 1} or any('"' in line for line in lines):
            return None
        try:
            values = np.loadtxt(lines, delimiter=",", usecols=self.columns.numbers, comments=None, ndmin=2)
        except ValueError:
            return None
        if len(values) != len(lines):  # it skips blank lines
            return None
        return values, None if k is None else [line.split(",", k + 1)[k].strip() for line in lines]

    def _read_carefully(self, lines: list[str]) -> tuple[Floats, list[str] | None]:
        """Read rows one by one, with quotes, and say where one cannot be read."""
        values, times = [], []
        line = self._line
        records = csv.reader(lines, strict=True, skipinitialspace=True)
        try:
            for line, record in enumerate(records, self._line + 1):
                if records.line_num != line - self._line:
                    raise FileError(f"{self._at(line)}: a quote that does not end on its line")
                values.append(self._row(line, record))
                if self.columns.time is not None:
                    times.append(_quoted(record[self.columns.time].strip()))
        except csv.Error as error:
            raise FileError(f"{self._at(line + 1)}: {error}") from None
        return np.array(values), times if self.columns.time is not None else None

    def _row(self, line: int, record: list[str]) -> list[float]:
        wanted, got = len(self.columns.names), len(record)
        if not record:
            raise FileError(f"{self._at(line)}: blank line between rows")
        if got != wanted:
            hint = " (are there decimal commas? wanted are points)" if got in (2 * wanted, 2 * wanted - 1) else ""
            raise FileError(f"{self._at(line)}: {got} fields where the header has {wanted}{hint}")
        numbers = []
        for k in self.columns.numbers:
            try:
                numbers.append(_number(record[k].strip()))
            except ValueError as error:
                raise FileError(f"{self._at(line)}: column {self.columns.names[k]!r}: {error}") from None
        return numbers


def _number(text: str) -> float:
    """Return the number that is written, by the rules of `numpy.loadtxt`."""
    if not text:
        raise ValueError("empty (nan stands for a number that is not known)")
    try:
        if text.isascii() and "_" not in text:
            return float(text)
    except ValueError:
        pass
    hint = " (wanted is a decimal point)" if "," in text else ""
    raise ValueError(f"not a number: {text!r}{hint}")


def _quoted(text: str) -> str:
    """Return a field as CSV."""
    return '"' + text.replace('"', '""') + '"' if '"' in text or "," in text else text


@contextmanager
def opened(raw: BinaryIO, name: str, robot: Robot) -> Iterator[Trajectory]:
    """Read `raw` as a trajectory; it stays open. UTF-8, with or without byte order mark, and any ends of lines."""
    # Bytes that are no UTF-8 pass: they may stand in a column that nobody reads; a number with them is refused.
    stream = TextIOWrapper(raw, encoding="utf-8-sig", errors="surrogateescape")
    try:
        yield Trajectory(stream, name, robot)
    finally:
        stream.detach()
