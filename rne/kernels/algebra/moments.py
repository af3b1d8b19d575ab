"""Mass moments of moving bodies, and their rates, in base axes, about a moving origin.

r is the position of a mass element relative to the origin, r' its rate of change:

    h = integral of r dm,   S = integral of r r^T dm,   h' = integral of r' dm,   V = integral of r' r^T dm

S is stored as six numbers xx, yy, zz, xy, xz, yz, and V row by row. Moments about the same origin add over bodies.
"""

from __future__ import annotations

from rne.kernels.algebra.vec import cross
from rne.kernels.jit import inline
from rne.kernels.simd.num import fma


@inline
def turned(R, xx, yy, xy, xz, yz):
    """R S R^T, for zz = 0."""
    a = (fma(R[0], xx, fma(R[1], xy, R[2] * xz)), fma(R[0], xy, fma(R[1], yy, R[2] * yz)), fma(R[0], xz, R[1] * yz))
    b = (fma(R[3], xx, fma(R[4], xy, R[5] * xz)), fma(R[3], xy, fma(R[4], yy, R[5] * yz)), fma(R[3], xz, R[4] * yz))
    c = (fma(R[6], xx, fma(R[7], xy, R[8] * xz)), fma(R[6], xy, fma(R[7], yy, R[8] * yz)), fma(R[6], xz, R[7] * yz))
    return (
        fma(a[0], R[0], fma(a[1], R[1], a[2] * R[2])),
        fma(b[0], R[3], fma(b[1], R[4], b[2] * R[5])),
        fma(c[0], R[6], fma(c[1], R[7], c[2] * R[8])),
        fma(a[0], R[3], fma(a[1], R[4], a[2] * R[5])),
        fma(a[0], R[6], fma(a[1], R[7], a[2] * R[8])),
        fma(b[0], R[6], fma(b[1], R[7], b[2] * R[8])),
    )


@inline
def turned_fully(R, S):
    """R S R^T."""
    T = turned(R, S[0], S[1], S[3], S[4], S[5])
    x, y, z = R[2] * S[2], R[5] * S[2], R[8] * S[2]
    return (
        fma(x, R[2], T[0]), fma(y, R[5], T[1]), fma(z, R[8], T[2]),
        fma(x, R[5], T[3]), fma(x, R[8], T[4]), fma(y, R[8], T[5]),
    )  # fmt: skip


@inline
def moved(m, h, S, d):
    """Shift h and S to a new origin; d from the new to the old one: h + m d, and S + (h + m d) d^T + d h^T."""
    k = (fma(d[0], m, h[0]), fma(d[1], m, h[1]), fma(d[2], m, h[2]))
    return k, (
        fma(k[0] + h[0], d[0], S[0]),
        fma(k[1] + h[1], d[1], S[1]),
        fma(k[2] + h[2], d[2], S[2]),
        fma(k[0], d[1], fma(d[0], h[1], S[3])),
        fma(k[0], d[2], fma(d[0], h[2], S[4])),
        fma(k[1], d[2], fma(d[1], h[2], S[5])),
    )


@inline
def moved_rates(m, h, hd, V, d, dd):
    """Shift h' and V likewise, with d' = dd: h' + m d', and V + (h' + m d') d^T + d' h^T."""
    k = (fma(dd[0], m, hd[0]), fma(dd[1], m, hd[1]), fma(dd[2], m, hd[2]))
    return k, add_outer(add_outer(V, dd, h), k, d)


@inline
def add_outer(V, a, b):
    """V + a b^T."""
    return (
        fma(a[0], b[0], V[0]), fma(a[0], b[1], V[1]), fma(a[0], b[2], V[2]),
        fma(a[1], b[0], V[3]), fma(a[1], b[1], V[4]), fma(a[1], b[2], V[5]),
        fma(a[2], b[0], V[6]), fma(a[2], b[1], V[7]), fma(a[2], b[2], V[8]),
    )  # fmt: skip


@inline
def transposed(V):
    """V^T."""
    return (V[0], V[3], V[6], V[1], V[4], V[7], V[2], V[5], V[8])


@inline
def spun(w, S):
    """[w]x S, which is V of a body that rotates about the origin with angular velocity w."""
    x, y, z = cross(w, (S[0], S[3], S[4])), cross(w, (S[3], S[1], S[5])), cross(w, (S[4], S[5], S[2]))
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@inline
def around(S, v):
    """Integral of r x (v x r) dm, or tr(S) v - S v."""
    return (
        fma(S[1] + S[2], v[0], -fma(S[3], v[1], S[4] * v[2])),
        fma(S[0] + S[2], v[1], -fma(S[3], v[0], S[5] * v[2])),
        fma(S[0] + S[1], v[2], -fma(S[4], v[0], S[5] * v[1])),
    )
