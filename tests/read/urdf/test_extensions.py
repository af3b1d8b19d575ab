"""Rotors, gears, springs and damping that other programs keep in a URDF: read on request, told where they are not."""

import re

import numpy as np
import pytest
from sound_urdf import GOOD

import rne
from rne.errors import ModelError
from rne.read.urdf.reader import read_urdf

ARM = """<robot name="arm" xmlns:drake="http://drake.mit.edu"><link name="b"/>
<link name="l"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
<joint name="j" type="revolute"><parent link="b"/><child link="l"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="50" velocity="5" drake:acceleration="10"/></joint>
<transmission><type>transmission_interface/SimpleTransmission</type>
<joint name="j"><hardwareInterface>EffortJointInterface</hardwareInterface></joint>
<actuator name="m"><mechanicalReduction>100</mechanicalReduction>
<drake:rotor_inertia value="1e-4"/><drake:gear_ratio value="100"/></actuator></transmission>
<gazebo reference="j"><implicitSpringDamper>true</implicitSpringDamper><springStiffness>40</springStiffness>
<springReference>0.1</springReference></gazebo></robot>"""
TRANSMISSION = """<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="turn"/>
<actuator name="m">{}</actuator></transmission>"""


def extended(root: str = "", joint: str = "", dynamics: str = "") -> str:
    text = GOOD.replace("</robot>", root + "</robot>").replace("</joint>", joint + "</joint>")
    return text.replace('<dynamics damping="1" friction="2"/>', f"<dynamics {dynamics}/>") if dynamics else text


def read(text: str, **options) -> rne.Drive:
    return rne.load_urdf(text, extensions=True, **options).joint("turn").drive


@pytest.mark.parametrize(
    ("text", "drive"),
    [
        (
            extended(TRANSMISSION.format('<rotor_inertia value="1e-4"/><gear_ratio value="-50"/>')),
            rne.Drive(1e-4, -50.0, 1.0, 2.0, 2.0),
        ),
        (
            extended(TRANSMISSION.format('<d:rotor_inertia value="2"/>')).replace("<robot", '<robot xmlns:d="urn:d"'),
            rne.Drive(2.0, 1.0, 1.0, 2.0, 2.0),
        ),
        (
            extended(
                TRANSMISSION.format('<rotor_inertia value="2"/><mechanicalReduction> 3 </mechanicalReduction>')
            ),
            rne.Drive(2.0, 3.0, 1.0, 2.0, 2.0),
        ),
        (
            extended("<ros2_control>" + TRANSMISSION.format('<rotor_inertia value="2"/>') + "</ros2_control>"),
            rne.Drive(2.0, 1.0, 1.0, 2.0, 2.0),
        ),
        (
            extended('<gazebo reference="turn"><springStiffness>40</springStiffness></gazebo>'),
            rne.Drive(0.0, 1.0, 1.0, 2.0, 2.0, 40.0, 0.0),
        ),
        (
            extended(
                '<gazebo reference="turn"><axis><dynamics><damping>1</damping><spring_stiffness>4</spring_stiffness>'
                "<spring_reference>-0.5</spring_reference></dynamics></axis></gazebo>"
            ),
            rne.Drive(0.0, 1.0, 1.0, 2.0, 2.0, 4.0, -0.5),
        ),
        (
            extended(dynamics='damping="1" spring_stiffness="7" spring_reference="0.2" mu_coulomb="3" armature="0.3"'),
            rne.Drive(0.3, 1.0, 1.0, 3.0, 3.0, 7.0, 0.2),
        ),
        (extended(dynamics='mu_viscous="5" friction="1" mu_coulomb="3"'), rne.Drive(0.0, 1.0, 5.0, 1.0, 1.0)),
        (
            extended(
                '<mujoco><compiler/><joint name="turn" armature="0.1" stiffness="3" springref="1" frictionloss="2"/>'
                "</mujoco>"
            ),
            rne.Drive(0.1, 1.0, 1.0, 2.0, 2.0, 3.0, 1.0),
        ),
        (
            extended('<mujoco><default><joint armature="0.1" stiffness="1"/></default>'
                     '<joint name="turn" stiffness="2"/></mujoco>'),
            rne.Drive(0.1, 1.0, 1.0, 2.0, 2.0, 2.0),
        ),
        (extended(joint='<mujoco armature="0.25"/>'), rne.Drive(0.25, 1.0, 1.0, 2.0, 2.0)),
    ],
)  # fmt: skip
def test_each_place_is_read(text, drive):
    assert read(text) == drive
    with pytest.warns(rne.ModelWarning, match=r"not read, though it acts on the torques: .*extensions=True"):
        robot = rne.load_urdf(text)
    assert robot.joint("turn").drive.reflected_inertia == robot.joint("turn").drive.stiffness == 0


