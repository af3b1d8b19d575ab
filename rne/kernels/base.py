"""A base that floats: its pose and motion in the state, and the wrench that moves it.

Row Q of a state begins with position and unit quaternion of the base (x y z qx qy qz qw), in world axes; rows QD, QDD
and TAU hold linear and angular components in base axes in columns 1 to 6. Dynamics is calculated in base axes, where
the pose matters only through the direction of gravity. A fixed base has none of these columns.

What algorithms do for such a base only is compiled out of line (`borrowing`) and takes arrays, so that robots on a
fixed base, which skip it, need not carry its code.
"""

from __future__ import annotations

import math

from rne.kernels.algebra import body
from rne.kernels.algebra.vec import add, add_cross, turn
from rne.kernels.jit import inline
from rne.kernels.layout import (
    BASE,
    BASE_ANGULAR,
    BASE_LINEAR,
    BASE_MASS,
    BASE_POSITION,
    BASE_QUATERNION,
    COORDINATES,
    GRAVITY,
    QD,
    QDD,
    TAU,
    Q,
)
from rne.kernels.simd.num import by_sign, fma, like
from rne.kernels.simd.rows import get3, get6, put

NAN = math.nan

# Squares of 0.999 and 1.001, the lengths between which a quaternion counts as one of unit length.
SHORTEST, LONGEST = 0.998001, 1.002001


@inline
def floats(table):
    """Whether the base floats."""
    return table[0, BASE] != 0.0


@inline
def lowest(table):
    """First row whose wrench counts: that of a base that floats, otherwise that of the first link."""
    return 0 if table[0, BASE] != 0.0 else 1


@inline
def positions(table):
    """Number of coordinates in q."""
    return int(table[0, COORDINATES]) + (1 if table[0, BASE] != 0.0 else 0)


@inline
def is_unit(x, y, z, w):
    """Whether a quaternion has unit length within 1e-3; false for NaN."""
    square = x * x + y * y + z * z + w * w
    return square >= SHORTEST and square <= LONGEST


@inline
def _square(state):
    """Squared length of the quaternion, and a number that is zero, or NaN if the length is not one within 1e-3."""
    x, y, z = get3(state, Q, BASE_QUATERNION)
    w = state[Q, BASE_QUATERNION + 3]
    square = fma(x, x, fma(y, y, fma(z, z, w * w)))
    inside = (square - like(square, SHORTEST)) * (like(square, LONGEST) - square)
    return square, by_sign(inside, 0.0, NAN)


@inline
def doubt(state):
    """Zero, or NaN if the pose of the base is none; added to results that do not depend on the pose."""
    x, y, z = get3(state, Q, BASE_POSITION)
    square, wrong = _square(state)
    zero = like(square, 0.0)
    return fma(square, zero, fma(x, zero, fma(y, zero, fma(z, zero, wrong))))


@inline
def rotation(state):
    """Rotation matrix from base axes to world axes, row by row; NaN if the quaternion is not one of unit length.

    The division by the squared length removes its deviation from one.
    """
    x, y, z = get3(state, Q, BASE_QUATERNION)
    w = state[Q, BASE_QUATERNION + 3]
    square, wrong = _square(state)
    s = like(square, 2.0) / square + wrong
    one = like(square, 1.0)
    xs, ys, zs = x * s, y * s, z * s
    return (
        one - fma(y, ys, z * zs), fma(x, ys, -(w * zs)), fma(x, zs, w * ys),
        fma(x, ys, w * zs), one - fma(x, xs, z * zs), fma(y, zs, -(w * xs)),
        fma(x, zs, -(w * ys)), fma(y, zs, w * xs), one - fma(x, xs, y * ys),
    )  # fmt: skip


@inline
def position(state):
    """Position of the base in the world."""
    return get3(state, Q, BASE_POSITION)


@inline
def against_gravity(table, zero):
    """Acceleration against gravity in world axes, which are those of a fixed base; numbers like `zero`."""
    return (like(zero, -table[0, GRAVITY]), like(zero, -table[0, GRAVITY + 1]), like(zero, -table[0, GRAVITY + 2]))


@inline
def rising(table, state):
    """Acceleration against gravity, in base axes."""
    nothing = doubt(state)
    g = turn(against_gravity(table, nothing), rotation(state))
    return (g[0] + nothing, g[1] + nothing, g[2] + nothing)


@inline
def velocity(state):
    """Linear and angular velocity, in base axes."""
    return get3(state, QD, BASE_LINEAR), get3(state, QD, BASE_ANGULAR)


@inline
def acceleration(state):
    """Acceleration of the origin and angular acceleration, in base axes: the rate of v in moving axes, plus w x v."""
    v, w = velocity(state)
    return add_cross(get3(state, QDD, BASE_LINEAR), w, v), get3(state, QDD, BASE_ANGULAR)


@inline
def motion(table, state):
    """Angular velocity, angular acceleration, and acceleration of the origin with gravity included, in base axes."""
    a, wd = acceleration(state)
    return get3(state, QD, BASE_ANGULAR), wd, add(a, rising(table, state))


@inline
def wrench(table, a, A):
    """Force and moment for the motion of the regrouped body of the base."""
    return body.wrench(table, 0, BASE_MASS, a, A)


@inline
def moments(table, zero):
    """Mass, first and second moments of the regrouped body of the base."""
    S = get6(table, 0, BASE_MASS + 4)
    return (
        like(zero, table[0, BASE_MASS]),
        (
            like(zero, table[0, BASE_MASS + 1]),
            like(zero, table[0, BASE_MASS + 2]),
            like(zero, table[0, BASE_MASS + 3]),
        ),
        (
            like(zero, S[0]), like(zero, S[1]), like(zero, S[2]),
            like(zero, S[3]), like(zero, S[4]), like(zero, S[5]),
        ),
    )  # fmt: skip


@inline
def store_wrench(state, f, n):
    """Write force and moment on the base to row TAU."""
    put(state, TAU, BASE_LINEAR, f)
    put(state, TAU, BASE_ANGULAR, n)


@inline
def moments_of_inertia(S):
    """Inertia tr(S) 1 - S of second moments S."""
    return (S[1] + S[2], S[0] + S[2], S[0] + S[1], -S[3], -S[4], -S[5])


@inline
def axes(R):
    """The three axes of the base in the world: the columns of its rotation."""
    return (R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8])
