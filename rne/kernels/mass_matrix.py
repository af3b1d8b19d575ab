"""The mass matrix by the composite-rigid-body algorithm, and its inverse.

Source: Walker, Orin, "Efficient dynamic computer simulation of robotic mechanisms", ASME J. DSMC 104 (1982), method 3;
Featherstone, "Rigid Body Dynamics Algorithms" (2008), section 6.2. From the tips inward, the bodies beyond a joint are
one composite; the wrench that accelerates it by one unit of the joint is handed from link to link to the base, and
every joint on the way feels one entry of the matrix.
"""

from __future__ import annotations

from collections.abc import Callable

from rne.kernels.algebra.inertia import add6, composite_to_parent
from rne.kernels.algebra.transfer import wrench_to_parent
from rne.kernels.algebra.vec import add
from rne.kernels.cholesky import factor, invert, mark
from rne.kernels.coordinates import load_many, load_one, sines
from rne.kernels.jit import borrowing, function, inline
from rne.kernels.joint import add_to_composite, along, angle, unit_wrench
from rne.kernels.layout import (
    BOUND,
    COORDINATE,
    COORDINATES,
    FOLLOWS,
    INVERSE,
    KEEP,
    LEADER,
    LINKS,
    MIMIC,
    PARENT,
    RATIO,
    ROTOR,
    WITH_ROTORS,
)
from rne.kernels.scratch import STACK, aligned, table_at
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import as_floats, as_packs, pack_floats, packs_for, stack_buffer
from rne.kernels.simd.rows import get3, get6, index, put
from rne.kernels.simd.tile import fetch_rows, store_tile

# Numbers kept for each link: cosine and sine of the joint; the wrench of its unit acceleration, on its way to the base;
# then, for branching, the composite that hangs on it.
WORK = 18


@inline
def turns(table, state, work):
    """Cosine and sine of every joint, from rows sine and cosine of q (4, 5) of `state`."""
    for i in range(1, int(table[0, LINKS]) + 1):
        j = int(table[i, COORDINATE])
        work[i, 0], work[i, 1] = angle(table, i, state[4, j], state[5, j])


@inline
def recursion(table, state, work, mass, kind):
    """Fill `mass` (coordinates, coordinates), both triangles.

    state : row q (0) counts. work : (links + 1, WORK or more), with the turns filled in. kind : WITH_ROTORS or not.
    """
    links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
    mimic = table[0, MIMIC] != 0.0
    zero = like(work[0, 0], 0.0)
    nothing3, nothing6 = (zero, zero, zero), (zero, zero, zero, zero, zero, zero)
    chain = not mimic
    for i in range(1, links + 1):
        if table[i, FOLLOWS] == 0.0:
            chain = False
        if table[i, KEEP] != 0.0:
            work[i, 8] = zero
            put(work, i, 9, nothing3)
            put(work, i, 12, nothing6)
    if not chain:  # or else every entry is written below
        for a in range(n):
            for b in range(n):
                mass[a, b] = zero
    m, h, S = zero, nothing3, nothing6
    for i in range(links, 0, -1):
        if table[i, KEEP] != 0.0:
            m, h, S = m + work[i, 8], add(h, get3(work, i, 9)), add6(S, get6(work, i, 12))
        m, h, S = add_to_composite(table, i, m, h, S)
        force, moment = unit_wrench(table, i, m, h, S)
        entry = along(table, i, force, moment)
        entry = fma(state[0, int(table[i, COORDINATE])], zero, entry)  # not felt, but a NaN must stay one
        if kind & WITH_ROTORS:
            entry = entry + table[i, ROTOR]
        row = int(table[i, LEADER])
        if mimic:
            entry = fma(entry, table[i, RATIO] * table[i, RATIO], mass[row, row])
        mass[row, row] = entry
        parent = int(table[i, PARENT])
        if parent != 0:
            put(work, i, 2, force)
            put(work, i, 5, moment)
            c, s, q = work[i, 0], work[i, 1], state[0, int(table[i, COORDINATE])]
            row = int(table[parent, LEADER])
            for k in range(i, links + 1):
                if k > i and table[k, PARENT] < i:  # the links that hang on i come right after it
                    break
                force, moment = wrench_to_parent(table, i, get3(work, k, 2), get3(work, k, 5), c, s, q)
                put(work, k, 2, force)
                put(work, k, 5, moment)
                entry = along(table, parent, force, moment)
                column = int(table[k, LEADER])
                if mimic:  # G^T M G; entries of both triangles meet where two joints follow the same coordinate
                    ratio = table[parent, RATIO] * table[k, RATIO]
                    entry = fma(entry, ratio + ratio if row == column else ratio, mass[row, column])
                put(mass, row, column, (entry,))
                put(mass, column, row, (entry,))
            h, S = composite_to_parent(table, i, m, h, S, c, s, q)
        if table[i, FOLLOWS] == 0.0 or parent == 0:
            if parent != 0:
                work[parent, 8] = m + work[parent, 8]
                put(work, parent, 9, add(h, get3(work, parent, 9)))
                put(work, parent, 12, add6(S, get6(work, parent, 12)))
            m, h, S = zero, nothing3, nothing6


