"""Derivatives made in passing: those of `rne.differentiate`, to the last bit, whatever the chunks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from checks import assert_same_bits
from pyarrow import parquet

import rne
from rne.files import Differentiated, Trajectory

N = 5000


@pytest.fixture
def recorded(robot, tmp_path):
    """Uneven times with gaps and duplicates, and positions that are no polynomials."""
    random = np.random.default_rng(2)
    steps = random.uniform(0.5e-3, 1.5e-3, N)
    steps[random.integers(2500, N, 30)] = 0.0
    steps[[2600, 2603, 3000, 4990]] = 0.5
    t = np.cumsum(steps)
    q = np.sin(np.outer(t, 1 + np.arange(robot.n))) + 1e-4 * random.normal(size=(N, robot.n))
    columns = {"t": t} | {f"q_{joint}": q[:, k] for k, joint in enumerate(robot.joint_names)}
    parquet.write_table(pa.table(columns), tmp_path / "m.parquet", row_group_size=900)
    return tmp_path / "m.parquet", t, q


def made(path, robot, chunk=None, **options):
    with Trajectory(path, robot, chunk=chunk) as motion:
        derived = Differentiated(motion, **options)
        return derived, rne.files.joined([read() for read in derived.pieces()])


@pytest.mark.parametrize("chunk", [None, 7, 20, 900, 2100, N - 1])
@pytest.mark.parametrize("window", [21, 5, 301])
def test_chunks_do_not_show(robot, recorded, chunk, window) -> None:
    path, t, q = recorded
    wanted = rne.differentiate(t, q, window=window)
    derived, got = made(path, robot, chunk, window=window)
    assert_same_bits(got.arrays["q"], q)
    assert_same_bits(got.arrays["qd"], wanted.qd)
    assert_same_bits(got.arrays["qdd"], wanted.qdd)
    assert (derived.duplicates, derived.gaps) == (len(wanted.duplicates), len(wanted.gaps)) == (
        27,
        4,
    ) or derived.gaps > 2
    assert derived.missing == ("qd", "qdd")


def test_accelerations_are_derivatives_of_velocities_where_there_are_some(robot, recorded) -> None:
    path, t, q = recorded
    table = parquet.read_table(path)
    for k, joint in enumerate(robot.joint_names):
        table = table.append_column(f"qd_{joint}", pa.array(3 * q[:, k]))
    parquet.write_table(table, path)
    derived, got = made(path, robot, 333)
    assert derived.missing == ("qdd",)
    assert_same_bits(got.arrays["qd"], 3 * q)
    assert_same_bits(got.arrays["qdd"], rne.differentiate(t, 3 * q).qd)


def test_nothing_is_made_of_what_is_there(robot, motion, tmp_path) -> None:
    parquet.write_table(pa.table(motion), tmp_path / "m.parquet")
    derived, got = made(tmp_path / "m.parquet", robot)
    assert derived.missing == ()
    assert_same_bits(got.arrays["qdd"][:, 0], motion["qdd_turret"])


@pytest.mark.parametrize("rows", [0, 1, 3, 15])
def test_short_files(robot, recorded, tmp_path, rows) -> None:
    path, t, q = recorded
    parquet.write_table(parquet.read_table(path)[:rows], tmp_path / "short.parquet")
    with Trajectory(tmp_path / "short.parquet", robot, chunk=2) as motion:
        chunks = [read() for read in Differentiated(motion).pieces()]
    if rows:
        assert_same_bits(rne.files.joined(chunks).arrays["qd"], rne.differentiate(t[:rows], q[:rows]).qd)


@pytest.mark.parametrize(
    ("times", "word"),
    [
        (["0", "1", "0.5"], "row 3: time falls from 1 to 0.5 s"),
        (["0", "noon", "2"], "row 2: time is not a number: 'noon'"),
        (["0", "nan", "2"], "row 2: time is not a finite number: nan"),
    ],
)
@pytest.mark.parametrize("chunk", [1, 2, 100])
def test_times_that_are_refused(robot, tmp_path, times, word, chunk) -> None:
    names = ["t", *(f"q_{joint}" for joint in robot.joint_names)]
    rows = [",".join([time, *["0"] * robot.n]) for time in times]
    (tmp_path / "m.csv").write_text("\n".join([",".join(names), *rows]))
    with pytest.raises(rne.FileError, match=f"m.csv: {word}"):
        made(tmp_path / "m.csv", robot, chunk)


@pytest.mark.parametrize("unit", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("whole", [False, True])
def test_counts_of_milliseconds_and_shorter_are_not_taken_as_seconds(robot, recorded, unit, whole) -> None:
    path, t, _ = recorded
    stamps = (1.7e9 + t) * unit
    table = parquet.read_table(path)
    parquet.write_table(table.set_column(0, "t", pa.array(stamps.astype(np.int64) if whole else stamps)), path)
    with pytest.raises(rne.FileError, match=r"m.parquet: row 1: time 1[.]?7\S+ is in nanoseconds or the like"):
        made(path, robot)


def test_a_first_time_stamp_that_is_null(robot, recorded) -> None:
    path, t, _ = recorded
    stamps = pa.array([None, *range(1, len(t))], pa.timestamp("ms"))
    parquet.write_table(parquet.read_table(path).set_column(0, "t", stamps), path)
    with pytest.raises(rne.FileError, match=r"m.parquet: row 1: time is not a finite number: nan"):
        made(path, robot)


def test_without_time(robot, motion, tmp_path) -> None:
    del motion["t"]
    parquet.write_table(pa.table(motion), tmp_path / "m.parquet")
    with pytest.raises(rne.FileError, match="without a column t nothing can be differentiated"):
        made(tmp_path / "m.parquet", robot)
