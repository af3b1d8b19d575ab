"""Forces: against Pinocchio, the plain twin, and by virtual work, weight and change of frame."""

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
POINT = [0.1, -0.2, 0.3]

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


# ---------------------------------------------------------------------------------------------------- by Pinocchio


@pytest.mark.parametrize("name", NAMES)
def test_joint_wrenches_are_those_of_pinocchio(name):
    this = example(name)
    rng = np.random.default_rng(this.robot.n)
    f_ext = {frame: rng.normal(size=(SAMPLES, 6)) * 20 for frame in this.frames(3)}
    gravity = rng.normal(size=3) * 10
    state, options = (this.q, this.qd, this.qdd), {"gravity": gravity, "f_ext": f_ext}
    local = rne.joint_wrenches(this.robot, *state, axes="local", **options)
    world = rne.joint_wrenches(this.robot, *state, **options)
    for k in range(SAMPLES):
        loads = {frame: wrench[k] for frame, wrench in f_ext.items()}
        oracles.pin_inverse_dynamics(this.pm, this.names, *(x[k] for x in state), gravity, loads)
        wanted = [this.pm.data.f[this.model.getJointId(joint)] for joint in this.robot.links.joints]
        assert_near(local[k], [f.vector for f in wanted], TOLERANCE)
        pin.forwardKinematics(this.model, this.pm.data, this.pin_state(k)[0])
        for w, f, joint in zip(world[k], wanted, this.robot.links.joints, strict=True):
            R = this.pm.data.oMi[this.model.getJointId(joint)].rotation
            assert_near(w, [*(R @ f.linear), *(R @ f.angular)], TOLERANCE)


@pytest.mark.parametrize("name", NAMES)
def test_static_torques_are_those_of_pinocchio(name):
    this = example(name)
    rng = np.random.default_rng(this.robot.n)
    f_ext = {frame: rng.normal(size=(SAMPLES, 6)) * 20 for frame in this.frames(3)}
    tau = rne.static_torque(this.robot, this.q, f_ext)
    for k in range(SAMPLES):
        wanted = sum(
            oracles.pin_jacobian(this.pm, this.names, this.q[k], frame).T @ wrench[k] for frame, wrench in f_ext.items()
        )
        assert_near(tau[k], wanted, TOLERANCE)


# --------------------------------------------------------------------------------------------------- by the twin


@given(strategies.robots(), st.data())
def test_joint_wrenches_are_those_of_the_twin(robot, data):
    tree, q, qd, qdd = robot
    f_ext = data.draw(strategies.wrenches(tree))
    mine = rne.Robot(tree)
    wanted = ref.joint_wrenches(tree, q, qd, qdd, f_ext=f_ext)
    got = rne.joint_wrenches(mine, q, qd, qdd, f_ext=f_ext)
    assert_near(got, [wanted[joint] for joint in mine.links.joints])
    turned = [np.kron(np.eye(2), ref.motions(tree, q)[frame].R) for frame in mine.links.joint_frames]
    local = rne.joint_wrenches(mine, q, qd, qdd, f_ext=f_ext, axes="local")
    assert_near(np.einsum("iab,ib->ia", turned, local), got)


# ------------------------------------------------------------------------------------------------------ identities


@given(strategies.robots(mimic=0.0))
def test_the_part_along_the_axis_is_the_torque_of_the_bodies(robot):
    tree, q, qd, qdd = robot
    mine = rne.Robot(tree).with_drives({joint.name: rne.model.tree.Drive() for joint in tree.joints if joint.movable})
    tau = dict(zip(mine.joint_names, rne.inverse_dynamics(mine, q, qd, qdd), strict=True))
    w = rne.joint_wrenches(mine, q, qd, qdd, axes="local")
    for name, force in zip(mine.links.joints, w, strict=True):
        joint = mine.joint(name)
        part = force[3:] if joint.kind == "revolute" else force[:3]
        assert_near(part @ joint.axis, tau[name], 1e-11)


