"""Structural checks: the bodies and joints of a file must form one tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rne.model.findings import Findings
from rne.model.tree import Body, Joint

# A reader uses the name "" for names that it could not read and has already reported; they are not reported again.


def check_structure(bodies: list[Body], joints: list[Joint], findings: Findings) -> None:
    """Report everything that keeps bodies and joints from forming one tree, and mimic joints without a valid leader.

    Parameters
    ----------
    bodies, joints : in the order of the file.
    findings : receives the errors.
    """
    if not bodies:
        findings.at("robot").error("has no links; at least one is required")
    _check_unique("link", bodies, findings)
    _check_unique("joint", joints, findings)
    if _ends_are_known(bodies, joints, findings):
        _check_parents(joints, findings)
        _check_loops(joints, findings)
        _check_root(bodies, joints, findings)
    _check_mimics(joints, findings)


def parents_first(bodies: Sequence[Body], joints: Sequence[Joint]) -> list[Joint]:
    """Return the joints in an order in which each comes after the parent joint; those in a loop are left out.

    The order is depth first, so that most joints come directly after their parent joint.
    """
    outgoing: dict[str, list[Joint]] = {}
    for joint in joints:
        outgoing.setdefault(joint.parent, []).append(joint)
    children = {joint.child for joint in joints}
    waiting = [joint for body in bodies if body.name not in children for joint in outgoing.get(body.name, [])]
    waiting.reverse()
    ordered: list[Joint] = []
    while waiting:
        joint = waiting.pop()
        ordered.append(joint)
        waiting.extend(reversed(outgoing.get(joint.child, [])))
    return ordered


def _check_unique(what: str, things: Iterable[Body | Joint], findings: Findings) -> None:
    first: dict[str, Body | Joint] = {}
    for thing in things:
        before = first.setdefault(thing.name, thing)
        if before is not thing and thing.name:
            place = "" if before.line is None else f" (first on line {before.line})"
            findings.at(f"{what} {thing.name!r}", thing.line).error(f"duplicate name{place}; names must be unique")


def _ends_are_known(bodies: list[Body], joints: list[Joint], findings: Findings) -> bool:
    known = {body.name for body in bodies}
    sound = True
    for joint in joints:
        for role, link in ("parent", joint.parent), ("child", joint.child):
            if link not in known:
                sound = False
                if link:
                    hint = findings.hint(link, known)
                    findings.at(f"joint {joint.name!r}", joint.line).error(f"its {role} {link!r} is not a link{hint}")
    return sound and "" not in known


def _check_parents(joints: list[Joint], findings: Findings) -> None:
    carrier: dict[str, Joint] = {}
    for joint in joints:
        before = carrier.setdefault(joint.child, joint)
        if before is not joint:
            findings.at(f"joint {joint.name!r}", joint.line).error(
                f"its child {joint.child!r} is already the child of joint {before.name!r}; a link has one parent"
                " (closed kinematic chains are not supported yet)"
            )


def _check_loops(joints: list[Joint], findings: Findings) -> None:
    carrier: dict[str, Joint] = {}
    for joint in joints:
        carrier.setdefault(joint.child, joint)
    for loop in _loops({child: joint.parent for child, joint in carrier.items()}):
        start = carrier[loop[0]]
        if len(loop) == 1:
            what = f"parent and child are the same link {start.child!r}"
        else:
            names = [carrier[link].name for link in reversed(loop)]
            shown = " -> ".join(names if len(names) <= 8 else [*names[:7], "..."])
            what = f"the joints form a loop: {shown}; the links must form a tree"
        findings.at(f"joint {start.name!r}", start.line).error(what)


def _loops(follows: dict[str, str]) -> Iterator[list[str]]:
    """Yield every loop of a graph in which each name points to at most one other."""
    walk_of: dict[str, int] = {}  # the walk that first visited a name
    for walk, start in enumerate(follows):
        name = start
        while name in follows and name not in walk_of:
            walk_of[name] = walk
            name = follows[name]
        if walk_of.get(name) == walk:
            loop = [name]
            while follows[loop[-1]] != name:
                loop.append(follows[loop[-1]])
            yield loop


def _check_root(bodies: list[Body], joints: list[Joint], findings: Findings) -> None:
    children = {joint.child for joint in joints}
    roots = list({body.name: body for body in bodies if body.name not in children}.values())
    # If there is no root, there is a loop, which has been reported.
    if len(roots) > 1:
        names = ", ".join(repr(root.name) for root in roots[:5]) + (", ..." if len(roots) > 5 else "")
        findings.at(f"link {roots[1].name!r}", roots[1].line).error(
            f"{len(roots)} links have no parent joint ({names}); connect all but one root by joints"
        )


def _check_mimics(joints: list[Joint], findings: Findings) -> None:
    by_name = {joint.name: joint for joint in joints}
    for joint in joints:
        if joint.mimic is None or not joint.mimic.leader:
            continue
        leader = by_name.get(joint.mimic.leader)
        spot = findings.at(f"joint {joint.name!r}", joint.line)
        if leader is None:
            hint = findings.hint(joint.mimic.leader, by_name)
            spot.error(f"mimics {joint.mimic.leader!r}, which is not a joint{hint}")
        elif not leader.movable:
            spot.error(f"mimics {leader.name!r}, which is fixed; it must mimic a movable joint")
    for loop in _loops({joint.name: joint.mimic.leader for joint in joints if joint.mimic}):
        what = "itself" if len(loop) == 1 else f"{loop[1]!r}, which in turn mimics it"
        findings.at(f"joint {loop[0]!r}", by_name[loop[0]].line).error(f"mimics {what}; one joint must be independent")
