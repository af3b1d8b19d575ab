"""Rotation and origin of every link frame in base axes, from the base outward.

If the base floats, axes are those of the world; the origin is that of the base all the same, so that accuracy does not
depend on how far the robot has gone. What depends on the position of the base adds `base_position`.
"""

from __future__ import annotations

from rne.kernels import base
from rne.kernels.algebra.vec import add_product, unturn
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import angle, slide
from rne.kernels.layout import (
    COORDINATE,
    COS_ALPHA,
    COS_Q,
    COS_TURN,
    HAS_TURN,
    LINKS,
    PARENT,
    PX,
    SIN_ALPHA,
    SIN_Q,
    SIN_TURN,
    SITE_ORIGIN,
    SITE_ROTATION,
    SITE_ROW,
    Q,
)
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.rows import get3, get9, put

# Numbers stored for each link: the rotation row by row, then the origin.
ROTATION, ORIGIN = 0, 9
PLACEMENT = 12


@inline
def get_axis(work, i):
    """Joint axis of link i, the third column of its rotation."""
    return (work[i, ROTATION + 2], work[i, ROTATION + 5], work[i, ROTATION + 8])


@inline
def _times_rz(R, c, s):
    """R Rz."""
    return (
        fma(R[0], c, R[1] * s), fma(R[1], c, -(R[0] * s)), R[2],
        fma(R[3], c, R[4] * s), fma(R[4], c, -(R[3] * s)), R[5],
        fma(R[6], c, R[7] * s), fma(R[7], c, -(R[6] * s)), R[8],
    )  # fmt: skip


@inline
def _times_rx(R, c, s):
    """R Rx."""
    return (
        R[0], fma(R[1], c, R[2] * s), fma(R[2], c, -(R[1] * s)),
        R[3], fma(R[4], c, R[5] * s), fma(R[5], c, -(R[4] * s)),
        R[6], fma(R[7], c, R[8] * s), fma(R[8], c, -(R[7] * s)),
    )  # fmt: skip


@inline
def placements(table, state, work):
    """Fill `work` (links + 1, PLACEMENT or more) from rows Q, SIN_Q and COS_Q of `state`."""
    zero = like(work[0, 0], 0.0)
    one = like(zero, 1.0)
    put(work, 0, ROTATION, (one, zero, zero, zero, one, zero, zero, zero, one, zero, zero, zero))
    if base.floats(table):
        _turn_base(state, work)
    for i in range(1, int(table[0, LINKS]) + 1):
        parent = int(table[i, PARENT])
        j = int(table[i, COORDINATE])
        R = get9(work, parent, ROTATION)
        p = add_product(get3(work, parent, ORIGIN), R, get3(table, i, PX))
        if table[i, HAS_TURN] != 0.0:
            R = _times_rz(R, table[i, COS_TURN], table[i, SIN_TURN])
        R = _times_rx(R, table[i, COS_ALPHA], table[i, SIN_ALPHA])
        c, s = angle(table, i, state[SIN_Q, j], state[COS_Q, j])
        R = _times_rz(R, c, s)
        q = slide(table, i, state[Q, j])
        p = (fma(R[2], q, p[0]), fma(R[5], q, p[1]), fma(R[8], q, p[2]))
        put(work, i, ROTATION, R)
        put(work, i, ORIGIN, p)


@borrowing
def _turn_base(state, work):
    """Write the rotation of a base that floats."""
    put(work, 0, ROTATION, base.rotation(state))


@inline
def base_position(table, state, zero):
    """Position of the base in the world; zeros if it is fixed."""
    p = (zero, zero, zero)
    if base.floats(table):
        p = base.position(state)
    return p


@inline
def origin_of(sites, m, work):
    """Origin of site m relative to the origin of the base."""
    i = int(sites[m, SITE_ROW])
    return add_product(get3(work, i, ORIGIN), get9(work, i, ROTATION), get3(sites, m, SITE_ORIGIN))


@inline
def axes_of(sites, m, work):
    """Rotation matrix of site m, from its axes to those of the base."""
    R = get9(work, int(sites[m, SITE_ROW]), ROTATION)
    S = get9(sites, m, SITE_ROTATION)
    x, y, z = unturn((S[0], S[3], S[6]), R), unturn((S[1], S[4], S[7]), R), unturn((S[2], S[5], S[8]), R)
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
