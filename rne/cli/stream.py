"""What the commands on trajectories share: their options, and the way from a file to a file."""

from __future__ import annotations

import functools
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

import click
import numpy as np

import rne
from rne.cli.options import say
from rne.cli.summary import Count, Tally, count
from rne.errors import FileError, SingularError
from rne.model.robot import Robot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rne.files import Chunk, Differentiated, Trajectory

    Arrays = dict[str, NDArray[Any]]

QUANTITIES = {"qd": "velocities", "qdd": "accelerations", "tau": "torques"}
_FORMATS = ("csv", "parquet", "arrow", "npy", "npz")
_LONG = 1.0  # seconds of work, from where on a progress bar is worth its line
_TICKS = 1000  # of a progress bar


@dataclass(frozen=True)
class Job:
    """The options of a command on a trajectory; `takes_motion` says what they mean."""

    trajectory: str
    rename: dict[str, str]
    differentiate: bool
    window: int | None
    friction: bool = False
    wrenches: dict[str, str] = field(default_factory=dict)
    output: str = ""
    output_format: str | None = None
    single: bool = False
    threads: int | None = None
    chunk: int | None = None
    fail_on_limit: bool = False

    def f_ext(self, chunk: Chunk) -> dict[str, Any] | None:
        """Return the wrenches of a chunk as the public functions take them."""
        return {frame: (wrench, self.wrenches[frame]) for frame, wrench in chunk.wrenches.items()} or None


@dataclass(frozen=True)
class Work:
    """What a command does.

    Attributes
    ----------
    quantities : that it reads.
    run : arguments of the public functions, to what is written by quantity.
    peak : the quantity whose peaks are told; where it is a torque, it is held against the limits.
    zero : whether what is missing is zero.
    """

    quantities: Sequence[str]
    run: Callable[..., Arrays]
    peak: str
    zero: bool = True


