"""Mass matrix and its inverse: against the plain twin, by the laws they obey, and as arrays."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import reference as ref
import strategies
from checks import assert_near, assert_same_bits, random_robot, random_states
from hypothesis import given
from own_robots import arm, gripper

import rne

SMALL = {"min_joints": 1, "max_joints": 9, "degenerate": 0.2}
HEAVY = {"massless": 0.0, "heavy_tips": True}
ROBOTS = {
    "arm": arm(),
    "gripper": gripper(),
    "bush": random_robot(3, 11, branching=0.5, mimic=0.3, **HEAVY),
    "chain": random_robot(4, 7, branching=0.0, mimic=0.0, **HEAVY),
}
ALL = pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
BOTH = pytest.mark.parametrize("function", [rne.mass_matrix, rne.mass_matrix_inverse])
PRECISION = pytest.mark.parametrize("dtype", [np.float64, np.float32])


# --------------------------------------------------------------------------------------------------------- by the twin


@given(strategies.robots(**SMALL))
def test_matrix_is_that_of_the_twin(sample):
    tree, q, *_ = sample
    assert_near(rne.mass_matrix(rne.Robot(tree), q), ref.mass_matrix(tree, q))


@given(strategies.robots(1, 8, mimic=0.7, prismatic=0.5))
def test_followers_of_followers_are_those_of_the_twin(sample):
    tree, q, *_ = sample
    assert_near(rne.mass_matrix(rne.Robot(tree), q), ref.mass_matrix(tree, q))


@given(strategies.robots(1, 12, branching=0.9, fixed=0.5))
def test_bushes_are_those_of_the_twin(sample):
    tree, q, *_ = sample
    assert_near(rne.mass_matrix(rne.Robot(tree), q), ref.mass_matrix(tree, q))


@given(strategies.robots(**SMALL))
def test_rotors_stand_on_the_diagonal(sample):
    """For joints that follow, ratio^2 of it on the diagonal of their leader and nothing beside it."""
    tree, q, *_ = sample
    robot = rne.Robot(tree)
    G = ref.mimic_map(tree)[0]
    reflected = np.array([joint.drive.reflected_inertia for joint in ref.movable_joints(tree)])
    without = rne.mass_matrix(robot, q, rotors=False)
    assert_near(rne.mass_matrix(robot, q) - without, G.T @ np.diag(reflected) @ G, rtol=1e-11)
    bare = [dataclasses.replace(j, drive=dataclasses.replace(j.drive, rotor_inertia=0.0)) for j in tree.joints]
    assert_same_bits(without, rne.mass_matrix(rne.Robot(dataclasses.replace(tree, joints=tuple(bare))), q))


def test_a_payload_is_in_it():
    robot = arm().with_payload(3.0, com=(0.1, 0.0, 0.2), frame="tool")
    q = random_states(6)[0]
    assert_near(rne.mass_matrix(robot, q), ref.mass_matrix(robot.tree, q))
    assert np.all(np.linalg.eigvalsh(rne.mass_matrix(robot, q) - rne.mass_matrix(arm(), q)) > -1e-12)


# --------------------------------------------------------------------------------------------------------------- laws


@given(strategies.robots(1, 9, **HEAVY))
def test_it_is_symmetric_to_the_last_bit_and_positive_definite(sample):
    tree, q, *_ = sample
    robot = rne.Robot(tree)
    for function in (rne.mass_matrix, rne.mass_matrix_inverse):
        matrix = function(robot, q)
        assert_same_bits(matrix, matrix.T)
        diagonal = np.sqrt(np.diagonal(matrix))
        assert np.linalg.eigvalsh(matrix / np.outer(diagonal, diagonal)).min() > 0.0


@given(strategies.robots(**SMALL))
def test_its_columns_are_torques_of_unit_accelerations(sample):
    tree, q, qd, _ = sample
    robot = rne.Robot(tree)
    columns = rne.inverse_dynamics(robot, q, qd, np.eye(robot.n)) - rne.inverse_dynamics(robot, q, qd)
    assert_near(rne.mass_matrix(robot, q), columns, rtol=1e-10)


@given(strategies.robots(**SMALL))
def test_half_of_its_square_is_the_energy_of_motion(sample):
    tree, q, qd, _ = sample
    assert_near(0.5 * qd @ rne.mass_matrix(rne.Robot(tree), q) @ qd, ref.kinetic_energy(tree, q, qd))


@given(strategies.robots(1, 9, **HEAVY))
def test_the_inverse_is_the_inverse(sample):
    tree, q, *_ = sample
    robot = rne.Robot(tree)
    M = ref.mass_matrix(tree, q)
    scale = np.sqrt(np.diagonal(M))
    near_one = scale[:, None] * rne.mass_matrix_inverse(robot, q) * scale @ (M / np.outer(scale, scale))
    condition = np.linalg.cond(M / np.outer(scale, scale))
    assert np.abs(near_one - np.eye(robot.n)).max() < 1e-14 * condition * robot.n


@ALL
def test_the_inverse_without_rotors(robot):
    q = random_states(robot.n, 4)[0]
    product = rne.mass_matrix(robot, q, rotors=False) @ rne.mass_matrix_inverse(robot, q, rotors=False)
    np.testing.assert_allclose(product, np.broadcast_to(np.eye(robot.n), product.shape), rtol=0, atol=1e-9)
    single = rne.mass_matrix_inverse(robot, q[1], rotors=False)
    assert_same_bits(single, rne.mass_matrix_inverse(robot, q, rotors=False)[1])


def test_the_order_of_the_joints_is_that_of_rows_and_columns():
    robot, q = arm(), random_states(6)[0]
    order = [3, 0, 5, 1, 4, 2]
    other = arm(joints=[robot.joint_names[k] for k in order])
    assert_same_bits(rne.mass_matrix(other, q[order]), rne.mass_matrix(robot, q)[np.ix_(order, order)])
    assert_near(rne.mass_matrix_inverse(other, q[order]), rne.mass_matrix_inverse(robot, q)[np.ix_(order, order)])


# -------------------------------------------------------------------------------------------------------------- arrays


@ALL
@BOTH
@PRECISION
def test_a_sample_of_a_batch_is_the_single_state_bit_for_bit(function, robot, dtype):
    q = random_states(robot.n, 37, dtype=dtype)[0]
    batch = function(robot, q)
    assert batch.dtype == dtype
    assert_same_bits(batch, np.array([function(robot, x) for x in q]))
    assert_same_bits(batch, function(robot, q, threads=2))
    assert_same_bits(batch[:36].reshape(3, 12, robot.n, robot.n), function(robot, q[:36].reshape(3, 12, robot.n)))


@ALL
@BOTH
def test_single_precision_is_right_to_a_part_of_ten_thousand(function, robot):
    q = random_states(robot.n, 50)[0]
    got, wanted = function(robot, q.astype(np.float32)), function(robot, q.astype(np.float32).astype(float))
    diagonal = np.sqrt(np.diagonal(wanted, axis1=1, axis2=2))
    scale = diagonal[:, :, None] * diagonal[:, None, :]
    assert np.all(np.abs(got - wanted) <= 1e-4 * scale)


@BOTH
def test_lists_integers_and_strided_arrays_come_in(function):
    robot, q = arm(), np.zeros((4, 12))
    q[:, ::2] = random_states(6, 4)[0]
    wanted = function(robot, q[:, ::2].copy())
    assert_same_bits(function(robot, q[:, ::2]), wanted)
    assert_same_bits(function(robot, q[:, ::2].tolist()), wanted)
    assert_same_bits(function(robot, [0] * 6), function(robot, np.zeros(6)))
    assert function(robot, np.zeros((0, 6))).shape == (0, 6, 6)


@BOTH
@PRECISION
def test_out_is_filled_and_returned(function, dtype):
    robot, q = arm(), random_states(6, 21, dtype=dtype)[0]
    wanted = function(robot, q)
    for out in (np.full((21, 6, 6), np.nan, dtype), np.full((6, 6, 21), np.nan, dtype).transpose(2, 0, 1)):
        assert function(robot, q, out=out) is out
        assert_same_bits(out, wanted)
    one = np.full((6, 6), np.nan, dtype)
    assert function(robot, q[2], out=one) is one
    assert_same_bits(one, wanted[2])
    memory = np.zeros((21, 36), dtype)
    memory[:, :6] = q
    assert_same_bits(function(robot, memory[:, :6], out=memory.reshape(21, 6, 6)), wanted)  # overlaps its input


@BOTH
@pytest.mark.parametrize("out", [np.empty((6, 6)), np.empty((3, 6)), np.empty((3, 6, 6), np.float32), [1.0]])
def test_an_out_that_does_not_fit_is_refused(function, out):
    with pytest.raises(rne.ArgumentError, match=r"out: wanted a float64 array of shape \(3, 6, 6\)"):
        function(arm(), np.zeros((3, 6)), out=out)


@BOTH
@pytest.mark.parametrize("q", [np.zeros(5), np.zeros((6, 7)), 0.0, None, "q", [1j] * 6])
def test_what_is_no_position_is_refused(function, q):
    with pytest.raises(rne.ArgumentError, match="q: "):
        function(arm(), q)
    with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
        function("arm", np.zeros(6))


@BOTH
@PRECISION
@pytest.mark.parametrize("strange", [np.nan, np.inf])
def test_a_strange_sample_leaves_the_others_alone(function, dtype, strange):
    robot, q = arm(), random_states(6, 13, dtype=dtype)[0]
    clean = function(robot, q)
    for k in range(13):
        spoilt = q.copy()
        spoilt[k, 3] = strange
        got = function(robot, spoilt)
        assert_same_bits(np.delete(got, k, axis=0), np.delete(clean, k, axis=0))
        assert not np.isfinite(got[k]).all()


@pytest.mark.parametrize("joint", range(6))
def test_nan_shows_in_what_depends_on_it_and_on_the_diagonal(joint):
    """Also that of the first joint, on which no entry depends; what lies beyond the joint alone keeps its numbers."""
    robot, q = arm(), random_states(6, 1)[0][0]
    clean = rne.mass_matrix(robot, q)
    q[joint] += 1.0
    depends = np.abs(rne.mass_matrix(robot, q) - clean) > 1e-9
    q[joint] = np.nan
    M = rne.mass_matrix(robot, q)
    assert np.isnan(M[joint, joint])
    assert np.isnan(M[depends]).all()
    assert depends.any() == (joint > 0)
    assert_same_bits(M[joint + 1 :, joint + 1 :], clean[joint + 1 :, joint + 1 :])
