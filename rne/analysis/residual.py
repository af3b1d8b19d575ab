"""Measured torques against those of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Floats, check_robot, settle
from rne.batch.coordinates import width_of
from rne.batch.named import time_array
from rne.check import check_flag, numbers
from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.errors import ArgumentError, shown
from rne.model.robot import Robot
from rne.tables import Part, Report, cells, percent, titled

_CONSTANT = 1e-12  # standard deviation over mean up to which a torque is constant, but for rounding


@dataclass(frozen=True, eq=False, repr=False)
class Residual(Report):
    """What is left of measured torques when those of the model are subtracted; all arrays are (n,), one a coordinate.

    Attributes
    ----------
    joint_names : the coordinates.
    samples : number of samples in which both torques are finite.
    rms : root mean square of the residual, N m or N.
    bias : its mean.
    mean, variance : of the measured torques.
    worst : the residual of largest magnitude, with its sign.
    worst_time : when that is, s; number of the sample where there are no times.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q = np.random.default_rng(0).normal(size=(100, 2))
    >>> report = rne.residual(arm, q, tau=rne.gravity_vector(arm, q) + [0.5, 0.0])
    >>> report.rms.round(6), report.bias.round(6)
    (array([0.5, 0. ]), array([0.5, 0. ]))
    """

    joint_names: tuple[str, ...]
    samples: Floats
    rms: Floats
    bias: Floats
    mean: Floats
    variance: Floats
    worst: Floats
    worst_time: Floats

    DERIVED = ("relative", "r2")

    @property
    def relative(self) -> Floats:
        """RMS of the residual over that of the measured torque."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Floats = self.rms / np.sqrt(self.variance + self.mean**2)
        return found

    @property
    def r2(self) -> Floats:
        """Share of the variance of the measured torque that is explained: 1 - rms^2 / variance; NaN without any."""
        varies = self.variance > (_CONSTANT * self.mean) ** 2
        found: Floats = 1 - np.divide(self.rms**2, self.variance, out=np.full_like(self.rms, np.nan), where=varies)
        return found

    def _parts(self) -> list[Part]:
        joints = {
            "joint": self.joint_names,
            "RMS": cells(self.rms),
            "relative": percent(self.relative),
            "R2": [f"{value:.4f}" for value in self.r2],
            "bias": cells(self.bias),
            "worst": cells(self.worst),
            "at": [f"{value:.6g}" for value in self.worst_time],
            "samples": [str(int(count)) for count in self.samples],
        }
        return [titled(joints)]

    @staticmethod
    def joined(parts: Sequence[Residual]) -> Residual:
        """Return the report on several parts of a motion, as on all of them together.

        Parameters
        ----------
        parts : reports on the same robot, one or more.

        Returns
        -------
        residual : Residual

        References
        ----------
        Chan, Golub, LeVeque, American Statistician 37 (1983) 242.

        Examples
        --------
        >>> import numpy as np, rne
        >>> arm = rne.load("models/planar2/robot.dh.toml")
        >>> q, tau = np.random.default_rng(0).normal(size=(2, 100, 2))
        >>> halves = [rne.residual(arm, q[rows], tau=tau[rows]) for rows in (slice(50), slice(50, 100))]
        >>> bool(np.allclose(rne.Residual.joined(halves).rms, rne.residual(arm, q, tau=tau).rms))
        True
        """
        if (
            not isinstance(parts, Sequence)
            or not parts
            or not all(isinstance(part, Residual) and part.joint_names == parts[0].joint_names for part in parts)
        ):
            raise ArgumentError(f"parts: wanted reports on the residuals of one robot, got {shown(parts)}")
        count = np.array([part.samples for part in parts])
        total = count.sum(axis=0)
        with np.errstate(invalid="ignore"):
            share = count / total

        def mean_of(rows: list[Floats]) -> Floats:
            found: Floats = np.where(count > 0, share * np.array(rows), 0.0).sum(axis=0)
            return np.where(total > 0, found, np.nan)

        mean = mean_of([part.mean for part in parts])
        spread = [part.variance + (part.mean - mean) ** 2 for part in parts]
        size = np.array([np.where(part.samples > 0, abs(part.worst), -1.0) for part in parts])
        where = (size.argmax(axis=0), np.arange(len(mean)))
        return Residual(
            parts[0].joint_names,
            total,
            np.sqrt(mean_of([part.rms**2 for part in parts])),
            mean_of([part.bias for part in parts]),
            mean,
            mean_of(spread),
            np.array([part.worst for part in parts])[where],
            np.array([part.worst_time for part in parts])[where],
        )


