"""Friction of a single joint, by the law that `rne.Drive` states.

Few robots have more than viscous and Coulomb friction. The rest is a call of its own, which costs all others one
comparison.
"""

from __future__ import annotations

from rne.kernels.jit import inline, internal
from rne.kernels.layout import (
    COULOMB_MINUS,
    COULOMB_PLUS,
    CUBIC,
    CURVED,
    OFFSET,
    QUADRATIC,
    SMOOTH_RATE,
    STRIBECK,
    STRIBECK_RATE,
    VISCOUS,
)
from rne.kernels.simd.num import by_sign, exp, fma, like


@inline
def friction(table, i, qd):
    """Torque that overcomes friction; zero at rest, but for an offset."""
    torque = fma(qd, table[i, VISCOUS], by_sign(qd, table[i, COULOMB_PLUS], -table[i, COULOMB_MINUS]))
    if table[i, CURVED] != 0.0:
        torque = torque + _curved(table, i, qd)
    return torque


@inline
def friction_slope(table, i, qd):
    """Derivative of `friction` by the rate; at rest the mean of both directions, without what jumps there."""
    slope = like(qd, table[i, VISCOUS])
    if table[i, CURVED] != 0.0:
        slope = slope + curved_slope(table, i, qd)
    return slope


@inline
def curve(table, i, qd):
    """Friction without viscous friction, and without what holds the joint at rest: continuous where it starts."""
    if table[i, CURVED] == 0.0:
        return like(qd, 0.0)
    if table[i, SMOOTH_RATE] == 0.0:
        return _curved(table, i, qd) - by_sign(qd, table[i, STRIBECK], -table[i, STRIBECK])
    return _curved(table, i, qd) + by_sign(qd, table[i, COULOMB_PLUS], -table[i, COULOMB_MINUS])


@inline
def rise(table, i, qd):
    """Share of Coulomb friction that acts at a rate: one, or less where it is smooth."""
    if table[i, SMOOTH_RATE] == 0.0:
        return like(qd, 1.0)
    return _tanh(qd * by_sign(qd, table[i, SMOOTH_RATE], -table[i, SMOOTH_RATE]))


@inline
def _tanh(x):
    """Hyperbolic tangent of a number that is not negative."""
    e = exp(x * like(x, -2.0))
    one = like(x, 1.0)
    return (one - e) / (one + e)


@internal
def _curved(table, i, qd):
    """Friction beyond viscous and Coulomb friction."""
    zero = like(qd, 0.0)
    sign = by_sign(qd, 1.0, -1.0)
    size = qd * sign
    more = size * size * fma(size, table[i, CUBIC], like(qd, table[i, QUADRATIC]))
    extra = zero
    if table[i, STRIBECK] != 0.0:
        extra = exp(size * -table[i, STRIBECK_RATE]) * table[i, STRIBECK]
    if table[i, SMOOTH_RATE] != 0.0:
        dry = by_sign(qd, table[i, COULOMB_PLUS], table[i, COULOMB_MINUS])
        more = more + ((dry + extra) * _tanh(size * table[i, SMOOTH_RATE]) - dry)
    else:
        more = more + extra
    return fma(sign, more, like(qd, table[i, OFFSET]))


@internal
def curved_slope(table, i, qd):
    """Derivative of friction beyond viscous friction; jumps have none, and at rest they hide what falls behind them."""
    zero = like(qd, 0.0)
    sign = by_sign(qd, 1.0, -1.0)
    size = qd * sign
    slope = size * fma(size, 3.0 * table[i, CUBIC], like(qd, 2.0 * table[i, QUADRATIC]))
    extra, fall = zero, zero
    if table[i, STRIBECK] != 0.0:
        extra = exp(size * -table[i, STRIBECK_RATE]) * table[i, STRIBECK]
        fall = extra * table[i, STRIBECK_RATE]
    if table[i, SMOOTH_RATE] == 0.0:
        return slope - fall * (sign * sign)
    mean = 0.5 * (table[i, COULOMB_PLUS] + table[i, COULOMB_MINUS])
    half = 0.5 * (table[i, COULOMB_PLUS] - table[i, COULOMB_MINUS])
    share = _tanh(size * table[i, SMOOTH_RATE])
    steep = fma(-share, share, like(qd, 1.0)) * table[i, SMOOTH_RATE]
    return slope + ((fma(sign, half, like(qd, mean)) + extra) * steep - fall * share)
