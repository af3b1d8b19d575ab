"""Velocity and acceleration of every link in base axes, from the base outward.

Luh, Walker, Paul 1980, in base axes, or in those of the world if the base floats; to be called after `placements`.
"""

from __future__ import annotations

from rne.kernels import base
from rne.kernels.algebra.vec import add, add_cross, add_product, add_scaled, motion_matrix, subtract, unturn
from rne.kernels.jit import borrowing, inline
from rne.kernels.joint import directions
from rne.kernels.layout import COORDINATE, LINKS, PARENT, QD, QDD
from rne.kernels.placement import ORIGIN, PLACEMENT, ROTATION, get_axis
from rne.kernels.simd.num import like
from rne.kernels.simd.rows import get3, get9, put

# Numbers stored for each link after its placement: angular velocity, velocity of the origin, then the accelerations.
W, V, WD, A = PLACEMENT, PLACEMENT + 3, PLACEMENT + 6, PLACEMENT + 9
VELOCITY = PLACEMENT + 6
MOTION = PLACEMENT + 12


@borrowing
def _begin_at_base(state, work):
    """Write the velocities of a base that floats."""
    R = get9(work, 0, ROTATION)
    v, w = base.velocity(state)
    put(work, 0, V, unturn(v, R))
    put(work, 0, W, unturn(w, R))


@borrowing
def _accelerate_at_base(state, work):
    """Write the accelerations of a base that floats."""
    R = get9(work, 0, ROTATION)
    a, wd = base.acceleration(state)
    put(work, 0, A, add(get3(work, 0, A), unturn(a, R)))
    put(work, 0, WD, unturn(wd, R))


@inline
def velocities(table, state, work):
    """Fill columns W and V of `work` (links + 1, VELOCITY or more) from row QD of `state`."""
    zero = like(work[0, 0], 0.0)
    put(work, 0, W, (zero, zero, zero, zero, zero, zero))
    if base.floats(table):
        _begin_at_base(state, work)
    for i in range(1, int(table[0, LINKS]) + 1):
        parent = int(table[i, PARENT])
        qd = state[QD, int(table[i, COORDINATE])]
        spin, glide = directions(table, i, get_axis(work, i))
        w = get3(work, parent, W)
        r = subtract(get3(work, i, ORIGIN), get3(work, parent, ORIGIN))
        put(work, i, V, add_scaled(add_cross(get3(work, parent, V), w, r), glide, qd))
        put(work, i, W, add_scaled(w, spin, qd))


@inline
def accelerations(table, state, work, gx, gy, gz):
    """Fill columns WD and A of `work` (links + 1, MOTION or more) from rows QD and QDD of `state`.

    gx, gy, gz : acceleration of the base; minus gravity to include gravity. That of a base that floats is added.
    """
    zero = like(work[0, 0], 0.0)
    put(work, 0, WD, (zero, zero, zero, like(zero, gx), like(zero, gy), like(zero, gz)))
    if base.floats(table):
        _accelerate_at_base(state, work)
    for i in range(1, int(table[0, LINKS]) + 1):
        parent = int(table[i, PARENT])
        j = int(table[i, COORDINATE])
        qd, qdd = state[QD, j], state[QDD, j]
        spin, glide = directions(table, i, get_axis(work, i))
        w, wd = get3(work, parent, W), get3(work, parent, WD)
        r = subtract(get3(work, i, ORIGIN), get3(work, parent, ORIGIN))
        a = add_product(get3(work, parent, A), motion_matrix(w, wd), r)
        spin_qd = (spin[0] * qd, spin[1] * qd, spin[2] * qd)
        twice = (glide[0] * (qd + qd), glide[1] * (qd + qd), glide[2] * (qd + qd))
        put(work, i, WD, add_scaled(add_cross(wd, w, spin_qd), spin, qdd))
        put(work, i, A, add_scaled(add_cross(a, w, twice), glide, qdd))
