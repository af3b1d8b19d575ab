"""Significance: parts add up to the torque, errors are those of models without them, and names say what is dropped."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import reference as ref
import strategies
from checks import assert_near, random_robot, random_states
from hypothesis import given

import rne
import rne.analysis.significance
from rne import lagrange
from rne.analysis.torque_breakdown import OF_THE_MODEL as TERMS
from rne.model.tree import Drive

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")

ROW = {"joint": "revolute", "a": 1.0, "mass": 2.0, "inertia": np.diag([0.1, 0.2, 0.3]).tolist()}
EXTRAS = {"rotor_inertia": 0.2, "viscous": 0.4, "coulomb": 0.3, "stiffness": 3.0, "rest": 0.2}


def arm():
    """Three joints with all that makes torque; a limit on the first two."""
    rows = [ROW | EXTRAS | {"effort": 100.0}, ROW | EXTRAS | {"effort": 50.0, "alpha": 1.2}]
    rows.append({"joint": "prismatic", "mass": 1.5, "d": 0.3, "alpha": 0.4})
    return rne.from_dh(rows, convention="standard", gravity=[1.0, -9.0, -2.0])


def by_name(parts):
    return {name: k for k, name in enumerate(parts.names)}


# -------------------------------------------------------------------------------------------- each part by itself


def test_coefficients_are_those_of_the_trace_formula_times_the_motion():
    robot, (q, qd, qdd) = arm(), random_states(3, 30, seed=1)
    report = rne.significance(robot, q, qd, qdd, friction=True)
    D, D3 = lagrange.inertia_matrix(robot, q, rotors=False), lagrange.christoffel(robot, q)
    g, spring = lagrange.gravity_vector(robot, q), lagrange.spring_torque(robot, q)
    friction = lagrange.friction_torque(robot, qd)
    wanted = {}
    for i in range(3):
        wanted |= {f"D{i + 1}{j + 1}": D[:, i, j] * qdd[:, j] for j in range(3)}
        for j in range(3):
            wanted[f"D{i + 1}{j + 1}{j + 1}"] = D3[:, i, j, j] * qd[:, j] ** 2
            for k in range(j):
                wanted[f"D{i + 1}{k + 1}{j + 1}"] = (D3[:, i, j, k] + D3[:, i, k, j]) * qd[:, j] * qd[:, k]
        wanted[f"Ia{i + 1}"] = [0.2, 0.2, 0.0][i] * qdd[:, i]
        wanted |= {f"D{i + 1}": g[:, i], f"spring{i + 1}": spring[:, i], f"friction{i + 1}": friction[:, i]}
    parts = report.coefficients
    assert set(parts.names) == set(wanted)
    tau = lagrange.inverse_dynamics(robot, q, qd, qdd, friction=True)
    peak, rms = np.abs(tau).max(axis=0), np.sqrt((tau**2).mean(axis=0))
    for k, name in enumerate(parts.names):
        i = int(re.search(r"\d", name).group()) - 1
        assert parts.joint[k] == i
        assert_near(parts.max_error[k], np.abs(wanted[name]).max())
        assert_near(parts.rms_error[k], np.sqrt((wanted[name] ** 2).mean()))
        assert_near(parts.of_peak[k], np.abs(wanted[name]).max() / peak[i])
        assert_near(parts.of_rms[k], np.sqrt((wanted[name] ** 2).mean()) / rms[i])
        assert_near(parts.of_limit[k], np.abs(wanted[name]).max() / [100.0, 50.0, np.inf][i])
        sizes = sum(np.abs(x).mean() for other, x in wanted.items() if parts.joint[by_name(parts)[other]] == i)
        assert_near(parts.share[k], np.abs(wanted[name]).mean() / sizes)
    assert_near(report.total, tau)
    assert_near(report.peak_torque, peak)
    assert_near(report.rms_torque, rms)


def test_terms_are_the_sums_of_their_coefficients():
    robot, (q, qd, qdd) = arm(), random_states(3, 30, seed=2)
    report = rne.significance(robot, q, qd, qdd, friction=True)
    M = lagrange.inertia_matrix(robot, q, rotors=False)
    effective = np.einsum("sii->si", M) * qdd
    velocity = rne.velocity_torques(robot, q, qd)
    wanted = {
        "effective": effective,
        "coupling": np.einsum("sij,sj->si", M, qdd) - effective,
        "rotor": [0.2, 0.2, 0.0] * qdd,
        "centripetal": velocity.centripetal,
        "coriolis": velocity.coriolis,
        "gravity": lagrange.gravity_vector(robot, q),
        "spring": lagrange.spring_torque(robot, q),
        "friction": lagrange.friction_torque(robot, qd),
    }
    assert report.terms.names == TERMS * 3
    assert_near(report.terms.joint, np.repeat(np.arange(3), 8))
    largest, means = (x.reshape(3, 8) for x in (report.terms.max_error, report.terms.rms_error))
    for k, name in enumerate(TERMS):
        assert_near(largest[:, k], np.abs(wanted[name]).max(axis=0))
        assert_near(means[:, k], np.sqrt((wanted[name] ** 2).mean(axis=0)))


def test_ranking_puts_the_weightiest_first():
    parts = rne.significance(arm(), *random_states(3, 30, seed=3)).coefficients
    ranked = parts.of_peak[parts.ranking]
    assert (np.diff(ranked) <= 0).all()
    assert sorted(parts.ranking) == list(range(len(parts.names)))


# ------------------------------------------------------------------------------------------------------- dropping


@given(strategies.robots())
def test_nothing_is_left_where_all_is_dropped(drawn):
    tree, q, qd, qdd = drawn
    robot = rne.Robot(tree)
    report = rne.significance(robot, q, qd, qdd, drop=TERMS, friction=True)
    tau = ref.inverse_dynamics(tree, q, qd, qdd, friction=True)
    assert_near(report.total, tau)
    assert np.abs(report.simplified).max() <= 1e-11 * max(1.0, report.coefficients.max_error.max())
    assert_near(report.error.max_error, np.abs(tau), 1e-11)
    assert report.kept == ()
    assert report.dropped == report.coefficients.names


def test_a_model_without_drives_and_motion_is_what_is_left_without_their_terms():
    robot, (q, qd, qdd) = arm(), random_states(3, 7, seed=4)
    bare = robot.with_drives(dict.fromkeys(robot.joint_names, Drive()))
    report = rne.significance(robot, q, qd, qdd, drop=["rotor", "spring", "friction"], friction=True)
    assert_near(report.simplified, ref.torques(bare.tree, q, qd, qdd))
    report = rne.significance(robot, q, qd, qdd, drop=["centripetal", "coriolis", "friction"], friction=True)
    assert_near(report.simplified, ref.torques(robot.tree, q, 0 * qd, qdd))
    report = rne.significance(robot, q, qd, qdd, drop="gravity")
    assert_near(report.simplified, ref.torques(robot.tree, q, qd, qdd, gravity=[0, 0, 0]))
    assert report.dropped == ("D1", "D2", "D3")


def test_single_coefficients_leave_one_torque_only():
    """By the closed forms of two point masses, theta1 from the downward vertical."""
    m1, m2, l1, l2 = 1.7, 0.9, 0.8, 0.6
    rows = [{"joint": "revolute", "a": l1, "mass": m1}, {"joint": "revolute", "a": l2, "mass": m2}]
    robot = rne.from_dh(rows, convention="standard", gravity=[9.81, 0, 0])
    q, qd, qdd = random_states(2, 5, 3, seed=5)
    report = rne.significance(robot, q, qd, qdd, drop=["D121", "D12"])
    assert report.dropped == ("D12", "D112")
    lost = np.zeros((5, 3, 2))
    h, c2 = m2 * l1 * l2 * np.sin(q[..., 1]), np.cos(q[..., 1])
    lost[..., 0] = (m2 * l2**2 + m2 * l1 * l2 * c2) * qdd[..., 1] - 2 * h * qd[..., 0] * qd[..., 1]
    assert_near(report.simplified, rne.inverse_dynamics(robot, q, qd, qdd) - lost)
    assert_near(report.error.max_error, np.abs(lost).max(axis=(0, 1)))
    assert_near(report.error.rms_error, np.sqrt((lost**2).mean(axis=(0, 1))))
    assert_near(report.error.of_peak, np.abs(lost).max(axis=(0, 1)) / report.peak_torque)
    assert report.error.names == ("joint1", "joint2")


def test_below_drops_what_is_small_and_nothing_else():
    robot, states = arm(), random_states(3, 40, seed=6)
    whole = rne.significance(robot, *states).coefficients
    report = rne.significance(robot, *states, below=0.05, drop=["D1"])
    small = {name for name, part in zip(whole.names, whole.of_peak, strict=True) if part < 0.05}
    assert 5 < len(small) < len(whole.names) - 5
    assert set(report.dropped) == small | {"D1"}
    assert set(report.kept) == set(whole.names) - small - {"D1"}
    assert rne.significance(robot, *states, below=0.0).dropped == ()


def test_a_joint_that_feels_only_rounding_has_no_parts_that_matter():
    """Gravity along the axis of the first joint; the torques there are rounding, if anything."""
    robot = rne.from_dh([ROW, ROW | {"alpha": 0.3}, ROW], convention="standard", gravity=[0, 0, -9.81])
    turned = rne.Robot(replace(robot.tree, gravity=(1e-15, 0.0, -9.81)))
    report = rne.significance(turned, random_states(3, 20)[0], drop=["D1"])
    assert 0 < report.peak_torque[0] < 1e-12
    assert report.coefficients.of_peak[by_name(report.coefficients)["D1"]] < 0.01


# ---------------------------------------------------------------------------------------------------- blocks, shapes


def test_blocks_change_nothing(monkeypatch):
    robot, states = arm(), random_states(3, 23, seed=7)
    whole = rne.significance(robot, *states, below=0.05)
    monkeypatch.setattr(rne.analysis.significance, "_AT_A_TIME", 160)
    blocks = rne.significance(robot, *states, below=0.05)
    assert blocks.dropped == whole.dropped
    assert_near(blocks.simplified, whole.simplified)
    for name in ("share", "max_error", "rms_error", "of_peak", "of_rms", "of_limit"):
        for parts in ("terms", "coefficients", "error"):
            assert_near(getattr(getattr(blocks, parts), name), getattr(getattr(whole, parts), name))


def test_states_in_any_arrangement_and_precision():
    robot, states = random_robot(3, 5), random_states(5, 4, 6, seed=8)
    whole = rne.significance(robot, *states, drop=["coupling"])
    rows = rne.significance(robot, *(x.reshape(24, 5) for x in states), drop=["coupling"])
    single = rne.significance(robot, *(x.astype(np.float32) for x in states), drop=["coupling"])
    assert whole.total.shape == whole.simplified.shape == (4, 6, 5)
    assert_near(whole.simplified.reshape(24, 5), rows.simplified)
    assert_near(whole.coefficients.share, rows.coefficients.share)
    assert_near(single.coefficients.share, rows.coefficients.share, 1e-4)
    assert single.total.dtype == np.float64
    one = rne.significance(robot, *(x[0, 0] for x in states))
    assert one.total.shape == (5,)


# -------------------------------------------------------------------------------------------------------------- text


def test_the_table_reads_well():
    """A level rod of 1 m with 1 kg at its end that is sped up, and a slide on it that is not."""
    rows = [{"joint": "revolute", "name": "turn", "mass": 1.0, "a": 1.0, "effort": 40.0, "alpha": 0.0}]
    rows += [{"joint": "prismatic", "name": "lift", "mass": 2.0}]
    robot = rne.from_dh(rows, convention="standard", gravity=[0.0, -10.0, 0.0])
    report = rne.significance(robot, [0.0, 0.0], None, [5.0, 1.0], drop=["effective"])
    assert str(report).splitlines() == [
        "joint  peak  rms  unit  effective  coupling  rotor  centripetal  coriolis  gravity  spring  friction",
        "turn     45   45   N m     33.3 %     0.0 %  0.0 %        0.0 %     0.0 %   66.7 %   0.0 %     0.0 %",
        "lift      2    2     N    100.0 %     0.0 %  0.0 %        0.0 %     0.0 %    0.0 %   0.0 %     0.0 %",
        "",
        "part  joint   share  max error  of peak  of limit  rms error  of rms",
        "D22    lift   100 %          2    100 %         -          2   100 %",
        "D1     turn  66.7 %         30   66.7 %      75 %         30  66.7 %",
        "D11    turn  33.3 %         15   33.3 %    37.5 %         15  33.3 %",
        "",
        "without D11, D22:",
        "joint   share  max error  of peak  of limit  rms error  of rms",
        "turn   33.3 %         15   33.3 %    37.5 %         15  33.3 %",
        "lift    100 %          2    100 %         -          2   100 %",
    ]


def test_long_lists_are_cut_short():
    report = rne.significance(random_robot(2, 6, mimic=0.0), *random_states(6, 5), below=0.5)
    text = str(report)
    ranked = text.split("\n\n")[1].splitlines()
    assert len(ranked) == 22
    shown = np.count_nonzero(report.coefficients.max_error) - 20
    assert ranked[-1] == f"... and {shown} more"
    assert len(report.kept) < len(report.dropped)
    assert f"with only {report.kept[0]}" in text


# ------------------------------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"q": np.zeros((0, 3))}, "q: wanted at least one state"),
        ({"q": np.zeros((4, 2))}, "q: wanted shape"),
        (
            {"q": np.zeros(3), "drop": ["corolis"]},
            "drop: no term or coefficient is named 'corolis'; there are effective",
        ),
        ({"q": np.zeros(3), "drop": ["D44"]}, "drop: no term or coefficient is named 'D44'"),
        ({"q": np.zeros(3), "drop": [1]}, "drop: no term or coefficient is named 1"),
        ({"q": np.zeros(3), "drop": 3}, "drop: wanted names of terms and coefficients, got 3"),
        ({"q": np.zeros(3), "drop": None}, "drop: wanted names"),
        ({"q": np.zeros(3), "drop": [["D12"]]}, "drop: no term or coefficient is named"),
        ({"q": np.zeros(3), "below": -0.1}, "below: wanted zero or more, got -0.1"),
        ({"q": np.zeros(3), "below": "little"}, "below: wanted real numbers"),
        ({"q": np.zeros(3), "below": np.nan}, "below: wanted finite"),
    ],
)
def test_what_makes_no_sense_is_refused(options, said):
    with pytest.raises(rne.ArgumentError, match=said):
        rne.significance(arm(), **options)


def test_a_robot_is_wanted():
    with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
        rne.significance("arm", [0.0])


def test_nan_is_no_reason_to_drop_a_term():
    """A share of something that is not known is not zero."""
    q = random_states(3, 8)[0]
    q[2, 1] = np.nan
    report = rne.significance(arm(), q, below=0.05)
    assert report.dropped == ()
    assert np.isnan(report.coefficients.of_peak).all()
