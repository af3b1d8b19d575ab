"""Forward dynamics by the articulated-body algorithm, and by the mass matrix.

Source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapters 7 and 6. Both begin with the motion in which no
joint accelerates, swept outward as for inverse dynamics, and then look for the deviation from it. The deviation obeys
linear equations without velocities and gravity, so the articulated-body algorithm keeps no velocity-product terms.

Regrouped bodies do: what moves from a link to its parent lies on the joint axis, is not felt along it, and so passes
the joint unchanged; it is merely added on the other side.
"""

from __future__ import annotations

from collections.abc import Callable

from rne.kernels import inverse_dynamics as newton_euler
from rne.kernels import mass_matrix as composite
from rne.kernels.algebra.inertia import add6, add9, articulated_to_parent, less_product
from rne.kernels.algebra.transfer import acceleration_to_child, wrench_to_parent
from rne.kernels.algebra.vec import add, add_scaled, dot
from rne.kernels.cholesky import factor, mark, solve, tiny
from rne.kernels.coordinates import load_many, load_one, sines, store_many, store_one
from rne.kernels.coupling import add_couplings
from rne.kernels.jit import borrowing, function, inline
from rne.kernels.joint import add_joint, add_to_articulated, along, axis_wrench, friction, spring
from rne.kernels.layout import (
    BOUND,
    COORDINATE,
    COORDINATES,
    FOLLOWS,
    FRICTION,
    KEEP,
    LEADER,
    LINKS,
    MIMIC,
    PARENT,
    RATIO,
    ROTOR,
    SPRINGS,
    WITH_ROTORS,
)
from rne.kernels.scratch import STACK, aligned, table_at
from rne.kernels.simd.num import fma, lanes_below, like
from rne.kernels.simd.pack import as_floats, as_packs, pack_floats, packs_for, stack_buffer
from rne.kernels.simd.rows import get3, get6, get9, index, put
from rne.kernels.simd.tile import load_tile, store_tile

# Numbers kept for each link: cosine and sine; force and moment, later the wrench of a unit acceleration over its part
# along the axis; for branching, first motion, then articulated inertia, then deviation.
WORK = 29


@inline
def articulated(table, state, work, loads):
    """Turn rows q, qd, tau, sine and cosine of q (0, 1, 2, 4, 5) of `state` into row qdd (3).

    For robots without mimic joints. work : (links + 1, WORK) scratch. Returns one bit a lane: whether a pivot is
    suspiciously small.
    """
    links = int(table[0, LINKS])
    zero = like(work[0, 0], 0.0)
    for i in range(1, links + 1):
        j = int(table[i, COORDINATE])
        torque = state[2, j]
        if loads & FRICTION:
            torque = torque - friction(table, i, state[1, j])
        if loads & SPRINGS:
            torque = torque - spring(table, i, state[0, j])
        state[2, j], state[3, j] = zero, torque
    if loads != 0:
        add_couplings(table, state, index(3), loads, like(zero, -1.0))
    newton_euler.outward(table, state, work)

    nothing3, nothing6 = (zero, zero, zero), (zero, zero, zero, zero, zero, zero)
    nothing9 = (zero, zero, zero, zero, zero, zero, zero, zero, zero)
    for i in range(1, links + 1):
        if table[i, KEEP] != 0.0:
            put(work, i, 8, nothing6)
            put(work, i, 14, nothing9)
            put(work, i, 23, nothing6)
    suspect = 0
    J, B, M, f, n = nothing6, nothing9, nothing6, nothing3, nothing3
    for i in range(links, 0, -1):
        if table[i, KEEP] != 0.0:
            J, B, M = add6(J, get6(work, i, 8)), add9(B, get9(work, i, 14)), add6(M, get6(work, i, 23))
        J, B, M = add_to_articulated(table, i, J, B, M)
        f, n = add(f, get3(work, i, 2)), add(n, get3(work, i, 5))
        j = int(table[i, COORDINATE])
        force, moment = axis_wrench(table, i, J, B, M)
        pivot = along(table, i, force, moment) + table[i, ROTOR]
        suspect |= lanes_below(pivot, tiny(pivot, like(pivot, table[i, BOUND])))
        inverse = like(pivot, 1.0) / pivot
        unit_f = (force[0] * inverse, force[1] * inverse, force[2] * inverse)
        unit_n = (moment[0] * inverse, moment[1] * inverse, moment[2] * inverse)
        torque = state[3, j] - along(table, i, f, n)
        state[3, j] = torque * inverse
        put(work, i, 2, unit_f)
        put(work, i, 5, unit_n)
        parent = int(table[i, PARENT])
        if parent != 0:
            J, B, M = less_product(J, B, M, force, moment, unit_f, unit_n)
            f, n = add_scaled(f, unit_f, torque), add_scaled(n, unit_n, torque)
            f, n = wrench_to_parent(table, i, f, n, work[i, 0], work[i, 1], state[0, j])
            J, B, M = articulated_to_parent(table, i, J, B, M, work[i, 0], work[i, 1], state[0, j])
        if table[i, FOLLOWS] == 0.0 or parent == 0:
            if parent != 0:
                put(work, parent, 2, add(f, get3(work, parent, 2)))
                put(work, parent, 5, add(n, get3(work, parent, 5)))
                put(work, parent, 8, add6(J, get6(work, parent, 8)))
                put(work, parent, 14, add9(B, get9(work, parent, 14)))
                put(work, parent, 23, add6(M, get6(work, parent, 23)))
            J, B, M, f, n = nothing6, nothing9, nothing6, nothing3, nothing3

    put(work, 0, 8, nothing6)
    wd, a = nothing3, nothing3
    for i in range(1, links + 1):
        if table[i, FOLLOWS] == 0.0:
            parent = int(table[i, PARENT])
            wd, a = get3(work, parent, 8), get3(work, parent, 11)
        j = int(table[i, COORDINATE])
        wd, a = acceleration_to_child(table, i, wd, a, work[i, 0], work[i, 1], state[0, j])
        unit_f, unit_n = get3(work, i, 2), get3(work, i, 5)
        qdd = state[3, j] - (dot(unit_f, a) + dot(unit_n, wd))
        state[3, j] = qdd
        wd, a = add_joint(table, i, wd, a, qdd)
        if table[i, KEEP] != 0.0:
            put(work, i, 8, wd)
            put(work, i, 11, a)
    return suspect


