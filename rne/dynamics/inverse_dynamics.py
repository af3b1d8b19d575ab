"""Joint torques of a motion: the public functions, which check arguments and dispatch to one state or a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy import empty, zeros
from numpy.typing import ArrayLike

from rne.batch.arguments import (
    Batch,
    Floats,
    as_loads,
    as_result,
    as_table,
    finish,
    read_only,
    settle,
)
from rne.batch.quick import UNFIT, Algorithm, alike, alone, quick, torque_of
from rne.batch.threads import launch
from rne.kernels.entries import (
    FRICTION,
    FRICTION_ONE,
    GRAVITY,
    GRAVITY_ONE,
    INVERSE_DYNAMICS,
    INVERSE_DYNAMICS_ONE,
    STATIC_TORQUE,
)
from rne.kernels.layout import SPRINGS
from rne.model.robot import Robot

_INVERSE_DYNAMICS = Algorithm(INVERSE_DYNAMICS_ONE, INVERSE_DYNAMICS, states=3, gravity=True, floating=True)
_GRAVITY = Algorithm(GRAVITY_ONE, GRAVITY, gravity=True, floating=True)
_FRICTION = Algorithm(FRICTION_ONE, FRICTION, positions=False, floating=True)
_one = INVERSE_DYNAMICS_ONE["float64"]
_gravity_one, _friction_one = GRAVITY_ONE["float64"], FRICTION_ONE["float64"]
_WEIGHTLESS = read_only(zeros(3))


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
    """Joint torques for a given motion: tau = M qdd + C qd + g + springs + friction - J^T w.

    Recursive Newton-Euler algorithm (Luh, Walker, Paul 1980). Reflected rotor inertia and springs, of single joints
    and between them, are part of the robot; friction is added on request.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    qd, qdd : (..., n) velocities and accelerations; zero if None. Leading axes broadcast against each other.
    gravity : (3,) acceleration of free fall in base axes, in world axes if the base floats, m/s^2; that of the robot if
        None.
    f_ext : wrenches acting on the robot, by frame name: (..., 6) [fx, fy, fz, mx, my, mz] (N, N m) at the origin of the
        frame in world axes, or a pair ``(wrench, "local")`` in the frame's own axes.
    friction : whether to add friction of the joints, see `Drive`, and the dampers between them.
    out : array to fill and return; it must have dtype and shape of the result.
    threads : number of threads for a batch; chosen by its size if None (see ``RNE_NUM_THREADS``).

    Returns
    -------
    tau : (..., n) N m or N; float32 if all arrays are float32, otherwise float64. NaN or infinity in a sample does not
        affect other samples.

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
    loads = SPRINGS if friction is False else as_loads(friction)
    if f_ext is None:  # otherwise the torque of the wrenches comes first, because `out` may be one of them
        try:
            tau: Floats | None = None
            if threads is None or alone(threads):
                one = _one if robot._own is None else robot._own.get((_one, (loads,)), _one)
                tau = one.call(robot._card, q, qd, qdd, gravity, out, loads)
            if tau is not None:
                return tau
        except UNFIT:
            pass
    return _inverse_dynamics(robot, (q, qd, qdd), gravity, f_ext, loads, out, threads)


