"""Display of a robot in the browser. All numbers come from the public functions; nothing is calculated here."""

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
    """Show a robot in the browser, and return immediately.

    If a motion is given, the page plays it and shows its torques as bars relative to the joint limits. Otherwise, the
    joints have sliders, and the bars show the torques that hold the robot against gravity. The page displays the shapes
    of the URDF file, or a stick figure if there are none; the frames; and each body as the uniform ellipsoid of the
    same mass and inertia, with half axes a_k = sqrt(5 s_k / m), where s_k are the principal second moments.

    Requires viser (``pip install 'rne[view]'``), which includes the page, so no network access is needed.

    Parameters
    ----------
    robot : the robot.
    q : (samples, nq) positions of a motion, rad or m. In samples with NaN the robot keeps its previous position. A base
        that floats moves with them; without a motion it stands at the origin.
    qd, qdd : (samples, n) velocities and accelerations; None means zero.
    tau : (samples, n) torques to show instead of those of `rne.inverse_dynamics`.
    t : (samples,) times, s, not decreasing; None means 100 samples per second.
    friction : whether the calculated torques include viscous and Coulomb friction.
    host : address to listen on; "0.0.0.0" allows access from other machines.
    port : port to listen on, or the next free one above; 0 selects any free port.
    browser : whether to open the page in the browser of this machine.

    Returns
    -------
    viewer : a handle with `url`, `play`, `pause`, `seek`, `move`, `wait` and `stop`.

    Raises
    ------
    ArgumentError
        The arrays do not fit the robot or each other.
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
    check_robot(robot, floating=True)
    if not isinstance(host, str) or not host:
        raise ArgumentError(f"host: wanted a host name or an address, got {shown(host)}")
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
    with needing("view", "the viewer needs"):
        from rne.viewer.page import Viewer
    viewer = Viewer(robot, motion, host=host, port=port)
    if browser:
        webbrowser.open(viewer.url)
    return viewer
