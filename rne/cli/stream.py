"""Common parts of the commands on trajectories: their options, and the processing from file to file."""

from __future__ import annotations

import functools
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

import click
import numpy as np

import rne
from rne.cli.folder import Folder
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
_LONG = 1.0  # seconds of work after which a progress bar is shown
_TICKS = 1000  # steps of a progress bar


@dataclass(frozen=True)
class Job:
    """The options of a command on a trajectory; `takes_motion` describes them."""

    trajectory: str
    rename: dict[str, str]
    differentiate: bool
    window: int | None
    joints: tuple[str, ...] | None = None
    units: dict[str, str] = field(default_factory=dict)
    time_unit: str | None = None
    unwrap: tuple[str, ...] | None = None
    header: tuple[str, ...] | None = None
    fill: str | None = None
    topic: str | None = None
    friction: bool = False
    wrenches: dict[str, str] = field(default_factory=dict)
    output: str = ""
    output_format: str | None = None
    single: bool = False
    threads: int | None = None
    chunk: int | None = None
    fail_on_limit: bool = False
    trajectories: tuple[str, ...] = ()

    def f_ext(self, chunk: Chunk) -> dict[str, Any] | None:
        """Return the wrenches of a chunk as an argument of the public functions."""
        return {frame: (wrench, self.wrenches.get(frame, "world")) for frame, wrench in chunk.wrenches.items()} or None


@dataclass(frozen=True)
class Work:
    """The work of a command.

    Attributes
    ----------
    quantities : the quantities that it reads.
    run : function from the arguments of the public functions to the results, by quantity.
    peak : the quantity whose peaks are reported; a torque is compared with the limits.
    zero : whether missing quantities are zero.
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


def _units(_: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    units: dict[str, str] = {}
    for quantity, unit in (text.partition("=")[::2] for text in texts):
        if not unit:
            raise click.BadParameter(f"wanted {parameter.metavar}, got {quantity!r}", param=parameter)
        units[quantity.strip()] = ",".join(filter(None, (units.get(quantity.strip()), unit)))
    return units


def _names(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(","))


def _turning(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    return () if text == "none" else tuple(name.strip() for name in text.split(","))


_FORCES = (
    click.option("--friction", is_flag=True, help="Include viscous and Coulomb friction of the joints."),
    click.option(
        "--wrench",
        "wrenches",
        metavar="FRAME[:local]",
        multiple=True,
        callback=_frames,
        help="Wrench on the robot, in the columns fx_FRAME to mz_FRAME, in world or local axes; repeatable.",
    ),
)
_READING = (
    click.option(
        "--columns",
        "rename",
        metavar="QUANTITY=PATTERN",
        multiple=True,
        callback=_patterns,
        help="Names of columns: t=NAME or t=SEC+NANOSEC; q, qd, qdd or tau=PATTERN with {joint} for the name of the "
        "joint, {0} or {1} for its number counted from 0 or 1, or =A,B,C, the columns themselves; f_ext:FRAME=PATTERN "
        "with {axis} for fx to mz, or six columns; these columns are required; repeatable.",
    ),
    click.option(
        "--joints",
        metavar="A,B,C",
        callback=_names,
        help="Joints in the order in which the file numbers them, for {0} and {1}; that of the robot by default.",
    ),
    click.option(
        "--unit",
        "units",
        metavar="QUANTITY=UNIT",
        multiple=True,
        callback=_units,
        help="Unit of q, qd, qdd or tau where it is not SI: deg, mm, deg/s, rpm, mNm, ...; A:GAIN (N m/A) and %:RATED "
        "(N m) with a number, or one per joint separated by commas; repeatable.",
    ),
    click.option("--time-unit", type=click.Choice(("s", "ms", "us", "ns")), help="Unit of the column t."),
    click.option("--differentiate", is_flag=True, help="Compute missing qd and qdd by differentiation over t."),
    click.option(
        "--header", metavar="A,B,C", callback=_names, help="Names of the columns of a CSV file without a header."
    ),
    click.option(
        "--fill",
        type=click.Choice(("last", "linear")),
        help="Fill empty fields with the last number above, or by linear interpolation; an error by default.",
    ),
    click.option("--topic", metavar="NAME", help="Topic of a ROS bag, where several have joint states."),
    click.option(
        "--unwrap",
        metavar="JOINTS",
        callback=_turning,
        help="Joints (a,b) whose angles jump by a turn in the file, besides the continuous ones; none for no joint at "
        "all. For --differentiate.",
    ),
    click.option(
        "--window", metavar="SAMPLES", type=int, help="Length of the differentiation filter, odd; 21 by default."
    ),
)
_WRITING = (
    click.option(
        "--format",
        "output_format",
        type=click.Choice(_FORMATS),
        help="Format of the output; by default that of its suffix, or CSV.",
    ),
    click.option("--float32", "single", is_flag=True, help="Calculate and write in single precision, except times."),
    click.option("--threads", type=click.IntRange(1), help="Number of threads; by default the number of cores."),
    click.option("--chunk", metavar="ROWS", type=click.IntRange(1), help="Rows read at a time, which limits memory."),
    click.option("--fail-on-limit", is_flag=True, help="Exit with code 3 if a sample exceeds a limit of the robot."),
)


def takes_motion(
    output: str | None, streams: bool = True, forces: bool = True, optional: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add the argument TRAJECTORY and its options to a command, which receives them as a `Job`.

    Parameters
    ----------
    output : name of the output file in the help; None if there is no output, in which case TRAJECTORY is optional and
        an empty string by default.
    streams : whether the output is streamed like the trajectory; otherwise it is a figure, and must be named.
    forces : whether the command has the options for friction and wrenches.
    optional : whether TRAJECTORY may be omitted although a file is written.
    """
    needed = bool(output) and not optional
    default = None if needed else ""
    several = {"nargs": -1} if output and streams else {"default": default}
    trajectory = click.argument("trajectory", type=click.Path(allow_dash=True), required=needed, **several)
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
                raise click.UsageError("--window requires --differentiate")
            if options["unwrap"] is not None and not options["differentiate"]:
                raise click.UsageError("--unwrap requires --differentiate")
            if isinstance(options["trajectory"], tuple):
                options |= _several(options["trajectory"], options["output"])
            job = Job(**{part.name: options.pop(part.name) for part in fields(Job) if part.name in options})
            say(*(f"warning: {note}" for note in notes))
            if (
                not job.trajectories
                and job.trajectory not in ("", "-")
                and Path(job.output).is_file()
                and os.path.samefile(job.output, job.trajectory)
            ):
                raise click.UsageError("the output is the same file as TRAJECTORY; give another name")
            command(robot, job, **options)

        for parameter in reversed(parameters):
            with_job = parameter(with_job)
        return with_job

    return decorate


