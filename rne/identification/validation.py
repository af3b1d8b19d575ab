"""Held-out data: how well identified parameters predict what they were not fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.errors import ArgumentError
from rne.identification.accumulator import Accumulator
from rne.identification.moments import TORQUE_SQUARES
from rne.identification.report_tables import share_of
from rne.tables import Part, Report, percent, titled

if TYPE_CHECKING:
    from rne.identification.report import Identification

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Validation(Report):
    """Residuals of identified parameters on data that they were not identified from, joint by joint.

    Attributes
    ----------
    joint_names : names of the n joints.
    samples : number of samples.
    torque : (n,) root mean square of the measured torque, N m or N.
    given, found, physical : (n,) root mean square of measured minus calculated torque, N m or N, for the given robot,
        the identified base parameters, and the physically consistent robot.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q, qd, qdd = np.random.default_rng(0).normal(size=(3, 100, 2))
    >>> tau = rne.inverse_dynamics(arm.with_payload(1.0), q, qd, qdd)
    >>> print(rne.identify(arm, q, qd, qdd, tau).validate(q, qd, qdd, tau))
    held out: 100 samples; RMS of torques and residuals
    joint     torque  as given  found  consistent  found %
    shoulder   27.66     13.94      0           0      0 %
    elbow      11.22     7.536      0           0      0 %
    """

    DERIVED: ClassVar = ("relative", "relative_given", "relative_physical")

    joint_names: tuple[str, ...]
    samples: int
    torque: Array
    given: Array
    found: Array
    physical: Array

    @property
    def relative(self) -> Array:
        """Residuals (n,) of the identified base parameters relative to the measured torques."""
        return share_of(self.torque, self.found)

    @property
    def relative_given(self) -> Array:
        """Residuals (n,) of the given robot relative to the measured torques."""
        return share_of(self.torque, self.given)

    @property
    def relative_physical(self) -> Array:
        """Residuals (n,) of the physically consistent robot relative to the measured torques."""
        return share_of(self.torque, self.physical)

    def _parts(self) -> list[Part]:
        small = 1e-9 * self.torque
        rows = {"torque": self.torque, "as given": self.given, "found": self.found, "consistent": self.physical}
        table = {"joint": self.joint_names} | {
            title: tuple(f"{0.0 if x < s else x:.4g}" for x, s in zip(values, small, strict=True))
            for title, values in rows.items()
        }
        table["found %"] = tuple(percent(np.where(self.relative < 1e-9, 0.0, self.relative)))
        return [f"held out: {self.samples} samples; RMS of torques and residuals", titled(table)]


def validation_of(found: Identification, given: dict[str, ArrayLike]) -> Validation:
    """Compare an identification with measurements in memory."""
    data = Accumulator(found.equations, None, "fix", start=found.vector, final=True, lag=found.lag)
    data.add(given)
    if not data.samples:
        raise ArgumentError("tau: there are no samples")
    return compared(found, data)


def compared(found: Identification, data: Accumulator) -> Validation:
    """Compare an identification with measurements that were added to moments."""
    moments, center = data.settled()
    total, samples = moments.total(), max(moments.samples, 1)

    def rms(values: Array) -> Array:
        return np.asarray(np.sqrt(moments.squares(total, values - data.equations.given - center) / samples))

    torque = np.sqrt(np.sum(moments.sums, axis=0)[:, TORQUE_SQUARES] / samples)
    beta = (rms(values) for values in (data.equations.given, found.vector, found.of_consistent))
    return Validation(found.base.robot.joint_names, moments.samples, torque, *beta)
