"""Positions of a base that floats, in steps of time: rates of its pose, and quaternions of unit length.

The quaternion is integrated like all other numbers, by its rate, and divided by its length after every stage and every
step. Its rate is defined for any length and orthogonal to it; the motion does not leave the unit sphere, so that the
projection keeps the order of a method.

Source: Hairer, Lubich, Wanner, "Geometric Numerical Integration" (2006), section IV.4 (projection) and section VII.5
(rigid bodies by quaternions).
"""

from __future__ import annotations

import math

from rne.kernels.jit import internal
from rne.kernels.layout import BASE_POSITION, BASE_QUATERNION
from rne.kernels.runge_kutta import EULER, PARTS, end_stage, end_step


@internal
def position_rates(q, qd, rate):
    """Fill the rates (nq,) of one position whose quaternion has unit length; the joints follow the base."""
    x, y, z, w = q[BASE_QUATERNION], q[BASE_QUATERNION + 1], q[BASE_QUATERNION + 2], q[BASE_QUATERNION + 3]
    vx, vy, vz, wx, wy, wz = qd[0], qd[1], qd[2], qd[3], qd[4], qd[5]
    # v + 2 w (r x v) + 2 r x (r x v), with r the vector of the quaternion
    cx, cy, cz = 2.0 * (y * vz - z * vy), 2.0 * (z * vx - x * vz), 2.0 * (x * vy - y * vx)
    rate[BASE_POSITION] = vx + w * cx + y * cz - z * cy
    rate[BASE_POSITION + 1] = vy + w * cy + z * cx - x * cz
    rate[BASE_POSITION + 2] = vz + w * cz + x * cy - y * cx
    # half the product of the quaternion and (w, 0)
    rate[BASE_QUATERNION] = 0.5 * (w * wx + y * wz - z * wy)
    rate[BASE_QUATERNION + 1] = 0.5 * (w * wy + z * wx - x * wz)
    rate[BASE_QUATERNION + 2] = 0.5 * (w * wz + x * wy - y * wx)
    rate[BASE_QUATERNION + 3] = -0.5 * (x * wx + y * wy + z * wz)
    for j in range(6, qd.shape[0]):
        rate[j + 1] = qd[j]


@internal
def normalize(q):
    """Divide the quaternion of one position by its length."""
    total = 0.0
    for j in range(BASE_QUATERNION, BASE_QUATERNION + 4):
        total += q[j] * q[j]
    length = math.sqrt(total)
    for j in range(BASE_QUATERNION, BASE_QUATERNION + 4):
        q[j] /= length


@internal
def end_floating_stage(method, stage, h, counts, state, now, total):
    """Complete a stage of a step of `runge_kutta`, and with its last stage the step.

    counts : of simulations, and of their positions. state, now, total : as for `begin_step`; but the velocities are not
    the rates of the positions, which have their own place in `now`, so that it is twice as long as `state`.
    Semi-implicit Euler moves the base with its new velocity.
    """
    rows, p = counts
    size = state.shape[0]
    m = p - rows
    first, nq, n = size - m, p // rows, m // rows
    if method == EULER:
        for j in range(first, size):
            now[j] += h * now[size + j]
    for row in range(rows):
        v = first + row * n
        at = size + row * nq
        position_rates(now[row * nq : (row + 1) * nq], now[v : v + n], now[at : at + nq])
    end_stage(stage, h, state, now, total)
    for row in range(rows):
        normalize(now[row * nq : (row + 1) * nq])
    if method == EULER or stage == len(PARTS) - 1:
        end_step(method, h, state, now, total)
        for row in range(rows):
            normalize(state[row * nq : (row + 1) * nq])
