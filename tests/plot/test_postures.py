"""Phase portraits and the inertia over a sweep, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_near
from own_robots import arm

import rne


def paul():
    """Two points of 2 kg and 1 kg on links of 1 m."""
    return rne.load("models/lectures/two_link_point_mass_paul_values/robot.dh.toml")


def test_inertia_over_the_elbow_in_closed_form():
    c = np.cos(np.linspace(0, np.pi, 91))
    sweep = np.stack([np.full(91, 0.7), np.linspace(0, np.pi, 91)], axis=1)
    figure = rne.plot.inertia(paul(), sweep, over="theta2")
    wanted = [(4 + 2 * c, 3 - c**2), (np.ones(91), 1 - (1 + c) ** 2 / (4 + 2 * c))]
    for ax, (locked, free) in zip(figure.axes, wanted, strict=True):
        drawn = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
        assert_near(drawn["other joints locked"], locked)
        assert_near(drawn["other joints free"], free)
        np.testing.assert_array_equal(ax.get_lines()[0].get_xdata(), sweep[:, 1])
        assert ax.get_ylabel() == "inertia (kg m²)"
    assert figure.axes[1].get_xlabel() == "theta2: angle (rad)"
    only = rne.plot.inertia(paul(), sweep, over=2, free=[1]).axes[0].get_lines()[1]
    assert_near(only.get_ydata(), 4 + 2 * c)


def test_a_slide_has_a_mass_and_a_sweep_may_not_turn_back():
    q = np.zeros((3, 6))
    q[:, 2] = (0.0, 0.1, 0.2)
    figure = rne.plot.inertia(arm(), q, over="reach")
    assert [ax.get_ylabel() for ax in figure.axes][1:3] == ["inertia (kg m²)", "mass (kg)"]
    assert figure.axes[5].get_xlabel() == "reach: position (m)"
    with pytest.raises(rne.ArgumentError, match="ordered by the position of the swept joint reach"):
        rne.plot.inertia(arm(), q[::-1], over="reach")
    with pytest.raises(rne.UnknownNameError, match="did you mean 'reach'"):
        rne.plot.inertia(arm(), q, over="reech")


def test_a_portrait_has_its_motion_its_start_and_its_limits():
    t = np.linspace(0, 5, 300)
    q, qd = np.outer(np.sin(t), np.full(6, 0.4)), np.outer(np.cos(t), np.full(6, 0.4))
    q[0] = np.nan
    figure = rne.plot.phase(arm(), q, qd)
    reach = figure.axes[2]
    motion, start = reach.get_lines()[:2]
    np.testing.assert_array_equal(motion.get_xdata()[1:], q[1:, 2])
    np.testing.assert_array_equal(motion.get_ydata()[1:], qd[1:, 2])
    assert np.isnan(motion.get_xdata()[0])
    assert start.get_xydata().tolist() == [[q[1, 2], qd[1, 2]]]
    drawn = [line.get_xydata() for line in reach.get_lines() if line.get_label() == "limit"]
    assert sorted(line[0, 0] for line in drawn if line[0, 0] == line[1, 0]) == [-0.3, 0.5]
    assert sorted(line[0, 1] for line in drawn if line[0, 1] == line[1, 1]) == [-0.8, 0.8]
    assert (reach.get_xlabel(), reach.get_ylabel()) == ("position (m)", "velocity (m/s)")
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("angle (rad)", "velocity (rad/s)")


def test_a_long_portrait_covers_every_sample_and_nothing_else():
    rng = np.random.default_rng(0)
    q, qd = rng.normal(size=(2, 50_000, 1))
    robot = rne.from_dh([{"joint": "revolute", "mass": 1.0}], convention="standard")
    (ax,) = rne.plot.phase(robot, q, qd).axes
    (image,) = ax.get_images()
    shades = image.get_array()
    left, right, bottom, top = image.get_extent()
    assert (left, right, bottom, top) == (q.min(), q.max(), qd.min(), qd.max())
    rows, columns = shades.shape
    column = np.minimum(((q[:, 0] - left) / (right - left) * columns).astype(int), columns - 1)
    row = np.minimum(((qd[:, 0] - bottom) / (top - bottom) * rows).astype(int), rows - 1)
    covered = np.zeros(shades.shape, bool)
    covered[row, column] = True
    assert (covered != shades.mask).mean() > 0.999  # but for samples on an edge
    assert np.expm1(shades.filled(0.0)).sum().round() == 50_000
