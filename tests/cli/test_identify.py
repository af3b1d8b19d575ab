"""`rne identify`: from logs in files to a robot in a file, as `rne.identify` does it in memory."""

from __future__ import annotations

import json

import numpy as np
import pytest
from trajectories import COLUMNS, Run, as_csv

import rne

TAU = ("tau_turn", "tau_slide")


@pytest.fixture
def truth(robot) -> rne.Robot:
    return robot.with_payload(0.7, [0.1, 0.0, 0.1], frame="tool")


@pytest.fixture
def logs(truth, tmp_path) -> list:
    """Three logs with torques of a heavier robot; and the arrays."""
    made = []
    for k in range(3):
        q, qd, qdd = np.random.default_rng(k).normal(size=(3, 60, 2))
        tau = rne.inverse_dynamics(truth, q, qd, qdd, friction=True) + 0.01 * np.sin(40 * q)
        path = tmp_path / f"{k}.csv"
        path.write_text(as_csv(np.hstack([q, qd, qdd, tau]), (*COLUMNS, *TAU)))
        made.append((path, (q, qd, qdd, tau)))
    return made


def test_several_logs_are_one_identification(run: Run, robot_file, robot, logs, tmp_path) -> None:
    paths, arrays = zip(*logs, strict=True)
    out, report = tmp_path / "found.json", tmp_path / "report.html"
    result = run(
        "identify", robot_file, *paths[:2], "--validate", paths[2], "--friction", "-o", out, "--report", report
    )
    assert result.exit_code == 0, result.stderr
    q, qd, qdd, tau = (np.concatenate(pair) for pair in zip(*arrays[:2], strict=True))
    wanted = rne.identify(robot, q, qd, qdd, tau, friction=True)
    data = json.loads(out.read_text())
    np.testing.assert_allclose(data["identification"]["beta"], wanted.beta, rtol=1e-9, atol=1e-12)
    held = wanted.validate(*arrays[2])
    np.testing.assert_allclose(data["validation"]["found"], held.found, rtol=1e-6)
    assert "base parameters, condition number" in result.stdout
    assert "held out: 60 samples" in result.stdout
    page = report.read_text()
    assert page.count("<svg") == 2
    assert page.count("<table>") >= 3


@pytest.mark.parametrize("suffix", ["urdf", "dh.toml", "xml"])
def test_the_robot_is_written(run: Run, robot_file, truth, logs, tmp_path, suffix) -> None:
    out = tmp_path / f"found.{suffix}"
    options = ["--friction", "--no-rotors", "-o", out]
    result = run("identify", robot_file, *(path for path, _ in logs), *options)
    assert result.exit_code == 0, result.stderr
    found = rne.load(out, strict=False)
    q, qd, qdd = np.random.default_rng(9).normal(size=(3, 20, 2))
    wanted = rne.inverse_dynamics(truth, q, qd, qdd)
    np.testing.assert_allclose(rne.inverse_dynamics(found, q, qd, qdd), wanted, atol=0.05)


def test_poses_at_rest(run: Run, robot_file, truth, tmp_path) -> None:
    q = np.random.default_rng(5).normal(size=(30, 2))
    path = tmp_path / "poses.csv"
    path.write_text(as_csv(np.hstack([q, rne.inverse_dynamics(truth, q)]), (*COLUMNS[:2], *TAU)))
    result = run("identify", robot_file, path)
    assert result.exit_code == 0, result.stderr
    assert "not shown by the motion, kept as given" in result.stdout
    assert "velocities taken as zero" in result.stderr
    dropped = run("identify", robot_file, path, "--unexcited", "drop")
    assert "not shown by the motion, taken as zero" in dropped.stdout


