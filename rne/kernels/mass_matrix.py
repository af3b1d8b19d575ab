"""The mass matrix by the composite-rigid-body algorithm, and its inverse.

Source: Walker, Orin, "Efficient dynamic computer simulation of robotic mechanisms", ASME J. DSMC 104 (1982), method 3;
Featherstone, "Rigid Body Dynamics Algorithms" (2008), section 6.2. From the tips inward, the bodies beyond a joint are
one composite; the wrench of a unit acceleration of the joint is transformed from link to link to the base, and its
component along each joint on the path is an entry of the matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.algebra.inertia import add6, composite_to_parent, scale6
from rne.kernels.algebra.transfer import wrench_to_parent
from rne.kernels.algebra.vec import add
from rne.kernels.cholesky import factor, invert, mark
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import add_to_composite, along, angle, unit_wrench
from rne.kernels.layout import (
    BOUND,
    COORDINATE,
    COORDINATES,
    COS,
    COS_Q,
    FOLLOWS,
    FORCE,
    INVERSE,
    KEEP,
    LEADER,
    LINKS,
    MIMIC,
    MOMENT,
    PARENT,
    RATIO,
    ROTOR,
    SIN,
    SIN_Q,
    SWEEP,
    WITH_ROTORS,
    Q,
)
from rne.kernels.scratch import many_states, on_scratch
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import pack_floats
from rne.kernels.simd.rows import get3, get6, index, put
from rne.kernels.simd.tile import fetch_rows, store_tile
from rne.kernels.single import (
    answer,
    filled,
    given_position,
    given_up,
    own_table,
    position_at,
    rates,
    refused,
    result_of,
    shape,
    table_here,
)

# Force and moment are those of a unit acceleration of the joint. Besides the columns of all sweeps, for branching: the
# composite of each link and its descendants, m, h and S.
MASS, FIRST, SECOND = SWEEP, SWEEP + 1, SWEEP + 4
WORK = SWEEP + 10


@inline
def turns(table, state, work):
    """Fill `work` with cosine and sine of every joint rotation, from rows SIN_Q and COS_Q of `state`."""
    for i in range(1, int(table[0, LINKS]) + 1):
        j = int(table[i, COORDINATE])
        work[i, COS], work[i, SIN] = angle(table, i, state[SIN_Q, j], state[COS_Q, j])


@inline
def recursion(table, state, work, mass, kind):
    """Fill `mass` (coordinates, coordinates), both triangles.

    state : row Q is read. work : (links + 1, WORK or more), prepared by the function above. kind : WITH_ROTORS or 0.
    """
    links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
    mimic = table[0, MIMIC] != 0.0
    zero = like(work[0, 0], 0.0)
    nothing3, nothing6 = (zero, zero, zero), (zero, zero, zero, zero, zero, zero)
    chain = not mimic
    low = base.lowest(table)
    if low == 0:
        _begin_at_base(table, work)
    for i in range(1, links + 1):
        if table[i, FOLLOWS] == 0.0:
            chain = False
        if table[i, KEEP] != 0.0:
            work[i, MASS] = zero
            put(work, i, FIRST, nothing3)
            put(work, i, SECOND, nothing6)
    if not chain:  # otherwise every entry is written below
        for a in range(n):
            for b in range(n):
                mass[a, b] = zero
    m, h, S = zero, nothing3, nothing6
    for i in range(links, 0, -1):
        if table[i, KEEP] != 0.0:
            m, h, S = m + work[i, MASS], add(h, get3(work, i, FIRST)), add6(S, get6(work, i, SECOND))
        m, h, S = add_to_composite(table, i, m, h, S)
        force, moment = unit_wrench(table, i, m, h, S)
        entry = along(table, i, force, moment)
        entry = fma(state[Q, int(table[i, COORDINATE])], zero, entry)  # not felt, but propagates NaN
        if kind & WITH_ROTORS:
            entry = entry + table[i, ROTOR]
        row = int(table[i, LEADER])
        if mimic:
            entry = fma(entry, table[i, RATIO] * table[i, RATIO], mass[row, row])
        mass[row, row] = entry
        parent = int(table[i, PARENT])
        if parent >= low:
            put(work, i, FORCE, force)
            put(work, i, MOMENT, moment)
            c, s, q = work[i, COS], work[i, SIN], state[Q, int(table[i, COORDINATE])]
            row = int(table[parent, LEADER])
            for k in range(i, links + 1):
                if k > i and table[k, PARENT] < i:  # the descendants of i come directly after it
                    break
                force, moment = wrench_to_parent(table, i, get3(work, k, FORCE), get3(work, k, MOMENT), c, s, q)
                put(work, k, FORCE, force)
                put(work, k, MOMENT, moment)
                column = int(table[k, LEADER])
                if parent == 0:
                    _enter_base(table, k, work, mass)
                    continue
                entry = along(table, parent, force, moment)
                if mimic:  # G^T M G; entries of both triangles coincide where two joints follow the same coordinate
                    ratio = table[parent, RATIO] * table[k, RATIO]
                    entry = fma(entry, ratio + ratio if row == column else ratio, mass[row, column])
                put(mass, row, column, (entry,))
                put(mass, column, row, (entry,))
            h, S = composite_to_parent(table, i, m, h, S, c, s, q)
        if table[i, FOLLOWS] == 0.0 or parent == 0:
            if parent >= low:
                work[parent, MASS] = m + work[parent, MASS]
                put(work, parent, FIRST, add(h, get3(work, parent, FIRST)))
                put(work, parent, SECOND, add6(S, get6(work, parent, SECOND)))
            m, h, S = zero, nothing3, nothing6
    if low == 0:
        _fill_base(state, work, mass)


@borrowing
def _begin_at_base(table, work):
    """Begin the composite of a base that floats with its own body."""
    m, h, S = base.moments(table, work[0, MASS])
    work[0, MASS] = m
    put(work, 0, FIRST, h)
    put(work, 0, SECOND, S)


@borrowing
def _enter_base(table, k, work, mass):
    """Write what an acceleration of the joint of row k asks of a base that floats, both triangles."""
    force, moment, column = get3(work, k, FORCE), get3(work, k, MOMENT), int(table[k, LEADER])
    entries = (force[0], force[1], force[2], moment[0], moment[1], moment[2])
    if table[0, MIMIC] != 0.0:
        entries = add6(scale6(entries, table[k, RATIO]), get6(mass, column, 0))
    put(mass, column, 0, entries)
    put(mass, 0, column, (entries[0],))
    put(mass, 1, column, (entries[1],))
    put(mass, 2, column, (entries[2],))
    put(mass, 3, column, (entries[3],))
    put(mass, 4, column, (entries[4],))
    put(mass, 5, column, (entries[5],))


@borrowing
def _fill_base(state, work, mass):
    """Write the inertia of the composite of all bodies about the origin of a base that floats."""
    m, h, S = work[0, MASS], get3(work, 0, FIRST), get6(work, 0, SECOND)
    J = base.moments_of_inertia(S)
    doubt = base.doubt(state)  # the matrix does not depend on the pose of the base
    zero = like(m, 0.0)
    m = m + doubt
    put(mass, 0, 0, (m, zero, zero, zero, h[2], -h[1]))
    put(mass, 1, 0, (zero, m, zero, -h[2], zero, h[0]))
    put(mass, 2, 0, (zero, zero, m, h[1], -h[0], zero))
    put(mass, 3, 0, (zero, -h[2], h[1], J[0] + doubt, J[3], J[4]))
    put(mass, 4, 0, (h[2], zero, -h[0], J[3], J[1] + doubt, J[5]))
    put(mass, 5, 0, (-h[1], h[0], zero, J[4], J[5], J[2] + doubt))


@inline
def bounds(table, spare):
    """Fill row 1 of `spare` with upper bounds of the diagonal entries of the mass matrix, without rotors.

    Those of a base that floats, which carries the whole robot, are left out: they are zero.
    """
    for j in range(int(table[0, COORDINATES])):
        spare[1, j] = like(spare[1, j], 0.0)
    for i in range(1, int(table[0, LINKS]) + 1):
        j = int(table[i, LEADER])
        spare[1, j] = spare[1, j] + table[i, RATIO] * table[i, RATIO] * table[i, BOUND]


@on_scratch(WORK)
def one(table, room, q, mass, kind):
    """Calculate one state, of floats. The caller has checked the shapes.

    kind : WITH_ROTORS, INVERSE, their sum, or 0. Returns 0 unless a matrix to be inverted is singular.
    """
    state, packs, work, _ = room
    load_one(table, q, state, index(Q))
    sines(packs, packs.shape[1])
    turns(table, state, work)
    recursion(table, state, work, mass, kind)
    singular = 0
    if kind & INVERSE:
        n = int(table[0, COORDINATES])
        bounds(table, state)
        singular = factor(mass, state, n)
        invert(mass, n)
    return singular


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state, as in `single`; it returns None if a matrix to be inverted is singular."""

    def mass_matrix_one(card, q, out, kind):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        table_at = own_table(card)
        if q_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 2, shape(n, n, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        if one(table, q_row, filled(card, result, n, n), kind):
            return given_up(card, result)
        return answer(result)

    return mass_matrix_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q and the matrices.

    kind : as for `one`. suspects : one number per sample; set to 1 where a matrix to be inverted is singular.
    """

    def mass_matrix_many(table, first, stop, addresses, kind, suspects):
        stamp  # noqa: B018  part of the cache key
        n = int(table[0, COORDINATES])
        samples = pack_floats(table, 1)
        state, work, tile, _, out = many_states(table, WORK, 0, n * n)
        mass = out.reshape((n, n))
        for row in range(first, stop, samples):
            load_many(table, state, tile, Q, 1, addresses, row, stop - 1)
            fetch_rows(addresses[2], addresses[3], row, stop, samples)
            joint_sines(table, state)
            turns(table, state, work)
            recursion(table, state, work, mass, kind)
            if kind & INVERSE:
                bounds(table, tile)
                mark(suspects, factor(mass, tile, n), row, min(samples, stop - row))
                invert(mass, n)
            store_tile(out, 0, addresses[2], addresses[3], row, stop - 1, n * n)

    return mass_matrix_many
