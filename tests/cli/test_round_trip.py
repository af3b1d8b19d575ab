"""What `rne convert` writes is read back as the same motion; what would not be is refused."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pytest
from checks import assert_same_bits
from motions import load_npz
from pyarrow import parquet
from trajectories import COLUMNS, Run, as_csv

import rne

FORMATS = ["csv", "csv.gz", "parquet", "arrow", "npy", "npz"]
TAU = ("tau_turn", "tau_slide")


@pytest.fixture
def logged(tmp_path):
    """Times, positions and torques, as a logger has them."""
    t = np.arange(60) / 100
    table = np.column_stack([t, np.sin(t), np.cos(t), 3 + t, 5 - t])
    path = tmp_path / "logged.csv"
    path.write_text(as_csv(table, ("t", *COLUMNS[:2], *TAU)))
    return path, table


@pytest.mark.parametrize("suffix", FORMATS)
def test_made_derivatives_stand_in_the_promised_order(run: Run, robot, robot_file, logged, tmp_path, suffix) -> None:
    path, table = logged
    out = tmp_path / f"m.{suffix}"
    result = run("convert", robot_file, path, "--differentiate", "-o", out)
    assert result.exit_code == 0, result.stderr
    with rne.files.Trajectory(out, robot, quantities=("q", "qd", "qdd", "tau")) as motion:
        if suffix not in ("npy", "npz"):
            groups = ("q", "qd", "qdd", "tau")
            assert motion.columns.names == ("t", *(f"{key}_{joint}" for key in groups for joint in robot.joint_names))
        got = rne.files.joined(list(motion)).arrays
    made = rne.differentiate(table[:, 0], table[:, 1:3], tau=table[:, 3:])
    for key, wanted in {"q": made.q, "qd": made.qd, "qdd": made.qdd, "tau": made.tau}.items():
        assert_same_bits(got[key], wanted)
    for command, key in (("id", "tau"), ("fd", "qdd")):
        back = tmp_path / f"{command}.npz"
        assert run(command, robot_file, out, "-o", back).exit_code == 0
        function, last = (rne.inverse_dynamics, "qdd") if command == "id" else (rne.forward_dynamics, "tau")
        assert_same_bits(load_npz(back)[key], function(robot, got["q"], got["qd"], got[last]))


@pytest.mark.parametrize("suffix", FORMATS)
def test_positions_and_torques_alone(run: Run, robot, robot_file, logged, tmp_path, suffix) -> None:
    path, table = logged
    out = tmp_path / f"m.{suffix}"
    result = run("convert", robot_file, path, "-o", out)
    if suffix == "npy":
        assert result.exit_code == 1
        assert "m.npy: an NPY has no names, and is read as the first of q, qd, qdd, tau; q, tau would be taken" in (
            result.stderr
        )
        assert not out.exists()
        return
    assert run("fd", robot_file, out, "-o", tmp_path / "qdd.npz").exit_code == 0
    wanted = rne.forward_dynamics(robot, table[:, 1:3], np.zeros((60, 2)), table[:, 3:])
    assert_same_bits(load_npz(tmp_path / "qdd.npz")["qdd"], wanted)


def test_forward_dynamics_of_an_npy_that_may_hold_accelerations(run: Run, robot_file, states, tmp_path) -> None:
    np.save(tmp_path / "m.npy", states)
    result = run("fd", robot_file, tmp_path / "m.npy")
    assert result.exit_code == 1
    assert "m.npy: 6 columns may be q_turn, q_slide, qd_turn, qd_slide, qdd_turn, qdd_slide or q_turn" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("suffix", FORMATS)
def test_times_keep_their_digits_in_single_precision(run: Run, robot_file, tmp_path, suffix) -> None:
    t = 1.7e9 + np.arange(200) / 1000
    (tmp_path / "in.csv").write_text(as_csv(np.column_stack([t, t * 0, t * 0]), ("t", *COLUMNS[:2])))
    out = tmp_path / f"m.{suffix}"
    assert run("convert", robot_file, tmp_path / "in.csv", "--float32", "-o", out).exit_code == 0
    assert run("convert", robot_file, out, "-o", tmp_path / "back.npz").exit_code == 0
    assert_same_bits(load_npz(tmp_path / "back.npz")["t"], t)


PATTERNS = {
    "qd=velo_{1}": "missing columns: velo_1 (did you mean 'vel_1'?), velo_2 (did you mean 'vel_2'?)",
    "qdd=acc_{joint}": "missing columns: acc_turn, acc_slide",
    "q=pos_{1}": "missing columns: pos_1, pos_2",
    "t=stamp": "missing columns: stamp (did you mean 'stamps'?)",
    "qd=vel_{0}": "missing columns: vel_0",
    "qd=q_{joint}": "--columns: column 'q_turn' would be both q and qd; wanted are two columns",
}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("more", [[], ["--differentiate"]])
def test_a_pattern_that_matches_nothing(run: Run, robot_file, tmp_path, pattern, more) -> None:
    names = ("t", *COLUMNS[:2], "vel_1", "vel_2", "stamps")
    text = as_csv(np.ones((3, 6)) * np.arange(3.0)[:, None], names)
    result = run("id", robot_file, "-", "--columns", pattern, *more, "-o", tmp_path / "tau.csv", stdin=text)
    assert result.exit_code == 1
    assert PATTERNS[pattern] in result.stderr
    assert not (tmp_path / "tau.csv").exists()


def test_a_pattern_of_what_the_command_does_not_read_is_no_matter(run: Run, robot_file, states) -> None:
    plain = run("breakdown", robot_file, "-", stdin=as_csv(states))
    result = run("breakdown", robot_file, "-", "--columns", "tau=effort_{joint}", stdin=as_csv(states))
    assert result.exit_code == 0
    assert result.stdout == plain.stdout
    measured = run("id", robot_file, "-", "--columns", "tau=effort_{joint}", stdin=as_csv(states))
    assert "missing columns: effort_turn, effort_slide" in measured.stderr


@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Kolkata"])
def test_time_stamps_through_a_csv(run: Run, robot_file, tmp_path, zone) -> None:
    """Derivatives are those over the Parquet file that the CSV was made of."""
    steps = np.arange(80) * 1_000_100
    stamps = pa.array(1_700_000_000_000_000_000 + steps).cast(pa.timestamp("ns", zone))
    q = np.sin(steps / 1e8)
    parquet.write_table(pa.table({"t": stamps, "q_turn": q, "q_slide": 2 * q}), tmp_path / "m.parquet")
    assert run("convert", robot_file, tmp_path / "m.parquet", "-o", tmp_path / "m.csv").exit_code == 0
    for suffix in ("csv", "parquet"):
        source, out = tmp_path / f"m.{suffix}", tmp_path / f"{suffix}.npz"
        result = run("id", robot_file, source, "--differentiate", "-o", out)
        assert result.exit_code == 0, result.stderr
    got, wanted = load_npz(tmp_path / "csv.npz"), load_npz(tmp_path / "parquet.npz")
    assert np.isfinite(got["tau"]).all()
    assert_same_bits(got["tau"], wanted["tau"])
    assert_same_bits(got["t"], wanted["t"])


def test_the_same_results_in_memory(robot, states) -> None:
    """The numbers of a CSV that stands in a stream."""
    stream = io.BytesIO()
    with rne.files.Results(stream, {"q": list(COLUMNS[:2])}) as results:
        results.write(None, {"q": states[:, :2]})
    stream.seek(0)
    with rne.files.Trajectory(stream, robot) as motion:
        assert_same_bits(rne.files.joined(list(motion)).arrays["q"], states[:, :2])
