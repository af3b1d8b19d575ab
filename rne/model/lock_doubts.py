"""Positions of locked joints that are likely not meant: beyond the limits, or in degrees or millimeters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from rne.model.tree import Joint, Tree

FAR_TURN, FAR_SLIDE = 2 * math.tau, 10.0
"""Position (rad, m) of a joint without limits beyond which it is likely meant in degrees or millimeters."""
ROUNDING = 1e-6
"""By how much (rad, m) a position may lie beyond a limit that was written with fewer digits."""


def lock_doubts(tree: Tree, values: Mapping[str, float], argument: str) -> Iterator[str]:
    """Yield what is doubtful about positions at which joints of a tree are to be locked.

    Parameters
    ----------
    tree : with the joints still movable.
    values : sound positions by name.
    argument : what the caller calls them.
    """
    joints = {joint.name: joint for joint in tree.joints}
    for name, value in values.items():
        what = _doubt(joints[name], float(value))
        if what:
            yield f"{argument}[{name!r}] = {value:g} {what}"


def _doubt(joint: Joint, value: float) -> str:
    turns = joint.kind == "revolute"
    unit, far, scale, other = ("rad", FAR_TURN, 180 / math.pi, "degrees") if turns else ("m", FAR_SLIDE, 1e3, "mm")
    lower, upper = sorted((joint.limits.lower, joint.limits.upper))
    meant = f"if {other} are meant, it is {value / scale:.6g} {unit}"
    if not lower - ROUNDING <= value <= upper + ROUNDING:
        fits = lower - ROUNDING <= value / scale <= upper + ROUNDING
        return f"lies outside the limits of the joint, {lower:g} to {upper:g} {unit}" + (f"; {meant}" if fits else "")
    if abs(value) > far and max(abs(lower), abs(upper)) == math.inf:
        return f"{unit} is far for a joint; {meant}"
    return ""
