"""Frames that are added to a robot."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_near, assert_same_bits, random_states

import rne


def test_a_frame_more_is_known_everywhere_and_weighs_nothing():
    robot = rne.load("models/panda/robot.urdf", lock={"panda_finger_joint1": 0.0})
    R = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    tool = robot.with_frame("tool", [0.01, -0.02, 0.1], R, "panda_hand")
    q, qd, qdd = random_states(7)
    assert_same_bits(rne.inverse_dynamics(tool, q, qd, qdd), rne.inverse_dynamics(robot, q, qd, qdd))
    hand, tip = rne.forward_kinematics(robot, q)["panda_hand"], rne.forward_kinematics(tool, q)["tool"]
    hand_R, hand_p, tool_R, tool_p = hand[:3, :3], hand[:3, 3], tip[:3, :3], tip[:3, 3]
    assert_near(tool_p, hand_p + hand_R @ [0.01, -0.02, 0.1])
    assert_near(tool_R, hand_R @ R)
    wrench = np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    at_hand = rne.transform_wrench(wrench, np.eye(3), tool_p - hand_p)
    pushed = rne.inverse_dynamics(tool, q, f_ext={"tool": wrench})
    assert_near(pushed, rne.inverse_dynamics(robot, q, f_ext={"panda_hand": at_hand}))
    # It is no new tip, and a robot with one more frame may carry and get more.
    assert (
        tool.with_payload(1.0, frame="tool").with_frame("second", [0, 0, 0.1], frame="tool").frame_names[-1] == "second"
    )
    arm = rne.load("models/planar2/robot.dh.toml")
    assert arm.with_frame("pen", [0.1, 0, 0]).with_payload(1.0).tree.joints[-1].parent == arm.frame_names[-1]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("link2", [0, 0, 0]), "name"),
        (("", [0, 0, 0]), "name"),
        ((3, [0, 0, 0]), "name"),
        (("pen", [0, 0]), "position"),
        (("pen", [0, 0, np.nan]), "position"),
        (("pen", [0, 0, 0], 2 * np.eye(3)), "rotation"),
        (("pen", [0, 0, 0], np.diag([1, 1, -1])), "rotation"),
        (("pen", [0, 0, 0], np.eye(3), "link9"), "frame"),
    ],
)
def test_frames_that_cannot_be_are_refused(arguments, word):
    with pytest.raises(rne.ArgumentError, match=f"^{word}: "):
        rne.load("models/planar2/robot.dh.toml").with_frame(*arguments)


def test_the_root_is_the_first_frame_wherever_the_file_has_it():
    late = rne.load_urdf(
        '<robot name="late"><link name="hand"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="floor"/>'
        '<joint name="j" type="continuous"><parent link="floor"/><child link="hand"/></joint></robot>'
    )
    assert late.tree.root == "floor"
    assert late.frame_names == ("floor", "hand")
    assert tuple(rne.forward_kinematics(late, [0.5])) == ("floor", "hand")
    for name in rne.models():
        robot = rne.load_model(name)
        np.testing.assert_array_equal(rne.forward_kinematics(robot, np.ones(robot.n), robot.frame_names[0]), np.eye(4))
