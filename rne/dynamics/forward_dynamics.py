"""Forward dynamics, the motion that follows from torques: the public function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy import empty
from numpy.typing import ArrayLike, NDArray

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
from rne.check import check_choice
from rne.dynamics.inverse_dynamics import inverse_dynamics, torque_of_wrenches
from rne.dynamics.mass_matrix import sorted_out
from rne.dynamics.singular import SINGULAR_CHOICES, correct, pseudo_inverse
from rne.dynamics.stiction import accelerations, rough_of
from rne.errors import ArgumentError
from rne.kernels.entries import FORWARD_DYNAMICS, FORWARD_DYNAMICS_ONE
from rne.kernels.jit import Entry
from rne.kernels.layout import FRICTION, SPRINGS
from rne.model.robot import Robot

_METHODS = ("auto", "aba", "crba")
_one = FORWARD_DYNAMICS_ONE["aba"]["float64"]
_ALGORITHMS = {
    method: Algorithm(FORWARD_DYNAMICS_ONE[method], FORWARD_DYNAMICS[method], states=3, gravity=True, floating=True)
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
    singular: str = "raise",
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Accelerations of the robot under torques: qdd = M^-1 (tau + J^T w - C qd - g - springs - friction).

    Articulated-body algorithm (Featherstone 2008, chapter 7), or the composite-rigid-body algorithm and a factorized
    mass matrix (chapter 6). Reflected rotor inertia and the springs of the joints are part of the robot; friction is
    subtracted on request.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    qd, tau : (..., n) velocities and torques (N m or N); zero if None. Leading axes broadcast against each other.
    gravity, f_ext, out, threads : as for `inverse_dynamics`.
    friction : whether viscous and Coulomb friction of the joints act against the motion. A joint at rest (qd = 0)
        that Coulomb friction can hold does not accelerate; which joints those are is found for all of them together.
    method : "aba", "crba", or "auto", which takes the faster one. Joints that mimic others need the mass matrix:
        for such robots all three mean "crba".
    singular : what to return where the mass matrix is singular: "raise" an error, "nan", or "least_squares", the
        smallest accelerations that come closest to the equations of motion; joints that move no mass do not accelerate.

    Returns
    -------
    qdd : (..., n) rad/s^2 or m/s^2; float32 if all arrays are float32, otherwise float64. NaN or infinity in a sample
        does not affect other samples.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.
    UnknownNameError
        `f_ext` names a frame the robot does not have.
    SingularError
        The mass matrix is singular: a pivot is below 1e-12 of the diagonal entry it started from, or below 1e-15 of
        the largest possible inertia at the joint. The message names the joint, and of a batch the first such sample
        and their number. Doubtful samples in float32 are calculated in float64; an overflow of float32 is then an
        error, too.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> tau = rne.inverse_dynamics(arm, [0.1, 0.5], [1.0, 0.0], [2.0, 3.0])
    >>> rne.forward_dynamics(arm, [0.1, 0.5], [1.0, 0.0], tau).round(9)
    array([2., 3.])
    """
    loads = SPRINGS if friction is False else as_loads(friction)
    if singular != "raise":
        check_choice("singular", singular, SINGULAR_CHOICES)
    try:
        if loads == SPRINGS and f_ext is None and method == "auto" and (threads is None or alone(threads)):
            one = _one if robot._own is None else robot._own.get((_one, (loads,)), _one)
            qdd: Floats | None = one.call(robot._card, q, qd, tau, gravity, out, loads)
            if qdd is not None:
                return qdd
        if out is not None and loads != SPRINGS and robot.links.sticking is not None:
            q, qd, tau = (_kept(x, out) for x in (q, qd, tau))
        qdd = _quick(robot, q, qd, tau, gravity, f_ext, loads, method, out, threads)
        if qdd is not None and loads == SPRINGS:
            return qdd
    except UNFIT:
        qdd = None
    given: dict[str, ArrayLike | None] = {"q": q, "qd": qd, "tau": tau}
    if qdd is None:
        qdd = _forward_dynamics(robot, given, gravity, f_ext, loads, method, singular, out, threads)
    if loads != SPRINGS and robot.links.sticking is not None:
        _hold(robot, given, gravity, f_ext, qdd, threads)
    return qdd


def _kept(x: Any, out: Floats) -> Any:
    """Return an argument, or a copy if it would be overwritten before friction at rest is considered."""
    return x.copy() if isinstance(x, np.ndarray) and isinstance(out, np.ndarray) and np.may_share_memory(x, out) else x


