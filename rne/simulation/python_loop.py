"""Simulations driven from Python: with controllers that are not compiled, and with the adaptive steps of scipy."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.check import real_array
from rne.dynamics.forward_dynamics import forward_dynamics
from rne.errors import ArgumentError, SingularError, needing
from rne.kernels.entries import STAGE_OF_STEP
from rne.kernels.jit import is_compiled
from rne.kernels.runge_kutta import EULER, PARTS, RK4
from rne.model.robot import Robot

Array = NDArray[np.float64]
Function = Callable[..., Any]

# Called with (sample, t, q, qd, integral); returns torques and the rates of the integrals of the controller.
Ask = Callable[[int, float, Array, Array, Array], tuple[Array, Array]]


@contextlib.contextmanager
def telling(t: float) -> Iterator[None]:
    """Add the time to the message of a singular mass matrix."""
    try:
        yield
    except SingularError as error:
        raise SingularError(f"t = {t:g} s, {error}") from None


def asking(
    robot: Robot,
    times: Array,
    substeps: NDArray[np.intp],
    controller: Function,
    q_path: Array,
    qd_path: Array,
    tau_path: Array,
    method: str,
    friction: bool,
    threads: int | None,
) -> None:
    """Integrate all simulations of a batch together, with a controller in Python; the kernel does the arithmetic."""
    shape, m = q_path[..., 0, :].shape, q_path[..., 0, :].size
    stages, kind = (1, EULER) if method == "euler" else (len(PARTS), RK4)
    state = np.concatenate([q_path[..., 0, :].ravel(), qd_path[..., 0, :].ravel()])
    now, total = np.concatenate([state, np.zeros(m)]), np.zeros(2 * m)
    q, qd = now[:m].reshape(shape), now[m : 2 * m].reshape(shape)
    for k, span in enumerate(np.diff(times)):
        h = span / substeps[k]
        for step in range(substeps[k]):
            for stage in range(stages):
                t = float(times[k] + step * h + PARTS[stage] * h)
                tau = asked(controller, t, q, qd)
                if step == 0 and stage == 0:
                    tau_path[..., k, :] = tau
                now[2 * m :] = _acceleration(robot, t, q, qd, tau, friction, threads).ravel()
                STAGE_OF_STEP.call(kind, stage, h, state, now, total)
        q_path[..., k + 1, :], qd_path[..., k + 1, :] = q, qd
    tau_path[..., -1, :] = asked(controller, float(times[-1]), q, qd)


def asked(controller: Function, t: float, q: Array, qd: Array) -> Array:
    """Call a controller, compiled or not; it gets copies, since it may keep or modify its arguments."""
    if is_compiled(controller):
        filled = np.zeros(q.shape)
        for one in np.ndindex(q.shape[:-1]):
            controller(t, q[one].copy(), qd[one].copy(), filled[one])
        return filled
    tau = real_array("tau", controller(t, q.copy(), qd.copy())).astype(np.float64)
    if tau.shape != q.shape and tau.shape != q.shape[-1:]:
        raise ArgumentError(f"tau: the controller returned shape {tau.shape}, wanted {q.shape}")
    return tau


def asking_function(function: Function) -> Ask:
    """Wrap a function, which has no integrals, as `Ask`."""
    return lambda _, t, q, qd, integral: (asked(function, t, q, qd), integral)


def _acceleration(
    robot: Robot, t: float, q: Array, qd: Array, tau: Array, friction: bool, threads: int | None = None
) -> Array:
    with telling(t):
        return forward_dynamics(robot, q, qd, tau, friction=friction, threads=threads)


def adaptive(
    robot: Robot,
    times: Array,
    held: Array,
    ask: Ask | None,
    integrals: int,
    q_path: Array,
    qd_path: Array,
    tau_path: Array,
    friction: bool,
    step: float | None,
) -> None:
    """Integrate one simulation after the other, each with its own steps; without `ask`, torques are held."""
    with needing("scipy", "method: 'adaptive' needs"):
        from scipy.integrate import solve_ivp
    n, last = robot.n, len(times) - 1
    tau_path[:] = held[:, np.arange(last + 1).clip(max=held.shape[1] - 1)]

    def torques(t: float, y: Array, sample: int, k: int) -> tuple[Array, Array]:
        return (tau_path[sample, k], y[2 * n :]) if ask is None else ask(sample, t, y[:n], y[n : 2 * n], y[2 * n :])

    def rate(t: float, y: Array, sample: int, k: int) -> Array:
        q, qd = y[:n], y[n : 2 * n]
        tau, integral_rate = torques(t, y, sample, k)
        return np.concatenate([qd, _acceleration(robot, t, q, qd, tau, friction), integral_rate])

    for sample, (q, qd, tau) in enumerate(zip(q_path, qd_path, tau_path, strict=True)):
        # Held torques jump between times, and no step may cross a jump.
        jumps = (np.flatnonzero((tau[1:last] != tau[: max(last - 1, 0)]).any(axis=1)) + 1).tolist()
        y = np.concatenate([q[0], qd[0], np.zeros(integrals)])
        for start, end in itertools.pairwise([0, *jumps, last]) if last else [(0, 0)]:
            if not np.isfinite(np.concatenate([y, tau[start]])).all():
                q[start + 1 :], qd[start + 1 :] = np.nan, np.nan  # scipy would search for a step forever
                break
            due = slice(start, end + 1)
            path = y[:, None]
            if end > start:
                solution = solve_ivp(
                    rate, (times[start], times[end]), y, "DOP853", times[due],
                    rtol=1e-10, atol=1e-12, max_step=math.inf if step is None else step, args=(sample, start),
                )  # fmt: skip
                if not solution.success:
                    raise ArgumentError(f"method: the integrator of scipy failed: {solution.message}")
                path = solution.y
            q[due], qd[due], y = path[:n].T, path[n : 2 * n].T, path[:, -1]
            if ask is not None:
                tau[due] = [torques(t, state, sample, start)[0] for t, state in zip(times[due], path.T, strict=True)]
        if ask is not None and not np.isfinite(y).all():
            tau[:] = np.nan
