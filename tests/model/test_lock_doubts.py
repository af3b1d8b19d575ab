"""Positions of locked joints that are likely in degrees or millimeters, or beyond the limits, are doubted."""

import math
import warnings

import pytest

import rne
from rne.read.urdf.reader import read_urdf

TEXT = """<robot name="r"><link name="base"/>{}</robot>"""
PART = """<link name="{n}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
</inertial></link><joint name="{n}" type="{kind}"><parent link="base"/><child link="{n}"/>{limit}</joint>"""
ROBOT = TEXT.format(
    PART.format(n="turn", kind="revolute", limit='<limit lower="-1.5708" upper="1.5708" effort="1" velocity="1"/>')
    + PART.format(n="slide", kind="prismatic", limit='<limit lower="0" upper="0.04" effort="1" velocity="1"/>')
    + PART.format(n="free", kind="continuous", limit="")
    + PART.format(n="rail", kind="prismatic", limit="")
    + PART.format(n="odd", kind="revolute", limit='<limit lower="1" upper="-1" effort="1" velocity="1"/>')
)


def said(**values: float) -> list[str]:
    with warnings.catch_warnings(record=True, action="always") as caught:
        robot = rne.load_urdf(ROBOT, lock=values)
    assert not set(values) & set(robot.joint_names)
    loaded = [str(w.message) for w in caught if str(w.message).startswith("lock")]
    with warnings.catch_warnings(record=True, action="always") as caught:
        rne.Robot(read_urdf(ROBOT)).with_locked(values)
    assert [str(w.message).replace("values[", "lock[") for w in caught] == loaded
    assert {w.filename for w in caught} <= {__file__}
    return loaded


@pytest.mark.parametrize(
    "values",
    [
        {"turn": 1.5},
        {"turn": math.pi / 2},  # the limit has four digits
        {"slide": 0.04},
        {"free": 2 * math.pi},
        {"rail": 5.0},
        {"odd": 0.5},  # within limits that stand there in the wrong order
    ],
)
def test_sound_positions(values):
    assert said(**values) == []


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ({"turn": 2.0}, "lock['turn'] = 2 lies outside the limits of the joint, -1.5708 to 1.5708 rad; if degrees"),
        ({"turn": 90.0}, "if degrees are meant, it is 1.5708 rad"),
        ({"slide": 20.0}, "outside the limits of the joint, 0 to 0.04 m; if mm are meant, it is 0.02 m"),
        ({"free": -45.0}, "lock['free'] = -45 rad is far for a joint; if degrees are meant, it is -0.785398 rad"),
        ({"rail": 350.0}, "lock['rail'] = 350 m is far for a joint; if mm are meant, it is 0.35 m"),
    ],
)
def test_doubtful_positions(values, wanted):
    (message,) = said(**values)
    assert wanted in message


def test_what_fits_no_other_unit_gets_no_advice():
    (message,) = said(slide=900.0)
    assert message == "lock['slide'] = 900 lies outside the limits of the joint, 0 to 0.04 m"