@given(strategies.robots(), st.data())
def test_joints_at_the_base_carry_the_weight(robot, data):
    tree, q, _, _ = robot
    mine, loads = rne.Robot(tree), data.draw(strategies.wrenches(tree))
    on_robot = {name: wrench for name, wrench in loads.items() if mine.links.frames[name].row > 0}
    w = rne.joint_wrenches(mine, q, f_ext=on_robot)
    first = [k for k in range(len(w)) if mine.links.table[k + 1, 0] == 0]  # column 0: the parent
    mass = mine.total_mass - mine.links.table[0, 32]  # column 32 of row 0: the mass of the base
    wanted = -mass * mine.gravity - sum((wrench[:3] for wrench in on_robot.values()), np.zeros(3))
    assert_near(w[first, :3].sum(axis=0), wanted)


@given(strategies.robots(), st.data())
def test_wrenches_do_the_work_that_their_torques_do(robot, data):
    tree, q, qd, _ = robot
    f_ext, mine = data.draw(strategies.wrenches(tree)), rne.Robot(tree)
    tau = rne.static_torque(mine, q, f_ext)
    work = sum(wrench @ rne.frame_velocity(mine, q, qd, frame) for frame, wrench in f_ext.items())
    assert_near(tau @ qd, work, 1e-11)
    wanted = sum((rne.jacobian(mine, q, frame).T @ wrench for frame, wrench in f_ext.items()), np.zeros(mine.n))
    assert_near(tau, wanted)
    assert_near(rne.inverse_dynamics(mine, q, f_ext=f_ext), rne.gravity_vector(mine, q) - tau)
    local = {frame: (wrench, "local") for frame, wrench in f_ext.items()}
    wanted = sum(
        (rne.jacobian(mine, q, frame, axes="local").T @ wrench for frame, wrench in f_ext.items()), np.zeros(mine.n)
    )
    assert_near(rne.static_torque(mine, q, local), wanted)


@given(strategies.robots(), st.data())
def test_moments_about_the_guide_are_about_where_a_slide_starts(robot, data):
    """The place of the frame with its own joint at zero, as the plain twin finds it with the joint made fixed."""
    tree, q, qd, qdd = robot
    mine, f_ext = rne.Robot(tree), data.draw(strategies.wrenches(tree))
    child, parent = (rne.joint_wrenches(mine, q, qd, qdd, f_ext=f_ext, origin=o) for o in ("child", "parent"))
    now = ref.motions(tree, q)
    for k, (name, frame) in enumerate(zip(mine.links.joints, mine.links.joint_frames, strict=True)):
        joint = mine.joint(name)
        before = now[joint.parent]
        start = before.p + before.R @ joint.origin.position
        force = child[k, :3]
        assert_near(parent[k], [*force, *(child[k, 3:] + np.cross(now[frame].p - start, force))])
    local = rne.joint_wrenches(mine, q, qd, qdd, f_ext=f_ext, origin="parent", axes="local")
    turned = [np.kron(np.eye(2), now[frame].R) for frame in mine.links.joint_frames]
    assert_near(np.einsum("iab,ib->ia", turned, local), parent)


def test_the_guide_of_a_slide_bears_the_moment_of_its_arm():
    """A level slide with 5 kg, 2 m out: 98 N m at the turning axis where it is mounted, none at the mass itself."""
    rows = [{"joint": "revolute", "alpha": np.pi / 2, "theta": np.pi / 2}, {"joint": "prismatic", "mass": 5.0}]
    robot = rne.from_dh(rows, convention="standard", gravity=[0, -9.8, 0])
    q = np.array([0.0, 2.0])
    assert_near(rne.joint_wrenches(robot, q, origin="parent")[1], [0, 49.0, 0, 0, 0, 98.0])
    assert_near(rne.joint_wrenches(robot, q, q, q, gravity=[0, 0, 0], origin="child")[1, 3:], [0, 0, 0])


def test_a_hanging_rod():
    """A rod of 2 kg and 1 m on a hinge, swinging through its lowest point: the hinge bears weight and centripetal."""
    row = {"joint": "revolute", "a": 1.0, "mass": 2.0, "com": [-0.5, 0, 0], "inertia": np.diag([0, 1 / 6, 1 / 6])}
    rod = rne.from_dh([row], convention="standard", gravity=[0, -10, 0])
    w = rne.joint_wrenches(rod, [-np.pi / 2], [3.0], [0.0])
    assert_near(w, [[0, 2 * 10 + 2 * 9 * 0.5, 0, 0, 0, 0]])


