"""MJCF files on disk, keyframes, and what is refused or let pass with a word."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from oracles_mjcf import compiled, gaps
from own_mjcf import THREE, TWO, body, model

import rne

CLOSE = 1e-12

# ------------------------------------------------------------------------------------------------------ other files

TETRAHEDRON = "v 0 0 0\nv 0.3 0 0\nv 0 0.2 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def with_mesh(inertial: str) -> str:
    return f"""<mujoco><asset><texture name="t" type="2d" file="t.png"/><material name="m" texture="t"/>
      <mesh name="part" file="part.obj"/></asset>
      <worldbody><geom type="mesh" mesh="part"/>
      <body name="a"><joint name="p"/>{inertial}<geom type="mesh" mesh="part" material="m"/></body>
      </worldbody></mujoco>"""


GIVEN = '<inertial pos="0 0 1" mass="2" diaginertia="1 1 1"/>'


def test_meshes_that_weigh_nothing_need_not_be_there(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(with_mesh(GIVEN))
    assert rne.load(path).total_mass == 2.0


def test_inertias_of_meshes_are_those_of_mujoco(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(with_mesh("").replace('<texture name="t" type="2d" file="t.png"/>', "").replace('texture="t"', ""))
    with pytest.raises(rne.ModelError, match=r"robot\.xml: MuJoCo refuses the file: Error opening file .*part\.obj"):
        rne.load(path)
    (tmp_path / "part.obj").write_text(TETRAHEDRON)
    robot = rne.load(path)
    np.testing.assert_allclose(robot.total_mass, 1000 * 0.3 * 0.2 * 0.1 / 6)
    assert max(gaps(compiled(path), robot)) < CLOSE


def test_a_file_that_takes_inertias_from_shapes_although_they_are_given(tmp_path):
    text = with_mesh(GIVEN).replace('<texture name="t" type="2d" file="t.png"/>', "").replace('texture="t"', "")
    (tmp_path / "part.obj").write_text(TETRAHEDRON)
    path = tmp_path / "robot.mjcf"
    path.write_text(text.replace("<asset>", '<compiler inertiafromgeom="true"/><asset>'))
    np.testing.assert_allclose(rne.load(path).total_mass, 1.0)
    assert max(gaps(compiled(path), rne.load(path))) < CLOSE


def test_included_files_are_read(tmp_path):
    (tmp_path / "inner.xml").write_text(f"<mujocoinclude>{TWO}</mujocoinclude>")
    path = tmp_path / "outer.xml"
    path.write_text('<mujoco><worldbody><include file="inner.xml"/></worldbody></mujoco>')
    assert rne.load(path).joint_names == ("p", "q")
    with pytest.raises(rne.ModelError, match="a part that MJCF files include"):
        rne.load_mjcf(tmp_path / "inner.xml")


def test_nothing_is_printed_or_written_beside_the_file(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    text = model(TWO, compiler='settotalmass="3"')
    (tmp_path / "robot.xml").write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rne.load("robot.xml").total_mass == pytest.approx(3.0)
    assert [path.name for path in Path().iterdir()] == ["robot.xml"]
    assert capfd.readouterr() == ("", "")


def test_the_suffix_xml_is_urdf_or_mjcf(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text('<?xml version="1.0"?>\n<!-- a robot -->\n' + model(TWO))
    assert rne.load(path).joint_names == ("p", "q")
    assert rne.diagnose(path).ok
    path.write_text('<robot name="block"><link name="base"/></robot>')
    assert rne.load(path).n == 0
    with pytest.raises(rne.ModelError, match=r"this is URDF; rne\.load_urdf reads it"):
        rne.load_mjcf(path)
    with pytest.raises(rne.ModelError, match=r"this is MJCF \(MuJoCo\), not URDF; rne\.load_mjcf reads it"):
        rne.load_urdf(model(TWO))


# ----------------------------------------------------------------------------------------------------------- states

KEYS = """<keyframe>
  <key name="home" qpos="0.1 0.2 0.3" qvel="1 2 3"/> <key time="2"/>
