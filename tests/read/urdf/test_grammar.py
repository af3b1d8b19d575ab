"""Elements and attributes that URDF does not know: misspelled ones are refused, those of other programs are listed."""

import numpy as np
import pinocchio as pin
import pytest
from sound_urdf import GOOD, changed, refusal

import rne
from rne.errors import ModelError
from rne.read.urdf.reader import read_urdf


def doubts(text: str) -> ModelError:
    """Return the error that strict loading raises; lenient loading notes the same."""
    error = refusal(text, strict=True)
    assert set(error.problems) <= set(read_urdf(text, strict=False).notes)
    assert str(error).splitlines()[-1].startswith("strict=False (--no-strict) loads the robot")
    return error


def lines_of(tree) -> dict[str, tuple[int, ...]]:
    return {ignored.element: ignored.lines for ignored in tree.ignored}


@pytest.mark.parametrize(
    ("old", "new", "line", "meant"),
    [
        ('<origin xyz="0 0 0.1" rpy="0 0 0"/>', '<origin xyz="0 0 0.1" rpi="1 0 0"/>', 4, "rpy"),
        ('<origin xyz="0 0 0.1" rpy="0 0 0"/>', '<origin XYZ="0 0 0.1" rpy="0 0 0"/>', 4, "xyz"),
        ('<origin xyz="0 0 0.2" rpy="0 0 0"/>', '<origin position="0 0 0.2"/>', 9, "xyz"),
        ('effort="100"', 'efort="100"', 10, "effort"),
        ('lower="-3"', 'lowr="-3"', 10, "lower"),
        ('upper="3"', 'max="3"', 10, "upper"),
        ('damping="1"', 'dampening="1"', 10, "damping"),
        ('friction="2"', 'Friction="2"', 10, "friction"),
    ],
)
def test_misspelled_attributes(old, new, line, meant):
    (problem,) = doubts(changed(old, new)).problems
    assert problem.line == line
    assert f"{meant!r}" in problem.what


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [
        ('<mass value="1.5"/>', '<mass val="1.5"/>', "value"),
        ('<mimic joint="turn"/>', '<mimic jiont="turn"/>', "joint"),
        ('<mimic joint="turn"/>', '<mimic joint="turn" multiplyer="2"/>', "multiplier"),
        ('<mimic joint="turn"/>', '<mimic joint="turn" ratio="2"/>', "multiplier"),
        ('<mimic joint="turn"/>', '<mimic joint="turn" ofset="2"/>', "offset"),
        ('<parent link="arm"/>', '<parent lnk="arm"/>', "link"),
        ('iyy="0.02"', 'iy="0.02"', "iyy"),
    ],
)
def test_misspelled_attributes_that_are_needed_or_change_the_coordinates(old, new, meant):
    more = """<link name="hand"/><joint name="follow" type="revolute"><mimic joint="turn"/>
    <parent link="arm"/><child link="hand"/></joint></robot>"""
    text = GOOD.replace("</robot>", more)
    assert text.count(old) == 1
    error = refusal(text.replace(old, new), strict=True)
    assert f"{meant!r}" in str(error)
    needed = old not in ('<mimic joint="turn"/>',) or "jiont" in new
    assert error.loads_leniently is not needed


