"""Forward dynamics by the articulated-body algorithm, and by the mass matrix.

Source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapters 7 and 6. Both begin with the motion in which no
joint accelerates, in an outward sweep as for inverse dynamics, and then solve for the deviation from it. The deviation
obeys linear equations without velocities and gravity, so the articulated-body algorithm has no velocity-product terms.

Regrouped bodies are sufficient: what is moved from a link to its parent has no inertia along the joint, and is
therefore transmitted by the joint unchanged; it only enters on the other side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels import inverse_dynamics as newton_euler
from rne.kernels import mass_matrix as composite
from rne.kernels.algebra.inertia import add6, add9, articulated_to_parent, less_product
from rne.kernels.algebra.transfer import acceleration_to_child, wrench_to_parent
from rne.kernels.algebra.vec import add, add_scaled, dot, subtract
from rne.kernels.cholesky import factor, mark, solve, tiny
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines, store_many, store_one
from rne.kernels.coupling import add_couplings
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import add_joint, add_to_articulated, along, axis_wrench, spring
from rne.kernels.joint_friction import friction
from rne.kernels.layout import (
    BASE,
    BASE_ANGULAR,
    BASE_LINEAR,
    BOUND,
    COORDINATE,
    COORDINATES,
    COS,
    FOLLOWS,
    FORCE,
    FRICTION,
    KEEP,
    LEADER,
    LINKS,
    MIMIC,
    MOMENT,
    PARENT,
    QD,
    QDD,
    RATIO,
    ROTOR,
    SIN,
    SPRINGS,
    SWEEP,
    TAU,
    WITH_ROTORS,
    Q,
)
from rne.kernels.root import accelerate_base
from rne.kernels.scratch import STACK, many_states, on_scratch
from rne.kernels.simd.num import fma, lanes_below, like
from rne.kernels.simd.pack import as_floats, pack_floats, stack_buffer
from rne.kernels.simd.rows import get3, get6, get9, index, put
from rne.kernels.simd.tile import load_tile, store_tile
from rne.kernels.single import (
    answer,
    filled,
    given_or_zero,
    given_position,
    given_up,
    position_at,
    rates,
    refused,
    result_of,
    shape,
    table_here,
    table_of,
    vector_at,
)

# Force and moment become those of a unit acceleration of the joint, divided by their component along the axis. Besides
# the columns of all sweeps, three quantities of each link share columns, for branching: first its motion, then its
# articulated inertia, then the deviation of its acceleration, angular and linear.
INERTIA_J, INERTIA_B, INERTIA_M = SWEEP, SWEEP + 6, SWEEP + 15
OMEGA_RATE, ACCELERATION = SWEEP, SWEEP + 3
WORK = SWEEP + 21


@inline
def articulated(table, state, work, root, x, loads):
    """Calculate accelerations in row TAU of `state`, whose row QDD holds the torques.

    Torques are passed in the row of accelerations so that q, qd and tau of a batch are loaded into consecutive rows;
    all algorithms return their results in row TAU. For robots without mimic joints. work : (links + 1, WORK) scratch.
    root : (6, 6) and x : (2, 6) scratch for a base that floats. Returns one bit per lane: whether a pivot is tiny.
    """
    links = int(table[0, LINKS])
    zero = like(work[0, 0], 0.0)
    for i in range(1, links + 1):
        j = int(table[i, COORDINATE])
        torque = state[QDD, j]
        if loads & FRICTION:
            torque = torque - friction(table, i, state[QD, j])
        if loads & SPRINGS:
            torque = torque - spring(table, i, state[Q, j])
        state[QDD, j], state[TAU, j] = zero, torque
    if loads != 0:
        add_couplings(table, state, index(TAU), loads, like(zero, -1.0))
    low = base.lowest(table)
    if low == 0:
        base.store_wrench(state, get3(state, QDD, BASE_LINEAR), get3(state, QDD, BASE_ANGULAR))
        put(state, QDD, BASE_LINEAR, (zero, zero, zero, zero, zero, zero))
    newton_euler.outward(table, state, work)

    nothing3, nothing6 = (zero, zero, zero), (zero, zero, zero, zero, zero, zero)
    nothing9 = (zero, zero, zero, zero, zero, zero, zero, zero, zero)
    for i in range(low, links + 1):
        if i == 0 or table[i, KEEP] != 0.0:
            put(work, i, INERTIA_J, nothing6)
            put(work, i, INERTIA_B, nothing9)
            put(work, i, INERTIA_M, nothing6)
    suspect = 0
    J, B, M, f, n = nothing6, nothing9, nothing6, nothing3, nothing3
    for i in range(links, 0, -1):
        if table[i, KEEP] != 0.0:
            J, B, M = (
                add6(J, get6(work, i, INERTIA_J)),
                add9(B, get9(work, i, INERTIA_B)),
                add6(M, get6(work, i, INERTIA_M)),
            )
        J, B, M = add_to_articulated(table, i, J, B, M)
        f, n = add(f, get3(work, i, FORCE)), add(n, get3(work, i, MOMENT))
        j = int(table[i, COORDINATE])
        force, moment = axis_wrench(table, i, J, B, M)
        pivot = along(table, i, force, moment) + table[i, ROTOR]
        suspect |= lanes_below(pivot, tiny(pivot, like(pivot, table[i, BOUND])))
        inverse = like(pivot, 1.0) / pivot
        unit_f = (force[0] * inverse, force[1] * inverse, force[2] * inverse)
        unit_n = (moment[0] * inverse, moment[1] * inverse, moment[2] * inverse)
        torque = state[TAU, j] - along(table, i, f, n)
        state[TAU, j] = torque * inverse
        put(work, i, FORCE, unit_f)
        put(work, i, MOMENT, unit_n)
        parent = int(table[i, PARENT])
        if parent >= low:
            J, B, M = less_product(J, B, M, force, moment, unit_f, unit_n)
            f, n = add_scaled(f, unit_f, torque), add_scaled(n, unit_n, torque)
            f, n = wrench_to_parent(table, i, f, n, work[i, COS], work[i, SIN], state[Q, j])
            J, B, M = articulated_to_parent(table, i, J, B, M, work[i, COS], work[i, SIN], state[Q, j])
        if table[i, FOLLOWS] == 0.0 or parent == 0:
            if parent >= low:
                put(work, parent, FORCE, add(f, get3(work, parent, FORCE)))
                put(work, parent, MOMENT, add(n, get3(work, parent, MOMENT)))
                put(work, parent, INERTIA_J, add6(J, get6(work, parent, INERTIA_J)))
                put(work, parent, INERTIA_B, add9(B, get9(work, parent, INERTIA_B)))
                put(work, parent, INERTIA_M, add6(M, get6(work, parent, INERTIA_M)))
            J, B, M, f, n = nothing6, nothing9, nothing6, nothing3, nothing3

    if low == 0:
        suspect |= accelerate_base(table, state, work, index(SWEEP), root, x)
    else:
        put(work, 0, OMEGA_RATE, nothing6)
    wd, a = get3(work, 0, OMEGA_RATE), get3(work, 0, ACCELERATION)
    for i in range(1, links + 1):
        if table[i, FOLLOWS] == 0.0:
            parent = int(table[i, PARENT])
            wd, a = get3(work, parent, OMEGA_RATE), get3(work, parent, ACCELERATION)
        j = int(table[i, COORDINATE])
        wd, a = acceleration_to_child(table, i, wd, a, work[i, COS], work[i, SIN], state[Q, j])
        unit_f, unit_n = get3(work, i, FORCE), get3(work, i, MOMENT)
        qdd = state[TAU, j] - (dot(unit_f, a) + dot(unit_n, wd))
        state[TAU, j] = qdd
        wd, a = add_joint(table, i, wd, a, qdd)
        if table[i, KEEP] != 0.0:
            put(work, i, OMEGA_RATE, wd)
            put(work, i, ACCELERATION, a)
    return suspect


@inline
def by_matrix(table, state, work, mass, x, loads):
    """Replace tau in row 0 of `x` (2, coordinates) by qdd, from rows Q, QD, SIN_Q and COS_Q of `state`.

    work : (links + 1, composite.WORK) and mass : (coordinates, coordinates) scratch. Returns one bit
    per lane: whether the mass matrix is singular.
    """
    links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
    for j in range(links + int(table[0, BASE])):
        state[QDD, j] = like(state[Q, j], 0.0)
    newton_euler.recursion(table, state, work, loads)
    if base.floats(table):
        put(x, 0, 0, subtract(get3(x, 0, 0), get3(state, TAU, BASE_LINEAR)))
        put(x, 0, 3, subtract(get3(x, 0, 3), get3(state, TAU, BASE_ANGULAR)))
    for i in range(1, links + 1):
        bias, leader = state[TAU, int(table[i, COORDINATE])], int(table[i, LEADER])
        x[0, leader] = fma(-bias, table[i, RATIO], x[0, leader])
    composite.recursion(table, state, work, mass, WITH_ROTORS)
    composite.bounds(table, x)
    singular = factor(mass, x, n)
    solve(mass, x, n)
    return singular


@inline
def _root_system(table):
    """Number of values that `articulated` needs besides its columns: `root` and `x`."""
    return 48


@on_scratch(WORK, _root_system)
def one_articulated(table, room, q, qd, tau, qdd, loads):
    """Calculate one state, of floats, of a robot without mimic joints. Returns 0 unless a pivot is tiny."""
    state, packs, work, spare = room
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    load_one(table, tau, state, index(QDD))
    sines(packs, packs.shape[1])
    root, x = as_floats(spare, 0, 6, 6), as_floats(spare, 36, 2, 6)
    suspect = articulated(table, state, work, root, x, loads)
    store_one(table, state, index(TAU), qdd)
    return suspect


@inline
def _matrix_and_sides(table):
    """Number of values that `by_matrix` needs besides its columns: `mass` and `x`."""
    n = int(table[0, COORDINATES])
    return n * n + 2 * n


@on_scratch(composite.WORK, _matrix_and_sides)
def one_by_matrix(table, room, q, qd, tau, qdd, loads):
    """Calculate one state, of floats, of any robot. Returns 0 unless the mass matrix is singular."""
    state, packs, work, spare = room
    n = int(table[0, COORDINATES])
    mass, x = as_floats(spare, 0, n, n), as_floats(spare, n * n, 2, n)
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    for j in range(n):
        x[0, j] = tau[j]
    sines(packs, packs.shape[1])
    singular = by_matrix(table, state, work, mass, x, loads)
    for j in range(n):
        qdd[j] = x[0, j]
    return singular


@borrowing
def one(table, q, qd, tau, qdd, loads):
    """Calculate one state, of floats, of any robot. Returns 0 unless the mass matrix is singular."""
    if table[0, MIMIC] == 0.0 and one_articulated(table, q, qd, tau, qdd, loads) == 0:
        return 0
    return one_by_matrix(table, q, qd, tau, qdd, loads)


def make_one_articulated(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state, as in `single`; it returns None at a tiny pivot."""

    def forward_dynamics_one_articulated(card, q, qd, tau, gravity, out, loads):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        qd_at = given_or_zero(card, qd, n)
        tau_at = given_or_zero(card, tau, n)
        table_at = table_of(card, gravity, stack_buffer(card, STACK))
        if q_at == 0 or qd_at == 0 or tau_at == 0 or table_at == 0:
            return refused(card)
        table = table_here(card, table_at)
        if table[0, MIMIC] != 0.0:
            return refused(card)
        result = result_of(card, out, 1, shape(n, 1, 1, 1))
        if result == 0:
            return refused(card)
        q_row = position_at(card, q_at)
        qd_row = vector_at(card, qd_at, n)
        tau_row = vector_at(card, tau_at, n)
        if one_articulated(table, q_row, qd_row, tau_row, filled(card, result, 1, n)[0], loads):
            return given_up(card, result)
        return answer(result)

    return forward_dynamics_one_articulated


