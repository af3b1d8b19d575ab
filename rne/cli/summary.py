"""Summary at the end of a motion: samples, time, peaks, and samples beyond the limits."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.model.robot import Robot

Floats = NDArray[Any]

_ROWS = 64
LIMITS = {"q": "position", "qd": "velocity", "tau": "effort"}
_UNITS = {"tau": ("N m", "N"), "total": ("N m", "N"), "qdd": ("rad/s^2", "m/s^2")}


@dataclass(frozen=True)
class Count:
    """Counts over some samples.

    Attributes
    ----------
    samples, nulls : number of samples, and of null values.
    not_finite : number of samples whose result has NaN or infinity.
    peak : (n,) largest finite magnitude of the result; NaN if there is none.
    beyond : number of samples beyond a limit, by the limited quantity.
    squares : (n,) sum of the squares of the finite results.
    """

    samples: int
    nulls: int
    not_finite: int
    peak: Floats
    beyond: dict[str, int]
    squares: Floats


def count(robot: Robot, arrays: Mapping[str, Floats], result: Floats, nulls: int) -> Count:
    """Return the counts of a chunk.

    Parameters
    ----------
    arrays : by quantity, (rows, n).
    result : (rows, n) the quantity whose peak is reported.
    """
    low, high = _extremes(result)
    peak = np.maximum(-low, high)
    not_finite = 0
    if not np.isfinite(peak).all():
        finite = np.isfinite(result).all(axis=1)
        not_finite = len(result) - int(finite.sum())
        peak = np.fmax.reduce(np.abs(result[finite]), axis=0, initial=np.nan)
    beyond = {LIMITS[key]: _beyond(robot, key, array) for key, array in arrays.items() if key in LIMITS}
    good = result if not not_finite else result[np.isfinite(result).all(axis=1)]
    squares = np.einsum("ij,ij->j", good, good, dtype=np.float64)
    return Count(len(result), nulls, not_finite, peak, beyond, squares)


def _beyond(robot: Robot, key: str, array: Floats) -> int:
    """Return the number of samples beyond a limit of any joint."""
    limits = {
        "q": (robot.lower_limit, robot.upper_limit),
        "qd": _both(robot.velocity_limit),
        "tau": _both(robot.effort_limit),
    }
    # In the precision of the data: a limit rounded to float32 is not beyond itself.
    lower, upper = (limit.astype(array.dtype) for limit in limits[key])
    low, high = _extremes(array)
    if ((low >= lower) & (high <= upper)).all():  # the usual case; NaN takes the long path
        return 0
    return int(((array < lower) | (array > upper)).any(axis=1).sum())


def _extremes(array: Floats) -> tuple[Floats, Floats]:
    """Return the minimum and maximum of each column; NaN if the column has NaN or no rows."""
    rows, n = array.shape
    if not rows:
        return np.full(n, np.nan), np.full(n, np.nan)
    # Join many rows to a long one: numpy is ten times faster along long rows than along short ones.
    whole = rows // _ROWS * _ROWS
    parts = [part for part in (array[:whole].reshape(-1, _ROWS * n), array[whole:]) if len(part)]
    low = np.vstack([part.min(axis=0).reshape(-1, n) for part in parts])
    high = np.vstack([part.max(axis=0).reshape(-1, n) for part in parts])
    return low.min(axis=0), high.max(axis=0)


def _both(limit: Floats) -> tuple[Floats, Floats]:
    return -limit, limit


class Tally:
    """Counts of a whole motion.

    Parameters
    ----------
    robot : the robot, for its limits.
    peak : the quantity whose peaks are reported.
    """

    def __init__(self, robot: Robot, peak: str) -> None:
        self._robot, self._of = robot, peak
        self._start = time.perf_counter()
        self.samples = self._nulls = self._not_finite = 0
        width = robot.nq if peak == "q" else robot.n
        self._peak = np.full(width, np.nan)
        self._squares = np.zeros(width)
        self.beyond: dict[str, int] = {}

    @property
    def rms(self) -> Floats:
        """Root mean square (n,) of the result, over its finite samples."""
        found: Floats = np.sqrt(self._squares / max(1, self.samples - self._not_finite))
        return found

    def add(self, part: Count) -> None:
        """Add the counts of a chunk."""
        self.samples += part.samples
        self._nulls += part.nulls
        self._not_finite += part.not_finite
        self._peak = np.fmax(self._peak, part.peak)
        self._squares = self._squares + part.squares
        for what, samples in part.beyond.items():
            self.beyond[what] = self.beyond.get(what, 0) + samples

    def lines(self) -> list[str]:
        """Return the lines of the summary."""
        seconds = time.perf_counter() - self._start
        plural = "" if self.samples == 1 else "s"
        lines = [f"{self.samples} sample{plural} in {seconds:.3g} s, {self.samples / seconds:,.0f} samples/s"]
        if self.samples > self._not_finite and self._of in _UNITS:
            peaks = zip(self._robot.coordinate_names, self._peak, self._robot.effort_limit, strict=True)
            lines.append(f"peak |{self._of}|: " + ", ".join(self._told(*peak) for peak in peaks))
        if self._nulls:
            lines.append(f"nulls, read as NaN: {self._nulls}")
        if self._not_finite:
            lines.append(f"samples with NaN or infinity, kept in place: {self._not_finite}")
        lines.append("samples beyond limits: " + ", ".join(f"{what} {k}" for what, k in self.beyond.items()))
        return lines

    def _told(self, name: str, peak: float, limit: float) -> str:
        unit = _UNITS[self._of][_slides(self._robot, name)]
        beyond = f" (limit {limit:.4g})" if self._of != "qdd" and peak > limit else ""
        return f"{name} {peak:.4g} {unit}{beyond}"


def _slides(robot: Robot, name: str) -> bool:
    """Whether a coordinate is a length: of a base that floats, the first three."""
    if name in robot.joint_names:
        return robot.joint(name).kind != "revolute"
    return robot.coordinate_names.index(name) < 3
