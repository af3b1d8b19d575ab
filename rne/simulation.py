"""Motion from torques: forward dynamics integrated over time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.arrays import as_batch, as_table, check_robot, real_array
from rne.energy import kinetic_energy, potential_energy
from rne.errors import ArgumentError, SingularError
from rne.forward import forward_dynamics
from rne.kernels.entries import SIMULATE
from rne.kernels.jit import is_compiled
from rne.kernels.layout import FRICTION, SPRINGS
from rne.kernels.simulation import EULER, RK4, integrate
from rne.robot import Robot

Array = NDArray[np.float64]
Controller = Callable[..., Any]

_METHODS = {"euler": EULER, "rk4": RK4}


@dataclass(frozen=True, eq=False)
class Simulation:
    """A simulated motion.

    Attributes
    ----------
    t : (T,) times, s.
    q, qd : (..., T, n) positions and velocities at these times.
    energy : (..., T) kinetic plus potential energy, J; constant where no torque and no friction acts.
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
) -> Simulation:
    """Integrate forward dynamics over time.

    Fixed steps by the classical Runge-Kutta method ("rk4") or by the semi-implicit Euler method ("euler"), or steps of
    the integrator's own choice by scipy's DOP853 at a relative tolerance of 1e-10 ("adaptive"; needs scipy).

    Parameters
    ----------
    robot : the robot.
    q0, qd0 : (..., n) initial positions and velocities (zero if None); leading axes are a batch of simulations.
    t : (T,) increasing times at which the motion is wanted, s; the first is that of the initial state.
    tau : torques, N m or N: None for none; (n,) constant; (T - 1, n) or (T, n) held from each time to the next; or a
        controller. A controller compiled by numba is called as ``controller(t, q, qd, tau)`` with arrays (n,) at every
        stage of every step, and fills `tau`, which comes as zeros; any other callable is called as
        ``controller(t, q, qd)`` with q and qd of shape (..., n) and returns the torques.
    friction : whether the friction of the joints acts.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.
    method : "rk4", "euler" or "adaptive".
    step : longest step, s, of the fixed-step methods; by default one step from each time to the next.

    Returns
    -------
    Simulation

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value, or scipy is missing.
    SingularError
        The mass matrix is singular at some time.

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
    batch = as_batch(robot, {"q0": q0, "qd0": qd0}, required="q0")
    times = _times(t)
    shape = (batch.samples, len(times), robot.n)
    q, qd = np.empty(shape), np.empty(shape)
    q[:, 0], qd[:, 0] = batch.rows["q0"], batch.rows["qd0"]
    if gravity is not None:
        robot = robot.with_gravity(gravity)
    torques = np.zeros((1, robot.n)) if tau is None or callable(tau) else _held(robot, tau, len(times))
    torques = np.broadcast_to(torques, (len(times) - 1, robot.n))
    controller: Controller | None = tau if callable(tau) else None
    if method == "adaptive":
        _adaptive(robot, times, torques, controller, q, qd, friction)
    elif method not in _METHODS:
        raise ArgumentError(f"method: wanted one of 'rk4', 'euler', 'adaptive', got {method!r}")
    else:
        substeps = _substeps(times, step)
        if is_compiled(controller) or (controller is None and batch.samples < _WORTH_PACKS):
            _compiled(robot, times, substeps, torques, controller, q, qd, method, friction)
        else:
            _side_by_side(robot, times, substeps, torques, controller, q, qd, method, friction)
    energy = kinetic_energy(robot, q, qd) + potential_energy(robot, q)
    full = (*batch.shape, len(times), robot.n)
    return Simulation(times, q.reshape(full), qd.reshape(full), energy.reshape(full[:-1]))


# From here on a step of all states side by side, in packs, is faster than one state after the other in compiled code.
_WORTH_PACKS = 32


def _times(t: ArrayLike) -> Array:
    times = real_array("t", t).astype(np.float64)
    if times.ndim != 1 or len(times) < 1 or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise ArgumentError(f"t: wanted increasing finite times of shape (T,), got shape {times.shape}")
    return times


def _held(robot: Robot, tau: ArrayLike, count: int) -> Array:
    torques = real_array("tau", tau).astype(np.float64)
    if torques.shape == (robot.n,):
        return torques[None]
    if torques.ndim == 2 and torques.shape[1] == robot.n and torques.shape[0] in (count - 1, count):
        return torques[: count - 1]
    wanted = f"({robot.n},), ({count - 1}, {robot.n}) or ({count}, {robot.n})"
    raise ArgumentError(f"tau: wanted a callable or shape {wanted}, got {torques.shape}")


def _substeps(times: Array, step: float | None) -> NDArray[np.intp]:
    spans = np.diff(times)
    if step is None:
        return np.ones(len(spans), np.intp)
    if not isinstance(step, int | float | np.number) or isinstance(step, bool) or not step > 0:
        raise ArgumentError(f"step: wanted a positive time in s, got {step!r}")
    return np.maximum(np.ceil(spans / step * (1 - 1e-12)), 1).astype(np.intp)


def _singular(robot: Robot, when: float) -> SingularError:
    return SingularError(f"{robot.name}: the mass matrix is singular after t = {when:g} s; some joint moves no mass")


def _compiled(
    robot: Robot,
    times: Array,
    substeps: NDArray[np.intp],
    torques: Array,
    controller: Controller | None,
    q: Array,
    qd: Array,
    method: str,
    friction: bool,
) -> None:
    table, loads = as_table(robot, "float64"), SPRINGS | FRICTION if friction else SPRINGS
    held = np.ascontiguousarray(torques)
    for q_path, qd_path in zip(q, qd, strict=True):
        if controller is None:
            bad = SIMULATE.call(table, times, substeps, held, q_path, qd_path, _METHODS[method], loads)
        else:
            bad = integrate(table, controller, times, substeps, held, q_path, qd_path, _METHODS[method], loads)
        if bad >= 0:
            raise _singular(robot, times[bad])


def _side_by_side(
    robot: Robot,
    times: Array,
    substeps: NDArray[np.intp],
    torques: Array,
    controller: Controller | None,
    q_path: Array,
    qd_path: Array,
    method: str,
    friction: bool,
) -> None:
    """All states of a batch step by step together, each step a few calls of batched forward dynamics."""

    def rate(t: float, q: Array, qd: Array) -> Array:
        tau = held if controller is None else _asked(controller, t, q, qd, q.shape)
        return forward_dynamics(robot, q, qd, tau, friction=friction)

    q, qd = q_path[:, 0].copy(), qd_path[:, 0].copy()
    for k, span in enumerate(np.diff(times)):
        h, held = span / substeps[k], torques[k]
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
            q = q + h / 6 * (v1 + 2 * (v2 + v3) + v4)
            qd = qd + h / 6 * (a1 + 2 * (a2 + a3) + a4)
        q_path[:, k + 1], qd_path[:, k + 1] = q, qd


def _asked(controller: Controller, t: float, q: Array, qd: Array, shape: tuple[int, ...]) -> Array:
    tau = real_array("tau", controller(t, q, qd)).astype(np.float64)
    try:
        return np.broadcast_to(tau, shape)
    except ValueError:
        raise ArgumentError(f"tau: the controller returned shape {tau.shape}, wanted {shape}") from None


def _adaptive(
    robot: Robot,
    times: Array,
    torques: Array,
    controller: Controller | None,
    q: Array,
    qd: Array,
    friction: bool,
) -> None:
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        raise ArgumentError("method: 'adaptive' needs scipy, which is not installed (pip install scipy)") from None
    n = robot.n

    def rate(t: float, y: Array, held: Array) -> Array:
        tau = held
        if is_compiled(controller):
            tau = held.copy()
            controller(t, y[:n], y[n:], tau)  # type: ignore[misc]
        elif controller is not None:
            tau = _asked(controller, t, y[:n], y[n:], (n,))
        return np.concatenate([y[n:], forward_dynamics(robot, y[:n], y[n:], tau, friction=friction)])

    for sample in range(len(q)):
        y = np.concatenate([q[sample, 0], qd[sample, 0]])
        # Held torques jump from one time to the next, and no step may cross a jump.
        jumps = len(times) > 1 and bool((torques[1:] != torques[:-1]).any())
        spans = [[k, k + 1] for k in range(len(times) - 1)] if jumps else [list(range(len(times)))]
        for rows in spans if len(times) > 1 else []:
            solution = solve_ivp(
                rate, (times[rows[0]], times[rows[-1]]), y, "DOP853", times[rows], rtol=1e-10, atol=1e-12,
                args=(torques[rows[0]],),
            )  # fmt: skip
            if not solution.success:
                raise ArgumentError(f"method: the adaptive integrator gave up: {solution.message}")
            y = solution.y[:, -1]
            q[sample, rows[1:]], qd[sample, rows[1:]] = solution.y[:n, 1:].T, solution.y[n:, 1:].T
