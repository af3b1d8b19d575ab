"""Velocity and acceleration of a point of a link, and of the link about it."""

from __future__ import annotations

from collections.abc import Callable

from rne.kernels.algebra.vec import add_cross, add_product, motion_matrix, turn, unturn
from rne.kernels.coordinates import load_many, load_one, sines
from rne.kernels.jit import inline
from rne.kernels.layout import COORDINATES, LINKS, QD, QDD, SITE_ORIGIN, SITE_OWN_AXES, SITE_ROW, Q
from rne.kernels.placement import ROTATION, axes_of, placements
from rne.kernels.scratch import many_states, on_scratch, table_at
from rne.kernels.simd.pack import as_floats, pack_floats
from rne.kernels.simd.rows import get3, get9, index, put
from rne.kernels.simd.tile import store_tile
from rne.kernels.velocities import MOTION, WD, A, V, W, accelerations, velocities


@inline
def recursion(table, site, state, work, out, order):
    """Fill six numbers, linear and angular, of row 0 of `out` from all rows of `state` but TAU.

    site : (1, SITE_WIDTH). work : (links + 1, MOTION) scratch. order : 1 for velocity, 2 for acceleration.
    """
    placements(table, state, work)
    velocities(table, state, work)
    i = int(site[0, SITE_ROW])
    r = unturn(get3(site, 0, SITE_ORIGIN), get9(work, i, ROTATION))
    w = get3(work, i, W)
    v = add_cross(get3(work, i, V), w, r)
    if order == 2:
        accelerations(table, state, work, 0.0, 0.0, 0.0)
        wd = get3(work, i, WD)
        v = add_product(get3(work, i, A), motion_matrix(w, wd), r)
        w = wd
    if site[0, SITE_OWN_AXES] != 0.0:
        R = axes_of(site, 0, work)
        v, w = turn(v, R), turn(w, R)
    put(out, 0, 0, v)
    put(out, 0, 3, w)


@on_scratch(MOTION)
def one(table, room, site, q, qd, qdd, motion, order):
    """One state, of floats. Shapes are the caller's business."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    load_one(table, qdd, state, index(QDD))
    sines(packs, packs.shape[1])
    recursion(table, site, state, work, as_floats(motion, 0, 1, 6), order)


def make_one(stamp: str) -> Callable[..., int]:
    """Make the entry for one state; it returns 1, and does nothing, where a length does not fit."""

    def frame_motion_one(address, site, q, qd, qdd, motion, order):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        n = int(table[0, COORDINATES])
        if q.shape[0] != n or qd.shape[0] != n or qdd.shape[0] != n or motion.shape[0] != 6:
            return 1
        one(table, site, q, qd, qdd, motion, order)
        return 0

    return frame_motion_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, qd, qdd and the motion."""

    def frame_motion_many(table, first, stop, addresses, site, order):
        stamp  # noqa: B018  part of the cache key
        state, work, tile, _, out = many_states(table, MOTION, 0, 6)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 3, addresses, row, stop - 1)
            sines(state, int(table[0, LINKS]))
            recursion(table, site, state, work, out, order)
            store_tile(out, 0, addresses[6], addresses[7], row, stop - 1, 6)

    return frame_motion_many
