"""MJCF texts of the project's own, for tests of the reader."""

from __future__ import annotations


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
