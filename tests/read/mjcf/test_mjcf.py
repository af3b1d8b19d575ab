"""MJCF files move as MuJoCo moves them: `mj_inverse`, `mj_fullM` and the poses of bodies and sites are the oracle."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from oracles_mjcf import compiled, frame_gap, gaps
from written import MODELS

import rne

CLOSE = 1e-12


def body(name: str, joints: str, inside: str = "", pos: str = "0.1 0.2 0.3") -> str:
    mass = '<inertial pos="0.05 -0.02 0.1" mass="1.3" fullinertia="0.02 0.03 0.04 0.001 -0.002 0.003"/>'
    return f'<body name="{name}" pos="{pos}" euler="20 -30 50">{joints}{mass}{inside}</body>'


def model(inside: str, more: str = "", compiler: str = "") -> str:
    return f"""<mujoco model="thing">
  <compiler {compiler}/>
  <option gravity="1 -2 -9"/>
  <worldbody>{inside}</worldbody>
  {more}
</mujoco>"""


TWO = body("a", '<joint name="p" axis="1 2 3"/>', body("b", '<joint name="q" axis="0 1 0.5"/>'))
THREE = body("a", '<joint name="p" axis="1 2 3"/>', body("b", '<joint name="q"/>', body("c", '<joint name="r"/>')))

SOUND = {
    "several joints of one body": model(
        body(
            "a",
            '<joint name="p" axis="1 2 3" pos="0.1 0.2 -0.3"/><joint name="s" type="slide" axis="0 1 1" pos="1 1 1"/>'
            '<joint name="q" axis="0 1 0" pos="-0.2 0 0.4"/>',
            body("b", '<joint name="x" type="slide"/><joint name="y" type="slide" axis="0 1 0"/><joint name="z"/>'),
        )
    ),
    "positions at reference": model(
        body(
            "a",
            '<joint name="p" axis="1 2 3" ref="40" pos="0 0.1 0" springref="-20" stiffness="3"/>',
            body("b", '<joint name="s" type="slide" axis="1 1 0" ref="0.3" springref="0.5" stiffness="20"/>'),
        )
    ),
    "drives": model(
        body(
            "a",
            '<joint name="p" armature="0.3" damping="0.7" frictionloss="0.2" stiffness="5" springref="10"/>',
            body("b", '<joint name="q" type="slide" armature="2" damping="4"/>'),
        ),
    ),
    "rotors and dampers of actuators": model(
        TWO,
        """<actuator>
          <motor joint="p" gear="30" armature="1e-3" damping="1e-3"/> <motor joint="p" gear="-2" armature="0.1"/>
          <position joint="q" gear="-50" armature="2e-3" kp="100"/>
        </actuator>""",
    ),
    "followers": model(
        THREE,
        """<equality>
          <joint joint1="q" joint2="p" polycoef="0.3 -1.5 0 0 0"/>
          <joint joint1="r" joint2="q" polycoef="-0.1 2 0 0 0"/>
        </equality>""",
    ),
    "followers of references": model(
        body("a", '<joint name="p" axis="1 2 3" ref="30"/>', body("b", '<joint name="q" type="slide" ref="0.2"/>')),
        '<equality><joint joint1="q" joint2="p" polycoef="0.3 -1.5 0 0 0"/></equality>',
    ),
    "an equality that is off": model(
        TWO,
        '<equality><joint joint1="q" joint2="p" active="false"/><connect body1="a" body2="b" active="false"\
 anchor="0 0 0"/></equality>',
    ),
    "a tendon on one joint": model(
        TWO,
        """<tendon><fixed name="t" stiffness="7" damping="2" springlength="0.4" armature="0.3" frictionloss="1">
          <joint joint="q" coef="-1.5"/></fixed></tendon>
        <actuator><motor tendon="t" gear="3" armature="0.1" damping="0.2"/></actuator>""",
    ),
    "a tendon on two joints": model(
        TWO,
        """<tendon><fixed stiffness="7" damping="2" springlength="0.4">
          <joint joint="p" coef="2"/><joint joint="q" coef="-1.5"/></fixed></tendon>""",
    ),
    "a tendon on three joints, which rests where the joints do": model(
        THREE,
        """<tendon>
          <fixed stiffness="7" damping="2" springlength="0.4">
            <joint joint="p" coef="2"/><joint joint="q" coef="-1.5"/><joint joint="r" coef="0.7"/></fixed>
          <fixed stiffness="3" damping="1">
            <joint joint="p" coef="1"/><joint joint="q" coef="1"/><joint joint="r" coef="-4"/></fixed>
        </tendon>""",
    ),
    "a tendon of fixed length": model(
        TWO,
        """<tendon><fixed name="t"><joint joint="p" coef="2"/><joint joint="q" coef="-1.5"/></fixed></tendon>
        <equality><tendon tendon1="t" polycoef="0.2 0 0 0 0"/></equality>""",
    ),
    "springs, dampers and gravity switched off": model(
        body("a", '<joint name="p" stiffness="3" damping="2" frictionloss="1"/>'),
        '<option><flag gravity="disable" spring="disable" damper="disable" frictionloss="disable"/></option>',
    ),
    "defaults, shapes, frames, no names": """<mujoco>
      <compiler angle="radian" eulerseq="zyx" autolimits="true"/>
      <default><joint armature="0.1" damping="0.3"/><geom density="700"/>
        <default class="light"><joint damping="0"/><geom density="20"/></default></default>
      <worldbody>
        <geom type="plane" size="1 1 1"/>
        <frame pos="0.3 0 0" euler="0.1 0.2 0.3">
          <body pos="0 0 1" childclass="light"><joint axis="0 0 1" range="-1 2"/>
            <geom type="capsule" fromto="0 0 0 0.1 0.4 0.2" size="0.05"/> <site pos="0.1 0.2 0.3"/>
            <body name="hand" pos="0.1 0.4 0.2"><joint class="main" axis="0 1 0"/>
              <geom type="box" size="0.1 0.05 0.2" euler="0.3 0.4 0.5"/> <site name="tip" pos="0 0 0.1" zaxis="1 1 0"/>
              <site name="hand" pos="0 0 0.3"/>
            </body>
            <body name="camera" pos="0 0.1 0" quat="1 1 0 0"><geom size="0.02"/></body>
          </body>
        </frame>
      </worldbody>
    </mujoco>""",
}


@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND)
def test_torques_mass_matrix_and_frames_are_those_of_mujoco(text):
    robot = rne.load_mjcf(text)
    mj = compiled(text)
    assert max(gaps(mj, robot)) < CLOSE
    assert frame_gap(mj, robot) < CLOSE


def random_mjcf(rng: np.random.Generator) -> str:
    """Trees of bodies with none to three joints each, anchors and references anywhere, and followers."""

    def numbers(*values: float) -> str:
        return " ".join(f"{value:.3f}" for value in values)

    kinds, count = [], int(rng.integers(2, 7))
    children: dict[int, list[int]] = {}
    for k in range(1, count + 1):
        children.setdefault(int(rng.integers(0, k)), []).append(k)

    def element(k: int) -> str:
        joints = ""
        for _ in range(1 if k == 1 else int(rng.integers(0, 4))):
            name, kind = f"j{len(kinds)}", "hinge" if rng.integers(3) else "slide"
            kinds.append(kind)
            values = {"pos": rng.normal(size=3), "axis": rng.normal(size=3), "ref": rng.normal(size=1)}
            values |= {key: abs(rng.normal(size=1)) for key in ("armature", "damping", "stiffness", "frictionloss")}
            values["springref"] = rng.normal(size=1)
            said = {key: value for key, value in values.items() if key == "axis" or rng.integers(2)}
            text = " ".join(f'{key}="{numbers(*value)}"' for key, value in said.items())
            joints += f'<joint name="{name}" type="{kind}" {text}/>'
        mass = f'<inertial pos="{numbers(*rng.normal(size=3))}" quat="{numbers(*rng.normal(size=4))}" mass="{numbers(1 + rng.random())}" diaginertia="{numbers(*(1 + rng.random(3) / 2))}"/>'  # noqa: E501
        inside = "".join(map(element, children.get(k, [])))
        place = f'pos="{numbers(*rng.normal(size=3))}" quat="{numbers(*rng.normal(size=4))}"'
        return f'<body name="b{k}" {place}>{joints}{mass}{inside}<site name="s{k}" pos="{numbers(*rng.normal(size=3))}"/></body>'  # noqa: E501

    inside = "".join(map(element, children[0]))
    more = ""
    if len(kinds) > 2:
        law = numbers(*rng.normal(size=2), 0, 0, 0)
        more = f'<equality><joint joint1="j{len(kinds) - 1}" joint2="j0" polycoef="{law}"/></equality>'
    return model(inside, more, 'angle="radian"')


@pytest.mark.parametrize("seed", range(40))
def test_random_trees(seed):
    text = random_mjcf(np.random.default_rng(seed))
    robot, mj = rne.load_mjcf(text), compiled(text)
    assert max(gaps(mj, robot)) < CLOSE
    assert frame_gap(mj, robot) < CLOSE


def test_the_order_is_that_of_mujoco_and_names_are_made_where_there_are_none():
    robot = rne.load_mjcf(SOUND["defaults, shapes, frames, no names"])
    assert robot.joint_names == ("joint0", "joint1")
    assert robot.frame_names == ("world", "body1", "hand", "camera", "site0", "tip", "hand_site")
    assert robot.name == "robot"
    assert rne.load_mjcf(SOUND["drives"]).name == "thing"


def test_lower_and_upper_limits_and_those_of_effort():
    joints = """<joint name="p" range="-30 60"/><joint name="q" type="slide" actuatorfrcrange="-3 5" pos="0 0 1"/>
      <joint name="r" axis="1 0 0"/><joint name="s" axis="0 1 0"/>"""
    actuators = '<motor joint="r" gear="-4" forcerange="-3 2"/><motor joint="r" gear="1" forcerange="-1 1"/>'
    robot = rne.load_mjcf(model(body("a", joints), f'<actuator>{actuators}<motor joint="s"/></actuator>'))
    np.testing.assert_allclose(robot.lower_limit, [-np.pi / 6, -np.inf, -np.inf, -np.inf])
    np.testing.assert_allclose(robot.upper_limit, [np.pi / 3, np.inf, np.inf, np.inf])
    np.testing.assert_allclose(robot.effort_limit, [np.inf, 5.0, 13.0, np.inf])


def test_friction_of_a_joint_is_that_of_both_directions():
    robot = rne.load_mjcf(SOUND["drives"])
    np.testing.assert_allclose(rne.friction_torque(robot, [1.0, 0.0]), [0.9, 0.0])
    np.testing.assert_allclose(rne.friction_torque(robot, [-1.0, 0.0]), [-0.9, 0.0])
    tendon = rne.load_mjcf(SOUND["a tendon on one joint"]).joint("q").drive
    assert tendon.coulomb_plus == tendon.coulomb_minus == 1.5


def test_a_joint_that_an_equality_holds_is_fixed_there():
    text = model(TWO, '<equality><joint joint1="q" polycoef="0.4 0 0 0 0"/></equality>')
    robot = rne.load_mjcf(text)
    free = rne.load_mjcf(model(TWO), lock={"q": 0.4})
    assert robot.joint_names == free.joint_names == ("p",)
    assert rne.gravity_vector(robot, [0.3]) == rne.gravity_vector(free, [0.3])


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.parent.name)
def test_written_robots_come_back(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rne.ModelWarning)
        robot = rne.load(path)
        again = rne.load_mjcf(robot.to_mjcf())
    assert again.joint_names == robot.joint_names
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, robot.n))
    wanted = rne.inverse_dynamics(robot, q, qd, qdd) + robot.damping @ qd
    found = rne.inverse_dynamics(again, q, qd, qdd) + again.damping @ qd
    np.testing.assert_allclose(found, wanted, rtol=0, atol=CLOSE * max(np.abs(wanted).max(), 1e-300))


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
DOUBTS = {
    "a free joint": (model(FREE), r"joint 'floating': a free joint, by which 'base' floats"),
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


def test_a_base_that_floats_is_held_where_it_stands():
    with pytest.warns(rne.ModelWarning, match="held where it stands"):
        robot = rne.load_mjcf(model(FREE), strict=False)
    assert max(gaps(compiled(model(FREE)), robot)) < CLOSE
    np.testing.assert_array_equal(rne.forward_kinematics(robot, [0.0], "base")[:3, 3], [0, 0, 1])


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