</keyframe>"""


def test_keyframes_are_states():
    robot = rne.load_mjcf(model(THREE, KEYS))
    assert robot.state_names == ("home", "key1")
    q, qd = robot.state("home")
    np.testing.assert_array_equal([q, qd], [[0.1, 0.2, 0.3], [1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(robot.state("key1"), np.zeros((2, 3)))
    with pytest.raises(rne.UnknownNameError, match="no state is named 'hoem'; did you mean 'home'"):
        robot.state("hoem")


def test_states_go_with_the_coordinates_that_are_left():
    robot = rne.load_mjcf(model(THREE, KEYS), joints=["r", "p", "q"])
    np.testing.assert_array_equal(robot.state("home")[0], [0.3, 0.1, 0.2])
    np.testing.assert_array_equal(robot.with_locked({"p": 0.0}).state("home")[1], [3.0, 2.0])
    np.testing.assert_array_equal(robot.without_body("c").state("home")[0], [0.1, 0.2])


def test_states_are_keyframes_again_and_followers_stand_where_they_are_led():
    law = '<equality><joint joint1="q" joint2="p" polycoef="0.5 -2 0 0 0"/></equality>'
    robot = rne.load_mjcf(model(THREE, KEYS + law), gravity=[0, 0, -9.81])
    text = robot.to_mjcf()
    mj = mujoco.MjModel.from_xml_string(text)
    np.testing.assert_allclose(mj.key("home").qpos, [0.1, 0.3, 0.3])
    np.testing.assert_allclose(mj.key("home").qvel, [1.0, -2.0, 3.0])
    np.testing.assert_array_equal(rne.load_mjcf(text).state("home"), robot.state("home"))
    with pytest.warns(rne.ModelWarning, match=r"named states are not written \('home', 'key1'\)"):
        robot.to_urdf()


# --------------------------------------------------------------------------------------------- refused, or let pass

BALL = body("a", '<joint name="p"/>', body("b", '<joint name="shoulder" type="ball"/>'))
FREE = (
    '<body name="base" pos="0 0 1"><freejoint name="floating"/>'
    + body("a", '<joint name="p"/>')
    + ('<inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/></body>')
)
TENDON = '<tendon><spatial name="rope" {}><site site="s"/><site site="t"/></spatial></tendon>'
SITES = TWO.replace("<inertial", '<site name="s"/><inertial', 1).replace("<inertial", '<site name="t"/><inertial', 1)
LOOSE = body("b", '<joint name="other"/>')
DOUBTS = {
    "one free joint of two bodies": (model(FREE + LOOSE), r"joint 'floating': a free joint, by which 'base' floats"),
    "a polynomial": (
        model(TWO, '<equality><joint name="law" joint1="q" joint2="p" polycoef="0 1 0 2 0"/></equality>'),
        r"equality 'law': joint 'q' follows 'p' by a polynomial of degree 3",
    ),
    "bodies that are held together": (
        model(THREE, '<equality><connect name="loop" body1="a" body2="c" anchor="0 0 0"/></equality>'),
        r"equality 'loop': it holds two bodies together at a point",
    ),
    "a joint that follows two": (
        model(THREE, '<equality><joint joint1="q" joint2="p"/><joint joint1="q" joint2="r"/></equality>'),
        r"equality 1: joint 'q' follows another by an equality before",
    ),
    "a spring in space": (model(SITES, TENDON.format('stiffness="2"')), r"tendon 'rope': its spring would act along"),
    "a damper in space": (model(SITES, TENDON.format('damping="2"')), r"tendon 'rope': its damper would act along"),
    "friction of a tendon": (
        model(
            TWO,
            '<tendon><fixed name="t" frictionloss="2"><joint joint="p" coef="1"/><joint joint="q" coef="1"/></fixed>'
            "</tendon>",
        ),
        r"tendon 't': its friction cannot be read",
    ),
    "a spring that is slack": (
        model(
            TWO,
            '<tendon><fixed name="t" stiffness="2" springlength="0 1"><joint joint="p" coef="1"/></fixed></tendon>',
        ),
        r"tendon 't': its spring, which is slack over a range, cannot be read",
    ),
    "a spring that stiffens": (
        model(body("a", '<joint name="p" stiffness="1 0 3"/>')),
        r"joint 'p': its spring is not linear in MuJoCo",
    ),
}


@pytest.mark.parametrize(("text", "wanted"), DOUBTS.values(), ids=DOUBTS)
def test_doubts_are_errors_that_lenient_loading_passes(text, wanted):
    with pytest.raises(rne.ModelError, match=wanted) as caught:
        rne.load_mjcf(text)
    assert caught.value.loads_leniently
    with pytest.warns(rne.ModelWarning, match=wanted):
        robot = rne.load_mjcf(text, strict=False)
    assert "p" in robot.joint_names


def test_a_body_that_floats_beside_others_is_held_where_it_stands():
    with pytest.warns(rne.ModelWarning, match="held where it stands"):
        robot = rne.load_mjcf(model(FREE + LOOSE), strict=False)
    assert max(gaps(compiled(model(FREE + LOOSE)), robot)) < CLOSE
    np.testing.assert_array_equal(rne.forward_kinematics(robot, [0.0, 0.0], "base")[:3, 3], [0, 0, 1])


@pytest.mark.parametrize("strict", [True, False])
def test_ball_joints_are_refused(strict):
    with pytest.raises(rne.ModelError, match="joint 'shoulder': a ball joint, which is not supported") as caught:
        rne.load_mjcf(model("\n\n" + BALL), strict=strict)
    assert caught.value.problems[0].line == 6
    assert not caught.value.loads_leniently


@pytest.mark.parametrize(
    ("text", "line", "wanted"),
    [
        ("<mujoco>\n<worldbody>\n<body><jiont/></body></worldbody></mujoco>", 3, "MuJoCo refuses the file: Schema"),
        ("<mujoco>\n<worldbody>", None, "MuJoCo refuses the file: XML parse error"),
        ("<mujoco><worldbody>\n<body name='a'><joint/></body></worldbody></mujoco>", 2, "mass and inertia of moving"),
        ("<sdf/>", None, "the outermost element of MJCF is <mujoco>"),
        ("<", None, "not XML; the outermost element of MJCF is <mujoco>"),
        (b"\xff\xfe<", None, "not XML"),
    ],
)
def test_what_mujoco_refuses_is_told_in_its_words(text, line, wanted):
    with pytest.raises(rne.ModelError, match=wanted) as caught:
        rne.load_mjcf(text)
    (problem,) = caught.value.problems
    assert problem.where == "<mjcf>"
    assert line is None or problem.line == line


def test_what_acts_in_mujoco_and_not_here_is_told():
    text = model(TWO.replace('name="b"', 'name="b" gravcomp="1"'), '<option density="1.2" viscosity="2e-5"/>')
    with pytest.warns(rne.ModelWarning) as caught:
        rne.load_mjcf(text)
    said = "\n".join(str(warning.message) for warning in caught)
    assert "gravcomp of 'b' is not read" in said
    assert "density and viscosity are not read" in said


def test_a_mocap_body_and_bodies_that_stand_still_hold_nothing():
    more = """<equality><weld body1="a" body2="hand"/><weld body1="wall" body2="floor"/></equality>"""
    still = '<body name="hand" mocap="true"/><body name="wall"/><body name="floor"/>'
    assert rne.load_mjcf(model(TWO + still, more)).n == 2
