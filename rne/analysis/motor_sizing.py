"""Motor sizing: torque, speed and power of each joint over a motion or a set of worst cases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.analysis.torque_breakdown import TERMS, torque_breakdown
from rne.batch.arguments import check_robot, settle
from rne.check import check_flag, numbers
from rne.dynamics.energy import actuator_power
from rne.errors import ArgumentError
from rne.model.robot import Robot
from rne.tables import Part, Report, cells, percent, titled

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class MotorSizing(Report):
    """Demands of each joint of a robot on its motor; printing shows a table.

    All arrays are (n,), one number per joint in the order of `joint_names`. Torques are in N m and speeds in rad/s, for
    prismatic joints in N and m/s; powers are in W. Peaks are absolute values.

    Attributes
    ----------
    robot : the robot.
    peak_torque, rms_torque : peak and root mean square of the torque.
    peak_speed, rms_speed : the same of the velocity.
    peak_power, rms_power : the same of the power tau * qd, delivered to the joint or absorbed when braking.
    peak_sample : index of the state with the largest torque.
    peak_time : time of that state, s; None without times.
    torque_at_peak : signed torque in that state; the sum of the following.
    effective, coupling, rotor, centripetal, coriolis, gravity, spring, friction, external : its terms, as in
        `torque_breakdown`.
    rms_terms : root mean square of each of these terms over all states, by name.
    torque_used, speed_used : `peak_torque` as a fraction of `robot.effort_limit`, `peak_speed` as a fraction of
        `robot.velocity_limit`: above 1 the limit is exceeded; 0 where there is no limit.

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
    effective: Array
    coupling: Array
    rotor: Array
    centripetal: Array
    coriolis: Array
    gravity: Array
    spring: Array
    friction: Array
    external: Array
    rms_terms: dict[str, Array]

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The coordinates, in the order of the arrays."""
        return self.robot.joint_names

    @property
    def torque_used(self) -> Array:
        """Peak torque as a fraction of the limit."""
        return part_of(self.peak_torque, self.robot.effort_limit)

    @property
    def speed_used(self) -> Array:
        """Peak speed as a fraction of the limit."""
        return part_of(self.peak_speed, self.robot.velocity_limit)

    def _parts(self) -> list[Part]:
        robot = self.robot
        slides = [robot.joint(name).kind == "prismatic" for name in self.joint_names]
        forces, speeds = (["N" if s else "N m" for s in slides], ["m/s" if s else "rad/s" for s in slides])
        demand = {
            "joint": self.joint_names,
            "torque": cells(self.peak_torque),
            "rms": cells(self.rms_torque),
            "limit": cells(robot.effort_limit),
            "used": _percent(self.torque_used, robot.effort_limit),
            "unit": forces,
            "speed": cells(self.peak_speed),
            "rms ": cells(self.rms_speed),
            "limit ": cells(robot.velocity_limit),
            "used ": _percent(self.speed_used, robot.velocity_limit),
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
        return [titled(demand), "", titled(peaks), "", titled(means)]


def motor_sizing(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    t: ArrayLike | None = None,
    friction: bool = False,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
) -> MotorSizing:
    """Torque, speed and power demanded of each motor over a motion or a set of worst cases, and their causes.

    Parameters
    ----------
    robot : the robot; attach a load with `with_payload`.
    q : (..., n) positions, rad or m: the states of a motion, or any set of load cases; a single state is allowed.
    qd, qdd : (..., n) velocities and accelerations; zero if None. Leading axes broadcast against each other.
    t : (T,) strictly increasing times of the states of a motion, s, not necessarily uniform; q is then (T, n). Mean
        squares are over time, by the trapezoidal rule. Without it every state has the same weight.
    friction : whether to add viscous and Coulomb friction of the joints.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.
    f_ext : wrenches that act on the robot, by frame name, as in `inverse_dynamics`: process forces, for example.

    Returns
    -------
    report : MotorSizing

    Raises
    ------
    ArgumentError, UnknownNameError
        An argument has the wrong shape, type or value, a frame is unknown, there is no state, or times do not increase.

    Examples
    --------
    A rotating arm with a prismatic joint, level and fully extended, at rest and at full acceleration:

    >>> import rne
    >>> arm = rne.load("models/lectures/rp_motor_sizing/robot.dh.toml")
    >>> print(rne.motor_sizing(arm, [0.0, 2.0], qdd=[[0.0, 0.0], [1.0, 0.0]]))
    joint  torque    rms  limit  used  unit  speed  rms  limit  used   unit  power  rms
    theta     226  211.5      -     -   N m      0    0      -     -  rad/s    0 W  0 W
    r           0      0      -     -     N      0    0      -     -    m/s    0 W  0 W
    <BLANKLINE>
    joint  peak at  torque  effective  coupling  rotor  centripetal  coriolis  gravity  spring  friction  external  unit
    theta  state 1     226         30         0      0            0         0      196       0         0         0   N m
    r      state 0       0          0         0      0            0         0        0       0         0         0     N
    <BLANKLINE>
    joint    rms  effective  coupling  rotor  centripetal  coriolis  gravity  spring  friction  external  unit
    theta  211.5      21.21         0      0            0         0      196       0         0         0   N m
    r          0          0         0      0            0         0        0       0         0         0     N
    """
    check_robot(robot)
    check_flag("friction", friction)
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd}, f_ext)
    if batch.samples == 0:
        raise ArgumentError("q: wanted at least one state, got none")
    weights = _weights(t, batch.shape)
    shape, rows = (*batch.shape, robot.n), (batch.samples, robot.n)
    q, qd, qdd = (batch.rows[name].astype(np.float64).reshape(shape) for name in ("q", "qd", "qdd"))
    parts = torque_breakdown(robot, q, qd, qdd, gravity=gravity, f_ext=f_ext, friction=friction)
    terms = {name: term.reshape(rows) for name, term in parts.terms.items()}
    tau, speed = parts.total.reshape(rows), qd.reshape(rows)
    power = actuator_power(robot, speed, tau)
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
    """Weighted root mean square over the states."""
    root: Array = np.sqrt(weights @ values**2)
    return root


def _weights(t: ArrayLike | None, shape: tuple[int, ...]) -> Array:
    """Weight of each state in a mean: uniform, or that of the trapezoidal rule."""
    if t is None:
        count = math.prod(shape)
        return np.full(count, 1 / count)
    if len(shape) != 1 or shape[0] < 2:
        raise ArgumentError(f"q: with t, wanted shape (T, n) with at least two states; got leading axes {shape}")
    steps = np.diff(numbers("t", t, shape))
    if (steps <= 0).any():
        raise ArgumentError(f"t: wanted increasing times, but t[{int(steps.argmin()) + 1}] is not after the previous")
    weights = np.zeros(shape)
    weights[:-1] += steps / 2
    weights[1:] += steps / 2
    mean: Array = weights / steps.sum()
    return mean


def part_of(peak: Array, limit: Array) -> Array:
    """Peak as a fraction of the limit; 0 of an infinite limit, and infinite for a peak above a limit of zero."""
    return np.divide(peak, limit, out=np.where(peak > 0, np.inf, np.minimum(peak, 0.0)), where=~(limit <= 0))


def _percent(parts: Array, limit: Array) -> list[str]:
    return [cell if bound < np.inf else "-" for cell, bound in zip(percent(parts), limit, strict=True)]
