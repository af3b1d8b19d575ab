"""Plausibility of the units of a trajectory: positions against limits, times against velocities."""

from __future__ import annotations

import math
import threading
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rne.errors import FileError
from rne.files.times import seconds
from rne.model.robot import Robot

if TYPE_CHECKING:
    from rne.files.chunk import Chunk

Floats = NDArray[Any]

ROWS = 20_000  # looked at, from the first: units do not change on the way
_DEGREES = 180 / math.pi
_ALIKE = 0.5  # square of the correlation from where on differences and velocities are of the same motion
_TOLERANCE = 0.15
_LONG, _SHORT = 0.5, 2e-6  # s, steps that no log of a moving robot has
_MANY = 20  # rows; fewer may be a list of waypoints
_TIMES = {1e-3: "ms", 1e-6: "us", 1e-9: "ns"}
_RATES = {1 / _DEGREES: "deg/s", 2 * math.pi / 60: "rpm"}


def mostly_repeated(steps: Floats) -> bool:
    """Return whether most times are that of the row before."""
    return 2 * int(np.count_nonzero(steps == 0)) > len(steps)


class Plausible:
    """Gathers from the first rows of a trajectory what makes its units doubtful.

    Parameters
    ----------
    robot : has the limits.
    where : the file, for errors.
    named : what has its unit named: of q, qd, qdd and t.
    coarse : what times that are mostly repeated may come from.
    """

    def __init__(self, robot: Robot, where: str, named: Collection[str], coarse: str) -> None:
        self._coarse, self._still, self._all_steps, self._falls = coarse, 0, 0, 0
        self._where, self._named = where, named
        self._lower, self._upper = robot.lower_limit, robot.upper_limit
        kinds = [robot.joint(name).kind == "revolute" for name in robot.joint_names]
        self._joints = len(kinds)
        self._angular = np.array([False] * (robot.nq - len(kinds)) + kinds)
        self._lock = threading.Lock()
        self._rows = self._beyond = self._within = 0
        self._products: dict[str, Floats] = {}
        self._steps: list[Floats] = []

    def look(self, chunk: Chunk) -> None:
        """Process a chunk as it was read; in any thread."""
        if chunk.first >= ROWS or not chunk.rows or "q" not in chunk.arrays:
            return
        q = chunk.arrays["q"]
        with np.errstate(invalid="ignore"):
            beyond = (((q < self._lower) | (q > self._upper)) & self._angular).any(axis=1)
            small = q[beyond] / _DEGREES
            within = ((small >= self._lower) & (small <= self._upper) | ~self._angular).all(axis=1)
        steps = self._times(chunk)
        with self._lock:
            self._rows += len(q)
            self._beyond += int(beyond.sum())
            self._within += int(within.sum())
            if steps is not None:
                self._steps.append(steps[steps > 0])
                self._still += int(np.count_nonzero(steps == 0))
                self._falls += int(np.count_nonzero(steps < 0))
                self._all_steps += len(steps)
                for key, rate in (("q", "qd"), ("qd", "qdd")):
                    if key in chunk.arrays and rate in chunk.arrays:
                        sums = _products(chunk.arrays, key, rate, steps, self._joints)
                        self._products[key] = self._products.get(key, np.zeros(3)) + sums

    def _times(self, chunk: Chunk) -> Floats | None:
        if chunk.t is None or chunk.rows < 2:
            return None
        try:
            return np.diff(seconds(self._where, chunk.t, chunk.first, chunk.t[0]))
        except FileError:  # who needs the times will say so
            return None

    def doubts(self, times_count: bool = False) -> list[str]:
        """Return what to ask the user.

        Parameters
        ----------
        times_count : whether the result depends on times.
        """
        told = []
        if "q" not in self._named and 2 * self._beyond > self._rows and 2 * self._within > self._beyond:
            share = 100 * self._beyond / self._rows
            told.append(
                f"warning: {share:.0f} % of the positions are beyond the limits, and would be within them if they are "
                "in degrees; if so, say --unit q=deg"
            )
        if self._all_steps >= _MANY and 2 * self._still > self._all_steps:
            told.append(f"warning: most times are that of the row before: {self._coarse}")
        if self._falls:
            rows = f"{self._falls} of {self._all_steps}"
            told.append(f"warning: times fall in {rows} rows; is this the column of the times?")
        time = [self._of_rate(key) for key in self._products if not {key, "t"} <= set(self._named)]
        told += [text for text in dict.fromkeys(time) if text]
        steps = np.concatenate([np.zeros(0), *self._steps])
        if times_count and not any(time) and "t" not in self._named and steps.size >= _MANY:
            usual = float(np.median(steps))
            if not _SHORT < usual < _LONG:
                unit = "ms" if usual < 1e3 else "us" if usual < 1e6 else "ns"
                advice = f"; if they are in {unit}, say --time-unit {unit}" if usual >= _LONG else ""
                told.append(f"warning: times are {usual:.3g} s apart, which is odd for a log{advice}")
        return told

    def _of_rate(self, key: str) -> str | None:
        """Return what is odd about differences of a quantity against its rate and the times."""
        rate = {"q": "qd", "qd": "qdd"}[key]
        both, differences, rates = self._products[key]
        if not (differences > 0 and rates > 0 and both**2 > _ALIKE * differences * rates):
            return None
        slope = both / rates
        said = f"warning: d({key})/dt is {slope:.3g} times {rate}"
        if slope < 0:
            return f"{said}; do both count the same way, and from the same joints?"
        if abs(math.log(slope)) < math.log(1.8):
            return None
        for factor, unit in _TIMES.items():
            if abs(slope / factor - 1) < _TOLERANCE:
                return f"{said}; if times are in {unit}, say --time-unit {unit}"
        if abs(slope / _DEGREES - 1) < _TOLERANCE:
            return f"{said}; if {key} is in degrees, say --unit {key}=deg{'/s' * (key == 'qd')}"
        for factor, unit in _RATES.items():
            if abs(slope / factor - 1) < _TOLERANCE:
                unit += "/s" * (key == "qd")
                return f"{said}; if {rate} is in {unit}, say --unit {rate}={unit}"
        return f"{said}; are the units right (--unit, --time-unit)?"


def _products(arrays: Mapping[str, Floats], key: str, rate: str, steps: Floats, joints: int) -> Floats:
    """Return sums of products of differences and rate times step: mixed, of the differences, of the others."""
    before, rates = (x[:, x.shape[1] - joints :] for x in (arrays[key], arrays[rate]))
    change = np.diff(before, axis=0)
    wanted = (rates[1:] + rates[:-1]) / 2 * steps[:, None]
    with np.errstate(invalid="ignore"):
        good = np.isfinite(change) & np.isfinite(wanted) & (steps > 0)[:, None]
    if key == "q":  # a jump by a turn says nothing
        usual = float(np.median(abs(change[good]))) if good.any() else 0.0
        good &= ~(abs(abs(change) - 2 * math.pi) < 0.5) | (usual > 1)
    change, wanted = change[good], wanted[good]
    return np.array([(change * wanted).sum(), (change**2).sum(), (wanted**2).sum()])
