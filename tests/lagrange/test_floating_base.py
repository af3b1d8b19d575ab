"""A base that floats against the second formulation: Lagrange's equations with six joints in front of the robot.

Three slides and three turns carry the base; virtual work takes their forces to the base. nu = B qd, so tau_joints = B^T
tau and dnu/dt = B qdd + dB/dt qd. The formulation shares no code with the recursion, and neither do the coordinates.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_near, random_tree
from scipy.spatial.transform import Rotation

import rne
from rne.model.tree import Body, Joint

AXES = ("x", "y", "z", "a", "b", "c")


def carried(tree):
    """The tree on three slides and three turns, about x, y and z of their own carriers."""
    root = tree.root
    names = ["ground", *(f"carriage_{axis}" for axis in AXES[:5]), root]
    joints = []
    for k, axis in enumerate(AXES):
        direction = tuple(np.eye(3)[k % 3])
        joints.append(Joint(axis, "prismatic" if k < 3 else "revolute", names[k], names[k + 1], axis=direction))
    bodies = tuple(Body(name, has_inertial=False) for name in names[:6])
    return replace(tree, bodies=(*bodies, *tree.bodies), joints=(*joints, *tree.joints))


def turned(angles):
    return Rotation.from_euler("XYZ", angles)


def rates(place, speed):
    """Linear and angular velocity of the base in its own axes."""
    R = turned(place[3:]).as_matrix()
    z = Rotation.from_euler("z", place[5]).as_matrix()
    yz = Rotation.from_euler("YZ", place[4:]).as_matrix()
    B = np.zeros((6, 6))
    B[:3, :3] = R.T
    B[3:, 3:] = np.stack([yz.T @ [1, 0, 0], z.T @ [0, 1, 0], [0, 0, 1]], axis=1)
    return B @ speed, B


@pytest.mark.parametrize("seed", range(4))
def test_lagrange_with_six_joints(seed):
    tree = random_tree(seed, 4, mimic=0.3, friction=False)
    robot = rne.Robot(replace(tree, floating=True))
    joints = (*AXES, *robot.joint_names)
    held = rne.Robot(carried(tree), joints)
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.normal(size=(3, held.n))
    q[4] *= 0.3  # away from the singular position
    h = 1e-6
    nu, B = rates(q[:6], qd[:6])
    later, _ = rates(q[:6] + h * qd[:6], qd[:6])
    before, _ = rates(q[:6] - h * qd[:6], qd[:6])
    rate = B @ qdd[:6] + (later - before) / (2 * h)
    own_q = np.concatenate([q[:3], turned(q[3:6]).as_quat(), q[6:]])
    own_qd, own_qdd = np.concatenate([nu, qd[6:]]), np.concatenate([rate, qdd[6:]])
    tau = rne.inverse_dynamics(robot, own_q, own_qd, own_qdd)
    wanted = rne.lagrange.inverse_dynamics(held, q, qd, qdd)
    assert_near(np.concatenate([B.T @ tau[:6], tau[6:]]), wanted, 1e-8)
    M = rne.mass_matrix(robot, own_q)
    whole = np.eye(held.n)
    whole[:6, :6] = B
    assert_near(whole.T @ M @ whole, rne.lagrange.inertia_matrix(held, q), 1e-11)
    assert_near(rne.potential_energy(robot, own_q), rne.lagrange.potential_energy(held, q), 1e-11)
    assert_near(rne.kinetic_energy(robot, own_q, own_qd), rne.lagrange.kinetic_energy(held, q, qd), 1e-11)
