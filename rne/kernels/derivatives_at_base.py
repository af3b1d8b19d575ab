"""What `derivatives` needs of a base that floats, and the columns of scratch of both.

The base has six velocity fields: for each of its axes x, a translation x and a rotation x x r about its origin. With w
and v the angular and linear velocity, r' the rate of r, and u the acceleration against gravity, accelerations change by

    x and x x r per unit of qdd
    w x x and x x v + (w x x) x r + 2 x x r' per unit of qd
    0 and u x x per unit of q

in the axes of the base, which turn with it. So entries are those of joints, except that nothing is carried: force and
moment on the base are in axes that turn as the bodies do. Derivatives by the pose are by translation along and rotation
about the axes of the base.
"""

from __future__ import annotations

from rne.kernels import base
from rne.kernels.algebra.moments import around, spun, transposed, turned_fully
from rne.kernels.algebra.vec import add, add_cross, add_product, cross, scale, turn, unturn
from rne.kernels.jit import borrowing, inline
from rne.kernels.layout import (
    BASE_ANGULAR,
    BASE_LINEAR,
    COORDINATES,
    LEADER,
    MIMIC,
    QD,
    QDD,
    RATIO,
)
from rne.kernels.placement import PLACEMENT, ROTATION
from rne.kernels.simd.num import fma, like
from rne.kernels.simd.rows import add_to, get3, get6, get9, put

# Numbers stored for each link: its placement; w, wd, and acceleration of its origin; z', z'' and a x z of its joint;
# position and velocity of its origin relative to that of the parent. Then, for branching, of the bodies beyond its
# children: m, h, S, h', V, force and moment. Row 0 of a base that floats has the moments of its own body, too.
W, WD, A = PLACEMENT, PLACEMENT + 3, PLACEMENT + 6
TURNING, BENDING, PULL = PLACEMENT + 9, PLACEMENT + 12, PLACEMENT + 15
ARM, ARM_RATE = PLACEMENT + 18, PLACEMENT + 21
MASS, H, S, H_RATE, V = PLACEMENT + 24, PLACEMENT + 25, PLACEMENT + 28, PLACEMENT + 34, PLACEMENT + 37
FORCE, MOMENT = PLACEMENT + 46, PLACEMENT + 49
WORK = PLACEMENT + 52


@borrowing
def begin_at_base(state, work, table):
    """Write the motion of the base, and the moments of its own body; row A holds the acceleration against gravity."""
    R = get9(work, 0, ROTATION)
    a, wd = base.acceleration(state)
    w = unturn(get3(state, QD, BASE_ANGULAR), R)
    put(work, 0, W, w)
    put(work, 0, WD, unturn(wd, R))
    add_to(work, 0, A, unturn(a, R))
    m, h, second = base.moments(table, w[0])
    h, second = unturn(h, R), turned_fully(R, second)
    zero = like(m, 0.0)
    work[0, MASS] = m
    put(work, 0, H, h)
    put(work, 0, S, second)
    put(work, 0, H_RATE, cross(w, h))
    put(work, 0, V, spun(w, second))
    put(work, 0, FORCE, (zero, zero, zero, zero, zero, zero))


@borrowing
def enter_base(table, state, work, D, i, wrenches, swept):
    """Add the entries of joint i and the base, all about its origin.

    wrenches : force and moment of the changes of acceleration by q, and by qd, of joint i. swept : the integrals of J,
    r x J and r' x J for J = J_i.
    """
    n, R, w = int(table[0, COORDINATES]), get9(work, 0, ROTATION), get3(work, 0, W)
    v = unturn(get3(state, QD, BASE_LINEAR), R)
    of_q, of_qd = wrenches
    a, b, e = swept
    zero = like(a[0], 0.0)
    momentum, moment = turn(a, R), turn(b, R)
    _column(table, D, 0, i, turn(of_q[0], R), turn(of_q[1], R))
    _column(table, D, n, i, turn(of_qd[0], R), turn(of_qd[1], R))
    _column(table, D, 2 * n, i, momentum, moment)
    # For each axis x of the base, (u x x) . a = x . (a x u), (w x x) . b = x . (b x w), and so on.
    _row(table, D, 0, i, (zero, zero, zero), turn(cross(a, base.against_gravity(table, zero)), R))
    twice = add_cross(add_cross(add(e, e), b, w), v, a)
    _row(table, D, n, i, turn(cross(a, w), R), turn(twice, R))
    _row(table, D, 2 * n, i, momentum, moment)


