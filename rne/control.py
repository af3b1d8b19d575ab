"""Joint controllers for `rne.simulate`, compiled once: creating one or changing its parameters compiles nothing.

All feed back the error e = r - q with respect to a reference r with gains for each joint, u = kp e + ki (integral of e)
+ kd e', and differ in the model they use:

- `pid`, none: tau = u;
- `pd_gravity`, gravity: tau = u + g(q);
- `feedforward`, dynamics along the reference: tau = u + M(r) r'' + C(r, r') r' + g(r);
- `computed_torque`, dynamics at the current state: tau = M(q) (r'' + u) + C(q, qd) qd + g(q), with u an acceleration.
  With an exact model, the error of any robot obeys e'' + kd e' + kp e = 0 (without ki).

The control laws are continuous in time. The integral of the error is a state of the differential equation, integrated
like the positions and initially zero, so that a controlled motion is as accurate as a free one.

Parameters common to all controllers:

robot
    The model. It may differ from the simulated robot, but must have the same joints; `gravity` of `rne.simulate` does
    not affect it. Its dynamics include its springs. The laws act on joints: nothing pushes the base of a simulated
    robot that floats. `pid` takes such a robot, too; a model has a fixed base.
goal, path
    The reference; give one of the two. goal : (..., n) posture to hold. path : (t, q, qd) or (t, q, qd, qdd), samples
    at increasing times (T,), the others (..., T, n), as returned by `rne.quintic` and `rne.trapezoidal`:
    ``path=(t, *rne.quintic(q0, q1, t, duration=2.0))``. Between samples the path is the quintic polynomial that matches
    position, velocity and acceleration at both ends, or the cubic one without accelerations (the better choice where
    accelerations jump, as at the corners of a trapezoid). Outside its times it rests at the nearest end.
kp, ki, kd
    Nonnegative gains: one number, (n,) or (..., n). Leading axes of gains, goals and paths are those of a batch of
    simulations: twenty sets of gains make twenty simulations.
saturate
    Whether to limit torques to `robot.effort_limit`. At the limit, the integral does not grow any further in its
    direction (conditional integration: Åström, Hägglund, "Advanced PID Control", 2006, section 3.5).

High gains make the closed loop fast: with a step h, "rk4" is stable for eigenvalues of M^-1 kd up to 2.7 / h.

The class `rne.SampledController` runs a controller in discrete time, at a rate, with dead time, limits and
quantized measurement.

For other control laws, pass a function, plain or compiled with the functions of `rne.jit`; see ``tau`` of
`rne.simulate`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import as_batch, as_loads, as_table, check_robot
from rne.check import check_choice, check_flag
from rne.errors import ArgumentError
from rne.kernels import control as at
from rne.kernels.entries import INVERSE_DYNAMICS, INVERSE_DYNAMICS_POINTER
from rne.kernels.layout import SPRINGS
from rne.model.robot import Robot
from rne.trajectory.reference import Path, standing, through

__all__ = ["Controller", "computed_torque", "feedforward", "pd_gravity", "pid"]


def __dir__() -> list[str]:
    """Return the public names, for completion."""
    return __all__


Array = NDArray[np.float64]

_NAMES = {
    at.NOTHING: "feedback",
    at.GRAVITY: "feedback and gravity compensation",
    at.FEEDFORWARD: "feedback and feedforward torques",
    at.COMPUTED: "computed torque",
}


@dataclass(frozen=True, eq=False)
class Controller:
    """Control law with its gains and its reference, as returned by the functions of `rne.control`.

    Parameters
    ----------
    robot : the model.
    reference : callable that returns position, velocity and acceleration, (..., T, n) each, at times (T,), or (..., n)
        each at a single time.
    gains : (..., 4, n) kp, ki, kd and the largest torque, which may be infinite.
    adds, loads, on_measurement : the control law, in constants of the kernel.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> servo = rne.control.pid(arm, kp=[40.0, 10.0], goal=[0.5, 0.2])
    >>> servo.reference([3.0])[0]
    array([[0.5, 0.2]])
    """

    robot: Robot
    reference: Path
    gains: Array
    adds: int
    loads: int
    on_measurement: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch, broadcast from gains and reference."""
        return np.broadcast_shapes(self.gains.shape[:-2], self.reference.shape)

    def __repr__(self) -> str:
        """Describe the control law."""
        return f"{_NAMES[self.adds]} of {self.robot.name}" + (f", {self.shape} of them" if self.shape else "")

    def law(self, shape: tuple[int, ...], alone: bool) -> tuple[Any, ...]:
        """Return the arguments of the kernel for a batch of simulations, together or, if `alone`, one at a time."""
        n, samples = self.robot.n, math.prod(shape)
        entry = (INVERSE_DYNAMICS_POINTER if alone else INVERSE_DYNAMICS["float64"]).compiled()
        gains = np.broadcast_to(self.gains, (*shape, 4, n)).reshape(samples, 4, n)
        parts = self.reference.pieces.shape[-3]
        pieces = np.broadcast_to(self.reference.pieces, (*shape, parts, 6, n)).reshape(samples, parts, 6, n)
        inverse = (entry, None) if alone else (None, entry)
        more = (self.reference.breaks, pieces, self.adds, self.on_measurement)
        return (as_table(self.robot, "float64"), *inverse, self.loads, gains, *more)


