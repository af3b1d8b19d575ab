"""Gains of drives from currents: found again with a known payload, within what the standard deviations say."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_near
from scipy.signal import lfilter

import rne

GAINS = np.array([60.0, -80.0, 50.0, 20.0, 15.0, 10.0])
ROBOT = rne.load("models/puma560/robot.dh.toml")
PLAN = rne.excitation(rne.base_parameters(ROBOT, friction=True), velocity_limit=np.ones(6), tries=20)
STATE = PLAN.at(np.arange(0.0, 20.0, 0.01))


def loaded(robot):
    return robot.with_payload(3.0, com=[0.05, 0.03, 0.12], frame="link6")


def currents():
    """Of a robot that the identification does not know."""
    rng = np.random.default_rng(0)
    pi = rne.parameters(ROBOT, rotors=False) * np.repeat(rng.uniform(0.8, 1.25, 6), 10)
    drives = {name: rne.Drive(0.2, 1.0, *rng.uniform(1.0, 3.0, 3)) for name in ROBOT.joint_names}
    true = ROBOT.with_parameters(pi).with_drives(drives)
    return [rne.inverse_dynamics(r, *STATE, friction=True) / GAINS for r in (true, loaded(true))]


def test_without_noise_the_gains_are_exact():
    logs = [(*STATE, current) for current in currents()]
    found = rne.identify_gains(ROBOT, loaded(ROBOT), *logs, friction=True)
    assert_near(found.gains, GAINS, 1e-10)
    assert found.samples == (2000, 2000)


def test_with_correlated_noise_they_are_unbiased_and_the_deviations_hold():
    """Linear least squares, for which the currents are columns, is off by far more than that."""
    rng, clean, scores = np.random.default_rng(1), currents(), []
    for _ in range(25):
        noise = 0.1 * lfilter([0.6], [1.0, -0.8], rng.normal(size=(2, *clean[0].shape)), axis=1)
        logs = [(*STATE, c + e * c.std(axis=0)) for c, e in zip(clean, noise, strict=True)]
        found = rne.identify_gains(ROBOT, loaded(ROBOT), *logs, friction=True)
        scores.append((found.gains - GAINS) / found.sd)
    assert 0.88 < np.mean(np.abs(scores) < 1.96) < 0.99
    assert (np.abs(np.mean(scores, axis=0)) < 3.5 / 5).all()
    assert (found.relative_sd < 0.1).all()
    assert_near(found.residual, 0.1 * clean[0].std(axis=0), 0.15)


def test_what_cannot_be_told_apart_is_refused():
    logs = [(*STATE, current) for current in currents()]
    with pytest.raises(rne.ArgumentError, match="loaded: joint 'joint1' does not feel the payload"):
        rne.identify_gains(ROBOT, ROBOT, *logs)
    with pytest.raises(rne.ArgumentError, match="loaded: wanted the same robot with a payload"):
        rne.identify_gains(ROBOT, rne.load("models/planar2/robot.dh.toml"), *logs)
    with pytest.raises(rne.ArgumentError, match="loaded_log: wanted 64 samples or more, got 10"):
        rne.identify_gains(ROBOT, loaded(ROBOT), logs[0], [x[:10] for x in logs[1]])
    bad = logs[1][3].copy()
    bad[7] = np.nan
    with pytest.raises(rne.ArgumentError, match="loaded_log, current: sample 7 of 2000 is not finite"):
        rne.identify_gains(ROBOT, loaded(ROBOT), logs[0], (*STATE, bad))
    dead = [(*STATE, log[3] * [1.0, 1.0, 0.0, 1.0, 1.0, 1.0]) for log in logs]
    with pytest.raises(rne.ArgumentError, match="the current of joint 'joint3' is zero in all samples"):
        rne.identify_gains(ROBOT, loaded(ROBOT), *dead, friction=True)


def test_gains_in_doubt_are_warned_of():
    noise = 0.02 * np.random.default_rng(2).normal(size=(2, *STATE[0].shape))
    logs = [(*STATE, (c * np.sign(GAINS)) * (1.0 + e)) for c, e in zip(currents(), noise, strict=True)]
    with pytest.warns(rne.ModelWarning, match="all gains are negative, as if log and loaded_log were exchanged"):
        rne.identify_gains(ROBOT, loaded(ROBOT), logs[1], logs[0], friction=True)
    with pytest.warns(rne.ModelWarning, match=r"the gains of joint1, .* the currents hardly show the payload"):
        rne.identify_gains(ROBOT, loaded(ROBOT), logs[0], logs[0], friction=True)
