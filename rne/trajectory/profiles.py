"""Point-to-point motions, independent of a robot: quintic polynomials and trapezoidal velocity profiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import numbers, real_array
from rne.errors import ArgumentError

Array = NDArray[np.float64]


def quintic(
    q0: ArrayLike,
    q1: ArrayLike,
    t: ArrayLike,
    *,
    duration: float,
    qd0: ArrayLike = 0.0,
    qd1: ArrayLike = 0.0,
    qdd0: ArrayLike = 0.0,
    qdd1: ArrayLike = 0.0,
) -> tuple[Array, Array, Array]:
    """Motion along a quintic polynomial, given by position, velocity and acceleration at both ends.

    From rest to rest it is q0 + (q1 - q0) (10 u^3 - 15 u^4 + 6 u^5) with u = t / duration (Craig, chapter 7).

    Parameters
    ----------
    q0, q1 : (n,) first and last position, rad or m.
    t : (T,) times since the start, s, or a single time. Before the start and after the end, the state is that at the
        nearest end, so that a robot that has come to rest stays at rest.
    duration : of the motion, s.
    qd0, qd1 : (n,) velocities at the ends, or one number for all joints.
    qdd0, qdd1 : (n,) accelerations at the ends, or one number for all joints.

    Returns
    -------
    q, qd, qdd : (T, n) each; (n,) for a single time.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape or is not finite, or the duration is not positive.

    Examples
    --------
    >>> import rne
    >>> q, qd, qdd = rne.quintic([0.2, -0.5], [1.4, 0.9], [0.0, 0.75, 1.5], duration=1.5)
    >>> q.round(12)
    array([[ 0.2, -0.5],
           [ 0.8,  0.2],
           [ 1.4,  0.9]])
    >>> qd.round(12) + 0.0
    array([[0.  , 0.  ],
           [1.5 , 1.75],
           [0.  , 0.  ]])
    """
    ends = _joints(q0=q0, q1=q1, qd0=qd0, qd1=qd1, qdd0=qdd0, qdd1=qdd1)
    span = float(numbers("duration", duration, ()))
    if span <= 0:
        raise ArgumentError(f"duration: wanted a positive time in s, got {duration!r}")
    u = np.clip(_row("t", t) / span, 0.0, 1.0)[..., None]
    return evaluate(polynomial(ends.values(), span), u, 1 / span)


def polynomial(ends: Iterable[Array], span: Array | float) -> tuple[Array, ...]:
    """Coefficients c0 to c5 of the quintic in u = t / span; `ends` are q0, q1, qd0, qd1, qdd0, qdd1."""
    q0, q1, qd0, qd1, qdd0, qdd1 = ends
    # Derivatives by u: velocities times `span`, accelerations times its square. The end u = 0 gives c0, c1, c2; the
    # remainders p, v, a at u = 1 give the others.
    c0, c1, c2 = q0, qd0 * span, qdd0 * span**2 / 2
    p, v, a = q1 - c0 - c1 - c2, qd1 * span - c1 - 2 * c2, qdd1 * span**2 - 2 * c2
    return c0, c1, c2, 10 * p - 4 * v + a / 2, -15 * p + 7 * v - a, 6 * p - 3 * v + a / 2


def evaluate(c: Sequence[Array] | Array, u: Array, pace: Array | float) -> tuple[Array, Array, Array]:
    """Position, velocity and acceleration at u; `pace` is du/dt, 1/s."""
    q = c[0] + u * (c[1] + u * (c[2] + u * (c[3] + u * (c[4] + u * c[5]))))
    qd = c[1] + u * (2 * c[2] + u * (3 * c[3] + u * (4 * c[4] + u * (5 * c[5]))))
    qdd = 2 * c[2] + u * (6 * c[3] + u * (12 * c[4] + u * (20 * c[5])))
    return q, qd * pace, qdd * pace**2


def quintic_duration(
    q0: ArrayLike, q1: ArrayLike, *, velocity_limit: ArrayLike = np.inf, acceleration_limit: ArrayLike = np.inf
) -> float:
    """Shortest duration of a `quintic` from rest to rest within the limits of all joints, s.

    Over a distance d in a time T the peak velocity is 15 d / (8 T), the peak acceleration 10 d / (sqrt(3) T^2).

    Parameters
    ----------
    q0, q1 : (n,) first and last position, rad or m.
    velocity_limit : (n,), rad/s or m/s, or one number for all joints; infinite for no limit.
    acceleration_limit : (n,), rad/s^2 or m/s^2, or one number for all joints; infinite for no limit.

    Returns
    -------
    duration : s; zero if no joint moves.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape or is not a number, a limit is not positive, or a joint that moves has no limit.

    Examples
    --------
    >>> import rne
    >>> rne.quintic_duration([0.0, 1.0], [1.0, 0.0], velocity_limit=1.5)
    1.25
    """
    _, way, speed, rate = _limited(q0, q1, velocity_limit, acceleration_limit)
    size = np.abs(way)
    if ((size > 0) & np.isinf(speed) & np.isinf(rate)).any():
        raise ArgumentError("velocity_limit, acceleration_limit: both are infinite for a joint that moves; give one")
    return float(np.max([15 / 8 * size / speed, np.sqrt(10 / np.sqrt(3) * size / rate)], initial=0.0))


def trapezoidal(
    q0: ArrayLike, q1: ArrayLike, t: ArrayLike, *, velocity_limit: ArrayLike, acceleration_limit: ArrayLike
) -> tuple[Array, Array, Array]:
    """Motion from rest to rest with a trapezoidal velocity profile.

    Joints move at constant acceleration, constant velocity and constant deceleration. They are synchronized: the motion
    is a straight line in joint space, as fast as the limits of all joints allow. If the distance is too short to reach
    the velocity limit, the velocity profile is a triangle.

    Parameters
    ----------
    q0, q1 : (n,) first and last position, rad or m.
    t : (T,) times since the start, s, or a single time; the motion ends at `trapezoidal_duration`. The robot is at rest
        before the start and after the end.
    velocity_limit : (n,), rad/s or m/s, or one number for all joints; infinite for no limit.
    acceleration_limit : (n,), rad/s^2 or m/s^2, or one number for all joints.

    Returns
    -------
    q, qd, qdd : (T, n) each; (n,) for a single time.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape or is not finite, or a limit is not positive.

    Examples
    --------
    >>> import rne
    >>> limits = {"velocity_limit": 1.0, "acceleration_limit": 1.0}
    >>> q, qd, qdd = rne.trapezoidal([0.0, 1.0], [4.0, 0.0], [0.5, 1.5, 4.5], **limits)
    >>> qd
    array([[ 0.5  , -0.125],
           [ 1.   , -0.25 ],
           [ 0.5  , -0.125]])
    """
    start, way, peak, rate = _profile(q0, q1, velocity_limit, acceleration_limit)
    time = _row("t", t)
    if not np.isfinite(rate):  # no joint moves
        s = sd = sdd = np.zeros_like(time)
    else:
        ramp = peak / rate
        end = ramp + 1 / peak
        passed = np.clip(time, 0.0, end)
        left = end - passed
        phases = [passed < ramp, left < ramp]
        s = np.select(phases, [rate * passed**2 / 2, 1 - rate * left**2 / 2], peak * (passed - ramp / 2))
        sd = np.select(phases, [rate * passed, rate * left], peak)
        sdd = np.select(phases, [rate, -rate], 0.0) * ((time >= 0) & (time <= end))
    return start + s[..., None] * way, sd[..., None] * way, sdd[..., None] * way


def trapezoidal_duration(
    q0: ArrayLike, q1: ArrayLike, *, velocity_limit: ArrayLike, acceleration_limit: ArrayLike
) -> float:
    """Duration of the motion of `trapezoidal`, s.

    Parameters
    ----------
    q0, q1, velocity_limit, acceleration_limit : as in `trapezoidal`; so are the errors raised.

    Returns
    -------
    duration : s; zero if no joint moves.

    Examples
    --------
    >>> trapezoidal_duration([0.0, 1.0], [4.0, 0.0], velocity_limit=1.0, acceleration_limit=1.0)
    5.0
    """
    _, _, peak, rate = _profile(q0, q1, velocity_limit, acceleration_limit)
    return float(peak / rate + 1 / peak) if np.isfinite(rate) else 0.0


def _profile(
    q0: ArrayLike, q1: ArrayLike, velocity_limit: ArrayLike, acceleration_limit: ArrayLike
) -> tuple[Array, Array, float, float]:
    """Start, displacement, and peak velocity and acceleration of the path parameter from 0 to 1, 1/s and 1/s^2."""
    start, way, speed, limit = _limited(q0, q1, velocity_limit, acceleration_limit)
    if np.isinf(limit).any():
        raise ArgumentError(
            f"acceleration_limit: wanted finite numbers, got {acceleration_limit!r}; a trapezoid needs ramps"
        )
    size = np.abs(way)[way != 0]
    rate = np.min(limit[way != 0] / size, initial=np.inf)
    peak = min(np.min(speed[way != 0] / size, initial=np.inf), np.sqrt(rate))
    return start, way, peak, rate


def _limited(
    q0: ArrayLike, q1: ArrayLike, velocity_limit: ArrayLike, acceleration_limit: ArrayLike
) -> tuple[Array, Array, Array, Array]:
    """Start, displacement, and limits of velocity and acceleration: positive, infinite where there is no limit."""
    limits = {"velocity_limit": velocity_limit, "acceleration_limit": acceleration_limit}
    free = {name: _is_infinite(limit) for name, limit in limits.items()}
    finite = {name: np.where(free[name], 1.0, limit) if np.any(free[name]) else limit for name, limit in limits.items()}
    given = _joints(q0=q0, q1=q1, **finite)
    speed, rate = (np.where(free[name], np.inf, given[name]) for name in limits)
    for name, limit in ("velocity_limit", speed), ("acceleration_limit", rate):
        if (limit <= 0).any():
            raise ArgumentError(f"{name}: wanted positive numbers, got {limit.tolist()}")
    return given["q0"], given["q1"] - given["q0"], speed, rate


def _is_infinite(value: ArrayLike) -> Any:
    try:
        return np.asarray(value) == np.inf
    except ValueError:  # ragged; refused later, with the name of the argument
        return False


def _joints(**values: ArrayLike) -> dict[str, Array]:
    """Broadcast each argument, one number per joint or one for all, to (n,)."""
    arrays = {name: _row(name, value) for name, value in values.items()}
    n = max(array.size for array in arrays.values())
    if any(array.size not in (1, n) for array in arrays.values()):
        given = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ArgumentError(f"wanted in each one number, or one per joint, got {given}")
    return {name: np.broadcast_to(array, n) for name, array in arrays.items()}


def _row(name: str, value: ArrayLike) -> Array:
    """Return a finite number or a one-dimensional array of them."""
    array = real_array(name, value)
    if array.ndim > 1:
        raise ArgumentError(f"{name}: wanted a number or a one-dimensional array, got shape {array.shape}")
    return numbers(name, array, array.shape)
