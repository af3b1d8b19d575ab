"""Velocity and acceleration of a point of a link, and of the link about it."""

from __future__ import annotations

from collections.abc import Callable

from rne.kernels.algebra.vec import add_cross, add_product, motion_matrix, turn, unturn
from rne.kernels.coordinates import load_many, load_one, sines
from rne.kernels.jit import function, inline
from rne.kernels.layout import COORDINATES, LINKS, PLACE_ORIGIN, PLACE_OWN_AXES, PLACE_ROW
from rne.kernels.placement import axes_of, placements
from rne.kernels.scratch import many_states, one_state, table_at
from rne.kernels.simd.pack import as_floats, pack_floats
from rne.kernels.simd.rows import get3, get9, index, put
from rne.kernels.simd.tile import store_tile
from rne.kernels.velocities import MOTION, WD, A, V, W, accelerations, velocities


@inline
def recursion(table, place, state, work, out, order):
    """Fill six numbers, linear and angular, of row 0 of `out` from rows 0, 1, 2, 4 and 5 of `state`.

    place : (1, PLACE_WIDTH). work : (links + 1, MOTION) scratch. order : 1 for velocity, 2 for acceleration.
    """
    placements(table, state, work)
    velocities(table, state, work)
    i = int(place[0, PLACE_ROW])
    r = unturn(get3(place, 0, PLACE_ORIGIN), get9(work, i, 0))
    w = get3(work, i, W)
    v = add_cross(get3(work, i, V), w, r)
    if order == 2:
        accelerations(table, state, work, 0.0, 0.0, 0.0)
        wd = get3(work, i, WD)
        v = add_product(get3(work, i, A), motion_matrix(w, wd), r)
        w = wd
    if place[0, PLACE_OWN_AXES] != 0.0:
        R = axes_of(place, 0, work)
        v, w = turn(v, R), turn(w, R)
    put(out, 0, 0, v)
    put(out, 0, 3, w)


@function
def one(table, place, q, qd, qdd, motion, order):
    """One state, of floats; scratch on the stack. Shapes are the caller's business."""
    state, packs, work = one_state(table, MOTION)
    load_one(table, q, state, index(0))
    load_one(table, qd, state, index(1))
    load_one(table, qdd, state, index(2))
    sines(packs, packs.shape[1])
    recursion(table, place, state, work, as_floats(motion, 0, 1, 6), order)


def make_one(stamp: str) -> Callable[..., int]:
    """Make the entry for one state; it returns 1, and does nothing, where a length does not fit."""

    def frame_motion_one(address, place, q, qd, qdd, motion, order):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        n = int(table[0, COORDINATES])
        if q.shape[0] != n or qd.shape[0] != n or qdd.shape[0] != n or motion.shape[0] != 6:
            return 1
        one(table, place, q, qd, qdd, motion, order)
        return 0

    return frame_motion_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `where` holds address and row stride in bytes of q, qd, qdd and the motion."""

    def frame_motion_many(table, first, stop, where, place, order):
        stamp  # noqa: B018  part of the cache key
        state, work, tile, out = many_states(table, MOTION, 6)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, 0, 3, where, row, stop - 1)
            sines(state, int(table[0, LINKS]))
            recursion(table, place, state, work, out, order)
            store_tile(out, 0, where[6], where[7], row, stop - 1, 6)

    return frame_motion_many
