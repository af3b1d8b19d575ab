"""Robots of our own making, small enough to read, for tests that need names and no surprises."""

from __future__ import annotations

import numpy as np

import rne

# Six joints in file order, one a slide, with turned inertials, skew axes, and a tool bolted on behind the last.
ARM = """<robot name="arm">
  <link name="floor"/>
  <link name="pillar"><inertial><origin xyz="0.01 -0.02 0.21" rpy="0.1 0.2 0.3"/><mass value="6.1"/>
    <inertia ixx="0.15" ixy="0.004" ixz="-0.006" iyy="0.13" iyz="0.003" izz="0.04"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0.19 0.03 -0.01" rpy="0 1.5707963267948966 0"/><mass value="4.3"/>
    <inertia ixx="0.02" ixy="0.001" ixz="0.002" iyy="0.11" iyz="-0.004" izz="0.1"/></inertial></link>
  <link name="boom"><inertial><origin xyz="-0.2 0 0.05"/><mass value="2.2"/>
    <inertia ixx="0.01" ixy="0" ixz="0.003" iyy="0.05" iyz="0" izz="0.05"/></inertial></link>
  <link name="wrist"><inertial><origin xyz="0.01 0.02 0.03" rpy="-0.7 0.4 1.1"/><mass value="0.9"/>
    <inertia ixx="0.002" ixy="0.0002" ixz="0.0001" iyy="0.0025" iyz="-0.0003" izz="0.0015"/></inertial></link>
  <link name="knuckle"><inertial><origin xyz="0 0.01 0"/><mass value="0.5"/>
    <inertia ixx="0.0007" ixy="0" ixz="0" iyy="0.0006" iyz="0.0001" izz="0.0009"/></inertial></link>
  <link name="hand"><inertial><origin xyz="0.02 0 0.06"/><mass value="0.4"/>
    <inertia ixx="0.0005" ixy="0.0001" ixz="0" iyy="0.0006" iyz="0" izz="0.0004"/></inertial></link>
  <link name="tool"><inertial><origin xyz="0 0.03 0.1" rpy="0.2 0 0"/><mass value="0.7"/>
    <inertia ixx="0.003" ixy="0" ixz="0.0004" iyy="0.003" iyz="0" izz="0.0008"/></inertial></link>
  <joint name="turret" type="continuous"><parent link="floor"/><child link="pillar"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.05 -0.1 0.4"/><axis xyz="0 0 1"/>
    <dynamics damping="0.8" friction="1.5"/></joint>
  <joint name="shoulder" type="revolute"><parent link="pillar"/><child link="upper"/>
    <origin xyz="0.05 0 0.4" rpy="1.5707963267948966 0 0"/><axis xyz="0 0 -1"/>
    <limit lower="-2" upper="1.5" velocity="2.5" effort="120"/><dynamics damping="0.4"/></joint>
  <joint name="reach" type="prismatic"><parent link="upper"/><child link="boom"/>
    <origin xyz="0.4 0.02 0" rpy="0 1.2 0"/><axis xyz="0.1 0.2 1"/>
    <limit lower="-0.3" upper="0.5" velocity="0.8" effort="300"/><dynamics friction="4"/></joint>
  <joint name="roll" type="revolute"><parent link="boom"/><child link="wrist"/>
    <origin xyz="0.1 0 0.3" rpy="0.3 0.2 0.1"/><axis xyz="1 1 0"/>
    <limit lower="-3" upper="3" velocity="4" effort="30"/></joint>
  <joint name="pitch" type="revolute"><parent link="wrist"/><child link="knuckle"/>
    <origin xyz="0 0.05 0.08"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="5" effort="20"/></joint>
  <joint name="yaw" type="revolute"><parent link="knuckle"/><child link="hand"/>
    <origin xyz="0 0 0.06" rpy="0 0 -1.5707963267948966"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" velocity="6" effort="10"/></joint>
  <joint name="mount" type="fixed"><parent link="hand"/><child link="tool"/>
    <origin xyz="0.01 0 0.1" rpy="0.4 -0.3 0.9"/></joint>
</robot>"""

