"""Commands on trajectories: the same numbers as the public functions, from any format into any other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from checks import assert_same_bits
from motions import load_npz
from pyarrow import csv, feather, parquet
from trajectories import COLUMNS, Run, as_csv

import rne

ROOT = Path(rne.__file__).parents[1]
READERS = {
    "csv": csv.read_csv,
    "csv.gz": csv.read_csv,
    "parquet": parquet.read_table,
    "arrow": lambda path: feather.read_table(str(path)),
    "npz": lambda path: pa.table(
        {f"{key}_{k}": column for key, array in load_npz(path).items() for k, column in enumerate(array.T)}
    ),
    "npy": lambda path: pa.table({str(k): column for k, column in enumerate(np.load(path).T)}),
}


def numbers(path: Path) -> np.ndarray:
    table = READERS[path.name.split(".", 1)[1]](path)
    return np.column_stack([column.to_numpy() for column in table.columns])


@pytest.fixture
def files(tmp_path, states) -> dict[str, Path]:
    """The motion in all formats."""
    table = pa.table({name: states[:, k] for k, name in enumerate(COLUMNS)})
    paths = {kind: tmp_path / f"motion.{kind}" for kind in ("csv", "csv.gz", "parquet", "arrow", "npz", "npy")}
    paths["csv"].write_text(as_csv(states))
    csv.write_csv(table, pa.output_stream(paths["csv.gz"], "gzip"))
    parquet.write_table(table, paths["parquet"], row_group_size=3)
    feather.write_feather(table, str(paths["arrow"]))
    np.savez(paths["npz"], q=states[:, :2], qd=states[:, 2:4], qdd=states[:, 4:])
    np.save(paths["npy"], states)
    return paths


@pytest.mark.parametrize("written", READERS)
@pytest.mark.parametrize("read", READERS)
def test_torques_from_any_format_into_any_other(run: Run, robot, robot_file, files, states, tmp_path, read, written):
    out = tmp_path / f"tau.{written}"
    result = run("id", robot_file, files[read], "-o", out, "--chunk", 2, "--threads", 2)
    assert result.exit_code == 0, result.stderr
    assert_same_bits(numbers(out), rne.inverse_dynamics(robot, states[:, :2], states[:, 2:4], states[:, 4:]))


@pytest.mark.parametrize("read", ["csv", "parquet", "npz"])
def test_single_precision(run: Run, robot, robot_file, files, states, tmp_path, read) -> None:
    run("id", robot_file, files[read], "-o", tmp_path / "tau.parquet", "--float32")
    single = states.astype(np.float32)
    wanted = rne.inverse_dynamics(robot, single[:, :2], single[:, 2:4], single[:, 4:])
    assert wanted.dtype == np.float32
    assert_same_bits(numbers(tmp_path / "tau.parquet"), wanted)


def test_accelerations(run: Run, robot, robot_file, states) -> None:
    names = [name.replace("qdd", "tau") for name in COLUMNS]
    result = run("fd", robot_file, "-", "--friction", stdin=as_csv(states, tuple(names)))
    lines = result.stdout.splitlines()
    assert lines[0] == "qdd_turn,qdd_slide"
    got = np.loadtxt(lines[1:], delimiter=",")
    wanted = rne.forward_dynamics(robot, states[:, :2], states[:, 2:4], states[:, 4:], friction=True)
    assert_same_bits(got, wanted)
    peak = abs(wanted).max(axis=0)
    assert f"peak |qdd|: turn {peak[0]:.4g} rad/s^2, slide {peak[1]:.4g} m/s^2" in result.stderr
    effort = (abs(states[:, 4:]) > robot.effort_limit).any(axis=1).sum()
    assert f"effort {effort}\n" in result.stderr
    assert "no tau columns: torques taken as zero" in run("fd", robot_file, "-", stdin=as_csv(states)).stderr


def test_a_singular_robot_tells_the_row(run: Run, tmp_path) -> None:
    path = tmp_path / "haunted.urdf"
    joint = '<joint name="wrist" type="continuous"><parent link="base"/><child link="ghost"/></joint>'
    path.write_text(f'<robot name="haunted"><link name="base"/><link name="ghost"/>{joint}</robot>')
    result = run("fd", path, "-", "--chunk", 2, stdin="q_wrist\n1\n2\n3\n")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith("-: in the rows starting at 1: ")
    assert "wrist" in result.stderr


def test_breakdown(run: Run, robot, robot_file, files, states, tmp_path) -> None:
    run("breakdown", robot_file, files["parquet"], "--friction", "-o", tmp_path / "parts.parquet")
    table = parquet.read_table(tmp_path / "parts.parquet")
    parts = rne.torque_breakdown(robot, states[:, :2], states[:, 2:4], states[:, 4:], friction=True)
    terms = parts.terms | {"total": parts.total}
    assert table.column_names == [f"{term}_{joint}" for term in terms for joint in robot.joint_names]
    for term, wanted in terms.items():
        got = np.column_stack([table[f"{term}_{joint}"].to_numpy() for joint in robot.joint_names])
        assert_same_bits(got, wanted)


@pytest.mark.parametrize("axes", ["world", "local"])
@pytest.mark.parametrize("command", ["id", "fd", "breakdown"])
def test_wrenches(run: Run, robot, robot_file, states, tmp_path, axes, command) -> None:
    loads = np.random.default_rng(1).normal(size=(len(states), 6))
    names = [f"{part}_tool" for part in ("fx", "fy", "fz", "mx", "my", "mz")]
    third = "tau" if command == "fd" else "qdd"
    columns = (*names, *(name.replace("qdd", third) for name in COLUMNS))
    option = "tool:local" if axes == "local" else "tool"
    text = as_csv(np.hstack([loads, states]), columns)
    out = tmp_path / "r.npz"
    result = run(command, robot_file, "-", "--wrench", option, "-o", out, stdin=text)
    assert result.exit_code == 0, result.stderr
    function = {"id": rne.inverse_dynamics, "fd": rne.forward_dynamics, "breakdown": rne.torque_breakdown}[command]
    wanted = function(robot, states[:, :2], states[:, 2:4], states[:, 4:], f_ext={"tool": (loads, axes)})
    got = load_npz(out)
    assert_same_bits(
        got[{"id": "tau", "fd": "qdd", "breakdown": "external"}[command]], getattr(wanted, "external", wanted)
    )
    missing = run(command, robot_file, "-", "--wrench", option, stdin=as_csv(states))
    assert "missing columns: fx_tool, fy_tool, " in missing.stderr
    assert "did you mean" in run("id", robot_file, "-", "--wrench", "tol", stdin=text.replace("_tool", "_tol")).stderr


def test_other_names_of_columns(run: Run, robot_file, states) -> None:
    names = ("pos[0]", "pos[1]", "v1", "v2", "turn.acc", "slide.acc")
    options = ["--columns", "q=pos[{0}]", "--columns", "qd=v{1}", "--columns", "qdd={joint}.acc", "--columns", "t=time"]
    text = as_csv(np.hstack([np.ones((len(states), 1)), states]), ("time", *names))
    result = run("id", robot_file, "-", *options, stdin=text)
    assert result.exit_code == 0, result.stderr
    plain = run("id", robot_file, "-", stdin=as_csv(states)).stdout
    lines = result.stdout.splitlines()
    assert lines[0] == "t,tau_turn,tau_slide"
    assert [line.removeprefix("1.0,") for line in lines[1:]] == plain.splitlines()[1:]
    assert run("id", robot_file, "-", "--columns", "q", stdin=text).exit_code == 2
    unknown = run("id", robot_file, "-", "--columns", "w={0}", stdin=text)
    assert "wanted one of t, q, qd, qdd, tau, f_ext:FRAME, got 'w'" in unknown.stderr


def test_limits_are_counted_and_can_fail(run: Run, robot, robot_file, states, tmp_path) -> None:
    tau = rne.inverse_dynamics(robot, states[:, :2], states[:, 2:4], states[:, 4:])
    states[3] = np.nan
    count = {
        "position": ((states[:, :2] < robot.lower_limit) | (states[:, :2] > robot.upper_limit)).any(axis=1),
        "velocity": (abs(states[:, 2:4]) > robot.velocity_limit).any(axis=1),
        "effort": (abs(tau) > robot.effort_limit).any(axis=1) & np.isfinite(states).all(axis=1),
    }
    told = "samples beyond limits: " + ", ".join(f"{what} {beyond.sum()}" for what, beyond in count.items())
    for options in ([], ["--chunk", 2]):
        result = run("id", robot_file, "-", *options, stdin=as_csv(states))
        assert told in result.stderr
        assert result.exit_code == 0
    out = tmp_path / "tau.csv"
    assert run("id", robot_file, "-", "--fail-on-limit", "-o", out, stdin=as_csv(states)).exit_code == 3
    assert out.read_text().count("\n") == 8  # the results are there nevertheless
    still = run(
        "id", robot_file, "-", "--fail-on-limit", "--gravity", "0,0,0", stdin="q_turn,q_slide\n0,0\n-1,0.5\n2,0\n"
    )
    assert still.exit_code == 0
    assert "position 0, effort 0" in still.stderr


def test_a_limit_in_single_precision_is_not_beyond_itself(run: Run) -> None:
    panda = rne.load(ROOT / "models/panda/robot.urdf")
    assert (panda.upper_limit.astype(np.float32) > panda.upper_limit).any()
    names = ",".join(f"q_{joint}" for joint in panda.joint_names)
    text = f"{names}\n{','.join(map(repr, panda.upper_limit.tolist()))}\n"
    assert "position 0" in run("id", ROOT / "models/panda/robot.urdf", "-", "--float32", stdin=text).stderr


def test_nulls_are_nan_and_counted(run: Run, robot_file, states, tmp_path) -> None:
    columns = {name: states[:, k] for k, name in enumerate(COLUMNS)}
    columns["qd_turn"] = pa.array(states[:, 2], mask=np.arange(7) == 4)
    parquet.write_table(pa.table(columns), tmp_path / "m.parquet")
    result = run("id", robot_file, tmp_path / "m.parquet", "-o", tmp_path / "tau.npy")
    assert np.flatnonzero(np.isnan(np.load(tmp_path / "tau.npy")).any(axis=1)).tolist() == [4]
    assert "nulls, read as NaN: 1\n" in result.stderr
    assert "samples with NaN or infinity, kept in place: 1\n" in result.stderr


def test_differentiate(run: Run, robot, robot_file, tmp_path) -> None:
    t = np.linspace(0, 2, 4001)
    t[2000:] += 5
    q = np.column_stack([np.sin(t), 0.1 * np.cos(3 * t)])
    text = as_csv(np.column_stack([t, q]), ("t", "q_turn", "q_slide"))
    plain = run("id", robot_file, "-", "--differentiate", "-o", tmp_path / "tau.npz", stdin=text)
    assert plain.exit_code == 0, plain.stderr
    assert [line for line in plain.stderr.splitlines() if "differentiation" in line] == [
        "<stdin>: no qd columns: computed by differentiation",
        "<stdin>: no qdd columns: computed by differentiation",
    ]
    assert "taken as zero" not in plain.stderr
    assert "gaps in time, not bridged by derivatives: 1\n" in plain.stderr
    made = rne.differentiate(t, q)
    wanted = rne.inverse_dynamics(robot, made.q, made.qd, made.qdd)
    assert_same_bits(load_npz(tmp_path / "tau.npz")["tau"], wanted)
    run("id", robot_file, "-", "--differentiate", "--chunk", 64, "-o", tmp_path / "tau.npz", stdin=text)
    assert_same_bits(load_npz(tmp_path / "tau.npz")["tau"], wanted)
    wide = rne.differentiate(t, q, window=41)
    run("convert", robot_file, "-", "--differentiate", "--window", 41, "-o", tmp_path / "m.npz", stdin=text)
    assert_same_bits(load_npz(tmp_path / "m.npz")["qdd"], wide.qdd)
    even = run("id", robot_file, "-", "--differentiate", "--window", 40, stdin=text)
    assert "window: wanted an odd number" in even.stderr
    assert "without a column t" in run("id", robot_file, "-", "--differentiate", stdin="q_turn,q_slide\n").stderr


def test_convert(run: Run, robot_file, files, states, tmp_path) -> None:
    path = files["parquet"]
    for kind in ("npz", "csv", "arrow", "csv.gz", "npy", "parquet"):
        result = run("convert", robot_file, path, "-o", tmp_path / f"copy.{kind}")
        assert "zero" not in result.stderr
        path = tmp_path / f"copy.{kind}"
    table = parquet.read_table(path)
    assert table.column_names == list(COLUMNS)
    assert_same_bits(numbers(path), states)


@pytest.mark.parametrize("option", [["--friction"], ["--wrench", "tool"]])
def test_convert_knows_no_forces(run: Run, robot_file, motion, option) -> None:
    result = run("convert", robot_file, motion, *option)
    assert result.exit_code == 2
    assert f"No such option: {option[0]}" in result.stderr or f"No such option '{option[0]}'" in result.stderr


def test_format_of_the_output(run: Run, robot_file, motion, tmp_path) -> None:
    result = run("id", robot_file, motion, "--format", "parquet")
    (tmp_path / "tau.parquet").write_bytes(result.stdout_bytes)
    assert len(parquet.read_table(tmp_path / "tau.parquet")) == 7
    run("id", robot_file, motion, "--format", "npy", "-o", tmp_path / "tau.dat")
    assert np.load(tmp_path / "tau.dat").shape == (7, 2)


@pytest.mark.parametrize("kind", ["torque", "breakdown", "power", "energy", "phase"])
def test_plot(run: Run, robot_file, files, tmp_path, kind) -> None:
    for suffix, magic in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        picture = tmp_path / f"p.{suffix}"
        result = run("plot", robot_file, files["parquet"], "--kind", kind, "-o", picture)
        assert result.exit_code == 0, result.stderr
        assert picture.read_bytes().startswith(magic)
    refused = run("plot", robot_file, files["csv"], "-o", tmp_path / "p.gif")
    assert refused.exit_code == 1
    assert "unknown image format '.gif'" in refused.stderr
    assert "there are no rows to draw" in run("plot", robot_file, "-", "-o", picture, stdin="q_turn,q_slide\n").stderr


def test_the_variable_bounds_the_threads(run: Run, robot_file, motion, monkeypatch) -> None:
    seen = []
    right = rne.files.in_order
    monkeypatch.setattr(
        rne.files, "in_order", lambda do, items, threads: seen.append(threads) or right(do, items, threads)
    )
    for wish, threads in (("1", 0), ("3", 3)):
        monkeypatch.setenv("RNE_NUM_THREADS", wish)
        run("id", robot_file, motion)
        assert seen[-1] == threads
    run("id", robot_file, motion, "--threads", 2)
    run("id", robot_file, motion, "--threads", 2, "--format", "parquet")
    assert seen[-2:] == [2, 1]  # where writing is work, the writer is one of them
    assert pa.cpu_count() == 1


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="terminals of POSIX")
def test_long_work_on_a_terminal_shows_how_far_it_is(robot_file, motion) -> None:
    ours, theirs = os.openpty()
    code = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
from rne.cli import main, stream
stream._LONG = 0
main(["id", {str(robot_file)!r}, {str(motion)!r}, "--chunk", "1"])
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        try:
            while data := os.read(ours, 1 << 16):
                said += data
        except OSError:  # the other end is closed
            pass
        assert process.wait(60) == 0
    os.close(ours)
    assert b"100%" in said
    assert b"samples/s" in said.split(b"7 samples in")[0]
