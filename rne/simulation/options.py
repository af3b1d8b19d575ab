"""Arguments of `simulate` that choose how it integrates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.check import numbers
from rne.errors import ArgumentError
from rne.model.floating import of_joints
from rne.model.robot import Robot

Array = NDArray[np.float64]


def checked_step(step: Any) -> float | None:
    """Check a step, s; None for the default one."""
    if step is None:
        return None
    if not isinstance(step, int | float | np.number) or isinstance(step, bool) or not step > 0:
        raise ArgumentError(f"step: wanted a positive time in s, got {step!r}")
    return float(step)


def checked_stops(robot: Robot, stops: Any) -> dict[str, Array] | None:
    """Check joint stops, and return them as arrays (joints,)."""
    if stops is None:
        return None
    rigid, soft = {"restitution"}, {"stiffness", "damping"}
    if not isinstance(stops, Mapping) or set(stops) not in (rigid, soft, {"stiffness"}):
        got = sorted(map(str, stops)) if isinstance(stops, Mapping) else type(stops).__name__
        raise ArgumentError(f"stops: wanted {{'restitution': e}} or {{'stiffness': k, 'damping': d}}, got {got}")
    found, joints = {}, len(robot.joint_names)
    for name, value in stops.items():
        shape = () if np.isscalar(value) else (joints,)
        array = np.broadcast_to(numbers(f"stops[{name!r}]", value, shape), (joints,)).astype(np.float64)
        low, high = (np.nextafter(0.0, 1.0) if name == "stiffness" else 0.0), (1.0 if name == "restitution" else np.inf)
        if not ((array >= low) & (array <= high)).all():
            wanted = {"restitution": "from 0 to 1", "stiffness": "above 0", "damping": "of 0 or more"}[name]
            raise ArgumentError(f"stops[{name!r}]: wanted numbers {wanted}, got {value!r}")
        found[name] = array
    if "restitution" in found:
        bounds = (of_joints(robot, x) for x in (robot.lower_limit, robot.upper_limit))
        for name, low, high in zip(robot.joint_names, *bounds, strict=True):
            if low == high:  # one impulse cannot act on both sides
                raise ArgumentError(
                    f"stops: both limits of joint {name!r} are {low:g}, and rigid stops leave it no room; wanted a "
                    f"locked joint, robot.with_locked({{{name!r}: {float(low)!r}}}), or soft stops"
                )
    return found


def checked_tolerances(method: str, rtol: Any, atol: Any, max_steps: Any) -> tuple[float, float]:
    """Check tolerances, which only the adaptive method has; return them, or the default ones."""
    found = []
    for name, value, default in (("rtol", rtol, 1e-10), ("atol", atol, 1e-12)):
        if value is None:
            found.append(default)
            continue
        if method != "adaptive":
            raise ArgumentError(f"{name}: only method='adaptive' has tolerances, got method={method!r}")
        number = float(numbers(name, value, ()))
        if not 1e-14 <= number < 1:
            raise ArgumentError(f"{name}: wanted a number from 1e-14 to 1, got {value!r}")
        found.append(number)
    if not isinstance(max_steps, int | np.integer) or isinstance(max_steps, bool) or max_steps < 1:
        raise ArgumentError(f"max_steps: wanted a positive whole number, got {max_steps!r}")
    return found[0], found[1]
