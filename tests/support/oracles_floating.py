"""Pinocchio with a free flyer as an oracle of robots whose base floats, built body by body from a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin
import reference
from numpy.typing import NDArray

from rne.model.tree import Joint, Tree

Array = NDArray[np.float64]
WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
LOCAL = pin.ReferenceFrame.LOCAL


def _se3(pose: Any) -> pin.SE3:
    return pin.SE3(np.array(pose.rotation), np.array(pose.position))


def _depth_first(tree: Tree) -> list[Joint]:
    """Joints in an order in which every subtree stands together, as Pinocchio's composite bodies want it."""
    waiting, found = [reference.root(tree)], []
    while waiting:
        body = waiting.pop()
        found += [joint for joint in tree.joints if joint.child == body]
        waiting += [joint.child for joint in tree.joints if joint.parent == body]
    return found


class FreeFlyer:
    """The robot as Pinocchio sees it; q, qd and torques are in the order of rne, given by the names of its joints.

    Followers are free in Pinocchio, and summed onto their leaders here: tau = G^T tau_full.
    """

    def __init__(self, tree: Tree, joint_names: tuple[str, ...]) -> None:
        model = pin.Model()
        model.gravity = pin.Motion(np.array(tree.gravity), np.zeros(3))
        root = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint")
        placed = {reference.root(tree): (root, pin.SE3.Identity())}
        for joint in _depth_first(tree):
            carrier, inside = placed[joint.parent]
            place = inside * _se3(joint.origin)
            if not joint.movable:
                placed[joint.child] = carrier, place
                continue
            kind = pin.JointModelRevoluteUnaligned if joint.kind == "revolute" else pin.JointModelPrismaticUnaligned
            placed[joint.child] = (
                model.addJoint(carrier, kind(np.array(joint.axis)), place, joint.name),
                pin.SE3.Identity(),
            )
        self.frames = {}
        for body in tree.bodies:
            joint, inside = placed[body.name]
            self.frames[body.name] = model.addFrame(pin.Frame(body.name, joint, inside, pin.FrameType.OP_FRAME))
            if body.has_inertial:
                inertia = pin.Inertia.Zero()  # its constructor refuses what some files contain
                inertia.mass, inertia.lever, inertia.inertia = body.mass, np.array(body.com), np.array(body.inertia)
                model.appendBodyToJoint(joint, inertia, inside)
        armature = np.zeros(model.nv)
        for joint in reference.movable_joints(tree):
            armature[model.joints[model.getJointId(joint.name)].idx_v] = joint.drive.reflected_inertia
        model.armature = armature
        self.model, self.data = model, model.createData()
        G, q0 = reference.mimic_map(tree)
        of_file, movable = reference.coordinates(tree), reference.movable_joints(tree)
        rows = [model.joints[model.getJointId(joint.name)].idx_v - 6 for joint in movable]
        columns = [of_file.index(name) for name in joint_names]
        self.G = np.eye(model.nv, 6 + len(joint_names))
        self.G[6:, 6:] = 0.0
        self.G[6 + np.array(rows, int), 6:] = G[:, columns]
        self.q0 = np.zeros(len(movable))
        self.q0[rows] = q0

    def q(self, q: Array) -> Array:
        """Pinocchio's configuration."""
        return np.concatenate([q[:7], self.G[6:, 6:] @ q[7:] + self.q0])

    def inverse_dynamics(self, q: Array, qd: Array, qdd: Array, f_ext: Mapping[str, Array] | None = None) -> Array:
        """Torques; `f_ext` holds wrenches in world axes at the origins of frames."""
        full = self.q(q)
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero()] * self.model.njoints)
        pin.framesForwardKinematics(self.model, self.data, full)
        for name, wrench in (f_ext or {}).items():
            frame = self.model.frames[self.frames[name]]
            turn = pin.SE3(self.data.oMf[self.frames[name]].rotation.T, np.zeros(3))
            joint = frame.parentJoint
            forces[joint] = forces[joint] + frame.placement.act(turn.act(pin.Force(wrench[:3], wrench[3:])))
        return self.G.T @ pin.rnea(self.model, self.data, full, self.G @ qd, self.G @ qdd, forces)

    def mass_matrix(self, q: Array) -> Array:
        """Mass matrix, rotors included."""
        upper = np.triu(pin.crba(self.model, self.data, self.q(q)))
        return self.G.T @ (upper + np.triu(upper, 1).T) @ self.G

    def derivatives(self, q: Array, qd: Array, qdd: Array) -> list[Array]:
        """Derivatives of the torques by tangent directions of q, by qd and by qdd; without springs."""
        G = self.G
        by_q, by_qd, upper = pin.computeRNEADerivatives(self.model, self.data, self.q(q), G @ qd, G @ qdd)
        return [G.T @ X @ G for X in (by_q, by_qd, np.triu(upper) + np.triu(upper, 1).T)]

    def pose(self, q: Array, frame: str) -> Array:
        """Pose of a frame in the world."""
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        return self.data.oMf[self.frames[frame]].homogeneous.copy()

    def jacobian(self, q: Array, frame: str, axes: pin.ReferenceFrame = WORLD) -> Array:
        """Jacobian of the origin of a frame."""
        return pin.computeFrameJacobian(self.model, self.data, self.q(q), self.frames[frame], axes) @ self.G

    def acceleration(self, q: Array, qd: Array, qdd: Array, frame: str) -> Array:
        """Classical acceleration of the origin of a frame, and angular acceleration, in world axes."""
        pin.forwardKinematics(self.model, self.data, self.q(q), self.G @ qd, self.G @ qdd)
        return pin.getFrameClassicalAcceleration(self.model, self.data, self.frames[frame], WORLD).vector.copy()

    def center_of_mass(self, q: Array, qd: Array) -> tuple[Array, Array, Array]:
        """Center of mass, its velocity and its Jacobian."""
        full = self.q(q)
        pin.centerOfMass(self.model, self.data, full, self.G @ qd)
        place, speed = self.data.com[0].copy(), self.data.vcom[0].copy()
        return place, speed, pin.jacobianCenterOfMass(self.model, self.data, full) @ self.G

    def energies(self, q: Array, qd: Array) -> tuple[float, float]:
        """Kinetic energy, with rotors, which Pinocchio leaves out of it, and potential energy."""
        kinetic = 0.5 * qd @ self.mass_matrix(q) @ qd
        return kinetic, pin.computePotentialEnergy(self.model, self.data, self.q(q))

    def centroidal(self, q: Array, qd: Array) -> tuple[Array, Array, Array]:
        """Centroidal momentum, its matrix, and its rate at zero acceleration."""
        full, rates = self.q(q), self.G @ qd
        matrix = pin.computeCentroidalMap(self.model, self.data, full) @ self.G
        rate = pin.computeCentroidalMomentumTimeVariation(
            self.model, self.data, full, rates, np.zeros(self.model.nv)
        ).vector.copy()
        return pin.computeCentroidalMomentum(self.model, self.data, full, rates).vector.copy(), matrix, rate


def random_states(robot: Any, samples: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """Positions with random bases, velocities and accelerations, (samples, nq) and (samples, n)."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(samples, robot.nq)) * 2.0
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    return q, rng.normal(size=(samples, robot.n)), 3.0 * rng.normal(size=(samples, robot.n))
