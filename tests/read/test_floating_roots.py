"""Roots that float by themselves: floating joints of URDF, free joints of MJCF, and the option of the loaders."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from checks import assert_near
from oracles_floating import FreeFlyer, random_states
from oracles_mjcf import compiled
from own_mjcf import body, model

import rne

ARM = """<link name="base"><inertial><mass value="3"/><inertia ixx=".1" iyy=".2" izz=".2" ixy="0" ixz="0" iyz="0"/>
</inertial></link><link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
<inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>"""
ROOT = """<link name="world"/><joint name="free" type="floating"><parent link="world"/><child link="base"/>{}</joint>"""


def urdf(more="", origin="", root=ROOT):
    return f'<robot name="flyer">{root.format(origin)}{ARM}{more}</robot>'


def test_a_floating_joint_at_the_root():
    robot = rne.load_urdf(urdf())
    assert (robot.floating, robot.nq, robot.nv, robot.n) == (True, 8, 7, 7)
    assert robot.frame_names == ("base", "arm")
    assert robot.coordinate_names == ("base_vx", "base_vy", "base_vz", "base_wx", "base_wy", "base_wz", "turn")
    assert robot.position_names[:7] == ("base_x", "base_y", "base_z", "base_qx", "base_qy", "base_qz", "base_qw")
    assert robot.joint_names == ("turn",)
    oracle = FreeFlyer(robot.tree, robot.joint_names)
    q, qd, qdd = (x[0] for x in random_states(robot, 1))
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd), oracle.inverse_dynamics(q, qd, qdd), 1e-12)
    again = rne.load_urdf(f'<robot name="flyer">{ARM}</robot>', floating=True)
    assert_near(rne.inverse_dynamics(again, q, qd, qdd), rne.inverse_dynamics(robot, q, qd, qdd))


def test_a_fixed_base_on_request():
    robot = rne.load_urdf(urdf(), floating=False)
    assert (robot.floating, robot.nq, robot.n) == (False, 1, 1)
    assert robot.frame_names == ("base", "arm")


def test_the_origin_of_the_joint_is_not_read():
    with pytest.warns(rne.ModelWarning, match="joint 'free': the origin of a floating joint is not read"):
        rne.load_urdf(urdf(origin='<origin xyz="0 0 1"/>'))


HEAVY = ROOT.replace('<link name="world"/>', '<link name="world"><inertial><mass value="1"/></inertial></link>')
SECOND = """<link name="ball"/><joint name="loose" type="floating"><parent link="arm"/><child link="ball"/></joint>"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (urdf(SECOND), "joint 'loose': a second floating joint"),
        (urdf(SECOND, root=""), "but its parent 'arm' is moved by joint 'turn'"),
        (
            urdf(
                root=HEAVY.replace(
                    '<mass value="1"/>', '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
                )
            ),
            "but its parent 'world' has a mass",
        ),
        (
            urdf(
                '<link name="lamp"/><joint name="lit" type="fixed"><parent link="world"/><child link="lamp"/></joint>'
            ),
            "carries joint 'lit'",
        ),
    ],
)
def test_other_floating_joints_are_refused(text, wanted):
    for strict in (True, False):
        with pytest.raises(rne.ModelError, match=wanted):
            rne.load_urdf(text, strict=strict)


INERTIAL = '<inertial pos="0.1 0.02 0" mass="3" diaginertia="1 1.5 2"/>'
FLOATING = (
    '<body name="base" pos="0 0 1"><freejoint name="free"/>' + INERTIAL + body("a", '<joint name="p"/>') + "</body>"
)
KEYS = '<keyframe><key name="up" qpos="1 2 3 0.5 0.5 0.5 -0.5 0.7" qvel="1 2 3 4 5 6 7"/></keyframe>'