def _several(trajectories: tuple[str, ...], output: str) -> dict[str, Any]:
    """Return the options of one trajectory into a file, or of some into a folder."""
    if not trajectories:
        return {"trajectory": "", "trajectories": ()}
    to_folder = output.endswith(("/", os.sep)) or (output != "-" and Path(output).is_dir())
    if not to_folder and len(trajectories) > 1:
        raise click.UsageError(f"{len(trajectories)} trajectories; wanted is a folder for the results, as -o results/")
    if to_folder and "-" in trajectories:
        raise click.UsageError("- is stdin, which goes into one file, not into a folder")
    return {"trajectory": trajectories[0], "trajectories": trajectories if to_folder else ()}


@contextmanager
def opened(
    robot: Robot, job: Job, quantities: Sequence[str], zero: bool = True
) -> Iterator[tuple[Trajectory, Differentiated | None]]:
    """Open a trajectory, and report what it lacks; the second value is None unless derivatives are requested."""
    with _motion(robot, job, quantities) as motion:
        made = None
        if job.differentiate:
            chosen = {} if job.window is None else {"window": job.window}
            made = rne.files.Differentiated(motion, unwrap=job.unwrap, **chosen)
        say(*(f"{motion.name}: {remark}" for remark in _remarks(motion, made, zero)))
        yield motion, made
        say(*(f"{motion.name}: {doubt}" for doubt in motion.doubts(bool(made and made.missing))))
    if made:
        say(*_odd(made))


