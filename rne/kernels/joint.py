"""The only module that depends on the kind of a joint: its motion, its forces, and the body after regrouping.

Every joint moves about or along z of the frame of its link, after the constant rotation about the same axis that the
table calls OFFSET. `i` is the row of the link in `table`; both are passed because a slice of the table would be
reference-counted in every iteration, which tripled the time of a batch.
"""

from __future__ import annotations

from rne.kernels.algebra.moments import around, spun, transposed, turned
from rne.kernels.algebra.vec import add, add_product, cross, motion_matrix, scale
from rne.kernels.jit import inline
from rne.kernels.layout import (
    COS_OFFSET,
    HX,
    HY,
    KIND,
    MASS,
    REST,
    REVOLUTE,
    SIN_OFFSET,
    STIFFNESS,
    XX,
    XY,
    XZ,
    YY,
    YZ,
)
from rne.kernels.simd.num import fma, like


@inline
def angle(table, i, s, c):
    """Cosine and sine of the rotation of the link about z, from sine and cosine of the joint position.

    The offset rotates the pair instead of being added to the angle: at q = 1e9 a sum would lose seven digits.
    """
    if table[i, KIND] == REVOLUTE:
        offset_c, offset_s = table[i, COS_OFFSET], table[i, SIN_OFFSET]
        return fma(c, offset_c, -(s * offset_s)), fma(s, offset_c, c * offset_s)
    return like(c, table[i, COS_OFFSET]), like(s, table[i, SIN_OFFSET])


@inline
def move_joint(table, i, w, wd, a, q, qd, qdd):
    """Add the motion of the joint; all in the axes of the link. Returns w, wd, a and the motion matrix A.

    Luh, Walker and Paul 1980, equations for a rotational and a translational joint. `a` is given where
    the origin is at q = 0; a prismatic joint adds A (q z) + 2 w x (qd z) + qdd z.
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
            fma(A[8], q, fma(qd, like(qd, 0.0), a[2] + qdd)),  # not felt, but propagates NaN
        )
    return w, wd, a, A


@inline
def body_wrench(table, i, a, A):
    """Force and moment about the origin for the motion of the regrouped body of the link.

    With the second moments S = integral of r r^T dm, the moment of the body is the integral of r x (A r) dm plus
    h x a: products of rows of A with rows of S, without separate inertia and gyroscopic terms.
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
def resting_wrench(table, i, a):
    """Force and moment about the origin that hold the regrouped body of the link at rest."""
    zero = like(a[0], 0.0)
    if table[i, KIND] == REVOLUTE:
        hx, hy = table[i, HX], table[i, HY]
        return (zero, zero, zero), (a[2] * hy, -(a[2] * hx), fma(a[1], hx, -(a[0] * hy)))
    m = table[i, MASS]
    return (a[0] * m, a[1] * m, a[2] * m), (zero, zero, zero)


@inline
def along(table, i, f, n):
    """Component of force f and moment n along the joint: the load of its drive."""
    return n[2] if table[i, KIND] == REVOLUTE else f[2]


@inline
def along_axis(table, i, axis, f, n):
    """The same in axes in which the joint axis is `axis`."""
    v = n
    if table[i, KIND] != REVOLUTE:
        v = f
    return fma(axis[0], v[0], fma(axis[1], v[1], axis[2] * v[2]))


@inline
def add_to_composite(table, i, m, h, S):
    """Add the regrouped body of the link to mass, first and second moments."""
    if table[i, KIND] == REVOLUTE:
        h = (h[0] + table[i, HX], h[1] + table[i, HY], h[2])
        S = (
            S[0] + table[i, XX], S[1] + table[i, YY], S[2],
            S[3] + table[i, XY], S[4] + table[i, XZ], S[5] + table[i, YZ],
        )  # fmt: skip
        return m, h, S
    return m + table[i, MASS], h, S


@inline
def unit_wrench(table, i, m, h, S):
    """Force and moment for a unit joint acceleration of a composite: z x h and tr(S) z - S z, or m z, h x z.

    Walker and Orin 1982, equations for a rotational and a translational joint.
    """
    zero = like(m, 0.0)
    if table[i, KIND] == REVOLUTE:
        return (-h[1], h[0], zero), (-S[4], -S[5], S[0] + S[1])
    return (zero, zero, m), (h[1], -h[0], zero)


@inline
def add_to_articulated(table, i, J, B, M):
    """Add the regrouped body of the link to an articulated inertia: J = tr(S) 1 - S, B = [h]x, M = m 1."""
    if table[i, KIND] == REVOLUTE:
        hx, hy, xx, yy = table[i, HX], table[i, HY], table[i, XX], table[i, YY]
        J = (J[0] + yy, J[1] + xx, J[2] + (xx + yy), J[3] - table[i, XY], J[4] - table[i, XZ], J[5] - table[i, YZ])
        B = (B[0], B[1], B[2] + hy, B[3], B[4], B[5] - hx, B[6] - hy, B[7] + hx, B[8])
        return J, B, M
    m = table[i, MASS]
    return J, B, (M[0] + m, M[1] + m, M[2] + m, M[3], M[4], M[5])


@inline
def axis_wrench(table, i, J, B, M):
    """Force and moment for a unit acceleration of the joint: the column of an articulated inertia on its axis."""
    if table[i, KIND] == REVOLUTE:
        return (B[6], B[7], B[8]), (J[4], J[5], J[2])
    return (M[4], M[5], M[2]), (B[2], B[5], B[8])


