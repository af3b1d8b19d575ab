"""`rne id`, `rne fd`, `rne breakdown`, `rne convert`: from one trajectory file to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import rne
from rne.cli.motion import Job, takes_motion
from rne.cli.options import examples, takes_robot
from rne.cli.robot_files import robot_writers, write_robot
from rne.cli.stream import QUANTITIES, Work, stream
from rne.model.robot import Robot

if TYPE_CHECKING:
    from rne.cli.stream import Arrays


@click.command(
    "id",
    epilog=examples(
        "rne id panda.urdf motion.csv -o torques.csv",
        "rne id panda.urdf franka.csv --columns 'q=q[{0}]' --columns t=time --time-unit ms --unit q=deg -o torques.csv",
        "rne id ur5e.urdf run1.mcap run2.mcap --differentiate --format parquet -o torques/",
        "rne id ur5e.urdf motion.parquet --payload 2.5,0,0,0.1 -o torques.parquet",
        "rne id panda.urdf log.csv.gz --columns 'q=pos_{1}' --columns t=stamp --differentiate -o torques.npz",
        "cat motion.csv | rne id puma560.dh.toml - --friction > torques.csv",
    ),
)
@takes_robot
@takes_motion(output="TORQUES")
def inverse_dynamics(robot: Robot, job: Job) -> None:
    """Joint torques of a motion (inverse dynamics).

    TRAJECTORY is a file of any length in CSV (also .gz, .zst, .bz2, .lz4; - is stdin), Parquet, Arrow, NPZ, NPY, MAT
    (.mat), HDF5 or ROS bag (.bag, .db3, .mcap) format, selected by its suffix. Several files are written into a folder
    (-o OUT/), where complete outputs are kept.

    It has the columns q_<joint>, qd_<joint>, qdd_<joint> and optionally t, in any order; an NPZ file has the arrays q,
    qd, qdd and t. Missing qd and qdd are zero, unless --differentiate is given. TORQUES has the columns t, if
    TRAJECTORY has it, and tau_<joint>. Where --columns tau=... says that torques were measured, it also has
    residual_<joint>, measured minus model, and the table of `rne residual` is shown.
    """
    measured = "tau" in job.rename

    def work(tau: Any = None, **given: Any) -> Arrays:
        model = rne.inverse_dynamics(robot, friction=job.friction, **given)
        return {"tau": model} if tau is None else {"tau": model, "residual": tau - model}

    quantities = ("q", "qd", "qdd", "tau") if measured else ("q", "qd", "qdd")
    stream(robot, job, Work(quantities, work, peak="tau", measured=measured))


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

    TRAJECTORY is as for `rne id`, with tau_<joint> instead of qdd_<joint>. Missing qd and tau are zero. ACCELERATIONS
    has the columns t, if TRAJECTORY has it, and qdd_<joint>.
    """

    def work(**given: Any) -> Arrays:
        return {"qdd": rne.forward_dynamics(robot, friction=job.friction, **given)}

    stream(robot, job, Work(("q", "qd", "tau"), work, peak="qdd"))


@click.command(
    short_help="Terms of the torques of a motion.",
    epilog=examples(
        "rne breakdown panda.urdf motion.csv -o parts.csv",
        "rne breakdown panda.urdf motion.parquet --friction -o parts.parquet",
    ),
)
@takes_robot
@takes_motion(output="PARTS")
def breakdown(robot: Robot, job: Job) -> None:
    """Torques of a motion, separated into the terms of the equations of motion.

    TRAJECTORY is as for `rne id`. PARTS has the columns t, if TRAJECTORY has it, and <term>_<joint> for each term and
    the total. The terms are effective and coupling (inertia), rotor, centripetal, coriolis, gravity, spring, friction
    and external.
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
    help="Convention of a DH table.",
)
def convert(robot: Robot, job: Job, convention: str) -> None:
    """Write a trajectory in another format, or with other column names; or the robot itself.

    Without TRAJECTORY the robot is written, as it is with all options: as URDF (.urdf), as MJCF for MuJoCo (.xml) or
    as a DH table (.toml), selected by the suffix of COPY. A warning names what the format cannot hold.

    TRAJECTORY has some of the columns q_<joint>, qd_<joint>, qdd_<joint>, tau_<joint> and t. COPY has the same columns,
    t first and the others in this order and in the order of the joints; all other columns are omitted. An NPY file has
    no names, and gets only the first of q, qd, qdd, tau.
    """
    writers = robot_writers(robot, convention)
    suffix = Path(job.output).suffix.lower()
    if (suffix in writers) != (not job.trajectory):
        wanted = ", ".join(writers)
        raise click.UsageError(
            f"{job.output} is the name of a robot file; leave TRAJECTORY out, or name a trajectory file with -o"
            if job.trajectory
            else f"without TRAJECTORY the robot is written, and -o needs the name of a file that ends in {wanted}"
        )
    if suffix in writers:
        write_robot(writers[suffix], job.output)
        return

    def work(f_ext: object, threads: int, **given: Any) -> Arrays:  # noqa: ARG001
        return {key: given[key] for key in ("q", *QUANTITIES) if key in given}  # some may be computed

    stream(robot, job, Work(("q", "qd", "qdd", "tau"), work, peak="q", zero=False))
