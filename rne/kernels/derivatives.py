"""Derivatives of the torques of inverse dynamics by q, qd and qdd: two sweeps, and from each joint a walk to the base.

With J_j the velocity field when joint j alone moves at unit rate, J'_j its rate of change along the motion, and A_j the
change of acceleration of the bodies beyond joint j per unit of q_j, seen from these bodies (`joint_fields.py`),

    dtau_i/dqdd_j = integral of J_i . J_j dm,    dtau_i/dqd_j = 2 integral of J_i . J'_j dm

    dtau_i/dq_j = integral of J_i . A_j dm, and if i lies between j and the base, J_i . (forces beyond j, turned by j)

over the bodies beyond both joints. These bodies enter by their moments and the rates of these (`moments.py`), as for
the Coriolis matrix. Gravity is an upward acceleration of the base. The derivatives are those of Carpentier and
Mansard, "Analytical derivatives of rigid body dynamics algorithms", RSS 2018, and the order of calculation, O(n d) for
trees of depth d, is that of Singh, Russell and Wensing, "Efficient analytical derivatives of rigid-body dynamics using
spatial vector algebra", IEEE Robotics and Automation Letters 7 (2022). As for torques, regrouped bodies give the same
result. The six fields of a base that floats are in `derivatives_at_base`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.algebra.inertia import add6, add9
from rne.kernels.algebra.moments import around, moved, moved_rates, spun
from rne.kernels.algebra.vec import add, add_product, cross, plus_cross, scale, subtract
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines
from rne.kernels.derivatives_at_base import (
    ARM,
    ARM_RATE,
    BENDING,
    FORCE,
    H_RATE,
    MASS,
    MOMENT,
    PULL,
    TURNING,
    WD,
    WORK,
    A,
    H,
    S,
    V,
    W,
    begin_at_base,
    enter_base,
    fill_base,
)
from rne.kernels.jit import inline
from rne.kernels.joint import add_rate, along_axis, body_moments, momentum, momentum_rates
from rne.kernels.joint_fields import add_acceleration, carried, change_load, choose, force_change, rate_load
from rne.kernels.joint_friction import friction_slope
from rne.kernels.layout import (
    COORDINATE,
    COORDINATES,
    COUPLINGS,
    FIRST,
    FOLLOWS,
    FRICTION,
    KEEP,
    LEADER,
    LINKS,
    MIMIC,
    OF_FIRST,
    OF_SECOND,
    PARENT,
    QD,
    QDD,
    RATIO,
    ROTOR,
    SECOND,
    SPRINGS,
    STIFFNESS,
    VISCOUS,
    Q,
)
from rne.kernels.placement import ORIGIN, ROTATION, get_axis, placements
from rne.kernels.scratch import STACK, many_states, on_scratch
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import pack_floats, stack_buffer
from rne.kernels.simd.rows import get3, get6, get9, index, put
from rne.kernels.simd.tile import fetch_rows, store_tile
from rne.kernels.single import (
    answer,
    filled,
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

# With as many coordinates, lines fetched before they are written push scratch out of the cache: of 36 joints, a sixth
# more time.
FETCHED = 16


@inline
def _outward(table, state, work):
    """Calculate the motion of every link, and the rates of every joint axis."""
    placements(table, state, work)
    zero = like(work[0, 0], 0.0)
    put(work, 0, W, (zero, zero, zero, zero, zero, zero))
    put(work, 0, A, base.against_gravity(table, zero))
    if base.floats(table):
        begin_at_base(state, work, table)
    for i in range(1, int(table[0, LINKS]) + 1):
        parent, j = int(table[i, PARENT]), int(table[i, COORDINATE])
        axis, w, wd = get_axis(work, i), get3(work, parent, W), get3(work, parent, WD)
        d = subtract(get3(work, i, ORIGIN), get3(work, parent, ORIGIN))
        turning, dd = cross(w, axis), cross(w, d)
        a = add(get3(work, parent, A), plus_cross(cross(wd, d), w, dd))
        put(work, i, TURNING, turning)
        put(work, i, BENDING, plus_cross(cross(wd, axis), w, turning))
        put(work, i, PULL, cross(a, axis))
        wd, a = add_acceleration(table, i, (wd, a), axis, turning, state[QD, j], state[QDD, j])
        w, dd = add_rate(table, i, w, dd, axis, state[QD, j])
        put(work, i, W, w)
        put(work, i, WD, wd)
        put(work, i, A, a)
        put(work, i, ARM, d)
        put(work, i, ARM_RATE, dd)


@inline
def _enter(D, row, column, value, ratio, mimic):
    """Add an entry of two joints to that of their coordinates; the sum is G^T D G."""
    if mimic:
        value = fma(value, ratio, D[row, column])
    D[row, column] = value


@inline
def _add_loads(table, state, D, loads):
    """Add the derivatives of springs and friction of joints, and of those between joints, to the first two matrices.

    A jump of friction at rest counts as constant.
    """
    links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
    for i in range(1, links + 1):
        j, square = int(table[i, LEADER]), table[i, RATIO] * table[i, RATIO]
        if loads & SPRINGS:
            D[j, j] = D[j, j] + table[i, STIFFNESS] * square
        if loads & FRICTION:
            D[n + j, j] = D[n + j, j] + friction_slope(table, i, state[QD, int(table[i, COORDINATE])]) * square
    for e in range(links + 1, links + 1 + int(table[0, COUPLINGS])):
        first, second = int(table[e, FIRST]), int(table[e, SECOND])
        of_first, of_second = table[e, OF_FIRST] * table[first, RATIO], table[e, OF_SECOND] * table[second, RATIO]
        i, k = int(table[first, LEADER]), int(table[second, LEADER])
        for part in range(2):
            column, factor = (i, of_first) if part == 0 else (k, of_second)
            if loads & SPRINGS:
                D[i, column] = D[i, column] + table[e, STIFFNESS] * of_first * factor
                D[k, column] = D[k, column] + table[e, STIFFNESS] * of_second * factor
            if loads & FRICTION:
                D[n + i, column] = D[n + i, column] + table[e, VISCOUS] * of_first * factor
                D[n + k, column] = D[n + k, column] + table[e, VISCOUS] * of_second * factor


@inline
def clear(D):
    """Fill D with zeros."""
    for row in range(D.shape[0]):
        for column in range(D.shape[1]):
            D[row, column] = like(D[0, 0], 0.0)


@inline
def recursion(table, state, work, D, loads):
    """Calculate the derivatives by q, qd and qdd, one below the other in D (3 coordinates, coordinates).

    table : (links + 1, WIDTH). state : rows Q, QD, QDD, SIN_Q and COS_Q. work : (links + 1, WORK) scratch. loads :
    FRICTION, SPRINGS, their sum, or 0. Entries of joints on different branches are not written: D has to be clear, or
    from another state of the robot. For a humanoid, clearing it for every state would take a tenth of the time.
    """
    n, mimic = int(table[0, COORDINATES]), table[0, MIMIC] != 0.0
    zero = like(work[0, 0], 0.0)
    nothing3, nothing6 = (zero, zero, zero), (zero, zero, zero, zero, zero, zero)
    nothing9 = (zero, zero, zero, zero, zero, zero, zero, zero, zero)
    if mimic or table[0, COUPLINGS] != 0.0:
        clear(D)
    _outward(table, state, work)
    low = base.lowest(table)
    for i in range(1, int(table[0, LINKS]) + 1):
        if table[i, KEEP] != 0.0:
            work[i, MASS] = zero
            put(work, i, H, nothing9)
            put(work, i, H_RATE, nothing3)
            put(work, i, V, nothing9)
            put(work, i, FORCE, nothing6)
    m, h, s, hd, v, force, moment = zero, nothing3, nothing6, nothing3, nothing9, nothing3, nothing3
    for i in range(int(table[0, LINKS]), 0, -1):
        if table[i, KEEP] != 0.0:
            m, h, s = m + work[i, MASS], add(h, get3(work, i, H)), add6(s, get6(work, i, S))
            hd, v = add(hd, get3(work, i, H_RATE)), add9(v, get9(work, i, V))
            force, moment = add(force, get3(work, i, FORCE)), add(moment, get3(work, i, MOMENT))
        w, a = get3(work, i, W), get3(work, i, A)
        own_m, own_h, own_s = body_moments(table, i, get9(work, i, ROTATION))
        own_hd, own_v, wd = cross(w, own_h), spun(w, own_s), get3(work, i, WD)
        force = add(force, plus_cross(plus_cross(scale(a, own_m), wd, own_h), w, own_hd))
        back = (-w[0], -w[1], -w[2])
        moment = add(moment, plus_cross(add_product(around(own_s, wd), own_v, back), own_h, a))
        m, h, s, hd, v = m + own_m, add(h, own_h), add6(s, own_s), add(hd, own_hd), add9(v, own_v)

        axis, turning = get_axis(work, i), get3(work, i, TURNING)
        rates, pull = (turning, get3(work, i, BENDING)), get3(work, i, PULL)
        # Integrals of J and r x J; of J', r x J' and r' x J; and the wrench of the change of acceleration.
        a, b = momentum(table, i, axis, m, h, s)
        f, t, e = momentum_rates(table, i, axis, turning, (m, h, s), (hd, v))
        f, t = add(f, f), add(t, t)
        g, u = force_change(table, i, rates, pull, (m, h, s), (hd, v))
        j = int(table[i, COORDINATE])
        felt = fma(state[Q, j], zero, fma(state[QD, j], zero, state[QDD, j] * zero))  # propagates NaN
        by_q, by_qd = felt + along_axis(table, i, axis, g, u), felt + along_axis(table, i, axis, f, t)
        by_qdd = fma(state[Q, j], zero, along_axis(table, i, axis, a, b) + table[i, ROTOR])
        row, ratio, parent = int(table[i, LEADER]), table[i, RATIO], int(table[i, PARENT])
        _enter(D, row, row, by_q, ratio * ratio, mimic)
        _enter(D, n + row, row, by_qd, ratio * ratio, mimic)
        _enter(D, 2 * n + row, row, by_qdd, ratio * ratio, mimic)
        turned_f, turned_n = carried(table, i, axis, force, moment)
        g, u = add(g, turned_f), add(u, turned_n)
        last, k = i, parent
        while k > 0:
            d, dd = get3(work, last, ARM), get3(work, last, ARM_RATE)
            t, u, b, e = plus_cross(t, d, f), plus_cross(u, d, g), plus_cross(b, d, a), plus_cross(e, dd, a)
            axis, turning = get_axis(work, k), get3(work, k, TURNING)
            rates, pull = (turning, get3(work, k, BENDING)), get3(work, k, PULL)
            # All numbers come before the first is stored: what is stored could be the table, for all LLVM knows.
            by_q, by_qd = along_axis(table, k, axis, g, u), along_axis(table, k, axis, f, t)
            by_qdd = along_axis(table, k, axis, a, b)
            once = rate_load(table, k, axis, turning, choose(table, k, a, b), e)
            back = change_load(table, k, rates, pull, a, b, e)
            column, both = int(table[k, LEADER]), ratio * table[k, RATIO]
            last, k = k, int(table[k, PARENT])
            _enter(D, column, row, by_q, both, mimic)
            _enter(D, row, column, back, both, mimic)
            _enter(D, n + column, row, by_qd, both, mimic)
            _enter(D, n + row, column, once + once, both, mimic)
            _enter(D, 2 * n + column, row, by_qdd, both, mimic)
            _enter(D, 2 * n + row, column, by_qdd, both, mimic)
        if low == 0:
            d, dd = get3(work, last, ARM), get3(work, last, ARM_RATE)
            t, u, b, e = plus_cross(t, d, f), plus_cross(u, d, g), plus_cross(b, d, a), plus_cross(e, dd, a)
            enter_base(table, state, work, D, i, ((g, u), (f, t)), (a, b, e))

        if parent >= low:
            d, dd = get3(work, i, ARM), get3(work, i, ARM_RATE)
            moment = plus_cross(moment, d, force)
            hd, v = moved_rates(m, h, hd, v, d, dd)
            h, s = moved(m, h, s, d)
        if table[i, FOLLOWS] == 0.0 or parent == 0:
            if parent >= low:
                work[parent, MASS] = m + work[parent, MASS]
                put(work, parent, H, add(h, get3(work, parent, H)))
                put(work, parent, S, add6(s, get6(work, parent, S)))
                put(work, parent, H_RATE, add(hd, get3(work, parent, H_RATE)))
                put(work, parent, V, add9(v, get9(work, parent, V)))
                put(work, parent, FORCE, add(force, get3(work, parent, FORCE)))
                put(work, parent, MOMENT, add(moment, get3(work, parent, MOMENT)))
            m, h, s, hd, v, force, moment = zero, nothing3, nothing6, nothing3, nothing9, nothing3, nothing3
    if low == 0:
        fill_base(table, state, work, D)
    if loads != 0:
        _add_loads(table, state, D, loads)


@on_scratch(WORK)
def one(table, room, q, qd, qdd, D, loads):
    """Calculate one state, of floats. The caller has checked the shapes."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    load_one(table, qdd, state, index(QDD))
    sines(packs, packs.shape[1])
    clear(D)
    recursion(table, state, work, D, loads)


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def derivatives_one(card, q, qd, qdd, gravity, out, loads):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        qd_at = given_or_zero(card, qd, n)
        qdd_at = given_or_zero(card, qdd, n)
        table_at = table_of(card, gravity, stack_buffer(card, STACK))
        if q_at == 0 or qd_at == 0 or qdd_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 3, shape(3, n, n, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        qd_row = vector_at(card, qd_at, n)
        qdd_row = vector_at(card, qdd_at, n)
        one(table, q_row, qd_row, qdd_row, filled(card, result, 3 * n, n), loads)
        return answer(result)

    return derivatives_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, qd, qdd and the matrices."""

    def derivatives_many(table, first, stop, addresses, loads):
        stamp  # noqa: B018  part of the cache key
        n = int(table[0, COORDINATES])
        samples = pack_floats(table, 1)
        state, work, tile, _, out = many_states(table, WORK, 0, 3 * n * n)
        D = out.reshape((3 * n, n))
        clear(D)
        for row in range(first, stop, samples):
            load_many(table, state, tile, Q, 3, addresses, row, stop - 1)
            if n < FETCHED:
                fetch_rows(addresses[6], addresses[7], row, stop, samples)
            joint_sines(table, state)
            recursion(table, state, work, D, loads)
            store_tile(out, 0, addresses[6], addresses[7], row, stop - 1, 3 * n * n)

    return derivatives_many
