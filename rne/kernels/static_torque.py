"""Joint torques that balance wrenches: tau = J^T w, by the principle of virtual work, without forming J.

All wrenches are moved to the base origin in base axes, where those of a subtree add, from the tips inward; the torque
of a joint is the component along its axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.algebra.vec import add, add_cross, turn, unturn
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines, store_many, store_one
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import along_axis
from rne.kernels.layout import COORDINATE, LINKS, PARENT, SITE_OWN_AXES, SITE_ROW, SITE_WIDTH, TAU, Q
from rne.kernels.placement import ORIGIN, PLACEMENT, ROTATION, axes_of, get_axis, origin_of, placements
from rne.kernels.scratch import many_states, on_scratch
from rne.kernels.simd.num import like
from rne.kernels.simd.pack import array_at, pack_floats
from rne.kernels.simd.rows import get3, get9, index, put
from rne.kernels.simd.tile import load_tile
from rne.kernels.single import (
    answer,
    filled,
    given,
    given_position,
    own_table,
    position_at,
    rates,
    refused,
    result_of,
    rows_of,
    shape,
    site_at,
    table_here,
)

# Numbers stored for each link: its placement, then force and moment about the base origin.
F, N = PLACEMENT, PLACEMENT + 3
WORK = PLACEMENT + 6


@inline
def gather(table, sites, wrenches, work, column):
    """Sum `wrenches` (m, 6) by link, as force and moment about the base origin, in six columns of `work`.

    sites : (m, SITE_WIDTH), with the axes in which each wrench is given.
    """
    zero = like(work[0, 0], 0.0)
    for i in range(int(table[0, LINKS]) + 1):
        put(work, i, column, (zero, zero, zero, zero, zero, zero))
    for m in range(sites.shape[0]):
        i = int(sites[m, SITE_ROW])
        f, n = get3(wrenches, m, 0), get3(wrenches, m, 3)
        if sites[m, SITE_OWN_AXES] != 0.0:
            R = axes_of(sites, m, work)
            f, n = unturn(f, R), unturn(n, R)
        put(work, i, column, add(get3(work, i, column), f))
        put(work, i, column + 3, add(get3(work, i, column + 3), add_cross(n, origin_of(sites, m, work), f)))


@inline
def recursion(table, sites, wrenches, state, work):
    """Calculate row TAU from rows Q, SIN_Q and COS_Q of `state` and `wrenches` (m, 6).

    sites : (m, SITE_WIDTH). work : (links + 1, WORK) scratch.
    """
    links = int(table[0, LINKS])
    placements(table, state, work)
    gather(table, sites, wrenches, work, F)
    for i in range(links, 0, -1):
        f, n = get3(work, i, F), get3(work, i, N)
        p = get3(work, i, ORIGIN)
        here = add_cross(n, f, p)  # about the origin of the link
        state[TAU, int(table[i, COORDINATE])] = along_axis(table, i, get_axis(work, i), f, here)
        parent = int(table[i, PARENT])
        put(work, parent, F, add(get3(work, parent, F), f))
        put(work, parent, N, add(get3(work, parent, N), n))
    if base.floats(table):
        _end_at_base(state, work)


@borrowing
def _end_at_base(state, work):
    """Write force and moment on a base that floats, in its own axes."""
    R = get9(work, 0, ROTATION)
    base.store_wrench(state, turn(get3(work, 0, F), R), turn(get3(work, 0, N), R))


@on_scratch(WORK)
def one(table, room, sites, wrenches, q, tau):
    """Calculate one state, of floats. The caller has checked the shapes."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    sines(packs, packs.shape[1])
    recursion(table, sites, wrenches, state, work)
    store_one(table, state, index(TAU), tau)


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`.

    Of m sites, the wrenches come in one vector of 6 m numbers.
    """

    def static_torque_one(card, q, wrenches, out, sites):
        stamp  # noqa: B018  part of the cache key
        n, m = rates(card), rows_of(sites)
        wrench_at = given(card, wrenches, 6 * m)
        q_at = given_position(card, q)
        table_at = own_table(card)
        if wrench_at == 0 or q_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 1, shape(n, 1, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        one(
            table,
            site_at(card, sites, m, SITE_WIDTH),
            array_at(wrench_at, card, m, 6),
            q_row,
            filled(card, result, 1, n)[0],
        )
        return answer(result)

    return static_torque_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, the wrenches and tau."""

    def static_torque_many(table, first, stop, addresses, sites):
        stamp  # noqa: B018  part of the cache key
        m = sites.shape[0]
        state, work, tile, loads, _ = many_states(table, WORK, 6 * m, 0)
        wrenches = loads.reshape((m, 6))
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 1, addresses, row, stop - 1)
            load_tile(loads, 0, addresses[2], addresses[3], row, stop - 1, 6 * m)
            joint_sines(table, state)
            recursion(table, sites, wrenches, state, work)
            store_many(table, state, TAU, tile, addresses[4], addresses[5], row, stop - 1)

    return static_torque_many
