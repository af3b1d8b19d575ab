"""Named frames of a robot, and the tables in which kernels are told where something acts or is wanted."""

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
    """A named frame: fixed at `rotation`, `position` in the frame of row `row` of the table (0 is the base)."""

    row: int
    rotation: Array
    position: Array

    @cached_property
    def sites(self) -> dict[str, Array]:
        """The frame alone as a table of sites, by the axes of what is given or wanted there."""
        return {axes: sites_of([self], axes) for axes in AXES}

    def moved(self, point: Array) -> Frame:
        """Return the frame parallel to it at a point in its axes."""
        return Frame(self.row, self.rotation, self.position + self.rotation @ point)


def sites_of(frames: Sequence[Frame], axes: str) -> Array:
    """Return the frames as kernels want them: (frames, SITE_WIDTH), read-only."""
    sites = np.empty((len(frames), at.SITE_WIDTH))
    for site, frame in zip(sites, frames, strict=True):
        site[at.SITE_ROW], site[at.SITE_OWN_AXES] = frame.row, axes == "local"
        site[at.SITE_ROTATION : at.SITE_ORIGIN] = frame.rotation.ravel()
        site[at.SITE_ORIGIN :] = frame.position
    sites.flags.writeable = False
    return sites
