"""Motion from torques: forward dynamics integrated over time."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.arrays import Batch, as_batch, as_table, check_robot
from rne.edit import real_array
from rne.energy import kinetic_energy, potential_energy
from rne.errors import ArgumentError, SingularError, check_flag
from rne.forward import forward_dynamics
from rne.inertia import refuse_singular
from rne.kernels.entries import FORWARD_DYNAMICS, FORWARD_DYNAMICS_ONE, SIMULATE, SIMULATE_ONE, STILL
from rne.kernels.jit import is_compiled
from rne.kernels.layout import FRICTION, SPRINGS
from rne.kernels.simulation import EULER, RK4, complaint
from rne.many import run, thread_count
from rne.robot import Robot

Array = NDArray[np.float64]
Controller = Callable[..., Any]

_METHODS = {"euler": EULER, "rk4": RK4}


@dataclass(frozen=True, eq=False)
class Simulation:
    """A simulated motion, as `simulate` returns it.

    Parameters
    ----------
    t : (T,) times, s.
    q, qd : (..., T, n) positions and velocities at these times.
    energy : (..., T) J: kinetic energy, rotors included, plus potential energy in gravity and in the springs of the
        joints. It changes by the work of torques and friction, and by the error of the integration.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.simulate(arm, [0.5, 0.0], t=[0.0, 0.01, 0.02]).energy.shape
    (3,)
    """

    t: Array
    q: Array
    qd: Array
    energy: Array


def simulate(
    robot: Robot,
    q0: ArrayLike,
    qd0: ArrayLike | None = None,
    t: ArrayLike = (0.0, 1.0),
    *,
    tau: ArrayLike | Controller | None = None,
    friction: bool = False,
    gravity: ArrayLike | None = None,
    method: str = "rk4",
    step: float | None = None,
    threads: int | None = None,
) -> Simulation:
    """Integrate forward dynamics over time.

    Fixed steps by the classical Runge-Kutta method ("rk4", of fourth order) or by the semi-implicit Euler method
    ("euler", of first order; new velocities move the positions, so the energy stays bounded), or steps of the
    integrator's own choice by scipy's DOP853 at a relative tolerance of 1e-10 ("adaptive"; needs scipy). Sources:
    Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I" (1993), sections II.1 and II.5; Hairer, Lubich,
    Wanner, "Geometric Numerical Integration" (2006), section I.1.2.

    Parameters
    ----------
    robot : the robot.
    q0, qd0 : (..., n) initial positions and velocities (zero if None); leading axes are a batch of simulations.
    t : (T,) increasing times at which the motion is wanted, s; the first is that of the initial state.
    tau : torques, N m or N. None for none; (n,) constant; (..., T - 1, n) or (..., T, n) held from each time to the
        next, leading axes broadcast against those of q0 and qd0; or a controller. One compiled by numba is called as
        ``controller(t, q, qd, tau)`` with arrays (n,) for each simulation, at every stage of every step; it fills
        `tau`, which comes as zeros, and returns nothing. Any other callable is called as ``controller(t, q, qd)``, with
        q and qd of shape (..., n), or (n,) for each simulation if adaptive, and returns the torques.
    friction : whether viscous and Coulomb friction of the joints act against the motion. Coulomb friction jumps where a
        joint turns round; one that should stick trembles within a step.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.
    method : "rk4", "euler" or "adaptive".
    step : longest step, s; by default a millisecond, or as long as "adaptive" dares. It never crosses a time of `t`.
    threads : how many threads share a batch; by default as many as it is worth (see ``RNE_NUM_THREADS``).

    Returns
    -------
    Simulation
        All in float64. A simulation that starts with NaN is NaN, and touches no other.

    Raises
    ------
    ArgumentError
        An argument, or what a controller returns, has the wrong shape, type or value; scipy is missing, or gives up.
    SingularError
        Some motion of the joints moves no mass; names the time, a joint, and the first such simulation of a batch.

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
    times, n = _times(t), robot.n
    substeps = _substeps(times, step)
    controller: Controller | None = tau if callable(tau) else None
    held = np.zeros(n) if tau is None or callable(tau) else _held(tau, n, len(times))
    try:
        shape = np.broadcast_shapes(batch.shape, held.shape[:-2])
    except ValueError:
        raise ArgumentError(f"tau: {held.shape} does not fit simulations of shape {batch.shape}") from None
    if is_compiled(controller) and (reason := complaint(controller)):
        raise ArgumentError(f"tau: a compiled controller is called as controller(t, q, qd, tau); this one: {reason}")
    if gravity is not None:
        robot = robot.with_gravity(gravity)

    samples, steps = math.prod(shape), len(times) - 1
    q, qd = np.empty((2, *shape, len(times), n))
    q[..., 0, :], qd[..., 0, :] = (batch.rows[name].reshape(*batch.shape, n) for name in ("q0", "qd0"))
    held = np.broadcast_to(held, (*shape, steps, n)).reshape(samples, steps, n)
    q_rows, qd_rows = q.reshape(samples, len(times), n), qd.reshape(samples, len(times), n)
    if method == "adaptive":
        _adaptive(robot, times, held, controller, q_rows, qd_rows, friction, step)
    elif controller is None or is_compiled(controller):
        _compiled(robot, shape, times, substeps, held, controller, q_rows, qd_rows, method, friction, threads)
    else:
        _asking(robot, times, substeps, controller, q, qd, method, friction, threads)
    energy = kinetic_energy(robot, q, qd) + potential_energy(robot, q)
    return Simulation(times, q, qd, energy)


