"""What xacro left in a URDF: harmless, doubtful, or a robot that is not all there."""

from __future__ import annotations

import pytest
from sound_urdf import GOOD, changed
from strictness import LAST, assert_same, doubtful, let_pass

import rne
from rne.errors import ModelError

XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'


@pytest.mark.parametrize(
    "left",
    [
        '<xacro:property name="mass" value="${2 * pi}"/>',
        '<xacro:macro name="wheel" params="side"><link name="${side}_wheel"/></xacro:macro>',
        '<xacro:arg name="x" default="1"/><xacro:property name="a" value="1"/>',
        '<gazebo><xacro:sensor_plugin name="x"/></gazebo>',
    ],
)
def test_what_xacro_left_and_adds_nothing_is_noted(left):
    text = GOOD.replace('<robot name="r">', XACRO).replace("</robot>", left + "</robot>")
    assert_same(let_pass(text, "left over by xacro"), GOOD)


def test_the_namespace_of_xacro_alone_is_not_worth_a_word():
    assert rne.load_urdf(GOOD.replace('<robot name="r">', XACRO)).tree.notes == ()


def test_leftovers_in_shapes_are_noted_once():
    shape = '<visual><geometry><box size="1 1 1"/></geometry><xacro:grey/></visual>'
    text = GOOD.replace('<robot name="r">', XACRO).replace(
        '<link name="base"/>', f'<link name="base">{shape * 3}</link>'
    )
    (note,) = let_pass(text, "<xacro:grey> was left over by xacro").tree.notes
    assert note.line == 2


@pytest.mark.parametrize(
    "call",
    [
        "<xacro:wheel_controller/>",
        '<xacro:include filename="$(find x)/materials.xacro"/>',
        '<xacro:macro name="gauge"><sensor/></xacro:macro><xacro:gauge/>',
        '<xacro:if value="$(arg gazebo)"><gazebo/></xacro:if>',
        '<xacro:insert_block name="origin"/>',
    ],
)
def test_a_call_of_xacro_that_adds_no_joint(call):
    text = GOOD.replace('<robot name="r">', XACRO).replace("</robot>", call + "</robot>")
    assert_same(doubtful(text, "this is xacro, not yet URDF; what it stands for would be missing"), GOOD)


@pytest.mark.parametrize("prefix", ["xacro", "x"])
@pytest.mark.parametrize(
    "call",
    [
        '<P:macro name="wheel"><link name="${n}"/></P:macro><P:wheel n="left"/>',
        '<P:macro name="wheel"><P:part/></P:macro><P:macro name="part"><joint name="${n}"/></P:macro><P:wheel/>',
        '<P:unless value="$(arg fixed)"><joint name="j" type="fixed"/></P:unless>',
        '<P:if value="1"><P:if value="1"><link name="x"/></P:if></P:if>',
    ],
)
def test_a_call_of_xacro_that_adds_links_or_joints_is_always_refused(prefix, call):
    text = GOOD.replace('name="r"', f'name="r" xmlns:{prefix}="http://www.ros.org/wiki/xacro"')
    text = text.replace("</robot>", call.replace("P:", f"{prefix}:") + "</robot>")
    for strict in (True, False):
        with pytest.raises(ModelError, match="this is xacro, not yet URDF, and stands for links or joints") as caught:
            rne.load_urdf(text, strict=strict)
        assert LAST not in str(caught.value)


def test_macros_that_call_each_other_come_to_an_end():
    ring = "".join(f'<xacro:macro name="m{k}"><xacro:m{(k + 1) % 3}/></xacro:macro>' for k in range(3))
    text = GOOD.replace('<robot name="r">', XACRO).replace("</robot>", ring + "<xacro:m0/></robot>")
    doubtful(text, "what it stands for would be missing")


def test_an_expression_in_a_value_is_always_refused():
    for strict in (True, False):
        with pytest.raises(ModelError, match="is an expression of xacro") as caught:
            rne.load_urdf(changed('value="1.5"', 'value="${mass}"'), strict=strict)
        assert LAST not in str(caught.value)
