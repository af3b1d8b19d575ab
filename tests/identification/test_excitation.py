"""Motions for identification: within the limits, with derivatives that belong to them, and better the longer sought."""

from __future__ import annotations

import math

import numpy as np
import pytest
from checks import assert_near
from own_robots import arm, coupled

import rne

ARM = rne.base_parameters(arm(), friction=True)


def test_limits_are_kept_between_the_samples_too():
    motion = rne.excitation(ARM, tries=5, samples=100)
    q, qd, _ = motion.at(np.linspace(0, motion.period, 5001))
    robot = ARM.robot
    assert (q >= np.where(np.isfinite(robot.lower_limit), robot.lower_limit, -math.pi)).all()
    assert (q <= np.where(np.isfinite(robot.upper_limit), robot.upper_limit, math.pi)).all()
    assert (np.abs(qd) <= robot.velocity_limit).all()
    used = np.maximum(
        np.abs(qd).max(axis=0) / robot.velocity_limit, np.abs(q - motion.center).max(axis=0) / reach(robot)
    )
    np.testing.assert_allclose(used, 0.99, atol=0.01)  # one of the limits is used to the full


def reach(robot):
    return (np.minimum(robot.upper_limit, math.pi) - np.maximum(robot.lower_limit, -math.pi)) / 2


def test_other_velocities_can_be_asked_for():
    motion = rne.excitation(ARM, tries=2, velocity_limit=np.full(6, 0.1))
    assert 0.09 < np.abs(motion.qd).max() <= 0.1


def test_velocities_and_accelerations_are_derivatives():
    motion = rne.excitation(ARM, tries=2, period=4.0, harmonics=3)
    t, h = np.linspace(0, 4, 50), 1e-4
    before, here, after = (motion.at(t + x) for x in (-h, 0.0, h))
    for k in (0, 1):
        assert_near((after[k] - before[k]) / (2 * h), here[k + 1], 1e-6)
    assert_near(motion.at(t + motion.period)[0], here[0], 1e-12)
    for x, y in zip(motion.at(motion.t), (motion.q, motion.qd, motion.qdd), strict=True):
        assert_near(x, y, 1e-12)


def test_the_search_finds_better_ones():
    conditions = [rne.excitation(ARM, tries=tries, samples=60).condition for tries in (1, 20, 100)]
    assert conditions[0] > conditions[1] > conditions[2]
    assert conditions[2] < 0.8 * conditions[0]
    other = rne.excitation(ARM, tries=20, samples=60, seed=1)
    assert other.condition != conditions[1]
    assert other.condition == rne.excitation(ARM, tries=20, samples=60, seed=1).condition


def test_the_condition_is_that_of_the_identification():
    motion = rne.excitation(ARM, tries=3)
    tau = rne.inverse_dynamics(ARM.robot, motion.q, motion.qd, motion.qdd, friction=True)
    found = rne.identify(ARM.robot, motion.q, motion.qd, motion.qdd, tau, friction=True)
    assert found.condition == pytest.approx(motion.condition, rel=1e-9)
    assert_near(found.beta, ARM.values(), 1e-9)


def test_the_criterion_can_be_the_determinant():
    """Each criterion does better by its own measure, here with other code."""
    found = {name: rne.excitation(ARM, tries=50, samples=60, criterion=name) for name in ("condition", "log_det")}

    def log_det(motion):
        W = ARM.regressor(motion.q, motion.qd, motion.qdd).reshape(-1, len(ARM))
        return 2 * np.log(np.linalg.svd(W, compute_uv=False)).sum()

    assert found["condition"].condition < found["log_det"].condition
    assert log_det(found["log_det"]) > log_det(found["condition"])
    start = rne.excitation(ARM, tries=1, samples=60, criterion="log_det")
    assert log_det(found["log_det"]) > log_det(start) + 5


def test_motions_that_may_not_be_run_are_left_out():
    def allowed(q):
        assert q.shape == (60, 6)
        return bool(q[:, 0].max() < 1.2)

    motion = rne.excitation(ARM, tries=60, samples=60, allowed=allowed)
    assert motion.q[:, 0].max() < 1.2
    assert rne.excitation(ARM, tries=60, samples=60).q[:, 0].max() > 1.2
    assert motion.condition < 1000
    with pytest.raises(rne.ArgumentError, match="allowed: none of 3 motions may be run"):
        rne.excitation(ARM, tries=3, samples=60, allowed=lambda q: False)


