"""Parameters from measured motions and torques: least squares, with what the numbers are worth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import as_batch, check_robot
from rne.check import numbers
from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.errors import ArgumentError
from rne.identification.base_parameters import BaseParameters, base_parameters
from rne.identification.nearest_parameters import nearest
from rne.identification.regressor import parameters
from rne.model.parameters import OF_BODY, OF_FRICTION, active_dampers, physical
from rne.model.robot import Robot
from rne.tables import Report

Array = NDArray[np.float64]

UNTOLD = 1e-8  # a combination of columns, each of length 1, that is shorter leaves its parameter to rounding
ESTIMATED = "estimated"
REWEIGHTED = 20  # times at most


@dataclass(frozen=True, eq=False, repr=False)
class Identification(Report):
    """Identified parameters of a robot, and what they are worth; printed, it is a report.

    Attributes
    ----------
    base : the base parameters that were identified; `base.robot` is the robot as given, with the gravity of the call.
    beta, sd : (b,) their values, and standard deviations.
    covariance : (b, b) of the values.
    condition : condition number of the weighted regressor with columns of length 1. Some tens are good; errors of the
        model, unlike noise, may grow by as much.
    residual : (n,) root of the mean square of measured less calculated torques, N m or N, joint by joint.
    prior_residual : (n,) the same of the robot as it was given.
    noise : (n,) standard deviations of the measured torques by which they were weighted, given or estimated.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 50, 2))
    >>> rne.identify(arm, q, qd, qdd, rne.inverse_dynamics(arm, q, qd, qdd)).residual.round(9)
    array([0., 0.])
    """

    DERIVED: ClassVar = ("pi", "unphysical")

    base: BaseParameters
    beta: Array
    sd: Array
    covariance: Array
    condition: float
    residual: Array
    prior_residual: Array
    noise: Array

    @cached_property
    def pi(self) -> Array:
        """The parameters (P,) nearest those of the given robot whose base parameters are `beta`, see `identify`."""
        return nearest(self.base, self._given, self.beta)

    @cached_property
    def pi_physical(self) -> Array:
        """The most likely parameters (P,) of bodies that exist, for where those of `pi` do not.

        Their base parameters differ from `beta`, by little more than noise if the model is right. Likely is what makes
        the squares of these differences, in standard deviations, and that of the distance from the given robot small.
        """
        return nearest(self.base, self._given, self.beta, self.covariance)

    @property
    def _given(self) -> Array:
        base = self.base
        return parameters(base.robot, rotors=base.rotors, friction=base.friction)

    @cached_property
    def unphysical(self) -> tuple[str, ...]:
        """Joints whose links have parameters in `pi` that no body can have, or whose drives are impossible.

        Rotor inertias and Coulomb friction are negative in no drive, dampers only where couplings make up for it.

        None where bodies with the identified base parameters exist and were found. Otherwise noise or friction that is
        not in the model may be to blame; the torques are as good, the inverse of the mass matrix may not be.
        """
        joints = self.base.robot.links.joints
        size = len(OF_BODY) * len(joints)
        sound = physical(self.pi[:size].reshape(len(joints), -1))
        drives = self.pi[size:].reshape(-1, len(joints))
        driving: set[str] = set()
        if self.base.friction:  # dampers are sound together, see `rne.passivity`
            driving = active_dampers(self.base.robot.tree, joints, drives[-len(OF_FRICTION)])
            drives = np.delete(drives, -len(OF_FRICTION), axis=0)
        sound &= (drives >= 0).all(axis=0)
        return tuple(joint for joint, good in zip(joints, sound, strict=True) if not good or joint in driving)

    @property
    def robot(self) -> Robot:
        """The robot with the parameters `pi`.

        Raises
        ------
        ArgumentError
            Some are `unphysical`. Then `base.robot.with_parameters(pi_physical)` is a robot that can be, and one with
            `pi` and `strict=False` has the identified torques, where it is bodies and not drives that cannot be.
        """
        return self.base.robot.with_parameters(self.pi)

    def _table(self) -> str:
        given, robot = self.base.values(), self.base.robot
        lines = [f"{robot.name}: {len(self.base)} base parameters, condition number {self.condition:.3g}", ""]
        lines.append(f"{'':3} {'value':>12} {'sd':>10} {'given':>12}")
        rows = zip(self.beta, self.sd, given, self.base.expressions, strict=True)
        lines += [f"{k:3} {b:12.5g} {s:10.2g} {g:12.5g}  {text}" for k, (b, s, g, text) in enumerate(rows, start=1)]
        lines += ["", f"{'residual':>12} {'as given':>12} {'noise':>12}"]
        torques = zip(self.residual, self.prior_residual, self.noise, robot.joint_names, strict=True)
        lines += [f"{r:12.5g} {p:12.5g} {s:12.5g}  {name}" for r, p, s, name in torques]
        bad = ", ".join(self.unphysical)
        missing = f"no bodies with these base parameters were found: {bad}; pi_physical has the most likely ones"
        found = missing if bad else "bodies with these numbers exist"
        return "\n".join([*lines, "", found])


def identify(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    tau: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    rotors: bool = True,
    friction: bool = False,
    noise: ArrayLike | str | None = None,
) -> Identification:
    """Identify the base parameters of a robot from measured motions and torques, by least squares.

    The kinematics, springs, and rotors with ``rotors=False``, are those of the robot; its masses are where the search
    for full parameters starts. Atkeson, An, Hollerbach 1986; Gautier, Khalil 1990; Khalil, Dombre 2002, chapter
    12.

    A full set of parameters with the identified base parameters is not unique. Given is the one nearest the robot's own
    with which bodies exist, if any: no eigenvalue of a pseudo-inertia negative (Wensing, Kim, Slotine 2018), no rotor
    inertia or friction either, except that the dampers of joints with couplings are judged together with these. Near
    is meant by the pseudo-inertias, with the mass and the radius of gyration of each link as units. Where noise leaves
    no such bodies, the result says so, and offers the most likely ones.

    Parameters
    ----------
    robot : the robot as it is known.
    q, qd, qdd : (..., n) measured positions, velocities and accelerations, filtered as needs be.
    tau : (..., n) measured torques, N m or N.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.
    rotors : whether to identify the reflected rotor inertias.
    friction : whether to identify viscous and Coulomb friction. Without it the model has no friction.
    noise : (n,) standard deviations of the torques, by which they are weighted. None weighs all alike and takes the
        size of the noise from the residuals; "estimated" takes it from those of each joint, and weights from that.

    Returns
    -------
    Identification

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value, or there is a NaN in it; there are fewer torques than base
        parameters, or the motion does not tell some of them apart.

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
    check_robot(robot)
    given = {"q": q, "qd": qd, "qdd": qdd, "tau": tau}
    for name, value in given.items():
        if value is None:  # which elsewhere stands for zeros
            raise ArgumentError(f"{name}: wanted an array of measurements, got None")
    batch = as_batch(robot, given, required="q")
    state = {name: rows.astype(np.float64) for name, rows in batch.rows.items()}
    for name, rows in state.items():
        strange = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if strange.size:
            raise ArgumentError(f"{name}: sample {strange[0]} of {len(rows)} is not finite")
    motion, measured = (state["q"], state["qd"], state["qdd"]), state["tau"]
    sd = _noise(robot, noise)
    base = base_parameters(robot, gravity=gravity, rotors=rotors, friction=friction)
    if not len(base):
        raise ArgumentError("robot: it has no joints, so there is nothing to identify")
    if measured.size < len(base):
        raise ArgumentError(f"tau: {measured.size} torques cannot tell {len(base)} base parameters")
    W = base.regressor(*motion)
    # In differences to the given robot springs and all that is not asked for take care of themselves.
    miss = measured - inverse_dynamics(base.robot, *motion, friction=friction)
    fit = _least_squares(base, W, miss, np.ones(robot.n) if sd is None else sd)
    if sd is None:
        spread = np.sqrt(np.sum(fit.left**2) / max(miss.size - len(base), 1))
        fit = fit._replace(covariance=fit.covariance * spread**2)
        sd = np.full(robot.n, spread)
        if noise == ESTIMATED:
            sd, fit = _estimated(base, W, miss, fit)
    return Identification(
        base=base,
        beta=base.values() + fit.change,
        sd=np.sqrt(np.diagonal(fit.covariance)),
        covariance=fit.covariance,
        condition=fit.condition,
        residual=np.sqrt(np.mean(fit.left**2, axis=0)),
        prior_residual=np.sqrt(np.mean(miss**2, axis=0)),
        noise=sd,
    )


