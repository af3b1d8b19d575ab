"""Derivative of the gravity torques by q, the second derivative of the potential energy.

With P_i the momentum of the bodies beyond joint i when it alone moves at unit rate, and a the upward acceleration that
stands for gravity, dg_i/dq_k = (a x z_k) . P_i where k is joint i or a revolute joint between it and the base, and
zero where k is a prismatic joint between it and the base; the matrix is symmetric. O(n d) for trees of depth d.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels.algebra.vec import add_scaled, cross, dot, subtract
from rne.kernels.coordinates import load_many, load_one, sines
from rne.kernels.jit import inline
from rne.kernels.joint import body_moments, directions, momentum
from rne.kernels.layout import COORDINATE, COORDINATES, GRAVITY, LEADER, LINKS, PARENT, RATIO, Q
from rne.kernels.placement import ORIGIN, PLACEMENT, ROTATION, get_axis, placements
from rne.kernels.scratch import STACK, many_states, on_scratch
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import pack_floats, stack_buffer
from rne.kernels.simd.rows import add_to, get3, get9, index, put
from rne.kernels.simd.tile import fetch_rows, store_tile
from rne.kernels.single import (
    answer,
    coordinates,
    filled,
    given,
    refused,
    result_of,
    shape,
    table_here,
    table_of,
    vector_at,
)

# Numbers stored for each link: its placement, then mass and first moments of the bodies beyond its joint.
MASS, H = PLACEMENT, PLACEMENT + 1
WORK = PLACEMENT + 4


@inline
def recursion(table, state, work, G):
    """Fill G (coordinates, coordinates) from rows Q, SIN_Q and COS_Q of `state`.

    table : (links + 1, WIDTH). work : (links + 1, WORK) scratch.
    """
    links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
    zero = like(work[0, 0], 0.0)
    none = (zero, zero, zero, zero, zero, zero)
    up = (like(zero, -table[0, GRAVITY]), like(zero, -table[0, GRAVITY + 1]), like(zero, -table[0, GRAVITY + 2]))
    for row in range(n):
        for column in range(n):
            G[row, column] = zero
    placements(table, state, work)
    for i in range(1, links + 1):
        m, h, _ = body_moments(table, i, get9(work, i, ROTATION))
        work[i, MASS] = m
        put(work, i, H, h)
    for i in range(links, 0, -1):
        m, h = work[i, MASS], get3(work, i, H)
        P, _ = momentum(table, i, get_axis(work, i), m, h, none)
        row = int(table[i, LEADER])
        G[row, row] = fma(state[Q, int(table[i, COORDINATE])], zero, G[row, row])  # propagates NaN
        k = i
        while k > 0:
            spin, _ = directions(table, k, get_axis(work, k))
            value = dot(cross(up, spin), P) * (table[i, RATIO] * table[k, RATIO])
            column = int(table[k, LEADER])
            G[row, column] = G[row, column] + value
            if k != i:
                G[column, row] = G[column, row] + value
            k = int(table[k, PARENT])
        parent = int(table[i, PARENT])
        if parent > 0:
            work[parent, MASS] = work[parent, MASS] + m
            d = subtract(get3(work, i, ORIGIN), get3(work, parent, ORIGIN))
            add_to(work, parent, H, add_scaled(h, d, m))


@on_scratch(WORK)
def one(table, room, q, G):
    """Calculate one state, of floats. The caller has checked the shapes."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    sines(packs, packs.shape[1])
    recursion(table, state, work, G)


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def gravity_derivative_one(card, q, gravity, out):
        stamp  # noqa: B018  part of the cache key
        n = coordinates(card)
        q_at = given(card, q, n)
        table_at = table_of(card, gravity, stack_buffer(card, STACK))
        if q_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 2, shape(n, n, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = vector_at(card, q_at, n)
        one(table, q_row, filled(card, result, n, n))
        return answer(result)

    return gravity_derivative_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q and the matrices."""

    def gravity_derivative_many(table, first, stop, addresses):
        stamp  # noqa: B018  part of the cache key
        links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
        samples = pack_floats(table, 1)
        state, work, tile, _, out = many_states(table, WORK, 0, n * n)
        G = out.reshape((n, n))
        for row in range(first, stop, samples):
            load_many(table, state, tile, Q, 1, addresses, row, stop - 1)
            fetch_rows(addresses[2], addresses[3], row, stop, samples)
            sines(state, links)
            recursion(table, state, work, G)
            store_tile(out, 0, addresses[2], addresses[3], row, stop - 1, n * n)

    return gravity_derivative_many
