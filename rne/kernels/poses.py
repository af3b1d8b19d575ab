"""Forward kinematics: the homogeneous matrices of frames in the frame of the base."""

from __future__ import annotations

from collections.abc import Callable

from rne.kernels.coordinates import load_many, load_one, sines
from rne.kernels.jit import function, inline
from rne.kernels.layout import COORDINATES, LINKS
from rne.kernels.placement import PLACE, axes_of, origin_of, placements
from rne.kernels.scratch import many_states, one_state, table_at
from rne.kernels.simd.num import like
from rne.kernels.simd.pack import as_floats, pack_floats
from rne.kernels.simd.rows import index, put
from rne.kernels.simd.tile import store_tile


@inline
def recursion(table, places, state, work, out):
    """Fill row 0 of `out`, 16 numbers a place, from rows q, sine and cosine of q (0, 4, 5) of `state`.

    places : (m, PLACE_WIDTH). work : (links + 1, PLACE) scratch.
    """
    placements(table, state, work)
    zero = like(work[0, 0], 0.0)
    one = like(zero, 1.0)
    for m in range(places.shape[0]):
        R, p = axes_of(places, m, work), origin_of(places, m, work)
        put(out, 0, 16 * m, (R[0], R[1], R[2], p[0], R[3], R[4], R[5], p[1]))
        put(out, 0, 16 * m + 8, (R[6], R[7], R[8], p[2], zero, zero, zero, one))


@function
def one(table, places, q, poses):
    """One state, of floats; scratch on the stack. Shapes are the caller's business."""
    state, packs, work = one_state(table, PLACE)
    load_one(table, q, state, index(0))
    sines(packs, packs.shape[1])
    recursion(table, places, state, work, as_floats(poses, 0, 1, poses.size))


def make_one(stamp: str) -> Callable[..., int]:
    """Make the entry for one frame in one state; it returns 1, and does nothing, where a length does not fit."""

    def pose_one(address, place, q, pose):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        if q.shape[0] != int(table[0, COORDINATES]) or pose.size != 16 * place.shape[0]:
            return 1
        one(table, place, q, pose)
        return 0

    return pose_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `where` holds address and row stride in bytes of q and the poses."""

    def poses_many(table, first, stop, where, places):
        stamp  # noqa: B018  part of the cache key
        numbers = 16 * places.shape[0]
        state, work, tile, out = many_states(table, PLACE, numbers)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, 0, 1, where, row, stop - 1)
            sines(state, int(table[0, LINKS]))
            recursion(table, places, state, work, out)
            store_tile(out, 0, where[2], where[3], row, stop - 1, numbers)

    return poses_many