# A wrist with two fingers, one following the other the other way round, declared before it.
GRIPPER = """<robot name="gripper">
  <link name="arm"/>
  <link name="palm"><inertial><origin xyz="0 0 0.04"/><mass value="0.6"/>
    <inertia ixx="0.001" ixy="0" ixz="0.0001" iyy="0.0008" iyz="0" izz="0.0007"/></inertial></link>
  <link name="left"><inertial><origin xyz="0.01 0 0.02"/><mass value="0.1"/>
    <inertia ixx="0.00002" ixy="0" ixz="0" iyy="0.00002" iyz="0" izz="0.00001"/></inertial></link>
  <link name="right"><inertial><origin xyz="-0.01 0 0.02"/><mass value="0.12"/>
    <inertia ixx="0.00002" ixy="0" ixz="0" iyy="0.00002" iyz="0" izz="0.00001"/></inertial></link>
  <joint name="right_finger" type="prismatic"><parent link="palm"/><child link="right"/><origin xyz="-0.03 0 0.08"/>
    <axis xyz="1 0 0"/><limit lower="-0.05" upper="0" velocity="0.2" effort="20"/>
    <mimic joint="left_finger" multiplier="-1.5" offset="0.01"/></joint>
  <joint name="turn" type="revolute"><parent link="arm"/><child link="palm"/><origin xyz="0 0 0.1" rpy="1 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="3" effort="5"/></joint>
  <joint name="left_finger" type="prismatic"><parent link="palm"/><child link="left"/><origin xyz="0.03 0 0.08"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.05" velocity="0.2" effort="20"/></joint>
</robot>"""


def arm(**options: object) -> rne.Robot:
    """Return the arm; options as for `rne.load_urdf`."""
    return rne.load_urdf(ARM, **options)  # type: ignore[arg-type]


def gripper(**options: object) -> rne.Robot:
    """Return the gripper."""
    return rne.load_urdf(GRIPPER, **options)  # type: ignore[arg-type]


def rod(**drive: float) -> rne.Robot:
    """A uniform rod of 1 m and 2 kg that hangs at q = 0, gravity along +x, with a drive."""
    inertia = np.diag([0.0, 2.0 / 12, 2.0 / 12])
    row = {"joint": "revolute", "a": 1.0, "mass": 2.0, "com": [-0.5, 0.0, 0.0], "inertia": inertia, **drive}
    return rne.from_dh([row], convention="standard", gravity=[9.81, 0.0, 0.0], name="rod")


def slide(**drive: float) -> rne.Robot:
    """A mass of 2 kg that slides along gravity."""
    row = {"joint": "prismatic", "mass": 2.0, **drive}
    return rne.from_dh([row], convention="modified", gravity=[0.0, 0.0, 9.81], name="slide")


def coupled(own, followers, ratio, offset=0.0, speed=(10.0, 10.0)):
    """Text of a URDF: a joint, and one that follows it, with their position and velocity limits."""
    inertial = '<inertial><mass value="1"/><origin xyz=".1 .2 0"/>'
    inertial += '<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = f'<link name="a"/><link name="b">{inertial}</link><link name="c">{inertial}</link>'

    def limited(parent, child, bounds, velocity, more):
        limit = f'<limit lower="{bounds[0]}" upper="{bounds[1]}" velocity="{velocity}" effort="9"/>'
        ends = f'<parent link="{parent}"/><child link="{child}"/><axis xyz="0 0 1"/>'
        return f'<joint name="to_{child}" type="revolute">{ends}{limit}{more}</joint>'

    mimic = f'<mimic joint="to_b" multiplier="{ratio}" offset="{offset}"/>'
    joints = limited("a", "b", own, speed[0], "") + limited("b", "c", followers, speed[1], mimic)
    return f'<robot name="pair">{links}{joints}</robot>'


def sledge(**drive):
    """Two bodies of 3 and 1 kg in space, which slide along each other."""
    builder = rne.TreeBuilder("sledge", base="hull")
    builder.add("frame", parent="hull", inertia=rne.Inertia.box(3.0, [0.3, 0.2, 0.1]))
    builder.add(
        "load", "prismatic", name="slide", parent="hull", axis=[1, 0, 0], inertia=rne.Inertia.box(1.0, [0.1, 0.1, 0.1]),
        limits=rne.Limits(-0.5, 0.5, effort=3.0),
    )  # fmt: skip
    return builder.robot(floating=True, gravity=[0, 0, 0]).with_drives({"slide": rne.Drive(**drive)})
