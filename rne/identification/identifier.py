"""Identification in constant memory: samples are added chunk by chunk, and solved for at any time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import check_robot
from rne.check import check_flag, numbers
from rne.errors import ArgumentError
from rne.identification.accumulator import Accumulator
from rne.identification.base_parameters import BaseParameters, base_parameters
from rne.identification.equations import base_equations
from rne.identification.fit import Fit, check_unexcited
from rne.identification.moments import TORQUE_SQUARES, Moments
from rne.identification.report import Identification
from rne.identification.validation import Validation, compared
from rne.model.robot import Robot

Array = NDArray[np.float64]

ESTIMATED = "estimated"


class Identifier:
    """Identification of a robot in constant memory: add samples chunk by chunk, and solve at any time.

    It keeps sums of products of the regressor and the torques, joint by joint, in at most 64 blocks of consecutive
    samples, and the first 8192 samples themselves. `rne.identify` is this for arrays.

    Parameters
    ----------
    robot, gravity, rotors, friction, noise, unexcited : as in `rne.identify`.
    huber : bound of Huber's weights in standard deviations, such as 1.345; None for least squares. Needs `reference`.
    reference : an earlier `Identification` of the same data, about which residuals count as large; `rne.identify`
        repeats this until nothing changes.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value, or the robot has no joints.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> identifier = rne.Identifier(arm, rotors=False)
    >>> for seed in range(4):  # chunks of a long log
    ...     q, qd, qdd = np.random.default_rng(seed).normal(size=(3, 50, 2))
    ...     identifier.update(q, qd, qdd, rne.inverse_dynamics(arm.with_payload(0.5), q, qd, qdd))
    >>> identifier.samples, identifier.solve().beta.round(6) + 0.0
    (200, array([2.      , 0.      , 1.833333, 1.      , 0.      , 0.833333]))
    """

    def __init__(
        self,
        robot: Robot,
        *,
        gravity: ArrayLike | None = None,
        rotors: bool = True,
        friction: bool = False,
        noise: ArrayLike | str | None = ESTIMATED,
        unexcited: str = "fix",
        huber: float | None = None,
        reference: Identification | None = None,
    ) -> None:
        check_robot(robot)
        check_flag("friction", friction)
        check_unexcited(unexcited)
        weights = check_noise(robot, noise)
        bound = check_huber(huber)
        if (bound is None) != (reference is None):
            raise ArgumentError("reference: wanted together with huber: an earlier Identification of the same samples")
        if reference is not None and not isinstance(reference, Identification):
            raise ArgumentError(f"reference: wanted an Identification, got {type(reference).__name__}")
        base = base_parameters(robot, gravity=gravity, rotors=rotors, friction=friction)
        if not len(base):
            raise ArgumentError("robot: it has no joints, so there is nothing to identify")
        start = sd = None
        if reference is not None:
            start, sd = reference.beta, reference.noise
            if reference.base.names != base.names or len(start) != len(base):
                raise ArgumentError("reference: it is of another robot, or has other parameters")
        self._accumulator = Accumulator(base_equations(base), weights, unexcited, bound, start, sd)
        self._base = base

    @property
    def samples(self) -> int:
        """Number of samples so far."""
        return self._accumulator.samples

    def update(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, tau: ArrayLike) -> None:
        """Fill in more samples, which follow those before in time or begin another log.

        Parameters
        ----------
        q, qd, qdd : (..., n) measured positions, velocities and accelerations, filtered if necessary.
        tau : (..., n) measured torques, N m or N.

        Raises
        ------
        ArgumentError
            An argument has the wrong shape or type, or is not finite.
        """
        self._accumulator.add({"q": q, "qd": qd, "qdd": qdd, "tau": tau})

    def solve(self) -> Identification:
        """Return the parameters that all samples so far determine; more may be added afterwards.

        Returns
        -------
        found : Identification

        Raises
        ------
        ArgumentError
            There are no samples.
        """
        if not self.samples:
            raise ArgumentError("tau: there are no samples; add some by update")
        solution, moments, center = self._accumulator.solved()
        return _identification(self._base, self._accumulator, solution, moments, center)

    def validate(self, found: Identification) -> Validation:
        """Compare an identification with the samples of this identifier, which it should not come from.

        Parameters
        ----------
        found : result of another identifier, with the same `rotors` and `friction`.

        Returns
        -------
        validation : Validation

        Raises
        ------
        ArgumentError
            There are no samples, or `found` has other parameters.
        """
        if not isinstance(found, Identification) or found.base.names != self._base.names:
            raise ArgumentError("found: wanted an Identification of the same robot, with the same rotors and friction")
        if not self.samples:
            raise ArgumentError("tau: there are no samples; add some by update")
        return compared(found, self._accumulator)


def check_huber(huber: float | None) -> float | None:
    """Return the bound of Huber's weights; refuse what is no positive number."""
    if huber is None:
        return None
    bound = float(numbers("huber", huber, ()))
    if bound <= 0:
        raise ArgumentError(f"huber: wanted a positive number of standard deviations, or None; got {huber!r}")
    return bound


