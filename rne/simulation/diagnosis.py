"""Why a simulation fails: the joint, the cause, and a step that would do."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import Floats
from rne.dynamics.configuration import integrate
from rne.dynamics.forward_dynamics import forward_dynamics
from rne.dynamics.mass_matrix import mass_matrix
from rne.errors import ArgumentError, ModelWarning, SingularError
from rne.model.robot import Robot

Array = NDArray[np.float64]

# Where joints move no mass, but are damped, they get an inertia of this many seconds times their damping: they follow
# their torques within that time, which no motion shows.
LAG = 1e-6

# With the other joints free, a joint that keeps less than this part of its inertia moves almost no mass.
_LIGHT = 1e-4
# Radians per step beyond which a motion is too fast for it.
_FAST = 0.1
# Steps that are looked at for a mass that vanishes.
_LOOKED_AT = 2000
# How much finer steps are tried.
_FINER = (4, 16, 64, 256)


def cause(robot: Robot, q: Array, qd: Array, step: float, damping: Array | None = None) -> str:
    """Return what limits the step at a state, with the name of the joint.

    Parameters
    ----------
    robot : the robot.
    q, qd : (nq,) and (n,) finite.
    step : of the integration, s.
    damping : (n, n) if it limits the step, too.
    """
    inverse, part, light = _lightest(robot, q)
    if not part > _LIGHT:
        return light
    if damping is not None and np.isfinite(inverse).all():
        rates, modes = np.linalg.eig(inverse @ damping)
        k = int(np.argmax(np.abs(rates)))
        if abs(rates[k]) * step > 1.0:
            j = int(np.argmax(np.abs(modes[:, k])))
            stiff = f"its velocity decays at {abs(rates[k]):.3g} 1/s"
            return f"the damping of {_called(robot, j)} is stiff: {stiff}"
    j = int(np.argmax(np.abs(qd)))
    if abs(qd[j]) * step > _FAST:
        return f"the motion is too fast: {_called(robot, j)} moves at {abs(qd[j]):.3g} {_unit_of_speed(robot, j)}"
    return f"torques change too fast; the fastest is {_called(robot, j)}"


def _called(robot: Robot, j: int) -> str:
    """What an error calls a coordinate: a joint, or a direction of a base that floats."""
    name = robot.coordinate_names[j]
    return f"joint '{name}'" if name in robot.joint_names else f"the base ({name})"


def _unit_of_speed(robot: Robot, j: int) -> str:
    name = robot.coordinate_names[j]
    slides = robot.joint(name).kind == "prismatic" if name in robot.joint_names else j < 3
    return "m/s" if slides else "rad/s"


def nearly_singular(robot: Robot, q: Array) -> SingularError:
    """Return the error of a mass matrix that is singular after rounding, with the joint; q (nq,)."""
    return SingularError(f"the mass matrix is nearly singular: {_lightest(robot, q)[2]}")


def _lightest(robot: Robot, q: Array) -> tuple[Array, float, str]:
    """Return the inverse mass matrix, the least part of its inertia that a joint keeps, and what to say of it.

    q : (nq,), or (K, nq), of which the state counts where a joint keeps least.
    """
    Ms = mass_matrix(robot, q.reshape(-1, q.shape[-1]))
    inverses = np.full_like(Ms, np.inf)
    with np.errstate(all="ignore"):
        try:
            inverses = np.linalg.inv(Ms)
        except np.linalg.LinAlgError:
            for k, one in enumerate(Ms):
                with contextlib.suppress(np.linalg.LinAlgError):
                    inverses[k] = np.linalg.inv(one)
        diagonals = np.diagonal(Ms, axis1=1, axis2=2)
        left = 1 / (np.diagonal(inverses, axis1=1, axis2=2) * diagonals)
    left = np.where(np.isfinite(left), left, 0.0)
    k, j = divmod(int(np.argmin(left)), left.shape[1])
    return (
        inverses[k],
        float(left[k, j]),
        (
            f"{_called(robot, j)} moves almost no mass: with the other joints free, its inertia is "
            f"{max(left[k, j], 0.0) * Ms[k, j, j]:.3g} of {Ms[k, j, j]:.3g}; a rotor inertia slows it down"
        ),
    )


def with_some_inertia(robot: Robot, table: Floats, error: SingularError) -> Floats:
    """Return a table in which every damped joint has an inertia, and warn of it: for joints that move no mass."""
    what = str(error).partition(", alone or together")[0]
    warnings.warn(f"{what}; all joints were given {LAG:g} s times their damping as inertia", ModelWarning, stacklevel=5)
    return robot.links.with_inertia_of_damping(table, LAG)


def refuse_divergence(
    robot: Robot,
    times: Array,
    q: Array,
    qd: Array,
    tau: Array,
    step: float,
    again: Callable[[int, int], Array] | None,
    closely: Callable[[int, int], Array],
    deliberate: Callable[[int, int], bool],
) -> None:
    """Refuse simulations that start finite and do not stay so, unless the given torques were not finite.

    Parameters
    ----------
    robot, times : as for `simulate`.
    q, qd, tau : (samples, T, nq), and (samples, T, n) the others.
    step : largest step, s.
    again : called with a row of the results and how much finer the steps are; returns q of the simulations up to it.
        None if the controller cannot be asked again.
    closely : called with a simulation and a row; returns positions (K, nq) at the steps before that row.
    deliberate : whether the controller of a simulation returned NaN before a row.

    Raises
    ------
    ArgumentError
        Names time, joint, cause, and a step that was tried and does.
    """
    finite = np.isfinite(np.concatenate([q, qd], axis=-1)).all(axis=-1)
    for sample in np.flatnonzero(finite[:, 0] & ~finite[:, -1]).tolist():
        k = int(finite[sample].argmin())
        if not np.isfinite(tau[sample, :k]).all() or deliberate(sample, k):
            continue
        span = float(times[k] - times[k - 1])
        used = min(step, span)
        way = closely(sample, k)
        way = way[np.isfinite(way).all(axis=-1)]
        _, part, light = _lightest(robot, np.concatenate([q[sample, k - 1 : k], way]))
        why = light if part <= _LIGHT else cause(robot, q[sample, k - 1], qd[sample, k - 1], used)
        raise ArgumentError(
            f"step: simulation {sample} is no longer finite at t = {times[k]:g} s with steps of {used:g} s: "
            f"{why}; {_advice(again, sample, k, used)}"
        )


def _advice(again: Callable[[int, int], Array] | None, sample: int, k: int, step: float) -> str:
    """Return the way out of a simulation that is no longer finite in row k: finer steps, if some do."""
    if again is None:
        return "wanted a smaller step, or lower gains of the controller"
    for finer in _FINER:
        with contextlib.suppress(ArgumentError):
            if np.isfinite(again(k, finer)[sample, k]).all():
                return f"with step={step / finer:.3g} it stays finite until then"
    return f"no step down to {step / _FINER[-1]:.3g} s does; try method='adaptive'"


def steps_between(robot: Robot, times: Array, q: Array, qd: Array, tau: Array, step: float) -> Array:
    """Positions (K, nq) at the steps between two times (2,), and on the way, under the torques at the first.

    They show what the motion runs into: the joints go on from there, by the explicit method of first order.
    """
    count = min(math.ceil((times[1] - times[0]) / step), _LOOKED_AT)
    h, way = step, []
    for _ in range(count):
        try:
            qd = qd + h * forward_dynamics(robot, q, qd, tau)
        except SingularError:
            break
        if not np.abs(qd * h).max(initial=0.0) < 1.0:
            break
        way.append(integrate(robot, np.tile(q, (10, 1)), np.linspace(0.1, 1.0, 10)[:, None] * (h * qd)))
        q = way[-1][-1]
    return np.concatenate(way) if way else np.zeros((0, q.size))
