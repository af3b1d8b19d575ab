"""Composite and articulated inertias, and their transformation from a link to its parent.

A symmetric matrix is stored as six numbers: xx, yy, zz, xy, xz, yz.

A composite consists of bodies that move as one rigid body: mass m, first moments h, second moments S (integral of
r r^T dm), about the origin of a frame. An articulated inertia (Featherstone 2008, section 7.1) relates wrench and
acceleration of bodies whose joints are free to move: moment n = J wd + B a and force f = B^T wd + M a, with J and M
symmetric.
"""

from __future__ import annotations

from rne.kernels.algebra.vec import unturn_x, unturn_z
from rne.kernels.jit import inline
from rne.kernels.joint import slide_articulated, slide_composite
from rne.kernels.layout import COS_ALPHA, COS_TURN, HAS_TURN, PX, SIN_ALPHA, SIN_TURN
from rne.kernels.simd.num import fma
from rne.kernels.simd.rows import get3


@inline
def add6(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@inline
def scale6(a, x):
    """x a."""
    return (a[0] * x, a[1] * x, a[2] * x, a[3] * x, a[4] * x, a[5] * x)


@inline
def add9(a, b):
    """a + b."""
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2],
        a[3] + b[3], a[4] + b[4], a[5] + b[5],
        a[6] + b[6], a[7] + b[7], a[8] + b[8],
    )  # fmt: skip


@inline
def unturn_z_symmetric(S, c, s):
    """Rz S Rz^T, in seven multiplications instead of twelve."""
    e = fma(s, S[0] - S[1], c * (S[3] + S[3]))
    return (
        fma(-s, e, S[0]), fma(s, e, S[1]), S[2],
        fma(c, e, -S[3]), fma(c, S[4], -(s * S[5])), fma(s, S[4], c * S[5]),
    )  # fmt: skip


@inline
def unturn_x_symmetric(S, c, s):
    """Rx S Rx^T."""
    e = fma(s, S[1] - S[2], c * (S[5] + S[5]))
    return (
        S[0], fma(-s, e, S[1]), fma(s, e, S[2]),
        fma(c, S[3], -(s * S[4])), fma(s, S[3], c * S[4]), fma(c, e, -S[5]),
    )  # fmt: skip


@inline
def unturn_z_matrix(B, c, s):
    """Rz B Rz^T; the antisymmetric part of the rotated block does not change."""
    e = fma(s, B[0] - B[4], c * (B[1] + B[3]))
    return (
        fma(-s, e, B[0]), fma(c, e, -B[3]), fma(c, B[2], -(s * B[5])),
        fma(c, e, -B[1]), fma(s, e, B[4]), fma(s, B[2], c * B[5]),
        fma(c, B[6], -(s * B[7])), fma(s, B[6], c * B[7]), B[8],
    )  # fmt: skip


@inline
def unturn_x_matrix(B, c, s):
    """Rx B Rx^T."""
    e = fma(s, B[4] - B[8], c * (B[5] + B[7]))
    return (
        B[0], fma(c, B[1], -(s * B[2])), fma(s, B[1], c * B[2]),
        fma(c, B[3], -(s * B[6])), fma(-s, e, B[4]), fma(c, e, -B[7]),
        fma(s, B[3], c * B[6]), fma(c, e, -B[5]), fma(s, e, B[8]),
    )  # fmt: skip


@inline
def composite_to_parent(table, i, m, h, S, c, s, q):
    """Transform the composite of link i to the origin and the axes of its parent."""
    h, S = slide_composite(table, i, m, h, S, q)
    h, S = unturn_z(h, c, s), unturn_z_symmetric(S, c, s)
    ca, sa = table[i, COS_ALPHA], table[i, SIN_ALPHA]
    h, S = unturn_x(h, ca, sa), unturn_x_symmetric(S, ca, sa)
    if table[i, HAS_TURN] != 0.0:
        ct, st = table[i, COS_TURN], table[i, SIN_TURN]
        h, S = unturn_z(h, ct, st), unturn_z_symmetric(S, ct, st)
    p = get3(table, i, PX)
    g = (fma(m, p[0], h[0]), fma(m, p[1], h[1]), fma(m, p[2], h[2]))
    S = (
        fma(h[0] + g[0], p[0], S[0]), fma(h[1] + g[1], p[1], S[1]), fma(h[2] + g[2], p[2], S[2]),
        fma(h[0], p[1], fma(g[1], p[0], S[3])),
        fma(h[0], p[2], fma(g[2], p[0], S[4])),
        fma(h[1], p[2], fma(g[2], p[1], S[5])),
    )  # fmt: skip
    return g, S


