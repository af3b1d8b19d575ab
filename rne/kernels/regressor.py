"""The regressor: torques are linear in the parameters of bodies and drives, tau = Y pi.

Source: Atkeson, An, Hollerbach, "Estimation of inertial parameters of manipulator loads and links", IJRR 5 (1986);
Khalil, Dombre, "Modeling, Identification and Control of Robots" (2002), chapter 12. The wrench of a moving body
about the origin of its frame is linear in mass, first moments and inertia tensor; the torque of each joint between the
body and the base follows by virtual work. A base that floats is the first body, in its own axes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels import base
from rne.kernels.algebra.vec import add_cross, add_product, cross, dot, motion_matrix, subtract, turn
from rne.kernels.coordinates import joint_sines, load_many, load_one, sines
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import directions
from rne.kernels.joint_friction import rise
from rne.kernels.layout import COORDINATE, COORDINATES, GRAVITY, LEADER, LINKS, PARENT, QD, QDD, RATIO, SITE_WIDTH, Q
from rne.kernels.placement import ORIGIN, ROTATION, axes_of, get_axis, origin_of, placements
from rne.kernels.scratch import STACK, many_states, on_scratch
from rne.kernels.simd.num import by_sign, fma, like
from rne.kernels.simd.pack import as_floats, pack_floats, stack_buffer
from rne.kernels.simd.rows import add_to, get3, get9, index, put
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
    rows_of,
    shape,
    site_at,
    table_here,
    table_of,
    vector_at,
)
from rne.kernels.velocities import MOTION, WD, A, W, accelerations, velocities

BODY = 10  # number of parameters of a body: m, m c, Ixx, Ixy, Ixz, Iyy, Iyz, Izz


@inline
def columns_of(table, rotors, friction):
    """Number of columns: those of the bodies; of the rotors; of viscous, positive and negative Coulomb friction."""
    links = int(table[0, LINKS])
    return (links + first_link(table)) * BODY + links * ((1 if rotors else 0) + (3 if friction else 0))


@inline
def first_link(table):
    """Number of bodies before those of the links: 1, the base, if it floats."""
    return 1 - base.lowest(table)


@inline
def felt(u, v, a, A, w, wd):
    """Joint torque per unit of each parameter of a body; all in the axes and at the origin of the frame of the body.

    u, v : angular velocity of the body and velocity of the origin at a unit rate of the joint.
    """
    n = cross(u, w)
    h = cross(a, u)
    return (
        dot(v, a),
        fma(v[0], A[0], fma(v[1], A[3], fma(v[2], A[6], h[0]))),
        fma(v[0], A[1], fma(v[1], A[4], fma(v[2], A[7], h[1]))),
        fma(v[0], A[2], fma(v[1], A[5], fma(v[2], A[8], h[2]))),
        fma(u[0], wd[0], n[0] * w[0]),
        fma(u[0], wd[1], fma(u[1], wd[0], fma(n[0], w[1], n[1] * w[0]))),
        fma(u[0], wd[2], fma(u[2], wd[0], fma(n[0], w[2], n[2] * w[0]))),
        fma(u[1], wd[1], n[1] * w[1]),
        fma(u[1], wd[2], fma(u[2], wd[1], fma(n[1], w[2], n[2] * w[1]))),
        fma(u[2], wd[2], n[2] * w[2]),
    )


@inline
def scaled(x, ratio):
    """Add the ten numbers of a body, times the ratio of a joint to its leader."""
    return (
        x[0] * ratio, x[1] * ratio, x[2] * ratio, x[3] * ratio, x[4] * ratio,
        x[5] * ratio, x[6] * ratio, x[7] * ratio, x[8] * ratio, x[9] * ratio,
    )  # fmt: skip


@inline
def recursion(table, joints, state, work, out, rotors, friction):
    """Fill row 0 of `out`, a matrix (n, columns) row by row, from all rows of `state` except TAU.

    joints : (links, SITE_WIDTH), the frames in which the parameters are expressed. work : (links + 1, MOTION) scratch.
    """
    placements(table, state, work)
    velocities(table, state, work)
    accelerations(table, state, work, -table[0, GRAVITY], -table[0, GRAVITY + 1], -table[0, GRAVITY + 2])
    links, columns = int(table[0, LINKS]), columns_of(table, rotors, friction)
    zero, first_body = like(work[0, 0], 0.0), first_link(table)
    for k in range(int(table[0, COORDINATES]) * columns):
        out[0, k] = zero
    if base.floats(table):
        _own_body(work, out, columns)
    for i in range(1, links + 1):
        R, p = axes_of(joints, i - 1, work), origin_of(joints, i - 1, work)
        w, wd = turn(get3(work, i, W), R), turn(get3(work, i, WD), R)
        M = motion_matrix(w, wd)
        a = add_product(turn(get3(work, i, A), R), M, turn(subtract(p, get3(work, i, ORIGIN)), R))
        j = i
        while j > 0:
            spin, glide = directions(table, j, get_axis(work, j))
            u, v = turn(spin, R), turn(add_cross(glide, spin, subtract(p, get3(work, j, ORIGIN))), R)
            first = int(table[j, LEADER]) * columns + BODY * (first_body + i - 1)
            add_to(out, 0, first, scaled(felt(u, v, a, M, w, wd), table[j, RATIO]))
            j = int(table[j, PARENT])
        if base.floats(table):
            _base_rows(work, out, (columns, BODY * i), (R, p), (a, M, w, wd))
        first = int(table[i, LEADER]) * columns + BODY * (links + first_body) + i - 1
        drive_columns(table, i, state, out, first, rotors, friction)


@borrowing
def _own_body(work, out, columns):
    """Fill the columns of the body of a base that floats."""
    R = get9(work, 0, ROTATION)
    _base_rows(work, out, (columns, 0), (R, get3(work, 0, ORIGIN)), motion_of_base(work, R))


@inline
def motion_of_base(work, R):
    """Acceleration of the origin, motion matrix, w and wd of a base that floats, in its axes."""
    w, wd = turn(get3(work, 0, W), R), turn(get3(work, 0, WD), R)
    return turn(get3(work, 0, A), R), motion_matrix(w, wd), w, wd


@borrowing
def _base_rows(work, out, columns, frame, motion):
    """Fill what a base that floats feels of a body: force and moment in base axes.

    columns : their number, and the first of the body. frame : rotation and origin of its frame. motion : of that frame,
    as `motion_of_base` returns it.
    """
    x, y, z = base.axes(get9(work, 0, ROTATION))
    _put_rows(out, columns, 0, x, frame, motion)
    _put_rows(out, columns, 1, y, frame, motion)
    _put_rows(out, columns, 2, z, frame, motion)


@inline
def _put_rows(out, columns, k, axis, frame, motion):
    """Fill the rows of translation along and rotation about axis k of the base."""
    (count, first), (R, p), (a, M, w, wd) = columns, frame, motion
    x, zero = turn(axis, R), like(a[0], 0.0)
    put(out, 0, k * count + first, felt((zero, zero, zero), x, a, M, w, wd))
    put(out, 0, (3 + k) * count + first, felt(x, turn(cross(axis, p), R), a, M, w, wd))


@inline
def drive_columns(table, i, state, out, k, rotors, friction):
    """Fill the columns of the drive of joint i; `k` is the first, the others follow `links` apart."""
    links, ratio, j = int(table[0, LINKS]), table[i, RATIO], int(table[i, COORDINATE])
    if rotors:
        out[0, k] = state[QDD, j] * ratio
        k += links
    if friction:
        qd = state[QD, j]
        zero = like(qd, 0.0)
        out[0, k] = qd * ratio
        dry = rise(table, i, qd) * ratio
        out[0, k + links] = by_sign(qd, dry, zero)
        out[0, k + 2 * links] = by_sign(qd, zero, -dry)


@on_scratch(MOTION)
def one(table, room, joints, q, qd, qdd, Y, drives):
    """Calculate one state, of floats. The caller has checked the shapes.

    drives : whether there are columns for rotors, and for friction.
    """
    state, packs, work, _ = room
    rotors, friction = drives
    load_one(table, q, state, index(Q))
    load_one(table, qd, state, index(QD))
    load_one(table, qdd, state, index(QDD))
    sines(packs, packs.shape[1])
    recursion(table, joints, state, work, as_floats(Y, 0, 1, Y.size), rotors, friction)


def make_one(stamp: str) -> Callable[..., Any]:
    """Make the entry for one state; arguments and what it returns as in `single`."""

    def regressor_one(card, q, qd, qdd, gravity, out, frames, drives):
        stamp  # noqa: B018  part of the cache key
        n = rates(card)
        q_at = given_position(card, q)
        qd_at = given_or_zero(card, qd, n)
        qdd_at = given_or_zero(card, qdd, n)
        table_at = table_of(card, gravity, stack_buffer(card, STACK))
        if q_at == 0 or qd_at == 0 or qdd_at == 0 or table_at == 0:
            return refused(card)
        table, (rotors, friction) = table_here(card, table_at), drives
        columns = columns_of(table, rotors, friction)
        result = result_of(card, out, 2, shape(n, columns, 1, 1))
        if result == 0:
            return refused(card)
        joints = site_at(card, frames, rows_of(frames), SITE_WIDTH)
        q_row = position_at(card, q_at)
        qd_row = vector_at(card, qd_at, n)
        qdd_row = vector_at(card, qdd_at, n)
        one(table, joints, q_row, qd_row, qdd_row, filled(card, result, n, columns), drives)
        return answer(result)

    return regressor_one


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, qd, qdd and Y."""

    def regressor_many(table, first, stop, addresses, joints, drives):
        stamp  # noqa: B018  part of the cache key
        rotors, friction = drives
        numbers = int(table[0, COORDINATES]) * columns_of(table, rotors, friction)
        state, work, tile, _, out = many_states(table, MOTION, 0, numbers)
        for row in range(first, stop, pack_floats(table, 1)):
            load_many(table, state, tile, Q, 3, addresses, row, stop - 1)
            joint_sines(table, state)
            recursion(table, joints, state, work, out, rotors, friction)
            store_tile(out, 0, addresses[6], addresses[7], row, stop - 1, numbers)

    return regressor_many