def pid(
    robot: Robot,
    *,
    kp: ArrayLike,
    ki: ArrayLike = 0.0,
    kd: ArrayLike = 0.0,
    goal: ArrayLike | None = None,
    path: Any = None,
    saturate: bool = False,
    derivative: str = "error",
) -> Controller:
    """Independent PID control of each joint: tau = kp e + ki (integral of e) + kd e'.

    Without ki, a joint loaded by a gravity torque g comes to rest with an error of g / kp; with ki, at the goal.

    Parameters
    ----------
    robot, goal, path, saturate : see `rne.control`.
    kp, ki, kd : gains, N m/rad, N m/(rad s), N m s/rad; for prismatic joints N/m and so on.
    derivative : of the "error", or of the "measurement": e' = -qd, which avoids a kick where the reference jumps, but
        lags behind a moving reference.

    Returns
    -------
    Controller
        For ``tau`` of `rne.simulate`.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> servo = rne.control.pid(arm, kp=300.0, ki=300.0, kd=60.0, goal=[0.5, 0.2])
    >>> rne.simulate(arm, [0.0, 0.0], t=[0.0, 10.0], tau=servo).error[-1].round(3) + 0.0
    array([0., 0.])
    """
    check_choice("derivative", derivative, ("error", "measurement"))
    check_robot(robot, floating=True)
    if robot.floating:  # the law knows the joints alone
        robot = Robot(replace(robot.tree, floating=False), robot.joint_names)
    gains = _gains(robot, kp, ki, kd, saturate)
    return _controller(robot, goal, path, gains, at.NOTHING, 0, derivative == "measurement")


def pd_gravity(
    robot: Robot,
    *,
    kp: ArrayLike,
    ki: ArrayLike = 0.0,
    kd: ArrayLike,
    goal: ArrayLike | None = None,
    path: Any = None,
    saturate: bool = False,
) -> Controller:
    """PD control with gravity compensation: tau = kp e + kd e' + g(q).

    Converges to the goal from any state (Takegaki, Arimoto, "A new feedback method for dynamic control of
    manipulators", ASME J. DSMC 103, 1981).

    Parameters
    ----------
    robot, goal, path, saturate : see `rne.control`.
    kp, ki, kd : gains, N m/rad, N m/(rad s), N m s/rad; for prismatic joints N/m and so on.

    Returns
    -------
    Controller
        For ``tau`` of `rne.simulate`.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> servo = rne.control.pd_gravity(arm, kp=100.0, kd=30.0, goal=[0.5, 0.2])
    >>> rne.simulate(arm, [0.0, 0.0], t=[0.0, 10.0], tau=servo).q[-1].round(6)
    array([0.5, 0.2])
    """
    return _controller(robot, goal, path, _gains(robot, kp, ki, kd, saturate), at.GRAVITY, SPRINGS)


