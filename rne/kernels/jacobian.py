"""The geometric Jacobian of a point: its velocity, and the angular velocity of its link, for each unit of qd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.algebra.vec import add_cross, cross, subtract, turn
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import directions
from rne.kernels.layout import COORDINATES, LEADER, PARENT, RATIO, SITE_OWN_AXES, SITE_ROW, SITE_WIDTH, Q
from rne.kernels.placement import ORIGIN, PLACEMENT, ROTATION, axes_of, get_axis, origin_of, placements
from rne.kernels.scratch import many_states, on_scratch
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import as_floats, pack_floats
from rne.kernels.simd.rows import get3, get9, index
from rne.kernels.simd.tile import store_tile
from rne.kernels.single import (
    answer,
    filled,
    given_position,
    own_table,
    position_at,
    rates,
    refused,
    result_of,
    shape,
    site_at,
    table_here,
)


@inline
def recursion(table, site, state, work, out):
    """Fill row 0 of `out`, a matrix (6, n) row by row, from rows Q, SIN_Q and COS_Q of `state`.

    Only joints between the site and the base contribute; a mimic joint adds to the column of its leader.
    site : (1, SITE_WIDTH). work : (links + 1, PLACEMENT) scratch.
    """
    placements(table, state, work)
    fill(table, site, 0, work, out)


@inline
def fill(table, sites, m, work, out):
    """Fill row 0 of `out` with the Jacobian of site m, after `placements`."""
    n = int(table[0, COORDINATES])
    for k in range(6 * n):
        out[0, k] = like(work[0, 0], 0.0)
    p, R = origin_of(sites, m, work), axes_of(sites, m, work)
    i = int(sites[m, SITE_ROW])
    while i > 0:
        w, glide = directions(table, i, get_axis(work, i))
        v = add_cross(glide, w, subtract(p, get3(work, i, ORIGIN)))
        if sites[m, SITE_OWN_AXES] != 0.0:
            v, w = turn(v, R), turn(w, R)
        j, ratio = int(table[i, LEADER]), table[i, RATIO]
        add_column(out, n, j, v, ratio)
        add_column(out, n, 3 * n + j, w, ratio)
        i = int(table[i, PARENT])
    if base.floats(table):
        _base_columns(table, sites, m, work, out)


@borrowing
def _base_columns(table, sites, m, work, out):
    """Write the columns of the six rates of a base that floats."""
    n = int(table[0, COORDINATES])
    p, R = origin_of(sites, m, work), axes_of(sites, m, work)
    x, y, z = base.axes(get9(work, 0, ROTATION))
    _base_column(out, n, 0, x, p, R, sites[m, SITE_OWN_AXES])
    _base_column(out, n, 1, y, p, R, sites[m, SITE_OWN_AXES])
    _base_column(out, n, 2, z, p, R, sites[m, SITE_OWN_AXES])


@inline
def _base_column(out, n, k, axis, p, R, own):
    """Write the columns of translation along an axis of the base, and of rotation about it; p is the point."""
    v, w = cross(axis, p), axis
    if own != 0.0:
        v, w = turn(v, R), turn(w, R)
    add_column(out, n, k, w, 1.0)
    add_column(out, n, 3 + k, v, 1.0)
    add_column(out, n, 3 * n + 3 + k, w, 1.0)


@inline
def add_column(out, n, first, v, ratio):
    """Add `ratio` v to three entries of a column, from item `first` of row 0 of `out` on; rows are n apart."""
    out[0, first] = fma(v[0], ratio, out[0, first])
    out[0, first + n] = fma(v[1], ratio, out[0, first + n])
    out[0, first + 2 * n] = fma(v[2], ratio, out[0, first + 2 * n])


@on_scratch(PLACEMENT)
def one(table, room, site, q, J):
    """Calculate one state, of floats. The caller has checked the shapes."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    sines(packs, packs.shape[1])
    recursion(table, site, state, work, as_floats(J, 0, 1, J.size))


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def jacobian_one(card, q, out, site):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        table_at = own_table(card)
        if q_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 2, shape(6, n, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        one(table, site_at(card, site, 1, SITE_WIDTH), q_row, filled(card, result, 6, n))
        return answer(result)

    return jacobian_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q and the Jacobian."""

    def jacobian_many(table, first, stop, addresses, site):
        stamp  # noqa: B018  part of the cache key
        numbers = 6 * int(table[0, COORDINATES])
        state, work, tile, _, out = many_states(table, PLACEMENT, 0, numbers)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 1, addresses, row, stop - 1)
            joint_sines(table, state)
            recursion(table, site, state, work, out)
            store_tile(out, 0, addresses[2], addresses[3], row, stop - 1, numbers)

    return jacobian_many
