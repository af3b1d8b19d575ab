"""Why a simulation fails: the joint, the cause, and a step that would do."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import Floats
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
# How much finer steps are tried.
_FINER = (4, 16, 64, 256)


def cause(robot: Robot, q: Array, qd: Array, step: float, damping: Array | None = None) -> str:
    """Return what limits the step at a state, with the name of the joint.

    Parameters
    ----------
    robot : the robot.
    q, qd : (n,) finite.
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
            return f"the damping of joint '{robot.joint_names[j]}' is stiff: {stiff}"
    j = int(np.argmax(np.abs(qd)))
    if abs(qd[j]) * step > _FAST:
        unit = "m/s" if robot.joint(robot.joint_names[j]).kind == "prismatic" else "rad/s"
        return f"the motion is too fast: joint '{robot.joint_names[j]}' moves at {abs(qd[j]):.3g} {unit}"
    return f"torques change too fast; the fastest joint is '{robot.joint_names[j]}'"


def nearly_singular(robot: Robot, q: Array) -> SingularError:
    """Return the error of a mass matrix that is singular after rounding, with the joint; q (n,)."""
    return SingularError(f"the mass matrix is nearly singular: {_lightest(robot, q)[2]}")


def _lightest(robot: Robot, q: Array) -> tuple[Array, float, str]:
    """Return the inverse mass matrix, the least part of its inertia that a joint keeps, and what to say of it."""
    M = mass_matrix(robot, q)
    with np.errstate(all="ignore"):
        try:
            inverse = np.linalg.inv(M)
        except np.linalg.LinAlgError:
            inverse = np.full_like(M, np.inf)
        left = 1 / (np.diagonal(inverse) * np.diagonal(M))
    left = np.where(np.isfinite(left), left, 0.0)
    j = int(np.argmin(left))
    return (
        inverse,
        float(left[j]),
        (
            f"joint '{robot.joint_names[j]}' moves almost no mass: with the other joints free, its inertia is "
            f"{max(left[j], 0.0) * M[j, j]:.3g} of {M[j, j]:.3g}; a rotor inertia slows it down"
        ),
    )


def with_some_inertia(robot: Robot, table: Floats, error: SingularError) -> Floats:
    """Return a table in which every damped joint has an inertia, and warn of it: for joints that move no mass."""
    what = str(error).partition(", alone or together")[0]
    warnings.warn(f"{what}; all joints were given {LAG:g} s times their damping as inertia", ModelWarning, stacklevel=5)
    return robot.links.with_inertia_of_damping(table, LAG)


def refuse_divergence(
    robot: Robot, times: Array, q: Array, qd: Array, tau: Array, step: float, again: Callable[[int, int], Array]
) -> None:
    """Refuse simulations that start finite and do not stay so, unless the given torques were not finite.

    Parameters
    ----------
    robot, times : as for `simulate`.
    q, qd, tau : (samples, T, n).
    step : largest step, s.
    again : called with a row of the results and how much finer the steps are; returns q of the simulations up to it.

    Raises
    ------
    ArgumentError
        Names time, joint, cause, and a step that was tried and does.
    """
    finite = np.isfinite(np.concatenate([q, qd], axis=-1)).all(axis=-1)
    for sample in np.flatnonzero(finite[:, 0] & ~finite[:, -1]).tolist():
        k = int(finite[sample].argmin())
        if not np.isfinite(tau[sample, :k]).all():
            continue
        span = float(times[k] - times[k - 1])
        used = min(step, span)
        why = cause(robot, q[sample, k - 1], qd[sample, k - 1], used)
        advice = f"no step down to {used / _FINER[-1]:.3g} s does; try method='adaptive'"
        for finer in _FINER:
            try:
                held = np.isfinite(again(k, finer)[sample, k]).all()
            except ArgumentError:
                held = False
            if held:
                advice = f"with step={used / finer:.3g} it stays finite until then"
                break
        raise ArgumentError(
            f"step: simulation {sample} is no longer finite at t = {times[k]:g} s with steps of {used:g} s: "
            f"{why}; {advice}"
        )
