"""Delays between positions and torques: found from the residual, and taken out of samples.

If torques lag by d, they are those of the motion before: tau(t) = y(t - d), which is y - d y' for small d. The residual
then has a part along the rate y' of the torque of the model, which is fitted together with the parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rne.errors import ArgumentError
from rne.identification.equations import Equations
from rne.identification.moments import gram, inverse_of
from rne.tables import Part, Report, titled

Array = NDArray[np.float64]
Rows = tuple[Array, Array, Array, Array]  # q, qd, qdd, tau

BLOCKS = 16  # stretches between which the delays are compared for their standard deviations
APART = 0.2  # deviation of the time between two samples, relative to that of most, at which a log has a gap
MOST_GAPS = 0.2  # share of gaps above which samples are not in the order of time
CLEAR = 5.0  # standard deviations from where on a delay is certain
MOST_SAMPLES = 100  # largest delay that is searched for
STILL = 1e-9  # rate of the torque of a joint, relative to the largest torque, 1/s, below which it does not change
IN_A_STEP = 6.0  # information of each of two samples beside a step, in 1 / period^2: the inverse of 1/12, halved
SMALL = 0.01  # delay, relative to the time between samples, below which it does not matter


@dataclass(frozen=True, eq=False, repr=False)
class Delay(Report):
    """Delays of the torques behind the positions of a log.

    Attributes
    ----------
    joint_names : names of the n joints.
    period : time between samples, s, as positions and velocities say.
    common, common_sd : delay of all joints together and its standard deviation, s; positive where torques lag.
    each, each_sd : (n,) those of each joint alone; NaN for a joint whose torque does not change.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> plan = rne.excitation(rne.base_parameters(arm), tries=20)
    >>> t = np.arange(0.0, 10.0, 0.01)
    >>> tau = rne.inverse_dynamics(arm, *plan.at(t - 0.002)) + 0.1 * np.random.default_rng(0).normal(size=(1000, 2))
    >>> found = rne.identify(arm, *plan.at(t), tau, delay=0.0)
    >>> round(found.delay.common, 3), round(found.delay.period, 4)
    (0.002, 0.01)
    """

    DERIVED: ClassVar = ("certain",)

    joint_names: tuple[str, ...]
    period: float
    common: float
    common_sd: float
    each: Array
    each_sd: Array

    @property
    def certain(self) -> bool:
        """Whether there is no doubt of the common delay, and it is more than a hundredth of the period."""
        return abs(self.common) > max(CLEAR * self.common_sd, SMALL * self.period)

    def _parts(self) -> list[Part]:
        head = f"torques lag positions by {1e3 * self.common:.3g} ms, sd {1e3 * self.common_sd:.2g} ms"
        rows = {"joint": self.joint_names}
        for title, values in (("delay ms", self.each), ("sd ms", self.each_sd)):
            rows |= {title: tuple("-" if np.isnan(x) else f"{1e3 * x:.3g}" for x in values)}
        return [head, titled(rows)]


def in_time(q: Array, qd: Array) -> tuple[float, NDArray[np.bool_]] | None:
    """Return the time between samples, and which samples (N - 1,) follow theirs without a gap.

    Positions and velocities have to agree; None if the samples are not in the order of time, or do not move.
    """
    step, mean = q[1:] - q[:-1], (qd[1:] + qd[:-1]) / 2
    size = np.einsum("ij,ij->i", mean, mean)
    moving = size > 1e-6 * size.max(initial=0.0)
    if np.count_nonzero(moving) < BLOCKS:
        return None
    times = np.einsum("ij,ij->i", step, mean)[moving] / size[moving]
    period = float(np.median(times))
    good = np.ones(len(step), np.bool_)
    good[moving] = np.abs(times - period) < APART * abs(period)
    return (period, good) if period > 0 and good[moving].mean() > 1 - MOST_GAPS else None


def delay_of(rows: Rows, equations: Equations, change: Array, sd: Array) -> Delay | None:
    """Return the delays of a log after an identification; None if it is not in the order of time.

    Parameters
    ----------
    change : (p,) parameters minus the given ones.
    sd : (n,) standard deviations of the torques.
    """
    q, qd, qdd, tau = rows
    timed = in_time(q, qd) if len(q) > 2 * BLOCKS else None
    if timed is None:
        return None
    period, good = timed
    columns = equations.columns((q, qd, qdd))
    model = equations.torque((q, qd, qdd))
    for j, (Z, index) in enumerate(zip(columns, equations.index, strict=True)):
        model[:, j] += Z[:, :-1] @ change[index]
    whole = 0
    for _ in range(MOST_SAMPLES):  # near steps of friction, one fit sees a delay of one sample at most
        inner, later = _pairs(good, whole)
        if len(inner) < BLOCKS * BLOCKS:
            return None
        fit = _fitted(columns, equations, model, (qd, tau, inner, later, period), sd)
        if fit is None:
            return None
        more, common, sd_of_all, each, each_sd = fit
        step = round(common / period)
        if not step:
            break
        whole += step
        for j, (Z, index) in enumerate(zip(columns, equations.index, strict=True)):
            model[:, j] += Z[:, :-1] @ more[index]
    lag = whole * period
    return Delay(equations.robot.joint_names, period, lag + common, sd_of_all, lag + each, each_sd)


def _pairs(good: NDArray[np.bool_], whole: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return samples with neighbors on both sides, and those so many samples later in the same run."""
    run = np.append(0, np.cumsum(~good))
    inner = np.flatnonzero(good[1:] & good[:-1]) + 1
    later = inner + whole
    there = (later >= 0) & (later < len(run))
    inner, later = inner[there], later[there]
    same = run[inner] == run[later]
    return inner[same], later[same]