def make_many_articulated(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, qd, tau and qdd.

    suspects : one number per sample; set to 1 where a pivot is tiny.
    """

    def forward_dynamics_articulated(table, first, stop, addresses, loads, suspects):
        stamp  # noqa: B018  part of the cache key
        samples = pack_floats(table, 1)
        state, work, tile, given, out = many_states(table, WORK, 12, 36)
        root, x = out.reshape((6, 6)), given.reshape((2, 6))
        for row in range(first, stop, samples):
            load_many(table, state, tile, Q, 3, addresses, row, stop - 1)
            joint_sines(table, state)
            suspect = articulated(table, state, work, root, x, loads)
            mark(suspects, suspect, row, min(samples, stop - row))
            store_many(table, state, TAU, tile, addresses[6], addresses[7], row, stop - 1)

    return forward_dynamics_articulated


def make_one_by_matrix(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state, as in `single`; it returns None at a tiny pivot."""

    def forward_dynamics_one_by_matrix(card, q, qd, tau, gravity, out, loads):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        qd_at = given_or_zero(card, qd, n)
        tau_at = given_or_zero(card, tau, n)
        table_at = table_of(card, gravity, stack_buffer(card, STACK))
        if q_at == 0 or qd_at == 0 or tau_at == 0 or table_at == 0:
            return refused(card)
        result = result_of(card, out, 1, shape(n, 1, 1, 1))
        if result == 0:
            return refused(card)
        table = table_here(card, table_at)
        q_row = position_at(card, q_at)
        qd_row = vector_at(card, qd_at, n)
        tau_row = vector_at(card, tau_at, n)
        if one_by_matrix(table, q_row, qd_row, tau_row, filled(card, result, 1, n)[0], loads):
            return given_up(card, result)
        return answer(result)

    return forward_dynamics_one_by_matrix


def make_many_by_matrix(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; arguments as for `make_many_articulated`."""

    def forward_dynamics_by_matrix(table, first, stop, addresses, loads, suspects):
        stamp  # noqa: B018  part of the cache key
        n = int(table[0, COORDINATES])
        samples = pack_floats(table, 1)
        state, work, x, _, out = many_states(table, composite.WORK, 0, n * n)
        mass = out.reshape((n, n))
        for row in range(first, stop, samples):
            load_many(table, state, x, Q, 2, addresses, row, stop - 1)
            load_tile(x, 0, addresses[4], addresses[5], row, stop - 1, n)
            joint_sines(table, state)
            mark(suspects, by_matrix(table, state, work, mass, x, loads), row, min(samples, stop - row))
            store_tile(x, 0, addresses[6], addresses[7], row, stop - 1, n)

    return forward_dynamics_by_matrix
