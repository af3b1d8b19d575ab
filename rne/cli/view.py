"""`rne view`: the robot in a browser, at rest or in motion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
import numpy as np

import rne
from rne.cli.options import examples, say, takes_robot
from rne.errors import ArgumentError
from rne.robot import Robot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rne.files import Chunk, Trajectory


@click.command(
    "view",
    epilog=examples(
        "rne view panda.urdf",
        "rne view panda.urdf motion.csv --friction",
        "rne view ur5e.urdf motion.parquet --no-browser --host 0.0.0.0 --port 9000",
    ),
)
@takes_robot
@click.argument("trajectory", type=click.Path(), required=False)
@click.option("--friction", is_flag=True, help="Viscous and Coulomb friction of the joints.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; 0.0.0.0 lets others look on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="Or the next that is free."
)
@click.option("--browser/--no-browser", default=True, help="Open the page, or only print its address.")
def show_robot(
    robot: Robot, notes: list[str], trajectory: str | None, friction: bool, host: str, port: int, browser: bool
) -> None:
    """Show a robot, or a motion, on a page in the browser.

    With TRAJECTORY, as for `rne id`, the page plays the motion, with its torques as bars against the limits; without
    it the joints have sliders, and the torques are those against gravity. Ctrl-C ends it.
    """
    say(*(f"warning: {note}" for note in notes))
    motion: dict[str, Any] = _read(robot, trajectory, friction) if trajectory else {}
    with rne.view(robot, **motion, host=host, port=port, browser=browser) as viewer:
        say(*viewer.notes)
        click.echo(f"{viewer.url} shows {robot.name}; Ctrl-C ends it")
        try:
            viewer.wait()
        except KeyboardInterrupt:
            say("")


def _read(robot: Robot, path: str, friction: bool) -> dict[str, Any]:
    """Return t, q and tau of a trajectory, as arguments of `rne.view`."""
    parts: dict[str, list[NDArray[Any]]] = {"q": [], "tau": [], "t": []}
    with rne.files.Trajectory(path, robot) as motion:
        say(*(f"{motion.name}: {remark}" for remark in motion.columns.remarks))
        for chunk, times in _timed(motion):
            parts["q"].append(chunk.arrays["q"])
            given: dict[str, Any] = chunk.arrays
            parts["tau"].append(rne.inverse_dynamics(robot, **given, friction=friction))
            if times is not None:
                parts["t"].append(times)
    if not parts["q"]:
        raise ArgumentError(f"{path}: there are no rows to show")
    return {key: np.concatenate(arrays) for key, arrays in parts.items() if arrays}


def _timed(motion: Trajectory) -> Iterator[tuple[Chunk, NDArray[np.float64] | None]]:
    """Yield the chunks, and their times in seconds if there are any."""
    from rne.files.trajectory import seconds

    origin = None
    for chunk in motion:
        if chunk.t is None:
            yield chunk, None
            continue
        origin = chunk.t[0] if origin is None else origin
        yield chunk, seconds(motion.where, chunk.t, chunk.first, origin)