def test_wrong_arguments():
    for options, what in (
        ({"criterion": "trace"}, "criterion: wanted 'condition' or 'log_det', got 'trace'"),
        ({"allowed": True}, "allowed: wanted a function of positions"),
        ({"harmonics": 0}, "harmonics: wanted a whole number of at least 1"),
        ({"harmonics": None}, "harmonics: wanted a whole number"),
        ({"harmonics": True}, "harmonics: wanted a whole number"),
        ({"samples": 19}, "samples: wanted a whole number of at least 20"),
        ({"tries": 1.5}, "tries: wanted a whole number"),
        ({"seed": -1}, "seed: wanted a whole number of at least 0"),
        ({"seed": "today"}, "seed: wanted a whole number"),
        ({"period": 0.0}, "period: wanted a positive number"),
        ({"velocity_limit": np.zeros(6)}, "velocity_limit: wanted positive numbers"),
        ({"velocity_limit": np.ones(5)}, "velocity_limit: wanted shape"),
    ):
        with pytest.raises(rne.ArgumentError, match=what):
            rne.excitation(ARM, **options)
    with pytest.raises(rne.ArgumentError, match="base: wanted at least one base parameter"):
        rne.excitation(arm())
    with pytest.raises(rne.ArgumentError, match="t: wanted shape"):
        rne.excitation(ARM, tries=1).at(1.0)


FINE = np.linspace(0.0, 10.0, 200_001)


@pytest.mark.filterwarnings("ignore::rne.ModelWarning")
@pytest.mark.parametrize("harmonics", [1, 2, 5, 9])
@pytest.mark.parametrize("seed", range(3))
def test_no_limit_is_left_between_coarse_samples(harmonics, seed):
    """Four samples to a turn of the fastest harmonic, the fewest allowed, see little of a peak."""
    robot = rne.load_urdf(coupled((-2, 1), (-1, 1), -1.8, 0.1, speed=(3.0, 4.0)), strict=False)
    base = rne.base_parameters(robot)
    motion = rne.excitation(base, harmonics=harmonics, samples=4 * harmonics, tries=3, seed=seed)
    q, qd, _ = (x[:, 0] for x in motion.at(FINE))
    follower = -1.8 * q + 0.1
    shares = [*np.abs([(q + 0.5) / 1.5, follower, qd / 3.0, 1.8 * qd / 4.0]).max(axis=1)]
    assert max(shares) <= 1
    assert max(shares) > 0.99 or np.abs(q - motion.center).max() > 0.99 * 1.0 / 1.8  # one of them used to the full


def test_one_sided_and_far_limits():
    row = {"joint": "revolute", "a": 0.5, "mass": 1.0, "inertia": np.eye(3) / 10}
    rows = [row | {"lower": 5.0}, row | {"upper": -4.0}, row | {"lower": 20.0, "upper": 21.0}]
    robot = rne.from_dh(rows, convention="standard")
    motion = rne.excitation(rne.base_parameters(robot), tries=20)
    assert motion.condition < 100
    q = motion.at(FINE)[0]
    assert (q >= [5.0, -4.0 - math.pi, 20.0]).all()
    assert (q <= [5.0 + math.pi, -4.0, 21.0]).all()


def test_a_joint_without_room_stands_still():
    row = {"joint": "revolute", "a": 0.5, "mass": 1.0}
    robot = rne.from_dh([row, row | {"lower": 0.2, "upper": 0.2}], convention="standard")
    motion = rne.excitation(rne.base_parameters(robot), tries=5)
    assert (motion.q[:, 1] == 0.2).all()
    assert np.ptp(motion.q[:, 0]) > 1


@pytest.mark.filterwarnings("ignore::rne.ModelWarning")
def test_followers_that_cannot_keep_their_limits_are_told():
    base = rne.base_parameters(rne.load_urdf(coupled((-1, 1), (5, 6), 1.0), strict=False))
    with pytest.raises(rne.ArgumentError, match="base: no position of joint 'to_b' satisfies its limits and those of"):
        rne.excitation(base)


def test_an_answer_for_each_sample_is_refused():
    with pytest.raises(rne.ArgumentError, match=r"allowed: wanted True or False .* an array of shape \(60,\); .* all"):
        rne.excitation(ARM, tries=3, samples=60, allowed=lambda q: (q < 1.0).all(axis=1))