def feedforward(
    robot: Robot,
    *,
    kp: ArrayLike,
    ki: ArrayLike = 0.0,
    kd: ArrayLike,
    goal: ArrayLike | None = None,
    path: Any = None,
    friction: bool = False,
    saturate: bool = False,
) -> Controller:
    """Feedback plus feedforward torques of the reference: tau = kp e + kd e' + M(r) r'' + C(r, r') r' + g(r).

    Parameters
    ----------
    robot, goal, path, saturate : see `rne.control`.
    kp, ki, kd : gains, N m/rad, N m/(rad s), N m s/rad; for prismatic joints N/m and so on.
    friction : whether the model includes joint friction.

    Returns
    -------
    Controller
        For ``tau`` of `rne.simulate`.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm, t = rne.load("models/planar2/robot.dh.toml"), np.linspace(0.0, 1.0, 11)
    >>> path = (t, *rne.quintic([0.2, -0.5], [1.4, 0.9], t, duration=1.0))
    >>> servo = rne.control.feedforward(arm, kp=100.0, kd=20.0, path=path)
    >>> bool(rne.simulate(arm, [0.2, -0.5], t=t, tau=servo).tracking().peak.max() < 1e-9)
    True
    """
    loads = as_loads(friction)
    return _controller(robot, goal, path, _gains(robot, kp, ki, kd, saturate), at.FEEDFORWARD, loads)


def computed_torque(
    robot: Robot,
    *,
    kp: ArrayLike,
    ki: ArrayLike = 0.0,
    kd: ArrayLike,
    goal: ArrayLike | None = None,
    path: Any = None,
    friction: bool = False,
    saturate: bool = False,
) -> Controller:
    """Computed-torque control (feedback linearization): tau = M(q) (r'' + kd e' + kp e) + C(q, qd) qd + g(q).

    Source: Luh, Walker, Paul, "Resolved-acceleration control of mechanical manipulators", IEEE TAC 25 (1980), in joint
    coordinates.

    Parameters
    ----------
    robot, goal, path, saturate : see `rne.control`.
    kp, ki, kd : gains from errors to accelerations, 1/s^2, 1/s^3, 1/s; kd = 2 sqrt(kp) is critical damping.
    friction : whether the model includes joint friction.

    Returns
    -------
    Controller
        For ``tau`` of `rne.simulate`.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm, t = rne.load("models/planar2/robot.dh.toml"), np.linspace(0.0, 0.5, 51)
    >>> servo = rne.control.computed_torque(arm, kp=100.0, kd=20.0, goal=[0.5, -0.2])
    >>> error = rne.simulate(arm, [0.0, 0.0], t=t, tau=servo).error
    >>> bool(np.allclose(error, np.outer((1 + 10 * t) * np.exp(-10 * t), [0.5, -0.2]), rtol=0, atol=1e-8))
    True
    """
    loads = as_loads(friction)
    return _controller(robot, goal, path, _gains(robot, kp, ki, kd, saturate), at.COMPUTED, loads)


def _controller(
    robot: Robot, goal: ArrayLike | None, path: Any, gains: Array, adds: int, loads: int, on_measurement: bool = False
) -> Controller:
    if (goal is None) == (path is None):
        raise ArgumentError("goal, path: wanted exactly one of them, got " + ("neither" if goal is None else "both"))
    reference = standing(robot, goal) if goal is not None else through(robot, path)
    try:
        np.broadcast_shapes(gains.shape[:-2], reference.shape)
    except ValueError:
        shapes = f"gains {gains.shape[:-2]}, reference {reference.shape}"
        raise ArgumentError(f"kp, ki, kd: leading axes do not broadcast against the reference: {shapes}") from None
    for array in (gains, reference.breaks, reference.pieces):
        array.flags.writeable = False
    return Controller(robot, reference, gains, adds, loads, on_measurement)


def _gains(robot: Robot, kp: ArrayLike, ki: ArrayLike, kd: ArrayLike, saturate: bool) -> Array:
    check_robot(robot)
    check_flag("saturate", saturate)
    given = {"kp": kp, "ki": ki, "kd": kd}
    batch = as_batch(
        robot, {name: np.full(robot.n, k) if np.isscalar(k) else k for name, k in given.items()}, required="kp"
    )
    gains = np.empty((*batch.shape, 4, robot.n))
    for row, (name, rows) in zip((at.KP, at.KI, at.KD), batch.rows.items(), strict=True):
        if not ((rows >= 0) & (rows < np.inf)).all():
            raise ArgumentError(f"{name}: wanted finite, nonnegative numbers, got {given[name]!r}")
        gains[..., row, :] = rows.reshape(*batch.shape, robot.n)
    gains[..., at.LIMIT, :] = robot.effort_limit if saturate else np.inf
    return gains
