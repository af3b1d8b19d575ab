"""What is written is what was promised: quantities by name, widths, lengths and times are the same in all formats."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import lzma

import numpy as np
import pyarrow as pa
import pytest
from checks import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st
from motions import load_npz
from pyarrow import csv, feather, parquet

import rne
from rne.files import Results

FORMATS = ["csv", "csv.gz", "parquet", "arrow", "npy", "npz"]
NAMES = {"tau": ["tau_a", "tau_b"], "x": ["x_a"]}
TAU = np.arange(8.0).reshape(4, 2)
X = -np.arange(1.0, 5.0)[:, None]
T = pa.array([0.0, 0.5, 1.0, 1.5])


def columns(path) -> np.ndarray:
    """t, tau_a, tau_b, x_a, found by name wherever there are names."""
    if path.suffix == ".npy":
        return np.load(path)
    if path.suffix == ".npz":
        got = load_npz(path)
        return np.column_stack([got["t"], got["tau"], got["x"]])
    read = {".parquet": parquet.read_table, ".arrow": lambda p: feather.read_table(str(p))}.get(path.suffix)
    table = (read or csv.read_csv)(path)
    return np.column_stack([table[name].to_numpy() for name in ("t", "tau_a", "tau_b", "x_a")])


@pytest.mark.parametrize("suffix", FORMATS)
def test_arrays_are_taken_by_key_whatever_their_order(tmp_path, suffix) -> None:
    path = tmp_path / f"r.{suffix}"
    with Results(path, NAMES, time=pa.float64()) as results:
        results.write(T[:2], {"x": X[:2], "tau": TAU[:2]})
        results.write(T[2:], {"tau": TAU[2:], "x": X[2:]})
    assert_same_bits(columns(path), np.column_stack([T.to_numpy(), TAU, X]))


WRONG = {
    "a foreign key": (T, {"tau": TAU, "x": X, "y": X}, "arrays: wanted tau, x, got tau, x, y"),
    "a missing key": (T, {"tau": TAU}, "arrays: wanted tau, x, got tau"),
    "no mapping": (T, [TAU, X], "arrays: wanted a mapping from quantity to array"),
    "too wide": (T, {"tau": np.zeros((4, 3)), "x": X}, r"arrays\['tau'\]: wanted shape \(rows, 2\), got \(4, 3\)"),
    "too narrow": (T, {"tau": np.zeros((4, 1)), "x": X}, r"arrays\['tau'\]: wanted shape \(rows, 2\), got \(4, 1\)"),
    "one axis": (T, {"tau": TAU, "x": X[:, 0]}, r"arrays\['x'\]: wanted shape \(4, 1\), got \(4,\)"),
    "other length": (T, {"tau": TAU, "x": X[:3]}, r"arrays\['x'\]: wanted shape \(4, 1\), got \(3, 1\)"),
    "no numbers": (T, {"tau": TAU.astype(str), "x": X}, r"arrays\['tau'\]: wanted real numbers"),
    "complex numbers": (T, {"tau": TAU * 1j, "x": X}, r"arrays\['tau'\]: wanted real numbers, got complex128"),
    "times of other length": (T[:3], {"tau": TAU, "x": X}, "t: wanted 4 times, one a row of the arrays, got 3"),
    "no times": (None, {"tau": TAU, "x": X}, "t: wanted times, got None"),
    "times that are no array": ("now", {"tau": TAU, "x": X}, "t: wanted a pyarrow array, got 'now'"),
}


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_fit_is_refused_in_every_format(tmp_path, suffix, what) -> None:
    t, arrays, told = WRONG[what]
    path = tmp_path / f"r.{suffix}"
    with pytest.raises(rne.ArgumentError, match=told) as caught, Results(path, NAMES, time=pa.float64()) as results:
        results.write(t, arrays)
    assert str(caught.value).startswith(f"{path}: ")
    assert not path.exists()


@pytest.mark.parametrize("suffix", ["mat", "h5", "mcap"])
def test_formats_that_are_only_read(suffix, tmp_path) -> None:
    with pytest.raises(rne.ArgumentError, match="files are only read; written are csv, parquet"):
        Results(tmp_path / f"r.{suffix}", NAMES)


@given(
    shapes=st.tuples(*[st.lists(st.integers(0, 3), max_size=3)] * 2),
    keys=st.lists(st.sampled_from(["tau", "x", "y"]), unique=True, max_size=3),
    times=st.integers(0, 3),
)
def test_all_formats_accept_the_same(shapes, keys, times) -> None:
    """Only what has the promised keys, widths and lengths."""
    given_arrays = {key: np.ones(shapes[key == "x"]) for key in keys}
    right = set(keys) == {"tau", "x"} and shapes[0] == [times, 2] and shapes[1] == [times, 1]
    for kind in ("csv", "parquet", "arrow", "npy", "npz"):
        with Results(io.BytesIO(), NAMES, time=pa.float64(), format=kind) as results:
            try:
                results.write(pa.nulls(times, pa.float64()), given_arrays)
            except rne.ArgumentError:
                assert not right
            else:
                assert right


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ({"q": ["a", "b"], "qd": ["a", "c"]}, "columns: duplicate names: a"),
        ({"q": ["t", "b"]}, "columns: duplicate names: t"),
        ({"t": ["a"]}, "columns: t is the name of the times"),
        ({"q": "ab"}, "columns: wanted by quantity the names"),
    ],
)
@pytest.mark.parametrize("suffix", FORMATS)
def test_names_that_cannot_be_told_apart(tmp_path, names, told, suffix) -> None:
    with pytest.raises(rne.ArgumentError, match=told):
        Results(tmp_path / f"r.{suffix}", names, time=pa.float64())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", FORMATS)
def test_no_columns_and_times_nobody_asked_for(tmp_path, suffix) -> None:
    with pytest.raises(rne.ArgumentError, match="columns: wanted one column or more"):
        Results(tmp_path / f"r.{suffix}", {})
    refused = pytest.raises(rne.ArgumentError, match=r"t: wanted None, because the file has no column t \(see time\)")
    with refused, Results(tmp_path / f"r.{suffix}", NAMES) as results:
        results.write(T, {"tau": TAU, "x": X})


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("single", [False, True])
def test_other_types_of_numbers_become_those_of_the_file(tmp_path, suffix, single) -> None:
    path = tmp_path / f"r.{suffix}"
    for tau, x in ((TAU.astype(int), X.astype(np.float32)), (TAU.astype(np.float32), X.astype(np.int8))):
        with Results(path, NAMES, time=pa.float64(), single=single) as results:
            results.write(T, {"tau": tau, "x": x})
        assert (columns(path) == np.column_stack([T.to_numpy(), TAU, X])).all()
    refused = pytest.raises(rne.ArgumentError, match="numbers too large for float32")
    with refused, Results(path, NAMES, time=pa.float64(), single=True) as results:
        results.write(T, {"tau": TAU * 1e300, "x": X})


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("start", [1000.0, 1.7e9])
def test_times_keep_their_digits_in_single_precision(tmp_path, suffix, start) -> None:
    """5,000 samples of a millisecond, late after the start of a clock."""
    t = start + np.arange(5000) / 1000
    path = tmp_path / f"r.{suffix}"
    values = np.random.default_rng(1).normal(size=(5000, 3)).astype(np.float32)
    with Results(path, NAMES, time=pa.float64(), single=True) as results:
        results.write(pa.array(t), {"tau": values[:, :2], "x": values[:, 2:]})
    got = columns(path)
    assert_same_bits(np.ascontiguousarray(got[:, 0]), t)
    assert_same_bits(got[:, 1:].astype(np.float32), values)


def test_an_npy_without_times_is_of_single_precision(tmp_path) -> None:
    with Results(tmp_path / "r.npy", NAMES, single=True) as results:
        results.write(None, {"tau": TAU, "x": X})
    assert np.load(tmp_path / "r.npy").dtype == np.float32


PACKERS = {"gz": gzip, "bz2": bz2, "xz": lzma}


@pytest.mark.parametrize("packer", PACKERS)
def test_a_stream_that_packs_is_packed_once(robot, motion, tmp_path, packer) -> None:
    path = tmp_path / f"r.csv.{packer}"
    with PACKERS[packer].open(path, "wb") as stream, Results(stream, {"x": ["x"]}) as results:
        results.write(None, {"x": X})
    assert PACKERS[packer].decompress(path.read_bytes()) == b"x\n-1\n-2\n-3\n-4\n"
    names = {"q": [f"q_{joint}" for joint in robot.joint_names]}
    with PACKERS[packer].open(path, "wb") as stream, Results(stream, names) as results:
        results.write(None, {"q": np.ones((3, robot.n))})
    with PACKERS[packer].open(path, "rb") as stream:
        with rne.files.Trajectory(stream, robot, name=str(path)) as trajectory:
            assert [chunk.rows for chunk in (*trajectory, *trajectory)] == [3, 3]
        assert not stream.closed


@pytest.mark.parametrize("buffering", [-1, 0])
def test_an_open_file_is_packed_by_its_name_as_a_path_is(robot, tmp_path, buffering) -> None:
    path = tmp_path / "r.csv.gz"
    with path.open("wb", buffering) as stream:
        with Results(stream, {"q": [f"q_{joint}" for joint in robot.joint_names]}) as results:
            results.write(None, {"q": np.ones((3, robot.n))})
        assert not stream.closed
    assert gzip.decompress(path.read_bytes()).count(b"\n") == 4
    with path.open("rb", buffering) as stream:
        with rne.files.Trajectory(stream, robot) as trajectory:
            assert [chunk.rows for chunk in (*trajectory, *trajectory)] == [3, 3]
        del trajectory
        assert not stream.closed


@pytest.mark.parametrize(("packer", "kind"), [*itertools.product(PACKERS, ["npy", "npz"])])
def test_arrays_into_a_stream_that_packs_are_refused_at_once(tmp_path, packer, kind) -> None:
    refused = pytest.raises(rne.FileError, match=f"{kind} cannot be written into a pipe, or a stream that packs it")
    with PACKERS[packer].open(tmp_path / f"r.{packer}", "wb") as stream, refused:
        Results(stream, {"x": ["x"]}, format=kind)


def test_an_npy_behind_something_else_in_a_stream() -> None:
    stream = io.BytesIO()
    stream.write(b"before")
    with Results(stream, {"x": ["x"]}, format="npy") as results:
        results.write(None, {"x": X})
    stream.write(b"after")
    stream.seek(6)
    assert_same_bits(np.load(stream), X)
    assert stream.getvalue().startswith(b"before")
    assert stream.getvalue().endswith(b"after")


def test_a_tilde_is_the_home_folder(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    with Results("~/out.csv", NAMES) as results:
        results.write(None, {"tau": TAU, "x": X})
    written = csv.read_csv(tmp_path / "out.csv")
    assert written.num_rows == len(TAU)
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
