"""Torques that hold a robot still: inverse dynamics at rest, a third of the work of inverse dynamics in motion.

At rest, only the acceleration of gravity is propagated outward. A regrouped revolute link has first moments but no
mass, so it needs no force, only the moment h x a.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.algebra.transfer import wrench_to_parent
from rne.kernels.algebra.vec import add, cross, scale, turn_x, turn_z
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines, store_many, store_one
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import along, angle, resting_wrench
from rne.kernels.layout import (
    COORDINATE,
    COS,
    COS_ALPHA,
    COS_Q,
    COS_TURN,
    FOLLOWS,
    FORCE,
    HAS_TURN,
    KEEP,
    LINKS,
    MOMENT,
    PARENT,
    SIN,
    SIN_ALPHA,
    SIN_Q,
    SIN_TURN,
    SWEEP,
    TAU,
    Q,
)
from rne.kernels.scratch import STACK, many_states, on_scratch
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import pack_floats, stack_buffer
from rne.kernels.simd.rows import get3, index, put
from rne.kernels.single import (
    answer,
    filled,
    given_position,
    position_at,
    rates,
    refused,
    result_of,
    shape,
    table_here,
    table_of,
)

# Besides the columns of all sweeps, for branching: the acceleration of each link.
ACCELERATION = SWEEP
WORK = SWEEP + 3


@inline
def recursion(table, state, work):
    """Calculate row TAU of `state` from rows Q, SIN_Q and COS_Q; work : (links + 1, WORK) scratch."""
    links = int(table[0, LINKS])
    zero = like(work[0, 0], 0.0)
    nothing = (zero, zero, zero)
    a = base.against_gravity(table, zero)
    put(work, 0, ACCELERATION, a)
    if base.floats(table):
        _begin_at_base(table, state, work)
        a = get3(work, 0, ACCELERATION)
    for i in range(1, links + 1):
        if table[i, FOLLOWS] == 0.0:
            a = get3(work, int(table[i, PARENT]), ACCELERATION)
        if table[i, HAS_TURN] != 0.0:
            a = turn_z(a, table[i, COS_TURN], table[i, SIN_TURN])
        a = turn_x(a, table[i, COS_ALPHA], table[i, SIN_ALPHA])
        j = int(table[i, COORDINATE])
        c, s = angle(table, i, state[SIN_Q, j], state[COS_Q, j])
        work[i, COS], work[i, SIN] = c, s
        a = turn_z(a, c, s)
        f, n = resting_wrench(table, i, a)
        put(work, i, FORCE, f)
        put(work, i, MOMENT, n)
        if table[i, KEEP] != 0.0:
            put(work, i, ACCELERATION, a)
    f, n = nothing, nothing
    low = base.lowest(table)
    for i in range(links, 0, -1):
        f = add(f, get3(work, i, FORCE))
        n = add(n, get3(work, i, MOMENT))
        j = int(table[i, COORDINATE])
        state[TAU, j] = fma(state[Q, j], like(state[Q, j], 0.0), along(table, i, f, n))  # propagates NaN
        parent = int(table[i, PARENT])
        if parent >= low:
            f, n = wrench_to_parent(table, i, f, n, work[i, COS], work[i, SIN], state[Q, j])
        if table[i, FOLLOWS] == 0.0 or parent == 0:
            if parent >= low:
                put(work, parent, FORCE, add(f, get3(work, parent, FORCE)))
                put(work, parent, MOMENT, add(n, get3(work, parent, MOMENT)))
            f, n = nothing, nothing
    if base.floats(table):
        base.store_wrench(state, get3(work, 0, FORCE), get3(work, 0, MOMENT))


@borrowing
def _begin_at_base(table, state, work):
    """Calculate the acceleration of a base that floats, and force and moment that hold its own body."""
    a = base.rising(table, state)
    m, h, _ = base.moments(table, a[0])
    put(work, 0, ACCELERATION, a)
    put(work, 0, FORCE, scale(a, m))
    put(work, 0, MOMENT, cross(h, a))


@on_scratch(WORK)
def one(table, room, q, tau):
    """Calculate one state, of floats. The caller has checked the shapes."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    sines(packs, packs.shape[1])
    recursion(table, state, work)
    store_one(table, state, index(TAU), tau)


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def gravity_one(card, q, gravity, out):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        table_at = table_of(card, gravity, stack_buffer(card, STACK))
        if q_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 1, shape(n, 1, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        one(table, q_row, filled(card, result, 1, n)[0])
        return answer(result)

    return gravity_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q and tau."""

    def gravity_many(table, first, stop, addresses):
        stamp  # noqa: B018  part of the cache key
        state, work, tile, _, _ = many_states(table, WORK, 0, 0)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 1, addresses, row, stop - 1)
            joint_sines(table, state)
            recursion(table, state, work)
            store_many(table, state, TAU, tile, addresses[2], addresses[3], row, stop - 1)

    return gravity_many
