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
    def places(self) -> dict[str, Array]:
        """The frame alone as a table of places, by the axes of what is given or wanted there."""
        return {axes: places_of([self], axes) for axes in AXES}

    def moved(self, point: Array) -> Frame:
        """Return the frame parallel to it at a point in its axes."""
        return Frame(self.row, self.rotation, self.position + self.rotation @ point)


def places_of(frames: Sequence[Frame], axes: str) -> Array:
    """Return the frames as kernels want them: (frames, PLACE_WIDTH), read-only."""
    places = np.empty((len(frames), at.PLACE_WIDTH))
    for place, frame in zip(places, frames, strict=True):
        place[at.PLACE_ROW], place[at.PLACE_OWN_AXES] = frame.row, axes == "local"
        place[at.PLACE_ROTATION : at.PLACE_ORIGIN] = frame.rotation.ravel()
        place[at.PLACE_ORIGIN :] = frame.position
    places.flags.writeable = False
    return places