def _times(t: ArrayLike) -> Array:
    times = real_array("t", t).astype(np.float64)
    if times.ndim != 1 or len(times) < 1:
        raise ArgumentError(f"t: wanted shape (T,) with T of at least 1, got {times.shape}")
    if not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise ArgumentError("t: wanted finite times, each later than the one before")
    return times


def _held(tau: ArrayLike, n: int, count: int) -> Array:
    """Return torques (n,), or (..., T - 1, n)."""
    torques = real_array("tau", tau).astype(np.float64)
    if torques.shape == (n,):
        return torques
    if torques.ndim > 1 and torques.shape[-1] == n and torques.shape[-2] in (count - 1, count):
        return torques[..., : count - 1, :]
    wanted = f"({n},), (..., {count - 1}, {n}) or (..., {count}, {n})"
    raise ArgumentError(f"tau: wanted a callable or shape {wanted}, got {torques.shape}")


# Far below the period of anything that an arm does, so that a few wide times do not become a few wide steps unsaid.
_STEP = 1e-3


def _substeps(times: Array, step: float | None) -> NDArray[np.intp]:
    spans = np.diff(times)
    if step is None:
        step = _STEP
    if not isinstance(step, int | float | np.number) or isinstance(step, bool) or not step > 0:
        raise ArgumentError(f"step: wanted a positive time in s, got {step!r}")
    counts = np.ceil(spans / step * (1 - 1e-12))  # a span of three steps and some rounding is three steps
    if (counts > 2.0**53).any():
        raise ArgumentError(f"step: {step!r} s is lost in the rounding of t")
    return np.maximum(counts, 1).astype(np.intp)


@contextlib.contextmanager
def _telling(t: float) -> Iterator[None]:
    try:
        yield
    except SingularError as error:
        raise SingularError(f"t = {t:g} s, {error}") from None


def _compiled(
    robot: Robot,
    shape: tuple[int, ...],
    times: Array,
    substeps: NDArray[np.intp],
    held: Array,
    controller: Controller | None,
    q: Array,
    qd: Array,
    method: str,
    friction: bool,
    threads: int | None,
) -> None:
    """All steps in compiled code.

    Measured on a 7-joint arm, us a step of four stages: 1.6 alone in plain floats, where a pack with one simulation in
    it takes 1.9; from two on packs win: 1.1 each for 2, 0.35 for 8, 0.27 for 100 and for 1000.
    """
    table, loads = as_table(robot, "float64"), SPRINGS | FRICTION if friction else SPRINGS
    asked = STILL.compiled() if controller is None else controller
    alone, count = len(q) == 1, thread_count(threads, len(q), robot.n * int(substeps.sum()))
    # Articulated bodies only suspect a singular mass matrix; then the matrix itself is asked.
    for dynamics in ("aba", "crba") if robot.n == len(robot.links.joints) else ("crba",):
        accelerate = (FORWARD_DYNAMICS_ONE if alone else FORWARD_DYNAMICS)[dynamics]["float64"].compiled()
        call, pair = (SIMULATE_ONE.call, (accelerate, None)) if alone else (SIMULATE.call, (None, accelerate))
        when = np.full(len(q), np.nan)
        more = (asked, controller is not None, times, substeps, held, q, qd, _METHODS[method], loads, when)
        run(functools.partial(_slice, call, table, (*pair, *more)), len(q), count)
        failed = np.unique(when[~np.isnan(when)])
        if not failed.size:
            return
    for t in failed.tolist():
        with _telling(t):
            refuse_singular(robot, Batch(shape, "float64", {"q": q[:, -1]}), (when == t).astype(np.uint8))
    raise SingularError(f"t = {failed[0]:g} s: the mass matrix is nearly singular")


