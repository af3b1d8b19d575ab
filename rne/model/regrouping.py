"""From bodies to links: merging of rigidly connected bodies, frames in normal form, and regrouped inertias.

A link is a moving joint together with every body that moves rigidly with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rne.errors import ModelError, Problem
from rne.model.frames import Frame
from rne.model.rotations import split_zxz, turn_z, z_onto
from rne.model.tree import Body, Joint, Tree

Array = NDArray[np.float64]

Moments = tuple[float, Array, Array]  # mass, first moments (integral of r dm), second moments (integral of r r^T dm)


@dataclass
class Link:
    """A link during compilation; moments are about the origin and in the axes of its frame."""

    joint: Joint
    parent: int
    rotation: Array  # of this frame in the frame of the parent, at q = 0
    position: Array
    moments: Moments
    felt: Moments  # moments after regrouping
    keep: bool = False  # whether it has a child other than the next link


def fold(tree: Tree, joints: list[Joint]) -> tuple[list[Link], dict[str, Frame]]:
    """Merge bodies that move together into links, and return the pose of every body in the frame of its link."""
    identity, origin = np.eye(3), np.zeros(3)
    nothing: Moments = (0.0, origin, np.zeros((3, 3)))
    children = {joint.child for joint in joints}
    root = next(body.name for body in tree.bodies if body.name not in children)
    links = [Link(Joint("", "fixed", "", root), -1, identity, origin, nothing, nothing)]
    frames = {root: Frame(0, identity, origin)}
    for joint in joints:
        outer = frames[joint.parent]
        rotation = outer.rotation @ np.array(joint.origin.rotation)
        position = outer.position + outer.rotation @ np.array(joint.origin.position)
        if joint.movable:
            axis = z_onto(np.array(joint.axis))
            links.append(Link(joint, outer.row, rotation @ axis, position, nothing, nothing))
            frames[joint.child] = Frame(len(links) - 1, axis.T, origin)
        else:
            frames[joint.child] = Frame(outer.row, rotation, position)
    for body in tree.bodies:
        frame = frames[body.name]
        link = links[frame.row]
        link.moments = _sum(link.moments, _placed(_moments(body), frame.rotation, frame.position))
    for row, link in enumerate(links):
        if link.parent not in (-1, row - 1):
            links[link.parent].keep = True
    return links, frames


def _moments(body: Body) -> Moments:
    """Moments of a body about the origin of its frame."""
    inertia, com = np.array(body.inertia), np.array(body.com)
    central = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    return body.mass, body.mass * com + np.array(body.first_moment), central + body.mass * np.outer(com, com)


def _placed(moments: Moments, rotation: Array, position: Array) -> Moments:
    """Transform moments to an outer frame, in which the inner one has the pose `rotation`, `position`."""
    mass, first, second = moments
    h = rotation @ first
    cross = np.outer(h, position)
    second = rotation @ second @ rotation.T + cross + cross.T + mass * np.outer(position, position)
    return mass, h + mass * position, second


def _sum(a: Moments, b: Moments) -> Moments:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def normalize(links: list[Link], frames: dict[str, Frame]) -> None:
    """Rotate every frame about its z axis so that the rotation to the next link, as Rz Rx Rz, has no first Rz."""
    spins = [np.eye(3) for _ in links]
    for row in range(1, len(links) - 1):
        if links[row + 1].parent == row:
            spins[row] = turn_z(*split_zxz(links[row + 1].rotation)[0])
    for row, link in enumerate(links):
        outer, inner = spins[max(link.parent, 0)], spins[row]
        link.rotation = outer.T @ link.rotation @ inner
        link.position = outer.T @ link.position
        link.moments = link.felt = _placed(link.moments, inner.T, np.zeros(3))
    for name, frame in frames.items():
        inner = spins[frame.row].T
        frames[name] = Frame(frame.row, inner @ frame.rotation, inner @ frame.position)


def regroup(links: list[Link], frames: dict[str, Frame], tree: Tree) -> None:
    """Move inertia without effect on the joint of a link to its parent, from the tips to the base.

    For a revolute joint, mass, first moment along z and second moment zz could as well lie on its axis, and therefore
    move to the parent. The frame of a prismatic joint may have any origin: at the center of mass of the sliding link,
    the link keeps only its mass, and all second moments move to the parent, since both rotate together (Gautier, Khalil
    1990).
    """
    for row in range(len(links) - 1, 0, -1):
        link = links[row]
        if link.joint.kind == "revolute":
            mass, first, second = link.felt
            on_axis = (mass, first * [0, 0, 1], second * np.diag([0.0, 0.0, 1.0]))
            link.felt = (0.0, first - on_axis[1], second - on_axis[2])
            moved = _placed(on_axis, link.rotation, link.position)
        else:
            _center(links, frames, row, tree)
            mass, nothing, second = link.felt
            link.felt = (mass, nothing, np.zeros((3, 3)))
            moved = (0.0, nothing, link.rotation @ second @ link.rotation.T)
        above = links[link.parent]
        above.felt = _sum(above.felt, moved)


def _center(links: list[Link], frames: dict[str, Frame], row: int, tree: Tree) -> None:
    """Move the origin of the link of a prismatic joint to the center of its regrouped mass."""
    link = links[row]
    mass, first, _ = link.felt
    if not mass:
        if first.any():
            what = "the masses moved by the joint sum to zero, but their first moments do not; correct the masses"
            raise ModelError(Problem(tree.source, link.joint.line, f"joint '{link.joint.name}'", what))
        return
    shift = first / mass
    link.felt = _placed(link.felt, np.eye(3), -shift)
    link.felt = (mass, np.zeros(3), link.felt[2])
    link.moments = _placed(link.moments, np.eye(3), -shift)
    link.position = link.position + link.rotation @ shift
    for child in links[row + 1 :]:
        if child.parent == row:
            child.position = child.position - shift
    for name, frame in frames.items():
        if frame.row == row:
            frames[name] = Frame(row, frame.rotation, frame.position - shift)
