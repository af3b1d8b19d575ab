"""Forward dynamics of joints that dry friction may hold at rest, for many states."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rne.kernels.complementarity import dry_force, find_modes, holding_forces, solve_held
from rne.kernels.dry_friction import DOWN, UP, fill_bounds, forces_at, room_in, room_size, set_modes
from rne.kernels.jit import internal


@internal
def _accelerate(row, dynamics, drive, y, known, results, buffer):
    """Find accelerations, modes and holding forces of one state; returns 0 unless the mass matrix is singular."""
    _, _, _, limits, _ = dynamics
    modes, forces, qdd = results
    n = qdd.shape[0]
    room = room_in(buffer, n, n)
    _, solving, (_, _, A, bounds), vectors, (_, _, _, _, _, right), (now, _, resting, reach), _ = room
    x, found, full = vectors
    set_modes(y, limits, room[5], n)
    forces_at(row, 0.0, 0.0, y, dynamics, drive, None, room)
    if known:
        for j in range(n):
            now[j] = modes[j]
            full[j] = right[j] + dry_force(now[j], limits[UP, j], limits[DOWN, j])
        failed = solve_held(A, full, now, bounds, solving, x)
        holding_forces(A, right, now, x, found)
    else:
        failed = find_modes(A, right, (reach[0], reach[1]), now, resting, bounds, solving, vectors)
    for j in range(n):
        qdd[j], modes[j], forces[j] = x[j], now[j], found[j]
    return failed


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry that fills `results`, modes, forces and qdd (samples, n) each, and marks singular mass matrices.

    dynamics, acting : as for `stages.make_rough_stage`. state : (samples, 2 n) positions and velocities. tau :
    (samples, n). known : whether the modes are given. They are those of `complementarity`; the forces that hold a
    joint, zero of one that slides.
    """

    def stiction_many(dynamics, acting, state, tau, known, results, marks):
        stamp  # noqa: B018  part of the cache key
        modes, forces, qdd = results
        n = tau.shape[1]
        buffer = np.zeros(room_size(n, n))
        fill_bounds(dynamics[0], buffer, n, n)
        for row in range(tau.shape[0]):
            drive = (*acting, None, tau[row], tau[row], 0.0, 0.0)
            one = modes[row], forces[row], qdd[row]
            failed = _accelerate(row, dynamics, drive, state[row], known, one, buffer)
            marks[row] = 1 if failed != 0 else 0

    return stiction_many
