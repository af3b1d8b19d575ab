"""Robots that operations work on: with parameters given at run time, without springs, with independent joints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rne.batch.arguments import Floats
from rne.errors import ArgumentError
from rne.model.drive import Drive
from rne.model.parameters import OF_BODY, OF_FRICTION
from rne.model.robot import Robot

WEIGHTLESS = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Model:
    """What stays the same in all calls of an operation.

    Attributes
    ----------
    robot : the robot.
    gravity : the acceleration of free fall in base axes; that of the robot if None.
    friction : whether friction counts.
    """

    robot: Robot
    gravity: tuple[float, ...] | None = None
    friction: bool = False

    @property
    def inertial(self) -> Model:
        """The model without all loads, whose torques at rest are M qdd."""
        return Model(bodies_alone(self.robot), WEIGHTLESS)

    def with_parameters(self, pi: Floats) -> Model:
        """Return the model with other parameters (P,)."""
        return replace(self, robot=_with_parameters(self.robot, np.asarray(pi, np.float64).tobytes()))


@lru_cache(maxsize=256)
def _with_parameters(robot: Robot, numbers: bytes) -> Robot:
    """Return the robot with other parameters. The way back needs the same robot as the way there."""
    return robot.with_parameters(np.frombuffer(numbers), strict=False)


@lru_cache(maxsize=64)
def bodies_alone(robot: Robot) -> Robot:
    """Return the robot without springs, friction and couplings; rotors remain."""
    drives = (Drive(joint.drive.rotor_inertia, joint.drive.gear_ratio) for joint in robot.tree.joints)
    joints = tuple(replace(joint, drive=drive) for joint, drive in zip(robot.tree.joints, drives, strict=True))
    return Robot(replace(robot.tree, joints=joints, couplings=()), robot.joint_names)


class Joints(NamedTuple):
    """A robot whose joints are all coordinates, in the order of `robot.links.joints`.

    Attributes
    ----------
    robot : the robot, without springs, friction and couplings.
    slides : which joints are prismatic.
    G, shift : the coordinates of the joints are ``q @ G.T + shift``.
    """

    robot: Robot
    slides: NDArray[np.bool_]
    G: NDArray[np.float64]
    shift: NDArray[np.float64]


@lru_cache(maxsize=64)
def independent_joints(robot: Robot) -> Joints:
    """Return the robot with mimic joints as coordinates of their own."""
    links = robot.links
    tree = bodies_alone(robot).tree
    free = Robot(replace(tree, joints=tuple(replace(joint, mimic=None) for joint in tree.joints)), links.joints)
    G = np.zeros((len(links.joints), robot.n))
    G[np.arange(len(G)), links.leaders] = links.ratios
    slides = np.array([robot.joint(name).kind == "prismatic" for name in links.joints], np.bool_)
    return Joints(free, slides, G, links.shifts)


class Columns(NamedTuple):
    """What a vector of parameters holds; see `rne.parameter_names`."""

    links: int
    rotors: bool
    friction: bool

    @property
    def bodies(self) -> int:
        """Number of parameters of bodies, which come first."""
        return self.links * len(OF_BODY)

    @property
    def coulomb(self) -> slice:
        """Those of Coulomb friction, which come last."""
        return slice(-2 * self.links if self.friction else None, None if self.friction else 0)


def columns_of(robot: Robot, count: int) -> Columns:
    """Return what a vector of that many parameters holds.

    Raises
    ------
    ArgumentError
        No vector of parameters of this robot has that length.
    """
    links = len(robot.links.joints)
    kinds = {
        links * (len(OF_BODY) + rotors + len(OF_FRICTION) * friction): Columns(links, rotors, friction)
        for rotors in (False, True)
        for friction in (False, True)
    }
    if count not in kinds:
        wanted = " or ".join(str(size) for size in sorted(kinds))
        raise ArgumentError(
            f"parameters: wanted {wanted} numbers in the last axis, as rne.parameters returns them; got {count}"
        )
    return kinds[count]


def by_parameters(model: Model, pi: Floats | None, run: Callable[..., Floats], *arrays: Floats) -> Floats:
    """Return ``run(model, *arrays)`` for arrays (..., width), with the parameters (..., P) in the model.

    Each distinct vector of parameters takes a robot of its own, which is compiled once.
    """
    if pi is None:
        return run(model, *arrays)
    shape = np.broadcast_shapes(pi.shape[:-1], *(x.shape[:-1] for x in arrays))
    rows = pi.reshape(-1, pi.shape[-1])
    if 0 in shape or not rows.size or (rows == rows[0]).all():
        own = model.with_parameters(rows[0]) if rows.size else model
        result = run(own, *arrays)
        return np.broadcast_to(result, (*shape, result.shape[-1]))
    flat = [np.broadcast_to(x, (*shape, x.shape[-1])).reshape(-1, x.shape[-1]) for x in arrays]
    every = np.broadcast_to(pi, (*shape, pi.shape[-1])).reshape(-1, pi.shape[-1])
    distinct, which = np.unique(every, axis=0, return_inverse=True)
    places = [np.flatnonzero(which.ravel() == k) for k in range(len(distinct))]
    found = [
        run(model.with_parameters(row), *(x[place] for x in flat)) for row, place in zip(distinct, places, strict=True)
    ]
    order = np.argsort(np.concatenate(places))
    return np.concatenate(found)[order].reshape(*shape, -1)