def _slice(call: Callable[..., None], table: Array, more: tuple[Any, ...], first: int, stop: int) -> None:
    call(table, first, stop, *more)


def _asking(
    robot: Robot,
    times: Array,
    substeps: NDArray[np.intp],
    controller: Controller,
    q_path: Array,
    qd_path: Array,
    method: str,
    friction: bool,
    threads: int | None,
) -> None:
    """All simulations of a batch step by step together, with a controller in Python; the sums are those of the kernel.

    The controller gets copies: it may keep them, and work in them.
    """

    def rate(t: float, q: Array, qd: Array) -> Array:
        return _acceleration(robot, t, q, qd, _asked(controller, t, q, qd), friction, threads)

    q, qd = q_path[..., 0, :].copy(), qd_path[..., 0, :].copy()
    for k, span in enumerate(np.diff(times)):
        h = span / substeps[k]
        for part in range(substeps[k]):
            t = float(times[k] + part * h)
            if method == "euler":
                qd = qd + h * rate(t, q, qd)
                q = q + h * qd
                continue
            v1, a1 = qd, rate(t, q, qd)
            v2 = qd + h / 2 * a1
            a2 = rate(t + h / 2, q + h / 2 * v1, v2)
            v3 = qd + h / 2 * a2
            a3 = rate(t + h / 2, q + h / 2 * v2, v3)
            v4 = qd + h * a3
            a4 = rate(t + h, q + h * v3, v4)
            q = q + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4)
            qd = qd + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        q_path[..., k + 1, :], qd_path[..., k + 1, :] = q, qd


def _asked(controller: Controller, t: float, q: Array, qd: Array) -> Array:
    tau = real_array("tau", controller(t, q.copy(), qd.copy())).astype(np.float64)
    if tau.shape != q.shape and tau.shape != q.shape[-1:]:
        raise ArgumentError(f"tau: the controller returned shape {tau.shape}, wanted {q.shape}")
    return tau


def _acceleration(
    robot: Robot, t: float, q: Array, qd: Array, tau: Array, friction: bool, threads: int | None = None
) -> Array:
    with _telling(t):
        return forward_dynamics(robot, q, qd, tau, friction=friction, threads=threads)


def _adaptive(
    robot: Robot,
    times: Array,
    held: Array,
    controller: Controller | None,
    q_path: Array,
    qd_path: Array,
    friction: bool,
    step: float | None,
) -> None:
    """One simulation after the other, for each has its own steps."""
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        raise ArgumentError("method: 'adaptive' needs scipy, which is not installed (pip install scipy)") from None
    n, last = robot.n, len(times) - 1

    def rate(t: float, y: Array, torque: Array) -> Array:
        q, qd = y[:n], y[n:]
        if is_compiled(controller):
            torque = np.zeros(n)
            controller(t, q.copy(), qd.copy(), torque)  # type: ignore[misc]
        elif controller is not None:
            torque = _asked(controller, t, q, qd)
        return np.concatenate([qd, _acceleration(robot, t, q, qd, torque, friction)])

    for q, qd, torques in zip(q_path, qd_path, held, strict=True):
        if not np.isfinite(q[0] + qd[0]).all():
            q[1:], qd[1:] = np.nan, np.nan
            continue
        # Held torques jump from one time to the next, and no step may cross a jump.
        jumps = (np.flatnonzero((torques[1:] != torques[:-1]).any(axis=1)) + 1).tolist()
        for start, end in itertools.pairwise([0, *jumps, last]) if last else ():
            if not np.isfinite(np.concatenate([q[start], qd[start], torques[start]])).all():
                q[start + 1 :], qd[start + 1 :] = np.nan, np.nan  # scipy would look for a step for ever
                break
            due = slice(start, end + 1)
            solution = solve_ivp(
                rate, (times[start], times[end]), np.concatenate([q[start], qd[start]]), "DOP853", times[due],
                rtol=1e-10, atol=1e-12, max_step=math.inf if step is None else step, args=(torques[start],),
            )  # fmt: skip
            if not solution.success:
                raise ArgumentError(f"method: scipy's integrator gave up: {solution.message}")
            q[due], qd[due] = solution.y[:n].T, solution.y[n:].T