@inline
def bounds(table, spare):
    """Fill row 1 of `spare` with how large the diagonal entries of the mass matrix can be, rotors left out."""
    for j in range(int(table[0, COORDINATES])):
        spare[1, j] = like(spare[1, j], 0.0)
    for i in range(1, int(table[0, LINKS]) + 1):
        j = int(table[i, LEADER])
        spare[1, j] = spare[1, j] + table[i, RATIO] * table[i, RATIO] * table[i, BOUND]


@borrowing
def _run(table, q, mass, buffer, kind):
    links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
    packs = packs_for(table, links)
    width = pack_floats(table, packs)
    state = as_floats(buffer, 0, 6, width)
    work = as_floats(buffer, 6 * width, links + 1, WORK)
    load_one(table, q, state, index(0))
    sines(as_packs(buffer, 0, 6, packs), packs)
    turns(table, state, work)
    recursion(table, state, work, mass, kind)
    singular = 0
    if kind & INVERSE:
        bounds(table, state)
        singular = factor(mass, state, n)
        invert(mass, n)
    return singular


@function
def _run_large(table, q, mass, size, kind):
    return _run(table, q, mass, aligned(table, size), kind)


@borrowing
def one(table, q, mass, kind):
    """One state, of floats; scratch on the stack. Shapes are the caller's business.

    kind : WITH_ROTORS, INVERSE, their sum, or 0. Returns 0 unless the matrix is to be inverted, but singular.
    """
    links = int(table[0, LINKS])
    size = 6 * pack_floats(table, packs_for(table, links)) + (links + 1) * WORK
    if size > STACK:
        return _run_large(table, q, mass, size, kind)
    return _run(table, q, mass, stack_buffer(table, STACK), kind)


def make_one(stamp: str) -> Callable[..., int]:
    """Make the entry for one state; returns 1, and does nothing, where a length does not fit, and 2 where singular."""

    def mass_matrix_one(address, q, mass, kind):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        n = int(table[0, COORDINATES])
        if q.shape[0] != n or mass.shape[0] != n or mass.shape[1] != n:
            return 1
        return 2 if one(table, q, mass, kind) else 0

    return mass_matrix_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `where` holds address and row stride in bytes of q and the matrices.

    kind : as for `one`. suspects : one number a sample; becomes 1 where a matrix is to be inverted, but singular.
    """

    def mass_matrix_many(table, first, stop, where, kind, suspects):
        stamp  # noqa: B018  part of the cache key
        links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
        samples = pack_floats(table, 1)
        size = 6 * links + (links + 1) * WORK
        buffer = aligned(table, samples * (size + n * n + 2 * n))
        state = as_packs(buffer, 0, 6, links)
        work = as_packs(buffer, samples * 6 * links, links + 1, WORK)
        mass = as_packs(buffer, samples * size, n, n)
        flat = as_packs(buffer, samples * size, 1, n * n)
        tile = as_packs(buffer, samples * (size + n * n), 2, n)
        for row in range(first, stop, samples):
            load_many(table, state, tile, 0, 1, where, row, stop - 1)
            fetch_rows(where[2], where[3], row, stop, samples)
            sines(state, links)
            turns(table, state, work)
            recursion(table, state, work, mass, kind)
            if kind & INVERSE:
                bounds(table, tile)
                mark(suspects, factor(mass, tile, n), row, min(samples, stop - row))
                invert(mass, n)
            store_tile(flat, 0, where[2], where[3], row, stop - 1, n * n)

    return mass_matrix_many
