"""Exciting motions for identification: Fourier series with a small condition number of the regressor."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import check_robot
from rne.check import check_choice, numbers, whole_number
from rne.errors import ArgumentError, shown
from rne.identification.base_parameters import BaseParameters
from rne.model.robot import Robot
from rne.model.sampling import position_limits, position_range, velocity_limits
from rne.tables import Part, Report, cells, titled

Array = NDArray[np.float64]

GRID = 64  # samples per period of the fastest harmonic when searching for peaks; true peaks are at most 0.12 % higher
ROUNDING = 1e-9  # relative margin to the limits, for rounding
TINY = float(np.finfo(np.float64).tiny)
CRITERIA = ("condition", "log_det")
SMALLER = 0.9  # size of the next motion to start from, where one was not allowed
STRIDE = 0.3  # step of the random search, relative to the best coefficients so far


@dataclass(frozen=True, eq=False, repr=False)
class Excitation(Report):
    """Periodic motion q = center + sum over k of sines_k sin(k w t) + cosines_k cos(k w t) with w = 2 pi / period.

    Attributes
    ----------
    period : s.
    center : (n,) mean position, rad or m.
    sines, cosines : (harmonics, n) coefficients, rad or m, of k = 1, 2, ...
    t : (samples,) times, evenly spaced over one period, s.
    q, qd, qdd : (samples, n) the motion at these times.
    condition : condition number at these times of the base parameter regressor with columns of length 1.

    Examples
    --------
    >>> import rne
    >>> motion = rne.excitation(rne.base_parameters(rne.load("models/planar2/robot.dh.toml")), samples=50, tries=20)
    >>> motion.qdd.shape, motion.at([0.0, 1.5])[0].shape
    ((50, 2), (2, 2))
    """

    period: float
    center: Array
    sines: Array
    cosines: Array
    t: Array
    q: Array
    qd: Array
    qdd: Array
    condition: float

    def at(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations (samples, n) at times (samples,), s."""
        times = numbers("t", t, np.shape(t))
        if times.ndim != 1:
            raise ArgumentError(f"t: wanted shape (samples,), got {times.shape}")
        q, qd, qdd = _motion(times, self.period, self.sines, self.cosines)
        return self.center + q, qd, qdd

    def _parts(self) -> list[Part]:
        joints = {
            "coordinate": [str(k + 1) for k in range(len(self.center))],
            "lowest": cells(self.q.min(axis=0)),
            "highest": cells(self.q.max(axis=0)),
            "largest |qd|": cells(np.abs(self.qd).max(axis=0)),
            "largest |qdd|": cells(np.abs(self.qdd).max(axis=0)),
        }
        head = f"period {self.period:g} s, {len(self.sines)} harmonics, condition number {self.condition:.3g}"
        return [head, titled(joints)]


def excitation(
    base: BaseParameters,
    *,
    period: float = 10.0,
    harmonics: int = 5,
    samples: int = 200,
    tries: int = 200,
    velocity_limit: ArrayLike | None = None,
    criterion: str = "condition",
    allowed: Callable[[Array], bool] | None = None,
    seed: int = 0,
) -> Excitation:
    """Exciting motion for `identify`: well conditioned for the base parameters, and within the joint limits.

    A finite Fourier series (Swevers, Ganseman, Tükel, De Schutter, Van Brussel 1997) whose coefficients come from a
    random search for a small condition number, or a large determinant. Since the motion is periodic, noise can be
    averaged over several periods of a measurement, and velocities and accelerations follow from the series. Torque
    limits are not considered, obstacles only by `allowed`, and the motion does not start at rest.

    Limits of position and velocity hold at all times, not only at the samples, and also for mimic joints. A joint
    without limits moves at most half a turn, or one meter, from zero or from the limit nearest to zero.

    Parameters
    ----------
    base : the base parameters to identify, as returned by `base_parameters`.
    period : of the motion, s.
    harmonics : number of harmonics.
    samples : number of times in a period at which the regressor is evaluated.
    tries : number of series evaluated by the search.
    velocity_limit : (n,) largest velocities, rad/s or m/s; those of the robot, mimic joints included, if None.
    criterion : what the search makes small: "condition", the condition number of the regressor with columns of length
        1, for small errors in all directions; or "log_det", minus the logarithm of the determinant of W^T W with the
        stacked regressor W, for a small volume of the confidence region at equal noise of all joints (D-optimal).
    allowed : function of the positions (samples, n) of a motion that returns whether it may be run, for example
        because the robot hits neither itself nor its surroundings; all motions may be run if None. Where none may, the
        search begins with smaller and smaller motions.
    seed : of the random search; the same seed gives the same motion.

    Returns
    -------
    Excitation

    Raises
    ------
    ArgumentError
        A number is not positive or too small, the robot has no joints, no position satisfies the limits of a joint
        and those of its mimic joints, or no motion was allowed.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> motion = rne.excitation(rne.base_parameters(arm), samples=50, tries=50)
    >>> bool(motion.condition < 20)
    True
    """
    if not isinstance(base, BaseParameters) or not len(base):
        raise ArgumentError("base: wanted at least one base parameter, as returned by rne.base_parameters")
    robot = base.robot
    check_robot(robot)
    harmonics, seed = whole_number("harmonics", harmonics, 1), whole_number("seed", seed, 0)
    samples, tries = whole_number("samples", samples, 4 * harmonics), whole_number("tries", tries, 1)
    if not float(numbers("period", period, ())) > 0:
        raise ArgumentError(f"period: wanted a positive number, got {period!r}")
    fastest = robot.velocity_limit if velocity_limit is None else numbers("velocity_limit", velocity_limit, (robot.n,))
    if (fastest <= 0).any():
        raise ArgumentError(f"velocity_limit: wanted positive numbers, got {fastest.tolist()}")
    if velocity_limit is None:
        fastest = velocity_limits(robot)
    check_choice("criterion", criterion, CRITERIA)
    if allowed is not None and not callable(allowed):
        raise ArgumentError(f"allowed: wanted a function of positions, or None; got {type(allowed).__name__}")
    center, reach = _room(robot)
    rng, t = np.random.default_rng(seed), np.linspace(0.0, period, samples, endpoint=False)

    def within_limits(sines: Array, cosines: Array, share: float) -> Excitation:
        q, qd, qdd = _motion(t, period, sines, cosines)
        peak, top = _peaks(period, sines, cosines)
        size = share * (1 - ROUNDING) * np.minimum(reach / peak, fastest / top)
        q, qd, qdd = center + size * q, size * qd, size * qdd
        return Excitation(period, center, size * sines, size * cosines, t, q, qd, qdd, _condition(base, q, qd, qdd))

    def score(motion: Excitation) -> float:
        if allowed is not None and not _truth(allowed(motion.q.copy())):
            return math.inf
        return motion.condition if criterion == CRITERIA[0] else _minus_log_det(base, motion)

    best, least, share = None, math.inf, 1.0
    for _ in range(tries):
        if best is None or (least == math.inf and allowed is not None):  # nothing to start from yet
            share *= 1.0 if best is None else SMALLER
            sines, cosines = rng.normal(size=(2, harmonics, robot.n))
            best = within_limits(sines, cosines, share)
            least = score(best)
            continue
        scale = STRIDE * np.sqrt(np.mean(best.sines**2 + best.cosines**2, axis=0))
        step = scale * rng.normal(size=(2, harmonics, robot.n))
        found = within_limits(best.sines + step[0], best.cosines + step[1], share)
        reached = score(found)
        if reached < least:
            best, least = found, reached
    assert best is not None
    if least == math.inf and allowed is not None:
        raise ArgumentError(f"allowed: none of {tries} motions may be run; allow more, or raise tries")
    return best


