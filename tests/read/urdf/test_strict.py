"""What strict loading refuses, lenient loading warns of, and both let pass: each row of the table in docs/robots.md."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pinocchio as pin
import pytest
from sound_urdf import GOOD, changed

import rne
from rne.errors import ModelError
from rne.model.sampling import random_positions
from rne.read.urdf.reader import read_urdf

MOTION = [0.3], [1.0], [2.0]
LAST = "strict=False (--no-strict) loads the robot all the same, with a warning in place of each error"
XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
INERTIA = '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/>'
FINGER = """<link name="tip"><inertial><mass value="0.1"/>{inertia}</inertial></link>
<joint name="bend" type="revolute"><parent link="arm"/><child link="tip"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/>{mimic}</joint></robot>"""


def refused(text: str, wanted: str) -> ModelError:
    """Strict loading refuses the text, and says that lenient loading would take it."""
    with pytest.raises(ModelError, match=re.escape(wanted)) as caught:
        rne.load_urdf(text)
    assert str(caught.value).splitlines()[-1] == LAST
    assert caught.value.loads_leniently
    return caught.value


def warned(text: str, wanted: str, *, strict: bool) -> rne.Robot:
    """Loading warns, in these words among others."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        robot = rne.load_urdf(text, strict=strict)
    assert any(wanted in str(warning.message) for warning in caught)
    assert {warning.category for warning in caught} == {rne.ModelWarning}
    return robot


def doubtful(text: str, wanted: str) -> rne.Robot:
    """An error when strict, a warning when not; return the lenient robot."""
    refused(text, wanted)
    return warned(text, wanted, strict=False)


def let_pass(text: str, wanted: str) -> rne.Robot:
    """A warning, strict or not."""
    warned(text, wanted, strict=False)
    return warned(text, wanted, strict=True)


def assert_same(robot: rne.Robot, text: str) -> None:
    """The robot is that of another text, which loads without a word; the torques of that are Pinocchio's."""
    other = rne.load_urdf(text)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, other.n))
    assert robot.joint_names == other.joint_names
    tau = rne.inverse_dynamics(robot, q, qd, qdd)
    np.testing.assert_array_equal(tau, rne.inverse_dynamics(other, q, qd, qdd))
    if other.n == len(re.findall('type="revolute"', text)):
        model = pin.buildModelFromXML(text)
        np.testing.assert_allclose(tau, pin.rnea(model, model.createData(), q, qd, qdd), rtol=1e-11, atol=1e-13)


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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("</joint>", "<traits/></joint>"),
        ("</robot>", '<RefLink ref="arm"/></robot>'),
        ("</robot>", "<lines_of/><point_cloud/></robot>"),
        ("<inertial>", "<visuals/><inertial>"),
    ],
)
def test_unknown_elements_are_noted(old, new):
    assert_same(let_pass(changed(old, new), "is ignored"), GOOD)


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [
        ("</joint>", '<mimik joint="x"/></joint>', "mimic"),
        ("</joint>", '<dinamics damping="3"/></joint>', "dynamics"),
        ("</robot>", "<Jiont/></robot>", "joint"),
        ("</robot>", "<lnk/></robot>", "link"),
    ],
)
def test_elements_misspelt_by_one_or_two_letters(old, new, meant):
    assert_same(doubtful(changed(old, new), f"(did you mean {meant!r}?)"), GOOD)


def test_an_axis_turned_by_nothing_is_noted_once():
    text = GOOD.replace('<axis xyz="0 1 0"/>', '<axis rpy="0 0 0" xyz="0 1 0"/>')
    more = FINGER.format(inertia=INERTIA, mimic="").replace("<axis", '<axis rpy="0 -0 0.0"')
    (note,) = let_pass(text.replace("</robot>", more), "it turns by nothing here").tree.notes
    assert "(and 1 times more)" in note.what
    assert_same(rne.Robot(let_pass(text, "it turns by nothing").tree), GOOD)


def test_an_axis_turned_by_something():
    assert_same(doubtful(changed('xyz="0 1 0"', 'xyz="0 1 0" rpy="0 0 1"'), "<axis> has no attribute 'rpy'"), GOOD)


@pytest.mark.parametrize("mirrored", ['iyx="0.001"', 'iyx="1e-3" izx="0" izy="-0"'])
def test_mirrored_products_that_are_equal_are_noted(mirrored):
    text = changed('ixy="0"', f'ixy="0.001" {mirrored}')
    assert_same(let_pass(text, "it equals 'ixy' here and is ignored"), changed('ixy="0"', 'ixy="0.001"'))


