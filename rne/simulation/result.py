"""Result of a simulation: the motion, the torques that caused it, and how well it tracked its reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rne.check import numbers
from rne.errors import ArgumentError
from rne.model.floating import of_joints
from rne.model.robot import Robot
from rne.simulation.limits import LimitsPassed, limits_passed
from rne.tables import Part, Report, cells, of_many, titled, worst

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Tracking(Report):
    """Tracking error of a controlled motion; printing shows a table, for a batch with the worst values.

    Attributes
    ----------
    robot : the robot.
    peak, rms, final : (..., n) largest absolute value, root mean square over time, and signed last value of the error,
        reference minus position, rad or m.
    peak_time : (..., n) time of the largest error, s.
    settling_time : (..., n) time from the start after which the error stays within `band` times its peak, s; infinite
        if the last error is larger.
    band : fraction of the peak.
    peak_torque : (..., n) largest absolute value of the applied torque, N m or N.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> servo = rne.control.computed_torque(arm, kp=100.0, kd=20.0, goal=[0.5, 0.2])
    >>> print(rne.simulate(arm, [0.0, 0.0], t=[0.01 * k for k in range(201)], tau=servo).tracking())
    joint     peak    rms      final  unit  peak at  settled  torque  limit  unit
    shoulder   0.5  0.125  2.164e-08   rad      0 s   0.59 s   169.6      -   N m
    elbow      0.2   0.05  8.657e-09   rad      0 s   0.59 s   53.24      -   N m
    """

    robot: Robot
    peak: Array
    peak_time: Array
    rms: Array
    final: Array
    settling_time: Array
    band: float
    peak_torque: Array

    def _parts(self) -> list[Part]:
        robot = self.robot
        slides = [robot.joint(name).kind == "prismatic" for name in robot.joint_names]
        joints = {
            "joint": robot.joint_names,
            "peak": cells(worst(self.peak)),
            "rms": cells(worst(self.rms)),
            "final": cells(worst(self.final)),
            "unit": ["m" if slide else "rad" for slide in slides],
            "peak at": cells(worst(self.peak_time), " s"),
            "settled": cells(worst(self.settling_time), " s"),
            "torque": cells(worst(self.peak_torque)),
            "limit": cells(of_joints(robot, robot.effort_limit)),
            "unit ": ["N" if slide else "N m" for slide in slides],
        }
        return [titled(joints)]


@dataclass(frozen=True, eq=False, repr=False)
class Simulation(Report):
    """Simulated motion, as returned by `simulate`.

    Attributes
    ----------
    robot : the robot that moved.
    t : (T,) times, s.
    q, qd : (..., T, nq) and (..., T, n) positions and velocities at these times. The quaternion of a base that floats
        has unit length, and does not change its sign from time to time.
    energy : (..., T) kinetic energy, rotors included, plus potential energy of gravity and springs, J. It changes by
        the work of torques and friction, and by the error of the integration.
    tau : (..., T, n) torques applied at these times, N m or N; of torques held over intervals, those of the interval
        that begins, and at the last time those of the interval that ends.
    q_ref, qd_ref : (..., T, joints) reference of the controller of `rne.control`; None without one.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.simulate(arm, [0.5, 0.0], t=[0.0, 0.01, 0.02]).energy.shape
    (3,)
    """

    DERIVED: ClassVar = ("error", "error_rate")

    robot: Robot
    t: Array
    q: Array
    qd: Array
    energy: Array
    tau: Array
    q_ref: Array | None = None
    qd_ref: Array | None = None

    @property
    def error(self) -> Array | None:
        """Reference minus position of the joints (..., T, joints); None without a reference."""
        return None if self.q_ref is None else self.q_ref - of_joints(self.robot, self.q)

    @property
    def error_rate(self) -> Array | None:
        """Reference velocity minus velocity of the joints (..., T, joints); None without a reference."""
        return None if self.qd_ref is None else self.qd_ref - of_joints(self.robot, self.qd)

    @property
    def limits(self) -> LimitsPassed:
        """Limits of position, velocity and effort that the motion passed at its times, when, and by how much."""
        return limits_passed(self.robot, self.t, self.q, self.qd, self.tau)

    def _parts(self) -> list[Part]:
        robot, t, many = self.robot, self.t, self.q.shape[:-2]
        slides = [robot.joint(name).kind == "prismatic" for name in robot.joint_names]
        q, qd, tau = (of_joints(robot, x) for x in (self.q, self.qd, self.tau))
        joints = {
            "joint": robot.joint_names,
            **_range(q),
            "unit": ["m" if slide else "rad" for slide in slides],
            "speed": cells(worst(np.abs(qd).max(axis=-2))),
            "torque": cells(worst(np.abs(tau).max(axis=-2))),
            "unit ": ["N" if slide else "N m" for slide in slides],
        }
        energy = cells(np.append(worst(self.energy[..., :1]), worst(self.energy[..., -1:])), " J")
        head = f"{robot.name}: {len(t)} times from {t[0]:g} to {t[-1]:g} s, energy from {energy[0]} to {energy[1]}"
        limits = self.limits
        tables: list[Part] = []
        if robot.floating:
            names = ["x", "y", "z", "qx", "qy", "qz", "qw"]
            units = [*["m"] * 3, *["-"] * 4]
            tables.append(titled({"base": names, **_range(self.q[..., :7]), "unit": units}))
            speeds = [np.linalg.norm(self.qd[..., part], axis=-1).max() for part in (slice(3), slice(3, 6))]
            fastest, turning = cells(np.array(speeds))
            tables.append(f"speed of the base up to {fastest} m/s and {turning} rad/s")
        if robot.joint_names:
            tables.append(titled(joints))
        return [head, *of_many(many, "simulations"), *tables, *(limits._parts() if limits else [])]

    def tracking(self, band: float = 0.02) -> Tracking:
        """Tracking error of the motion with respect to its reference.

        Parameters
        ----------
        band : fraction of its peak within which an error counts as settled.

        Raises
        ------
        ArgumentError
            The motion has no reference (`dataclasses.replace` can set `q_ref`), or the band is not positive.
        """
        if not float(numbers("band", band, ())) > 0:
            raise ArgumentError(f"band: wanted a positive number, got {band!r}")
        if self.error is None:
            raise ArgumentError("q_ref: tracking needs a reference, from a controller of rne.control or set by hand")
        size, t = np.abs(self.error), self.t
        peak = size.max(axis=-2)
        square = size**2
        mean = square[..., 0, :]
        if len(t) > 1:
            areas = (square[..., 1:, :] + square[..., :-1, :]) / 2 * np.diff(t)[:, None]
            mean = areas.sum(axis=-2) / (t[-1] - t[0])
        # Find the last sample outside of the band, counting from the end; the error is settled one sample later.
        outside = ~(size <= band * peak[..., None, :])[..., ::-1, :]
        after = np.where(outside.any(axis=-2), len(t) - outside.argmax(axis=-2), 0)
        settled = np.append(t - t[0], np.inf)[after]
        last, torque = self.error[..., -1, :], np.abs(of_joints(self.robot, self.tau)).max(axis=-2)
        return Tracking(self.robot, peak, t[size.argmax(axis=-2)], np.sqrt(mean), last, settled, band, torque)


def _range(q: Array) -> dict[str, list[str]]:
    """Columns of a table on positions (..., T, m): the first, the last, the lowest and the highest."""
    found = {"first": q[..., 0, :], "last": q[..., -1, :], "lowest": q.min(axis=-2), "highest": q.max(axis=-2)}
    return {title: cells(worst(x)) for title, x in found.items()}
