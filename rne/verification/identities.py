"""Identities of the dynamics checked by `rne.verify`: for each, one function and one entry of `IDENTITIES`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from rne import lagrange
from rne.dynamics.configuration import integrate
from rne.dynamics.coriolis import christoffel, coriolis_matrix
from rne.dynamics.energy import kinetic_energy, potential_energy
from rne.dynamics.forward_dynamics import forward_dynamics
from rne.dynamics.inverse_dynamics import coriolis_vector, gravity_vector, inverse_dynamics
from rne.dynamics.mass_matrix import mass_matrix, mass_matrix_inverse
from rne.dynamics.singular import SINGULAR
from rne.errors import SingularError
from rne.model.robot import Robot

Array = NDArray[np.float64]

ROUNDING = 1e-9  # both sides exact up to rounding: about 1e-15 on robots, 1e-12 on the longest chains
QUOTIENT = 1e-7  # one side is a fourth-order difference quotient with step STEP: about 1e-9
SMALLEST = SINGULAR  # bound on eigenvalues of mass matrices scaled to a unit diagonal; pivots are not smaller
STEP = 1e-3  # approximate motion of the fastest joint in a difference quotient, rad or m
TINY = float(np.finfo(np.float64).tiny)
ROOM = 1 << 20  # numbers in memory at a time, 8 MB; the symbols D_ijk take n^3 per sample


@dataclass(frozen=True)
class Motions:
    """Sampled states of a robot, q (samples, nq), qd and qdd (samples, n), and quantities that identities share."""

    robot: Robot
    q: Array
    qd: Array
    qdd: Array

    @cached_property
    def M(self) -> Array:  # noqa: N802
        """Mass matrices (samples, n, n)."""
        return mass_matrix(self.robot, self.q)

    @cached_property
    def C(self) -> Array:  # noqa: N802
        """Coriolis matrices (samples, n, n)."""
        return coriolis_matrix(self.robot, self.q, self.qd)

    @cached_property
    def tau(self) -> Array:
        """Torques (samples, n) from recursive Newton-Euler."""
        return inverse_dynamics(self.robot, self.q, self.qd, self.qdd)

    def slices(self, size: int) -> Iterator[slice]:
        """Split the samples into slices for a quantity with `size` numbers per sample."""
        step = max(1, ROOM // max(1, size))
        yield from (slice(k, k + step) for k in range(0, len(self.q), step))

    @cached_property
    def _of_symbols(self) -> tuple[Array, Array, Array]:
        """Contractions of Lagrange's symbols D_ijk, which are not kept: see the three properties that follow."""
        n = self.robot.n
        matrix, gross, error = np.empty((*self.qd.shape, n)), np.empty(self.qd.shape), np.empty(self.qd.shape)
        for part in self.slices(n**3):
            rows = part if len(self.q) == len(self.qd) else slice(None)  # otherwise many velocities at one position
            q, qd = self.q[part], self.qd[rows, None, :]
            speed = np.abs(qd)
            D = lagrange.christoffel(self.robot, q)
            matrix[rows] = times(D, qd)
            gross[rows] = times(times(np.abs(D), speed), speed[:, 0])
            D -= D if self.robot.floating else christoffel(self.robot, q)  # the kernel knows holonomic coordinates only
            error[rows] = times(times(np.abs(D), speed), speed[:, 0])
        return matrix, gross, error

    @property
    def D_ijk_qd(self) -> Array:  # noqa: N802
        """Coriolis matrices sum_k D_ijk qd_k (samples, n, n) from Lagrange; see also `D_ij` and `D_i`."""
        return self._of_symbols[0]

    @property
    def velocity_scale(self) -> Array:
        """sum_jk |D_ijk qd_j qd_k| (samples, n)."""
        return self._of_symbols[1]

    @property
    def symbol_error(self) -> Array:
        """Bound on torque errors due to the symbols, sum_jk |error of D_ijk| |qd_j qd_k| (samples, n)."""
        return self._of_symbols[2]

    @cached_property
    def weakest(self) -> Array:
        """Smallest eigenvalue (samples,) of Lagrange's mass matrix, scaled to a unit diagonal; NaN if undefined."""
        found = np.full(len(self.q), np.nan)
        own = np.sqrt(np.maximum(np.einsum("sii->si", self.D_ij), 0.0))
        for k, (D, root) in enumerate(zip(self.D_ij, own, strict=True)):
            if D.size and root.all() and np.isfinite(D).all():
                found[k] = np.linalg.eigvalsh(D / np.outer(root, root))[0]
        return found

    @cached_property
    def D_ij(self) -> Array:  # noqa: N802
        """Mass matrices (samples, n, n) from Lagrange."""
        return lagrange.inertia_matrix(self.robot, self.q)

    @cached_property
    def D_i(self) -> Array:  # noqa: N802
        """Gravity torques (samples, n) from Lagrange."""
        return lagrange.gravity_vector(self.robot, self.q)

    @cached_property
    def springs(self) -> Array:
        """Torques of the springs (samples, n) from Lagrange."""
        return lagrange.spring_torque(self.robot, self.q)

    @cached_property
    def scale(self) -> Array:
        """Torque scale (samples, n): sum of the absolute values of all contributions to the torque of a joint.

        A joint that carries almost no mass still inherits rounding from the rest of the robot, so the scale is at least
        a thousandth of the largest in the sample.
        """
        gross = times(np.abs(self.D_ij), np.abs(self.qdd)) + np.abs(self.D_i) + np.abs(self.springs)
        gross = gross + self.velocity_scale
        return np.asarray(np.maximum(gross, 1e-3 * gross.max(axis=-1, keepdims=True, initial=0.0)) + TINY)

    def part(self, part: slice) -> Motions:
        """Some of the samples, with the reference quantities already computed for them."""
        some = Motions(self.robot, self.q[part], self.qd[part], self.qdd[part])
        some.__dict__.update({name: getattr(self, name)[part] for name in ("scale", "D_ij", "weakest")})
        return some

    def at(self, time: Array) -> Motions:
        """The same motions shifted in time at constant acceleration; one time per sample."""
        t = time[:, None]
        q = integrate(self.robot, self.q, self.qd * t + self.qdd * t * t / 2)
        return Motions(self.robot, q, self.qd + self.qdd * t, self.qdd)

    def rate(self, quantity: Callable[[Motions], Array]) -> Array:
        """Time derivative of a quantity (samples, ...) by differences of fourth order.

        The step also accounts for accelerations: a joint at rest that accelerates moves within the step.
        """
        speed, change = (np.abs(x).max(axis=-1, initial=0.0) for x in (self.qd, self.qdd))
        h = STEP / np.maximum(np.maximum(speed, np.sqrt(change)), STEP)
        near = quantity(self.at(h)) - quantity(self.at(-h))
        far = quantity(self.at(2 * h)) - quantity(self.at(-2 * h))
        return np.asarray((8 * near - far) / (12 * h.reshape(-1, *[1] * (near.ndim - 1))))

    def each_joint_at_rest(self, k: int) -> Motions:
        """Sample k with the first joint at rest, with the second at rest, and so on; they share one q (1, n)."""
        moving = 1.0 - np.eye(self.robot.n)
        return Motions(self.robot, self.q[k : k + 1], self.qd[k] * moving, self.qdd[k] * moving)


