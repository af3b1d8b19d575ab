"""Parts of a step with friction for controllers in Python, between which Python finds the torques."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rne.kernels import base, control
from rne.kernels.additive import NODES
from rne.kernels.dry_friction import EDGE, after_stage, before_stage, end_attempt, fill_bounds, fill_seen, room_in
from rne.kernels.events import begin, by_events, by_impulses, smallest_margin
from rne.kernels.jit import internal

BEGIN, BEFORE, AFTER, FINISH, IMPULSES = range(5)


@internal
def _begin(row, t, h, y, dynamics, drive, buffer):
    w = base.positions(dynamics[0])
    fill_bounds(dynamics[0], buffer, w)
    return begin(row, (t, t + EDGE * h), y, dynamics, drive, None, room_in(dynamics[0], buffer, w), True)


@internal
def _before(stage, h, y, dynamics, motion, buffer):
    w = base.positions(dynamics[0])
    room = room_in(dynamics[0], buffer, w)
    failed = before_stage(stage, h, y, dynamics, room)
    fill_seen(room)
    for j in range(w):
        motion[0, j] = room[4][0][j]
    for j in range(y.shape[0] - w):
        motion[1, j] = room[6][2][j]
    return failed


@internal
def _after(stage, dynamics, tau, buffer):
    n = tau.shape[0]
    room = room_in(dynamics[0], buffer, base.positions(dynamics[0]))
    for j in range(n):
        room[4][4][j] = tau[j]
    return after_stage(stage, dynamics, room)


@internal
def _finish(row, t, h, y, dynamics, drive, buffer):
    room = room_in(dynamics[0], buffer, base.positions(dynamics[0]))
    end_attempt(dynamics[0], h, y, room)
    out = room[6][0]
    if smallest_margin(row, (t + h, t + h), y, out, dynamics, drive, None, room) < 0.0:
        return by_events(row, t, h, y, dynamics, drive, None, buffer)
    for j in range(y.shape[0]):
        y[j] = out[j]
    return 0


def make_rough_stage(stamp: str) -> Callable[..., None]:
    """Make the entry for one part of a step.

    BEGIN a step; for each stage fill `motion` (2, samples, nq), in which velocities may leave a number unused, BEFORE,
    and use `push` (2, samples, n), which holds the torques at the beginning of the step and now, AFTER it; FINISH.
    Simulations with an event repeat the step with torques linear in time. Or IMPULSES, with the torques at the
    beginning.
    part : (which; the stage; t; h). dynamics, acting : (table, entry of `mass_and_bias`, damping, limits, whether
    anything damps), and those of a simulation. `state` (samples, nq + n), `buffers` (samples, room_size) and `when`
    (samples,), which becomes the time at which a matrix is singular, belong to the simulations.
    """

    def rough_stage(part, dynamics, acting, state, buffers, motion, push, when):
        stamp  # noqa: B018  part of the cache key
        which, stage, t, h = part
        scratch = control.scratch(1, motion.shape[2])
        for row in range(state.shape[0]):
            y, buffer = state[row], buffers[row]
            held = (*acting, scratch, push[0, row], push[0, row], t, 0.0, None)
            if which == BEGIN:
                failed = _begin(row, t, h, y, dynamics, held, buffer)
            elif which == BEFORE:
                failed = _before(stage, h, y, dynamics, motion[:, row], buffer)
            elif which == AFTER:
                failed = _after(stage, dynamics, push[1, row], buffer)
            elif which == FINISH:
                ramp = (*acting, scratch, push[0, row], push[1, row], t, h, None)
                failed = _finish(row, t, h, y, dynamics, ramp, buffer)
            else:
                fill_bounds(dynamics[0], buffer, base.positions(dynamics[0]))
                failed = by_impulses(row, t, h, y, dynamics, held, None, buffer)
            if failed > 0 and np.isnan(when[row]):
                when[row] = t + (NODES[stage] * h if which in (BEFORE, AFTER) else 0.0)

    return rough_stage
