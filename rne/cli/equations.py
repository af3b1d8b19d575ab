"""`rne equations`: the equations of motion in symbols."""

from __future__ import annotations

import click

import rne
from rne.cli.options import examples, say, show, takes_robot
from rne.model.robot import Robot


@click.command(
    "equations",
    short_help="Write out the equations of motion.",
    epilog=examples(
        "rne equations planar.dh.toml",
        "rne equations planar.dh.toml --latex > equations.tex",
        "rne equations ur5e.urdf --python > ur5e_dynamics.py",
    ),
)
@takes_robot
@click.option("--latex", is_flag=True, help="In LaTeX.")
@click.option("--python", is_flag=True, help="As a function of Python.")
@click.option("--friction", is_flag=True, help="Count the friction of the joints.")
def show_equations(robot: Robot, notes: list[str], latex: bool, python: bool, friction: bool) -> None:
    """Write out the equations of motion of a robot in its numbers; extra `sympy`.

    Robots of up to three joints as in textbooks, with the coefficients D11, D112 and D1; larger ones as straight-line
    expressions. See `rne.equations`, which also takes DH tables in symbols.
    """
    if latex and python:
        raise click.UsageError("--latex and --python cannot be combined")
    say(*(f"warning: {note}" for note in notes))
    equations = rne.equations(robot, friction=friction)
    show(equations.latex() if latex else equations.python() if python else str(equations))