def times(matrix: Array, vector: Array) -> Array:
    """Matrices (..., n, n) times vectors (..., n)."""
    return np.asarray((matrix @ vector[..., None])[..., 0])


def as_share(m: Motions, X: Array) -> Array:
    """Errors of inertias (samples, n, n) relative to sqrt(D_ii D_jj)."""
    own = np.sqrt(np.maximum(np.einsum("sii->si", m.D_ij), 0.0))
    own = np.maximum(own, 1e-3 * own.max(axis=-1, keepdims=True, initial=0.0)) + TINY
    return np.asarray(np.abs(X) / own[:, :, None] / own[:, None, :])


def _per_speed(m: Motions) -> Array:
    """Factor (samples, 1, 1) that scales C and dM/dt to inertias: the inverse of the speed of the fastest joint."""
    return np.asarray(1 / (np.abs(m.qd).max(axis=-1, initial=0.0) + TINY))[:, None, None]


# Each of these returns relative deviations (samples,), (samples, n) or (samples, n, n).


def _recursion(m: Motions) -> Array:
    wanted = times(m.D_ij, m.qdd) + times(m.D_ijk_qd, m.qd) + m.D_i + m.springs
    return np.asarray(np.abs(m.tau - wanted) / m.scale)


def _friction(m: Motions) -> Array:
    friction = lagrange.friction_torque(m.robot, m.qd)
    got = inverse_dynamics(m.robot, m.q, m.qd, m.qdd, friction=True) - m.tau
    return np.asarray(np.abs(got - friction) / (m.scale + np.abs(friction)))


