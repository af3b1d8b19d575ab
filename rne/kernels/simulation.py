"""Motion under given torques, integrated with the fixed steps of `runge_kutta`.

Forward dynamics is passed as a pointer to its entry, for one state or for a batch, and a controller as a pointer to the
user's function, so that neither is compiled again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.core.errors import NumbaError

from rne.kernels import control
from rne.kernels.jit import inline, inline_allocating
from rne.kernels.runge_kutta import EULER, PARTS, RK4, begin_step, end_stage, end_step
from rne.kernels.simd.pack import address_of

# Simulations that advance together. Their states fit in the first-level cache up to about ten joints; a pack is eight.
BLOCK = 64

# A reference may jump where two steps meet. At its ends a step evaluates it inside, by this fraction of the step.
EDGE = 1e-6

_VECTOR = types.Array(types.float64, 1, "C")

# The type of a controller: a function that fills its last argument from t, q and qd.
CONTROLLER = types.FunctionType(types.void(types.float64, *(_VECTOR,) * 3))


def complaint(controller: Any) -> str:
    """Return why a compiled function is not a CONTROLLER; an empty string if it is one."""
    try:
        result = controller.get_compile_result(CONTROLLER.signature).signature.return_type
    except (TypeError, NumbaError) as error:
        return str(error)
    return "" if result == types.none else f"it returns {result}"


def make_still(stamp: str) -> Callable[..., None]:
    """Make the controller that does nothing."""

    def still(t, q, qd, tau):
        stamp  # noqa: B018  part of the cache key

    return still


@inline_allocating
def _ask(controller, t, q, qd, tau, rows, n):
    """Fill `tau` (rows * n) by a controller, which is called for single states."""
    for j in range(rows * n):
        tau[j] = 0.0
    for row in range(rows):
        own = slice(row * n, row * n + n)
        # Copies: a controller that modifies its arguments must not change the state.
        controller(t, q[own].copy(), qd[own].copy(), tau[own])


@inline_allocating
def _accelerate(table, one, many, motion, addresses, loads, marks):
    """Fill qdd of (q, qd, tau, qdd), at `addresses` for `many`. Marks states whose mass matrix may be singular."""
    if many is not None:
        many(table, 0, marks.shape[0], addresses, loads, marks)
    if one is not None:
        q, qd, tau, qdd = motion
        marks[0] = one(address_of(table), q, qd, tau, qdd, loads)


@inline
def _failed(marks, t, q, when, path, first, n):
    """Store time and position of marked states, the position in the last row of the path; return whether any exist."""
    any_failed = False
    for row in range(marks.shape[0]):
        if marks[row] != 0:
            any_failed, when[first + row] = True, t
            for j in range(n):
                path[first + row, path.shape[1] - 1, j] = q[row * n + j]
    return any_failed


@inline_allocating
def _advance(first, rows, dynamics, acting, law, schedule, paths, method):
    """Run all steps of `rows` simulations, from `first` on; the other arguments as for `make_many`."""
    table, one, many, loads = dynamics
    controlled, controller = acting
    times, substeps, torques = schedule
    q_path, qd_path, tau_path, when = paths
    n = q_path.shape[2]
    m = rows * n
    w = m if law is None else 2 * m
    now, state, total, tau = np.zeros(2 * w + m), np.zeros(w + m), np.empty(w + m), np.empty(m)
    q, qd, qdd, integral, rate = now[:m], now[w : w + m], now[2 * w :], now[m:w], now[w + m : 2 * w]
    marks, addresses = np.zeros(rows, np.uint8), np.empty(8, np.intp)
    for k, array in enumerate((q, qd, tau, qdd)):
        addresses[2 * k], addresses[2 * k + 1] = address_of(array), 8 * n
    if law is not None:
        asked, asked_addresses = control.scratch(rows, n)
    stages = len(PARTS) if method == RK4 else 1
    for row in range(rows):
        for j in range(n):
            state[row * n + j] = q_path[first + row, 0, j]
            state[w + row * n + j] = qd_path[first + row, 0, j]
    for k in range(len(times)):
        last = k == len(times) - 1  # only the torques are needed
        steps = 1 if last else substeps[k]
        h = 0.0 if last else (times[k + 1] - times[k]) / steps
        interval = min(k, torques.shape[1] - 1)
        for row in range(rows):
            for j in range(n):
                tau[row * n + j] = torques[first + row, interval, j]
        for step in range(steps):
            begin_step(state, now, total)
            for stage in range(stages):
                t = times[k] + step * h + PARTS[stage] * h
                if law is not None:
                    near = t + (EDGE * h if stage == 0 else -EDGE * h if stage == 3 else 0.0)
                    control.torques(law, first, t, near, (q, qd, integral, rate), tau, asked, asked_addresses)
                elif controlled:
                    _ask(controller, t, q, qd, tau, rows, n)
                if step == 0 and stage == 0:
                    for row in range(rows):
                        for j in range(n):
                            tau_path[first + row, k, j] = tau[row * n + j]
                if last:
                    return
                _accelerate(table, one, many, (q, qd, tau, qdd), addresses, loads, marks)
                if _failed(marks, t, q, when, q_path, first, n):
                    return
                end_stage(stage, h, state, now, total)
            end_step(method, h, state, now, total)
        for row in range(rows):
            for j in range(n):
                q_path[first + row, k + 1, j] = state[row * n + j]
                qd_path[first + row, k + 1, j] = state[w + row * n + j]


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry that fills rows 1, 2, ... of the paths (samples, T, n) from their rows 0.

    dynamics : (table; the entry of forward dynamics for one state, if there is a single simulation, and that for
    batches, the other one None; its loads). acting : (whether to use the controller; the controller, a CONTROLLER).
    law : a control law for `control.torques`, or None.
    schedule : (times (T,) of the rows; number of substeps (T - 1,) between them; torques (samples, T - 1, n) held over
    each interval, (samples, 1, n) for a single time).
    paths : (q, qd; tau, which is filled with the torques at each time; when (samples,), which becomes the time at
    which forward dynamics marks a sample; its whole block stops there).
    """

    def simulate_many(first, stop, dynamics, acting, law, schedule, paths, method):
        stamp  # noqa: B018  part of the cache key
        for block in range(first, stop, BLOCK):
            _advance(block, min(BLOCK, stop - block), dynamics, acting, law, schedule, paths, method)

    return simulate_many


def make_stage(stamp: str) -> Callable[..., None]:
    """Make the entry that completes a stage of a step, for controllers in Python; the last stage completes the step."""

    def stage_of_step(method, stage, h, state, now, total):
        stamp  # noqa: B018  part of the cache key
        end_stage(stage, h, state, now, total)
        if method == EULER or stage == len(PARTS) - 1:
            end_step(method, h, state, now, total)
            begin_step(state, now, total)

    return stage_of_step
