"""Sampled functions of time: logs of torques and wrenches, the motion of a base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.named import as_times
from rne.check import check_choice, real_array
from rne.errors import ArgumentError

Array = NDArray[np.float64]

INTERPOLATIONS = ("zero-order", "linear")


@dataclass(frozen=True, eq=False, repr=False)
class Signal:
    """A function of time given by samples, for `rne.simulate`: torques, wrenches, gravity.

    Outside its times it has the value of the nearest end.

    Parameters
    ----------
    t : (T,) increasing times, s.
    values : (..., T, width) finite values at these times; leading axes are a batch of simulations.
    interpolation : "zero-order", each value holds until the next time, as a digital controller holds its output; or
        "linear" between the times.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.

    Examples
    --------
    >>> import rne
    >>> push = rne.Signal([0.0, 0.5, 1.0], [[0.0], [8.0], [2.0]])
    >>> push([0.25, 0.5, 0.75, 3.0])[:, 0]
    array([0., 8., 8., 2.])
    >>> rne.Signal(push.t, push.values, interpolation="linear")(0.25)
    array([4.])
    """

    t: Array
    values: Array
    interpolation: str = "zero-order"

    def __post_init__(self) -> None:
        check_choice("interpolation", self.interpolation, INTERPOLATIONS)
        times, values = as_times("t", self.t), real_array("values", self.values).astype(np.float64)
        if values.ndim < 2 or values.shape[-2] != len(times):
            raise ArgumentError(
                f"values: wanted shape (..., {len(times)}, width), one row per time; got {values.shape}"
            )
        wrong = ~np.isfinite(values).all(axis=-1).reshape(-1, len(times)).all(axis=0)
        if wrong.any():
            k = int(wrong.argmax())
            raise ArgumentError(f"values: wanted finite numbers; that is not so in row {k}, at t = {times[k]:g} s")
        for name, array in (("t", times), ("values", values)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch."""
        return self.values.shape[:-2]

    @property
    def width(self) -> int:
        """How many numbers it has at a time."""
        return int(self.values.shape[-1])

    def __repr__(self) -> str:
        """Describe the samples."""
        times = f"{len(self.t)} times from {self.t[0]:g} to {self.t[-1]:g} s"
        return f"Signal of width {self.width} at {times}, {self.interpolation}"

    def __call__(self, t: ArrayLike) -> Array:
        """Value at times (K,), as (..., K, width), or at one time, as (..., width).

        Raises
        ------
        ArgumentError
            The times are not real numbers.
        """
        at = real_array("t", t).astype(np.float64)
        k = np.clip(np.searchsorted(self.t, at, side="right") - 1, 0, len(self.t) - 1)
        low: Array = self.values[..., k, :]
        if self.interpolation == "zero-order" or len(self.t) == 1:
            return low
        after = np.minimum(k + 1, len(self.t) - 1)
        span = np.where(after > k, self.t[after] - self.t[k], 1.0)
        part = np.clip((at - self.t[k]) / span, 0.0, 1.0)[..., None]
        return low + part * (self.values[..., after, :] - low)
