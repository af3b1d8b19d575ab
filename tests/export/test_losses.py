"""What a format cannot hold is named; what it can by no means hold is refused; files are complete or absent."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from checks import assert_near, random_robot, random_states
from own_robots import arm

import rne
from rne.errors import ArgumentError, ModelError, ModelWarning
from rne.export.document import quaternion_of, rpy_of

JOINT = '<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/>{}</joint>'
BODY = (
    '<link name="{}"><inertial><mass value="1"/>'
    '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>'
)


def said(write) -> str:
    with warnings.catch_warnings(record=True, action="always") as caught:
        write()
    assert all(warning.category is ModelWarning and warning.filename == __file__ for warning in caught)
    return "\n".join(str(warning.message) for warning in caught)


def two_link(first: str = "", second: str = "", kind: str = "continuous") -> rne.Robot:
    return rne.load_urdf(
        '<robot name="two"><link name="floor"/>' + BODY.format("a") + BODY.format("b")
        + JOINT.format("one", kind, "floor", "a", first)
        + JOINT.format("two", "continuous", "a", "b", second or '<origin xyz="1 0 0"/>') + "</robot>"
    )  # fmt: skip


def test_a_plain_robot_loses_nothing():
    assert said(two_link().to_urdf) == ""
    assert said(two_link().to_mjcf) == ""


def test_what_urdf_cannot_hold_is_named():
    drive = rne.Drive(1e-4, 100.0, coulomb_plus=1.0, coulomb_minus=2.0, stiffness=3.0)
    robot = two_link().with_gravity([0, 0, -1]).with_drives({"two": drive})
    text = said(robot.to_urdf)
    assert "gravity (0.0, 0.0, -1.0) is not written" in text
    assert "one size for both directions; the mean is written ('two')" in text
    assert "rotor inertias are in the <transmission> of Drake, which other readers pass over ('two')" in text
    assert "joint springs are in the <gazebo> of Gazebo, which other readers pass over ('two')" in text
    assert "between joints are not written ('one - two')" in said(robot.with_springs([[1, -1], [-1, 1]]).to_urdf)
    one_sided = rne.Robot(_one_sided(two_link()))
    assert "1e+09 is written for upper, which is unlimited ('one')" in said(one_sided.to_urdf)


def _one_sided(robot: rne.Robot) -> rne.Tree:
    first, second = robot.tree.joints
    limited = rne.Joint(first.name, "prismatic", first.parent, first.child, limits=rne.Limits(lower=0.0))
    return rne.Tree("two", robot.tree.bodies, (limited, second))


def test_rotors_and_springs_stand_where_drake_and_gazebo_look_for_them():
    robot = two_link().with_drives({"two": rne.Drive(1e-4, 100.0, stiffness=3.0, rest=0.2)})
    with pytest.warns(ModelWarning):
        root = ET.fromstring(robot.to_urdf().encode())
    drake = "{http://drake.mit.edu}"
    motor = root.find("transmission/actuator")
    assert root.find("transmission/joint").get("name") == "two"
    assert [motor.find(drake + key).get("value") for key in ("rotor_inertia", "gear_ratio")] == ["0.0001", "100.0"]
    spring = root.find("gazebo")
    assert spring.get("reference") == "two"
    assert [spring.findtext(key) for key in ("springStiffness", "springReference")] == ["3.0", "0.2"]


def test_what_mjcf_cannot_hold_is_named():
    limited = two_link('<limit lower="1" upper="1" effort="3" velocity="2"/>', kind="revolute")
    text = said(limited.to_mjcf)
    assert "limits of velocity are not written ('one')" in text
    assert "limits that leave no room are not written ('one')" in text
    body = rne.Body("b", 1.0, inertia=((1.0, 0, 0), (0, 1.0, 0), (0, 0, 3.0)))
    tree = two_link().tree
    impossible = rne.Robot(rne.Tree("two", (*tree.bodies[:2], body), tree.joints))
    assert "MuJoCo refuses this unphysical mass or inertia; `rne check --fix` corrects it ('b')" in said(
        impossible.to_mjcf
    )


def test_the_world_of_mujoco_is_its_own():
    robot = rne.load_urdf(two_link().to_urdf().replace('"floor"', '"world"'))
    assert [body.get("name") for body in ET.fromstring(robot.to_mjcf().encode()).iter("body")] == ["a", "b"]
    robot = rne.load_urdf(two_link().to_urdf().replace('"b"', '"world"'))
    with pytest.raises(ModelError, match=r"link 'world': MuJoCo has a world of its own"):
        robot.to_mjcf()


def test_what_a_dh_table_cannot_hold_is_named():
    text = said(two_link().to_dh)
    assert "lost are ('floor', 'a', 'b')" in text


@pytest.mark.filterwarnings("ignore:.*links are called link1")
@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_followers_are_rows_that_follow(convention, tmp_path):
    follower = two_link(second='<mimic joint="one" multiplier="2" offset="0.3"/>')
    path = tmp_path / "two.toml"
    follower.to_dh(path, convention=convention)
    states = random_states(1)
    assert_near(rne.inverse_dynamics(rne.load(path), *states), rne.inverse_dynamics(follower, *states))


def branching(first: str, second: str) -> rne.Robot:
    return rne.load_urdf(
        '<robot name="y"><link name="floor"/>' + "".join(map(BODY.format, "abc"))
        + JOINT.format("one", "continuous", "floor", "a", '<axis xyz="0 0 1"/>')
        + JOINT.format("two", "continuous", "a", "b", first) + JOINT.format("three", "continuous", "a", "c", second)
        + "</robot>"
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*links are called link1")
def test_trees_have_a_dh_table(tmp_path):
    # Both axes cross the line along x at height 0.3, one of them turned about it; in the other robot they do not.
    both = '<origin xyz="0.5 0 0.3" rpy="0.4 0 0"/><axis xyz="0 0 1"/>', '<origin xyz="-0.2 0 0.3"/><axis xyz="0 1 0"/>'
    off = branching(both[0], '<origin xyz="-0.2 0.1 0.3" rpy="0.3 0 0"/><axis xyz="0 1 0"/>')
    path = tmp_path / "y.toml"
    states = random_states(3)
    for robot, plain in (branching(*both), True), (off, False):
        assert ("gamma" not in robot.to_dh(path)) is plain
        assert_near(rne.inverse_dynamics(rne.load(path), *states), rne.inverse_dynamics(robot, *states))
    with pytest.raises(ModelError, match=r"joint 'three': it and joint 'two', both behind joint 'one', do not turn"):
        off.to_dh(convention="standard")


@pytest.mark.filterwarnings("ignore:.*(links are called|rows stand behind|the base weighs)")
@pytest.mark.parametrize("seed", range(12))
def test_random_trees_have_a_modified_dh_table(seed, tmp_path):
    robot = random_robot(seed, joints=3 + seed)
    path = tmp_path / "tree.toml"
    robot.to_dh(path)
    again = rne.load(path, joints=robot.joint_names)
    states = random_states(robot.n)
    assert_near(rne.inverse_dynamics(again, *states), rne.inverse_dynamics(robot, *states), rtol=1e-11)


def test_nothing_that_moves_has_no_dh_table():
    with pytest.raises(ModelError, match="nothing moves"):
        rne.load_urdf('<robot name="block"><link name="base"/></robot>').to_dh()


@pytest.mark.filterwarnings("ignore:.*(links are called|the base weighs nothing)")
def test_springs_to_a_locked_joint_act_on_the_other(tmp_path):
    planar = rne.load("models/planar2/robot.dh.toml").with_springs([[8.0, -5.0], [-5.0, 6.0]], [0.3, -0.2])
    for name in planar.joint_names:
        robot = planar.with_dampers([[3.0, -1.0], [-1.0, 2.0]]).with_locked({name: 0.4})
        path = tmp_path / "robot.toml"
        robot.to_dh(path)
        again = rne.load(path)
        assert_near(rne.inverse_dynamics(again, [0.7]), rne.inverse_dynamics(robot, [0.7]))
        assert_near(again.damping, robot.damping)


@pytest.mark.filterwarnings("ignore:.*(links are called|limits of velocity|in MJCF)")
def test_coordinates_keep_the_order_asked_for():
    robot = arm(joints=[*reversed(arm().joint_names)])
    assert rne.load_urdf(robot.to_urdf()).joint_names == robot.joint_names
    with pytest.warns(ModelWarning, match="rows stand behind those that carry them; the coordinates are"):
        robot.to_dh()
    with pytest.warns(ModelWarning, match="coordinates stand in the order of the bodies"):
        robot.to_mjcf()


@pytest.mark.parametrize("pitch", [0.3, np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9, np.pi])
def test_rotations_survive_angles_and_quaternions(pitch):
    import pinocchio as pin

    for roll, yaw in np.random.default_rng(1).uniform(-np.pi, np.pi, (20, 2)):
        R = pin.rpy.rpyToMatrix(roll, pitch, yaw)
        assert np.abs(pin.rpy.rpyToMatrix(*rpy_of(R.tolist())) - R).max() < 1e-15
        w, x, y, z = quaternion_of(R.tolist())
        assert np.abs(pin.Quaternion(w, x, y, z).matrix() - R).max() < 1e-15


def test_files_are_written_by_their_suffix_alone(tmp_path):
    robot = two_link()
    path = tmp_path / "two.urdf"
    assert robot.to_urdf(path) == path.read_text(encoding="utf-8")
    for write, name in ((robot.to_urdf, "a.toml"), (robot.to_mjcf, "a.urdf"), (robot.to_dh, "a.xml")):
        with pytest.raises(ArgumentError, match="path: wanted the path of a file that ends in"):
            write(tmp_path / name)
    assert [file.name for file in tmp_path.iterdir()] == ["two.urdf"]


def test_names_are_escaped_or_refused(tmp_path):
    body = rne.Body('a "link" <&>', 1.0, inertia=((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)))
    joint = rne.Joint("a\tb\\ü", "revolute", "base", body.name)
    robot = rne.Robot(rne.Tree('"r"\n', (rne.Body("base", has_inertial=False), body), (joint,)))
    assert rne.load_urdf(robot.to_urdf()).tree.joints[0].child == body.name
    path = tmp_path / "robot.toml"
    with pytest.warns(ModelWarning, match="links are called"):
        robot.to_dh(path)
    assert rne.load(path).joint_names == robot.joint_names
    strange = rne.Robot(rne.Tree("r", (rne.Body("base\0", has_inertial=False),), ()))
    with pytest.raises(ModelError, match=r"names hold characters that XML has not: 'base\\x00'"):
        strange.to_urdf()


def test_writers_import_nothing_of_the_model():
    """The layer contract lets them name the tree in annotations; in a new process nothing of it is loaded."""
    import subprocess
    import sys

    code = "import rne.export.urdf, rne.export.mjcf, rne.export.dh, sys; sys.exit('rne.model' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
