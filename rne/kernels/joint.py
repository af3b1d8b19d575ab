"""The only place that knows the kinds of joints: what each does to motion and force, and what it leaves of its body.

Every joint moves about or along z of the frame of its link, after the constant turn about the same axis that the table
calls OFFSET. `i` is the row of the link in `table`; it is passed beside it because a row cut out is counted as a
reference in every round, which tripled the time of a batch.
"""

from __future__ import annotations

from rne.kernels.jit import inline
from rne.kernels.layout import (
    COS_OFFSET,
    COULOMB_MINUS,
    COULOMB_PLUS,
    HX,
    HY,
    KIND,
    MASS,
    REST,
    REVOLUTE,
    SIN_OFFSET,
    STIFFNESS,
    VISCOUS,
    XX,
    XY,
    XZ,
    YY,
    YZ,
)  # fmt: skip
from rne.kernels.num import by_sign, fma, like
from rne.kernels.vec import motion_matrix


@inline
def angle(table, i, s, c):
    """Cosine and sine of the turn of the link about z, from sine and cosine of the joint position.

    The offset turns the pair instead of being added to the angle: at q = 1e9 a sum would lose seven digits.
    """
    if table[i, KIND] == REVOLUTE:
        offset_c, offset_s = table[i, COS_OFFSET], table[i, SIN_OFFSET]
        return fma(c, offset_c, -(s * offset_s)), fma(s, offset_c, c * offset_s)
    return like(c, table[i, COS_OFFSET]), like(s, table[i, SIN_OFFSET])


@inline
def drive(table, i, w, wd, a, q, qd, qdd):
    """Add the motion of the joint itself; all in the axes of the link. Returns w, wd, a and the motion matrix A.

    Luh, Walker and Paul 1980, equations for a rotational and a translational joint. For a slide, the origin lies at
    q z from where the parent's part of `a` was taken: A (q z) + 2 w x (qd z) + qdd z come on top.
    """
    if table[i, KIND] == REVOLUTE:
        w = (w[0], w[1], w[2] + qd)
        wd = (fma(w[1], qd, wd[0]), fma(-w[0], qd, wd[1]), wd[2] + qdd)
        A = motion_matrix(w, wd)
    else:
        A = motion_matrix(w, wd)
        twice = qd + qd
        a = (
            fma(A[2], q, fma(w[1], twice, a[0])),
            fma(A[5], q, fma(-w[0], twice, a[1])),
            fma(A[8], q, fma(qd, like(qd, 0.0), a[2] + qdd)),  # not felt, but a NaN must stay one
        )
    return w, wd, a, A


@inline
def body_wrench(table, i, a, A):
    """Force and moment about the origin that keep the regrouped body of the link moving.

    With the second moments S = integral of r r^T dm, the moment of the points of a body is the integral of r x (A r) dm
    plus h x a: products of rows of A with rows of S, and no separate inertia and gyroscopic terms.
    """
    zero = like(a[0], 0.0)
    if table[i, KIND] == REVOLUTE:
        hx, hy = table[i, HX], table[i, HY]
        xx, yy, xy, xz, yz = table[i, XX], table[i, YY], table[i, XY], table[i, XZ], table[i, YZ]
        f = (fma(A[0], hx, A[1] * hy), fma(A[3], hx, A[4] * hy), fma(A[6], hx, A[7] * hy))
        nx = fma(a[2], hy, fma(A[6], xy, fma(A[7], yy, fma(A[8] - A[4], yz, -(A[3] * xz)))))
        ny = fma(-a[2], hx, fma(A[0] - A[8], xz, fma(A[1], yz, -fma(A[6], xx, A[7] * xy))))
        nz = fma(
            a[1], hx, fma(-a[0], hy, fma(A[3], xx, fma(A[4] - A[0], xy, fma(A[5], xz, -fma(A[1], yy, A[2] * yz)))))
        )
        return f, (nx, ny, nz)
    m = table[i, MASS]
    return (a[0] * m, a[1] * m, a[2] * m), (zero, zero, zero)


@inline
def along(table, i, f, n):
    """Part of force f and moment n that the drive of the joint carries."""
    return n[2] if table[i, KIND] == REVOLUTE else f[2]


@inline
def along_axis(table, i, axis, f, n):
    """The same for force and moment in other axes, in which the joint axis is `axis`."""
    v = n
    if table[i, KIND] != REVOLUTE:
        v = f
    return fma(axis[0], v[0], fma(axis[1], v[1], axis[2] * v[2]))


@inline
def directions(table, i, axis):
    """Angular velocity of link i for each unit of qd, and velocity for each unit, where the joint axis is `axis`."""
    zero = like(axis[0], 0.0)
    nothing = (zero, zero, zero)
    if table[i, KIND] == REVOLUTE:
        return axis, nothing
    return nothing, axis


@inline
def slide(table, i, q):
    """How far the origin of the link stands along z from its place at q = 0."""
    return like(q, 0.0) if table[i, KIND] == REVOLUTE else q


@inline
def lever(table, i, f, n, q):
    """Moment about the origin at q = 0 of force f and moment n at the origin."""
    if table[i, KIND] == REVOLUTE:
        return n
    return (fma(-f[1], q, n[0]), fma(f[0], q, n[1]), n[2])


@inline
def friction(table, i, qd):
    """Torque that overcomes viscous and Coulomb friction; zero at rest."""
    return fma(qd, table[i, VISCOUS], by_sign(qd, table[i, COULOMB_PLUS], -table[i, COULOMB_MINUS]))


@inline
def spring(table, i, q):
    """Torque that holds the joint spring at q."""
    return (q - table[i, REST]) * table[i, STIFFNESS]
