"""The gradient of weighted torques by parameters: against Pinocchio, against differences of inverse dynamics."""

from __future__ import annotations

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
from example_robots import example
from hypothesis import given
from oracles import GRAVITY
from own_robots import arm, gripper

import rne

PIN_ORDER = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # Pinocchio has Iyy before Ixz
ALL = {"rotors": True, "friction": True}

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


def driven(robot):
    """Return the robot with a drive on every joint, no two alike."""
    drives = {
        name: rne.Drive(0.01 + 0.001 * k, 5.0, 0.7 + 0.1 * k, 0.4 + 0.01 * k, 0.3 + 0.02 * k)
        for k, name in enumerate(robot.links.joints)
    }
    return robot.with_drives(drives)


@pytest.mark.parametrize("name", ["panda.urdf", "talos_full_v2.urdf", "tiago_pro.urdf"])
def test_it_is_weights_times_the_regressor_of_pinocchio(name):
    e = example(name)
    e.model.gravity = pin.Motion(np.array(GRAVITY), np.zeros(3))
    order = [e.model.getJointId(joint) - 1 for joint in e.robot.links.joints]
    weights = np.random.default_rng(1).normal(size=e.robot.n)
    for k in range(2):
        full = pin.computeJointTorqueRegressor(e.model, e.pm.data, *e.pin_state(k))
        columns = e.reduced(full.T).T.reshape(e.robot.n, -1, 10)[:, order][..., PIN_ORDER]
        got = rne.regressor_vjp(e.robot, e.q[k], e.qd[k], e.qdd[k], weights, rotors=False)
        assert_near(got, np.tensordot(weights, columns, 1).ravel(), 1e-13)


ROBOTS = {
    "arm": arm(),
    "gripper": gripper(),
    "branches": random_robot(3, 8, branching=0.5, mimic=0.3),
    "slides": random_robot(8, 5, mimic=0.0),
}


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_it_is_what_a_change_of_each_parameter_does(robot):
    """Torques are linear in the parameters, and so differences are exact."""
    robot = driven(robot)
    state = random_states(robot.n, seed=1)
    weights = np.random.default_rng(2).normal(size=robot.n)
    pi = rne.parameters(robot, **ALL)
    pi[: 10 * len(robot.links.joints) : 10] += 1.0  # a body without mass has no first moments
    gradient = rne.regressor_vjp(robot, *state, weights, **ALL, gravity=[1.0, -2.0, 3.0])

    def work(values):
        changed = robot.with_parameters(values, strict=False)
        return weights @ rne.inverse_dynamics(changed, *state, friction=True, gravity=[1.0, -2.0, 3.0])

    known = work(pi)
    differences = [(work(pi + 0.5 * unit) - known) / 0.5 for unit in np.eye(len(pi))]
    np.testing.assert_allclose(gradient, differences, rtol=1e-9, atol=1e-9)


@given(strategies.robots(1, 7))
def test_of_any_robot_it_is_weights_times_the_regressor(sample):
    robot = driven(rne.Robot(sample[0]))
    state, weights = random_states(robot.n, 9, seed=2), random_states(robot.n, 9, seed=3)[0]
    for options in ({}, {"rotors": False}, {"rotors": False, "friction": True}, ALL):
        wanted = np.einsum("ki,kip->kp", weights, rne.regressor(robot, *state, **options))
        assert_near(rne.regressor_vjp(robot, *state, weights, **options), wanted, 1e-12)


def call(robot, state, **options):
    return rne.regressor_vjp(driven(robot), *state, state[2], **ALL, **options)


@pytest.mark.parametrize("mimic", [0.0, 0.4])
def test_a_batch_is_its_single_calls(mimic):
    assert_batch_is_its_single_calls(call, mimic)


def test_a_nan_stays_in_its_sample():
    assert_nan_stays_in_its_sample(call)


def test_single_precision():
    robot = arm()
    single = [x.astype(np.float32) for x in random_states(6, 21)]
    got = call(robot, single)
    assert got.dtype == np.float32
    assert_near(got, call(robot, [x.astype(np.float64) for x in single]), 1e-5)
    assert_same_bits(got[4], call(robot, [x[4] for x in single]))


def test_arguments():
    robot, q = arm(), np.full(6, 0.3)
    gradient = rne.regressor_vjp(robot, q, None, None, q)
    out = np.empty(66)
    assert rne.regressor_vjp(robot, q, None, None, q, out=out) is out
    assert_same_bits(out, gradient)
    assert_same_bits(np.stack([gradient] * 3), rne.regressor_vjp(robot, q, np.zeros((3, 6)), None, q.tolist()))
    with pytest.raises(rne.ArgumentError, match=r"out: wanted a float64 array of shape \(60,\)"):
        rne.regressor_vjp(robot, q, None, None, q, out=out, rotors=False)
    with pytest.raises(rne.ArgumentError, match="weights: wanted an array, got None"):
        rne.regressor_vjp(robot, q, None, None, None)


def test_a_robot_without_joints():
    block = rne.load_urdf('<robot name="block"><link name="base"/></robot>')
    assert rne.regressor_vjp(block, np.zeros((3, 0)), None, None, np.zeros(0)).shape == (3, 0)


@numba.njit
def in_user_code(model, joints, q, qd, qdd, weights, gradient):
    rne.jit.regressor_vjp(model, joints, q, qd, qdd, weights, gradient, True, True)


def test_it_can_be_called_from_compiled_code():
    robot = driven(gripper())
    (q, qd, qdd), gradient = random_states(2), np.empty(3 * 14)
    model, joints = rne.jit.model(robot), rne.jit.joint_sites(robot, "local")
    in_user_code(model, joints, q, qd, qdd, q, gradient)
    assert_same_bits(gradient, rne.regressor_vjp(robot, q, qd, qdd, q, **ALL))
    for which, length in ((0, 1), (1, 3), (2, 1), (3, 3), (4, 30)):
        arrays = [*(np.zeros(2) for _ in range(4)), gradient.copy()]
        arrays[which] = np.zeros(length)
        with pytest.raises(ValueError, match=r"rne\.jit: "):
            in_user_code(model, joints, *arrays)
    with pytest.raises(ValueError, match=r"rne\.jit: "):
        in_user_code(model, joints[:2].copy(), q, qd, qdd, q, gradient)
