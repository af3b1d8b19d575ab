"""Bodies taken off, lightened, scaled and replaced, against the laws that link them."""

from __future__ import annotations

import numpy as np
import oracles
import pinocchio as pin
import pytest
from checks import assert_near, random_states
from own_robots import arm, gripper

import rne
from rne.errors import ArgumentError, ModelWarning, UnknownNameError


def torques(robot: rne.Robot, seed: int = 0):
    return rne.inverse_dynamics(robot, *random_states(robot.n, 4, seed=seed))


def test_taking_a_body_off_leaves_the_robot_of_a_file_without_it():
    """Pinocchio builds the arm without its hand from the same file, its links deleted by hand."""
    panda = rne.load("models/panda/robot.urdf")
    bare = panda.without_body("panda_hand")
    assert bare.joint_names == panda.joint_names[:7]
    model = pin.buildModelFromUrdf("models/panda/robot.urdf")
    fingers = [model.getJointId(name) for name in ("panda_finger_joint1", "panda_finger_joint2")]
    for joint in fingers:
        model.inertias[joint] = pin.Inertia.Zero()
    hand = next(body for body in panda.tree.bodies if body.name == "panda_hand")
    frame = model.frames[model.getFrameId("panda_hand", pin.FrameType.BODY)]
    weight = frame.placement.act(pin.Inertia(hand.mass, np.array(hand.com), np.array(hand.inertia)))
    last = frame.parentJoint
    model.inertias[last] = model.inertias[last] - weight
    data = model.createData()
    for q, qd, qdd in zip(*random_states(7, 3), strict=True):
        full = (np.append(x, [0, 0]) for x in (q, qd, qdd))
        assert_near(rne.inverse_dynamics(bare, q, qd, qdd), pin.rnea(model, data, *full)[:7], 1e-11)


def test_the_order_of_the_coordinates_stays():
    robot = arm()
    order = [*reversed(robot.joint_names)]
    bare = arm(joints=order).without_body("hand")
    assert list(bare.joint_names) == [name for name in order if name in bare.joint_names]
    assert 0 < bare.n < robot.n


def test_a_coupling_goes_with_its_end_and_says_so():
    robot = arm()
    K = np.eye(robot.n)
    K[0, -1] = K[-1, 0] = -0.5
    sprung = robot.with_springs(K)
    child = robot.joint(robot.joint_names[-1]).child
    with pytest.warns(ModelWarning, match="springs and dampers to what is gone go along") as caught:
        bare = sprung.without_body(child)
    assert caught[0].filename == __file__
    assert bare.tree.couplings == ()


def test_what_cannot_go_is_refused():
    robot = gripper()
    with pytest.raises(UnknownNameError, match="name: no link is named 'nowhere'"):
        robot.without_body("nowhere")
    root = robot.tree.bodies[0].name
    with pytest.raises(ArgumentError, match="is the root of the robot"):
        robot.without_body(root)
    follower = next(joint for joint in robot.tree.joints if joint.mimic)
    leader = robot.joint(follower.mimic.leader)
    with pytest.raises(ArgumentError, match=f"joint '{follower.name}' stays, but follows '{leader.name}'"):
        robot.without_body(leader.child)


# ------------------------------------------------------------------------------------------------------------- lighter


def test_a_payload_put_on_and_taken_off_is_none():
    robot = arm()
    load = (1.5, np.array([0.1, 0.2, 0.3]), np.diag([0.1, 0.2, 0.25]))
    back = robot.with_payload(*load, frame="hand").with_payload(-load[0], load[1], -load[2], frame="hand")
    assert_near(torques(back), torques(robot))
    assert back.frame_names == robot.frame_names


@pytest.mark.parametrize("frame", ["hand", "tool", "upper"])
def test_a_part_taken_off_is_a_negative_mass_to_mechanics(frame):
    """The torques are linear in the masses: with and without the part they lie as far apart, on either side."""
    robot = arm()
    body = next(body for body in robot.tree.bodies if body.name == frame)
    part = (0.1 * body.mass, np.array(body.com), 0.1 * np.array(body.inertia))
    more = robot.with_payload(*part, frame=frame)
    less = robot.with_payload(-part[0], part[1], -part[2], frame=frame)
    assert less.total_mass == pytest.approx(robot.total_mass - part[0])
    assert_near(torques(less) + torques(more), 2 * torques(robot))


def test_what_one_body_has_not_all_that_is_bolted_together_may_have():
    """The hand has 0.4 kg and the tool on it 0.7 kg: a ball of both, as light as one kilogram, can be taken off."""
    robot = arm()
    bolted = rne.Inertia(0.4, [0.02, 0, 0.06]).mass + 0.7
    heavy = robot.with_payload(bolted, [0, 0, 0.1], np.eye(3) * 0.1, frame="hand")
    off = (-bolted - 0.5, [0, 0, 0.1], -np.eye(3) * 0.05)
    less = heavy.with_payload(*off, frame="hand")
    assert less.total_mass == pytest.approx(heavy.total_mass + off[0])
    assert less.frame_names == tuple(name for name in heavy.frame_names if name in less.frame_names)
    q, qd, qdd = random_states(robot.n, 4)
    ball = robot.with_payload(-off[0], off[1], -np.array(off[2]), frame="hand")
    lost = rne.inverse_dynamics(ball, q, qd, qdd) - rne.inverse_dynamics(robot, q, qd, qdd)
    assert_near(rne.inverse_dynamics(less, q, qd, qdd), rne.inverse_dynamics(heavy, q, qd, qdd) - lost, 1e-11)


