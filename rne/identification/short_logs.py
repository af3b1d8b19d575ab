"""Variances under noise that is correlated in time, for logs too short to be divided into blocks.

Blocks of a few samples miss most of a correlation over several. The residual of a short log is taken as autoregressive
of first order instead, r_k = rho r_k-1 + white noise, with one number per joint (prewhitening: Andrews,
Monahan, Econometrica 60, 1992). The larger one of both variances counts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rne.identification.equations import Equations
from rne.identification.fit import Fit
from rne.identification.moments import inverse_of

Array = NDArray[np.float64]

SHORT = 2048  # samples up to which a log is short
LARGEST = 0.98  # correlation of successive samples that is believed


def autoregressive(
    rows: tuple[Array, Array, Array, Array], equations: Equations, change: Array, solution: Fit
) -> Array:
    """Return the variances (p,) under autoregressive noise, relative to those under white noise; 1 where not estimated.

    Parameters
    ----------
    rows : q, qd, qdd, tau of all samples, in the order of time.
    change : (p,) parameters minus the given ones.
    """
    q, qd, qdd, tau = rows
    kept, count, found = solution.kept, len(change), np.ones(len(change))
    rest, columns = tau - equations.torque((q, qd, qdd)), equations.columns((q, qd, qdd))
    A, B = np.zeros((2, count, count))
    for j, (Z, index) in enumerate(zip(columns, equations.index, strict=True)):
        X, weight = Z[:, :-1], solution.sd[j] ** -2.0
        r = rest[:, j] - X @ change[index]
        own = np.intersect1d(index, kept).size
        power, next_to = float(r @ r), float(r[1:] @ r[:-1])
        rho = next_to / power if power > 0 else 0.0
        # The fit takes part of slow noise off the residual: for each parameter about as much as one over the samples.
        rho = min(max(rho + (1 + rho) * own / len(r), 0.0), LARGEST)
        Y, smooth = np.zeros(X.shape[1]), np.empty_like(X)
        for k, x in enumerate(X):
            Y = rho * Y + x
            smooth[k] = Y
        both, cross = X.T @ X, X.T @ smooth
        A[np.ix_(index, index)] += weight * both
        B[np.ix_(index, index)] += weight * (cross + cross.T - both)
    inverse, B = inverse_of(A[np.ix_(kept, kept)], 1e-13), B[np.ix_(kept, kept)]
    white = np.diagonal(inverse)
    grown = np.einsum("ij,jk,ik->i", inverse, B, inverse) / np.where(white > 0, white, 1.0)
    found[kept] = np.maximum(grown, 1.0)
    return found
