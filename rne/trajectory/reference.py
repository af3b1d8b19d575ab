"""Reference paths: a posture to hold, or samples joined by polynomials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import as_batch
from rne.batch.named import as_times, coordinates
from rne.check import real_array
from rne.errors import ArgumentError
from rne.model.robot import Robot
from rne.trajectory.profiles import evaluate, polynomial

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Path:
    """Piecewise quintic path; at rest at the nearest end outside its times.

    Attributes
    ----------
    breaks : (K,) times, s.
    pieces : (..., K - 1, 6, n) coefficients, in powers of the elapsed fraction of each interval.
    """

    breaks: Array
    pieces: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch of paths."""
        return self.pieces.shape[:-3]

    def __call__(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration at times (T,), each (..., T, n), or at one time, each (..., n).

        Raises
        ------
        ArgumentError
            The times are not real numbers.
        """
        t = real_array("t", t).astype(np.float64)
        k = np.clip(np.searchsorted(self.breaks, t, side="right") - 1, 0, len(self.breaks) - 2)
        u = (t - self.breaks[k]) / np.diff(self.breaks)[k]
        pace = np.where((u >= 0) & (u <= 1), 1 / np.diff(self.breaks)[k], 0.0)
        return evaluate(np.moveaxis(self.pieces[..., k, :, :], -2, 0), np.clip(u, 0, 1)[..., None], pace[..., None])


def standing(robot: Robot, goal: ArrayLike) -> Path:
    """Path at rest at a posture (..., n)."""
    batch = as_batch(robot, {"goal": goal}, required="goal")
    pieces = np.zeros((*batch.shape, 1, 6, robot.n))
    pieces[..., 0, 0, :] = batch.rows["goal"].reshape(*batch.shape, robot.n)
    return Path(np.array([0.0, 1.0]), pieces)


def through(robot: Robot, path: object) -> Path:
    """Path through samples (t, q, qd) or (t, q, qd, qdd); without accelerations the polynomials are cubic.

    Source: Hermite interpolation, as in Craig, "Introduction to Robotics" (3rd ed., 2005), section 7.3.
    """
    if not isinstance(path, tuple | list) or len(path) not in (3, 4):
        what = f"{type(path).__name__} of {len(path)}" if isinstance(path, tuple | list) else type(path).__name__
        raise ArgumentError(
            f"path: wanted (t, q, qd) or (t, q, qd, qdd), got a {what}; "
            "to get velocities from positions alone, use np.gradient(q, t, axis=0)"
        )
    times = as_times("path: t", path[0], least=2)
    names = [f"path: {name}" for name in ("q", "qd", "qdd")[: len(path) - 1]]
    values = {name: coordinates(robot, name, value) for name, value in zip(names, path[1:], strict=True)}
    for name, rows in values.items():
        if rows.ndim < 2 or rows.shape[-2] != len(times):
            wanted = f"shape (..., {len(times)}, {robot.n}), one row per time"
            raise ArgumentError(f"{name}: wanted {wanted}; got {rows.shape}")
    batch = as_batch(robot, values, required=names[0])
    q, qd, *rest = (batch.rows[name].astype(np.float64).reshape(*batch.shape, robot.n) for name in names)
    span = np.diff(times)[:, None]
    ends = [q[..., :-1, :], q[..., 1:, :], qd[..., :-1, :], qd[..., 1:, :]]
    if rest:
        ends += [rest[0][..., :-1, :], rest[0][..., 1:, :]]
    else:
        chord = (ends[1] - ends[0]) / span
        ends += [(6 * chord - 4 * ends[2] - 2 * ends[3]) / span, (2 * ends[2] + 4 * ends[3] - 6 * chord) / span]
    return Path(times, np.stack(polynomial(ends, span), axis=-2))