def stream(robot: Robot, job: Job, work: Work) -> None:
    """Process a trajectory, or several into a folder, where complete outputs are kept."""
    if not job.trajectories:
        _stream(robot, job, work)
        return
    no_matter = {"trajectory", "trajectories", "output", "threads", "chunk", "fail_on_limit"}
    options = {part.name: getattr(job, part.name) for part in fields(Job) if part.name not in no_matter}
    folder = Folder(job.output, robot, {**options, "peak": work.peak, "quantities": list(work.quantities)})
    pairs = folder.outputs(job.trajectories, None if job.output_format is None else f".{job.output_format}")
    todo = list(folder.open_ones(pairs))
    if len(todo) < len(pairs):
        say(f"complete before, and left as they are: {len(pairs) - len(todo)} of {len(pairs)}")
    failed, code = 0, 0
    for trajectory, output in todo:
        say(f"{trajectory} -> {output}")
        try:
            _stream(robot, replace(job, trajectory=trajectory, output=str(output)), work)
        except FileError as error:  # of one file; go on with the others
            say(str(error))
            failed += 1
        except click.exceptions.Exit as end:
            code = end.exit_code
    if failed:
        raise FileError(f"{job.output}: {failed} of {len(pairs)} trajectories could not be read")
    if code:
        raise click.exceptions.Exit(code)


def _stream(robot: Robot, job: Job, work: Work) -> None:
    """Read a trajectory, process it, write the results, and report a summary; in constant memory."""
    with ExitStack() as stack:
        motion, made = stack.enter_context(opened(robot, job, work.quantities, work.zero))
        threads = _threads(job.threads, robot)
        written = _try(
            robot, job, work, [*motion.columns.groups, *(made.missing if made else ())], [*motion.columns.wrenches]
        )
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
            # If writing takes much time, this thread is reserved for it.
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
        # One thread per chunk, since the chunks are distributed among the threads.
        return work.run(**chunk.arrays, f_ext=job.f_ext(chunk), threads=1)
    except SingularError as error:
        raise SingularError(f"{job.trajectory}: in the rows starting at {chunk.first + 1}: {error}") from None


def _motion(robot: Robot, job: Job, quantities: Sequence[str]) -> Trajectory:
    path: str | BinaryIO = job.trajectory
    name = None
    if path == "-":
        name = "<stdin>"
        # The unbuffered stream, so that a thread waiting for input holds no lock when the process ends.
        buffer = _bytes(sys.stdin, "input")
        path = getattr(buffer, "raw", buffer)
    return rne.files.Trajectory(
        path,
        robot,
        quantities=quantities,
        wrenches=list(job.wrenches),
        rename=job.rename,
        joints=job.joints,
        units=job.units,
        time_unit=job.time_unit,
        header=job.header,
        fill=job.fill,
        topic=job.topic,
        chunk=job.chunk,
        single=job.single,
        name=name,
    )


def _bytes(stream: TextIO | None, name: str) -> BinaryIO:
    if stream is None:
        raise FileError(f"standard {name} is closed")
    return stream.buffer


def _remarks(motion: Trajectory, made: Differentiated | None, zero: bool) -> Iterator[str]:
    for key in made.missing if made else ():
        yield f"no {key} columns: computed by differentiation"
    for key in motion.columns.missing if zero else ():
        if not made or key not in made.missing:
            yield f"no {key} columns: {QUANTITIES[key]} taken as zero"
    yield from motion.columns.remarks


def _odd(made: Differentiated) -> Iterator[str]:
    if made.turns:
        yield f"jumps by a turn taken out of q: {', '.join(f'{joint} {count}' for joint, count in made.turns.items())}"
    if made.duplicates:
        yield f"samples with the same time as the previous one: {made.duplicates}"
    if made.gaps:
        yield f"gaps in time, not bridged by derivatives: {made.gaps}"


def _threads(wish: int | None, robot: Robot) -> int:
    """Return the number of threads, and limit pyarrow accordingly."""
    from rne.batch.threads import thread_count
    from rne.files.pipeline import hold_pyarrow

    threads = thread_count(wish, 2**62, robot.n)
    hold_pyarrow(threads - 1)
    return threads


def _try(robot: Robot, job: Job, work: Work, there: Sequence[str], frames: Sequence[str]) -> list[str]:
    """Return the quantities that will be written; this also compiles, which the reported time excludes."""
    kind = np.float32 if job.single else np.float64

    def rows(count: int) -> Chunk:
        wrenches = {frame: np.zeros((count, 6), kind) for frame in frames}
        return rne.files.Chunk(0, None, {key: np.zeros((count, robot.n), kind) for key in there}, wrenches)

    with suppress(SingularError):  # some robots are singular only at zero
        _found(job, work, rows(2))
    return list(_found(job, work, rows(0)))


@contextmanager
def _progress(motion: Trajectory) -> Iterator[Callable[[int], None]]:
    """Yield a function that shows the progress of long files on a terminal, with the rate and the remaining time."""
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
