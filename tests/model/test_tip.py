"""Where a payload goes if nobody says where."""

import numpy as np
import pytest
from click.testing import CliRunner

import rne
from rne.cli import main

HEAVY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def robot(*links: tuple[str, str, str, str]) -> rne.Robot:
    """A base with links: name, parent, kind of joint, and what is in the link."""
    text = f'<robot name="r"><link name="base_link">{HEAVY}</link>'
    for name, parent, kind, inside in links:
        text += f'<link name="{name}">{inside}</link><joint name="j_{name}" type="{kind}"><parent link="{parent}"/>'
        text += f'<child link="{name}"/><origin xyz="0.1 0.2 0.3"/></joint>'
    return rne.load_urdf(text + "</robot>")


def carrier(robot: rne.Robot) -> str:
    return robot.with_payload(2.0).tree.joints[-1].parent


@pytest.mark.parametrize(
    ("links", "tip"),
    [
        ([("arm", "base_link", "continuous", HEAVY)], "arm"),
        # A frame at the base, and one at the flange, as with Universal Robots.
        (
            [
                ("base", "base_link", "fixed", ""),
                ("arm", "base_link", "continuous", HEAVY),
                ("tool0", "arm", "fixed", ""),
            ],
            "tool0",
        ),
        # A gripper with weight beside an empty frame.
        (
            [
                ("arm", "base_link", "continuous", HEAVY),
                ("tool0", "arm", "fixed", ""),
                ("hand", "arm", "fixed", HEAVY),
            ],
            "hand",
        ),
        # A foot with weight at the base, which no joint feels.
        ([("foot", "base_link", "fixed", HEAVY), ("arm", "base_link", "continuous", HEAVY)], "arm"),
        (
            [
                ("foot", "base_link", "fixed", HEAVY),
                ("arm", "base_link", "continuous", HEAVY),
                ("tool0", "arm", "fixed", ""),
            ],
            "tool0",
        ),
    ],
)
def test_the_tip_that_is_meant(links, tip):
    assert carrier(robot(*links)) == tip
    assert robot(*links).with_payload(1.0).with_frame("probe", [0, 0, 1]).tree.joints[-1].parent == tip


@pytest.mark.parametrize(
    ("links", "names"),
    [
        ([("a", "base_link", "continuous", HEAVY), ("b", "base_link", "continuous", HEAVY)], "a, b"),
        (
            [
                ("arm", "base_link", "continuous", HEAVY),
                ("x", "arm", "fixed", ""),
                ("y", "arm", "fixed", ""),
                ("base", "base_link", "fixed", ""),
            ],
            "x, y",
        ),
    ],
)
def test_several_tips_are_named(links, names):
    with pytest.raises(rne.ArgumentError, match=f"frame: the robot has 2 tips, name one of {names}"):
        robot(*links).with_payload(1.0)


def test_a_ur5e_takes_it_at_its_tool():
    arm = rne.load("models/ur5e/robot.urdf")
    heavy = arm.with_payload(2.5, [0, 0, 0.1])
    named = arm.with_payload(2.5, [0, 0, 0.1], frame="tool0")
    q = [0.1, -0.7, 0.9, 0.3, 0.5, -0.2]
    assert rne.gravity_vector(heavy, q).tolist() == rne.gravity_vector(named, q).tolist()


def test_the_example_in_the_help_of_the_command_works(tmp_path):
    path = tmp_path / "motion.csv"
    ur5e = rne.load("models/ur5e/robot.urdf")
    path.write_text(",".join(f"q_{name}" for name in ur5e.joint_names) + "\n" + ",".join(["0.1"] * ur5e.n) + "\n")
    command = ["id", "models/ur5e/robot.urdf", str(path), "--payload", "2.5,0,0,0.1", "-o", str(tmp_path / "out.csv")]
    run = CliRunner().invoke(main, command)
    assert run.exit_code == 0, run.output
    written = np.loadtxt(tmp_path / "out.csv", delimiter=",", skiprows=1, usecols=range(-ur5e.n, 0))
    heavy = ur5e.with_payload(2.5, [0, 0, 0.1], frame="tool0")
    np.testing.assert_allclose(written, rne.gravity_vector(heavy, np.full(ur5e.n, 0.1)), rtol=1e-12, atol=1e-14)
