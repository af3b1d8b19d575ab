"""Velocities and accelerations from recorded positions."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import check_robot
from rne.batch.named import coordinates
from rne.check import numbers, real_array
from rne.errors import ArgumentError, ModelWarning
from rne.model.floating import QUATERNION, UNIT
from rne.model.robot import Robot
from rne.tables import Part, Report, cells, titled
from rne.trajectory import base_motion
from rne.trajectory.filters import LEAST, Collector, Filter, stretches, usual_step, wish_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Derivatives(Report):
    """A recorded motion without its noise, its derivatives, and what is odd about its times.

    Attributes
    ----------
    q, qd, qdd : (T, n) positions, velocities, accelerations, all through the same filter; derivatives are NaN where
        there are fewer than five distinct times between two gaps, or degree + 1 in a window. Of a robot whose base
        floats, q is (T, nq).
    tau : (T, n) torques through the same filter; None if none were given.
    cutoff : (n,), one for each column of q, Hz, where the amplitude falls to 1/sqrt(2); infinite where the samples are
        interpolated.
    noise : (n,) standard deviation of what noise is left in qdd; NaN where it is not known.
    edges : (T, n), of the shape of q, whether a sample is so near an end or a gap that the filter is one-sided, and
        less certain.
    duplicates : (k,) indices of samples with the same time as the previous sample.
    gaps : (k,) indices of the first samples after gaps.

    Examples
    --------
    >>> import numpy as np, rne
    >>> motion = rne.differentiate(np.arange(50) / 100, np.zeros((50, 2)))
    >>> motion.qd.shape, motion.gaps
    ((50, 2), array([], dtype=int64))
    """

    q: Floats
    qd: Floats
    qdd: Floats
    tau: Floats | None
    cutoff: Floats
    noise: Floats
    edges: NDArray[np.bool_]
    duplicates: NDArray[np.int64]
    gaps: NDArray[np.int64]

    def _parts(self) -> list[Part]:
        speeds, accelerations = (x.reshape(len(x), -1) for x in (self.qd, self.qdd))
        none = np.isnan(accelerations).sum(axis=0)
        cutoff = self.cutoff
        if len(cutoff) > speeds.shape[1]:  # of a base that floats, a quaternion has one number more than its rates
            cutoff = base_motion.narrowed(cutoff)
        joints = {
            "coordinate": [str(k + 1) for k in range(speeds.shape[1])],
            "cutoff": cells(cutoff, " Hz"),
            "largest |qd|": cells(np.fmax.reduce(np.abs(speeds), axis=0, initial=0.0)),
            "largest |qdd|": cells(np.fmax.reduce(np.abs(accelerations), axis=0, initial=0.0)),
            "noise of qdd": cells(self.noise),
            "not a number": [str(count) for count in none],
        }
        odd = f"{len(self.duplicates)} duplicate times, {len(self.gaps)} gaps"
        return [f"{len(speeds)} samples, {odd}", titled(joints)]


def differentiate(
    t: ArrayLike,
    q: ArrayLike,
    *,
    robot: Robot | None = None,
    tau: ArrayLike | None = None,
    cutoff: ArrayLike | None = None,
    window: int | None = None,
    degree: int | None = None,
    gap: float | None = None,
) -> Derivatives:
    """Velocities and accelerations of sampled positions, by a low-pass filter that is chosen from the data.

    For each coordinate a quintic spline is fitted with a penalty on its sixth differences (P-splines: Eilers and Marx,
    Statistical Science 11 (1996) 89), at the times as they are. That is a filter without delay with the response
    1 / (1 + (f / f_c)^12), which gives positions, velocities and accelerations alike. Its cutoff is the one with the
    least expected error of the accelerations, by an unbiased estimate from the data (Mallows, Technometrics 15 (1973)
    661); the noise is taken as even over the frequencies around it. Fewer than 32 samples are interpolated by a quintic
    spline; so are samples 0.04 s apart or more (way points) whose motion fills the whole band, if the noise that this
    leaves in the accelerations is less than a tenth of them by the same estimate.

    Parameters
    ----------
    t : (T,) nondecreasing times, s; they may be nonuniform.
    q : (T, n) or (T,) positions. Where one is NaN, so are the results; the others of its coordinate do without it.
    robot : that of the motion, whose base floats: q (T, nq) holds its pose, and qd and qdd (T, n) are linear and
        angular velocity in its own axes, and their rates. The signs of quaternions may jump in q, not in the result.
    tau : torques or whatever else was recorded, of the shape of q (of qd, with a robot), to be filtered as q is.
    cutoff : of the filter in Hz, or one for each column of q, in place of the chosen ones. Infinity interpolates.
    window : number of samples, odd. Polynomials are then fitted to each sample and its neighbors in a window, by least
        squares: the filter of Savitzky and Golay (Analytical Chemistry 36 (1964) 1627), also at uneven times.
    degree : of these polynomials, 2 or more; 4 by default. Without `window` it is chosen for the cutoff.
    gap : time step above which samples are considered missing, s; no filter spans a gap. By default ten times the
        median of the first thousand steps.

    Returns
    -------
    derivatives : Derivatives
        q, qd and qdd with the shape of q, the cutoffs, the noise that is left in qdd, and what is odd about the times.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape or value, or times decrease.

    Warns
    -----
    ModelWarning
        There are too few times for derivatives, or positions jump by nearly a turn.

    Examples
    --------
    >>> import numpy as np, rne
    >>> t = np.linspace(0, 10, 5001)
    >>> noise = 1e-4 * np.random.default_rng(0).normal(size=(5001, 2))
    >>> motion = rne.differentiate(t, np.column_stack([np.sin(3 * t), np.cos(t)]) + noise)
    >>> inside = ~motion.edges.any(axis=1)
    >>> bool(abs(motion.qdd[:, 0] + 9 * np.sin(3 * t))[inside].max() < 0.05)
    True
    """
    times = real_array("t", t)
    if times.ndim != 1:
        raise ArgumentError(f"t: wanted shape (T,), got {times.shape}")
    times = numbers("t", times, times.shape)
    wish = wish_of(cutoff, window, degree)
    if robot is None:
        values = _like("q", q, len(times))
        others = None if tau is None else _like("tau", tau, len(times))
        if others is not None and others.shape != values.shape:
            raise ArgumentError(f"tau: wanted the shape of q, {values.shape}, got {others.shape}")
    else:
        values, others = _of_robot(robot, len(times), q, tau)
    floats = robot is not None and robot.floating
    steps = np.diff(times)
    if (steps < 0).any():
        k = int(np.argmax(steps < 0)) + 1
        raise ArgumentError(f"t: times decrease from {times[k - 1]:.17g} to {times[k]:.17g} s at sample {k}")
    interval, usual = usual_step(times)
    longest = usual if gap is None else _length_of(gap)
    n = 1 if values.ndim == 1 else values.shape[1]
    if n == 0:
        raise ArgumentError(f"q: wanted at least one coordinate, got shape {values.shape}")
    rows = np.stack([x.reshape(len(times), n) for x in (values, others) if x is not None], axis=1)
    collector = Collector(n)
    for start, stop in stretches(times, longest):
        collector.add(times[start:stop], rows[start:stop, 0])
        collector.end()
    chosen = Filter(wish, collector, interval, n, 2)
    made = chosen.whole(times, rows, longest, 2)
    smooth, qd, qdd = (part[:, 0].reshape(values.shape) for part in made)
    torques = None if others is None else made[0][:, 1].reshape(values.shape)
    if floats:
        smooth, qd, qdd = base_motion.moved(smooth, qd, qdd)
        torques = None if torques is None else base_motion.narrowed(torques)
    _doubt(times, values, qdd)
    return Derivatives(
        q=smooth,
        qd=qd,
        qdd=qdd,
        tau=torques,
        cutoff=chosen.cutoff,
        noise=base_motion.noise_of_rates(chosen.noise) if floats else chosen.noise,
        edges=chosen.edges(times, longest).reshape(values.shape),
        duplicates=np.flatnonzero(steps == 0) + 1,
        gaps=np.flatnonzero(steps > longest) + 1,
    )


def _like(name: str, value: ArrayLike, rows: int) -> Floats:
    array: Floats = real_array(name, value).astype(np.float64, copy=False)
    if array.ndim not in (1, 2) or len(array) != rows:
        raise ArgumentError(f"{name}: wanted shape ({rows}, n), since t has {rows} times; got {array.shape}")
    return array


def _of_robot(robot: Robot, rows: int, q: ArrayLike, tau: ArrayLike | None) -> tuple[Floats, Floats | None]:
    """Return positions (T, nq) and torques of as many columns."""
    check_robot(robot, floating=True)
    values = coordinates(robot, "q", q).astype(np.float64)
    others = None if tau is None else coordinates(robot, "tau", tau).astype(np.float64)
    for name, array, width in (("q", values, robot.nq), ("tau", others, robot.n)):
        if array is not None and array.shape != (rows, width):
            raise ArgumentError(f"{name}: wanted shape ({rows}, {width}), got {array.shape}")
    if robot.floating:
        length = np.linalg.norm(values[:, QUATERNION], axis=1)
        bad = np.flatnonzero(np.abs(length - 1.0) > UNIT)
        if bad.size:
            raise ArgumentError(f"q: wanted unit quaternions of the base, got length {length[bad[0]]:.6g} at {bad[0]}")
        values = base_motion.steady(values)
        others = None if others is None else base_motion.widened(others)
    return values, others


def _doubt(t: Floats, q: Floats, qdd: Floats) -> None:
    """Warn of what gives no derivatives, or those of jumps."""
    if len(t) and np.isnan(qdd).all() and not np.isnan(q).all():
        distinct = 1 + int(np.count_nonzero(np.diff(t)))
        warnings.warn(
            f"t: {distinct} distinct times, between gaps too few for derivatives, which are NaN; wanted are {LEAST} or "
            "more, or degree + 1 in a window",
            ModelWarning,
            stacklevel=3,
        )
    if len(t) < 2:
        return
    steps = abs(np.diff(q.reshape(len(t), -1), axis=0))
    with np.errstate(invalid="ignore"):
        # A motion that wraps goes in small steps elsewhere.
        wraps = (abs(steps - 2 * np.pi) < 0.5).any(axis=0) & (np.median(np.nan_to_num(steps), axis=0) < 0.5)
    if wraps.any():
        told = ", ".join(map(str, np.flatnonzero(wraps)))
        warnings.warn(
            f"q: coordinates {told} (from zero) jump by nearly a turn between two samples; angles that wrap need "
            "numpy.unwrap(q, axis=0) first",
            ModelWarning,
            stacklevel=3,
        )


def _length_of(gap: float) -> float:
    length = real_array("gap", gap)
    if length.shape or not length > 0:
        raise ArgumentError(f"gap: wanted a positive time in s, got {gap!r}")
    return float(length)
