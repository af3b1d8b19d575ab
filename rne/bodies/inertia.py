"""Inertia of rigid bodies: simple shapes, their composition and their transformation.

Two matrices describe the second moments of a body, and their off-diagonal entries differ in sign. The inertia TENSOR
has - integral of x y dm off the diagonal and integral of y^2 + z^2 dm on it; `ixy` of a robot file is an entry of the
tensor. The PSEUDO-INERTIA has + integral of x y dm off the diagonal and integral of x^2 dm on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.bodies import shapes
from rne.bodies.physical import faults, steiner
from rne.check import IDENTITY, ZERO, numbers, rotation_matrix, symmetric, together, vectors
from rne.errors import ArgumentError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, init=False)
class Inertia:
    """Mass, center of mass and inertia tensor of a rigid body, in the axes of one frame. Immutable.

    Bodies in the same frame can be combined: `a + b` is the composite body, `a - b` is `a` without the part `b` (a
    bore, for example), and `sum` accepts any number of bodies. ``robot.with_payload(a.mass, a.com, a.tensor,
    frame=...)`` attaches a body to a robot.

    Parameters
    ----------
    mass : kg.
    com : (3,) center of mass, m.
    tensor : (3, 3) inertia tensor about the center of mass, kg m^2, with products - integral of x y dm. The default is
        zero, the tensor of a point mass.

    Raises
    ------
    ArgumentError
        A number is not finite, a shape is wrong, or the tensor is not symmetric. Physical consistency is not required;
        see `is_physical`.

    Examples
    --------
    A hammer: a handle along x from the origin and a head across its end.

    >>> handle = Inertia.rod(0.3, 0.4, about="end")
    >>> head = Inertia.cylinder(0.8, radius=0.02, length=0.1).shifted([0.4, 0, 0])
    >>> hammer = handle + head
    >>> round(hammer.mass, 3), hammer.com.round(3)
    (1.1, array([0.345, 0.   , 0.   ]))
    >>> hammer.about([0, 0, 0]).diagonal().round(5)
    array([0.00075, 0.14475, 0.14416])
    """

    mass: float
    com: Array
    tensor: Array

    def __init__(self, mass: float, com: ArrayLike = ZERO, tensor: ArrayLike | None = None) -> None:
        center = numbers("com", com, (3,))
        full = np.zeros((3, 3)) if tensor is None else symmetric("tensor", tensor, 3)
        for array in (center, full):
            array.flags.writeable = False
        object.__setattr__(self, "mass", float(numbers("mass", mass, ())))
        object.__setattr__(self, "com", center)
        object.__setattr__(self, "tensor", full)

    # -------------------------------------------------------------------------------------------------- simple shapes

    @classmethod
    def point(cls, mass: float, at: ArrayLike = ZERO) -> Inertia:
        """Return a point mass (kg) at a place (m).

        Examples
        --------
        >>> Inertia.point(2.5, [0.4, 0, 0]).about([0, 0, 0])[2, 2].round(12)  # m r^2
        np.float64(0.4)
        """
        return cls(mass, numbers("at", at, (3,)))

    @classmethod
    def rod(cls, mass: float, length: float, axis: ArrayLike = (1.0, 0.0, 0.0), *, about: str = "center") -> Inertia:
        """Return a thin uniform rod.

        Parameters
        ----------
        mass, length : kg, m.
        axis : (3,) direction of the rod, of any length.
        about : the point at the origin, the "center" of the rod or its "end", from which it then points along `axis`.

        Examples
        --------
        >>> Inertia.rod(3.0, 1.2, about="end").about([0, 0, 0])[2, 2].round(12)  # m l^2 / 3
        np.float64(1.44)
        """
        if about not in ("center", "end"):
            raise ArgumentError(f"about: wanted 'center' or 'end', got {about!r}")
        rod = cls(mass, ZERO, shapes.rod(mass, length, axis))
        return rod if about == "center" else rod.shifted(shapes.direction(axis) * length / 2)

    @classmethod
    def box(cls, mass: float, size: ArrayLike) -> Inertia:
        """Return a solid uniform box (kg) with edge lengths `size` (3,) (m) along x, y, z, centered at the origin.

        Examples
        --------
        >>> Inertia.box(12.0, [1.0, 2.0, 3.0]).tensor.diagonal()
        array([13., 10.,  5.])
        """
        return cls(mass, ZERO, shapes.box(mass, size))

    @classmethod
    def cylinder(
        cls, mass: float, radius: float, length: float, axis: ArrayLike = (0.0, 0.0, 1.0), *, inner: float = 0.0
    ) -> Inertia:
        """Return a uniform cylinder, centered at the origin.

        Parameters
        ----------
        mass, radius, length : kg, m, m.
        axis : (3,) direction of the cylinder axis, of any length.
        inner : radius of the bore, m: 0 for a solid cylinder, `radius` for a thin shell.

        Examples
        --------
        >>> Inertia.cylinder(2.0, radius=1.0, length=3.0).tensor.diagonal()
        array([2., 2., 1.])
        """
        return cls(mass, ZERO, shapes.cylinder(mass, radius, length, axis, inner))

    @classmethod
    def sphere(cls, mass: float, radius: float, *, inner: float = 0.0) -> Inertia:
        """Return a uniform sphere, centered at the origin.

        Parameters
        ----------
        mass, radius : kg, m.
        inner : inner radius, m: 0 for a solid sphere, `radius` for a thin shell.

        Examples
        --------
        >>> Inertia.sphere(5.0, 1.0).tensor[0, 0].round(12), Inertia.sphere(3.0, 1.0, inner=1.0).tensor[0, 0].round(12)
        (np.float64(2.0), np.float64(2.0))
        """
        return cls(mass, ZERO, shapes.sphere(mass, radius, inner))

    # --------------------------------------------------------------------------------------------- representations

    @classmethod
    def from_pseudo(cls, pseudo: ArrayLike) -> Inertia:
        """Return the body with the given 4x4 pseudo-inertia: the inverse of `pseudo`, which describes the entries.

        Raises
        ------
        ArgumentError
            The matrix is not 4x4, not finite or not symmetric, or has first moments but no mass.
        """
        J = symmetric("pseudo", pseudo, 4)
        mass, first = float(J[3, 3]), J[3, :3]
        if mass == 0 and first.any():
            raise ArgumentError(f"pseudo: first moments {first.tolist()} without a mass define no center of mass")
        com = first / mass if mass else first
        second = J[:3, :3] - mass * np.outer(com, com)
        return cls(mass, com, np.trace(second) * np.eye(3) - second)

    @property
    def pseudo(self) -> Array:
        """Pseudo-inertia, (4, 4): integral of r r^T dm with r = [x, y, z, 1], about the origin (Paul 1981, chapter 6).

        The upper left block has the second moments (kg m^2), with integral of x^2 dm on the diagonal and PLUS integral
        of x y dm off it, where the tensor has minus. The last column and row are the first moments (kg m), the last
        entry is the mass (kg).

        Examples
        --------
        >>> Inertia(2.0, [1.0, 3.0, 0.0]).pseudo[0, 1], Inertia(2.0, [1.0, 3.0, 0.0]).about([0, 0, 0])[0, 1]
        (np.float64(6.0), np.float64(-6.0))
        """
        J = np.empty((4, 4))
        trace = np.trace(self.tensor)
        J[:3, :3] = trace / 2 * np.eye(3) - self.tensor + self.mass * np.outer(self.com, self.com)
        J[3, :3] = J[:3, 3] = self.mass * self.com
        J[3, 3] = self.mass
        return J

    # ----------------------------------------------------------------------------------- transformation, composition

    def at(self, rotation: ArrayLike = IDENTITY, position: ArrayLike = ZERO) -> Inertia:
        """Return the body expressed in an outer frame, x_outer = rotation x + position.

        Parameters
        ----------
        rotation : (3, 3) axes of the body's frame in the outer frame, as columns.
        position : (3,) origin of the body's frame in the outer frame, m.

        Raises
        ------
        ArgumentError
            A shape is wrong, or the matrix is not a rotation.

        Examples
        --------
        >>> quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
        >>> Inertia.point(1.0, at=[0.5, 0, 0]).at(quarter, [0, 0, 2]).com
        array([0. , 0.5, 2. ])
        """
        R = rotation_matrix("rotation", rotation)
        return Inertia(self.mass, R @ self.com + numbers("position", position, (3,)), R @ self.tensor @ R.T)

    def shifted(self, by: ArrayLike) -> Inertia:
        """Return the body translated by a vector (3,) (m)."""
        return self.at(position=numbers("by", by, (3,)))

    def __add__(self, other: Inertia) -> Inertia:
        if not isinstance(other, Inertia):
            return NotImplemented
        mass = self.mass + other.mass
        if mass == 0 and self.mass != 0:
            raise ArgumentError(f"masses: {self.mass:g} kg and {other.mass:g} kg cancel, so the result has no center")
        # About the common center rather than the origin, since far from the origin cancellation would cost digits.
        share = other.mass / mass if mass else 0.0
        apart = other.com - self.com
        tensor = self.tensor + other.tensor + self.mass * share * steiner(apart)
        return Inertia(mass, self.com + share * apart, tensor)

    def __radd__(self, other: object) -> Inertia:
        if other == 0:  # the start value of `sum`
            return self
        return NotImplemented

    def __sub__(self, other: Inertia) -> Inertia:
        if not isinstance(other, Inertia):
            return NotImplemented
        return self + Inertia(-other.mass, other.com, -other.tensor)

    # ----------------------------------------------------------------------------------------------------- properties

    def about(self, point: ArrayLike) -> Array:
        """Inertia tensor about a point (3,) (m), (3, 3) kg m^2, by the parallel axis theorem."""
        return self.tensor + self.mass * steiner(numbers("point", point, (3,)) - self.com)

    def principal(self) -> tuple[Array, Array]:
        """Principal moments and principal axes about the center of mass.

        Returns
        -------
        moments : (3,) kg m^2, in ascending order.
        axes : (3, 3) unit vectors as columns, right-handed: axes^T tensor axes = diag(moments).

        Examples
        --------
        >>> Inertia.box(12.0, [1.0, 2.0, 3.0]).principal()[0]
        array([ 5., 10., 13.])
        """
        moments, axes = np.linalg.eigh(self.tensor)
        if np.linalg.det(axes) < 0:
            axes[:, 0] *= -1
        return moments, axes

    def angular_momentum(self, w: ArrayLike, v: ArrayLike = ZERO, about: ArrayLike = ZERO) -> Array:
        """Angular momentum about a point of the body, L = I_p w + m (c - p) x v.

        Parameters
        ----------
        w : (..., 3) angular velocity, rad/s, in the axes of the frame, like all vectors here.
        v : (..., 3) velocity of the point of the body at `about`, m/s; zero for a body that rotates about this point.
        about : (3,) the point p, m.

        Returns
        -------
        L : (..., 3) kg m^2/s.

        Examples
        --------
        >>> Inertia.rod(3.0, 1.2, about="end").angular_momentum([0, 0, 2.0]).round(12)
        array([0.  , 0.  , 2.88])
        """
        point = numbers("about", about, (3,))
        w, v = vectors("w", w), vectors("v", v)
        together(w=w, v=v)
        momentum: Array = w @ self.about(point) + self.mass * np.cross(self.com - point, v)
        return momentum

    @property
    def is_physical(self) -> bool:
        """Whether a physical body with these values exists, up to rounding; the same rule applies to files.

        The mass must not be negative, no second moment, integral of x^2 dm in any direction, may be negative, and
        without a mass all moments must be zero. The second condition implies that no principal moment exceeds the sum
        of the other two; an excess of 0.2 % is tolerated, since numbers of three digits can cause it.

        Examples
        --------
        >>> Inertia(1.0, tensor=[[1, 0, 0], [0, 1, 0], [0, 0, 2]]).is_physical
        True
        >>> Inertia(1.0, tensor=[[1, 0, 0], [0, 1, 0], [0, 0, 3]]).is_physical
        False
        """
        return not faults(self.mass, self.com, self.tensor)