@pytest.mark.parametrize(
    ("old", "new", "line", "wanted"),
    [
        ("</robot>", '<jnt name="k" type="fixed"/></robot>', 12, "<jnt> is unknown in <robot> (did you mean 'joint'?)"),
        ("</robot>", '<Link name="k"/></robot>', 12, "(did you mean 'link'?)"),
        ("</robot>", "<joints/></robot>", 12, "(did you mean 'joint'?)"),
        ("</robot>", '<mimic joint="turn"/></robot>', 12, "<mimic> has no place in <robot>"),
        ('<axis xyz="0 1 0"/>', '<axes xyz="0 1 0"/>', 9, "(did you mean 'axis'?)"),
        ('effort="100" velocity="10"/>', 'velocity="10"><effort>100</effort></limit>', 10, 'effort="..."'),
        ("<inertial>", "<inertail/><inertial>", 4, "(did you mean 'inertial'?)"),
        ("<inertial>", '<mass value="1"/><inertial>', 4, "<mass> has no place in <link>"),
        (
            '<link name="base"/>',
            '<link name="base"><visual><inertial/></visual></link>',
            2,
            "<inertial> has no place in",
        ),
        ("<inertial>", '<limit lower="0"/><inertial>', 4, "<limit> has no place in <link>"),
        ('<link name="base"/>', '<link name="base"><joint name="x"/></link>', 2, "it belongs in <robot>"),
        ('<child link="arm"/>', '<child link="arm"/><inertial/>', 8, "it belongs in <link>"),
        ('<child link="arm"/>', '<child link="arm"/><mass value="1"/>', 8, "it belongs in <inertial>"),
        ('<mass value="1.5"/>', '<mass value="1.5"/><mimic joint="turn"/>', 4, "<mimic> has no place in <inertial>"),
        ("</robot>", '<group><link name="k"><inertial/></link></group></robot>', 12, "<link> in it would be ignored"),
        ('<origin xyz="0 0 0.1" rpy="0 0 0"/>', "<origin>0 0 0.1</origin>", 4, "holds the text '0 0 0.1'"),
    ],
)
def test_misspelled_and_misplaced_elements(old, new, line, wanted):
    (problem,) = doubts(changed(old, new)).problems
    assert problem.line == line
    assert wanted in problem.what


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('value="1.5"', 'value="1.5" unit="g"'),
        ('<mass value="1.5"/>', '<mass value="1.5"/><density value="3"/>'),
        ('xyz="0 1 0"', 'xyz="0 1 0" expressed_in="base"'),
        ('<parent link="base"/>', '<parent link="base" offset="1"/>'),
    ],
)
def test_the_unknown_in_numbers_is_refused_when_strict(old, new):
    assert "would be ignored" in str(refusal(changed(old, new), strict=True))
    assert len(read_urdf(changed(old, new), strict=False).notes) == 1


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("</robot>", "<my_tool/></robot>", "my_tool"),
        ("<inertial>", "<skin/><inertial>", "link/skin"),
        ('<link name="base"/>', '<link name="base" color="red"/>', "link/@color"),
        ('type="revolute"', 'type="revolute" tpye="fixed"', "joint/@tpye"),  # beside the right one it is another's
        ('velocity="10"/>', 'velocity="10"><speed>10</speed></limit>', "joint/limit/speed"),
        ('<dynamics damping="1" friction="2"/>', '<dynamics damping="1" friction="2">1</dynamics>', None),
        ('lower="-3"', 'lower="-3" temperature="80"', "joint/limit/@temperature"),
        ("</robot>", "<x:plugin/><x:link/></robot>", "x:link"),
        ("</robot>", '<xi:include href="hand.urdf"/></robot>', "xi:include"),
        ("</robot>", "<gazebo><joint><parent>arm</parent><child>base</child></joint></gazebo></robot>", "gazebo"),
        ("</robot>", "loose words</robot>", None),
        ('<link name="base"/>', '<link name="base"><origin xyz="0 0 1"/></link>', "link/origin"),
    ],
)
def test_the_unknown_elsewhere_is_warned_of_and_listed(old, new, path):
    with pytest.warns(rne.ModelWarning, match="ignored"):
        robot = rne.load_urdf(changed(old, new))
    if path is not None:
        assert path in lines_of(robot.tree)
    np.testing.assert_array_equal(
        rne.inverse_dynamics(robot, [0.3], [1.0], [2.0]),
        rne.inverse_dynamics(rne.load_urdf(GOOD), [0.3], [1.0], [2.0]),
    )


EXTENDED = """<robot name="r" version="1.0" xmlns:gz="urn:gz" gz:frame="x">
<material name="m"><color rgba="1 1 1 1"/></material>
<gazebo reference="arm"><joint name="a"><parent>x</parent></joint></gazebo>
<transmission name="t"/><ros2_control name="c"><joint name="turn"/></ros2_control>
<link name="base"><visual/><visual/><collision/></link>
<link name="arm"><origin xyz="0 0 0" rpy="0 -0 0"/><gz:skin/>
  <inertial><origin xyz="0 0.2 0.1"/><mass value="1.5"/>
  <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial><visual/></link>
<link name="hand"><inertial><origin xyz="0 0.2 0.1"/><mass value="0.5"/>
  <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial></link>
<joint name="turn" type="continuous" dont_collapse="true"><parent link="base"/><child link="arm"/>
  <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1" jerk="5"/>
  <dynamics damping="1" mu_viscous="3"/><safety_controller k_velocity="1"/></joint>
<joint name="stuck" type="fixed"><parent link="arm"/><child link="hand"/><axis xyz="0 0 0"/>
  <mimic joint="turn"/></joint>
</robot>"""


def test_known_extensions_are_listed_without_a_word():
    tree = read_urdf(EXTENDED)
    assert tree.notes == ()
    assert lines_of(tree) == {
        "@gz:frame": (1,),
        "@version": (1,),
        "gazebo": (3,),
        "joint/@dont_collapse": (11,),
        "joint/dynamics/@mu_viscous": (13,),
        "joint/limit/@jerk": (12,),
        "joint/safety_controller": (13,),
        "joint[@type='continuous']/limit/@lower": (12,),
        "joint[@type='continuous']/limit/@upper": (12,),
        "joint[@type='fixed']/axis": (14,),
        "joint[@type='fixed']/mimic": (15,),
        "link/collision": (5,),
        "link/gz:skin": (6,),
        "link/origin": (6,),
        "link/visual": (5, 5, 8),
        "material": (2,),
        "ros2_control": (4,),
        "transmission": (4,),
    }
    assert {ignored.element: ignored.count for ignored in tree.ignored}["link/visual"] == 3


def test_extensions_leave_the_numbers_alone():
    robot, model = rne.load_urdf(EXTENDED), pin.buildModelFromXML(EXTENDED)
    q, state = np.array([0.4]), np.array([np.cos(0.4), np.sin(0.4)])
    wanted = pin.rnea(model, model.createData(), state, np.array([1.0]), np.array([2.0]))
    np.testing.assert_allclose(rne.inverse_dynamics(robot, q, [1.0], [2.0]), wanted, rtol=1e-12)


def test_what_is_ignored_survives_a_pickle():
    import pickle

    robot = rne.load_urdf(EXTENDED)
    assert pickle.loads(pickle.dumps(robot)).tree.ignored == robot.tree.ignored
