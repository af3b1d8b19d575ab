"""A sound URDF text to spoil, and the error that comes then."""

from __future__ import annotations

import pytest

from rne.errors import ModelError
from rne.read.urdf.reader import read_urdf

GOOD = """<robot name="r">
<link name="base"/>
<link name="arm">
  <inertial><origin xyz="0 0 0.1" rpy="0 0 0"/><mass value="1.5"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial>
</link>
<joint name="turn" type="revolute">
  <parent link="base"/><child link="arm"/>
  <origin xyz="0 0 0.2" rpy="0 0 0"/><axis xyz="0 1 0"/>
  <limit lower="-3" upper="3" effort="100" velocity="10"/><dynamics damping="1" friction="2"/>
</joint>
</robot>"""


def refusal(text: str | bytes, *, strict: bool = False) -> ModelError:
    """Return the error; not strict unless asked, so that only what is always refused counts."""
    with pytest.raises(ModelError) as caught:
        read_urdf(text, strict=strict)
    return caught.value


def changed(old: str, new: str) -> str:
    """Return the sound text with one part of it, which stands there once, exchanged."""
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)
