"""Joint torques of a motion: the public functions. They check, dispatch to one state or a batch, and return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy import empty, ndarray
from numpy.typing import ArrayLike

from rne.batch.arguments import (
    F8,
    Batch,
    Floats,
    as_batch,
    as_loads,
    as_result,
    as_table,
    as_wrenches,
    check_robot,
    finish,
    read_only,
)
from rne.batch.threads import launch, thread_count
from rne.kernels.entries import (
    FRICTION,
    GRAVITY,
    GRAVITY_ONE,
    INVERSE_DYNAMICS,
    INVERSE_DYNAMICS_FEW,
    INVERSE_DYNAMICS_ONE,
    STATIC_TORQUE,
)
from rne.kernels.jit import REFUSED
from rne.kernels.layout import SPRINGS
from rne.model.robot import Robot

_one = INVERSE_DYNAMICS_ONE["float64"]
_few = INVERSE_DYNAMICS_FEW
_gravity_one = GRAVITY_ONE["float64"]


def inverse_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
    friction: bool = False,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Torques that make the robot move as given: tau = M qdd + C qd + g + springs + friction - J^T w.

    Recursive Newton-Euler algorithm (Luh, Walker, Paul 1980). Reflected rotor inertia and springs, of single joints
    and between them, are part of the robot; friction is added on request.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    qd, qdd : (..., n) velocities and accelerations; zero if None. Leading axes broadcast against each other.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.
    f_ext : wrenches acting on the robot, by frame name: (..., 6) [fx, fy, fz, mx, my, mz] (N, N m) at the origin of the
        frame in world axes, or a pair ``(wrench, "local")`` of it in the frame's own axes.
    friction : whether to add viscous and Coulomb friction of the joints, and the dampers between them.
    out : array to fill and return; its type and shape must be those of the result.
    threads : how many threads share a batch; by default as many as it is worth (see ``RNE_NUM_THREADS``).

    Returns
    -------
    tau : (..., n) N m or N; float32 if all arrays came in float32, or else float64. A sample with NaN or infinity gives
        NaN or infinity there and touches no other.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.
    UnknownNameError
        `f_ext` names a frame the robot does not have.

    Examples
    --------
    >>> import rne
    >>> panda = rne.load("models/panda/robot.urdf", lock={"panda_finger_joint1": 0.0})
    >>> q = [0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8]
    >>> rne.inverse_dynamics(panda, q, qdd=[0.1] * 7).shape
    (7,)
    >>> rne.inverse_dynamics(panda, [q, q, q]).shape
    (3, 7)
    """
    # One state or a small batch: the compiled functions take only what fits, and refuse all else before they start.
    # Plain arrays of doubles only: they would take masked ones, and numbers of foreign byte order. That costs 80 ns;
    # `is None` written out saves 25 against a chain of `is`.
    if (
        gravity is None and f_ext is None and out is None and threads is None
        and type(q) is type(qd) is type(qdd) is ndarray and q.dtype is F8 and qd.dtype is F8 and qdd.dtype is F8
    ):  # fmt: skip
        loads = SPRINGS if friction is False else as_loads(friction)
        try:
            if q.ndim == 1:
                tau = empty(robot.n)
                if _one.call(robot._address, q, qd, qdd, tau, loads) == 0:
                    return tau
            else:
                tau = empty(q.shape)
                if _few.call(robot._address, q, qd, qdd, tau, loads) == 0:
                    return tau
        except REFUSED:
            pass
    return _inverse_dynamics(robot, {"q": q, "qd": qd, "qdd": qdd}, gravity, f_ext, as_loads(friction), out, threads)


def _inverse_dynamics(
    robot: Robot,
    state: dict[str, ArrayLike | None],
    gravity: ArrayLike | None,
    f_ext: Mapping[str, Any] | None,
    loads: int,
    out: Floats | None,
    threads: int | None,
) -> Floats:
    check_robot(robot)
    sites, wrenches = as_wrenches(robot, f_ext) if f_ext is not None else (None, {})
    batch = as_batch(robot, {**state, **wrenches}, required="q", widths=dict.fromkeys(wrenches, 6))
    result = as_result(out, (*batch.shape, robot.n), batch)
    table = as_table(robot, batch.dtype, gravity)
    if batch.shape == () and not wrenches:
        thread_count(threads, 1, robot.n)  # refuses what is no number of threads
        q, qd, qdd = (batch.rows[name][0].copy() for name in ("q", "qd", "qdd"))
        INVERSE_DYNAMICS_ONE[batch.dtype].call(table.ctypes.data, q, qd, qdd, result, loads)
        return finish(result, out)
    launch(INVERSE_DYNAMICS[batch.dtype], robot, batch, ("q", "qd", "qdd"), result, threads, table, loads)
    if sites is not None and wrenches:
        torque = empty(result.shape, batch.dtype)
        torque_of_wrenches(robot, batch, sites, tuple(wrenches), torque, threads)
        result -= torque
    return finish(result, out)


