"""Weights times the derivatives of the torques of inverse dynamics, without forming these: one reverse sweep.

If every joint moves at the rate of its weight, the bodies have a velocity field X, and by virtual work the weighted sum
of the torques is the integral of X . acceleration over the mass of the robot. So the weighted sums of the columns in
`derivatives` need only the integrals of X, r x X and r' x X over the bodies beyond each joint, which add from the tips
inward like force and moment. O(n), in link axes like inverse dynamics. The weights of a base that floats are the
field at the root.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.algebra.moments import around
from rne.kernels.algebra.transfer import wrench_to_parent
from rne.kernels.algebra.vec import (
    add,
    add_cross,
    add_product,
    cross,
    motion_matrix,
    plus_cross,
    scale,
    turn_x,
    turn_z,
    unturn_x,
    unturn_z,
)  # fmt: skip
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines
from rne.kernels.coupling import ends, stretch
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import angle, body_wrench, move_joint
from rne.kernels.joint_fields import field_moments, move_field, products, slide_rate
from rne.kernels.joint_friction import friction_slope
from rne.kernels.layout import (
    BASE_ANGULAR,
    BASE_LINEAR,
    COORDINATE,
    COORDINATES,
    COS,
    COS_ALPHA,
    COS_Q,
    COS_TURN,
    COUPLINGS,
    FIRST,
    FOLLOWS,
    FORCE,
    FRICTION,
    HAS_TURN,
    KEEP,
    LEADER,
    LINKS,
    MOMENT,
    OF_FIRST,
    OF_SECOND,
    PARENT,
    PX,
    QD,
    QDD,
    RATIO,
    ROTOR,
    SECOND,
    SIN,
    SIN_ALPHA,
    SIN_Q,
    SIN_TURN,
    SPRINGS,
    STIFFNESS,
    SWEEP,
    TAU,
    VISCOUS,
    Q,
)
from rne.kernels.scratch import STACK, many_states, on_scratch
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import as_floats, pack_floats, stack_buffer
from rne.kernels.simd.rows import get3, index, put
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
    shape,
    table_here,
    table_of,
    vector_at,
)

# Besides the columns of all sweeps: w, acceleration of the origin, third column of the motion matrix, and the field:
# its rotation, and its velocity at the origin. For branching also wd, and the moments of the field beyond the children.
OMEGA, ACCELERATION, BENDING, SPIN, GLIDE = SWEEP, SWEEP + 3, SWEEP + 6, SWEEP + 9, SWEEP + 12
OMEGA_RATE, FIELD, FIELD_MOMENT, FIELD_RATE = SWEEP + 15, SWEEP + 18, SWEEP + 21, SWEEP + 24
WORK = SWEEP + 27


@inline
def _outward(table, state, work):
    """Calculate the motion of all links, the wrench of every body, and the field of the weights in row TAU."""
    zero = like(work[0, 0], 0.0)
    nothing = (zero, zero, zero)
    w, wd, y, v = nothing, nothing, nothing, nothing
    a = base.against_gravity(table, zero)
    put(work, 0, OMEGA, nothing)
    put(work, 0, OMEGA_RATE, nothing)
    put(work, 0, ACCELERATION, a)
    put(work, 0, SPIN, nothing)
    put(work, 0, GLIDE, nothing)
    A = (zero, zero, zero, zero, zero, zero, zero, zero, zero)
    if base.floats(table):
        _begin_at_base(table, state, work)
        w, wd, a = get3(work, 0, OMEGA), get3(work, 0, OMEGA_RATE), get3(work, 0, ACCELERATION)
        y, v = get3(work, 0, SPIN), get3(work, 0, GLIDE)
        A = motion_matrix(w, wd)
    for i in range(1, int(table[0, LINKS]) + 1):
        if table[i, FOLLOWS] == 0.0:
            parent = int(table[i, PARENT])
            w, wd, a = get3(work, parent, OMEGA), get3(work, parent, OMEGA_RATE), get3(work, parent, ACCELERATION)
            y, v = get3(work, parent, SPIN), get3(work, parent, GLIDE)
            A = motion_matrix(w, wd)
        p = get3(table, i, PX)
        a, v = add_product(a, A, p), add_cross(v, y, p)
        if table[i, HAS_TURN] != 0.0:
            c, s = table[i, COS_TURN], table[i, SIN_TURN]
            w, wd, a, y, v = turn_z(w, c, s), turn_z(wd, c, s), turn_z(a, c, s), turn_z(y, c, s), turn_z(v, c, s)
        c, s = table[i, COS_ALPHA], table[i, SIN_ALPHA]
        w, wd, a, y, v = turn_x(w, c, s), turn_x(wd, c, s), turn_x(a, c, s), turn_x(y, c, s), turn_x(v, c, s)
        j = int(table[i, COORDINATE])
        c, s = angle(table, i, state[SIN_Q, j], state[COS_Q, j])
        work[i, COS], work[i, SIN] = c, s
        w, wd, a, y, v = turn_z(w, c, s), turn_z(wd, c, s), turn_z(a, c, s), turn_z(y, c, s), turn_z(v, c, s)
        y, v = move_field(table, i, y, v, state[Q, j], state[TAU, j])
        w, wd, a, A = move_joint(table, i, w, wd, a, state[Q, j], state[QD, j], state[QDD, j])
        f, n = body_wrench(table, i, a, A)
        put(work, i, FORCE, f)
        put(work, i, MOMENT, n)
        put(work, i, OMEGA, w)
        put(work, i, ACCELERATION, a)
        put(work, i, BENDING, (A[2], A[5], A[8]))
        put(work, i, SPIN, y)
        put(work, i, GLIDE, v)
        if table[i, KEEP] != 0.0:
            put(work, i, OMEGA_RATE, wd)
            put(work, i, FIELD, nothing)
            put(work, i, FIELD_MOMENT, nothing)
            put(work, i, FIELD_RATE, nothing)


@borrowing
def _begin_at_base(table, state, work):
    """Calculate the motion of a base that floats, and the moments of the field over its own body."""
    w, wd, a = base.motion(table, state)
    v, y = get3(state, TAU, BASE_LINEAR), get3(state, TAU, BASE_ANGULAR)
    m, h, S = base.moments(table, w[0])
    zero = like(m, 0.0)
    put(work, 0, FORCE, (zero, zero, zero, zero, zero, zero))
    put(work, 0, OMEGA, w)
    put(work, 0, OMEGA_RATE, wd)
    put(work, 0, ACCELERATION, a)
    put(work, 0, SPIN, y)
    put(work, 0, GLIDE, v)
    put(work, 0, FIELD, add_cross(scale(v, m), y, h))
    put(work, 0, FIELD_MOMENT, add_cross(around(S, y), h, v))
    c = cross(w, y)
    spread = (
        fma(S[0], c[0], fma(S[3], c[1], S[4] * c[2])),
        fma(S[3], c[0], fma(S[1], c[1], S[5] * c[2])),
        fma(S[4], c[0], fma(S[5], c[1], S[2] * c[2])),
    )
    put(work, 0, FIELD_RATE, add_cross(spread, cross(w, h), v))


@borrowing
def _store_base(table, state, work, out):
    """Write the sums of a base that floats; `derivatives_at_base` has the changes of acceleration."""
    n, doubt = int(table[0, COORDINATES]), base.doubt(state)
    p, b, e = get3(work, 0, FIELD), get3(work, 0, FIELD_MOMENT), get3(work, 0, FIELD_RATE)
    v, w = base.velocity(state)
    nothing = (doubt, doubt, doubt)
    put(out, 0, 0, nothing)
    put(out, 0, 3, cross(p, base.rising(table, state)))
    put(out, 0, n, add_cross(nothing, p, w))
    put(out, 0, n + 3, add(add(e, e), add_cross(add_cross(nothing, b, w), v, p)))
    put(out, 0, 2 * n, add(p, nothing))
    put(out, 0, 2 * n + 3, add(b, nothing))


@inline
def _rate_to_parent(table, i, w, p, e):
    """Transform the integral e of r' x X to the parent, whose angular velocity is w; p, in its axes, is that of X."""
    c, s = table[i, COS_ALPHA], table[i, SIN_ALPHA]
    e = unturn_x(e, c, s)
    if table[i, HAS_TURN] != 0.0:
        e = unturn_z(e, table[i, COS_TURN], table[i, SIN_TURN])
    return plus_cross(e, cross(w, get3(table, i, PX)), p)


