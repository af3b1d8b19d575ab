"""Inverse dynamics by the recursive Newton-Euler algorithm.

Source: Luh, Walker, Paul, "On-line computational scheme for mechanical manipulators", ASME J. DSMC 102 (1980), in link
frames. Body parameters are stored about the link origin as mass, first and second moments; with the motion matrix
`A = [wd]x + [w]x [w]x` the acceleration of a point is `a + A r`, so force and moment need no shift to the center of
mass. Gravity is modeled as an upward acceleration of the base.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.algebra.transfer import wrench_to_parent
from rne.kernels.algebra.vec import add, add_product, motion_matrix, turn_x, turn_z
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines, store_many, store_one
from rne.kernels.coupling import add_couplings
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import along, angle, body_wrench, move_joint, spring
from rne.kernels.joint_friction import friction
from rne.kernels.layout import (
    COORDINATE,
    COORDINATES,
    COS,
    COS_ALPHA,
    COS_Q,
    COS_TURN,
    FOLLOWS,
    FORCE,
    FRICTION,
    HAS_TURN,
    KEEP,
    LINKS,
    MOMENT,
    PARENT,
    PX,
    QD,
    QDD,
    ROTOR,
    SIN,
    SIN_ALPHA,
    SIN_Q,
    SIN_TURN,
    SPRINGS,
    SWEEP,
    TAU,
    Q,
)
from rne.kernels.scratch import STACK, many_states, on_scratch, table_at
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import pack_floats, stack_buffer
from rne.kernels.simd.rows import get3, index, put
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

# Besides the columns of all sweeps, for branching: the motion of each link, w, wd and a.
OMEGA, OMEGA_RATE, ACCELERATION = SWEEP, SWEEP + 3, SWEEP + 6
WORK = SWEEP + 9


@inline
def outward(table, state, work):
    """Calculate the motion of all links from all rows of `state` except TAU.

    Fills `work` with cosine and sine of every joint, force and moment of every body, and w, wd, a of branching links.
    Force and moment on a base that floats include its own body.
    """
    links = int(table[0, LINKS])
    zero = like(work[0, 0], 0.0)
    w = (zero, zero, zero)
    wd = (zero, zero, zero)
    a = base.against_gravity(table, zero)
    put(work, 0, OMEGA, w)
    put(work, 0, OMEGA_RATE, wd)
    put(work, 0, ACCELERATION, a)
    A = (zero, zero, zero, zero, zero, zero, zero, zero, zero)
    if base.floats(table):
        _begin_at_base(table, state, work)
        w, wd, a = get3(work, 0, OMEGA), get3(work, 0, OMEGA_RATE), get3(work, 0, ACCELERATION)
        A = motion_matrix(w, wd)

    for i in range(1, links + 1):
        if table[i, FOLLOWS] == 0.0:
            parent = int(table[i, PARENT])
            w, wd, a = get3(work, parent, OMEGA), get3(work, parent, OMEGA_RATE), get3(work, parent, ACCELERATION)
            A = motion_matrix(w, wd)
        a = add_product(a, A, get3(table, i, PX))
        if table[i, HAS_TURN] != 0.0:
            ct, st = table[i, COS_TURN], table[i, SIN_TURN]
            w, wd, a = turn_z(w, ct, st), turn_z(wd, ct, st), turn_z(a, ct, st)
        ca, sa = table[i, COS_ALPHA], table[i, SIN_ALPHA]
        w, wd, a = turn_x(w, ca, sa), turn_x(wd, ca, sa), turn_x(a, ca, sa)
        j = int(table[i, COORDINATE])
        c, s = angle(table, i, state[SIN_Q, j], state[COS_Q, j])
        work[i, COS], work[i, SIN] = c, s
        w, wd, a = turn_z(w, c, s), turn_z(wd, c, s), turn_z(a, c, s)
        w, wd, a, A = move_joint(table, i, w, wd, a, state[Q, j], state[QD, j], state[QDD, j])
        f, n = body_wrench(table, i, a, A)
        put(work, i, FORCE, f)
        put(work, i, MOMENT, n)
        if table[i, KEEP] != 0.0:
            put(work, i, OMEGA, w)
            put(work, i, OMEGA_RATE, wd)
            put(work, i, ACCELERATION, a)


@borrowing
def _begin_at_base(table, state, work):
    """Calculate the motion of a base that floats, and force and moment of its own body."""
    w, wd, a = base.motion(table, state)
    f, n = base.wrench(table, a, motion_matrix(w, wd))
    put(work, 0, FORCE, f)
    put(work, 0, MOMENT, n)
    put(work, 0, OMEGA, w)
    put(work, 0, OMEGA_RATE, wd)
    put(work, 0, ACCELERATION, a)


@inline
def recursion(table, state, work, loads):
    """Calculate row TAU of `state` from all other rows.

    If the base floats, the row begins with force and moment on the base, in its own axes.

    table : (links + 1, WIDTH) as in `layout`. state : (STATE, links or more), of floats or of packs.
    work : (links + 1, WORK) scratch of the same numbers. loads : FRICTION, SPRINGS, their sum, or 0.
    """
    outward(table, state, work)
    zero = like(work[0, 0], 0.0)
    f = (zero, zero, zero)
    n = (zero, zero, zero)
    low = base.lowest(table)
    for i in range(int(table[0, LINKS]), 0, -1):
        f = add(f, get3(work, i, FORCE))
        n = add(n, get3(work, i, MOMENT))
        j = int(table[i, COORDINATE])
        torque = fma(state[QDD, j], table[i, ROTOR], along(table, i, f, n))
        if loads & FRICTION:
            torque = torque + friction(table, i, state[QD, j])
        if loads & SPRINGS:
            torque = torque + spring(table, i, state[Q, j])
        state[TAU, j] = torque
        parent = int(table[i, PARENT])
        if parent >= low:
            f, n = wrench_to_parent(table, i, f, n, work[i, COS], work[i, SIN], state[Q, j])
        if table[i, FOLLOWS] == 0.0 or parent == 0:
            if parent >= low:
                put(work, parent, FORCE, add(f, get3(work, parent, FORCE)))
                put(work, parent, MOMENT, add(n, get3(work, parent, MOMENT)))
            f = (zero, zero, zero)
            n = (zero, zero, zero)
    if base.floats(table):
        base.store_wrench(state, get3(work, 0, FORCE), get3(work, 0, MOMENT))
    if loads != 0:
        add_couplings(table, state, index(TAU), loads, like(zero, 1.0))


@on_scratch(WORK)
def one(table, room, q, qd, qdd, tau, loads):
    """Calculate one state, of floats. The caller has checked the shapes."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    load_one(table, qdd, state, index(QDD))
    sines(packs, packs.shape[1])
    recursion(table, state, work, loads)
    store_one(table, state, index(TAU), tau)


