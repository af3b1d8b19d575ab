"""Killed at any moment, on a full disk or without a reader: results are complete, or what was there before."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from trajectories import COLUMNS

import rne

OLD = b"what was there\n"
ROWS = 200_000

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")


@pytest.fixture(scope="module")
def long_motion(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("long") / "motion.parquet"
    numbers = np.random.default_rng(0).normal(size=(6, ROWS))
    parquet.write_table(pa.table(dict(zip(COLUMNS, numbers, strict=True))), path, use_dictionary=False)
    return path


def start(*arguments: object, **options) -> subprocess.Popen:
    command = [sys.executable, "-m", "rne", *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(Path(rne.__file__).parents[1])}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npz"])
def test_kills_at_any_moment(robot_file, long_motion, tmp_path, suffix) -> None:
    target = tmp_path / "out" / f"tau.{suffix}"
    target.parent.mkdir()
    target.write_bytes(OLD)
    arguments = ("id", robot_file, long_motion, "-o", target, "--chunk", 200, "--threads", 2)
    begun = 0
    for seed in range(3):
        with start(*arguments) as process:
            end = time.monotonic() + 60
            while process.poll() is None and len(list(target.parent.iterdir())) < 2 and time.monotonic() < end:
                time.sleep(0.005)
            begun += process.poll() is None
            time.sleep(0.05 * np.random.default_rng(seed).random())
            process.kill()
        left = [path for path in target.parent.iterdir() if path != target]
        assert len(left) <= 1  # what was left by the runs before has been removed
        if process.returncode == 0:
            target.write_bytes(OLD)
        assert target.read_bytes() == OLD
    assert begun
    with start(*arguments) as process:
        assert process.wait(60) == 0
    assert list(target.parent.iterdir()) == [target]
    assert target.read_bytes() != OLD


def test_runs_side_by_side_leave_each_other_alone(robot_file, long_motion, tmp_path) -> None:
    target = tmp_path / "out" / "tau.parquet"
    target.parent.mkdir()
    arguments = ("id", robot_file, long_motion, "-o", target, "--chunk", 2000)
    with start(*arguments) as first, start(*arguments) as second:
        assert (first.wait(60), second.wait(60)) == (0, 0)
    assert list(target.parent.iterdir()) == [target]
    assert parquet.read_metadata(target).num_rows == ROWS


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet", "arrow", "npy", "npz"])
def test_a_full_disk(robot_file, long_motion, tmp_path, suffix) -> None:
    """Files that may be no longer than 500 kB stand for it: the write fails in the same way, and needs no root."""
    target = tmp_path / "out" / f"tau.{suffix}"
    target.parent.mkdir()
    target.write_bytes(OLD)
    limit = (500_000, 500_000)
    with start(
        *("id", robot_file, long_motion, "-o", target, "--threads", 2),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
    ) as process:
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert said.decode().splitlines()[-1] == f"{target}: File too large"
    assert [path.read_bytes() for path in target.parent.iterdir()] == [OLD]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_a_device_that_is_full(robot_file, long_motion, kind) -> None:
    with start("id", robot_file, long_motion, "-o", "/dev/full", "--format", kind) as process:
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert said.decode().splitlines()[-1] == "/dev/full: No space left on device"
    assert b"Traceback" not in said


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_a_reader_that_goes_away(robot_file, long_motion, kind) -> None:
    with start("id", robot_file, long_motion, "--format", kind, "--threads", 2) as process:
        process.stdout.read(1000)
        process.stdout.close()
        said = process.stderr.read().decode()
        assert process.wait(60) == 1
    assert [line.split(":")[0] for line in said.splitlines()] == ["warning"]  # about the robot, and no more


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("threads", [1, 2])
def test_signals_while_a_pipe_says_nothing(robot_file, tmp_path, number, threads) -> None:
    target = tmp_path / "out" / "tau.csv"
    target.parent.mkdir()
    with start("id", robot_file, "-", "-o", target, "--threads", threads, stdin=subprocess.PIPE) as process:
        process.stdin.write(b"q_turn,q_slide\n1,2\n")
        process.stdin.flush()
        end = time.monotonic() + 60
        while not list(target.parent.iterdir()) and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.05)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == (128 + number if number == signal.SIGTERM else 1), said.decode()
    assert b"Traceback" not in said
    assert b"Fatal" not in said
    assert list(target.parent.iterdir()) == []


def test_rows_of_a_pipe_are_answered_as_they_come(robot_file) -> None:
    with start("id", robot_file, "-", stdin=subprocess.PIPE) as process:
        process.stdin.write(b"q_turn,q_slide\n")
        for _ in range(3):
            process.stdin.write(b"1,0.2\n")
            process.stdin.flush()
            while (line := process.stdout.readline()).startswith(b"tau"):
                pass
            assert line.count(b",") == 1
        process.stdin.close()
        assert process.wait(60) == 0


def test_the_same_from_a_packed_file(robot_file, long_motion, tmp_path) -> None:
    table = parquet.read_table(long_motion)[:5000]
    csv.write_csv(table, pa.output_stream(tmp_path / "m.csv.gz", "gzip"))
    csv.write_csv(table, tmp_path / "m.csv")
    said = []
    for name in ("m.csv", "m.csv.gz"):
        with start("id", robot_file, tmp_path / name) as process:
            said.append(process.communicate(timeout=60)[0])
    assert said[0] == said[1]
    assert said[0].count(b"\n") == 5001
