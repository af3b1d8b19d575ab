"""Full parameters for identified base parameters: the physically consistent ones nearest to the prior."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rne.identification.base_parameters import BaseParameters
from rne.model.parameters import (
    OF_BODY,
    OF_FRICTION,
    coupled_joints,
    from_pseudo_inertias,
    passive_dampers,
    physical,
    pseudo_inertias,
    units,
)

Array = NDArray[np.float64]

ROUNDS = 100
SURE = 1e-6  # least standard deviation of a base parameter, in units of the links, if beta may change
NEAR = 1e-11  # tolerance for the base parameters, in units of the links; smaller numbers are set to zero

_SIZE = len(OF_BODY)
_EACH = pseudo_inertias(np.eye(_SIZE))  # contribution of each parameter of a body to its pseudo-inertia
_INVERSE_METRIC: Array = np.asarray(np.linalg.inv(np.einsum("kij,lij->kl", _EACH, _EACH)))


def nearest(base: BaseParameters, prior: Array, beta: Array, covariance: Array | None = None) -> Array:
    """Return the parameters pi nearest to `prior` with K pi = beta, physically consistent if any such exist.

    With a covariance of beta, return the physically consistent parameters that minimize the sum of the squared distance
    from `prior` and the squared error of beta in standard deviations; these always exist.

    Distances are between pseudo-inertias, with the mass and the radius of gyration of each link in `prior` as units.
    The nearest point in the intersection of an affine subspace and a cone is the projection onto the cone of the start,
    shifted by some y orthogonally to the subspace; Newton's method finds the y for which it lies in the subspace
    (Malick 2004; Qi, Sun 2006).
    """
    return _solved(base, prior, beta, covariance)[0]


def spread(base: BaseParameters, prior: Array, beta: Array, covariance: Array) -> Array:
    """Return the derivative (b, b) of the base parameters of `nearest` with that covariance by `beta`."""
    return _solved(base, prior, beta, covariance)[1]


def _solved(base: BaseParameters, prior: Array, beta: Array, covariance: Array | None) -> tuple[Array, Array]:
    """Return the nearest parameters, and the derivative of their base parameters by `beta`."""
    floor, dampers = np.zeros(len(prior)), _dampers(base, len(prior))
    coupled = coupled_joints(base.robot.tree)
    free = dampers[[name in coupled for name in base.robot.links.joints[: len(dampers)]]]
    floor[free] = -np.inf  # whether couplings compensate for negative dampers is judged for all of them together
    found, slope = _nearest(base, prior, beta, covariance, floor)
    if covariance is None or not free.size:
        return found, slope
    # Noise may have left active dampers. Raise them by the same amount until they are passive; larger values are too.
    raised = passive_dampers(base.robot.tree, base.robot.links.joints, found[dampers])
    if np.array_equal(raised, found[dampers]):
        return found, slope
    floor[dampers] = np.where(np.isinf(floor[dampers]), raised, floor[dampers])
    return _nearest(base, prior, beta, covariance, floor)


def _dampers(base: BaseParameters, count: int) -> NDArray[np.intp]:
    """Return the indices of the viscous friction among `count` parameters; none without friction."""
    links = len(base.robot.links.joints)
    first = count - len(OF_FRICTION) * links
    return np.arange(first, first + links * base.friction)


def _nearest(
    base: BaseParameters, prior: Array, beta: Array, covariance: Array | None, floor: Array
) -> tuple[Array, Array]:
    """Do the work of `_solved` with a lower bound for each parameter of a drive."""
    links = len(base.robot.links.joints)
    unit = _units(base, prior, beta)
    least = floor[links * _SIZE :] / unit[links * _SIZE :]
    start, K = prior / unit, base.K * unit
    across = _blocks(np.broadcast_to(_INVERSE_METRIC, (links, _SIZE, _SIZE)), np.ones(len(prior) - links * _SIZE)) @ K.T
    length = np.sqrt(np.einsum("ij,ji->i", K, across))
    K, across, beta = K / length[:, None], across / length, beta / length
    give = np.zeros((len(beta), len(beta)))
    if covariance is not None:
        give += covariance / np.outer(length, length) + SURE**2 * np.eye(len(beta))
    onto = across @ np.linalg.inv(K @ across)

    def dual(y: Array) -> tuple[float, Array]:
        """Return the dual function, which y minimizes, and the point in the cone."""
        point = _cone(start + across @ y, links, least)
        J, drives = _split(point, links)
        # With nonzero bounds, the dual has |way|^2 - |way - drives|^2 in place of |drives|^2.
        way = _split(start + across @ y, links)[1]
        return float(np.sum(J**2) + np.sum(way**2 - (way - drives) ** 2) + y @ give @ y) / 2 - float(beta @ y), point

    found = _rounded(start + onto @ (beta - K @ start))
    if covariance is not None or not _sound(found * unit, links, floor):
        y = np.zeros(len(beta))
        value, point = dual(y)
        for _ in range(ROUNDS):
            miss = beta - K @ point - give @ y
            size = np.abs(miss).max()
            if size < NEAR:
                found = _rounded(point)
                break
            slope = K @ _cone_slope(start + across @ y, links, least) @ across + give
            step = np.linalg.solve(slope + 1e-3 * min(size, 1e-3) * np.eye(len(y)), miss)
            share, there = 1.0, dual(y + step)
            noise = 1e-14 * (1 + abs(value))  # rounding of differences of values near the minimum
            while there[0] > value - 1e-4 * share * (miss @ step) + noise and share > 1e-8:
                share /= 2
                there = dual(y + share * step)
            y, (value, point) = y + share * step, there
        else:
            found = found if covariance is None else point
    if covariance is None:
        return found * unit, np.eye(len(beta))
    slope = K @ _cone_slope(start + across @ y, links, least) @ across
    return found * unit, np.linalg.solve(slope + give, slope).T * length[:, None] / length


def _units(base: BaseParameters, prior: Array, beta: Array) -> Array:
    """Return the units of the parameters: massless links take the mean of the others, drives their own magnitude."""
    links = len(base.robot.links.joints)
    bodies, drives = np.split(prior, [links * _SIZE])
    bodies = bodies.reshape(links, -1)
    mass, radius = units(bodies)
    there = bodies[:, 0] > 0
    if there.any():
        mass, radius = (np.where(there, x, x[there].mean()) for x in (mass, radius))
    first, second = mass * radius, mass * radius**2
    size = np.zeros_like(prior)
    size[base.independent] = np.abs(beta)
    of_drives = np.maximum(np.resize(second, len(drives)), np.maximum(np.abs(drives), size[links * _SIZE :]))
    return np.append(np.stack([mass, *(first,) * 3, *(second,) * 6], axis=-1), of_drives)


def _split(x: Array, links: int) -> tuple[Array, Array]:
    """Return the pseudo-inertias (links, 4, 4) and the drive parameters."""
    bodies, drives = np.split(x, [links * _SIZE])
    return pseudo_inertias(bodies.reshape(links, -1)), drives


def _blocks(of_bodies: Array, of_drives: Array) -> Array:
    """Assemble a block-diagonal matrix (P, P) from blocks (links, 10, 10) and a diagonal."""
    full = np.diag(np.append(np.zeros(len(of_bodies) * _SIZE), of_drives))
    for k, block in enumerate(of_bodies):
        here = slice(k * _SIZE, (k + 1) * _SIZE)
        full[here, here] = block
    return full


def _cone(x: Array, links: int, least: Array) -> Array:
    """Project onto the cone: pseudo-inertias without negative eigenvalues, drives within bounds."""
    J, drives = _split(x, links)
    values, Q = np.linalg.eigh(J)
    J = (Q * values.clip(0.0)[..., None, :]) @ Q.swapaxes(-1, -2)
    return np.append(from_pseudo_inertias(J), np.maximum(drives, least))


def _cone_slope(x: Array, links: int, least: Array) -> Array:
    """Derivative (P, P) of `_cone`: divided differences of the clipped eigenvalues in the eigenvector basis."""
    J, drives = _split(x, links)
    values, Q = np.linalg.eigh(J)
    clipped = values.clip(0.0)
    apart, rise = (v[:, :, None] - v[:, None, :] for v in (values, clipped))
    same = np.abs(apart) < 1e-12
    quotient = np.where(same, (values > 0)[:, :, None], rise / np.where(same, 1.0, apart))[:, None]
    Q = Q[:, None]
    turned = Q @ (quotient * (Q.swapaxes(-1, -2) @ _EACH @ Q)) @ Q.swapaxes(-1, -2)
    return _blocks(from_pseudo_inertias(turned).swapaxes(-1, -2), (drives > least).astype(float))


def _sound(pi: Array, links: int, floor: Array) -> bool:
    bodies, drives = np.split(pi, [links * _SIZE])
    return bool(physical(bodies.reshape(links, -1)).all() and (drives >= floor[links * _SIZE :]).all())


def _rounded(x: Array) -> Array:
    """Set numbers at rounding level to zero."""
    return np.where(np.abs(x) < NEAR, 0.0, x)
