"""Rate of change of the geometric Jacobian of a point along the motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.algebra.vec import add_cross, cross, subtract, turn
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines
from rne.kernels.jacobian import add_column
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import directions
from rne.kernels.layout import COORDINATES, LEADER, PARENT, QD, RATIO, SITE_OWN_AXES, SITE_ROW, SITE_WIDTH, Q
from rne.kernels.placement import ORIGIN, ROTATION, axes_of, get_axis, origin_of, placements
from rne.kernels.scratch import many_states, on_scratch
from rne.kernels.simd.num import like
from rne.kernels.simd.pack import as_floats, pack_floats
from rne.kernels.simd.rows import get3, get9, index
from rne.kernels.simd.tile import store_tile
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
    site_at,
    table_here,
    vector_at,
)
from rne.kernels.velocities import VELOCITY, V, W, velocities


@inline
def recursion(table, site, state, work, out):
    """Fill row 0 of `out`, a matrix (6, n) row by row, from rows Q, QD, SIN_Q and COS_Q of `state`.

    In own axes these are the same vectors, not the derivative of components in turning axes.
    site : (1, SITE_WIDTH). work : (links + 1, VELOCITY) scratch.
    """
    placements(table, state, work)
    velocities(table, state, work)
    n = int(table[0, COORDINATES])
    for k in range(6 * n):
        out[0, k] = like(work[0, 0], 0.0)
    i = int(site[0, SITE_ROW])
    p, R = origin_of(site, 0, work), axes_of(site, 0, work)
    vp = add_cross(get3(work, i, V), get3(work, i, W), subtract(p, get3(work, i, ORIGIN)))
    while i > 0:
        w = get3(work, i, W)
        spin, glide = directions(table, i, get_axis(work, i))
        r = subtract(p, get3(work, i, ORIGIN))
        turning = cross(w, spin)
        v = add_cross(add_cross(cross(w, glide), turning, r), spin, subtract(vp, get3(work, i, V)))
        if site[0, SITE_OWN_AXES] != 0.0:
            v, turning = turn(v, R), turn(turning, R)
        j, ratio = int(table[i, LEADER]), table[i, RATIO]
        add_column(out, n, j, v, ratio)
        add_column(out, n, 3 * n + j, turning, ratio)
        i = int(table[i, PARENT])
    if base.floats(table):
        _base_columns(table, site, work, out)


@borrowing
def _base_columns(table, site, work, out):
    """Write the columns of the six rates of a base that floats."""
    i = int(site[0, SITE_ROW])
    p = origin_of(site, 0, work)
    vp = add_cross(get3(work, i, V), get3(work, i, W), subtract(p, get3(work, i, ORIGIN)))
    point = p, subtract(vp, get3(work, 0, V))
    x, y, z = base.axes(get9(work, 0, ROTATION))
    _base_column(table, site, work, out, 0, x, point)
    _base_column(table, site, work, out, 1, y, point)
    _base_column(table, site, work, out, 2, z, point)


@inline
def _base_column(table, site, work, out, k, axis, point):
    """Write the columns of translation along an axis of the base, and of rotation about it.

    point : position and velocity of the point relative to the origin of the base.
    """
    n, R = int(table[0, COORDINATES]), axes_of(site, 0, work)
    turning = cross(get3(work, 0, W), axis)
    v = add_cross(cross(turning, point[0]), axis, point[1])
    if site[0, SITE_OWN_AXES] != 0.0:
        v, turning = turn(v, R), turn(turning, R)
    add_column(out, n, k, turning, 1.0)
    add_column(out, n, 3 + k, v, 1.0)
    add_column(out, n, 3 * n + 3 + k, turning, 1.0)


@on_scratch(VELOCITY)
def one(table, room, site, q, qd, J):
    """Calculate one state, of floats. The caller has checked the shapes."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    sines(packs, packs.shape[1])
    recursion(table, site, state, work, as_floats(J, 0, 1, J.size))


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def jacobian_dot_one(card, q, qd, out, site):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        qd_at = given_or_zero(card, qd, n)
        table_at = own_table(card)
        if q_at == 0 or qd_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 2, shape(6, n, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        qd_row = vector_at(card, qd_at, n)
        one(table, site_at(card, site, 1, SITE_WIDTH), q_row, qd_row, filled(card, result, 6, n))
        return answer(result)

    return jacobian_dot_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, qd and the matrices."""

    def jacobian_dot_many(table, first, stop, addresses, site):
        stamp  # noqa: B018  part of the cache key
        numbers = 6 * int(table[0, COORDINATES])
        state, work, tile, _, out = many_states(table, VELOCITY, 0, numbers)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 2, addresses, row, stop - 1)
            joint_sines(table, state)
            recursion(table, site, state, work, out)
            store_tile(out, 0, addresses[4], addresses[5], row, stop - 1, numbers)

    return jacobian_dot_many
