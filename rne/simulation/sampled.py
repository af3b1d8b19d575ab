"""Controllers in discrete time, as they run on a robot."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import numbers, real_array
from rne.control import Controller
from rne.errors import ArgumentError
from rne.kernels import control as at
from rne.model.floating import of_joints
from rne.model.robot import Robot

Array = NDArray[np.float64]
Function = Callable[..., Any]


# The least number above zero, and the most torques under way.
_ABOVE, _MOST = np.nextafter(0.0, 1.0), 1_000_000


class Sampling(NamedTuple):
    """A sampled controller as the kernels take it (`rne.kernels.sampling.begin`), and its dead time, s."""

    period: float
    resolutions: Array
    speeds: Array
    largest: Array
    initial: Array
    slots: int
    delay: float


@dataclass(frozen=True, eq=False)
class SampledController:
    """A controller in discrete time: sampled at a rate, with dead time, saturation and quantized measurement.

    At each sampling instant, from the first time of a simulation on, the controller is asked once, with the measured
    positions and velocities. Its torques are limited, and act from the dead time later on until the next ones do
    (zero-order hold). The integral of a controller of `rne.control` is a sum, I(k + 1) = I(k) + e(k) / rate.

    Sources: Åström, Wittenmark, "Computer-Controlled Systems" (3rd ed., 1997), sections 2.3 and 8.3; Franklin, Powell,
    Workman, "Digital Control of Dynamic Systems" (3rd ed., 1998), chapter 10, on quantization.

    Parameters
    ----------
    controller : one of `rne.control`, or a function, compiled or not, as for ``tau`` of `rne.simulate`.
    rate : sampling rate, Hz.
    delay : dead time from a measurement to its torques, s, of any length: also a part of a period, or several.
    saturate : whether torques are limited to the effort limits of the simulated robot; or the limits, one number or
        (joints,), N m or N. A controller of `rne.control` then stops its integral at the limit, as with its own
        `saturate`. What acts on a base that floats has no limit.
    position_resolution, velocity_resolution : step of the measured positions (rad, m) and velocities (rad/s, m/s) of
        the joints, one number or (joints,): they are rounded to multiples of it. Zero for no rounding. Pose and
        velocity of a base that floats, which no encoder measures, are not rounded.
    initial : torques (n,) until the first ones of the controller act; zero if None.

    Raises
    ------
    ArgumentError
        An argument has the wrong type or value.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> servo = rne.control.pd_gravity(arm, kp=100.0, kd=30.0, goal=[0.5, 0.2])
    >>> digital = rne.SampledController(servo, rate=500.0, delay=0.001, position_resolution=1e-4)
    >>> rne.simulate(arm, [0.0, 0.0], t=[0.0, 10.0], tau=digital).q[-1].round(3)
    array([0.5, 0.2])
    """

    controller: Controller | Function
    rate: float
    delay: float = 0.0
    saturate: bool | ArrayLike = False
    position_resolution: ArrayLike = 0.0
    velocity_resolution: ArrayLike = 0.0
    initial: ArrayLike | None = None

    def __post_init__(self) -> None:
        if isinstance(self.controller, SampledController) or not (
            isinstance(self.controller, Controller) or callable(self.controller)
        ):
            what = type(self.controller).__name__
            raise ArgumentError(f"controller: wanted one of rne.control or a function, got {what}")
        for name, least in (("rate", "above 0"), ("delay", "of 0 or more")):
            value = float(numbers(name, getattr(self, name), ()))
            if not (value > 0 or (name == "delay" and value == 0)):
                raise ArgumentError(f"{name}: wanted a number {least}, got {getattr(self, name)!r}")
            object.__setattr__(self, name, value)
        for name, lowest in (("saturate", _ABOVE), ("position_resolution", 0.0), ("velocity_resolution", 0.0)):
            if name != "saturate" or not isinstance(self.saturate, bool | np.bool_):
                _each(name, getattr(self, name), lowest)
        if self.initial is not None:
            real_array("initial", self.initial)


def sampling_of(controller: SampledController, robot: Robot) -> Sampling:
    """Return the numbers of a controller for a robot.

    Raises
    ------
    ArgumentError
        A number for each joint has the wrong shape or value.
    """
    n, joints, given, delay = robot.n, len(robot.joint_names), controller.saturate, controller.delay
    for name in () if joints else ("saturate", "position_resolution", "velocity_resolution"):
        if np.any(getattr(controller, name)) and getattr(controller, name) is not True:
            raise ArgumentError(f"{name}: wanted none for {robot.name!r}, which has no joints; got one for joints")
    if isinstance(given, bool | np.bool_):
        largest = robot.effort_limit.astype(np.float64) if given else np.full(n, np.inf)
    else:
        largest = _beside(n, np.inf, _each("saturate", given, _ABOVE, joints))
    resolutions = _each("position_resolution", controller.position_resolution, 0.0, joints)
    speeds = _each("velocity_resolution", controller.velocity_resolution, 0.0, joints)
    initial = np.zeros(n) if controller.initial is None else numbers("initial", controller.initial, (n,))
    slots = math.ceil(delay * controller.rate) + 2
    if slots > _MOST:
        raise ArgumentError(f"delay: {delay:g} s are more than a million periods; wanted a shorter one")
    measured = _beside(robot.nq, 0.0, resolutions), _beside(n, 0.0, speeds)
    return Sampling(1.0 / controller.rate, *measured, largest, initial, slots, delay)


def limited(controller: Controller, largest: Array) -> Controller:
    """Return a controller that knows the limits (n,) of the torques, so that its integral stops at them."""
    if np.isinf(largest).all():
        return controller
    gains = controller.gains.copy()
    gains[..., at.LIMIT, :] = np.minimum(gains[..., at.LIMIT, :], of_joints(controller.robot, largest))
    gains.flags.writeable = False
    return replace(controller, gains=gains)


NO_SAMPLING = Sampling(0.0, *(np.zeros(0),) * 4, 1, 0.0)


def _beside(size: int, of_base: float, each: Array) -> Array:
    """Return numbers (size,): those of the joints behind one for all of the base, which has none if it is fixed."""
    return np.concatenate([np.full(size - each.size, of_base), each])


def _each(name: str, value: Any, least: float, n: int | None = None) -> Array:
    """Return one number of a joint each, from `least` on; those above zero may be infinite. Without n, only look."""
    array = real_array(name, value).astype(np.float64)
    if array.ndim > 1 or (n is not None and array.shape not in ((), (n,))):
        size = "joints" if n is None else n
        raise ArgumentError(f"{name}: wanted one number or shape ({size},), got {array.shape}; one for each joint")
    if not (array >= least).all() or (least == 0.0 and np.isinf(array).any()):
        raise ArgumentError(f"{name}: wanted numbers {'above 0' if least else 'of 0 or more'}, got {value!r}")
    return array if n is None else np.broadcast_to(array, (n,)).astype(np.float64)


def quantized(x: Array, resolution: Array) -> Array:
    """Round measurements (..., n) to multiples of a resolution (n,), where it is not zero."""
    unit = np.where(resolution > 0, resolution, 1.0)
    return np.where(resolution > 0, np.floor(x / unit + 0.5) * unit, x)
