"""The full force and moment transmitted by every joint, from the complete bodies.

Newton-Euler equations for every link, outward in base axes; inward, wrenches are moved to the origin of the base, where
those of a subtree add. This needs the complete bodies: the regrouped ones give the same joint torques, but other
forces in the bearings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels.algebra import body
from rne.kernels.algebra.vec import add, add_cross, motion_matrix, subtract, turn, unturn
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines
from rne.kernels.jit import inline
from rne.kernels.layout import FULL_MASS, GRAVITY, LINKS, PARENT, QD, QDD, SITE_OWN_AXES, SITE_WIDTH, Q
from rne.kernels.placement import ORIGIN, ROTATION, axes_of, origin_of, placements
from rne.kernels.scratch import STACK, many_states, on_scratch
from rne.kernels.simd.pack import array_at, as_floats, pack_floats, stack_buffer
from rne.kernels.simd.rows import get3, get9, index, put
from rne.kernels.simd.tile import load_tile, store_tile
from rne.kernels.single import (
    answer,
    filled,
    given_or_zero,
    given_position,
    position_at,
    rates,
    refused,
    result_of,
    rows_of,
    shape,
    site_at,
    table_here,
    table_of,
    vector_at,
)
from rne.kernels.static_torque import gather
from rne.kernels.velocities import MOTION, WD, A, W, accelerations, velocities

# Numbers stored for each link: placement and motion, then force and moment about the base origin.
F, N = MOTION, MOTION + 3
WORK = MOTION + 6


@inline
def recursion(table, joints, sites, wrenches, state, work, out):
    """Fill row 0 of `out`, six numbers per joint, from all rows of `state` except TAU and `wrenches` (m, 6).

    joints : (links, SITE_WIDTH) point and axes of each result. sites : (m, SITE_WIDTH).
    work : (links + 1, WORK) scratch.
    """
    links = int(table[0, LINKS])
    placements(table, state, work)
    velocities(table, state, work)
    accelerations(table, state, work, -table[0, GRAVITY], -table[0, GRAVITY + 1], -table[0, GRAVITY + 2])
    gather(table, sites, wrenches, work, F)
    for i in range(1, links + 1):
        R = get9(work, i, ROTATION)
        A_ = motion_matrix(turn(get3(work, i, W), R), turn(get3(work, i, WD), R))
        f, n = body.wrench(table, i, FULL_MASS, turn(get3(work, i, A), R), A_)
        f, n = unturn(f, R), unturn(n, R)
        put(work, i, N, subtract(add_cross(n, get3(work, i, ORIGIN), f), get3(work, i, N)))
        put(work, i, F, subtract(f, get3(work, i, F)))
    for i in range(links, 0, -1):
        f, n = get3(work, i, F), get3(work, i, N)
        parent = int(table[i, PARENT])
        if parent > 0:
            put(work, parent, F, add(f, get3(work, parent, F)))
            put(work, parent, N, add(n, get3(work, parent, N)))
        n = add_cross(n, f, origin_of(joints, i - 1, work))
        if joints[i - 1, SITE_OWN_AXES] != 0.0:
            S = axes_of(joints, i - 1, work)
            f, n = turn(f, S), turn(n, S)
        put(out, 0, 6 * (i - 1), f)
        put(out, 0, 6 * i - 3, n)


@on_scratch(WORK)
def one(table, room, joints, loads, q, qd, qdd, result):
    """Calculate one state, of floats. The caller has checked the shapes.

    loads : sites and wrenches, as for `recursion`.
    """
    state, packs, work, _ = room
    sites, wrenches = loads
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    load_one(table, qdd, state, index(QDD))
    sines(packs, packs.shape[1])
    recursion(table, joints, sites, wrenches, state, work, as_floats(result, 0, 1, result.size))


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`, the wrenches in one vector."""

    def joint_wrenches_one(card, q, qd, qdd, wrench, gravity, out, places):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        frames, site = places
        rows, m = rows_of(frames), rows_of(site)
        wrench_at = given_or_zero(card, wrench, 6 * m)
        q_at = given_position(card, q)
        qd_at = given_or_zero(card, qd, n)
        qdd_at = given_or_zero(card, qdd, n)
        table_at = table_of(card, gravity, stack_buffer(card, STACK))
        if wrench_at == 0 or q_at == 0 or qd_at == 0 or qdd_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 2, shape(rows, 6, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        qd_row = vector_at(card, qd_at, n)
        qdd_row = vector_at(card, qdd_at, n)
        sites, wrenches = site_at(card, site, m, SITE_WIDTH), array_at(wrench_at, card, m, 6)
        joints = site_at(card, frames, rows, SITE_WIDTH)
        one(table, joints, (sites, wrenches), q_row, qd_row, qdd_row, filled(card, result, rows, 6))
        return answer(result)

    return joint_wrenches_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride of q, qd, qdd, the loads and the result."""

    def joint_wrenches_many(table, first, stop, addresses, joints, sites):
        stamp  # noqa: B018  part of the cache key
        links, m = int(table[0, LINKS]), sites.shape[0]
        state, work, tile, loads, out = many_states(table, WORK, 6 * m, 6 * links)
        wrenches = loads.reshape((m, 6))
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 3, addresses, row, stop - 1)
            load_tile(loads, 0, addresses[6], addresses[7], row, stop - 1, 6 * m)
            joint_sines(table, state)
            recursion(table, joints, sites, wrenches, state, work, out)
            store_tile(out, 0, addresses[8], addresses[9], row, stop - 1, 6 * links)

    return joint_wrenches_many
