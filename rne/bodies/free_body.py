"""Newton-Euler of a single free body."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.bodies.inertia import Inertia
from rne.check import together, vectors
from rne.errors import ArgumentError

Array = NDArray[np.float64]


def free_body_wrench(inertia: Inertia, w: ArrayLike, alpha: ArrayLike, acc_com: ArrayLike) -> Array:
    """Wrench required to move a free body as given: F = m a_c and N = I_c alpha + w x I_c w.

    These are the Newton-Euler equations about the center of mass. Force and moment are the resultants of everything
    that acts on the body, including its weight.

    Parameters
    ----------
    inertia : the body, in the axes in which the other vectors are given (body axes, or fixed axes at this instant).
    w, alpha : (..., 3) angular velocity, rad/s, and acceleration, rad/s^2.
    acc_com : (..., 3) acceleration of the center of mass, m/s^2.

    Returns
    -------
    wrench : (..., 6) force, N, and moment about the center of mass, N m, in the axes of the arguments. The leading axes
        are those of the vectors, broadcast against each other.

    Raises
    ------
    ArgumentError
        A vector does not have the shape (..., 3), or `inertia` is not an `Inertia`.

    Examples
    --------
    >>> import rne
    >>> top = rne.Inertia.cylinder(2.0, radius=1.0, length=3.0)
    >>> rne.free_body_wrench(top, w=[1, 0, 10], alpha=[0, 0, 0], acc_com=[0, 0, 1])
    array([ 0.,  0.,  2.,  0., 10.,  0.])
    """
    if not isinstance(inertia, Inertia):
        raise ArgumentError(f"inertia: wanted an Inertia, got {type(inertia).__name__}")
    w, alpha, acc_com = vectors("w", w), vectors("alpha", alpha), vectors("acc_com", acc_com)
    wrench = np.empty((*together(w=w, alpha=alpha, acc_com=acc_com), 6))
    wrench[..., :3] = inertia.mass * acc_com
    wrench[..., 3:] = alpha @ inertia.tensor + np.cross(w, w @ inertia.tensor)
    return wrench
