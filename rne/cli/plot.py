"""`rne plot`: plots of a trajectory."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

import rne
from rne.cli.motion import Job, takes_motion
from rne.cli.options import examples, takes_robot
from rne.cli.stream import opened
from rne.model.robot import Robot

KINDS = ("torque", "breakdown", "power", "energy", "phase", "residual")


@click.command(
    short_help="Plot torques, power or energy of a motion.",
    epilog=examples(
        "rne plot panda.urdf motion.csv -o torques.svg",
        "rne plot panda.urdf motion.parquet --kind breakdown --friction -o breakdown.pdf",
        "rne plot panda.urdf positions.csv --differentiate --kind power -o power.png",
    ),
)
@takes_robot
@takes_motion(output="PICTURE", streams=False)
@click.option("--kind", type=click.Choice(KINDS), default=KINDS[0], show_default=True, help="What to draw.")
def plot(robot: Robot, job: Job, kind: str) -> None:
    """Plot a motion with its torques: PICTURE is a .png, .svg or .pdf file.

    TRAJECTORY is as for `rne id`, and is read into memory. Torques are plotted with their limits, the terms of a
    breakdown as stacked areas; power and energy are those of the motion with these torques. A residual is that of the
    torques measured in the columns tau_<joint>, as for `rne residual`.
    """
    quantities = ("q", "qd", "qdd", "tau") if kind == "residual" else ("q", "qd", "qdd")
    with opened(robot, job, quantities) as (motion, made):
        if kind == "residual" and "tau" not in motion.columns.groups:
            raise rne.FileError(f"{motion.where}: no tau columns: nothing measured; say where with --columns tau=...")
        chunk = rne.files.joined([read() for read in (made or motion).pieces()])
        if not chunk.rows:
            raise rne.FileError(f"{motion.name}: there are no rows to draw")
        t = None if chunk.t is None else rne.files.seconds(motion.name, chunk.t, origin=chunk.t[0])
    given: dict[str, Any] = {**chunk.arrays, "f_ext": job.f_ext(chunk), "friction": job.friction}
    measured = given.pop("tau", None)
    q, qd = given["q"], given.get("qd", np.zeros((chunk.rows, robot.n)))
    if kind == "phase":
        figure = rne.plot.phase(robot, q, qd)
    elif kind == "breakdown":
        figure = rne.plot.breakdown(robot, t, rne.torque_breakdown(robot, **given))
    else:
        tau = rne.inverse_dynamics(robot, **given)
        if kind == "torque":
            figure = rne.plot.torques(robot, t, tau)
        elif kind == "residual":
            figure = rne.plot.residual(robot, t, measured, tau)
        elif kind == "power":
            figure = rne.plot.power(robot, t, qd, tau)
        else:
            figure = rne.plot.energy(robot, t, q, qd, None if t is None else tau)
    rne.plot.save(figure, job.output)
