"""Operational-space inertia (J M^-1 J^T)^-1 far from singular postures; near them, the caller uses singular values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import jacobian, mass_matrix
from rne.kernels.cholesky import factor, invert
from rne.kernels.coordinates import load_one, sines
from rne.kernels.jit import inline
from rne.kernels.layout import COORDINATES, SITE_WIDTH, Q
from rne.kernels.placement import PLACEMENT
from rne.kernels.scratch import on_scratch
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import as_floats
from rne.kernels.simd.rows import index
from rne.kernels.single import (
    answer,
    filled,
    given_position,
    given_up,
    own_table,
    position_at,
    rates,
    refused,
    result_of,
    shape,
    site_at,
    table_here,
)

WORK = max(mass_matrix.WORK, PLACEMENT)

# A pivot below this fraction of its diagonal entry costs more than four digits of the inverse. Relative to `factor`,
# which takes 1e-15 of a bound.
_BOUND = 1e-4 / 1e-15


@inline
def _numbers(table):
    """Number of values for the mass matrix, its bounds, the Jacobian, and the bounds of the matrix to be inverted."""
    n = int(table[0, COORDINATES])
    return n * n + 2 * n + 6 * n + 12


@on_scratch(WORK, _numbers)
def one(table, room, site, q, chosen, inertia, kind):
    """Fill `inertia` (k, k) for k rows of the Jacobian; returns 0 unless a matrix is singular, or nearly so.

    chosen : the selected rows, three bits each. kind : as for the mass matrix.
    """
    state, packs, work, spare = room
    n, k = int(table[0, COORDINATES]), inertia.shape[0]
    mass, bounds = as_floats(spare, 0, n, n), as_floats(spare, n * n, 2, n)
    J, limits = as_floats(spare, n * n + 2 * n, 6, n), as_floats(spare, n * n + 8 * n, 2, 6)
    load_one(table, q, state, index(Q))
    sines(packs, packs.shape[1])
    jacobian.recursion(table, site, state, work, as_floats(spare, n * n + 2 * n, 1, 6 * n))
    mass_matrix.turns(table, state, work)
    mass_matrix.recursion(table, state, work, mass, kind)
    mass_matrix.bounds(table, bounds)
    singular = factor(mass, bounds, n)
    invert(mass, n)
    for a in range(k):
        of_a = (chosen >> (3 * a)) & 7
        for i in range(n):
            bounds[0, i] = like(bounds[0, i], 0.0)
            for j in range(n):
                bounds[0, i] = fma(mass[i, j], J[of_a, j], bounds[0, i])
        for b in range(a + 1):
            of_b = (chosen >> (3 * b)) & 7
            mobility = like(bounds[0, 0], 0.0)
            for i in range(n):
                mobility = fma(J[of_b, i], bounds[0, i], mobility)
            inertia[a, b] = inertia[b, a] = mobility
        limits[1, a] = inertia[a, a] * _BOUND
    singular |= factor(inertia, limits, k)
    invert(inertia, k)
    return singular


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state, as in `single`; it returns None near singular postures, and for NaN."""

    def operational_inertia_one(card, q, out, site, rows, chosen, kind):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        if q_at == 0 or n == 0:
            return refused(card)
        result = result_of(card, out, 2, shape(rows, rows, 1, 1))
        if result == 0:
            return refused(card)
        table, inertia = table_here(card, own_table(card)), filled(card, result, rows, rows)
        singular = one(table, site_at(card, site, 1, SITE_WIDTH), position_at(card, q_at), chosen, inertia, kind)
        if singular or inertia[0, 0] != inertia[0, 0]:
            return given_up(card, result)
        return answer(result)

    return operational_inertia_one
