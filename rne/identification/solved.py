"""What an identification keeps of its solution besides what it reports."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rne.identification.equations import Equations
from rne.identification.friction_laws import LawEquations
from rne.identification.moments import squares
from rne.model.drive import Drive

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solved:
    """A solution, and the moments that it came from.

    Attributes
    ----------
    equations : that were solved.
    vector : (p,) values of all their parameters.
    covariance : (b, b) covariance of the base parameters; of those that are not known, their plausible size.
    kept : the first samples as they came: q, qd, qdd, tau.
    grams, center, weights : moments of the joints, what they are centered at, and their number of samples.
    drives : drives with the friction laws that were chosen, by name of the joint.
    of_drives : (p,) the parameters with the friction of these drives.
    """

    equations: Equations
    vector: Array
    covariance: Array
    kept: tuple[Array, Array, Array, Array]
    grams: tuple[Array, ...]
    center: Array
    weights: Array
    drives: dict[str, Drive] = field(default_factory=dict)
    of_drives: Array | None = None

    def consistent(self, beta: Array) -> Array:
        """Return all parameters (p,) for base parameters (b,), with the friction of the drives that carry a law."""
        found = np.zeros(len(self.vector))
        found[: len(beta)] = beta
        equations = self.equations
        if self.of_drives is not None and isinstance(equations, LawEquations):
            names = equations.robot.joint_names
            for joint in (j for j, name in enumerate(names) if name in self.drives):
                places = [*equations.places(joint).values()]
                found[places] = self.of_drives[places]
        return found

    def rms(self, values: Array) -> Array:
        """Return the RMS (n,) of residuals of the samples for values (p,) of the parameters."""
        change = values - self.equations.given - self.center
        return np.asarray(np.sqrt(squares(self.equations.index, self.grams, change) / self.weights))
