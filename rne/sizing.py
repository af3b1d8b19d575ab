"""What the motors must give: torque, speed and power of each joint over a motion or a set of worst cases."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.arrays import as_batch, check_robot
from rne.dynamics import coriolis_vector, friction_torque, gravity_vector, inverse_dynamics
from rne.edit import numbers
from rne.errors import ArgumentError, check_flag
from rne.robot import Robot

Array = NDArray[np.float64]

WEIGHTLESS = (0.0, 0.0, 0.0)
TERMS = ("gravity", "inertia", "velocity", "friction", "spring")
NOISE = 1e-12
"""What a table takes for rounding, as a part of the largest number of its column."""


@dataclass(frozen=True, eq=False)
class MotorSizing:
    """What each joint of a robot asks of its motor; printed, it is a table.

    All arrays are (n,), a number a joint in the order of `joint_names`. Torques are N m and speeds rad/s, of prismatic
    joints N and m/s; powers are W. Peaks are sizes, without sign.

    Attributes
    ----------
    robot : the robot.
    peak_torque, rms_torque : largest size and root of the mean square of the torque.
    peak_speed : largest size of the velocity.
    peak_power, rms_power : of the power tau * qd that goes into the joint, or comes out of it when it is braked.
    peak_sample : the state in which the torque is largest, counted from 0.
    peak_time : its time, s; None without times.
    torque_at_peak : the torque there, with its sign; the sum of the following.
    gravity, inertia, velocity, friction, spring : its parts: weight; accelerations, rotors included; Coriolis and
        centripetal; viscous and Coulomb friction; joint springs.
    torque_used, speed_used : `peak_torque` as a part of `robot.effort`, `peak_speed` of `robot.velocity`: above 1 the
        limit is broken; 0 where there is no limit.
    """

    robot: Robot
    peak_torque: Array
    rms_torque: Array
    peak_speed: Array
    peak_power: Array
    rms_power: Array
    peak_sample: NDArray[np.intp]
    peak_time: Array | None
    torque_at_peak: Array
    gravity: Array
    inertia: Array
    velocity: Array
    friction: Array
    spring: Array

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The coordinates, in the order of the arrays."""
        return self.robot.joint_names

    @property
    def torque_used(self) -> Array:
        """Peak torque as a part of the limit."""
        return _part(self.peak_torque, self.robot.effort)

    @property
    def speed_used(self) -> Array:
        """Peak speed as a part of the limit."""
        return _part(self.peak_speed, self.robot.velocity)

    def __str__(self) -> str:
        robot = self.robot
        slides = [robot.joint(name).kind == "prismatic" for name in self.joint_names]
        forces, speeds = (["N" if s else "N m" for s in slides], ["m/s" if s else "rad/s" for s in slides])
        demand = {
            "joint": self.joint_names,
            "torque": _numbers(self.peak_torque),
            "rms": _numbers(self.rms_torque),
            "limit": _numbers(robot.effort),
            "used": _percent(self.torque_used, robot.effort),
            "unit": forces,
            "speed": _numbers(self.peak_speed),
            "limit ": _numbers(robot.velocity),
            "used ": _percent(self.speed_used, robot.velocity),
            "unit ": speeds,
            "power": _numbers(self.peak_power, " W"),
            "rms ": _numbers(self.rms_power, " W"),
        }
        states = [f"state {k}" for k in self.peak_sample]
        peaks = {
            "joint": self.joint_names,
            "peak at": states if self.peak_time is None else _numbers(self.peak_time, " s"),
            "torque": _numbers(self.torque_at_peak),
            **{name: _numbers(getattr(self, name)) for name in TERMS},
            "unit": forces,
        }
        return f"{_columns(demand)}\n\n{_columns(peaks)}"


