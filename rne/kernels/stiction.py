"""Forward dynamics of joints that dry friction may hold at rest, for many states."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rne.kernels import mass_and_bias
from rne.kernels.base import positions
from rne.kernels.complementarity import dry_force, find_modes, holding_forces, solve_held
from rne.kernels.dry_friction import DOWN, UP, fill_bounds, fill_system, room_in, room_size, set_modes
from rne.kernels.jit import internal
from rne.kernels.layout import COORDINATES
from rne.kernels.mass_and_bias import BIAS, MASS


@internal
def _accelerate(table, friction, state, tau, known, results, buffer):
    """Find accelerations, modes and holding forces of one state; returns 0 unless the mass matrix is singular."""
    _, limits = friction
    modes, forces, qdd = results[0], results[1], results[2]
    n = tau.shape[0]
    w = state.shape[0] - n
    room = room_in(table, buffer, w)
    _, solving, matrices, vectors, (_, _, _, _, _, right), (now, contacts, resting, reach), _ = room
    mass, bias, A, bounds = matrices
    x, found, full = vectors
    set_modes(state, limits, room[5], w, w - n)
    mass_and_bias.one(table, state[:w], state[w:], mass, bias, MASS | BIAS)
    fill_system(tau, state[w:], friction, contacts, matrices, right)
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
    """Make the entry that fills `results`, modes, forces and qdd (3, samples, n), and marks singular mass matrices.

    damping : (n, n). limits : (LIMITS, n) of `dry_friction`, without stops. state : (samples, w + n), positions and
    velocities. tau : (samples, n). known : whether the modes are given. They are those of `complementarity`; the forces
    that hold a joint are zero where it slides.
    """

    def stiction_many(table, damping, limits, state, tau, known, results, marks):
        stamp  # noqa: B018  part of the cache key
        n = int(table[0, COORDINATES])
        if state.shape[1] != positions(table) + n:
            raise ValueError("state: wanted positions and velocities")
        buffer = np.zeros(room_size(n, positions(table)))
        fill_bounds(table, buffer, positions(table))
        for row in range(tau.shape[0]):
            failed = _accelerate(table, (damping, limits), state[row], tau[row], known, results[:, row], buffer)
            marks[row] = 1 if failed != 0 else 0

    return stiction_many
