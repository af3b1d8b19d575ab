"""`rne export`: a robot as C."""

from __future__ import annotations

from typing import Any

import click

import rne
from rne.cli.options import examples, say, show, takes_robot
from rne.model.robot import Robot


@click.command(
    "export",
    short_help="Write a robot as C code.",
    epilog=examples(
        "rne export panda.urdf --c panda_c",
        "rne export panda.urdf --c panda_c --function inverse_dynamics --function jacobian:panda_hand --float",
        "rne export ur5e.urdf --c ur5e_c --parameter gravity --parameter payload:tool0 --friction",
    ),
)
@takes_robot
@click.option(
    "--c", "folder", metavar="FOLDER", required=True, help="Where to write header, source, test and CMakeLists."
)
@click.option(
    "--function",
    "functions",
    metavar="NAME",
    multiple=True,
    help="Function to write, as rne names it, or forward_kinematics:FRAME, jacobian:FRAME; repeatable. By default"
    " inverse and forward dynamics, gravity and mass matrix.",
)
@click.option("--name", help="Prefix of files and functions; by default the name of the robot.")
@click.option("--float", "single", is_flag=True, help="Single precision.")
@click.option(
    "--parameter",
    "parameters",
    metavar="NAME",
    multiple=True,
    help="What is an argument at run time: gravity, payload or payload:FRAME; repeatable.",
)
@click.option("--friction", is_flag=True, help="Count the friction of the joints.")
def export(
    robot: Robot,
    notes: list[str],
    folder: str,
    functions: tuple[str, ...],
    name: str | None,
    single: bool,
    parameters: tuple[str, ...],
    friction: bool,
) -> None:
    """Write a robot as C99 for this robot alone: no loop, no allocation, no library but math.h.

    The folder is made if it is not there. It then has a header, a source, a test that compares the functions with
    numbers of rne, and a CMakeLists. See `rne.export_c`.
    """
    say(*(f"warning: {note}" for note in notes))
    chosen: Any = {"functions": functions} if functions else {}
    dtype = "float32" if single else "float64"
    paths = rne.export_c(robot, folder, **chosen, name=name, dtype=dtype, parameters=parameters, friction=friction)
    show("\n".join(str(path) for path in paths))
