"""Identities of motions, wrenches and parameters checked by `rne.verify`: one function each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rne import lagrange
from rne.dynamics.center_of_mass import center_of_mass, center_of_mass_jacobian, center_of_mass_velocity
from rne.dynamics.frame_motion import frame_acceleration, frame_velocity, jacobian_dot_qd
from rne.dynamics.kinematics import forward_kinematics, jacobian
from rne.dynamics.statics import joint_wrenches, static_torque
from rne.identification.regressor import parameters, regressor, regressor_remainder
from rne.model.robot import Robot
from rne.verification.identities import QUOTIENT, ROUNDING, TINY, Identity, Motions, times

Array = NDArray[np.float64]


def worst(error: Array, size: Array) -> Array:
    """Largest errors (samples,) of numbers (samples, ...), relative to the largest absolute value in all samples."""
    flat = np.abs(error).reshape(len(error), -1)
    return np.asarray(flat.max(axis=1, initial=0.0) / (np.abs(size).max(initial=0.0) + TINY))


def vee(X: Array) -> Array:
    """Vectors w (..., 3) of the skew parts of matrices (..., 3, 3): [w]x for those that are skew."""
    skew = (X - np.swapaxes(X, -1, -2)) / 2
    return np.stack([skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]], axis=-1)


def moving_frames(robot: Robot) -> list[str]:
    """Names of the frames that move with some coordinate."""
    if robot.floating:
        return list(robot.frame_names)
    moved = {joint.child for joint in robot.tree.joints if joint.movable}
    before = {joint.child: joint.parent for joint in robot.tree.joints}
    found = []
    for name in robot.frame_names:
        place: str | None = name
        while place is not None and place not in moved:
            place = before.get(place)
        if place is not None:
            found.append(name)
    return found


def _poses(m: Motions) -> Array:
    wanted = lagrange.transforms(m.robot, m.q)
    got = forward_kinematics(m.robot, m.q)
    size = np.max([np.abs(T[:, :3, 3]).max() for T in wanted.values()])
    errors = np.stack([got[name] - T for name, T in wanted.items()], axis=1)
    return np.maximum(worst(errors[..., :3, :3], np.ones(1)), worst(errors[..., :, 3], size))


def _jacobians(m: Motions) -> Array:
    """Relative to the reach in each sample: for a frame on all its joint axes, the linear part is only rounding."""
    n, deviation, frames = m.robot.n, np.zeros(m.qd.shape), moving_frames(m.robot)
    if not frames:
        return deviation
    for part in m.slices(16 * n * len(m.robot.frame_names)):
        q = m.q[part]
        T, U = lagrange.transforms(m.robot, q), lagrange.transform_derivatives(m.robot, q)
        reach = np.max([np.abs(U[name][..., :3, 3]).max(axis=(1, 2), initial=1e-3) for name in frames], axis=0)
        for name in frames:
            J = np.swapaxes(jacobian(m.robot, q, name), 1, 2)
            turned = vee(U[name][..., :3, :3] @ np.swapaxes(T[name], 1, 2)[:, None, :3, :3])
            error = np.abs(J[..., :3] - U[name][..., :3, 3]).max(axis=2) / reach[:, None]
            turning = np.abs(turned).max(axis=(1, 2), initial=1.0)
            error = np.maximum(error, np.abs(J[..., 3:] - turned).max(axis=2) / turning[:, None])
            deviation[part] = np.maximum(deviation[part], error)
    return deviation


def _of_frames(m: Motions, quantity: Callable[[str], Array]) -> Array:
    """A quantity of every moving frame, (samples, frames, ...)."""
    found = [quantity(name) for name in moving_frames(m.robot)]
    return np.stack(found, axis=1) if found else np.zeros((len(m.q), 0, 6))


def _by_halves(error: Array, size: Array) -> Array:
    """Errors of linear and of angular parts (samples, ..., 6), relative to the largest of each kind."""
    halves = (slice(0, 3), slice(3, 6))
    found: Array = np.max([worst(error[..., half], size[..., half]) for half in halves], axis=0)
    return found


def _frame_motions(m: Motions) -> Array:
    """Compare velocities with J qd, and accelerations with J qdd + Jd qd."""
    v = _of_frames(m, lambda name: frame_velocity(m.robot, m.q, m.qd, name))
    a = _of_frames(m, lambda name: frame_acceleration(m.robot, m.q, m.qd, m.qdd, name))
    drift = _of_frames(m, lambda name: jacobian_dot_qd(m.robot, m.q, m.qd, name))
    error, size = np.zeros((2, *v.shape)), np.zeros((2, *v.shape))
    for k, name in enumerate(moving_frames(m.robot)):
        J = jacobian(m.robot, m.q, name)
        error[:, :, k] = v[:, k] - times(J, m.qd), a[:, k] - times(J, m.qdd) - drift[:, k]
        J = np.abs(J)
        size[:, :, k] = times(J, np.abs(m.qd)), times(J, np.abs(m.qdd)) + np.abs(drift[:, k])
    return np.maximum(_by_halves(error[0], size[0]), _by_halves(error[1], size[1]))


def _frame_accelerations(m: Motions) -> Array:
    rate = _of_frames(m, lambda name: m.rate(lambda at: frame_velocity(at.robot, at.q, at.qd, name)))
    a = _of_frames(m, lambda name: frame_acceleration(m.robot, m.q, m.qd, m.qdd, name))
    return _by_halves(a - rate, rate)


def _center(m: Motions) -> Array:
    if m.robot.total_mass == 0:
        return np.zeros(len(m.q))
    first = {body.name: lagrange.pseudo_inertia(body)[:, 3] / m.robot.total_mass for body in m.robot.tree.bodies}
    c, J = np.zeros((len(m.q), 3)), np.zeros((len(m.q), m.robot.n, 3))
    size, reach = np.zeros(len(m.q)), np.zeros(len(m.q))
    for part in m.slices(16 * m.robot.n * len(first)):
        T, U = lagrange.transforms(m.robot, m.q[part]), lagrange.transform_derivatives(m.robot, m.q[part])
        for name, moment in first.items():
            c[part] += (T[name] @ moment)[:, :3]
            J[part] += (U[name] @ moment)[..., :3]
            size[part] += np.abs(T[name] @ moment).max(axis=1)
            reach[part] += np.abs(U[name] @ moment).max(axis=(1, 2), initial=0.0)
    J = np.swapaxes(J, 1, 2)
    deviation = worst(center_of_mass(m.robot, m.q) - c, size)
    deviation = np.maximum(deviation, worst(center_of_mass_jacobian(m.robot, m.q) - J, reach))
    velocity = center_of_mass_velocity(m.robot, m.q, m.qd) - times(J, m.qd)
    return np.maximum(deviation, worst(velocity, reach * np.abs(m.qd).max(axis=1, initial=0.0)))


def some_wrenches(robot: Robot) -> dict[str, Array]:
    """A different wrench at each frame."""
    rng = np.random.default_rng(0)
    return {name: rng.uniform(-1.0, 1.0, 6) for name in robot.frame_names}


def _static(m: Motions) -> Array:
    wrenches = some_wrenches(m.robot)
    wanted, gross = np.zeros(m.qd.shape), np.zeros(m.qd.shape)
    for name, wrench in wrenches.items():
        J = np.swapaxes(jacobian(m.robot, m.q, name), 1, 2)
        wanted += times(J, wrench)
        gross += times(np.abs(J), np.abs(wrench))
    gross = np.maximum(gross, 1e-3 * gross.max(axis=1, keepdims=True, initial=0.0)) + TINY
    return np.asarray(np.abs(static_torque(m.robot, m.q, wrenches) - wanted) / gross)


def _carriers(robot: Robot) -> tuple[dict[str, int], list[int]]:
    """By body the moving joint that carries it, and of every joint the moving one before it; -1 is the base."""
    place, before = {name: k for k, name in enumerate(robot.links.joints)}, {j.child: j for j in robot.tree.joints}

    def carrier(link: str) -> int:
        while link in before:
            if before[link].movable:
                return place[before[link].name]
            link = before[link].parent
        return -1

    return (
        {name: carrier(name) for name in robot.frame_names},
        [carrier(robot.joint(name).parent) for name in robot.links.joints],
    )


def _carried(m: Motions, of_bodies: Callable[[slice], dict[str, Array]], shape: tuple[int, ...], size: int) -> Array:
    """Sum (samples, joints, ...) of what the bodies have, over all that each moving joint carries."""
    by_body, above = _carriers(m.robot)
    found = np.zeros((len(m.q), len(above) + 1, *shape))  # the last is that of the base
    for part in m.slices(size):
        for body, quantity in of_bodies(part).items():
            found[part, by_body[body]] += quantity
    for k in reversed(range(len(above))):  # parents stand before children
        found[:, above[k]] += found[:, k]
    return found[:, :-1]


def _momenta(m: Motions) -> Array:
    """Integral of v r^T dm (samples, joints, 4, 4) over all bodies carried by each joint, r = [x, y, z, 1] in the base.

    Its last column is the linear momentum, its skew part half the angular momentum about the origin of the base.
    """
    inertias = {body.name: lagrange.pseudo_inertia(body) for body in m.robot.tree.bodies}

    def momenta(part: slice) -> dict[str, Array]:
        T, U = lagrange.transforms(m.robot, m.q[part]), lagrange.transform_derivatives(m.robot, m.q[part])
        speeds = {name: np.einsum("si,siab->sab", m.qd[part], U[name]) for name in T}
        return {name: speeds[name] @ J @ np.swapaxes(T[name], 1, 2) for name, J in inertias.items()}

    return _carried(m, momenta, (4, 4), 16 * m.robot.n * len(m.robot.frame_names))


def _bearings(m: Motions) -> Array:
    """Compare joint wrenches with the rate of momentum of the bodies they carry minus their weight (Euler's laws)."""
    rate, gravity = m.rate(_momenta), m.robot.gravity
    T = lagrange.transforms(m.robot, m.q)

    def weigh(part: slice) -> dict[str, Array]:
        moments = {body.name: T[body.name][part] @ lagrange.pseudo_inertia(body)[:, 3] for body in m.robot.tree.bodies}
        return {
            name: np.concatenate([moment[:, 3:] * gravity, np.cross(moment[:, :3], gravity)], axis=1)
            for name, moment in moments.items()
        }

    weight = _carried(m, weigh, (6,), 1)
    wanted = np.concatenate([rate[..., :3, 3], 2 * vee(rate[..., :3, :3])], axis=-1)  # vee(v r^T) is (r x v) / 2
    got = joint_wrenches(m.robot, m.q, m.qd, m.qdd)
    places = np.zeros((len(m.q), len(m.robot.links.joints), 3))
    for k, frame in enumerate(m.robot.links.joint_frames):
        places[:, k] = T[frame][:, :3, 3]
    force = got[..., :3]
    at_base = np.concatenate([force, got[..., 3:] + np.cross(places, force)], axis=-1)
    return _by_halves(at_base + weight - wanted, np.abs(wanted) + np.abs(weight))


def _linear(m: Motions) -> Array:
    values, deviation = parameters(m.robot, friction=True), np.zeros(m.qd.shape)
    rest = regressor_remainder(m.robot, m.q, m.qd, friction=True)
    wanted = m.tau + lagrange.friction_torque(m.robot, m.qd) - rest
    for part in m.slices(m.robot.n * len(values)):
        Y = regressor(m.robot, m.q[part], m.qd[part], m.qdd[part], friction=True)
        gross = np.abs(Y) @ np.abs(values)
        gross = np.maximum(gross, 1e-3 * gross.max(axis=1, keepdims=True, initial=0.0)) + TINY
        deviation[part] = np.abs(Y @ values - wanted[part]) / (gross + np.abs(rest[part]) + m.scale[part])
    return deviation


KINEMATIC = (
    Identity("poses are those of Lagrange", ROUNDING, _poses),
    Identity("Jacobians are derivatives of poses", ROUNDING, _jacobians),
    Identity("frame velocity is J qd, acceleration J qdd + Jd qd", ROUNDING, _frame_motions),
    Identity("frame acceleration is change of frame velocity", QUOTIENT, _frame_accelerations),
    Identity("center of mass is that of Lagrange", ROUNDING, _center),
    Identity("static torque is J^T w", ROUNDING, _static),
    Identity("joint wrenches are changes of momentum less weight", QUOTIENT, _bearings),
    Identity("regressor times parameters is inverse dynamics", ROUNDING, _linear),
)
