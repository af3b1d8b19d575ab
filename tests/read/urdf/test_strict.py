"""What strict loading refuses, lenient loading warns of, and both let pass: each row of the table in docs/robots.md."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sound_urdf import GOOD, changed
from strictness import LAST, assert_same, doubtful, let_pass, refused, warned

import rne
from rne.errors import ModelError
from rne.model.sampling import random_positions
from rne.read.urdf.reader import read_urdf

INERTIA = '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/>'
FINGER = """<link name="tip"><inertial><mass value="0.1"/>{inertia}</inertial></link>
<joint name="bend" type="revolute"><parent link="arm"/><child link="tip"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/>{mimic}</joint></robot>"""


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


def test_floating_joints_that_do_not_carry_all_are_always_refused_and_say_why():
    text = changed('type="revolute"', 'type="floating"').replace(
        "</robot>",
        '<link name="lamp"/><joint name="lit" type="fixed"><parent link="base"/><child link="lamp"/></joint></robot>',
    )
    for strict in (True, False):
        with pytest.raises(
            ModelError, match="carries the whole robot, but its parent 'base' carries joint 'lit'"
        ) as caught:
            rne.load_urdf(text, strict=strict)
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
