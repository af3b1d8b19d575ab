"""Identification in constant memory: samples are added chunk by chunk, and solved for at any time."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import check_robot
from rne.check import check_choice, check_flag, numbers
from rne.errors import ArgumentError, ModelWarning
from rne.identification.accumulator import Accumulator
from rne.identification.base_parameters import base_parameters
from rne.identification.delay import Delay
from rne.identification.equations import Equations, base_equations
from rne.identification.fit import UNEXCITED
from rne.identification.friction_laws import LawEquations, chosen, law_equations, selected
from rne.identification.law_drives import without_curves
from rne.identification.report import Identification
from rne.identification.reporting import identification_of
from rne.identification.validation import Validation, compared
from rne.model.robot import Robot

Array = NDArray[np.float64]

ESTIMATED = "estimated"
SELECT = "select"


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
    delay : time by which torques lag positions, s, which is taken out of the samples; each call of `update` then takes
        consecutive samples, and loses some at its ends. If None, nothing is taken out, and `solve` warns of a delay.

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
        friction: bool | str = False,
        noise: ArrayLike | str | None = ESTIMATED,
        unexcited: str = "fix",
        huber: float | None = None,
        reference: Identification | None = None,
        delay: float | None = None,
    ) -> None:
        check_robot(robot)
        select = isinstance(friction, str) and friction == SELECT
        if not select:
            check_friction(friction)
        check_choice("unexcited", unexcited, UNEXCITED)
        weights = check_noise(robot, noise)
        bound, self._delay = check_huber(huber), check_delay(delay)
        if (bound is None) != (reference is None):
            raise ArgumentError("reference: wanted together with huber: an earlier Identification of the same samples")
        if reference is not None and not isinstance(reference, Identification):
            raise ArgumentError(f"reference: wanted an Identification, got {type(reference).__name__}")
        bare = without_curves(robot) if select else robot
        base = base_parameters(bare, gravity=gravity, rotors=rotors, friction=bool(friction))
        if not len(base):
            raise ArgumentError("robot: it has no joints, so there is nothing to identify")
        plain = base_equations(base)
        equations: Equations = law_equations(plain) if select else plain
        start = sd = None
        if reference is not None:
            start, sd, equations = reference.vector, reference.noise, reference.equations
            if reference.base.names != base.names or select != bool(reference.laws):
                raise ArgumentError("reference: it is of another robot, or has other parameters")
        self._accumulator = Accumulator(
            equations, weights, unexcited, bound, start, sd, final=reference is not None, lag=self._delay or 0.0
        )
        self._base = base

    @classmethod
    def like(cls, found: Identification) -> Identifier:
        """Return an identifier for data on which an identification is validated, with the same parameters.

        Parameters
        ----------
        found : the identification.

        Returns
        -------
        identifier : Identifier, without samples.

        Raises
        ------
        ArgumentError
            `found` is no Identification.

        Examples
        --------
        >>> import numpy as np, rne
        >>> arm = rne.load("models/planar2/robot.dh.toml")
        >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 100, 2))
        >>> tau = rne.inverse_dynamics(arm.with_payload(0.5), q, qd, qdd)
        >>> held_out = rne.Identifier.like(rne.identify(arm, q, qd, qdd, tau))
        >>> held_out.update(q, qd, qdd, tau)
        >>> held_out.samples
        100
        """
        if not isinstance(found, Identification):
            raise ArgumentError(f"found: wanted an Identification, got {type(found).__name__}")
        made = cls(
            found.base.robot,
            rotors=found.base.rotors,
            friction=SELECT if found.laws else found.base.friction,
        )
        made._accumulator = Accumulator(
            found.equations, ESTIMATED, "fix", start=found.vector, final=True, lag=found.lag
        )
        return made

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
        data, count = self._accumulator, len(self._base)
        moments, center = data.settled()
        if not isinstance(data.equations, LawEquations):
            solution = data.fit(moments, center)
            found = identification_of(self._base, data, solution, moments, center)
        else:
            plain = data.fit(moments, center, np.arange(count))
            choice = chosen(moments, data.equations, center, plain.sd)
            solution = data.fit(moments, center, selected(data.equations, choice.laws))
            found = identification_of(self._base, data, solution, moments, center, plain, choice)
        if data.huber is None and data.repeats.share:
            warnings.warn(_repeated(data.repeats.share), ModelWarning, stacklevel=2)
        if self._delay is None and data.huber is None and found.delay is not None and found.delay.certain:
            warnings.warn(_said(found.delay), ModelWarning, stacklevel=2)
        return found

    def validate(self, found: Identification) -> Validation:
        """Compare an identification with the samples of this identifier, which it should not come from.

        Parameters
        ----------
        found : result of another identifier, with the same `rotors` and `friction`; `like` makes such a one for it.

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
        own = self._accumulator.equations
        if found.laws and not (isinstance(own, LawEquations) and np.array_equal(own.speed, found.speed)):
            raise ArgumentError("found: its friction laws need an identifier made by rne.Identifier.like(found)")
        if not self.samples:
            raise ArgumentError("tau: there are no samples; add some by update")
        return compared(found, self._accumulator)


def check_friction(friction: bool | str) -> None:
    """Refuse what says nothing of friction."""
    if isinstance(friction, str):
        raise ArgumentError(f"friction: wanted True, False or {SELECT!r}, got {friction!r}")
    check_flag("friction", friction)


def _repeated(share: float) -> str:
    return (
        f"{100 * share:.0f} % of the samples came before, to the last bit, as if a log were given twice; they add no "
        "information, and make standard deviations too small; give each log once"
    )


def _said(delay: Delay) -> str:
    common, sd = 1e3 * delay.common, 1e3 * delay.common_sd
    return (
        f"torques lag positions by {common:.3g} ms (standard deviation {sd:.2g} ms), not counted in the deviations "
        'of the parameters; delay="estimated" or a number of seconds takes it out, delay=0 leaves it in'
    )


def check_delay(delay: float | None) -> float | None:
    """Return the delay; refuse what is no finite number."""
    return None if delay is None else float(numbers("delay", delay, ()))


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
