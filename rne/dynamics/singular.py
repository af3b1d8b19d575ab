"""Singular mass matrices: which they are, and what is returned of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import Batch, Floats
from rne.errors import SingularError
from rne.model.robot import Robot

SINGULAR_CHOICES = ("raise", "nan", "least_squares")

# If a pivot of the factorized mass matrix is below this fraction of the diagonal entry it started from, it is rounding
# error, and the matrix singular. Rounding leaves about 1e-15; an arm of steel that carries a grain of sand has 1e-7.
SINGULAR = 1e-12
# The same for this fraction of the largest possible inertia at the joint: where large terms cancel, as for folded rods,
# the diagonal entry itself is rounding error. A mass almost on the axis counts as long as one of its digits is left.
ROUNDED = 1e-15


def correct(result: Floats, suspects: NDArray[np.intp], exact: Floats, batch: Batch) -> None:
    """Replace the result of some samples by what was calculated in float64.

    Raises
    ------
    SingularError
        A number is too large for float32; names the first such sample.
    """
    with np.errstate(over="ignore"):
        narrow = exact.astype(batch.dtype)
    axes = tuple(range(1, exact.ndim))
    lost = np.flatnonzero((np.isfinite(exact) & ~np.isfinite(narrow)).any(axis=axes))
    if lost.size:
        raise SingularError(
            f"{_where(batch.shape, suspects[lost[0]])}the mass matrix is so nearly singular that the result exceeds "
            "float32; give the arguments in float64"
        )
    result.reshape(batch.samples, *exact.shape[1:])[suspects] = narrow


def _where(shape: tuple[int, ...], sample: np.intp) -> str:
    """Beginning of a message about one sample of a batch."""
    return f"sample {', '.join(str(k) for k in np.unravel_index(sample, shape))}: " if shape else ""


def find_weak(
    robot: Robot, M: Floats, joints: list[int], shape: tuple[int, ...], samples: NDArray[np.intp], singular: str
) -> NDArray[np.bool_]:
    """Return which of the mass matrices (m, k, k) of some joints are singular.

    Parameters
    ----------
    robot : the robot.
    M, joints : the matrices and their joints.
    shape, samples : leading axes of the batch, and the flat indices (m,) of the samples in it.
    singular : one of `SINGULAR_CHOICES`.

    Raises
    ------
    SingularError
        One is singular, and `singular` is "raise".
    """
    weak = _weak_joint(M, _bounds(robot)[joints])
    found = np.flatnonzero(weak >= 0)
    if found.size and singular == "raise":
        count = f"; {found.size} of {math.prod(shape)} samples are singular" if shape else ""
        first, joint = _where(shape, samples[found[0]]), robot.coordinate_names[joints[weak[found[0]]]]
        raise SingularError(
            f"{first}the mass matrix is singular at joint '{joint}': it moves without moving mass, alone or together "
            f"with others; give its link an inertia or its drive a rotor, or lock it{count}"
        )
    return weak >= 0


def pseudo_inverse(M: Floats) -> Floats:
    """Pseudo-inverse of positive semidefinite matrices (m, k, k): zero in directions that move no mass."""
    return np.linalg.pinv(M, rcond=SINGULAR, hermitian=True)


def _bounds(robot: Robot) -> Floats:
    """Upper bound (n,) of the inertia at each coordinate without rotors, calculated as in the kernels."""
    links = robot.links
    return np.bincount(links.leaders, weights=links.ratios**2 * links.inertia_bounds, minlength=robot.n)


def _weak_joint(M: Floats, bounds: Floats) -> NDArray[np.intp]:
    """Return the index of the tiny pivot of each of the matrices (m, k, k); -1 for regular matrices and for NaN.

    A diagonal entry may itself be rounding error, as for two folded rods, so a pivot is also compared with the `bounds`
    (k,).
    """
    limits = SINGULAR * np.diagonal(M, axis1=1, axis2=2) + ROUNDED * bounds
    A, weak = M.copy(), np.full(len(M), -1, np.intp)
    with np.errstate(all="ignore"):
        for k in range(M.shape[1] - 1, -1, -1):
            pivot = A[:, k, k]
            weak[(weak < 0) & (pivot <= limits[:, k])] = k
            row = A[:, k, :k]
            A[:, :k, :k] -= row[:, :, None] * row[:, None, :] / pivot[:, None, None]
    return weak
