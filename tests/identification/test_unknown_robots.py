"""Logs of robots that the identification does not know: noise, quantized positions, friction, filtered derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from checks import random_robot
from models_at_hand import MODELS

import rne

ROBOTS = {
    "panda": lambda: rne.load(MODELS / "panda" / "robot.urdf", lock={"panda_finger_joint1": 0.0}),
    "tree": lambda: random_robot(0, 6, mimic=0.0),
}


def unknown(robot):
    """Return a robot with the same kinematics, and other masses, rotors and friction."""
    rng = np.random.default_rng(0)
    pi = rne.parameters(robot, rotors=False)
    changed = robot.with_parameters(pi * np.repeat(rng.uniform(0.75, 1.3, len(pi) // 10), 10), strict=False)
    return changed.with_drives({name: rne.Drive(0.0, 1.0, *rng.uniform(0.3, 1.5, 3)) for name in robot.joint_names})


def log(robot, seconds, seed):
    """Return states from positions as an encoder gives them, and noisy torques, with their noise."""
    rng, t = np.random.default_rng(seed), np.arange(0.0, seconds, 0.004)
    q, qd, qdd = np.zeros((3, len(t), robot.n))
    for k in range(1, 6):
        a, b = np.random.default_rng(k).normal(size=(2, robot.n)) * 0.6 / k
        w = 2 * np.pi * k / 10
        s, c = np.sin(w * (t + 3.3 * seed))[:, None], np.cos(w * (t + 3.3 * seed))[:, None]
        q, qd, qdd = q + a * s + b * c, qd + w * (a * c - b * s), qdd - w**2 * (a * s + b * c)
    tau = rne.inverse_dynamics(robot, q, qd, qdd, friction=True)
    size = 0.02 * tau.std(axis=0)
    made = rne.differentiate(t, np.round(q / 2e-5) * 2e-5)
    measured = np.round((tau + size * rng.normal(size=tau.shape)) / (0.1 * size)) * 0.1 * size
    return (made.q, made.qd, made.qdd, measured), size


@pytest.mark.filterwarnings("ignore::rne.ModelWarning")
@pytest.mark.parametrize("name", ROBOTS)
def test_parameters_are_within_their_intervals_and_the_rest_is_noise(name):
    robot = ROBOTS[name]().with_drives({})
    robot = robot.with_drives({joint: rne.Drive() for joint in robot.joint_names})
    truth = unknown(robot)
    data, _ = log(truth, 40.0, 0)
    found = rne.identify(robot, *data, friction=True)
    wanted = found.base.values(rne.parameters(truth, friction=True))
    shown = np.isfinite(found.sd)
    assert shown.mean() > 0.9
    low, high = found.interval().T
    assert ((low < wanted) & (wanted < high))[shown].mean() > 0.9
    assert np.abs((found.beta - wanted) / found.sd)[shown].max() < 5
    other, size = log(truth, 20.0, 1)
    held = found.validate(*other)
    assert (held.found < 1.05 * size).all()
    assert (held.physical < 1.05 * size).all()
    assert (np.abs(found.autocorrelation) < 0.1).all()
