"""Parameters from measured motions and torques by least squares, with their uncertainties."""

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
from rne.tables import Part, Report, titled

Array = NDArray[np.float64]

UNTOLD = 1e-8  # relative singular value, for columns of length 1, at or below which a parameter is not identifiable
ESTIMATED = "estimated"
REWEIGHTED = 20  # largest number of reweighting iterations


@dataclass(frozen=True, eq=False, repr=False)
class Identification(Report):
    """Identified parameters of a robot and their uncertainties; printing shows a report.

    Attributes
    ----------
    base : definition of the identified base parameters; `base.robot` is the given robot, with the gravity of the call.
    beta, sd : (b,) their values and standard deviations.
    covariance : (b, b) covariance matrix of the values.
    condition : condition number of the weighted regressor with columns of length 1. Values of some tens are good;
        relative errors of the model, unlike noise, can be amplified by this factor.
    residual : (n,) root mean square of measured minus calculated torque of each joint, N m or N.
    prior_residual : (n,) the same for the given robot.
    noise : (n,) standard deviations of the measured torques used as weights, given or estimated, N m or N.

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
        """Parameters (P,) with base parameters `beta` that are nearest to those of the given robot, see `identify`."""
        return nearest(self.base, self._given, self.beta)

    @cached_property
    def pi_physical(self) -> Array:
        """Most likely physically consistent parameters (P,), for use where those of `pi` are not.

        Their base parameters differ from `beta`, by little more than noise if the model is right. They minimize the sum
        of the squares of these differences, in standard deviations, and of the distance from the given robot.
        """
        return nearest(self.base, self._given, self.beta, self.covariance)

    @property
    def _given(self) -> Array:
        base = self.base
        return parameters(base.robot, rotors=base.rotors, friction=base.friction)

    @cached_property
    def unphysical(self) -> tuple[str, ...]:
        """Joints whose links or drives have physically impossible parameters in `pi`.

        Rotor inertias and Coulomb friction must not be negative; dampers may be, where couplings compensate for it.

        Empty if physically consistent parameters with the identified base parameters were found. Otherwise, noise or
        unmodeled friction is the likely cause; torques are unaffected, but forward dynamics may be unreliable.
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
        """The robot with the parameters `pi`.

        Raises
        ------
        ArgumentError
            Some are `unphysical`. In that case, `base.robot.with_parameters(pi_physical)` is a physically consistent
            robot, and `base.robot.with_parameters(pi, strict=False)` one with exactly the identified torques, unless
            it is a drive that is unphysical.
        """
        return self.base.robot.with_parameters(self.pi)

    def _parts(self) -> list[Part]:
        beta = {
            "": [str(k + 1) for k in range(len(self.base))],
            "value": [f"{b:.5g}" for b in self.beta],
            "sd": [f"{s:.2g}" for s in self.sd],
            "given": [f"{g:.5g}" for g in self.base.values()],
            "base parameter": self.base.expressions,
        }
        torques = {"joint": self.base.robot.joint_names}
        for title, values in ("residual", self.residual), ("as given", self.prior_residual), ("noise", self.noise):
            torques[title] = tuple(f"{value:.5g}" for value in values)
        return [self._head(), titled(beta, left=["base parameter"]), titled(torques), self._verdict()]

    def _head(self) -> str:
        return f"{self.base.robot.name}: {len(self.base)} base parameters, condition number {self.condition:.3g}"

    def _page(self) -> str:
        given, robot = self.base.values(), self.base.robot
        lines = [self._head(), ""]
        lines.append(f"{'':3} {'value':>12} {'sd':>10} {'given':>12}")
        rows = zip(self.beta, self.sd, given, self.base.expressions, strict=True)
        lines += [f"{k:3} {b:12.5g} {s:10.2g} {g:12.5g}  {text}" for k, (b, s, g, text) in enumerate(rows, start=1)]
        lines += ["", f"{'residual':>12} {'as given':>12} {'noise':>12}"]
        torques = zip(self.residual, self.prior_residual, self.noise, robot.joint_names, strict=True)
        lines += [f"{r:12.5g} {p:12.5g} {s:12.5g}  {name}" for r, p, s, name in torques]
        return "\n".join([*lines, "", self._verdict()])

    def _verdict(self) -> str:
        bad = ", ".join(self.unphysical)
        missing = f"parameters are not physically consistent: {bad}; pi_physical holds the most likely consistent ones"
        return missing if bad else "parameters are physically consistent"


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
    """Identify the base parameters of a robot from measured motions and torques by least squares.

    Kinematics, springs and, with ``rotors=False``, rotors are those of the robot; its masses are the starting point for
    the full set of parameters. Sources: Atkeson, An, Hollerbach 1986; Gautier, Khalil 1990; Khalil, Dombre 2002,
    chapter 12.

    The base parameters do not determine the full set of parameters. The result holds the set nearest to that of the
    robot that is physically consistent, if there is one: no pseudo-inertia has a negative eigenvalue (Wensing, Kim,
    Slotine 2018), and no rotor inertia or friction is negative, except that dampers of coupled joints are judged
    together with the couplings. Distance is measured between pseudo-inertias, with the mass and the radius of gyration
    of each link as units. If noise leaves no such set, `unphysical` names the joints, and `pi_physical` holds the most
    likely consistent parameters.

    Parameters
    ----------
    robot : prior model of the robot.
    q, qd, qdd : (..., n) measured positions, velocities and accelerations, filtered if necessary.
    tau : (..., n) measured torques, N m or N.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.
    rotors : whether to identify the reflected rotor inertias.
    friction : whether to identify viscous and Coulomb friction. Without it the model has no friction.
    noise : (n,) standard deviations of the torques, whose inverses are the weights. None gives all torques the same
        weight and estimates one standard deviation from the residuals; "estimated" estimates one per joint from its
        residuals, and the weights from these.

    Returns
    -------
    Identification

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value, or is not finite; there are fewer torques than base parameters,
        or the motion does not determine some of them.

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
        if value is None:  # elsewhere None stands for zeros
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
        raise ArgumentError(f"tau: {measured.size} torques do not determine {len(base)} base parameters; measure more")
    W = base.regressor(*motion)
    # Differences from the given robot cancel springs and everything else that is not identified.
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
    """Return the given standard deviations; None if they are to be estimated."""
    if noise is None or isinstance(noise, str):
        if noise not in (None, ESTIMATED):
            raise ArgumentError(f"noise: wanted {robot.n} standard deviations, {ESTIMATED!r} or None; got {noise!r}")
        return None
    sd = numbers("noise", noise, (robot.n,))
    if (sd <= 0).any():
        raise ArgumentError(f"noise: wanted positive standard deviations, got {sd.tolist()}")
    return sd


class _Fit(NamedTuple):
    """Least-squares solution: the change of the base parameters, and the residual torques `left` (samples, n)."""

    change: Array
    covariance: Array
    condition: float
    left: Array
    leverage: Array  # (n,) number of parameters that the torques of each joint determine; sums to b


def _least_squares(base: BaseParameters, W: Array, miss: Array, sd: Array) -> _Fit:
    """Solve W (samples, n, b) change = miss (samples, n), weighted by 1 / sd."""
    A, y = (W / sd[:, None]).reshape(miss.size, -1), (miss / sd).ravel()
    length = np.linalg.norm(A, axis=0)
    U, s, Vt = np.linalg.svd(A / np.where(length > 0, length, 1.0), full_matrices=False)
    weak = s <= UNTOLD * s[:1]
    if weak.any():
        share = np.abs(Vt[weak]).max(axis=0)
        names = [text for text, x in zip(base.expressions, share, strict=True) if x > 0.1]
        raise ArgumentError(
            f"q, qd, qdd: the motion does not determine, or not separately: {'; '.join(names)}; see rne.excitation"
        )
    inverse = Vt.T / s / length[:, None]
    change = inverse @ (U.T @ y)
    leverage = np.sum(U**2, axis=1).reshape(miss.shape).sum(axis=0)
    return _Fit(change, inverse @ inverse.T, float(s[0] / s[-1]) if s.size else 1.0, miss - W @ change, leverage)


def _estimated(base: BaseParameters, W: Array, miss: Array, fit: _Fit) -> tuple[Array, _Fit]:
    """Weight each joint by its residual torques, iterating until the weights converge."""
    sd = np.ones(miss.shape[1])
    for _ in range(REWEIGHTED):
        before = sd
        sd = np.sqrt(np.sum(fit.left**2, axis=0) / np.maximum(len(miss) - fit.leverage, 1.0))
        sd = np.where(sd > 0, sd, sd[sd > 0].min(initial=1.0))  # a joint without any residual
        fit = _least_squares(base, W, miss, sd)
        if np.allclose(sd, before, rtol=1e-2, atol=0.0):
            break
    return sd, fit
