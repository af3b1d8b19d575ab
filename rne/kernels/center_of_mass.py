"""The center of mass, its velocity and its Jacobian, from mass and first moments of the bodies beyond each joint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.algebra.vec import add, add_cross, add_scaled, cross, scale, unturn
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines
from rne.kernels.jacobian import add_column
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import directions
from rne.kernels.layout import COORDINATE, COORDINATES, FULL_HX, FULL_MASS, LEADER, LINKS, PARENT, QD, RATIO, Q
from rne.kernels.placement import ORIGIN, PLACEMENT, ROTATION, base_position, get_axis, placements
from rne.kernels.scratch import many_states, on_scratch
from rne.kernels.simd.num import like
from rne.kernels.simd.pack import as_floats, pack_floats
from rne.kernels.simd.rows import get3, get9, index, put
from rne.kernels.simd.tile import store_tile
from rne.kernels.single import (
    answer,
    filled,
    given_or_zero,
    given_position,
    given_up,
    own_table,
    position_at,
    rates,
    refused,
    result_of,
    shape,
    table_here,
    vector_at,
)

# Values of the argument `what`.
POSITION, VELOCITY, JACOBIAN = 0, 1, 2

# Numbers stored for each link: its placement, then mass and first moments of the link and all its descendants.
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
    gone = base_position(table, state, zero)
    if what == JACOBIAN:
        for k in range(3 * n):
            out[0, k] = zero
    total = get3(work, 0, MOMENTS)
    if what == JACOBIAN and base.floats(table):
        _base_columns(table, work, out)
    if what != POSITION:
        total = (zero, zero, zero)
        if base.floats(table):
            _base_momentum(state, work)
            total = get3(work, 0, MOMENTS)
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
        center = scale(total, share)
        if what == POSITION:
            center = add(gone, center)
        put(out, 0, 0, center)


@borrowing
def _base_momentum(state, work):
    """Replace the moments of the whole robot by its momentum with all joints at rest."""
    R = get9(work, 0, ROTATION)
    v, w = base.velocity(state)
    put(work, 0, MOMENTS, add_cross(scale(unturn(v, R), work[0, MASS]), unturn(w, R), get3(work, 0, MOMENTS)))


@borrowing
def _base_columns(table, work, out):
    """Write the columns of the six rates of a base that floats."""
    n, m = int(table[0, COORDINATES]), work[0, MASS]
    x, y, z = base.axes(get9(work, 0, ROTATION))
    about = scale(get3(work, 0, MOMENTS), like(m, 1.0) / m)
    _base_column(out, n, 0, x, about)
    _base_column(out, n, 1, y, about)
    _base_column(out, n, 2, z, about)


@inline
def _base_column(out, n, k, axis, about):
    """Write the columns of translation along an axis of the base, and of rotation about it."""
    add_column(out, n, k, axis, 1.0)
    add_column(out, n, 3 + k, cross(axis, about), 1.0)


@on_scratch(WORK)
def one(table, room, q, qd, result, what):
    """Calculate one state, of floats. The caller has checked the shapes."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    sines(packs, packs.shape[1])
    recursion(table, state, work, as_floats(result, 0, 1, result.size), what)


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def center_of_mass_one(card, q, qd, out, what):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        qd_at = given_or_zero(card, qd, n)
        table_at = own_table(card)
        if q_at == 0 or qd_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 2 if what == JACOBIAN else 1, shape(3, n, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        qd_row = vector_at(card, qd_at, n)
        filling = filled(card, result, 1, 3 * n if what == JACOBIAN else 3)[0]
        one(table, q_row, qd_row, filling, what)
        if filling.size > 0 and filling[0] != filling[0]:  # NaN in the input, or a robot without mass
            return given_up(card, result)
        return answer(result)

    return center_of_mass_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, qd and the result."""

    def center_of_mass_many(table, first, stop, addresses, what):
        stamp  # noqa: B018  part of the cache key
        numbers = 3 * int(table[0, COORDINATES]) if what == JACOBIAN else 3
        state, work, tile, _, out = many_states(table, WORK, 0, numbers)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 2, addresses, row, stop - 1)
            joint_sines(table, state)
            recursion(table, state, work, out, what)
            store_tile(out, 0, addresses[4], addresses[5], row, stop - 1, numbers)

    return center_of_mass_many
