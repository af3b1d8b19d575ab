"""Every format gives the numbers that were put into it, whoever wrote it, to the last bit."""

from __future__ import annotations

import decimal
import gzip
import io
import itertools

import numpy as np
import own_robots
import pyarrow as pa
import pytest
from checks import assert_same_bits
from motions import WRITERS, N, arrays, load_npz
from pyarrow import csv, feather, parquet

import rne
from rne.files import Results, Trajectory


def read(path, robot, **options) -> rne.files.Chunk:
    with Trajectory(path, robot, **options) as motion:
        return rne.files.joined(list(motion))


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("chunk", [None, 7, N])
def test_what_libraries_write_is_read(robot, motion, tmp_path, name, chunk) -> None:
    WRITERS[name](tmp_path / name, motion)
    got = read(tmp_path / name, robot, chunk=chunk)
    assert got.rows == N
    for key, wanted in arrays(robot, motion).items():
        assert_same_bits(got.arrays[key], wanted)
    assert_same_bits(rne.files.seconds(name, got.t), motion["t"])


@pytest.mark.parametrize("name", ["m.parquet", "m.csv", "columns.npz", "m.feather"])
def test_order_of_columns_and_other_columns_do_not_matter(robot, motion, tmp_path, name) -> None:
    order = np.random.default_rng(3).permutation(list(motion))
    WRITERS[name](tmp_path / name, {"other": motion["t"] * 2} | {key: motion[key] for key in order})
    with Trajectory(tmp_path / name, robot) as trajectory:
        assert trajectory.columns.remarks == ("ignored columns: other",)
        got = rne.files.joined(list(trajectory))
    for key, wanted in arrays(robot, motion).items():
        assert_same_bits(got.arrays[key], wanted)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("chunk", [None, 11])
def test_npz_of_arrays(robot, motion, tmp_path, order, save, chunk) -> None:
    """As a planner saves them: (N, n) by quantity, in any order of memory."""
    wanted = arrays(robot, motion)
    save(tmp_path / "m.npz", t=motion["t"], **{key: np.asarray(a, order=order) for key, a in wanted.items()})
    got = read(tmp_path / "m.npz", robot, chunk=chunk)
    for key in wanted:
        assert_same_bits(got.arrays[key], wanted[key])
    assert_same_bits(got.t.to_numpy(), motion["t"])


def test_npy_of_the_first_quantities(robot, motion, tmp_path) -> None:
    wanted = arrays(robot, motion)
    for parts in (["q"], ["q", "qd"], ["q", "qd", "qdd"]):
        for time in ([], [motion["t"]]):
            np.save(tmp_path / "m.npy", np.column_stack([*time, *(wanted[key] for key in parts)]))
            got = read(tmp_path / "m.npy", robot)
            assert list(got.arrays) == parts
            assert (got.t is None) == (not time)
            assert_same_bits(got.arrays["q"], wanted["q"])
    np.save(tmp_path / "m.npy", np.zeros((3, 11)))
    with pytest.raises(rne.FileError, match=r"m.npy: 11 columns; wanted are the first of q \(6\) and qd \(6\) and qdd"):
        Trajectory(tmp_path / "m.npy", robot)


def test_an_npy_of_one_joint_that_may_mean_two_things(tmp_path) -> None:
    rod = own_robots.rod()
    [joint] = rod.joint_names
    for width in (2, 3):
        np.save(tmp_path / "m.npy", np.zeros((4, width)))
        with pytest.raises(rne.FileError, match=f"m.npy: {width} columns may be .*t, q_{joint}.*; wanted are names"):
            Trajectory(tmp_path / "m.npy", rod)
    np.save(tmp_path / "m.npy", np.ones((4, 4)))
    assert list(read(tmp_path / "m.npy", rod).arrays) == ["q", "qd", "qdd"]


def test_what_else_an_npz_holds_is_left_aside_and_never_unpickled(robot, motion, tmp_path) -> None:
    wanted = arrays(robot, motion)
    more = {
        "dt": 0.01,
        "names": np.array(robot.joint_names),
        "meta": np.array([{"a": 1}], dtype=object),
        "jacobians": np.zeros((N, 6, 2)),
        "log": np.zeros(3, [("x", float), ("y", float)]),
        "other": motion["t"],
    }
    np.savez(tmp_path / "m.npz", t=motion["t"], **wanted, **more)
    with Trajectory(tmp_path / "m.npz", robot) as trajectory:
        assert trajectory.columns.remarks == ("ignored columns: dt, names, meta, jacobians, log, other",)
        assert_same_bits(rne.files.joined(list(trajectory)).arrays["qdd"], wanted["qdd"])
    with pytest.raises(rne.FileError, match=r"m.npz: arrays of different length: .*, names 6"):
        Trajectory(tmp_path / "m.npz", robot, rename={"t": "names"})
    with (
        pytest.raises(rne.FileError, match=r"m.npz: dt: wanted an array of one or two axes"),
        Trajectory(tmp_path / "m.npz", robot, rename={"t": "dt"}) as trajectory,
    ):
        list(trajectory)