def _truth(answer: object) -> bool:
    """Return what the function of the user says of a motion as a whole."""
    if not isinstance(answer, (bool, np.bool_)):
        got = f"an array of shape {answer.shape}" if isinstance(answer, np.ndarray) else shown(answer)
        raise ArgumentError(f"allowed: wanted True or False for the motion, got {got}; of several, return all()")
    return bool(answer)


def _minus_log_det(base: BaseParameters, motion: Excitation) -> float:
    W = base.regressor(motion.q, motion.qd, motion.qdd).reshape(motion.q.size, len(base))
    sign, value = np.linalg.slogdet(W.T @ W)
    return -float(value) if sign > 0 else math.inf


def _room(robot: Robot) -> tuple[Array, Array]:
    """Return the middle of the range of each joint and half its width, (n,) each."""
    lower, upper = position_limits(robot)
    for name, low, high in zip(robot.joint_names, lower, upper, strict=True):
        if low - high > ROUNDING * (1 + abs(low)):
            at_odds = f"no position of joint {name!r} satisfies its limits and those of its mimic joints"
            raise ArgumentError(f"base: {at_odds}; correct the limits in the file of the robot")
    lower, upper = position_range(robot)
    return (lower + upper) / 2, (upper - lower) / 2


def _peaks(period: float, sines: Array, cosines: Array) -> tuple[Array, Array]:
    """Bound the series without its center, and its velocity, at all times, (n,) each.

    A trigonometric polynomial of degree H is nowhere more than 1 / cos(pi H / N) times as large as on N > 2 H points
    evenly spaced over its period: it falls off from a peak no faster than its fastest harmonic. Source: Ehlich, Zeller,
    "Schwankung von Polynomen zwischen Gitterpunkten", Mathematische Zeitschrift 86 (1964).
    """
    points: Array = np.linspace(0.0, period, GRID * len(sines), endpoint=False)
    q, qd, _ = _motion(points, period, sines, cosines)
    found = np.abs([q, qd]).max(axis=1, initial=TINY) / math.cos(math.pi / GRID)  # TINY: no range, no motion
    return found[0], found[1]


def _motion(t: Array, period: float, sines: Array, cosines: Array) -> tuple[Array, Array, Array]:
    """Return the series without its center, and its derivatives, each (samples, n)."""
    w = 2 * np.pi / period * np.arange(1, len(sines) + 1)
    s, c = np.sin(t[:, None] * w), np.cos(t[:, None] * w)
    q = s @ sines + c @ cosines
    return q, (c * w) @ sines - (s * w) @ cosines, -(s * w**2) @ sines - (c * w**2) @ cosines


def _condition(base: BaseParameters, q: Array, qd: Array, qdd: Array) -> float:
    W = base.regressor(q, qd, qdd).reshape(q.size, len(base))
    length = np.linalg.norm(W, axis=0)
    return float(np.linalg.cond(W / length)) if length.all() else math.inf
