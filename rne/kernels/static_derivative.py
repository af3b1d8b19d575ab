"""Derivative by q of the joint torques tau = J^T w of wrenches.

When a joint moves, the frame in which a wrench acts moves with all joints beyond it. A wrench in the axes of the frame
turns with them, so the torques of these joints do not change; one in base axes turns back in their view. The torque of
a joint nearer to the base changes because the point moves, and in the axes of the frame because the wrench turns. A
base that floats is the first of these joints; translation changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from rne.kernels import base
from rne.kernels.algebra.vec import add_cross, cross, subtract, turn, unturn
from rne.kernels.coordinates import joint_sines, load_many
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import along_axis, directions
from rne.kernels.joint_fields import carried
from rne.kernels.layout import (
    COORDINATE,
    COORDINATES,
    LEADER,
    LINKS,
    PARENT,
    RATIO,
    SITE_OWN_AXES,
    SITE_ROW,
    Q,
)
from rne.kernels.placement import ORIGIN, PLACEMENT, ROTATION, axes_of, get_axis, origin_of, placements
from rne.kernels.scratch import many_states
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import pack_floats
from rne.kernels.simd.rows import get3, get9
from rne.kernels.simd.tile import fetch_rows, load_tile, store_tile


@inline
def _add_site(table, site, wrench, work, D):
    """Add the derivative for one wrench. site : row of the table of sites, flag of its axes, and its origin."""
    i, own, p = site
    f, n = wrench
    zero = like(f[0], 0.0)
    while i > 0:
        axis, r = get_axis(work, i), subtract(p, get3(work, i, ORIGIN))
        spin, glide = directions(table, i, axis)
        here = add_cross(n, r, f)  # about the origin of link i
        # Change of the wrench per unit of q_i, about the origin of link i.
        if own:
            df, dn = carried(table, i, axis, f, here)
        else:
            df, dn = (zero, zero, zero), cross(add_cross(glide, spin, r), f)
        row, k = int(table[i, LEADER]), i
        while k > 0:
            z = get_axis(work, k)
            column, ratio = int(table[k, LEADER]), table[i, RATIO] * table[k, RATIO]
            if not own:
                back, _ = directions(table, k, z)
                bf = cross(f, back)
                value = along_axis(table, i, axis, bf, add_cross(cross(n, back), r, bf))
                D[row, column] = fma(value, ratio, D[row, column])
            if k != i:
                arm = subtract(get3(work, i, ORIGIN), get3(work, k, ORIGIN))
                D[column, row] = fma(along_axis(table, k, z, df, add_cross(dn, arm, df)), ratio, D[column, row])
            k = int(table[k, PARENT])
        if base.floats(table):
            arm = get3(work, i, ORIGIN)
            _enter_base(table, work, D, (i, own), (r, f, n), (df, add_cross(dn, arm, df)))
        i = int(table[i, PARENT])


@borrowing
def _enter_base(table, work, D, joint, wrench, change):
    """Add the entries of a joint and the base.

    joint : row of its link, and whether the wrench turns with its frame. wrench : arm from the origin of the link,
    force and moment. change : that of the wrench per unit of q, about the origin of the base.
    """
    R, (i, own) = get9(work, 0, ROTATION), joint
    f, n = turn(change[0], R), turn(change[1], R)
    j, ratio = int(table[i, LEADER]), table[i, RATIO]
    for k in range(3):
        D[k, j] = fma(f[k], ratio, D[k, j])
        D[3 + k, j] = fma(n[k], ratio, D[3 + k, j])
    if not own:
        axis = get_axis(work, i)
        x, y, z = base.axes(R)
        _turn_back(table, D, j, i, axis, 3, x, wrench)
        _turn_back(table, D, j, i, axis, 4, y, wrench)
        _turn_back(table, D, j, i, axis, 5, z, wrench)


@inline
def _turn_back(table, D, row, i, axis, column, about, wrench):
    """Add what joint i feels of a wrench that the base leaves behind when it turns about an axis."""
    r, f, n = wrench
    bf = cross(f, about)
    value = along_axis(table, i, axis, bf, add_cross(cross(n, about), r, bf))
    D[row, column] = fma(value, table[i, RATIO], D[row, column])


@borrowing
def _add_to_base(work, D, own, p, f, n):
    """Add the entries of the base alone: those of a wrench that does not turn with it."""
    if not own:
        R = get9(work, 0, ROTATION)
        x, y, z = base.axes(R)
        _add_column(D, 3, R, cross(f, x), add_cross(cross(n, x), p, cross(f, x)))
        _add_column(D, 4, R, cross(f, y), add_cross(cross(n, y), p, cross(f, y)))
        _add_column(D, 5, R, cross(f, z), add_cross(cross(n, z), p, cross(f, z)))


@inline
def _add_column(D, column, R, f, n):
    """Add force and moment on the base, in its axes, to a column."""
    f, n = turn(f, R), turn(n, R)
    for k in range(3):
        D[k, column] = D[k, column] + f[k]
        D[3 + k, column] = D[3 + k, column] + n[k]


@borrowing
def _doubt_of_base(state, D):
    """Make the entries of a base without a pose NaN."""
    doubt = base.doubt(state)
    for k in range(6):
        D[k, k] = D[k, k] + doubt


@inline
def recursion(table, sites, wrenches, state, work, D):
    """Fill D (coordinates, coordinates) from rows Q, SIN_Q and COS_Q of `state` and `wrenches` (m, 6).

    sites : (m, SITE_WIDTH). work : (links + 1, PLACEMENT) scratch.
    """
    n = int(table[0, COORDINATES])
    zero = like(work[0, 0], 0.0)
    for row in range(n):
        for column in range(n):
            D[row, column] = zero
    placements(table, state, work)
    for i in range(1, int(table[0, LINKS]) + 1):
        j = int(table[i, LEADER])
        D[j, j] = fma(state[Q, int(table[i, COORDINATE])], zero, D[j, j])  # propagates NaN
    if base.floats(table):
        _doubt_of_base(state, D)
    for m in range(sites.shape[0]):
        f, moment = get3(wrenches, m, 0), get3(wrenches, m, 3)
        own = sites[m, SITE_OWN_AXES] != 0.0
        if own:
            R = axes_of(sites, m, work)
            f, moment = unturn(f, R), unturn(moment, R)
        p = origin_of(sites, m, work)
        if base.floats(table):
            _add_to_base(work, D, own, p, f, moment)
        _add_site(table, (int(sites[m, SITE_ROW]), own, p), (f, moment), work, D)


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, the wrenches and D."""

    def static_derivative_many(table, first, stop, addresses, sites):
        stamp  # noqa: B018  part of the cache key
        n, m = int(table[0, COORDINATES]), sites.shape[0]
        samples = pack_floats(table, 1)
        state, work, tile, loads, out = many_states(table, PLACEMENT, 6 * m, n * n)
        wrenches, D = loads.reshape((m, 6)), out.reshape((n, n))
        for row in range(first, stop, samples):
            load_many(table, state, tile, Q, 1, addresses, row, stop - 1)
            load_tile(loads, 0, addresses[2], addresses[3], row, stop - 1, 6 * m)
            fetch_rows(addresses[4], addresses[5], row, stop, samples)
            joint_sines(table, state)
            recursion(table, sites, wrenches, state, work, D)
            store_tile(out, 0, addresses[4], addresses[5], row, stop - 1, n * n)

    return static_derivative_many
