"""Poses and Jacobians of frames and points of a robot."""

from __future__ import annotations

from typing import Any, overload

from numpy.typing import ArrayLike

from rne.batch.arguments import (
    Floats,
    as_frame,
    as_result,
    as_site,
    as_table,
    check_robot,
    finish,
    read_only,
    settle,
)
from rne.batch.quick import UNFIT, Algorithm, alone, quick
from rne.batch.threads import launch
from rne.errors import ArgumentError
from rne.kernels.entries import JACOBIAN, JACOBIAN_ONE, POSES, POSES_ONE
from rne.model.frames import sites_of
from rne.model.robot import Robot

_POSES, _pose_one = Algorithm(POSES_ONE, POSES, floating=True), POSES_ONE["float64"]
_JACOBIAN, _jacobian_one = Algorithm(JACOBIAN_ONE, JACOBIAN, floating=True), JACOBIAN_ONE["float64"]


@overload
def forward_kinematics(
    robot: Robot, q: ArrayLike, frames: str, *, out: Floats | None = None, threads: int | None = None
) -> Floats: ...
@overload
def forward_kinematics(
    robot: Robot,
    q: ArrayLike,
    frames: list[str] | tuple[str, ...] | None = None,
    *,
    out: Floats | None = None,
    threads: int | None = None,
) -> dict[str, Floats]: ...
def forward_kinematics(
    robot: Robot,
    q: ArrayLike,
    frames: str | list[str] | tuple[str, ...] | None = None,
    *,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats | dict[str, Floats]:
    """Poses of frames, as homogeneous matrices in the frame of the base, or of the world if the base floats.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    frames : name of one frame, or several; all of `robot.frame_names` if None.
    out : array to fill, (..., 4, 4) for one name and (..., frames, 4, 4) for several.
    threads : as for `inverse_dynamics`.

    Returns
    -------
    T : (..., 4, 4) for one name: x_base = T x_frame for points x = (x, y, z, 1), m. For several, a dict by name,
        whose values are views of one array (..., frames, 4, 4).

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.
    UnknownNameError
        The robot does not have the frame.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.forward_kinematics(arm, [0.0, 0.0], "link2")[:3, 3]
    array([2., 0., 0.])
    >>> poses = rne.forward_kinematics(arm, [[0.0, 0.0], [0.1, 0.2]], ["link1", "link2"])
    >>> poses["link1"].shape
    (2, 4, 4)
    """
    if type(frames) is str:
        try:
            site = robot.links.frames[frames].sites["world"]
            T: Floats | None = None
            if threads is None or alone(threads):
                T = _pose_one.call(robot._card, q, out, site)
            if T is None:
                T = quick(_POSES, robot, (q,), (4, 4), out, threads, places=(site,))
            if T is not None:
                return T
        except UNFIT:
            pass
    check_robot(robot, floating=True)
    names = frames_named(robot, frames)
    sites = sites_of([robot.links.frames[name] for name in names], "world")
    batch = settle(robot, {"q": q}, floating=True)
    shape = (*batch.shape, 4, 4) if isinstance(frames, str) else (*batch.shape, len(names), 4, 4)
    result = as_result(out, shape, batch)
    sites = read_only(sites.astype(batch.dtype))
    launch(POSES[batch.dtype], robot, batch, ("q",), result, threads, as_table(robot, batch.dtype), sites)
    result = finish(result, out)
    return result if isinstance(frames, str) else {name: result[..., k, :, :] for k, name in enumerate(names)}


def frames_named(robot: Robot, frames: object) -> list[str]:
    """Return the names of one frame, of several, or of all if None.

    Raises
    ------
    UnknownNameError, ArgumentError
        One is no frame of the robot, or `frames` is something else.
    """
    names = [frames] if isinstance(frames, str) else robot.frame_names if frames is None else frames
    if not isinstance(names, (list, tuple)):
        raise ArgumentError(f"frames: wanted the name of a frame or a list of names, got {type(frames).__name__}")
    for name in names:
        as_frame(robot, name, "frames")
    return list(names)


@overload
def jacobian(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    *,
    axes: str = "world",
    point: ArrayLike | None = None,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats: ...
@overload
def jacobian(
    robot: Robot,
    q: ArrayLike,
    frame: list[str] | tuple[str, ...],
    *,
    axes: str = "world",
    point: ArrayLike | None = None,
    out: Floats | None = None,
    threads: int | None = None,
) -> dict[str, Floats]: ...
def jacobian(
    robot: Robot,
    q: ArrayLike,
    frame: str | list[str] | tuple[str, ...],
    *,
    axes: str = "world",
    point: ArrayLike | None = None,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats | dict[str, Floats]:
    """Geometric Jacobian of a frame: J qd is the velocity of its origin and its angular velocity.

    Whitney 1972. The rows are in the order of wrenches, so tau = J^T w balances a wrench w at the same point.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m.
    frame : name of the frame, or several in a list.
    axes : "world" for base axes, or those of the world if the base floats; "local" for the axes of the frame.
    point : (3,) a point of the link in the frame, m; the origin of the frame if None.
    out, threads : as for `forward_kinematics`, which lists the errors; (..., frames, 6, n) for several frames.

    Returns
    -------
    J : (..., 6, n) three linear rows, then three angular ones: m or rad for each rad or m. For several frames, a dict
        by name, whose values are views of one array. A floating base has the first six columns.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.jacobian(arm, [0.0, 0.0], "link2")[[0, 1, 5]]
    array([[0., 0.],
           [2., 1.],
           [1., 1.]])
    """
    try:
        name: Any = frame  # several names are no key
        site = robot.links.frames[name].sites[axes] if point is None else as_site(robot, name, axes, point)
        J: Floats | None = None
        if threads is None or alone(threads):
            J = _jacobian_one.call(robot._card, q, out, site)
        if J is None:
            J = quick(_JACOBIAN, robot, (q,), (6, robot.n), out, threads, places=(site,))
        if J is not None:
            return J
    except UNFIT:
        pass
    check_robot(robot, floating=True)
    if isinstance(frame, list | tuple):
        return _jacobians(robot, q, tuple(frame), axes, point, out, threads)
    site = as_site(robot, frame, axes, point)
    batch = settle(robot, {"q": q}, floating=True)
    result = as_result(out, (*batch.shape, 6, robot.n), batch)
    site = read_only(site.astype(batch.dtype))
    launch(JACOBIAN[batch.dtype], robot, batch, ("q",), result, threads, as_table(robot, batch.dtype), site)
    return finish(result, out)


def _jacobians(
    robot: Robot,
    q: ArrayLike,
    frames: tuple[str, ...],
    axes: str,
    point: ArrayLike | None,
    out: Floats | None,
    threads: int | None,
) -> dict[str, Floats]:
    for name in frames:
        as_site(robot, name, axes, point)
    batch = settle(robot, {"q": q}, floating=True)
    result = as_result(out, (*batch.shape, len(frames), 6, robot.n), batch)
    for k, name in enumerate(frames):
        result[..., k, :, :] = jacobian(robot, q, name, axes=axes, point=point, threads=threads)
    result = finish(result, out)
    return {name: result[..., k, :, :] for k, name in enumerate(frames)}
