"""Inertia tensors of simple uniform shapes about their centers, used by `rne.bodies.inertia`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import numbers
from rne.errors import ArgumentError

Array = NDArray[np.float64]


def rod(mass: float, length: float, axis: ArrayLike) -> Array:
    """Thin rod along `axis`: m l^2 / 12 about all perpendicular axes."""
    return _axial(direction(axis), 0.0, _mass(mass) * _size("length", length) ** 2 / 12)


def box(mass: float, size: ArrayLike) -> Array:
    """Box with edge lengths (3,) along x, y, z: m (b^2 + c^2) / 12 about x, and so on."""
    squares = np.array([_size("size", length) for length in numbers("size", size, (3,))]) ** 2
    return np.diag(_mass(mass) * (squares.sum() - squares) / 12)


def cylinder(mass: float, radius: float, length: float, axis: ArrayLike, inner: float) -> Array:
    """Hollow cylinder along `axis`: m (R^2 + r^2) / 2 about it, m (3 (R^2 + r^2) + l^2) / 12 perpendicular to it."""
    outer, bore = _radii(radius, inner)
    squares = outer**2 + bore**2
    whole = _mass(mass)
    across = whole * (3 * squares + _size("length", length) ** 2) / 12
    return _axial(direction(axis), whole * squares / 2, across)


def sphere(mass: float, radius: float, inner: float) -> Array:
    """Hollow sphere: 2/5 m (R^5 - r^5) / (R^3 - r^3), with R - r canceled so that thin shells work as well."""
    outer, hollow = _radii(radius, inner)
    u = hollow / outer if outer else 0.0
    return 0.4 * _mass(mass) * outer**2 * (1 + u + u**2 + u**3 + u**4) / (1 + u + u**2) * np.eye(3)


def direction(axis: ArrayLike) -> Array:
    """Unit vector along `axis`.

    Raises
    ------
    ArgumentError
        The vector is zero, or does not consist of three finite numbers.
    """
    given = numbers("axis", axis, (3,))
    length = np.linalg.norm(given)
    if length == 0:
        raise ArgumentError("axis: wanted a direction, got zero")
    unit: Array = given / length
    return unit


def _axial(unit: Array, along: float, across: float) -> Array:
    """Tensor with one moment about a unit vector and another about all perpendicular vectors."""
    return across * np.eye(3) + (along - across) * np.outer(unit, unit)


def _mass(mass: float) -> float:
    """Convert a mass, which may be negative: that of a part to be removed is."""
    return float(numbers("mass", mass, ()))


def _size(argument: str, value: ArrayLike) -> float:
    size = float(numbers(argument, value, ()))
    if size < 0:
        raise ArgumentError(f"{argument}: wanted zero or more, got {value!r}")
    return size


def _radii(radius: float, inner: float) -> tuple[float, float]:
    outer, hollow = _size("radius", radius), _size("inner", inner)
    if hollow > outer:
        raise ArgumentError(f"inner: wanted at most the radius {radius!r}, got {inner!r}")
    return outer, hollow