def test_mirrored_products_that_differ():
    text = changed('ixy="0"', 'ixy="0.001" iyx="-0.001"')
    assert_same(doubtful(text, "<inertia> has no attribute 'iyx'"), changed('ixy="0"', 'ixy="0.001"'))


@pytest.mark.parametrize(
    ("old", "new", "same", "wanted"),
    [
        ('<axis xyz="0 1 0"/>', '<axis xzy="0 1 0"/>', '<axis xyz="1 0 0"/>', "(did you mean 'xyz'?)"),
        ('<axis xyz="0 1 0"/>', "<axis/>", "", "<axis> has no attribute 'xyz'"),
        ('rpy="0 0 0"/><mass', 'rpi="1 0 0"/><mass', "/><mass", "(did you mean 'rpy'?)"),
        ('effort="100"', 'efort="100"', 'effort="1"', "(did you mean 'effort'?)"),
    ],
)
def test_misspelt_and_missing_attributes(old, new, same, wanted):
    assert_same(doubtful(changed(old, new), wanted), changed(old, same))


def test_what_is_misspelt_where_it_has_no_effect_is_noted():
    text = GOOD.replace("</robot>", FINGER.format(inertia=INERTIA, mimic="")).replace(
        '<joint name="bend" type="revolute">', '<joint name="bend" type="fixed">'
    )
    misspelt = text.replace('<axis xyz="0 1 0"/>\n<limit lower', '<axis xzy="0 1 0"/>\n<limit lover')
    assert misspelt.count("xzy") == 1
    assert_same(let_pass(misspelt, "(did you mean 'xyz'?)"), text)


def test_limits_that_cross():
    robot = let_pass(changed('lower="-3"', 'lower="4"'), "the lower limit 4 is above the upper limit 3")
    assert_same(robot, GOOD)
    q = random_positions(robot, 100, np.random.default_rng(0))
    assert q.min() >= 3
    assert q.max() <= 4


@pytest.mark.parametrize("stray", ["inertial", "origin"])
def test_stray_elements_under_the_robot(stray):
    inside = '<mass value="3"/>' if stray == "inertial" else ""
    text = GOOD.replace("</robot>", f"<{stray}>{inside}</{stray}></robot>")
    assert_same(let_pass(text, f"<{stray}> has no place in <robot> and is ignored"), GOOD)


INERTIAL = GOOD[GOOD.index("<inertial>") : GOOD.index("</link>\n<joint")]
JOINT = GOOD[GOOD.index("<joint") : GOOD.index("</robot>")]


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ('<axis xyz="0 1 0"/>', '<axis xyz="1 0 0"/>'),
        ('<mass value="1.5"/>', '<mass value="3"/>'),
        (INERTIAL, INERTIAL.replace('"1.5"', '"2.5"')),
        ('<link name="base"/>', '<link name="base"><inertial><mass value="1"/></inertial></link>'),
        (JOINT, JOINT.replace('xyz="0 1 0"', 'xyz="0 0 1"')),
    ],
    ids=["axis", "mass", "inertial", "link", "joint"],
)
def test_elements_that_stand_there_twice(part, other):
    assert GOOD.count(part) == 1
    wanted = "duplicate name" if part.startswith(("<link", "<joint")) else "stands here again"
    assert_same(let_pass(GOOD.replace(part, part + part), wanted), GOOD)
    assert_same(doubtful(GOOD.replace(part, part + other), wanted), GOOD)


def test_two_joints_of_one_name_between_different_links_are_always_refused():
    more = '<link name="hand"/><joint name="turn" type="fixed"><parent link="arm"/><child link="hand"/></joint></robot>'
    for strict in (True, False):
        with pytest.raises(ModelError, match="duplicate name"):
            rne.load_urdf(GOOD.replace("</robot>", more), strict=strict)


def without_inertia() -> str:
    return GOOD[: GOOD.index("<inertia ixx")] + GOOD[GOOD.index("</inertial>") :]


def test_a_mass_without_inertia_is_a_point():
    robot = doubtful(without_inertia(), "<inertial> has no <inertia>")
    body = robot.tree.bodies[1]
    assert body.mass == 1.5
    assert not np.any(body.inertia)
    assert rne.mass_matrix(robot, [0.0])[0, 0] == pytest.approx(1.5 * 0.1**2)


