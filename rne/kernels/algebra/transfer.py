"""Transformations between a link and its parent: of wrenches inward, of accelerations outward."""

from __future__ import annotations

from rne.kernels.algebra.vec import add_cross, turn_x, turn_z, unturn_x, unturn_z
from rne.kernels.jit import inline
from rne.kernels.joint import lever, slide_acceleration
from rne.kernels.layout import COS_ALPHA, COS_TURN, HAS_TURN, PX, SIN_ALPHA, SIN_TURN
from rne.kernels.simd.rows import get3


@inline
def wrench_to_parent(table, i, f, n, c, s, q):
    """Transform force and moment from the frame of link i to that of its parent."""
    n = lever(table, i, f, n, q)
    f, n = unturn_z(f, c, s), unturn_z(n, c, s)
    ca, sa = table[i, COS_ALPHA], table[i, SIN_ALPHA]
    f, n = unturn_x(f, ca, sa), unturn_x(n, ca, sa)
    if table[i, HAS_TURN] != 0.0:
        ct, st = table[i, COS_TURN], table[i, SIN_TURN]
        f, n = unturn_z(f, ct, st), unturn_z(n, ct, st)
    return f, add_cross(n, get3(table, i, PX), f)


@inline
def acceleration_to_child(table, i, wd, a, c, s, q):
    """Angular and linear acceleration of link i due to that of its parent, at zero velocity."""
    a = add_cross(a, wd, get3(table, i, PX))
    if table[i, HAS_TURN] != 0.0:
        ct, st = table[i, COS_TURN], table[i, SIN_TURN]
        wd, a = turn_z(wd, ct, st), turn_z(a, ct, st)
    ca, sa = table[i, COS_ALPHA], table[i, SIN_ALPHA]
    wd, a = turn_x(wd, ca, sa), turn_x(a, ca, sa)
    wd, a = turn_z(wd, c, s), turn_z(a, c, s)
    return wd, slide_acceleration(table, i, wd, a, q)