def test_a_rotor_and_a_spring_against_numbers_worked_out_by_hand():
    """0.02 + 2 0.2^2 of the link about the joint, and 100^2 1e-4 of the rotor."""
    with pytest.warns(rne.ModelWarning, match=r"rotor inertia in <transmission> \(j\); spring in <gazebo> \(j\)"):
        arm = rne.load_urdf(ARM)
    assert rne.mass_matrix(arm, [0.3])[0, 0] == pytest.approx(0.1, rel=1e-14)
    arm = rne.load_urdf(ARM, extensions=True)
    assert rne.mass_matrix(arm, [0.3])[0, 0] == pytest.approx(1.1, rel=1e-14)
    without = rne.inverse_dynamics(arm.with_drives({"j": rne.Drive()}), [0.3], [0.0], [0.0])
    np.testing.assert_allclose(rne.inverse_dynamics(arm, [0.3], [0.0], [0.0]) - without, 40 * (0.3 - 0.1))


@pytest.mark.parametrize(
    "text",
    [
        extended(TRANSMISSION.format("<mechanicalReduction>100</mechanicalReduction>")),
        extended(TRANSMISSION.format('<rotor_inertia value="0"/><gear_ratio value="5"/>')),
        extended('<gazebo reference="turn"><springReference>1</springReference><damping>1</damping></gazebo>'),
        extended('<gazebo reference="arm"><springStiffness>4</springStiffness></gazebo>'),  # a link of that name
        extended('<mujoco><compiler/><joint name="nowhere" armature="1"/></mujoco>'),
        extended('<mujoco><joint name="turn" damping="1" frictionloss="2"/></mujoco>'),
        extended(dynamics='damping="1" friction="2" K="7000" D="1" mu_viscous="9"'),
    ],
)
def test_what_changes_nothing_is_not_worth_a_word(text):
    assert rne.load_urdf(text).tree.notes == ()
    assert read(text).reflected_inertia == 0


def test_many_joints_are_told_in_one_line():
    names = "abcdef"
    more = "".join(
        f'<link name="{n}"/><joint name="j{n}" type="revolute"><parent link="arm"/><child link="{n}"/>'
        f'<dynamics spring_stiffness="1"/></joint>'
        for n in names
    )
    notes = read_urdf(GOOD.replace("</robot>", more + "</robot>")).notes
    (told,) = (note.what for note in notes if note.code == "extensions")
    assert "spring in <dynamics> (ja, jb, jc and 3 more)" in told


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            extended(TRANSMISSION.format('<rotor_inertia value="ten"/>')),
            "the rotor inertia in <transmission> holds 'ten'",
        ),
        (extended(dynamics='spring_stiffness="5"', joint='<mujoco stiffness="6"/>'), "in <mujoco> is 6, elsewhere 5"),
        (extended(TRANSMISSION.format('<rotor_inertia value="-1"/>')), "the rotor inertia -1 is negative"),
        (extended(dynamics='spring_stiffness="-5"'), "the stiffness -5 is negative"),
        (
            extended(TRANSMISSION.format('<rotor_inertia value="1"/>'), dynamics='armature="1"'),
            "a rotor inertia and an armature of 1 are given",
        ),
    ],
)
def test_what_is_doubtful_about_them(text, wanted):
    with pytest.raises(ModelError, match=re.escape(wanted)) as caught:
        read(text)
    assert caught.value.loads_leniently
    with pytest.warns(rne.ModelWarning, match=re.escape(wanted)):
        read(text, strict=False)


def test_what_says_otherwise_than_urdf_proper_wins_and_is_told():
    with pytest.warns(rne.ModelWarning, match="the damping is 9 in an extension, 1 in <dynamics>; the first is taken"):
        assert read(extended(joint='<mujoco damping="9"/>')).viscous == 9


def test_a_reduction_that_differs_from_the_gear_ratio_is_told():
    inside = '<mechanicalReduction>3</mechanicalReduction><rotor_inertia value="1"/><gear_ratio value="4"/>'
    with pytest.warns(rne.ModelWarning, match="the gear ratio is 4, the mechanical reduction 3; the first is taken"):
        assert read(extended(TRANSMISSION.format(inside))).gear_ratio == 4


def test_a_transmission_between_several_joints_is_left_alone():
    text = extended(
        TRANSMISSION.format('<rotor_inertia value="1"/>').replace("<actuator", '<joint name="x"/><actuator')
    )
    assert read(text).rotor_inertia == 0


@pytest.mark.parametrize("extensions", [None, 1, "yes"])
def test_other_values_are_refused(extensions):
    for load, what in (rne.load, "models/ur5e/robot.urdf"), (rne.load_urdf, GOOD):
        with pytest.raises(rne.ArgumentError, match="extensions: wanted True or False"):
            load(what, extensions=extensions)
