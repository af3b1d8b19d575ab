"""The plain twin is right: against Pinocchio and MuJoCo, and by the laws of mechanics."""

from __future__ import annotations

import dataclasses

import numpy as np
import oracles
import pinocchio as pin
import pytest
import reference as ref
import strategies
from hypothesis import given, reject
from hypothesis import strategies as st

from rne.model.tree import Body, Drive, Joint, Limits, Mimic, Pose, Tree
from rne.read.urdf.reader import read_urdf

SMALL = {"min_joints": 1, "max_joints": 8}
# Followers (panda, talos, baxter, tiago_pro), continuous joints (kinova), prismatic ones (tiago), long branches (g1).
EXAMPLES = [
    "panda.urdf",
    "kinova.urdf",
    "baxter.urdf",
    "talos_full_v2.urdf",
    "tiago_no_hand.urdf",
    "tiago_pro.urdf",
    "g1_29dof_with_hand_rev_1_0.urdf",
]
MUJOCO_EXAMPLES = ["panda.urdf", "kinova.urdf", "baxter.urdf", "xarm7.urdf"]


def assert_near(got, wanted, rtol=1e-12):
    """Equal to `rtol` of the largest number in sight: a small torque beside large ones inherits their rounding."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    np.testing.assert_allclose(got, wanted, rtol=0.0, atol=rtol * max(1.0, np.abs(wanted).max(initial=0.0)))


def reflected(tree):
    return {joint.name: joint.drive.reflected_inertia for joint in tree.joints if joint.movable}


def pin_twin(tree):
    return oracles.pin_model(strategies.to_urdf(tree), armature=reflected(tree))


# --------------------------------------------------------------------------------------------------------- by oracle


@given(strategies.robots(**SMALL))
def test_inverse_dynamics_is_that_of_pinocchio(robot):
    tree, q, qd, qdd = robot
    wanted = oracles.pin_inverse_dynamics(pin_twin(tree), ref.coordinates(tree), q, qd, qdd, tree.gravity)
    assert_near(ref.inverse_dynamics(tree, q, qd, qdd), wanted)


@given(strategies.robots(**SMALL), st.data())
def test_external_wrenches_are_those_of_pinocchio(robot, data):
    tree, q, qd, qdd = robot
    f_ext = data.draw(strategies.wrenches(tree))
    wanted = oracles.pin_inverse_dynamics(pin_twin(tree), ref.coordinates(tree), q, qd, qdd, tree.gravity, f_ext)
    assert_near(ref.inverse_dynamics(tree, q, qd, qdd, f_ext=f_ext), wanted)


@given(strategies.robots(**SMALL))
def test_mass_matrix_and_gravity_are_those_of_pinocchio(robot):
    tree, q, _, _ = robot
    pm, names = pin_twin(tree), ref.coordinates(tree)
    assert_near(ref.mass_matrix(tree, q), oracles.pin_mass_matrix(pm, names, q))
    assert_near(ref.gravity_vector(tree, q), oracles.pin_gravity(pm, names, q, tree.gravity))


@given(strategies.robots(**SMALL))
def test_kinematics_are_those_of_pinocchio(robot):
    tree, q, _, _ = robot
    pm, names = pin_twin(tree), ref.coordinates(tree)
    wanted = oracles.pin_forward_kinematics(pm, names, q)
    placed = ref.forward_kinematics(tree, q)
    assert set(placed) == set(wanted) == {body.name for body in tree.bodies}
    for name, (R, p) in placed.items():
        assert_near(R, wanted[name][0])
        assert_near(p, wanted[name][1])
        assert_near(ref.jacobian(tree, q, name), oracles.pin_jacobian(pm, names, q, name))


@given(strategies.robots(**SMALL, rotors=False))
def test_mass_center_and_kinetic_energy_are_those_of_pinocchio(robot):
    tree, q, qd, _ = robot
    pm, names = pin_twin(tree), ref.coordinates(tree)
    mass, center = oracles.pin_mass_and_center(pm, names, q)
    assert_near(ref.total_mass(tree), mass)
    assert_near(ref.center_of_mass(tree, q), center)
    assert_near(ref.kinetic_energy(tree, q, qd), oracles.pin_kinetic_energy(pm, names, q, qd))


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_robots_are_those_of_pinocchio(name):
    path = oracles.example_urdf(name)
    tree = read_urdf(path)
    pm, names = oracles.pin_model(path), oracles.urdf_coordinates(path)
    assert ref.coordinates(tree) == names
    rng = np.random.default_rng(len(names))
    q, qd, qdd, wrench = (rng.normal(size=k) for k in (len(names), len(names), len(names), 6))
    f_ext = {tree.joints[-1].child: wrench}
    wanted = oracles.pin_inverse_dynamics(pm, names, q, qd, qdd, f_ext=f_ext)
    assert_near(ref.inverse_dynamics(tree, q, qd, qdd, gravity=oracles.GRAVITY, f_ext=f_ext), wanted, rtol=1e-13)
    assert_near(ref.mass_matrix(tree, q), oracles.pin_mass_matrix(pm, names, q), rtol=1e-13)


@pytest.mark.parametrize("name", MUJOCO_EXAMPLES)
def test_example_robots_are_those_of_mujoco(name):
    path = oracles.example_urdf(name)
    tree, names = read_urdf(path), oracles.urdf_coordinates(path)
    rng = np.random.default_rng(len(names))
    q, qd, qdd = (rng.normal(size=len(names)) for _ in range(3))
    wanted = oracles.mujoco_inverse_dynamics(path, names, q, qd, qdd)
    assert_near(ref.inverse_dynamics(tree, q, qd, qdd, gravity=oracles.GRAVITY), wanted, rtol=1e-13)


@given(strategies.robots(**SMALL, rotors=False, massless=0))
def test_inverse_dynamics_is_that_of_mujoco(robot):
    tree, q, qd, qdd = robot
    urdf, names = strategies.to_urdf(tree), ref.coordinates(tree)
    wanted = oracles.mujoco_inverse_dynamics(urdf, names, q, qd, qdd, tree.gravity)
    assert_near(ref.inverse_dynamics(tree, q, qd, qdd), wanted)


# ----------------------------------------------------------------------------------------------------------- by laws


@given(strategies.robots(**SMALL))
def test_gravity_is_the_gradient_of_potential_energy(robot):
    tree, q, _, _ = robot
    h = 1e-5
    gradient = [
        (ref.potential_energy(tree, q + h * e) - ref.potential_energy(tree, q - h * e)) / (2 * h)
        for e in np.eye(len(q))
    ]
    assert_near(ref.gravity_vector(tree, q), gradient, rtol=1e-7)


@given(strategies.robots(**SMALL))
def test_kinetic_energy_is_half_of_qd_M_qd(robot):
    tree, q, qd, _ = robot
    M = ref.mass_matrix(tree, q)
    assert_near(ref.kinetic_energy(tree, q, qd), 0.5 * qd @ M @ qd)
    assert_near(M, M.T)


@given(strategies.robots(**SMALL))
def test_torques_feed_the_energy(robot):
    """Power `tau . qd` is the rate of change of kinetic plus potential energy along the motion."""
    tree, q, qd, qdd = robot
    h = 1e-5

    def energy(t):
        q_t, qd_t = q + qd * t + 0.5 * qdd * t**2, qd + qdd * t
        return ref.kinetic_energy(tree, q_t, qd_t) + ref.potential_energy(tree, q_t)

    power = (energy(h) - energy(-h)) / (2 * h)
    scale = max(1.0, abs(energy(0.0)))
    assert abs(ref.inverse_dynamics(tree, q, qd, qdd) @ qd - power) < 1e-6 * max(scale, abs(power))


@given(strategies.robots(**SMALL), st.data())
def test_wrenches_by_jacobian_and_by_inward_sweep_agree(robot, data):
    tree, q, qd, qdd = robot
    f_ext = data.draw(strategies.wrenches(tree))
    loaded = ref.joint_wrenches(tree, q, qd, qdd, f_ext=f_ext)
    at, G = ref.motions(tree, q), ref.mimic_map(tree)[0]
    tau_full = []
    for joint, sdd in zip(ref.movable_joints(tree), G @ qdd, strict=True):
        part = slice(3, 6) if joint.kind == "revolute" else slice(0, 3)
        tau_full.append(at[joint.child].axis @ loaded[joint.name][part] + joint.drive.reflected_inertia * sdd)
    assert_near(ref.inverse_dynamics(tree, q, qd, qdd, f_ext=f_ext), G.T @ np.array(tau_full))


@given(strategies.robots(**SMALL, massless=0, mimic=0))
def test_forward_dynamics_undoes_inverse_dynamics(robot):
    tree, q, qd, qdd = robot
    tau = ref.inverse_dynamics(tree, q, qd, qdd, friction=True)
    condition = np.linalg.cond(ref.mass_matrix(tree, q))
    assert_near(ref.forward_dynamics(tree, q, qd, tau, friction=True), qdd, rtol=1e-13 * max(100.0, condition))


# ----------------------------------------------------------------------------------------------------------- by hand


def pendulum(**joint):
    bob = Body("bob", 2.0, (0.0, 0.0, -0.5))
    return Tree("p", (Body("base"), bob), (Joint("j", "revolute", "base", "bob", axis=(1.0, 0.0, 0.0), **joint),))


def test_pendulum_by_hand():
    tau = ref.inverse_dynamics(pendulum(drive=Drive(rotor_inertia=1e-3, gear_ratio=-20.0)), [0.3], [5.0], [2.0])
    assert_near(tau, [2.0 * 0.25 * 2.0 + 2.0 * 9.81 * 0.5 * np.sin(0.3) + 0.4 * 2.0], rtol=1e-15)


@pytest.mark.parametrize(("qd", "friction"), [(2.0, 0.3 * 2.0 + 0.7), (-2.0, -0.3 * 2.0 - 0.2), (0.0, 0.0)])
def test_friction_has_the_sign_of_the_motion(qd, friction):
    tree = pendulum(drive=Drive(viscous=0.3, coulomb_plus=0.7, coulomb_minus=0.2))
    assert_near(ref.inverse_dynamics(tree, [0.0], [qd], friction=True), [friction], rtol=1e-15)
    assert_near(ref.inverse_dynamics(tree, [0.0], [qd]), [0.0], rtol=1e-15)


def test_chain_of_followers_declared_before_their_leader():
    joints = (
        Joint("c", "revolute", "link_b", "link_c", mimic=Mimic("b", -2.0, 0.5)),
        Joint("b", "revolute", "link_a", "link_b", mimic=Mimic("a", 3.0, 0.1)),
        Joint("a", "revolute", "base", "link_a"),
    )
    tree = Tree("m", tuple(Body(name) for name in ("base", "link_a", "link_b", "link_c")), joints)
    assert ref.coordinates(tree) == ["a"]
    assert_near(ref.expand(tree, [1.0]), [-2.0 * 3.1 + 0.5, 3.1, 1.0], rtol=1e-15)
    assert_near(ref.mimic_map(tree)[0], [[-6.0], [3.0], [1.0]], rtol=1e-15)


def test_follower_of_a_fixed_joint_stays_at_its_offset():
    joints = (Joint("f", "fixed", "base", "x"), Joint("b", "revolute", "x", "y", mimic=Mimic("f", 3.0, 0.1)))
    tree = Tree("m", (Body("base"), Body("x"), Body("y")), (*joints, Joint("a", "revolute", "y", "z")))
    assert_near(ref.expand(tree, [0.4]), [0.1, 0.4], rtol=1e-15)


def test_spring_pulls_back_to_rest():
    assert_near(ref.spring_torque(pendulum(drive=Drive(stiffness=4.0, rest=0.5)), [0.25]), [-1.0], rtol=1e-15)


# ------------------------------------------------------------------------------------------- the oracles themselves


@given(strategies.robots(**SMALL, mimic=0.5))
def test_pinocchio_reduces_followers_as_we_do(robot):
    """Where Pinocchio accepts the followers it gives the same torques as the projection in `oracles`."""
    tree, q, qd, qdd = robot
    leaders = {joint.name for joint in tree.joints if joint.mimic is None}
    level = [
        dataclasses.replace(
            joint,
            limits=Limits(-3, 3, 3, 3) if joint.movable else joint.limits,
            mimic=joint.mimic if joint.mimic and joint.mimic.leader in leaders else None,
        )
        for joint in tree.joints
    ]
    tree = dataclasses.replace(tree, joints=tuple(level))
    urdf, names = strategies.to_urdf(tree), ref.coordinates(tree)
    q, qd, qdd = (np.resize(x, len(names)) for x in (q, qd, qdd))
    try:
        model = pin.buildModelFromXML(urdf, True)
    except ValueError as refusal:
        if "not in the kinematic tree" not in str(refusal):
            raise
        reject()
    model.gravity = pin.Motion(np.array(tree.gravity), np.zeros(3))
    order = [names.index(name) for name in model.names if name in names]  # parents first, so by velocity index
    tau = np.empty(len(names))
    tau[order] = pin.rnea(model, model.createData(), q[order], qd[order], qdd[order])
    assert_near(oracles.pin_inverse_dynamics(oracles.pin_model(urdf), names, q, qd, qdd, tree.gravity), tau)


def test_example_urdfs_are_found_and_named_apart():
    paths = oracles.example_urdfs()
    assert len(paths) >= 60
    assert all(path.is_file() for path in paths)
    assert len({oracles.example_id(path) for path in paths}) == len(paths)
    assert oracles.has_supported_joints(oracles.example_urdf("panda.urdf"))
    assert not oracles.has_supported_joints('<robot name="r"><joint name="j" type="floating"/></robot>')
    assert not oracles.has_supported_joints('<robot name="r"><joint name="j" type="fixed"/></robot>')


def test_oracle_insists_on_the_names_of_the_coordinates():
    urdf = strategies.to_urdf(pendulum(limits=Limits(-1, 1, 1, 1)))
    with pytest.raises(ValueError, match="coordinates are"):
        oracles.pin_inverse_dynamics(oracles.pin_model(urdf), ["i"], [0.0])


# --------------------------------------------------------------------------------------------------- random robots


@given(strategies.trees(max_joints=12, degenerate=0.3))
def test_random_robots_are_physical(tree):
    assert len(ref.outward(tree)) == len(tree.joints) == len(tree.bodies) - 1
    assert 1 <= len(ref.coordinates(tree)) <= len(ref.movable_joints(tree)) <= 12
    for body in tree.bodies:
        moments = np.linalg.eigvalsh(np.array(body.inertia))
        assert moments[0] > -1e-15
        assert moments[0] + moments[1] > moments[2] - 1e-15
    for joint in tree.joints:
        R = np.array(joint.origin.rotation)
        assert_near(R @ R.T, np.eye(3), rtol=1e-15)
        assert_near(np.linalg.norm(joint.axis), 1.0, rtol=1e-15)


@given(st.tuples(*[st.integers(-4, 4)] * 3), st.tuples(*[st.sampled_from([0.0, 1e-16, 1e-9, 1e-4, 0.3])] * 3))
def test_rpy_gives_the_rotation_back_also_beside_the_poles(quarters, little):
    R = strategies.matrix_from_rpy(tuple(np.array(quarters) * np.pi / 2 + little))
    assert_near(strategies.matrix_from_rpy(strategies.rpy_from_matrix(R)), R, rtol=1e-15)


def test_random_tree_obeys_its_features():
    rng = np.random.default_rng(5)
    chain = strategies.random_tree(rng, 40, branching=0, fixed=0, mimic=0, massless=0, prismatic=0, shuffle=False)
    assert [joint.parent for joint in chain.joints[1:]] == [joint.child for joint in chain.joints[:-1]]
    assert {joint.kind for joint in chain.joints} == {"revolute"}
    assert len(ref.coordinates(chain)) == 40
    assert all(body.mass > 0 for body in chain.bodies)
    rich = [strategies.random_tree(rng, 12) for _ in range(20)]
    joints = [joint for tree in rich for joint in tree.joints]
    assert {joint.kind for joint in joints} == {"revolute", "prismatic", "fixed"}
    assert any(joint.mimic for joint in joints)
    assert any(joint.drive.gear_ratio < 0 for joint in joints)
    assert any(joint.drive.coulomb_plus > 0 for joint in joints)
    assert any(not body.has_inertial for tree in rich for body in tree.bodies)
    assert any(len({joint.parent for joint in tree.joints}) < len(tree.joints) for tree in rich)
    assert all(isinstance(joint.origin, Pose) for joint in joints)
