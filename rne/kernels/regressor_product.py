"""Weights times the regressor, without forming it: one outward sweep.

If every joint moves at the rate of its weight, the bodies have a velocity field X, and by virtual work the weighted sum
of the torques is the integral of X . acceleration over the mass of the robot (`derivative_product`). For each body that
is linear in its ten parameters, and the factors are what a joint with this field as its motion feels of them
(`regressor.felt`). O(n), where the regressor is O(n d).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.algebra.vec import add_cross, add_product, add_scaled, motion_matrix, subtract, turn, unturn
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import directions
from rne.kernels.joint_friction import rise
from rne.kernels.layout import (
    BASE_ANGULAR,
    BASE_LINEAR,
    COORDINATE,
    GRAVITY,
    LINKS,
    PARENT,
    QD,
    QDD,
    SITE_WIDTH,
    TAU,
    Q,
)
from rne.kernels.placement import ORIGIN, ROTATION, axes_of, get_axis, origin_of, placements
from rne.kernels.regressor import BODY, columns_of, felt, first_link, motion_of_base
from rne.kernels.scratch import STACK, many_states, on_scratch
from rne.kernels.simd.num import by_sign, like
from rne.kernels.simd.pack import as_floats, pack_floats, stack_buffer
from rne.kernels.simd.rows import get3, get9, index, put
from rne.kernels.simd.tile import store_tile
from rne.kernels.single import (
    answer,
    filled,
    given,
    given_or_zero,
    given_position,
    position_at,
    rates,
    refused,
    result_of,
    rows_of,
    shape,
    site_at,
    table_here,
    table_of,
    vector_at,
)
from rne.kernels.velocities import MOTION, WD, A, W, accelerations, velocities

# The field of the weights: its rotation, and its velocity at the origin of the link.
SPIN, GLIDE = MOTION, MOTION + 3
WORK = MOTION + 6


@inline
def recursion(table, joints, state, work, out, rotors, friction):
    """Fill row 0 of `out`, one number for each column of the regressor; row TAU of `state` holds the weights.

    joints : (links, SITE_WIDTH), the frames in which the parameters are expressed. state : all other rows, too.
    work : (links + 1, WORK) scratch.
    """
    placements(table, state, work)
    velocities(table, state, work)
    accelerations(table, state, work, -table[0, GRAVITY], -table[0, GRAVITY + 1], -table[0, GRAVITY + 2])
    links, first_body = int(table[0, LINKS]), first_link(table)
    zero = like(work[0, 0], 0.0)
    put(work, 0, SPIN, (zero, zero, zero, zero, zero, zero))
    if base.floats(table):
        _begin_at_base(state, work, out)
    for i in range(1, links + 1):
        parent, j = int(table[i, PARENT]), int(table[i, COORDINATE])
        weight = state[TAU, j]
        spin, glide = directions(table, i, get_axis(work, i))
        u, origin = get3(work, parent, SPIN), get3(work, i, ORIGIN)
        v = add_cross(get3(work, parent, GLIDE), u, subtract(origin, get3(work, parent, ORIGIN)))
        u, v = add_scaled(u, spin, weight), add_scaled(v, glide, weight)
        put(work, i, SPIN, u)
        put(work, i, GLIDE, v)
        R, r = axes_of(joints, i - 1, work), subtract(origin_of(joints, i - 1, work), origin)
        w, wd = turn(get3(work, i, W), R), turn(get3(work, i, WD), R)
        M = motion_matrix(w, wd)
        a = add_product(turn(get3(work, i, A), R), M, turn(r, R))
        put(out, 0, BODY * (first_body + i - 1), felt(turn(u, R), turn(add_cross(v, u, r), R), a, M, w, wd))
        k = BODY * (first_body + links) + i - 1
        if rotors:
            out[0, k] = state[QDD, j] * weight
            k += links
        if friction:
            qd = state[QD, j]
            out[0, k] = qd * weight
            dry = rise(table, i, qd) * weight
            out[0, k + links] = by_sign(qd, dry, zero)
            out[0, k + 2 * links] = by_sign(qd, zero, -dry)


@borrowing
def _begin_at_base(state, work, out):
    """Write the field of the weights of a base that floats, and the sums of its own body."""
    R = get9(work, 0, ROTATION)
    v, u = get3(state, TAU, BASE_LINEAR), get3(state, TAU, BASE_ANGULAR)
    put(work, 0, SPIN, unturn(u, R))
    put(work, 0, GLIDE, unturn(v, R))
    a, M, w, wd = motion_of_base(work, R)
    put(out, 0, 0, felt(u, v, a, M, w, wd))


@on_scratch(WORK)
def one(table, room, joints, state_of, weights, out, drives):
    """Calculate one state, of floats. The caller has checked the shapes.

    state_of : q, qd and qdd. drives : whether there are columns for rotors, and for friction.
    """
    state, packs, work, _ = room
    q, qd, qdd = state_of
    rotors, friction = drives
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    load_one(table, qdd, state, index(QDD))
    load_one(table, weights, state, index(TAU))
    sines(packs, packs.shape[1])
    recursion(table, joints, state, work, as_floats(out, 0, 1, out.size), rotors, friction)


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def regressor_product_one(card, q, qd, qdd, weights, gravity, out, frames, drives):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        qd_at = given_or_zero(card, qd, n)
        qdd_at = given_or_zero(card, qdd, n)
        weights_at = given(card, weights, n)
        table_at = table_of(card, gravity, stack_buffer(card, STACK))
        if q_at == 0 or qd_at == 0 or qdd_at == 0 or weights_at == 0 or table_at == 0:
            return refused(card)
        table, (rotors, friction) = table_here(card, table_at), drives
        columns = columns_of(table, rotors, friction)
        result = result_of(card, out, 1, shape(columns, 1, 1, 1))
        if result == 0:
            return refused(card)
        joints = site_at(card, frames, rows_of(frames), SITE_WIDTH)
        state = position_at(card, q_at), vector_at(card, qd_at, n), vector_at(card, qdd_at, n)
        one(table, joints, state, vector_at(card, weights_at, n), filled(card, result, 1, columns)[0], drives)
        return answer(result)

    return regressor_product_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride of q, qd, qdd, weights and the sums."""

    def regressor_product_many(table, first, stop, addresses, joints, drives):
        stamp  # noqa: B018  part of the cache key
        rotors, friction = drives
        columns = columns_of(table, rotors, friction)
        state, work, tile, _, out = many_states(table, WORK, 0, columns)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 4, addresses, row, stop - 1)
            joint_sines(table, state)
            recursion(table, joints, state, work, out, rotors, friction)
            store_tile(out, 0, addresses[8], addresses[9], row, stop - 1, columns)

    return regressor_product_many
