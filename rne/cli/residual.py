"""`rne residual`: measured torques against those of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import rne
from rne.cli.motion import Job, takes_motion
from rne.cli.options import examples, takes_robot
from rne.cli.stream import Work, stream
from rne.model.robot import Robot

if TYPE_CHECKING:
    from rne.cli.stream import Arrays


@click.command(
    "residual",
    short_help="Measured torques against the model.",
    epilog=examples(
        "rne residual panda.urdf log.csv --differentiate --columns 'tau=tau_J[{0}]' --friction",
        "rne residual ur5e.urdf run.parquet --unit tau=A:11,11,11,9,9,9 --differentiate -o residuals.parquet",
    ),
)
@takes_robot
@takes_motion(output="RESIDUALS", beside=True)
def residual(robot: Robot, job: Job) -> None:
    """Measured torques of a log, minus those of the model (inverse dynamics).

    TRAJECTORY is as for `rne id`, with the measured torques in the columns tau_<joint>, or where --columns tau=... and
    --unit tau=... say. With --differentiate the torques pass the same filter as the motion.

    The table shows for each joint the RMS of the residual, absolute and relative to that of the measured torque, R2,
    the mean, and the worst sample with its time. RESIDUALS, if named, has the columns t, if TRAJECTORY has it,
    measured_<joint>, model_<joint> and residual_<joint>.
    """

    def work(tau: Any = 0.0, **given: Any) -> Arrays:
        model = rne.inverse_dynamics(robot, friction=job.friction, **given)
        return {"measured": tau + 0.0 * model, "model": model, "residual": tau - model}

    stream(robot, job, Work(("q", "qd", "qdd", "tau"), work, peak="residual", measured=True))