@inline
def _add(table, out, i, values):
    """Add the sums by q, qd and qdd of joint i to those of the coordinate that it follows."""
    n, j, ratio = int(table[0, COORDINATES]), int(table[i, LEADER]), table[i, RATIO]
    out[0, j] = fma(values[0], ratio, out[0, j])
    out[0, n + j] = fma(values[1], ratio, out[0, n + j])
    out[0, 2 * n + j] = fma(values[2], ratio, out[0, 2 * n + j])


@inline
def _add_couplings(table, state, out, loads):
    """Add the sums for springs and dampers between joints."""
    links = int(table[0, LINKS])
    for e in range(links + 1, links + 1 + int(table[0, COUPLINGS])):
        i, j = ends(table, e)
        weight = stretch(table, e, state[TAU, i], state[TAU, j])
        zero = like(weight, 0.0)
        of_q, of_qd = zero, zero
        if loads & SPRINGS:
            of_q = weight * table[e, STIFFNESS]
        if loads & FRICTION:
            of_qd = weight * table[e, VISCOUS]
        first, second = int(table[e, FIRST]), int(table[e, SECOND])
        _add(table, out, first, (of_q * table[e, OF_FIRST], of_qd * table[e, OF_FIRST], zero))
        _add(table, out, second, (of_q * table[e, OF_SECOND], of_qd * table[e, OF_SECOND], zero))


