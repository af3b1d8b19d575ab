"""Derivative by q of the joint torques tau = J^T w of wrenches.

When a joint moves, the frame in which a wrench acts moves with all joints beyond it. A wrench in the axes of the frame
turns with them, so the torques of these joints do not change; one in base axes turns back in their view. The torque of
a joint nearer to the base changes because the point moves, and in the axes of the frame because the wrench turns.
"""

from __future__ import annotations

from collections.abc import Callable

from rne.kernels.algebra.vec import add_cross, cross, subtract, unturn
from rne.kernels.coordinates import load_many, sines
from rne.kernels.jit import inline
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
from rne.kernels.placement import ORIGIN, PLACEMENT, axes_of, get_axis, origin_of, placements
from rne.kernels.scratch import many_states
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.pack import pack_floats
from rne.kernels.simd.rows import get3
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
        i = int(table[i, PARENT])


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
    for m in range(sites.shape[0]):
        f, moment = get3(wrenches, m, 0), get3(wrenches, m, 3)
        own = sites[m, SITE_OWN_AXES] != 0.0
        if own:
            R = axes_of(sites, m, work)
            f, moment = unturn(f, R), unturn(moment, R)
        _add_site(table, (int(sites[m, SITE_ROW]), own, origin_of(sites, m, work)), (f, moment), work, D)


def make_many(stamp: str) -> Callable[..., None]:
    """Make the entry for batches; `addresses` holds address and row stride in bytes of q, the wrenches and D."""

    def static_derivative_many(table, first, stop, addresses, sites):
        stamp  # noqa: B018  part of the cache key
        links, n, m = int(table[0, LINKS]), int(table[0, COORDINATES]), sites.shape[0]
        samples = pack_floats(table, 1)
        state, work, tile, loads, out = many_states(table, PLACEMENT, 6 * m, n * n)
        wrenches, D = loads.reshape((m, 6)), out.reshape((n, n))
        for row in range(first, stop, samples):
            load_many(table, state, tile, Q, 1, addresses, row, stop - 1)
            load_tile(loads, 0, addresses[2], addresses[3], row, stop - 1, 6 * m)
            fetch_rows(addresses[4], addresses[5], row, stop, samples)
            sines(state, links)
            recursion(table, sites, wrenches, state, work, D)
            store_tile(out, 0, addresses[4], addresses[5], row, stop - 1, n * n)

    return static_derivative_many
