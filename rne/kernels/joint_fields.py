"""What derivatives need of the kind of a joint: fields of velocity and acceleration of the bodies beyond it.

The rest of what depends on the kind is in `joint`. z is the joint axis, z' and z'' its rates of change as an axis of
the parent, which are those as an axis of the link. When the joint moves by dq, all bodies beyond it move rigidly. Seen
from them, the motion of the parent turns the other way; that changes the acceleration of a point r from the origin by

    revolute:   a x z + z'' x r + 2 z' x r'        prismatic:   z''

where a is the acceleration of the origin as a point of the parent, and r' the rate of change of r.
"""

from __future__ import annotations

from rne.kernels.algebra.moments import around
from rne.kernels.algebra.vec import add, add_product, add_scaled, cross, dot, plus_cross, scale
from rne.kernels.jit import inline
from rne.kernels.layout import HX, HY, KIND, MASS, REVOLUTE, XX, XY, XZ, YY, YZ
from rne.kernels.simd.num import fma, like


@inline
def add_acceleration(table, i, accelerations, axis, turning, qd, qdd):
    """Add the motion of the joint to the angular acceleration and to the acceleration of the origin, in base axes.

    accelerations : wd of the parent, and its acceleration at the origin of the link. turning : z'.
    """
    wd, a = accelerations
    if table[i, KIND] == REVOLUTE:
        return add_scaled(add_scaled(wd, turning, qd), axis, qdd), a
    return wd, add_scaled(add_scaled(a, turning, qd + qd), axis, qdd)


@inline
def force_change(table, i, rates, pull, moments, moment_rates):
    """Force and moment of the change of acceleration per unit of q, over the bodies beyond the joint.

    rates : z' and z''. pull : a x z. moments : m, h and S of the bodies. moment_rates : h' and V.
    """
    turning, bending = rates
    m, h, S = moments
    hd, V = moment_rates
    if table[i, KIND] == REVOLUTE:
        twice = add(turning, turning)
        spread = scale(twice, V[0] + V[4] + V[8])
        f = add(cross(bending, h), plus_cross(scale(pull, m), twice, hd))
        n = add(plus_cross(around(S, bending), h, pull), add_product(spread, V, scale(twice, like(m, -1.0))))
        return f, n
    return scale(bending, m), cross(h, bending)


@inline
def carried(table, i, axis, f, n):
    """Change per unit of q of a force f and a moment n about the origin that move with the link."""
    if table[i, KIND] == REVOLUTE:
        return cross(axis, f), cross(axis, n)
    zero = like(f[0], 0.0)
    return (zero, zero, zero), cross(axis, f)


@inline
def rate_load(table, i, axis, turning, b, e):
    """Integral of J . J'_i dm, for J of a joint beyond: b and e are the integrals of r x J and r' x J.

    For a prismatic joint b is the integral of J.
    """
    load = dot(turning, b)
    if table[i, KIND] == REVOLUTE:
        return load + dot(axis, e)
    return load


@inline
def choose(table, i, f, n):
    """The moment for a revolute joint, the force for a prismatic one."""
    if table[i, KIND] == REVOLUTE:
        return n
    return f


@inline
def change_load(table, i, rates, pull, a, b, e):
    """Integral of J and the change of acceleration per unit of q, for J of a joint beyond; a is the integral of J."""
    turning, bending = rates
    if table[i, KIND] == REVOLUTE:
        once = dot(turning, e)
        return dot(pull, a) + (dot(bending, b) + (once + once))
    return dot(bending, a)


@inline
def move_field(table, i, w, v, q, rate):
    """Add the joint to the field w x r + v in which every joint moves at `rate`, in the axes of the link.

    v is given where the origin is at q = 0.
    """
    if table[i, KIND] == REVOLUTE:
        return (w[0], w[1], w[2] + rate), v
    return w, (fma(w[1], q, v[0]), fma(-w[0], q, v[1]), v[2] + rate)


@inline
def field_moments(table, i, w, field):
    """Integrals of X, r x X and r' x X over the regrouped body of the link, for X = y x r + v and r' = w x r."""
    y, v = field
    zero = like(w[0], 0.0)
    if table[i, KIND] == REVOLUTE:
        hx, hy = table[i, HX], table[i, HY]
        xx, yy, xy, xz, yz = table[i, XX], table[i, YY], table[i, XY], table[i, XZ], table[i, YZ]
        p = (-(y[2] * hy), y[2] * hx, fma(y[0], hy, -(y[1] * hx)))
        n = (
            fma(v[2], hy, fma(y[0], yy, -fma(y[1], xy, y[2] * xz))),
            fma(-v[2], hx, fma(y[1], xx, -fma(y[0], xy, y[2] * yz))),
            fma(v[1], hx, fma(-v[0], hy, fma(y[2], xx + yy, -fma(y[0], xz, y[1] * yz)))),
        )
        hd = (-(w[2] * hy), w[2] * hx, fma(w[0], hy, -(w[1] * hx)))
        c = cross(w, y)
        e = (fma(c[0], xx, fma(c[1], xy, c[2] * xz)), fma(c[0], xy, fma(c[1], yy, c[2] * yz)), fma(c[0], xz, c[1] * yz))
        return p, n, plus_cross(e, hd, v)
    m = table[i, MASS]
    return (v[0] * m, v[1] * m, v[2] * m), (zero, zero, zero), (zero, zero, zero)


@inline
def slide_rate(table, i, w, p, e, q, qd):
    """The integral e of r' x X about the position of the origin at q = 0, where p is that of X."""
    if table[i, KIND] == REVOLUTE:
        return e
    return plus_cross(e, (w[1] * q, -(w[0] * q), qd), p)


@inline
def products(table, i, motion, field, wrench, moments):
    """The field times the derivatives by q, qd and qdd of the torques that all bodies beyond the joint need.

    All in the axes of the link: motion, w and a of the origin and the third column of the motion matrix; field, its
    rotation and its velocity at the origin; the wrench of the bodies beyond; and their `field_moments`.
    """
    w, a, bending = motion
    y, v = field
    f, n = wrench
    p, b, e = moments
    if table[i, KIND] == REVOLUTE:
        bent = fma(bending[0], b[0], fma(bending[1], b[1], bending[2] * b[2]))
        once = fma(w[1], e[0], -(w[0] * e[1]))
        turned = fma(y[1], n[0], fma(-y[0], n[1], fma(v[1], f[0], -(v[0] * f[1]))))
        by_q = fma(a[1], p[0], fma(-a[0], p[1], bent)) + ((once + once) + turned)
        once = fma(w[1], b[0], fma(-w[0], b[1], e[2]))
        return by_q, once + once, b[2]
    by_q = fma(bending[0], p[0], fma(bending[1], p[1], bending[2] * p[2]))
    once = fma(w[1], p[0], -(w[0] * p[1]))
    return by_q + fma(y[1], f[0], -(y[0] * f[1])), once + once, p[2]
