"""`rne excite`: a motion for identification, as a trajectory file."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

import rne
from rne.cli.options import examples, say, show, takes_robot
from rne.model.floating import columns_of
from rne.model.robot import Robot

_CHUNK = 4096  # rows written at a time


@click.command(
    "excite",
    short_help="Plan a motion for identification.",
    epilog=examples(
        "rne excite panda.urdf --lock panda_finger_joint1=0 --friction -o plan.csv",
        "rne excite ur10.urdf --period 20 --periods 5 --rate 125 --criterion log_det -o plan.parquet",
    ),
)
@takes_robot
@click.option("-o", "--output", metavar="PLAN", required=True, help="Trajectory file to write.")
@click.option("--period", type=float, default=10.0, show_default=True, help="Period of the motion (s).")
@click.option("--periods", type=click.IntRange(1), default=1, show_default=True, help="Number of periods to write.")
@click.option("--rate", type=float, default=100.0, show_default=True, help="Rows per second.")
@click.option("--harmonics", type=int, default=5, show_default=True, help="Number of harmonics.")
@click.option("--tries", type=int, default=200, show_default=True, help="Number of motions that are compared.")
@click.option(
    "--criterion",
    type=click.Choice(("condition", "log_det")),
    default="condition",
    show_default=True,
    help="Least condition number, or largest determinant of the information.",
)
@click.option("--friction", is_flag=True, help="Excite viscous and Coulomb friction, too.")
@click.option("--rotors/--no-rotors", default=True, show_default=True, help="Excite the reflected rotor inertias.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the search.")
def excite(
    robot: Robot,
    notes: list[str],
    output: str,
    period: float,
    periods: int,
    rate: float,
    friction: bool,
    rotors: bool,
    **options: Any,
) -> None:
    """Plan a periodic motion that shows the parameters of a robot well, within its limits at all times.

    PLAN has the columns t, q_<joint>, qd_<joint> and qdd_<joint>. The motion does not start at rest, and knows no
    obstacles; see `rne.excitation`, which can be given a check of collisions.
    """
    if not (np.isfinite(rate) and rate > 0):
        raise click.UsageError(f"--rate: wanted a positive number, got {rate}")
    say(*(f"warning: {note}" for note in notes))
    base = rne.base_parameters(robot, rotors=rotors, friction=friction)
    motion = rne.excitation(base, period=period, **options)
    from rne.files.extra import pa  # needs the extra `files`, which only writing does

    columns = {key: columns_of(robot, key) for key in ("q", "qd", "qdd")}
    count = round(period * periods * rate)
    with rne.files.Results(output, columns, time=pa.float64()) as results:
        for first in range(0, count, _CHUNK):
            t = np.arange(first, min(count, first + _CHUNK)) / rate
            results.write(pa.array(t), dict(zip(columns, motion.at(t), strict=True)))
    show(str(motion))
