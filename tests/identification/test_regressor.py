"""The regressor: against Pinocchio's, against closed forms, column by column against inverse dynamics."""

from __future__ import annotations

from dataclasses import replace

import numba
import numpy as np
import pinocchio as pin
import pytest
import strategies
from checks import (
    assert_batch_is_its_single_calls,
    assert_nan_stays_in_its_sample,
    assert_near,
    assert_same_bits,
    random_robot,
    random_states,
)
from example_robots import SAMPLES, example
from hypothesis import given
from models_at_hand import MODELS
from oracles import GRAVITY
from own_robots import arm, gripper

import rne

PIN_ORDER = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # Pinocchio has Iyy before Ixz
NAMES = [
    "a1.urdf",
    "baxter.urdf",
    "human.urdf",
    "icub.urdf",
    "kinova.urdf",
    "panda.urdf",
    "pr2.urdf",
    "romeo.urdf",
    "talos_full_v2.urdf",
    "tiago_pro.urdf",
    "ur10_robot.urdf",
    "xarm7.urdf",
]
ALL = {"rotors": True, "friction": True}
DRIVE = rne.Drive(rotor_inertia=0.01, gear_ratio=5.0, viscous=0.7, coulomb_plus=0.4, coulomb_minus=0.3)

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


def driven(robot):
    """Return the robot with a drive on every joint, no two alike."""
    joints = robot.links.joints
    drives = {
        name: rne.Drive(0.01 + 0.001 * k, 5.0, 0.7 + 0.1 * k, 0.4 + 0.01 * k, 0.3 + 0.02 * k)
        for k, name in enumerate(joints)
    }
    return robot.with_drives(drives)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_that_of_pinocchio(name):
    e = example(name)
    e.model.gravity = pin.Motion(np.array(GRAVITY), np.zeros(3))
    order = [e.model.getJointId(joint) - 1 for joint in e.robot.links.joints]
    wanted = np.empty((SAMPLES, e.robot.n, len(order), 10))
    for k in range(SAMPLES):
        full = pin.computeJointTorqueRegressor(e.model, e.pm.data, *e.pin_state(k))
        wanted[k] = e.reduced(full.T).T.reshape(e.robot.n, -1, 10)[:, order][..., PIN_ORDER]
    Y = rne.regressor(e.robot, e.q, e.qd, e.qdd, rotors=False)
    assert_near(Y, wanted.reshape(Y.shape), 1e-13)  # measured: 3e-15
    own = np.array([e.model.inertias[k + 1].toDynamicParameters()[PIN_ORDER] for k in order])
    pi = rne.parameters(e.robot, rotors=False)
    assert_near(pi, own.ravel(), 1e-13)
    tau = [e.reduced(pin.rnea(e.model, e.pm.data, *e.pin_state(k))).ravel() for k in range(SAMPLES)]
    assert_near(Y @ pi, tau, 1e-13)


def test_closed_form_of_two_links():
    """Two revolute joints about z, link lengths a and c of no matter; y is up."""
    a, g = 0.7, 9.81
    rows = [{"joint": "revolute", "a": length, "mass": 1.0} for length in (a, 0.5)]
    robot = rne.from_dh(rows, convention="standard", gravity=[0, -g, 0])
    (q1, q2), (w1, w2), (e1, e2) = random_states(2, seed=4)
    c1, s1, c12, s12, c2, s2 = (f(x) for x in (q1, q1 + q2, q2) for f in (np.cos, np.sin))
    w, e = w1 + w2, e1 + e2
    mx = a * c2 * (e1 + e) - a * s2 * (w * w - w1 * w1) + g * c12
    my = -a * s2 * (e1 + e) - a * c2 * (w * w - w1 * w1) - g * s12
    wanted = {
        "mx_joint1": [g * c1, 0],
        "my_joint1": [-g * s1, 0],
        "Izz_joint1": [e1, 0],
        "m_joint2": [a * a * e1 + a * g * c1, 0],
        "mx_joint2": [mx, a * c2 * e1 + a * s2 * w1 * w1 + g * c12],
        "my_joint2": [my, -a * s2 * e1 + a * c2 * w1 * w1 - g * s12],
        "Izz_joint2": [e, e],
    }
    wanted |= {"rotor_joint1": [e1, 0], "rotor_joint2": [0, e2]}
    names = rne.parameter_names(robot)
    Y = rne.regressor(robot, [q1, q2], [w1, w2], [e1, e2])
    assert_near(Y, np.array([wanted.get(name, [0, 0]) for name in names]).T, 1e-14)


