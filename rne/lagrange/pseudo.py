"""The 4x4 pseudo-inertia of a body, and its sign conventions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import numbers, symmetric
from rne.errors import ArgumentError
from rne.model.tree import Body

Array = NDArray[np.float64]


def inertia_to_pseudo(mass: float, com: ArrayLike, inertia: ArrayLike) -> Array:
    """Pseudo-inertia J = integral of r r^T dm, r = [x, y, z, 1], about the origin of the frame (Paul 1981, chapter 6).

    The signs of the products differ: an off-diagonal element of J is + integral of x y dm, that of an inertia tensor
    (and `ixy` of URDF) is - integral of x y dm. The diagonal of J has the integral of x^2 dm, that of the tensor
    (y^2 + z^2) dm.

    Parameters
    ----------
    mass : kg.
    com : (3,) center of mass in the axes of the frame, m.
    inertia : (3, 3) inertia tensor about the center of mass, in the axes of the frame, kg m^2.

    Returns
    -------
    J : (4, 4) symmetric. Upper left: second moments, kg m^2; last column: first moments, kg m; last element: mass, kg.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, is not finite, or is not symmetric.

    Examples
    --------
    A thin rod along x with one end at the origin: m l^2 / 3 as the first element, all other second moments zero.

    >>> inertia_to_pseudo(3.0, [1.0, 0.0, 0.0], np.diag([0.0, 1.0, 1.0]))
    array([[4., 0., 0., 3.],
           [0., 0., 0., 0.],
           [0., 0., 0., 0.],
           [3., 0., 0., 3.]])
    """
    m = float(numbers("mass", mass, ()))
    c, tensor = numbers("com", com, (3,)), symmetric("inertia", inertia, 3)
    J = np.zeros((4, 4))
    # Tr(I) / 2 is the integral of x^2 + y^2 + z^2; subtracting the tensor leaves x^2, y^2, z^2 and flips the signs.
    J[:3, :3] = np.trace(tensor) / 2 * np.eye(3) - tensor + m * np.outer(c, c)
    J[:3, 3] = J[3, :3] = m * c
    J[3, 3] = m
    return J


def pseudo_to_inertia(pseudo: ArrayLike) -> tuple[float, Array, Array]:
    """Mass, center of mass and inertia tensor of a pseudo-inertia; the inverse of `inertia_to_pseudo`.

    Parameters
    ----------
    pseudo : (4, 4) as returned by `inertia_to_pseudo`: products with the sign + integral of x y dm.

    Returns
    -------
    mass : kg.
    com : (3,) center of mass, m; zero for a body without mass.
    inertia : (3, 3) tensor about the center of mass, kg m^2: products with the sign - integral of x y dm.

    Raises
    ------
    ArgumentError
        `pseudo` is not a symmetric 4x4 matrix of finite numbers, or has first moments but no mass.

    Examples
    --------
    >>> mass, com, inertia = pseudo_to_inertia([[4, 0, 0, 3], [0, 0, 0, 0], [0, 0, 0, 0], [3, 0, 0, 3]])
    >>> mass, com, np.diag(inertia)
    (3.0, array([1., 0., 0.]), array([0., 1., 1.]))
    """
    J = symmetric("pseudo", pseudo, 4)
    mass, first = float(J[3, 3]), J[:3, 3]
    if mass == 0 and first.any():
        raise ArgumentError(f"pseudo: first moments {first.tolist()} without a mass define no center of mass")
    com = first / mass if mass else np.zeros(3)
    central = J[:3, :3] - mass * np.outer(com, com)
    return mass, com, np.trace(central) * np.eye(3) - central


def pseudo_inertia(body: Body) -> Array:
    """Pseudo-inertia of a body of the tree, about the origin of its own frame.

    Parameters
    ----------
    body : of `robot.tree.bodies`.

    Returns
    -------
    J : (4, 4) as in `inertia_to_pseudo`, which also documents source and signs.

    Raises
    ------
    ArgumentError
        A number of the body is not finite.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> pseudo_inertia(arm.tree.bodies[-1])[0].round(4)
    array([ 0.3328,  0.    ,  0.    , -0.5   ])
    """
    if not isinstance(body, Body):
        raise ArgumentError(f"body: wanted one of robot.tree.bodies, got {type(body).__name__}")
    J = inertia_to_pseudo(body.mass, body.com, body.inertia)
    first = numbers("first_moment", body.first_moment, (3,))
    J[:3, 3] += first
    J[3, :3] += first
    return J
