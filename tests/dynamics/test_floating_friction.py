"""Dry friction at rest on a base that floats: the law of Coulomb for every joint, in the equations of motion."""

from __future__ import annotations

import numpy as np
import oracles_floating
from checks import assert_near

import rne

DRIVE = rne.Drive(viscous=0.2, coulomb_plus=3.0, coulomb_minus=2.5)


def flying_arm() -> rne.Robot:
    arm = rne.load("models/ur5e/robot.urdf", floating=True)
    return arm.with_drives(dict.fromkeys(arm.joint_names, DRIVE))


def test_friction_holds_all_joints_together():
    robot, rng = flying_arm(), np.random.default_rng(1)
    q, _, _ = oracles_floating.random_states(robot, 100)
    qd, tau = rng.normal(size=(100, 12)), rng.normal(size=(100, 12)) * 8
    qd[:, 6:] *= rng.random((100, 6)) < 0.3
    batch = rne.forward_dynamics(robot, q, qd, tau, friction=True)
    resting = 0
    for k in range(100):
        qdd = rne.forward_dynamics(robot, q[k].copy(), qd[k].copy(), tau[k].copy(), friction=True)
        assert_near(qdd, batch[k], 1e-12)
        rest = rne.inverse_dynamics(robot, q[k], qd[k], qdd) - tau[k]
        assert_near(rest[:6], np.zeros(6), 1e-10)  # nothing rubs on the base
        force, speed = rest[6:] + DRIVE.viscous * qd[k, 6:], qd[k, 6:]
        way = np.sign(np.where(speed == 0, qdd[6:], speed))
        resting += (way == 0).sum()
        assert (force >= -3.0 - 1e-9).all()
        assert (force <= 2.5 + 1e-9).all()
        assert_near(force[way > 0], np.full((way > 0).sum(), -3.0), 1e-10)
        assert_near(force[way < 0], np.full((way < 0).sum(), 2.5), 1e-10)
    assert resting > 50


def test_a_held_arm_falls_as_one_body():
    """Free fall without torques: friction at rest has nothing to hold, and the joints do not move."""
    robot = flying_arm()
    q = rne.neutral(robot)
    qdd = rne.forward_dynamics(robot, q, friction=True)
    assert_near(qdd[:6], [0.0, 0.0, -9.81, 0.0, 0.0, 0.0], 1e-10)
    assert not qdd[6:].any()
