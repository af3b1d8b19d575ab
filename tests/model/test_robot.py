"""The robot: frozen, told in a line, changed only into new ones; locked joints, payloads, drives, orders and limits."""

from __future__ import annotations

import copy
import inspect

import numpy as np
import pytest
import reference as ref
import strategies
from checks import assert_near, assert_same_bits, random_robot, random_states
from hypothesis import given
from hypothesis import strategies as st
from own_robots import ARM, arm, gripper

import rne
from rne.model.tree import Drive, Joint, Mimic

STATE = random_states(6, 5, seed=4)


# ------------------------------------------------------------------------------------------------------ what it tells


def test_it_says_what_it_is():
    assert repr(arm()) == str(arm()).splitlines()[0] == "arm: 6 joints (5 revolute, 1 prismatic), 15.1 kg"
    assert repr(gripper()) == "gripper: 2 joints (1 revolute, 1 prismatic, 1 mimicking), 0.82 kg"
    assert repr(arm(lock=dict.fromkeys(("turret", "shoulder", "reach", "roll", "pitch"), 0))).startswith(
        "arm: 1 joint ("
    )
    assert repr(rne.load_urdf('<robot name="block"><link name="b"/></robot>')) == "block: 0 joints, 0 kg"


def test_it_tells_names_gravity_mass_and_limits():
    robot = arm()
    assert robot.name == "arm"
    assert robot.n == 6
    assert robot.joint_names == ("turret", "shoulder", "reach", "roll", "pitch", "yaw")
    assert robot.frame_names == ("floor", "pillar", "upper", "boom", "wrist", "knuckle", "hand", "tool")
    assert robot.gravity.tolist() == [0, 0, -9.81]
    assert robot.total_mass == pytest.approx(15.1, rel=1e-15)
    assert robot.lower_limit.tolist() == [-np.inf, -2, -0.3, -3, -2, -3]
    assert robot.upper_limit.tolist() == [np.inf, 1.5, 0.5, 3, 2, 3]
    assert robot.velocity_limit.tolist() == [np.inf, 2.5, 0.8, 4, 5, 6]
    assert robot.effort_limit.tolist() == [np.inf, 120, 300, 30, 20, 10]
    assert robot.joint("shoulder").limits.upper == 1.5
    assert gripper().joint("right_finger").mimic == Mimic("left_finger", -1.5, 0.01)


def test_what_it_tells_may_be_scribbled_on():
    robot = arm()
    for name in ("gravity", "lower_limit", "upper_limit", "velocity_limit", "effort_limit"):
        getattr(robot, name)[:] = 7
    assert robot.gravity.tolist() == [0, 0, -9.81]
    assert robot.lower_limit.tolist() == [-np.inf, -2, -0.3, -3, -2, -3]


def test_it_is_frozen():
    robot = arm()
    for name in ("n", "tree", "joint_names", "anything"):
        with pytest.raises(AttributeError, match=f"a Robot is frozen; '{name}' cannot be set"):
            setattr(robot, name, 1)
        with pytest.raises(AttributeError, match="frozen"):
            delattr(robot, name)
    for frozen in (robot.tree, robot.tree.bodies[0], robot.tree.joints[0], robot.links):
        with pytest.raises(AttributeError):
            frozen.name = "other"


def test_unknown_joints_are_refused_with_close_names():
    with pytest.raises(rne.UnknownNameError, match="no joint is named 'sholder'; did you mean 'shoulder'"):
        arm().joint("sholder")
    with pytest.raises(rne.UnknownNameError, match="no joint is named 'x'; there are turret, shoulder"):
        arm().joint("x")


def test_copies_are_the_robot_itself():
    robot = arm()
    assert copy.copy(robot) is robot
    assert copy.deepcopy(robot) is robot
    assert copy.deepcopy([robot, robot])[1] is robot


# ------------------------------------------------------------------------------------------------------------- locking


@pytest.mark.filterwarnings("ignore:.*(lies outside the limits|is far for a joint)")
@given(strategies.robots(2, 8, mimic=0.3), st.data())
def test_locked_joints_are_joints_that_stand_still(sample, data):
    """Followers of a locked joint stand where it puts them; the torques of the rest are those of the whole robot."""
    tree, q, qd, qdd = sample
    robot = rne.Robot(tree)
    names = robot.joint_names
    chosen = data.draw(st.lists(st.sampled_from(names), unique=True))
    at = dict(zip(names, q, strict=True))
    locked = robot.with_locked({name: at[name] for name in chosen})
    rest = [k for k, name in enumerate(names) if name not in chosen]
    assert locked.joint_names == tuple(names[k] for k in rest)
    still = np.array([name not in chosen for name in names], dtype=float)
    wanted = rne.inverse_dynamics(robot, q, qd * still, qdd * still)
    assert_near(rne.inverse_dynamics(locked, q[rest], qd[rest], qdd[rest]), wanted[rest])
    assert locked.total_mass == pytest.approx(robot.total_mass, rel=1e-15)


