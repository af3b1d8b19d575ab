"""The acceleration of a base that floats, from its articulated inertia: six linear equations."""

from __future__ import annotations

from rne.kernels import base
from rne.kernels.algebra.inertia import add6, add9
from rne.kernels.algebra.vec import subtract
from rne.kernels.cholesky import factor, solve
from rne.kernels.jit import borrowing
from rne.kernels.layout import BASE_ANGULAR, BASE_LINEAR, FORCE, MOMENT, TAU
from rne.kernels.simd.num import like
from rne.kernels.simd.rows import get3, get6, get9, put


@borrowing
def accelerate_base(table, state, work, column, A, x):
    """Replace force and moment on the base, which begin row TAU, by its acceleration, wd and a, also in `work`.

    work : of row 0, J, B and M of the links from `column` on, as in `algebra.inertia`, and force and moment that they
    need besides. A : (6, 6) and x : (2, 6) scratch. Returns one bit per lane: whether a pivot is tiny.
    """
    J, B, M = get6(work, 0, column), get9(work, 0, column + 6), get6(work, 0, column + 15)
    f, n = get3(work, 0, FORCE), get3(work, 0, MOMENT)
    m, h, S = base.moments(table, f[0])
    zero = like(m, 0.0)
    J = add6(J, base.moments_of_inertia(S))
    B = add9(B, (zero, -h[2], h[1], h[2], zero, -h[0], -h[1], h[0], zero))
    M = add6(M, (m, m, m, zero, zero, zero))
    put(A, 0, 0, (M[0], M[3], M[4], B[0], B[3], B[6]))
    put(A, 1, 0, (M[3], M[1], M[5], B[1], B[4], B[7]))
    put(A, 2, 0, (M[4], M[5], M[2], B[2], B[5], B[8]))
    put(A, 3, 0, (B[0], B[1], B[2], J[0], J[3], J[4]))
    put(A, 4, 0, (B[3], B[4], B[5], J[3], J[1], J[5]))
    put(A, 5, 0, (B[6], B[7], B[8], J[4], J[5], J[2]))
    put(x, 0, 0, subtract(get3(state, TAU, BASE_LINEAR), f))
    put(x, 0, 3, subtract(get3(state, TAU, BASE_ANGULAR), n))
    put(x, 1, 0, (zero, zero, zero, zero, zero, zero))  # no bounds besides the diagonal
    suspect = factor(A, x, 6)
    solve(A, x, 6)
    a, wd = get3(x, 0, 0), get3(x, 0, 3)
    base.store_wrench(state, a, wd)
    put(work, 0, column, wd)
    put(work, 0, column + 3, a)
    return suspect
