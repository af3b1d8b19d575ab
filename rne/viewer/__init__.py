"""A robot in a browser. Display alone lives here: every number comes from the public functions."""

from __future__ import annotations

import webbrowser
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from rne.batch.arguments import check_robot
from rne.check import check_flag, whole_number
from rne.errors import ArgumentError, needing, shown
from rne.model.robot import Robot
from rne.viewer.playback import make_motion

if TYPE_CHECKING:
    from rne.viewer.page import Viewer

LAST_PORT = 65535

__all__ = ["view"]


def view(
    robot: Robot,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    t: ArrayLike | None = None,
    friction: bool = False,
    host: str = "127.0.0.1",
    port: int = 8080,
    browser: bool = True,
) -> Viewer:
    """Show a robot on a page in the browser; returns at once.

    With a motion the page plays it, with the torques that it takes as bars against the limits of the joints; without
    one the robot is moved by hand, with the torques that hold it against gravity. To be seen are the shapes of the URDF
    that the robot was loaded from, or else a stick figure; frames; and each body as the uniform ellipsoid that has its
    mass and inertia, of half axes a_k = sqrt(5 s_k / m) with its principal second moments s_k.

    Needs viser (``pip install 'rne[view]'``), which brings the page along: no network is used.

    Parameters
    ----------
    robot : the robot.
    q : (samples, n) positions of a motion, rad or m. Where some are NaN, the robot stays where it was.
    qd, qdd : (samples, n) velocities and accelerations; None means zero.
    tau : (samples, n) torques to show instead of those of `rne.inverse_dynamics`.
    t : (samples,) times, s, not decreasing; None means 100 samples a second.
    friction : whether these contain viscous and Coulomb friction.
    host : where to listen; "0.0.0.0" lets other machines look on.
    port : the port, or the first free one above; 0 takes any.
    browser : whether to open the page in the browser of this machine.

    Returns
    -------
    viewer : a handle with `url`, `play`, `pause`, `seek`, `move`, `wait` and `stop`.

    Raises
    ------
    ArgumentError
        Arrays do not fit the robot or each other.
    MissingExtraError
        viser is not installed.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> viewer = rne.view(arm, np.linspace([0, 0], [1, 2], 200), port=0, browser=False)
    >>> viewer.seek(0.5)
    >>> viewer.stop()
    """
    check_robot(robot)
    if not isinstance(host, str) or not host:
        raise ArgumentError(f"host: wanted a name or an address, got {shown(host)}")
    whole_number("port", port, 0)
    if port > LAST_PORT:
        raise ArgumentError(f"port: wanted at most {LAST_PORT}, got {port}")
    check_flag("friction", friction)
    check_flag("browser", browser)
    motion = None
    if q is not None:
        motion = make_motion(robot, q, qd, qdd, t=t, tau=tau, friction=friction)
    elif any(given is not None for given in (qd, qdd, t, tau)):
        raise ArgumentError("q: wanted the positions of the motion, got None")
    with needing("view", "a view needs"):
        from rne.viewer.page import Viewer
    viewer = Viewer(robot, motion, host=host, port=port)
    if browser:
        webbrowser.open(viewer.url)
    return viewer
