"""Motions from one posture to another: conditions at the ends, limits, and derivatives that belong together."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_near

import rne
from rne.trajectory.profiles import trapezoidal_duration

Q0, Q1, SPAN = np.array([0.2, -0.5, 1.0]), np.array([1.4, 0.9, 1.0]), 1.5
ENDS = {"qd0": [0.3, -0.2, 1.0], "qd1": [-0.7, 0.4, 0.0], "qdd0": [1.0, 2.0, -3.0], "qdd1": [0.5, 0.0, 4.0]}


def assert_derivatives(motion, t, step=1e-5, tolerance=1e-8):
    """Central differences, away from where anything jumps: error step^2 times the third derivative."""
    (before, qd0, _), (_, qd, qdd), (after, qd1, _) = motion(t - step), motion(t), motion(t + step)
    np.testing.assert_allclose((after - before) / (2 * step), qd, rtol=0, atol=tolerance)
    np.testing.assert_allclose((qd1 - qd0) / (2 * step), qdd, rtol=0, atol=tolerance)


# -------------------------------------------------------------------------------------------------------------- quintic


def test_rest_to_rest_is_the_law_of_the_lectures():
    t = np.linspace(0, SPAN, 31)
    u = t[:, None] / SPAN
    q, qd, qdd = rne.quintic(Q0, Q1, t, duration=SPAN)
    assert_near(q, Q0 + (10 * u**3 - 15 * u**4 + 6 * u**5) * (Q1 - Q0))
    assert_near(qd, 30 * (u**2 - 2 * u**3 + u**4) * (Q1 - Q0) / SPAN)
    assert_near(qdd, 60 * (u - 3 * u**2 + 2 * u**3) * (Q1 - Q0) / SPAN**2)
    assert_near(qd[15], 15 / 8 * (Q1 - Q0) / SPAN)


def test_all_conditions_at_the_ends_are_met():
    first, last = zip(*rne.quintic(Q0, Q1, [0.0, SPAN], duration=SPAN, **ENDS), strict=True)
    assert_near(first, [Q0, ENDS["qd0"], ENDS["qdd0"]])
    assert_near(last, [Q1, ENDS["qd1"], ENDS["qdd1"]])


def test_it_is_of_fifth_degree_and_its_derivatives_belong_together():
    t = np.linspace(0, SPAN, 12)
    q, _, _ = rne.quintic(Q0, Q1, t, duration=SPAN, **ENDS)
    assert np.abs(np.diff(q, n=6, axis=0)).max() < 1e-12
    assert np.abs(np.diff(q, n=5, axis=0)).max() > 1e-4
    assert_derivatives(lambda t: rne.quintic(Q0, Q1, t, duration=SPAN, **ENDS), t[1:-1], tolerance=1e-7)


def test_before_and_after_it_stays_where_it_is_at_the_ends():
    q, qd, qdd = rne.quintic(Q0, Q1, [-1.0, 0.0, SPAN, 9.0], duration=SPAN)
    assert_near(q, [Q0, Q0, Q1, Q1])
    assert_near(qd, np.zeros((4, 3)))
    assert_near(qdd, np.zeros((4, 3)))


def test_a_quintic_backwards_is_the_quintic_of_the_way_back():
    t = np.linspace(0, SPAN, 9)
    q, qd, qdd = rne.quintic(Q0, Q1, t, duration=SPAN, **ENDS)
    turned = {"qd0": -np.array(ENDS["qd1"]), "qd1": -np.array(ENDS["qd0"]), "qdd0": ENDS["qdd1"], "qdd1": ENDS["qdd0"]}
    back, backd, backdd = rne.quintic(Q1, Q0, SPAN - t, duration=SPAN, **turned)
    assert_near(back, q)
    assert_near(backd, -qd)
    assert_near(backdd, qdd)


# ---------------------------------------------------------------------------------------------------------- trapezoidal

LONG, SHORT = np.array([3.0, -1.0, 0.0]), np.array([0.02, -0.01, 0.0])
VELOCITY, ACCELERATION = np.array([1.2, 0.9, 0.1]), np.array([4.0, 1.0, 0.1])


@pytest.mark.parametrize("way", [LONG, SHORT], ids=["trapezoid", "triangle"])
def test_limits_are_kept_and_one_of_them_is_always_met(way):
    limits = {"velocity_limit": VELOCITY, "acceleration_limit": ACCELERATION}
    end = trapezoidal_duration(Q0, Q0 + way, **limits)
    q, qd, qdd = rne.trapezoidal(Q0, Q0 + way, np.linspace(0, end, 1001), **limits)
    assert_near(q[[0, -1]], [Q0, Q0 + way])
    assert_near(qd[[0, -1]], np.zeros((2, 3)))
    fast, hard = (np.abs(qd) / VELOCITY).max(axis=1), (np.abs(qdd) / ACCELERATION).max(axis=1)
    assert fast.max() <= 1 + 1e-12
    assert hard.max() <= 1 + 1e-12
    assert_near(np.maximum(fast >= 1 - 1e-12, hard >= 1 - 1e-12), np.ones(1001))
    assert (fast >= 1 - 1e-12).any() == (way is LONG)
    share = (q - Q0)[:, :2] / way[:2]
    assert_near(share[:, 0], share[:, 1])
    assert (np.diff(share[:, 0]) > 0).all()


@pytest.mark.parametrize("way", [LONG, SHORT], ids=["trapezoid", "triangle"])
def test_velocity_and_acceleration_add_up_to_the_way(way):
    """Velocity is made of straight lines: the trapezoid rule over its corners is exact, wherever it is cut."""
    limits = {"velocity_limit": VELOCITY, "acceleration_limit": ACCELERATION}
    end = trapezoidal_duration(Q0, Q0 + way, **limits)
    _, qd, qdd = rne.trapezoidal(Q0, Q0 + way, 1e-9 * end, **limits)
    ramp = np.abs(rne.trapezoidal(Q0, Q0 + way, end / 2, **limits)[1]).max() / np.abs(qdd).max()
    t = np.sort([*np.linspace(0, end, 20), ramp, end - ramp])
    q, qd, _ = rne.trapezoidal(Q0, Q0 + way, t, **limits)
    steps = np.diff(t)[:, None] * (qd[1:] + qd[:-1]) / 2
    assert_near(q[1:] - q[:-1], steps)
    away = np.linspace(0.05, 0.95, 8) * end
    away = away[(abs(away - ramp) > 1e-3 * end) & (abs(away - end + ramp) > 1e-3 * end)]
    assert_derivatives(lambda t: rne.trapezoidal(Q0, Q0 + way, t, **limits), away, step=1e-4 * end)


def test_it_waits_before_and_rests_after():
    q, qd, qdd = rne.trapezoidal(Q0, Q1, [-1.0, 99.0], velocity_limit=1.0, acceleration_limit=2.0)
    assert_near(q, [Q0, Q1])
    assert not qd.any()
    assert not qdd.any()


def test_a_missing_velocity_limit_makes_a_triangle():
    end = trapezoidal_duration([0.0], [4.0], velocity_limit=np.inf, acceleration_limit=1.0)
    assert_near(end, 4.0)
    assert_near(rne.trapezoidal([0.0], [4.0], end / 2, velocity_limit=np.inf, acceleration_limit=1.0)[1], [2.0])
    mixed = rne.trapezoidal([0.0, 0.0], [4.0, 1.0], [2.0], velocity_limit=[np.inf, 0.1], acceleration_limit=1.0)
    assert_near(mixed[1], [[0.4, 0.1]])


def test_no_way_takes_no_time():
    assert trapezoidal_duration(Q0, Q0, velocity_limit=1.0, acceleration_limit=1.0) == 0.0
    q, qd, qdd = rne.trapezoidal(Q0, Q0, [0.0, 1.0], velocity_limit=1.0, acceleration_limit=1.0)
    assert_near(q, [Q0, Q0])
    assert not qd.any()
    assert not qdd.any()


@pytest.mark.parametrize(
    "limits",
    [
        {"velocity_limit": 0.7},
        {"acceleration_limit": [1.0, 2.0, 0.3]},
        {"velocity_limit": [0.1, np.inf, 5.0], "acceleration_limit": 2.0},
        {"velocity_limit": 5.0, "acceleration_limit": [np.inf, 2.0, 0.3]},
    ],
)
def test_the_shortest_quintic_just_keeps_its_limits(limits):
    end = rne.quintic_duration(Q0, Q1, **limits)
    _, qd, qdd = rne.quintic(Q0, Q1, np.linspace(0.0, end, 20001), duration=end)
    used = [np.abs(qd) / limits.get("velocity_limit", np.inf), np.abs(qdd) / limits.get("acceleration_limit", np.inf)]
    assert_near(np.max(used), 1.0, 1e-7)


def test_a_quintic_without_a_way_takes_no_time():
    assert rne.quintic_duration(Q0, Q0) == 0.0
    assert rne.quintic_duration([1.0, 2.0], [1.0, 3.0], velocity_limit=[np.inf, 1.5]) == 1.25


# ------------------------------------------------------------------------------------------------------ shapes, errors


def test_one_time_gives_one_state_and_one_number_serves_all_joints():
    assert [x.shape for x in rne.quintic(Q0, Q1, 0.5, duration=SPAN)] == [(3,)] * 3
    assert [x.shape for x in rne.trapezoidal(Q0, Q1, 0.5, velocity_limit=1, acceleration_limit=1)] == [(3,)] * 3
    assert [x.shape for x in rne.quintic(0, 1, [0.5, 0.6], duration=SPAN)] == [(2, 1)] * 3
    one, many = (rne.quintic(Q0, Q1, 0.5, duration=SPAN, qd1=qd1) for qd1 in (0.4, [0.4] * 3))
    assert_near(one, many)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: rne.quintic(Q0, Q1[:2], 0.0, duration=SPAN),
            r"wanted in each one number, or one per joint, got q0 \(3,\), q1 \(2,\)",
        ),
        (lambda: rne.quintic([Q0], Q1, 0.0, duration=SPAN), "q0: wanted a number or a one-dimensional"),
        (lambda: rne.quintic(Q0, Q1, 0.0, duration=0.0), "duration: wanted a positive time in s"),
        (lambda: rne.quintic(Q0, Q1, 0.0, duration=np.nan), "duration"),
        (lambda: rne.quintic(Q0, Q1, [[0.0]], duration=SPAN), "t: wanted a number or a one-dimensional"),
        (lambda: rne.quintic(Q0, Q1, [0.0, [1.0]], duration=SPAN), "t: not an array of numbers"),
        (lambda: rne.quintic(Q0, Q1, 0.0, duration=SPAN, qdd1=[np.inf] * 3), "qdd1"),
        (lambda: rne.quintic_duration(Q0, Q1), "velocity_limit, acceleration_limit: both are infinite for a joint"),
        (lambda: rne.quintic_duration(Q0, Q1, velocity_limit=0.0), "velocity_limit: wanted positive numbers"),
        (lambda: rne.quintic_duration(Q0, Q1, velocity_limit=[1.0, [2.0]]), "velocity_limit: not an array of numbers"),
        (
            lambda: rne.trapezoidal(Q0, Q1, 0.0, velocity_limit=0.0, acceleration_limit=1.0),
            "velocity_limit: wanted positive numbers",
        ),
        (
            lambda: rne.trapezoidal(Q0, Q1, 0.0, velocity_limit=[1, 1], acceleration_limit=1.0),
            r"wanted in each one number, or one per joint, .* velocity_limit \(2,\)",
        ),
        (lambda: rne.trapezoidal(Q0, Q1, 0.0, velocity_limit=np.nan, acceleration_limit=1.0), "velocity_limit"),
        (lambda: rne.trapezoidal(Q0, Q1, 0.0, velocity_limit=1.0, acceleration_limit=np.inf), "acceleration_limit"),
        (
            lambda: rne.trapezoidal(Q0, Q1, 0.0, velocity_limit=1.0, acceleration_limit=-1.0),
            "acceleration_limit: wanted positive numbers",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make, said):
    with pytest.raises(rne.ArgumentError, match=said):
        make()
