"""What an identification keeps of its solution besides what it reports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rne.identification.equations import Equations
from rne.identification.friction_laws import Law, LawEquations
from rne.identification.law_drives import drives_of
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
    laws : friction laws that were chosen; empty if there was no choice.
    """

    equations: Equations
    vector: Array
    covariance: Array
    kept: tuple[Array, Array, Array, Array]
    grams: tuple[Array, ...]
    center: Array
    weights: Array
    laws: tuple[Law, ...] = ()

    def consistent(self, beta: Array) -> tuple[dict[str, Drive], Array]:
        """Return drives with the friction laws for bodies with base parameters (b,), and all parameters (p,)."""
        found = np.zeros(len(self.vector))
        found[: len(beta)] = beta
        if not isinstance(self.equations, LawEquations):
            return {}, found
        return drives_of(self.grams, self.equations, self.center, found, self.laws)

    def rms(self, values: Array) -> Array:
        """Return the RMS (n,) of residuals of the samples for values (p,) of the parameters."""
        change = values - self.equations.given - self.center
        return np.asarray(np.sqrt(squares(self.equations.index, self.grams, change) / self.weights))
