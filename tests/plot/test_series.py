"""Plots over time: what is drawn against closed forms, the limits, the units, the gaps."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_near
from own_robots import arm

import rne

G = 9.81
POINT = {"joint": "revolute", "a": 0.8, "mass": 2.0, "name": "swing", "effort": 12.0, "velocity": 3.0}


def pendulum(**row):
    """A point of 2 kg at 0.8 m that turns in a vertical plane, from the horizontal up."""
    return rne.from_dh([POINT | row], convention="standard", gravity=[0.0, -G, 0.0], name="pendulum")


def swinging(samples: int = 101):
    t = np.linspace(0.0, 2.0, samples)
    q, qd, qdd = np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t)
    tau = 2.0 * 0.8**2 * qdd + 2.0 * G * 0.8 * np.cos(q)
    return t, q[:, None], qd[:, None], qdd[:, None], tau


def lines(ax, label=None):
    """Lines of a panel with a label; without, those that have none."""
    return [
        line for line in ax.get_lines() if line.get_label() == label or (label is None and line.get_label()[0] == "_")
    ]


def limits(ax, axis="y"):
    drawn = lines(ax, "limit")
    return sorted(float((line.get_ydata() if axis == "y" else line.get_xdata())[0]) for line in drawn)


def labels(figure):
    return [ax.get_ylabel() for ax in figure.axes]


# ----------------------------------------------------------------------------------------------------------- torques


def test_torques_are_those_of_a_pendulum():
    t, q, qd, qdd, tau = swinging()
    robot = pendulum()
    figure = rne.plot.torques(robot, t, rne.inverse_dynamics(robot, q, qd, qdd))
    (ax,) = figure.axes
    (line,) = lines(ax)
    np.testing.assert_array_equal(line.get_xdata(), t)
    assert_near(line.get_ydata(), tau)
    assert limits(ax) == [-12.0, 12.0]
    (beyond,) = lines(ax, "beyond the limit")
    assert_near(beyond.get_ydata()[np.abs(tau) > 12.0], tau[np.abs(tau) > 12.0])
    assert np.isnan(beyond.get_ydata()[np.abs(tau) <= 12.0]).all()
    assert ax.get_title(loc="right") == f"{(np.abs(tau) > 12.0).sum()} beyond"
    assert ax.get_title(loc="left") == "swing"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time (s)", "torque (N m)")


def test_limits_and_units_of_each_joint():
    robot = arm()
    figure = rne.plot.torques(robot, None, np.full((5, 6), 9.0))
    assert labels(figure) == ["torque (N m)"] * 2 + ["force (N)"] + ["torque (N m)"] * 3
    assert [limits(ax) for ax in figure.axes] == [
        [],
        [-120.0, 120.0],
        [-300.0, 300.0],
        [-30.0, 30.0],
        [-20, 20],
        [-10, 10],
    ]
    in_view = [ax.get_ylim()[1] > 10.0 for ax in figure.axes]
    assert in_view == [False, False, False, True, True, True]
    notes = [ax.get_title(loc="right") for ax in figure.axes]
    assert notes == ["", "far limits ±120", "far limits ±300", "", "", ""]
    assert {ax.get_xlabel() for ax in figure.axes} == {"", "sample"}


def test_a_gap_stays_a_gap_and_a_sample_alone_is_a_dot():
    tau = np.arange(10.0)[:, None]
    tau[[2, 5, 7], 0] = (np.nan, np.inf, -np.inf)
    (line,) = rne.plot.torques(pendulum(effort=1e3), None, tau).axes[0].get_lines()[:1]
    np.testing.assert_array_equal(line.get_ydata(), [0, 1, np.nan, 3, 4, np.nan, 6, np.nan, 8, 9])
    assert line.get_markevery() == [6]


def test_a_million_samples_keep_their_peaks_and_make_a_small_figure():
    robot = rne.load("models/planar2/robot.dh.toml")
    t = np.arange(1_000_000) * 1e-3
    tau = np.stack([np.sin(t), np.cos(7 * t)], axis=1)
    tau[123_456, 0], tau[765_432, 1] = 40.0, -50.0
    tau[500_000:500_100] = np.nan
    for ax, peak in zip(rne.plot.torques(robot, t, tau).axes, ((123.456, 40.0), (765.432, -50.0)), strict=True):
        x, y = ax.get_lines()[0].get_data()
        assert len(x) < 4000
        assert peak in set(zip(x, y, strict=True))
        assert np.isnan(y).any()
        assert (x[0], x[-1]) == (0.0, 999.999)


def test_few_samples_beyond_a_limit_among_many_are_marked_and_counted():
    tau = np.zeros((200_000, 1))
    tau[[7, 100_001, 150_000]] = [[12.5], [-13.0], [99.0]]
    (ax,) = rne.plot.torques(pendulum(), None, tau).axes
    (beyond,) = lines(ax, "beyond the limit")
    y = beyond.get_ydata()
    np.testing.assert_array_equal(y[~np.isnan(y)], [12.5, -13.0, 99.0])
    assert len(beyond.get_markevery()) == 3
    assert ax.get_title(loc="right") == "3 beyond"


# ------------------------------------------------------------------------------------------------------------ states


def test_states_stand_against_their_limits():
    robot = arm()
    t = np.linspace(0, 1, 11)
    q, qd = np.full((11, 6), 0.4), np.full((11, 6), 2.0)
    figure = rne.plot.states(robot, t, q, qd)
    assert labels(figure)[4:6] == ["position (m)", "velocity (m/s)"]
    assert labels(figure)[:2] == ["angle (rad)", "velocity (rad/s)"]
    assert [limits(ax) for ax in figure.axes[:6]] == [[], [], [-2, 1.5], [-2.5, 2.5], [-0.3, 0.5], [-0.8, 0.8]]
    assert figure.axes[5].get_title(loc="right") == "11 beyond"
    assert (figure.axes[4].get_lines()[0].get_ydata() == 0.4).all()
    assert (figure.axes[5].get_lines()[0].get_ydata() == 2.0).all()


# ----------------------------------------------------------------------------------------------------- power, energy


def test_power_and_work_in_closed_form():
    robot = arm()
    t = np.linspace(0, 2, 201)
    tau = np.arange(1.0, 7.0) * np.ones((201, 1))
    qd = t[:, None] * np.array([1.0, -1.0, 2.0, 0.0, 0.5, 1.0])
    figure = rne.plot.power(robot, t, qd, tau)
    slope = np.array([1.0, -2.0, 6.0, 0.0, 2.5, 6.0])
    for ax, rate in zip(figure.axes, slope, strict=False):
        assert_near(ax.get_lines()[1].get_ydata(), rate * t)
    assert_near(figure.axes[6].get_lines()[1].get_ydata(), slope.sum() * t)
    assert_near(figure.axes[7].get_lines()[0].get_ydata(), slope.sum() * t**2 / 2)  # the rule is exact for a line
    assert labels(figure) == ["power (W)"] * 7 + ["work (J)"]
    assert [ax.get_title(loc="left") for ax in figure.axes[5:]] == ["yaw", "all joints", "work of all joints"]


def test_without_times_there_is_no_work():
    figure = rne.plot.power(pendulum(), None, [[1.0], [2.0]], [[3.0], [4.0]])
    assert labels(figure) == ["power (W)"]
    with pytest.raises(rne.ArgumentError, match="requires the times"):
        rne.plot.energy(pendulum(), None, [[1.0]], [[2.0]], [[3.0]])


def test_energies_of_a_pendulum_and_the_work_that_changes_them():
    t, q, qd, _, tau = swinging(2001)
    robot = pendulum()
    above, below = rne.plot.energy(robot, t, q, qd, tau[:, None]).axes
    kinetic, potential = 2.0 * (0.8 * qd[:, 0]) ** 2 / 2, 2.0 * G * 0.8 * np.sin(q[:, 0])
    for label, wanted in (("kinetic", kinetic), ("potential", potential), ("total", kinetic + potential)):
        (line,) = lines(above, label)
        assert_near(line.get_ydata(), wanted)
    change = (kinetic + potential) - (kinetic + potential)[0]
    assert_near(lines(below, "total")[0].get_ydata(), change)
    assert_near(lines(below, "work of the torques")[0].get_ydata(), change, 1e-5)  # by the trapezoid rule
    assert_near(lines(below, "total without this work")[0].get_ydata(), 0 * t, 1e-4)
    assert below.get_ylabel() == above.get_ylabel() == "energy (J)"


def test_drift_of_a_simulation_is_that_of_its_own_energy():
    robot = rne.load("models/planar2/robot.dh.toml")
    motion = rne.simulate(robot, [0.5, 0.0], t=np.linspace(0, 1, 51), method="euler", step=0.02)
    below = rne.plot.energy(robot, motion.t, motion.q, motion.qd).axes[1]
    drift = motion.energy - motion.energy[0]
    assert np.abs(drift).max() > 0.01
    assert_near(lines(below, "total")[0].get_ydata(), drift)
    moon = rne.plot.energy(robot, motion.t, motion.q, motion.qd, gravity=[0.0, 0.0, 0.0]).axes[0]
    assert not lines(moon, "potential")[0].get_ydata().any()


# ---------------------------------------------------------------------------------------------------------- tracking


def test_tracking_draws_both_their_difference_and_the_torque():
    t = np.linspace(0, 1, 50)
    wanted, reached = np.sin(t)[:, None], np.sin(t)[:, None] - 0.01 * t[:, None]
    figure = rne.plot.tracking(pendulum(), t, wanted, reached, np.full((50, 1), 13.0))
    position, error, torque = figure.axes
    assert_near(lines(position, "reference")[0].get_ydata(), np.sin(t))
    assert_near(lines(position, "actual")[0].get_ydata(), np.sin(t) - 0.01 * t)
    assert_near(lines(error, "error: reference - actual")[0].get_ydata(), 0.01 * t)
    assert (torque.get_lines()[0].get_ydata() == 13.0).all()
    assert limits(torque) == [-12.0, 12.0]
    assert labels(figure) == ["angle (rad)", "error (rad)", "torque (N m)"]
    assert len(rne.plot.tracking(pendulum(), t, wanted, reached).axes) == 2
    slide = rne.plot.tracking(pendulum(joint="prismatic"), t, wanted, reached)
    assert labels(slide) == ["position (m)", "error (m)"]


def test_tracking_of_a_controlled_simulation():
    """Critically damped computed torque: the error is (1 + w t) exp(-w t) times that of the start."""
    robot, w, t = pendulum(), 10.0, np.linspace(0, 1, 101)
    servo = rne.control.computed_torque(robot, kp=w**2, kd=2 * w, goal=[0.5])
    run = rne.simulate(robot, [0.0], t=t, tau=servo)
    _, error, torque = rne.plot.tracking(robot, run.t, run.q_ref, run.q, run.tau).axes
    assert_near(lines(error, "error: reference - actual")[0].get_ydata(), 0.5 * (1 + w * t) * np.exp(-w * t), 1e-9)
    assert_near(torque.get_lines()[0].get_ydata()[0], 2.0 * 0.8**2 * w**2 * 0.5 + 2.0 * G * 0.8, 1e-9)


# --------------------------------------------------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0, 1.0], [[1.0, 2.0]]), r"tau: wanted shape \(..., 1\)"),
        (([0.0, 1.0], [[1.0]]), r"t: wanted shape \(1,\), got \(2,\)"),
        (([1.0, 0.0], [[1.0], [2.0]]), r"t: wanted times in order, but t\[1\] is before"),
        (([0.0, np.nan], [[1.0], [2.0]]), "t: wanted finite numbers"),
        ((None, [1.0]), r"tau: wanted one motion, shape \(T, 1\), got \(1,\)"),
        ((None, np.zeros((2, 3, 1))), "plot batches one by one"),
        ((None, "many"), "tau: wanted real numbers"),
    ],
)
def test_arguments_that_cannot_be_drawn(arguments, message):
    with pytest.raises(rne.ArgumentError, match=message):
        rne.plot.torques(pendulum(), *arguments)


def test_what_is_not_there_is_not_drawn_as_zeros():
    with pytest.raises(rne.ArgumentError, match="qd: wanted an array to draw, got None"):
        rne.plot.states(pendulum(), None, [[1.0]], None)
    free = rne.simulate(pendulum(), [0.1], t=[0.0, 0.1])
    with pytest.raises(rne.ArgumentError, match="reference: wanted an array to draw, got None"):
        rne.plot.tracking(pendulum(), free.t, free.q_ref, free.q)


def test_a_robot_is_wanted():
    with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
        rne.plot.torques("panda", None, [[1.0]])
