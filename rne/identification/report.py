"""The result of an identification: parameters, their uncertainties, and how well they predict."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import as_batch
from rne.check import numbers
from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.errors import ArgumentError
from rne.identification.base_parameters import BaseParameters
from rne.identification.delay import Delay, delay_of
from rne.identification.equations import Equations
from rne.identification.fit import student
from rne.identification.friction_laws import EXTRA, FrictionLaw, terms_of
from rne.identification.law_drives import with_laws
from rne.identification.nearest_parameters import nearest, spread
from rne.identification.regressor import parameters
from rne.identification.report_tables import parts, share_of
from rne.identification.solved import Solved
from rne.identification.validation import Validation, validation_of
from rne.model.drive import Drive
from rne.model.parameters import OF_BODY, OF_FRICTION, active_dampers, physical
from rne.model.robot import Robot
from rne.tables import Part, Report

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Identification(Report):
    """Identified parameters of a robot and their uncertainties; printing shows a report.

    Attributes
    ----------
    base : definition of the identified base parameters; `base.robot` is the given robot, with the gravity of the call.
    beta, sd : (b,) their values and standard deviations, which hold for correlated noise too; the standard deviation of
        a parameter that the motion does not show is NaN, unless it was drawn towards the given robot ("ridge"). All are
        NaN if there are no more torques than parameters, so that nothing is left to estimate the noise from.
    covariance : (b, b) covariance matrix of the values, NaN where `sd` is.
    inflation : (b,) factors by which correlation of the noise raises the variances.
    freedom : (b,) degrees of freedom of the standard deviations.
    unexcited : expressions of the base parameters that the motion does not show.
    choice : what became of these: "fix", "drop" or "ridge".
    condition : condition number of the weighted regressor with columns of length 1. Values of some tens are good;
        relative errors of the model, unlike noise, can be amplified by this factor.
    samples : number of samples.
    torque : (n,) root mean square of the measured torque of each joint, N m or N.
    residual : (n,) root mean square of measured minus calculated torque, N m or N.
    prior_residual : (n,) the same for the given robot.
    noise : (n,) standard deviations of the measured torques used as weights, given or estimated, N m or N. Up to two
        samples for each parameter of a joint, one is estimated for all joints.
    autocorrelation : (n,) correlation of residuals of successive samples, zero for white noise; over the first 8192.
    laws : friction laws of the joints, with ``friction="select"``; `residual`, `torques` and `friction` are with these.
        `robot` has them too; `beta` and `pi` have the viscous and Coulomb friction that comes nearest to them.
    lag : delay of the torques behind the positions that was taken out of the samples, s.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 50, 2))
    >>> rne.identify(arm, q, qd, qdd, rne.inverse_dynamics(arm, q, qd, qdd)).residual.round(9)
    array([0., 0.])
    """

    DERIVED: ClassVar = ("pi", "unphysical", "relative_sd", "relative", "physical_residual", "delay")

    base: BaseParameters
    beta: Array
    sd: Array
    covariance: Array
    inflation: Array
    freedom: Array
    unexcited: tuple[str, ...]
    choice: str
    condition: float
    samples: int
    torque: Array
    residual: Array
    prior_residual: Array
    noise: Array
    autocorrelation: Array
    _solved: Solved
    laws: tuple[FrictionLaw, ...] = ()
    lag: float = 0.0

    @cached_property
    def pi(self) -> Array:
        """Parameters (P,) with base parameters `beta` that are nearest to those of the given robot, see `identify`."""
        return nearest(self.base, self._given, self.beta)

    @cached_property
    def pi_physical(self) -> Array:
        """Most likely physically consistent parameters (P,), for use where those of `pi` are not.

        Their base parameters differ from `beta`, by little more than noise if the model is right. They minimize the sum
        of the squares of these differences, in standard deviations, and of the distance from the given robot.
        """
        return nearest(self.base, self._given, self.beta, self._solved.covariance)

    @cached_property
    def sd_physical(self) -> Array:
        """Standard deviations (b,) of the base parameters of `pi_physical`; NaN where `sd` is.

        They are smaller than `sd` where physical consistency or the given robot decides. To first order, an estimate on
        the boundary of what is consistent does not move across it; but the true value may be inside, at about the
        distance that noise has. So the mean of both variances is taken, with and without the boundary.
        """
        slope = spread(self.base, self._given, self.beta, self._solved.covariance)
        known = np.nan_to_num(self.covariance)
        variance = (np.einsum("ij,jk,ik->i", slope, known, slope) + np.diagonal(known)) / 2
        found = np.sqrt(np.maximum(variance, 0.0))
        return np.where(np.isnan(self.sd), np.nan, found)

    @cached_property
    def delay(self) -> Delay | None:
        """Delay of torques left in the first 8192 samples; None where these are not in the order of time."""
        return delay_of(self.kept, self.equations, self.vector - self.equations.given, self.noise)

    @property
    def relative_sd(self) -> Array:
        """Standard deviations (b,) relative to the values; infinite for a value of zero."""
        size = np.abs(self.beta)
        return np.asarray(np.where(size > 0, self.sd / np.where(size > 0, size, 1.0), np.inf * np.sign(self.sd + 1.0)))

    @property
    def relative(self) -> Array:
        """Residuals (n,) relative to the measured torques; NaN for a joint without torque."""
        return share_of(self.torque, self.residual)

    @cached_property
    def physical_residual(self) -> Array:
        """RMS (n,) of measured minus calculated torque for the physically consistent robot, N m or N."""
        return self._solved.rms(self.of_consistent)

    @property
    def of_consistent(self) -> Array:
        """Values of all parameters of `equations` for the physically consistent robot."""
        return self._consistent[1]

    @cached_property
    def _consistent(self) -> tuple[dict[str, Drive], Array]:
        """Drives of the physically consistent robot that carry friction laws, and all its parameters."""
        return self._solved.consistent(self.base.K @ (self.pi_physical if self.unphysical else self.pi))

    @property
    def vector(self) -> Array:
        """Values of all parameters of `equations`."""
        return self._solved.vector

    @property
    def equations(self) -> Equations:
        """The equations that were solved."""
        return self._solved.equations

    @property
    def speed(self) -> Array:
        """Velocities (n,) that the terms of the friction laws are relative to."""
        return np.array([law.speed for law in self.laws])

    @property
    def kept(self) -> tuple[Array, Array, Array, Array]:
        """The first samples, at most 8192, for pictures: q, qd, qdd and tau, (samples, n) each."""
        return self._solved.kept

    @property
    def _given(self) -> Array:
        base = self.base
        return parameters(base.robot, rotors=base.rotors, friction=base.friction)

    @cached_property
    def unphysical(self) -> tuple[str, ...]:
        """Joints whose links or drives have physically impossible parameters in `pi`.

        Rotor inertias and Coulomb friction must not be negative; dampers may be, where couplings compensate for it.

        Empty if physically consistent parameters with the identified base parameters were found. Otherwise, noise or
        unmodeled friction is the likely cause, and `robot` has the parameters `pi_physical`.
        """
        joints = self.base.robot.links.joints
        size = len(OF_BODY) * len(joints)
        sound = physical(self.pi[:size].reshape(len(joints), -1))
        drives = self.pi[size:].reshape(-1, len(joints))
        driving: set[str] = set()
        if self.base.friction:  # dampers are judged together, see `rne.model.passivity`
            driving = active_dampers(self.base.robot.tree, joints, drives[-len(OF_FRICTION)])
            drives = np.delete(drives, -len(OF_FRICTION), axis=0)
        sound &= (drives >= 0).all(axis=0)
        return tuple(joint for joint, good in zip(joints, sound, strict=True) if not good or joint in driving)

    @property
    def robot(self) -> Robot:
        """The physically consistent robot: with the parameters `pi`, or with `pi_physical` if some are `unphysical`.

        Its drives carry the friction `laws`, fitted to its bodies, or viscous and Coulomb friction where no drive can.
        ``base.robot.with_parameters(pi, strict=False)`` has exactly the identified torques in that case, too, unless it
        is a drive that is unphysical.
        """
        robot = self.base.robot.with_parameters(self.pi_physical if self.unphysical else self.pi)
        return with_laws(robot, self._consistent[0])

    def interval(self, level: float = 0.95) -> Array:
        """Confidence intervals (b, 2) of the base parameters, from Student's distribution; NaN where `sd` is.

        Parameters
        ----------
        level : probability that the interval of a parameter holds its true value.

        Returns
        -------
        interval : lower and upper bounds.

        Raises
        ------
        ArgumentError
            `level` is not between 0 and 1.

        Examples
        --------
        >>> import numpy as np, rne
        >>> arm = rne.load("models/planar2/robot.dh.toml")
        >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 50, 2))
        >>> noise = np.random.default_rng(1).normal(size=q.shape)
        >>> found = rne.identify(arm, q, qd, qdd, rne.inverse_dynamics(arm, q, qd, qdd) + noise)
        >>> low, high = found.interval().T
        >>> bool((low < found.beta).all() and (found.beta < high).all())
        True
        """
        share = float(numbers("level", level, ()))
        if not 0 < share < 1:
            raise ArgumentError(f"level: wanted a number between 0 and 1, got {level!r}")
        reach = np.array([student(share, freedom) for freedom in self.freedom]) * self.sd
        return np.stack([self.beta - reach, self.beta + reach], axis=1)

    def torques(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Return the torques (..., n) of the identified base parameters, be they physically consistent or not.

        Parameters
        ----------
        q, qd, qdd : (..., n) positions, velocities and accelerations.

        Returns
        -------
        tau : (..., n) N m or N.

        Raises
        ------
        ArgumentError
            An argument has the wrong shape or type.

        Examples
        --------
        >>> import numpy as np, rne
        >>> arm = rne.load("models/planar2/robot.dh.toml")
        >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 50, 2))
        >>> tau = rne.inverse_dynamics(arm.with_payload(1.0), q, qd, qdd)
        >>> bool(np.allclose(rne.identify(arm, q, qd, qdd, tau).torques(q, qd, qdd), tau))
        True
        """
        tau = inverse_dynamics(self.base.robot, q, qd, qdd, friction=self.base.friction)
        change = self.base.regressor(q, qd, qdd) @ (self.beta - self.base.values())
        if self.laws:
            change = change - self._standard(q, qd, qdd) + self.friction(q, qd, qdd)
        return np.asarray(tau + change)

    def friction(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Return the part of `torques` that is identified friction; zero without ``friction=True``.

        Parameters
        ----------
        q, qd, qdd : (..., n) positions, velocities and accelerations.

        Returns
        -------
        tau : (..., n) N m or N.

        Raises
        ------
        ArgumentError
            An argument has the wrong shape or type.

        Examples
        --------
        >>> import numpy as np, rne
        >>> arm = rne.load("models/planar2/robot.dh.toml").with_dampers([0.5, 0.2])
        >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 50, 2))
        >>> found = rne.identify(arm, q, qd, qdd, rne.inverse_dynamics(arm, q, qd, qdd, friction=True), friction=True)
        >>> found.friction([0.0, 0.0], [1.0, 1.0], [0.0, 0.0]).round(6)
        array([0.5, 0.2])
        """
        return self._of_laws(q, qd, qdd) if self.laws else self._standard(q, qd, qdd)

    def _standard(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Return the viscous and Coulomb friction among the base parameters."""
        base = self.base
        own = base.independent >= len(base.names) - len(OF_FRICTION) * len(base.robot.links.joints) * base.friction
        return np.asarray(base.regressor(q, qd, qdd)[..., own] @ self.beta[own])

    def _of_laws(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Return the friction of the chosen laws."""
        batch = as_batch(self.base.robot, {"q": q, "qd": qd, "qdd": qdd}, required="q")
        position, velocity, acceleration = (batch.rows[name].astype(np.float64) for name in ("q", "qd", "qdd"))
        terms = terms_of(self.base.robot, (position, velocity, acceleration), self.speed)
        tau = np.zeros(velocity.shape)
        for j, law in enumerate(self.laws):
            plain = {
                "viscous": velocity[:, j],
                "coulomb_plus": (velocity[:, j] > 0) * 1.0,
                "coulomb_minus": (velocity[:, j] < 0) * -1.0,
            }
            for term, value in zip(law.terms, law.coefficients, strict=True):
                tau[:, j] += value * (plain[term] if term in plain else terms[:, j, EXTRA.index(term)])
        return tau.reshape(*batch.shape, self.base.robot.n)

    def validate(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, tau: ArrayLike) -> Validation:
        """Compare the result with measurements that it was not identified from.

        Parameters
        ----------
        q, qd, qdd, tau : (..., n) as in `identify`; for data that do not fit into memory see `Identifier.validate`.

        Returns
        -------
        validation : Validation

        Raises
        ------
        ArgumentError
            An argument has the wrong shape or type, or is not finite.

        Examples
        --------
        >>> import numpy as np, rne
        >>> arm = rne.load("models/planar2/robot.dh.toml")
        >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 100, 2))
        >>> tau = rne.inverse_dynamics(arm.with_payload(1.0), q, qd, qdd)
        >>> found = rne.identify(arm, q[:50], qd[:50], qdd[:50], tau[:50])
        >>> found.validate(q[50:], qd[50:], qdd[50:], tau[50:]).relative.round(6)
        array([0., 0.])
        """
        return validation_of(self, {"q": q, "qd": qd, "qdd": qdd, "tau": tau})

    def _parts(self) -> list[Part]:
        return parts(self)