def _fitted(
    columns: list[Array],
    equations: Equations,
    model: Array,
    samples: tuple[Array, Array, NDArray[np.intp], NDArray[np.intp], float],
    sd: Array,
) -> tuple[Array, float, float, Array, Array] | None:
    """Fit changes of the parameters and delays; return them, delay and deviation of all joints, and of each joint."""
    qd, tau, inner, later, period = samples
    rate = (model[inner + 1] - model[inner - 1]) / (2 * period)
    # A step of friction shows a delay to within a sample only, however small the noise is.
    told = np.where(qd[inner + 1] * qd[inner - 1] <= 0, (rate * period / sd) ** 2, 0.0)
    weight = np.sqrt(np.minimum(1.0, IN_A_STEP / np.maximum(told, IN_A_STEP)))
    count, n = len(equations.given), tau.shape[1]
    parts = np.array_split(np.arange(len(inner)), BLOCKS)
    A, g = np.zeros((BLOCKS, count + n, count + n)), np.zeros((BLOCKS, count + n))
    for j, (Z, index) in enumerate(zip(columns, equations.index, strict=True)):
        Z[inner, -1] = -rate[:, j]
        at = np.append(index, count + j)
        for b, part in enumerate(parts):
            own = weight[part, j, None]
            X, r = own * Z[inner[part]], own[:, 0] * (tau[later[part], j] - model[inner[part], j])
            products = gram(np.column_stack([X, r])) / sd[j] ** 2
            A[b][np.ix_(at, at)] += products[:-1, :-1]
            g[b][at] += products[:-1, -1]
    inverse = inverse_of(A.sum(axis=0), 1e-12)
    found = inverse @ g.sum(axis=0)
    influence = ((g - A @ found) @ inverse)[:, count:]
    spread = influence.T @ influence * BLOCKS / (BLOCKS - 1)
    moves = np.abs(rate).max(axis=0, initial=0.0) > STILL * np.abs(tau).max(initial=0.0)
    if not moves.any():
        return None
    each_sd = np.sqrt(np.where(moves, np.diagonal(spread), np.nan))
    precise = np.where(moves, 1 / np.diagonal(inverse)[count:], 0.0)
    share = precise / precise.sum()
    each = np.where(moves, found[count:], np.nan)
    sd_of_all = float(np.sqrt(share @ spread @ share))
    return found[:count], float(share @ found[count:]), sd_of_all, each, each_sd


def moved(rows: Rows, delay: float) -> Rows:
    """Return samples without a delay of the torques, s; those at the ends and at gaps are lost.

    The motion is moved, not the torque, so that steps of friction stay what they are: by whole samples, and by Taylor
    series for the rest.

    Raises
    ------
    ArgumentError
        The samples are not in the order of time.
    """
    q, qd, qdd, tau = rows
    timed = in_time(q, qd)
    if timed is None:
        raise ArgumentError(
            "delay: the samples are not in the order of time, as far as positions and velocities say, or too few move; "
            "wanted consecutive samples in each call"
        )
    period, good = timed
    whole = round(delay / period)
    rest = delay - whole * period
    jerk = np.zeros_like(qdd)
    jerk[1:-1] = (qdd[2:] - qdd[:-2]) / (2 * period)
    inner, later = _pairs(good, whole)
    acceleration = qdd[inner] - rest * jerk[inner]
    velocity = qd[inner] - rest * qdd[inner] + rest**2 / 2 * jerk[inner]
    position = q[inner] - rest * qd[inner] + rest**2 / 2 * qdd[inner] - rest**3 / 6 * jerk[inner]
    return position, velocity, acceleration, tau[later]