def test_torques_are_not_filtered(run: Run, robot_file, robot, tmp_path) -> None:
    """A filter rounds the steps of Coulomb friction, which then looks smaller than it is."""
    rng = np.random.default_rng(3)
    t = np.arange(0.0, 20.0, 0.01)
    w, a = 2 * np.pi * np.array([[0.2, 0.3], [0.5, 0.7]]), np.array([[0.5, 0.1], [0.3, 0.06]])
    q, qd, qdd = (sum(a[k] * w[k] ** d * np.sin(w[k] * t[:, None] + d * np.pi / 2) for k in range(2)) for d in range(3))
    real = robot.with_drives({"turn": rne.Drive(0, 1, 0.5, 1.0, 1.0), "slide": rne.Drive(0, 1, 2.0, 3.0, 3.0)})
    tau = rne.inverse_dynamics(real, q, qd, qdd, friction=True) + 0.05 * rng.normal(size=q.shape)
    path, out = tmp_path / "log.csv", tmp_path / "found.json"
    q = np.round(q, 4)  # as an encoder does
    path.write_text(as_csv(np.hstack([t[:, None], q, tau]), ("t", *COLUMNS[:2], *TAU)))
    result = run("identify", robot_file, path, "--differentiate", "--friction", "-o", out)
    assert result.exit_code == 0, result.stderr
    data = json.loads(out.read_text())["identification"]
    base = rne.base_parameters(robot, friction=True)
    kept = [base.names[k] for k in base.independent]
    at = [kept.index(f"coulomb_{side}_slide") for side in ("plus", "minus")]
    assert np.abs(np.array(data["beta"])[at] - 3.0).max() < 0.05
    assert max(map(abs, data["autocorrelation"])) < 0.3


def test_outliers(run: Run, robot_file, truth, logs, tmp_path) -> None:
    path, (q, qd, qdd, tau) = logs[0]
    path.write_text(as_csv(np.hstack([q, qd, qdd, tau + 50 * (np.arange(60) % 20 == 0)[:, None]]), (*COLUMNS, *TAU)))
    betas = []
    for options in ([], ["--huber", "1.345"]):
        out = tmp_path / "found.json"
        assert run("identify", robot_file, path, "--friction", *options, "-o", out).exit_code == 0
        betas.append(json.loads(out.read_text())["identification"]["beta"])
    base = rne.base_parameters(truth, friction=True)
    wanted = base.values()
    assert np.abs(betas[1] - wanted).max() < 0.2 * np.abs(betas[0] - wanted).max()


def test_what_cannot_be_done(run: Run, robot_file, logs, motion, tmp_path) -> None:
    path = logs[0][0]
    for options, message in (
        ([path, "-o", tmp_path / "found.txt"], "wanted a file that ends in .urdf, .xml, .toml or .json"),
        ([path, "--report", "r.pdf"], "wanted a file that ends in .html"),
        (["-", "--huber", "1.3"], "--huber reads the logs several times"),
        ([path, "--wrench", "tool"], "forces from outside"),
        ([], "Missing argument 'LOG...'"),
        ([path, "--huber", "-1"], "--huber: wanted a positive number"),
        ([motion], "no tau columns"),
    ):
        result = run("identify", robot_file, *options)
        assert result.exit_code in (1, 2), options
        assert message in result.stderr


def test_samples_that_are_not_finite_are_left_out(run: Run, robot_file, logs) -> None:
    path, arrays = logs[0]
    rows = np.hstack(arrays)
    rows[3, -1] = np.nan
    path.write_text(as_csv(rows, (*COLUMNS, *TAU)))
    result = run("identify", robot_file, path)
    assert "1 samples with numbers that are not finite left out" in result.stderr
    assert ", 59 samples" in result.stdout


def test_a_delay_is_taken_out(run: Run, robot_file, truth, tmp_path) -> None:
    t = np.arange(0.0, 6.0, 0.01)[:, None]
    w = np.array([2.1, 3.3])
    state = lambda t: (0.3 * np.sin(w * t), 0.3 * w * np.cos(w * t), -0.3 * w**2 * np.sin(w * t))  # noqa: E731
    tau = rne.inverse_dynamics(truth, *state(t - 0.004)) + 1e-4 * np.random.default_rng(0).normal(size=(600, 2))
    path, out = tmp_path / "log.csv", tmp_path / "found.json"
    path.write_text(as_csv(np.hstack([*state(t), tau]), (*COLUMNS, *TAU)))
    residual = []
    for delay in ("0", "0.004"):
        result = run("identify", robot_file, path, "--delay", delay, "-o", out)
        assert result.exit_code == 0, result.stderr
        residual.append(json.loads(out.read_text())["identification"]["residual"])
    assert "a delay of 4 ms was taken out" in result.stdout
    assert (5 * np.array(residual[1]) < residual[0]).all()
    assert (np.array(residual[1]) < 1.2e-4).all()
