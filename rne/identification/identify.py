"""Parameters from measured motions and torques by least squares, with their uncertainties."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike

from rne.errors import ArgumentError, ModelWarning
from rne.identification.identifier import ESTIMATED, Identifier, check_huber
from rne.identification.report import Identification
from rne.model.robot import Robot

ROUNDS = 50  # largest number of passes for Huber's weights
PASSES = 4  # largest number of times that a delay is corrected
LEFT = 3.0  # standard deviations that may be left of a delay
STILL = 1e-3  # change of the parameters between passes, in standard deviations, at which they have converged


def identify(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    tau: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    rotors: bool = True,
    friction: bool | str = False,
    noise: ArrayLike | str | None = ESTIMATED,
    unexcited: str = "fix",
    huber: float | None = None,
    delay: float | str | None = None,
) -> Identification:
    """Identify the base parameters of a robot from measured motions and torques by least squares.

    Kinematics, springs and, with ``rotors=False``, rotors are those of the robot; its masses are the starting point for
    the full set of parameters. Sources: Atkeson, An, Hollerbach 1986; Gautier, Khalil 1990; Khalil, Dombre 2002,
    chapter 12.

    The base parameters do not determine the full set of parameters. The result holds the set nearest to that of the
    robot that is physically consistent, if there is one: no pseudo-inertia has a negative eigenvalue (Wensing, Kim,
    Slotine 2018), and no rotor inertia or friction is negative, except that dampers of coupled joints are judged
    together with the couplings. Distance is measured between pseudo-inertias, with the mass and the radius of gyration
    of each link as units. If noise leaves no such set, `unphysical` names the joints, and `pi_physical` holds the most
    likely consistent parameters. The `robot` of the result is physically consistent in both cases.

    The standard deviations hold for correlated noise, as filters leave it: they come from differences between up to 64
    stretches of the samples, which should therefore be in their order in time (block jackknife, Künsch 1989).

    Parameters
    ----------
    robot : prior model of the robot.
    q, qd, qdd : (..., n) measured positions, velocities and accelerations, filtered if necessary.
    tau : (..., n) measured torques, N m or N.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.
    rotors : whether to identify the reflected rotor inertias.
    friction : whether to identify viscous and Coulomb friction. Without it the model has no friction. "select" chooses
        a law for each joint, among none, viscous, Coulomb, smooth Coulomb, Stribeck, load-dependent friction, a root
        and an odd polynomial: the one with the fewest terms within two standard errors of the least held-out error.
        See `FrictionLaw`.
    noise : (n,) standard deviations of the torques, whose inverses are the weights. "estimated" estimates one per joint
        from its residuals, or one for all up to two samples for each parameter of a joint; None gives all torques the
        same weight.
    unexcited : what becomes of parameters that the motion does not show, as those of inertia in poses at rest, or of
        joints that do not move: "fix" keeps them as given, "drop" takes them as zero, "ridge" draws all parameters
        towards the given ones, with the size that links of this mass have as standard deviation. The report names them.
    huber : bound of Huber's weights against outliers, in standard deviations, such as 1.345; None for least squares.
    delay : time by which torques lag positions, s, which is taken out of the samples; "estimated" finds it. If None,
        nothing is taken out, and a delay that is certain is warned of. Samples must be consecutive in time. Friction
        that the model lacks biases a delay: where it is smooth, see ``friction="select"``.

    Returns
    -------
    Identification

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value, or is not finite; there are no samples.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 50, 2))
    >>> tau = rne.inverse_dynamics(arm.with_payload(0.5), q, qd, qdd)
    >>> found = rne.identify(arm, q, qd, qdd, tau, rotors=False)
    >>> found.beta.round(6) + 0.0
    array([2.      , 0.      , 1.833333, 1.      , 0.      , 0.833333])
    >>> found.unphysical, rne.base_parameters(found.robot, rotors=False).values().round(6)[0]
    ((), np.float64(2.0))
    """
    options: dict[str, object] = {"gravity": gravity, "rotors": rotors, "friction": friction, "noise": noise}
    options["unexcited"] = unexcited
    bound = check_huber(huber)
    if isinstance(delay, str) and delay != ESTIMATED:
        raise ArgumentError(f"delay: wanted seconds, {ESTIMATED!r} or None; got {delay!r}")
    options["delay"] = 0.0 if delay == ESTIMATED else delay

    def solved(**more: object) -> Identification:
        identifier = Identifier(robot, **options, **more)  # type: ignore[arg-type]
        identifier.update(q, qd, qdd, tau)
        return identifier.solve()

    found = solved()
    for _ in range(PASSES if delay == ESTIMATED else 0):
        left = found.delay
        if left is None:
            raise ArgumentError(
                "delay: the samples are not in the order of time, as far as positions and velocities say, so that none "
                "can be estimated; wanted a number of seconds or None"
            )
        if abs(left.common) < max(left.common_sd, STILL * left.period):
            break
        options["delay"] = found.lag + left.common
        found = solved()
    left = found.delay
    if delay == ESTIMATED and left is not None and abs(left.common) > max(LEFT * left.common_sd, STILL * left.period):
        warnings.warn(
            f"the delay has not settled: {1e3 * found.lag:.3g} ms were taken out, {1e3 * left.common:.3g} ms are left; "
            'the model lacks something that looks like a delay, such as smooth friction: see friction="select"',
            ModelWarning,
            stacklevel=2,
        )
    for _ in range(ROUNDS if bound is not None else 0):
        before, found = found, solved(huber=bound, reference=found)
        if converged(found, before):
            break
    return found


def converged(found: Identification, before: Identification) -> bool:
    """Return whether another pass with the weights of Huber has changed nothing that matters."""
    change = np.nan_to_num(np.abs(found.beta - before.beta) / found.sd)
    return bool(np.all(change <= STILL))