def test_a_free_joint_of_mjcf_against_mujoco():
    robot = rne.load_mjcf(model(FLOATING))
    assert (robot.floating, robot.nq, robot.n, robot.frame_names[0]) == (True, 8, 7, "base")
    oracle = compiled(model(FLOATING))
    data = mujoco.MjData(oracle)
    q, qd, qdd = random_states(robot, 5, 1)
    turns = rne.forward_kinematics(robot, q, "base")[:, :3, :3]
    for k, R in enumerate(turns):
        v, w = qd[k, :3], qd[k, 3:6]
        data.qpos[:] = [*q[k, :3], q[k, 6], *q[k, 3:6], *q[k, 7:]]
        data.qvel[:] = [*(R @ v), *w, *qd[k, 6:]]
        data.qacc[:] = [*(R @ (qdd[k, :3] + np.cross(w, v))), *qdd[k, 3:]]
        mujoco.mj_inverse(oracle, data)
        wanted = data.qfrc_inverse.copy()
        wanted[:3] = R.T @ wanted[:3]
        assert_near(rne.inverse_dynamics(robot, q[k], qd[k], qdd[k]), wanted, 1e-11)


def test_keyframes_hold_the_pose_of_the_base():
    robot = rne.load_mjcf(model(FLOATING, KEYS))
    q, qd = robot.state("up")
    assert_near(q, [1.0, 2.0, 3.0, 0.5, 0.5, -0.5, 0.5, 0.7])
    R = rne.forward_kinematics(robot, q, "base")[:3, :3]
    assert_near(qd, [*(R.T @ [1.0, 2.0, 3.0]), 4.0, 5.0, 6.0, 7.0])
    assert_near(robot.with_states({"stand": {"p": 0.3}}).state("stand")[0], [0, 0, 0, 0, 0, 0, 1, 0.3])
    assert_near(robot.with_states({"stand": q}).state("stand")[0], q)
    assert "base_qw" in str(robot)


@pytest.mark.parametrize("what", ["armature", "damping", "frictionloss", "stiffness"])
def test_what_acts_on_a_free_joint_in_mujoco_is_refused(what):
    text = model(FLOATING).replace('<freejoint name="free"/>', f'<joint type="free" name="free" {what}="0.5"/>')
    with pytest.raises(rne.ModelError, match=f"joint 'free': {what} of a free joint"):
        rne.load_mjcf(text)
    with pytest.warns(rne.ModelWarning, match=f"{what} of a free joint"):
        assert rne.load_mjcf(text, strict=False).floating
    assert rne.load_mjcf(text.replace('"0.5"/>', '"0"/>')).floating


def test_sites_on_the_world_are_left_out():
    with pytest.warns(rne.ModelWarning, match="site 'post'.*stands on the world, and the base floats"):
        robot = rne.load_mjcf(model('<site name="post"/>' + FLOATING))
    assert "post" not in robot.frame_names


def test_loaders_and_methods():
    dh = rne.load("models/planar2/robot.dh.toml", floating=True)
    assert dh.floating
    assert rne.load_model("panda", floating=True, lock={"panda_finger_joint1": 0.0}).n == 13
    row = {"joint": "revolute", "a": 1.0, "mass": 2.0}
    assert rne.from_dh([row], convention="standard", floating=True).nq == 8
    import copy
    import pickle

    for robot in (
        pickle.loads(pickle.dumps(dh)),
        copy.copy(dh),
        dh.with_gravity([0, 0, 1]),
        dh.with_payload(1.0),
        dh.with_locked({"elbow": 0.3}),
        dh.with_states({"home": rne.neutral(dh)}),
    ):
        assert robot.floating
    assert dh.lower_limit.shape == (9,)
    assert dh.effort_limit.shape == dh.velocity_limit.shape == (8,)
    assert dh.stiffness.shape == (8, 8)
    assert "on a floating base" in repr(dh)


def test_a_pose_of_a_base_that_floats_is_refused():
    for load in (
        lambda: rne.load("models/planar2/robot.dh.toml", floating=True, base={"xyz": [0, 0, 1]}),
        lambda: rne.load_urdf(urdf(), base={"xyz": [0, 0, 1]}),
        lambda: rne.from_dh([{"joint": "revolute"}], convention="standard", floating=True, base={"xyz": [0, 0, 1]}),
    ):
        with pytest.raises(rne.ArgumentError, match="base: the base floats"):
            load()
    assert rne.load_urdf(urdf(), base={"xyz": [0, 0, 1]}, floating=False).frame_names[0] == "world"


def test_the_option_is_a_flag():
    with pytest.raises(rne.ArgumentError, match="floating: wanted"):
        rne.load("models/planar2/robot.dh.toml", floating="yes")
    with pytest.raises(rne.ModelError, match="floating"):
        rne.Robot(rne.Tree("a", (rne.Body("base"),), (), floating=1))
