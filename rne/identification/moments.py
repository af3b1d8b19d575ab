"""Sums of products of regressor rows and torques, joint by joint, in blocks of consecutive samples.

Everything that a linear identification says follows from such sums: the estimate for any weights of the joints, the
residual of any parameters, and from the differences between the blocks, what correlated noise does to the estimate and
how well data predict what they were not fitted to. The number of blocks is bounded; full storage merges neighbors.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]

ALONE = 260_000  # multiplications up to which OpenBLAS uses one thread
MOST = 64  # blocks that are kept; merged in pairs when there are more
SUMS = 5  # of each joint: torques, their squares, squares of clipped residuals, samples not clipped, weights
TORQUE, TORQUE_SQUARES, CLIPPED_SQUARES, INSIDE, WEIGHTS = range(SUMS)


class Moments:
    """Moments of rows [X, y] of each joint, summed over blocks of consecutive samples.

    Parameters
    ----------
    index : of each joint, which parameters the columns of its X belong to.
    """

    def __init__(self, index: Sequence[Index]) -> None:
        self.index = tuple(index)
        self.counts: list[int] = []
        self.grams: list[Array] = []  # of each block: those of all joints, one after the other
        self.sums: list[Array] = []  # of each block, (n, SUMS)
        self.ends = np.cumsum([0, *((len(columns) + 1) ** 2 for columns in self.index)])
        self.length = 1  # samples of a block

    @property
    def samples(self) -> int:
        """Number of samples."""
        return sum(self.counts)

    @property
    def room(self) -> int:
        """Number of samples that the open block still takes."""
        return self.length - self.counts[-1] if self.counts else 0

    def begin(self) -> None:
        """Begin a new block; merge neighbors if there are too many."""
        if len(self.counts) == MOST:
            self.counts = [a + b for a, b in zip(self.counts[::2], self.counts[1::2], strict=True)]
            self.grams = [a + b for a, b in zip(self.grams[::2], self.grams[1::2], strict=True)]
            self.sums = [a + b for a, b in zip(self.sums[::2], self.sums[1::2], strict=True)]
            self.length *= 2
        self.counts.append(0)
        self.grams.append(np.zeros(self.ends[-1]))
        self.sums.append(np.zeros((len(self.index), SUMS)))

    def add(self, samples: int, gram: Array, sums: Array) -> None:
        """Add samples to the open block: their moments, as `products` gives them, and sums (n, SUMS)."""
        self.counts[-1] += samples
        self.grams[-1] += gram
        self.sums[-1] += sums

    def products(self, rows: Sequence[Array]) -> Array:
        """Moments of samples, of each joint [X, y], (samples, columns + 1)."""
        return np.concatenate([gram(Z).ravel() for Z in rows])

    def of_joints(self, gram: Array) -> list[Array]:
        """Matrices (columns + 1, columns + 1) of the joints, of the moments of a block or of several together."""
        parts = zip(self.index, pairwise(self.ends), strict=True)
        return [gram[first:stop].reshape(len(columns) + 1, -1) for columns, (first, stop) in parts]

    def total(self) -> Array:
        """Moments of all samples."""
        found: Array = np.sum(self.grams, axis=0)
        return found

    def merged(self, groups: int) -> list[Array]:
        """Moments of at most so many groups of neighboring blocks of about equal size."""
        groups = min(groups, len(self.grams))
        centers = np.cumsum(self.counts) - 0.5 * np.array(self.counts)
        number = np.minimum((centers * groups / max(self.samples, 1)).astype(int), groups - 1)
        of_groups = (
            [gram for gram, k in zip(self.grams, number, strict=True) if k == group] for group in range(groups)
        )
        return [np.sum(grams, axis=0) for grams in of_groups if grams]

    def normal(self, gram: Array, weights: Array, count: int) -> tuple[Array, Array]:
        """Normal equations (count, count), (count,) of all joints together; `weights` (n,) are 1 / sd^2."""
        A, g = np.zeros((count, count)), np.zeros(count)
        for columns, G, weight in zip(self.index, self.of_joints(gram), weights, strict=True):
            A[np.ix_(columns, columns)] += weight * G[:-1, :-1]
            g[columns] += weight * G[:-1, -1]
        return A, g

    def squares(self, gram: Array, change: Array) -> Array:
        """Sum of squares of y - X change of each joint, (n,)."""
        return squares(self.index, self.of_joints(gram), change)


def gram(Z: Array) -> Array:
    """Return Z^T Z, in products so small that the linear algebra library leaves them to one thread.

    Its threads take longer to start than a product takes: 17 us a sample of seven joints instead of 0.3. A product of
    a matrix and its own transpose takes half of the multiplications.
    """
    count = Z.shape[1]
    rows = max(8, ALONE // (count * (count + 1)))
    found = np.zeros((count, count))
    for begin in range(0, len(Z), rows):
        part = Z[begin : begin + rows]
        found += part.T @ part
    return found


def squares(index: Sequence[Index], grams: Sequence[Array], change: Array) -> Array:
    """Sum of squares of y - X change of each joint, (n,), from the moments of the joints."""
    found = []
    for columns, G in zip(index, grams, strict=True):
        z = np.append(-change[columns], 1.0)
        found.append(max(float(z @ G @ z), 0.0))
    return np.array(found)


def inverse_of(A: Array, rcond: float) -> Array:
    """Return the pseudo-inverse of normal equations, found with columns of length 1."""
    length = np.sqrt(np.maximum(np.diagonal(A), np.finfo(float).tiny))
    scale = np.outer(length, length)
    return np.asarray(np.linalg.pinv(A / scale, rcond=rcond, hermitian=True) / scale)
