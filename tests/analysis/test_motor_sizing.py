"""Motor sizing: the example of the lecture, the sum of the parts, means over time, limits, and the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import reference as ref
from checks import assert_near, random_states
from own_robots import arm

import rne
from rne.model.tree import Drive

LECTURE = Path(__file__).parents[2] / "models" / "lectures" / "rp_motor_sizing" / "robot.dh.toml"
TERMS = ("effective", "coupling", "rotor", "centripetal", "coriolis", "gravity", "spring", "friction", "external")
ROW = {"joint": "revolute", "a": 1.0, "mass": 2.0, "inertia": np.eye(3).tolist()}
EXTRAS = {"rotor_inertia": 0.01, "gear_ratio": 10.0, "viscous": 0.004, "coulomb": 0.02, "stiffness": 3.0, "rest": 0.2}


def loaded_arm():
    """Three joints with everything that makes torque; limits on the first two."""
    rows = [ROW | EXTRAS | {"effort": 100.0, "velocity": 2.0}, ROW | EXTRAS | {"effort": 50.0, "alpha": 1.2}]
    rows.append({"joint": "prismatic", "mass": 1.5, "d": 0.3})
    return rne.from_dh(rows, convention="standard", gravity=[1.0, -9.0, -2.0])


def test_the_example_of_the_lecture():
    """Example 6-4: level and fully extended 196 N m, at full acceleration 226; with r' = 0.5, theta' = 1 it is 206."""
    robot = rne.load(LECTURE)
    qd, qdd = [[0, 0], [0, 0], [1.0, 0.5]], [[0, 0], [1.0, 0], [0, 0]]
    report = rne.motor_sizing(robot, [0.0, 2.0], qd, qdd)
    assert_near(report.peak_torque, [226.0, 10.0])
    assert report.peak_sample.tolist() == [1, 2]
    assert_near(report.torque_at_peak, [226.0, -10.0])
    assert_near(report.gravity, [196.0, 0.0])
    assert_near(report.effective, [30.0, 0.0])
    assert_near(report.centripetal, [0.0, -10.0])
    for name in ("coupling", "rotor", "coriolis", "spring"):
        assert not getattr(report, name).any()
    assert_near(report.peak_speed, [1.0, 0.5])
    assert_near(report.peak_power, [206.0, 5.0])
    assert_near(report.rms_torque[0], np.sqrt((196**2 + 226**2 + 206**2) / 3))
    assert "226         30         0      0            0         0      196" in str(report)


def test_peaks_are_those_of_all_states_and_parts_add_up():
    robot, states = loaded_arm(), random_states(3, 40, seed=1)
    tau = ref.torques(robot.tree, *states, friction=True)
    report = rne.motor_sizing(robot, *states, friction=True)
    assert_near(report.peak_torque, np.abs(tau).max(axis=0))
    assert_near(report.torque_at_peak, [tau[k, i] for i, k in enumerate(report.peak_sample)])
    assert_near(np.abs(report.torque_at_peak), report.peak_torque)
    assert_near(report.peak_speed, np.abs(states[1]).max(axis=0))
    assert_near(report.rms_speed, np.sqrt((states[1] ** 2).mean(axis=0)))
    assert_near(report.peak_power, np.abs(tau * states[1]).max(axis=0))
    assert_near(report.rms_torque, np.sqrt((tau**2).mean(axis=0)))
    assert_near(report.rms_power, np.sqrt(((tau * states[1]) ** 2).mean(axis=0)))
    assert_near(sum(getattr(report, name) for name in TERMS), report.torque_at_peak)
    assert report.peak_time is None


def test_each_part_is_what_it_says():
    robot, (q, qd, qdd) = loaded_arm(), random_states(3, seed=2)
    report = rne.motor_sizing(robot, q, qd, qdd, friction=True)
    assert_near(report.gravity, ref.gravity_vector(robot.tree, q))
    assert_near(report.centripetal + report.coriolis, ref.bias_vector(robot.tree, q, qd, np.zeros(3)))
    alone = [ref.bias_vector(robot.tree, q, rate, np.zeros(3)) for rate in np.diag(qd)]
    assert_near(report.centripetal, np.sum(alone, axis=0))
    assert_near(report.friction, ref.friction_torque(robot.tree, qd))
    assert_near(report.spring, [3.0 * (q[0] - 0.2), 3.0 * (q[1] - 0.2), 0.0])
    bare = robot.with_drives(dict.fromkeys(robot.joint_names, Drive())).tree
    M = ref.mass_matrix(bare, q)
    assert_near(report.effective, np.diag(M) * qdd)
    assert_near(report.coupling, M @ qdd - np.diag(M) * qdd)
    assert_near(report.rotor, [1.0, 1.0, 0.0] * qdd)


def test_parts_over_all_states_are_root_mean_squares():
    robot, (q, qd, qdd) = loaded_arm(), random_states(3, 30, seed=8)
    report = rne.motor_sizing(robot, q, qd, qdd, friction=True)
    wanted = {
        "gravity": [ref.gravity_vector(robot.tree, x) for x in q],
        "friction": [ref.friction_torque(robot.tree, x) for x in qd],
        "effective": (np.stack([np.diag(ref.mass_matrix(robot.tree, x)) for x in q]) - [1.0, 1.0, 0.0]) * qdd,
    }
    for name, term in wanted.items():
        assert_near(report.rms_terms[name], np.sqrt(np.mean(np.square(term), axis=0)))


def test_forces_of_a_process_count():
    """A milling head that presses against the work: J^T w on top of all else."""
    robot, (q, qd, qdd) = loaded_arm(), random_states(3, 5, 4, seed=9)
    press = np.random.default_rng(0).normal(size=(4, 6)) * 30
    report = rne.motor_sizing(robot, q, qd, qdd, f_ext={"link3": (press, "local")}, friction=True)
    J = rne.jacobian(robot, q, "link3", axes="local")
    external = -np.einsum("abij,bi->abj", J, press)
    tau = ref.torques(robot.tree, q, qd, qdd, friction=True) + external
    assert_near(report.peak_torque, np.abs(tau).max(axis=(0, 1)))
    peaks = np.unravel_index(report.peak_sample, (5, 4))
    assert_near(report.external, external[*peaks, np.arange(3)])
    assert_near(report.rms_terms["external"], np.sqrt((external**2).mean(axis=(0, 1))))
    with pytest.raises(rne.UnknownNameError, match="f_ext: no frame is named 'link33'"):
        rne.motor_sizing(robot, q, f_ext={"link33": press})


def test_friction_and_gravity_may_be_left_out():
    robot, states = loaded_arm(), random_states(3, 10, seed=3)
    report = rne.motor_sizing(robot, *states, gravity=[0, 0, 0])
    assert not report.friction.any()
    assert not report.gravity.any()
    wanted = ref.torques(robot.tree, *states, gravity=[0, 0, 0])
    assert_near(report.peak_torque, np.abs(wanted).max(axis=0))


# ------------------------------------------------------------------------------------------------------ over a motion


def test_means_are_over_time_by_the_trapezoid_rule():
    robot, (q, qd, qdd) = loaded_arm(), random_states(3, 5, seed=4)
    t = np.array([1.0, 1.1, 1.5, 1.6, 3.0])
    squares = ref.torques(robot.tree, q, qd, qdd, friction=True) ** 2
    wanted = sum((t[k + 1] - t[k]) * (squares[k] + squares[k + 1]) / 2 for k in range(4)) / 2.0
    report = rne.motor_sizing(robot, q, qd, qdd, t=t, friction=True)
    assert_near(report.rms_torque, np.sqrt(wanted))
    assert_near(report.peak_time, t[report.peak_sample])


def test_a_motion_cut_unevenly_has_the_same_mean():
    robot = arm()
    ends = [0.0, -0.5, 0.0, 0.3, 0.0, 0.0], [1.0, 0.5, 0.3, -0.8, 1.0, 2.0]
    even, uneven = (
        rne.motor_sizing(robot, *rne.quintic(*ends, t, duration=2.0), t=t)
        for t in (np.linspace(0, 2, 2001), 2 * np.linspace(0, 1, 2001) ** 1.5)
    )
    for name in ("rms_torque", "rms_power", "peak_torque", "peak_speed"):
        np.testing.assert_allclose(getattr(uneven, name), getattr(even, name), rtol=1e-4)
    np.testing.assert_allclose(even.peak_speed, 15 / 8 * np.abs(np.subtract(*ends)) / 2.0, rtol=1e-9)


# ---------------------------------------------------------------------------------------------------- limits and text


def test_use_of_the_limits():
    robot = loaded_arm()
    report = rne.motor_sizing(robot, *random_states(3, 20, seed=5))
    assert_near(report.torque_used, report.peak_torque / [100.0, 50.0, np.inf])
    assert_near(report.speed_used, report.peak_speed / [2.0, np.inf, np.inf])
    blocked = rne.from_dh([ROW | {"effort": 0.0}], convention="standard")
    assert rne.motor_sizing(blocked, [0.0], gravity=[0, -9, 0]).torque_used.tolist() == [np.inf]
    assert rne.motor_sizing(blocked, [0.0], gravity=[0, 0, 0]).torque_used.tolist() == [0.0]


def test_the_table_reads_well():
    """A load of 3 kg a meter out, and a slide upright that lifts its 1 kg against a slanted gravity."""
    slide = {"joint": "prismatic", "name": "slide", "mass": 1.0}
    turn = ROW | {"name": "turn", "effort": 100.0, "velocity": 4.0}
    robot = rne.from_dh([turn, slide], convention="standard", gravity=[0, -10, -2])
    report = rne.motor_sizing(robot, [[0, 0], [0, 0.5]], [[0, 0], [1, 1]], t=[0.0, 0.5])
    assert str(report).splitlines() == [
        "joint  torque  rms  limit  used  unit  speed     rms  limit  used   unit  power      rms",
        "turn       30   30    100  30 %   N m      1  0.7071      4  25 %  rad/s   30 W  21.21 W",
        "slide       2    2      -     -     N      1  0.7071      -     -    m/s    2 W  1.414 W",
        "",
        "joint  peak at  torque  effective  coupling  rotor  centripetal  coriol"
        "is  gravity  spring  friction  external  unit",
        "turn       0 s      30          0         0      0            0        "
        " 0       30       0         0         0   N m",
        "slide      0 s       2          0         0      0            0        "
        " 0        2       0         0         0     N",
        "",
        "joint  rms  effective  coupling  rotor  centripetal  coriolis  gravity  spring  friction  external  unit",
        "turn    30          0         0      0            0         0       30       0         0         0   N m",
        "slide    2          0         0      0            0         0        2       0         0         0     N",
    ]


# ------------------------------------------------------------------------------------------------------ shapes, errors


def test_states_in_any_arrangement_and_precision():
    robot, states = loaded_arm(), random_states(3, 4, 5, seed=6)
    whole = rne.motor_sizing(robot, *states)
    rows = rne.motor_sizing(robot, *(x.reshape(20, 3) for x in states))
    single = rne.motor_sizing(robot, *(x.astype(np.float32) for x in states))
    for name in ("peak_torque", "rms_power", "gravity"):
        assert_near(getattr(whole, name), getattr(rows, name))
        assert_near(getattr(single, name), getattr(rows, name), rtol=1e-5)
        assert getattr(single, name).dtype == np.float64


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"q": np.zeros((0, 3))}, "q: wanted at least one state"),
        ({"q": np.zeros((4, 2))}, "q: wanted shape"),
        ({"q": np.zeros(3), "t": [0.0]}, "q: with t, wanted shape"),
        ({"q": np.zeros((1, 3)), "t": [0.0]}, "q: with t, wanted shape"),
        ({"q": np.zeros((2, 2, 3)), "t": [0.0, 1.0]}, "q: with t, wanted shape"),
        ({"q": np.zeros((3, 3)), "t": [0.0, 1.0]}, "t: wanted shape"),
        ({"q": np.zeros((3, 3)), "t": [0.0, 1.0, 1.0]}, r"t: wanted increasing times, but t\[2\]"),
        ({"q": np.zeros((3, 3)), "t": [0.0, np.nan, 1.0]}, "t: wanted finite"),
    ],
)
def test_what_makes_no_sense_is_refused(options, said):
    with pytest.raises(rne.ArgumentError, match=said):
        rne.motor_sizing(loaded_arm(), **options)


def test_a_robot_is_wanted():
    with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
        rne.motor_sizing("arm", [0.0])


def test_a_robot_without_joints_asks_for_no_motors():
    robot = loaded_arm().with_locked(dict.fromkeys(loaded_arm().joint_names, 0.0))
    assert rne.actuator_power(robot, np.zeros((4, 0)), np.zeros((4, 0))).shape == (4, 0)
    assert rne.motor_sizing(robot, np.zeros((4, 0))).peak_torque.shape == (0,)
