"""Identities checked by `rne.verify` between the ways to call a function: one state, a batch, and float32."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.dynamics.center_of_mass import center_of_mass, center_of_mass_jacobian, center_of_mass_velocity
from rne.dynamics.coriolis import christoffel, coriolis_matrix
from rne.dynamics.derivatives import (
    forward_dynamics_derivatives,
    gravity_derivative,
    inverse_dynamics_derivatives,
)
from rne.dynamics.energy import kinetic_energy, potential_energy
from rne.dynamics.forward_dynamics import forward_dynamics
from rne.dynamics.frame_motion import frame_acceleration, frame_velocity
from rne.dynamics.inverse_dynamics import friction_torque, gravity_vector, inverse_dynamics
from rne.dynamics.kinematic_derivatives import jacobian_dot
from rne.dynamics.kinematics import forward_kinematics, jacobian
from rne.dynamics.mass_matrix import mass_matrix, mass_matrix_inverse
from rne.dynamics.statics import joint_wrenches, static_torque
from rne.dynamics.torque_gradient import inverse_dynamics_vjp
from rne.errors import SingularError
from rne.identification.regressor import regressor, regressor_vjp
from rne.model.parameters import OF_BODY
from rne.model.robot import Robot
from rne.verification.derivative_identities import pace
from rne.verification.identities import ROUNDING, SMALLEST, TINY, Identity, Motions, as_share
from rne.verification.kinematic_identities import moving_frames, some_wrenches

Array = NDArray[np.float64]

HALF = 1e-3  # tolerance for float32, with rounding of 6e-8: about 1e-6 on arms, 1e-4 on the longest chains
FIXED = ("christoffel",)  # functions for robots with a fixed base only
SEVERAL = 8  # number of frames that are called one by one; the code is the same for all


@dataclass(frozen=True)
class States:
    """Arguments of the functions: positions (samples, nq) or (nq,); velocities, accelerations, torques, of n each."""

    q: Any
    qd: Any
    qdd: Any
    tau: Any

    def each(self, change: Callable[[Any], Any]) -> States:
        """Apply a function to every array."""
        return States(change(self.q), change(self.qd), change(self.qdd), change(self.tau))


Function = Callable[[Robot, States], Any]
Share = Callable[[Motions, Array, Array], Array]


def _frames(robot: Robot) -> list[str]:
    names = moving_frames(robot)
    return names[:: -(-len(names) // SEVERAL) or 1]


def _over_frames(call: Callable[[Robot, States, str], Any]) -> Function:
    """Turn a function of one frame into one of several frames, (..., frames, numbers)."""

    def every(robot: Robot, x: States) -> Any:
        found = [np.asarray(call(robot, x, name)).reshape(*x.q.shape[:-1], -1) for name in _frames(robot)]
        return np.stack(found, axis=-2) if found else np.zeros((*x.q.shape[:-1], 0, 1))

    return every


def _one_wrench(robot: Robot, x: States) -> Any:
    """Apply a single wrench: for one state, only that reaches the compiled function for one state."""
    wrenches = some_wrenches(robot)
    name = list(wrenches)[-1]
    return static_torque(robot, x.q, {name: wrenches[name].astype(x.q.dtype)})


def _derivatives_with_wrenches(robot: Robot, x: States) -> Any:
    wrenches = {name: wrench.astype(x.q.dtype) for name, wrench in some_wrenches(robot).items()}
    return np.stack(inverse_dynamics_derivatives(robot, x.q, x.qd, x.qdd, f_ext=wrenches), axis=-3)


# Each of these returns the errors (samples, ...) of a result relative to a suitable scale. Errors that belong to joints
# keep the axis of the joints, as in `rne.verification.identities`.


def _of_torques(m: Motions, error: Array, wanted: Array) -> Array:
    return np.asarray(np.abs(error) / (m.scale + np.abs(wanted)))


def _of_inertias(m: Motions, error: Array, _: Array) -> Array:
    return as_share(m, error)


def _of_velocity(m: Motions, error: Array, _: Array) -> Array:
    speed = np.abs(m.qd).max(axis=-1, initial=0.0) + TINY
    return as_share(m, error / speed[:, None, None])


def _of_symbols(m: Motions, error: Array, _: Array) -> Array:
    """Measure as torques, at the velocities of the sample."""
    speed = np.abs(m.qd)
    return np.asarray(np.einsum("sijk,sj,sk->si", np.abs(error), speed, speed) / m.scale)


def _of_accelerations(m: Motions, error: Array, _: Array) -> Array:
    """Measure by the effect of rounding of a torque along the eigenvector of the smallest eigenvalue."""
    own = np.sqrt(np.einsum("sii->si", m.D_ij)) + TINY
    size = np.linalg.norm(m.scale / own, axis=1) / m.weakest
    return np.asarray(np.abs(error) * own / (size[:, None] + TINY))


def _of_inverse(m: Motions, error: Array, _: Array) -> Array:
    own = np.sqrt(np.einsum("sii->si", m.D_ij)) + TINY
    return np.asarray(np.abs(error) * own[:, :, None] * own[:, None, :] * m.weakest[:, None, None] ** 2)


def _of_all(_: Motions, error: Array, wanted: Array) -> Array:
    """Measure by the largest of these numbers in all samples, such as the positions of all frames."""
    rows = np.abs(error).reshape(len(error), -1)
    return np.asarray(rows.max(axis=1, initial=0.0) / (np.abs(wanted).max(initial=0.0) + TINY))


def _of_parameters(m: Motions, error: Array, wanted: Array) -> Array:
    """Measure by the largest number of the same kind: mass, first moment or inertia, ten columns per link, or rotor."""
    links = m.robot.floating + len(m.robot.links.joints)
    bodies, drives = slice(0, len(OF_BODY) * links), slice(len(OF_BODY) * links, None)
    shape = (*error.shape[:-1], links, len(OF_BODY))
    pairs = [(error[..., drives], wanted[..., drives])]
    error, wanted = error[..., bodies].reshape(shape), wanted[..., bodies].reshape(shape)
    pairs += [(error[..., kind], wanted[..., kind]) for kind in (slice(0, 1), slice(1, 4), slice(4, 10))]
    found: Array = np.max([_of_all(m, *pair) for pair in pairs], axis=0)
    return found


def _of_motions(m: Motions, error: Array, wanted: Array) -> Array:
    """Measure linear and angular parts (..., 6) by the largest of each kind."""
    return np.maximum(_of_all(m, error[..., :3], wanted[..., :3]), _of_all(m, error[..., 3:], wanted[..., 3:]))


def _of_derivatives(m: Motions, error: Array, wanted: Array) -> Array:
    """Measure derivatives of torques by q, qd and qdd, (..., 3, n, n), by torques at the pace of the motion."""
    by_motion = [_of_rows(error[:, k], wanted[:, k], least) for k, least in enumerate((m.scale, m.scale / pace(m)))]
    return np.maximum(np.maximum(*by_motion), as_share(m, error[:, 2]))


def _of_stiffness(m: Motions, error: Array, wanted: Array) -> Array:
    return _of_rows(error, wanted, m.scale)


def _of_rows(error: Array, wanted: Array, scale: Array) -> Array:
    """Measure derivatives (samples, n, n) of torques by the largest of the row, but no less than a scale."""
    size = np.abs(wanted).max(axis=-1, initial=0.0) + scale
    return np.asarray(np.abs(error) / size[..., None])


def _of_gradient(m: Motions, error: Array, wanted: Array) -> Array:
    """Measure a gradient by q, qd and qdd, (..., 3, n), by the power of the torques."""
    power = (np.abs(m.qd) * m.scale).sum(axis=-1, keepdims=True)
    size = np.stack([power, power / pace(m), power / pace(m) / pace(m)], axis=1) + np.abs(wanted)
    return np.asarray((np.abs(error) / (size + TINY)).max(axis=1, initial=0.0))


def _of_inverted(m: Motions, error: Array, wanted: Array) -> Array:
    """Measure derivatives of accelerations (..., 3, n, n) by the effect of rounding, as accelerations and inverses."""
    own = np.sqrt(np.einsum("sii->si", m.D_ij)) + TINY
    torque = np.linalg.norm(m.scale / own, axis=1, keepdims=True)
    found = _of_inverse(m, error[:, 2], wanted[:, 2])
    for k, least in enumerate((torque, torque / pace(m))):
        size = least + np.abs(wanted[:, k] * own[..., None]).max(axis=(1, 2), initial=0.0)[:, None]
        share = np.abs(error[:, k] * own[..., None]) / (size[..., None] + TINY)
        found = np.maximum(found, share * m.weakest[:, None, None])
    return found


def _jacobian_rate(robot: Robot, x: States, frame: str) -> Any:
    """Return the rate beside the Jacobian at the speed of the motion, by which it is measured."""
    speed = np.abs(x.qd).max(axis=-1, initial=0.0)[..., None, None]
    return np.stack([jacobian_dot(robot, x.q, x.qd, frame), jacobian(robot, x.q, frame) * speed], axis=-1)


def _of_energies(m: Motions, error: Array, wanted: Array) -> Array:
    return _of_all(m, error[:, None], wanted)


FUNCTIONS: dict[str, tuple[Function, Share, int]] = {
    # name: the function, its measure of errors, and the size of its result as a power of n
    "inverse_dynamics": (lambda r, x: inverse_dynamics(r, x.q, x.qd, x.qdd), _of_torques, 1),
    "inverse_dynamics (gravity)": (
        lambda r, x: inverse_dynamics(r, x.q, x.qd, x.qdd, gravity=(1.0, 2.0, -3.0)),
        _of_torques,
        1,
    ),
    "friction_torque": (lambda r, x: friction_torque(r, x.qd), _of_torques, 1),
    "gravity_vector": (lambda r, x: gravity_vector(r, x.q), _of_torques, 1),
    "mass_matrix": (lambda r, x: mass_matrix(r, x.q), _of_inertias, 2),
    "mass_matrix_inverse": (lambda r, x: mass_matrix_inverse(r, x.q), _of_inverse, 2),
    "coriolis_matrix": (lambda r, x: coriolis_matrix(r, x.q, x.qd), _of_velocity, 2),
    "christoffel": (lambda r, x: christoffel(r, x.q), _of_symbols, 3),
    "forward_dynamics": (lambda r, x: forward_dynamics(r, x.q, x.qd, x.tau), _of_accelerations, 1),
    "forward_dynamics (aba)": (
        lambda r, x: forward_dynamics(r, x.q, x.qd, x.tau, method="aba", threads=1),
        _of_accelerations,
        1,
    ),
    "forward_dynamics (crba)": (
        lambda r, x: forward_dynamics(r, x.q, x.qd, x.tau, method="crba"),
        _of_accelerations,
        1,
    ),
    "kinetic_energy": (lambda r, x: kinetic_energy(r, x.q, x.qd), _of_energies, 0),
    "potential_energy": (lambda r, x: potential_energy(r, x.q), _of_energies, 0),
    "forward_kinematics": (_over_frames(lambda r, x, f: forward_kinematics(r, x.q, f)), _of_all, 1),
    "jacobian": (_over_frames(lambda r, x, f: jacobian(r, x.q, f)), _of_all, 2),
    "frame_velocity": (_over_frames(lambda r, x, f: frame_velocity(r, x.q, x.qd, f)), _of_motions, 1),
    "frame_acceleration": (
        _over_frames(lambda r, x, f: frame_acceleration(r, x.q, x.qd, x.qdd, f)),
        _of_motions,
        1,
    ),
    "static_torque": (_one_wrench, _of_all, 1),
    "joint_wrenches": (lambda r, x: joint_wrenches(r, x.q, x.qd, x.qdd), _of_motions, 1),
    "regressor": (lambda r, x: regressor(r, x.q, x.qd, x.qdd), _of_parameters, 2),
    "inverse_dynamics_derivatives": (
        lambda r, x: np.stack(inverse_dynamics_derivatives(r, x.q, x.qd, x.qdd), axis=-3),
        _of_derivatives,
        2,
    ),
    "inverse_dynamics_derivatives (wrenches)": (_derivatives_with_wrenches, _of_derivatives, 2),
    "inverse_dynamics_vjp": (
        lambda r, x: np.stack(inverse_dynamics_vjp(r, x.q, x.qd, x.qdd, x.qd), axis=-2),
        _of_gradient,
        1,
    ),
    "forward_dynamics_derivatives": (
        lambda r, x: np.stack(forward_dynamics_derivatives(r, x.q, x.qd, x.tau), axis=-3),
        _of_inverted,
        2,
    ),
    "gravity_derivative": (lambda r, x: gravity_derivative(r, x.q), _of_stiffness, 2),
    "jacobian_dot": (_over_frames(_jacobian_rate), _of_all, 2),
    "regressor_vjp": (lambda r, x: regressor_vjp(r, x.q, x.qd, x.qdd, x.qd), _of_parameters, 1),
    "center_of_mass": (lambda r, x: center_of_mass(r, x.q), _of_all, 0),
    "center_of_mass_velocity": (lambda r, x: center_of_mass_velocity(r, x.q, x.qd), _of_all, 0),
    "center_of_mass_jacobian": (lambda r, x: center_of_mass_jacobian(r, x.q), _of_all, 1),
}


def _alone(function: Function, robot: Robot, x: States) -> Array:
    """Call the function for one state at a time; returns (samples, ...)."""
    return np.stack([np.asarray(function(robot, x.each(lambda a, k=k: a[k].copy()))) for k in range(len(x.q))])  # type: ignore[misc]


def _agreement(name: str, single: bool, m: Motions) -> Array:
    """Deviation from the batch in float64 of calls state by state or, with `single`, of both kinds in float32."""
    function, share, power = FUNCTIONS[name]
    if "center" in name and m.robot.total_mass == 0:  # undefined
        return np.zeros(len(m.q))
    inverted = share in (_of_accelerations, _of_inverse, _of_inverted)
    if inverted and not (m.weakest > SMALLEST).all():  # reported by the identity of the mass matrix
        return np.zeros(m.qd.shape)
    found = []
    for part in m.slices(8 * m.robot.n**power):
        rows = States(m.q[part], m.qd[part], m.qdd[part], m.tau[part])
        of = m.part(part)
        if single:  # use states that float32 represents exactly
            rows = rows.each(lambda a: a.astype(np.float32))
        try:
            wanted = np.asarray(function(m.robot, rows.each(lambda a: a.astype(np.float64))))
            results = [_alone(function, m.robot, rows)]
            if single:
                results.append(np.asarray(function(m.robot, rows)))
            found.append(np.max([share(of, got.astype(np.float64) - wanted, wanted) for got in results], axis=0))
        except SingularError:  # wrong here, since the mass matrix is not singular
            found.append(np.full(m.qd[part].shape, np.inf))
    return np.concatenate(found)


VARIANTS = tuple(
    Identity(f"{name} {what}", tolerance, partial(_agreement, name, single), fixed=name in FIXED)
    for what, tolerance, single in (
        ("of one state is that of a batch", ROUNDING, False),
        ("in float32 is that in float64", HALF, True),
    )
    for name in FUNCTIONS
)