def _frames(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    return {frame.removesuffix(":local"): "local" if frame.endswith(":local") else "world" for frame in texts}


def _patterns(_: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    patterns = {}
    for text in texts:
        quantity, equals, pattern = text.partition("=")
        if not equals or not pattern:
            raise click.BadParameter(f"wanted {parameter.metavar}, got {text!r}", param=parameter)
        patterns[quantity.strip()] = pattern
    return patterns


_FORCES = (
    click.option("--friction", is_flag=True, help="Viscous and Coulomb friction of the joints."),
    click.option(
        "--wrench",
        "wrenches",
        metavar="FRAME[:local]",
        multiple=True,
        callback=_frames,
        help="Wrench on the robot in columns fx_FRAME to mz_FRAME, in world axes or the frame's own; repeatable.",
    ),
)
_READING = (
    click.option(
        "--columns",
        "rename",
        metavar="QUANTITY=PATTERN",
        multiple=True,
        callback=_patterns,
        help="Other names of columns: t=NAME; q, qd, qdd or tau=PATTERN with {joint} for the name of the joint, "
        "{0} or {1} for its number from 0 or 1; they must be there; repeatable.",
    ),
    click.option("--differentiate", is_flag=True, help="Make missing qd and qdd from what there is and t."),
    click.option("--window", metavar="SAMPLES", type=int, help="Of its filter, odd; 21 by default."),
)
_WRITING = (
    click.option(
        "--format", "output_format", type=click.Choice(_FORMATS), help="Of the output; else by its suffix, or CSV."
    ),
    click.option("--float32", "single", is_flag=True, help="Calculate and write in single precision, but for times."),
    click.option("--threads", type=click.IntRange(1), help="By default as many as there are cores."),
    click.option("--chunk", metavar="ROWS", type=click.IntRange(1), help="Rows read at a time; bounds the memory."),
    click.option("--fail-on-limit", is_flag=True, help="Exit code 3 if a sample is beyond a limit of the robot."),
)


def takes_motion(
    output: str | None, streams: bool = True, forces: bool = True, optional: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the argument TRAJECTORY and its options; it gets them as a `Job`.

    Parameters
    ----------
    output : what the help calls the file that is written; None if none is, and TRAJECTORY may be left out, empty.
    streams : whether that is a file as long as the trajectory; else it is a picture, and must be named.
    forces : whether the command calculates with friction and wrenches.
    optional : whether TRAJECTORY may be left out, though a file is written.
    """
    needed = bool(output) and not optional
    default = None if needed else ""
    trajectory = click.argument("trajectory", type=click.Path(allow_dash=True), default=default, required=needed)
    written = click.option(
        "-o",
        "--output",
        metavar=output,
        **({"default": "-", "help": "File to write; - is stdout, the default."} if streams else {"required": True}),
    )
    parameters = (trajectory, *(_FORCES if forces else ()), *_READING)
    if output:
        parameters += (written, *(_WRITING if streams else ()))

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def with_job(robot: Robot, notes: list[str], **options: Any) -> None:
            if options["window"] is not None and not options["differentiate"]:
                raise click.UsageError("--window needs --differentiate")
            job = Job(**{part.name: options.pop(part.name) for part in fields(Job) if part.name in options})
            say(*(f"warning: {note}" for note in notes))
            if (
                job.trajectory not in ("", "-")
                and Path(job.output).is_file()
                and os.path.samefile(job.output, job.trajectory)
            ):
                raise click.UsageError("the output would take the place of TRAJECTORY")
            command(robot, job, **options)

        for parameter in reversed(parameters):
            with_job = parameter(with_job)
        return with_job

    return decorate


@contextmanager
def opened(
    robot: Robot, job: Job, quantities: Sequence[str], zero: bool = True
) -> Iterator[tuple[Trajectory, Differentiated | None]]:
    """Open a trajectory, and tell what it does not have; the second is there where derivatives were asked for."""
    with _motion(robot, job, quantities) as motion:
        made = None
        if job.differentiate:
            made = rne.files.Differentiated(motion, **({} if job.window is None else {"window": job.window}))
        say(*(f"{motion.name}: {remark}" for remark in _remarks(motion, made, zero)))
        yield motion, made
    if made:
        say(*_odd(made))


def stream(robot: Robot, job: Job, work: Work) -> None:
    """Read a trajectory, do the work on it, write the results, and tell how it went; in constant memory."""
    with ExitStack() as stack:
        motion, made = stack.enter_context(opened(robot, job, work.quantities, work.zero))
        threads = _threads(job.threads, robot)
        written = _try(robot, job, work, [*motion.columns.groups, *(made.missing if made else ())])
        columns = {key: [f"{key}_{joint}" for joint in robot.joint_names] for key in written}
        results = stack.enter_context(
            rne.files.Results(
                _bytes(sys.stdout, "output") if job.output == "-" else job.output,
                columns,
                time=motion.time_type,
                single=job.single,
                format=job.output_format,
            )
        )

        def do(read: Callable[[], Chunk]) -> tuple[object, Count]:
            chunk = read()
            found = _found(job, work, chunk)
            arrays = {**chunk.arrays, "tau": found[work.peak]} if work.peak in ("tau", "total") else chunk.arrays
            encoded = results.encode(chunk.t, found, chunk.first)
            return encoded, count(robot, arrays, found[work.peak], chunk.nulls)

        tally = Tally(robot, work.peak)
        with _progress(motion) as advance:
            # Where writing is work, too, it has a thread of its own: this one.
            workers = 0 if threads == 1 else max(1, threads - results.busy)
            for encoded, counted in rne.files.in_order(do, (made or motion).pieces(), workers):
                results.put(encoded)
                tally.add(counted)
                advance(tally.samples)
    say(*tally.lines())
    if job.fail_on_limit and any(tally.beyond.values()):
        raise click.exceptions.Exit(3)


def _found(job: Job, work: Work, chunk: Chunk) -> Arrays:
    try:
        # One thread a chunk: the chunks themselves are shared among the threads.
        return work.run(**chunk.arrays, f_ext=job.f_ext(chunk), threads=1)
    except SingularError as error:
        raise SingularError(f"{job.trajectory}: among the rows from {chunk.first + 1}: {error}") from None


def _motion(robot: Robot, job: Job, quantities: Sequence[str]) -> Trajectory:
    path: str | BinaryIO = job.trajectory
    name = None
    if path == "-":
        name = "<stdin>"
        # What lies below the buffer, so that no thread that waits there for more holds a lock when the process ends.
        buffer = _bytes(sys.stdin, "input")
        path = getattr(buffer, "raw", buffer)
    return rne.files.Trajectory(
        path,
        robot,
        quantities=quantities,
        wrenches=list(job.wrenches),
        rename=job.rename,
        chunk=job.chunk,
        single=job.single,
        name=name,
    )


def _bytes(stream: TextIO | None, name: str) -> BinaryIO:
    if stream is None:
        raise FileError(f"the standard {name} is closed")
    return stream.buffer


def _remarks(motion: Trajectory, made: Differentiated | None, zero: bool) -> Iterator[str]:
    for key in made.missing if made else ():
        yield f"no {key} columns: made by differentiation"
    for key in motion.columns.missing if zero else ():
        if not made or key not in made.missing:
            yield f"no {key} columns: {QUANTITIES[key]} taken as zero"
    yield from motion.columns.remarks


def _odd(made: Differentiated) -> Iterator[str]:
    if made.duplicates:
        yield f"samples with the time of the one before: {made.duplicates}"
    if made.gaps:
        yield f"gaps in time, which no derivative spans: {made.gaps}"


def _threads(wish: int | None, robot: Robot) -> int:
    """Return how many threads to use, and hold pyarrow to it."""
    from rne.batch.threads import thread_count
    from rne.files.pipeline import hold_pyarrow

    threads = thread_count(wish, 2**62, robot.n)
    hold_pyarrow(threads - 1)
    return threads


def _try(robot: Robot, job: Job, work: Work, there: Sequence[str]) -> list[str]:
    """Return what will be written; and compile now, so that the time told is that of the work."""
    kind = np.float32 if job.single else np.float64

    def rows(count: int) -> Chunk:
        wrenches = {frame: np.zeros((count, 6), kind) for frame in job.wrenches}
        return rne.files.Chunk(0, None, {key: np.zeros((count, robot.n), kind) for key in there}, wrenches)

    with suppress(SingularError):  # as some robots are at zero alone
        _found(job, work, rows(2))
    return list(_found(job, work, rows(0)))


@contextmanager
def _progress(motion: Trajectory) -> Iterator[Callable[[int], None]]:
    """Give a function that shows on a terminal how much of a long file has been read, the rate, and the time left."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    start = time.perf_counter()
    with ExitStack() as stack:
        bars: list[Any] = []

        def advance(samples: int) -> None:
            done, seconds = motion.done(), time.perf_counter() - start
            if math.isnan(done) or (not bars and seconds < _LONG):
                return
            if not bars:
                rate = lambda item: item and f"{item:,.0f} samples/s"  # noqa: E731
                bar = click.progressbar(length=_TICKS, file=sys.stderr, item_show_func=rate, show_pos=False)
                bars.append(stack.enter_context(bar))
            bars[0].update(round(done * _TICKS) - bars[0].pos, samples / seconds)

        yield advance
