"""A command line to call, and a robot with two coordinates, a mimic, a fixed link and something to warn of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from trajectories import Run, as_csv

import rne
from rne.cli import main

ROBOT = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>
    <inertia ixx="0.3" iyy="0.2" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="slider"><inertial><mass value="1.5"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"><inertial><mass value="0.25"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="wing"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" velocity="3" effort="4"/><dynamics damping="0.5" friction="0.25"/></joint>
  <joint name="slide" type="prismatic"><parent link="upper"/><child link="slider"/><axis xyz="1 0 0"/>
    <origin xyz="0 0 0.4"/><limit lower="0" upper="0.5" velocity="1" effort="100"/></joint>
  <joint name="mount" type="fixed"><parent link="slider"/><child link="tool"/><origin xyz="0 0 0.1"/></joint>
  <joint name="flap" type="continuous"><parent link="upper"/><child link="wing"/><axis xyz="0 0 1"/>
    <mimic joint="turn" multiplier="-2" offset="0.5"/></joint>
</robot>
"""


@pytest.fixture
def run() -> Run:
    """Call `rne` with arguments; an exception that is no exit fails the test."""

    def call(*arguments: object, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(main, [str(argument) for argument in arguments], stdin, catch_exceptions=False)

    return call


@pytest.fixture
def robot_file(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(ROBOT)
    return path


@pytest.fixture
def robot(robot_file: Path) -> rne.Robot:
    with pytest.warns(rne.ModelWarning):
        return rne.load(robot_file)


@pytest.fixture
def states() -> np.ndarray:
    """Seven rows of q, qd, qdd of `turn` and `slide`, with no short decimals."""
    return np.random.default_rng(7).normal(size=(7, 6))


@pytest.fixture
def motion(tmp_path: Path, states: np.ndarray) -> Path:
    path = tmp_path / "motion.csv"
    path.write_text(as_csv(states))
    return path
