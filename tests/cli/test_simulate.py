"""`rne simulate`: what the public functions return, as a trajectory file that the other commands read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from trajectories import Run

import rne


def columns(path: Path, quantity: str) -> np.ndarray:
    rows = np.genfromtxt(path, delimiter=",", names=True)
    return np.stack([rows[f"{quantity}_{joint}"] for joint in ("turn", "slide")], axis=-1)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Torques and a wrench on the tool at 20 Hz, with time stamps that begin anywhere."""
    t = np.arange(11) * 0.05
    parts = ["t", "tau_turn", "tau_slide", *(f"{part}_tool" for part in ("fx", "fy", "fz", "mx", "my", "mz"))]
    values = np.column_stack([100.0 + t, np.sin(9 * t), 20 + np.cos(5 * t), *(np.sin(k * t) for k in range(6))])
    path = tmp_path / "log.csv"
    np.savetxt(path, values, delimiter=",", header=",".join(parts), comments="", fmt="%.17g")
    return path


def test_a_log_is_played_back(run: Run, robot_file, robot, log, tmp_path) -> None:
    out = tmp_path / "motion.csv"
    result = run(
        "simulate", robot_file, "--torques", log, "--wrench", "tool:local", "--friction", "--q0", "slide=0.2",
        "--output-rate", "40", "--interpolation", "linear", "--restitution", "0.5", "-o", out,
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    rows = np.loadtxt(log, delimiter=",", skiprows=1)
    t = rows[:, 0] - rows[0, 0]
    tau, wrench = (rne.Signal(t, part, interpolation="linear") for part in (rows[:, 1:3], rows[:, 3:]))
    wanted = rne.simulate(
        robot, [0.0, 0.2], t=np.linspace(0, 0.5, 21), tau=tau, f_ext={"tool": (wrench, "local")}, friction=True,
        stops={"restitution": 0.5},
    )  # fmt: skip
    for quantity in ("q", "qd", "tau"):
        np.testing.assert_allclose(columns(out, quantity), getattr(wanted, quantity), rtol=0, atol=1e-9)
    assert "energy from" in result.stdout
    assert ("limits that were passed" in result.stdout) == bool(wanted.limits)
    for command in ("id", "residual"):
        assert (
            run(command, robot_file, out, *(["--columns", "tau=tau_{joint}"] * (command == "residual"))).exit_code == 0
        )


def test_a_start_in_the_log_and_times_of_ones_own(run: Run, robot_file, robot, tmp_path) -> None:
    log, out = tmp_path / "log.csv", tmp_path / "motion.csv"
    log.write_text("t,q_turn,q_slide,qd_turn,qd_slide,tau_turn,tau_slide\n0,0.3,0.1,0.5,0,1,2\n1,0,0,0,0,3,4\n")
    assert run("simulate", robot_file, "--torques", log, "--duration", "0.2", "-o", out).exit_code == 0
    wanted = rne.simulate(robot, [0.3, 0.1], [0.5, 0.0], np.linspace(0, 0.2, 21), tau=[1.0, 2.0])
    np.testing.assert_allclose(columns(out, "q"), wanted.q, rtol=0, atol=1e-12)


def test_a_sampled_controller(run: Run, robot_file, robot, tmp_path) -> None:
    out = tmp_path / "motion.csv"
    options = ["--rate", "50", "--delay", "0.01", "--saturate", "--position-resolution", "0.001"]
    result = run(
        "simulate", robot_file, "--controller", "computed_torque", "--kp", "100", "--kd", "20,15", "--goal", "0.5,0.3",
        *options, "--duration", "0.5", "-o", out,
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    law = rne.control.computed_torque(robot, kp=[100.0, 100.0], kd=[20.0, 15.0], goal=[0.5, 0.3], saturate=True)
    sampled = rne.SampledController(law, rate=50.0, delay=0.01, saturate=True, position_resolution=0.001)
    wanted = rne.simulate(robot, [0.0, 0.0], t=np.linspace(0, 0.5, 51), tau=sampled)
    np.testing.assert_allclose(columns(out, "q"), wanted.q, rtol=0, atol=1e-12)


def test_a_path_and_a_function(run: Run, robot_file, robot, tmp_path) -> None:
    path, out = tmp_path / "path.csv", tmp_path / "motion.csv"
    t = np.linspace(0, 0.5, 26)
    profile = rne.quintic([0.0, 0.1], [0.4, 0.3], t, duration=0.5)
    header = "t,q_turn,q_slide,qd_turn,qd_slide,qdd_turn,qdd_slide"
    np.savetxt(path, np.column_stack([t, *profile]), delimiter=",", header=header, comments="", fmt="%.17g")
    gains = ["--kp", "50", "--kd", "10"]
    assert run(
        "simulate", robot_file, "--controller", "feedforward", *gains, "--path", path, "-o", out
    ).exit_code == 0  # fmt: skip
    np.testing.assert_allclose(columns(out, "q")[::2], profile[0], rtol=0, atol=1e-5)

    file = tmp_path / "own.py"
    file.write_text("def law(t, q, qd):\n    return [1.0, 20.0] - 2.0 * qd\n")
    assert run("simulate", robot_file, "--controller", f"{file}:law", "--duration", "0.1", "-o", out).exit_code == 0
    wanted = rne.simulate(robot, [0, 0], t=np.linspace(0, 0.1, 11), tau=lambda t, q, qd: [1.0, 20.0] - 2.0 * qd)
    np.testing.assert_allclose(columns(out, "q"), wanted.q, rtol=0, atol=1e-12)


def test_limits_are_printed(run: Run, robot_file, tmp_path) -> None:
    free = run("simulate", robot_file, "--duration", "0.5", "-o", tmp_path / "a.csv").stdout
    assert "limits that were passed" in free
    kept = run("simulate", robot_file, "--gravity", "0,0,0", "--duration", "0.5", "-o", tmp_path / "b.csv").stdout
    assert "all limits were kept" in kept


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kp", "3"], "wanted --controller"),
        (["--controller", "pid"], "--controller pid: wanted --kp"),
        (["--controller", "servo"], "--controller: wanted one of pid,"),
        (["--controller", "pid", "--kp", "1", "--goal", "0,0", "--delay", "0.1"], "wanted --rate"),
        (["--controller", "pid", "--kp", "1,2,3", "--goal", "0,0"], "--kp: wanted one number per joint, 2; got 3"),
        (["--q0", "elbow=1"], "elbow"),
        (["--duration", "-1"], "--duration: wanted a positive number"),
        (["--stop-damping", "1"], "--stop-damping: wanted --stop-stiffness too"),
        (["--wrench", "tool"], "--wrench: wanted a LOG"),
        (["--torques", "nowhere.csv"], "nowhere.csv"),
        (["--step", "-1"], "--step: wanted a positive time"),
        (["--rtol", "1e-3"], "--rtol: only method='adaptive'"),
    ],
)
def test_what_is_refused(run: Run, robot_file, tmp_path, options, said) -> None:
    out = tmp_path / "motion.csv"
    result = run("simulate", robot_file, *options, "-o", out)
    assert result.exit_code in (1, 2)
    assert said in result.stderr
    assert not out.exists()
