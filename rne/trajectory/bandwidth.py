"""The cutoff of a low-pass filter, chosen from the data: the one with the least expected error of the derivatives.

Candidates are compared by an unbiased estimate of the squared error of the derivative that matters, accelerations
for recorded positions: that of Mallows (Technometrics 15 (1973) 661) and Stein (Annals of Statistics 9 (1981) 1135),
carried from values to derivatives. With d = a - b the difference of two filtered motions, r = y - b the residual of
one, and a weight w that vanishes at both ends, the errors of their second derivatives differ by

    E(a) - E(b) = int w d''^2 - 2 int (w d'')'' r + 2 s (T_a - T_b),

since what is differentiated is smooth: the noise itself, of density s, is not. T is the sum over all frequencies of the
response times frequency^4. The density is that of the residual beside the pass band, so that noise need not be white.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rne.trajectory.penalized import Penalty, penalty_of
from rne.trajectory.pieces import Pieces

Floats = NDArray[np.float64]

_PER_OCTAVE = 12
_SLOWEST = 1 / 16_000  # cutoff over sampling rate: bounds the window, and with it the memory of a stream
_PERIODS = 1.0  # of the cutoff in a stretch, at least
_ENDS = 0.5  # periods of the cutoff at the ends of a stretch that do not count
_EDGE = 2.0  # factor on the cutoff there, before it is known
_RAMP = 0.1  # of a stretch, at each end, over which the weight rises
_BINS = 16.0  # averages per period of the cutoff, at least
_FAR = 5 * _PER_OCTAVE // 4  # candidates above the best after which the search ends
_SETTLED = 4.0  # density of a residual over that of the fastest noise, below which it is noise
_EXPLAINED = 1e-2  # variance of a residual over that of the motion, above which it has motion in it, if it is no noise
_SAME = 1e-12  # gain in an octave, relative to the square of the motion, that ends it, too
_WAY_POINTS = 0.04  # s; slower samples may be way points, which are interpolated if that transmits little noise
_LITTLE = 0.1  # of the derivative
_CAUTION = 3.0  # in place of 2: too many candidates make one with too high a cutoff look good by chance
_SAFETY = 2 ** (1 / 12)  # too high a cutoff costs little, too low a cutoff much
_FREE = 0.3  # share of the noise that must remain in the residual
_ROWS = 16_384  # averages that are filtered with one candidate, at most: those in the middle of each stretch
_LEAST = 32  # samples, below which nothing is estimated


@dataclass(frozen=True)
class Choice:
    """What is known of the coordinates.

    Attributes
    ----------
    cutoff : (n,) Hz; infinite where the samples are to be interpolated.
    density : (n,) of the noise of the samples, two-sided, in their units^2/Hz; zero where it is not known.
    power : (n,) mean square of the derivative.
    """

    cutoff: Floats
    density: Floats
    power: Floats

    def penalties(self, interval: float, derivative: int) -> list[Penalty]:
        """Return the filters, weaker at the ends the more the motion stands out from the noise."""
        found = []
        for cutoff, density, power in zip(self.cutoff, self.density, self.power, strict=True):
            penalty = penalty_of(cutoff, interval)
            noise = noise_of(penalty, density, derivative)
            if noise > 0 and power > 0:
                # Where error and noise balance in the middle, so they do at the ends with this factor (measured).
                ratio = math.sqrt(power) / noise
                penalty = penalty_of(cutoff, interval, min(max((6 * ratio) ** (1 / 17), 1.0), 3.0))
            found.append(penalty)
        return found


def choose(stretches: Sequence[tuple[Floats, Floats]], interval: float, derivative: int) -> Choice:
    """Choose the cutoff for each coordinate.

    Parameters
    ----------
    stretches : pairs of times (S,) without gaps and finite samples (S, n).
    interval : usual step of the times.
    derivative : the one whose error is to be least, 1 or 2.
    """
    n = stretches[0][1].shape[1] if stretches else 0
    enough = [stretch for stretch in stretches if len(stretch[0]) >= _LEAST]
    if not enough or not math.isfinite(interval):
        return Choice(np.full(n, np.inf), np.zeros(n), np.zeros(n))
    most = max(len(t) for t, _ in enough)
    longest = max(t[-1] - t[0] for t, _ in enough)
    slowest = max(_PERIODS / longest, _SLOWEST / interval)
    highest = 0.45 / interval
    count = max(1, math.floor(math.log2(highest / slowest) * _PER_OCTAVE) + 1)
    cutoffs = [slowest * 2 ** (k / _PER_OCTAVE) for k in range(count)]
    gains: list[Floats] = [np.zeros(n)]  # change of the risk from each candidate to the next, without the noise
    noises: list[float] = []  # what a density of one adds to it
    densities: list[Floats] = []
    powers: list[Floats] = []
    floor = _fastest(enough, interval)
    variance = np.concatenate([y for _, y in enough]).var(axis=0)
    size, scan = 0, _Scan(enough, interval, 1, derivative, slowest)
    last: Penalty | None = None
    for k, cutoff in enumerate(cutoffs):
        wanted = 2 ** max(0, math.floor(math.log2(min(1 / (_BINS * cutoff * interval), most / _LEAST))))
        if wanted != size:  # averages are as short as this cutoff needs
            size, scan = wanted, _Scan(enough, interval, wanted, derivative, cutoff)
            if last is not None:
                scan.take(last)
        penalty = penalty_of(cutoff, interval)
        gain, density = scan.take(penalty)
        if last is not None:
            gains.append(gain)
        last = penalty
        noises.append(scan.weight * _transmitted(last, derivative))
        densities.append(density)
        powers.append(scan.power)
        best = _best(gains, noises, densities)
        left = np.array(densities)[best, np.arange(n)]
        white = left <= _SETTLED * floor
        settled = (white | (left <= _EXPLAINED * interval * variance)).all()
        recent = -np.sum(gains[-_PER_OCTAVE:], axis=0)
        far = k - int(best.max()) >= (_FAR if white.all() else 2 * _FAR)
        if settled and (far or (k > 2 * _PER_OCTAVE and (recent <= _SAME * scan.power * scan.weight).all())):
            break
    best = _best(gains, noises, densities)
    lowest = _lowest(densities)
    chosen = np.minimum(np.array(cutoffs)[best] * _SAFETY, highest)
    which = np.arange(n)
    density, power = lowest[best, which], np.array(powers)[best, which]
    if interval >= _WAY_POINTS:
        # A motion with jerks fills the whole band; the limit of the candidates is interpolation.
        passed = np.sqrt(density * _passed(interval, derivative))
        chosen[(best >= _usable(densities)) & (passed <= _LITTLE * np.sqrt(power))] = np.inf
    return Choice(chosen, density, power)


def _fastest(stretches: Sequence[tuple[Floats, Floats]], interval: float) -> Floats:
    """Return the density of the noise at the highest frequencies, from sixth differences of the samples."""
    squares = np.concatenate([np.diff(y, n=6, axis=0) ** 2 for _, y in stretches])
    found: Floats = interval * squares.mean(axis=0) / math.comb(12, 6)
    return found


def _usable(densities: Sequence[Floats]) -> int:
    """Return the number of the last candidate that leaves enough in the residual to tell the noise."""
    return int(np.flatnonzero(np.isfinite(np.array(densities)).all(axis=1)).max(initial=-1))


def _best(gains: Sequence[Floats], noises: Sequence[float], densities: Sequence[Floats]) -> NDArray[np.int64]:
    """Return the number of the candidate with the least risk for each coordinate."""
    density = _lowest(densities)
    steps = np.array(gains)
    steps[1:] += _CAUTION * density[1:] * np.diff(np.array(noises))[:, None]
    found: NDArray[np.int64] = np.argmin(np.cumsum(steps, axis=0), axis=0)
    return found


def _lowest(densities: Sequence[Floats]) -> Floats:
    """Return for each candidate the density of the noise: the least of the residuals up to two octaves above."""
    rows = np.array(densities)
    return np.array([rows[k : k + 2 * _PER_OCTAVE].min(axis=0) for k in range(len(rows))])


def _transmitted(penalty: Penalty, derivative: int, power: int = 1) -> float:
    """Return the integral over all frequencies of response^power (2 pi f)^(2 derivative), df."""
    f = np.linspace(0.0, min(0.5 / penalty.step, 4 * penalty.cutoff), 2001)
    values = penalty.response(f) ** power * (2 * np.pi * f) ** (2 * derivative)
    return float(2 * (values.sum() - values[-1] / 2) * (f[1] - f[0]))


def _passed(interval: float, derivative: int) -> float:
    """Return the integral of (2 pi f)^(2 derivative) up to the frequency of Nyquist, which interpolation passes."""
    power = 2 * derivative
    return math.pi**power / (power + 1) / interval ** (power + 1)


def noise_of(penalty: Penalty, density: float, derivative: int) -> float:
    """Return the standard deviation of a derivative of filtered noise."""
    if not math.isfinite(penalty.cutoff):
        return math.sqrt(density * _passed(penalty.interval, derivative))
    return math.sqrt(density * _transmitted(penalty, derivative, 2))


class _Scan:
    """Filters averages of the samples with one cutoff after another."""

    def __init__(
        self,
        stretches: Sequence[tuple[Floats, Floats]],
        interval: float,
        size: int,
        derivative: int,
        cutoff: float,
    ) -> None:
        self._interval, self._derivative = interval * size, derivative
        rows = sum(len(t) for t, _ in stretches) // size
        share = min(1.0, _ROWS / max(rows, 1))
        parts = [_middle(len(t), share) for t, _ in stretches]
        self._stretches = [
            (_averages(t[part], size), _averages(y[part], size)) for (t, y), part in zip(stretches, parts, strict=True)
        ]
        self._stretches = [pair for pair in self._stretches if len(pair[0]) >= _LEAST]
        self._scale = 1 / share
        self._ramps = [_ramp(t, derivative, _ENDS / cutoff) for t, _ in self._stretches]
        self._steps = [np.gradient(t) for t, _ in self._stretches]
        if not any(w[0].any() for w in self._ramps):  # a few samples far apart
            self._ramps = [[np.full(len(t), float(k == 0)) for k in range(derivative + 1)] for t, _ in self._stretches]
        self.weight = self._scale * float(
            sum((w[0] * dt).sum() for w, dt in zip(self._ramps, self._steps, strict=True))
        )
        self._before: list[list[Floats]] = []

    def take(self, penalty: Penalty) -> tuple[Floats, Floats]:
        """Return the change of the risk, without noise, from the candidate before; and the density of the residual."""
        p = self._derivative
        own = penalty_of(penalty.cutoff, self._interval, _EDGE)
        gain, squares, total, self.power = 0.0, 0.0, 0.0, np.zeros(1)
        made = []
        for k, (t, y) in enumerate(self._stretches):
            values = Pieces([own] * y.shape[1], self._interval).whole(t, y, 2 * p)
            made.append(values)
            w, dt = self._ramps[k], self._steps[k][:, None]
            squares = squares + (w[0][:, None] * (y - values[0]) ** 2).sum(axis=0)
            total += float(w[0].sum())
            self.power = self.power + (dt * w[0][:, None] * values[p] ** 2).sum(axis=0) / self.weight
            if self._before:
                before = self._before[k]
                d = [a - b for a, b in zip(values, before, strict=True)]
                bent = sum(math.comb(p, j) * w[j][:, None] * d[2 * p - j] for j in range(p + 1))
                sign = 1 if p % 2 == 0 else -1
                gain = gain + (dt * (w[0][:, None] * d[p] ** 2 - 2 * sign * bent * (y - before[0]))).sum(axis=0)
        self._before = made
        free = 1 - self._interval * _transmitted(own, 0)
        density = np.asarray(squares / (total * max(free, _FREE)) * self._interval)
        self.power *= self._scale
        return self._scale * np.asarray(gain), density if free > _FREE else np.full_like(density, np.inf)


def _middle(rows: int, share: float) -> slice:
    kept = int(rows * share)
    return slice((rows - kept) // 2, (rows - kept) // 2 + kept)


def _averages(x: Floats, size: int) -> Floats:
    whole = len(x) // size * size
    found: Floats = x[:whole].reshape(-1, size, *x.shape[1:]).mean(axis=1)
    return found


def _ramp(t: Floats, derivatives: int, ends: float) -> list[Floats]:
    """Return a weight that is one but near the ends, where it falls to zero with three derivatives; and derivatives."""
    length = _RAMP * (t[-1] - t[0])
    u = np.clip((np.minimum(t - t[0], t[-1] - t) - min(ends, 1.5 * length)) / length, 0.0, 1.0)
    side = np.where(t - t[0] < t[-1] - t, 1.0, -1.0) / length
    rise = np.polynomial.Polynomial([0, 0, 0, 0, 35, -84, 70, -20])
    return [rise(u), *(rise.deriv(order)(u) * side**order for order in range(1, derivatives + 1))]
