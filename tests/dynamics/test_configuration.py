"""Steps on the manifold of positions against Pinocchio, scipy and closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from checks import assert_near, random_tree
from oracles_floating import FreeFlyer, random_states
from scipy.spatial.transform import Rotation

import rne

TREE = replace(random_tree(1, 5, mimic=0.0), floating=True)
ROBOT = rne.Robot(TREE)
ORACLE = FreeFlyer(TREE, ROBOT.joint_names)


def order(q):
    """Joints in the order of Pinocchio."""
    return ORACLE.q(q)


def same_pose(got, wanted):
    """A quaternion and its negative are the same rotation."""
    sign = np.sign((got[..., 3:7] * wanted[..., 3:7]).sum(axis=-1, keepdims=True))
    assert_near(np.concatenate([got[..., :3], sign * got[..., 3:7]], axis=-1), wanted[..., :7], 1e-12)


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-6, 1e-3, 0.05, 0.09999, 0.1, 0.5, 1.0, 3.0])
def test_steps_are_those_of_pinocchio(size):
    q, dq, _ = random_states(ROBOT, 20, 3)
    dq *= size / np.linalg.norm(dq[:, 3:6], axis=1, keepdims=True)
    got = rne.integrate(ROBOT, q, dq)
    wanted = np.array([pin.integrate(ORACLE.model, order(a), ORACLE.G @ b) for a, b in zip(q, dq, strict=True)])
    same_pose(got, wanted)
    assert_near(got[:, 7:], q[:, 7:] + dq[:, 6:])
    assert_near(np.linalg.norm(got[:, 3:7], axis=1), np.ones(20), 1e-15)
    assert_near(rne.difference(ROBOT, q, got), dq, 1e-12)
    assert_near(rne.integrate(ROBOT, q[0], dq[0]), got[0], 1e-15)


def test_differences_are_those_of_pinocchio():
    q0, q1 = random_states(ROBOT, 50, 4)[0], random_states(ROBOT, 50, 5)[0]
    wanted = [pin.difference(ORACLE.model, order(a), order(b))[:6] for a, b in zip(q0, q1, strict=True)]
    got = rne.difference(ROBOT, q0, q1)
    assert_near(got[:, :6], np.array(wanted), 1e-10)
    same_pose(rne.integrate(ROBOT, q0, got), q1)


def test_half_turns_and_opposite_quaternions():
    q0 = rne.neutral(ROBOT)
    q1 = q0.copy()
    q1[3:7] = 0.0, 1.0, 0.0, 0.0
    assert_near(np.abs(rne.difference(ROBOT, q0, q1)[3:6]), [0.0, np.pi, 0.0])
    q1[3:7] = 0.0, 0.0, 0.0, -1.0
    assert_near(rne.difference(ROBOT, q0, q1), np.zeros(ROBOT.n))


def test_orientation_is_that_of_scipy():
    q, dq, _ = random_states(ROBOT, 20, 6)
    got = Rotation.from_quat(rne.integrate(ROBOT, q, dq)[:, 3:7]).as_matrix()
    assert_near(got, (Rotation.from_quat(q[:, 3:7]) * Rotation.from_rotvec(dq[:, 3:6])).as_matrix(), 1e-13)
    assert_near(rne.forward_kinematics(ROBOT, q, "base")[:, :3, :3], Rotation.from_quat(q[:, 3:7]).as_matrix(), 1e-14)


def test_fixed_base():
    arm = rne.load("models/planar2/robot.dh.toml")
    assert_near(rne.integrate(arm, [0.1, 0.2], [[1.0, 2.0], [3.0, 4.0]]), [[1.1, 2.2], [3.1, 4.2]])
    assert_near(rne.difference(arm, [0.1, 0.2], [1.1, 2.2]), [1.0, 2.0])
    assert_near(rne.neutral(arm), [0.0, 0.0])


def test_float32_and_out():
    q, dq, _ = random_states(ROBOT, 3, 7)
    got = rne.integrate(ROBOT, q.astype(np.float32), dq.astype(np.float32))
    assert got.dtype == np.float32
    assert_near(got, rne.integrate(ROBOT, q, dq), 1e-5)
    out = np.empty_like(q)
    assert rne.integrate(ROBOT, q, dq, out=out) is out


def test_quaternions_that_are_none():
    q, dq, _ = random_states(ROBOT, 4, 8)
    q[1, 3:7] *= 1.0011
    q[2, 3:7] *= 1.0009
    got = rne.integrate(ROBOT, q, dq)
    assert np.isnan(got[1, :7]).all()
    assert np.isfinite(got[[0, 2, 3]]).all()
    with pytest.raises(rne.ArgumentError, match=r"q: wanted a unit quaternion of the base in q\[3:7\]"):
        rne.integrate(ROBOT, q[1], dq[1])
    with pytest.raises(rne.ArgumentError, match="q1: wanted a unit quaternion"):
        rne.difference(ROBOT, q[0], q[1])


@pytest.mark.parametrize("spoilt", [0.0, np.nan, 1.0011])
def test_a_spoilt_sample_is_nan_in_joints_too(spoilt):
    q, dq, _ = random_states(ROBOT, 4, 9)
    q[1, 3:7] *= spoilt
    for got in (rne.integrate(ROBOT, q, dq), rne.difference(ROBOT, q, q[2]), rne.difference(ROBOT, q[2], q)):
        assert np.isnan(got).any(axis=1).tolist() == np.isnan(got).all(axis=1).tolist() == [False, True, False, False]


@pytest.mark.parametrize("size", [1e200, np.inf])
def test_infinite_steps_are_nan_without_warnings(size):
    q, dq, _ = random_states(ROBOT, 3, 10)
    dq[1, :6] = size
    assert np.isnan(rne.integrate(ROBOT, q, dq)).all(axis=1).tolist() == [False, True, False]
    q[1, 0] = size
    assert np.isfinite(rne.difference(ROBOT, q, q[[0, 2, 0]])).all(axis=1).tolist()[::2] == [True, True]
