"""Derivatives made in passing: those of `rne.differentiate`, to the last bit, whatever the chunks."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.csv
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


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch):
    """Pieces of the filter that are shorter than the motion."""
    monkeypatch.setattr("rne.trajectory.pieces._ROWS", 1024)


def test_size_of_pieces_does_not_show(robot, recorded, monkeypatch) -> None:
    _, t, q = recorded
    short = rne.differentiate(t, q)
    monkeypatch.undo()
    whole = rne.differentiate(t, q)
    assert_same_bits(short.q, whole.q)
    assert_same_bits(short.qdd, whole.qdd)


def made(path, robot, chunk=None, **options):
    with Trajectory(path, robot, chunk=chunk) as motion:
        derived = Differentiated(motion, **options)
        return derived, rne.files.joined([read() for read in derived.pieces()])


@pytest.mark.parametrize(
    ("chunk", "wish"),
    [
        *((chunk, {}) for chunk in (None, 7, 20, 900, 2100, N - 1)),
        *((chunk, wish) for chunk in (7, 2100) for wish in ({"cutoff": 4.0}, {"window": 21}, {"degree": 6})),
        (900, {"window": 301}),
    ],
)
def test_chunks_do_not_show(robot, recorded, chunk, wish) -> None:
    path, t, q = recorded
    wanted = rne.differentiate(t, q, **wish)
    derived, got = made(path, robot, chunk, **wish)
    assert_same_bits(got.arrays["q"], wanted.q)
    assert_same_bits(derived.filter.cutoff, wanted.cutoff)
    assert_same_bits(derived.filter.noise, wanted.noise)
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
    derived, got = made(path, robot, 333, window=21)
    assert derived.missing == ("qdd",)
    wanted = rne.differentiate(t, 3 * q, tau=q, window=21)
    assert_same_bits(got.arrays["q"], wanted.tau)
    assert_same_bits(got.arrays["qd"], wanted.q)
    assert_same_bits(got.arrays["qdd"], wanted.qd)


def test_nothing_is_made_of_what_is_there(robot, motion, tmp_path) -> None:
    parquet.write_table(pa.table(motion), tmp_path / "m.parquet")
    derived, got = made(tmp_path / "m.parquet", robot)
    assert derived.missing == ()
    assert_same_bits(got.arrays["qdd"][:, 0], motion["qdd_turret"])


@pytest.mark.filterwarnings("ignore::rne.ModelWarning")
@pytest.mark.parametrize("rows", [0, 1, 3, 15])
def test_short_files(robot, recorded, tmp_path, rows) -> None:
    path, t, q = recorded
    parquet.write_table(parquet.read_table(path)[:rows], tmp_path / "short.parquet")
    with Trajectory(tmp_path / "short.parquet", robot, chunk=2) as motion:
        chunks = [read() for read in Differentiated(motion).pieces()]
    assert chunks
    assert all(set(chunk.arrays) == {"q", "qd", "qdd"} for chunk in chunks)
    if rows:
        assert_same_bits(rne.files.joined(chunks).arrays["qd"], rne.differentiate(t[:rows], q[:rows]).qd)


@pytest.mark.parametrize(
    ("times", "word"),
    [
        (["0", "1", "0.5"], "row 3: time falls from 1 to 0.5 s"),
        (["0", "0.41", "0.2"], "row 3: time falls from 0.41 to 0.2 s"),
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


def test_torques_pass_the_same_filter(robot, recorded) -> None:
    path, t, q = recorded
    table = parquet.read_table(path)
    for k, joint in enumerate(robot.joint_names):
        table = table.append_column(f"tau_{joint}", pa.array(q[:, -1 - k]))
    parquet.write_table(table, path)
    with Trajectory(path, robot, quantities=("q", "qd", "qdd", "tau")) as motion:
        got = rne.files.joined([read() for read in Differentiated(motion, cutoff=9.0).pieces()])
    assert_same_bits(got.arrays["tau"], rne.differentiate(t, q, tau=q[:, ::-1], cutoff=9.0).tau)


class Pipe(io.RawIOBase):
    """Bytes that can be read but once."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def readinto(self, buffer) -> int:
        return self._data.readinto(buffer)


def test_a_pipe_is_read_once(robot, recorded) -> None:
    path, t, q = recorded
    text = io.BytesIO()
    pa.csv.write_csv(parquet.read_table(path), text)
    with Trajectory(Pipe(text.getvalue()), robot) as motion:
        got = rne.files.joined([read() for read in Differentiated(motion).pieces()])
    assert_same_bits(got.arrays["qdd"], rne.differentiate(t, q).qdd)


def test_of_a_long_log_the_filter_is_chosen_where_the_robot_moves(robot, tmp_path) -> None:
    """A robot that rests for minutes before it moves."""
    t = np.arange(300_000) / 1000
    moving = np.clip(t - 250.0, 0.0, None)[:, None]
    q = np.sin(moving * (3.0 + np.arange(robot.n))) + 1e-5 * np.random.default_rng(0).normal(size=(t.size, robot.n))
    columns = {"t": t} | {f"q_{joint}": q[:, k] for k, joint in enumerate(robot.joint_names)}
    parquet.write_table(pa.table(columns), tmp_path / "m.parquet")
    derived, got = made(tmp_path / "m.parquet", robot)
    wanted = -np.sin(moving * (3.0 + np.arange(robot.n))) * (3.0 + np.arange(robot.n)) ** 2
    error = (got.arrays["qdd"] - wanted)[260_000:290_000]
    assert (np.sqrt((error**2).mean(axis=0)) < 0.01 * (3.0 + np.arange(robot.n)) ** 2).all()
    assert (derived.filter.cutoff > 1.0).all()


def test_noise_of_torques_is_that_of_accelerations_times_inertia(robot, recorded) -> None:
    derived, got = made(recorded[0], robot)
    random = np.random.default_rng(0)
    states = got.arrays["q"][::100]
    noise = derived.filter.noise * random.normal(size=(50, len(states), robot.n))
    spread = np.array([rne.inverse_dynamics(robot, states, qdd=x, gravity=[0, 0, 0]) for x in noise])
    np.testing.assert_allclose(derived.torque_noise(), np.sqrt((spread**2).mean(axis=(0, 1))), rtol=0.2)