ROBOTS = {
    "arm": arm(),
    "gripper": gripper(),
    "branches": random_robot(3, 8, branching=0.5, mimic=0.3),
    "slides": random_robot(8, 5, mimic=0.0),
}


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_a_column_is_what_a_change_of_its_parameter_does(robot):
    robot = driven(robot)
    state = random_states(robot.n, 5, seed=1)
    pi = rne.parameters(robot, **ALL)
    pi[: 10 * len(robot.links.joints) : 10] += 1.0  # a body without mass has no first moments
    Y = rne.regressor(robot, *state, **ALL, gravity=[1.0, -2.0, 3.0])

    def tau(values):
        changed = robot.with_parameters(values, strict=False)
        return rne.inverse_dynamics(changed, *state, friction=True, gravity=[1.0, -2.0, 3.0])

    known = tau(pi)
    for k, name in enumerate(rne.parameter_names(robot, **ALL)):
        more = pi.copy()
        more[k] += 0.5
        np.testing.assert_allclose((tau(more) - known) / 0.5, Y[..., k], rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_the_torques_are_those_of_inverse_dynamics(robot):
    for subject in (robot, driven(robot)):
        assert_it_makes_the_torques(subject)


@pytest.mark.parametrize("name", sorted(str(path.relative_to(MODELS)) for path in MODELS.rglob("robot.*")))
def test_the_torques_of_every_model_are_those_of_inverse_dynamics(name):
    robot = rne.load(MODELS / name)
    assert_it_makes_the_torques(robot)
    coupled = [] if robot.n < 2 else [rne.Coupling(*robot.joint_names[:2], 30.0, 0.7, 0.1, 1.5)]
    springs = {name: replace(robot.joint(name).drive, stiffness=4.0, rest=0.2) for name in robot.links.joints}
    tree = robot.with_drives(springs).tree
    assert_it_makes_the_torques(rne.Robot(replace(tree, couplings=(*tree.couplings, *coupled))))


@given(strategies.robots(1, 7, couplings=0.5))
def test_the_torques_of_any_robot_are_those_of_inverse_dynamics(sample):
    assert_it_makes_the_torques(rne.Robot(sample[0]))


def assert_it_makes_the_torques(robot):
    """With the same flags, and with what the API calls the remainder; the rotors are always there."""
    state = random_states(robot.n, 9, seed=2)
    for options in ({}, {"friction": True}):
        tau = rne.inverse_dynamics(robot, *state, **options)
        linear = rne.regressor(robot, *state, **options) @ rne.parameters(robot, **options)
        assert_near(linear + rne.regressor_remainder(robot, *state[:2], **options), tau, 1e-12)
    if not robot.stiffness.any() and not robot.tree.couplings:
        assert_near(linear, tau, 1e-12)
    rotors = robot.links.rotors * robot.links.ratios**2 * state[2][:, robot.links.leaders]
    alone = np.stack([rotors[:, robot.links.leaders == k].sum(axis=1) for k in range(robot.n)], axis=1)
    bodies = rne.regressor(robot, *state, rotors=False) @ rne.parameters(robot, rotors=False)
    assert_near(rne.regressor(robot, *state) @ rne.parameters(robot) - bodies, alone, 1e-11)


def test_the_remainder_by_hand():
    """A spring and a damper on two joints, and both of them between the joints; the friction of a joint is no part."""
    drives = {"shoulder": rne.Drive(0.1, 3.0, 0.4, 0.2, 0.3, stiffness=5.0, rest=0.1)}
    tree = rne.load(MODELS / "planar2" / "robot.dh.toml").with_drives(drives).tree
    robot = rne.Robot(replace(tree, couplings=(rne.Coupling("shoulder", "elbow", 20.0, 0.6, 0.05, 2.0),)))
    q, qd = random_states(2, 7, seed=5)[:2]
    stretch, rate = q @ [1.0, -2.0], qd @ [1.0, -2.0]
    spring = 20.0 * (stretch - 0.05)[:, None] * [1.0, -2.0] + 5.0 * (q - 0.1) * [1.0, 0.0]
    assert_near(rne.regressor_remainder(robot, q), spring)
    assert_near(rne.regressor_remainder(robot, q, qd), spring)
    damper = 0.6 * rate[:, None] * [1.0, -2.0]
    assert_near(rne.regressor_remainder(robot, q, qd, friction=True), spring + damper)
    assert_near(rne.regressor_remainder(robot, q[3], qd[3], friction=True), (spring + damper)[3])


def test_names_and_numbers_stand_in_the_same_order():
    robot = arm().with_drives({"reach": DRIVE})
    named = dict(zip(rne.parameter_names(robot, **ALL), rne.parameters(robot, **ALL), strict=True))
    assert len(named) == 6 * 14
    assert named["m_yaw"] == pytest.approx(0.4 + 0.7)  # with the tool that is bolted on
    assert named["mx_shoulder"] == pytest.approx(4.3 * 0.19)
    assert named["Iyz_pitch"] == pytest.approx(0.0001)  # the offset, along y, adds no product
    assert named["Ixx_pitch"] == pytest.approx(0.0007 + 0.5 * 0.01**2)
    assert named["rotor_reach"] == pytest.approx(0.01 * 25)
    assert (named["viscous_turret"], named["coulomb_plus_turret"], named["coulomb_minus_turret"]) == (0.8, 1.5, 1.5)
    assert (named["coulomb_plus_reach"], named["coulomb_minus_reach"]) == (0.4, 0.3)
    for options in ({}, {"friction": True, "rotors": False}):
        some = rne.parameter_names(robot, **options)
        np.testing.assert_array_equal([named[name] for name in some], rne.parameters(robot, **options))


def test_the_order_of_the_coordinates_is_that_of_the_rows():
    robot, turned = arm(), arm(joints=["yaw", "roll", "reach", "turret", "pitch", "shoulder"])
    order = [robot.joint_names.index(name) for name in turned.joint_names]
    state = random_states(6, 3)
    wanted = rne.regressor(robot, *state, **ALL)[:, order]
    assert_same_bits(rne.regressor(turned, *(x[:, order] for x in state), **ALL), wanted)


@pytest.mark.parametrize("mimic", [0.0, 0.4])
def test_a_batch_is_its_single_calls(mimic):
    def call(robot, state, **options):
        return rne.regressor(driven(robot), *state, **ALL, **options)

    assert_batch_is_its_single_calls(call, mimic)


def test_a_nan_stays_in_its_sample():
    assert_nan_stays_in_its_sample(lambda robot, state: rne.regressor(robot, *state, **ALL))


def test_single_precision():
    robot = arm()
    double = random_states(6, 21)
    single = [x.astype(np.float32) for x in double]
    Y = rne.regressor(robot, *single, **ALL)
    assert Y.dtype == np.float32
    assert_near(Y, rne.regressor(robot, *(x.astype(np.float64) for x in single), **ALL), 1e-5)
    assert_same_bits(Y[4], rne.regressor(robot, *(x[4] for x in single), **ALL))


def test_arguments():
    robot, q = arm(), np.full(6, 0.3)
    Y = rne.regressor(robot, q)
    assert_same_bits(Y, rne.regressor(robot, q, np.zeros(6), np.zeros(6)))
    assert_same_bits(np.stack([[Y] * 2] * 3), rne.regressor(robot, q, np.zeros((3, 1, 6)), np.zeros((2, 6))))
    out = np.empty((6, 66))
    assert rne.regressor(robot, q, out=out) is out
    assert_same_bits(out, Y)
    with pytest.raises(rne.ArgumentError, match=r"out: wanted a float64 array of shape \(6, 60\)"):
        rne.regressor(robot, q, out=out, rotors=False)
    with pytest.raises(rne.ArgumentError, match="qdd: wanted shape"):
        rne.regressor(robot, q, q, np.zeros(5))
    for call in (rne.regressor, rne.parameters, rne.parameter_names):
        with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
            call("arm", *([q] if call is rne.regressor else []))


def test_a_robot_without_joints():
    block = rne.load_urdf('<robot name="block"><link name="base"/></robot>')
    assert rne.regressor(block, np.zeros((3, 0))).shape == (3, 0, 0)
    assert rne.parameters(block, **ALL).shape == (0,)


@numba.njit
def in_user_code(model, joints, q, qd, qdd, Y):
    rne.jit.regressor(model, joints, q, qd, qdd, Y, True, True)


def test_it_can_be_called_from_compiled_code():
    robot = driven(gripper())
    state, Y = random_states(2), np.empty((2, 3 * 14))
    model, joints = rne.jit.model(robot), rne.jit.joint_sites(robot, "local")
    in_user_code(model, joints, *state, Y)
    assert_same_bits(Y, rne.regressor(robot, *state, **ALL))
    for which, shape in ((0, (1,)), (1, (3,)), (2, (1,)), (3, (2, 30))):
        arrays = [*(np.zeros(2) for _ in range(3)), Y.copy()]
        arrays[which] = np.zeros(shape)
        with pytest.raises(ValueError, match=r"rne\.jit: "):
            in_user_code(model, joints, *arrays)
    with pytest.raises(ValueError, match=r"rne\.jit: "):
        in_user_code(model, joints[:2].copy(), *state, Y)
