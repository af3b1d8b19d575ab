"""`rne excite`: the motion of `rne.excitation` in a file."""

from __future__ import annotations

import numpy as np
from trajectories import Run

import rne


def test_the_motion_is_written(run: Run, robot_file, robot, tmp_path) -> None:
    plan = tmp_path / "plan.csv"
    options = [
        "--tries",
        "5",
        "--period",
        "4",
        "--periods",
        "2",
        "--rate",
        "50",
        "--friction",
        "--criterion",
        "log_det",
    ]
    result = run("excite", robot_file, "-o", plan, *options)
    assert result.exit_code == 0, result.stderr
    base = rne.base_parameters(robot, friction=True)
    motion = rne.excitation(base, period=4.0, tries=5, criterion="log_det")
    rows = np.genfromtxt(plan, delimiter=",", names=True)
    assert len(rows) == 400
    q, qd, qdd = motion.at(rows["t"])
    np.testing.assert_allclose(rows["q_turn"], q[:, 0], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(rows["qd_slide"], qd[:, 1], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(rows["qdd_turn"], qdd[:, 0], rtol=1e-12, atol=1e-12)
    assert "condition number" in result.stdout
    assert run("id", robot_file, plan).exit_code == 0  # other commands read it


def test_wrong_options(run: Run, robot_file, tmp_path) -> None:
    for options, message in (
        (["--rate", "0"], "--rate: wanted a positive number"),
        (["--period", "-1"], "--period: wanted a positive number"),
        (["--tries", "0"], "--tries: wanted a whole number"),
    ):
        result = run("excite", robot_file, "-o", tmp_path / "plan.csv", *options)
        assert result.exit_code in (1, 2)
        assert message in result.stderr
    assert "Missing option '-o'" in run("excite", robot_file).stderr
