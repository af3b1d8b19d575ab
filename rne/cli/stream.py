"""Common parts of the commands on trajectories: the processing from file to file."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

import click
import numpy as np

import rne
from rne.cli.folder import Folder
from rne.cli.motion import Job
from rne.cli.options import say
from rne.cli.summary import Count, Tally, count
from rne.errors import FileError, SingularError
from rne.model.floating import columns_of
from rne.model.robot import Robot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rne.files import Chunk, Differentiated, Results, Trajectory

    Arrays = dict[str, NDArray[Any]]

QUANTITIES = {"qd": "velocities", "qdd": "accelerations", "tau": "torques"}
_LONG = 1.0  # seconds of work after which a progress bar is shown
_NOISY = 0.1  # noise of a torque, relative to the torque, from where on it is told
_TICKS = 1000  # steps of a progress bar


@dataclass(frozen=True)
class Work:
    """The work of a command.

    Attributes
    ----------
    quantities : the quantities that it reads.
    run : function from the arguments of the public functions to the results, by quantity.
    peak : the quantity whose peaks are reported; a torque is compared with the limits.
    zero : whether missing quantities are zero.
    measured : whether tau of the file is measured, and must be there; results then have model or tau, and residual.
    """

    quantities: Sequence[str]
    run: Callable[..., Arrays]
    peak: str
    zero: bool = True
    measured: bool = False


@contextmanager
def opened(
    robot: Robot, job: Job, quantities: Sequence[str], zero: bool = True, torques: bool = True
) -> Iterator[tuple[Trajectory, Differentiated | None]]:
    """Open a trajectory, and report what it lacks; the second value is None unless derivatives are requested.

    `torques` says whether torques pass the filter of the derivatives.
    """
    with motion_of(robot, job, quantities) as motion:
        made = None
        if job.differentiate:
            cutoff = job.cutoff[0] if job.cutoff and len(job.cutoff) == 1 else job.cutoff
            made = rne.files.Differentiated(
                motion, cutoff=cutoff, window=job.window, degree=job.degree, unwrap=job.unwrap, torques=torques
            )
        say(*(f"{motion.name}: {remark}" for remark in _remarks(motion, made, zero)))
        yield motion, made
        say(*(f"{motion.name}: {doubt}" for doubt in motion.doubts(bool(made and made.missing))))
    if made:
        say(*_odd(robot, made))


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
        if work.measured and "tau" not in motion.columns.groups:
            raise FileError(
                f"{motion.where}: no tau columns: there is nothing measured; say where with --columns 'tau=PATTERN'"
            )
        threads = _threads(job.threads, robot)
        written = _try(
            robot, job, work, [*motion.columns.groups, *(made.missing if made else ())], [*motion.columns.wrenches]
        )
        columns = {key: columns_of(robot, key) for key in written}
        results = stack.enter_context(_results(job, columns, motion)) if job.output else None
        reports: list[rne.Residual] = []
        origin: list[Any] = []

        def do(read: Callable[[], Chunk]) -> tuple[object, Count, Any]:
            chunk = read()
            found = _found(job, work, chunk)
            arrays = {**chunk.arrays, "tau": found[work.peak]} if work.peak in ("tau", "total") else chunk.arrays
            encoded = results.encode(chunk.t, found, chunk.first) if results else None
            compared = (chunk.t, chunk.first, chunk.arrays["tau"], found["residual"]) if work.measured else None
            return encoded, count(robot, arrays, found[work.peak], chunk.nulls), compared

        tally = Tally(robot, work.peak)
        with progress(motion) as advance:
            # If writing takes much time, this thread is reserved for it.
            workers = 0 if threads == 1 else max(1, threads - (results.busy if results else 0))
            for encoded, counted, compared in rne.files.in_order(do, (made or motion).pieces(), workers):
                if results:
                    results.put(encoded)
                tally.add(counted)
                if compared:
                    parts = [*reports, _compared(robot, motion, origin, *compared)]
                    reports[:] = [rne.Residual.joined(parts)]
                advance(tally.samples)
    say(*tally.lines())
    if reports and work.peak == "residual":
        click.echo(str(reports[0]), err=job.output == "-")
    elif reports:
        say("measured - model:", *str(reports[0]).splitlines())
    if work.peak in ("tau", "total", "residual"):
        rms = np.sqrt(reports[0].variance + reports[0].mean ** 2) if reports else tally.rms
        say(*noisy(robot, made, rms))
    if job.fail_on_limit and any(tally.beyond.values()):
        raise click.exceptions.Exit(3)


def _results(job: Job, columns: dict[str, list[str]], motion: Trajectory) -> Results:
    return rne.files.Results(
        _bytes(sys.stdout, "output") if job.output == "-" else job.output,
        columns,
        time=motion.time_type,
        single=job.single,
        format=job.output_format,
    )


def _compared(
    robot: Robot, motion: Trajectory, origin: list[Any], t: Any, first: int, measured: Any, rest: Any
) -> rne.Residual:
    """Return the report on the residuals of a chunk."""
    from rne.analysis.residual import report

    if t is None:
        times = first + np.arange(len(rest), dtype=np.float64)
    else:
        if not origin and len(t):
            origin.append(t[0])
        times = rne.files.seconds(motion.name, t, first, origin[0] if origin else None)
    return report(robot, times, measured, rest)


def _found(job: Job, work: Work, chunk: Chunk) -> Arrays:
    try:
        # One thread per chunk, since the chunks are distributed among the threads.
        return work.run(**chunk.arrays, f_ext=job.f_ext(chunk), threads=1)
    except SingularError as error:
        raise SingularError(f"{job.trajectory}: in the rows starting at {chunk.first + 1}: {error}") from None


def motion_of(robot: Robot, job: Job, quantities: Sequence[str]) -> Trajectory:
    """Open the trajectory of a command; - is standard input."""
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
            advice = "; --differentiate makes them from q" if made is None and key in ("qd", "qdd") else ""
            timed = motion.columns.time is not None
            yield f"no {key} columns: {QUANTITIES[key]} taken as zero{advice if timed else ''}"
    yield from motion.columns.remarks


def _odd(robot: Robot, made: Differentiated) -> Iterator[str]:
    if made.filter is not None:
        joints = zip(robot.position_names, made.filter.cutoff, strict=True)
        yield f"cutoff: {', '.join(f'{name} {_hertz(cutoff)}' for name, cutoff in joints)}"
        if made.cutoff is None and np.isinf(made.filter.cutoff).all() and np.isnan(made.filter.noise).all():
            yield (
                "warning: there are fewer than 32 samples without a gap, too few to tell their noise: taken as way "
                "points without any; --cutoff filters them"
            )
        yield f"less certain within {made.filter.edge.max():.3g} s of the ends and of gaps"
    if made.turns:
        yield f"jumps by a turn taken out of q: {', '.join(f'{joint} {count}' for joint, count in made.turns.items())}"
    if made.duplicates:
        yield f"samples with the same time as the previous one: {made.duplicates}"
    if made.gaps:
        yield f"gaps in time, not bridged by derivatives: {made.gaps}"


def _hertz(cutoff: float) -> str:
    return f"{cutoff:.3g} Hz" if math.isfinite(cutoff) else "none (interpolated)"


def noisy(robot: Robot, made: Differentiated | None, rms: NDArray[Any]) -> Iterator[str]:
    """Yield a warning for joints where noise is more than a tenth of the torque."""
    noise = None if made is None else made.torque_noise()
    if noise is None:
        return
    with np.errstate(invalid="ignore"):
        bad = (noise > _NOISY * rms) & (noise > _NOISY**3 * np.nanmax(rms, initial=0.0))
    if bad.any():
        told = ", ".join(f"{robot.coordinate_names[k]} {noise[k]:.3g} of {rms[k]:.3g}" for k in np.flatnonzero(bad))
        yield (
            f"warning: noise of the accelerations is more than a tenth of the torque (RMS): {told}; a lower --cutoff "
            "lessens it, as far as the motion is slow enough"
        )


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
        arrays = {key: np.zeros((count, robot.n), kind) for key in there}
        arrays["q"] = np.tile(rne.neutral(robot).astype(kind), (count, 1))
        return rne.files.Chunk(0, None, arrays, wrenches)

    with suppress(SingularError):  # some robots are singular only at zero
        _found(job, work, rows(2))
    return list(_found(job, work, rows(0)))


@contextmanager
def progress(motion: Trajectory) -> Iterator[Callable[[int], None]]:
    """Yield a function that shows the progress of long files on a terminal, with the rate and the remaining time."""
    start = time.perf_counter()
    with bar(lambda rate: rate and f"{rate:,.0f} samples/s") as show:

        def advance(samples: int) -> None:
            if show is not None and not math.isnan(done := motion.done()):
                show(done, samples / (time.perf_counter() - start))

        yield advance


@contextmanager
def bar(said: Callable[[Any], str | None] | None = None) -> Iterator[Callable[..., None] | None]:
    """Yield a function of the part that is done, and an item to say, that shows the progress of long work.

    None without a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    start = time.perf_counter()
    with ExitStack() as stack:
        bars: list[Any] = []

        def advance(done: float, item: Any = None) -> None:
            if not bars and time.perf_counter() - start >= _LONG:
                shown = click.progressbar(length=_TICKS, file=sys.stderr, item_show_func=said, show_pos=False)
                bars.append(stack.enter_context(shown))
            if bars:
                bars[0].update(round(done * _TICKS) - bars[0].pos, item)

        yield advance
