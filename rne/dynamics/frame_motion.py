"""Velocities and accelerations of frames and points of a robot."""

from __future__ import annotations

from numpy.typing import ArrayLike

from rne.batch.arguments import Floats, as_result, as_site, as_table, check_robot, finish, read_only, settle
from rne.batch.quick import UNFIT, Algorithm, alone, quick
from rne.batch.threads import launch
from rne.kernels.entries import FRAME_MOTION, FRAME_MOTION_ONE
from rne.model.robot import Robot

_MOTION, _motion_one = Algorithm(FRAME_MOTION_ONE, FRAME_MOTION, states=3, floating=True), FRAME_MOTION_ONE["float64"]


def jacobian_dot_qd(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    frame: str,
    *,
    axes: str = "world",
    point: ArrayLike | None = None,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Velocity-dependent acceleration of a frame: Jd qd, its acceleration at qdd = 0.

    Jd is the time derivative of the Jacobian in base axes, those of the world if the base floats. With
    ``axes="local"`` the same vectors are expressed in the axes of the frame; they are not the derivative of local
    components.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities.
    frame, axes, point : as for `jacobian`.
    out, threads : as for `forward_kinematics`, which lists the errors.

    Returns
    -------
    a : (..., 6) classical acceleration of the point at qdd = 0, m/s^2, then angular acceleration, rad/s^2.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.jacobian_dot_qd(arm, [0.0, 0.0], [1.0, 0.0], "link2")
    array([-2.,  0.,  0.,  0.,  0.,  0.])
    """
    return _frame_motion(robot, (q, qd, None), frame, axes, point, out, threads, order=2)


def frame_velocity(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    frame: str,
    *,
    axes: str = "world",
    point: ArrayLike | None = None,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Velocity of a frame, or of any point of its link, and angular velocity: J qd without forming J.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities.
    frame, axes, point : as for `jacobian`.
    out, threads : as for `forward_kinematics`, which lists the errors.

    Returns
    -------
    v : (..., 6) linear velocity, m/s, then angular velocity, rad/s.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.frame_velocity(arm, [0.0, 0.0], [1.0, 0.0], "link2", point=[-1.0, 0.0, 0.0])
    array([0., 1., 0., 0., 0., 1.])
    """
    return _frame_motion(robot, (q, qd, None), frame, axes, point, out, threads, order=1)


def frame_acceleration(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None,
    qdd: ArrayLike | None,
    frame: str,
    *,
    axes: str = "world",
    point: ArrayLike | None = None,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Acceleration of a frame, or of any point of its link, and angular acceleration: J qdd + Jd qd.

    The linear part is the classical acceleration, the second derivative of the position of the point, and not the
    linear part of a spatial acceleration. Gravity is not included.

    Parameters
    ----------
    robot : the robot.
    q, qd, qdd : (..., n) positions, velocities and accelerations; the last two zero if None.
    frame, axes, point : as for `jacobian`; ``axes="local"`` expresses the same vectors in the axes of the frame.
    out, threads : as for `forward_kinematics`, which lists the errors.

    Returns
    -------
    a : (..., 6) linear acceleration, m/s^2, then angular acceleration, rad/s^2.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.frame_acceleration(arm, [0.0, 0.0], [1.0, 0.0], [0.0, 1.0], "link2")
    array([-2.,  1.,  0.,  0.,  0.,  1.])
    """
    return _frame_motion(robot, (q, qd, qdd), frame, axes, point, out, threads, order=2)


def _frame_motion(
    robot: Robot,
    state: tuple[ArrayLike, ArrayLike | None, ArrayLike | None],
    frame: str,
    axes: str,
    point: ArrayLike | None,
    out: Floats | None,
    threads: int | None,
    order: int,
) -> Floats:
    """Velocity (order 1) or acceleration (order 2)."""
    q, qd, qdd = state
    try:
        site = robot.links.frames[frame].sites[axes] if point is None else as_site(robot, frame, axes, point)
        motion: Floats | None = None
        if threads is None or alone(threads):
            motion = _motion_one.call(robot._card, q, qd, qdd, out, site, order)
        if motion is None:
            motion = quick(_MOTION, robot, state, (6,), out, threads, places=(site,), flags=(order,))
        if motion is not None:
            return motion
    except UNFIT:
        pass
    check_robot(robot, floating=True)
    site = as_site(robot, frame, axes, point)
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd}, floating=True)
    result = as_result(out, (*batch.shape, 6), batch)
    table, site = as_table(robot, batch.dtype), read_only(site.astype(batch.dtype))
    launch(FRAME_MOTION[batch.dtype], robot, batch, ("q", "qd", "qdd"), result, threads, table, site, order)
    return finish(result, out)