def _noise(robot: Robot, noise: ArrayLike | str | None) -> Array | None:
    """Return the given standard deviations; None where there are none."""
    if noise is None or isinstance(noise, str):
        if noise not in (None, ESTIMATED):
            raise ArgumentError(f"noise: wanted {robot.n} standard deviations, {ESTIMATED!r} or None; got {noise!r}")
        return None
    sd = numbers("noise", noise, (robot.n,))
    if (sd <= 0).any():
        raise ArgumentError(f"noise: wanted positive standard deviations, got {sd.tolist()}")
    return sd


class _Fit(NamedTuple):
    """What least squares say: the change of the base parameters, and what is left of each torque (samples, n)."""

    change: Array
    covariance: Array
    condition: float
    left: Array
    leverage: Array  # (n,) how many parameters each joint tells


def _least_squares(base: BaseParameters, W: Array, miss: Array, sd: Array) -> _Fit:
    """Solve W (samples, n, b) change = miss (samples, n), weighted by 1 / sd."""
    A, y = (W / sd[:, None]).reshape(miss.size, -1), (miss / sd).ravel()
    length = np.linalg.norm(A, axis=0)
    U, s, Vt = np.linalg.svd(A / np.where(length > 0, length, 1.0), full_matrices=False)
    weak = s <= UNTOLD * s[:1]
    if weak.any():
        share = np.abs(Vt[weak]).max(axis=0)
        names = [text for text, x in zip(base.expressions, share, strict=True) if x > 0.1]
        raise ArgumentError(f"q, qd, qdd: the motion does not tell apart, or not at all: {'; '.join(names)}")
    inverse = Vt.T / s / length[:, None]
    change = inverse @ (U.T @ y)
    leverage = np.sum(U**2, axis=1).reshape(miss.shape).sum(axis=0)
    return _Fit(change, inverse @ inverse.T, float(s[0] / s[-1]) if s.size else 1.0, miss - W @ change, leverage)


def _estimated(base: BaseParameters, W: Array, miss: Array, fit: _Fit) -> tuple[Array, _Fit]:
    """Weigh each joint by what is left of its torques, until the weights stay as they are."""
    sd = np.ones(miss.shape[1])
    for _ in range(REWEIGHTED):
        before = sd
        sd = np.sqrt(np.sum(fit.left**2, axis=0) / np.maximum(len(miss) - fit.leverage, 1.0))
        sd = np.where(sd > 0, sd, sd[sd > 0].min(initial=1.0))  # a joint of which nothing is left at all
        fit = _least_squares(base, W, miss, sd)
        if np.allclose(sd, before, rtol=1e-2, atol=0.0):
            break
    return sd, fit
