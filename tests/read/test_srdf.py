"""Named states of SRDF files."""

from __future__ import annotations

import numpy as np
import pytest

import rne

PANDA = """<?xml version="1.0"?>
<robot name="panda">
  <group name="arm"><chain base_link="panda_link0" tip_link="panda_link8"/></group>
  <group_state name="ready" group="arm">
    <joint name="panda_joint1" value="0"/> <joint name="panda_joint4" value="-2.356"/>
  </group_state>
  <group_state name="ready" group="hand">
    <joint name="panda_finger_joint1" value="0.035"/> <joint name="panda_finger_joint2" value="0.035"/>
  </group_state>
  <group_state name="open" group="hand"><joint name="panda_finger_joint1" value="4e-2"/></group_state>
  <virtual_joint name="v" type="fixed" parent_frame="world" child_link="panda_link0"/>
  <group_state name="far" group="base"><joint name="v" value="0 0 0"/></group_state>
</robot>
"""


def written(tmp_path, text):
    path = tmp_path / "panda.srdf"
    path.write_text(text)
    return path


def test_states_of_all_groups(tmp_path):
    states = rne.load_states(written(tmp_path, PANDA))
    assert list(states) == ["ready", "open", "far"]
    robot = rne.load("models/panda/robot.urdf").with_states(states)
    q, qd = robot.state("ready")
    np.testing.assert_array_equal(q, [0, 0, 0, -2.356, 0, 0, 0, 0.035])
    assert not qd.any()
    assert robot.state("open")[0][7] == 0.04
    locked = robot.with_locked({"panda_finger_joint1": 0.0})
    np.testing.assert_array_equal(locked.state("ready")[0], q[:7])


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        (
            'value="4e-2"',
            'value="4,0"',
            r"panda\.srdf:10: group_state 'open': the value of joint .* a decimal",
        ),
        ('value="4e-2"', "", "has no attribute 'value'"),
        ('<group_state name="open"', "<group_state", "has no attribute 'name'"),
        ("panda_finger_joint2", "panda_joint4", "joint 'panda_joint4' stands at 0.035 here, and at -2.356 before"),
        ("</robot>", "", "not well-formed XML"),
        ("robot", "sdf", "the outermost element of SRDF is <robot>"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, old, new, wanted):
    assert old in PANDA
    with pytest.raises(rne.ModelError, match=wanted):
        rne.load_states(written(tmp_path, PANDA.replace(old, new)))


def test_joints_that_the_robot_does_not_have_are_refused(tmp_path):
    states = rne.load_states(written(tmp_path, PANDA.replace('"panda_joint4"', '"panda_joint44"')))
    with pytest.raises(
        rne.UnknownNameError, match=r"states\['ready'\]: no joint is named 'panda_joint44'; did you mean"
    ):
        rne.load("models/panda/robot.urdf").with_states(states)