def test_lock_while_loading_is_lock_afterwards():
    values = {"reach": 0.2, "turret": -7}
    early, late = arm(lock=values), arm().with_locked(values)
    assert early.joint_names == late.joint_names == ("shoulder", "roll", "pitch", "yaw")
    state = random_states(4)
    assert_same_bits(rne.inverse_dynamics(early, *state), rne.inverse_dynamics(late, *state))
    assert_same_bits(arm(lock={}).links.table, arm().links.table)


@pytest.mark.filterwarnings("ignore:.*lies outside the limits")
def test_wrenches_and_payloads_reach_frames_behind_locked_joints():
    q, qd, qdd = (x[0] for x in STATE)
    locked = arm(lock={"yaw": q[5], "pitch": q[4]})
    still = np.array([1, 1, 1, 1, 0, 0])
    load = {"tool": [1.0, 2, 3, 4, 5, 6]}
    wanted = rne.inverse_dynamics(arm(), q, qd * still, qdd * still, f_ext=load)
    assert_near(rne.inverse_dynamics(locked, q[:4], qd[:4], qdd[:4], f_ext=load), wanted[:4])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"turet": 0}, ": no movable joint is named 'turet'; did you mean 'turret'"),
        ({"mount": 0}, ": no movable joint is named 'mount'"),
        ({"turret": np.nan}, r"\['turret'\]: wanted finite numbers"),
        ({"turret": "up"}, r"\['turret'\]: wanted real numbers"),
        ({"turret": [0, 1]}, r"\['turret'\]: wanted shape \(\)"),
    ],
)
def test_senseless_locks_are_refused(values, message):
    with pytest.raises(rne.ArgumentError, match="values" + message):
        arm().with_locked(values)
    with pytest.raises(rne.ArgumentError, match="lock" + message):
        arm(lock=values)


def test_a_follower_is_locked_by_its_leader():
    with pytest.raises(rne.ArgumentError, match="joint 'right_finger' mimics 'left_finger'; lock that one"):
        gripper(lock={"right_finger": 0.0})
    robot = gripper(lock={"left_finger": 0.03})
    assert robot.joint_names == ("turn",)
    assert robot.joint("right_finger").kind == "fixed"


# ---------------------------------------------------------------------------------------------------- order of joints


@given(strategies.robots(1, 8, mimic=0.3), st.randoms(use_true_random=False))
def test_coordinates_may_be_had_in_any_order(sample, random):
    tree, *state = sample
    names = ref.coordinates(tree)
    order = random.sample(range(len(names)), len(names))
    robot = rne.Robot(tree, tuple(names[k] for k in order))
    assert robot.joint_names == tuple(names[k] for k in order)
    wanted = rne.inverse_dynamics(rne.Robot(tree), *state, friction=True)
    assert_near(rne.inverse_dynamics(robot, *(x[order] for x in state), friction=True), wanted[order], rtol=1e-14)


def test_limits_and_changes_keep_the_order_asked_for():
    order = ("yaw", "pitch", "roll", "reach", "shoulder", "turret")
    robot = arm(joints=order)
    assert robot.upper_limit.tolist() == arm().upper_limit.tolist()[::-1]
    for changed in (
        robot.with_gravity((0, 0, -1)),
        robot.with_payload(1.0),
        robot.with_drives({}),
        robot.with_locked({}),
    ):
        assert changed.joint_names == order
    assert robot.with_locked({"roll": 0}).joint_names == ("yaw", "pitch", "reach", "shoulder", "turret")
    assert arm(joints=list(order[1:]), lock={"yaw": 0}).joint_names == order[1:]


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        (["turret"], "joints: wanted each of turret, shoulder, reach.* once; shoulder, .* missing"),
        (["turret"] * 6, "missing"),
        ({"turret", "shoulder", "reach", "roll", "pitch", "yaw"}, "joints: wanted a list of names, got {"),
        (["turret", "shoulder", "reach", "roll", "pitch", "yaw", "yaw"], "a name is repeated"),
        (["turret", "shoulder", "reach", "roll", "pitch", "yav"], "no coordinate is named 'yav'; did you mean 'yaw'"),
        (["turret", "shoulder", "reach", "roll", "pitch", "mount"], "no coordinate is named 'mount'"),
    ],
)
def test_senseless_orders_are_refused(joints, message):
    with pytest.raises(rne.ArgumentError, match=message):
        arm(joints=joints)


