"""Derivatives of the accelerations of forward dynamics by q, qd and tau, from those of inverse dynamics.

Where torques and accelerations belong together, tau(q, qd, qdd) is constant, so

    dqdd/dtau = M^-1,    dqdd/dq = -M^-1 dtau/dq,    dqdd/dqd = -M^-1 dtau/dqd

at these accelerations (Carpentier and Mansard, "Analytical derivatives of rigid body dynamics algorithms", RSS 2018).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import derivatives
from rne.kernels.cholesky import mark
from rne.kernels.coordinates import expand, first_column, joint_sines, load_many, load_one, sines
from rne.kernels.forward_dynamics import by_matrix
from rne.kernels.jit import inline
from rne.kernels.layout import COORDINATES, MIMIC, QD, QDD, Q
from rne.kernels.scratch import STACK, aligned, many_states, on_scratch
from rne.kernels.simd.pack import as_floats, pack_floats, stack_buffer
from rne.kernels.simd.rows import index
from rne.kernels.simd.tile import fetch_rows, load_tile, store_tile
from rne.kernels.single import (
    answer,
    filled,
    given_or_zero,
    given_position,
    given_up,
    position_at,
    rates,
    refused,
    result_of,
    shape,
    table_here,
    table_of,
    vector_at,
)
from rne.kernels.sparsity import branches, fill_pattern, inverse, pattern_size, solve_negative


@inline
def recursion(table, state, work, sides, D, loads):
    """Calculate the derivatives by q, qd and tau, one below the other in D (3 coordinates, coordinates).

    state : rows Q, QD, SIN_Q and COS_Q. work : (links + 1, derivatives.WORK) scratch. sides : scratch for a mass matrix
    (coordinates, coordinates), tau in row 0 of a matrix (2, coordinates), and the pattern of
    `sparsity`. Returns one bit per lane: whether the mass matrix is singular.
    """
    n = int(table[0, COORDINATES])
    mass, x, pattern = sides
    singular = by_matrix(table, state, work, mass, x, loads)
    if table[0, MIMIC] != 0.0:
        expand(table, x[0], state[QDD], 0.0)
    else:
        first = first_column(table, index(QDD))
        for j in range(n):
            state[QDD, first + j] = x[0, j]
    if branches(table):
        derivatives.clear(D)
    derivatives.recursion(table, state, work, D, loads)
    solve_negative(mass, D, 2 * n, pattern)
    inverse(mass, D, 2 * n, pattern)
    return singular


@inline
def _matrix_and_sides(table):
    """Number of values needed besides the columns: mass matrix, two rows, and the pattern."""
    n = int(table[0, COORDINATES])
    return n * n + 2 * n + pattern_size(table)


@on_scratch(derivatives.WORK, _matrix_and_sides)
def one(table, room, q, qd, tau, D, loads):
    """Calculate one state, of floats. Returns 0 unless the mass matrix is singular."""
    state, packs, work, spare = room
    n = int(table[0, COORDINATES])
    mass, x = as_floats(spare, 0, n, n), as_floats(spare, n * n, 2, n)
    pattern = as_floats(spare, n * n + 2 * n, 2 * n, n + 1)
    fill_pattern(table, pattern)
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    for j in range(n):
        x[0, j] = tau[j]
    sines(packs, packs.shape[1])
    return recursion(table, state, work, (mass, x, pattern), D, loads)


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state, as in `single`; it returns None if the mass matrix is singular."""

    def forward_derivatives_one(card, q, qd, tau, gravity, out, loads):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        qd_at = given_or_zero(card, qd, n)
        tau_at = given_or_zero(card, tau, n)
        table_at = table_of(card, gravity, stack_buffer(card, STACK))
        if q_at == 0 or qd_at == 0 or tau_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 3, shape(3, n, n, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        qd_row = vector_at(card, qd_at, n)
        tau_row = vector_at(card, tau_at, n)
        if one(table, q_row, qd_row, tau_row, filled(card, result, 3 * n, n), loads):
            return given_up(card, result)
        return answer(result)

    return forward_derivatives_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, qd, tau and the matrices.

    suspects : one number per sample; set to 1 where the mass matrix is singular.
    """

    def forward_derivatives_many(table, first, stop, addresses, loads, suspects):
        stamp  # noqa: B018  part of the cache key
        n = int(table[0, COORDINATES])
        samples = pack_floats(table, 1)
        state, work, x, spare, out = many_states(table, derivatives.WORK, n * n, 3 * n * n)
        mass, D = spare.reshape((n, n)), out.reshape((3 * n, n))
        pattern = aligned(table, pattern_size(table)).reshape((2 * n, n + 1))
        fill_pattern(table, pattern)
        for row in range(first, stop, samples):
            load_many(table, state, x, Q, 2, addresses, row, stop - 1)
            load_tile(x, 0, addresses[4], addresses[5], row, stop - 1, n)
            if n < derivatives.FETCHED:
                fetch_rows(addresses[6], addresses[7], row, stop, samples)
            joint_sines(table, state)
            singular = recursion(table, state, work, (mass, x, pattern), D, loads)
            mark(suspects, singular, row, min(samples, stop - row))
            store_tile(out, 0, addresses[6], addresses[7], row, stop - 1, 3 * n * n)

    return forward_derivatives_many
