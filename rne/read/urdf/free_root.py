"""A floating joint at the root: the base floats, and the link above it, which stands for the world, is left out."""

from __future__ import annotations

from rne.model.findings import Findings, Spot
from rne.model.tree import Body, Joint, Pose

FLOATING = "floating"


def release_base(bodies: list[Body], joints: list[Joint], findings: Findings) -> tuple[list[Body], list[Joint], bool]:
    """Take a floating joint at the root out of a tree; return what is left, and whether the base floats.

    The link above it must carry nothing else, and weigh nothing. Other floating joints are errors: they would make
    several robots of one.
    """
    floating = [joint for joint in joints if joint.kind == FLOATING]
    if not floating:
        return bodies, joints, False
    first = floating[0]
    above = {joint.child: joint for joint in joints}
    world = next((body for body in bodies if body.name == first.parent), None)
    others = [joint.name for joint in joints if joint.parent == first.parent and joint is not first]
    for joint in floating[1:]:
        _spot(joint, findings).error("a second floating joint; a robot has one base that floats")
    if world is None or len(floating) > 1:
        return bodies, joints, False
    if first.parent in above:
        why = f"its parent {first.parent!r} is moved by joint {above[first.parent].name!r}"
    elif others:
        why = f"its parent {first.parent!r} carries joint {others[0]!r}, too"
    elif world.mass or any(map(any, world.inertia)):
        why = f"its parent {first.parent!r} has a mass"
    else:
        if first.origin != Pose():
            _spot(first, findings).note("the origin of a floating joint is not read; q holds the pose of the base")
        left = [body for body in bodies if body is not world], [joint for joint in joints if joint is not first]
        return *left, True
    _spot(first, findings).error(
        f"a floating joint is supported where it carries the whole robot, but {why}; make it fixed, or take it out"
    )
    return bodies, joints, False


def _spot(joint: Joint, findings: Findings) -> Spot:
    return findings.at(f"joint {joint.name!r}", joint.line)
