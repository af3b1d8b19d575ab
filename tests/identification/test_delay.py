"""A delay between positions and torques is found, warned of and taken out, and the intervals hold again."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.signal import lfilter

import rne

ROBOT = rne.load("models/puma560/robot.dh.toml")
PLAN = rne.excitation(rne.base_parameters(ROBOT, friction=True), velocity_limit=np.ones(6), tries=20)
FRICTION = zip(ROBOT.joint_names, np.linspace([1, 2, 3], [3, 1, 2], 6), strict=True)
TRUE = ROBOT.with_payload(1.0).with_drives({name: rne.Drive(0.0, 1.0, *x) for name, x in FRICTION})
BETA = rne.base_parameters(TRUE, friction=True).values()


def log(delay, step=0.002, seconds=10.0, seed=0):
    t = np.arange(0.0, seconds, step)
    tau = rne.inverse_dynamics(TRUE, *PLAN.at(t - delay), friction=True)
    noise = lfilter([0.6], [1.0, -0.8], np.random.default_rng(seed).normal(size=tau.shape), axis=0)
    return *PLAN.at(t), tau + 0.01 * noise * tau.std(axis=0)


def inside(found):
    return float(np.mean(np.abs(found.beta - BETA) < 1.96 * found.sd))


@pytest.mark.parametrize("delay", [0.001, -0.003, 0.02])
def test_it_is_found_and_taken_out(delay):
    with pytest.warns(rne.ModelWarning, match=r"torques lag positions by .* ms .*delay=\"estimated\" or a number"):
        late = rne.identify(ROBOT, *log(delay), friction=True)
    left = late.delay
    assert left.certain
    assert abs(left.period - 0.002) < 1e-6
    assert abs(left.common - delay) < 0.0005
    found = rne.identify(ROBOT, *log(delay), friction=True, delay="estimated")
    assert abs(found.lag - delay) < 0.0002
    assert not found.delay.certain
    assert inside(found) >= 0.85
    off, late_off = (np.linalg.norm((x.beta - BETA) / found.sd) for x in (found, late))
    assert off < 0.7 * late_off
    assert "ms was taken out" in str(found)
    known = rne.identify(ROBOT, *log(delay), friction=True, delay=delay)
    assert inside(known) >= 0.85
    assert (known.residual < 1.05 * rne.identify(ROBOT, *log(0.0), friction=True).residual).all()
    held = rne.Identifier.like(known)
    held.update(*log(delay, seed=1))
    assert (held.validate(known).found < 1.05 * known.residual).all()
    assert (known.validate(*log(delay, seed=1)).found < 1.05 * known.residual).all()


def test_nothing_is_said_without_one_or_without_an_order_in_time():
    rng, state = np.random.default_rng(0), log(0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rne.identify(ROBOT, *state, friction=True)
        mixed = rng.permutation(len(state[0]))
        assert rne.identify(ROBOT, *(x[mixed] for x in state), friction=True).delay is None
        late = rne.identify(ROBOT, *log(0.002), friction=True, delay=0.0)  # which says that it is known
    assert late.lag == 0.0
    assert late.delay.certain
    assert abs(found.delay.common) < 5 * found.delay.common_sd + 1e-5
    with pytest.raises(rne.ArgumentError, match="delay: the samples are not in the order of time"):
        rne.identify(ROBOT, *(x[mixed] for x in state), delay="estimated")
    with pytest.raises(rne.ArgumentError, match="delay: the samples are not in the order of time"):
        rne.identify(ROBOT, *(x[mixed] for x in state), delay=0.001)
    with pytest.raises(rne.ArgumentError, match="delay: wanted seconds, 'estimated' or None; got 'guess'"):
        rne.identify(ROBOT, *state, delay="guess")


def test_one_joint_that_lags_alone_shows():
    q, qd, qdd, tau = log(0.0)
    late = log(0.0015)[3]
    tau[:, 2] = late[:, 2]
    left = rne.identify(ROBOT, q, qd, qdd, tau, friction=True, delay=0.0).delay
    others = np.arange(6) != 2
    assert abs(left.each[2] - 0.0015) < 4 * left.each_sd[2] < left.each[2]
    assert (np.abs(left.each[others]) < 4 * left.each_sd[others]).all()


def test_a_delay_that_does_not_settle_is_warned_of():
    """Steps of a model of Coulomb friction hide the delay of friction that is smooth; the law that it has shows it."""
    smooth = ROBOT.with_drives({name: rne.Drive(0.0, 1.0, 2.0, 3.0, 3.0, smoothing=0.05) for name in ROBOT.joint_names})
    t = np.arange(0.0, 10.0, 0.002)
    tau = rne.inverse_dynamics(smooth, *PLAN.at(t - 0.003), friction=True)
    tau += 0.02 * tau.std(axis=0) * np.random.default_rng(0).normal(size=tau.shape)
    with pytest.warns(rne.ModelWarning, match=r'the delay has not settled: .* see friction="select"'):
        rne.identify(ROBOT, *PLAN.at(t), tau, friction=True, delay="estimated")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rne.identify(ROBOT, *PLAN.at(t), tau, friction="select", delay="estimated")
    assert abs(found.lag - 0.003) < 0.0001
