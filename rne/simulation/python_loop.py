"""Simulations with controllers that are not compiled: loops in Python around compiled steps."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import Batch, Floats, as_table
from rne.check import real_array
from rne.dynamics.forward_dynamics import forward_dynamics
from rne.dynamics.mass_matrix import refuse_singular
from rne.dynamics.stiction import Rough, rubbing
from rne.errors import ArgumentError, SingularError
from rne.kernels.additive import NODES
from rne.kernels.control import ALMOST_REST
from rne.kernels.dry_friction import room_size
from rne.kernels.entries import ROUGH_STAGE, STAGE_OF_STEP, STILL
from rne.kernels.jit import is_compiled
from rne.kernels.runge_kutta import EULER, PARTS, RK4
from rne.kernels.stages import AFTER, BEFORE, BEGIN, FINISH, IMPULSES
from rne.model.robot import Robot
from rne.simulation.diagnosis import with_some_inertia

Array = NDArray[np.float64]
Function = Callable[..., Any]


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
    rough: Rough | None,
    threads: int | None,
) -> None:
    """Integrate all simulations of a batch together, with a controller in Python; the kernel does the arithmetic."""
    ask, paths = functools.partial(asked, controller), (q_path, qd_path, tau_path)
    start = q_path[..., 0, :], qd_path[..., 0, :]
    if rough is None:
        _ask_along(times, substeps, ask, _Smooth(robot, *start, method, threads), paths)
        return
    table = as_table(robot, "float64")
    try:
        _ask_along(times, substeps, ask, _Rough(robot, *start, method, rough, table), paths)
    except SingularError as error:
        if not rough.damped:
            raise
        table = with_some_inertia(robot, table, error)
        _ask_along(times, substeps, ask, _Rough(robot, *start, method, rough, table), paths)


def _ask_along(
    times: Array,
    substeps: NDArray[np.intp],
    ask: Function,
    stepper: _Smooth | _Rough,
    paths: tuple[Array, Array, Array],
) -> None:
    """Fill the paths of q, qd and tau step by step."""
    q_path, qd_path, tau_path = paths
    for k, span in enumerate(np.diff(times)):
        h = span / substeps[k]
        for step in range(substeps[k]):
            tau = stepper.step(float(times[k] + step * h), h, ask)
            if step == 0:
                tau_path[..., k, :] = tau
        q_path[..., k + 1, :], qd_path[..., k + 1, :] = stepper.q, stepper.qd
    tau_path[..., -1, :] = ask(float(times[-1]), stepper.q, stepper.qd)


class _Smooth:
    """Steps of all simulations together without friction."""

    def __init__(self, robot: Robot, q: Array, qd: Array, method: str, threads: int | None) -> None:
        self._robot, self._threads, m = robot, threads, q.size
        self._stages, self._kind = (1, EULER) if method == "euler" else (len(PARTS), RK4)
        self._floating = math.prod(q.shape[:-1]) if robot.floating else 0
        self._state = np.concatenate([q.ravel(), qd.ravel()])
        size = self._state.size
        rates = size if robot.floating else qd.size  # of positions where the base floats, and accelerations
        self._now, self._total = np.concatenate([self._state, np.zeros(rates)]), np.zeros(size)
        self.q, self.qd = self._now[:m].reshape(q.shape), self._now[m:size].reshape(qd.shape)
        self._qdd = self._now[self._now.size - qd.size :]

    def step(self, t: float, h: float, ask: Function) -> Array:
        """Advance by h, and return the torques at the beginning."""
        first = None
        for stage in range(self._stages):
            at = t + PARTS[stage] * h
            tau: Array = ask(at, self.q, self.qd)
            first = tau if first is None else first
            rate = _acceleration(self._robot, at, self.q, self.qd, tau, self._threads)
            self._qdd[:] = rate.ravel()
            STAGE_OF_STEP.call(self._kind, stage, h, self._floating, self._state, self._now, self._total)
        assert first is not None
        return first


class _Rough:
    """Steps of all simulations together with friction and stops; see `rne.kernels.stages.make_rough_stage`."""

    def __init__(self, robot: Robot, q: Array, qd: Array, method: str, rough: Rough, table: Floats) -> None:
        nq, n, samples = robot.nq, robot.n, math.prod(q.shape[:-1])
        self._robot, self._shape, self._method = robot, q.shape[:-1], method
        self._state = np.concatenate([q.reshape(samples, nq), qd.reshape(samples, n)], axis=1)
        self._buffers = np.zeros((samples, room_size.py_func(n, nq)))
        self._motion, self._push = np.zeros((2, samples, nq)), np.zeros((2, samples, n))
        self._motion[0], self._motion[1, :, :n] = self._state[:, :nq], self._state[:, nq:]
        self._when = np.full(samples, np.nan)
        self._dynamics = rubbing(table, rough), (False, STILL.compiled())

    @property
    def q(self) -> Array:
        """Positions at the end of the last step."""
        return self._state[:, : self._robot.nq].reshape(*self._shape, self._robot.nq)

    @property
    def qd(self) -> Array:
        """Velocities at the end of the last step."""
        return self._state[:, self._robot.nq :].reshape(*self._shape, self._robot.n)

    def step(self, t: float, h: float, ask: Function) -> Array:
        """Advance by h, and return the torques at the beginning."""
        first: Array = ask(t, self.q, self.qd)
        n = self._robot.n
        self._push[:] = first.reshape(-1, n)
        if self._method == "euler":
            self._call(IMPULSES, 0, t, h)
            return first
        self._call(BEGIN, 0, t, h)
        for stage, node in enumerate(NODES):
            self._call(BEFORE, stage, t, h)
            if stage > 0 or (np.abs(self._motion[1]) == ALMOST_REST).any():
                q, qd = self._motion[0], self._motion[1, :, :n]
                seen = q.reshape(*self._shape, -1), qd.reshape(*self._shape, n)
                self._push[1] = ask(t + node * h, *seen).reshape(-1, n)
            if stage == 0:
                self._push[0] = self._push[1]
            self._call(AFTER, stage, t, h)
        self._call(FINISH, 0, t, h)
        return first

    def _call(self, part: int, stage: int, t: float, h: float) -> None:
        given = (*self._dynamics, self._state, self._buffers, self._motion, self._push, self._when)
        ROUGH_STAGE.call((part, stage, t, h), *given)
        failed = np.flatnonzero(~np.isnan(self._when))
        if failed.size:
            with telling(self._when[failed[0]]):
                marks = (~np.isnan(self._when)).astype(np.uint8)
                refuse_singular(self._robot, Batch(self._shape, "float64", {"q": self._motion[0]}), marks)


def asked(controller: Function, t: float, q: Array, qd: Array) -> Array:
    """Call a controller, compiled or not; it gets copies, since it may keep or modify its arguments."""
    if is_compiled(controller):
        filled = np.zeros(qd.shape)
        for one in np.ndindex(q.shape[:-1]):
            controller(t, q[one].copy(), qd[one].copy(), filled[one])
        return filled
    tau = real_array("tau", controller(t, q.copy(), qd.copy())).astype(np.float64)
    if tau.shape != qd.shape and tau.shape != qd.shape[-1:]:
        raise ArgumentError(f"tau: the controller returned shape {tau.shape}, wanted {qd.shape}")
    return tau


def _acceleration(robot: Robot, t: float, q: Array, qd: Array, tau: Array, threads: int | None = None) -> Array:
    with telling(t):
        return forward_dynamics(robot, q, qd, tau, threads=threads)
