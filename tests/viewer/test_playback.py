"""Motions to be played, and torques as bars."""

from __future__ import annotations

import re

import numpy as np
import pinocchio as pin
import pytest
from models_at_hand import MODELS, urdf_model, urdf_path

import rne
from rne.viewer.bars import BEYOND, WITHIN, full_scale, torque_bars
from rne.viewer.playback import RATE, make_motion


@pytest.fixture(scope="module")
def panda() -> rne.Robot:
    return rne.load(urdf_path("panda"))


def test_torques_are_those_of_the_motion(panda):
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 5, panda.n))
    motion = make_motion(panda, q, qd, qdd, t=[0, 1, 2, 3, 4])
    model = urdf_model(urdf_path("panda"))
    wanted = [pin.rnea(model, model.createData(), *row) for row in zip(q, qd, qdd, strict=True)]
    np.testing.assert_allclose(motion.tau, wanted, atol=1e-10)
    np.testing.assert_array_equal(motion.q, q)
    np.testing.assert_array_equal(motion.peaks, np.abs(motion.tau).max(axis=0))


def test_torques_of_the_caller_are_shown(panda):
    tau = np.random.default_rng(2).normal(size=(3, panda.n))
    np.testing.assert_array_equal(make_motion(panda, np.zeros((3, panda.n)), tau=tau).tau, tau)


def test_the_sample_that_holds(panda):
    motion = make_motion(panda, np.zeros((4, panda.n)), t=[1.0, 1.5, 1.5, 4.0])
    assert [motion.at(t) for t in (0.0, 1.0, 1.2, 1.5, 3.99, 4.0, 9.0)] == [0, 0, 0, 2, 2, 3, 3]


def test_without_times(panda):
    np.testing.assert_allclose(np.diff(make_motion(panda, np.zeros((4, panda.n))).t), 1 / RATE)


def test_missing_numbers_stay_missing(panda):
    q = np.zeros((3, panda.n))
    q[1, 2] = np.nan
    motion = make_motion(panda, q, t=[0, 1, 2])
    assert np.isnan(motion.tau[1]).any()
    assert np.isfinite(motion.tau[[0, 2]]).all()
    np.testing.assert_array_equal(motion.peaks, np.abs(motion.tau[0]))  # NaN is no peak; the other rows are alike


def test_samples_without_a_time_are_left_out(panda):
    motion = make_motion(panda, np.arange(3)[:, None] * np.ones(panda.n), t=[0, np.nan, 2])
    np.testing.assert_array_equal(motion.q[:, 0], [0, 2])


@pytest.mark.parametrize(
    ("q", "t", "what"),
    [
        (np.zeros(8), None, r"q: wanted a motion, \(samples, 8\)"),
        (np.zeros((0, 8)), None, r"q: wanted a motion"),
        (np.zeros((2, 3, 8)), None, r"q: wanted a motion"),
        (np.zeros((2, 7)), None, r"q: wanted shape"),
        (np.zeros((2, 8)), [0, 1, 2], r"t: wanted shape \(2,\), got \(3,\)"),
        (np.zeros((2, 8)), [1, 0.5], r"t: times decrease, from 1 to 0.5 s"),
        (np.zeros((2, 8)), [0, np.inf], r"t: wanted finite numbers"),
        (np.zeros((2, 8)), [np.nan, np.nan], r"t: all times are NaN"),
        (np.zeros((2, 8)), ["0", "b"], r"t: wanted real numbers"),
    ],
)
def test_what_is_no_motion(panda, q, t, what):
    with pytest.raises(rne.ArgumentError, match=what):
        make_motion(panda, q, t=t)


def drawn(html: str) -> list[tuple[float, float, str]]:
    """Left end, right end (from -1 to 1) and color of each bar."""
    bars = re.findall(r"left:([\d.]+)%;width:([\d.]+)%;background:(#\w+)", html)
    return [(float(left) / 50 - 1, (float(left) + float(width)) / 50 - 1, color) for left, width, color in bars]


def test_bars_are_torques_as_parts_of_the_limits(panda):
    tau = np.array([43.5, -87.0, 100.0, -200.0, 0.0, np.nan, 6.0, -50.0])  # limits 87 four times, 12 thrice, 100 N
    html = torque_bars(panda, tau, full_scale(panda, np.zeros(8)))
    assert [(round(left, 3), round(right, 3)) for left, right, _ in drawn(html)] == [
        (0, 0.5),
        (-1, 0),
        (0, 1),
        (-1, 0),
        (0, 0),
        (0, 0),
        (0, 0.5),
        (-0.5, 0),
    ]
    assert [color for _, _, color in drawn(html)] == [WITHIN, WITHIN, BEYOND, BEYOND, WITHIN, WITHIN, WITHIN, WITHIN]
    told = re.findall(r"<span[^>]*>([^<]*)</span></div>", html)
    assert told[0] == "43.50 N m / 87"
    assert told[2] == "beyond limit: 100.00 N m / 87"
    assert told[4:6] == ["0.00 N m / 12", "not a number / 12"]
    assert told[7] == "−50.00 N / 100"


def test_bars_without_limits_share_a_scale():
    puma = rne.load(MODELS / "puma560" / "robot.dh.toml")
    assert not np.isfinite(puma.effort_limit).any()
    peaks = np.array([1.0, 40.0, 3.0, 0.0, 0.0, 0.0])
    html = torque_bars(puma, peaks, full_scale(puma, peaks))
    np.testing.assert_allclose([right for _, right, _ in drawn(html)], peaks / 40, atol=3e-4)
    assert not any(right for _, right, _ in drawn(torque_bars(puma, np.zeros(6), full_scale(puma, np.zeros(6)))))


def test_names_are_no_html():
    robot = rne.from_dh([{"joint": "revolute", "name": "<b>&", "a": 1.0, "mass": 1.0}], convention="standard")
    assert "&lt;b&gt;&amp;" in torque_bars(robot, np.zeros(1), np.ones(1))


def test_an_infinite_torque_leaves_the_other_bars():
    puma = rne.load(MODELS / "puma560" / "robot.dh.toml")
    tau = np.array([[1.0, 4.0, -2.0, np.nan, 0.0, 0.0], [1.0, np.inf, -2.0, -np.inf, 0.0, 3.0]])
    motion = make_motion(puma, np.zeros((2, 6)), tau=tau)
    np.testing.assert_array_equal(motion.peaks, [1, 4, 2, 0, 0, 3])
    html = torque_bars(puma, tau[1], full_scale(puma, motion.peaks))
    assert [(round(left, 3), round(right, 3)) for left, right, _ in drawn(html)] == [
        (0, 0.25),
        (0, 1),
        (-0.5, 0),
        (-1, 0),
        (0, 0),
        (0, 0.75),
    ]
    assert [color for _, _, color in drawn(html)] == [WITHIN, BEYOND, WITHIN, BEYOND, WITHIN, WITHIN]
    told = re.findall(r"<span[^>]*>([^<]*)</span></div>", html)
    assert told[1] == "∞ N m"
    assert told[3] == "−∞ N m"


def test_nothing_but_infinite_torques():
    puma = rne.load(MODELS / "puma560" / "robot.dh.toml")
    motion = make_motion(puma, np.zeros((1, 6)), tau=np.full((1, 6), -np.inf))
    ends = [bar[:2] for bar in drawn(torque_bars(puma, motion.tau[0], full_scale(puma, motion.peaks)))]
    np.testing.assert_allclose(ends, [(-1, 0)] * 6)