@inline
def recursion(table, state, work, out, loads):
    """Fill the sums by q, qd and qdd, one after the other, in row 0 of `out`; row TAU of `state` holds the weights.

    table : (links + 1, WIDTH). state : all other rows, too. work : (links + 1, WORK) scratch. loads : FRICTION,
    SPRINGS, their sum, or 0.
    """
    zero = like(work[0, 0], 0.0)
    nothing = (zero, zero, zero)
    for k in range(3 * int(table[0, COORDINATES])):
        out[0, k] = zero
    _outward(table, state, work)
    f, n, p, b, e = nothing, nothing, nothing, nothing, nothing
    low = base.lowest(table)
    for i in range(int(table[0, LINKS]), 0, -1):
        j = int(table[i, COORDINATE])
        w, y, v = get3(work, i, OMEGA), get3(work, i, SPIN), get3(work, i, GLIDE)
        if table[i, KEEP] != 0.0:
            p, b, e = (
                add(p, get3(work, i, FIELD)),
                add(b, get3(work, i, FIELD_MOMENT)),
                add(e, get3(work, i, FIELD_RATE)),
            )
        own_p, own_b, own_e = field_moments(table, i, w, (y, v))
        p, b, e = add(p, own_p), add(b, own_b), add(e, own_e)
        f, n = add(f, get3(work, i, FORCE)), add(n, get3(work, i, MOMENT))
        motion = (w, get3(work, i, ACCELERATION), get3(work, i, BENDING))
        by_q, by_qd, by_qdd = products(table, i, motion, (y, v), (f, n), (p, b, e))
        weight, q, qd = state[TAU, j], state[Q, j], state[QD, j]
        by_qdd = fma(weight, table[i, ROTOR], by_qdd)
        felt = fma(q, zero, fma(qd, zero, state[QDD, j] * zero))  # propagates NaN
        if loads & SPRINGS:
            by_q = fma(weight, table[i, STIFFNESS], by_q)
        if loads & FRICTION:
            by_qd = fma(weight, friction_slope(table, i, qd), by_qd)
        _add(table, out, i, (by_q + felt, by_qd + felt, by_qdd + felt))
        parent = int(table[i, PARENT])
        if parent >= low:
            c, s = work[i, COS], work[i, SIN]
            e = unturn_z(slide_rate(table, i, w, p, e, q, qd), c, s)
            f, n = wrench_to_parent(table, i, f, n, c, s, q)
            p, b = wrench_to_parent(table, i, p, b, c, s, q)
            e = _rate_to_parent(table, i, get3(work, parent, OMEGA), p, e)
        if table[i, FOLLOWS] == 0.0 or parent == 0:
            if parent >= low:
                put(work, parent, FORCE, add(f, get3(work, parent, FORCE)))
                put(work, parent, MOMENT, add(n, get3(work, parent, MOMENT)))
                put(work, parent, FIELD, add(p, get3(work, parent, FIELD)))
                put(work, parent, FIELD_MOMENT, add(b, get3(work, parent, FIELD_MOMENT)))
                put(work, parent, FIELD_RATE, add(e, get3(work, parent, FIELD_RATE)))
            f, n, p, b, e = nothing, nothing, nothing, nothing, nothing
    if low == 0:
        _store_base(table, state, work, out)
    if loads != 0:
        _add_couplings(table, state, out, loads)


@on_scratch(WORK)
def one(table, room, state_of, weights, out, loads):
    """Calculate one state, of floats. The caller has checked the shapes. state_of : q, qd and qdd."""
    state, packs, work, _ = room
    q, qd, qdd = state_of
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    load_one(table, qdd, state, index(QDD))
    load_one(table, weights, state, index(TAU))
    sines(packs, packs.shape[1])
    recursion(table, state, work, as_floats(out, 0, 1, out.size), loads)


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def derivative_product_one(card, q, qd, qdd, weights, gravity, out, loads):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        qd_at = given_or_zero(card, qd, n)
        qdd_at = given_or_zero(card, qdd, n)
        weights_at = given(card, weights, n)
        table_at = table_of(card, gravity, stack_buffer(card, STACK))
        if q_at == 0 or qd_at == 0 or qdd_at == 0 or weights_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 2, shape(3, n, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        state = position_at(card, q_at), vector_at(card, qd_at, n), vector_at(card, qdd_at, n)
        one(table, state, vector_at(card, weights_at, n), filled(card, result, 3, n), loads)
        return answer(result)

    return derivative_product_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride of q, qd, qdd, weights and the sums."""

    def derivative_product_many(table, first, stop, addresses, loads):
        stamp  # noqa: B018  part of the cache key
        n = int(table[0, COORDINATES])
        state, work, tile, _, out = many_states(table, WORK, 0, 3 * n)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 4, addresses, row, stop - 1)
            joint_sines(table, state)
            recursion(table, state, work, out, loads)
            store_tile(out, 0, addresses[8], addresses[9], row, stop - 1, 3 * n)

    return derivative_product_many