@inline
def by_matrix(table, state, work, mass, x, loads):
    """Replace tau in row 0 of `x` (2, coordinates) by qdd, from rows q, qd, sine and cosine (0, 1, 4, 5) of `state`.

    work : (links + 1, composite.WORK) and mass : (coordinates, coordinates) scratch. Returns one bit a lane:
    whether it is singular.
    """
    links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
    for j in range(links):
        state[2, j] = like(state[0, j], 0.0)
    newton_euler.recursion(table, state, work, loads)
    for i in range(1, links + 1):
        bias, leader = state[3, int(table[i, COORDINATE])], int(table[i, LEADER])
        x[0, leader] = fma(-bias, table[i, RATIO], x[0, leader])
    composite.recursion(table, state, work, mass, WITH_ROTORS)
    composite.bounds(table, x)
    singular = factor(mass, x, n)
    solve(mass, x, n)
    return singular


@borrowing
def _run_articulated(table, q, qd, tau, qdd, buffer, loads):
    links = int(table[0, LINKS])
    packs = packs_for(table, links)
    width = pack_floats(table, packs)
    state = as_floats(buffer, 0, 6, width)
    work = as_floats(buffer, 6 * width, links + 1, WORK)
    load_one(table, q, state, index(0))
    load_one(table, qd, state, index(1))
    load_one(table, tau, state, index(2))
    sines(as_packs(buffer, 0, 6, packs), packs)
    suspect = articulated(table, state, work, loads)
    store_one(table, state, index(3), qdd)
    return suspect


@function
def _run_articulated_large(table, q, qd, tau, qdd, size, loads):
    return _run_articulated(table, q, qd, tau, qdd, aligned(table, size), loads)


@borrowing
def one_articulated(table, q, qd, tau, qdd, loads):
    """One state of a robot without mimic joints, of floats; scratch on the stack. Returns 0 unless it is suspect."""
    links = int(table[0, LINKS])
    size = 6 * pack_floats(table, packs_for(table, links)) + (links + 1) * WORK
    if size > STACK:
        return _run_articulated_large(table, q, qd, tau, qdd, size, loads)
    return _run_articulated(table, q, qd, tau, qdd, stack_buffer(table, STACK), loads)


@borrowing
def _run_by_matrix(table, q, qd, tau, qdd, buffer, loads):
    links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
    packs = packs_for(table, links)
    width = pack_floats(table, packs)
    size = 6 * width + (links + 1) * composite.WORK
    state = as_floats(buffer, 0, 6, width)
    work = as_floats(buffer, 6 * width, links + 1, composite.WORK)
    mass = as_floats(buffer, size, n, n)
    x = as_floats(buffer, size + n * n, 2, n)
    load_one(table, q, state, index(0))
    load_one(table, qd, state, index(1))
    for j in range(n):
        x[0, j] = tau[j]
    sines(as_packs(buffer, 0, 6, packs), packs)
    singular = by_matrix(table, state, work, mass, x, loads)
    for j in range(n):
        qdd[j] = x[0, j]
    return singular


