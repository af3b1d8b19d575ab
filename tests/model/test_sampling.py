"""The range of a joint: within its limits and those of its followers, wherever they lie, for all who need one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models_at_hand import urdf_path
from own_robots import coupled

import rne
from rne.model.sampling import position_limits, position_range, random_positions, velocity_limits

INF = math.inf


def joint(kind, lower=-INF, upper=INF):
    limits = {name: x for name, x in (("lower", lower), ("upper", upper)) if math.isfinite(x)}
    return rne.from_dh([{"joint": kind, "a": 1.0, "mass": 1.0, **limits}], convention="standard")


@pytest.mark.parametrize(
    ("kind", "lower", "upper", "wanted"),
    [
        ("revolute", -INF, INF, (-math.pi, math.pi)),
        ("prismatic", -INF, INF, (-1, 1)),
        ("revolute", 5.0, INF, (5, 5 + math.pi)),
        ("revolute", -0.5, INF, (-0.5, math.pi)),
        ("prismatic", -INF, -3.0, (-4, -3)),
        ("prismatic", 0.0, INF, (0, 1)),
        ("revolute", 20.0, 21.0, (20, 21)),
        ("prismatic", -30.0, -10.0, (-30, -10)),
        ("prismatic", 0.0, 12.0, (0, 12)),
        ("revolute", -2.0, 1e30, (-2, math.pi)),
        ("prismatic", -1e9, 1e9, (-1, 1)),
        ("prismatic", 1e9, 2e9, (1e9, 1e9 + 1)),
        ("revolute", 0.3, 0.3, (0.3, 0.3)),
    ],
)
def test_ranges(kind, lower, upper, wanted):
    robot = joint(kind, lower, upper)
    low, high = position_range(robot)
    np.testing.assert_allclose((low[0], high[0]), wanted)
    q = random_positions(robot, 300, np.random.default_rng(0))
    assert ((q >= low) & (q <= high)).all()
    assert lower <= q.min() <= q.max() <= upper
    if low[0] < high[0] < 1e9:
        assert np.ptp(q) > 0.9 * (high - low)[0]


def test_limits_of_a_robot_are_its_range():
    robot = rne.load(urdf_path("panda"))
    np.testing.assert_array_equal(position_range(robot), (robot.lower_limit, robot.upper_limit))


@pytest.mark.filterwarnings("ignore::rne.ModelWarning")
def test_limits_in_the_wrong_order_are_turned_round():
    text = coupled((1.0, -2.0), (-10, 10), 1.0)
    robot = rne.load_urdf(text, strict=False)
    assert [x.tolist() for x in position_range(robot)] == [[-2.0], [1.0]]


@pytest.mark.filterwarnings("ignore::rne.ModelWarning")
@pytest.mark.parametrize(
    ("own", "followers", "ratio", "offset", "wanted"),
    [
        ((-1, 1), (-1, 1), 2.0, 0.0, (-0.5, 0.5)),
        ((-1, 1), (-1, 0.2), -2.0, 0.0, (-0.1, 0.5)),
        ((-1, 1), (0, 1), 1.0, 0.5, (-0.5, 0.5)),
        ((-1, 1), (-3, 3), 0.5, 0.5, (-1, 1)),
        ((-1, 1), (-3, 3), 0.0, 0.5, (-1, 1)),
        ((-1, 1), (5, 6), 1.0, 0.0, (-1, 1)),  # no position keeps both
    ],
)
def test_followers_keep_their_limits(own, followers, ratio, offset, wanted):
    robot = rne.load_urdf(coupled(own, followers, ratio, offset), strict=False)
    np.testing.assert_allclose(np.ravel(position_range(robot)), wanted)


@pytest.mark.filterwarnings("ignore::rne.ModelWarning")
@settings(max_examples=50)
@given(
    st.tuples(st.floats(-9, 9), st.floats(0, 9)), st.tuples(st.floats(-9, 9), st.floats(0, 9)),
    st.floats(-3, 3).filter(lambda x: abs(x) > 0.01), st.floats(-2, 2),
)  # fmt: skip
def test_random_positions_keep_all_limits(own, followers, ratio, offset):
    bounds = [(low, low + room) for low, room in (own, followers)]
    robot = rne.load_urdf(coupled(*bounds, ratio, offset), strict=False)
    q = random_positions(robot, 20, np.random.default_rng(0))[:, 0]
    assert ((q >= bounds[0][0]) & (q <= bounds[0][1])).all()
    lower, upper = position_limits(robot)
    if lower[0] <= upper[0]:
        follower = ratio * q + offset
        assert ((follower >= bounds[1][0] - 1e-13) & (follower <= bounds[1][1] + 1e-13)).all()


@pytest.mark.filterwarnings("ignore::rne.ModelWarning")
def test_velocities_of_followers():
    robot = rne.load_urdf(coupled((-1, 1), (-3, 3), -2.0, speed=(10.0, 5.0)), strict=False)
    assert velocity_limits(robot).tolist() == [2.5]
    robot = rne.load_urdf(coupled((-1, 1), (-3, 3), -2.0, speed=(0.0, 0.0)), strict=False)
    assert velocity_limits(robot).tolist() == [INF]


def test_a_range_between_two_zeros_is_drawn_from():
    """A follower at rest: 0.0 to -0.0, which numpy takes for a range below zero."""
    still = joint("prismatic", 0.0, -0.0)
    assert random_positions(still, 3, np.random.default_rng(0)).tolist() == [[0.0]] * 3
