"""A motion to play: its samples over time, with the torques."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import as_batch, check_robot
from rne.batch.named import time_array
from rne.check import numbers
from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.errors import ArgumentError
from rne.model.floating import QUATERNION
from rne.model.quaternions import unit_quaternions
from rne.model.robot import Robot

RATE = 100.0
"""Samples per second of a motion without times."""


@dataclass(frozen=True, eq=False)
class Motion:
    """Samples over time.

    Attributes
    ----------
    t : (N,) times, s, not decreasing.
    q : (N, nq) positions; a quaternion that is none is NaN.
    tau : (N, n) torques.
    """

    t: NDArray[np.float64]
    q: NDArray[np.float64]
    tau: NDArray[np.float64]

    def at(self, time: float) -> int:
        """Return the index of the sample shown at a time: the last one that is not later, or the first."""
        return max(0, int(np.searchsorted(self.t, time, side="right")) - 1)

    @property
    def peaks(self) -> NDArray[np.float64]:
        """Largest finite torque of each joint, (n,); zero where none is finite."""
        return largest(np.abs(self.tau))


def largest(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest finite value of each column, (N, n) to (n,)."""
    peaks: NDArray[np.float64] = np.max(sizes, axis=0, where=np.isfinite(sizes), initial=0.0)
    return peaks


def make_motion(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    t: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    friction: bool = False,
) -> Motion:
    """Return a motion; arguments as for `rne.view`.

    Samples whose time is NaN are omitted.

    Raises
    ------
    ArgumentError
        The arrays do not fit the robot or each other, or the times decrease.
    """
    check_robot(robot, floating=True)
    if tau is None:
        tau = inverse_dynamics(robot, q, qd, qdd, friction=friction)
    batch = as_batch(robot, {"q": q, "tau": tau}, required="q")
    if len(batch.shape) != 1 or not batch.samples:
        raise ArgumentError(f"q: wanted a motion, (samples, {robot.nq}); got {(*batch.shape, robot.nq)}")
    positions, torques = (np.array(batch.rows[key], dtype=np.float64) for key in ("q", "tau"))
    if robot.floating:
        positions[:, QUATERNION] = unit_quaternions(positions[:, QUATERNION])
    if t is None:
        return Motion(np.arange(batch.samples) / RATE, positions, torques)
    times = time_array("t", t)
    there = ~np.isnan(times)
    if not there.any():
        raise ArgumentError("t: all times are NaN")
    times = numbers("t", np.where(there, times, 0.0), batch.shape)[there]
    back = np.flatnonzero(np.diff(times) < 0)
    if back.size:
        raise ArgumentError(f"t: times decrease, from {times[back[0]]:g} to {times[back[0] + 1]:g} s")
    return Motion(times, positions[there], torques[there])