def motor_sizing(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    t: ArrayLike | None = None,
    friction: bool = True,
    gravity: ArrayLike | None = None,
) -> MotorSizing:
    """What each joint asks of its motor over a motion or a set of worst cases: torque, speed, power, and their causes.

    Parameters
    ----------
    robot : the robot; hang the load on it with `with_payload`.
    q : (..., n) positions, rad or m: the states of a motion, or cases of any kind. One state is a set of one.
    qd, qdd : (..., n) velocities and accelerations; zero if None. Leading axes broadcast against each other.
    t : (T,) times of the states of a motion, s, growing, not necessarily even; q is (T, n) then. Mean squares are over
        time, by the trapezoid rule. Without it every state counts the same.
    friction : whether to add viscous and Coulomb friction of the joints.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.

    Returns
    -------
    report : MotorSizing

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value; no state at all; times that do not grow.

    Examples
    --------
    A turning arm with a slide, level and fully extended, at rest and at its full acceleration:

    >>> import rne
    >>> arm = rne.load("models/lectures/rp_motor_sizing/robot.dh.toml")
    >>> print(rne.motor_sizing(arm, [0.0, 2.0], qdd=[[0.0, 0.0], [1.0, 0.0]]))
    joint  torque    rms  limit  used  unit  speed  limit  used   unit  power  rms
    theta     226  211.5      -     -   N m      0      -     -  rad/s    0 W  0 W
    r           0      0      -     -     N      0      -     -    m/s    0 W  0 W
    <BLANKLINE>
    joint  peak at  torque  gravity  inertia  velocity  friction  spring  unit
    theta  state 1     226      196       30         0         0       0   N m
    r      state 0       0        0        0         0         0       0     N
    """
    check_robot(robot)
    check_flag("friction", friction)
    batch = as_batch(robot, {"q": q, "qd": qd, "qdd": qdd}, required="q")
    if batch.samples == 0:
        raise ArgumentError("q: wanted one state or more, got none")
    weights = _weights(t, batch.shape)
    q, qd, qdd = (batch.rows[name].astype(np.float64) for name in ("q", "qd", "qdd"))
    spring = inverse_dynamics(robot, q, gravity=WEIGHTLESS)
    terms = {
        "gravity": gravity_vector(robot, q, gravity=gravity),
        "inertia": inverse_dynamics(robot, q, None, qdd, gravity=WEIGHTLESS) - spring,
        "velocity": coriolis_vector(robot, q, qd),
        "friction": friction_torque(robot, qd) if friction else np.zeros_like(qd),
        "spring": spring,
    }
    tau = inverse_dynamics(robot, q, qd, qdd, gravity=gravity, friction=friction)
    power = tau * qd
    peak = np.abs(tau).argmax(axis=0)
    joints = np.arange(robot.n)
    return MotorSizing(
        robot,
        peak_torque=np.abs(tau).max(axis=0),
        rms_torque=np.sqrt(weights @ tau**2),
        peak_speed=np.abs(qd).max(axis=0),
        peak_power=np.abs(power).max(axis=0),
        rms_power=np.sqrt(weights @ power**2),
        peak_sample=peak,
        peak_time=None if t is None else np.asarray(t, dtype=np.float64)[peak],
        torque_at_peak=tau[peak, joints],
        **{name: term[peak, joints] for name, term in terms.items()},
    )


def _weights(t: ArrayLike | None, shape: tuple[int, ...]) -> Array:
    """Share of each state in a mean: the same, or that of the trapezoid rule."""
    if t is None:
        count = math.prod(shape)
        return np.full(count, 1 / count)
    if len(shape) != 1 or shape[0] < 2:
        raise ArgumentError(f"q: with times, two states or more in one row (T, n) are wanted; got leading axes {shape}")
    steps = np.diff(numbers("t", t, shape))
    if (steps <= 0).any():
        raise ArgumentError(f"t: wanted growing times, but t[{int(steps.argmin()) + 1}] is not after the one before it")
    weights = np.zeros(shape)
    weights[:-1] += steps / 2
    weights[1:] += steps / 2
    mean: Array = weights / steps.sum()
    return mean


def _part(peak: Array, limit: Array) -> Array:
    """Peak as a part of the limit; nothing of no limit, and infinitely much of none left."""
    return np.divide(peak, limit, out=np.where(peak > 0, np.inf, 0.0), where=limit > 0)


def _numbers(values: Array, unit: str = "") -> list[str]:
    """Four digits of each, and none of what is but rounding beside the largest; "-" for no limit."""
    noise = NOISE * np.abs(values[np.isfinite(values)]).max(initial=0.0)
    cells = [0.0 if abs(value) <= noise else value for value in values]
    return ["-" if value == np.inf else f"{value:.4g}{unit}" for value in cells]


def _percent(parts: Array, limit: Array) -> list[str]:
    return [f"{100 * part:.3g} %" if bound < np.inf else "-" for part, bound in zip(parts, limit, strict=True)]


def _columns(columns: Mapping[str, Sequence[str]]) -> str:
    """Aligned columns under their titles, the first to the left."""
    texts = [[title.strip(), *cells] for title, cells in columns.items()]
    widths = [max(map(len, column)) for column in texts]
    lines = []
    for first, *rest in zip(*texts, strict=True):
        cells = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        lines.append("  ".join((first.ljust(widths[0]), *cells)).rstrip())
    return "\n".join(lines)