def residual(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    t: ArrayLike | None = None,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
    friction: bool = False,
    threads: int | None = None,
) -> Residual:
    """Compare measured torques with those of the model: measured minus `inverse_dynamics`, joint by joint.

    Positions, velocities, accelerations and torques should have passed the same filter, as `rne.differentiate` does it
    with `tau`: else the residual has what the filter has taken from the others.

    Parameters
    ----------
    robot, q, qd, qdd, gravity, f_ext, friction, threads : as in `inverse_dynamics`; so are the errors raised.
    tau : (..., n) measured torques, N m or N. Samples of a coordinate where they are not finite do not count.
    t : (T,) times of a motion (T, n), s.

    Returns
    -------
    residual : Residual
        Per coordinate RMS, absolute and relative, R2, bias, and the worst sample.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape or value.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q = [[0.0, 0.0], [0.2, 0.1], [0.4, 0.2]]
    >>> print(rne.residual(arm, q, tau=[[19.0, 5.0], [19.0, 4.6], [18.0, 4.0]], t=[0.0, 0.1, 0.2]))
    joint         RMS  relative      R2      bias  worst  at  samples
    shoulder     0.43     2.3 %  0.1680   -0.1098  -0.62   0        3
    elbow     0.07903    1.74 %  0.9630  -0.01307  0.095   0        3
    """
    check_robot(robot, floating=True)
    check_flag("friction", friction)
    if tau is None:
        raise ArgumentError("tau: wanted the measured torques, got None")
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau}, f_ext, floating=True)
    state = (batch.rows[name].reshape(*batch.shape, width_of(robot, name)) for name in ("q", "qd", "qdd"))
    model = inverse_dynamics(robot, *state, gravity=gravity, f_ext=f_ext, friction=friction, threads=threads)
    measured = batch.rows["tau"].astype(np.float64, copy=False)
    rest = measured - model.reshape(measured.shape)
    if t is None:
        times = np.arange(len(rest), dtype=np.float64)
    else:
        if len(batch.shape) != 1:
            raise ArgumentError(f"t: wanted None, since q is no motion (T, {robot.nq})")
        times = numbers("t", time_array("t", t), batch.shape)
        if (np.diff(times) < 0).any():
            raise ArgumentError(f"t: wanted times in order, but they fall at sample {int(np.diff(times).argmin()) + 1}")
    return report(robot, times, measured, rest)


def report(robot: Robot, times: Floats, measured: Floats, rest: Floats) -> Residual:
    """Return the report on residuals (T, n) of measured torques at times (T,)."""
    good = np.isfinite(rest)
    count = good.sum(axis=0).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        rest, measured = (np.where(good, x, 0.0).astype(np.float64) for x in (rest, measured))
        mean = measured.sum(axis=0) / count
        variance = (np.where(good, measured - mean, 0.0) ** 2).sum(axis=0) / count
        rms = np.sqrt((rest**2).sum(axis=0) / count)
        bias = rest.sum(axis=0) / count
    worst, at = np.full(robot.n, np.nan), np.full(robot.n, np.nan)
    if len(rest):
        rows = abs(rest).argmax(axis=0)
        worst = np.where(count > 0, rest[rows, np.arange(robot.n)], np.nan)
        at = np.where(count > 0, times[rows], np.nan)
    return Residual(robot.coordinate_names, count, rms, bias, mean, variance, worst, at)
