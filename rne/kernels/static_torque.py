"""Joint torques that balance wrenches: tau = J^T w, by the principle of virtual work, without forming J.

All wrenches are moved to the base origin in base axes, where those of a subtree simply add up from the tips inward; a
joint then carries the part along its axis.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rne.kernels.algebra.vec import add, add_cross, unturn
from rne.kernels.coordinates import load_many, load_one, sines, store_many, store_one
from rne.kernels.jit import function, inline
from rne.kernels.joint import along_axis
from rne.kernels.layout import COORDINATE, COORDINATES, LINKS, PARENT, PLACE_OWN_AXES, PLACE_ROW
from rne.kernels.placement import ORIGIN, PLACE, axes_of, get_axis, origin_of, placements
from rne.kernels.scratch import one_state, table_at
from rne.kernels.simd.num import like
from rne.kernels.simd.pack import as_floats, as_packs, pack_floats
from rne.kernels.simd.rows import get3, index, put
from rne.kernels.simd.tile import load_tile

# Numbers kept for each link: its placement, then force and moment about the base origin.
WORK = PLACE + 6


@inline
def gather(table, places, wrenches, work, column):
    """Sum `wrenches` (m, 6) by link, as force and moment about the base origin, into six columns of `work`.

    places : (m, PLACE_WIDTH), each with the axes in which its wrench is given.
    """
    zero = like(work[0, 0], 0.0)
    for i in range(int(table[0, LINKS]) + 1):
        put(work, i, column, (zero, zero, zero, zero, zero, zero))
    for m in range(places.shape[0]):
        i = int(places[m, PLACE_ROW])
        f, n = get3(wrenches, m, 0), get3(wrenches, m, 3)
        if places[m, PLACE_OWN_AXES] != 0.0:
            R = axes_of(places, m, work)
            f, n = unturn(f, R), unturn(n, R)
        put(work, i, column, add(get3(work, i, column), f))
        put(work, i, column + 3, add(get3(work, i, column + 3), add_cross(n, origin_of(places, m, work), f)))


@inline
def recursion(table, places, wrenches, state, work):
    """Turn rows q, sine and cosine of q (0, 4, 5) of `state`, and `wrenches` (m, 6), into row tau (3).

    places : (m, PLACE_WIDTH). work : (links + 1, WORK) scratch.
    """
    links = int(table[0, LINKS])
    placements(table, state, work)
    gather(table, places, wrenches, work, PLACE)
    for i in range(links, 0, -1):
        f, n = get3(work, i, PLACE), get3(work, i, PLACE + 3)
        p = get3(work, i, ORIGIN)
        here = add_cross(n, f, p)  # about the origin of the link
        state[3, int(table[i, COORDINATE])] = along_axis(table, i, get_axis(work, i), f, here)
        parent = int(table[i, PARENT])
        put(work, parent, PLACE, add(get3(work, parent, PLACE), f))
        put(work, parent, PLACE + 3, add(get3(work, parent, PLACE + 3), n))


@function
def one(table, places, wrenches, q, tau):
    """One state, of floats; scratch on the stack. Shapes are the caller's business."""
    state, packs, work = one_state(table, WORK)
    load_one(table, q, state, index(0))
    sines(packs, packs.shape[1])
    recursion(table, places, wrenches, state, work)
    store_one(table, state, index(3), tau)


def make_one(stamp: str) -> Callable[..., int]:
    """Make the entry for one wrench on one state; it returns 1, and does nothing, where a length does not fit."""

    def static_torque_one(address, place, wrench, q, tau):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        n = int(table[0, COORDINATES])
        if wrench.shape[0] != 6 or q.shape[0] != n or tau.shape[0] != n:
            return 1
        one(table, place, as_floats(wrench, 0, 1, 6), q, tau)
        return 0

    return static_torque_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `where` holds address and row stride in bytes of q, the wrenches and tau."""

    def static_torque_many(table, first, stop, where, places):
        stamp  # noqa: B018  part of the cache key
        links, n, m = int(table[0, LINKS]), int(table[0, COORDINATES]), places.shape[0]
        samples = pack_floats(table, 1)
        buffer = np.empty(samples * (6 * links + (links + 1) * WORK + 6 * m + n), table.dtype)
        state = as_packs(buffer, 0, 6, links)
        work = as_packs(buffer, samples * 6 * links, links + 1, WORK)
        loads = as_packs(buffer, samples * (6 * links + (links + 1) * WORK), m, 6)
        flat = as_packs(buffer, samples * (6 * links + (links + 1) * WORK), 1, 6 * m)
        tile = as_packs(buffer, samples * (6 * links + (links + 1) * WORK + 6 * m), 1, n)
        for row in range(first, stop, samples):
            load_many(table, state, tile, 0, 1, where, row, stop - 1)
            load_tile(flat, 0, where[2], where[3], row, stop - 1, 6 * m)
            sines(state, links)
            recursion(table, places, loads, state, work)
            store_many(table, state, 3, tile, where[4], where[5], row, stop - 1)

    return static_torque_many
