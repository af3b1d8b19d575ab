"""Coriolis matrix of Christoffel symbols: an outward sweep, an inward sweep, and from each joint a walk to the base.

With J_j the velocity field when joint j alone moves at unit rate (z x r for a revolute joint with an axis through the
origin, z for a prismatic one), mass matrix and Christoffel symbols are integrals over the mass of the robot:

    M_ij = integral of J_i . J_j dm,    D_ijk = integral of J_i . dJ_j/dq_k dm,    C_ij = integral of J_i . J'_j dm

with J' the rate of change along the motion. So column j of C contains the joint torques of the acceleration field J'_j,
which depend on the bodies beyond joint j only by their moments and the rates of these (`moments.py`). This is the
matrix of Echeandia and Wensing, "Numerical methods to compute the Coriolis matrix and Christoffel symbols for
rigid-body systems", ASME J. Comput. Nonlinear Dyn. 16 (2021), whose composite 6x6 matrices B hold the same integrals.
A base that floats has six fields more, the axes of the base and rotations about them: C qd are then the velocity
torques of Kane's equations, and M' - 2 C is skew as before.
O(n d) for trees of depth d. As for M, regrouped bodies give the same result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.algebra.moments import around, moved, moved_rates, spun, turned_fully
from rne.kernels.algebra.vec import add, add_cross, add_product, cross, scale, subtract, turn, unturn
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import add_rate, along_axis, body_moments, momentum, momentum_rates
from rne.kernels.layout import BASE_ANGULAR, COORDINATE, COORDINATES, LEADER, LINKS, PARENT, QD, RATIO, Q
from rne.kernels.placement import ORIGIN, PLACEMENT, ROTATION, get_axis, placements
from rne.kernels.scratch import many_states, on_scratch
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import pack_floats
from rne.kernels.simd.rows import add_to, get3, get6, get9, index, put
from rne.kernels.simd.tile import fetch_rows, store_tile
from rne.kernels.single import (
    answer,
    filled,
    given_or_zero,
    given_position,
    own_table,
    position_at,
    rates,
    refused,
    result_of,
    shape,
    table_here,
    vector_at,
)

# Numbers stored for each link: its placement, angular velocity, rate of its axis, position and velocity of its origin
# relative to that of the parent, and the moments of all bodies beyond its joint: m, h, S, h', V.
W, TURNING, ARM, ARM_RATE = PLACEMENT, PLACEMENT + 3, PLACEMENT + 6, PLACEMENT + 9
MASS, FIRST, SECOND, FIRST_RATE, SECOND_RATE = (
    PLACEMENT + 12,
    PLACEMENT + 13,
    PLACEMENT + 16,
    PLACEMENT + 22,
    PLACEMENT + 25,
)
WORK = PLACEMENT + 34


@inline
def _outward(table, state, work):
    """Calculate the motion of every link, and the moments of its own body."""
    placements(table, state, work)
    zero = like(work[0, 0], 0.0)
    put(work, 0, W, (zero, zero, zero))
    if base.floats(table):
        _begin_at_base(table, state, work)
    for i in range(1, int(table[0, LINKS]) + 1):
        parent = int(table[i, PARENT])
        axis, w = get_axis(work, i), get3(work, parent, W)
        d = subtract(get3(work, i, ORIGIN), get3(work, parent, ORIGIN))
        put(work, i, TURNING, cross(w, axis))
        put(work, i, ARM, d)
        w, dd = add_rate(table, i, w, cross(w, d), axis, state[QD, int(table[i, COORDINATE])])
        put(work, i, W, w)
        put(work, i, ARM_RATE, dd)
        m, h, S = body_moments(table, i, get9(work, i, ROTATION))
        work[i, MASS] = m
        put(work, i, FIRST, h)
        put(work, i, SECOND, S)
        put(work, i, FIRST_RATE, cross(w, h))
        put(work, i, SECOND_RATE, spun(w, S))


@borrowing
def _begin_at_base(table, state, work):
    """Write the motion of a base that floats, and the moments of its own body."""
    R = get9(work, 0, ROTATION)
    w = unturn(get3(state, QD, BASE_ANGULAR), R)
    m, h, S = base.moments(table, w[0])
    h, S = unturn(h, R), turned_fully(R, S)
    put(work, 0, W, w)
    work[0, MASS] = m
    put(work, 0, FIRST, h)
    put(work, 0, SECOND, S)
    put(work, 0, FIRST_RATE, cross(w, h))
    put(work, 0, SECOND_RATE, spun(w, S))


@inline
def _enter(table, C, i, k, value):
    """Add the entries of joints i and k to those of their coordinates; the sum is G^T C G."""
    row, column = int(table[i, LEADER]), int(table[k, LEADER])
    C[row, column] = fma(value, table[i, RATIO] * table[k, RATIO], C[row, column])


@inline
def recursion(table, state, work, C):
    """Calculate C (coordinates, coordinates) from rows Q, QD, SIN_Q and COS_Q of `state`.

    table : (links + 1, WIDTH). work : (links + 1, WORK) scratch.
    """
    zero = like(work[0, 0], 0.0)
    nothing = (zero, zero, zero)
    for row in range(int(table[0, COORDINATES])):
        for column in range(int(table[0, COORDINATES])):
            C[row, column] = zero
    _outward(table, state, work)
    low = base.lowest(table)
    for i in range(int(table[0, LINKS]), 0, -1):
        axis = get_axis(work, i)
        m, h, S = work[i, MASS], get3(work, i, FIRST), get6(work, i, SECOND)
        hd, V = get3(work, i, FIRST_RATE), get9(work, i, SECOND_RATE)
        parent = int(table[i, PARENT])
        if parent >= low:
            d, dd = get3(work, i, ARM), get3(work, i, ARM_RATE)
            first, second = moved(m, h, S, d)
            first_rate, second_rate = moved_rates(m, h, hd, V, d, dd)
            work[parent, MASS] = work[parent, MASS] + m
            add_to(work, parent, FIRST, first)
            add_to(work, parent, SECOND, second)
            add_to(work, parent, FIRST_RATE, first_rate)
            add_to(work, parent, SECOND_RATE, second_rate)
        # Integrals of J and r x J, then of J', r x J' and r' x J, for J = J_i, over all bodies beyond joint i.
        a, b = momentum(table, i, axis, m, h, S)
        f, n, e = momentum_rates(table, i, axis, get3(work, i, TURNING), (m, h, S), (hd, V))
        j = int(table[i, COORDINATE])
        felt = fma(state[Q, j], zero, fma(state[QD, j], zero, along_axis(table, i, axis, f, n)))  # propagates NaN
        _enter(table, C, i, i, felt)
        last, k = i, parent
        while k > 0:
            d, dd = get3(work, last, ARM), get3(work, last, ARM_RATE)
            n, b, e = add_cross(n, d, f), add_cross(b, d, a), add_cross(e, dd, a)  # about the origin of link k
            axis = get_axis(work, k)
            _enter(table, C, k, i, along_axis(table, k, axis, f, n))
            pull = along_axis(table, k, get3(work, k, TURNING), a, b) + along_axis(table, k, axis, nothing, e)
            _enter(table, C, i, k, pull)
            last, k = k, int(table[k, PARENT])
        if low == 0:
            d, dd = get3(work, last, ARM), get3(work, last, ARM_RATE)
            n, b, e = add_cross(n, d, f), add_cross(b, d, a), add_cross(e, dd, a)
            _enter_base(table, work, C, i, (f, n), (a, b, e))
    if low == 0:
        _fill_base(state, work, C)


@borrowing
def _enter_base(table, work, C, i, wrench, swept):
    """Add the entries of joint i and the base: of the force and moment of J'_i, and of the integrals a, b, e of J_i."""
    R, w = get9(work, 0, ROTATION), get3(work, 0, W)
    column, ratio = int(table[i, LEADER]), table[i, RATIO]
    _add_column(C, column, turn(wrench[0], R), turn(wrench[1], R), ratio)
    a, b, e = swept
    # For all three axes x of the base, (w x x) . a = x . (a x w).
    first, second = turn(cross(a, w), R), turn(add_cross(e, b, w), R)
    C[column, 0] = fma(first[0], ratio, C[column, 0])
    C[column, 1] = fma(first[1], ratio, C[column, 1])
    C[column, 2] = fma(first[2], ratio, C[column, 2])
    C[column, 3] = fma(second[0], ratio, C[column, 3])
    C[column, 4] = fma(second[1], ratio, C[column, 4])
    C[column, 5] = fma(second[2], ratio, C[column, 5])