def torque_of_wrenches(
    robot: Robot, batch: Batch, sites: Floats, names: tuple[str, ...], result: Floats, threads: int | None
) -> None:
    """Fill `result` with J^T w; the wrenches stand under `names` in the batch, and act at `sites`."""
    joined = batch.with_joined("wrenches", names)
    table, sites = as_table(robot, batch.dtype), read_only(sites.astype(batch.dtype))
    launch(STATIC_TORQUE[batch.dtype], robot, joined, ("q", "wrenches"), result, threads, table, sites)


def gravity_vector(
    robot: Robot,
    q: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Torques that hold the robot still against gravity: g(q), on the left-hand side of M qdd + C qd + g = tau.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m.
    gravity, out, threads : as for `inverse_dynamics`, which also tells the errors.

    Returns
    -------
    g : (..., n) N m or N.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.gravity_vector(arm, [0.0, 0.0]).shape
    (2,)
    """
    if type(q) is ndarray and q.ndim == 1 and q.dtype is F8 and gravity is None and out is None and threads is None:
        try:
            g = empty(robot.n)
            if _gravity_one.call(robot._address, q, g) == 0:
                return g
        except REFUSED:
            pass
    check_robot(robot)
    batch = as_batch(robot, {"q": q}, required="q")
    result = as_result(out, (*batch.shape, robot.n), batch)
    table = as_table(robot, batch.dtype, gravity)
    launch(GRAVITY[batch.dtype], robot, batch, ("q",), result, threads, table)
    return finish(result, out)


def bias_vector(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Torques of a motion without acceleration: C(q, qd) qd + g(q).

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities.
    gravity, out, threads : as for `inverse_dynamics`, which also tells the errors.

    Returns
    -------
    bias : (..., n) N m or N.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.bias_vector(arm, [0.0, 0.5], [1.0, 0.0]).shape
    (2,)
    """
    return _inverse_dynamics(robot, {"q": q, "qd": qd, "qdd": None}, gravity, None, 0, out, threads)


def coriolis_vector(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Coriolis and centripetal torques: C(q, qd) qd.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities.
    out, threads : as for `inverse_dynamics`, which also tells the errors.

    Returns
    -------
    c : (..., n) N m or N.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.coriolis_vector(arm, [0.3, 0.0], [1.0, 1.0]).round(6) + 0.0
    array([0., 0.])
    """
    return _inverse_dynamics(robot, {"q": q, "qd": qd, "qdd": None}, (0.0, 0.0, 0.0), None, 0, out, threads)


def friction_torque(robot: Robot, qd: ArrayLike, *, out: Floats | None = None, threads: int | None = None) -> Floats:
    """Torques that overcome friction, viscous and Coulomb, and the dampers between joints; zero at rest.

    Parameters
    ----------
    robot : the robot.
    qd : (..., n) velocities, rad/s or m/s.
    out, threads : as for `inverse_dynamics`, which also tells the errors.

    Returns
    -------
    tau : (..., n) N m or N; the power qd . tau is never negative.

    Examples
    --------
    >>> import rne
    >>> row = {"joint": "revolute", "a": 0.1, "mass": 1.0, "viscous": 0.5, "coulomb": [0.2, -0.3]}
    >>> wheel = rne.from_dh([row], convention="standard")
    >>> rne.friction_torque(wheel, [[2.0], [0.0], [-2.0]]).ravel()
    array([ 1.2,  0. , -1.3])
    """
    check_robot(robot)
    batch = as_batch(robot, {"qd": qd}, required="qd")
    result = as_result(out, (*batch.shape, robot.n), batch)
    launch(FRICTION[batch.dtype], robot, batch, ("qd",), result, threads, as_table(robot, batch.dtype))
    return finish(result, out)
