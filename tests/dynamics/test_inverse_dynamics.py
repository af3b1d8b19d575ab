"""Inverse dynamics against the plain twin in `reference.py`, on random trees with everything a tree can hold."""

from __future__ import annotations

import numpy as np
import pytest
import reference as ref
import strategies
from checks import assert_near, assert_same_bits, random_robot, random_states
from hypothesis import given
from hypothesis import strategies as st
from own_robots import GRIPPER, arm, gripper

import rne

SMALL = {"min_joints": 1, "max_joints": 9, "one_sided": True, "degenerate": 0.2}


# --------------------------------------------------------------------------------------------------- the plain twin


@given(strategies.robots(**SMALL))
def test_torques_are_those_of_the_twin(sample):
    tree, q, qd, qdd = sample
    robot = rne.Robot(tree)
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd), ref.inverse_dynamics(tree, q, qd, qdd))


@given(strategies.robots(**SMALL))
def test_torques_with_friction_are_those_of_the_twin(sample):
    tree, q, qd, qdd = sample
    robot = rne.Robot(tree)
    wanted = ref.inverse_dynamics(tree, q, qd, qdd, friction=True)
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd, friction=True), wanted)
    assert_near(rne.friction_torque(robot, qd), ref.friction_torque(tree, qd))


@given(strategies.robots(**SMALL), st.data())
def test_torques_with_wrenches_and_gravity_are_those_of_the_twin(sample, data):
    """World and local axes mixed, on any frames: fixed ones, moving ones, and the root, which must change nothing."""
    tree, q, qd, qdd = sample
    robot = rne.Robot(tree)
    world = data.draw(strategies.wrenches(tree))
    gravity = data.draw(st.tuples(*[st.integers(-20, 20)] * 3))
    f_ext = {}
    placed = ref.forward_kinematics(tree, q)
    for name, wrench in world.items():
        R = placed[name][0]
        local = np.concatenate([R.T @ wrench[:3], R.T @ wrench[3:]])
        f_ext[name] = data.draw(st.sampled_from([wrench, (wrench, "world"), (local, "local")]))
    got = rne.inverse_dynamics(robot, q, qd, qdd, gravity=gravity, f_ext=f_ext)
    assert_near(got, ref.inverse_dynamics(tree, q, qd, qdd, gravity, world))


@given(strategies.robots(**SMALL))
def test_parts_of_the_torque_are_those_of_the_twin(sample):
    tree, q, qd, _ = sample
    robot = rne.Robot(tree)
    bias, gravity = ref.bias_vector(tree, q, qd), ref.gravity_vector(tree, q)
    assert_near(rne.gravity_vector(robot, q), gravity)
    assert_near(rne.bias_vector(robot, q, qd), bias)
    assert_near(rne.coriolis_vector(robot, q, qd), bias - gravity)
    sideways = (3.0, 0.0, -7.8)
    assert_near(rne.gravity_vector(robot, q, gravity=sideways), ref.gravity_vector(tree, q, sideways))
    assert_near(rne.bias_vector(robot, q, qd, gravity=sideways), ref.bias_vector(tree, q, qd, sideways))


@given(strategies.robots(1, 6, mimic=0.7, prismatic=0.4))
def test_followers_of_followers_are_those_of_the_twin(sample):
    tree, q, qd, qdd = sample
    wanted = ref.inverse_dynamics(tree, q, qd, qdd, friction=True)
    assert_near(rne.inverse_dynamics(rne.Robot(tree), q, qd, qdd, friction=True), wanted)


@given(strategies.robots(1, 12, branching=0.9, fixed=0.5))
def test_bushes_with_much_bolted_on_are_those_of_the_twin(sample):
    tree, q, qd, qdd = sample
    assert_near(rne.inverse_dynamics(rne.Robot(tree), q, qd, qdd), ref.inverse_dynamics(tree, q, qd, qdd))


@given(strategies.robots(1, 6, skew=0.0, massless=0.5))
def test_right_angles_and_bare_links_are_those_of_the_twin(sample):
    """Parallel and crossing axes, where frames in normal form are not unique; links that weigh nothing."""
    tree, q, qd, qdd = sample
    assert_near(rne.inverse_dynamics(rne.Robot(tree), q, qd, qdd), ref.inverse_dynamics(tree, q, qd, qdd))