@inline
def _column(table, D, first, i, f, n):
    """Add force and moment on the base to the column of joint i of the matrix that begins in row `first`."""
    column, ratio = int(table[i, LEADER]), table[i, RATIO]
    for k in range(3):
        if table[0, MIMIC] != 0.0:
            D[first + k, column] = fma(f[k], ratio, D[first + k, column])
            D[first + 3 + k, column] = fma(n[k], ratio, D[first + 3 + k, column])
        else:
            D[first + k, column], D[first + 3 + k, column] = f[k], n[k]


@inline
def _row(table, D, first, i, f, n):
    """The same for the row of joint i, of what it feels of translations and rotations of the base."""
    row, ratio = first + int(table[i, LEADER]), table[i, RATIO]
    for k in range(3):
        if table[0, MIMIC] != 0.0:
            D[row, k] = fma(f[k], ratio, D[row, k])
            D[row, 3 + k] = fma(n[k], ratio, D[row, 3 + k])
        else:
            D[row, k], D[row, 3 + k] = f[k], n[k]


@borrowing
def fill_base(table, state, work, D):
    """Write the entries of the base alone, for all bodies as a composite."""
    n, R = int(table[0, COORDINATES]), get9(work, 0, ROTATION)
    x, y, z = base.axes(R)
    _fill(table, state, work, D, 0, x)
    _fill(table, state, work, D, 1, y)
    _fill(table, state, work, D, 2, z)
    zero = like(x[0], 0.0)
    one = like(zero, 1.0)
    # The mass matrix from moments in base axes, so that it is symmetric to the last bit.
    m, h, second = work[0, MASS], turn(get3(work, 0, H), R), turned_fully(transposed(R), get6(work, 0, S))
    _fill_mass(D, 2 * n, 0, (one, zero, zero), m, h, second)
    _fill_mass(D, 2 * n, 1, (zero, one, zero), m, h, second)
    _fill_mass(D, 2 * n, 2, (zero, zero, one), m, h, second)
    doubt = base.doubt(state)
    felt = doubt
    for k in range(1, 7):
        felt = fma(state[QD, k], zero, fma(state[QDD, k], zero, felt))
    for k in range(6):
        D[k, k], D[n + k, k], D[2 * n + k, k] = D[k, k] + felt, D[n + k, k] + felt, D[2 * n + k, k] + doubt


@inline
def _fill(table, state, work, D, k, axis):
    """Write the columns by q and qd of translation along and rotation about axis k of the base."""
    n, R, w = int(table[0, COORDINATES]), get9(work, 0, ROTATION), get3(work, 0, W)
    m, h, second = work[0, MASS], get3(work, 0, H), get6(work, 0, S)
    hd, rates = get3(work, 0, H_RATE), get9(work, 0, V)
    zero = like(m, 0.0)
    v = unturn(get3(state, QD, BASE_LINEAR), R)
    change, turning, pull = cross(base.against_gravity(table, zero), axis), cross(w, axis), cross(axis, v)
    _write(D, 0, k, (zero, zero, zero), (zero, zero, zero), R)
    _write(D, 0, 3 + k, scale(change, m), cross(h, change), R)
    _write(D, n, k, scale(turning, m), cross(h, turning), R)
    twice = add(axis, axis)
    spread = scale(twice, rates[0] + rates[4] + rates[8])
    f = add_cross(add_cross(scale(pull, m), turning, h), twice, hd)
    moment = add_cross(add_product(spread, rates, scale(twice, like(m, -1.0))), h, pull)
    _write(D, n, 3 + k, f, add(around(second, turning), moment), R)


@inline
def _fill_mass(D, first, k, axis, m, h, second):
    """Write the columns of translation along and rotation about axis k of the mass matrix; all in base axes."""
    f, n = scale(axis, m), cross(h, axis)
    for j in range(3):
        D[first + j, k], D[first + 3 + j, k] = f[j], n[j]
    f, n = cross(axis, h), around(second, axis)
    for j in range(3):
        D[first + j, 3 + k], D[first + 3 + j, 3 + k] = f[j], n[j]


@inline
def _write(D, first, column, f, n, R):
    """Write force and moment on the base to a column."""
    f, n = turn(f, R), turn(n, R)
    for k in range(3):
        D[first + k, column], D[first + 3 + k, column] = f[k], n[k]
