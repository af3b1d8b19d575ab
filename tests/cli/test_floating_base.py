"""A base that floats on the command line: shown, fixed on request, and refused by what does not support it."""

from __future__ import annotations

import pytest
from trajectories import Run

ARM = """<link name="base"><inertial><mass value="3"/><inertia ixx=".1" iyy=".2" izz=".2" ixy="0" ixz="0" iyz="0"/>
</inertial></link><link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
<inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>"""
ROOT = """<link name="world"/><joint name="free" type="floating"><parent link="world"/><child link="base"/></joint>"""


@pytest.fixture
def flyer(tmp_path):
    path = tmp_path / "flyer.urdf"
    path.write_text(f'<robot name="flyer">{ROOT}{ARM}</robot>')
    return str(path)


@pytest.fixture
def motion(tmp_path):
    path = tmp_path / "motion.csv"
    path.write_text("q_turn\n0.1\n0.2\n")
    return str(path)


def test_info_says_so(run: Run, flyer) -> None:
    assert "flyer: 1 joint (1 revolute) on a floating base, 4 kg" in run("info", flyer).stdout
    assert "floating" not in run("info", flyer, "--fixed").stdout.splitlines()[0]


@pytest.mark.parametrize("command", ["id", "fd", "bench"])
def test_commands_refuse_it(run: Run, flyer, motion, command) -> None:
    files = [motion] if command in ("id", "fd") else []
    result = run(command, flyer, *files)
    assert result.exit_code != 0
    assert "the base of 'flyer' floats" in result.stderr


def test_check(run: Run, flyer) -> None:
    result = run("check", flyer, "--verify", "--samples", "3")
    assert result.exit_code == 0
    assert "verified: every identity holds" in result.stdout
    assert "base_vx" in run("check", flyer, "--verify", "--samples", "3", "--json").stdout


def test_torques_of_the_fixed_robot(run: Run, flyer, motion) -> None:
    result = run("id", flyer, motion, "--fixed")
    assert result.exit_code == 0
    assert float(result.stdout.splitlines()[1]) == pytest.approx(-0.2 * 9.81 * 0.995004165, rel=1e-6)


def test_an_arm_that_floats_on_request(run: Run, tmp_path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(f'<robot name="arm">{ARM}</robot>')
    assert "on a floating base" in run("info", str(path), "--floating").stdout
