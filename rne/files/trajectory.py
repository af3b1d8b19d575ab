"""Trajectories from files of any size, as arrays in the order of a robot's joints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import check_robot
from rne.check import at_home, check_flag, whole_number
from rne.errors import ArgumentError, FileError, shown
from rne.files.arrow import Arrow, Parquet
from rne.files.base import Piece, Source, numbers_of
from rne.files.columns import QUANTITIES, WRENCH, Columns, check_asked, match
from rne.files.csv_fast import Csv
from rne.files.extra import pa
from rne.files.formats import check_format, codec_of, format_of
from rne.files.npy import Arrays
from rne.model.robot import Robot

Floats = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a trajectory.

    Parameters
    ----------
    first : number of the first row, from zero.
    t : the column t as the file has it, a pyarrow array (of text if the file is text); None if there is none.
    arrays : by quantity that is there, (rows, n): arguments of the public functions.
    wrenches : by frame, (rows, 6).
    nulls : how many numbers of the file are null; in the arrays they are NaN.

    Examples
    --------
    >>> import numpy as np, rne.files
    >>> chunk = rne.files.Chunk(0, None, {"q": np.zeros((5, 2))})
    >>> chunk.rows
    5
    """

    first: int
    t: pa.Array | None
    arrays: dict[str, Floats]
    wrenches: dict[str, Floats] = field(default_factory=dict)
    nulls: int = 0

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.arrays["q"])


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """Put chunks that follow each other into one.

    Parameters
    ----------
    chunks : one or more, of the same quantities.

    Returns
    -------
    chunk : all their rows.

    Examples
    --------
    >>> import rne
    >>> panda = rne.load("models/panda/robot.urdf")
    >>> with rne.files.Trajectory("models/panda/trajectory.csv", panda, chunk=100) as motion:
    ...     rne.files.joined(list(motion)).rows
    2001
    """
    if not isinstance(chunks, Sequence) or not chunks or not all(isinstance(chunk, Chunk) for chunk in chunks):
        raise ArgumentError(f"chunks: wanted one chunk or more, got {shown(chunks)}")
    if len(chunks) == 1:
        return chunks[0]
    first = chunks[0]
    return Chunk(
        first.first,
        None if first.t is None else pa.concat_arrays([chunk.t for chunk in chunks]),
        {key: np.concatenate([chunk.arrays[key] for chunk in chunks]) for key in first.arrays},
        {frame: np.concatenate([chunk.wrenches[frame] for chunk in chunks]) for frame in first.wrenches},
        sum(chunk.nulls for chunk in chunks),
    )


