"""Energies and the center of mass: against Pinocchio, the plain twin, and the laws that bind them to the torques."""

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

# What is asked for is 1e-9. Measured: 1e-14.
TOLERANCE = 1e-12

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


# ---------------------------------------------------------------------------------------------------- by Pinocchio


@pytest.mark.parametrize("name", NAMES)
def test_energies_are_those_of_pinocchio(name):
    this = example(name)
    K, P = rne.kinetic_energy(this.robot, this.q, this.qd), rne.potential_energy(this.robot, this.q)
    base = this.model.inertias[0]  # which Pinocchio leaves out
    for k in range(SAMPLES):
        assert_near(K[k], oracles.pin_kinetic_energy(this.pm, this.names, this.q[k], this.qd[k]), TOLERANCE)
        moving = pin.computePotentialEnergy(this.model, this.model.createData(), this.pin_state(k)[0])
        assert_near(P[k], moving + 9.81 * base.mass * base.lever[2], TOLERANCE)


@pytest.mark.parametrize("name", NAMES)
def test_energies_of_each_link_are_those_of_pinocchio(name):
    this = example(name)
    K = rne.kinetic_energy(this.robot, this.q, this.qd, per_link=True)
    P = rne.potential_energy(this.robot, this.q, per_link=True)
    assert K.shape == P.shape == (SAMPLES, 1 + len(this.robot.links.joints))
    data = this.model.createData()
    for k in range(SAMPLES):
        Q, V, _ = this.pin_state(k)
        pin.forwardKinematics(this.model, data, Q, V)
        for i, joint in enumerate(("universe", *this.robot.links.joints)):
            index = this.model.getJointId(joint)
            body, pose = this.model.inertias[index], data.oMi[index]
            assert_near(K[k, i], 0.5 * body.vtiv(data.v[index]), TOLERANCE)
            assert_near(P[k, i], 9.81 * body.mass * pose.act(body.lever)[2], TOLERANCE)


@pytest.mark.parametrize("name", NAMES)
def test_the_center_of_mass_is_that_of_pinocchio(name):
    this = example(name)
    c = rne.center_of_mass(this.robot, this.q)
    v = rne.center_of_mass_velocity(this.robot, this.q, this.qd)
    J = rne.center_of_mass_jacobian(this.robot, this.q)
    data = this.model.createData()
    share = pin.computeTotalMass(this.model) / this.robot.total_mass
    for k in range(SAMPLES):
        mass, wanted = oracles.pin_mass_and_center(this.pm, this.names, this.q[k])
        assert_near(this.robot.total_mass, mass, TOLERANCE)
        assert_near(c[k], wanted, TOLERANCE)
        Q, V, _ = this.pin_state(k)
        pin.centerOfMass(this.model, data, Q, V)
        assert_near(v[k], share * data.vcom[0], TOLERANCE)
        assert_near(J[k], share * this.reduced(pin.jacobianCenterOfMass(this.model, data, Q)), TOLERANCE)


# --------------------------------------------------------------------------------------------------- by the twin


@given(strategies.robots())
def test_energies_and_center_are_those_of_the_twin(robot):
    tree, q, qd, _ = robot
    mine = rne.Robot(tree)
    assert_near(rne.kinetic_energy(mine, q, qd), ref.kinetic_energy(tree, q, qd))
    assert_near(rne.potential_energy(mine, q), ref.potential_energy(tree, q))
    assert_near(rne.potential_energy(mine, q, gravity=[1.0, 2.0, 3.0]), ref.potential_energy(tree, q, [1.0, 2.0, 3.0]))
    if ref.total_mass(tree):
        assert_near(rne.center_of_mass(mine, q), ref.center_of_mass(tree, q))


