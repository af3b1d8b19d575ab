"""Robots with something to see."""

from __future__ import annotations

from pathlib import Path

import pytest
import trimesh

VISIBLE = """<robot name="visible">
  <material name="blue"><color rgba="0 0 1 0.5"/></material>
  <link name="base">
    <visual><origin xyz="0 0 0.1" rpy="0 0 1.5707963267948966"/><geometry><box size="0.1 0.2 0.3"/></geometry>
      <material name="blue"/></visual>
    <visual><geometry><mesh filename="package://shop/meshes/cube.stl" scale="0.1 0.2 0.3"/></geometry></visual>
    <visual><geometry><mesh filename="package://shop/meshes/lost.stl"/></geometry></visual>
    <collision><geometry><sphere radius="0.3"/></geometry></collision>
  </link>
  <link name="arm"><inertial><origin xyz="0 0 0.2"/><mass value="3"/>
    <inertia ixx="0.05" iyy="0.05" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><cylinder radius="0.05" length="0.4"/></geometry></visual>
    <visual><geometry><capsule radius="0.03" length="0.2"/></geometry></visual>
    <visual><geometry><sphere radius="0.06"/></geometry></visual></link>
  <link name="tip"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.3"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="2" velocity="3" effort="4"/></joint>
  <joint name="slide" type="prismatic"><parent link="arm"/><child link="tip"/><axis xyz="0 0 1"/>
    <limit lower="0.1" upper="0.5" velocity="1" effort="40"/></joint>
</robot>
"""


@pytest.fixture
def visible(tmp_path: Path) -> Path:
    """A URDF with all kinds of shapes, in a package with one mesh of two."""
    folder = tmp_path / "shop"
    (folder / "urdf").mkdir(parents=True)
    (folder / "meshes").mkdir()
    trimesh.creation.box((1, 1, 1)).export(folder / "meshes" / "cube.stl")
    path = folder / "urdf" / "robot.urdf"
    path.write_text(VISIBLE)
    return path
