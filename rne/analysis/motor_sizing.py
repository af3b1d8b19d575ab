"""What the motors must give: torque, speed and power of each joint over a motion or a set of worst cases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.analysis.torque_breakdown import torque_breakdown
from rne.batch.arguments import check_robot, settle
from rne.check import check_flag, numbers
from rne.dynamics.power import actuator_power
from rne.errors import ArgumentError
from rne.model.robot import Robot
from rne.tables import Report, cells, columns, percent

Array = NDArray[np.float64]

TERMS = ("gravity", "inertia", "velocity", "friction", "spring", "external")


@dataclass(frozen=True, eq=False, repr=False)
class MotorSizing(Report):
    """What each joint of a robot asks of its motor; printed, it is a table.

    All arrays are (n,), a number a joint in the order of `joint_names`. Torques are N m and speeds rad/s, of prismatic
    joints N and m/s; powers are W. Peaks are sizes, without sign.

    Attributes
    ----------
    robot : the robot.
    peak_torque, rms_torque : largest size and root of the mean square of the torque.
    peak_speed, rms_speed : of the velocity.
    peak_power, rms_power : of the power tau * qd that goes into the joint, or comes out of it when it is braked.
    peak_sample : the state in which the torque is largest, counted from 0.
    peak_time : its time, s; None without times.
    torque_at_peak : the torque there, with its sign; the sum of the following.
    gravity, inertia, velocity, friction, spring, external : its parts: weight; accelerations, rotors included; Coriolis
        and centripetal; viscous and Coulomb friction; springs; wrenches that act on the robot.
    rms_terms : root of the mean square of each of these parts over all states, by its name.
    torque_used, speed_used : `peak_torque` as a part of `robot.effort`, `peak_speed` of `robot.velocity`: above 1 the
        limit is broken; 0 where there is no limit.

    Examples
    --------
    >>> import rne
    >>> rne.motor_sizing(rne.load("models/planar2/robot.dh.toml"), [0.0, 0.0]).peak_torque.round(3)
    array([19.62 ,  4.905])
    """

    DERIVED: ClassVar = ("joint_names", "torque_used", "speed_used")

    robot: Robot
    peak_torque: Array
    rms_torque: Array
    peak_speed: Array
    rms_speed: Array
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
    external: Array
    rms_terms: dict[str, Array]

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The coordinates, in the order of the arrays."""
        return self.robot.joint_names

    @property
    def torque_used(self) -> Array:
        """Peak torque as a part of the limit."""
        return part_of(self.peak_torque, self.robot.effort)

    @property
    def speed_used(self) -> Array:
        """Peak speed as a part of the limit."""
        return part_of(self.peak_speed, self.robot.velocity)

    def _table(self) -> str:
        robot = self.robot
        slides = [robot.joint(name).kind == "prismatic" for name in self.joint_names]
        forces, speeds = (["N" if s else "N m" for s in slides], ["m/s" if s else "rad/s" for s in slides])
        demand = {
            "joint": self.joint_names,
            "torque": cells(self.peak_torque),
            "rms": cells(self.rms_torque),
            "limit": cells(robot.effort),
            "used": _percent(self.torque_used, robot.effort),
            "unit": forces,
            "speed": cells(self.peak_speed),
            "rms ": cells(self.rms_speed),
            "limit ": cells(robot.velocity),
            "used ": _percent(self.speed_used, robot.velocity),
            "unit ": speeds,
            "power": cells(self.peak_power, " W"),
            "rms  ": cells(self.rms_power, " W"),
        }
        states = [f"state {k}" for k in self.peak_sample]
        peaks = {
            "joint": self.joint_names,
            "peak at": states if self.peak_time is None else cells(self.peak_time, " s"),
            "torque": cells(self.torque_at_peak),
            **{name: cells(getattr(self, name)) for name in TERMS},
            "unit": forces,
        }
        means = {
            "joint": self.joint_names,
            "rms": cells(self.rms_torque),
            **{name: cells(self.rms_terms[name]) for name in TERMS},
            "unit": forces,
        }
        return f"{columns(demand)}\n\n{columns(peaks)}\n\n{columns(means)}"


