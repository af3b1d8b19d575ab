"""`rne view`: the robot in a browser, moved by sliders or by a trajectory."""

from __future__ import annotations

from typing import Any

import click

import rne
from rne.cli.motion import Job, takes_motion
from rne.cli.options import examples, say, takes_robot
from rne.cli.stream import opened
from rne.model.robot import Robot


@click.command(
    "view",
    epilog=examples(
        "rne view panda.urdf",
        "rne view panda.urdf motion.csv --friction",
        "rne view ur5e.urdf log.parquet --differentiate --no-browser --host 0.0.0.0 --port 9000",
    ),
)
@takes_robot
@takes_motion(output=None)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address; 0.0.0.0 for all interfaces.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="Port, or the next free.")
@click.option("--browser/--no-browser", default=True, help="Open the page, or only print its address.")
def show_robot(robot: Robot, job: Job, host: str, port: int, browser: bool) -> None:
    """Show a robot, or a motion, in the browser.

    With TRAJECTORY, which is as for `rne id`, the page plays the motion and shows its torques as bars relative to the
    limits. Without it, the joints have sliders, and the torques are those that hold the robot. Ctrl-C stops it.
    """
    motion = _read(robot, job) if job.trajectory else {}
    with rne.view(robot, **motion, host=host, port=port, browser=browser) as viewer:
        say(*viewer.notes)
        try:
            click.echo(f"{viewer.url} shows {robot.name}; Ctrl-C stops it")
            viewer.wait()
        except KeyboardInterrupt:
            say("")


def _read(robot: Robot, job: Job) -> dict[str, Any]:
    """Return a trajectory and its torques as arguments of `rne.view`."""
    with opened(robot, job, ("q", "qd", "qdd")) as (motion, made):
        chunks = [read() for read in (made or motion).pieces()]
        if not any(chunk.rows for chunk in chunks):
            raise rne.FileError(f"{motion.name}: there are no rows to show")
        chunk = rne.files.joined(chunks)
        t = None if chunk.t is None else rne.files.seconds(motion.where, chunk.t, origin=chunk.t[0])
    given: dict[str, Any] = chunk.arrays
    tau = rne.inverse_dynamics(robot, **given, f_ext=job.f_ext(chunk), friction=job.friction)
    return {"q": given["q"], "t": t, "tau": tau}
