"""Which rigid bodies can exist: the one rule, and its tolerance, for all who ask.

Any distribution of mass is made of points of positive mass. Of such, with r from the center of mass:

- The mass is not negative, and is zero only where there is nothing at all: without mass, no first moment.
- The second moments S = integral of r r^T dm are positive semidefinite, as u^T S u is the integral of the square of
  u . r. In terms of the inertia tensor I = tr(S) 1 - S: each principal moment is at most the sum of the other two (the
  triangle inequality); and therefore none is negative, that is, I is positive semidefinite as well.

Together they say that the pseudo-inertia, integral of [r, 1] [r, 1]^T dm, is positive semidefinite (Traversaro,
Brossette, Escande, Nori, "Identification of fully physical consistent inertial parameters using optimization on
manifolds", IROS 2016; Wensing, Kim, Slotine, RA-L 2018).

Callers differ only in what they do about a fault: readers refuse or note it (`rne.model.checks`), payloads and
parameters are refused, the doctor reports.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import ZERO

Array = NDArray[np.float64]

# What is forgiven as rounding. Measured over the 69 URDF files of example-robot-data 6.0:
# - 32 links in 13 files break the triangle inequality, mostly by 20 to 100 % of the largest moment. Numbers of three
#   digits can break it by 0.15 %, a plate among them; that is rounding and not worth a word.
# - Rounded digits keep their sign, so negative principal moments are forgiven much less.
# - iCub has moments of -5e-20 kg m^2 beside a mass of 0.5 kg: zeros with noise.
TRIANGLE_ROUNDING = 2e-3
"""Excess of the largest principal moment over the sum of the others, as a part of the largest."""
MOMENT_ROUNDING = 1e-6
"""Negative principal moment, as a part of the largest."""
POINT_RADIUS = 1e-6
"""Radius of gyration (m) below which a body is a point and its moments are noise.

So are moments below this part of the distance from the origin, squared: what is left of a tensor about the origin.
"""
EIGENVALUE_FLOOR = 1e-9
"""Smallest second moment that `nearest_inertia` leaves, as a part of the largest."""

MASS_NEGATIVE = "mass-negative"
INDEFINITE = "inertia-indefinite"
TRIANGLE = "inertia-triangle"
INERTIA_WITHOUT_MASS = "inertia-without-mass"
MOMENT_WITHOUT_MASS = "moment-without-mass"
CODES = (MASS_NEGATIVE, INDEFINITE, TRIANGLE, INERTIA_WITHOUT_MASS, MOMENT_WITHOUT_MASS)


@dataclass(frozen=True)
class Fault:
    """Why no body has some numbers.

    Attributes
    ----------
    code : one of `CODES`.
    what : the same in words.
    size : by how much, kg, kg m or kg m^2.
    """

    code: str
    what: str
    size: float


def faults(mass: float, com: ArrayLike, inertia: ArrayLike, first_moment: ArrayLike = ZERO) -> tuple[Fault, ...]:
    """Return all reasons why no body has these numbers; none if one has, but for rounding.

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
        found.append(Fault(MASS_NEGATIVE, f"the mass {mass:g} kg is negative; no body has that", -mass))
    if more.any():
        if mass == 0:
            numbers = ", ".join(f"{x:g}" for x in more)
            what = (
                f"the first moments ({numbers}) kg m are without a mass, so there is no center of mass; base "
                "parameters may be like that (strict=False takes them), no body is"
            )
            found.append(Fault(MOMENT_WITHOUT_MASS, what, float(np.linalg.norm(more))))
        else:
            about_origin = tensor + mass * steiner(center)
            center = center + more / mass
            tensor = about_origin - mass * steiner(center)
    smallest, middle, largest = np.linalg.eigvalsh(tensor).tolist()
    moments = f"principal moments {smallest:.4g}, {middle:.4g}, {largest:.4g} kg m^2"
    size = max(-smallest, largest)
    with np.errstate(over="ignore", invalid="ignore"):  # no robot is made of such numbers anyway
        noise = abs(mass) * POINT_RADIUS**2 * (1.0 + float(center @ center))
    excess = largest - middle - smallest
    if -smallest > MOMENT_ROUNDING * size + noise:
        what = f"the inertia is not positive semidefinite ({moments}); check the signs and the products of inertia"
        found.append(Fault(INDEFINITE, what, -smallest))
    elif excess > TRIANGLE_ROUNDING * size + noise:
        what = f"no body has this inertia: its largest moment exceeds the sum of the other two ({moments})"
        found.append(Fault(TRIANGLE, what, excess))
    if mass == 0 and size > 0:
        found.append(Fault(INERTIA_WITHOUT_MASS, "the inertia is not zero but the mass is", size))
    return tuple(found)


def refusal(mass: float, com: ArrayLike, inertia: ArrayLike, first_moment: ArrayLike = ZERO) -> Fault | None:
    """Return the first fault for which numbers are refused where a body is wanted; parameters as for `faults`.

    Inertia without mass is no reason: bodies come as close to it as one likes, with ever less mass ever farther out,
    and what it stands for, a wheel whose weight does not matter, has the right torques.
    """
    found = (fault for fault in faults(mass, com, inertia, first_moment) if fault.code != INERTIA_WITHOUT_MASS)
    return next(found, None)


def about_center(mass: float, first_moment: Array, inertia: Array) -> tuple[Array, Array, Array]:
    """Turn first moments (3,) and an inertia (3, 3) about the origin into those about the center of mass.

    Numbers that no body has may have their center of mass far away or nowhere, as base parameters do. Moments about it
    would have lost their digits, so these stay about the origin.

    Returns
    -------
    com, inertia, first_moment : as `faults` wants them; one of the first and the last is zero.

    Examples
    --------
    >>> about_center(2.0, np.array([1.0, 0, 0]), np.diag([0.0, 1.0, 1.0]))[0]
    array([0.5, 0. , 0. ])
    """
    # Of a body, the trace of the tensor about the origin is at least 2 m |com|^2, its largest entry at least a third of
    # that.
    if mass and first_moment @ first_moment <= 2 * abs(mass) * np.abs(inertia).max():
        com = first_moment / mass
        return com, inertia - mass * steiner(com), np.zeros(3)
    return np.zeros(3), inertia, first_moment


def nearest_inertia(inertia: Array) -> Array:
    """Return the nearest inertia (3, 3) about the center of mass that a body can have; the same one if it can.

    The nearest positive semidefinite S in the Frobenius norm keeps the eigenvectors, and cuts negative eigenvalues off
    (Higham, "Computing a nearest symmetric positive semidefinite matrix", 1988). They are cut at a billionth of the
    largest rather than at zero, and nothing beyond that is forgiven as rounding, so that programs that demand more than
    semidefinite, or forgive nothing, are content, too.
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
    """-[r]x^2: what a unit mass at r (3,) adds to the tensor about the origin."""
    tensor: Array = r @ r * np.eye(3) - np.outer(r, r)
    return tensor
