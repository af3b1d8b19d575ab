"""Sum of the external wrenches on a robot, and the zero-moment point of those from the ground."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Batch, Floats, settle, with_axes
from rne.check import numbers
from rne.dynamics.center_of_mass import center_of_mass
from rne.dynamics.contact_sets import rotated, shaped, widened
from rne.dynamics.kinematics import forward_kinematics
from rne.errors import ArgumentError, shown
from rne.model.robot import Robot


def total_wrench(
    robot: Robot,
    q: ArrayLike,
    f_ext: Mapping[str, Any],
    *,
    point: ArrayLike | None = None,
    threads: int | None = None,
) -> Floats:
    """Sum of external wrenches: total force, and total moment about the center of mass or another point.

    About the center of mass of a robot whose base floats, this and the weight are the rate of the
    `centroidal_momentum`.

    Parameters
    ----------
    robot : the robot.
    q : (..., nq) positions.
    f_ext : wrenches by frame name, as for `inverse_dynamics`.
    point : (3,) reference point of the moment in world axes (base axes if the base is fixed), m; the center of mass if
        None.
    threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    w : (..., 6) [force; moment] in world axes, N and N m.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.total_wrench(arm, [0.0, 0.0], {"link2": [0, 3.0, 0, 0, 0, 0]}, point=[0, 0, 0])
    array([0., 3., 0., 0., 0., 6.])
    """
    given = _batch(robot, q, f_ext)
    batch = widened(given)
    at = batch.rows["q"]
    about = center_of_mass(robot, at, threads=threads) if point is None else numbers("point", point, (3,))
    return shaped(_total(robot, batch, f_ext, about, threads), given)


def zero_moment_point(
    robot: Robot,
    q: ArrayLike,
    f_ext: Mapping[str, Any],
    *,
    normal: ArrayLike | None = None,
    point: ArrayLike = (0.0, 0.0, 0.0),
    threads: int | None = None,
) -> Floats:
    """Zero-moment point of contact wrenches: where they have no moment along the ground; the center of pressure.

    p = o + n x M / (n . F), with force F and moment M about a point o of the ground (Vukobratovic and Borovac, Int. J.
    Humanoid Robotics 1, 2004; Sardain and Bessonnet, IEEE Trans. Systems, Man and Cybernetics A 34, 2004). Of contacts
    that can only push, on one plane, it lies within their convex hull. The point of a single foot is that of its wrench
    alone.

    The zero-moment point of a motion is that of the wrench that the motion needs, wherever it acts: on a floating base,
    of ``{base: (rne.inverse_dynamics(robot, q, qd, qdd)[..., :6], "local")}`` with the name of the base.

    Parameters
    ----------
    robot : the robot.
    q : (..., nq) positions.
    f_ext : wrenches of the contacts by frame name, as for `inverse_dynamics`.
    normal : (3,) normal of the ground in world axes, of any length; against gravity if None.
    point : (3,) a point of the ground in world axes, m.
    threads : as for `inverse_dynamics`.

    Returns
    -------
    p : (..., 3) in world axes, m; in base axes if the base is fixed. NaN where no force acts along the normal.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value, or `normal` is needed, because the robot has no gravity.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> push = {"link1": [0, 0, 1.0, 0, 0, 0], "link2": [0, 0, 3.0, 0, 0, 0]}
    >>> rne.zero_moment_point(arm, [0.0, 0.0], push, normal=[0, 0, 1])
    array([1.75, 0.  , 0.  ])
    """
    given = _batch(robot, q, f_ext)
    n = -np.asarray(robot.tree.gravity) if normal is None else numbers("normal", normal, (3,))
    length = np.linalg.norm(n)
    if length == 0:
        missing = "; the robot has no gravity, so the normal of the ground is needed" if normal is None else ""
        raise ArgumentError(f"normal: wanted a vector that is not zero, got {shown(normal)}{missing}")
    o = numbers("point", point, (3,))
    w = _total(robot, widened(given), f_ext, o, threads)
    n = n / length
    push = w[:, :3] @ n
    along = np.cross(n, w[:, 3:]) / np.where(push == 0, np.nan, push)[:, None]
    return shaped(o + along, given)


def _batch(robot: Robot, q: ArrayLike, f_ext: Mapping[str, Any]) -> Batch:
    if f_ext is None:
        raise ArgumentError("f_ext: wanted a mapping from frame name to wrench, got NoneType")
    return settle(robot, {"q": q}, f_ext, floating=True)


def _total(robot: Robot, batch: Batch, f_ext: Mapping[str, Any], about: Floats, threads: int | None) -> Floats:
    """Return total force and moment (samples, 6) about points (samples, 3) or one, in float64."""
    total = np.zeros((batch.samples, 6))
    for (name, value), argument in zip(f_ext.items(), batch.wrenches, strict=True):
        T, w = forward_kinematics(robot, batch.rows["q"], name, threads=threads), batch.rows[argument]
        if with_axes(value)[1] == "local":
            w = rotated(T[:, :3, :3], w)
        force, moment = w[:, :3], w[:, 3:]
        total[:, :3] += force
        total[:, 3:] += moment + np.cross(T[:, :3, 3] - about, force)
    return total
