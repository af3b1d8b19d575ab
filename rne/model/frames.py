"""Named frames of a robot, and tables of sites: points and axes of inputs and outputs of the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rne.kernels import layout as at

Array = NDArray[np.float64]

AXES = ("world", "local")


@dataclass(frozen=True, eq=False)
class Frame:
    """A named frame with constant pose `rotation`, `position` in the frame of row `row` of the table (0: the base)."""

    row: int
    rotation: Array
    position: Array

    @cached_property
    def sites(self) -> dict[str, Array]:
        """The frame as a table of one site, by the axes of the vectors there."""
        return {axes: sites_of([self], axes) for axes in AXES}

    def moved(self, point: Array) -> Frame:
        """Return the parallel frame at a point given in the axes of this one."""
        return Frame(self.row, self.rotation, self.position + self.rotation @ point)


def sites_of(frames: Sequence[Frame], axes: str) -> Array:
    """Return the frames in the format of the kernels: (frames, SITE_WIDTH), read-only."""
    sites = np.empty((len(frames), at.SITE_WIDTH))
    for site, frame in zip(sites, frames, strict=True):
        site[at.SITE_ROW], site[at.SITE_OWN_AXES] = frame.row, axes == "local"
        site[at.SITE_ROTATION : at.SITE_ORIGIN] = frame.rotation.ravel()
        site[at.SITE_ORIGIN :] = frame.position
    sites.flags.writeable = False
    return sites
