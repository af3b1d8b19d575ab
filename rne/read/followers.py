"""Mimic joints that follow nothing that is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rne.model.findings import Findings
from rne.model.tree import Joint


def free_followers(joints: Sequence[Joint], findings: Findings) -> list[Joint]:
    """Return the joints, those that mimic no joint of the file, or themselves, as independent ones; report them."""
    names = {joint.name for joint in joints}
    freed = []
    for joint in joints:
        leader = joint.mimic.leader if joint.mimic else ""
        spot = findings.at(f"joint {joint.name!r}", joint.line)
        if leader and leader not in names:
            hint = findings.hint(leader, names)
            spot.doubt(f"mimics {leader!r}, which is not a joint{hint}; it is taken as an independent joint")
        elif leader and leader == joint.name:
            spot.doubt("mimics itself; one joint must lead, so it is taken as an independent joint")
        else:
            freed.append(joint)
            continue
        freed.append(replace(joint, mimic=None))
    return freed
