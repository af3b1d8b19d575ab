"""Times of every type that there is: what rne writes it reads back as the same times."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from checks import assert_same_bits
from pyarrow import parquet

import rne
from rne.files import Differentiated, Results, Trajectory, seconds

STEPS = np.arange(50) * 1_000_100
STARTS = 1_700_000_000_000_000_000
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def written(path, robot, t: pa.Array, format: str = "csv") -> rne.files.Chunk:  # noqa: A002
    """The motion, written by rne with these times and read back."""
    names = {"q": [f"q_{joint}" for joint in robot.joint_names]}
    with Results(path, names, time=t.type, format=format) as results:
        results.write(t, {"q": np.zeros((len(t), robot.n))})
    with Trajectory(path, robot) as motion:
        return rne.files.joined(list(motion))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin", "America/St_Johns"])
def test_time_stamps_of_a_csv(robot, tmp_path, unit, zone) -> None:
    counts = (STARTS + 1000 * STEPS) // UNITS[unit]
    stamps = pa.array(counts).cast(pa.timestamp(unit, zone))
    t = written(tmp_path / "m.csv", robot, stamps).t
    assert t.type == pa.string()
    wanted = (counts - counts[0]) * UNITS[unit] / 1e9
    assert_same_bits(seconds("m", t, origin=t[0]), wanted)
    assert_same_bits(seconds("m", t), seconds("m", pa.array(counts * UNITS[unit]).cast(pa.timestamp("ns"))))


def test_iso_8601_and_dates_far_away() -> None:
    text = pa.array(["2023-11-14T22:13:20Z", "2023-11-14T23:13:21+01:00"])
    assert seconds("m", text).tolist() == [1.7e9, 1.7e9 + 1]
    assert seconds("m", pa.array(["2500-01-01 00:00:00", "2500-01-01 00:00:01"])).tolist() == [16725225600, 16725225601]
    chunks = pa.chunked_array([["1970-01-01 00:00:01"], ["1970-01-01 00:00:02.5"]])
    assert seconds("m", chunks).tolist() == [1.0, 2.5]
    assert seconds("m", pa.chunked_array([[1.0], [2.5]])).tolist() == [1.0, 2.5]


def test_derivatives_over_the_time_stamps_of_a_csv(robot, tmp_path) -> None:
    """Those of the Parquet file that the CSV was made of, to the last bit."""
    stamps = pa.array(STARTS + STEPS).cast(pa.timestamp("ns"))
    q = np.sin(np.outer(STEPS / 1e9, 1 + np.arange(robot.n)))
    names = {"q": [f"q_{joint}" for joint in robot.joint_names]}
    made = []
    for suffix in ("csv", "parquet"):
        with Results(tmp_path / f"m.{suffix}", names, time=stamps.type) as results:
            results.write(stamps, {"q": q})
        with Trajectory(tmp_path / f"m.{suffix}", robot, chunk=7) as motion:
            made.append(rne.files.joined([read() for read in Differentiated(motion).pieces()]).arrays["qdd"])
    assert np.isfinite(made[0]).all()
    assert_same_bits(*made)


@pytest.mark.parametrize("unit", UNITS)
def test_durations_of_a_csv_are_seconds_not_counts(robot, tmp_path, unit) -> None:
    t = pa.array(np.arange(50) * 37).cast(pa.duration(unit))
    got = written(tmp_path / "m.csv", robot, t).t
    assert_same_bits(seconds("m", got), np.arange(50) * 37 / (1e9 / UNITS[unit]))


@pytest.mark.parametrize(
    "kind", [pa.float64(), pa.float32(), pa.timestamp("ms"), pa.timestamp("ns", "UTC"), pa.int64()]
)
def test_times_that_are_not_known(robot, tmp_path, kind) -> None:
    t = pa.array([1, None, 3], pa.int64()).cast(kind)
    got = seconds("m", written(tmp_path / "m.csv", robot, t).t)
    assert_same_bits(got, seconds("m", t))
    assert np.isnan(got).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("times", "told"),
    [
        (
            ["2023-11-14 22:13:20", "2023-11-14 22:13:21", "noon"],
            "row 13: time is not a time stamp as those before, .*'noon'",
        ),
        (["2023-11-14 22:13:20", "3.5"], "row 12: time is not a time stamp as those before, .*: '3.5'"),
        (["1.5", "2023-11-14 22:13:20"], "row 12: time is not a number: '2023-11-14 22:13:20'"),
        (["2023-11-14 22:13:20", "2023-11-14 22:13:21Z"], "row 12: time is not a time stamp as those before"),
        (["", "noon"], "row 12: time is not a number: 'noon'"),
        (["1700000000000000001", "2"], "row 11: time 1.7e\\+18 is in nanoseconds or the like"),
    ],
)
def test_text_that_is_no_time(times, told) -> None:
    with pytest.raises(rne.FileError, match=f"^m.csv: {told}"):
        seconds("m.csv", pa.array(times), 10)


def test_time_stamps_with_a_zone_after_a_first_one_without() -> None:
    with pytest.raises(rne.FileError, match=r"m.csv: row 11: time is not a time stamp as that of the first row"):
        seconds("m.csv", pa.array(["2023-11-14 22:13:20Z"]), 10, pa.scalar("2023-11-14 22:13:20"))


def test_bytes_that_are_no_text() -> None:
    t = pa.array([b"1", b"l\xe9"], pa.binary()).view(pa.string())
    with pytest.raises(rne.FileError, match=r"m.csv: row 2: time is not a number"):
        seconds("m.csv", t)


def test_a_time_that_is_no_type_of_time(robot, tmp_path) -> None:
    with pytest.raises(rne.ArgumentError, match="time: wanted a pyarrow type of numbers, text or time stamps, got"):
        Results(tmp_path / "m.csv", {"x": ["x"]}, time=pa.list_(pa.float64()))
    refused = pytest.raises(rne.ArgumentError, match=r"t: wanted timestamp.*, got string: ")
    with refused, Results(tmp_path / "m.parquet", {"x": ["x"]}, time=pa.timestamp("ms")) as results:
        results.write(pa.array(["noon"]), {"x": np.zeros((1, 1))})


def test_the_row_of_a_wrong_time_counts_those_written_before(tmp_path) -> None:
    refused = pytest.raises(rne.FileError, match="row 4: time is not a number: 'noon'")
    with refused, Results(tmp_path / "m.parquet", {"x": ["x"]}, time=pa.string()) as results:
        results.write(pa.array(["1", "2"]), {"x": np.zeros((2, 1))})
        results.write(pa.array(["3", "noon"]), {"x": np.zeros((2, 1))})


def test_numbers_written_as_text_stay_numbers(tmp_path) -> None:
    with Results(tmp_path / "m.parquet", {"x": ["x"]}, time=pa.string()) as results:
        results.write(pa.array(["1.5", "1e300"]), {"x": np.zeros((2, 1))})
    assert parquet.read_table(tmp_path / "m.parquet")["t"].to_pylist() == [1.5, 1e300]
