"""Mimic joints: chains of followers resolved to the coordinate that they follow in the end."""

from __future__ import annotations

from collections.abc import Iterable

from rne.model.tree import Joint, Mimic


def resolved_mimics(joints: Iterable[Joint]) -> dict[str, Mimic]:
    """Return what every movable joint follows in the end, chains of mimics resolved: itself, where it mimics none.

    The joints are those of a sound tree: leaders are movable, and no chain is a ring.

    Examples
    --------
    >>> hand = [Joint("a", "revolute", "palm", "1"), Joint("b", "revolute", "1", "2", mimic=Mimic("a", 2.0, 0.1))]
    >>> resolved_mimics([*hand, Joint("c", "revolute", "2", "3", mimic=Mimic("b", -3.0))])["c"]
    Mimic(leader='a', ratio=-6.0, offset=-0.30000000000000004)
    """
    mimics = {joint.name: joint.mimic for joint in joints if joint.movable}
    found: dict[str, Mimic] = {}
    for start in mimics:
        name, chain = start, []
        while name not in found and (mimic := mimics[name]) is not None:
            chain.append(name)
            name = mimic.leader
        end = found.setdefault(name, Mimic(name))
        for follower in reversed(chain):
            mimic = mimics[follower]
            assert mimic is not None
            end = Mimic(end.leader, mimic.ratio * end.ratio, mimic.ratio * end.offset + mimic.offset)
            found[follower] = end
    return found