@inline
def add_joint(table, i, wd, a, qdd):
    """Add the acceleration of the joint to an acceleration of the link."""
    if table[i, KIND] == REVOLUTE:
        return (wd[0], wd[1], wd[2] + qdd), a
    return wd, (a[0], a[1], a[2] + qdd)


@inline
def slide_acceleration(table, i, wd, a, q):
    """Acceleration of the origin, from that of the point of the link that is the origin at q = 0."""
    if table[i, KIND] == REVOLUTE:
        return a
    return (fma(wd[1], q, a[0]), fma(-wd[0], q, a[1]), a[2])


@inline
def slide_composite(table, i, m, h, S, q):
    """First and second moments about the position of the origin at q = 0."""
    if table[i, KIND] == REVOLUTE:
        return h, S
    z = fma(m, q, h[2])
    return (h[0], h[1], z), (S[0], S[1], fma(h[2] + z, q, S[2]), S[3], fma(h[0], q, S[4]), fma(h[1], q, S[5]))


@inline
def slide_articulated(table, i, J, B, M, q):
    """J and B of an articulated inertia about the position of the origin at q = 0; M does not change."""
    if table[i, KIND] == REVOLUTE:
        return J, B
    C = (
        fma(M[3], -q, B[0]), fma(M[1], -q, B[1]), fma(M[5], -q, B[2]),
        fma(M[0], q, B[3]), fma(M[3], q, B[4]), fma(M[4], q, B[5]),
        B[6], B[7], B[8],
    )  # fmt: skip
    J = (
        fma(B[1] + C[1], -q, J[0]), fma(B[3] + C[3], q, J[1]), J[2],
        fma(C[0] - B[4], q, J[3]), fma(B[7], -q, J[4]), fma(B[6], q, J[5]),
    )  # fmt: skip
    return J, C


@inline
def directions(table, i, axis):
    """Angular and linear velocity of link i relative to its parent per unit of qd; the joint axis is `axis`."""
    zero = like(axis[0], 0.0)
    nothing = (zero, zero, zero)
    if table[i, KIND] == REVOLUTE:
        return axis, nothing
    return nothing, axis


@inline
def slide(table, i, q):
    """Displacement of the origin of the link along z since q = 0."""
    return like(q, 0.0) if table[i, KIND] == REVOLUTE else q


@inline
def lever(table, i, f, n, q):
    """Moment about the position of the origin at q = 0 of force f and moment n at the origin."""
    if table[i, KIND] == REVOLUTE:
        return n
    return (fma(-f[1], q, n[0]), fma(f[0], q, n[1]), n[2])


@inline
def add_rate(table, i, w, v, axis, qd):
    """Add the joint rate to the angular velocity w and to the velocity v of the origin; `axis` in the same axes."""
    if table[i, KIND] == REVOLUTE:
        return add(w, scale(axis, qd)), v
    return w, add(v, scale(axis, qd))


@inline
def body_moments(table, i, R):
    """Mass, first and second moments of the regrouped body about the origin, rotated by R."""
    zero = like(R[0], 0.0)
    if table[i, KIND] == REVOLUTE:
        hx, hy = table[i, HX], table[i, HY]
        h = (fma(R[0], hx, R[1] * hy), fma(R[3], hx, R[4] * hy), fma(R[6], hx, R[7] * hy))
        return zero, h, turned(R, table[i, XX], table[i, YY], table[i, XY], table[i, XZ], table[i, YZ])
    return like(zero, table[i, MASS]), (zero, zero, zero), (zero, zero, zero, zero, zero, zero)


@inline
def momentum(table, i, axis, m, h, S):
    """Momentum and angular momentum of bodies with these moments that move with the joint at unit rate.

    They are the integrals of J and r x J, with J the velocity of a point, `axis` x r or `axis`.
    """
    if table[i, KIND] == REVOLUTE:
        return cross(axis, h), around(S, axis)
    return scale(axis, m), cross(h, axis)


@inline
def momentum_rates(table, i, axis, turning, moments, rates):
    """Integrals of J', r x J' and r' x J over moving bodies; `turning` is the rate of change of the joint axis.

    moments : m, h and S of the bodies. rates : h' and V.
    """
    m, h, S = moments
    hd, V = rates
    if table[i, KIND] == REVOLUTE:
        back = scale(axis, like(m, -1.0))
        spread = scale(axis, V[0] + V[4] + V[8])
        f = add(cross(turning, h), cross(axis, hd))
        n = add(around(S, turning), add_product(spread, V, back))
        return f, n, add_product(spread, transposed(V), back)
    return scale(turning, m), cross(h, turning), cross(hd, axis)


@inline
def moment_of_momentum(table, i, axis, h, S):
    """Integral of J r^T, row by row, for J as in `momentum`."""
    if table[i, KIND] == REVOLUTE:
        return spun(axis, S)
    x, y, z = scale(h, axis[0]), scale(h, axis[1]), scale(h, axis[2])
    return (x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2])


@inline
def crossed(table, i, axis, a, T):
    """Integral of J x X for a velocity field X, where a is the integral of X and T that of X r^T."""
    if table[i, KIND] == REVOLUTE:
        spread = scale(axis, -(T[0] + T[4] + T[8]))
        return add_product(spread, transposed(T), axis)
    return cross(axis, a)


@inline
def spring(table, i, q):
    """Torque that holds the joint spring at q."""
    return (q - table[i, REST]) * table[i, STIFFNESS]
