"""Xacro files: the expanded robot is the one that the program of ROS prints, and what goes wrong is told."""

import subprocess
import sys
import threading

import numpy as np
import pinocchio as pin
import pytest

import rne
from rne.errors import ArgumentError, ModelError, RneError
from rne.read import read

ARM = """<?xml version="1.0"?>
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="mass" default="2.0"/>
  <xacro:arg name="long" default="False"/>
  <xacro:property name="reach" value="${0.8 if $(arg long) else 0.4}"/>
  <xacro:include filename="parts/link.xacro"/>
  <link name="base"/>
  <xacro:bar name="upper" mass="$(arg mass)" reach="${reach}"/>
  <joint name="turn" type="continuous"><parent link="base"/><child link="upper"/>
    <origin rpy="0.3 ${pi/3} 0"/><axis xyz="0 1 0"/></joint>
</robot>
"""
PART = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="bar" params="name mass reach">
    <link name="${name}"><inertial><origin xyz="0 0 ${reach/2}"/><mass value="${mass}"/>
      <inertia ixx="${mass*reach**2/12}" ixy="0" ixz="0" iyy="${mass*reach**2/12}" iyz="0" izz="0"/></inertial></link>
  </xacro:macro>
</robot>
"""


@pytest.fixture
def arm(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/link.xacro").write_text(PART)
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(ARM)
    return path


def expanded(path, *args: str) -> str:
    """What the command of xacro prints."""
    command = [sys.executable, "-c", "import xacro; xacro.main()", str(path), *args]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, []),
        ({"mass": 3.5}, ["mass:=3.5"]),
        ({"mass": "1", "long": True}, ["mass:=1", "long:=True"]),
        ({"long": np.float64(0)}, ["long:=0.0"]),
    ],
)
def test_torques_are_those_of_the_expanded_file(arm, given, words):
    robot = rne.load(arm, args=given)
    model = pin.buildModelFromXML(expanded(arm, *words))
    q = np.array([0.7])
    wanted = pin.rnea(model, model.createData(), np.array([np.cos(0.7), np.sin(0.7)]), np.zeros(1), np.ones(1))
    np.testing.assert_allclose(rne.inverse_dynamics(robot, q, [0.0], [1.0]), wanted, rtol=1e-12)


def test_lines_are_those_of_the_expanded_text(arm):
    arm.write_text(ARM.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>'))
    with pytest.raises(ModelError) as caught:
        rne.load(arm, args={})
    (problem,) = caught.value.problems
    assert problem.where == f"{arm} (expanded)"
    assert '<axis xyz="0 0 0"/>' in expanded(arm).splitlines()[problem.line - 1]


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        ({"maas": 1}, "args: .* asks for no argument 'maas'; did you mean 'mass'?"),
        ({"color": "red"}, "args: .* asks for no argument 'color'; it asks for long, mass"),
        ({"mass": [1]}, r"args\['mass'\]: wanted text, a number or a boolean, got list"),
        ({1: "1"}, "args: wanted names as text, got 1"),
        (["mass"], "args: wanted a mapping from name to value, got list"),
    ],
)
def test_wrong_arguments(arm, args, wanted):
    with pytest.raises(ArgumentError, match=wanted):
        rne.load(arm, args=args)


def test_arguments_are_for_xacro_alone():
    with pytest.raises(ArgumentError, match="args: only xacro files take arguments"):
        rne.load("models/panda/robot.urdf", args={"mass": 1})


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ('default="2.0"/>', "/>", "xacro:arg: missing attribute 'default'"),
        ("$(arg mass)", "$(arg weight)", "Undefined substitution argument weight"),
        ("${pi/3}", "${pi/0}", "division by zero"),
        ("${pi/3}", "${wheel}", "'wheel' is not defined"),
        ("${pi/3}", "${pi", "pi"),
        ("parts/link.xacro", "parts/bolt.xacro", "bolt.xacro"),
        ("parts/link.xacro", "$(find nowhere_description)/a.xacro", "nowhere_description"),
        ("</robot>", "", "no element found"),
        ("<xacro:bar", "<xacro:rod", "xacro:rod"),
    ],
)
def test_what_cannot_be_expanded(arm, old, new, wanted):
    assert ARM.count(old) == 1
    arm.write_text(ARM.replace(old, new))
    with pytest.raises(ModelError) as caught:
        rne.load(arm, args={})
    assert str(caught.value).startswith(str(arm))
    assert wanted in str(caught.value)


def test_a_macro_that_never_ends(arm):
    loop = '<xacro:macro name="l"><xacro:l/></xacro:macro><xacro:l/></robot>'
    arm.write_text(ARM.replace("</robot>", loop))
    with pytest.raises(ModelError, match="cannot expand"):
        rne.load(arm, args={})


def test_packages_are_found_in_the_folders_around(tmp_path):
    for name, mass in ("one", 1.0), ("two", 2.0):  # a package of the same name elsewhere must not come in
        folder = tmp_path / name / "arm_description"
        (folder / "urdf").mkdir(parents=True)
        (folder / "package.xml").write_text("<package><name>arm_description</name></package>")
        (folder / "urdf/link.xacro").write_text(PART)
        text = ARM.replace("parts/link", "$(find arm_description)/urdf/link").replace('"2.0"', f'"{mass}"')
        (folder / "urdf/arm.urdf.xacro").write_text(text)
        (folder / "urdf/link.xacro").write_text(PART.replace("${mass}", f"{mass}"))
        assert rne.load(folder / "urdf/arm.urdf.xacro", args={}).total_mass == mass


def test_warnings_of_xacro_are_passed_on(arm):
    arm.write_text(ARM.replace('default="2.0"/>', 'default="2.0" unit="kg"/>'))
    assert any("unknown attribute(s): unit" in note.what for note in read(arm, args={}).notes)


def test_missing_file(tmp_path):
    with pytest.raises(ModelError, match=r"none\.xacro: cannot read the file"):
        rne.load(tmp_path / "none.xacro", args={})


def test_missing_extra(arm, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(RneError, match=r"pip install 'rne\[xacro\]'"):
        rne.load(arm, args={})


def test_threads_do_not_meet(arm):
    masses = {}
    threads = [
        threading.Thread(target=lambda m=m: masses.update({m: rne.load(arm, args={"mass": m}).total_mass}))
        for m in range(1, 9)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert masses == {m: m for m in range(1, 9)}


def test_no_program_is_run_that_nobody_asked_to_run(arm, monkeypatch):
    monkeypatch.setattr("rne.read.read_xacro", lambda *_, **__: pytest.fail("expanded"))
    with pytest.raises(ModelError, match=r"this is xacro, not yet URDF; expand it first: .*args=\{\}"):
        rne.load(arm)


def test_what_xacro_says_twice_or_on_many_lines_is_told_once_on_one(tmp_path):
    head = '<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    path = tmp_path / "a.urdf.xacro"
    path.write_text(f'{head}<xacro:include filename="none.xacro"/></robot>')
    with pytest.raises(ModelError) as caught:
        rne.load(path, args={})
    assert str(caught.value).endswith("none.xacro: No such file or directory")
    assert str(caught.value).count("No such file") == 1
    path.write_text(f'{head}<xacro:property name="m" value="${{mass*2}}"/><link name="${{m}}"/></robot>')
    with pytest.raises(ModelError, match="name 'mass' is not defined; when evaluating") as caught:
        rne.load(path, args={})
    assert "\n" not in str(caught.value)
