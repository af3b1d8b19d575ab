"""Derivatives of Jacobians: the public function."""

from __future__ import annotations

from numpy.typing import ArrayLike

from rne.batch.arguments import Floats, as_result, as_site, as_table, check_robot, finish, read_only, settle
from rne.batch.quick import UNFIT, Algorithm, alone, quick
from rne.batch.threads import launch
from rne.kernels.entries import JACOBIAN_DOT, JACOBIAN_DOT_ONE
from rne.model.robot import Robot

_RATE, _one = Algorithm(JACOBIAN_DOT_ONE, JACOBIAN_DOT, states=2, floating=True), JACOBIAN_DOT_ONE["float64"]


def jacobian_dot(
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
    """Rate of change Jd of the geometric Jacobian along the motion; Jd qd is `jacobian_dot_qd`.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities.
    frame, point : as for `jacobian`.
    axes : "world" for the derivative of the Jacobian in base axes, "local" for the same vectors in the axes of the
        frame. These are not the derivative of local components, which is R^T Jd less the cross product of the local
        angular velocity with the columns of the local Jacobian.
    out, threads : as for `forward_kinematics`, which lists the errors.

    Returns
    -------
    Jd : (..., 6, n) three linear rows, then three angular ones: m/s or rad/s for each rad or m.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.jacobian_dot(arm, [0.0, 0.0], [1.0, 0.0], "link2")[:2]
    array([[-2., -1.],
           [ 0.,  0.]])
    """
    try:
        site = robot.links.frames[frame].sites[axes] if point is None else as_site(robot, frame, axes, point)
        J: Floats | None = None
        if threads is None or alone(threads):
            J = _one.call(robot._card, q, qd, out, site)
        if J is None:
            J = quick(_RATE, robot, (q, qd), (6, robot.n), out, threads, places=(site,))
        if J is not None:
            return J
    except UNFIT:
        pass
    check_robot(robot, floating=True)
    site = as_site(robot, frame, axes, point)
    batch = settle(robot, {"q": q, "qd": qd}, floating=True)
    result = as_result(out, (*batch.shape, 6, robot.n), batch)
    site = read_only(site.astype(batch.dtype))
    launch(JACOBIAN_DOT[batch.dtype], robot, batch, ("q", "qd"), result, threads, as_table(robot, batch.dtype), site)
    return finish(result, out)
