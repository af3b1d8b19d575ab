"""The motion of a base that floats, from its pose over time: positions through filters, and derivatives in its axes.

The four numbers of a quaternion are filtered like positions of joints, with signs that do not jump. Of what comes out,
p with the length r, the orientation is p / r, and

    w = 2 Im(p* p') / r^2,   w' = 2 Im(p* p'') / r^2 - 2 (r' / r) w,

because p* p is real. Linear velocity and acceleration are turned into the axes of the base, where the acceleration is
the rate of the numbers of the velocity: v' = R^T x'' - w x v.

Source: Shuster, "A survey of attitude representations", Journal of the Astronautical Sciences 41 (1993), section 4, on
the rates of quaternions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rne.model.floating import OF_VELOCITY, QUATERNION
from rne.model.quaternions import conjugate, continuous, product, rotate

Array = NDArray[np.float64]

_NUMBERS = len(OF_VELOCITY)
_NONE = np.full(4, np.nan)


def steady(q: Array, last: Array = _NONE) -> Array:
    """Positions (T, nq) whose quaternions have unit length and signs that do not jump, also from `last` (4,) on."""
    q = q.astype(np.float64)
    with np.errstate(invalid="ignore"):
        q[:, QUATERNION] /= np.linalg.norm(q[:, QUATERNION], axis=1, keepdims=True)
    q[:, QUATERNION] = continuous(q[:, QUATERNION], last)
    return q


def widened(x: Array) -> Array:
    """Numbers (T, n) with a column for each of q (T, nq): that behind the base is its last once more."""
    return np.insert(x, _NUMBERS, x[:, _NUMBERS - 1], axis=1)


def narrowed(x: Array) -> Array:
    """Numbers (..., n) of those that were widened."""
    return np.delete(x, _NUMBERS, axis=-1)


def moved(q: Array, rate: Array, second: Array) -> tuple[Array, Array, Array]:
    """Return q (T, nq), qd (T, n) and qdd (T, n) of filtered positions and their derivatives, (T, nq) each."""
    p, dp, ddp = (x[:, QUATERNION] for x in (q, rate, second))
    r = np.linalg.norm(p, axis=1, keepdims=True)
    unit = p / r
    w = 2.0 * product(conjugate(p), dp)[:, :3] / r**2
    growth = (p * dp).sum(axis=1, keepdims=True) / r**2
    wd = 2.0 * product(conjugate(p), ddp)[:, :3] / r**2 - 2.0 * growth * w
    v = rotate(conjugate(unit), rate[:, :3])
    vd = rotate(conjugate(unit), second[:, :3]) - np.cross(w, v)
    made = q.copy()
    made[:, QUATERNION] = unit
    behind = slice(QUATERNION.stop, None)
    return made, np.hstack([v, w, rate[:, behind]]), np.hstack([vd, wd, second[:, behind]])


def noise_of_rates(noise: Array) -> Array:
    """Noise (n,) of accelerations, from that (nq,) of the second derivatives of positions."""
    turning = 2.0 * np.sqrt(np.mean(noise[QUATERNION] ** 2))
    linear = np.sqrt(np.mean(noise[:3] ** 2))  # the axes of the base may point anywhere
    return np.concatenate([np.full(3, linear), np.full(3, turning), noise[QUATERNION.stop :]])
