"""The equations of an identification: which columns multiply which parameters in the torque of each joint."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.identification.base_parameters import BaseParameters
from rne.identification.regressor import parameters, regressor
from rne.model.parameters import OF_BODY, OF_FRICTION, units
from rne.model.robot import Robot

Array = NDArray[np.float64]
Index = NDArray[np.intp]
State = tuple[Array, Array, Array]


class Equations(Protocol):
    """Torques linear in parameters: tau = given(state) + X(state) (parameters - given values).

    Attributes
    ----------
    robot : the given robot.
    names : names of the parameters.
    given : their given values.
    prior : covariance (parameters, parameters) of what a given robot of this size may be wrong by.
    index : of each joint, the parameters that its torque depends on.
    """

    @property
    def robot(self) -> Robot: ...  # noqa: D102
    @property
    def names(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def given(self) -> Array: ...  # noqa: D102
    @property
    def prior(self) -> Array: ...  # noqa: D102
    @property
    def index(self) -> tuple[Index, ...]: ...  # noqa: D102

    def scaled(self, qd: Array) -> Equations:
        """Return the equations with columns that suit such velocities (samples, n), if they depend on these."""

    def torque(self, state: State) -> Array:
        """Torques (samples, n) of the given values."""

    def columns(self, state: State) -> list[Array]:
        """Columns X of each joint, each with one more as room for the torque: (samples, len(index[joint]) + 1)."""


@dataclass(frozen=True, eq=False)
class BaseEquations:
    """The equations of the base parameters of a robot."""

    base: BaseParameters
    names: tuple[str, ...]
    given: Array
    prior: Array
    index: tuple[Index, ...]

    @property
    def robot(self) -> Robot:
        """The given robot."""
        return self.base.robot

    def scaled(self, qd: Array) -> BaseEquations:  # noqa: ARG002
        """Return the equations, which do not depend on velocities."""
        return self

    def torque(self, state: State) -> Array:
        """Torques (samples, n) of the given robot."""
        tau: Array = inverse_dynamics(self.robot, *state, friction=self.base.friction, threads=1)
        return tau

    def columns(self, state: State) -> list[Array]:
        """Columns of each joint, those of the regressor that belong to its base parameters, and one more."""
        base = self.base
        Y = regressor(self.robot, *state, rotors=base.rotors, friction=base.friction, threads=1)
        taken = Y.reshape(len(Y), -1).take(
            self.places, axis=1
        )  # all at once: a copy for each joint takes twice as long
        return np.split(taken, self.ends, axis=1)

    @cached_property
    def places(self) -> Index:
        """Places of the columns of all joints in a row of the regressor; any for the room."""
        base, width = self.base, len(self.base.names)
        of_joints = (np.append(base.independent[index], 0) + j * width for j, index in enumerate(self.index))
        return np.concatenate([np.empty(0, np.intp), *of_joints])

    @cached_property
    def ends(self) -> Index:
        """Where the columns of one joint end and those of the next begin."""
        return np.cumsum([len(index) + 1 for index in self.index])[:-1]


def base_equations(base: BaseParameters) -> BaseEquations:
    """Return the equations of base parameters."""
    robot, rng = base.robot, np.random.default_rng(0)
    # Which torques depend on which parameters follows from the tree; random states show it.
    state = rng.uniform(-1, 1, (3, 30, robot.n)) * np.array([np.pi, 2.0, 4.0])[:, None, None]
    felt = np.abs(base.regressor(*state)).max(axis=0, initial=0.0) > 0
    index = tuple(np.flatnonzero(row) for row in felt)
    scale = plausible(robot, base.rotors, base.friction)
    prior = (base.K * scale**2) @ base.K.T
    return BaseEquations(base, base.expressions, base.values(), prior, index)


def plausible(robot: Robot, rotors: bool, friction: bool) -> Array:
    """What the parameters of a robot may be wrong by, (P,): their size for bodies of this mass and size.

    Links without mass are as heavy as the others on average. A rotor counts as the inertia of its link, Coulomb
    friction as the weight of the link at its radius of gyration, viscous friction as that for each rad/s.
    """
    pi = parameters(robot, rotors=rotors, friction=friction)
    links = len(robot.links.joints)
    bodies = pi[: links * len(OF_BODY)].reshape(links, -1)
    mass, radius = units(bodies)
    there = bodies[:, 0] > 0
    mass, radius = (np.where(there, x, x[there].mean() if there.any() else 1.0) for x in (mass, radius))
    size = np.stack([mass, *(mass * radius,) * 3, *(mass * radius**2,) * 6], axis=1).ravel()
    drives = [mass * radius**2] * rotors + [9.81 * mass * radius] * (len(OF_FRICTION) * friction)
    sizes = np.concatenate([size, *drives]) if drives else size
    found: Array = np.maximum(sizes, np.abs(pi) * (np.arange(len(pi)) >= len(size)))
    return found
