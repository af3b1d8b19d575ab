"""Poses, Jacobians, velocities and accelerations: against Pinocchio, the plain twin, and by differences."""

from __future__ import annotations

import numba
import numpy as np
import oracles
import own_robots
import pinocchio as pin
import pytest
import reference as ref
import strategies
from checks import (
    assert_batch_is_its_single_calls,
    assert_nan_stays_in_its_sample,
    assert_near,
    assert_same_bits,
    random_robot,
    random_states,
)
from example_robots import NAMES, SAMPLES, example
from hypothesis import given
from hypothesis import strategies as st

import rne

# What is asked for is 1e-9. Measured: 5e-15.
TOLERANCE = 1e-12
AXES = {"world": pin.LOCAL_WORLD_ALIGNED, "local": pin.LOCAL}
POINT = [0.1, -0.2, 0.3]

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


# ---------------------------------------------------------------------------------------------------- by Pinocchio


@pytest.mark.parametrize("name", NAMES)
def test_poses_are_those_of_pinocchio(name):
    this = example(name)
    poses = rne.forward_kinematics(this.robot, this.q)
    assert tuple(poses) == this.robot.frame_names
    for k in range(SAMPLES):
        for frame, (R, p) in oracles.pin_forward_kinematics(this.pm, this.names, this.q[k]).items():
            assert_near(poses[frame][k], np.block([[R, p[:, None]], [0, 0, 0, 1]]), TOLERANCE)


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("name", NAMES)
def test_jacobians_and_motions_are_those_of_pinocchio(name, axes):
    this = example(name)
    robot, q, qd, qdd = this.robot, this.q, this.qd, this.qdd
    for frame, point in zip(this.frames(4), (None, POINT, None, POINT), strict=True):
        model, index = this.with_point(frame, point or [0, 0, 0])
        data, options = model.createData(), {"axes": axes, "point": point}
        J = rne.jacobian(robot, q, frame, **options)
        v = rne.frame_velocity(robot, q, qd, frame, **options)
        a = rne.frame_acceleration(robot, q, qd, qdd, frame, **options)
        drift = rne.jacobian_dot_qd(robot, q, qd, frame, **options)
        for k in range(SAMPLES):
            Q, V, A = this.pin_state(k)
            wanted = pin.computeFrameJacobian(model, data, Q, index, AXES[axes]).reshape(6, -1)
            assert_near(J[k], this.reduced(wanted), TOLERANCE)
            pin.forwardKinematics(model, data, Q, V, A)
            assert_near(v[k], pin.getFrameVelocity(model, data, index, AXES[axes]).vector, TOLERANCE)
            wanted = pin.getFrameClassicalAcceleration(model, data, index, AXES[axes])
            assert_near(a[k], wanted.vector, TOLERANCE)
            pin.forwardKinematics(model, data, Q, V, 0 * A)
            wanted = pin.getFrameClassicalAcceleration(model, data, index, AXES[axes])
            assert_near(drift[k], wanted.vector, TOLERANCE)


# --------------------------------------------------------------------------------------------------- by the twin


@given(strategies.robots(), st.data())
def test_kinematics_are_those_of_the_twin(robot, data):
    tree, q, qd, qdd = robot
    frame = data.draw(st.sampled_from([body.name for body in tree.bodies]))
    mine, at = rne.Robot(tree), ref.motions(tree, q, qd, qdd)
    for name, T in rne.forward_kinematics(mine, q).items():
        assert_near(T[:3, :3], at[name].R)
        assert_near(T[:3, 3], at[name].p)
    b, still = at[frame], ref.motions(tree, q, qd)[frame]
    assert_near(rne.jacobian(mine, q, frame), ref.jacobian(tree, q, frame))
    assert_near(rne.frame_velocity(mine, q, qd, frame), [*b.v, *b.w])
    assert_near(rne.frame_acceleration(mine, q, qd, qdd, frame), [*b.a, *b.wd])
    assert_near(rne.jacobian_dot_qd(mine, q, qd, frame), [*still.a, *still.wd])
    r = b.R @ POINT
    v, a = b.v + np.cross(b.w, r), b.a + np.cross(b.wd, r) + np.cross(b.w, np.cross(b.w, r))
    assert_near(rne.frame_velocity(mine, q, qd, frame, point=POINT), [*v, *b.w])
    assert_near(
        rne.frame_acceleration(mine, q, qd, qdd, frame, point=POINT, axes="local"), [*(b.R.T @ a), *(b.R.T @ b.wd)]
    )