# ----------------------------------------------------------------------------------------- from one frame to another


def test_force_sensor_and_bolt():
    """M' = M + r x F for parallel axes, written out."""
    (x, y, z), (fx, fy, fz, mx, my, mz) = r, w = [0.1, -0.25, 0.4], [15.0, -8.0, 22.0, 1.2, 0.7, -2.5]
    wanted = [fx, fy, fz, mx + y * fz - z * fy, my + z * fx - x * fz, mz + x * fy - y * fx]
    assert_near(rne.transform_wrench(w, np.eye(3), r), wanted, 1e-15)


@given(strategies.robots(), st.data())
def test_wrenches_and_twists_move_with_the_frames_of_a_body(robot, data):
    tree, q, qd, _ = robot
    mine = rne.Robot(tree)
    frame = data.draw(st.sampled_from([body.name for body in tree.bodies]))
    wrench = np.arange(6.0)
    T = rne.forward_kinematics(mine, q, frame)
    R, r = T[:3, :3], T[:3, :3] @ POINT
    # from the point in local axes to the origin of the frame in world axes
    twist = rne.transform_twist(rne.frame_velocity(mine, q, qd, frame, axes="local", point=POINT), R, r)
    assert_near(twist, rne.frame_velocity(mine, q, qd, frame))
    tau = rne.jacobian(mine, q, frame, axes="local", point=POINT).T @ wrench
    assert_near(rne.static_torque(mine, q, {frame: rne.transform_wrench(wrench, R, r)}), tau)


def test_transforms_are_matrices_and_take_batches():
    rng = np.random.default_rng(1)
    R, p = np.array([strategies.matrix_from_rpy(a) for a in rng.normal(size=(5, 3))]), rng.normal(size=(5, 3))
    wrench, twist = rng.normal(size=(2, 4, 1, 6))
    moved, seen = rne.transform_wrench(wrench, R, p), rne.transform_twist(twist, R, p)
    assert moved.shape == seen.shape == (4, 5, 6)
    assert_near((moved * seen).sum(axis=-1), np.broadcast_to((wrench * twist).sum(axis=-1), (4, 5)))
    X = rne.transform_wrench(np.eye(6), R[2], p[2]).T
    assert_near(X @ wrench[1, 0], moved[1, 2])
    assert_near(np.linalg.inv(X).T @ twist[1, 0], seen[1, 2])
    back = rne.transform_wrench(moved, np.swapaxes(R, -1, -2), -np.einsum("iba,ib->ia", R, p))
    assert_near(back, np.broadcast_to(wrench, (4, 5, 6)))
    single = rne.transform_wrench(wrench.astype(np.float32), R.astype(np.float32), p.astype(np.float32))
    assert single.dtype == np.float32


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros(6), 2 * np.eye(3), np.zeros(3)), "rotation: wanted orthonormal, right-handed"),
        ((np.zeros(6), [np.eye(3), np.diag([1, 1, -1])], np.zeros(3)), "rotation: wanted orthonormal"),
        (([1, 2, 3], np.eye(3), np.zeros(3)), r"wrench: wanted shape \(\.\.\., 6\); got \(3,\)"),
        ((np.zeros(6), np.eye(4), np.zeros(3)), r"rotation: wanted shape \(\.\.\., 3, 3\)"),
        ((np.zeros(6), np.eye(3), 1.0), r"position: wanted shape \(\.\.\., 3\)"),
        ((np.zeros((2, 6)), np.eye(3), np.zeros((3, 3))), "leading axes do not broadcast"),
        ((np.zeros((2, 6)), np.zeros((3, 3, 3)), np.zeros(3)), "leading axes do not broadcast"),
    ],
)
def test_wrong_transforms_are_named(arguments, message):
    with pytest.raises(rne.ArgumentError, match=message):
        rne.transform_wrench(*arguments)


# ------------------------------------------------------------------------------------- shapes, precision, arguments


