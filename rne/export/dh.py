"""DH tables from a tree, as TOML, in the standard or the modified convention.

One row per joint; all bodies that are rigidly connected are the body of a row. The free choices of the frames are made
such that d and theta become zero.
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rne.bodies.inertia import Inertia
from rne.export.axes import Axis, Frame, axes_of, modified_frames, standard_frames
from rne.export.document import Losses, in_order, number, refuse

if TYPE_CHECKING:
    from rne.model.drive import Drive
    from rne.model.tree import Tree

Array = NDArray[np.float64]

FORMAT = "a DH table"
SUFFIXES = (".toml",)
CONVENTIONS = ("standard", "modified")
PLACE_ROUNDING = 1e-9
"""How far a frame may be off (m, and of its axes) where the rows are taken for exact."""


@dataclass(frozen=True)
class _Row:
    """The numbers of a row; the last two are those of branches."""

    a: float
    alpha: float
    d: float
    theta: float
    gamma: float = 0.0
    b: float = 0.0


def dh_of(tree: Tree, coordinates: Sequence[str], convention: str) -> tuple[str, Losses]:
    """Return a tree as a DH table in TOML, and what that cannot hold.

    Raises
    ------
    ModelError
        Nothing moves, or, in the standard convention, joints behind the same one do not turn about one axis.
    ArgumentError
        A link has first moments without a mass.
    """
    losses = Losses(tree, FORMAT)
    losses.add_states(tree)
    axes = _sorted(axes_of(tree), [joint.name for joint in in_order(tree, coordinates)])
    if not axes:
        raise refuse(tree, "robot", "nothing moves, and a DH table has a row for each joint; write URDF or MJCF")
    leading = [axis.joint.name for axis in axes if axis.joint.mimic is None]
    if leading != list(coordinates):
        losses.add("rows stand behind those that carry them; the coordinates are", ", ".join(leading))
    standard = convention == "standard"
    base, frames, starts = standard_frames(tree, axes) if standard else modified_frames(axes)
    lines = [f"name = {_text(tree.name)}", f'convention = "{convention}"']
    lines.append(f"gravity = {_list(tree.gravity)}")
    if not base.is_root:
        rows = np.vstack([np.column_stack([base.rotation, base.origin]), [0.0, 0.0, 0.0, 1.0]])
        lines.append(f"base = [{', '.join(_list(row) for row in rows.tolist())}]")
    springs, couplings = _settled(tree)
    place = {axis.joint.name: k for k, axis in enumerate(axes, 1)}
    for k, axis in enumerate(axes, 1):
        before = base if axis.parent is None else frames[place[axis.parent] - 1]
        frame = frames[k - 1]
        row = _standard_row(before, frame) if standard else _modified_row(before, starts[k - 1], frame)
        parent = "base" if axis.parent is None else f"link{place[axis.parent]}"
        lines += ["", "[[rows]]", *_row_lines(axis, row, springs[axis.joint.name])]
        if parent != (f"link{k - 1}" if k > 1 else "base"):
            lines.append(f'parent = "{parent}"')
        lines += _body_lines(tree, axis, frames[k - 1])
    for first, second, numbers in couplings:
        lines += ["", "[[couplings]]", f"joints = [{_text(first)}, {_text(second)}]"]
        lines += [f"{key} = {number(value)}" for key, value in numbers.items()]
    _note_frames(tree, axes, frames, losses)
    return "\n".join(lines) + "\n", losses


def _sorted(axes: Iterable[Axis], joints: Sequence[str]) -> list[Axis]:
    """Return the axes parents first, otherwise in the order of the joints."""
    rank = {name: k for k, name in enumerate(joints)}
    behind: dict[str | None, list[Axis]] = {}
    for axis in axes:
        behind.setdefault(axis.parent, []).append(axis)
    waiting = [(rank[axis.joint.name], axis) for axis in behind.get(None, [])]
    heapq.heapify(waiting)
    found = []
    while waiting:
        _, axis = heapq.heappop(waiting)
        found.append(axis)
        for child in behind.get(axis.joint.name, []):
            heapq.heappush(waiting, (rank[child.joint.name], child))
    return found


# ---------------------------------------------------------------------------------------------------- the four numbers


def _standard_row(before: Frame, frame: Frame) -> _Row:
    """Rz(theta) Tz(d) Tx(a) Rx(alpha): the joint axis is z of the frame before."""
    x, z = frame.rotation[:, 0], before.rotation[:, 2]
    apart = frame.origin - before.origin
    theta = _angle(before.rotation[:, 0], x, z)
    return _Row(float(x @ apart), _angle(z, frame.rotation[:, 2], x), float(z @ apart), theta)


def _modified_row(before: Frame, start: Frame, frame: Frame) -> _Row:
    """Rz(gamma) Tz(b) to the start, then Rx(alpha) Tx(a) Rz(theta) Tz(d): the joint axis is z of the frame itself."""
    x, z, up = start.rotation[:, 0], frame.rotation[:, 2], before.rotation[:, 2]
    apart = frame.origin - start.origin
    theta = _angle(x, frame.rotation[:, 0], z)
    row = _Row(float(x @ apart), _angle(up, z, x), float(z @ apart), theta)
    if start is before:
        return row
    return replace(row, gamma=_angle(before.rotation[:, 0], x, up), b=float(up @ (start.origin - before.origin)))


def _angle(start: Array, end: Array, about: Array) -> float:
    return math.atan2(float(about @ np.cross(start, end)), float(start @ end))


# ------------------------------------------------------------------------------------------------------ drives, springs

_Spring = tuple[float, float, float]  # stiffness, stiffness * rest, viscous


def _settled(tree: Tree) -> tuple[dict[str, _Spring], list[tuple[str, str, dict[str, float]]]]:
    """Return springs and dampers of single joints and between two; where one is fixed, it acts on the other alone."""
    movable = {joint.name: joint.drive for joint in tree.joints if joint.movable}
    own = {name: (d.stiffness, d.stiffness * d.rest, d.viscous) for name, d in movable.items()}
    between = []
    for c in tree.couplings:
        if c.first in movable and c.second in movable:
            numbers = {"stiffness": c.stiffness, "viscous": c.viscous, "rest": c.rest, "ratio": c.ratio}
            between.append((c.first, c.second, numbers))
            continue
        for name, factor in ((c.first, 1.0), (c.second, -c.ratio)):
            if name in movable:
                k, load, b = own[name]
                square = factor * factor
                own[name] = k + square * c.stiffness, load + factor * c.stiffness * c.rest, b + square * c.viscous
    return own, between


def _row_lines(axis: Axis, row: _Row, spring: _Spring) -> list[str]:
    joint, drive = axis.joint, axis.joint.drive
    stiffness, load, viscous = spring
    values = {"a": row.a, "alpha": row.alpha, "d": row.d, "theta": row.theta}
    if row.gamma or row.b:
        values |= {"gamma": row.gamma, "b": row.b}
    if drive.rotor_inertia or drive.gear_ratio != 1:
        values |= {"rotor_inertia": drive.rotor_inertia, "gear_ratio": drive.gear_ratio}
    if viscous:
        values["viscous"] = viscous / drive.gear_ratio**2  # a row has friction on the motor side
    if stiffness:
        values |= {"stiffness": stiffness, "rest": load / stiffness}
    limits = joint.limits
    bounds = {"lower": limits.lower, "upper": limits.upper, "velocity": limits.velocity, "effort": limits.effort}
    values |= {key: bound for key, bound in bounds.items() if math.isfinite(bound)}
    lines = [f"name = {_text(joint.name)}", f'joint = "{joint.kind}"']
    if joint.mimic is not None:
        law = f"ratio = {number(joint.mimic.ratio)}, offset = {number(joint.mimic.offset)}"
        lines.append(f"mimic = {{ joint = {_text(joint.mimic.leader)}, {law} }}")
    return lines + [f"{key} = {number(value)}" for key, value in values.items()] + _dry_lines(drive)


def _dry_lines(drive: Drive) -> list[str]:
    plus, minus = drive.coulomb_plus, drive.coulomb_minus
    lines = [f"coulomb = {_list(x / abs(drive.gear_ratio) for x in (plus, minus))}"] if plus or minus else []
    said = ", ".join(f"{key} = {number(value)}" for key, value in drive.curves_at_motor.items())
    return [*lines, f"friction = {{ {said} }}"] if said else lines


# --------------------------------------------------------------------------------------------------------- the bodies


def _body_lines(tree: Tree, axis: Axis, frame: Frame) -> list[str]:
    """Return mass, center of mass and inertia of all that moves with a joint, in the frame of the row."""
    bodies = {body.name: body for body in tree.bodies if body.has_inertial}
    parts = [
        bodies[name].to_inertia().at(placed.rotation, placed.origin)
        for name, placed in axis.carried.items()
        if name in bodies
    ]
    if not parts:
        return []
    R = frame.rotation.T
    whole = sum(parts[1:], parts[0]).at(R, -R @ frame.origin)
    return [f"mass = {number(whole.mass)}", f"com = {_list(whole.com)}", f"inertia = {_tensor(whole)}"]


def _tensor(body: Inertia) -> str:
    return f"[{', '.join(_list(row) for row in body.tensor.tolist())}]"


def _note_frames(tree: Tree, axes: Sequence[Axis], frames: Sequence[Frame], losses: Losses) -> None:
    """Record links that are missing or elsewhere in the table, and a base with mass."""
    there = {f"link{k}": frame for k, frame in enumerate(frames, 1)}
    carried = {name: placed for axis in axes for name, placed in axis.carried.items()}
    for body in tree.bodies:
        placed = carried.get(body.name)
        if placed is None and body.mass:
            losses.add("the base weighs nothing; what is bolted to it moves no joint", body.name)
        kept = body.name in ("base", "world") or (body.name.endswith("_axis") and not body.has_inertial)
        if placed is not None and body.name in there:
            kept = there[body.name].is_near(placed, PLACE_ROUNDING)
        if not kept:
            losses.add("links are called link1 and so on, with the frames of the convention; lost are", body.name)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(values: Iterable[float]) -> str:
    return f"[{', '.join(map(number, values))}]"
