"""Thirty robots of example-robot-data, each with its Pinocchio twin, and the states at which the two are compared."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import oracles
import pinocchio as pin
from checks import random_states
from numpy.typing import ArrayLike, NDArray

import rne

Array = NDArray[np.float64]

SAMPLES = 3
# Humanoids (alex, g1, icub, romeo, talos, human), hands (allegro, tiago, g1, talos), followers (panda, baxter, pr2,
# romeo, talos_full, tiago_pro), continuous and prismatic joints, quadrupeds, arms, and bases with a mass.
NAMES = [
    "a1.urdf",
    "alex_sake_hands.urdf",
    "allegro_left_hand.urdf",
    "anymal-kinova.urdf",
    "b1-z1.urdf",
    "baxter.urdf",
    "centauro.urdf",
    "double_pendulum_continuous.urdf",
    "finger_edu.urdf",
    "g1_29dof_with_hand_rev_1_0.urdf",
    "go2.urdf",
    "hextilt_flying_arm_5.urdf",
    "human.urdf",
    "icub.urdf",
    "kinova.urdf",
    "panda.urdf",
    "pr2.urdf",
    "romeo.urdf",
    "romeo_small.urdf",
    "simple_humanoid.urdf",
    "so101.urdf",
    "solo12.urdf",
    "talos_full_v2.urdf",
    "talos_reduced.urdf",
    "tiago.urdf",
    "tiago_dual.urdf",
    "tiago_pro.urdf",
    "ur10_robot.urdf",
    "xarm7.urdf",
    "z1.urdf",
]


@dataclass
class Example:
    """A robot, its Pinocchio twin, and states (SAMPLES, n)."""

    robot: rne.Robot
    pm: oracles.PinModel
    q: Array
    qd: Array
    qdd: Array

    @property
    def names(self) -> tuple[str, ...]:
        """Coordinates in the order of q."""
        return self.robot.joint_names

    @property
    def model(self) -> pin.Model:
        """Pinocchio's model."""
        return self.pm.model

    def pin_state(self, k: int) -> tuple[Array, Array, Array]:
        """State k as Pinocchio wants it."""
        rates = (oracles.pin_v(self.pm, self.names, x[k]) for x in (self.qd, self.qdd))
        return oracles.pin_q(self.pm, self.names, self.q[k]), *rates

    def reduced(self, J: ArrayLike) -> Array:
        """Columns of Pinocchio's matrix (rows, nv) summed onto the coordinates."""
        return np.array([oracles.from_pin_v(self.pm, self.names, row) for row in np.atleast_2d(J)])

    def frames(self, count: int) -> list[str]:
        """Some frames, the last link among them."""
        rng = np.random.default_rng(self.robot.n)
        return [*rng.choice(self.robot.frame_names, size=count - 1).tolist(), self.robot.links.joint_frames[-1]]

    def with_point(self, frame: str, point: Any) -> tuple[pin.Model, int]:
        """Copy Pinocchio's model with one more frame, parallel to another at a point of it; and its number."""
        model = pin.Model(self.model)  # a copy, because the data of the original have no room for more frames
        index = self.model.getFrameId(frame, pin.FrameType.BODY)
        original = self.model.frames[index]
        placement = original.placement * pin.SE3(np.eye(3), np.array(point, dtype=float))
        added = pin.Frame(f"{frame} and a point", original.parentJoint, index, placement, pin.FrameType.OP_FRAME)
        return model, int(model.addFrame(added))


@cache
def example(name: str) -> Example:
    """Load an example; the same object every time."""
    path = oracles.example_urdf(name)
    robot = rne.load(path)
    return Example(robot, oracles.pin_model(path), *random_states(robot.n, SAMPLES, seed=robot.n))