class Trajectory:
    """A file of states, matched to a robot by the names of the columns and read chunk by chunk in constant memory.

    CSV (also .gz, .zst, .bz2, .lz4), Parquet, Arrow (.arrow, .feather), NPZ (keys t, q, qd, ... of shape (N, n), or one
    array a column) and NPY (fields by name, or the first of q, qd, qdd, tau side by side, with t in front or without;
    refused where that may mean several things), by the suffix. The columns are q_<joint>, qd_<joint>, qdd_<joint>,
    tau_<joint> and t, in any order; q must be there. What else there is, in an NPZ of any shape, is left aside.

    It may be gone through again, from the beginning, unless it is a pipe.

    Parameters
    ----------
    path : the file, or an open stream of bytes of `format`. Of streams, only plain files with the name of a compressed
        file are unpacked; what `gzip.open` and its like return is read as it comes.
    robot : the columns are those of its coordinates.
    quantities : of q, qd, qdd and tau, those to read.
    wrenches : frames whose wrenches to read, from columns fx_<frame>, fy_, fz_, mx_, my_, mz_<frame>.
    rename : how the columns of the file are called where they are called otherwise: by quantity a pattern with {joint}
        for the name of the joint, {0} or {1} for its number from zero or one, as ``{"q": "position_{joint}"}``; the
        column t by its name, as ``{"t": "time"}``. What is named here must be there.
    chunk : most rows of a chunk; by default what fits the cache of a core.
    single : whether to read float32.
    format : of a stream, or of a file whose name does not tell: csv, parquet, arrow, npy or npz.
    name : of a stream, for messages.

    Attributes
    ----------
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
        rename: Mapping[str, str] | None = None,
        chunk: int | None = None,
        single: bool = False,
        format: str | None = None,  # noqa: A002
        name: str | None = None,
    ) -> None:
        check_robot(robot)
        if not robot.n:
            raise ArgumentError(f"{robot.name} has no joint that moves")
        check_format(format)
        check_flag("single", single)
        check_asked(robot, quantities, wrenches, rename)
        if chunk is not None:
            whole_number("chunk", chunk, 1)
        if not isinstance(path, str | Path) and not hasattr(path, "read"):
            raise ArgumentError(f"path: wanted a path or an open stream, got {shown(path)}")
        if name is not None and not isinstance(name, str):
            raise ArgumentError(f"name: wanted a name, got {shown(name)}")
        self._rows, self._dtype = chunk, np.dtype(np.float32 if single else np.float64)
        self._passes, self._closed, self._own = 0, False, isinstance(path, str | Path)
        with ExitStack() as stack:
            if isinstance(path, str | Path):
                path = at_home(path)
                self.name, kind = path, format or format_of(path)
                # Without a buffer of Python's: what a pipe has is read as it comes, and blocks are large anyway.
                stream: Any = stack.enter_context(Path(path).open("rb", buffering=0))
                if kind in ("parquet", "arrow") and stream.seekable():
                    stream = stack.enter_context(pa.OSFile(self.name))  # read without the GIL
            else:
                self.name, stream, kind = name or "<stream>", path, format or "csv"
            self._stream, self._start = stream, stream.tell() if _seekable(stream) else None
            self._read: Callable[[], Source] = lambda: _source(
                stream, self.name, kind, codec_of(path), robot, quantities, wrenches
            )
            self._source = self._read()
            self.where = self._source.where
            columns = match(self.where, self._source.names, robot, quantities, wrenches, rename)
            self.columns: Columns = replace(columns, remarks=(*self._source.remarks, *columns.remarks))
            self._check_types()
            self._opened = stack.pop_all()

    def _places(self) -> list[int]:
        groups = [*self.columns.groups.values(), *self.columns.wrenches.values()]
        return [place for group in groups for place in group]

    def _check_types(self) -> None:
        if self.columns.time is not None:
            self._source.type_of(self.columns.time)
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
        return pa.string() if self._source.is_text else self._source.type_of(self.columns.time)

    def done(self) -> float:
        """Return how much has been read, from zero to one; NaN if that cannot be known."""
        return self._source.done()

    def pieces(self) -> Iterator[Callable[[], Chunk]]:
        """Yield functions that return the chunks, in order; they do most of the work, and may be called in any thread.

        There is always one, which has no rows if the file has none. Each call begins at the beginning of the file, and
        ends what an earlier one has not finished.

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
        this, time = self._passes, self.columns.time
        none = True
        for piece in self._source.pieces(time, self._places(), self._rows):
            none = False
            yield self._reader(piece)
            if self._passes != this:
                raise ArgumentError(f"{self.name}: was begun anew in the meantime; open it twice to read it so")
        if none:
            empty = [pa.nulls(0, pa.float64())] * len(self._places())
            yield self._reader(Piece(0, lambda: [*([] if time is None else [pa.nulls(0, self.time_type)]), *empty]))

    def _begin_anew(self) -> None:
        if self._start is None:
            raise ArgumentError(f"{self.name}: a pipe can be read only once; keep the chunks, or write it to a file")
        self._stream.seek(self._start)
        self._source = self._read()
        if self._source.names != self.columns.names:
            raise FileError(f"{self.where}: the columns have changed since the file was opened")

    def _reader(self, piece: Piece) -> Callable[[], Chunk]:
        return lambda: self._chunk(piece)

    def _chunk(self, piece: Piece) -> Chunk:
        columns = list(piece.read())
        t = None if self.columns.time is None else columns.pop(0)
        nulls = sum(column.null_count for column in columns)
        following = iter(columns)
        arrays = {key: self._joined(following, len(places)) for key, places in self.columns.groups.items()}
        wrenches = {frame: self._joined(following, len(places)) for frame, places in self.columns.wrenches.items()}
        return Chunk(piece.first, t, arrays, wrenches, nulls)

    def _joined(self, columns: Iterator[pa.Array], count: int) -> Floats:
        """Put columns side by side."""
        parts = [numbers_of(next(columns)) for _ in range(count)]
        array = np.empty((len(parts[0]), count), self._dtype)
        for k, part in enumerate(parts):
            array[:, k] = part
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _seekable(stream: Any) -> bool:
    return hasattr(stream, "seekable") and bool(stream.seekable())


def _source(
    stream: BinaryIO,
    name: str,
    kind: str,
    codec: str | None,
    robot: Robot,
    quantities: Sequence[str],
    wrenches: Sequence[str],
) -> Source:
    if kind == "csv":
        return Csv(stream, name, codec)
    if kind == "parquet":
        return Parquet(stream, name)
    if kind == "arrow":
        return Arrow(stream, name)
    widths = {key: [f"{key}_{joint}" for joint in robot.joint_names] for key in QUANTITIES}
    widths |= {frame: [f"{part}_{frame}" for part in WRENCH] for frame in wrenches}
    return Arrays(stream, name, widths, quantities, wrenches, kind)
