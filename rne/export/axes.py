"""Joint axes of a tree in space at q = 0, and the frames that the conventions of Denavit and Hartenberg put on them.

In both, x of a frame is the common normal of two axes that follow each other. Where several follow one, it leads to the
first of them; rows to the others have two parameters more, in the modified convention.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rne.check import rotation_matrix
from rne.export.document import refuse

if TYPE_CHECKING:
    from rne.model.tree import Joint, Tree

Array = NDArray[np.float64]

PARALLEL = 1e-8
"""Sine of the angle below which axes are parallel. Taken for skew, axes that are nearly so have their common normal at
a distance that costs as many digits as the angle would, if it were left out."""
SAME = 1e-9
"""How far axes may miss each other, or a common normal, as a part of the size of the robot."""

LAST_DIGITS = 3e-15
"""The same, where a frame of the robot itself is to be kept: no more than rounding, so that no torque changes."""


@dataclass(frozen=True)
class Frame:
    """A frame in space: its axes as columns, and its origin."""

    rotation: Array
    origin: Array

    @property
    def is_root(self) -> bool:
        """Whether it is that of the root body, to the last bit."""
        return bool((self.rotation == np.eye(3)).all() and not self.origin.any())

    def is_near(self, other: Frame, by: float) -> bool:
        """Whether another one lies in the same place."""
        apart = np.abs(self.rotation - other.rotation).max(), np.abs(self.origin - other.origin).max()
        return bool(max(apart) <= by)


@dataclass(frozen=True)
class Axis:
    """A joint with its axis in space.

    Attributes
    ----------
    joint : what it is the axis of.
    parent : name of the movable joint before it, None for none.
    point, direction : of the axis.
    carried : placement of every body that moves with the joint alone, by name.
    """

    joint: Joint
    parent: str | None
    point: Array
    direction: Array
    carried: dict[str, Frame]


def axes_of(tree: Tree) -> list[Axis]:
    """Return the axes of all joints that move, parents first."""
    behind: dict[str, list[Joint]] = {}
    for joint in tree.joints:
        behind.setdefault(joint.parent, []).append(joint)
    children = {joint.child for joint in tree.joints}
    root = next(body.name for body in tree.bodies if body.name not in children)
    found: list[Axis] = []
    waiting: list[tuple[str, Frame, Axis | None]] = [(root, Frame(np.eye(3), np.zeros(3)), None)]
    while waiting:
        name, frame, carrier = waiting.pop()
        if carrier is not None:
            carrier.carried[name] = frame
        for joint in reversed(behind.get(name, [])):
            turn = rotation_matrix("rotation", np.array(joint.origin.rotation))
            child = Frame(frame.rotation @ turn, frame.origin + frame.rotation @ np.array(joint.origin.position))
            moves = carrier
            if joint.movable:
                before = None if carrier is None else carrier.joint.name
                moves = Axis(joint, before, child.origin, child.rotation @ np.array(joint.axis), {})
                found.append(moves)
            waiting.append((joint.child, child, moves))
    return found


def modified_frames(axes: Sequence[Axis]) -> tuple[Frame, list[Frame], list[Frame]]:
    """Return the base frame, and for each joint the frame on its axis whose x leads to the first joint behind it.

    A row to another joint starts from a frame on the same axis, whose x leads to that one, as in Khalil and Kleinfinger
    (1986).

    Returns
    -------
    base, frames, starts : the last for each joint, the frame of the link before where its own x leads to the joint.
    """
    behind, size = _behind(axes), _size(axes)
    base = Frame(np.eye(3), np.zeros(3))
    first = behind.get(None, [])
    if not all(_reached(base, axis, size) for axis in first):
        base = _frame_towards(base, first[0].point, first[0].direction, first[1] if len(first) > 1 else None, size)
    frames: dict[str | None, Frame] = {None: base}
    starts: list[Frame] = []
    for axis in axes:
        before = frames[axis.parent]
        if not _reached(before, axis, size) and behind[axis.parent][0] is not axis:
            before = _frame_towards(before, before.origin, before.rotation[:, 2], axis, size)
        starts.append(before)
        start = _foot(axis, before)
        if axis.joint.name not in behind:
            free = Frame(_frame(before.rotation[:, 0], axis.direction, start).rotation, start)
            frames[axis.joint.name] = _last(axis, free, partial(_lies_on, axis=axis, size=size))
            continue
        held = Frame(before.rotation, start)
        frames[axis.joint.name] = _frame_towards(held, axis.point, axis.direction, behind[axis.joint.name][0], size)
    return base, [frames[axis.joint.name] for axis in axes], starts


def standard_frames(tree: Tree, axes: Sequence[Axis]) -> tuple[Frame, list[Frame], list[Frame]]:
    """Return the base frame, and for each joint the frame at the far end of its link, on the axis behind it.

    Returns
    -------
    base, frames, starts : the last for each joint, the frame of the link before.

    Raises
    ------
    ModelError
        Joints behind the same one do not share one axis.
    """
    behind, size = _behind(axes), _size(axes)
    base = Frame(np.eye(3), np.zeros(3))
    for parent, joints in behind.items():
        for axis in joints[1:]:
            if not _same_axis(joints[0], axis, size):
                carrier = "the base" if parent is None else f"joint {parent!r}"
                what = (
                    f"it and joint {joints[0].joint.name!r}, both behind {carrier}, do not turn about one axis, as "
                    "rows in the standard convention do; write the modified convention, URDF or MJCF"
                )
                raise refuse(tree, f"joint {axis.joint.name!r}", what)
    first = behind.get(None, [])
    if first and not _lies_on(base, first[0], size):
        base = _frame_towards(base, first[0].point, first[0].direction, None, size)
    frames: dict[str | None, Frame] = {None: base}
    for axis in axes:
        before = frames[axis.parent]
        after = behind.get(axis.joint.name, [])
        if not after:
            frames[axis.joint.name] = _last(axis, before, partial(_reached, axis=axis, size=size))
            continue
        on_axis = _frame_towards(before, axis.point, axis.direction, after[0], size)
        frames[axis.joint.name] = _frame(on_axis.rotation[:, 0], after[0].direction, _foot(after[0], on_axis))
    return base, [frames[axis.joint.name] for axis in axes], [frames[axis.parent] for axis in axes]


# ----------------------------------------------------------------------------------------------------- lines in space


def _behind(axes: Iterable[Axis]) -> dict[str | None, list[Axis]]:
    behind: dict[str | None, list[Axis]] = {}
    for axis in axes:
        behind.setdefault(axis.parent, []).append(axis)
    return behind


def _size(axes: Sequence[Axis]) -> float:
    return max([1.0, *(float(np.abs(axis.point).max()) for axis in axes)])


def _frame(x: Array, z: Array, origin: Array) -> Frame:
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return Frame(np.column_stack([x, np.cross(z, x), z]), origin)


def _frame_towards(held: Frame, point: Array, z: Array, after: Axis | None, size: float) -> Frame:
    """Return the frame on an axis whose x is the common normal with another one.

    What that leaves free is as in the frame `held`: the direction of x, and the height at which its origin is nearest.
    """
    x, height = (None, None) if after is None else _common_normal(point, z, after, size)
    if x is None:
        x = held.rotation[:, 0]
        if np.linalg.norm(np.cross(x, z)) < 0.1:
            x = held.rotation[:, 1]
    if height is None:
        height = float(z @ (held.origin - point))
    return _frame(x, z, point + height * z)


def _last(axis: Axis, free: Frame, fits: Callable[[Frame], bool]) -> Frame:
    """Return the frame of the last link that is moved and that a row can reach, so that it keeps its place."""
    return next((own for own in reversed(axis.carried.values()) if fits(own)), free)


def _common_normal(point: Array, z: Array, axis: Axis, size: float) -> tuple[Array | None, float | None]:
    """Return the direction of the common normal, and where it leaves the axis; None for what is free."""
    apart = axis.point - point
    cross = np.cross(z, axis.direction)
    sine = float(np.linalg.norm(cross))
    if sine > PARALLEL:
        normal = cross / sine
        if apart @ normal < -SAME * size:
            normal = -normal
        height = float(np.cross(apart, axis.direction) @ cross) / sine**2
        return normal, height
    across = apart - (apart @ z) * z
    distance = float(np.linalg.norm(across))
    if distance > SAME * size:
        return across / distance, None
    return None, None


def _foot(axis: Axis, frame: Frame) -> Array:
    """Return the point of an axis nearest to the line along x of a frame, or to its origin if that is all the line."""
    x, apart = frame.rotation[:, 0], frame.origin - axis.point
    along = axis.direction
    return np.asarray(axis.point + float(along @ apart) * along) if abs(x @ along) < 0.5 else axis.point


def _reached(frame: Frame, axis: Axis, size: float) -> bool:
    """Whether an axis crosses the line along x of a frame at a right angle, to the last digits."""
    x, z = frame.rotation[:, 0], axis.direction
    apart = axis.point - frame.origin
    off_line = np.cross(x, z) @ apart
    return bool(abs(x @ z) < LAST_DIGITS and abs(off_line) < LAST_DIGITS * size)


def _lies_on(frame: Frame, axis: Axis, size: float) -> bool:
    """Whether an axis is the line along z of a frame, to the last digits."""
    apart = axis.point - frame.origin
    off_line = np.abs(np.cross(frame.rotation[:, 2], apart)).max()
    return bool(np.abs(frame.rotation[:, 2] - axis.direction).max() < LAST_DIGITS and off_line < LAST_DIGITS * size)


def _same_axis(one: Axis, other: Axis, size: float) -> bool:
    apart = other.point - one.point
    off_line = np.linalg.norm(np.cross(one.direction, apart))
    return bool(np.linalg.norm(one.direction - other.direction) < SAME and off_line < SAME * size)