def make_pointer(stamp: str) -> Callable[..., int]:
    """Make the entry for one state that other entries call; it returns 1 if a length does not match."""

    def inverse_dynamics_pointer(address, q, qd, qdd, tau, loads):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        n = int(table[0, COORDINATES])
        if q.shape[0] != base.positions(table) or qd.shape[0] != n or qdd.shape[0] != n or tau.shape[0] != n:
            return 1
        one(table, q, qd, qdd, tau, loads)
        return 0

    return inverse_dynamics_pointer


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def inverse_dynamics_one(card, q, qd, qdd, gravity, out, loads):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        qd_at = given_or_zero(card, qd, n)
        qdd_at = given_or_zero(card, qdd, n)
        table_at = table_of(card, gravity, stack_buffer(card, STACK))
        if q_at == 0 or qd_at == 0 or qdd_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 1, shape(n, 1, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        qd_row = vector_at(card, qd_at, n)
        qdd_row = vector_at(card, qdd_at, n)
        one(table, q_row, qd_row, qdd_row, filled(card, result, 1, n)[0], loads)
        return answer(result)

    return inverse_dynamics_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, qd, qdd and tau."""

    def inverse_dynamics_many(table, first, stop, addresses, loads):
        stamp  # noqa: B018  part of the cache key
        state, work, tile, _, _ = many_states(table, WORK, 0, 0)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 3, addresses, row, stop - 1)
            joint_sines(table, state)
            recursion(table, state, work, loads)
            store_many(table, state, TAU, tile, addresses[6], addresses[7], row, stop - 1)

    return inverse_dynamics_many