def _hold(
    robot: Robot,
    state: dict[str, ArrayLike | None],
    gravity: ArrayLike | None,
    f_ext: Mapping[str, Any] | None,
    qdd: Floats,
    threads: int | None,
) -> None:
    """Replace the accelerations of states in which dry friction may hold a joint at rest."""
    qd = state["qd"]
    if type(qd) is np.ndarray and qd.all():
        return
    shape, rows = _rows_of(robot, state, f_ext, threads)
    found = np.flatnonzero((rows[1] == 0)[:, robot.links.sticking].any(axis=1))
    if found.size:
        rows = [part[found].astype(np.float64) for part in rows]
        table = as_table(robot, "float64", gravity)
        rough = rough_of(robot)
        assert rough is not None
        held, _, _, marks = accelerations(robot, rough, rows[0], rows[1], rows[2], table=table)
        found, held = found[marks == 0], held[marks == 0]
        if not found.size:
            return
        qdd[np.unravel_index(found, shape) if shape else ...] = held if shape else held[0]


def _rows_of(
    robot: Robot, state: dict[str, ArrayLike | None], f_ext: Mapping[str, Any] | None, threads: int | None
) -> tuple[tuple[int, ...], list[Floats]]:
    """Leading axes of a state that is known to fit, and its q, qd and torques, with those of wrenches, by samples."""
    given: list[Any] = list(state.values())
    if not f_ext and all(type(x) is np.ndarray and x.ndim == 1 and x.dtype == np.float64 for x in given):
        return (), [x[None] for x in given]  # as in a loop; the canonical way takes 40 us
    batch = with_pushed_torques(robot, settle(robot, state, f_ext, floating=True), threads)
    return batch.shape, [batch.rows[name] for name in ("q", "qd", "tau")]


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
    chosen = "aba" if method == "auto" and len(robot.joint_names) == len(robot.links.joints) else _settle(robot, method)
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
    singular: str,
    out: Floats | None,
    threads: int | None,
) -> Floats:
    check_robot(robot, floating=True)
    method = _settle(robot, method)
    batch = settle(robot, state, f_ext, floating=True)
    result = as_result(out, (*batch.shape, robot.n), batch)
    table = as_table(robot, batch.dtype, gravity)
    batch = with_pushed_torques(robot, batch, threads)
    marks = np.zeros(batch.samples, np.uint8)
    entry = FORWARD_DYNAMICS[method][batch.dtype]
    launch(entry, robot, batch, ("q", "qd", "tau"), result, threads, table, loads, marks)
    suspects, lost, M = sorted_out(robot, batch, marks, singular)
    if lost.size:
        found: Floats = np.full((lost.size, robot.n), np.nan)
        if singular == "least_squares":
            q, qd, tau = (batch.rows[name][lost].astype(np.float64) for name in ("q", "qd", "tau"))
            needed = inverse_dynamics(robot, q, qd, gravity=gravity, friction=bool(loads & FRICTION))
            found = (pseudo_inverse(M) @ (tau - needed)[..., None])[..., 0]
        result.reshape(batch.samples, robot.n)[lost] = found
    if suspects.size:
        # The matrix was checked, so its factors are accurate; articulated inertias lose more digits, possibly all.
        recalculate(FORWARD_DYNAMICS["crba"]["float64"], robot, batch, suspects, result, gravity, loads, threads)
    return finish(result, out)


def with_pushed_torques(robot: Robot, batch: Batch, threads: int | None) -> Batch:
    """Return a batch whose torques tau include those of its wrenches, J^T w."""
    if not batch.wrenches:
        return batch
    total = empty((batch.samples, robot.n), batch.dtype)
    torque_of_wrenches(robot, batch, total, threads)
    total += batch.rows["tau"]
    return batch._replace(rows={**batch.rows, "tau": total})


def recalculate(
    entry: Entry,
    robot: Robot,
    batch: Batch,
    suspects: NDArray[np.intp],
    result: Floats,
    gravity: ArrayLike | None,
    loads: int,
    threads: int | None,
) -> None:
    """Replace the result of some samples of q, qd and tau by that of an entry in float64."""
    rows = {name: batch.rows[name][suspects].astype(np.float64) for name in ("q", "qd", "tau")}
    again, exact = Batch(suspects.shape, "float64", rows), empty((suspects.size, *result.shape[len(batch.shape) :]))
    table, marks = as_table(robot, "float64", gravity), np.zeros(suspects.size, np.uint8)
    launch(entry, robot, again, ("q", "qd", "tau"), exact, threads, table, loads, marks)
    correct(result, suspects, exact, batch)


def _settle(robot: Robot, method: str) -> str:
    """Return "aba" or "crba".

    Measured on chains of revolute joints, ns per sample of a batch, "aba" and "crba": 11.2 and 11.5 for 2 joints, 37
    and 44 for 6, 44 and 54 for 7, 77 and 121 for 12, 107 and 200 for 16, 348 and 2200 for 40; single calls 320 and 306
    for 2, 365 and 356 for 3, 550 and 600 for 7. So "auto" does not depend on the number of joints.
    """
    if not isinstance(method, str) or method not in _METHODS:
        raise ArgumentError(f"method: wanted one of {', '.join(map(repr, _METHODS))}, got {method!r}")
    mimics = len(robot.joint_names) < len(robot.links.joints)
    return "crba" if mimics or method == "crba" else "aba"
