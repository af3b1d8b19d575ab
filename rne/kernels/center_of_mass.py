"""The center of mass, its velocity and its Jacobian, from the mass and first moments that each joint carries."""

from __future__ import annotations

from collections.abc import Callable

from rne.kernels.algebra.vec import add, add_cross, add_scaled, unturn
from rne.kernels.coordinates import load_many, load_one, sines
from rne.kernels.jacobian import add_column
from rne.kernels.jit import inline
from rne.kernels.joint import directions
from rne.kernels.layout import COORDINATE, COORDINATES, FULL_HX, FULL_MASS, LEADER, LINKS, PARENT, QD, RATIO, Q
from rne.kernels.placement import ORIGIN, PLACEMENT, ROTATION, get_axis, placements
from rne.kernels.scratch import many_states, on_scratch, table_at
from rne.kernels.simd.num import like
from rne.kernels.simd.pack import as_floats, pack_floats
from rne.kernels.simd.rows import get3, get9, index, put
from rne.kernels.simd.tile import store_tile

# What is asked for.
POSITION, VELOCITY, JACOBIAN = 0, 1, 2

# Numbers kept for each link: its placement, mass and first moments of it and of all that hangs on it.
MASS, MOMENTS = PLACEMENT, PLACEMENT + 1
WORK = PLACEMENT + 4


@inline
def recursion(table, state, work, out, what):
    """Fill row 0 of `out`, three numbers or a matrix (3, n) row by row, from rows Q, QD, SIN_Q and COS_Q of `state`.

    work : (links + 1, WORK) scratch.
    """
    links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
    placements(table, state, work)
    zero = like(work[0, 0], 0.0)
    for i in range(links + 1):
        m = table[i, FULL_MASS]
        work[i, MASS] = like(zero, m)
        put(
            work,
            i,
            MOMENTS,
            add_scaled(unturn(get3(table, i, FULL_HX), get9(work, i, ROTATION)), get3(work, i, ORIGIN), m),
        )
    for i in range(links, 0, -1):
        parent = int(table[i, PARENT])
        work[parent, MASS] = work[parent, MASS] + work[i, MASS]
        put(work, parent, MOMENTS, add(get3(work, parent, MOMENTS), get3(work, i, MOMENTS)))
    share = like(zero, 1.0) / work[0, MASS]
    if what == JACOBIAN:
        for k in range(3 * n):
            out[0, k] = zero
    total = get3(work, 0, MOMENTS)
    if what != POSITION:
        total = (zero, zero, zero)
        for i in range(1, links + 1):
            m = work[i, MASS]
            spin, glide = directions(table, i, get_axis(work, i))
            about_joint = add_scaled(get3(work, i, MOMENTS), get3(work, i, ORIGIN), -m)
            momentum = add_cross((glide[0] * m, glide[1] * m, glide[2] * m), spin, about_joint)
            if what == VELOCITY:
                total = add_scaled(total, momentum, state[QD, int(table[i, COORDINATE])])
            else:
                add_column(
                    out, n, int(table[i, LEADER]), add_scaled((zero, zero, zero), momentum, share), table[i, RATIO]
                )
    if what != JACOBIAN:
        put(out, 0, 0, (total[0] * share, total[1] * share, total[2] * share))


@on_scratch(WORK)
def one(table, room, q, qd, result, what):
    """One state, of floats. Shapes are the caller's business."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    sines(packs, packs.shape[1])
    recursion(table, state, work, as_floats(result, 0, 1, result.size), what)


def make_one(stamp: str) -> Callable[..., int]:
    """Make the entry for one state; it returns 1, and does nothing, where a length does not fit."""

    def center_of_mass_one(address, q, qd, result, what):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        n = int(table[0, COORDINATES])
        if q.shape[0] != n or qd.shape[0] != n or result.shape[0] != 3 or what == JACOBIAN:
            return 1
        one(table, q, qd, result, what)
        return 0

    return center_of_mass_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, qd and the result."""

    def center_of_mass_many(table, first, stop, addresses, what):
        stamp  # noqa: B018  part of the cache key
        numbers = 3 * int(table[0, COORDINATES]) if what == JACOBIAN else 3
        state, work, tile, _, out = many_states(table, WORK, 0, numbers)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 2, addresses, row, stop - 1)
            sines(state, int(table[0, LINKS]))
            recursion(table, state, work, out, what)
            store_tile(out, 0, addresses[4], addresses[5], row, stop - 1, numbers)

    return center_of_mass_many
