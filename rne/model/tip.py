"""The default frame of a payload."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from rne.errors import ArgumentError
from rne.model.tree import Tree


def tip_of(tree: Tree, payloads: Collection[str]) -> str:
    """Return the one link at the end of the robot that something can be hung on.

    That is the only link without children. If there are several, it is the only one that moves, because a load on a
    link that is fixed to the base does not act on any joint; if several move, the only one with mass.

    Parameters
    ----------
    tree : a valid tree.
    payloads : bodies to ignore.

    Raises
    ------
    ArgumentError
        There are several candidates.
    """
    carrier = {joint.child: joint for joint in tree.joints}
    parents = {joint.parent for joint in tree.joints if joint.child not in payloads}
    tips = [body for body in tree.bodies if body.name not in parents and body.name not in payloads]
    left = tips
    if len(left) > 1:
        moving: set[str] = set()
        for body in left:
            name = body.name
            while name in carrier and not carrier[name].movable:
                name = carrier[name].parent
            if name in carrier:
                moving.add(body.name)
        left = [body for body in left if body.name in moving] or left
    if len(left) > 1:
        left = [body for body in left if body.mass or np.any(body.inertia)] or left
    if len(left) != 1:
        names = ", ".join(body.name for body in left)
        raise ArgumentError(f"frame: the robot has {len(left)} tips, name one of {names}")
    return left[0].name
