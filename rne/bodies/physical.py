"""Which rigid bodies are physically possible: the only place that has this rule and its tolerance.

Every mass distribution consists of points of positive mass. Therefore, with r measured from the center of mass:

- The mass is not negative. If it is zero, the first moment is zero, too.
- The second moments S = integral of r r^T dm are positive semidefinite, since u^T S u is the integral of (u . r)^2. In
  terms of the inertia tensor I = tr(S) 1 - S, each principal moment is at most the sum of the other two (the triangle
  inequality). It follows that no principal moment is negative, that is, I is positive semidefinite as well.

Together, these conditions say that the pseudo-inertia, integral of [r, 1] [r, 1]^T dm, is positive semidefinite
(Traversaro, Brossette, Escande, Nori, "Identification of fully physical consistent inertial parameters using
optimization on manifolds", IROS 2016; Wensing, Kim, Slotine, RA-L 2018).

Callers differ only in how they treat a fault: readers refuse or report it (`rne.model.checks`), payloads and parameters
are refused, and the doctor reports it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import ZERO

Array = NDArray[np.float64]

# Tolerances for rounding. Measured over the 69 URDF files of example-robot-data 6.0:
# - 32 links in 13 files violate the triangle inequality, mostly by 20 to 100 % of the largest moment. Numbers of three
#   digits, such as those of a plate, can violate it by 0.15 %; that is rounding and is not reported.
# - Rounding does not change signs, so the tolerance for negative principal moments is much smaller.
# - iCub has moments of -5e-20 kg m^2 beside a mass of 0.5 kg: zeros with noise.
TRIANGLE_ROUNDING = 2e-3
"""Tolerated excess of the largest principal moment over the sum of the others, relative to the largest."""
MOMENT_ROUNDING = 1e-6
"""Tolerated size of a negative principal moment, relative to the largest."""
POINT_RADIUS = 1e-6
"""Radius of gyration (m) below which a body is a point mass and its moments are noise.

