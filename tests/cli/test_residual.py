"""`rne residual`, and what `rne id` and `rne plot` say of measured torques."""

from __future__ import annotations

import numpy as np
import pytest
from trajectories import COLUMNS, Run, as_csv

import rne

TAU = ("tau_turn", "tau_slide")


@pytest.fixture
def log(run: Run, robot_file, states) -> tuple[str, np.ndarray]:
    """A motion with torques that are half a unit too large."""
    lines = run("id", robot_file, "-", stdin=as_csv(states)).stdout.splitlines()[1:]
    tau = np.array([[float(x) for x in line.split(",")] for line in lines])[:, -2:]
    return as_csv(np.hstack([states, tau + 0.5]), (*COLUMNS, *TAU)), tau


def test_the_table_and_the_file(run: Run, robot_file, log, tmp_path) -> None:
    text, tau = log
    result = run("residual", robot_file, "-", "-o", tmp_path / "r.csv", stdin=text)
    assert result.exit_code == 0, result.stderr
    head, turn, slide = result.stdout.splitlines()
    assert head.split() == ["joint", "RMS", "relative", "R2", "bias", "worst", "at", "samples"]
    assert (turn.split()[:2], slide.split()[:2]) == (["turn", "0.5"], ["slide", "0.5"])
    rows = np.genfromtxt(tmp_path / "r.csv", delimiter=",", names=True)
    np.testing.assert_allclose(rows["measured_slide"], tau[:, 1] + 0.5, rtol=1e-12)
    np.testing.assert_allclose(rows["model_turn"], tau[:, 0], rtol=1e-12)
    np.testing.assert_allclose(rows["residual_turn"], 0.5, rtol=1e-9)
    assert run("residual", robot_file, "-", stdin=text).stdout == result.stdout


def test_id_compares_where_it_is_told(run: Run, robot_file, log) -> None:
    text, _ = log
    told = run("id", robot_file, "-", "--columns", "tau=tau_{joint}", stdin=text)
    assert "measured - model:" in told.stderr
    assert told.stdout.splitlines()[0].endswith("tau_turn,tau_slide,residual_turn,residual_slide")
    plain = run("id", robot_file, "-", stdin=text)
    assert "residual" not in plain.stdout + plain.stderr


def test_nothing_measured(run: Run, robot_file, states, tmp_path) -> None:
    (tmp_path / "m.csv").write_text(as_csv(states))
    for command in (["residual"], ["plot", "--kind", "residual", "-o", str(tmp_path / "a.png")]):
        result = run(command[0], robot_file, tmp_path / "m.csv", *command[1:])
        assert result.exit_code == 1
        assert "no tau columns" in result.stderr
        assert "--columns" in result.stderr


def test_the_plot(run: Run, robot_file, log, tmp_path) -> None:
    (tmp_path / "m.csv").write_text(log[0])
    assert run("plot", robot_file, tmp_path / "m.csv", "--kind", "residual", "-o", tmp_path / "a.svg").exit_code == 0
    assert "residual: measured" in (tmp_path / "a.svg").read_text() or (tmp_path / "a.svg").stat().st_size > 1000


def test_panels_of_a_residual_stand_below_each_other() -> None:
    arm = rne.load("models/planar2/robot.dh.toml")
    model = rne.gravity_vector(arm, np.zeros((5, 2)))
    figure = rne.plot.residual(arm, None, model + 0.5, model)
    figure.draw_without_rendering()
    boxes = [ax.get_position() for ax in figure.axes]
    assert boxes[0].y0 > boxes[1].y0
    assert boxes[0].x0 == pytest.approx(boxes[1].x0)


def test_noise_in_torques_is_warned_of(run: Run, robot_file) -> None:
    t = np.arange(400) / 500
    noise = 1e-3 * np.random.default_rng(0).normal(size=(400, 2))
    rows = np.column_stack([t, noise[:, 0] + np.sin(t), 0.3 + noise[:, 1]])
    text = as_csv(rows, ("t", "q_turn", "q_slide"))
    warned = run("id", robot_file, "-", "--differentiate", "--cutoff", "100", stdin=text)
    assert "warning: noise of the accelerations is more than a tenth of the torque (RMS): " in warned.stderr
    assert "cutoff: turn 100 Hz, slide 100 Hz" in warned.stderr
    assert "warning: noise" not in run("id", robot_file, "-", "--differentiate", "--cutoff", "1", stdin=text).stderr
    for wrong in ("fast", "1,2,3", "-1"):
        assert run("id", robot_file, "-", "--differentiate", "--cutoff", wrong, stdin=text).exit_code in (1, 2)
    assert run("id", robot_file, "-", "--cutoff", "5", stdin=text).exit_code == 2


def test_no_header_is_by_position(run: Run, robot_file, states) -> None:
    wanted = run("id", robot_file, "-", stdin=as_csv(states)).stdout
    text = "\n".join(as_csv(states).splitlines()[1:]) + "\n"
    for separator in (",", ";", "\t", " "):
        got = run("id", robot_file, "-", stdin=text.replace(",", separator))
        assert got.stdout == wanted
        assert "no header: columns taken by position as q_turn, q_slide, qd_turn" in got.stderr
    assert run("id", robot_file, "-", stdin=text.replace(",", ";").replace(".", ",")).stdout == wanted
