"""Mass matrix and bias torques of one state, for the steps of `dry_friction`, which solve with parts of the matrix."""

from __future__ import annotations

from collections.abc import Callable

from rne.kernels import inverse_dynamics as newton_euler
from rne.kernels import mass_matrix as composite
from rne.kernels.base import positions
from rne.kernels.coordinates import load_one, sines, store_one
from rne.kernels.jit import inline
from rne.kernels.joint_friction import curve
from rne.kernels.layout import BASE, COORDINATE, COORDINATES, LINKS, QD, QDD, SPRINGS, TAU, WITH_ROTORS, Q
from rne.kernels.scratch import on_scratch, table_at
from rne.kernels.simd.num import like
from rne.kernels.simd.pack import as_floats
from rne.kernels.simd.rows import index

# What to calculate; the argument `parts` is a sum of these.
MASS, BIAS = 1, 2


@inline
def _matrix(table):
    n = int(table[0, COORDINATES])
    return n * n


@on_scratch(max(composite.WORK, newton_euler.WORK), _matrix)
def one(table, room, q, qd, mass, bias, parts):
    """Calculate one state: `mass` (n * n), row by row, and `bias` (n), with springs and curves of friction."""
    state, packs, work, spare = room
    n = int(table[0, COORDINATES])
    load_one(table, q, state, index(Q))
    sines(packs, packs.shape[1])
    if parts & BIAS:
        load_one(table, qd, state, index(QD))
        for j in range(int(table[0, LINKS]) + int(table[0, BASE])):
            state[QDD, j] = like(state[Q, j], 0.0)
        newton_euler.recursion(table, state, work, SPRINGS)
        for i in range(1, int(table[0, LINKS]) + 1):
            j = int(table[i, COORDINATE])
            state[TAU, j] = state[TAU, j] + curve(table, i, state[QD, j])
        store_one(table, state, index(TAU), bias)
    if parts & MASS:
        matrix = as_floats(spare, 0, n, n)
        composite.turns(table, state, work)
        composite.recursion(table, state, work, matrix, WITH_ROTORS)
        for i in range(n):
            for j in range(n):
                mass[i * n + j] = matrix[i, j]


def make_pointer(stamp: str) -> Callable[..., int]:
    """Make the entry for one state that other entries call; it returns 1 if a length does not match."""

    def mass_and_bias_pointer(address, q, qd, mass, bias, parts):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        n = int(table[0, COORDINATES])
        if q.shape[0] != positions(table) or qd.shape[0] != n or mass.shape[0] != n * n or bias.shape[0] != n:
            return 1
        one(table, q, qd, mass, bias, parts)
        return 0

    return mass_and_bias_pointer