The same factor, relative to the distance from the origin, bounds the noise left by a tensor about the origin.
"""
EIGENVALUE_FLOOR = 1e-9
"""Smallest second moment returned by `nearest_inertia`, relative to the largest."""

MASS_NEGATIVE = "mass-negative"
INDEFINITE = "inertia-indefinite"
TRIANGLE = "inertia-triangle"
INERTIA_WITHOUT_MASS = "inertia-without-mass"
MOMENT_WITHOUT_MASS = "moment-without-mass"
CODES = (MASS_NEGATIVE, INDEFINITE, TRIANGLE, INERTIA_WITHOUT_MASS, MOMENT_WITHOUT_MASS)


@dataclass(frozen=True)
class Fault:
    """A reason why given values are not physical.

    Attributes
    ----------
    code : one of `CODES`.
    what : description for a message.
    size : size of the violation, kg, kg m or kg m^2.
    """

    code: str
    what: str
    size: float


def faults(mass: float, com: ArrayLike, inertia: ArrayLike, first_moment: ArrayLike = ZERO) -> tuple[Fault, ...]:
    """Return all reasons why these values are not physical; empty if they are physical up to rounding.

    Parameters
    ----------
    mass : kg.
    com : (3,) center of mass, m.
    inertia : (3, 3) symmetric, about the center of mass, kg m^2.
    first_moment : (3,) in addition to mass * com, kg m.

    Examples
    --------
    >>> [fault.code for fault in faults(1.0, [0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 2.0015]])]
    []
    >>> [fault.code for fault in faults(1.0, [0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 2.015]])]
    ['inertia-triangle']
    """
    center, tensor, more = (np.asarray(x, dtype=np.float64) for x in (com, inertia, first_moment))
    found = []
    if mass < 0:
        found.append(Fault(MASS_NEGATIVE, f"the mass {mass:g} kg is negative", -mass))
    if more.any():
        if mass == 0:
            numbers = ", ".join(f"{x:g}" for x in more)
            what = (
                f"the first moments ({numbers}) kg m are without a mass, so there is no center of mass; base "
                "parameters may have this form, but it is not physical"
            )
            found.append(Fault(MOMENT_WITHOUT_MASS, what, float(np.linalg.norm(more))))
        else:
            about_origin = tensor + mass * steiner(center)
            center = center + more / mass
            tensor = about_origin - mass * steiner(center)
    smallest, middle, largest = np.linalg.eigvalsh(tensor).tolist()
    moments = f"principal moments {smallest:.4g}, {middle:.4g}, {largest:.4g} kg m^2"
    size = max(-smallest, largest)
    with np.errstate(over="ignore", invalid="ignore"):  # only for extreme values
        noise = abs(mass) * POINT_RADIUS**2 * (1.0 + float(center @ center))
    excess = largest - middle - smallest
    if -smallest > MOMENT_ROUNDING * size + noise:
        what = f"the inertia is not positive semidefinite ({moments}); check the signs and the products of inertia"
        found.append(Fault(INDEFINITE, what, -smallest))
    elif excess > TRIANGLE_ROUNDING * size + noise:
        what = f"the inertia is not physical: its largest moment exceeds the sum of the other two ({moments})"
        found.append(Fault(TRIANGLE, what, excess))
    if mass == 0 and size > 0:
        found.append(Fault(INERTIA_WITHOUT_MASS, "the inertia is not zero but the mass is", size))
    return tuple(found)


def refusal(mass: float, com: ArrayLike, inertia: ArrayLike, first_moment: ArrayLike = ZERO) -> Fault | None:
    """Return the first fault for which a body is refused, or None; parameters as for `faults`.

    Inertia without mass is not refused: it is the limit of less and less mass farther and farther out, and what it
    models, such as a wheel of negligible weight, has the right torques.
    """
    found = (fault for fault in faults(mass, com, inertia, first_moment) if fault.code != INERTIA_WITHOUT_MASS)
    return next(found, None)


def about_center(mass: float, first_moment: Array, inertia: Array) -> tuple[Array, Array, Array]:
    """Convert first moments (3,) and an inertia (3, 3) about the origin to the center of mass.

    The center of mass of unphysical values, such as base parameters, may be far away or undefined. Moments about
    it would lose their digits, so in this case they are kept about the origin.

    Returns
    -------
    com, inertia, first_moment : as for `faults`; either `com` or `first_moment` is zero.

    Examples
    --------
    >>> about_center(2.0, np.array([1.0, 0, 0]), np.diag([0.0, 1.0, 1.0]))[0]
    array([0.5, 0. , 0. ])
    """
    # For a body, the trace of the tensor about the origin is at least 2 m |com|^2, and its largest entry at least a
    # third of that.
    if mass and first_moment @ first_moment <= 2 * abs(mass) * np.abs(inertia).max():
        com = first_moment / mass
        return com, inertia - mass * steiner(com), np.zeros(3)
    return np.zeros(3), inertia, first_moment


def nearest_inertia(inertia: Array) -> Array:
    """Return the nearest physical inertia (3, 3) about the center of mass; a physical inertia is returned unchanged.

    The nearest positive semidefinite S in the Frobenius norm has the same eigenvectors, with negative eigenvalues set
    to zero (Higham, "Computing a nearest symmetric positive semidefinite matrix", 1988). Here they are raised to a
    billionth of the largest instead of zero, and no rounding is tolerated, so that programs that require a positive
    definite matrix, or allow no rounding, accept the result as well.
    """
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    values, vectors = np.linalg.eigh(second)
    floor = EIGENVALUE_FLOOR * max(float(values[-1]), 0.0)
    if values[0] >= -floor:
        return inertia
    second = (vectors * values.clip(floor)) @ vectors.T
    fixed: Array = np.trace(second) * np.eye(3) - (second + second.T) / 2
    return fixed


def steiner(r: Array) -> Array:
    """-[r]x^2, the contribution of a unit mass at r (3,) to the tensor about the origin."""
    tensor: Array = r @ r * np.eye(3) - np.outer(r, r)
    return tensor
