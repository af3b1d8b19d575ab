"""The robots and states for all contenders: the same URDF text and the same order of joints."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from oracles import example_urdf, mujoco_model
from strategies import random_tree, to_urdf

import rne
from benchmarks import ROOT
from rne.model.tree import Limits

Array = NDArray[np.float64]

PANDA = ROOT / "models" / "panda" / "robot.urdf"


@dataclass(frozen=True)
class Subject:
    """A robot for every library; all of them read the text `urdf`. With `floating` its base floats."""

    urdf: str
    floating: bool = False

    @cached_property
    def pin(self) -> pin.Model:
        if self.floating:
            return pin.buildModelFromXML(self.urdf, pin.JointModelFreeFlyer())
        return pin.buildModelFromXML(self.urdf)

    @cached_property
    def robot(self) -> rne.Robot:
        """The robot with its joints in the order of Pinocchio, so that arrays need no reordering."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rne.ModelWarning)  # the humanoid has links without mass in its ball joints
            joints = list(self.pin.names)[2 if self.floating else 1 :]
            return rne.load_urdf(self.urdf, joints=joints, floating=self.floating)

    @cached_property
    def mujoco(self) -> mujoco.MjModel:
        model = mujoco_model(self.urdf, fuse=True)
        if tuple(model.joint(i).name for i in range(model.njnt)) != self.robot.joint_names:
            raise ValueError("MuJoCo has the joints in another order")
        return model


@dataclass(frozen=True)
class States:
    """Random states, one per row; `tau` are torques for forward dynamics."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array

    def astype(self, dtype: type) -> States:
        return States(*(array.astype(dtype) for array in (self.q, self.qd, self.qdd, self.tau)))


def states(robot: rne.Robot, samples: int, seed: int = 0) -> States:
    random, n = np.random.default_rng(seed), robot.n
    q, qd, qdd, tau = (random.uniform(-bound, bound, (samples, n)) for bound in (2.5, 2.0, 5.0, 20.0))
    return States(rne.integrate(robot, rne.neutral(robot), q), qd, qdd, tau)


@cache
def panda() -> Subject:
    """The arm with its fingers locked at zero."""
    return Subject(_with_fixed(PANDA, {"panda_finger_joint1", "panda_finger_joint2"}))


@cache
def ur5e() -> Subject:
    return Subject((ROOT / "models" / "ur5e" / "robot.urdf").read_text())


@cache
def puma() -> Subject:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rne.ModelWarning)  # the first link has an inertia, but no mass
        return Subject(rne.load(ROOT / "models" / "puma560" / "robot.dh.toml").to_urdf())


@cache
def humanoid() -> Subject:
    """A human body with 36 joints and a fixed root."""
    return Subject(_with_fixed(example_urdf("human.urdf"), set()))


@cache
def quadruped() -> Subject:
    """ANYmal, 12 joints on a floating base."""
    return Subject(example_urdf("anymal_b_simple_description/anymal.urdf").read_text(), floating=True)


@cache
def talos() -> Subject:
    """Talos without fingers, 32 joints on a floating base."""
    return Subject(_with_fixed(example_urdf("talos_reduced.urdf"), set()), floating=True)


@cache
def tree(joints: int, seed: int = 0, branching: float = 0.3) -> Subject:
    """A random tree, or a chain if `branching` is 0, with only the features that every library supports."""
    grown = random_tree(
        np.random.default_rng([joints, seed]), joints,
        branching=branching, mimic=0.0, massless=0.0, rotors=False, friction=False, tilt=False,
    )  # fmt: skip
    limits = Limits(-3.0, 3.0, 10.0, 100.0)  # without limits Pinocchio represents the angle by cosine and sine
    limited = tuple(replace(joint, limits=limits) if joint.movable else joint for joint in grown.joints)
    return Subject(to_urdf(replace(grown, joints=limited)))


SUBJECTS = {
    "Panda": panda,
    "UR5e": ur5e,
    "Puma": puma,
    "humanoid": humanoid,
    "ANYmal": quadruped,
    "Talos": talos,
    "tree of 30 joints": lambda: tree(30),
}


def _with_fixed(path: Path, names: set[str]) -> str:
    robot = ET.parse(path).getroot()
    for joint in robot.findall("joint"):
        if joint.get("name") in names:
            joint.set("type", "fixed")
            for mimic in joint.findall("mimic"):
                joint.remove(mimic)
    return ET.tostring(robot, encoding="unicode")
