"""Symmetric positive definite matrices as L^T D L with unit lower triangular L: factors, solutions, inverses.

Source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), section 6.5, without its use of the zeros. It starts from
the last row, at the tips of a robot, so a pivot is the inertia seen by a joint while the joints beyond it are free to
move; the articulated-body algorithm divides by the same numbers.
"""

from __future__ import annotations

from rne.kernels.jit import inline
from rne.kernels.simd.num import all_zero, by_precision, fma, lanes_below, like


@inline
def tiny(x, scale):
    """Bound below which an inertia of size `scale` is rounding error: reliable in float64, a first test in float32."""
    return fma(scale, by_precision(x, 1e-12, 1e-5), by_precision(x, 1e-300, 1e-37))


@inline
def mark(suspects, bits, first, count):
    """Set `suspects[first:first + count]` to 1 where the bit of the lane is set."""
    if bits != 0:
        for lane in range(count):
            if (bits >> lane) & 1:
                suspects[first + lane] = 1


@inline
def factor(A, spare, n):
    """Replace the lower triangle of A (n, n) by the factors, the diagonal by 1 / D.

    spare : (2, n), whose row 1 holds an upper bound of each diagonal entry; it is overwritten. Returns one bit per
    lane: whether a pivot is tiny relative to the diagonal entry that it started from, or relative to a thousandth of
    the bound; the matrix is then numerically singular. NaN does not count as tiny. The diagonal entry itself can
    suffer from cancellation, for example when rods are folded together; in float64 such an entry is accepted until it
    is all rounding error, hence a thousandth of the bound.
    """
    singular = 0
    for k in range(n):
        spare[1, k] = fma(spare[1, k], by_precision(A[k, k], 1e-3, 1.0), A[k, k])
    for k in range(n - 1, -1, -1):
        pivot = A[k, k]
        singular |= lanes_below(pivot, tiny(pivot, spare[1, k]))
        inverse = like(pivot, 1.0) / pivot
        A[k, k] = inverse
        for i in range(k - 1, -1, -1):
            if all_zero(A[k, i]):
                continue
            a = A[k, i] * inverse
            for j in range(i + 1):
                A[i, j] = fma(-a, A[k, j], A[i, j])
            A[k, i] = a
    return singular


@inline
def solve(A, x, n):
    """Replace row 0 of x by the solution of A y = x, given the factors of A."""
    solve_transposed(A, x, 0, n)
    solve_rest(A, x, 0, n)


@inline
def solve_rest(A, x, i, n):
    """Replace row i of x by L^-1 D^-1 x, given the factors of A = L^T D L."""
    for k in range(n):
        y = x[i, k] * A[k, k]
        for j in range(k):
            y = fma(-A[k, j], x[i, j], y)
        x[i, k] = y


@inline
def solve_transposed(A, x, i, n):
    """Replace row i of x by L^-T x, given the factors of A = L^T D L."""
    for k in range(n - 1, 0, -1):
        if all_zero(x[i, k]):
            continue
        for j in range(k):
            x[i, j] = fma(-A[k, j], x[i, k], x[i, j])


@inline
def invert(A, n):
    """Replace the factors by the inverse, N D^-1 N^T with N = L^-1; both triangles.

    N replaces L, row by row; then the product replaces N, from the last row on.
    """
    for i in range(n):
        for j in range(i):
            y = A[i, j]
            for k in range(j + 1, i):
                y = fma(A[i, k], A[k, j], y)
            A[i, j] = -y
    for i in range(n - 1, -1, -1):
        for j in range(i, -1, -1):
            y = like(A[i, i], 0.0)
            for k in range(j):
                y = fma(A[i, k] * A[k, k], A[j, k], y)
            last = A[j, j]
            if i != j:
                last = A[i, j] * last
            A[i, j] = last + y
            A[j, i] = last + y
