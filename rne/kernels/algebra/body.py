"""The complete body of a link, in the axes of the link: the wrench of a motion, and the kinetic energy.

With the second moments S = integral of r r^T dm about the origin, integrals over the body are products with S; the
inertia tensor is trace(S) 1 - S.
"""

from __future__ import annotations

from rne.kernels.algebra.vec import add_cross, add_product, dot
from rne.kernels.jit import inline
from rne.kernels.layout import FULL_HX, FULL_MASS, FULL_XX, FULL_XY, FULL_XZ, FULL_YY, FULL_YZ, FULL_ZZ
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.rows import get3, get6


@inline
def wrench(table, i, first, a, A):
    """Force and moment about the origin for the motion of a body; A as `motion_matrix` returns it.

    first : column of its mass, FULL_MASS or BASE_MASS.
    """
    m, h = table[i, first], get3(table, i, first + 1)
    xx, yy, zz, xy, xz, yz = get6(table, i, first + 4)
    f = add_product((a[0] * m, a[1] * m, a[2] * m), A, h)
    # The integral of r x (A r) dm from the products of the rows of A with the columns of S.
    n = (
        fma(A[6], xy, fma(A[7], yy, fma(A[8] - A[4], yz, -fma(A[3], xz, A[5] * zz)))),
        fma(A[0] - A[8], xz, fma(A[1], yz, fma(A[2], zz, -fma(A[6], xx, A[7] * xy)))),
        fma(A[3], xx, fma(A[4] - A[0], xy, fma(A[5], xz, -fma(A[1], yy, A[2] * yz)))),
    )
    return f, add_cross(n, h, a)


@inline
def kinetic_energy(table, i, w, v):
    """Kinetic energy; v is the velocity of the origin."""
    m, h = table[i, FULL_MASS], get3(table, i, FULL_HX)
    xx, yy, zz = table[i, FULL_XX], table[i, FULL_YY], table[i, FULL_ZZ]
    xy, xz, yz = table[i, FULL_XY], table[i, FULL_XZ], table[i, FULL_YZ]
    momentum = (v[0] * m, v[1] * m, v[2] * m)
    moment = (
        fma(w[0], yy + zz, -fma(w[1], xy, w[2] * xz)),
        fma(w[1], xx + zz, -fma(w[0], xy, w[2] * yz)),
        fma(w[2], xx + yy, -fma(w[0], xz, w[1] * yz)),
    )
    swing = add_cross(momentum, w, (h[0] + h[0], h[1] + h[1], h[2] + h[2]))
    return (dot(v, swing) + dot(w, moment)) * like(v[0], 0.5)
