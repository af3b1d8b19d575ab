"""Forward kinematics: the homogeneous matrices of frames in the frame of the base, or of the world if it floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels.algebra.vec import add
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines
from rne.kernels.jit import inline
from rne.kernels.layout import SITE_WIDTH, Q
from rne.kernels.placement import PLACEMENT, axes_of, base_position, origin_of, placements
from rne.kernels.scratch import many_states, on_scratch
from rne.kernels.simd.num import like
from rne.kernels.simd.pack import as_floats, pack_floats
from rne.kernels.simd.rows import index, put
from rne.kernels.simd.tile import store_tile
from rne.kernels.single import (
    answer,
    filled,
    given_position,
    own_table,
    position_at,
    refused,
    result_of,
    shape,
    site_at,
    table_here,
)


@inline
def recursion(table, sites, state, work, out):
    """Fill row 0 of `out`, 16 numbers per site, from rows Q, SIN_Q and COS_Q of `state`.

    sites : (m, SITE_WIDTH). work : (links + 1, PLACEMENT) scratch.
    """
    placements(table, state, work)
    zero = like(work[0, 0], 0.0)
    one = like(zero, 1.0)
    gone = base_position(table, state, zero)
    for m in range(sites.shape[0]):
        R, p = axes_of(sites, m, work), add(gone, origin_of(sites, m, work))
        put(out, 0, 16 * m, (R[0], R[1], R[2], p[0], R[3], R[4], R[5], p[1]))
        put(out, 0, 16 * m + 8, (R[6], R[7], R[8], p[2], zero, zero, zero, one))


@on_scratch(PLACEMENT)
def one(table, room, sites, q, poses):
    """Calculate one state, of floats. The caller has checked the shapes."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    sines(packs, packs.shape[1])
    recursion(table, sites, state, work, as_floats(poses, 0, 1, poses.size))


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def pose_one(card, q, out, site):
        stamp  # noqa: B018  part of the cache key
        q_at = given_position(card, q)
        table_at = own_table(card)
        if q_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 2, shape(4, 4, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        one(table, site_at(card, site, 1, SITE_WIDTH), q_row, filled(card, result, 4, 4))
        return answer(result)

    return pose_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q and the poses."""

    def poses_many(table, first, stop, addresses, sites):
        stamp  # noqa: B018  part of the cache key
        numbers = 16 * sites.shape[0]
        state, work, tile, _, out = many_states(table, PLACEMENT, 0, numbers)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 1, addresses, row, stop - 1)
            joint_sines(table, state)
            recursion(table, sites, state, work, out)
            store_tile(out, 0, addresses[2], addresses[3], row, stop - 1, numbers)

    return poses_many