# ------------------------------------------------------------------------------------------------------ identities


@given(strategies.robots(max_joints=8), st.data())
def test_velocity_is_the_derivative_of_the_pose_and_acceleration_that_of_velocity(robot, data):
    tree, q, qd, qdd = robot
    frame, h = data.draw(st.sampled_from([body.name for body in tree.bodies])), 1e-5
    mine = rne.Robot(tree)
    path = np.array([q + s * qd + s * s / 2 * qdd for s in (-h, h)])
    before, after = rne.forward_kinematics(mine, path, frame)
    T, rate = rne.forward_kinematics(mine, q, frame), (after - before) / (2 * h)
    v = rne.frame_velocity(mine, q, qd, frame)
    spin = rate[:3, :3] @ T[:3, :3].T
    assert_near(v, [*rate[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]], 1e-6)
    before, after = rne.frame_velocity(mine, path, [qd - h * qdd, qd + h * qdd], frame)
    assert_near(rne.frame_acceleration(mine, q, qd, qdd, frame), (after - before) / (2 * h), 1e-6)


@given(strategies.robots(), st.data(), st.sampled_from(["world", "local"]))
def test_the_jacobian_makes_velocities_and_accelerations(robot, data, axes):
    tree, q, qd, qdd = robot
    frame = data.draw(st.sampled_from([body.name for body in tree.bodies]))
    mine, options = rne.Robot(tree), {"axes": axes, "point": POINT}
    J = rne.jacobian(mine, q, frame, **options)
    assert_near(rne.frame_velocity(mine, q, qd, frame, **options), J @ qd)
    drift = rne.jacobian_dot_qd(mine, q, qd, frame, **options)
    assert_near(rne.frame_acceleration(mine, q, qd, qdd, frame, **options), J @ qdd + drift)


@given(strategies.robots(), st.data())
def test_local_axes_are_the_columns_of_the_pose(robot, data):
    tree, q, qd, _ = robot
    frame = data.draw(st.sampled_from([body.name for body in tree.bodies]))
    mine = rne.Robot(tree)
    R = rne.forward_kinematics(mine, q, frame)[:3, :3]
    turned = np.kron(np.eye(2), R)
    assert_near(turned @ rne.jacobian(mine, q, frame, axes="local"), rne.jacobian(mine, q, frame))
    drift = rne.jacobian_dot_qd(mine, q, qd, frame)
    assert_near(turned @ rne.jacobian_dot_qd(mine, q, qd, frame, axes="local"), drift)


# ------------------------------------------------------------------------------------- shapes, precision, arguments


def tip(robot):
    """Name of a frame that some joint moves."""
    return robot.links.joint_frames[-1]


