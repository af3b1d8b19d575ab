"""The full force and moment that pass through every joint, from the complete bodies.

Newton and Euler for every link, outward in base axes; inward the wrenches, moved to the origin of the base where those
of a subtree simply add up. Only the complete bodies will do: the regrouped ones are the same to the joints that move,
not to the bearings.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rne.kernels.algebra import body
from rne.kernels.algebra.vec import add, add_cross, motion_matrix, subtract, turn, unturn
from rne.kernels.coordinates import load_many, load_one, sines
from rne.kernels.jit import function, inline
from rne.kernels.layout import COORDINATES, GRAVITY, LINKS, PARENT, PLACE_OWN_AXES, PLACE_WIDTH
from rne.kernels.placement import ORIGIN, axes_of, origin_of, placements
from rne.kernels.scratch import many_states, one_state, table_at
from rne.kernels.simd.pack import array_at, as_floats, as_packs, pack_floats
from rne.kernels.simd.rows import get3, get9, index, put
from rne.kernels.simd.tile import load_tile, store_tile
from rne.kernels.static_torque import gather
from rne.kernels.velocities import MOTION, WD, A, W, accelerations, velocities

# Numbers kept for each link: placement and motion, then force and moment about the base origin.
F, N = MOTION, MOTION + 3
WORK = MOTION + 6


@inline
def recursion(table, joints, places, wrenches, state, work, out):
    """Fill row 0 of `out`, six numbers a joint, from rows 0, 1, 2, 4, 5 of `state` and `wrenches` (m, 6).

    joints : (links, PLACE_WIDTH) where, and in which axes, each is wanted. places : (m, PLACE_WIDTH).
    work : (links + 1, WORK) scratch.
    """
    links = int(table[0, LINKS])
    placements(table, state, work)
    velocities(table, state, work)
    accelerations(table, state, work, -table[0, GRAVITY], -table[0, GRAVITY + 1], -table[0, GRAVITY + 2])
    gather(table, places, wrenches, work, F)
    for i in range(1, links + 1):
        R = get9(work, i, 0)
        A_ = motion_matrix(turn(get3(work, i, W), R), turn(get3(work, i, WD), R))
        f, n = body.wrench(table, i, turn(get3(work, i, A), R), A_)
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
        if joints[i - 1, PLACE_OWN_AXES] != 0.0:
            S = axes_of(joints, i - 1, work)
            f, n = turn(f, S), turn(n, S)
        put(out, 0, 6 * (i - 1), f)
        put(out, 0, 6 * i - 3, n)


@function
def one(table, joints, places, wrenches, q, qd, qdd, result):
    """One state, of floats; scratch on the stack. Shapes are the caller's business."""
    state, packs, work = one_state(table, WORK)
    load_one(table, q, state, index(0))
    load_one(table, qd, state, index(1))
    load_one(table, qdd, state, index(2))
    sines(packs, packs.shape[1])
    recursion(table, joints, places, wrenches, state, work, as_floats(result, 0, 1, result.size))


def make_one(stamp: str) -> Callable[..., int]:
    """Make the entry for one state without loads; it returns 1, and does nothing, where a length does not fit."""

    def joint_wrenches_one(address, joints, q, qd, qdd, result):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        n = int(table[0, COORDINATES])
        if q.shape[0] != n or qd.shape[0] != n or qdd.shape[0] != n or result.shape[0] != joints.shape[0]:
            return 1
        none = array_at(address, q, 0, PLACE_WIDTH)
        one(table, joints, none, none, q, qd, qdd, result)
        return 0

    return joint_wrenches_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `where` holds address and row stride of q, qd, qdd, the loads and the result."""

    def joint_wrenches_many(table, first, stop, where, joints, places):
        stamp  # noqa: B018  part of the cache key
        links, m = int(table[0, LINKS]), places.shape[0]
        samples = pack_floats(table, 1)
        state, work, tile, out = many_states(table, WORK, 6 * links)
        buffer = np.empty(samples * 6 * m, table.dtype)
        loads, flat = as_packs(buffer, 0, m, 6), as_packs(buffer, 0, 1, 6 * m)
        for row in range(first, stop, samples):
            load_many(table, state, tile, 0, 3, where, row, stop - 1)
            load_tile(flat, 0, where[6], where[7], row, stop - 1, 6 * m)
            sines(state, links)
            recursion(table, joints, places, loads, state, work, out)
            store_tile(out, 0, where[8], where[9], row, stop - 1, 6 * links)

    return joint_wrenches_many