def motor_sizing(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    t: ArrayLike | None = None,
    friction: bool = True,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
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
    f_ext : wrenches that act on the robot, by frame name, as for `inverse_dynamics`: the forces of a process.

    Returns
    -------
    report : MotorSizing

    Raises
    ------
    ArgumentError, UnknownNameError
        An argument has the wrong shape, type or value; an unknown frame; no state at all; times that do not grow.

    Examples
    --------
    A turning arm with a slide, level and fully extended, at rest and at its full acceleration:

    >>> import rne
    >>> arm = rne.load("models/lectures/rp_motor_sizing/robot.dh.toml")
    >>> print(rne.motor_sizing(arm, [0.0, 2.0], qdd=[[0.0, 0.0], [1.0, 0.0]]))
    joint  torque    rms  limit  used  unit  speed  rms  limit  used   unit  power  rms
    theta     226  211.5      -     -   N m      0    0      -     -  rad/s    0 W  0 W
    r           0      0      -     -     N      0    0      -     -    m/s    0 W  0 W
    <BLANKLINE>
    joint  peak at  torque  gravity  inertia  velocity  friction  spring  external  unit
    theta  state 1     226      196       30         0         0       0         0   N m
    r      state 0       0        0        0         0         0       0         0     N
    <BLANKLINE>
    joint    rms  gravity  inertia  velocity  friction  spring  external  unit
    theta  211.5      196    21.21         0         0       0         0   N m
    r          0        0        0         0         0       0         0     N
    """
    check_robot(robot)
    check_flag("friction", friction)
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd}, f_ext)
    if batch.samples == 0:
        raise ArgumentError("q: wanted one state or more, got none")
    weights = _weights(t, batch.shape)
    shape, rows = (*batch.shape, robot.n), (batch.samples, robot.n)
    q, qd, qdd = (batch.rows[name].astype(np.float64).reshape(shape) for name in ("q", "qd", "qdd"))
    parts = torque_breakdown(robot, q, qd, qdd, gravity=gravity, f_ext=f_ext, friction=friction)
    terms = {name: getattr(parts, name).reshape(rows) for name in TERMS}
    terms["inertia"] = terms["inertia"] + parts.rotor.reshape(rows)
    tau, speed = parts.total.reshape(rows), qd.reshape(rows)
    power = actuator_power(robot, tau, speed)
    peak = np.abs(tau).argmax(axis=0)
    joints = np.arange(robot.n)
    return MotorSizing(
        robot,
        peak_torque=np.abs(tau).max(axis=0),
        rms_torque=_rms(tau, weights),
        peak_speed=np.abs(speed).max(axis=0),
        rms_speed=_rms(speed, weights),
        peak_power=np.abs(power).max(axis=0),
        rms_power=_rms(power, weights),
        peak_sample=peak,
        peak_time=None if t is None else np.asarray(t, dtype=np.float64)[peak],
        torque_at_peak=tau[peak, joints],
        **{name: term[peak, joints] for name, term in terms.items()},
        rms_terms={name: _rms(term, weights) for name, term in terms.items()},
    )


def _rms(values: Array, weights: Array) -> Array:
    """Root of the mean square over the states."""
    root: Array = np.sqrt(weights @ values**2)
    return root


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


def part_of(peak: Array, limit: Array) -> Array:
    """Peak as a part of the limit; nothing of no limit, and infinitely much of none left."""
    return np.divide(peak, limit, out=np.where(peak > 0, np.inf, np.minimum(peak, 0.0)), where=~(limit <= 0))


def _percent(parts: Array, limit: Array) -> list[str]:
    return [cell if bound < np.inf else "-" for cell, bound in zip(percent(parts), limit, strict=True)]
