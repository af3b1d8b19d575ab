"""Derivative of the gravity torques by q, the second derivative of the potential energy.

With P_i the momentum of the bodies beyond joint i when it alone moves at unit rate, and a the upward acceleration that
stands for gravity, dg_i/dq_k = (a x z_k) . P_i where k is joint i or a revolute joint between it and the base, and
zero where k is a prismatic joint between it and the base; the matrix is symmetric. O(n d) for trees of depth d. A base
that floats turns like a revolute joint, about its own axes; translation changes nothing. Force and moment on it are in
axes that turn, too, so its own six rows and columns are not symmetric.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.algebra.vec import add_scaled, cross, dot, scale, subtract, turn, unturn
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import body_moments, directions, momentum
from rne.kernels.layout import COORDINATE, COORDINATES, LEADER, LINKS, PARENT, RATIO, Q
from rne.kernels.placement import ORIGIN, PLACEMENT, ROTATION, get_axis, placements
from rne.kernels.scratch import STACK, many_states, on_scratch
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import pack_floats, stack_buffer
from rne.kernels.simd.rows import add_to, get3, get9, index, put
from rne.kernels.simd.tile import fetch_rows, store_tile
from rne.kernels.single import (
    answer,
    filled,
    given_position,
    position_at,
    rates,
    refused,
    result_of,
    shape,
    table_here,
    table_of,
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
    up = base.against_gravity(table, zero)
    for row in range(n):
        for column in range(n):
            G[row, column] = zero
    placements(table, state, work)
    low = base.lowest(table)
    if low == 0:
        _begin_at_base(table, work)
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
        if low == 0:
            _enter_base(table, work, G, i, P)
        parent = int(table[i, PARENT])
        if parent >= low:
            work[parent, MASS] = work[parent, MASS] + m
            d = subtract(get3(work, i, ORIGIN), get3(work, parent, ORIGIN))
            add_to(work, parent, H, add_scaled(h, d, m))
    if low == 0:
        _fill_base(table, state, work, G)


@borrowing
def _begin_at_base(table, work):
    """Write mass and first moments of the body of a base that floats."""
    R = get9(work, 0, ROTATION)
    m, h, _ = base.moments(table, R[0])
    work[0, MASS] = m
    put(work, 0, H, unturn(h, R))


@borrowing
def _enter_base(table, work, G, i, P):
    """Add the entries of joint i and the rotations of the base."""
    felt = turn(cross(P, base.against_gravity(table, P[0])), get9(work, 0, ROTATION))
    value = scale(felt, like(P[0], table[i, RATIO]))
    row = int(table[i, LEADER])
    G[row, 3], G[row, 4], G[row, 5] = G[row, 3] + value[0], G[row, 4] + value[1], G[row, 5] + value[2]
    G[3, row], G[4, row], G[5, row] = G[3, row] + value[0], G[4, row] + value[1], G[5, row] + value[2]


@borrowing
def _fill_base(table, state, work, G):
    """Write the entries of the base alone, for all bodies as a composite."""
    R, doubt = get9(work, 0, ROTATION), base.doubt(state)
    x, y, z = base.axes(R)
    _fill_column(table, work, G, 3, x, R)
    _fill_column(table, work, G, 4, y, R)
    _fill_column(table, work, G, 5, z, R)
    for k in range(6):
        G[k, k] = G[k, k] + doubt


@inline
def _fill_column(table, work, G, column, axis, R):
    """Write force and moment of the change of gravity, seen from the base, per unit of rotation about an axis."""
    change, h = cross(base.against_gravity(table, axis[0]), axis), get3(work, 0, H)
    f, n = turn(scale(change, work[0, MASS]), R), turn(cross(h, change), R)
    G[0, column], G[1, column], G[2, column] = f
    G[3, column], G[4, column], G[5, column] = n


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
        n = rates(card)
        q_at = given_position(card, q)
        table_at = table_of(card, gravity, stack_buffer(card, STACK))
        if q_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 2, shape(n, n, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        one(table, q_row, filled(card, result, n, n))
        return answer(result)

    return gravity_derivative_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q and the matrices."""

    def gravity_derivative_many(table, first, stop, addresses):
        stamp  # noqa: B018  part of the cache key
        n = int(table[0, COORDINATES])
        samples = pack_floats(table, 1)
        state, work, tile, _, out = many_states(table, WORK, 0, n * n)
        G = out.reshape((n, n))
        for row in range(first, stop, samples):
            load_many(table, state, tile, Q, 1, addresses, row, stop - 1)
            fetch_rows(addresses[2], addresses[3], row, stop, samples)
            joint_sines(table, state)
            recursion(table, state, work, G)
            store_tile(out, 0, addresses[2], addresses[3], row, stop - 1, n * n)

    return gravity_derivative_many
