"""Motion from torques: forward dynamics integrated over time."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import Batch, as_batch, as_loads, as_table, check_robot
from rne.batch.named import as_times, coordinates
from rne.batch.threads import run, thread_count
from rne.check import check_flag
from rne.control import Controller
from rne.dynamics.energy import kinetic_energy, potential_energy
from rne.dynamics.mass_matrix import refuse_singular
from rne.errors import ArgumentError, SingularError
from rne.kernels.entries import (
    CONTROL_ONE,
    CONTROLLED,
    CONTROLLED_ONE,
    FORWARD_DYNAMICS,
    FORWARD_DYNAMICS_POINTER,
    SIMULATE,
    SIMULATE_ONE,
    STILL,
)
from rne.kernels.jit import is_compiled
from rne.kernels.runge_kutta import EULER, RK4
from rne.kernels.simulation import complaint
from rne.model.robot import Robot
from rne.simulation.python_loop import Ask, adaptive, asking, asking_function, telling
from rne.simulation.result import Simulation

Array = NDArray[np.float64]
Function = Callable[..., Any]

_METHODS = {"euler": EULER, "rk4": RK4}


def simulate(
    robot: Robot,
    q0: ArrayLike,
    qd0: ArrayLike | None = None,
    t: ArrayLike = (0.0, 1.0),
    *,
    tau: ArrayLike | Controller | Function | None = None,
    friction: bool = False,
    gravity: ArrayLike | None = None,
    method: str = "rk4",
    step: float | None = None,
    threads: int | None = None,
) -> Simulation:
    """Integrate forward dynamics over time.

    Fixed steps of the classical Runge-Kutta method ("rk4", of fourth order) or of the semi-implicit Euler method
    ("euler", of first order; positions advance with the new velocities, so the energy stays bounded), or adaptive steps
    of DOP853 in scipy with a relative tolerance of 1e-10 ("adaptive"; requires scipy). Sources: Hairer, Nørsett,
    Wanner, "Solving Ordinary Differential Equations I" (1993), sections II.1 and II.5; Hairer, Lubich, Wanner,
    "Geometric Numerical Integration" (2006), section I.1.2.

    Parameters
    ----------
    robot : the robot.
    q0, qd0 : (..., n) initial positions and velocities (zero if None); leading axes are a batch of simulations.
    t : (T,) increasing output times, s; the first is that of the initial state.
    tau : torques, N m or N: None, an array, a controller of `rne.control`, or a function.

        None means no torques. An array is constant, (n,) or (..., 1, n), or held from each time to the next,
        (..., T - 1, n) or (..., T, n); the axis before the last is always time, and leading axes broadcast against
        those of q0 and qd0. Of T rows the last is not used, unless T is 1. An ambiguous array, (B, n) where B
        simulations have B or B + 1 times, is refused: reshape it to (B, 1, n) for one row per simulation or to
        (1, B, n) for one row per time.

        Goals, paths and gains of a controller of `rne.control` broadcast likewise.

        A function compiled by numba is called as ``controller(t, q, qd, tau)`` with arrays (n,) for each simulation, at
        every stage of every step and at the last time; it fills `tau`, which is initially zero, and returns nothing.
        Any other function is called as ``controller(t, q, qd)``, with q and qd of shape (..., n), or (n,) for each
        simulation if adaptive, and returns the torques.
    friction : whether viscous and Coulomb friction of the joints oppose the motion. Coulomb friction jumps where the
        velocity changes sign; a joint that should stick chatters at the scale of a step.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.
    method : "rk4", "euler" or "adaptive".
    step : largest step, s; by default one millisecond, or unlimited for "adaptive". Steps never cross a time of `t`.
    threads : number of threads for a batch; chosen by its size if None (see ``RNE_NUM_THREADS``).

    Returns
    -------
    Simulation
        All arrays are float64. A simulation that starts with NaN is NaN, and does not affect others.

    Raises
    ------
    ArgumentError
        An argument, or the result of a controller, has the wrong shape, type or value; scipy is missing or fails.
    SingularError
        The mass matrix is singular. The message names the time, a joint, and the first such simulation of a batch.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> motion = rne.simulate(arm, [0.5, 0.0], t=np.linspace(0, 1, 1001))
    >>> motion.q.shape
    (1001, 2)
    >>> bool(np.ptp(motion.energy) < 1e-8)
    True
    """
    check_robot(robot)
    if not isinstance(method, str) or method not in ("adaptive", *_METHODS):
        raise ArgumentError(f"method: wanted one of 'rk4', 'euler', 'adaptive', got {method!r}")
    check_flag("friction", friction)
    batch = as_batch(robot, {"q0": q0, "qd0": qd0}, required="q0")
    times, n = as_times("t", t), robot.n
    substeps = _substeps(times, step)
    law = tau if isinstance(tau, Controller) else None
    function: Function | None = tau if law is None and callable(tau) else None
    held = np.zeros(n) if tau is None or law or function else held_torques(robot, tau, len(times), batch.shape)
    try:
        shape = np.broadcast_shapes(batch.shape, law.shape if law else held.shape[:-2])
    except ValueError:
        got = f"a controller of shape {law.shape}" if law else held.shape
        raise ArgumentError(f"tau: {got} does not broadcast against simulations of shape {batch.shape}") from None
    if law and law.robot.joint_names != robot.joint_names:
        names = (", ".join(r.joint_names) for r in (law.robot, robot))
        raise ArgumentError("tau: the controller is for a robot with joints {}; this one has {}".format(*names))
    if is_compiled(function) and (reason := complaint(function)):
        raise ArgumentError(f"tau: a compiled controller is called as controller(t, q, qd, tau); this one: {reason}")
    if gravity is not None:
        robot = robot.with_gravity(gravity)

    samples = math.prod(shape)
    q, qd, torques = np.empty((3, *shape, len(times), n))
    q[..., 0, :], qd[..., 0, :] = (batch.rows[name].reshape(*batch.shape, n) for name in ("q0", "qd0"))
    q_rows, qd_rows, tau_rows = (path.reshape(samples, len(times), n) for path in (q, qd, torques))
    intervals = max(len(times) - 1, 1)  # a single time has no interval, but one row of torques
    held = np.broadcast_to(held, (*shape, intervals, n)).reshape(samples, intervals, n)
    if method == "adaptive":
        ask = _asking_law(law, shape) if law else asking_function(function) if function else None
        adaptive(robot, times, held, ask, n if law else 0, q_rows, qd_rows, tau_rows, friction, step)
    elif function is None or is_compiled(function):
        acting, paths = law or function, (q_rows, qd_rows, tau_rows)
        _compiled(robot, shape, times, substeps, held, acting, paths, method, friction, threads)
    else:
        asking(robot, times, substeps, function, q, qd, torques, method, friction, threads)
    if not function:  # a function may return NaN deliberately
        _refuse_divergence(times, q_rows, qd_rows, tau_rows)
    energy = kinetic_energy(robot, q, qd) + potential_energy(robot, q)
    wanted = [np.broadcast_to(x, q.shape).copy() for x in law.reference(times)[:2]] if law else [None, None]
    return Simulation(robot, times, q, qd, energy, torques, *wanted)


def held_torques(robot: Robot, tau: Any, count: int, batch: tuple[int, ...]) -> Array:
    """Return torques given as numbers as (n,), or as (..., 1, n) or (..., intervals, n) held from time to time.

    Parameters
    ----------
    tau : as in `simulate`.
    count : number of times.
    batch : leading axes of the simulations.

    Raises
    ------
    ArgumentError
        The shape is wrong or ambiguous.
    """
    torques, n = coordinates(robot, "tau", tau).astype(np.float64), robot.n
    if torques.shape == (n,):
        return torques
    *leading, last = torques.shape if torques.ndim else (0,)
    rows = leading[-1] if leading else 0
    a_simulation = last == n and rows > 1 and len(leading) <= len(batch) and _broadcast(tuple(leading), batch)
    if last == n and rows in {1, max(count - 1, 1), count}:
        if a_simulation:
            each, over = (*leading, 1, n), (*[1] * (len(batch) + 1 - len(leading)), *leading, n)
            raise ArgumentError(
                f"tau: shape {torques.shape} is ambiguous: one row for each of {rows} simulations, or for each of "
                f"{count} times; pass tau.reshape{each} for constant torques in each simulation, or "
                f"tau.reshape{over} for torques over time in all simulations"
            )
        return torques[..., : max(count - 1, 1), :]
    wanted = f"({n},)"
    if count > 1:
        wanted += f", (..., {count - 1}, {n}) or (..., {count}, {n}), one row per time,"
    wanted += f" or (..., 1, {n})"
    hint = f"; for one row per simulation pass tau.reshape{(*leading, 1, n)}" if a_simulation else ""
    raise ArgumentError(f"tau: wanted a controller, a function or shape {wanted}, got {torques.shape}{hint}")


def _broadcast(shape: tuple[int, ...], batch: tuple[int, ...]) -> bool:
    """Whether rows of a shape could belong to the simulations of a batch, one each."""
    return all(a in (1, b) for a, b in zip(shape[::-1], batch[::-1], strict=False)) and shape[-1] == batch[-1]


# Far below the periods of the motions of an arm, so that widely spaced times do not silently become long steps.
_STEP = 1e-3


def _substeps(times: Array, step: float | None) -> NDArray[np.intp]:
    spans = np.diff(times)
    if step is None:
        step = _STEP
    if not isinstance(step, int | float | np.number) or isinstance(step, bool) or not step > 0:
        raise ArgumentError(f"step: wanted a positive time in s, got {step!r}")
    counts = np.ceil(spans / step * (1 - 1e-12))  # a span of three steps and some rounding is three steps
    if (counts > 2.0**53).any():
        raise ArgumentError(f"step: {step!r} s is below the rounding of t; wanted a longer step")
    return np.maximum(counts, 1).astype(np.intp)


def _refuse_divergence(times: Array, q: Array, qd: Array, tau: Array) -> None:
    """Refuse simulations that start finite and do not stay so, unless the given torques were not finite."""
    finite = np.isfinite(np.concatenate([q, qd], axis=-1)).all(axis=-1)
    for sample in np.flatnonzero(finite[:, 0] & ~finite[:, -1]).tolist():
        k = int(finite[sample].argmin())
        if np.isfinite(tau[sample, :k]).all():
            what = "the motion is too fast for the steps, or some joint moves almost no mass; try a smaller step"
            raise ArgumentError(f"step: simulation {sample} is no longer finite at t = {times[k]:g} s: {what}")


def _asking_law(law: Controller, shape: tuple[int, ...]) -> Ask:
    """Wrap a controller of `rne.control` as `Ask`, one simulation at a time."""
    numbers = law.law(shape, alone=True)

    def ask(sample: int, t: float, q: Array, qd: Array, integral: Array) -> tuple[Array, Array]:
        tau, rate = np.empty((2, len(q)))
        CONTROL_ONE.call(numbers, sample, t, q.copy(), qd.copy(), integral.copy(), rate, tau)
        return tau, rate

    return ask


def _compiled(
    robot: Robot,
    shape: tuple[int, ...],
    times: Array,
    substeps: NDArray[np.intp],
    held: Array,
    controller: Controller | Function | None,
    paths: tuple[Array, Array, Array],
    method: str,
    friction: bool,
    threads: int | None,
) -> None:
    """Run all steps in compiled code.

    Measured times per step of four stages for a 7-joint arm, in us: a single simulation takes 1.6 in scalar code and
    1.9 in a SIMD pack; from two on, packs are faster: 1.1 per simulation for 2, 0.35 for 8, 0.27 for 100 and for 1000.
    """
    table, loads = as_table(robot, "float64"), as_loads(friction)
    q = paths[0]
    alone, count = len(q) == 1, thread_count(threads, len(q), robot.n * int(substeps.sum()))
    law = controller.law(shape, alone) if isinstance(controller, Controller) else None
    entry = (SIMULATE_ONE if alone else SIMULATE) if law is None else (CONTROLLED_ONE if alone else CONTROLLED)
    function, controlled = (STILL.compiled(), False) if controller is None or law else (controller, True)
    # The articulated-body algorithm only suspects a singular mass matrix; the matrix itself then decides.
    for dynamics in ("aba", "crba") if robot.n == len(robot.links.joints) else ("crba",):
        accelerate = (FORWARD_DYNAMICS_POINTER[dynamics] if alone else FORWARD_DYNAMICS[dynamics]["float64"]).compiled()
        pair = (accelerate, None) if alone else (None, accelerate)
        when = np.full(len(q), np.nan)
        more = (
            (table, *pair, loads), (controlled, function), law,
            (times, substeps, held), (*paths, when), _METHODS[method],
        )  # fmt: skip
        run(functools.partial(_slice, entry.call, more), len(q), count)
        failed = np.unique(when[~np.isnan(when)])
        if not failed.size:
            return
    for t in failed.tolist():
        with telling(t):
            refuse_singular(robot, Batch(shape, "float64", {"q": q[:, -1]}), (when == t).astype(np.uint8))
    raise SingularError(f"t = {failed[0]:g} s: the mass matrix is nearly singular")


def _slice(call: Callable[..., None], more: tuple[Any, ...], first: int, stop: int) -> None:
    call(first, stop, *more)