def loaded(call):
    """Call with one wrench, the same or one a sample."""

    def with_wrench(robot, state, **options):
        total = np.ascontiguousarray(state[0]).sum(axis=-1)  # numpy rounds a sum by the order in memory
        wrench = np.stack([total] * 6, axis=-1)
        return call(robot, state, f_ext={robot.links.joint_frames[-1]: (wrench, "local")}, **options)

    return with_wrench


CALLS = {
    "joint wrenches": (lambda r, s, **o: rne.joint_wrenches(r, *s, **o), (9, 6)),
    "in local axes": (lambda r, s, **o: rne.joint_wrenches(r, *s, axes="local", **o), (9, 6)),
    "about the guides": (lambda r, s, **o: rne.joint_wrenches(r, *s, origin="parent", **o), (9, 6)),
    "under load": (loaded(lambda r, s, **o: rne.joint_wrenches(r, *s, **o)), (9, 6)),
    "static torque": (loaded(lambda r, s, **o: rne.static_torque(r, s[0], **o)), (9,)),
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
    single = call(robot, [x.astype(np.float32) for x in state])
    assert single.dtype == np.float32
    assert_near(single, wanted, 3e-5)
    assert call(robot, [x[:0] for x in state]).shape == (0, 5, *item)


@pytest.mark.parametrize("name", CALLS)
def test_nan_stays_in_its_sample(name):
    assert_nan_stays_in_its_sample(CALLS[name][0])


def test_one_wrench_in_one_state_is_a_batch_of_one():
    robot, wrench = own_robots.arm(), np.arange(6.0)
    q = random_states(6, 1)[0]
    tau = rne.static_torque(robot, q, {"tool": wrench})[0]
    assert_same_bits(rne.static_torque(robot, q[0], {"tool": wrench}), tau)
    assert_same_bits(rne.static_torque(robot, q[0], {"tool": wrench.tolist()}), tau)
    assert_same_bits(rne.static_torque(robot, q[0], {}), np.zeros(6))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"f_ext": {"toll": np.zeros(6)}}, "f_ext: no frame is named 'toll'; did you mean 'tool'"),
        ({"f_ext": {"tool": np.zeros(3)}}, r"f_ext\['tool'\]: wanted shape \(\.\.\., 6\)"),
        ({"f_ext": {"tool": (np.zeros(6), "base")}}, "wanted the axes 'world' or 'local', got 'base'"),
        ({"f_ext": [1.0]}, "f_ext: wanted a mapping"),
        ({"axes": "base", "f_ext": {}}, "axes: wanted the axes 'world' or 'local', got 'base'"),
    ],
)
def test_wrong_arguments_are_named(options, message):
    robot, rest = own_robots.arm(), np.zeros(6)
    with pytest.raises(rne.ArgumentError, match=message):
        rne.joint_wrenches(robot, rest, rest, rest, **options)
    with pytest.raises(rne.ArgumentError, match="origin: wanted 'child' or 'parent', got 'base'"):
        rne.joint_wrenches(robot, rest, rest, rest, origin="base")
    if "axes" not in options:
        with pytest.raises(rne.ArgumentError, match=message):
            rne.static_torque(robot, rest, **options)


# ------------------------------------------------------------------------------------------------ from compiled code


@numba.njit
def bear(model, joints, sites, wrenches, q, qd, qdd, w):
    rne.jit.joint_wrenches(model, joints, sites, wrenches, q, qd, qdd, w)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_compiled_code_gets_the_same_bits(dtype):
    robot = own_robots.gripper()
    state, wrench, w = random_states(2, dtype=dtype), np.arange(6, dtype=dtype), np.empty((3, 6), dtype)
    sites = rne.jit.sites(robot, {"left": "local"}, dtype)
    arguments = (rne.jit.model(robot, dtype), rne.jit.joint_sites(robot, "local", dtype), sites)
    bear(*arguments, wrench[None], *state, w)
    assert_same_bits(w, rne.joint_wrenches(robot, *state, f_ext={"left": (wrench, "local")}, axes="local"))
    with pytest.raises(ValueError, match=r"rne\.jit"):
        bear(*arguments, np.zeros((2, 6), dtype), *state, w)