def _inertias(m: Motions) -> Array:
    other = lagrange.paul_inertia_matrix(m.robot, m.q)
    return np.maximum(as_share(m, m.M - m.D_ij), as_share(m, m.M - other))


def _coriolis(m: Motions) -> Array:
    return as_share(m, (m.C - m.D_ijk_qd) * _per_speed(m))


def _symbols(m: Motions) -> Array:
    return np.asarray(m.symbol_error / m.scale)


def _inverse(m: Motions) -> Array:
    """Relative to 1 / weakest^2, by which small errors of a mass matrix may change its inverse."""
    if not (m.weakest > SMALLEST).all():  # reported by the identity of the mass matrix
        return np.zeros(m.qd.shape)
    own = np.sqrt(np.einsum("sii->si", m.D_ij))
    scaled = m.D_ij / own[:, :, None] / own[:, None, :]
    got = mass_matrix_inverse(m.robot, m.q) * own[:, :, None] * own[:, None, :]
    return np.asarray(np.abs(got - np.linalg.inv(scaled)) * m.weakest[:, None, None] ** 2)


def _terms(m: Motions) -> Array:
    velocity = times(m.C, m.qd)
    total = times(m.M, m.qdd) + velocity + gravity_vector(m.robot, m.q) + m.springs
    action = velocity - coriolis_vector(m.robot, m.q, m.qd)
    return np.asarray(np.maximum(np.abs(total - m.tau), np.abs(action)) / m.scale)


def _forward(m: Motions, method: str) -> Array:
    """Compare torques, since the rounding of a torque may change the acceleration of a light joint arbitrarily.

    An error of one acceleration affects the torques of many joints. Therefore the largest torque error of a sample is
    distributed over the joints in proportion to their acceleration errors, each scaled by its own inertia.
    """
    try:
        qdd = forward_dynamics(m.robot, m.q, m.qd, m.tau, method=method)
    except SingularError:  # if it is right to refuse, the identity of the mass matrix reports that, with the joint
        return np.full(m.qd.shape, 0.0 if (_definite(m) > -SMALLEST).any() else np.inf)
    worst = np.max(np.abs(inverse_dynamics(m.robot, m.q, m.qd, qdd) - m.tau) / m.scale, axis=-1, initial=0.0)
    error = np.abs(qdd - m.qdd) * np.sqrt(np.maximum(np.einsum("sii->si", m.D_ij), 0.0))
    return np.asarray(worst[:, None] * error / (error.max(axis=-1, keepdims=True, initial=0.0) + TINY))


def _kinetic(m: Motions) -> Array:
    speed = np.abs(m.qd)
    gross = (speed * times(np.abs(m.M), speed)).sum(axis=-1) / 2 + TINY
    K, by_matrix = kinetic_energy(m.robot, m.q, m.qd), (m.qd * times(m.M, m.qd)).sum(axis=-1) / 2
    other = lagrange.kinetic_energy(m.robot, m.q, m.qd)
    return np.asarray(np.maximum(np.abs(K - by_matrix), np.abs(K - other)) / gross)


def _potential(m: Motions) -> Array:
    by_body = lagrange.potential_energy(m.robot, m.q, per_body=True)
    gross = np.abs(by_body).sum(axis=-1) + TINY
    return np.asarray(np.abs(potential_energy(m.robot, m.q) - by_body.sum(axis=-1)) / gross)


