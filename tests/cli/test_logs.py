"""Logs of other programs on the command line: units, names, unwrapping, and many files into a folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from trajectories import COLUMNS, Run, as_csv


def numbers(text: str) -> np.ndarray:
    return np.array([[float(x) for x in line.split(",")] for line in text.splitlines()[1:]])


def test_units_and_lists_of_columns(run: Run, robot_file, states) -> None:
    plain = numbers(run("id", robot_file, "-", stdin=as_csv(states)).stdout)
    given = states * [180 / np.pi, 1e3, 30 / np.pi, 1e3, 1, 1]
    text = as_csv(given, ("a b", "c", "e", "d", "qdd_turn", "qdd_slide"))
    options = [
        "--columns",
        "q=a b,c",
        "--columns",
        "qd=e,d",
        "--unit",
        "q=deg,mm",
        "--unit",
        "qd=rpm",
        "--unit",
        "qd=mm/s",
    ]
    got = run("id", robot_file, "-", *options, stdin=text)
    assert got.exit_code == 0, got.stderr
    np.testing.assert_allclose(numbers(got.stdout), plain, rtol=1e-12)
    bad = run("id", robot_file, "-", "--unit", "q", stdin=text)
    assert (bad.exit_code, "wanted QUANTITY=UNIT" in bad.stderr) == (2, True)


@pytest.mark.parametrize(
    ("option", "value", "word"),
    [
        ("--columns", "zz=pos_{1}", "wanted one of t, q, qd, qdd, tau, f_ext:FRAME, got 'zz'"),
        ("--columns", "q=pos", "wanted {joint}, {0} or {1} in the pattern of q"),
        ("--columns", "q=a,b,c", "q: wanted 2 columns"),
        ("--joints", "turn,turn", "duplicate joints: turn"),
        ("--lock", "elbow=1", "no movable joint is named 'elbow'"),
    ],
)
def test_errors_name_the_option_that_was_typed(run: Run, robot_file, states, option, value, word) -> None:
    result = run("id", robot_file, "-", option, value, stdin=as_csv(states))
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith(f"{option}: ")
    assert word in result.stderr


def test_joints_for_numbers(run: Run, robot_file, states) -> None:
    plain = run("id", robot_file, "-", stdin=as_csv(states)).stdout
    swapped = as_csv(states[:, [1, 0, 3, 2, 5, 4]], tuple(f"{key}[{k}]" for key in ("p", "v", "a") for k in (0, 1)))
    patterns = [f"--columns={key}={name}[{{0}}]" for key, name in (("q", "p"), ("qd", "v"), ("qdd", "a"))]
    assert run("id", robot_file, "-", *patterns, "--joints", "slide,turn", stdin=swapped).stdout == plain
    missing = run("id", robot_file, "-", *patterns, "--joints", "slide,tern", stdin=swapped)
    assert "joints of arm that are not named: turn (did you mean 'tern'?)" in missing.stderr


def test_wrenches_by_columns(run: Run, robot_file, states) -> None:
    wrench = np.random.default_rng(3).normal(size=(7, 6))
    parts = ("fx", "fy", "fz", "mx", "my", "mz")
    usual = as_csv(np.hstack([states, wrench]), (*COLUMNS, *(f"{part}_tool" for part in parts)))
    wanted = run("id", robot_file, "-", "--wrench", "tool", stdin=usual).stdout
    other = as_csv(np.hstack([states, wrench]), (*COLUMNS, *(f"ft.{part}" for part in parts)))
    assert run("id", robot_file, "-", "--columns", "f_ext:tool=ft.{axis}", stdin=other).stdout == wanted
    assert wanted != run("id", robot_file, "-", stdin=other).stdout


def test_hints_are_told(run: Run, robot_file) -> None:
    t = np.arange(100) / 100
    rows = np.column_stack([1000 * t, 0.3 * np.sin(t), 0.2 + 0.1 * np.sin(t), 0.3 * np.cos(t), 0.1 * np.cos(t)])
    text = as_csv(rows, ("time_ms", "q_turn", "q_slide", "qd_turn", "qd_slide"))
    wrong = run("id", robot_file, "-", "--columns", "t=time_ms", "--differentiate", stdin=text)
    assert "warning: column 'time_ms' is read as seconds; if it is in ms, say --time-unit ms" in wrong.stderr
    assert "warning: d(q)/dt is 0.001 times qd; if times are in ms, say --time-unit ms" in wrong.stderr
    right = run("id", robot_file, "-", "--columns", "t=time_ms", "--time-unit", "ms", "--differentiate", stdin=text)
    assert "--time-unit" not in right.stderr
    assert right.stdout.splitlines()[2].startswith("0.01,")
    assert (run("id", robot_file, "-", "--unwrap", "turn", stdin=text).exit_code) == 2


def test_many_files_into_a_folder(run: Run, robot_file, states, tmp_path) -> None:
    plain = run("id", robot_file, "-", stdin=as_csv(states)).stdout
    files = [tmp_path / f"m{k}.csv" for k in range(3)]
    for file in files:
        file.write_text(as_csv(states))
    files[1].write_text(as_csv(states) + "1,2\n")
    out = tmp_path / "out"
    first = run("id", robot_file, *files, "-o", f"{out}/")
    assert first.exit_code == 1
    assert f"{files[1]}:9: 2 fields where the header has 6" in first.stderr
    assert "1 of 3 trajectories could not be read" in first.stderr
    assert sorted(p.name for p in out.iterdir()) == [".rne-results.json", "m0.csv", "m2.csv"]
    assert (out / "m2.csv").read_text() == plain
    stamp = (out / "m0.csv").stat().st_mtime_ns
    files[1].write_text(as_csv(states))
    again = run("id", robot_file, *files, "-o", out)
    assert again.exit_code == 0, again.stderr
    assert "complete before, and left as they are: 2 of 3" in again.stderr
    assert (out / "m1.csv").read_text() == plain
    assert (out / "m0.csv").stat().st_mtime_ns == stamp
    os.utime(files[0], ns=(stamp + 10**9, stamp + 10**9))  # a trajectory that has changed since
    assert "left as they are: 2 of 3" in run("id", robot_file, *files, "-o", out).stderr
    other = run("id", robot_file, *files, "-o", out, "--friction")
    assert other.exit_code == 1
    assert "holds results of another robot or other options" in other.stderr
    assert run("id", robot_file, *files, "-o", tmp_path / "x.csv").exit_code == 2
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "m0.csv").write_text(as_csv(states))
    same = run("id", robot_file, files[0], tmp_path / "b" / "m0.csv", "-o", f"{tmp_path}/o2/")
    assert "would hold the results of both" in same.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_end_by_force_loses_no_finished_file(run: Run, robot_file, states, tmp_path, number) -> None:
    """The second trajectory is a pipe that never ends: the first is complete, and nothing stands for the second."""
    (tmp_path / "a.csv").write_text(as_csv(states))
    os.mkfifo(tmp_path / "b.csv")
    out = tmp_path / "out"
    command = [sys.executable, "-m", "rne", "id", str(robot_file), "a.csv", "b.csv", "-o", "out/"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE)
    pipe = (tmp_path / "b.csv").open("w")
    pipe.write(as_csv(states))
    pipe.flush()
    deadline = time.monotonic() + 120
    while not list(out.glob(".b.csv*")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(number)
    process.wait(30)
    pipe.close()
    process.stderr.close()
    assert (out / "a.csv").read_text() == run("id", robot_file, "-", stdin=as_csv(states)).stdout
    assert not (out / "b.csv").exists()
    (tmp_path / "b.csv").unlink()
    (tmp_path / "b.csv").write_text(as_csv(states))
    again = run("id", robot_file, tmp_path / "a.csv", tmp_path / "b.csv", "-o", out)
    assert "complete before, and left as they are: 1 of 2" in again.stderr
    assert sorted(p.name for p in out.iterdir()) == [".rne-results.json", "a.csv", "b.csv"]