@pytest.mark.parametrize("seed", range(12))
def test_a_batch_is_that_of_the_twin(seed):
    """Larger trees than hypothesis draws, every lane of the packs, wrenches that differ from sample to sample."""
    robot = random_robot(seed, 8 + seed, one_sided=True)
    states = random_states(robot.n, 21, seed=seed)
    rng = np.random.default_rng(seed)
    one, other = rng.choice(robot.frame_names, 2, replace=False).tolist()
    world, local = rng.normal(size=(2, 21, 6)) * 20
    got = rne.inverse_dynamics(robot, *states, f_ext={one: world, other: (local, "local")}, friction=True)
    for k in range(21):
        q, qd, qdd = (x[k] for x in states)
        R = ref.forward_kinematics(robot.tree, q)[other][0]
        loads = {one: world[k], other: np.concatenate([R @ local[k, :3], R @ local[k, 3:]])}
        assert_near(got[k], ref.inverse_dynamics(robot.tree, q, qd, qdd, f_ext=loads, friction=True))


# -------------------------------------------------------------------------------------------------- wrenches by hand


def test_a_wrench_acts_on_the_robot_and_not_from_it():
    """A hand that lifts a horizontal beam of one meter at its end with its weight: the joint holds half of it less."""
    row = {"joint": "revolute", "a": 1.0, "mass": 2.0, "com": [-0.5, 0, 0]}
    beam = rne.from_dh([row], convention="standard", gravity=[0, -10, 0])
    frame = beam.frame_names[-1]
    assert_near(rne.inverse_dynamics(beam, [0.0]), [10.0])
    assert_near(rne.inverse_dynamics(beam, [0.0], f_ext={frame: [0, 3, 0, 0, 0, 0]}), [7.0])
    assert_near(rne.inverse_dynamics(beam, [0.0], f_ext={frame: [0, 0, 0, 0, 0, 4]}), [6.0])
    upright = np.pi / 2  # there, the beam's own x is the world's y
    assert_near(rne.inverse_dynamics(beam, [upright], f_ext={frame: [-3, 0, 0, 0, 0, 0]}), [-3.0])
    assert_near(rne.inverse_dynamics(beam, [upright], f_ext={frame: ([0, 3, 0, 0, 0, 0], "local")}), [-3.0])
    assert_near(rne.inverse_dynamics(beam, [upright], f_ext={frame: ([0, 3, 0, 0, 0, 0], "world")}), [0.0])


def test_a_wrench_on_the_base_is_the_business_of_the_ground():
    robot = arm()
    q, qd, qdd = random_states(robot.n)
    plain = rne.inverse_dynamics(robot, q, qd, qdd)
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd, f_ext={"floor": [1, 2, 3, 4, 5, 6]}), plain)


def test_wrenches_on_several_frames_add_up():
    robot = arm()
    q, qd, qdd = random_states(robot.n)
    plain = rne.inverse_dynamics(robot, q, qd, qdd)
    loads = {"tool": [1.0, 2, 3, 4, 5, 6], "boom": ([-3.0, 1, 4, 1, -5, 9], "local"), "hand": np.arange(6)}
    together = rne.inverse_dynamics(robot, q, qd, qdd, f_ext=loads)
    apart = [rne.inverse_dynamics(robot, q, qd, qdd, f_ext={name: load}) - plain for name, load in loads.items()]
    assert_near(together - plain, sum(apart))


def test_a_weightless_arm_under_its_weights_as_wrenches():
    """Gravity is nothing but a force at every center of mass: given as wrenches it makes the same torques."""
    robot = random_robot(4, 10)
    q, qd, qdd = random_states(robot.n)
    g, loads = robot.gravity, {}
    placed = ref.forward_kinematics(robot.tree, q)
    for body in robot.tree.bodies:
        weight = body.mass * g
        loads[body.name] = np.concatenate([weight, np.cross(placed[body.name][0] @ np.array(body.com), weight)])
    floating = rne.inverse_dynamics(robot, q, qd, qdd, gravity=[0, 0, 0], f_ext=loads)
    assert_near(floating, rne.inverse_dynamics(robot, q, qd, qdd))


@pytest.mark.parametrize(
    ("f_ext", "message"),
    [
        ({"tol": np.zeros(6)}, "f_ext: no frame is named 'tol'; did you mean 'tool'"),
        ({"tool": np.zeros(5)}, r"f_ext\['tool'\]: wanted shape \(..., 6\); got \(5,\)"),
        ({"tool": (np.zeros(6), "body")}, r"f_ext\['tool'\]: wanted the axes 'world' or 'local', got 'body'"),
        ({"tool": "down"}, r"f_ext\['tool'\]: wanted real numbers"),
        ({"tool": 3.0}, r"f_ext\['tool'\]: wanted shape \(..., 6\); got \(\)"),
        ([np.zeros(6)], "f_ext: wanted a mapping from frame name to wrench, got list"),
    ],
)
def test_wrong_wrenches_are_refused(f_ext, message):
    with pytest.raises(rne.ArgumentError, match=message):
        rne.inverse_dynamics(arm(), np.zeros(6), f_ext=f_ext)