def _power(m: Motions) -> Array:
    def energy(at: Motions) -> Array:
        return np.asarray(kinetic_energy(at.robot, at.q, at.qd) + potential_energy(at.robot, at.q))

    gross = (m.scale * np.abs(m.qd)).sum(axis=-1) + TINY
    return np.asarray(np.abs(m.rate(energy) - (m.tau * m.qd).sum(axis=-1)) / gross)


def _skew(m: Motions) -> Array:
    S = m.rate(lambda at: mass_matrix(at.robot, at.q)) - 2 * m.C
    return as_share(m, (S + np.swapaxes(S, 1, 2)) * _per_speed(m))


def _gravity(m: Motions) -> Array:
    steps = STEP * np.eye(m.robot.n)
    at = {k: integrate(m.robot, m.q[:, None, :], k * steps) for k in (-2, -1, 1, 2)}
    P = {k: potential_energy(m.robot, q, springs=False) for k, q in at.items()}
    gradient = (8 * (P[1] - P[-1]) - (P[2] - P[-2])) / (12 * STEP)
    return np.asarray(np.abs(gravity_vector(m.robot, m.q) - gradient) / m.scale)


def _definite(m: Motions) -> Array:
    """Minus the smallest eigenvalue, at the joint with the largest component of its eigenvector.

    Each coordinate is scaled by its own inertia, which makes angles and lengths, shoulders and fingers comparable.
    """
    deviation = np.full(m.qd.shape, -np.inf)
    own = np.sqrt(np.maximum(np.einsum("sii->si", m.M), 0.0))
    for sample, M in enumerate(m.M):
        if not np.isfinite(M).all():
            deviation[sample] = np.nan
        elif not own[sample].all():
            deviation[sample, own[sample].argmin()] = 0.0
        elif M.size:
            values, directions = np.linalg.eigh(M / np.outer(own[sample], own[sample]))
            deviation[sample, np.abs(directions[:, 0]).argmax()] = -values[0]
    return deviation


@dataclass(frozen=True)
class Identity:
    """An identity that the functions of rne must satisfy.

    Attributes
    ----------
    name : description.
    tolerance : the largest deviation that passes.
    deviation : function that returns deviations (samples,), or (samples, n, ...) if they belong to joints.
    by_motion : whether to attribute deviations (samples,), as of an energy, to the joint whose motion causes them.
    fixed : whether the functions are for robots with a fixed base only.
    """

    name: str
    tolerance: float
    deviation: Callable[[Motions], Array]
    by_motion: bool = False
    fixed: bool = False


IDENTITIES = (
    Identity("inverse dynamics is that of Lagrange", ROUNDING, _recursion),
    Identity("friction is that of Lagrange", ROUNDING, _friction),
    Identity("mass matrix is that of Lagrange", ROUNDING, _inertias),
    Identity("Coriolis matrix is that of Lagrange", ROUNDING, _coriolis),
    Identity("Christoffel symbols are those of Lagrange", ROUNDING, _symbols, fixed=True),
    Identity("mass matrix inverse undoes that of Lagrange", ROUNDING, _inverse),
    Identity("potential energy is that of Lagrange", ROUNDING, _potential),
    Identity("M qdd + C qd + g + springs is inverse dynamics", ROUNDING, _terms),
    Identity("forward dynamics (aba) undoes inverse dynamics", ROUNDING, partial(_forward, method="aba")),
    Identity("forward dynamics (crba) undoes inverse dynamics", ROUNDING, partial(_forward, method="crba")),
    Identity("kinetic energy is qd M qd / 2", ROUNDING, _kinetic, by_motion=True),
    Identity("power of torques is change of energy", QUOTIENT, _power, by_motion=True),
    Identity("Mdot - 2 C is skew-symmetric", QUOTIENT, _skew),
    Identity("gravity is gradient of potential energy", QUOTIENT, _gravity),
    Identity("mass matrix is positive definite", -SMALLEST, _definite),
)