@borrowing
def _fill_base(state, work, C):
    """Write the entries of the base alone, for all bodies as a composite."""
    doubt = base.doubt(state)
    x, y, z = base.axes(get9(work, 0, ROTATION))
    _fill_columns(work, C, 0, x, doubt)
    _fill_columns(work, C, 1, y, doubt)
    _fill_columns(work, C, 2, z, doubt)


@inline
def _fill_columns(work, C, k, axis, doubt):
    """Write the columns of translation along and rotation about axis k of the base, for all bodies as a composite."""
    R, w = get9(work, 0, ROTATION), get3(work, 0, W)
    m, h, S = work[0, MASS], get3(work, 0, FIRST), get6(work, 0, SECOND)
    hd, V = get3(work, 0, FIRST_RATE), get9(work, 0, SECOND_RATE)
    turning = cross(w, axis)
    one = like(m, 1.0)
    f, n = scale(turning, m), cross(h, turning)
    _add_column(C, k, turn(f, R), turn(n, R), one)
    f = add(cross(turning, h), cross(axis, hd))
    spread = scale(axis, V[0] + V[4] + V[8])
    n = add(around(S, turning), add_product(spread, V, scale(axis, -one)))
    _add_column(C, 3 + k, turn(f, R), turn(n, R), one)
    C[k, k] = C[k, k] + doubt
    C[3 + k, 3 + k] = C[3 + k, 3 + k] + doubt


