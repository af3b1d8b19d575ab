"""`rne id`, `rne fd`, `rne breakdown`, `rne convert`: a trajectory in, what follows from it out."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import rne
from rne.cli.options import examples, say, takes_robot
from rne.cli.stream import QUANTITIES, Job, Work, stream, takes_motion
from rne.model.robot import Robot

if TYPE_CHECKING:
    from rne.cli.stream import Arrays


@click.command(
    "id",
    epilog=examples(
        "rne id panda.urdf motion.csv -o torques.csv",
        "rne id ur5e.urdf motion.parquet --payload 2.5,0,0,0.1 -o torques.parquet",
        "rne id panda.urdf log.csv.gz --columns 'q=pos_{1}' --columns t=stamp --differentiate -o torques.npz",
        "cat motion.csv | rne id puma560.dh.toml - --friction > torques.csv",
    ),
)
@takes_robot
@takes_motion(output="TORQUES")
def inverse_dynamics(robot: Robot, job: Job) -> None:
    """Joint torques of a motion (inverse dynamics).

    TRAJECTORY is CSV (also .gz, .zst, .bz2, .lz4; - is stdin), Parquet, Arrow, NPZ or NPY, by its suffix, of any
    length. It has columns q_<joint>, qd_<joint>, qdd_<joint> and, if you like, t, in any order; in an NPZ, arrays q,
    qd, qdd and t. Without qd or qdd, velocities or accelerations are zero, unless you ask for --differentiate. TORQUES
    has the columns t, if it was there, and tau_<joint>.
    """

    def work(**given: Any) -> Arrays:
        return {"tau": rne.inverse_dynamics(robot, friction=job.friction, **given)}

    stream(robot, job, Work(("q", "qd", "qdd"), work, peak="tau"))


@click.command(
    "fd",
    epilog=examples(
        "rne fd panda.urdf torques.csv -o accelerations.csv",
        "rne fd panda.urdf run.parquet --friction --wrench panda_hand -o accelerations.parquet",
    ),
)
@takes_robot
@takes_motion(output="ACCELERATIONS")
def forward_dynamics(robot: Robot, job: Job) -> None:
    """Accelerations that torques give the robot (forward dynamics).

    TRAJECTORY is as for `rne id`, with tau_<joint> in the place of qdd_<joint>. Without qd or tau, velocities or
    torques are zero. ACCELERATIONS has the columns t, if it was there, and qdd_<joint>.
    """

    def work(**given: Any) -> Arrays:
        return {"qdd": rne.forward_dynamics(robot, friction=job.friction, **given)}

    stream(robot, job, Work(("q", "qd", "tau"), work, peak="qdd"))


@click.command(
    short_help="Torques of a motion taken apart into their terms.",
    epilog=examples(
        "rne breakdown panda.urdf motion.csv -o parts.csv",
        "rne breakdown panda.urdf motion.parquet --friction -o parts.parquet",
    ),
)
@takes_robot
@takes_motion(output="PARTS")
def breakdown(robot: Robot, job: Job) -> None:
    """Torques of a motion taken apart: inertia, rotor, velocity, gravity, spring, friction, external.

    TRAJECTORY is as for `rne id`. PARTS has the columns t, if it was there, and for each of the seven terms and the
    total <term>_<joint>.
    """

    def work(**given: Any) -> Arrays:
        parts = rne.torque_breakdown(robot, friction=job.friction, **given)
        return {**parts.terms, "total": parts.total}

    stream(robot, job, Work(("q", "qd", "qdd"), work, peak="total"))


@click.command(
    short_help="Write a trajectory, or the robot itself, in another format.",
    epilog=examples(
        "rne convert puma.dh.toml -o puma.urdf",
        "rne convert panda.urdf --payload 1.5,0,0,0.1 --payload-frame panda_hand -o panda_loaded.xml",
        "rne convert panda.urdf log.csv.gz --columns 'q=pos_{joint}' --columns t=stamp -o motion.parquet",
        "rne convert panda.urdf positions.npz --differentiate -o motion.csv",
    ),
)
@takes_robot
@takes_motion(output="COPY", forces=False, optional=True)
@click.option(
    "--convention",
    type=click.Choice(("modified", "standard")),
    default="modified",
    show_default=True,
    help="Of a DH table.",
)
def convert(robot: Robot, job: Job, convention: str) -> None:
    """Write a trajectory in another format, or with other names of columns; or the robot itself.

    Without TRAJECTORY the robot is written, as it is with all options: as URDF (.urdf), as MJCF for MuJoCo (.xml) or
    as a DH table (.toml), by the suffix of COPY. What the format cannot hold is warned of.

    TRAJECTORY has columns q_<joint>, qd_<joint>, qdd_<joint>, tau_<joint> and t, as far as they are there. COPY has the
    same, in this order and in the order of the joints (t comes first); what is no state of the robot is left out. An
    NPY has no names, and takes the first of q, qd, qdd, tau alone.
    """
    writers: dict[str, Callable[[str], str]] = {
        ".urdf": robot.to_urdf,
        ".xml": robot.to_mjcf,
        ".toml": functools.partial(robot.to_dh, convention=convention),
    }
    suffix = Path(job.output).suffix.lower()
    if (suffix in writers) != (not job.trajectory):
        wanted = ", ".join(writers)
        raise click.UsageError(
            f"{job.output} is the name of a robot file; leave TRAJECTORY out, or name a trajectory file with -o"
            if job.trajectory
            else f"without TRAJECTORY the robot is written, and -o needs the name of a file that ends in {wanted}"
        )
    if suffix in writers:
        with warnings.catch_warnings(record=True, action="always", category=rne.ModelWarning) as caught:
            writers[suffix](job.output)
        say(*(f"warning: {warning.message}" for warning in caught))
        return

    def work(f_ext: object, threads: int, **given: Any) -> Arrays:  # noqa: ARG001
        return {key: given[key] for key in ("q", *QUANTITIES) if key in given}  # some may be made, after what is there

    stream(robot, job, Work(("q", "qd", "qdd", "tau"), work, peak="q", zero=False))