@function
def _run_by_matrix_large(table, q, qd, tau, qdd, size, loads):
    return _run_by_matrix(table, q, qd, tau, qdd, aligned(table, size), loads)


@borrowing
def one_by_matrix(table, q, qd, tau, qdd, loads):
    """One state of any robot, of floats; scratch on the stack. Returns 0 unless the mass matrix is singular."""
    links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
    size = 6 * pack_floats(table, packs_for(table, links)) + (links + 1) * composite.WORK + n * n + 2 * n
    if size > STACK:
        return _run_by_matrix_large(table, q, qd, tau, qdd, size, loads)
    return _run_by_matrix(table, q, qd, tau, qdd, stack_buffer(table, STACK), loads)


@borrowing
def one(table, q, qd, tau, qdd, loads):
    """One state of any robot, of floats. Returns 0 unless the mass matrix is singular."""
    if table[0, MIMIC] == 0.0 and one_articulated(table, q, qd, tau, qdd, loads) == 0:
        return 0
    return one_by_matrix(table, q, qd, tau, qdd, loads)


@inline
def _fits(table, q, qd, tau, qdd):
    n = int(table[0, COORDINATES])
    return q.shape[0] == n and qd.shape[0] == n and tau.shape[0] == n and qdd.shape[0] == n


def make_one_articulated(stamp: str) -> Callable[..., int]:
    """Make the entry for one state; returns 1, and does nothing, where a length does not fit, and 2 at a tiny pivot."""

    def forward_dynamics_one_articulated(address, q, qd, tau, qdd, loads):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        if not _fits(table, q, qd, tau, qdd):
            return 1
        return 2 if one_articulated(table, q, qd, tau, qdd, loads) else 0

    return forward_dynamics_one_articulated


def make_one_by_matrix(stamp: str) -> Callable[..., int]:
    """Make the entry for one state; returns 1, and does nothing, where a length does not fit, and 2 at a tiny pivot."""

    def forward_dynamics_one_by_matrix(address, q, qd, tau, qdd, loads):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        if not _fits(table, q, qd, tau, qdd):
            return 1
        return 2 if one_by_matrix(table, q, qd, tau, qdd, loads) else 0

    return forward_dynamics_one_by_matrix


def make_many_articulated(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `where` holds address and row stride in bytes of q, qd, tau and qdd.

    suspects : one number a sample; becomes 1 where a pivot is tiny.
    """

    def forward_dynamics_articulated(table, first, stop, where, loads, suspects):
        stamp  # noqa: B018  part of the cache key
        links = int(table[0, LINKS])
        samples = pack_floats(table, 1)
        buffer = aligned(table, samples * (7 * links + (links + 1) * WORK))
        state = as_packs(buffer, 0, 6, links)
        work = as_packs(buffer, samples * 6 * links, links + 1, WORK)
        tile = as_packs(buffer, samples * (6 * links + (links + 1) * WORK), 1, links)
        for row in range(first, stop, samples):
            load_many(table, state, tile, 0, 3, where, row, stop - 1)
            sines(state, links)
            mark(suspects, articulated(table, state, work, loads), row, min(samples, stop - row))
            store_many(table, state, 3, tile, where[6], where[7], row, stop - 1)

    return forward_dynamics_articulated


def make_many_by_matrix(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; arguments as for `make_many_articulated`."""

    def forward_dynamics_by_matrix(table, first, stop, where, loads, suspects):
        stamp  # noqa: B018  part of the cache key
        links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
        samples = pack_floats(table, 1)
        size = 6 * links + (links + 1) * composite.WORK
        buffer = aligned(table, samples * (size + n * n + 2 * n))
        state = as_packs(buffer, 0, 6, links)
        work = as_packs(buffer, samples * 6 * links, links + 1, composite.WORK)
        mass = as_packs(buffer, samples * size, n, n)
        x = as_packs(buffer, samples * (size + n * n), 2, n)
        for row in range(first, stop, samples):
            load_many(table, state, x, 0, 2, where, row, stop - 1)
            load_tile(x, 0, where[4], where[5], row, stop - 1, n)
            sines(state, links)
            mark(suspects, by_matrix(table, state, work, mass, x, loads), row, min(samples, stop - row))
            store_tile(x, 0, where[6], where[7], row, stop - 1, n)

    return forward_dynamics_by_matrix