CALLS = {
    "poses": (lambda r, s, **o: rne.forward_kinematics(r, s[0], tip(r), **o), (4, 4)),
    "jacobian": (lambda r, s, **o: rne.jacobian(r, s[0], tip(r), **o), (6, 9)),
    "local jacobian": (lambda r, s, **o: rne.jacobian(r, s[0], tip(r), axes="local", **o), (6, 9)),
    "velocity": (lambda r, s, **o: rne.frame_velocity(r, s[0], s[1], tip(r), **o), (6,)),
    "acceleration": (lambda r, s, **o: rne.frame_acceleration(r, *s, tip(r), **o), (6,)),
    "drift": (lambda r, s, **o: rne.jacobian_dot_qd(r, s[0], s[1], tip(r), **o), (6,)),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("mimic", [0.0, 0.5])
def test_a_batch_is_its_single_calls_to_the_last_bit(name, mimic):
    assert_batch_is_its_single_calls(CALLS[name][0], mimic)


@pytest.mark.parametrize("name", CALLS)
def test_shapes_out_and_precision(name):
    call, item = CALLS[name]
    robot = random_robot(4, 9, mimic=0.0)
    state = random_states(9, 2, 5)
    wanted = call(robot, state)
    assert wanted.shape == (2, 5, *item)
    out = np.empty((2, 5, *item))
    assert call(robot, state, out=out) is out
    assert_same_bits(out, wanted)
    strided = np.empty((2, 5, *item, 2))[..., 0]
    assert call(robot, state, out=strided) is strided
    assert_same_bits(np.ascontiguousarray(strided), wanted)
    single = call(robot, [x.astype(np.float32) for x in state])
    assert single.dtype == np.float32
    assert_near(single, wanted, 3e-5)
    assert call(robot, [x[:0] for x in state]).shape == (0, 5, *item)


@pytest.mark.parametrize("name", CALLS)
def test_nan_stays_in_its_sample(name):
    assert_nan_stays_in_its_sample(CALLS[name][0])


def test_several_frames_are_views_of_one_array():
    robot = own_robots.arm()
    q = random_states(6, 4)[0]
    out = np.empty((4, 2, 4, 4))
    poses = rne.forward_kinematics(robot, q, ["tool", "upper"], out=out)
    assert list(poses) == ["tool", "upper"]
    assert all(np.shares_memory(T, out) for T in poses.values())
    assert_same_bits(poses["tool"], rne.forward_kinematics(robot, q, "tool"))
    assert_same_bits(poses["upper"][2], rne.forward_kinematics(robot, q[2], ("upper",))["upper"])
    assert rne.forward_kinematics(robot, q, []) == {}
    assert_same_bits(rne.forward_kinematics(robot, q, "floor")[1], np.eye(4))


def test_a_robot_that_cannot_move_has_poses():
    robot = own_robots.arm(lock=dict.fromkeys(own_robots.arm().joint_names, 0.3))
    wanted = rne.forward_kinematics(own_robots.arm(), np.full(6, 0.3), "tool")
    assert_near(rne.forward_kinematics(robot, np.zeros(0), "tool"), wanted)
    assert_near(rne.forward_kinematics(robot, np.zeros((2, 0)), "tool"), [wanted, wanted])
    assert rne.jacobian(robot, np.zeros((2, 0)), "tool").shape == (2, 6, 0)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((np.zeros(6), "toll"), {}, "frame: no frame is named 'toll'; did you mean 'tool'"),
        ((np.zeros(6), ["tool", "toll"]), {}, "frame: no frame is named 'toll'; did you mean 'tool'"),
        ((np.zeros(5), "tool"), {}, "q: wanted shape"),
        ((np.zeros(6), "tool"), {"axes": "base"}, "axes: wanted the axes 'world' or 'local', got 'base'"),
        ((np.zeros(6), "tool"), {"axes": ["local"]}, "axes: wanted"),
        ((np.zeros(6), "tool"), {"point": [0, 1]}, r"point: wanted shape \(3,\)"),
        ((np.zeros(6), "tool"), {"out": np.zeros((6, 5))}, r"out: wanted a float64 array of shape \(6, 6\)"),
        ((None, "tool"), {}, "q: wanted an array, got None"),
    ],
)
def test_wrong_arguments_are_named(arguments, options, message):
    with pytest.raises(rne.ArgumentError, match=message):
        rne.jacobian(own_robots.arm(), *arguments, **options)


def test_wrong_frames_are_named():
    with pytest.raises(rne.UnknownNameError, match="no frame is named 'hat'"):
        rne.forward_kinematics(own_robots.arm(), np.zeros(6), ["tool", "hat"])
    with pytest.raises(rne.ArgumentError, match="frames: wanted the name of a frame or a list of names, got int"):
        rne.forward_kinematics(own_robots.arm(), np.zeros(6), 3)


# ------------------------------------------------------------------------------------------------ from compiled code


@numba.njit
def everything(model, site, q, qd, qdd, T, J, v, a):
    rne.jit.forward_kinematics(model, site, q, T)
    rne.jit.jacobian(model, site, q, J)
    rne.jit.frame_velocity(model, site, q, qd, v)
    rne.jit.frame_acceleration(model, site, q, qd, qdd, a)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_compiled_code_gets_the_same_bits(dtype):
    robot = own_robots.gripper()
    q, qd, qdd = random_states(2, dtype=dtype)
    T, J, v, a = (np.empty(shape, dtype) for shape in ((1, 4, 4), (6, 2), 6, 6))
    site = rne.jit.site(robot, "right", axes="local", point=POINT, dtype=dtype)
    everything(rne.jit.model(robot, dtype), site, q, qd, qdd, T, J, v, a)
    options = {"axes": "local", "point": POINT}
    assert_same_bits(J, rne.jacobian(robot, q, "right", **options))
    assert_same_bits(v, rne.frame_velocity(robot, q, qd, "right", **options))
    assert_same_bits(a, rne.frame_acceleration(robot, q, qd, qdd, "right", **options))
    pose = rne.forward_kinematics(robot, q, "right")
    assert_near(T[0, :3, 3], pose[:3, :3] @ POINT + pose[:3, 3], 1e-6)
    with pytest.raises(ValueError, match=r"rne\.jit"):
        everything(rne.jit.model(robot, dtype), site, q, qd, qdd, T, J[:5].copy(), v, a)
