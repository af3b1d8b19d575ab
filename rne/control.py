"""Ready controllers of joints for `rne.simulate`, compiled once: making one, or changing its numbers, costs nothing.

All feed back the error e = r - q of a reference r with gains for each joint, u = kp e + ki (integral of e) + kd e', and
differ in what they know of the robot:

- `pid` knows nothing: tau = u;
- `pd_gravity` its weight: tau = u + g(q);
- `feedforward` its dynamics along the reference: tau = u + M(r) r'' + C(r, r') r' + g(r);
- `computed_torque` its dynamics where it is: tau = M(q) (r'' + u) + C(q, qd) qd + g(q), with u an acceleration. With
  the true robot as model the error obeys e'' + kd e' + kp e = 0 (without ki), whatever the robot.

The laws are continuous in time, as in the books. The integral of the error is a state of the differential equation,
integrated like the positions, so that a controlled motion is as exact as a free one; each simulation begins with zero.

Common to all, and told once:

robot
    The model. It need not be the robot that is simulated, but must have its joints; `rne.simulate(gravity=)` does not
    reach it. Springs of its joints belong to its dynamics.
goal, path
    The reference, one of both. goal : (..., n) a posture to hold. path : (t, q, qd) or (t, q, qd, qdd), samples at
    increasing times (T,), the others (..., T, n), as `rne.quintic` and `rne.trapezoidal` return them:
    ``path=(t, *rne.quintic(q0, q1, duration, t))``. Between samples it is the polynomial of fifth degree through
    position, velocity and acceleration at both, without accelerations the cubic one (the better choice where
    accelerations jump, as at the corners of a trapezoid). Outside its times it stands still at the nearest end.
kp, kd, ki
    Gains, not negative: one number, (n,) or (..., n). Leading axes are those of a batch of simulations, for goals and
    paths as well: twenty gains make twenty simulations.
saturate
    Whether torques end at `robot.effort`. There the integral does not grow where it would only push on (conditional
    integration: Åström, Hägglund, "Advanced PID Control", 2006, section 3.5).

A law with strong gains has fast motions of its own: a step h of "rk4" bears eigenvalues of M^-1 kd up to 2.7 / h.

Own laws are functions, plain or compiled with the parts in `rne.jit`; see ``tau`` of `rne.simulate`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
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

Array = NDArray[np.float64]

_NAMES = {
    at.NOTHING: "feedback",
    at.GRAVITY: "feedback and gravity compensation",
    at.FEEDFORWARD: "feedback and feed-forward torques",
    at.COMPUTED: "computed torque",
}


@dataclass(frozen=True, eq=False)
class Controller:
    """A law of control with its gains and its reference, as the functions of `rne.control` return it.

    Parameters
    ----------
    robot : the model.
    reference : called with times (T,), returns position, velocity and acceleration, each (..., T, n); called with one
        time, each (..., n).
    gains : (..., 4, n) kp, ki, kd and the largest torque, which may be infinite.
    adds, loads, on_measurement : what the law does, in the numbers of the kernel.

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
        """Shape of the batch that gains and references make."""
        return np.broadcast_shapes(self.gains.shape[:-2], self.reference.shape)

    def __repr__(self) -> str:
        """Tell a person what the controller does."""
        return f"{_NAMES[self.adds]} of {self.robot.name}" + (f", {self.shape} of them" if self.shape else "")

    def law(self, shape: tuple[int, ...], alone: bool) -> tuple[Any, ...]:
        """Return what the kernel takes, for a batch of simulations or for one or more, one at a time."""
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
    """Feedback of each joint alone: tau = kp e + ki (integral of e) + kd e'.

    Without ki a joint that carries a weight g rests g / kp beside its goal; with it, at the goal.

    Parameters
    ----------
    robot, goal, path, saturate : see `rne.control`.
    kp, ki, kd : gains, N m/rad, N m/(rad s), N m s/rad; for prismatic joints N/m and so on.
    derivative : of the "error", or of the "measurement": e' = -qd, which does not kick where a reference jumps, and
        lags behind one that moves.

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
    gains = _gains(robot, kp, ki, kd, saturate)
    return _controller(robot, goal, path, gains, at.NOTHING, 0, derivative == "measurement")


def pd_gravity(
    robot: Robot,
    *,
    kp: ArrayLike,
    kd: ArrayLike,
    ki: ArrayLike = 0.0,
    goal: ArrayLike | None = None,
    path: Any = None,
    saturate: bool = False,
) -> Controller:
    """Feedback and compensation of the weight: tau = kp e + kd e' + g(q).

    It comes to rest at the goal from everywhere (Takegaki, Arimoto, "A new feedback method for dynamic control of
    manipulators", ASME J. DSMC 103, 1981).

    Parameters
    ----------
    robot, goal, path, saturate : see `rne.control`.
    kp, kd, ki : gains, N m/rad, N m s/rad, N m/(rad s); for prismatic joints N/m and so on.

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
    kd: ArrayLike,
    ki: ArrayLike = 0.0,
    goal: ArrayLike | None = None,
    path: Any = None,
    friction: bool = False,
    saturate: bool = False,
) -> Controller:
    """Feedback beside the torques that the reference takes: tau = kp e + kd e' + M(r) r'' + C(r, r') r' + g(r).

    Parameters
    ----------
    robot, goal, path, saturate : see `rne.control`.
    kp, kd, ki : gains, N m/rad, N m s/rad, N m/(rad s); for prismatic joints N/m and so on.
    friction : whether the model includes the friction of its joints.

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
    >>> path = (t, *rne.quintic([0.2, -0.5], [1.4, 0.9], 1.0, t))
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
    kd: ArrayLike,
    ki: ArrayLike = 0.0,
    goal: ArrayLike | None = None,
    path: Any = None,
    friction: bool = False,
    saturate: bool = False,
) -> Controller:
    """Inverse dynamics in the loop: tau = M(q) (r'' + kd e' + kp e) + C(q, qd) qd + g(q).

    Source: Luh, Walker, Paul, "Resolved-acceleration control of mechanical manipulators", IEEE TAC 25 (1980), in joint
    coordinates.

    Parameters
    ----------
    robot, goal, path, saturate : see `rne.control`.
    kp, kd, ki : gains from errors to accelerations, 1/s^2, 1/s, 1/s^3; kd = 2 sqrt(kp) is critical damping.
    friction : whether the model includes the friction of its joints.

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
        raise ArgumentError("goal, path: wanted one of them" + ("" if goal is None else ", got both"))
    reference = standing(robot, goal) if goal is not None else through(robot, path)
    try:
        np.broadcast_shapes(gains.shape[:-2], reference.shape)
    except ValueError:
        shapes = f"gains {gains.shape[:-2]}, reference {reference.shape}"
        raise ArgumentError(f"leading axes do not broadcast against each other: {shapes}") from None
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
            raise ArgumentError(f"{name}: wanted numbers of zero or more, got {given[name]!r}")
        gains[..., row, :] = rows.reshape(*batch.shape, robot.n)
    gains[..., at.LIMIT, :] = robot.effort if saturate else np.inf
    return gains
