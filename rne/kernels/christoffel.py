"""Christoffel symbols of the first kind of the mass matrix: D_ijk with tau_i = sum of D_ijk qd_j qd_k.

With J_i the velocity field when joint i alone moves at unit rate, they are integrals over the mass of the robot,

    D_ijk = integral of J_i . dJ_k/dq_j dm

If joint j is joint k or lies between it and the base, J_k rotates with joint j: dJ_k/dq_j = z_j x J_k if j is revolute,
and zero if it is prismatic. So D_ijk = D_ikj = z_j . Q_ki with Q_ki = integral of J_k x J_i dm over all bodies beyond
both joints: one vector for each pair of joints on a path to the base, and Q_ik = -Q_ki. Of order n d^2 for trees of
depth d, like the recursion of Echeandia and Wensing, "Numerical methods to compute the Coriolis matrix and Christoffel
symbols for rigid-body systems", ASME J. Comput. Nonlinear Dyn. 16 (2021). As for M, regrouped bodies give the same
result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels.algebra.moments import add_outer, moved
from rne.kernels.algebra.vec import subtract
from rne.kernels.coordinates import load_many, load_one, sines
from rne.kernels.jit import inline
from rne.kernels.joint import along_axis, body_moments, crossed, moment_of_momentum, momentum
from rne.kernels.layout import COORDINATE, COORDINATES, LEADER, LINKS, PARENT, RATIO, Q
from rne.kernels.placement import ORIGIN, PLACEMENT, ROTATION, get_axis, placements
from rne.kernels.scratch import many_states, on_scratch
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import pack_floats
from rne.kernels.simd.rows import add_to, get3, get6, get9, index, put
from rne.kernels.simd.tile import fetch_rows, store_tile
from rne.kernels.single import (
    answer,
    coordinates,
    filled,
    given,
    own_table,
    refused,
    result_of,
    shape,
    table_here,
    vector_at,
)

# Numbers stored for each link: its placement, and the moments m, h, S of all bodies beyond its joint.
MASS, FIRST, SECOND = PLACEMENT, PLACEMENT + 1, PLACEMENT + 4
WORK = PLACEMENT + 10


@inline
def _add(table, D, i, j, k, value):
    """Add D_ijk = D_ikj = value of three joints to the symbols of the coordinates that they follow."""
    weighted = value * (table[i, RATIO] * table[j, RATIO] * table[k, RATIO])
    a, b, c = int(table[i, LEADER]), int(table[j, LEADER]), int(table[k, LEADER])
    D[a, b, c] = D[a, b, c] + weighted
    if j != k:
        D[a, c, b] = D[a, c, b] + weighted


@inline
def _turned(table, work, j, Q):
    """z_j . Q for a revolute joint, zero for a prismatic one."""
    zero = like(Q[0], 0.0)
    return along_axis(table, j, get_axis(work, j), (zero, zero, zero), Q)


@inline
def _pair(table, work, D, i, k, Q):
    """Add all symbols of joint i and its ancestor k, where Q = Q_ki."""
    j = i
    while j != k:
        _add(table, D, k, j, i, -_turned(table, work, j, Q))
        j = int(table[j, PARENT])
    while j > 0:
        value = _turned(table, work, j, Q)
        _add(table, D, k, j, i, -value)
        _add(table, D, i, j, k, value)
        j = int(table[j, PARENT])


@inline
def recursion(table, state, work, D):
    """Calculate D (coordinates, coordinates, coordinates) from rows Q, SIN_Q and COS_Q of `state`.

    table : (links + 1, WIDTH). work : (links + 1, WORK) scratch. Mimic joints are reduced to coordinates.
    """
    links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
    zero = like(state[Q, 0], 0.0)
    for a in range(n):
        for b in range(n):
            for c in range(n):
                D[a, b, c] = zero
    for i in range(1, links + 1):  # D_iii is zero, but propagates NaN
        a = int(table[i, LEADER])
        D[a, a, a] = fma(state[Q, int(table[i, COORDINATE])], zero, D[a, a, a])
    placements(table, state, work)
    for i in range(1, links + 1):
        m, h, S = body_moments(table, i, get9(work, i, ROTATION))
        work[i, MASS] = m
        put(work, i, FIRST, h)
        put(work, i, SECOND, S)
    for i in range(links, 0, -1):
        axis, m, h, S = get_axis(work, i), work[i, MASS], get3(work, i, FIRST), get6(work, i, SECOND)
        parent = int(table[i, PARENT])
        if parent > 0:
            first, second = moved(m, h, S, subtract(get3(work, i, ORIGIN), get3(work, parent, ORIGIN)))
            work[parent, MASS] = work[parent, MASS] + m
            add_to(work, parent, FIRST, first)
            add_to(work, parent, SECOND, second)
        a, _ = momentum(table, i, axis, m, h, S)
        T = moment_of_momentum(table, i, axis, h, S)
        last, k = i, parent
        while k > 0:
            T = add_outer(T, a, subtract(get3(work, last, ORIGIN), get3(work, k, ORIGIN)))
            _pair(table, work, D, i, k, crossed(table, k, get_axis(work, k), a, T))
            last, k = k, int(table[k, PARENT])


@on_scratch(WORK)
def one(table, room, q, D):
    """Calculate one state, of floats. The caller has checked the shapes."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    sines(packs, packs.shape[1])
    recursion(table, state, work, D)


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def christoffel_one(card, q, out):
        stamp  # noqa: B018  part of the cache key
        n = coordinates(card)
        q_at = given(card, q, n)
        table_at = own_table(card)
        if q_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 3, shape(n, n, n, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = vector_at(card, q_at, n)
        one(table, q_row, filled(card, result, n * n, n).reshape((n, n, n)))
        return answer(result)

    return christoffel_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q and D."""

    def christoffel_many(table, first, stop, addresses):
        stamp  # noqa: B018  part of the cache key
        links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
        samples = pack_floats(table, 1)
        state, work, tile, _, out = many_states(table, WORK, 0, n * n * n)
        D = out.reshape((n, n, n))
        for row in range(first, stop, samples):
            load_many(table, state, tile, Q, 1, addresses, row, stop - 1)
            fetch_rows(addresses[2], addresses[3], row, stop, samples)
            sines(state, links)
            recursion(table, state, work, D)
            store_tile(out, 0, addresses[2], addresses[3], row, stop - 1, n * n * n)

    return christoffel_many