def check_noise(robot: Robot, noise: ArrayLike | str | None) -> Array | str | None:
    """Check standard deviations, or how they are estimated."""
    if noise is None or isinstance(noise, str):
        if noise not in (None, ESTIMATED):
            raise ArgumentError(f"noise: wanted {robot.n} standard deviations, {ESTIMATED!r} or None; got {noise!r}")
        return noise
    sd = numbers("noise", noise, (robot.n,))
    if (sd <= 0).any():
        raise ArgumentError(f"noise: wanted positive standard deviations, got {sd.tolist()}")
    return sd


def _identification(
    base: BaseParameters, data: Accumulator, solution: Fit, moments: Moments, center: Array
) -> Identification:
    """Return the report on a solution; with its uncertainty."""
    given, samples, total = data.equations.given, moments.samples, moments.total()
    weights = np.maximum(np.sum(moments.sums, axis=0)[:, -1] if data.huber else np.full(base.robot.n, samples), 1.0)

    def rms(change: Array) -> Array:
        return np.asarray(np.sqrt(moments.squares(total, change - center) / weights))

    change = center + solution.change
    change = np.where(np.isin(np.arange(len(given)), solution.weak) & (data.unexcited == "fix"), 0.0, change)
    covariance, prior = solution.covariance.copy(), np.diagonal(data.equations.prior)
    out = np.setdiff1d(np.arange(len(given)), solution.kept)
    covariance[out], covariance[:, out] = np.nan, np.nan
    loose = solution.covariance.copy()  # for the projection: what is not known may move by its plausible size
    loose[out, out] = prior[out]
    beta = given + change
    made = Identification(
        base=base,
        beta=beta,
        sd=np.sqrt(np.diagonal(covariance)),
        covariance=covariance,
        inflation=solution.inflation,
        freedom=solution.freedom,
        unexcited=tuple(base.expressions[k] for k in solution.weak),
        choice=data.unexcited,
        condition=solution.condition,
        samples=samples,
        torque=np.sqrt(np.sum(moments.sums, axis=0)[:, TORQUE_SQUARES] / samples),
        residual=rms(change),
        prior_residual=rms(np.zeros(len(given))),
        noise=solution.sd,
        autocorrelation=_autocorrelation(data, change),
    )
    grams = tuple(matrix.copy() for matrix in moments.of_joints(total))
    object.__setattr__(made, "_loose", loose)
    object.__setattr__(made, "_kept", data.kept())
    object.__setattr__(made, "_moments", (grams, center, weights))
    return made


def _autocorrelation(data: Accumulator, change: Array) -> Array:
    """Return the correlation (n,) of residuals of successive samples, among the samples that were kept."""
    q, qd, qdd, tau = data.kept()
    rest = tau - data.equations.torque((q, qd, qdd))
    for j, X in enumerate(data.equations.columns((q, qd, qdd))):
        rest[:, j] -= X @ change[data.equations.index[j]]
    rest = rest - rest.mean(axis=0)
    power = np.sum(rest**2, axis=0)
    return np.asarray(np.sum(rest[1:] * rest[:-1], axis=0) / np.where(power > 0, power, 1.0))
