"""Samples that come twice, as of a log that is given twice: they add no information, and would shrink deviations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TRACKED = 4096  # largest number of samples that are remembered
FEWEST, SHARE = 20, 0.05  # repeated samples, among those remembered, from where on they count


class Repeats:
    """Counts moving samples that came before, bit by bit, among some chosen by their content.

    Which samples are remembered depends on the numbers in them alone, so that a log is recognized in other chunks.
    """

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._every, self._looked, self._again = 1, 0, 0

    def add(self, qd: Array, tau: Array) -> None:
        """Look at samples (samples, n) each."""
        factors = np.random.default_rng(1).integers(2**63, 2**64 - 1, (2, qd.shape[1]), np.uint64) | np.uint64(1)
        marks = qd.view(np.uint64) @ factors[0] + tau.view(np.uint64) @ factors[1]
        for _ in range(2):  # so that all digits depend on all digits
            marks = (marks ^ (marks >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        some = np.flatnonzero((marks >> np.uint64(20)) % np.uint64(self._every) == 0)
        chosen = marks[some[qd[some].any(axis=1)]].tolist()
        for mark in chosen:
            self._looked += 1
            self._again += mark in self._seen
            self._seen.add(mark)
        while len(self._seen) > TRACKED:
            self._every *= 2
            self._seen = {mark for mark in self._seen if (mark >> 20) % self._every == 0}
            self._looked, self._again = self._looked // 2, self._again // 2

    @property
    def share(self) -> float:
        """Share of the samples that came before; zero if it is no more than chance."""
        if self._again < FEWEST or self._again < SHARE * self._looked:
            return 0.0
        return self._again / self._looked
