"""Kinetic and potential energy, link by link."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.algebra import body
from rne.kernels.algebra.vec import add, add_scaled, dot, turn, unturn
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines
from rne.kernels.coupling import ends, stretch
from rne.kernels.jit import inline
from rne.kernels.joint import spring
from rne.kernels.layout import (
    COORDINATE,
    COUPLINGS,
    FIRST,
    FULL_HX,
    FULL_MASS,
    GRAVITY,
    LINKS,
    QD,
    REST,
    ROTOR,
    Q,
)
from rne.kernels.placement import ORIGIN, ROTATION, base_position, placements
from rne.kernels.scratch import STACK, many_states, on_scratch
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import pack_floats, stack_buffer
from rne.kernels.simd.rows import get3, get9, index
from rne.kernels.simd.tile import store_tile
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
from rne.kernels.velocities import VELOCITY, V, W, velocities

ENERGY = VELOCITY
WORK = VELOCITY + 1


@inline
def recursion(table, state, work, kinetic, drives):
    """Fill column ENERGY of `work` (links + 1, WORK) from rows Q, QD, SIN_Q and COS_Q of `state`, and return the sum.

    kinetic : 1 for kinetic, 0 for potential energy. drives : 1 to include rotors or springs.
    """
    links = int(table[0, LINKS])
    placements(table, state, work)
    half = like(work[0, 0], 0.5)
    total = like(half, 0.0)
    if kinetic != 0:
        velocities(table, state, work)
        work[0, ENERGY] = total
        for i in range(base.lowest(table), links + 1):
            R = get9(work, i, ROTATION)
            energy = body.kinetic_energy(table, i, turn(get3(work, i, W), R), turn(get3(work, i, V), R))
            if i > 0 and drives != 0:
                qd = state[QD, int(table[i, COORDINATE])]
                energy = fma(qd * table[i, ROTOR], qd * half, energy)
            work[i, ENERGY] = energy
            total = total + energy
    else:
        up = (-table[0, GRAVITY], -table[0, GRAVITY + 1], -table[0, GRAVITY + 2])
        gone = base_position(table, state, total)
        for i in range(links + 1):
            moment = unturn(get3(table, i, FULL_HX), get9(work, i, ROTATION))
            energy = dot(add_scaled(moment, add(gone, get3(work, i, ORIGIN)), table[i, FULL_MASS]), up)
            if i > 0 and drives != 0:
                q = state[Q, int(table[i, COORDINATE])]
                energy = fma(spring(table, i, q), (q - table[i, REST]) * half, energy)
            work[i, ENERGY] = energy
            total = total + energy
        if drives != 0:
            for e in range(links + 1, links + 1 + int(table[0, COUPLINGS])):
                j, k = ends(table, e)
                s, i = stretch(table, e, state[Q, j], state[Q, k]), int(table[e, FIRST])
                energy = spring(table, e, s) * ((s - table[e, REST]) * half)
                work[i, ENERGY] = work[i, ENERGY] + energy
                total = total + energy
    return total


@on_scratch(WORK)
def one(table, room, q, qd, kinetic, drives):
    """Calculate one state, of floats. The caller has checked the shapes."""
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    sines(packs, packs.shape[1])
    return recursion(table, state, work, kinetic, drives)


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def energy_one(card, q, qd, gravity, out, kinetic, drives):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        qd_at = given_or_zero(card, qd, n)
        table_at = table_of(card, gravity, stack_buffer(card, STACK))
        if q_at == 0 or qd_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 0, shape(1, 1, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        qd_row = vector_at(card, qd_at, n)
        filled(card, result, 1, 1)[0, 0] = one(table, q_row, qd_row, kinetic, drives)
        return answer(result)

    return energy_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, qd and the energies."""

    def energies_many(table, first, stop, addresses, kinetic, drives, per_link):
        stamp  # noqa: B018  part of the cache key
        links = int(table[0, LINKS])
        state, work, tile, _, out = many_states(table, WORK, 0, links + 1)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 2, addresses, row, stop - 1)
            joint_sines(table, state)
            out[0, 0] = recursion(table, state, work, kinetic, drives)
            if per_link != 0:
                for i in range(links + 1):
                    out[0, i] = work[i, ENERGY]
            store_tile(out, 0, addresses[4], addresses[5], row, stop - 1, links + 1 if per_link != 0 else 1)

    return energies_many
