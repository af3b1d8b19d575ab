"""What a URDF says and a reader cannot follow is told: loops, versions, names; and who moves mass is judged rightly."""

from __future__ import annotations

import numpy as np
import pytest
from sound_urdf import GOOD, changed

import rne
from rne.read.dh.reader import tree_from_rows
from rne.read.urdf.reader import read_urdf

HEAVY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def words(tree) -> str:
    return "\n".join(note.what for note in tree.notes)


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("</robot>", '<loop_joint name="l" type="revolute"/></robot>', "<loop_joint> closes a kinematic loop"),
        ("</robot>", '<loop_link name="l"/></robot>', "<loop_link> closes a kinematic loop"),
        ('<robot name="r">', '<robot name="r" version="2.0">', "version '2.0' of URDF is not known"),
        ('<robot name="r">', '<robot name="r" version="">', "version '' of URDF is not known"),
        ('<robot name="r">', "<robot>", "the robot has no name"),
        ('<robot name="r">', '<robot name=" ">', "the robot has no name"),
    ],
)
def test_what_is_passed_over_is_told(old, new, wanted):
    (note,) = read_urdf(changed(old, new)).notes
    assert wanted in note.what
    assert note.line == (1 if "<robot" in old else 12)
    with pytest.warns(rne.ModelWarning, match=wanted.split("'")[0]):
        rne.load_urdf(changed(old, new))


@pytest.mark.parametrize("version", ["1.0", "1"])
def test_the_version_that_is_read_is_not_worth_a_word(version):
    assert read_urdf(changed('<robot name="r">', f'<robot name="r" version="{version}">')).notes == ()


def finger(leader_link: str, follower_link: str, multiplier: float = 1.0, tail: str = "") -> str:
    return f"""<robot name="r"><link name="base"/>
      <link name="a">{leader_link}</link><link name="b">{follower_link}</link>
      <joint name="lead" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/></joint>
      <joint name="follow" type="prismatic"><parent link="base"/><child link="b"/><axis xyz="0 1 0"/>
      <mimic joint="lead" multiplier="{multiplier}"/></joint>{tail}</robot>"""


CHAIN = f"""<link name="c">{HEAVY}</link><joint name="last" type="prismatic"><parent link="base"/><child link="c"/>
  <axis xyz="0 0 1"/><mimic joint="follow" multiplier="2"/></joint>"""


@pytest.mark.parametrize(
    ("text", "mass"),
    [
        (finger("", HEAVY), 1.0),  # the mass is on the follower alone
        (finger(HEAVY, ""), 1.0),
        (finger("", HEAVY, -2.0), 4.0),
        (finger("", "", 3.0, CHAIN), 36.0),  # and on the follower of a follower
    ],
)
def test_a_coordinate_that_moves_mass_by_any_joint_is_not_massless(text, mass, tmp_path):
    tree = read_urdf(text)
    assert "singular" not in words(tree)
    assert {note.element for note in tree.notes} <= {"joint 'follow'"}  # which moves none itself, and does no harm
    assert rne.mass_matrix(rne.Robot(tree), [0.2]).tolist() == [[mass]]
    path = tmp_path / "finger.urdf"
    path.write_text(text)
    massless = [finding for finding in rne.diagnose(path).findings if finding.code == "massless"]
    assert {finding.element for finding in massless} <= {"joint 'follow'"}


@pytest.mark.parametrize("text", [finger("", ""), finger("", HEAVY, 0.0), finger("", "", 0.0, CHAIN)])
def test_a_coordinate_that_moves_no_mass_is_singular(text, tmp_path):
    (note,) = (note for note in read_urdf(text).notes if "singular" in note.what)
    assert (note.element, note.code) == ("joint 'lead'", "massless")
    assert "so the joint moves none, nor do its mimic joints" in note.what
    with pytest.raises(rne.SingularError), pytest.warns(rne.ModelWarning):
        rne.forward_dynamics(rne.load_urdf(text), [0.0], tau=[1.0])
    path = tmp_path / "finger.urdf"
    path.write_text(text)
    assert "joint 'lead'" in [f.element for f in rne.diagnose(path).findings if f.code == "massless"]


def test_a_rotor_is_mass_enough():
    row = {"joint": "revolute", "a": 1.0}
    assert "has mass" in words(tree_from_rows([row], convention="standard"))
    assert tree_from_rows([row | {"rotor_inertia": 0.1, "gear_ratio": 2.0}], convention="standard").notes == ()
    robot = rne.from_dh([row | {"rotor_inertia": 0.1, "gear_ratio": 2.0}], convention="standard")
    np.testing.assert_allclose(rne.forward_dynamics(robot, [0.0], tau=[2.0]), [5.0])


def test_good_is_good():
    assert read_urdf(GOOD).notes == ()
