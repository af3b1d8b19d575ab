"""Inverse dynamics by the laws of mechanics, on random trees: nothing here needs another program to be right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import reference as ref
import strategies
from checks import assert_near, random_robot, random_states, random_tree
from hypothesis import given
from hypothesis import strategies as st

import rne
from rne.model.tree import Body, Joint, Pose, Tree

SMALL = {"min_joints": 1, "max_joints": 9}

# Central differences of eighth order: the rate of change of f is the sum of these times (f(k h) - f(-k h)) / h.
DIFFERENCES = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
STEP = 2e-3


def rate(f):
    """Return df/dt at 0; right to about 1e-10 of the size of f for motions as quick as those drawn here."""
    return sum(c * (f(k * STEP) - f(-k * STEP)) / STEP for k, c in enumerate(DIFFERENCES, start=1))


def mass_matrix(robot, q):
    """Columns are the torques of unit accelerations in weightless rest."""
    return rne.inverse_dynamics(robot, q, None, np.eye(robot.n), gravity=(0, 0, 0)).T


# ------------------------------------------------------------------------------------------------- tau = M qdd + ...


@given(strategies.robots(**SMALL))
def test_torque_is_linear_in_acceleration(sample):
    tree, q, qd, qdd = sample
    robot = rne.Robot(tree)
    M, bias = mass_matrix(robot, q), rne.bias_vector(robot, q, qd)
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd), M @ qdd + bias)
    assert_near(rne.inverse_dynamics(robot, q, qd, -3 * qdd), -3 * M @ qdd + bias)


@given(strategies.robots(**SMALL))
def test_mass_matrix_is_symmetric_and_not_negative(sample):
    tree, q, _, _ = sample
    M = mass_matrix(rne.Robot(tree), q)
    assert_near(M, M.T)
    assert np.linalg.eigvalsh((M + M.T) / 2)[0] > -1e-12 * max(1.0, np.abs(M).max())


@given(strategies.robots(**SMALL))
def test_kinetic_energy_is_half_of_qd_M_qd(sample):
    tree, q, qd, _ = sample
    energy = 0.5 * qd @ mass_matrix(rne.Robot(tree), q) @ qd
    assert_near(energy, ref.kinetic_energy(tree, q, qd))


@given(strategies.robots(**SMALL), st.sampled_from([-1.0, 2.0, 0.5]))
def test_coriolis_torque_is_quadratic_in_velocity(sample, factor):
    """With factor -1: a film run backwards needs the same torques."""
    tree, q, qd, _ = sample
    robot = rne.Robot(tree)
    assert_near(rne.coriolis_vector(robot, q, factor * qd), factor**2 * rne.coriolis_vector(robot, q, qd))


@given(strategies.robots(**SMALL))
def test_coriolis_torque_is_that_of_the_changing_mass_matrix(sample):
    """qd . C qd = 1/2 qd . (dM/dt) qd: Coriolis torques only pass on what the mass matrix takes up."""
    tree, q, qd, _ = sample
    robot = rne.Robot(tree)
    change = rate(lambda t: mass_matrix(robot, q + qd * t))
    power = qd @ rne.coriolis_vector(robot, q, qd)
    scale = max(1.0, np.abs(qd).max() ** 3 * np.abs(mass_matrix(robot, q)).max())
    assert abs(power - 0.5 * qd @ change @ qd) < 1e-8 * scale


# ------------------------------------------------------------------------------------------------------------ energy


@given(strategies.robots(**SMALL))
def test_gravity_is_the_gradient_of_potential_energy(sample):
    tree, q, _, _ = sample
    slopes = [rate(lambda t, e=e: ref.potential_energy(tree, q + e * t)) for e in np.eye(len(q))]
    assert_near(rne.gravity_vector(rne.Robot(tree), q), slopes, rtol=1e-10)


@given(strategies.robots(**SMALL))
def test_power_is_the_rate_of_change_of_energy(sample):
    tree, q, qd, qdd = sample

    def energy(t):
        q_t, qd_t = q + qd * t + 0.5 * qdd * t**2, qd + qdd * t
        return ref.kinetic_energy(tree, q_t, qd_t) + ref.potential_energy(tree, q_t)

    power = rne.inverse_dynamics(rne.Robot(tree), q, qd, qdd) @ qd
    assert abs(power - rate(energy)) < 1e-9 * max(1.0, abs(energy(0.0)), abs(power))


@given(strategies.robots(**SMALL, one_sided=True))
def test_friction_takes_power_and_never_gives_it(sample):
    tree, q, qd, qdd = sample
    robot = rne.Robot(tree)
    drag = rne.friction_torque(robot, qd)
    assert drag @ qd >= -1e-12
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd, friction=True) - rne.inverse_dynamics(robot, q, qd, qdd), drag)
    assert not rne.friction_torque(robot, 0 * qd).any()


@given(strategies.robots(**SMALL), st.data())
def test_a_wrench_gives_the_power_of_force_times_velocity(sample, data):
    tree, q, qd, qdd = sample
    robot = rne.Robot(tree)
    f_ext = data.draw(strategies.wrenches(tree))
    moving = ref.motions(tree, q, qd)
    power = sum(w[:3] @ moving[name].v + w[3:] @ moving[name].w for name, w in f_ext.items())
    spared = rne.inverse_dynamics(robot, q, qd, qdd) - rne.inverse_dynamics(robot, q, qd, qdd, f_ext=f_ext)
    assert_near(spared @ qd, power, rtol=1e-11)


# ---------------------------------------------------------------------------------------------------------- symmetry


@given(strategies.robots(**SMALL), st.tuples(*[st.integers(-314, 314)] * 3), st.tuples(*[st.integers(-99, 99)] * 3))
def test_the_world_may_be_turned_and_moved_with_its_gravity(sample, hundredths, far):
    """Everything that hangs on the root is placed elsewhere, and gravity turns along: no joint notices."""
    tree, q, qd, qdd = sample
    R = np.array(strategies.matrix_from_rpy(tuple(x / 100 for x in hundredths)))

    def moved(pose):
        rotation = strategies.as_matrix(R @ np.array(pose.rotation))
        return Pose(rotation, tuple((R @ np.array(pose.position) + np.array(far)).tolist()))

    root = ref.root(tree)
    joints = tuple(replace(j, origin=moved(j.origin)) if j.parent == root else j for j in tree.joints)
    turned = replace(tree, joints=joints, gravity=tuple((R @ np.array(tree.gravity)).tolist()))
    wanted = rne.inverse_dynamics(rne.Robot(tree), q, qd, qdd)
    assert_near(rne.inverse_dynamics(rne.Robot(turned), q, qd, qdd), wanted)


@given(strategies.robots(**SMALL, mimic=0))
def test_a_full_turn_changes_nothing(sample):
    tree, q, qd, qdd = sample
    robot = rne.Robot(tree)
    turns = [
        2 * np.pi * (k - 4) if robot.joint(name).kind == "revolute" else 0
        for k, name in enumerate(ref.coordinates(tree))
    ]
    assert_near(rne.inverse_dynamics(robot, q + turns, qd, qdd), rne.inverse_dynamics(robot, q, qd, qdd))


@given(strategies.robots(**SMALL, rotors=False))
def test_torque_grows_with_the_masses(sample):
    tree, q, qd, qdd = sample
    thrice = tuple(
        replace(b, mass=3 * b.mass, inertia=strategies.as_matrix(3 * np.array(b.inertia))) for b in tree.bodies
    )
    heavy = rne.inverse_dynamics(rne.Robot(replace(tree, bodies=thrice)), q, qd, qdd)
    assert_near(heavy, 3 * rne.inverse_dynamics(rne.Robot(tree), q, qd, qdd))


@given(strategies.robots(**SMALL))
def test_an_axis_may_point_the_other_way(sample):
    """Turn every axis round: positions, velocities, accelerations and torques change sign, and nothing else."""
    tree, q, qd, qdd = sample
    back = tuple(
        replace(
            j,
            axis=tuple(-x for x in j.axis),
            mimic=j.mimic and replace(j.mimic, offset=-j.mimic.offset),
        )
        for j in tree.joints
    )
    robot = rne.Robot(replace(tree, joints=back))
    assert_near(rne.inverse_dynamics(robot, -q, -qd, -qdd), -rne.inverse_dynamics(rne.Robot(tree), q, qd, qdd))


# ------------------------------------------------------------------------------------------------------- fixed links


def split(tree: Tree) -> Tree:
    """Take every body apart into two halves bolted to a bare link, each with a frame of its own."""
    bodies, joints = [], list(tree.joints)
    for number, body in enumerate(tree.bodies):
        bodies.append(Body(body.name, has_inertial=False))
        apart = 0.02 * np.array([1.0, -2.0, 1.5])
        offsets = 0.5 * body.mass * (apart @ apart * np.eye(3) - np.outer(apart, apart))
        for sign in (1.0, -1.0):
            R = np.array(strategies.matrix_from_rpy((0.3 * number, sign, -0.2)))
            p = np.array([0.1, 0.2 * sign, 0.05 * number])
            com = np.array(body.com) + sign * apart
            inertia = R.T @ (np.array(body.inertia) / 2 - offsets) @ R
            name = f"{body.name}{sign:+.0f}"
            half = Body(name, body.mass / 2, tuple((R.T @ (com - p)).tolist()), strategies.as_matrix(inertia))
            bodies.append(half)
            joints.append(
                Joint(f"to {name}", "fixed", body.name, name, Pose(strategies.as_matrix(R), tuple(p.tolist())))
            )
    return replace(tree, bodies=tuple(bodies), joints=tuple(joints))


@given(strategies.robots(**SMALL))
def test_a_body_may_be_taken_apart_and_bolted_together(sample):
    tree, q, qd, qdd = sample
    wanted = rne.inverse_dynamics(rne.Robot(tree), q, qd, qdd)
    assert_near(rne.inverse_dynamics(rne.Robot(split(tree)), q, qd, qdd), wanted)


# ---------------------------------------------------------------------------------------------------- odd assemblies


@pytest.mark.parametrize("n", [176, 177, 300, 1000])
def test_long_chains_are_those_of_the_twin(n):
    """176 is the longest chain whose scratch memory of a single call fits on the stack."""
    robot = random_robot(n, n, branching=0, mimic=0, fixed=0.1)
    q, qd, qdd = random_states(n, seed=n)
    qd, qdd = qd / n, qdd / n
    wanted = ref.inverse_dynamics(robot.tree, q, qd, qdd)
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd), wanted, rtol=1e-11)
    assert_near(rne.inverse_dynamics(robot, [q, -q], [qd, qd], [qdd, qdd])[0], wanted, rtol=1e-11)


def test_a_large_bush_is_that_of_the_twin():
    robot = random_robot(8, 300, branching=0.6)
    q, qd, qdd = random_states(robot.n)
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd), ref.inverse_dynamics(robot.tree, q, qd, qdd), rtol=1e-11)


@given(strategies.robots(1, 6, prismatic=1.0))
def test_robots_of_slides_alone_are_those_of_the_twin(sample):
    """Such a robot never turns: no Coriolis torques, and its mass matrix is the same everywhere."""
    tree, q, qd, qdd = sample
    robot = rne.Robot(tree)
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd), ref.inverse_dynamics(tree, q, qd, qdd))
    assert_near(rne.coriolis_vector(robot, q, qd), np.zeros(robot.n))
    assert_near(rne.gravity_vector(robot, q), rne.gravity_vector(robot, 0 * q))


def test_robots_side_by_side_on_one_base_do_not_notice_each_other():
    trees = [random_tree(seed, 4, mimic=0.3) for seed in range(3)]
    bodies, joints, states, wanted = [Body("ground", 3.0)], [], [], []
    for number, tree in enumerate(trees):

        def own(name, number=number):
            return f"{number}/{name}"

        bodies += [replace(body, name=own(body.name)) for body in tree.bodies]
        joints.append(Joint(own("bolt"), "fixed", "ground", own(ref.root(tree))))
        for j in tree.joints:
            mimic = j.mimic and replace(j.mimic, leader=own(j.mimic.leader))
            joints.append(replace(j, name=own(j.name), parent=own(j.parent), child=own(j.child), mimic=mimic))
        alone = rne.Robot(tree).with_gravity((1, 2, -9))
        states.append(random_states(alone.n, seed=number))
        wanted.append(rne.inverse_dynamics(alone, *states[-1]))
    both = rne.Robot(Tree("row", tuple(bodies), tuple(joints), (1.0, 2.0, -9.0)))
    assert_near(
        rne.inverse_dynamics(both, *(np.concatenate(x) for x in zip(*states, strict=True))), np.concatenate(wanted)
    )


def test_a_robot_without_joints_needs_no_torques():
    block = rne.load_urdf('<robot name="block"><link name="base"/></robot>')
    assert rne.inverse_dynamics(block, []).shape == (0,)
    assert rne.inverse_dynamics(block, np.zeros((3, 0)), f_ext={"base": np.ones((3, 6))}).shape == (3, 0)
    assert rne.gravity_vector(block, np.zeros((2, 4, 0)), threads=2).shape == (2, 4, 0)
    assert rne.friction_torque(block, np.zeros(0)).shape == (0,)
    with pytest.raises(rne.ArgumentError, match=r"q: wanted shape \(\.\.\., 0\)"):
        rne.inverse_dynamics(block, [1.0])
