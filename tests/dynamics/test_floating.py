"""A base that floats: identities of mechanics, quaternions, precision, and threads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_near, assert_same_bits, random_tree
from oracles_floating import random_states

import rne

LONE = """<robot name="block"><link name="body"><inertial>
<origin xyz="{com}"/><mass value="2"/>{inertia}</inertial></link></robot>"""
INERTIA = '<inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0.01" ixz="-0.02" iyz="0.03"/>'


def floating(seed=0, joints=9, **features):
    return rne.Robot(replace(random_tree(seed, joints, **features), floating=True))


def lone_body(com="0 0 0"):
    return rne.load_urdf(LONE.format(com=com, inertia=INERTIA), floating=True)


ROBOTS = [
    floating(0, 7, mimic=0.0, branching=0.0),
    floating(1, 9, mimic=0.0),
    floating(2, 12, mimic=0.4),
    lone_body("0.1 -0.2 0.3"),
]
robots = pytest.mark.parametrize("robot", ROBOTS, ids=["chain", "tree", "followers", "body"])


@robots
def test_mass_matrix_is_linear_part_of_torques(robot):
    q, qd, qdd = random_states(robot, 5)
    M = rne.mass_matrix(robot, q)
    assert_same_bits(M, M.swapaxes(-1, -2))
    tau = rne.inverse_dynamics(robot, q, qd, qdd) - rne.bias_vector(robot, q, qd)
    assert_near(np.einsum("kij,kj->ki", M, qdd), tau, 1e-11)
    assert_near(rne.kinetic_energy(robot, q, qd), 0.5 * np.einsum("ki,kij,kj->k", qd, M, qd), 1e-12)


@robots
def test_power_balance(robot):
    """d(K + P)/dt = qd . tau, with the rate by central differences along the motion."""
    q, qd, qdd = random_states(robot, 5, 2)
    h = 1e-5

    def energy(t):
        at = rne.integrate(robot, q, t * qd + 0.5 * t * t * qdd)
        return rne.kinetic_energy(robot, at, qd + t * qdd) + rne.potential_energy(robot, at)

    power = (qd * rne.inverse_dynamics(robot, q, qd, qdd)).sum(axis=1)
    assert_near((energy(h) - energy(-h)) / (2 * h), power, 1e-7)


@robots
def test_gravity_is_the_gradient_of_the_potential(robot):
    q = random_states(robot, 4, 3)[0]
    h = 1e-5
    for k, step in enumerate(np.eye(robot.n) * h):
        ahead, back = (rne.potential_energy(robot, rne.integrate(robot, q, s * step), springs=False) for s in (1, -1))
        assert_near((ahead - back) / (2 * h), rne.gravity_vector(robot, q)[:, k], 1e-7)


@robots
def test_coriolis_matrix(robot):
    """C qd are the velocity torques, and dM/dt - 2 C is skew: the rate by central differences along the motion."""
    q, qd, _ = random_states(robot, 11, 4)
    C = rne.coriolis_matrix(robot, q, qd)
    assert_near(np.einsum("kij,kj->ki", C, qd), rne.coriolis_vector(robot, q, qd), 1e-11)
    h = 1e-5
    ahead, back = (rne.mass_matrix(robot, rne.integrate(robot, q, s * h * qd)) for s in (1, -1))
    N = (ahead - back) / (2 * h) - 2 * C
    assert np.abs(N + N.swapaxes(-1, -2)).max() < 1e-6 * max(1.0, np.abs(C).max())
    assert_near(rne.coriolis_matrix(robot, q[3], qd[3]), C[3], 1e-14)
    still = rne.coriolis_matrix(robot, q, 0.0 * qd)
    assert_near(still, np.zeros_like(still))


@robots
def test_the_pose_counts_only_by_the_direction_of_gravity(robot):
    q, qd, qdd = random_states(robot, 5, 5)
    turned = q.copy()
    yaw = np.array([0.0, 0.0, np.sin(0.4), np.cos(0.4)])
    x, y, z, w = q[:, 3:7].T
    turned[:, 3:7] = np.stack([
        yaw[3] * x - yaw[2] * y, yaw[3] * y + yaw[2] * x, yaw[3] * z + yaw[2] * w, yaw[3] * w - yaw[2] * z
    ], axis=1)  # fmt: skip
    turned[:, :3] += [1e3, -2e3, 5e2]
    down = robot.with_gravity([0.0, 0.0, -9.81])
    wanted = rne.inverse_dynamics(down, q, qd, qdd)
    assert_near(rne.inverse_dynamics(down, turned, qd, qdd), wanted, 1e-12)
    assert_near(rne.forward_dynamics(down, turned, qd, wanted), rne.forward_dynamics(down, q, qd, wanted), 1e-9)
    assert_near(rne.mass_matrix(down, turned), rne.mass_matrix(down, q))
    frame = robot.frame_names[-1]
    assert_near(rne.jacobian(down, turned, frame, axes="local"), rne.jacobian(down, q, frame, axes="local"), 1e-12)


@robots
def test_a_fixed_base_is_a_base_whose_motion_is_imposed(robot):
    fixed = rne.Robot(replace(robot.tree, floating=False), robot.joint_names)
    q, qd, qdd = random_states(robot, 5, 6)
    q[:, :7], qd[:, :6], qdd[:, :6] = rne.neutral(robot)[:7], 0.0, 0.0
    part = q[:, 7:], qd[:, 6:], qdd[:, 6:]
    tau = rne.inverse_dynamics(fixed, *part)
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd)[:, 6:], tau, 1e-12)
    assert_near(rne.mass_matrix(robot, q)[:, 6:, 6:], rne.mass_matrix(fixed, part[0]), 1e-13)
    assert_near(rne.coriolis_matrix(robot, q, qd)[:, 6:, 6:], rne.coriolis_matrix(fixed, *part[:2]), 1e-13)
    wrenches = rne.joint_wrenches(robot, q, qd, qdd)
    assert_near(wrenches, rne.joint_wrenches(fixed, *part), 1e-12)


@robots
def test_what_the_joints_and_the_base_carry_together(robot):
    """Newton and Euler for the base body alone: the wrench on it minus those that its joints transmit."""
    q, qd, qdd = random_states(robot, 3, 7)
    base = robot.frame_names[0]
    tau = rne.inverse_dynamics(robot, q, qd, qdd)
    alone = rne.Robot(
        replace(
            robot.tree,
            bodies=tuple(b for b in robot.tree.bodies if b.name == base),
            joints=(),
            couplings=(),
        )
    )
    own = rne.inverse_dynamics(alone, q[:, :7], qd[:, :6], qdd[:, :6])
    # Bodies on fixed joints belong to the base, too; compare where there are none.
    if any(not j.movable and j.parent == base for j in robot.tree.joints):
        return
    poses = rne.forward_kinematics(robot, q)
    wrenches = rne.joint_wrenches(robot, q, qd, qdd)
    R, p = poses[base][:, :3, :3], poses[base][:, :3, 3]
    force, moment = np.zeros((3, 3)), np.zeros((3, 3))
    children = dict(zip(robot.links.joints, robot.links.joint_frames, strict=True))
    for k, name in enumerate(robot.links.joints):
        if robot.joint(name).parent == base:
            f, n = wrenches[:, k, :3], wrenches[:, k, 3:]
            arm = poses[children[name]][:, :3, 3] - p
            force, moment = force + f, moment + n + np.cross(arm, f)
    carried = np.concatenate([np.einsum("kji,kj->ki", R, force), np.einsum("kji,kj->ki", R, moment)], axis=1)
    assert_near(own + carried, tau[:, :6], 1e-11)


@robots
def test_inverse_of_forward_dynamics(robot):
    q, qd, qdd = random_states(robot, 11, 8)
    heavy = robot.with_drives(
        {name: replace(robot.joint(name).drive, rotor_inertia=0.1) for name in robot.links.joints}
    )
    tau = rne.inverse_dynamics(heavy, q, qd, qdd)
    assert_near(rne.forward_dynamics(heavy, q, qd, tau), qdd, 1e-8)
    assert_near(rne.forward_dynamics(heavy, q, qd, tau, method="crba"), qdd, 1e-8)
    assert_near(rne.forward_dynamics(heavy, q[0], qd[0], tau[0]), qdd[0], 1e-8)
    push = {robot.frame_names[0]: np.ones(6)}
    assert_near(rne.forward_dynamics(heavy, q, qd, tau - rne.static_torque(heavy, q, push), f_ext=push), qdd, 1e-8)


def test_a_lone_body_obeys_euler():
    """Closed form: m (vdot + w x v) = f and I wd + w x I w = n about the center of mass."""
    body = lone_body()
    tensor = np.array([[0.2, 0.01, -0.02], [0.01, 0.3, 0.03], [-0.02, 0.03, 0.4]])
    q, qd, qdd = random_states(body, 4, 9)
    v, w = qd[:, :3], qd[:, 3:]
    f = 2.0 * (qdd[:, :3] + np.cross(w, v))
    n = qdd[:, 3:] @ tensor + np.cross(w, w @ tensor)
    assert_near(rne.inverse_dynamics(body, q, qd, qdd, gravity=[0, 0, 0]), np.concatenate([f, n], axis=1), 1e-13)
    falling = rne.forward_dynamics(body, q, 0.0 * qd)
    down = np.einsum("kji,j->ki", rne.forward_kinematics(body, q, "body")[:, :3, :3], [0.0, 0.0, -9.81])
    assert_near(falling[:, :3], down, 1e-12)
    assert_near(falling[:, 3:], 0.0 * down)


def test_friction_and_power():
    """Friction is that of the joints; its power, and that of the drives, does not know the base."""
    robot = floating(6, 8, mimic=0.3, couplings=0.5)
    fixed = rne.Robot(replace(robot.tree, floating=False), robot.joint_names)
    _, qd, tau = random_states(robot, 5, 18)
    assert_near(rne.friction_torque(robot, qd)[:, 6:], rne.friction_torque(fixed, qd[:, 6:]), 1e-14)
    assert not rne.friction_torque(robot, qd)[:, :6].any()
    assert_near(rne.dissipated_power(robot, qd), rne.dissipated_power(fixed, qd[:, 6:]), 1e-14)
    assert_near(rne.dissipation(robot, qd), rne.dissipation(fixed, qd[:, 6:]), 1e-14)
    assert_near(rne.actuator_power(robot, qd, tau), qd * tau)
    q = random_states(robot, 5, 18)[0]
    tau = rne.inverse_dynamics(robot, q, qd, friction=True)
    assert_near(tau - rne.inverse_dynamics(robot, q, qd), rne.friction_torque(robot, qd), 1e-11)
    assert_near(rne.forward_dynamics(robot, q, qd, tau, friction=True), np.zeros_like(qd), 1e-6)


def test_a_singular_base_names_its_coordinate():
    ghost = rne.load_urdf('<robot name="ghost"><link name="body"/></robot>', floating=True)
    with pytest.raises(rne.SingularError, match="base_wz"):
        rne.forward_dynamics(ghost, rne.neutral(ghost))
    with pytest.raises(rne.SingularError, match="base_wz"):
        rne.forward_dynamics(ghost, [rne.neutral(ghost)] * 3)


CALLS = {
    "inverse_dynamics": lambda r, q, qd, qdd, **o: rne.inverse_dynamics(r, q, qd, qdd, **o),
    "gravity_vector": lambda r, q, qd, qdd, **o: rne.gravity_vector(r, q, **o),
    "bias_vector": lambda r, q, qd, qdd, **o: rne.bias_vector(r, q, qd, **o),
    "coriolis_vector": lambda r, q, qd, qdd, **o: rne.coriolis_vector(r, q, qd, **o),
    "coriolis_matrix": lambda r, q, qd, qdd, **o: rne.coriolis_matrix(r, q, qd, **o),
    "mass_matrix": lambda r, q, qd, qdd, **o: rne.mass_matrix(r, q, **o),
    "mass_matrix_inverse": lambda r, q, qd, qdd, **o: rne.mass_matrix_inverse(r, q, **o),
    "forward_dynamics": lambda r, q, qd, qdd, **o: rne.forward_dynamics(r, q, qd, qdd, **o),
    "by_matrix": lambda r, q, qd, qdd, **o: rne.forward_dynamics(r, q, qd, qdd, method="crba", **o),
    "kinetic_energy": lambda r, q, qd, qdd, **o: rne.kinetic_energy(r, q, qd, **o),
    "potential_energy": lambda r, q, qd, qdd, **o: rne.potential_energy(r, q, **o),
    "forward_kinematics": lambda r, q, qd, qdd, **o: rne.forward_kinematics(r, q, r.frame_names[-1], **o),
    "jacobian": lambda r, q, qd, qdd, **o: rne.jacobian(r, q, r.frame_names[-1], **o),
    "frame_acceleration": lambda r, q, qd, qdd, **o: rne.frame_acceleration(r, q, qd, qdd, r.frame_names[-1], **o),
    "center_of_mass": lambda r, q, qd, qdd, **o: rne.center_of_mass(r, q, **o),
    "center_of_mass_velocity": lambda r, q, qd, qdd, **o: rne.center_of_mass_velocity(r, q, qd, **o),
    "center_of_mass_jacobian": lambda r, q, qd, qdd, **o: rne.center_of_mass_jacobian(r, q, **o),
    "joint_wrenches": lambda r, q, qd, qdd, **o: rne.joint_wrenches(r, q, qd, qdd, **o),
    "static_torque": lambda r, q, qd, qdd, **o: rne.static_torque(r, q, {r.frame_names[-1]: np.ones(6)}, **o),
}
HEAVY = [floating(3, 7, mimic=0.0, heavy_tips=True, massless=0.0), floating(4, 9, mimic=0.4, massless=0.0)]
calls = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
heavy = pytest.mark.parametrize("robot", HEAVY, ids=["tree", "followers"])


@calls
@heavy
def test_samples_of_a_batch_are_single_states(call, robot):
    state = random_states(robot, 21, 10)
    batch = call(robot, *state)
    assert_same_bits(batch, [call(robot, *(x[k] for x in state)) for k in range(21)])
    assert_same_bits(batch, call(robot, *state, threads=2))
    assert_same_bits(batch, call(robot, *(np.asfortranarray(x) for x in state)))
    out = np.empty_like(batch)
    assert call(robot, *state, out=out) is out
    assert_same_bits(out, batch)
    assert_same_bits(batch[:6], call(robot, *(x[:6].reshape(2, 3, -1) for x in state)).reshape(batch[:6].shape))


@calls
@heavy
def test_float32(call, robot):
    state = random_states(robot, 21, 11)
    wanted = call(robot, *state)
    got = call(robot, *(x.astype(np.float32) for x in state))
    assert np.abs(got - wanted).max() < 2e-3 * np.abs(wanted).max()
    single = call(robot, *(x[4].astype(np.float32) for x in state))
    assert np.abs(single - wanted[4]).max() < 2e-3 * np.abs(wanted).max()


@calls
@heavy
def test_quaternions_that_are_none(call, robot):
    """NaN for such a sample of a batch, and an error for a single state; a length off by rounding is put right."""
    state = random_states(robot, 21, 12)
    good = call(robot, *state)
    for spoil in (0.0, 1.0011, 0.9989, np.nan, 2.0, np.inf):
        q = state[0].copy()
        with np.errstate(invalid="ignore"):
            q[5, 3:7] *= spoil
        got = call(robot, q, *state[1:])
        assert_same_bits(np.delete(got, 5, axis=0), np.delete(good, 5, axis=0))
        assert np.isnan(got[5]).any()
        with pytest.raises(rne.ArgumentError, match=r"q: wanted a unit quaternion of the base in q\[3:7\]"):
            call(robot, q[5], *(x[5] for x in state[1:]))
    q = state[0].copy()
    q[5, 3:7] *= 1.0009
    assert_near(call(robot, q, *state[1:]), good, 1e-12)
    assert_near(
        call(robot, -q[5] * np.array([-1] * 3 + [1] * 4 + [-1] * (robot.nq - 7)), *(x[5] for x in state[1:])),
        good[5],
        1e-12,
    )


@calls
def test_nan_in_the_position_stays_in_its_sample(call):
    state = random_states(HEAVY[0], 21, 13)
    good = call(HEAVY[0], *state)
    for k in range(HEAVY[0].nq):
        q = state[0].copy()
        q[7, k] = np.nan
        got = call(HEAVY[0], q, *state[1:])
        assert_same_bits(np.delete(got, 7, axis=0), np.delete(good, 7, axis=0))


def test_lengths_that_do_not_fit():
    robot = HEAVY[0]
    q, qd, _ = random_states(robot, 1, 14)
    with pytest.raises(rne.ArgumentError, match=r"q: wanted shape \(\.\.\., 14\), pose of the base"):
        rne.inverse_dynamics(robot, q[0, :-1], qd[0])
    with pytest.raises(rne.ArgumentError, match=r"qd: wanted shape \(\.\.\., 13\), six numbers of the base"):
        rne.inverse_dynamics(robot, q, q)


def test_coordinates_by_name():
    robot = HEAVY[0]
    q, qd, _ = random_states(robot, 1, 15)
    named = dict(zip(robot.position_names, q[0], strict=True)), dict(zip(robot.coordinate_names, qd[0], strict=True))
    assert_same_bits(rne.inverse_dynamics(robot, *named), rne.inverse_dynamics(robot, q[0], qd[0]))
