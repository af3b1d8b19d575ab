"""Joint friction, viscous and Coulomb."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.coordinates import load_many, load_one, store_many, store_one
from rne.kernels.coupling import add_couplings
from rne.kernels.jit import inline
from rne.kernels.joint_friction import friction
from rne.kernels.layout import BASE_LINEAR, COORDINATE, FRICTION, LINKS, QD, TAU
from rne.kernels.scratch import many_states, on_scratch
from rne.kernels.simd.num import like
from rne.kernels.simd.pack import pack_floats
from rne.kernels.simd.rows import index, put
from rne.kernels.single import (
    answer,
    filled,
    given,
    own_table,
    rates,
    refused,
    result_of,
    shape,
    table_here,
    vector_at,
)


@inline
def recursion(table, state):
    """Calculate row TAU of `state` from row QD."""
    links = int(table[0, LINKS])
    for i in range(1, links + 1):
        j = int(table[i, COORDINATE])
        state[TAU, j] = friction(table, i, state[QD, j])
    if base.floats(table):
        zero = like(state[QD, 1], 0.0)
        put(state, TAU, BASE_LINEAR, (zero, zero, zero, zero, zero, zero))
    if links != 0:
        add_couplings(table, state, index(TAU), FRICTION, like(state[QD, 0], 1.0))


@on_scratch(0)
def one(table, room, qd, tau):
    """Calculate one state, of floats. The caller has checked the shapes."""
    state = room[0]
    load_one(table, qd, state, index(QD))
    recursion(table, state)
    store_one(table, state, index(TAU), tau)


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def friction_one(card, qd, out):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        qd_at = given(card, qd, n)
        table_at = own_table(card)
        if qd_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 1, shape(n, 1, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        qd_row = vector_at(card, qd_at, n)
        one(table, qd_row, filled(card, result, 1, n)[0])
        return answer(result)

    return friction_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of qd and tau."""

    def friction_many(table, first, stop, addresses):
        stamp  # noqa: B018  part of the cache key
        state, _, tile, _, _ = many_states(table, 0, 0, 0)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, QD, 1, addresses, row, stop - 1)
            recursion(table, state)
            store_many(table, state, TAU, tile, addresses[2], addresses[3], row, stop - 1)

    return friction_many
