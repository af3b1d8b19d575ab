"""The argument TRAJECTORY of the commands, and its options."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rne.cli.options import say
from rne.model.robot import Robot

if TYPE_CHECKING:
    from rne.files import Chunk

_FORMATS = ("csv", "parquet", "arrow", "npy", "npz")


@dataclass(frozen=True)
class Job:
    """The options of a command on a trajectory; `takes_motion` describes them."""

    trajectory: str
    rename: dict[str, str]
    differentiate: bool
    window: int | None
    cutoff: tuple[float, ...] | None = None
    degree: int | None = None
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


def _frequencies(_: click.Context, parameter: click.Parameter, text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return tuple(map(float, text.split(",")))
    except ValueError:
        raise click.BadParameter(f"wanted {parameter.metavar}, got {text!r}", param=parameter) from None


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
        help="Joints in the order in which the file numbers them, for {0}, {1}, lists of columns, units and gains; "
        "that of the robot by default.",
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
    click.option(
        "--header", metavar="A,B,C", callback=_names, help="Names of the columns of a CSV file without a header."
    ),
    click.option(
        "--fill",
        type=click.Choice(("last", "linear")),
        help="Fill empty fields with the last number above, or by linear interpolation; an error by default.",
    ),
    click.option("--topic", metavar="NAME", help="Topic of a ROS bag, where several have joint states."),
)
_DERIVATIVES = (
    click.option("--differentiate", is_flag=True, help="Compute missing qd and qdd by differentiation over t."),
    click.option(
        "--unwrap",
        metavar="JOINTS",
        callback=_turning,
        help="Joints (a,b) whose angles jump by a turn in the file, besides the continuous ones; none for no joint at "
        "all. For --differentiate.",
    ),
    click.option(
        "--cutoff",
        metavar="HZ[,HZ...]",
        callback=_frequencies,
        help="Cutoff of the differentiation filter, or one per joint; by default from the data. inf interpolates.",
    ),
    click.option(
        "--window",
        metavar="SAMPLES",
        type=int,
        help="Differentiate by polynomials in sliding windows of this odd length instead (Savitzky-Golay).",
    ),
    click.option("--degree", type=int, help="Degree of these polynomials; 4 by default."),
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
    output: str | None,
    streams: bool = True,
    forces: bool = True,
    optional: bool = False,
    beside: bool = False,
    logs: bool = False,
    option: str | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add the argument TRAJECTORY and its options to a command, which receives them as a `Job`.

    Parameters
    ----------
    output : name of the output file in the help; None if there is no output, in which case TRAJECTORY is optional and
        an empty string by default.
    streams : whether the output is streamed like the trajectory; otherwise it is a figure, and must be named.
    forces : whether the command has the options for friction and wrenches.
    optional : whether TRAJECTORY may be omitted although a file is written.
    beside : whether the output is written besides a table on stdout, and only if it is named.
    logs : whether the argument is LOG..., several trajectories that belong together.
    option : help of an option --torques LOG in place of the argument; nothing is differentiated then.
    """
    needed = bool(output) and not optional
    single = {} if needed else {"default": ""}  # None would be a default, too
    several = {"nargs": -1} if output and streams and not beside else single
    named: dict[str, Any] = {"nargs": -1, "metavar": "LOG..."} if logs else several
    trajectory = click.argument("trajectory", type=click.Path(allow_dash=True), required=needed, **named)
    if option is not None:
        kind: Any = click.Path(allow_dash=True)
        trajectory = click.option("--torques", "--log", "trajectory", metavar="LOG", default="", type=kind, help=option)
    written = click.option(
        "-o",
        "--output",
        metavar=output,
        **(
            {"default": "", "help": "File to write; none by default."}
            if beside
            else {"default": "-", "help": "File to write; - is stdout, the default."}
            if streams
            else {"required": True}
        ),
    )
    derivatives = () if option is not None else _DERIVATIVES
    parameters = (trajectory, *(_FORCES if forces else ()), *_READING, *derivatives)
    if output:
        parameters += (written, *(_WRITING if streams else ()))

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def with_job(robot: Robot, notes: list[str], **options: Any) -> None:
            options.setdefault("differentiate", False)
            for name in ("cutoff", "window", "degree", "unwrap"):
                if options.setdefault(name) is not None and not options["differentiate"]:
                    raise click.UsageError(f"--{name} requires --differentiate")
            if logs:
                options |= {"trajectory": options["trajectory"][0], "trajectories": options["trajectory"]}
            elif isinstance(options["trajectory"], tuple):
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
