"""The shapes of a URDF."""

from __future__ import annotations

import numpy as np
import pytest

import rne
from rne.read.urdf.geometry import read_geometry


def robot(*elements: str, top: str = "") -> str:
    return f'<robot name="r">{top}<link name="a">{"".join(elements)}</link></robot>'


def visual(shape: str, more: str = "", role: str = "visual") -> str:
    return f"<{role}>{more}<geometry>{shape}</geometry></{role}>"


@pytest.mark.parametrize(
    ("shape", "kind", "size", "half"),
    [
        ('<box size="1 2 3"/>', "box", (1, 2, 3), (0.5, 1, 1.5)),
        ('<sphere radius="2"/>', "sphere", (2,), (2, 2, 2)),
        ('<cylinder radius="0.5" length="4"/>', "cylinder", (0.5, 4), (0.5, 0.5, 2)),
        ('<capsule radius="0.5" length="4"/>', "capsule", (0.5, 4), (0.5, 0.5, 2.5)),
        ('<mesh filename="package://x/a.stl" scale="0.001 0.001 0.001"/>', "mesh", (1e-3,) * 3, None),
        ('<mesh filename="a.dae"/>', "mesh", (1, 1, 1), None),
    ],
)
def test_kinds(shape, kind, size, half) -> None:
    (found,) = read_geometry(robot(visual(shape)))
    assert (found.link, found.role, found.kind, found.size, found.half_extents) == ("a", "visual", kind, size, half)
    assert found.mesh == (shape.split('"')[1] if kind == "mesh" else "")


def test_poses_and_roles() -> None:
    origin = '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>'
    first, second = read_geometry(
        robot(visual('<sphere radius="1"/>', origin, "collision"), visual('<box size="1 1 1"/>'))
    )
    assert (first.role, second.role, first.origin.position) == ("collision", "visual", (1, 2, 3))
    assert np.array(first.origin.rotation) @ [1, 0, 0] == pytest.approx([0, 1, 0], abs=1e-15)
    assert second.origin.position == (0, 0, 0)


def test_colors() -> None:
    top = '<material name="blue"><color rgba="0 0 1 0.5"/></material>'
    ball = '<sphere radius="1"/>'
    shapes = read_geometry(
        robot(
            visual(ball, '<material name="blue"/>'),
            visual(ball, '<material name="own"><color rgba="1 0 0 1"/></material>'),
            visual(ball, '<material name="unknown"/>'),
            visual(ball),
            top=top,
        )
    )
    assert [shape.color for shape in shapes] == [(0, 0, 1, 0.5), (1, 0, 0, 1), None, None]


@pytest.mark.parametrize(
    "shape",
    [
        '<box size="1 2"/>',
        '<box size="1 2 zero"/>',
        '<sphere radius="-1"/>',
        '<cylinder radius="1"/>',
        '<mesh scale="1 1 1"/>',
        '<torus radius="1"/>',
        "",
    ],
)
def test_what_cannot_be_read_is_left_out(shape) -> None:
    """Alone: its neighbor is there, and the robot loads."""
    text = robot(visual(shape), visual('<sphere radius="1"/>'))
    assert [found.kind for found in read_geometry(text)] == ["sphere"]
    assert rne.load_urdf(text).n == 0


def test_what_is_no_xml_says_so() -> None:
    with pytest.raises(rne.ModelError, match="well-formed"):
        read_geometry("<robot")
