"""Findings about joints: limits, mimic joints, and heavy loads on light links."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rne.doctor.bodies import size
from rne.doctor.report import Finding
from rne.model.robot import Robot
from rne.model.tree import Joint

DEGREES, ENDLESS = 20.0, 1e4  # rad; revolute limits in between are likely in degrees, larger ones mean unlimited
FAST = 60.0  # rad/s; a higher velocity limit is likely in degrees per second or revolutions per minute
RATIO = 1000.0  # of the masses of neighboring links; at this ratio the mass matrix loses at least three digits
# Of the mass of a link and those of all its neighbors. The trunk of a human weighs 77 times its collar bones, a cross
# in an ankle a 25th of shank and foot; grams in place of kilograms are a factor of a thousand.
HEAVIEST, LIGHTEST = 200.0, 1 / 500
LONG = 10.0  # m; a longer slide is suspected of millimeters
LONG_ENOUGH, TIMES_THE_REST = 2.0, 20.0  # m, and times the reach of the robot without its slides: this one is, too


def examine(robot: Robot) -> Iterator[Finding]:
    """Yield the findings about joints."""
    rest = size(robot, slides=False)
    for joint in robot.tree.joints:
        if joint.movable:
            yield from _limits(joint, rest)
            if joint.mimic is not None:
                yield from _mimic(joint, robot)
    yield from _neighbors(robot)


def _limits(joint: Joint, rest: float) -> Iterator[Finding]:
    limits, where = joint.limits, f"joint {joint.name!r}"
    turns = joint.kind == "revolute"
    bounds = [bound for bound in (limits.lower, limits.upper) if math.isfinite(bound)]
    if not turns and len(bounds) < 2:
        yield Finding("info", "limit-missing", where, "prismatic without position limits", line=joint.line)
    if math.inf in (limits.effort, limits.velocity):
        names = " and ".join(name for name in ("effort", "velocity") if getattr(limits, name) == math.inf)
        yield Finding("info", "limit-missing", where, f"no {names} limit", line=joint.line)
    for name in ("effort", "velocity"):
        if getattr(limits, name) == 0:
            what, fix = f"the {name} limit is zero, so the joint cannot be used", "give the limit, or leave it out"
            yield Finding("warning", "limit-zero", where, what, fix, joint.line)
    if len(bounds) == 2 and limits.lower == limits.upper:
        what, fix = f"both position limits are {limits.lower:g}", "make the joint fixed, or widen the limits"
        yield Finding("warning", "limit-equal", where, what, fix, joint.line)
    elif bounds and not limits.lower <= 0 <= limits.upper:
        what = f"zero lies outside its limits, {limits.lower:g} to {limits.upper:g}"
        yield Finding("info", "zero-outside-limits", where, what, line=joint.line)
    if turns and DEGREES < max(map(abs, bounds), default=0.0) < ENDLESS:
        what = f"the position limits are {limits.lower:g} and {limits.upper:g} rad"
        fix = "angles are in radians; 180 degrees are 3.14159"
        yield Finding("warning", "unit-angle", where, what, fix, joint.line)
    farthest = max(map(abs, bounds), default=0.0)
    times = farthest > LONG_ENOUGH and 0 < TIMES_THE_REST * rest < farthest
    if not turns and (farthest > LONG or times) and farthest < ENDLESS:
        what = f"the position limits are {limits.lower:g} and {limits.upper:g} m"
        fix = "lengths are in meters; divide millimeters by 1000"
        yield Finding("warning", "unit-length", where, what, fix, joint.line)
    if turns and FAST < limits.velocity < math.inf:
        what = f"the velocity limit is {limits.velocity:g} rad/s, {limits.velocity / math.tau * 60:.0f} rpm"
        yield Finding("info", "unit-velocity", where, what, "if it is in degrees/s, divide by 57.3", joint.line)


def _mimic(joint: Joint, robot: Robot) -> Iterator[Finding]:
    assert joint.mimic is not None
    where, leader = f"joint {joint.name!r}", robot.joint(joint.mimic.leader)
    if joint.mimic.ratio == 0:
        fix = "make the joint fixed, or give the multiplier"
        yield Finding("warning", "mimic-still", where, "mimics with multiplier 0, so it never moves", fix, joint.line)
    if leader.mimic is not None:
        what = f"mimics {leader.name!r}, which mimics {leader.mimic.leader!r}; many programs read no such chains"
        fix = f"mimic {leader.mimic.leader!r} itself, with the product of the multipliers"
        yield Finding("info", "mimic-chain", where, what, fix, joint.line)
    ends = [joint.mimic.ratio * x + joint.mimic.offset for x in (leader.limits.lower, leader.limits.upper)]
    if joint.mimic.ratio and not (joint.limits.lower - 1e-6 <= min(ends) and max(ends) <= joint.limits.upper + 1e-6):
        what = f"follows {leader.name!r} from {min(ends):.4g} to {max(ends):.4g}, beyond its own limits"
        fix = "narrow the limits of the leading joint, or widen these"
        yield Finding("info", "mimic-limits", where, what, fix, joint.line)


def _neighbors(robot: Robot) -> Iterator[Finding]:
    """Compare the masses of links that a joint connects; what is bolted together counts as one, the base not at all."""
    masses, parents, names = robot.links.masses, robot.links.parents, robot.links.joints
    told: set[int] = set()
    around: dict[int, list[int]] = {}
    for k, parent in enumerate(parents, 1):
        joint, mass, above = robot.joint(names[k - 1]), masses[k], masses[parent]
        if not parent or not above > 0:
            continue
        if mass > 0:
            around.setdefault(k, []).append(parent)
            around.setdefault(parent, []).append(k)
        if mass > RATIO * above:
            what = f"carries {mass:.3g} kg on a link of {above:.3g} kg, {mass / above:.0f} times as much"
            fix = "such a ratio makes the mass matrix ill-conditioned; check both masses"
            told |= {k, parent}
            yield Finding("warning", "mass-ratio", f"joint {joint.name!r}", what, fix, joint.line)
    light = {k for k, others in around.items() if len(others) > 1 and masses[k] < LIGHTEST * min(masses[others])} - told
    told |= light
    for k, others in around.items():
        beside = [other for other in others if other not in told]
        # A light link at the end of a heavy one does no harm, a heavy one at the end of a light one does.
        heavy = k not in told and beside and (len(beside) > 1 or parents[k - 1] in beside)
        if k in light or (heavy and masses[k] > HEAVIEST * max(masses[beside])):
            joint, weights = robot.joint(names[k - 1]), masses[others]
            what = f"moves {masses[k]:.3g} kg itself, the links beside {min(weights):.3g} to {max(weights):.3g} kg"
            fix = "check the masses; grams are divided by 1000"
            yield Finding("warning", "mass-neighbors", f"joint {joint.name!r}", what, fix, joint.line)
