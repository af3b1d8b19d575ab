"""Inverse dynamics by the recursive Newton-Euler algorithm.

Source: Luh, Walker, Paul, "On-line computational scheme for mechanical manipulators", ASME J. DSMC 102 (1980), in link
frames. Body parameters are kept about the link origin as mass, first and second moments; with the motion matrix
`A = [wd]x + [w]x [w]x` the acceleration of a point is `a + A r`, so force and moment need no shift to the centre of
mass. Gravity enters as the base accelerating upward.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rne.kernels.algebra.transfer import wrench_to_parent
from rne.kernels.algebra.vec import add, add_product, motion_matrix, turn_x, turn_z
from rne.kernels.coordinates import load_many, load_one, sines, store_many, store_one
from rne.kernels.coupling import add_couplings
from rne.kernels.jit import borrowing, function, inline
from rne.kernels.joint import along, angle, body_wrench, drive, friction, spring
from rne.kernels.layout import (
    COORDINATE,
    COORDINATES,
    COS_ALPHA,
    COS_TURN,
    FOLLOWS,
    FRICTION,
    GRAVITY,
    HAS_TURN,
    KEEP,
    LINKS,
    PARENT,
    PX,
    ROTOR,
    SIN_ALPHA,
    SIN_TURN,
    SPRINGS,
    WORTH_A_THREAD,
)
from rne.kernels.scratch import STACK, aligned, table_at, write_places
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import as_floats, as_packs, pack_floats, packs_for, stack_buffer
from rne.kernels.simd.rows import get3, index, put

# Numbers kept for each link between the sweeps: cosine and sine, force, moment; then, for branching, w, wd, a.
WORK = 17


@inline
def outward(table, state, work):
    """Motion of all links from rows q, qd, qdd, sine and cosine of q (0, 1, 2, 4, 5) of `state`.

    Leaves cosine and sine of every joint, force and moment of every body, and w, wd, a of links that branch in `work`.
    """
    links = int(table[0, LINKS])
    zero = like(work[0, 0], 0.0)
    w = (zero, zero, zero)
    wd = (zero, zero, zero)
    a = (
        like(zero, -table[0, GRAVITY]),
        like(zero, -table[0, GRAVITY + 1]),
        like(zero, -table[0, GRAVITY + 2]),
    )
    put(work, 0, 8, w)
    put(work, 0, 11, wd)
    put(work, 0, 14, a)
    A = (zero, zero, zero, zero, zero, zero, zero, zero, zero)

    for i in range(1, links + 1):
        if table[i, FOLLOWS] == 0.0:
            parent = int(table[i, PARENT])
            w, wd, a = get3(work, parent, 8), get3(work, parent, 11), get3(work, parent, 14)
            A = motion_matrix(w, wd)
        a = add_product(a, A, get3(table, i, PX))
        if table[i, HAS_TURN] != 0.0:
            ct, st = table[i, COS_TURN], table[i, SIN_TURN]
            w, wd, a = turn_z(w, ct, st), turn_z(wd, ct, st), turn_z(a, ct, st)
        ca, sa = table[i, COS_ALPHA], table[i, SIN_ALPHA]
        w, wd, a = turn_x(w, ca, sa), turn_x(wd, ca, sa), turn_x(a, ca, sa)
        j = int(table[i, COORDINATE])
        c, s = angle(table, i, state[4, j], state[5, j])
        work[i, 0], work[i, 1] = c, s
        w, wd, a = turn_z(w, c, s), turn_z(wd, c, s), turn_z(a, c, s)
        w, wd, a, A = drive(table, i, w, wd, a, state[0, j], state[1, j], state[2, j])
        f, n = body_wrench(table, i, a, A)
        put(work, i, 2, f)
        put(work, i, 5, n)
        if table[i, KEEP] != 0.0:
            put(work, i, 8, w)
            put(work, i, 11, wd)
            put(work, i, 14, a)


@inline
def recursion(table, state, work, loads):
    """Turn rows q, qd, qdd, sine and cosine of q (0, 1, 2, 4, 5) of `state` into row tau (3).

    table : (links + 1, WIDTH) as in `layout`. state : (6, links or more), of floats or of packs.
    work : (links + 1, WORK) scratch of the same numbers. loads : FRICTION, SPRINGS, their sum, or 0.
    """
    outward(table, state, work)
    zero = like(work[0, 0], 0.0)
    f = (zero, zero, zero)
    n = (zero, zero, zero)
    for i in range(int(table[0, LINKS]), 0, -1):
        f = add(f, get3(work, i, 2))
        n = add(n, get3(work, i, 5))
        j = int(table[i, COORDINATE])
        torque = fma(state[2, j], table[i, ROTOR], along(table, i, f, n))
        if loads & FRICTION:
            torque = torque + friction(table, i, state[1, j])
        if loads & SPRINGS:
            torque = torque + spring(table, i, state[0, j])
        state[3, j] = torque
        parent = int(table[i, PARENT])
        if parent > 0:
            f, n = wrench_to_parent(table, i, f, n, work[i, 0], work[i, 1], state[0, j])
        if table[i, FOLLOWS] == 0.0 or parent == 0:
            if parent > 0:
                put(work, parent, 2, add(f, get3(work, parent, 2)))
                put(work, parent, 5, add(n, get3(work, parent, 5)))
            f = (zero, zero, zero)
            n = (zero, zero, zero)
    if loads != 0:
        add_couplings(table, state, index(3), loads, like(zero, 1.0))


@borrowing
def _run(table, q, qd, qdd, tau, buffer, loads):
    links = int(table[0, LINKS])
    packs = packs_for(table, links)
    width = pack_floats(table, packs)
    state = as_floats(buffer, 0, 6, width)
    work = as_floats(buffer, 6 * width, links + 1, WORK)
    load_one(table, q, state, index(0))
    load_one(table, qd, state, index(1))
    load_one(table, qdd, state, index(2))
    sines(as_packs(buffer, 0, 6, packs), packs)
    recursion(table, state, work, loads)
    store_one(table, state, index(3), tau)


@function
def _run_large(table, q, qd, qdd, tau, size, loads):
    _run(table, q, qd, qdd, tau, aligned(table, size), loads)


@borrowing
def one(table, q, qd, qdd, tau, loads):
    """One state, of floats; scratch on the stack. Shapes are the caller's business."""
    links = int(table[0, LINKS])
    size = 6 * pack_floats(table, packs_for(table, links)) + (links + 1) * WORK
    if size > STACK:
        _run_large(table, q, qd, qdd, tau, size, loads)
    else:
        _run(table, q, qd, qdd, tau, stack_buffer(table, STACK), loads)