TYPES = {
    "float32": (pa.float32(), 0),
    "float16": (pa.float16(), 0),
    "int8": (pa.int8(), 0),
    "uint64": (pa.uint64(), 0),
    "int64": (pa.int64(), 0),
    "decimal": (pa.decimal128(12, 3), 0),
}


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_types_of_numbers(robot, motion, tmp_path, name, suffix) -> None:
    whole = {key: np.arange(N) % 100 for key in motion}
    column = pa.array([decimal.Decimal(int(x)) for x in whole["t"]] if name == "decimal" else whole["t"])
    table = pa.table({key: column.cast(pa.float64() if name == "float16" else column.type) for key in whole})
    table = table.cast(pa.schema([(key, TYPES[name][0]) for key in whole]))
    write = parquet.write_table if suffix == "parquet" else feather.write_feather
    write(table, str(tmp_path / f"m.{suffix}"))
    got = read(tmp_path / f"m.{suffix}", robot)
    assert_same_bits(got.arrays["qd"], arrays(robot, whole)["qd"].astype(float))


def test_a_dictionary_of_numbers_and_of_words(robot, motion, tmp_path) -> None:
    table = pa.table(motion)
    coded = table.set_column(1, table.column_names[1], pa.array(motion["q_turret"]).dictionary_encode())
    feather.write_feather(coded, str(tmp_path / "m.arrow"))
    assert_same_bits(read(tmp_path / "m.arrow", robot).arrays["q"], arrays(robot, motion)["q"])
    words = table.set_column(1, table.column_names[1], pa.array(["a"] * N).dictionary_encode())
    feather.write_feather(words, str(tmp_path / "m.arrow"))
    with pytest.raises(rne.FileError, match=r"m.arrow: column 'q_turret': wanted numbers, got string"):
        Trajectory(tmp_path / "m.arrow", robot)


@pytest.mark.parametrize(
    ("kind", "told"), [(pa.string(), "string"), (pa.bool_(), "bool"), (pa.null(), "null"), (pa.date32(), "date32")]
)
def test_other_types_are_refused(robot, motion, tmp_path, kind, told) -> None:
    table = pa.table({**motion, "qd_roll": pa.nulls(N, kind)})
    parquet.write_table(table, tmp_path / "m.parquet")
    with pytest.raises(rne.FileError, match=f"m.parquet: column 'qd_roll': wanted numbers, got {told}"):
        Trajectory(tmp_path / "m.parquet", robot)


def test_time_stamps(robot, motion, tmp_path) -> None:
    """Of a data lake, in nanoseconds; to differences a float of seconds since 1970 could not tell."""
    start, steps = 1_700_000_000_000_000_000, np.arange(N) * 1_000_100
    stamps = pa.array(start + steps).cast(pa.timestamp("ns"))
    parquet.write_table(pa.table({**motion, "t": stamps}), tmp_path / "m.parquet")
    got = read(tmp_path / "m.parquet", robot)
    assert_same_bits(rne.files.seconds("m", got.t, origin=got.t[0]), steps / 1e9)
    with Results(tmp_path / "r.parquet", {"x": ["x"]}, time=got.t.type) as results:
        results.write(got.t, {"x": np.zeros((N, 1))})
    assert parquet.read_table(tmp_path / "r.parquet")["t"].combine_chunks() == stamps


READERS = {
    "csv": csv.read_csv,
    "csv.gz": csv.read_csv,
    "csv.zst": csv.read_csv,
    "csv.bz2": csv.read_csv,
    "parquet": parquet.read_table,
    "arrow": lambda path: feather.read_table(str(path)),
    "feather": lambda path: feather.read_table(str(path)),
}


@pytest.mark.parametrize("suffix", READERS)
@pytest.mark.parametrize("single", [False, True])
def test_results_are_read_by_the_libraries(robot, motion, tmp_path, suffix, single) -> None:
    dtype = np.float32 if single else np.float64
    q = arrays(robot, motion)["q"].astype(dtype)
    names = [f"tau_{joint}" for joint in robot.joint_names]
    path = tmp_path / f"r.{suffix}"
    with Results(path, {"tau": names}, time=pa.float64(), single=single) as results:
        for start in range(0, N, 77):
            results.write(pa.array(motion["t"][start : start + 77]), {"tau": q[start : start + 77]})
    table = READERS[suffix](path)
    assert table.column_names == ["t", *names]
    got = np.column_stack([table[name].to_numpy() for name in names])
    assert_same_bits(got.astype(dtype), q)
    assert_same_bits(table["t"].to_numpy(), motion["t"])
    assert list(tmp_path.iterdir()) == [path]