@pytest.mark.parametrize(
    ("load", "message"),
    [
        ((-5.0, [0, 0, 0]), "mass: 5 kg cannot be taken off 'hand'"),
        ((-0.3, [0.5, 0, 0]), "mass: 0.3 kg cannot be taken off 'hand'"),  # where there is nothing
        ((-0.1, [0, 0, 0], np.eye(3)), "mass: the removed body is not physical"),
    ],
)
def test_what_would_leave_no_body_is_refused(load, message):
    with pytest.raises(ArgumentError, match=message):
        arm().with_payload(*load, frame="hand")


# -------------------------------------------------------------------------------------------------------------- scaled


def test_torques_scale_with_the_masses():
    robot = arm()
    assert_near(torques(robot.scaled_mass(1.7)), 1.7 * torques(robot))
    links = ["hand", "tool"]
    more = torques(robot.scaled_mass(1.5, links)) - torques(robot)
    assert_near(more, torques(robot) - torques(robot.scaled_mass(0.5, links)), 1e-11)


def test_senseless_scales_are_refused():
    with pytest.raises(ArgumentError, match="factor: wanted more than zero, got 0; without_body takes a body off"):
        arm().scaled_mass(0)
    with pytest.raises(UnknownNameError, match="links: no link is named 'hnad'; did you mean 'hand'"):
        arm().scaled_mass(2.0, ["hnad"])


# --------------------------------------------------------------------------------------------------------------- tools


def test_a_tool_is_a_payload_with_a_name_and_a_place():
    robot = arm()
    body = rne.Inertia(0.8, [0.01, 0.02, 0.1], np.diag([0.01, 0.02, 0.025]))
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    tooled = robot.with_tool(body, "hand", position=[0.1, 0, 0], rotation=quarter, name="drill")
    turned = body.at(quarter, [0.1, 0, 0])
    loaded = robot.with_payload(turned.mass, turned.com, turned.tensor, frame="hand")
    assert_near(torques(tooled), torques(loaded))
    pose = rne.forward_kinematics(tooled, np.zeros(robot.n), "drill")
    hand = rne.forward_kinematics(robot, np.zeros(robot.n), "hand")
    assert_near(pose[:3, 3], hand[:3, 3] + hand[:3, :3] @ [0.1, 0, 0])


def test_a_hand_replaced_by_itself_is_the_robot():
    panda = rne.load("models/panda/robot.urdf")
    hand = rne.load_urdf(_hand_of(panda))
    again = panda.with_tool(hand, replacing="panda_hand")
    assert again.joint_names == panda.joint_names
    assert again.frame_names == panda.frame_names
    assert_near(torques(again), torques(panda))


def _hand_of(panda: rne.Robot) -> str:
    """URDF of the hand alone, cut out of the text of the whole."""
    import xml.etree.ElementTree as ET

    root = ET.fromstring(panda.to_urdf().encode())
    names = {"panda_hand", "panda_leftfinger", "panda_rightfinger"}
    names |= {joint.child for joint in panda.tree.joints if joint.parent in names}
    for element in list(root):
        child = element.find("child")
        keep = element.get("name") in names if child is None else child.get("link") in names - {"panda_hand"}
        if not keep:
            root.remove(element)
    return ET.tostring(root, encoding="unicode")


def test_a_second_tool_has_names_of_its_own():
    robot, hand = arm(), gripper()
    pair = robot.with_tool(hand, "hand").with_tool(hand, "tool", name="other")
    assert pair.n == robot.n + 2 * hand.n
    assert {f"other/{name}" for name in hand.joint_names} <= set(pair.joint_names)
    pm = oracles.pin_model(pair.to_urdf())
    states = random_states(pair.n)
    bare = pair.with_drives({joint.name: rne.Drive() for joint in pair.tree.joints if joint.movable})
    assert_near(rne.inverse_dynamics(bare, *states), oracles.pin_inverse_dynamics(pm, pair.joint_names, *states), 1e-11)
    with pytest.raises(ArgumentError, match=r"name: the robot has .* already; give the tool another name"):
        pair.with_tool(hand, "tool", name="other")


def test_tools_that_cannot_be_are_refused():
    robot = arm()
    with pytest.raises(ArgumentError, match="tool: wanted an Inertia or a Robot, got float"):
        robot.with_tool(1.0, "hand")
    with pytest.raises(ArgumentError, match="replacing: 'hand' is not bolted to anything, joint"):
        robot.with_tool(rne.Inertia(1.0), replacing="hand")
    with pytest.raises(ArgumentError, match="frame: the tool takes the place of another"):
        robot.with_tool(rne.Inertia(1.0), "hand", replacing="tool")
