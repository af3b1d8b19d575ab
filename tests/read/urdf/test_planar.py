"""Planar joints: two slides and a turn, with the torques that Pinocchio has for its own planar joint."""

import re

import numpy as np
import pinocchio as pin
import pytest

import rne

BODY = """<inertial><origin xyz="0.1 -0.2 0.3" rpy="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="0.05" ixy="0.001" ixz="0.002" iyy="0.06" iyz="-0.003" izz="0.04"/></inertial>"""
CART = f"""<robot name="cart"><link name="floor"/><link name="cart">{BODY}</link><link name="mast">{BODY}</link>
<joint name="drive" type="planar"><parent link="floor"/><child link="cart"/>
<origin xyz="1 2 3" rpy="0.3 -0.2 0.5"/><axis xyz="0 0 1"/></joint>
<joint name="lean" type="revolute"><parent link="cart"/><child link="mast"/><origin xyz="0 0.2 0.5"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def test_torques_are_those_of_pinocchio():
    """Its planar joint has velocities in the axes of the moving frame; these are turned, and so is their change."""
    robot, model = rne.load_urdf(CART), pin.buildModelFromXML(CART)
    assert robot.joint_names == ("drive_x", "drive_y", "drive_theta", "lean")
    rng = np.random.default_rng(0)
    for _ in range(10):
        q, qd, qdd = rng.uniform(-2, 2, (3, 4))
        c, s = np.cos(q[2]), np.sin(q[2])
        turn = np.eye(4)
        turn[:2, :2] = [[c, s], [-s, c]]
        slope = np.zeros((4, 4))
        slope[:2, :2] = qd[2] * np.array([[-s, c], [-c, -s]])
        state = np.array([q[0], q[1], c, s, q[3]])
        tau = pin.rnea(model, model.createData(), state, turn @ qd, turn @ qdd + slope @ qd)
        np.testing.assert_allclose(rne.inverse_dynamics(robot, q, qd, qdd), turn.T @ tau, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(
    ("normal", "first", "second"),
    [
        ("0 0 1", (1, 0, 0), (0, 1, 0)),
        ("0 0 -2", (1, 0, 0), (0, -1, 0)),
        ("1 0 0", (0, 1, 0), (0, 0, 1)),
        ("0 1 0", (0, 0, 1), (1, 0, 0)),
    ],
)
def test_directions(normal, first, second):
    tree = rne.load_urdf(CART.replace('<axis xyz="0 0 1"/>', f'<axis xyz="{normal}"/>')).tree
    x, y, theta = tree.joints[:3]
    assert (x.kind, y.kind, theta.kind) == ("prismatic", "prismatic", "revolute")
    np.testing.assert_allclose([x.axis, y.axis], [first, second], atol=1e-15)
    np.testing.assert_allclose(np.cross(x.axis, y.axis), theta.axis, atol=1e-15)


def test_any_normal_has_a_right_handed_frame():
    tree = rne.load_urdf(CART.replace('<axis xyz="0 0 1"/>', '<axis xyz="0.3 -0.7 0.5"/>')).tree
    axes = np.array([joint.axis for joint in tree.joints[:3]])
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(axes) == pytest.approx(1)


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ('<limit lower="-1" upper="1"/>', "<limit> of a planar joint is ignored"),
        ('<dynamics damping="1"/>', "<dynamics> of a planar joint is ignored"),
    ],
)
def test_what_cannot_be_meant_for_three_coordinates_is_told(more, wanted):
    with pytest.warns(rne.ModelWarning, match=wanted):
        rne.load_urdf(CART.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/>' + more))


def test_a_planar_joint_without_axis_moves_across_x_and_says_so():
    with pytest.warns(rne.ModelWarning, match="moves in the plane across x"):
        robot = rne.load_urdf(CART.replace('<axis xyz="0 0 1"/>', ""))
    assert robot.tree.joints[2].axis == (1, 0, 0)


def test_a_planar_joint_mimics_nothing():
    with pytest.raises(rne.ModelError, match="a planar joint cannot mimic another"):
        rne.load_urdf(CART.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/><mimic joint="lean"/>'), strict=False)


def test_names_that_are_taken_are_told():
    taken = CART.replace('name="lean"', 'name="drive_y"')
    with pytest.raises(rne.ModelError, match=re.escape("joint 'drive_y': duplicate name")):
        rne.load_urdf(taken)
