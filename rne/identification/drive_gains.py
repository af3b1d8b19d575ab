"""Torques from motor currents: drive gains from a log without and a log with a known payload.

Gautier, Briot, "Global identification of joint drive gains and dynamic parameters of robots", Journal of Dynamic
Systems, Measurement, and Control 136 (2014). A payload that is known gives the torques their scale. There, total least
squares finds gains and parameters, which takes all columns as equally noisy. Here only the currents are: with a_j the
inverse gain of joint j, i_j = a_j (Y_j beta + torque of the payload) is solved by least squares (Gauss-Newton).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import as_batch, check_robot
from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.errors import ArgumentError, ModelWarning
from rne.identification.base_parameters import base_parameters
from rne.identification.equations import BaseEquations, base_equations
from rne.identification.moments import SUMS, Moments, inverse_of
from rne.model.robot import Robot
from rne.tables import Part, Report, titled

Array = NDArray[np.float64]

BLOCKS = 32  # of each log, between which estimates are compared for their standard deviations
CHUNK = 4096  # samples of which the columns are evaluated at a time
ROUNDS = 50  # largest number of steps of Gauss and Newton
SAME = 1e-10  # relative change of the gains at which they have converged
LOOSE = 0.3  # relative standard deviation from where on a gain is doubtful
UNFELT = 1e-6  # torque of the payload, relative to that of the robot, below which it is not felt


@dataclass(frozen=True, eq=False, repr=False)
class DriveGains(Report):
    """Gains of drives: torque at the joint per unit of current.

    Attributes
    ----------
    joint_names : names of the n joints.
    gains, sd : (n,) gains and their standard deviations, N m/A or N/A; these hold for noise that is correlated in time.
    current, residual : (n,) root mean square of the measured currents, and of measured minus calculated currents, A.
    samples : number of samples without and with the payload.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 100, 2))
    >>> loaded = arm.with_payload(1.0)
    >>> logs = [(q, qd, qdd, rne.inverse_dynamics(r, q, qd, qdd) / [3.0, 2.0]) for r in (arm, loaded)]
    >>> print(rne.identify_gains(arm, loaded, *logs))
    100 samples without and 100 with the payload
    joint     gain  sd  sd %  current  residual
    shoulder     3   0     0    7.302         0
    elbow        2   0     0    4.176         0
    """

    DERIVED: ClassVar = ("relative_sd",)

    joint_names: tuple[str, ...]
    gains: Array
    sd: Array
    current: Array
    residual: Array
    samples: tuple[int, int]

    @property
    def relative_sd(self) -> Array:
        """Standard deviations (n,) relative to the gains."""
        return np.asarray(self.sd / np.abs(self.gains))

    def _parts(self) -> list[Part]:
        small = 1e-7  # rounding of sums of squares
        rows = {
            "joint": self.joint_names,
            "gain": tuple(f"{x:.5g}" for x in self.gains),
            "sd": tuple(f"{0.0 if r < small else s:.2g}" for r, s in zip(self.relative_sd, self.sd, strict=True)),
            "sd %": tuple(f"{0.0 if r < small else 100 * r:.2g}" for r in self.relative_sd),
            "current": tuple(f"{x:.4g}" for x in self.current),
            "residual": tuple(
                f"{0.0 if x < small * c else x:.4g}" for x, c in zip(self.residual, self.current, strict=True)
            ),
        }
        return [f"{self.samples[0]} samples without and {self.samples[1]} with the payload", titled(rows)]


def identify_gains(
    robot: Robot,
    loaded: Robot,
    log: Sequence[ArrayLike],
    loaded_log: Sequence[ArrayLike],
    *,
    rotors: bool = True,
    friction: bool = False,
) -> DriveGains:
    """Identify the gains of drives, from motor currents to torques, with a known payload.

    The masses of the robot need not be known: the base parameters are identified together with the gains, from both
    logs. What is known is the payload, whose weight gives all torques their scale; it should be felt by all joints.
    With the gains, ``rne.identify(robot, q, qd, qdd, gains * current)`` is the identification.

    A gain includes the gear ratio. The gear ratio and the inertia of a rotor are not seen apart: `rotors` identifies
    their product with the square of the ratio.

    Parameters
    ----------
    robot : the robot without payload; its masses may be wrong.
    loaded : the same robot with the known payload, as ``robot.with_payload(...)`` returns it.
    log, loaded_log : (q, qd, qdd, current), (..., n) each, without and with the payload, in the order of time; currents
        in A, or in any other unit.
    rotors, friction : whether rotor inertias, and viscous and Coulomb friction, are to be identified.

    Returns
    -------
    DriveGains

    Raises
    ------
    ArgumentError
        The robots have different joints or kinematics or the same masses, a log has the wrong shape or type or is not
        finite, there are too few samples, or a joint has no current or does not feel the payload.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")  # of unknown masses
    >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 100, 2))
    >>> true = arm.with_payload(0.5)
    >>> current = rne.inverse_dynamics(true, q, qd, qdd) / [3.0, 2.0]
    >>> loaded_current = rne.inverse_dynamics(true.with_payload(1.0), q, qd, qdd) / [3.0, 2.0]
    >>> found = rne.identify_gains(arm, arm.with_payload(1.0), (q, qd, qdd, current), (q, qd, qdd, loaded_current))
    >>> found.gains.round(9)
    array([3., 2.])
    """
    check_robot(robot)
    if not isinstance(loaded, Robot) or loaded.joint_names != robot.joint_names:
        raise ArgumentError("loaded: wanted the same robot with a payload, robot.with_payload(...)")
    base = base_parameters(robot, rotors=rotors, friction=friction)
    if not len(base):
        raise ArgumentError("robot: it has no joints, so there is nothing to identify")
    equations = base_equations(base)
    moments = [
        _moments(equations, None, _checked(robot, "log", log)),
        _moments(equations, loaded, _checked(robot, "loaded_log", loaded_log)),
    ]
    grams = [[part.of_joints(gram) for gram in part.grams] for part in moments]
    blocks = [block for part in grams for block in part]
    total = [np.sum([block[j] for block in blocks], axis=0) for j in range(robot.n)]
    felt = np.array([G[-2, -2] for G in total]) / np.maximum([G[:-2, :-2].max(initial=0.0) for G in total], 1e-300)
    if (felt < UNFELT**2).any():
        joint = robot.joint_names[int(np.argmin(felt))]
        raise ArgumentError(f"loaded: joint {joint!r} does not feel the payload; move it, or take a heavier payload")
    still = [name for name, G in zip(robot.joint_names, total, strict=True) if not G[-1, -1] > 0]
    if still:
        raise ArgumentError(f"log, loaded_log: the current of joint {still[0]!r} is zero in all samples")
    count = len(equations.given)
    samples = [part.samples for part in moments]
    inverse, beta, sd = _solved(equations, total, sum(samples))
    H, _ = _step(equations, total, inverse, beta, sd)
    steps = (_step(equations, block, inverse, beta, sd) for block in blocks)
    influence = np.array([_least_squares(H - own, score) for own, score in steps])[:, count:]  # without the block
    spread = np.sqrt(np.sum((influence - influence.mean(axis=0)) ** 2, axis=0) * (len(blocks) - 1) / len(blocks))
    found = DriveGains(
        joint_names=robot.joint_names,
        gains=1 / inverse,
        sd=spread / inverse**2,
        current=np.sqrt([G[-1, -1] / sum(samples) for G in total]),
        residual=sd,
        samples=(samples[0], samples[1]),
    )
    for doubt in _doubts(found):
        warnings.warn(doubt, ModelWarning, stacklevel=2)
    return found


def _doubts(found: DriveGains) -> Iterator[str]:
    """Yield what makes gains doubtful."""
    loose = ~(found.relative_sd < LOOSE)
    if loose.any():
        names = ", ".join(name for name, bad in zip(found.joint_names, loose, strict=True) if bad)
        yield (
            f"the gains of {names} have standard deviations of more than {100 * LOOSE:.0f} %: the currents hardly show "
            "the payload; see that loaded_log is the log with it, move more, or take a heavier payload"
        )
    elif (found.gains < 0).all() and len(found.gains) > 1:
        yield "all gains are negative, as if log and loaded_log were exchanged; the first is the one without payload"


def _checked(robot: Robot, name: str, log: Sequence[ArrayLike]) -> tuple[Array, Array, Array, Array]:
    if not isinstance(log, (tuple, list)) or len(log) != 4:
        raise ArgumentError(f"{name}: wanted (q, qd, qdd, current), got {type(log).__name__}")
    names = ("q", "qd", "qdd", "current")
    for key, value in zip(names, log, strict=True):
        if value is None:
            raise ArgumentError(f"{name}, {key}: wanted an array of measurements, got None")
    try:
        batch = as_batch(robot, dict(zip(names, log, strict=True)), required="q")
    except ArgumentError as error:
        raise ArgumentError(f"{name}, {error}") from None
    rows = [batch.rows[key].astype(np.float64) for key in names]
    for key, values in zip(names, rows, strict=True):
        if not np.isfinite(values).all():
            bad = int(np.argmin(np.isfinite(values).all(axis=1)))
            raise ArgumentError(f"{name}, {key}: sample {bad} of {len(values)} is not finite")
    if len(rows[0]) < 2 * BLOCKS:
        raise ArgumentError(f"{name}: wanted {2 * BLOCKS} samples or more, got {len(rows[0])}")
    return rows[0], rows[1], rows[2], rows[3]


def _moments(equations: BaseEquations, loaded: Robot | None, rows: tuple[Array, Array, Array, Array]) -> Moments:
    """Moments of the columns, the torque of the payload and the current of each joint."""
    count, robot = len(equations.given), equations.robot
    moments = Moments([np.append(index, count + j) for j, index in enumerate(equations.index)])
    moments.length = -(-len(rows[0]) // BLOCKS)
    for begin in range(0, len(rows[0]), moments.length):
        moments.begin()
        for first in range(begin, min(begin + moments.length, len(rows[0])), CHUNK):
            part = slice(first, min(first + CHUNK, begin + moments.length))
            q, qd, qdd, current = (x[part] for x in rows)
            payload = np.zeros_like(current)
            if loaded is not None:
                heavy = loaded.with_gravity(robot.gravity)
                payload = inverse_dynamics(heavy, q, qd, qdd) - inverse_dynamics(robot, q, qd, qdd)
            columns = equations.columns((q, qd, qdd))
            joined = [np.column_stack([Z[:, :-1], payload[:, j], current[:, j]]) for j, Z in enumerate(columns)]
            moments.add(len(q), moments.products(joined), np.zeros((robot.n, SUMS)))
    return moments


def _solved(equations: BaseEquations, total: list[Array], samples: int) -> tuple[Array, Array, Array]:
    """Return inverse gains, base parameters, and standard deviations of the currents."""
    count = len(equations.given)
    inverse, beta = _start(equations, total)
    floor = 1e-12 * np.sqrt([G[-1, -1] / samples for G in total])
    for _ in range(ROUNDS):
        left = [_error(equations, inverse, beta, j) for j in range(len(total))]
        squares = [max(float(z @ G @ z), 0.0) for z, G in zip(left, total, strict=True)]
        sd = np.maximum(np.sqrt(np.array(squares) / samples), floor)
        H, g = _step(equations, total, inverse, beta, sd)
        change = _least_squares(H, g)
        beta, inverse = beta + change[:count], inverse + change[count:]
        if (np.abs(change[count:]) <= SAME * np.abs(inverse)).all():
            break
    return inverse, beta, sd


def _start(equations: BaseEquations, total: list[Array]) -> tuple[Array, Array]:
    """Return inverse gains and base parameters of linear least squares: gain times current minus Y beta is known.

    Noise of the currents makes these gains too small.
    """
    count, n = len(equations.given), len(total)
    A, g = np.zeros((count + n, count + n)), np.zeros(count + n)
    for j, (G, index) in enumerate(zip(total, equations.index, strict=True)):
        at = np.append(index, count + j)
        sign = np.append(-np.ones(len(index)), 1.0)
        keep = np.append(np.arange(len(index)), len(G) - 1)
        weight = 1 / np.max(np.diagonal(G)[:-1])
        A[np.ix_(at, at)] += weight * np.outer(sign, sign) * G[np.ix_(keep, keep)]
        g[at] += weight * sign * G[keep, -2]
    found = _least_squares(A, g)
    least = 1e-12 * np.sqrt([G[-2, -2] / G[-1, -1] for G in total])  # where currents do not show the payload at all
    gains = np.where(np.abs(found[count:]) < least, least, found[count:])
    return 1 / gains, found[:count]


def _error(equations: BaseEquations, inverse: Array, beta: Array, joint: int) -> Array:
    """Return the factors of the columns in the error of a current: i - a (Y beta + payload)."""
    a = inverse[joint]
    return np.concatenate([-a * beta[equations.index[joint]], [-a, 1.0]])


def _step(equations: BaseEquations, grams: list[Array], inverse: Array, beta: Array, sd: Array) -> tuple[Array, Array]:
    """Return the normal equations of a step of Gauss and Newton, for base parameters and inverse gains."""
    count, n = len(beta), len(inverse)
    H, g = np.zeros((count + n, count + n)), np.zeros(count + n)
    for j, (G, index) in enumerate(zip(grams, equations.index, strict=True)):
        m, place = len(index), count + j
        J = np.zeros((m + 1, m + 2))  # the columns of the derivatives, from those of the moments
        J[np.arange(m), np.arange(m)] = inverse[j]
        J[m, :m], J[m, m] = beta[index], 1.0
        at = np.append(index, place)
        H[np.ix_(at, at)] += J @ G @ J.T / sd[j] ** 2
        g[at] += J @ G @ _error(equations, inverse, beta, j) / sd[j] ** 2
    return H, g


def _least_squares(A: Array, g: Array) -> Array:
    """Solve normal equations; what they do not determine stays as it is."""
    return np.asarray(inverse_of(A, 1e-13) @ g)
