"""A payload from measured torques: the ten parameters of one more body, on a robot that is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import as_frame, check_robot
from rne.bodies.inertia import Inertia
from rne.bodies.physical import nearest_inertia
from rne.check import check_flag
from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.errors import ArgumentError
from rne.identification.accumulator import Accumulator
from rne.identification.equations import Index, State, plausible
from rne.identification.identifier import ESTIMATED, check_noise
from rne.identification.moments import TORQUE_SQUARES
from rne.identification.regressor import regressor
from rne.identification.report_tables import share_of, unknown_noise
from rne.model.parameters import OF_BODY, from_pseudo_inertias, physical, pseudo_inertias
from rne.model.robot import Robot
from rne.tables import Part, Report, percent, titled

Array = NDArray[np.float64]

_SIZE = len(OF_BODY)
_REACH = 0.1  # m, plausible radius of gyration of a payload about its frame
_UPPER = np.triu_indices(3)


@dataclass(frozen=True, eq=False, repr=False)
class Payload(Report):
    """A payload that was identified, with the uncertainties of its parameters; printing shows a report.

    Attributes
    ----------
    frame : link that carries it.
    names : names of its parameters: mass m (kg), first moments mx, my, mz (kg m), and the inertia tensor Ixx, Ixy, Ixz,
        Iyy, Iyz, Izz about the origin of the frame, in its axes (kg m^2).
    values, sd : (10,) their values and standard deviations; zero, and NaN, if the motion does not show a parameter.
        All standard deviations are NaN if there are no more torques than parameters.
    covariance : (10, 10) covariance of the values.
    unexcited : names of the parameters that the motion does not show.
    mass, mass_sd : kg.
    com, com_sd : (3,) center of mass in the axes of the frame, m; NaN if the mass or the moment is not known.
    torque : (n,) root mean square of the measured torque, N m or N.
    residual, without : (n,) that of measured minus calculated torque with the payload and without it, N m or N.
    noise : (n,) standard deviations of the measured torques that were used as weights, N m or N.
    samples : number of samples.
    carrier : the robot without the payload.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q = np.random.default_rng(0).normal(size=(50, 2))
    >>> tau = rne.gravity_vector(arm.with_payload(0.5, com=[0.1, 0, 0]), q)
    >>> payload = rne.identify_payload(arm, "link2", q, None, None, tau)
    >>> round(payload.mass, 6), payload.com.round(6)[:2]
    (0.5, array([0.1, 0. ]))
    """

    DERIVED: ClassVar = ("relative",)

    frame: str
    names: tuple[str, ...]
    values: Array
    sd: Array
    covariance: Array
    unexcited: tuple[str, ...]
    mass: float
    mass_sd: float
    com: Array
    com_sd: Array
    torque: Array
    residual: Array
    without: Array
    noise: Array
    samples: int
    carrier: Robot

    @property
    def relative(self) -> Array:
        """Residuals (n,) relative to the measured torques; NaN for a joint without torque."""
        return share_of(self.torque, self.residual)

    @property
    def inertia(self) -> Inertia:
        """The body, physically consistent: with the nearest tensor about its center of mass that a body can have.

        What the motion does not show is zero: a point mass, if it is all of the tensor.

        Raises
        ------
        ArgumentError
            The identified mass is not positive.
        """
        if not self.mass > 0:
            raise ArgumentError(f"tau: no body has the identified mass of {self.mass:.3g} kg; measure other poses")
        center = self.values[1:4] / self.mass
        if set(self.unexcited) >= set(OF_BODY[4:]):
            return Inertia(self.mass, center)
        tensor = np.empty((3, 3))
        tensor[_UPPER] = tensor.T[_UPPER] = self.values[4:]
        about = tensor - Inertia(self.mass, center).about([0, 0, 0])
        return Inertia(self.mass, center, nearest_inertia(about))

    @property
    def robot(self) -> Robot:
        """The robot with the payload, physically consistent: with the body `inertia`."""
        body = self.inertia
        return self.carrier.with_payload(body.mass, body.com, body.tensor, frame=self.frame)

    def _doubts(self) -> list[Part]:
        """Say whether `inertia` differs from the values."""
        if not self.mass > 0:
            return ["no body has this mass, so there is no robot with the payload; measure other poses"]
        if set(self.unexcited) & set(OF_BODY[4:]) or physical(self.values[None])[0]:
            return []
        return ["no body has this tensor; payload.inertia and payload.robot have the nearest one that a body can have"]

    def _parts(self) -> list[Part]:
        def number(x: float, digits: int) -> str:
            return "-" if math.isnan(x) else f"{x:.{digits}g}"

        rows = [("mass [kg]", math.nan if "m" in self.unexcited else self.mass, self.mass_sd)]
        rows += [(f"com {axis} [m]", x, s) for axis, x, s in zip("xyz", self.com, self.com_sd, strict=True)]
        shown = [math.nan if name in self.unexcited else x for name, x in zip(self.names, self.values, strict=True)]
        rows += list(zip(self.names[4:], shown[4:], self.sd[4:].tolist(), strict=True))
        body = {
            "": [row[0] for row in rows],
            "value": [number(x, 5) for _, x, _ in rows],
            "sd": [number(s, 2) for _, _, s in rows],
        }
        torques = {"joint": self.carrier.joint_names}
        for title, values in ("torque", self.torque), ("without", self.without), ("with", self.residual):
            torques[title] = tuple(f"{value:.5g}" for value in values)
        torques["with %"] = tuple(percent(self.relative))
        hidden = [f"not shown by the motion: {', '.join(self.unexcited)}"] if self.unexcited else []
        return [
            f"payload in {self.frame}, tensor about the origin of this frame [kg m^2]",
            titled(body),
            *unknown_noise(self.sd),
            *hidden,
            *self._doubts(),
            f"RMS of torques and residuals, {self.samples} samples",
            titled(torques),
        ]


@dataclass(frozen=True, eq=False)
class _PayloadEquations:
    """The equations of the parameters of a body in a frame; see `Equations`."""

    robot: Robot
    friction: bool
    first: int
    into: Array
    names: tuple[str, ...]
    given: Array
    prior: Array
    index: tuple[Index, ...]

    def scaled(self, qd: Array) -> _PayloadEquations:  # noqa: ARG002
        """Return the equations, which do not depend on velocities."""
        return self

    def torque(self, state: State) -> Array:
        """Torques (samples, n) of the robot without the payload."""
        tau: Array = inverse_dynamics(self.robot, *state, friction=self.friction, threads=1)
        return tau

    def columns(self, state: State) -> list[Array]:
        """Columns of each joint, and one more."""
        Y = regressor(self.robot, *state, rotors=False, threads=1)[..., self.first : self.first + _SIZE]
        rows = np.zeros((self.robot.n, len(Y), _SIZE + 1))
        rows[..., :-1] = (Y @ self.into).swapaxes(0, 1)
        return list(rows)


def _equations(robot: Robot, frame: str, friction: bool) -> _PayloadEquations:
    place = as_frame(robot, frame)
    if place.row == 0:
        raise ArgumentError(f"frame: {frame!r} does not move, so that no torque depends on a payload there")
    joint = robot.links.frames[robot.links.joint_frames[place.row - 1]]
    to_joint, from_frame = np.eye(4), np.eye(4)
    to_joint[:3, :3], to_joint[:3, 3] = joint.rotation.T, -joint.rotation.T @ joint.position
    from_frame[:3, :3], from_frame[:3, 3] = place.rotation, place.position
    move = to_joint @ from_frame
    into = from_pseudo_inertias(move @ pseudo_inertias(np.eye(_SIZE)) @ move.T).T
    # A payload is about as heavy as the link that carries it, or as an average one.
    masses = plausible(robot, False, False)[::_SIZE]
    mass = float(masses[place.row - 1])
    size = mass * np.array([1.0, *(_REACH,) * 3, *(_REACH**2,) * 6])
    first = _SIZE * (place.row - 1)
    every = np.arange(_SIZE)
    return _PayloadEquations(
        robot, friction, first, into, OF_BODY, np.zeros(_SIZE), np.diag(size**2), (every,) * robot.n
    )


def identify_payload(
    robot: Robot,
    frame: str,
    q: ArrayLike,
    qd: ArrayLike | None,
    qdd: ArrayLike | None,
    tau: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    friction: bool = False,
    noise: ArrayLike | str | None = ESTIMATED,
) -> Payload:
    """Identify a payload on a known robot from measured motions and torques by weighted least squares.

    The torques of the payload are those measured, minus those of the robot without it, which should therefore be well
    known: `identify` it first. From poses at rest follow mass and center of mass; the inertia tensor needs
    accelerations. The standard deviations are those of `identify`. Source: Atkeson, An, Hollerbach 1986.

    Parameters
    ----------
    robot : the robot without the payload.
    frame : link that carries the payload.
    q, qd, qdd : (..., n) measured positions, velocities and accelerations; the last two are zero if None.
    tau : (..., n) measured torques, N m or N.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.
    friction : whether the torques contain the friction that the robot has.
    noise : as in `identify`.

    Returns
    -------
    payload : Payload

    Raises
    ------
    UnknownNameError, ArgumentError
        An unknown frame, or one that no joint moves; an argument with the wrong shape, type or value.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 50, 2))
    >>> tau = rne.inverse_dynamics(arm.with_payload(0.5), q, qd, qdd)
    >>> payload = rne.identify_payload(arm, "link2", q, qd, qdd, tau)
    >>> round(payload.mass, 6), payload.unexcited
    (0.5, ('mz', 'Ixx', 'Ixy', 'Ixz', 'Iyy', 'Iyz'))
    """
    check_robot(robot)
    check_flag("friction", friction)
    weights = check_noise(robot, noise)
    if gravity is not None:
        robot = robot.with_gravity(gravity)
    if q is None:
        raise ArgumentError("q: wanted an array of measurements, got None")
    equations = _equations(robot, frame, friction)
    data = Accumulator(equations, weights, "fix")
    zero = np.zeros(robot.n)
    data.add({"q": q, "qd": zero if qd is None else qd, "qdd": zero if qdd is None else qdd, "tau": tau})
    if not data.samples:
        raise ArgumentError("tau: there are no samples")
    moments, center = data.settled()
    solution = data.fit(moments, center)
    out = np.setdiff1d(np.arange(_SIZE), solution.kept)
    values, covariance = center + solution.change, solution.covariance.copy()
    values[out] = 0.0
    if not solution.known:
        covariance[:] = np.nan
    covariance[out], covariance[:, out] = np.nan, np.nan
    total, samples = moments.total(), moments.samples
    mass = float(values[0])
    com = values[1:4] / mass if mass else np.full(3, np.nan)
    slopes = np.stack([-com, *np.eye(3)], axis=1) / (mass or np.nan)  # of com by mass and first moments
    com_sd = np.array([_deviation(slope, covariance[:4, :4]) for slope in slopes])
    lost = np.isin(np.arange(1, 4), out) | (0 in out)
    sd = np.sqrt(np.diagonal(covariance))
    return Payload(
        frame,
        OF_BODY,
        values,
        sd,
        covariance,
        tuple(OF_BODY[k] for k in out),
        mass,
        float(sd[0]),
        np.where(lost, np.nan, com),
        com_sd,
        np.sqrt(np.sum(moments.sums, axis=0)[:, TORQUE_SQUARES] / samples),
        np.sqrt(moments.squares(total, values - center) / samples),
        np.sqrt(moments.squares(total, -center) / samples),
        solution.sd,
        samples,
        robot,
    )


def _deviation(slope: Array, covariance: Array) -> float:
    """Return the standard deviation of a combination of values; NaN if it contains one that is not known."""
    there = np.flatnonzero(slope)
    return math.sqrt(max(float(slope[there] @ covariance[np.ix_(there, there)] @ slope[there]), 0.0))
