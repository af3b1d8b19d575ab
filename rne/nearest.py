"""Full parameters for identified base parameters: the nearest to those known before with which bodies exist."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rne.inertial import OF_BODY, from_pseudo_inertias, physical, pseudo_inertias
from rne.regrouping import BaseParameters

Array = NDArray[np.float64]

ROUNDS = 2000
NOTHING = 1e-9  # a rotor inertia or friction below zero by less, as a part of the inertia of its link, is zero


def nearest(base: BaseParameters, prior: Array, beta: Array) -> Array:
    """Return the parameters pi nearest `prior` with K pi = beta and, if there are any, with bodies that can exist.

    Projections onto the flat K pi = beta and onto the cone of pseudo-inertias without negative eigenvalue in turn, with
    Dykstra's correction, go to the nearest point of both (Boyle, Dykstra 1986); the flat comes last.
    """
    space = _Space(prior, len(base.robot.links.joints))
    toward = space.metric_inverse @ base.K.T
    toward = toward @ np.linalg.inv(base.K @ toward)
    pi, owed, found = prior, np.zeros_like(prior), prior
    for _ in range(ROUNDS):
        found = pi + toward @ (beta - base.K @ pi)
        if space.sound(found):
            break
        pi = space.cone(found + owed)
        owed = found + owed - pi
    return space.rounded(found)


class _Space:
    """Parameters as pseudo-inertias in units of mass and radius of gyration, link by link, and drives."""

    def __init__(self, prior: Array, links: int) -> None:
        self.links, self.bodies = links, len(OF_BODY) * links
        mass, radius = _units(prior[: self.bodies].reshape(links, -1))
        side = np.stack([radius, radius, radius, np.ones(links)], axis=-1)
        self.unit = mass[:, None, None] * side[:, :, None] * side[:, None, :]
        self.drive_unit = np.resize(mass * radius**2, len(prior) - self.bodies)
        self.metric_inverse = np.diag(np.append(np.zeros(self.bodies), self.drive_unit**2))
        each = (pseudo_inertias(np.eye(len(OF_BODY))) / self.unit[:, None]).reshape(links, len(OF_BODY), -1)
        for k, block in enumerate(np.linalg.inv(each @ each.swapaxes(-1, -2))):
            here = slice(k * len(OF_BODY), (k + 1) * len(OF_BODY))
            self.metric_inverse[here, here] = block

    def split(self, pi: Array) -> tuple[Array, Array]:
        """Return the bodies (links, 10), and the drives."""
        return pi[: self.bodies].reshape(self.links, -1), pi[self.bodies :]

    def cone(self, pi: Array) -> Array:
        """Return the nearest parameters with bodies that exist."""
        bodies, drives = self.split(pi)
        values, axes = np.linalg.eigh(pseudo_inertias(bodies) / self.unit)
        J = (axes * values.clip(0.0)[..., None, :]) @ axes.swapaxes(-1, -2)
        return np.append(from_pseudo_inertias(J * self.unit), drives.clip(0.0))

    def sound(self, pi: Array) -> bool:
        """Whether bodies and drives exist, but for rounding."""
        bodies, drives = self.split(pi)
        return bool(physical(bodies).all() and (drives >= -NOTHING * self.drive_unit).all())

    def rounded(self, pi: Array) -> Array:
        """Return the same without rounding below zero."""
        bodies, drives = self.split(pi)
        return np.append(bodies, np.where(np.abs(drives) < NOTHING * self.drive_unit, 0.0, drives))


def _units(bodies: Array) -> tuple[Array, Array]:
    """Mass and radius of gyration of bodies (links, 10); the mean of the others where one has none."""
    mass, moment = bodies[:, 0], bodies[:, [4, 7, 9]].sum(axis=1) / 2
    sound = (mass > 0) & (moment > 0)
    radius = np.sqrt(np.where(sound, moment, 1.0) / np.where(sound, mass, 1.0))
    if not sound.any():
        return np.ones_like(mass), radius
    return np.where(sound, mass, mass[sound].mean()), np.where(sound, radius, radius[sound].mean())