@inline
def _add_column(C, column, f, n, ratio):
    """Add `ratio` times force and moment on the base, in its axes, to a column."""
    C[0, column] = fma(f[0], ratio, C[0, column])
    C[1, column] = fma(f[1], ratio, C[1, column])
    C[2, column] = fma(f[2], ratio, C[2, column])
    C[3, column] = fma(n[0], ratio, C[3, column])
    C[4, column] = fma(n[1], ratio, C[4, column])
    C[5, column] = fma(n[2], ratio, C[5, column])


@on_scratch(WORK)
def one(table, room, q, qd, C):
    """Calculate one state, of floats. The caller has checked the shapes."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    sines(packs, packs.shape[1])
    recursion(table, state, work, C)


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def coriolis_matrix_one(card, q, qd, out):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        qd_at = given_or_zero(card, qd, n)
        table_at = own_table(card)
        if q_at == 0 or qd_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 2, shape(n, n, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        qd_row = vector_at(card, qd_at, n)
        one(table, q_row, qd_row, filled(card, result, n, n))
        return answer(result)

    return coriolis_matrix_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, qd and C."""

    def coriolis_matrix_many(table, first, stop, addresses):
        stamp  # noqa: B018  part of the cache key
        n = int(table[0, COORDINATES])
        samples = pack_floats(table, 1)
        state, work, tile, _, out = many_states(table, WORK, 0, n * n)
        C = out.reshape((n, n))
        for row in range(first, stop, samples):
            load_many(table, state, tile, Q, 2, addresses, row, stop - 1)
            fetch_rows(addresses[4], addresses[5], row, stop, samples)
            joint_sines(table, state)
            recursion(table, state, work, C)
            store_tile(out, 0, addresses[4], addresses[5], row, stop - 1, n * n)

    return coriolis_matrix_many
