"""3-vectors as tuples of numbers, floats or packs, with fused multiply-adds.

`turn_z(v, c, s)` and `turn_x` are `R^T v`: from the axes of a parent to those of a child that is rotated by the angle
with cosine c and sine s; `turn` takes a full rotation matrix. `unturn`, `unturn_*` are `R v`, from child to parent.
"""

from __future__ import annotations

from rne.kernels.jit import inline
from rne.kernels.simd.num import fma


@inline
def add(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inline
def scale(a, x):
    """x a."""
    return (a[0] * x, a[1] * x, a[2] * x)


@inline
def cross(a, b):
    """a x b."""
    return (
        fma(a[1], b[2], -(a[2] * b[1])),
        fma(a[2], b[0], -(a[0] * b[2])),
        fma(a[0], b[1], -(a[1] * b[0])),
    )


@inline
def add_scaled(v, a, x):
    """v + a x."""
    return (fma(a[0], x, v[0]), fma(a[1], x, v[1]), fma(a[2], x, v[2]))


@inline
def subtract(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inline
def dot(a, b):
    """a . b."""
    return fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]))


@inline
def turn_z(v, c, s):
    """Rz^T v."""
    return (fma(v[0], c, v[1] * s), fma(v[1], c, -(v[0] * s)), v[2])


@inline
def unturn_z(v, c, s):
    """Rz v."""
    return (fma(v[0], c, -(v[1] * s)), fma(v[1], c, v[0] * s), v[2])


@inline
def turn_x(v, c, s):
    """Rx^T v."""
    return (v[0], fma(v[1], c, v[2] * s), fma(v[2], c, -(v[1] * s)))


@inline
def unturn_x(v, c, s):
    """Rx v."""
    return (v[0], fma(v[1], c, -(v[2] * s)), fma(v[2], c, v[1] * s))


@inline
def turn(v, R):
    """R^T v, for the nine numbers R of a rotation."""
    return (
        fma(R[0], v[0], fma(R[3], v[1], R[6] * v[2])),
        fma(R[1], v[0], fma(R[4], v[1], R[7] * v[2])),
        fma(R[2], v[0], fma(R[5], v[1], R[8] * v[2])),
    )


@inline
def unturn(v, R):
    """R v."""
    return (
        fma(R[0], v[0], fma(R[1], v[1], R[2] * v[2])),
        fma(R[3], v[0], fma(R[4], v[1], R[5] * v[2])),
        fma(R[6], v[0], fma(R[7], v[1], R[8] * v[2])),
    )


@inline
def add_cross(v, a, b):
    """v + a x b. v is added last, because in a recursion it is the value that is available last."""
    return (
        v[0] + fma(a[1], b[2], -(a[2] * b[1])),
        v[1] + fma(a[2], b[0], -(a[0] * b[2])),
        v[2] + fma(a[0], b[1], -(a[1] * b[0])),
    )


@inline
def plus_cross(v, a, b):
    """v + a x b in six multiply-adds instead of nine operations, for sums that do not wait for v."""
    return (
        fma(a[1], b[2], fma(-a[2], b[1], v[0])),
        fma(a[2], b[0], fma(-a[0], b[2], v[1])),
        fma(a[0], b[1], fma(-a[1], b[0], v[2])),
    )


@inline
def motion_matrix(w, wd):
    """A = [wd]x + [w]x [w]x, row by row: `A r` is the acceleration of point r of a body relative to its origin."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return (
        -(yy + zz), xy - wd[2], xz + wd[1],
        xy + wd[2], -(xx + zz), yz - wd[0],
        xz - wd[1], yz + wd[0], -(xx + yy),
    )  # fmt: skip


@inline
def add_product(v, A, r):
    """v + A r, for the nine numbers A of a matrix; v is added last."""
    return (
        v[0] + fma(A[0], r[0], fma(A[1], r[1], A[2] * r[2])),
        v[1] + fma(A[3], r[0], fma(A[4], r[1], A[5] * r[2])),
        v[2] + fma(A[6], r[0], fma(A[7], r[1], A[8] * r[2])),
    )