def test_gzip_is_packed_the_fast_way_and_tells_neither_name_nor_time(tmp_path) -> None:
    with Results(tmp_path / "r.csv.gz", {"x": ["x"]}) as results:
        results.write(None, {"x": np.ones((3, 1))})
    data = (tmp_path / "r.csv.gz").read_bytes()
    assert data[3:10] == bytes([0, 0, 0, 0, 0, 4, 255])  # RFC 1952: flags, time, "fastest algorithm", system unknown
    assert gzip.decompress(data) == b"x\n1\n1\n1\n"


@pytest.mark.parametrize("single", [False, True])
def test_results_in_arrays(robot, motion, tmp_path, single) -> None:
    dtype = np.float32 if single else np.float64
    q, qd, _ = (a.astype(dtype) for a in arrays(robot, motion).values())
    names = {key: [f"{key}_{joint}" for joint in robot.joint_names] for key in ("a", "b")}
    for suffix, time in itertools.product(("npy", "npz"), (None, pa.float64())):
        with Results(tmp_path / f"r.{suffix}", names, time=time, single=single) as results:
            for rows in (slice(0, 100), slice(100, 100), slice(100, N)):
                results.write(None if time is None else pa.array(motion["t"][rows]), {"a": q[rows], "b": qd[rows]})
        got = (np.load if suffix == "npy" else load_npz)(tmp_path / f"r.{suffix}")
        t = [] if time is None else [motion["t"]]  # never of single precision
        if suffix == "npy":
            assert_same_bits(got, np.column_stack([*t, q, qd]))
        else:
            assert set(got) == {"a", "b", *(["t"] * len(t))}
            assert_same_bits(got["b"], qd)
            if t:
                assert_same_bits(got["t"], motion["t"])
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("name", [name for name in WRITERS if name != "numpy.csv"])
def test_files_of_no_row_and_of_one(robot, motion, tmp_path, name, rows) -> None:
    WRITERS[name](tmp_path / name, {key: column[:rows] for key, column in motion.items()})
    with Trajectory(tmp_path / name, robot) as trajectory:
        chunks = list(trajectory)
    assert sum(chunk.rows for chunk in chunks) == rows
    for suffix in ("csv", "parquet", "arrow", "npy", "npz"):
        with Results(tmp_path / f"r.{suffix}", {"q": ["a", "b"]}, time=pa.float64()) as results:
            for _ in range(rows):
                results.write(pa.array([0.5]), {"q": np.ones((1, 2))})
    assert np.load(tmp_path / "r.npy").shape == (rows, 3)
    assert load_npz(tmp_path / "r.npz")["q"].shape == (rows, 2)
    assert len(csv.read_csv(tmp_path / "r.csv")) == rows
    assert len(parquet.read_table(tmp_path / "r.parquet")) == rows
    assert len(feather.read_table(str(tmp_path / "r.arrow"))) == rows


def test_streams(robot, motion, tmp_path) -> None:
    WRITERS["m.parquet"](tmp_path / "m.parquet", motion)
    data = io.BytesIO((tmp_path / "m.parquet").read_bytes())
    got = read(data, robot, format="parquet")
    assert_same_bits(got.arrays["q"], arrays(robot, motion)["q"])
    for kind in ("csv", "parquet", "arrow", "npy"):
        stream = io.BytesIO()
        with Results(stream, {"q": list(robot.joint_names)}, format=kind) as results:
            results.write(None, {"q": got.arrays["q"]})
        assert not stream.closed
        assert len(stream.getvalue()) > 1000


def test_other_names(robot, motion, tmp_path) -> None:
    names = {"q": "pos[{0}]", "qd": "vel_{1}", "qdd": "{joint} acc", "t": "stamp"}
    renamed = {"stamp": motion["t"]}
    for key in ("q", "qd", "qdd"):
        for k, joint in enumerate(robot.joint_names):
            name = {"q": f"pos[{k}]", "qd": f"vel_{k + 1}", "qdd": f"{joint} acc"}[key]
            renamed[name] = motion[f"{key}_{joint}"]
    WRITERS["m.parquet"](tmp_path / "m.parquet", renamed)
    got = read(tmp_path / "m.parquet", robot, rename=names)
    for key, wanted in arrays(robot, motion).items():
        assert_same_bits(got.arrays[key], wanted)
    assert_same_bits(got.t.to_numpy(), motion["t"])
    for wrong in ({"x": "a{joint}"}, {"q": "position"}):
        with pytest.raises(rne.ArgumentError, match="rename: wanted"):
            Trajectory(tmp_path / "m.parquet", robot, rename=wrong)
