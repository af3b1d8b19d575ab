"""What all commands share: the argument ROBOT and the options that change the robot."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from typing import Any

import click

import rne

Callback = Callable[[click.Context, click.Parameter, Any], Any]


def _numbers(*counts: int) -> Callback:
    """Return a callback that takes as many numbers as one of `counts`, with commas between them."""

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


_PARAMETERS: tuple[Callable[[Callable[..., None]], Callable[..., None]], ...] = (
    click.argument("source", metavar="ROBOT", type=click.Path()),
    click.option(
        "--arg",
        "args",
        metavar="NAME:=VALUE",
        multiple=True,
        callback=_arguments,
        help="An argument of a .xacro file; repeatable.",
    ),
    click.option(
        "--lock",
        metavar="JOINT=VALUE",
        multiple=True,
        callback=_positions,
        help="Freeze a joint at a position (rad, m); repeatable.",
    ),
    click.option(
        "--gravity", metavar="X,Y,Z", callback=_numbers(3), help="Acceleration of free fall in base axes, m/s^2."
    ),
    click.option(
        "--payload",
        metavar="MASS[,X,Y,Z]",
        callback=_numbers(1, 4),
        help="Carry a point mass (kg), where in the frame of a link (m).",
    ),
    click.option("--payload-frame", metavar="LINK", help="Link that carries it; needed if there are several tips."),
    click.option(
        "--strict/--no-strict", default=True, help="Take physical doubts about the file as errors, or as warnings."
    ),
)


def takes_robot(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the argument ROBOT and its options; it gets the robot and the warnings met in loading it."""

    @functools.wraps(command)
    def with_robot(
        source: str,
        args: dict[str, str],
        lock: dict[str, float],
        gravity: tuple[float, ...] | None,
        payload: tuple[float, ...] | None,
        payload_frame: str | None,
        strict: bool,
        **others: Any,
    ) -> None:
        if payload_frame is not None and payload is None:
            raise click.UsageError("--payload-frame needs --payload")
        with warnings.catch_warnings(record=True, action="always", category=rne.ModelWarning) as caught:
            robot = rne.load(source, args=args, lock=lock, gravity=gravity, strict=strict)
        if payload is not None:
            robot = robot.with_payload(payload[0], payload[1:] or (0.0, 0.0, 0.0), frame=payload_frame)
        command(robot, [str(warning.message) for warning in caught], **others)

    for decorate in reversed(_PARAMETERS):
        with_robot = decorate(with_robot)
    return with_robot


def examples(*lines: str) -> str:
    """Return the end of a help text."""
    return "\b\n" + "\n".join(["Examples:", *(f"  {line}" for line in lines)])


def say(*lines: str) -> None:
    """Tell the person something that is no result."""
    for line in lines:
        click.echo(line, err=True)


def show(text: str) -> None:
    """Print a result, with escapes for characters that the terminal has no code for."""
    encoding = sys.stdout.encoding
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding))
