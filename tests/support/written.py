"""How far the torques of a written file, read by other programs, are from those of the robot it was written from.

`python -m written` measures all files of example-robot-data that load, and those in `models/`.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import mujoco
import numpy as np
import oracles
from checks import random_states
from numpy.typing import NDArray

import rne
from rne.model.mimics import resolved_mimics

Array = NDArray[np.float64]

MODELS = sorted([*Path("models").glob("*/robot.*"), *Path("models/lectures").glob("*/robot.*")])


def torques(robot: rne.Robot, q: Array, qd: Array, qdd: Array) -> Array:
    """Torques with viscous friction and without Coulomb friction."""
    return rne.inverse_dynamics(robot, q, qd, qdd) + qd @ robot.damping


def gap(found: Array, wanted: Array) -> float:
    """Largest difference, as a part of the largest torque."""
    largest = np.abs(wanted).max(initial=0.0)
    return (
        float(np.abs(found - wanted).max(initial=0.0) / largest) if largest else float(np.abs(found).max(initial=0.0))
    )


def of_rigid_bodies(robot: rne.Robot) -> rne.Robot:
    """The robot without all that URDF has no place for, but for rotors."""
    rotors = {
        joint.name: rne.Drive(joint.drive.rotor_inertia, joint.drive.gear_ratio)
        for joint in robot.tree.joints
        if joint.movable
    }
    still = np.zeros(robot.n)
    return robot.with_springs(still).with_dampers(still).with_drives(rotors)


def pinocchio_gap(robot: rne.Robot) -> float:
    """Gap of the URDF file; gravity and rotors, which it cannot hold, are given to Pinocchio beside it."""
    robot = of_rigid_bodies(robot)
    rotors = {joint.name: joint.drive.reflected_inertia for joint in robot.tree.joints if joint.movable}
    pm = oracles.pin_model(robot.to_urdf(), rotors)
    states = random_states(robot.n, 3)
    found = [
        oracles.pin_inverse_dynamics(pm, robot.joint_names, *state, gravity=robot.gravity)
        for state in zip(*states, strict=True)
    ]
    return gap(np.array(found), torques(robot, *states))


def mujoco_gap(robot: rne.Robot) -> float:
    """Gap of the MJCF file, with gravity, rotors, springs and dampers as they stand in it.

    Raises
    ------
    ValueError
        MuJoCo refuses the file.
    """
    model = mujoco.MjModel.from_xml_string(robot.to_mjcf())
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    joints = [model.joint(k) for k in range(model.njnt)]
    mimics = resolved_mimics(robot.tree.joints)
    G, q0 = np.zeros((model.nv, robot.n)), np.zeros(model.nv)
    for k, joint in enumerate(joints):
        mimic = mimics[joint.name]
        G[k, robot.joint_names.index(mimic.leader)], q0[k] = mimic.ratio, mimic.offset
    states = random_states(robot.n, 3)
    found = []
    for q, qd, qdd in zip(*states, strict=True):
        data.qpos, data.qvel, data.qacc = G @ q + q0, G @ qd, G @ qdd
        mujoco.mj_inverse(model, data)
        found.append(G.T @ data.qfrc_inverse)
    return gap(np.array(found), torques(robot, *states))


def rne_gap(robot: rne.Robot, path: Path, written: str) -> float:
    """Gap of a file that rne reads again."""
    path.write_text(written, encoding="utf-8")
    again = rne.load(path, joints=robot.joint_names)
    states = random_states(robot.n, 3)
    return gap(torques(again, *states), torques(robot, *states))


def main() -> None:
    """Print a line for every robot: gaps of Pinocchio, MuJoCo, and rne by the DH table."""
    warnings.simplefilter("ignore")
    for path in [*MODELS, *oracles.example_urdfs()]:
        try:
            robot = rne.load(path)
        except rne.ModelError as error:
            print(f"{path.parent.name}/{path.name}: does not load: {error.problems[0].what}")
            continue
        line = [f"{path.parent.name}/{path.name}: n={robot.n} pin={pinocchio_gap(robot):.1e}"]
        scratch = Path(f"/tmp/written-{os.getpid()}")
        rigid = of_rigid_bodies(robot).with_gravity([0, 0, -9.81])
        rigid = rigid.with_drives({joint.name: rne.Drive() for joint in rigid.tree.joints if joint.movable})
        line.append(f"urdf={rne_gap(rigid, scratch.with_suffix('.urdf'), rigid.to_urdf()):.1e}")
        try:
            line.append(f"mujoco={mujoco_gap(robot):.1e}")
        except ValueError as error:
            line.append(f"mujoco refuses: {str(error).splitlines()[0]}")
        for convention in ("modified", "standard"):
            try:
                dh = rne_gap(robot, scratch.with_suffix(".toml"), robot.to_dh(convention=convention))
                line.append(f"{convention}={dh:.1e}")
            except rne.RneError as error:
                line.append(f"{convention}: {error.args[0].element if isinstance(error, rne.ModelError) else error}")
        print("; ".join(line))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
