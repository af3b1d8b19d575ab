"""Each function as numpy calculates it, with its pullback: the gradient by its inputs, given that by its result.

An operation takes arrays (..., width) whose leading axes broadcast against each other, as many for every input, and
returns one such array. Parameters, where there are any, come last. A pullback is written in operators that numpy, torch
and jax share, and in other operations, which it calls by what it is given; so it can be differentiated in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rne.autograd.curvature import along_positions, curvature, torque_gradient
from rne.autograd.models import Columns, Model, by_parameters, columns_of, independent_joints
from rne.batch.arguments import Floats
from rne.dynamics.energy import potential_energy
from rne.dynamics.forward_dynamics import forward_dynamics
from rne.dynamics.frame_motion import frame_velocity
from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.dynamics.kinematics import forward_kinematics
from rne.dynamics.statics import static_torque
from rne.errors import RneError
from rne.identification.regressor import regressor
from rne.model.parameters import OF_BODY
from rne.model.robot import Robot

Native = Any
"""An array of the library that differentiates."""
Call = Callable[..., Native]
"""Calls an operation on native arrays: ``call(operation, *arrays)``."""


class Use(NamedTuple):
    """One call of an operation.

    Attributes
    ----------
    inputs, result : what it took and what it returned.
    given : the gradient by the result.
    """

    inputs: tuple[Native, ...]
    result: Native
    given: Native


@dataclass(frozen=True)
class Operation:
    """A function of arrays of one precision.

    `keeps_result` says whether the pullback uses the result, which then must not be changed in place.
    """

    keeps_result: ClassVar[bool] = False

    model: Model

    def width(self, *widths: int) -> int:
        """Return the length of the last axis of the result, from those of the inputs."""
        del widths
        return self.model.robot.n

    def evaluate(self, *inputs: Floats) -> Floats:
        """Return the result."""
        raise NotImplementedError

    def pullback(self, call: Call, at: Use) -> tuple[Native, ...]:
        """Return the gradient by each input, not yet summed over the axes along which it was broadcast."""
        del call, at
        raise RneError(
            f"third derivatives of {self.model.robot.name}: rne has first and second derivatives; "
            "detach the second ones, or differentiate them by differences"
        )


def split(array: Native, like: tuple[Native, ...]) -> tuple[Native, ...]:
    """Split the last axis into parts as long as those of other arrays."""
    stops = np.cumsum([x.shape[-1] for x in like]).tolist()
    return tuple(array[..., stop - x.shape[-1] : stop] for x, stop in zip(like, stops, strict=True))


def summed(array: Native, shape: tuple[int, ...]) -> Native:
    """Sum a gradient over the axes along which its input was broadcast from `shape`."""
    for axis, (own, wanted) in enumerate(zip(array.shape, shape, strict=True)):
        if own != wanted:
            array = array.sum(axis, keepdims=True)
    return array


class Torques(Operation):
    """Inverse dynamics of q, qd, qdd."""

    def evaluate(self, *inputs: Floats) -> Floats:
        """Return the torques."""
        q, qd, qdd, *pi = inputs

        def run(m: Model, *state: Floats) -> Floats:
            return inverse_dynamics(m.robot, *state, gravity=m.gravity, friction=m.friction)

        return by_parameters(self.model, next(iter(pi), None), run, q, qd, qdd)

    def pullback(self, call: Call, at: Use) -> tuple[Native, ...]:
        """One reverse sweep."""
        return split(call(TorqueGradient(self.model), *at.inputs[:3], at.given, *at.inputs[3:]), at.inputs)


class TorqueGradient(Operation):
    """Gradient of weighted torques by q, qd, qdd and parameters, side by side; inputs q, qd, qdd, weights."""

    def width(self, *widths: int) -> int:
        """Return the sum of all widths but that of the weights."""
        return sum(widths) - widths[3]

    def evaluate(self, *inputs: Floats) -> Floats:
        """Return the gradient."""
        q, qd, qdd, weights, *pi = inputs
        columns = self._columns(pi)

        def run(m: Model, q: Floats, qd: Floats, qdd: Floats, weights: Floats) -> Floats:
            return torque_gradient(m, (q, qd, qdd), weights, columns)

        return by_parameters(self.model, next(iter(pi), None), run, q, qd, qdd, weights)

    def pullback(self, call: Call, at: Use) -> tuple[Native, ...]:
        """Second derivatives of the torques."""
        return split(call(TorqueCurvature(self.model), *at.inputs[:4], at.given, *at.inputs[4:]), at.inputs)

    def _columns(self, pi: Sequence[Floats]) -> Columns | None:
        return columns_of(self.model.robot, pi[0].shape[-1]) if pi else None


class TorqueCurvature(TorqueGradient):
    """Gradient of `TorqueGradient` times a direction, the fifth input, by q, qd, qdd, weights and parameters."""

    def width(self, *widths: int) -> int:
        """Return the sum of all widths but that of the direction."""
        return sum(widths) - widths[4]

    def evaluate(self, *inputs: Floats) -> Floats:
        """Return the gradient."""
        motion, pi = inputs[:5], inputs[5:]
        shape = np.broadcast_shapes(*(x.shape[:-1] for x in inputs))
        q, qd, qdd, weights, direction = (np.broadcast_to(x, (*shape, x.shape[-1])) for x in motion)
        return curvature(self.model, (q, qd, qdd), weights, direction, next(iter(pi), None), self._columns(pi))

    pullback = Operation.pullback


class Accelerations(Operation):
    """Forward dynamics of q, qd, tau."""

    keeps_result = True

    def evaluate(self, *inputs: Floats) -> Floats:
        """Return the accelerations."""
        q, qd, tau, *pi = inputs

        def run(m: Model, *state: Floats) -> Floats:
            return forward_dynamics(m.robot, *state, gravity=m.gravity, friction=m.friction)

        return by_parameters(self.model, next(iter(pi), None), run, q, qd, tau)

    def pullback(self, call: Call, at: Use) -> tuple[Native, ...]:
        """By implicit differentiation of inverse dynamics at the acceleration that the torques cause."""
        q, qd, _, *pi = at.inputs
        weights = call(Accelerations(self.model.inertial), q, q * 0, at.given, *pi)  # M^-1 given
        gradient = call(TorqueGradient(self.model), q, qd, at.result, weights, *pi)
        by_q, by_qd, _, *by_pi = split(gradient, at.inputs)
        return (-by_q, -by_qd, weights, *(-part for part in by_pi))


class PotentialEnergy(Operation):
    """Potential energy of q, (..., 1)."""

    def width(self, *widths: int) -> int:
        """Return 1."""
        del widths
        return 1

    def evaluate(self, *inputs: Floats) -> Floats:
        """Return the energy."""
        q, *pi = inputs

        def run(m: Model, q: Floats) -> Floats:
            return np.asarray(potential_energy(m.robot, q, gravity=m.gravity))[..., None]

        return by_parameters(self.model, next(iter(pi), None), run, q)

    def pullback(self, call: Call, at: Use) -> tuple[Native, ...]:
        """The torques at rest; and the energy of unit parameters, in which it is linear."""
        q, *pi = at.inputs
        by_q = at.given * call(Torques(replace(self.model, friction=False)), q, q * 0, q * 0, *pi)
        return (by_q, *(at.given * call(UnitEnergies(self.model, part.shape[-1]), q) for part in pi))


@dataclass(frozen=True)
class UnitEnergies(Operation):
    """Potential energy of each parameter if it were 1, of q."""

    count: int

    def width(self, *widths: int) -> int:
        """Return the number of parameters."""
        del widths
        return self.count

    def evaluate(self, *inputs: Floats) -> Floats:
        """Return the energies -g . p of a mass, and -g in the axes of the joint of first moments; others have none."""
        (q,) = inputs
        robot = self.model.robot
        g = np.asarray(robot.gravity if self.model.gravity is None else self.model.gravity, q.dtype)
        poses = poses_of(robot, robot.links.joint_frames, q)
        energies = np.zeros((*q.shape[:-1], self.count), q.dtype)
        bodies = np.zeros((*poses.shape[:-2], len(OF_BODY)), q.dtype)
        bodies[..., 0] = -poses[..., :3, 3] @ g
        bodies[..., 1:4] = -np.einsum("...ij,i->...j", poses[..., :3, :3], g)
        count = columns_of(robot, self.count).bodies
        energies[..., :count] = bodies.reshape(*q.shape[:-1], count)
        return energies

    def pullback(self, call: Call, at: Use) -> tuple[Native, ...]:
        """The torque of gravity on a robot with these parameters."""
        return (call(GravityOf(self.model), *at.inputs, at.given),)


class GravityOf(Operation):
    """Torques (..., n) that hold a robot with the given parameters at rest; inputs q, parameters."""

    def evaluate(self, *inputs: Floats) -> Floats:
        """Return the torques; parameters may have any values."""
        q, pi = inputs
        Y = regressor(self.model.robot, q, gravity=self.model.gravity, rotors=False)
        tau: Floats = np.einsum("...ip,...p->...i", Y, pi[..., : Y.shape[-1]])
        return tau


@dataclass(frozen=True)
class Poses(Operation):
    """Poses of frames, of q: the rows of the matrices (4, 4), one frame after the other."""

    frames: tuple[str, ...]

    def width(self, *widths: int) -> int:
        """Return 16 for each frame."""
        del widths
        return 16 * len(self.frames)

    def evaluate(self, *inputs: Floats) -> Floats:
        """Return the poses."""
        (q,) = inputs
        return poses_of(self.model.robot, self.frames, q).reshape(*q.shape[:-1], 16 * len(self.frames))

    def pullback(self, call: Call, at: Use) -> tuple[Native, ...]:
        """The torque of a wrench on each frame."""
        return (call(PoseGradient(self.model, self.frames), *at.inputs, at.given),)


class PoseGradient(Poses):
    """Gradient (..., n) of weighted entries of poses; inputs q, weights."""

    width = Operation.width

    def evaluate(self, *inputs: Floats) -> Floats:
        """Return the gradient."""
        q, weights = inputs
        return pose_gradient(self.model.robot, self.frames, q, weights)

    def pullback(self, call: Call, at: Use) -> tuple[Native, ...]:
        """Second derivatives of the poses."""
        return split(call(PoseCurvature(self.model, self.frames), *at.inputs, at.given), at.inputs)


class PoseCurvature(Poses):
    """Gradient of `PoseGradient` times a direction (..., n) by q and weights; inputs q, weights, direction."""

    def width(self, *widths: int) -> int:
        """Return the widths of q and weights."""
        return widths[0] + widths[1]

    def evaluate(self, *inputs: Floats) -> Floats:
        """Return the gradient."""
        shape = np.broadcast_shapes(*(x.shape[:-1] for x in inputs))
        q, weights, direction = (np.broadcast_to(x, (*shape, x.shape[-1])) for x in inputs)
        joints = independent_joints(self.model.robot)
        G = joints.G.astype(q.dtype)

        def gradient(positions: Floats) -> Floats:
            return pose_gradient(joints.robot, self.frames, positions, weights)

        moved = along_positions(gradient, joints.slides, q @ G.T + joints.shift.astype(q.dtype), direction @ G.T)
        by_q = np.broadcast_to(moved, (*shape, len(G))).astype(q.dtype) @ G
        poses = poses_of(self.model.robot, self.frames, q)
        rates = np.zeros_like(poses)
        for k, frame in enumerate(self.frames):
            twist = frame_velocity(self.model.robot, q, direction, frame)
            rates[..., k, :3, 3] = twist[..., :3]
            rates[..., k, :3, :3] = np.cross(twist[..., 3:, None], poses[..., k, :3, :3], axis=-2)
        return np.concatenate([by_q, rates.reshape(*shape, 16 * len(self.frames))], axis=-1)

    pullback = Operation.pullback


def poses_of(robot: Robot, frames: tuple[str, ...], q: Floats) -> Floats:
    """Poses (..., frames, 4, 4)."""
    result = np.empty((*q.shape[:-1], len(frames), 4, 4), q.dtype)
    forward_kinematics(robot, q, frames, out=result)
    return result


def pose_gradient(robot: Robot, frames: tuple[str, ...], q: Floats, weights: Floats) -> Floats:
    """Gradient (..., n) of the sum of weights (..., 16 frames) times poses: a weight on an origin acts as a force.

    A weight c on an axis x of the frame changes by c . (w x x) = w . (x x c), as the work of a moment does.
    """
    poses = poses_of(robot, frames, q)
    given = weights.reshape(*weights.shape[:-1], len(frames), 4, 4)
    moments = np.cross(poses[..., :3, :3], given[..., :3, :3], axis=-2).sum(axis=-1)
    wrenches = np.concatenate(np.broadcast_arrays(given[..., :3, 3], moments), axis=-1)
    return static_torque(robot, q, {frame: wrenches[..., k, :] for k, frame in enumerate(frames)})