@inline
def less_product(J, B, M, f, n, unit_f, unit_n):
    """Subtract from an articulated inertia the outer product of (f, n) and (unit_f, unit_n)."""
    J = (
        fma(-n[0], unit_n[0], J[0]), fma(-n[1], unit_n[1], J[1]), fma(-n[2], unit_n[2], J[2]),
        fma(-n[0], unit_n[1], J[3]), fma(-n[0], unit_n[2], J[4]), fma(-n[1], unit_n[2], J[5]),
    )  # fmt: skip
    B = (
        fma(-n[0], unit_f[0], B[0]), fma(-n[0], unit_f[1], B[1]), fma(-n[0], unit_f[2], B[2]),
        fma(-n[1], unit_f[0], B[3]), fma(-n[1], unit_f[1], B[4]), fma(-n[1], unit_f[2], B[5]),
        fma(-n[2], unit_f[0], B[6]), fma(-n[2], unit_f[1], B[7]), fma(-n[2], unit_f[2], B[8]),
    )  # fmt: skip
    M = (
        fma(-f[0], unit_f[0], M[0]), fma(-f[1], unit_f[1], M[1]), fma(-f[2], unit_f[2], M[2]),
        fma(-f[0], unit_f[1], M[3]), fma(-f[0], unit_f[2], M[4]), fma(-f[1], unit_f[2], M[5]),
    )  # fmt: skip
    return J, B, M


@inline
def articulated_to_parent(table, i, J, B, M, c, s, q):
    """Transform the articulated inertia of link i to the origin and the axes of its parent."""
    J, B = slide_articulated(table, i, J, B, M, q)
    J, B, M = unturn_z_symmetric(J, c, s), unturn_z_matrix(B, c, s), unturn_z_symmetric(M, c, s)
    ca, sa = table[i, COS_ALPHA], table[i, SIN_ALPHA]
    J, B, M = unturn_x_symmetric(J, ca, sa), unturn_x_matrix(B, ca, sa), unturn_x_symmetric(M, ca, sa)
    if table[i, HAS_TURN] != 0.0:
        ct, st = table[i, COS_TURN], table[i, SIN_TURN]
        J, B, M = unturn_z_symmetric(J, ct, st), unturn_z_matrix(B, ct, st), unturn_z_symmetric(M, ct, st)
    # With p, the position in the frame of the parent: C = B + [p]x M and J + [p]x B^T - C [p]x.
    x, y, z = get3(table, i, PX)
    C = (
        fma(M[4], y, fma(M[3], -z, B[0])), fma(M[5], y, fma(M[1], -z, B[1])), fma(M[2], y, fma(M[5], -z, B[2])),
        fma(M[0], z, fma(M[4], -x, B[3])), fma(M[3], z, fma(M[5], -x, B[4])), fma(M[4], z, fma(M[2], -x, B[5])),
        fma(M[3], x, fma(M[0], -y, B[6])), fma(M[1], x, fma(M[3], -y, B[7])), fma(M[5], x, fma(M[4], -y, B[8])),
    )  # fmt: skip
    J = (
        fma(B[2] + C[2], y, fma(B[1] + C[1], -z, J[0])),
        fma(B[3] + C[3], z, fma(B[5] + C[5], -x, J[1])),
        fma(B[7] + C[7], x, fma(B[6] + C[6], -y, J[2])),
        fma(B[5], y, fma(C[2], -x, fma(C[0] - B[4], z, J[3]))),
        fma(B[7], -z, fma(C[1], x, fma(B[8] - C[0], y, J[4]))),
        fma(B[6], z, fma(C[3], -y, fma(C[4] - B[8], x, J[5]))),
    )
    return J, C, M