@pytest.mark.parametrize("q", [np.zeros(1), [0.0], np.zeros((3, 1)), np.full(1, np.nan)])
@pytest.mark.filterwarnings("ignore:.*has mass, so the joint moves none:rne.ModelWarning")
def test_a_robot_without_mass_has_no_center(q):
    ghost = rne.load_urdf(
        '<robot name="ghost"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    calls = (
        lambda: rne.center_of_mass(ghost, q),
        lambda: rne.center_of_mass_velocity(ghost, q, q),
        lambda: rne.center_of_mass_jacobian(ghost, q),
    )
    for call in calls:
        with pytest.raises(rne.ArgumentError, match="ghost has no mass, and so no center of mass"):
            call()
    base = rne.load_urdf(
        '<robot name="block"><link name="a"><inertial><origin xyz="1 2 3"/><mass value="2"/><inertia '
        'ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    )
    assert_near(rne.center_of_mass(base, np.zeros(0)), [1.0, 2.0, 3.0])


# ------------------------------------------------------------------------------------------------------ identities


@given(strategies.robots())
def test_kinetic_energy_is_half_the_mass_matrix_between_velocities(robot):
    tree, q, qd, _ = robot
    mine, still = rne.Robot(tree), (0.0, 0.0, 0.0)
    K = rne.kinetic_energy(mine, q, qd)
    assert_near(K, qd @ rne.inverse_dynamics(mine, q, None, qd, gravity=still) / 2)
    bare = mine.with_drives({joint.name: rne.model.tree.Drive() for joint in tree.joints if joint.movable})
    assert_near(rne.kinetic_energy(mine, q, qd, rotors=False), rne.kinetic_energy(bare, q, qd))
    assert K >= rne.kinetic_energy(mine, q, qd, rotors=False) >= -1e-12 * max(1.0, K)


@given(strategies.robots())
def test_links_add_up(robot):
    tree, q, qd, _ = robot
    mine = rne.Robot(tree)
    for rotors in (True, False):
        each = rne.kinetic_energy(mine, q, qd, rotors=rotors, per_link=True)
        assert each.shape == (1 + len(mine.links.joints),)
        assert each[0] == 0
        assert_near(each.sum(), rne.kinetic_energy(mine, q, qd, rotors=rotors))
    assert_near(rne.potential_energy(mine, q, per_link=True).sum(), rne.potential_energy(mine, q))


@given(strategies.robots(max_joints=6), st.integers(0, 100))
def test_springs_store_what_they_resist(robot, stiffness):
    tree, q, _, _ = robot
    drive, h = rne.model.tree.Drive(stiffness=float(stiffness), rest=0.4), 1e-5
    mine = rne.Robot(tree).with_drives({joint.name: drive for joint in tree.joints if joint.movable})
    stored = rne.potential_energy(mine, q) - rne.potential_energy(mine, q, springs=False)
    assert_near(stored, stiffness * ((ref.expand(tree, q) - 0.4) ** 2).sum() / 2)
    assert_near(rne.potential_energy(mine, q, per_link=True).sum(), rne.potential_energy(mine, q))
    steps = h * np.eye(mine.n)
    slope = (rne.potential_energy(mine, q + steps) - rne.potential_energy(mine, q - steps)) / (2 * h)
    assert_near(slope, rne.inverse_dynamics(mine, q), 1e-6)


@given(strategies.robots(max_joints=8))
def test_gravity_is_the_slope_of_potential_energy(robot):
    tree, q, _, _ = robot
    mine, h = rne.Robot(tree), 1e-5
    steps = h * np.eye(mine.n)
    slope = (rne.potential_energy(mine, q + steps) - rne.potential_energy(mine, q - steps)) / (2 * h)
    g = rne.gravity_vector(mine, q)
    assert_near(slope, g, 1e-6)
    if mine.total_mass:
        weight = mine.total_mass * mine.gravity
        assert_near(-rne.center_of_mass_jacobian(mine, q).T @ weight, g)
        assert_near(rne.potential_energy(mine, q), -weight @ rne.center_of_mass(mine, q))


@given(strategies.robots(max_joints=8))
def test_power_makes_energy(robot):
    tree, q, qd, qdd = robot
    mine, h = rne.Robot(tree), 1e-5
    path = np.array([q + s * qd + s * s / 2 * qdd for s in (-h, h)])
    rates = np.array([qd - h * qdd, qd + h * qdd])
    before, after = rne.kinetic_energy(mine, path, rates) + rne.potential_energy(mine, path)
    scale = max(1.0, abs(before))
    power = rne.inverse_dynamics(mine, q, qd, qdd) @ qd
    assert abs(power - (after - before) / (2 * h)) < 1e-6 * max(scale, abs(power))


@given(strategies.robots(max_joints=8))
def test_the_velocity_of_the_center_is_its_derivative(robot):
    tree, q, qd, _ = robot
    mine, h = rne.Robot(tree), 1e-6
    if mine.total_mass:
        v = rne.center_of_mass_velocity(mine, q, qd)
        assert_near(v, rne.center_of_mass_jacobian(mine, q) @ qd)
        before, after = rne.center_of_mass(mine, [q - h * qd, q + h * qd])
        assert_near(v, (after - before) / (2 * h), 1e-7)


# ------------------------------------------------------------------------------------- shapes, precision, arguments

CALLS = {
    "kinetic": (lambda r, s, **o: rne.kinetic_energy(r, s[0], s[1], **o), ()),
    "kinetic of links": (lambda r, s, **o: rne.kinetic_energy(r, s[0], s[1], per_link=True, **o), (10,)),
    "potential": (lambda r, s, **o: rne.potential_energy(r, s[0], **o), ()),
    "potential of links": (lambda r, s, **o: rne.potential_energy(r, s[0], per_link=True, **o), (10,)),
    "center": (lambda r, s, **o: rne.center_of_mass(r, s[0], **o), (3,)),
    "center velocity": (lambda r, s, **o: rne.center_of_mass_velocity(r, s[0], s[1], **o), (3,)),
    "center jacobian": (lambda r, s, **o: rne.center_of_mass_jacobian(r, s[0], **o), (3, 9)),
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
    out = np.empty(item)
    assert call(robot, [x[1, 2] for x in state], out=out) is out
    assert_same_bits(out, wanted[1, 2])


@pytest.mark.parametrize("name", CALLS)
def test_nan_stays_in_its_sample(name):
    assert_nan_stays_in_its_sample(CALLS[name][0])


def test_one_energy_is_a_number():
    robot = own_robots.arm()
    q, qd, _ = random_states(6)
    assert isinstance(rne.kinetic_energy(robot, q, qd), float)
    assert isinstance(rne.kinetic_energy(robot, q.tolist(), qd.tolist()), float)
    assert isinstance(rne.potential_energy(robot, q, gravity=[0, 0, 1]), float)


@pytest.mark.parametrize("call", [rne.kinetic_energy, rne.center_of_mass_velocity])
def test_wrong_arguments_are_named(call):
    with pytest.raises(rne.ArgumentError, match=r"qd: wanted shape \(\.\.\., 6\)"):
        call(own_robots.arm(), np.zeros(6), np.zeros(5))
    with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
        call("arm", np.zeros(6), np.zeros(6))


# ------------------------------------------------------------------------------------------------ from compiled code


@numba.njit
def everything(model, q, qd, c, J):
    rne.jit.center_of_mass(model, q, c)
    rne.jit.center_of_mass_jacobian(model, q, J)
    return rne.jit.kinetic_energy(model, q, qd), rne.jit.potential_energy(model, q)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_compiled_code_gets_the_same_bits(dtype):
    robot = own_robots.gripper()
    q, qd, _ = random_states(2, dtype=dtype)
    c, J = np.empty(3, dtype), np.empty((3, 2), dtype)
    energies = everything(rne.jit.model(robot, dtype), q, qd, c, J)
    assert_same_bits(
        np.array(energies, dtype), np.array([rne.kinetic_energy(robot, q, qd), rne.potential_energy(robot, q)])
    )
    assert_same_bits(c, rne.center_of_mass(robot, q))
    assert_same_bits(J, rne.center_of_mass_jacobian(robot, q))
    with pytest.raises(ValueError, match=r"rne\.jit"):
        everything(rne.jit.model(robot, dtype), q, qd, c[:2], J)
