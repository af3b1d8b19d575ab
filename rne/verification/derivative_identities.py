"""Identities of derivatives checked by `rne.verify`: one function each.

Derivatives by positions and velocities are compared along the motion of the sample, as rates of Lagrange's terms;
random motions are in no special direction.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rne import lagrange
from rne.dynamics.derivatives import (
    forward_dynamics_derivatives,
    gravity_derivative,
    inverse_dynamics_derivatives,
)
from rne.dynamics.kinematic_derivatives import jacobian_dot
from rne.dynamics.kinematics import jacobian
from rne.dynamics.statics import static_torque
from rne.dynamics.torque_gradient import inverse_dynamics_vjp
from rne.errors import SingularError
from rne.identification.regressor import regressor, regressor_vjp
from rne.verification.identities import QUOTIENT, ROUNDING, SMALLEST, TINY, Identity, Motions, as_share, times
from rne.verification.kinematic_identities import moving_frames, some_wrenches, worst

Array = NDArray[np.float64]

_SHARE = 1e-3  # step of the fourth-order quotient of friction, relative to the velocity


def pace(m: Motions) -> Array:
    """Rate (samples, 1) at which a motion changes anything, 1/s: that of the steps of `Motions.rate`."""
    speed, change = (np.abs(x).max(axis=-1, initial=0.0) for x in (m.qd, m.qdd))
    return np.asarray(np.maximum(speed, np.sqrt(change)))[:, None] + TINY


def _against_rate(m: Motions, quantity: Callable[[Motions], Array], got: Array, gross: Array) -> Array:
    """Deviations (samples, n) of rates from those of a quantity that takes n^3 numbers a sample.

    gross : the sum of the sizes of what makes up a rate; it counts no less than the torque scale at the pace of the
    motion, since that is what the rounding of a difference comes from.
    """
    wanted = np.empty(m.qd.shape)
    for part in m.slices(m.robot.n**3):
        wanted[part] = Motions(m.robot, m.q[part], m.qd[part], m.qdd[part]).rate(quantity)
    return np.asarray(np.abs(got - wanted) / (gross + m.scale * pace(m) + TINY))


def _torques(m: Motions) -> Array:
    by_q, by_qd, _ = inverse_dynamics_derivatives(m.robot, m.q, m.qd, m.qdd)
    gross = times(np.abs(by_q), np.abs(m.qd)) + times(np.abs(by_qd), np.abs(m.qdd))

    def torque(at: Motions) -> Array:
        return lagrange.inverse_dynamics(at.robot, at.q, at.qd, at.qdd)

    return _against_rate(m, torque, times(by_q, m.qd) + times(by_qd, m.qdd), gross)


def _by_accelerations(m: Motions) -> Array:
    return as_share(m, inverse_dynamics_derivatives(m.robot, m.q, m.qd, m.qdd).dtau_dqdd - m.D_ij)


def _friction_slopes(m: Motions) -> Array:
    """Along the velocity, in steps that are shares of it: no joint reverses, where Coulomb friction jumps."""
    without, damped = (
        inverse_dynamics_derivatives(m.robot, m.q, m.qd, m.qdd, friction=friction).dtau_dqd
        for friction in (False, True)
    )
    gross = m.scale + times(np.abs(without) + np.abs(damped), np.abs(m.qd))
    a, b, c, d = (lagrange.friction_torque(m.robot, (1 + k * _SHARE) * m.qd) for k in (-2, -1, 1, 2))
    wanted = ((a - d) - 8 * (b - c)) / (12 * _SHARE)
    return np.asarray(np.abs(times(damped - without, m.qd) - wanted) / (gross + np.abs(a) + np.abs(d)))


def _wrenches(m: Motions) -> Array:
    wrenches = some_wrenches(m.robot)
    without, pushed = (
        inverse_dynamics_derivatives(m.robot, m.q, m.qd, m.qdd, f_ext=f_ext).dtau_dq for f_ext in (None, wrenches)
    )

    def torque(at: Motions) -> Array:
        return np.asarray(static_torque(at.robot, at.q, wrenches))

    gross = times(np.abs(without) + np.abs(pushed), np.abs(m.qd)) + np.abs(torque(m)).max(initial=0.0) * pace(m)
    return _against_rate(m, torque, times(without - pushed, m.qd), gross)


def _gravity(m: Motions) -> Array:
    G = gravity_derivative(m.robot, m.q)

    def torque(at: Motions) -> Array:
        return lagrange.gravity_vector(at.robot, at.q)

    return _against_rate(m, torque, times(G, m.qd), times(np.abs(G), np.abs(m.qd)))


def _accelerations(m: Motions) -> Array:
    """Compare torques: M times the derivatives of accelerations with those of torques, and with the unit matrix."""
    if not (m.weakest > SMALLEST).all():  # reported by the identity of the mass matrix
        return np.zeros(m.qd.shape)
    try:
        by_q, by_qd, inverse = forward_dynamics_derivatives(m.robot, m.q, m.qd, m.tau)
    except SingularError:
        return np.full(m.qd.shape, np.inf)
    D = inverse_dynamics_derivatives(m.robot, m.q, m.qd, m.qdd)
    zero = np.zeros_like(m.D_ij)
    own = np.sqrt(np.einsum("sii->si", m.D_ij)) + TINY
    deviation = np.zeros(m.qd.shape)
    for X, wanted, unit in ((by_q, -D[0], zero), (by_qd, -D[1], zero), (inverse, np.eye(m.robot.n) + zero, own)):
        weight = own[:, :, None] / own[:, None, :] if unit is own else 1.0  # torques in units of their own inertia
        error = np.abs(m.D_ij @ X - wanted) / weight
        gross = (np.abs(m.D_ij) @ np.abs(X) + np.abs(wanted)) / weight
        size = gross.max(axis=-1, initial=0.0)
        size = np.maximum(size, 1e-3 * size.max(axis=-1, keepdims=True, initial=0.0)) + TINY
        deviation = np.maximum(deviation, error.max(axis=-1, initial=0.0) / size)
    return deviation


def _gradients(m: Motions) -> Array:
    weights = m.tau / (np.abs(m.tau).max(initial=0.0) + TINY)
    deviation = np.zeros(m.qd.shape)
    gradient = inverse_dynamics_vjp(m.robot, m.q, m.qd, m.qdd, weights, friction=True)
    derivatives = inverse_dynamics_derivatives(m.robot, m.q, m.qd, m.qdd, friction=True)
    felt = (np.abs(weights) * m.scale).sum(axis=-1, keepdims=True)  # a derivative may be zero but for rounding
    for got, D, least in zip(gradient, derivatives, (felt, felt / pace(m), felt / pace(m) / pace(m)), strict=True):
        wanted, gross = (np.einsum("si,sij->sj", w, X) for w, X in ((weights, D), (np.abs(weights), np.abs(D))))
        gross = np.maximum(gross, 1e-3 * (gross.max(axis=-1, keepdims=True, initial=0.0) + least)) + TINY
        deviation = np.maximum(deviation, np.abs(got - wanted) / gross)
    return deviation


def _parameter_gradients(m: Motions) -> Array:
    weights, deviation = m.tau / (np.abs(m.tau).max(initial=0.0) + TINY), np.zeros(len(m.q))
    got = regressor_vjp(m.robot, m.q, m.qd, m.qdd, weights, friction=True)
    for part in m.slices(m.robot.n * got.shape[-1]):
        Y = regressor(m.robot, m.q[part], m.qd[part], m.qdd[part], friction=True)
        wanted, gross = (np.einsum("si,sip->sp", w, X) for w, X in ((weights[part], Y), (abs(weights[part]), abs(Y))))
        deviation[part] = worst(got[part] - wanted, gross)
    return deviation


def _jacobian_rates(m: Motions) -> Array:
    deviation = np.zeros(len(m.q))
    for name in moving_frames(m.robot):
        rate = m.rate(lambda at, name=name: jacobian(at.robot, at.q, name))  # type: ignore[misc]
        error = jacobian_dot(m.robot, m.q, m.qd, name) - rate
        size = np.abs(jacobian(m.robot, m.q, name))
        for half, least in ((slice(0, 3), 1e-3), (slice(3, 6), 1.0)):  # on all its axes a frame does not move
            size[:, half] = np.maximum(size[:, half], least) * pace(m)[..., None] + np.abs(rate[:, half])
            deviation = np.maximum(deviation, worst(error[:, half], size[:, half]))
    return deviation


DERIVATIVES = (
    Identity("torque derivatives are rates of Lagrange's torques", QUOTIENT, _torques),
    Identity("torque derivatives by qdd are Lagrange's mass matrix", ROUNDING, _by_accelerations),
    Identity("friction derivatives are quotients of Lagrange's friction", QUOTIENT, _friction_slopes),
    Identity("torque derivatives have the rates of static torques", QUOTIENT, _wrenches),
    Identity("gravity derivative is rate of Lagrange's gravity", QUOTIENT, _gravity),
    Identity("acceleration derivatives undo torque derivatives", ROUNDING, _accelerations),
    Identity("torque gradient is weights times derivatives", ROUNDING, _gradients),
    Identity("gradient by parameters is weights times regressor", ROUNDING, _parameter_gradients),
    Identity("Jacobian derivative is rate of the Jacobian", QUOTIENT, _jacobian_rates),
)
