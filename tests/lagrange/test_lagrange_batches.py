"""The second opinion on batches, frozen joints, joints without inertia, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import strategies
from hypothesis import given

import rne
from rne import lagrange
from rne.model.robot import Robot
from rne.model.tree import Body, Drive, Joint, Tree

OF_Q = [
    lagrange.inertia_matrix,
    lagrange.christoffel,
    lagrange.gravity_vector,
    lagrange.potential_energy,
    lagrange.spring_torque,
    lagrange.paul_gravity_vector,
    lagrange.paul_inertia_matrix,
]
OF_MOTION = [lagrange.coriolis_vector, lagrange.coriolis_matrix, lagrange.kinetic_energy, lagrange.inverse_dynamics]


def near(got, wanted):
    scale = max(1.0, np.abs(wanted).max(initial=0.0))
    np.testing.assert_allclose(got, wanted, rtol=0.0, atol=1e-14 * scale)


@pytest.fixture(scope="module")
def robot():
    """Branches, slides, rotors, followers and springs."""
    plain = Robot(strategies.random_tree(np.random.default_rng(3), 6, mimic=0.4, heavy_tips=True, massless=0))
    drives = {joint.name: joint.drive for joint in plain.tree.joints if joint.movable}
    return plain.with_drives({name: replace(d, stiffness=20.0, rest=0.3) for name, d in drives.items()})


def draw(robot, *shape):
    return np.random.default_rng(1).normal(size=(*shape, robot.n))


@pytest.mark.parametrize("function", OF_Q)
def test_a_batch_of_positions_is_its_samples(robot, function):
    q = draw(robot, 3, 2)
    got = function(robot, q)
    for place in np.ndindex(3, 2):
        near(got[place], function(robot, q[place]))
    assert function(robot, q[:0]).shape == (0, *got.shape[1:])


@pytest.mark.parametrize("function", OF_MOTION)
def test_leading_axes_broadcast(robot, function):
    q, qd = draw(robot, 3, 1), draw(robot, 2)
    got = function(robot, q, qd)
    for i, j in np.ndindex(3, 2):
        near(got[i, j], function(robot, q[i, 0], qd[j]))
        near(function(robot, q[i, 0], qd)[j], got[i, j])
        near(function(robot, q, qd[j])[i, 0], got[i, j])


def test_forward_dynamics_of_a_batch_is_that_of_its_samples(robot):
    q, qd, tau = draw(robot, 3, 1), draw(robot, 2), draw(robot, 2)
    got = lagrange.forward_dynamics(robot, q, qd, tau)
    for i, j in np.ndindex(3, 2):
        wanted = lagrange.forward_dynamics(robot, q[i, 0], qd[j], tau[j])
        np.testing.assert_allclose(got[i, j], wanted, rtol=1e-10)


def test_bodies_add_up_and_stand_in_the_order_of_the_frames(robot):
    q, qd = draw(robot, 4), draw(robot, 4)
    K, P = lagrange.kinetic_energy(robot, q, qd, per_body=True), lagrange.potential_energy(robot, q, per_body=True)
    assert K.shape == P.shape == (4, len(robot.frame_names))
    near(K.sum(axis=-1), lagrange.kinetic_energy(robot, q, qd, rotors=False))
    near(P.sum(axis=-1), lagrange.potential_energy(robot, q))
    assert not K[:, robot.frame_names.index("base")].any()


def test_not_a_number_stays_in_its_sample(robot):
    q, qd, tau = draw(robot, 3), draw(robot, 3), draw(robot, 3)
    bad = q.copy()
    bad[1, 0] = np.nan
    for got, wanted in (
        (lagrange.inverse_dynamics(robot, bad, qd, qd), lagrange.inverse_dynamics(robot, q, qd, qd)),
        (lagrange.forward_dynamics(robot, bad, qd, tau), lagrange.forward_dynamics(robot, q, qd, tau)),
    ):
        np.testing.assert_array_equal(got[[0, 2]], wanted[[0, 2]])
        assert np.isnan(got[1]).any()


def test_lists_integers_and_single_precision_are_taken_and_calculated_in_double():
    arm = rne.load("models/planar2/robot.dh.toml")
    wanted = lagrange.inverse_dynamics(arm, [0.0, 1.0], [1.0, 2.0], [0.0, 0.0])
    for got in (
        lagrange.inverse_dynamics(arm, [0, 1], (1, 2)),
        lagrange.inverse_dynamics(arm, np.array([0, 1], np.float32), np.array([1, 2], np.float32)),
    ):
        assert got.dtype == np.float64
        np.testing.assert_array_equal(got, wanted)


def test_results_are_fresh_arrays(robot):
    q = draw(robot, 2)
    first = lagrange.transforms(robot, q)
    for T in first.values():
        T[...] = 0.0
    assert lagrange.transforms(robot, q)["base"].any()


@pytest.mark.filterwarnings("ignore::rne.ModelWarning")
@given(strategies.robots(1, 6))
def test_a_locked_joint_leaves_the_torques_of_the_others(drawn):
    tree, q, qd, qdd = drawn
    robot = Robot(tree)
    qd[0] = qdd[0] = 0.0
    locked = robot.with_locked({robot.joint_names[0]: q[0]})
    wanted = lagrange.inverse_dynamics(robot, q, qd, qdd)
    got = lagrange.inverse_dynamics(locked, q[1:], qd[1:], qdd[1:])
    np.testing.assert_allclose(got, wanted[1:], rtol=0.0, atol=1e-12 * max(1.0, np.abs(wanted).max()))


def test_a_robot_without_coordinates_has_empty_terms():
    arm = rne.load("models/planar2/robot.dh.toml").with_locked({"shoulder": 0.0, "elbow": 0.0})
    assert lagrange.inverse_dynamics(arm, []).shape == (0,)
    assert lagrange.christoffel(arm, []).shape == (0, 0, 0)
    assert lagrange.forward_dynamics(arm, [], [], []).shape == (0,)
    assert lagrange.kinetic_energy(arm, [], []) == 0.0


def test_a_joint_that_moves_no_inertia_is_named():
    bodies = (Body("base"), Body("arm", 1.0, (0.5, 0.0, 0.0)), Body("ghost"))
    joints = (Joint("shoulder", "revolute", "base", "arm"), Joint("wrist", "revolute", "arm", "ghost"))
    robot = Robot(Tree("haunted", bodies, joints))
    with pytest.raises(rne.ArgumentError, match="'wrist' can move"):
        lagrange.forward_dynamics(robot, [[0.0, 0.0], [1.0, np.nan]], None, None)
    mended = robot.with_drives({"wrist": Drive(rotor_inertia=0.1)})
    assert np.isfinite(lagrange.forward_dynamics(mended, [0.0, 0.0], None, None)).all()


def test_two_joints_on_one_axis_with_nothing_between_are_refused():
    bodies = (Body("base"), Body("ghost"), Body("arm", 1.0, (0.5, 0.0, 0.1)))
    joints = (Joint("inner", "revolute", "base", "ghost"), Joint("outer", "revolute", "ghost", "arm"))
    with pytest.raises(rne.ArgumentError, match="mass matrix is singular"):
        lagrange.forward_dynamics(Robot(Tree("twice", bodies, joints)), [0.3, 0.4], None, [1.0, 0.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda arm: lagrange.inertia_matrix(arm, [0.0]), r"q: wanted shape \(..., 2\)"),
        (lambda arm: lagrange.christoffel(arm, None), "q: wanted an array, got None"),
        (lambda arm: lagrange.coriolis_matrix(arm, [0.0, 0.0], [[0.0]]), "qd: wanted shape"),
        (lambda arm: lagrange.inverse_dynamics(arm, np.zeros((2, 2)), np.zeros((3, 2))), "do not broadcast"),
        (lambda arm: lagrange.gravity_vector(arm, [0.0, 0.0], gravity=[9.81]), "gravity: wanted shape"),
        (lambda arm: lagrange.transforms(arm.tree, [0.0, 0.0]), "robot: wanted a Robot"),
    ],
)
def test_refusals_name_the_argument(call, message):
    with pytest.raises(rne.ArgumentError, match=message):
        call(rne.load("models/planar2/robot.dh.toml"))


def test_a_chain_of_36_joints_is_no_trouble():
    robot = Robot(strategies.random_tree(np.random.default_rng(0), 36, mimic=0, branching=0))
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, robot.n))
    wanted = rne.inverse_dynamics(robot, q, qd, qdd)
    got = lagrange.inverse_dynamics(robot, q, qd, qdd)
    np.testing.assert_allclose(got, wanted, rtol=0.0, atol=1e-13 * np.abs(wanted).max())
