"""Written files, read by Pinocchio, by MuJoCo and by rne, move like the robot they were written from."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import oracles
import pytest
from checks import random_robot, random_states
from own_robots import arm, gripper
from written import MODELS, gap, mujoco_gap, of_rigid_bodies, pinocchio_gap, rne_gap

import rne

CLOSE = 1e-12
# Humanoids, quadrupeds, hands with followers, arms; the others are measured by `python -m written`.
EXAMPLES = ["a1.urdf", "centauro.urdf", "finger_edu.urdf", "human.urdf", "kinova.urdf", "baxter.urdf", "z1.urdf"]
PATHS = [*MODELS, *map(oracles.example_urdf, EXAMPLES)]
FOLLOWING = {"panda"}
pytestmark = pytest.mark.filterwarnings("ignore::rne.ModelWarning")


def loaded(path: Path) -> rne.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rne.ModelWarning)
        return rne.load(path)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_urdf_and_mjcf_give_the_same_torques(path):
    robot = loaded(path)
    assert pinocchio_gap(robot) < CLOSE
    assert mujoco_gap(robot) < CLOSE


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.parent.name)
@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_chains_have_a_dh_table_in_either_convention(path, convention, tmp_path):
    robot = loaded(path)
    if path.parent.name in FOLLOWING:
        robot = robot.with_locked({"panda_finger_joint1": 0.02})
        if convention == "standard":  # two fingers, which slide along different lines
            robot = robot.without_body("panda_hand")
    assert rne_gap(robot, tmp_path / "robot.toml", robot.to_dh(convention=convention)) < CLOSE


@pytest.mark.parametrize("seed", range(12))
def test_trees_of_every_feature_come_back(seed, tmp_path):
    """Skew axes, followers, rotors, couplings, bolted and massless bodies."""
    robot = random_robot(seed, joints=3 + seed)
    bare = of_rigid_bodies(robot).with_gravity([0.0, 0.0, -9.81])
    bare = bare.with_drives({joint.name: rne.Drive() for joint in bare.tree.joints if joint.movable})
    assert rne_gap(bare, tmp_path / "robot.urdf", bare.to_urdf()) < CLOSE
    assert pinocchio_gap(robot) < CLOSE
    try:
        assert mujoco_gap(robot) < CLOSE
    except ValueError as error:
        assert "A + B >= C" in str(error)  # noqa: PT017 - an unphysical inertia, which MuJoCo refuses


@pytest.mark.parametrize("make", [arm, gripper])
def test_changed_robots_are_written_as_they_are(make):
    robot = make()
    changed = robot.with_payload(1.5, [0.1, 0.2, 0.3], np.diag([0.1, 0.2, 0.25]), frame=robot.frame_names[-1])
    changed = changed.with_locked({changed.joint_names[0]: 0.4})
    changed = changed.with_drives(
        {changed.joint_names[-1]: rne.Drive(1e-4, 80.0, viscous=0.3, stiffness=5.0, rest=0.2)}
    )
    assert pinocchio_gap(changed) < CLOSE
    assert mujoco_gap(changed) < CLOSE


def test_springs_between_joints_are_tendons_in_mujoco():
    robot = arm()
    K = np.diag(np.arange(1.0, robot.n + 1))
    K[0, 1] = K[1, 0] = -0.7
    K[2, 4] = K[4, 2] = 0.4
    sprung = robot.with_springs(K, np.linspace(-1, 1, robot.n)).with_dampers(K @ K)
    assert mujoco_gap(sprung) < CLOSE
    assert mujoco_gap(sprung.with_locked({sprung.joint_names[1]: 0.3})) < CLOSE


def test_the_rest_length_that_means_none_to_mujoco_is_one_all_the_same():
    tree = rne.load("models/planar2/robot.dh.toml").tree
    coupling = rne.Coupling(*(joint.name for joint in tree.joints if joint.movable), stiffness=30.0, rest=-1.0)
    assert mujoco_gap(rne.Robot(rne.Tree(tree.name, tree.bodies, tree.joints, couplings=(coupling,)))) < CLOSE


def test_massless_links_and_point_masses_are_what_mujoco_takes():
    rows = [{"joint": "revolute", "a": 0.5}, {"joint": "revolute", "a": 0.5, "alpha": 1.0, "mass": 2.0}]
    robot = rne.from_dh([*rows, {"joint": "revolute"}], convention="standard")
    with pytest.warns(rne.ModelWarning, match=r"move no mass; 1e-14 kg is written \('link1_axis', 'link3_axis'\)"):
        robot.to_mjcf()
    assert mujoco_gap(robot) < CLOSE


def evenly_rubbing(robot: rne.Robot) -> rne.Robot:
    """The robot with all that URDF and its extensions hold: Earth's gravity, friction of one size, no couplings."""
    drives = {
        joint.name: replace(joint.drive, coulomb_minus=joint.drive.coulomb_plus)
        for joint in robot.tree.joints
        if joint.movable
    }
    tree = replace(robot.tree, couplings=(), gravity=(0.0, 0.0, -9.81))
    return rne.Robot(tree, robot.joint_names).with_drives(drives)


@pytest.mark.parametrize(
    "robot", [*MODELS, *range(8)], ids=lambda robot: getattr(robot, "parent", Path(str(robot))).name
)
def test_urdf_with_extensions_holds_rotors_springs_and_friction(robot):
    """Without `strict`, where a spring or damper of a random robot is negative and couplings made up for it."""
    robot = evenly_rubbing(random_robot(robot, joints=3 + robot) if isinstance(robot, int) else loaded(robot))
    again = rne.load_urdf(robot.to_urdf(), extensions=True, strict=False)
    assert again.joint_names == robot.joint_names
    states = random_states(robot.n, 3)
    for friction in (False, True):
        wanted = rne.inverse_dynamics(robot, *states, friction=friction)
        assert gap(rne.inverse_dynamics(again, *states, friction=friction), wanted) < CLOSE