def _inverse_dynamics(
    robot: Robot,
    state: tuple[ArrayLike, ArrayLike | None, ArrayLike | None],
    gravity: ArrayLike | None,
    f_ext: Mapping[str, Any] | None,
    loads: int,
    out: Floats | None,
    threads: int | None,
) -> Floats:
    """Inverse dynamics for all calls that the compiled function for one state refused."""
    if type(f_ext) is dict and not f_ext:
        f_ext = None
    try:
        pushed = torque_of(robot, state[0], f_ext, threads=threads) if f_ext else None
        if f_ext is None or pushed is not None:
            tau: Floats | None = None
            if pushed is not None and pushed.ndim == 1 and (threads is None or alone(threads)):
                one = _one if robot._own is None else robot._own.get((_one, (loads,)), _one)
                tau = one.call(robot._card, *state, gravity, out, loads)
            if tau is None:
                tau = quick(_INVERSE_DYNAMICS, robot, state, (robot.n,), out, threads, gravity, flags=(loads,))
            if tau is not None and f_ext is None:
                return tau
            if tau is not None and pushed is not None and alike(tau, pushed):
                tau -= pushed
                return tau
    except UNFIT:
        pass
    batch = settle(robot, dict(zip(("q", "qd", "qdd"), state, strict=True)), f_ext, floating=True)
    result = as_result(out, (*batch.shape, robot.n), batch)
    table = as_table(robot, batch.dtype, gravity)
    launch(INVERSE_DYNAMICS[batch.dtype], robot, batch, ("q", "qd", "qdd"), result, threads, table, loads)
    if batch.wrenches:
        torque = empty(result.shape, batch.dtype)
        torque_of_wrenches(robot, batch, torque, threads)
        result -= torque
    return finish(result, out)


def torque_of_wrenches(robot: Robot, batch: Batch, result: Floats, threads: int | None) -> None:
    """Fill `result` with J^T w of the wrenches of the batch."""
    joined = batch.with_joined("wrenches", batch.wrenches)
    table, sites = as_table(robot, batch.dtype), read_only(batch.sites.astype(batch.dtype))
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
    gravity, out, threads : as for `inverse_dynamics`, which lists the errors.

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
    try:
        g: Floats | None = None
        if threads is None or alone(threads):
            one = _gravity_one if robot._own is None else robot._own.get((_gravity_one, ()), _gravity_one)
            g = one.call(robot._card, q, gravity, out)
        if g is None:
            g = quick(_GRAVITY, robot, (q,), (robot.n,), out, threads, gravity)
        if g is not None:
            return g
    except UNFIT:
        pass
    batch = settle(robot, {"q": q}, floating=True)
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
    gravity, out, threads : as for `inverse_dynamics`, which lists the errors.

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
    try:
        bias: Floats | None = None
        if threads is None or alone(threads):
            bias = _one.call(robot._card, q, qd, None, gravity, out, 0)
        if bias is not None:
            return bias
    except UNFIT:
        pass
    return _inverse_dynamics(robot, (q, qd, None), gravity, None, 0, out, threads)


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
    out, threads : as for `inverse_dynamics`, which lists the errors.

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
    try:
        c: Floats | None = None
        if threads is None or alone(threads):
            c = _one.call(robot._card, q, qd, None, _WEIGHTLESS, out, 0)
        if c is not None:
            return c
    except UNFIT:
        pass
    return _inverse_dynamics(robot, (q, qd, None), _WEIGHTLESS, None, 0, out, threads)


def friction_torque(robot: Robot, qd: ArrayLike, *, out: Floats | None = None, threads: int | None = None) -> Floats:
    """Torques that overcome friction of the joints, see `Drive`, and dampers between them; at rest offsets only.

    Parameters
    ----------
    robot : the robot.
    qd : (..., n) velocities, rad/s or m/s.
    out, threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    tau : (..., n) N m or N.

    Examples
    --------
    >>> import rne
    >>> row = {"joint": "revolute", "a": 0.1, "mass": 1.0, "viscous": 0.5, "coulomb": [0.2, -0.3]}
    >>> wheel = rne.from_dh([row], convention="standard")
    >>> rne.friction_torque(wheel, [[2.0], [0.0], [-2.0]]).ravel()
    array([ 1.2,  0. , -1.3])
    """
    try:
        tau: Floats | None = None
        if threads is None or alone(threads):
            tau = _friction_one.call(robot._card, qd, out)
        if tau is None:
            tau = quick(_FRICTION, robot, (qd,), (robot.n,), out, threads)
        if tau is not None:
            return tau
    except UNFIT:
        pass
    batch = settle(robot, {"qd": qd}, floating=True)
    result = as_result(out, (*batch.shape, robot.n), batch)
    launch(FRICTION[batch.dtype], robot, batch, ("qd",), result, threads, as_table(robot, batch.dtype))
    return finish(result, out)
