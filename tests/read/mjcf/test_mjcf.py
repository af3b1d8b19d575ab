"""MJCF files move as MuJoCo moves them: `mj_inverse`, `mj_fullM` and the poses of bodies and sites are the oracle."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from oracles_mjcf import compiled, frame_gap, gaps
from own_mjcf import THREE, TWO, body, model
from written import MODELS

import rne

CLOSE = 1e-12


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