def test_followers_are_no_coordinates():
    with pytest.raises(rne.UnknownNameError, match="no coordinate is named 'right_finger'"):
        gripper(joints=["turn", "right_finger"])


# ------------------------------------------------------------------------------------------------------------ payloads


def loaded_by_hand(mass, com, inertia, frame="tool"):
    """The same arm with the payload written into its file as one more link."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia
    link = f"""<link name="load"><inertial><origin xyz="{" ".join(map(str, com))}"/><mass value="{mass}"/>
      <inertia ixx="{xx}" ixy="{xy}" ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"/></inertial></link>
      <joint name="grip" type="fixed"><parent link="{frame}"/><child link="load"/></joint></robot>"""
    return rne.load_urdf(ARM.replace("</robot>", link))


INERTIA = [[0.004, 0.0001, 0], [0.0001, 0.005, 0.0003], [0, 0.0003, 0.002]]


@pytest.mark.parametrize("frame", ["tool", "hand", "boom", "floor"])
def test_a_payload_is_one_more_body(frame):
    robot = arm().with_payload(2.0, (0.01, -0.02, 0.12), INERTIA, frame=frame)
    by_hand = loaded_by_hand(2.0, (0.01, -0.02, 0.12), INERTIA, frame)
    assert_near(rne.inverse_dynamics(robot, *STATE), rne.inverse_dynamics(by_hand, *STATE))
    assert robot.total_mass == pytest.approx(17.1, rel=1e-15)


def test_a_payload_hangs_on_the_tip_by_itself():
    wanted = arm().with_payload(2.0, (0, 0, 0.1), frame="tool")
    assert_same_bits(
        rne.inverse_dynamics(arm().with_payload(2.0, (0, 0, 0.1)), *STATE), rne.inverse_dynamics(wanted, *STATE)
    )
    with pytest.raises(rne.ArgumentError, match="frame: the robot has 2 tips, name one of left, right"):
        gripper().with_payload(1.0)


def test_no_payload_is_no_change():
    robot = arm()
    assert robot.with_payload(0.0) is robot
    assert robot.with_payload(0, (1, 2, 3), np.zeros((3, 3))) is robot


def test_payloads_combine_and_leave_the_original_alone():
    robot = arm()
    before = rne.inverse_dynamics(robot, *STATE)
    one = robot.with_payload(2.0, (0.01, -0.02, 0.12))
    both = one.with_payload(1.0, (0.0, 0.0, 0.2))
    m, c = 3.0, np.array([0.02, -0.04, 0.44]) / 3.0
    apart = [2.0 * np.outer(r, r) for r in (np.array([0.01, -0.02, 0.12]) - c,)]
    apart += [np.outer(r, r) for r in (np.array([0.0, 0.0, 0.2]) - c,)]
    spread = sum(apart)
    lumped = robot.with_payload(m, c, np.trace(spread) * np.eye(3) - spread)
    assert_near(rne.inverse_dynamics(both, *STATE), rne.inverse_dynamics(lumped, *STATE))
    assert_same_bits(rne.inverse_dynamics(robot, *STATE), before)
    assert robot.total_mass == pytest.approx(15.1)
    second_alone = rne.inverse_dynamics(robot.with_payload(1.0, (0.0, 0.0, 0.2)), *STATE) - before
    first_alone = rne.inverse_dynamics(one, *STATE) - before
    assert_near(rne.inverse_dynamics(both, *STATE) - before, first_alone + second_alone)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mass": -2.0}, "mass: 2 kg cannot be taken off 'tool': tool, hand together have 1.1 kg"),
        ({"mass": -0.1, "inertia": np.eye(3)}, "mass: the removed body is not physical"),
        ({"mass": np.inf}, "mass: wanted finite numbers"),
        ({"mass": "heavy"}, "mass: wanted real numbers"),
        ({"mass": 1.0, "com": (1, 2)}, r"com: wanted shape \(3,\), got \(2,\)"),
        ({"mass": 1.0, "com": (0, 0, np.nan)}, "com: wanted finite numbers"),
        ({"mass": 1.0, "inertia": [1, 2, 3]}, r"inertia: wanted shape \(3, 3\)"),
        ({"mass": 1.0, "inertia": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}, "inertia: wanted a symmetric matrix"),
        ({"mass": 1.0, "inertia": np.diag([-1, 1, 1])}, "inertia: the principal moments .* are not physical"),
        ({"mass": 1.0, "inertia": np.diag([1, 1, 3])}, "inertia: the principal moments .* are not physical"),
        ({"mass": 1.0, "frame": "tol"}, "frame: no link is named 'tol'; did you mean 'tool'"),
    ],
)
def test_payloads_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(rne.ArgumentError, match=message):
        arm().with_payload(**arguments)


# ------------------------------------------------------------------------------------------------- gravity and drives


def test_another_gravity_is_another_robot():
    robot = arm()
    tilted = robot.with_gravity([1, 2, -3])
    assert tilted.gravity.tolist() == [1, 2, -3]
    assert robot.gravity.tolist() == [0, 0, -9.81]
    assert_near(rne.inverse_dynamics(tilted, *STATE), rne.inverse_dynamics(robot, *STATE, gravity=[1, 2, -3]))
    assert_near(rne.inverse_dynamics(arm(gravity=(1, 2, -3)), *STATE), rne.inverse_dynamics(tilted, *STATE))
    for senseless in ([1, 2], "down", [0, 0, np.inf], None):
        with pytest.raises(rne.ArgumentError, match="gravity"):
            robot.with_gravity(senseless)


def test_other_drives_are_another_robot():
    robot = arm().with_drives({"roll": Drive(rotor_inertia=2e-4, gear_ratio=-80, viscous=0.5, coulomb_plus=0.3)})
    extra = rne.inverse_dynamics(robot, *STATE, friction=True) - rne.inverse_dynamics(arm(), *STATE, friction=True)
    qd, qdd = STATE[1][:, 3], STATE[2][:, 3]
    assert_near(extra[:, 3], 2e-4 * 80**2 * qdd + 0.5 * qd + np.where(qd > 0, 0.3, 0.0))
    assert_near(np.delete(extra, 3, axis=1), np.zeros((5, 5)))
    with pytest.raises(rne.UnknownNameError, match="drives: no movable joint is named 'rol'; did you mean 'roll'"):
        arm().with_drives({"rol": Drive()})


def test_rotors_of_followers_count_by_the_square_of_their_ratio():
    drives = {"left_finger": Drive(rotor_inertia=0.1), "right_finger": Drive(rotor_inertia=0.2)}
    robot = gripper().with_drives(drives)
    q, qd, qdd = random_states(2)
    extra = rne.inverse_dynamics(robot, q, qd, qdd) - rne.inverse_dynamics(gripper(), q, qd, qdd)
    assert_near(extra, [0.0, (0.1 + 1.5**2 * 0.2) * qdd[1]])


# ------------------------------------------------------------------------------------------------------------- loading


def test_all_ways_of_loading_give_the_same_robot(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    wanted = rne.inverse_dynamics(arm(), *STATE)
    for robot in (rne.load(path), rne.load(str(path)), rne.load_urdf(path), rne.load_urdf(ARM.encode())):
        assert_same_bits(rne.inverse_dynamics(robot, *STATE), wanted)


def test_loading_functions_take_the_same_options():
    common = {"lock", "joints", "gravity", "strict"}
    for load in (rne.load, rne.load_urdf, rne.load_dh, rne.from_dh):
        parameters = inspect.signature(load).parameters
        assert common <= {name for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY}


def test_what_the_reader_noted_is_said_where_the_user_loads():
    bare = ARM.replace("</robot>", "").replace('<link name="floor"/>', '<link name="floor"/><link name="flag"/>')
    bare += """<joint name="wave" type="continuous"><parent link="tool"/><child link="flag"/></joint></robot>"""
    with pytest.warns(rne.ModelWarning, match="wave.*nor anything beyond it has mass") as caught:
        robot = rne.load_urdf(bare)
    assert {warning.filename for warning in caught} == {__file__}
    assert rne.gravity_vector(robot, np.zeros(7))[-1] == 0


def test_robots_are_not_compared_by_their_contents():
    one, other = arm(), arm()
    assert one == one
    assert one != other
    assert len({one, other, one}) == 2
    assert isinstance(one.joint("roll"), Joint)
    assert random_robot(1) != random_robot(1)
