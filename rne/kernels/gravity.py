"""Torques that hold a robot still: inverse dynamics at rest, where a third of the work is left.

Nothing turns, so gravity alone is carried outward. A regrouped revolute link has no mass of its own but first moments;
it takes no force, only the moment h x a.
"""

from __future__ import annotations

from collections.abc import Callable

from rne.kernels.algebra.transfer import wrench_to_parent
from rne.kernels.algebra.vec import add, turn_x, turn_z
from rne.kernels.coordinates import load_many, load_one, sines, store_many, store_one
from rne.kernels.jit import borrowing, function, inline
from rne.kernels.joint import along, angle, resting_wrench
from rne.kernels.layout import (
    COORDINATE,
    COORDINATES,
    COS_ALPHA,
    COS_TURN,
    FOLLOWS,
    GRAVITY,
    HAS_TURN,
    KEEP,
    LINKS,
    PARENT,
    SIN_ALPHA,
    SIN_TURN,
)
from rne.kernels.scratch import STACK, aligned, table_at
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import as_floats, as_packs, pack_floats, packs_for, stack_buffer
from rne.kernels.simd.rows import get3, index, put

# Numbers kept for each link: cosine and sine, force, moment; then, for branching, the acceleration.
WORK = 11


@inline
def recursion(table, state, work):
    """Turn rows q, sine and cosine of q (0, 4, 5) of `state` into row tau (3); work : (links + 1, WORK) scratch."""
    links = int(table[0, LINKS])
    zero = like(work[0, 0], 0.0)
    nothing = (zero, zero, zero)
    a = (
        like(zero, -table[0, GRAVITY]),
        like(zero, -table[0, GRAVITY + 1]),
        like(zero, -table[0, GRAVITY + 2]),
    )
    put(work, 0, 8, a)
    for i in range(1, links + 1):
        if table[i, FOLLOWS] == 0.0:
            a = get3(work, int(table[i, PARENT]), 8)
        if table[i, HAS_TURN] != 0.0:
            a = turn_z(a, table[i, COS_TURN], table[i, SIN_TURN])
        a = turn_x(a, table[i, COS_ALPHA], table[i, SIN_ALPHA])
        j = int(table[i, COORDINATE])
        c, s = angle(table, i, state[4, j], state[5, j])
        work[i, 0], work[i, 1] = c, s
        a = turn_z(a, c, s)
        f, n = resting_wrench(table, i, a)
        put(work, i, 2, f)
        put(work, i, 5, n)
        if table[i, KEEP] != 0.0:
            put(work, i, 8, a)
    f, n = nothing, nothing
    for i in range(links, 0, -1):
        f = add(f, get3(work, i, 2))
        n = add(n, get3(work, i, 5))
        j = int(table[i, COORDINATE])
        state[3, j] = fma(state[0, j], like(state[0, j], 0.0), along(table, i, f, n))  # a NaN must stay one
        parent = int(table[i, PARENT])
        if parent > 0:
            f, n = wrench_to_parent(table, i, f, n, work[i, 0], work[i, 1], state[0, j])
        if table[i, FOLLOWS] == 0.0 or parent == 0:
            if parent > 0:
                put(work, parent, 2, add(f, get3(work, parent, 2)))
                put(work, parent, 5, add(n, get3(work, parent, 5)))
            f, n = nothing, nothing


@borrowing
def _run(table, q, tau, buffer):
    links = int(table[0, LINKS])
    packs = packs_for(table, links)
    width = pack_floats(table, packs)
    state = as_floats(buffer, 0, 6, width)
    work = as_floats(buffer, 6 * width, links + 1, WORK)
    load_one(table, q, state, index(0))
    sines(as_packs(buffer, 0, 6, packs), packs)
    recursion(table, state, work)
    store_one(table, state, index(3), tau)


@function
def _run_large(table, q, tau, size):
    _run(table, q, tau, aligned(table, size))


@borrowing
def one(table, q, tau):
    """One state, of floats; scratch on the stack. Shapes are the caller's business."""
    links = int(table[0, LINKS])
    size = 6 * pack_floats(table, packs_for(table, links)) + (links + 1) * WORK
    if size > STACK:
        _run_large(table, q, tau, size)
    else:
        _run(table, q, tau, stack_buffer(table, STACK))


def make_one(stamp: str) -> Callable[..., int]:
    """Make the entry for one state; it returns 1, and does nothing, where a length does not fit."""

    def gravity_one(address, q, tau):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        n = int(table[0, COORDINATES])
        if q.shape[0] != n or tau.shape[0] != n:
            return 1
        one(table, q, tau)
        return 0

    return gravity_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `where` holds address and row stride in bytes of q and tau."""

    def gravity_many(table, first, stop, where):
        stamp  # noqa: B018  part of the cache key
        links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
        samples = pack_floats(table, 1)
        buffer = aligned(table, samples * (6 * links + (links + 1) * WORK + n))
        state = as_packs(buffer, 0, 6, links)
        work = as_packs(buffer, samples * 6 * links, links + 1, WORK)
        tile = as_packs(buffer, samples * (6 * links + (links + 1) * WORK), 1, n)
        for row in range(first, stop, samples):
            load_many(table, state, tile, 0, 1, where, row, stop - 1)
            sines(state, links)
            recursion(table, state, work)
            store_many(table, state, 3, tile, where[2], where[3], row, stop - 1)

    return gravity_many
