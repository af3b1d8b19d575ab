"""`rne id`, `rne fd`, `rne breakdown`, `rne convert`: a trajectory in, what follows from it out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import rne
from rne.cli.motion import Job, takes_motion
from rne.cli.options import examples, takes_robot
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

    TRAJECTORY is CSV (also .gz, .zst, .bz2, .lz4; - is stdin), Parquet, Arrow, NPZ, NPY, .mat, HDF5 or a ROS bag (.bag,
    .db3, .mcap), by its suffix, of any length. Several go into a folder, as -o OUT/, where those that are complete are
    left as they are.

    TRAJECTORY has columns q_<joint>, qd_<joint>, qdd_<joint> and, if you like, t, in any order; in an NPZ, arrays q,
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
    short_help="Write a trajectory in another format.",
    epilog=examples(
        "rne convert panda.urdf log.csv.gz --columns 'q=pos_{joint}' --columns t=stamp -o motion.parquet",
        "rne convert panda.urdf positions.npz --differentiate -o motion.csv",
    ),
)
@takes_robot
@takes_motion(output="COPY", forces=False)
def convert(robot: Robot, job: Job) -> None:
    """Write a trajectory in another format, or with other names of columns.

    TRAJECTORY has columns q_<joint>, qd_<joint>, qdd_<joint>, tau_<joint> and t, as far as they are there. COPY has the
    same, in this order and in the order of the joints (t comes first); what is no state of the robot is left out. An
    NPY has no names, and takes the first of q, qd, qdd, tau alone.
    """

    def work(f_ext: object, threads: int, **given: Any) -> Arrays:  # noqa: ARG001
        return {key: given[key] for key in ("q", *QUANTITIES) if key in given}  # some may be made, after what is there

    stream(robot, job, Work(("q", "qd", "qdd", "tau"), work, peak="q", zero=False))
