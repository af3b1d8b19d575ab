"""Stacked terms, motor sizing and significance as drawn, against closed forms and independent sums."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_near, random_states
from matplotlib.colors import to_hex
from own_robots import arm

import rne

G = 9.81
COLORS = {"gravity": "#e69f00", "effective": "#0072b2", "friction": "#cc79a7"}


def layers(ax, x):
    """Of each color its height over x with its sign, from the outlines that are drawn."""
    heights: dict[str, np.ndarray] = {}
    for area in ax.collections:
        color = to_hex(area.get_facecolor()[0])
        outline = np.concatenate([path.vertices for path in area.get_paths()])
        for k, at in enumerate(x):
            y = outline[outline[:, 0] == at, 1]
            if y.size:
                sign = -1.0 if y.min() < 0 else 1.0
                heights.setdefault(color, np.zeros(len(x)))[k] += sign * (y.max() - y.min())
    return heights


def test_layers_are_the_terms_of_a_pendulum_and_their_sum_the_torque():
    row = {"joint": "revolute", "a": 0.8, "mass": 2.0, "viscous": 0.5}
    robot = rne.from_dh([row], convention="standard", gravity=[0.0, -G, 0.0])
    t = np.linspace(0.0, 2.0, 101)
    q, qd, qdd = (x[:, None] for x in (np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t)))
    figure = rne.plot.breakdown(robot, t, rne.torque_breakdown(robot, q, qd, qdd, friction=True))
    (ax,) = figure.axes
    drawn = layers(ax, t)
    terms = {"gravity": 2.0 * G * 0.8 * np.cos(q), "effective": 2.0 * 0.64 * qdd, "friction": 0.5 * qd}
    assert set(drawn) == {COLORS[name] for name in terms}
    for name, term in terms.items():
        assert_near(drawn[COLORS[name]], term[:, 0])
    (total,) = (line for line in ax.get_lines() if line.get_label() == "total")
    assert_near(total.get_ydata(), sum(terms.values())[:, 0])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["gravity", "effective", "friction", "total"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time (s)", "torque (N m)")


def test_stacks_of_mixed_signs_sum_to_the_torques():
    robot = arm()
    state = random_states(6, 40)
    figure = rne.plot.breakdown(robot, None, rne.torque_breakdown(robot, *state, friction=True))
    tau = rne.inverse_dynamics(robot, *state, friction=True)
    x = np.arange(40)
    for k, ax in enumerate(figure.axes):
        outlines = np.concatenate([path.vertices for area in ax.collections for path in area.get_paths()])
        top, bottom = (np.array([f(outlines[outlines[:, 0] == at, 1]) for at in x]) for f in (np.max, np.min))
        assert_near(top + bottom, tau[:, k], 1e-11)
        assert_near(sum(layers(ax, x).values()), tau[:, k], 1e-11)
    assert [ax.get_ylabel() for ax in figure.axes][1:3] == ["torque (N m)", "force (N)"]


def test_a_long_stack_keeps_the_peaks_of_its_total():
    robot = arm()
    q, qd, qdd = random_states(6, 30_000)
    q[777] = np.nan
    parts = rne.torque_breakdown(robot, q, qd, qdd)
    figure = rne.plot.breakdown(robot, None, parts)
    shown = [text.get_text() for text in figure.legends[0].get_texts()]
    # What is NaN or zero throughout is no term to show.
    assert shown == ["gravity", "effective", "coupling", "centripetal", "coriolis", "total"]
    for k, ax in enumerate(figure.axes):
        (total,) = (line for line in ax.get_lines() if line.get_label() == "total")
        y = total.get_ydata()
        assert len(y) < 6000
        assert np.isnan(y).any()
        assert (np.nanmin(y), np.nanmax(y)) == (np.nanmin(parts.total[:, k]), np.nanmax(parts.total[:, k]))


def test_a_breakdown_of_another_robot_is_refused():
    two = rne.load("models/planar2/robot.dh.toml")
    parts = rne.torque_breakdown(two, [[0.1, 0.2]])
    with pytest.raises(rne.ArgumentError, match="parts: wanted a TorqueBreakdown"):
        rne.plot.breakdown(two, None, parts.total)
    stranger = rne.from_dh([{"joint": "revolute", "mass": 1.0}] * 2, convention="standard", name="stranger")
    with pytest.raises(rne.ArgumentError, match="wanted a breakdown of stranger, got one of shoulder, elbow"):
        rne.plot.breakdown(stranger, None, parts)


# ------------------------------------------------------------------------------------------------------------ sizing


def widths(ax, label):
    (bars,) = (bars for bars in ax.containers if bars.get_label() == label)
    return [bar.get_width() for bar in bars]


def test_the_motor_of_the_lecture():
    """196 N m of gravity and 30 of acceleration make 226; at rest 196."""
    robot = rne.load("models/lectures/rp_motor_sizing/robot.dh.toml")
    figure = rne.plot.sizing(rne.motor_sizing(robot, [0.0, 2.0], qdd=[[0.0, 0.0], [1.0, 0.0]]))
    torque, parts = figure.axes[0], figure.axes[3]
    assert_near(widths(torque, "peak"), [226.0])
    assert_near(widths(torque, "root mean square"), [np.sqrt((196.0**2 + 226.0**2) / 2)])
    assert_near(widths(parts, "gravity"), [196.0])
    assert_near(widths(parts, "effective"), [30.0])
    assert_near(parts.containers[1][0].get_x(), 196.0)
    (total,) = (line for line in parts.get_lines() if line.get_label() == "sum")
    assert_near(total.get_xdata(), [226.0])
    titles = [ax.get_xlabel() for ax in figure.axes]
    assert titles[:4] == ["torque (N m)", "velocity (rad/s)", "power (W)", "torque at its peak (N m)"]
    assert titles[4:] == ["force (N)", "velocity (m/s)", "power (W)", "force at its peak (N)"]


def test_limits_are_drawn_at_the_limits_with_the_part_that_is_used():
    row = {"joint": "revolute", "a": 1.0, "mass": 2.0}
    robot = rne.from_dh(
        [row | {"effort": 100.0, "velocity": 2.0}, row, row | {"effort": 5.0}],
        convention="standard",
        gravity=[0, -G, 0],
    )
    report = rne.motor_sizing(robot, np.zeros(3), [1.0, 0.0, 0.0])
    torque, speed = rne.plot.sizing(report).axes[:2]
    (marks,) = (line for line in torque.get_lines() if line.get_label() == "limit")
    assert marks.get_xydata().tolist() == [[100.0, 0.0], [5.0, 2.0]]
    # Level, three masses of 2 kg at 1, 2 and 3 m: 12 g and 2 g about the first and the last joint, and no more.
    assert_near(report.peak_torque[[0, 2]], [12 * G, 2 * G])
    assert [text.get_text() for text in torque.texts] == ["118 %", "392 %"]
    assert [text.get_text() for text in speed.texts] == ["50 %"]
    assert [text.get_text() for text in torque.get_yticklabels()] == list(robot.joint_names)
    with pytest.raises(rne.ArgumentError, match="report: wanted a MotorSizing"):
        rne.plot.sizing(robot)


# ------------------------------------------------------------------------------------------------------ significance


def test_shares_of_a_pendulum_and_its_error_without_gravity():
    """Level, gravity asks G N m; in one of two states an acceleration asks as much again."""
    robot = rne.from_dh([{"joint": "revolute", "a": 0.5, "mass": 2.0}], convention="standard", gravity=[0, -G, 0])
    figure = rne.plot.significance(rne.significance(robot, [0.0], [0.0], [[2 * G], [0.0]], drop=["gravity"]))
    share, alone, error = figure.axes
    names = [text.get_text() for text in share.get_xticklabels()]
    for ax, effective, gravity in ((share, 1 / 3, 2 / 3), (alone, 0.5, 0.5)):
        drawn = dict(zip(names, ax.get_images()[0].get_array()[0], strict=True))
        assert_near([drawn.pop("effective"), drawn.pop("gravity")], [effective, gravity])
        assert not any(drawn.values())
    assert [text.get_text() for text in share.texts] == ["33", "67"]
    assert_near(widths(error, "largest error, % of peak torque"), [50.0])
    assert_near(widths(error, "RMS error, % of RMS torque"), [100 / np.sqrt(2.5)])
    with pytest.raises(rne.ArgumentError, match="report: wanted a Significance"):
        rne.plot.significance(robot)


def test_each_joint_has_its_row_and_what_is_not_dropped_has_no_panel():
    robot = arm()
    report = rne.significance(robot, *random_states(6, 30))
    figure = rne.plot.significance(report)
    assert len(figure.axes) == 2
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == list(robot.joint_names)
    image = figure.axes[0].get_images()[0].get_array()
    assert image.shape == (6, 8)
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == list(report.terms.names[:8])
    assert report.terms.joint.reshape(6, 8)[:, 0].tolist() == list(range(6))