# -------------------------------------------------------------------------------------------------- gravity, by hand


def test_gravity_is_the_acceleration_of_free_fall():
    """A bob of 2 kg on 0.3 m, axis along -y, so that +q lifts it: m g l cos q holds it."""
    urdf = """<robot name="pendulum"><link name="ceiling"/>
      <link name="bob"><inertial><origin xyz="0.3 0 0"/><mass value="2"/>
        <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
      <joint name="swing" type="continuous"><parent link="ceiling"/><child link="bob"/><axis xyz="0 -1 0"/></joint>
    </robot>"""
    pendulum = rne.load_urdf(urdf)
    assert_near(rne.gravity_vector(pendulum, [0.5]), [2 * 9.81 * 0.3 * np.cos(0.5)])
    sideways = [2 * 0.3 * (7.8 * np.cos(0.5) + 3 * np.sin(0.5))]
    assert_near(rne.gravity_vector(pendulum, [0.5], gravity=(3, 0, -7.8)), sideways)
    assert_near(rne.gravity_vector(pendulum.with_gravity((3, 0, -7.8)), [0.5]), sideways)


def test_gravity_of_a_call_leaves_the_robot_alone():
    robot = arm()
    before = rne.gravity_vector(robot, np.zeros(6))
    rne.gravity_vector(robot, np.zeros(6), gravity=[1, 2, 3])
    assert_near(rne.gravity_vector(robot, np.zeros(6)), before, rtol=0)
    assert robot.gravity.tolist() == [0, 0, -9.81]


@pytest.mark.parametrize("gravity", [[0, 0], 9.81, "down", [0, 0, np.nan], [[0, 0, -9.81]], [0, 0, 1j], [True] * 3])
def test_wrong_gravity_is_refused(gravity):
    with pytest.raises(rne.ArgumentError, match="gravity"):
        rne.inverse_dynamics(arm(), np.zeros(6), gravity=gravity)


# ------------------------------------------------------------------------------------------------- followers by hand


def test_the_fingers_of_a_gripper_by_virtual_work():
    """What the leader must give is its own force plus the ratio times that of the follower."""
    robot = gripper()
    free = rne.load_urdf(GRIPPER.replace('<mimic joint="left_finger" multiplier="-1.5" offset="0.01"/>', ""))
    assert robot.joint_names == ("turn", "left_finger")
    assert free.joint_names == ("right_finger", "turn", "left_finger")
    q, qd, qdd = [0.5, 0.02], [0.7, 0.1], [1.2, 0.8]
    all_q, all_qd, all_qdd = [-1.5 * 0.02 + 0.01, *q], [-1.5 * 0.1, *qd], [-1.5 * 0.8, *qdd]
    right, turn, left = rne.inverse_dynamics(free, all_q, all_qd, all_qdd)
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd), [turn, left - 1.5 * right])


def test_small_batches_give_the_bits_of_their_states():
    """A few states go to the kernel by a way of their own, those in odd memory and those for threads by another."""
    robot = arm()
    for count in (1, 7, 8, 64, 65, 1000):
        q, qd, qdd = random_states(robot.n, count, seed=count)
        for friction in (False, True):
            tau = rne.inverse_dynamics(robot, q, qd, qdd, friction=friction)
            backward = rne.inverse_dynamics(robot, q[::-1], qd[::-1], qdd[::-1], friction=friction)
            assert_same_bits(backward[::-1], tau)
            assert_same_bits(rne.inverse_dynamics(robot, q, qd, qdd, friction=friction, threads=2), tau)
            for k in (0, count - 1):
                assert_same_bits(rne.inverse_dynamics(robot, q[k], qd[k], qdd[k], friction=friction), tau[k])


@pytest.mark.parametrize("wrong", [(8, 5), (8, 7), (7, 6), (2, 8, 5)])
def test_small_batches_that_do_not_fit_are_refused(wrong):
    right = np.zeros((8, 6))
    for state in ([np.zeros(wrong), right, right], [right, np.zeros(wrong), right], [right, right, np.zeros(wrong)]):
        with pytest.raises(rne.ArgumentError):
            rne.inverse_dynamics(arm(), *state)