@pytest.mark.parametrize(
    ("left", "same"),
    [
        ('ixx="0.02" iyy="0.02" izz="0.01"', INERTIA),
        ('ixx="0.02" iyy="0.02" izz="0.01" iyx="0.003"', INERTIA.replace('ixy="0"', 'ixy="0.003"')),
    ],
)
def test_an_inertia_without_products(left, same):
    robot = doubtful(GOOD.replace(INERTIA, f"<inertia {left}/>"), "<inertia> has no attributes 'ixy', 'ixz', 'iyz'")
    assert_same(robot, GOOD.replace(INERTIA, same))


@pytest.mark.parametrize("lost", ["ixx", "iyy", "izz"])
def test_an_inertia_without_a_moment_is_always_refused(lost):
    for strict in (True, False):
        with pytest.raises(ModelError, match=f"has no attribute '{lost}'"):
            rne.load_urdf(re.sub(f' {lost}="[^"]*"', "", GOOD), strict=strict)


def test_negative_coulomb_friction_is_as_doubtful_as_negative_viscous_friction():
    robot = doubtful(changed('friction="2"', 'friction="-2"'), "the Coulomb friction -2 is negative")
    assert rne.friction_torque(robot, [3.0]) == pytest.approx([3.0 - 2.0])
    robot = doubtful(changed('damping="1"', 'damping="-1"'), "the viscous friction -1 is negative")
    assert rne.friction_torque(robot, [3.0]) == pytest.approx([-3.0 + 2.0])


@pytest.mark.parametrize(("leader", "wanted"), [("trun", "(did you mean 'turn'?)"), ("bend", "mimics itself")])
def test_a_follower_of_nothing_is_independent(leader, wanted):
    text = GOOD.replace("</robot>", FINGER)
    robot = doubtful(text.format(inertia=INERTIA, mimic=f'<mimic joint="{leader}"/>'), wanted)
    assert robot.joint_names == ("turn", "bend")
    assert_same(robot, text.format(inertia=INERTIA, mimic=""))


def test_floating_joints_are_always_refused_and_say_why():
    for strict in (True, False):
        with pytest.raises(ModelError, match="type 'floating' is not supported: the base is at rest") as caught:
            rne.load_urdf(changed('type="revolute"', 'type="floating"'), strict=strict)
        assert LAST not in str(caught.value)


def test_an_indefinite_inertia():
    doubtful(changed('ixx="0.02"', 'ixx="-0.02"'), "the inertia is not positive semidefinite")


def test_one_error_that_stays_hides_the_way_out():
    text = GOOD.replace('friction="2"', 'friction="-2"').replace('xyz="0 1 0"', 'xyz="0 0 0"')
    with pytest.raises(ModelError) as caught:
        rne.load_urdf(text)
    assert len(caught.value.problems) == 2
    assert not caught.value.loads_leniently
    assert LAST not in str(caught.value)
    with pytest.raises(ModelError, match="the axis is zero"):
        rne.load_urdf(text, strict=False)


def test_the_way_out_survives_a_pickle():
    import pickle

    error = refused(without_inertia(), "has no <inertia>")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_rows_of_a_table_say_so_too():
    with pytest.raises(ModelError) as caught:
        rne.from_dh([{"joint": "revolute", "mass": 1.0, "coulomb": -2.0}], convention="standard")
    assert str(caught.value).splitlines()[-1] == LAST


def error_of(text: str, *, strict: bool) -> ModelError | None:
    try:
        read_urdf(text, strict=strict)
    except ModelError as error:
        return error
    return None


def test_texts_spoilt_at_random_keep_the_promise():
    """What strict loading says of lenient loading is so."""
    rng = np.random.default_rng(5)
    pieces = re.findall(r'<[^<>]*/>|[a-z_]+="[^"]*"', GOOD)
    told = {True: 0, False: 0}
    for _ in range(600):
        text = GOOD
        for piece in rng.choice(pieces, rng.integers(1, 3)):
            start = text.find(piece)
            kinds = ["", piece[:2] + piece[1:], piece.replace('"', '"-', 1)] + [piece * 2] * piece.startswith("<")
            spoilt = str(rng.choice(kinds))
            text = text[:start] + spoilt + text[start + len(piece) :]
        strict, lenient = error_of(text, strict=True), error_of(text, strict=False)
        if strict is not None:
            told[strict.loads_leniently] += 1
            assert strict.loads_leniently is (lenient is None)
        else:
            assert lenient is None
    assert min(told.values()) > 20


def test_distances_in_millimeters_are_doubted():
    warned(changed('xyz="0 0 0.2"', 'xyz="0 0 200"'), "lengths are in meters, divide millimeters by 1000", strict=True)