def make_one(stamp: str) -> Callable[..., int]:
    """Make the entry for one state; it returns 1, and does nothing, where a length does not fit."""

    def inverse_dynamics_one(address, q, qd, qdd, tau, loads):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        n = int(table[0, COORDINATES])
        if q.shape[0] != n or qd.shape[0] != n or qdd.shape[0] != n or tau.shape[0] != n:
            return 1
        one(table, q, qd, qdd, tau, loads)
        return 0

    return inverse_dynamics_one


@function
def _many(table, first, stop, where, loads):
    links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
    samples = pack_floats(table, 1)
    buffer = aligned(table, samples * (6 * links + (links + 1) * WORK + n))
    state = as_packs(buffer, 0, 6, links)
    work = as_packs(buffer, samples * 6 * links, links + 1, WORK)
    tile = as_packs(buffer, samples * (6 * links + (links + 1) * WORK), 1, n)
    for row in range(first, stop, samples):
        load_many(table, state, tile, 0, 3, where, row, stop - 1)
        sines(state, links)
        recursion(table, state, work, loads)
        store_many(table, state, 3, tile, where[6], where[7], row, stop - 1)


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `where` holds address and row stride in bytes of q, qd, qdd and tau."""

    def inverse_dynamics_many(table, first, stop, where, loads):
        stamp  # noqa: B018  part of the cache key
        _many(table, first, stop, where, loads)

    return inverse_dynamics_many


def make_few(stamp: str) -> Callable[..., int]:
    """Make the entry for a small batch, to which it costs more to be made ready for threads than to be calculated.

    It returns 1, and does nothing, where a shape does not fit or the batch is worth a thread. Measured on 64 states of
    a 7-joint arm: 2.4 us a call from Python, of which 1.7 are the recursion; 5.9 us by way of `rne.many`.
    """

    def inverse_dynamics_few(address, q, qd, qdd, tau, loads):
        stamp  # noqa: B018  part of the cache key
        table = table_at(address, q)
        shape = q.shape
        if shape[1] != int(table[0, COORDINATES]) or shape[0] * shape[1] >= 2 * WORTH_A_THREAD:
            return 1
        if qd.shape != shape or qdd.shape != shape or tau.shape != shape:
            return 1
        where = np.empty(8, np.intp)
        write_places(where, 0, q, qd, qdd, tau)
        _many(table, 0, shape[0], where, loads)
        return 0

    return inverse_dynamics_few
