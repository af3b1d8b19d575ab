"""Forward dynamics, the motion that follows from torques: the public function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy import empty
from numpy.typing import ArrayLike

from rne.batch.arguments import (
    Batch,
    Floats,
    as_loads,
    as_result,
    as_table,
    check_robot,
    finish,
    settle,
)
from rne.batch.quick import UNFIT, Algorithm, Marks, alone, quick, torque_of
from rne.batch.threads import launch
from rne.dynamics.inverse_dynamics import torque_of_wrenches
from rne.dynamics.mass_matrix import correct, refuse_singular
from rne.errors import ArgumentError
from rne.kernels.entries import FORWARD_DYNAMICS, FORWARD_DYNAMICS_ONE
from rne.kernels.layout import SPRINGS
from rne.model.robot import Robot

_METHODS = ("auto", "aba", "crba")
_ALGORITHMS = {
    method: Algorithm(FORWARD_DYNAMICS_ONE[method], FORWARD_DYNAMICS[method], states=3, gravity=True)
    for method in FORWARD_DYNAMICS
}


def forward_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
    friction: bool = False,
    method: str = "auto",
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Accelerations that torques give the robot: qdd = M^-1 (tau + J^T w - C qd - g - springs - friction).

    Articulated-body algorithm (Featherstone 2008, chapter 7), or the composite-rigid-body algorithm and a factorized
    mass matrix (chapter 6). Reflected rotor inertia and the springs of the joints are part of the robot; friction is
    taken off on request.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    qd, tau : (..., n) velocities and torques (N m or N); zero if None. Leading axes broadcast against each other.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.
    f_ext : wrenches acting on the robot, by frame name: (..., 6) [fx, fy, fz, mx, my, mz] (N, N m) at the origin of the
        frame in world axes, or a pair ``(wrench, "local")`` of it in the frame's own axes.
    friction : whether viscous and Coulomb friction of the joints act against the motion.
    method : "aba", "crba", or "auto", which takes the faster one. Joints that mimic others need the mass matrix:
        for such robots all three mean "crba".
    out : array to fill and return; its type and shape must be those of the result.
    threads : how many threads share a batch; by default as many as it is worth (see ``RNE_NUM_THREADS``).

    Returns
    -------
    qdd : (..., n) rad/s^2 or m/s^2; float32 if all arrays came in float32, or else float64. A sample with NaN or
        infinity gives NaN or infinity there and touches no other.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.
    UnknownNameError
        `f_ext` names a frame the robot does not have.
    SingularError
        Some motion of the joints moves no mass: a pivot of the mass matrix is below 1e-12 of the diagonal entry it
        started from, or below 1e-15 of the inertia that the joint can feel at most. Names a joint, and the
        first such sample of a batch. What float32 cannot tell from that is calculated in float64; if it then fits no
        float32, that is an error, too.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> tau = rne.inverse_dynamics(arm, [0.1, 0.5], [1.0, 0.0], [2.0, 3.0])
    >>> rne.forward_dynamics(arm, [0.1, 0.5], [1.0, 0.0], tau).round(9)
    array([2., 3.])
    """
    loads = SPRINGS if friction is False else as_loads(friction)
    try:
        qdd = _quick(robot, q, qd, tau, gravity, f_ext, loads, method, out, threads)
        if qdd is not None:
            return qdd
    except UNFIT:
        pass
    return _forward_dynamics(robot, {"q": q, "qd": qd, "tau": tau}, gravity, f_ext, loads, method, out, threads)


def _quick(
    robot: Robot,
    q: Any,
    qd: Any,
    tau: Any,
    gravity: Any,
    f_ext: Mapping[str, Any] | None,
    loads: int,
    method: str,
    out: Floats | None,
    threads: Any,
) -> Floats | None:
    chosen = "aba" if method == "auto" and robot.n == len(robot.links.joints) else _settle(robot, method)
    if f_ext is not None:
        pushed = torque_of(robot, q, f_ext, threads=threads)
        if pushed is None:
            return None
        if tau is not None:
            tau = np.asarray(tau) if type(tau) is list or type(tau) is tuple else tau
            if tau.dtype != pushed.dtype or tau.shape != pushed.shape or type(tau) is not np.ndarray:
                return None
            pushed += tau
        tau = pushed
    qdd: Floats | None = None
    if threads is None or alone(threads):
        one = FORWARD_DYNAMICS_ONE[chosen]["float64"]
        if robot._own is not None:
            one = robot._own.get((one, (loads,)), one)
        qdd = one.call(robot._card, q, qd, tau, gravity, out, loads)
    if qdd is None:
        marks, tail = Marks(), (robot.n,)
        given, flags = (q, qd, tau), (loads,)
        qdd = quick(_ALGORITHMS[chosen], robot, given, tail, out, threads, gravity, (), flags, marks.make)
        if marks.any():
            return None
    return qdd


def _forward_dynamics(
    robot: Robot,
    state: dict[str, ArrayLike | None],
    gravity: ArrayLike | None,
    f_ext: Mapping[str, Any] | None,
    loads: int,
    method: str,
    out: Floats | None,
    threads: int | None,
) -> Floats:
    check_robot(robot)
    method = _settle(robot, method)
    batch = settle(robot, state, f_ext)
    result = as_result(out, (*batch.shape, robot.n), batch)
    table = as_table(robot, batch.dtype, gravity)
    if batch.wrenches:
        total = empty((batch.samples, robot.n), batch.dtype)
        torque_of_wrenches(robot, batch, total, threads)
        total += batch.rows["tau"]
        batch = batch._replace(rows={**batch.rows, "tau": total})
    marks = np.zeros(batch.samples, np.uint8)
    entry = FORWARD_DYNAMICS[method][batch.dtype]
    launch(entry, robot, batch, ("q", "qd", "tau"), result, threads, table, loads, marks)
    suspects = refuse_singular(robot, batch, marks)
    if suspects.size:
        # The matrix was found sound, so its factors are; articulated inertias lose more on the way, up to all of it.
        rows = {name: batch.rows[name][suspects].astype(np.float64) for name in ("q", "qd", "tau")}
        again, exact = Batch(suspects.shape, "float64", rows), empty((suspects.size, robot.n))
        entry, table = FORWARD_DYNAMICS["crba"]["float64"], as_table(robot, "float64", gravity)
        launch(entry, robot, again, ("q", "qd", "tau"), exact, threads, table, loads, np.zeros(suspects.size, np.uint8))
        correct(result, suspects, exact, batch)
    return finish(result, out)


def _settle(robot: Robot, method: str) -> str:
    """Return "aba" or "crba".

    Measured on chains of revolute joints, ns a sample of a batch, articulated bodies against mass matrix: 11.2 and 11.5
    for 2 joints, 37 and 44 for 6, 44 and 54 for 7, 77 and 121 for 12, 107 and 200 for 16, 348 and 2200 for 40; single
    calls 320 and 306 for 2, 365 and 356 for 3, 550 and 600 for 7. There is no size worth a second algorithm.
    """
    if not isinstance(method, str) or method not in _METHODS:
        raise ArgumentError(f"method: wanted one of {', '.join(map(repr, _METHODS))}, got {method!r}")
    mimics = robot.n < len(robot.links.joints)
    return "crba" if mimics or method == "crba" else "aba"
