"""Second derivatives of torques and poses, exact but for rounding, from the first.

Torques are polynomials of second degree in sine and cosine of each revolute joint, in the position of each prismatic
joint and in the velocities, and linear in accelerations and parameters; so are their gradients. The derivative of such
a function is a combination of a few of its values far apart, and nothing is approximated (the "parameter shift" rule;
Wierichs, Izaac, Wang and Lin, Quantum 6, 677, 2022, for frequencies up to 2).
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi as half_turn
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from rne.autograd.models import WEIGHTLESS, Columns, Model, by_parameters, independent_joints
from rne.batch.arguments import Floats
from rne.dynamics.derivatives import inverse_dynamics_derivatives
from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.dynamics.torque_gradient import inverse_dynamics_vjp
from rne.errors import ArgumentError
from rne.identification.regressor import regressor_vjp
from rne.model.parameters import OF_BODY

State = tuple[Floats, Floats, Floats]
"""q, qd and qdd."""

_NEAR, _FAR = (2 + sqrt(2)) / 4, (2 - sqrt(2)) / 4
_TURNS = (
    (half_turn / 4, _NEAR),
    (-half_turn / 4, -_NEAR),
    (3 * half_turn / 4, -_FAR),
    (-3 * half_turn / 4, _FAR),
)
_SLIDES = ((1.0, 0.5), (-1.0, -0.5))
"""Shifts of a joint, rad or m, and the factors of the values there."""


def along_positions(
    function: Callable[[Floats], Floats], slides: Floats, q: Floats, direction: Floats
) -> Floats | float:
    """Derivative of ``function(q)`` (..., width) along a direction (..., n) of the positions of independent joints."""
    total: Floats | float = 0.0
    for j, slide in enumerate(slides):
        if direction[..., j].any():
            for shift, factor in _SLIDES if slide else _TURNS:
                moved = q.copy()
                moved[..., j] += shift
                total = total + q.dtype.type(factor) * direction[..., j : j + 1] * function(moved)
    return total


def torque_gradient(model: Model, state: State, weights: Floats, columns: Columns | None) -> Floats:
    """Gradient (..., 3 n) of weighted torques by q, qd and qdd, and by the parameters (..., P) if there are any."""
    robot, (q, qd, qdd), g = model.robot, state, model.gravity
    D = np.stack(inverse_dynamics_vjp(robot, q, qd, qdd, weights, gravity=g, friction=model.friction), axis=-2)
    found = D.reshape(*D.shape[:-2], 3 * robot.n)
    if columns is None:
        return found
    felt = columns.friction and model.friction
    by_pi = regressor_vjp(robot, q, qd, qdd, weights, gravity=g, rotors=columns.rotors, friction=felt)
    unfelt = 3 * columns.links if columns.friction and not felt else 0
    return np.concatenate([found, by_pi, np.zeros((*by_pi.shape[:-1], unfelt), by_pi.dtype)], axis=-1)


def curvature(
    model: Model,
    state: State,
    weights: Floats,
    direction: Floats,
    pi: Floats | None,
    columns: Columns | None,
) -> Floats:
    """Gradient of `torque_gradient` . direction by q, qd, qdd, weights (..., 4 n), and parameters (..., P).

    All arrays have the same leading axes, but for `pi`, whose axes broadcast against them.
    """
    if model.friction and model.robot.links.curved:
        raise ArgumentError(
            "friction: there are no second derivatives of friction beyond viscous and Coulomb friction; take "
            "friction=False, or drives without offset, smoothing, stribeck, quadratic and cubic"
        )
    n, joints = model.robot.n, independent_joints(model.robot)
    links, G = len(joints.slides), joints.G.astype(weights.dtype)
    changes = [direction[..., k * n : (k + 1) * n] for k in range(3)]
    q, *others = (x @ G.T for x in (*state, weights, *changes))
    given = (q + joints.shift.astype(q.dtype), *others)
    free = Model(joints.robot, model.gravity)

    def by_motion(m: Model, *arrays: Floats) -> Floats:
        return _by_motion(m, model.friction, columns, joints.slides, arrays)

    second = by_parameters(free, pi, by_motion, *given)
    by_weights = by_parameters(model, pi, _torque_change, *state, *changes)
    if columns is not None:
        linear = _by_parameters(free, model.friction and columns.friction, columns, direction[..., 3 * n :], given[:4])
        by_weights = by_weights + linear[..., 3 * links :] @ G
        second = second + np.concatenate([linear[..., : 3 * links], np.zeros_like(second[..., 3 * links :])], axis=-1)
    parts = [second[..., k * links : (k + 1) * links] @ G for k in range(3)]
    return np.concatenate([*parts, by_weights, second[..., 3 * links :]], axis=-1)


def _by_motion(
    model: Model, friction: bool, columns: Columns | None, slides: NDArray[np.bool_], arrays: tuple[Floats, ...]
) -> Floats:
    """Derivative of the gradient along directions of q, qd and qdd, joints independent.

    arrays : q, qd, qdd, weights, and the directions of q, qd and qdd.
    """
    q, qd, qdd, w, of_q, of_qd, of_qdd = arrays
    links, zero = len(slides), np.zeros_like(q)
    inertial = Model(model.robot, WEIGHTLESS, friction and columns is not None and columns.friction)

    def gradient(m: Model, q: Floats, qd: Floats, qdd: Floats) -> Floats:
        return torque_gradient(m, (q, qd, qdd), w, columns)

    total = along_positions(lambda x: gradient(model, x, qd, qdd), slides, q, of_q)
    # Along qdd: what is linear in it, alone.
    of_acceleration = gradient(Model(model.robot, WEIGHTLESS), q, zero, of_qdd)
    of_acceleration[..., links : 3 * links] = 0.0
    # Along qd: what is of second degree in it; a central difference is exact with any step.
    size = np.abs(of_qd).max(axis=-1, keepdims=True, initial=0.0)
    step = of_qd / np.where(size > 0, size, 1)
    of_velocity = gradient(inertial, q, qd + step, zero) - gradient(inertial, q, qd - step, zero)
    if columns is not None:
        of_velocity[..., 3 * links :][..., columns.coulomb] = 0.0  # constant but for a jump
    result: Floats = total + of_acceleration + size / 2 * of_velocity
    return result


def _torque_change(
    model: Model, q: Floats, qd: Floats, qdd: Floats, of_q: Floats, of_qd: Floats, of_qdd: Floats
) -> Floats:
    """Change of the torques along a direction of the motion."""
    D = inverse_dynamics_derivatives(model.robot, q, qd, qdd, gravity=model.gravity, friction=model.friction)
    changes = zip(D, (of_q, of_qd, of_qdd), strict=True)
    total: Floats = sum(np.einsum("...ij,...j->...i", part, change) for part, change in changes)
    return total


def _by_parameters(free: Model, friction: bool, columns: Columns, changes: Floats, given: tuple[Floats, ...]) -> Floats:
    """Derivative of the gradient and of the torques (..., 4 links) along a direction of the parameters.

    Both are linear in the parameters: the difference between two robots whose parameters differ by it. The robots have
    mass on every link, since a prismatic joint cannot move first moments without mass, and no negative drive.
    """
    size = np.abs(changes).max(axis=-1, keepdims=True, initial=0.0)
    unit = changes / np.where(size > 0, size, 1)
    bodies = columns.bodies
    plus, minus = np.maximum(unit, 0), np.maximum(-unit, 0)
    plus[..., :bodies], minus[..., :bodies] = unit[..., :bodies], 0.0
    plus[..., : bodies : len(OF_BODY)] += 2.0
    minus[..., : bodies : len(OF_BODY)] += 2.0
    model = Model(free.robot, free.gravity, friction)

    def both(m: Model, q: Floats, qd: Floats, qdd: Floats, w: Floats) -> Floats:
        tau = inverse_dynamics(m.robot, q, qd, qdd, gravity=m.gravity, friction=m.friction)
        return np.concatenate([torque_gradient(m, (q, qd, qdd), w, None), tau], axis=-1)

    change: Floats = size * (by_parameters(model, plus, both, *given) - by_parameters(model, minus, both, *given))
    return change
