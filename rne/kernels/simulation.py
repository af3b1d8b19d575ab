"""Motion under given torques, integrated with fixed steps: those of `runge_kutta`, or with friction those of `events`.

Forward dynamics is passed as a pointer to its entry, for one state or for a batch, and a controller as a pointer to the
user's function, so that neither is compiled again.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rne.kernels import base, control, sampling
from rne.kernels.actuation import add_wrenches, torques, wrench_scratch
from rne.kernels.dry_friction import EDGE, fill_bounds, room_size
from rne.kernels.events import by_events, by_impulses
from rne.kernels.flight import end_floating_stage
from rne.kernels.jit import inline, inline_allocating
from rne.kernels.runge_kutta import EULER, PARTS, RK4, begin_step, end_stage, end_step
from rne.kernels.simd.pack import address_of

# Simulations that advance together. Their states fit in the first-level cache up to about ten joints; a pack is eight.
BLOCK = 64


@inline
def _accelerate(table, one, many, motion, addresses, loads, marks):
    """Fill qdd of (q, qd, tau, qdd), at `addresses` for `many`. Marks states whose mass matrix may be singular."""
    if many is not None:
        many(table, 0, marks.shape[0], addresses, loads, marks)
    if one is not None:
        q, qd, tau, qdd = motion
        marks[0] = one(address_of(table), q, qd, tau, qdd, loads)


@inline
def _failed(marks, t, q, when, path, first):
    """Store time and position of marked states, the position in the last row of the path; return whether any exist."""
    any_failed, n = False, path.shape[2]
    for row in range(marks.shape[0]):
        if marks[row] != 0:
            any_failed, when[first + row] = True, t
            for j in range(n):
                path[first + row, path.shape[1] - 1, j] = q[row * n + j]
    return any_failed


@inline
def _store(values, path, first, k):
    """Write `values` of all simulations of a block to row k of a path."""
    n = path.shape[2]
    for row in range(values.shape[0] // max(n, 1)):
        for j in range(n):
            path[first + row, k, j] = values[row * n + j]


@inline
def _smooth_step(first, span, arrays, dynamics, drive, wrenches, law, method, record):
    """Advance the states of a block of simulations by one step. Returns the time where it stopped, or -1.

    span : (t, h). arrays : torques and states of the block, with scratch. record : (path of torques, its row for those
    at the beginning of the step, or -1).
    """
    table, one, many, loads = dynamics
    t, h = span
    tau, state, now, total, addresses, marks = arrays
    m, p = tau.shape[0], marks.shape[0] * base.positions(table)
    w, rates = state.shape[0] - m, now.shape[0] - state.shape[0]
    motion = now[:p], now[w : w + m], now[p:w], now[rates + p : rates + w]
    begin_step(state, now, total)
    for stage in range(len(PARTS) if method == RK4 else 1):
        at = t + PARTS[stage] * h
        near = at + (EDGE * h if stage == 0 else -EDGE * h if stage == 3 else 0.0)
        torques(drive, law, first, marks.shape[0], at, near, motion, tau)
        if stage == 0 and record[1] >= 0:
            _store(tau, record[0], first, record[1])
        add_wrenches(wrenches, first, marks.shape[0], at, now[:p], tau)
        _accelerate(table, one, many, (now[:p], now[w : w + m], tau, now[rates + w :]), addresses, loads, marks)
        for row in range(marks.shape[0]):
            if marks[row] != 0:
                return at
        if base.floats(table):
            end_floating_stage(method, stage, h, (marks.shape[0], p), state, now, total)
        else:
            end_stage(stage, h, state, now, total)
    if not base.floats(table):
        end_step(method, h, state, now, total)
    return -1.0


@inline
def _fill(values, held, first, k):
    """Copy row k of the torques of each simulation of a block."""
    n = held.shape[2]
    for row in range(values.shape[0] // max(n, 1)):
        for j in range(n):
            values[row * n + j] = held[first + row, k, j]


@inline_allocating
def _advance(first, rows, dynamics, acting, law, schedule, paths, rough, external):
    """Run all steps of `rows` simulations, from `first` on; the other arguments as for `make_many`."""
    table, sampled = dynamics[0], schedule[6]
    n, nq = paths[1].shape[2], paths[0].shape[2]
    m, p = rows * n, rows * nq
    w = p if law is None else p + control.integrals(law, rows)
    rates = w + m if base.floats(table) else w  # of a base that is fixed, velocities are rates of positions
    now, state, total, tau = np.zeros(rates + w + m), np.zeros(w + m), np.empty(w + m), np.empty(m)
    given, ending = np.empty(m), np.empty(m)
    marks, addresses = np.zeros(rows, np.uint8), np.empty(8, np.intp)
    for k, array in enumerate((now[:p], now[w : w + m], tau, now[rates + w :])):
        addresses[2 * k], addresses[2 * k + 1] = address_of(array), 8 * (nq if k == 0 else n)
    asked = control.scratch(rows, n if law is None else control.integrals(law, 1))
    pushed = wrench_scratch(external, rows, state[:p], n)
    queue = sampling.begin(sampled, rows, n, given, ending)
    size = 0
    if rough is not None:
        size = room_size(n, w)
    buffer = np.zeros(size)
    room = (tau, state, now, total, addresses, marks), (given, ending), asked, pushed, queue, buffer
    _along((first, rows), dynamics, acting, law, schedule, paths, rough, external, room)


@inline
def _along(block, dynamics, acting, law, schedule, paths, rough, external, room):
    """Run all steps, on arrays that the caller holds: counting references took a quarter of the time."""
    first, rows = block
    table, one, _, _ = dynamics
    times, substeps, events, held, linear, method, sampled = schedule
    q_path, qd_path, tau_path, when = paths
    arrays, (given, ending), asked, pushed, queue, buffer = room
    tau, state, now, total, _, marks = arrays
    n, nq = qd_path.shape[2], q_path.shape[2]
    m, p = rows * n, rows * nq
    w = state.shape[0] - m
    rates = now.shape[0] - w - m
    q, qd = (now[:p], now[w : w + m]) if rough is None else (state[:p], state[w:])
    motion = q, qd, state[p:w], now[rates + p : rates + w]
    continuous = acting[0] and sampled[0] == 0.0
    if rough is not None:
        D, limits, damped = rough
        rubbing = table, one, D, limits, damped
        fill_bounds(table, buffer, w)
    for row in range(rows):
        for j in range(nq):
            state[row * nq + j] = q_path[first + row, 0, j]
        for j in range(n):
            state[w + row * n + j] = qd_path[first + row, 0, j]
    for k in range(len(times)):
        last = k == len(times) - 1  # only the torques are needed
        steps = 1 if last else substeps[k]
        h = 0.0 if last else (times[k + 1] - times[k]) / steps
        span = steps * h
        out = events[sampling.OUT, k]
        if out > 0:
            _store(state[:p], q_path, first, out)
            _store(state[w:], qd_path, first, out)
        piece, pace = min(k, external[1].shape[1] - 1), 1.0 / span if span > 0.0 else 0.0
        wrenches = table, external, piece, times[k], pace, pushed
        if sampled[0] > 0.0:
            asking = (*acting, asked, given, given, 0.0, 0.0)
            seen = state[:p], state[w:], state[p:w]
            sampling.command((times[k], EDGE * h), events, k, seen, asking, law, (first, rows), sampled, queue)
        elif not continuous:
            row = events[sampling.HELD, k]
            _fill(given, held, first, row)
            _fill(ending, held, first, min(row + 1, held.shape[1] - 1) if linear else row)
        drive = (continuous, acting[1], asked, given, ending, times[k], span if linear else 0.0)
        if out >= 0 and (last or rough is not None):
            begin_step(state, now, total)
            torques(drive, law, first, rows, times[k], times[k] + EDGE * h, motion, tau)
            _store(tau, tau_path, first, out)
        if last:
            return
        for step in range(steps):
            t = times[k] + step * h
            if rough is None:
                record = tau_path, out if step == 0 else -1
                stopped = _smooth_step(first, (t, h), arrays, dynamics, drive, wrenches, law, method, record)
                if stopped != -1.0 and _failed(marks, stopped, now[:p], when, q_path, first):
                    return
            else:
                if method == EULER:
                    failed = by_impulses(first, t, h, state, rubbing, (*drive, wrenches), law, buffer)
                else:
                    failed = by_events(first, t, h, state, rubbing, (*drive, wrenches), law, buffer)
                if failed != 0:
                    marks[0] = 1
                    _failed(marks, t, state[:p], when, q_path, first)
                    return


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry that fills rows 1, 2, ... of the paths (samples, T, nq or n) from their rows 0.

    dynamics : (table; the entry of forward dynamics for one state, if there is a single simulation, and that for
    batches, the other one None; its loads). acting : (whether a controller acts; the controller, a CONTROLLER).
    law : a control law for `control.torques`, or None.
    schedule : (times (G,) between which nothing jumps; number of substeps (G - 1,) between them; what happens at them,
    (EVENTS, G) of `sampling`; torques (samples, K, n); whether these go linearly to the next row; EULER or RK4; a
    sampled controller, as `sampling` has it).
    paths : (q, qd; tau, which is filled with the torques at each time; when (samples,), which becomes the time at
    which forward dynamics marks a sample; its whole block stops there).
    rough : None, or (damping (n, n); the limits of `dry_friction`, (LIMITS, n); whether anything damps); the entry of
    the dynamics for one state is then that of `mass_and_bias`, and simulations advance one after the other.
    external : wrenches for `actuation.add_wrenches`, with a piece for each time but the last, or with one.
    """

    def simulate_many(first, stop, dynamics, acting, law, schedule, paths, rough, external):
        stamp  # noqa: B018  part of the cache key
        size = BLOCK if rough is None else 1
        for block in range(first, stop, size):
            _advance(block, min(size, stop - block), dynamics, acting, law, schedule, paths, rough, external)

    return simulate_many


def make_stage(stamp: str) -> Callable[..., None]:
    """Make the entry that completes a stage of a step, for controllers in Python; the last stage completes the step.

    floating : number of simulations if the base floats, otherwise 0.
    """

    def stage_of_step(method, stage, h, floating, state, now, total):
        stamp  # noqa: B018  part of the cache key
        last = method == EULER or stage == len(PARTS) - 1
        if floating != 0:
            end_floating_stage(method, stage, h, (floating, (state.shape[0] + floating) // 2), state, now, total)
        else:
            end_stage(stage, h, state, now, total)
            if last:
                end_step(method, h, state, now, total)
        if last:
            begin_step(state, now, total)

    return stage_of_step
