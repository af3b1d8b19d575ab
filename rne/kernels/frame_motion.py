"""Velocity and acceleration of a point of a link, linear and angular."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels.algebra.vec import add_cross, add_product, motion_matrix, turn, unturn
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines
from rne.kernels.jit import inline
from rne.kernels.layout import QD, QDD, SITE_ORIGIN, SITE_OWN_AXES, SITE_ROW, SITE_WIDTH, Q
from rne.kernels.placement import ROTATION, axes_of, placements
from rne.kernels.scratch import many_states, on_scratch
from rne.kernels.simd.pack import as_floats, pack_floats
from rne.kernels.simd.rows import get3, get9, index, put
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
from rne.kernels.velocities import MOTION, WD, A, V, W, accelerations, velocities


@inline
def recursion(table, site, state, work, out, order):
    """Fill six numbers, linear and angular, of row 0 of `out` from all rows of `state` except TAU.

    site : (1, SITE_WIDTH). work : (links + 1, MOTION) scratch. order : 1 for velocity, 2 for acceleration.
    """
    placements(table, state, work)
    velocities(table, state, work)
    v, w = velocity_of(site, 0, work)
    if order == 2:
        accelerations(table, state, work, 0.0, 0.0, 0.0)
        v, w = acceleration_of(site, 0, work)
    if site[0, SITE_OWN_AXES] != 0.0:
        R = axes_of(site, 0, work)
        v, w = turn(v, R), turn(w, R)
    put(out, 0, 0, v)
    put(out, 0, 3, w)


@inline
def velocity_of(sites, m, work):
    """Velocity of site m and angular velocity, in base axes, after `velocities`."""
    i = int(sites[m, SITE_ROW])
    w = get3(work, i, W)
    r = unturn(get3(sites, m, SITE_ORIGIN), get9(work, i, ROTATION))
    return add_cross(get3(work, i, V), w, r), w


@inline
def acceleration_of(sites, m, work):
    """Acceleration of site m and angular acceleration, in base axes, after `accelerations`."""
    i = int(sites[m, SITE_ROW])
    w, wd = get3(work, i, W), get3(work, i, WD)
    r = unturn(get3(sites, m, SITE_ORIGIN), get9(work, i, ROTATION))
    return add_product(get3(work, i, A), motion_matrix(w, wd), r), wd


@on_scratch(MOTION)
def one(table, room, site, q, qd, qdd, motion, order):
    """Calculate one state, of floats. The caller has checked the shapes."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    load_one(table, qdd, state, index(QDD))
    sines(packs, packs.shape[1])
    recursion(table, site, state, work, as_floats(motion, 0, 1, 6), order)


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def frame_motion_one(card, q, qd, qdd, out, site, order):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        qd_at = given_or_zero(card, qd, n)
        qdd_at = given_or_zero(card, qdd, n)
        table_at = own_table(card)
        if q_at == 0 or qd_at == 0 or qdd_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 1, shape(6, 1, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        qd_row = vector_at(card, qd_at, n)
        qdd_row = vector_at(card, qdd_at, n)
        one(table, site_at(card, site, 1, SITE_WIDTH), q_row, qd_row, qdd_row, filled(card, result, 1, 6)[0], order)
        return answer(result)

    return frame_motion_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, qd, qdd and the motion."""

    def frame_motion_many(table, first, stop, addresses, site, order):
        stamp  # noqa: B018  part of the cache key
        state, work, tile, _, out = many_states(table, MOTION, 0, 6)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 3, addresses, row, stop - 1)
            joint_sines(table, state)
            recursion(table, site, state, work, out, order)
            store_tile(out, 0, addresses[6], addresses[7], row, stop - 1, 6)

    return frame_motion_many
