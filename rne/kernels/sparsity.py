"""Where the factors of a mass matrix are not zero, which depends on the tree alone, and solutions that use it.

Source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), section 6.5. Two joints share an entry of the mass matrix
if one is between the other and the base; a base that floats shares one with all. If coordinates are not in the order of
the tree, elimination fills in more.
"""

from __future__ import annotations

from rne.kernels import base
from rne.kernels.jit import inline
from rne.kernels.layout import COORDINATES, FOLLOWS, LEADER, LINKS, MIMIC, PARENT
from rne.kernels.simd.num import fma, like


@inline
def branches(table):
    """Whether the robot is not one chain."""
    for i in range(2, int(table[0, LINKS]) + 1):  # noqa: SIM110  numba compiles no generators
        if table[i, FOLLOWS] == 0.0:
            return True
    return False


@inline
def pattern_size(table):
    """Number of scalars in a pattern."""
    n = int(table[0, COORDINATES])
    return 2 * n * (n + 1)


@inline
def fill_pattern(table, pattern):
    """Fill lists of the entries of the factor L, a strictly lower triangle, that are not zero.

    pattern : (2 n, n + 1) scalars. A row begins with the length of its list: row k lists the columns of row k of L, and
    row n + k the rows of column k, from the last on. Chains and robots with mimic joints have a full triangle.
    """
    n = int(table[0, COORDINATES])
    full = table[0, MIMIC] != 0.0 or not branches(table)
    for k in range(n):
        pattern[k, 0] = pattern[n + k, 0] = 0.0
        for j in range(k):
            pattern[k, 1 + j] = 1.0 if full else 0.0
    if not full:
        for i in range(1, int(table[0, LINKS]) + 1):
            a, p = int(table[i, LEADER]), int(table[i, PARENT])
            while p > 0:
                b = int(table[p, LEADER])
                pattern[max(a, b), 1 + min(a, b)] = 1.0
                p = int(table[p, PARENT])
        if base.floats(table):
            for k in range(n):
                for j in range(min(k, 6)):
                    pattern[k, 1 + j] = 1.0
        for k in range(n - 1, 0, -1):
            for i in range(k):
                if pattern[k, 1 + i] != 0.0:
                    for j in range(i):
                        if pattern[k, 1 + j] != 0.0:
                            pattern[i, 1 + j] = 1.0
    for k in range(n - 1, -1, -1):
        for j in range(k):
            if pattern[k, 1 + j] != 0.0:
                count = int(pattern[n + j, 0]) + 1
                pattern[n + j, 0], pattern[n + j, count] = count, k
                count = int(pattern[k, 0]) + 1
                pattern[k, 0], pattern[k, count] = count, j


@inline
def solve_negative(A, X, stop, pattern):
    """Replace matrices B (n, n), one below the other in rows 0 to `stop` of X, by the solutions of A Y = -B.

    A : the factors of a positive definite matrix, as `cholesky.factor` leaves them. Whole rows are the inner loop: with
    a few columns at a time the walk through short lists took three times as long as the multiply-adds.
    """
    n = X.shape[1]
    for row in range(n - 1, -1, -1):
        _subtract(A, X, stop, pattern, row, n + row)
    for row in range(n):
        scale = -A[row, row]
        for there in range(row, stop, n):
            for c in range(n):
                X[there, c] = X[there, c] * scale
        _subtract(A, X, stop, pattern, row, row)


@inline
def _subtract(A, X, stop, pattern, row, listed):
    """Subtract from a row of every matrix in X the other rows times the factors of a list, two at a time."""
    n, count = X.shape[1], int(pattern[listed, 0])
    for m in range(1, count, 2):
        k, j = int(pattern[listed, m]), int(pattern[listed, m + 1])
        a, b = -_factor(A, row, k), -_factor(A, row, j)
        for first in range(0, stop, n):
            for c in range(n):
                X[first + row, c] = fma(a, X[first + k, c], fma(b, X[first + j, c], X[first + row, c]))
    if count % 2 == 1:
        k = int(pattern[listed, count])
        a = -_factor(A, row, k)
        for first in range(0, stop, n):
            for c in range(n):
                X[first + row, c] = fma(a, X[first + k, c], X[first + row, c])


@inline
def _factor(A, i, k):
    """The factor of two rows, from the lower triangle."""
    return A[max(i, k), min(i, k)]


@inline
def inverse(A, X, first, pattern):
    """Fill rows `first` to `first + n` of X with the inverse Z of the matrix with factors A, exactly symmetric.

    L Z = D^-1 L^-T, whose right-hand side is upper triangular: so the rows of the lower triangle of Z follow from those
    before them (Takahashi, Fagan and Chin 1973).
    """
    n = X.shape[1]
    for row in range(n):
        there, count = first + row, int(pattern[row, 0])
        for c in range(row):
            X[there, c] = like(A[0, 0], 0.0)
        for m in range(1, count + 1):
            k = int(pattern[row, m])
            a = -A[row, k]
            for c in range(row):
                X[there, c] = fma(a, X[first + k, c], X[there, c])
        last = A[row, row]
        for m in range(1, count + 1):
            k = int(pattern[row, m])
            last = fma(-A[row, k], X[there, k], last)
        X[there, row] = last
        for c in range(row):
            X[first + c, row] = X[there, c]
