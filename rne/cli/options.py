"""Common parts of all commands: the argument ROBOT and the options that modify the robot."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import rne

Callback = Callable[[click.Context, click.Parameter, Any], Any]


def _numbers(*counts: int) -> Callback:
    """Return a callback that parses numbers separated by commas; `counts` are the allowed numbers of them."""

    def convert(_: click.Context, parameter: click.Parameter, text: str | None) -> tuple[float, ...] | None:
        if text is None:
            return None
        try:
            numbers = tuple(map(float, text.split(",")))
        except ValueError:
            numbers = ()
        if len(numbers) not in counts:
            raise click.BadParameter(f"wanted {parameter.metavar}, got {text!r}", param=parameter)
        return numbers

    return convert


def _positions(_: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, float]:
    positions = {}
    for text in texts:
        joint, _equals, number = text.rpartition("=")
        try:
            positions[joint.strip()] = float(number)
        except ValueError:
            raise click.BadParameter(f"wanted {parameter.metavar}, got {text!r}", param=parameter) from None
    return positions


def _arguments(_: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    arguments = {}
    for text in texts:
        name, assigned, value = text.partition(":=")
        if not assigned:
            raise click.BadParameter(f"wanted {parameter.metavar}, got {text!r}", param=parameter)
        arguments[name.strip()] = value
    return arguments


def _folders(_: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    folders = {}
    for text in texts:
        name, assigned, folder = text.partition("=")
        if not assigned or not name.strip() or not folder:
            raise click.BadParameter(f"wanted {parameter.metavar}, got {text!r}", param=parameter)
        folders[name.strip()] = folder
    return folders


_PARAMETERS: tuple[Callable[[Callable[..., None]], Callable[..., None]], ...] = (
    click.argument("source", metavar="ROBOT", type=click.Path()),
    click.option(
        "--arg",
        "args",
        metavar="NAME:=VALUE",
        multiple=True,
        callback=_arguments,
        help="Argument of a .xacro file; repeatable.",
    ),
    click.option(
        "--package",
        "packages",
        metavar="NAME=FOLDER",
        multiple=True,
        callback=_folders,
        help="Where a ROS package is that the file names; repeatable.",
    ),
    click.option(
        "--lock",
        metavar="JOINT=VALUE",
        multiple=True,
        callback=_positions,
        help="Lock a joint at a position (rad, m); repeatable.",
    ),
    click.option(
        "--base",
        metavar="X,Y,Z[,R,P,Y]",
        callback=_numbers(3, 6),
        help="Pose of the root of the robot in the world: position (m), and roll, pitch, yaw (rad).",
    ),
    click.option(
        "--floating/--fixed",
        default=None,
        help="Whether the base moves freely; by default as the file says.",
    ),
    click.option(
        "--gravity", metavar="X,Y,Z", callback=_numbers(3), help="Acceleration of free fall in base axes, m/s^2."
    ),
    click.option(
        "--payload",
        metavar="MASS[,X,Y,Z]",
        callback=_numbers(1, 4),
        help="Attach a point mass (kg) at a point in the frame of a link (m).",
    ),
    click.option("--payload-frame", metavar="LINK", help="Link of the payload; required if there are several tips."),
    click.option(
        "--strict/--no-strict", default=True, help="Treat physically doubtful values as errors, or as warnings."
    ),
    click.option(
        "--extensions/--no-extensions",
        default=False,
        help="Read rotors, springs and damping that a URDF keeps in <transmission>, <gazebo>, <dynamics>, <mujoco>.",
    ),
)


@dataclass(frozen=True)
class Source:
    """The argument ROBOT with its options.

    Attributes
    ----------
    path : the robot file.
    options : keyword arguments of `rne.load`.
    payload, frame : payload as (mass, x, y, z) or (mass,), and its link; None if there is none.
    """

    path: str
    options: dict[str, Any]
    payload: tuple[float, ...] | None
    frame: str | None

    def load(self) -> tuple[rne.Robot, list[str]]:
        """Return the robot, and the warnings issued while loading it."""
        with warnings.catch_warnings(record=True, action="always", category=rne.ModelWarning) as caught:
            robot = rne.load(self.path, **self.options)
        if self.payload is not None:
            robot = robot.with_payload(self.payload[0], self.payload[1:] or (0.0, 0.0, 0.0), frame=self.frame)
        return robot, [str(warning.message) for warning in caught]


def takes_source(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument ROBOT and its options to a command, which receives a `Source`; nothing is loaded yet."""

    @functools.wraps(command)
    def with_source(source: str, payload: tuple[float, ...] | None, payload_frame: str | None, **others: Any) -> None:
        if payload_frame is not None and payload is None:
            raise click.UsageError("--payload-frame requires --payload")
        options = {
            name: others.pop(name)
            for name in ("args", "packages", "lock", "gravity", "floating", "strict", "extensions")
        }
        if (base := others.pop("base")) is not None:
            options["base"] = {"xyz": base[:3], "rpy": base[3:] or (0.0, 0.0, 0.0)}
        if not Path(source).exists() and source in rne.models():
            source = str(rne.model_path(source))
        command(Source(source, options, payload, payload_frame), **others)

    for decorate in reversed(_PARAMETERS):
        with_source = decorate(with_source)
    return with_source


def takes_robot(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument ROBOT and its options to a command, which receives the robot and the warnings of its file."""

    @functools.wraps(command)
    def with_robot(source: Source, **others: Any) -> None:
        robot, notes = source.load()
        command(robot, notes, **others)

    return takes_source(with_robot)


def examples(*lines: str) -> str:
    """Return the section of a help text with examples."""
    return "\b\n" + "\n".join(["Examples:", *(f"  {line}" for line in lines)])


def say(*lines: str) -> None:
    """Print messages that are not results, on stderr."""
    for line in lines:
        click.echo(line, err=True)


def show(text: str) -> None:
    """Print a result, with escapes for characters that the terminal cannot encode."""
    encoding = sys.stdout.encoding
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding))
