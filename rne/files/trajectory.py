"""Trajectories from files of any size, as arrays in the order of a robot's joints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import check_robot
from rne.check import at_home, check_choice, check_flag, whole_number
from rne.errors import ArgumentError, FileError, shown
from rne.files.base import Piece, Source, numbers_of
from rne.files.base_pose import check_quaternions
from rne.files.chunk import Chunk
from rne.files.columns import LOAD, Columns, check_asked, check_names, match
from rne.files.extra import pa
from rne.files.filled import FILLS, filled
from rne.files.formats import check_format, codec_of, format_of
from rne.files.guesses import unit_doubts
from rne.files.patterns import check_label, whole_seconds
from rne.files.plausible import Plausible
from rne.files.sources import open_source
from rne.files.times import in_unit, two_parts, unit_type
from rne.files.units import TIME_UNITS, check_units, unit_in
from rne.files.unwrapped import Unwrap, Unwrapper
from rne.model.robot import Robot

Floats = NDArray[Any]


class Trajectory:
    """A file of states, matched to a robot by the names of the columns and read chunk by chunk in constant memory.

    CSV (also .gz, .zst, .bz2, .lz4), Parquet, Arrow (.arrow, .feather), NPZ (keys t, q, qd, ... of shape (N, n), or one
    array a column) and NPY (fields by name, or the first of q, qd, qdd, tau side by side, with t in front or without;
    refused where that may mean several things), by the suffix. The columns are q_<joint>, qd_<joint>, qdd_<joint>,
    tau_<joint> and t, in any order; q must be there, if it is asked for. What else there is, in an NPZ of any shape,
    is left aside. Of a base that floats there are columns, too, q_base_x to q_base_qw, qd_base_vx to qd_base_wz and so
    on (`Robot.position_names`, `Robot.coordinate_names`); where they have no names, the scalar of the quaternion is its
    last number. A quaternion that does not have unit length within 0.001 is an error.

    It may be gone through again, from the beginning, unless it is a pipe.

    Parameters
    ----------
    path : the file, or an open stream of bytes of `format`. Of streams, only plain files with the name of a compressed
        file are unpacked; what `gzip.open` and its like return is read as it comes.
    robot : the columns are those of its coordinates.
    quantities : of q, qd, qdd and tau, those to read; without q, the first of them must be there.
    wrenches : frames whose wrenches to read, from columns ``fx_<frame>, fy_<frame>`` and so on.
    rename : how the columns of the file are called where they are called otherwise: by quantity a pattern with {joint}
        for the name of the joint (or of a number of the base), {0} or {1} for its number from zero or one, as ``{"q":
        "position_{joint}"}``, or the names of the columns themselves, in the order of the joints; the column t by its
        name, as ``{"t": "time"}``, or two, ``{"t": "sec+nanosec"}``; wrenches by ``f_ext:`` and the frame, with six
        columns or a pattern with {axis} for fx, fy, fz, mx, my, mz. What is named here must be there.
    joints : names of the joints in the order in which the file numbers them (it may have more than the robot); that of
        the robot by default. Where columns of names stand beside those of positions, as name0 and position0 of ROS
        joint states, these are used.
    units : by quantity, the unit of its columns where it is not SI: deg, mm, deg/s, rpm, mm/s, mNm, ...; two with a
        comma are of angles and lengths, and n of the n joints. ``A:0.1,0.2`` is a current with its gain, N m/A, and
        ``%:80,40`` a percentage of a torque, N m; without numbers it is that of the effort limits. Several stand in the
        order of `joints`, by default in that of the robot.
    time_unit : s, ms, us or ns, of numbers in the column t; %time is in ns.
    header : names of the columns of a CSV that has none; by default they are those of an NPY.
    fill : what stands for empty fields and nulls of q, qd, qdd and tau: "last", the last number above; "linear",
        between the next ones over time; by default an empty field of a CSV is refused, and a null is NaN.
    topic : of a bag, where several have joint states.
    chunk : most rows of a chunk; by default what fits the cache of a core.
    single : whether to read float32.
    format : of a stream, or of a file whose name does not tell: csv, parquet, arrow, npy or npz.
    name : of a stream, for messages.

    Attributes
    ----------
    robot : Robot
        That of the motion.
    columns : Columns
        What is there, what is missing, and what was left aside.
    name : str
        The file, for messages.
    where : str
        The same, and the line of its header, for messages.

    Raises
    ------
    FileError
        The file cannot be read, or its columns do not fit the robot; for CSV the message begins with file and line.
    ArgumentError
        An argument is of the wrong kind; or a pipe is gone through twice, or a file that is closed.

    Examples
    --------
    >>> import rne
    >>> panda = rne.load("models/panda/robot.urdf")
    >>> with rne.files.Trajectory("models/panda/trajectory.csv", panda) as motion:
    ...     peaks = [abs(rne.inverse_dynamics(panda, **chunk.arrays)).max(axis=0) for chunk in motion]
    >>> peaks[0].shape
    (8,)
    """

    def __init__(
        self,
        path: str | Path | BinaryIO,
        robot: Robot,
        *,
        quantities: Sequence[str] = ("q", "qd", "qdd"),
        wrenches: Sequence[str] = (),
        rename: Mapping[str, str | Sequence[str]] | None = None,
        joints: Sequence[str] | None = None,
        units: Mapping[str, str] | None = None,
        time_unit: str | None = None,
        header: Sequence[str] | None = None,
        fill: str | None = None,
        topic: str | None = None,
        chunk: int | None = None,
        single: bool = False,
        format: str | None = None,  # noqa: A002
        name: str | None = None,
    ) -> None:
        check_robot(robot, floating=True)
        if not robot.n:
            raise ArgumentError(f"{robot.name} has no movable joint")
        check_format(format)
        check_flag("single", single)
        check_asked(robot, quantities, wrenches, rename, joints)
        self._factors = check_units(robot, units, quantities, joints)
        if time_unit is not None:
            check_choice("time_unit", time_unit, TIME_UNITS)
        if fill is not None:
            check_choice("fill", fill, FILLS)
        check_names("header", header or ())
        self._fill = fill
        if chunk is not None:
            whole_number("chunk", chunk, 1)
        if not isinstance(path, str | Path) and not hasattr(path, "read"):
            raise ArgumentError(f"path: wanted a path or an open stream, got {shown(path)}")
        for argument, text in (("topic", topic), ("name", name)):
            if text is not None and not isinstance(text, str):
                raise ArgumentError(f"{argument}: wanted a name, got {shown(text)}")
        self.robot = robot
        self._rows, self._dtype = chunk, np.dtype(np.float32 if single else np.float64)
        self._passes, self._closed, self._own = 0, False, isinstance(path, str | Path)
        with ExitStack() as stack:
            if isinstance(path, str | Path):
                path = at_home(path)
                self.name, kind = path, format or format_of(path)
                if kind != "bag" and Path(path).is_dir():
                    raise ArgumentError(f"{path}: is a folder, and no ROS 2 bag: it has no metadata.yaml")
                # Without a buffer of Python's: what a pipe has is read as it comes, and blocks are large anyway.
                stream: Any = path if kind == "bag" else stack.enter_context(Path(path).open("rb", buffering=0))
                if kind in ("parquet", "arrow") and stream.seekable():
                    stream = stack.enter_context(pa.OSFile(self.name))  # read without the GIL
            else:
                self.name, stream, kind = name or "<stream>", path, format or "csv"
            frames = [*wrenches, *(key.removeprefix(LOAD) for key in rename or {} if key.startswith(LOAD))]
            seekable = hasattr(stream, "seekable") and stream.seekable()
            self._stream, self._start = stream, 0 if kind == "bag" else stream.tell() if seekable else None
            self._read: Callable[[], Source] = lambda: open_source(
                stream, self.name, kind, codec_of(path), robot, quantities, frames, header, topic, fill is not None
            )
            self._source = self._read()
            stack.callback(lambda: self._source.close())
            self.where = self._source.where
            columns = match(
                self.where, self._source.names, robot, quantities, wrenches, rename, joints, self._source.first
            )
            self._time_unit = time_unit or ("ns" if self._named(columns) == "%time" else None)
            asked = unit_doubts(columns.named_groups, units or {})
            doubts = [*self._doubts(columns, time_unit), *asked.values()]
            self.columns: Columns = replace(columns, remarks=(*self._source.remarks, *doubts, *columns.remarks))
            self._check_types()
            has_unit = self.columns.nanoseconds is not None or self._time_unit is not None
            coarse = whole_seconds(self._named(columns) or "t", columns.names)
            self._plausible = Plausible(robot, self.name, {*(units or ()), *asked, *["t"] * has_unit}, coarse)
            self._opened = stack.pop_all()

    def _places(self) -> list[int]:
        groups = (*self.columns.groups.values(), *self.columns.wrenches.values())
        return [place for group in groups for place in group]

    def _kept(self) -> list[int]:
        """Return the indices of the columns that are not numbers of a quantity: times, and names of joints."""
        time = (self.columns.time, self.columns.nanoseconds)
        return [place for place in (*time, *self.columns.labels) if place is not None]

    @staticmethod
    def _named(columns: Columns) -> str | None:
        return None if columns.time is None else columns.names[columns.time]

    def _doubts(self, columns: Columns, time_unit: str | None) -> list[str]:
        """Return remarks on what may be meant otherwise."""
        name = self._named(columns)
        if name is None or columns.nanoseconds is not None:
            if time_unit is not None:
                what = "there is no column t" if name is None else "a time of two columns has seconds and nanoseconds"
                raise ArgumentError(f"{self.where}: time_unit: {what}; wanted is none")
            return []
        said = unit_in(name)
        if said in (None, "s") or self._time_unit is not None:
            return []
        return [f"warning: column {name!r} is read as seconds; if it is in {said}, say --time-unit {said}"]

    def _check_types(self) -> None:
        for place in self._kept():
            self._source.type_of(place)
        for place in self._places():
            kind = self._source.type_of(place)
            if pa.types.is_dictionary(kind):
                kind = kind.value_type
            if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
                raise FileError(f"{self.where}: column {self.columns.names[place]!r}: wanted numbers, got {kind}")

    @property
    def time_type(self) -> pa.DataType | None:
        """Type of the column t, text in CSV; None if there is none."""
        if self.columns.time is None:
            return None
        if self.columns.nanoseconds is not None:
            return pa.duration("ns")
        kind = pa.string() if self._source.is_text else self._source.type_of(self.columns.time)
        return unit_type(kind, self._time_unit)

    @property
    def rereadable(self) -> bool:
        """Whether it can be gone through again; a pipe cannot."""
        return self._start is not None

    def done(self) -> float:
        """Return how much has been read, from zero to one; NaN if that cannot be known."""
        return self._source.done()

    def pieces(self, unwrap: Unwrap = None) -> Iterator[Callable[[], Chunk]]:
        """Yield functions that return the chunks, in order; they do most of the work, and may be called in any thread.

        There is always one, which has no rows if the file has none. Each call begins at the beginning of the file, and
        ends what an earlier one has not finished.

        Parameters
        ----------
        unwrap : joints whose angles wrap, as `Differentiated` takes them; for `fill="linear"`.

        Yields
        ------
        read : a function without arguments that returns a `Chunk`.

        Raises
        ------
        ArgumentError
            The file is closed, or a pipe that was read before; or it has been begun anew in the meantime.
        """
        if self._closed:
            raise ArgumentError(f"{self.name}: the trajectory is closed; read it inside its with statement")
        if self._passes:
            self._begin_anew()
        self._passes += 1
        this, kept = self._passes, self._kept()
        none = True
        pieces: Iterator[Callable[[], Chunk]] = map(self._reader, self._source.pieces(kept, self._places(), self._rows))
        if self._fill is not None:
            pieces = filled(self.name, pieces, self._fill, Unwrapper(self.robot, unwrap))
        for read in pieces:
            none = False
            yield read
            if self._passes != this:
                raise ArgumentError(f"{self.name}: was begun anew in the meantime; open it twice to read it so")
        if none:
            types = [pa.string() if self._source.is_text else self._source.type_of(place) for place in kept]
            types += [pa.float64()] * len(self._places())
            yield self._reader(Piece(0, lambda: [pa.nulls(0, kind) for kind in types]))

    def _begin_anew(self) -> None:
        if not self.rereadable:
            raise ArgumentError(f"{self.name}: a pipe can be read only once; keep the chunks, or write it to a file")
        if hasattr(self._stream, "seek"):
            self._stream.seek(self._start)
        self._source.close()
        self._source = self._read()
        if self._source.names != self.columns.names:
            raise FileError(f"{self.where}: the columns have changed since the file was opened")

    def _reader(self, piece: Piece) -> Callable[[], Chunk]:
        return lambda: self._chunk(piece)

    def _chunk(self, piece: Piece) -> Chunk:
        columns = list(piece.read())
        kept = [columns.pop(0) for _ in self._kept()]
        t = self._times(piece.first, kept)
        for column, place in zip(kept[len(kept) - len(self.columns.labels) :], self.columns.labels, strict=True):
            check_label(self.name, piece.first, self.columns.names[place], column, self.columns.labels[place])
        nulls = sum(column.null_count for column in columns)
        following = iter(columns)
        arrays = {
            key: self._joined(following, len(places), self._factors.get(key))
            for key, places in self.columns.groups.items()
        }
        if self.robot.floating and "q" in arrays:
            check_quaternions(self.name, piece.first, arrays["q"], self.columns.named_groups["q"])
        wrenches = {frame: self._joined(following, len(places)) for frame, places in self.columns.wrenches.items()}
        self._plausible.look(chunk := Chunk(piece.first, t, arrays, wrenches, nulls))
        return chunk

    def doubts(self, differentiated: bool = False) -> list[str]:
        """Return what looks as if other units were meant, by the rows that have been read.

        Parameters
        ----------
        differentiated : whether the results depend on the times.

        Returns
        -------
        doubts : sentences; none where positions, velocities, times and limits agree.
        """
        return [*self._source.late_remarks(), *self._plausible.doubts(differentiated)]

    def _times(self, first: int, kept: Sequence[pa.Array]) -> pa.Array | None:
        """Return the column t of a piece, with its unit where it has one."""
        if self.columns.time is None:
            return None
        if self.columns.nanoseconds is not None:
            return two_parts(self.name, kept[0], kept[1], first)
        return in_unit(self.name, kept[0], self._time_unit, first)

    def _joined(self, columns: Iterator[pa.Array], count: int, factors: Floats | None = None) -> Floats:
        """Put columns side by side, in SI units."""
        parts = [numbers_of(next(columns)) for _ in range(count)]
        array = np.empty((len(parts[0]), count), self._dtype)
        for k, part in enumerate(parts):
            array[:, k] = part if factors is None else part * factors[k]
        return array

    def __iter__(self) -> Iterator[Chunk]:
        """Yield the chunks, in order."""
        for read in self.pieces():
            yield read()

    def close(self) -> None:
        """Close the file, if it was opened here."""
        self._closed = self._own
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
