"""What is wrong with a file is told in one line that begins with its name; nothing is guessed."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from checks import assert_same_bits
from motions import WRITERS, N, arrays
from pyarrow import parquet

import rne
from rne.files import Trajectory


def refusal(path: Path, robot: rne.Robot, **options) -> str:
    with pytest.raises(rne.FileError) as caught, Trajectory(path, robot, **options) as motion:
        for _ in motion:
            pass
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(str(path))


PACKED = [name for name in WRITERS if name.endswith((".gz", ".zst", ".bz2"))]


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("part", [0.3, 0.9, 0.999])
def test_packed_files_that_are_cut_off(robot, motion, tmp_path, name, part) -> None:
    path = tmp_path / name
    WRITERS[name](path, motion)
    path.write_bytes(path.read_bytes()[: int(part * path.stat().st_size)])
    assert refusal(path, robot).startswith(": the compressed file is damaged or cut off")


@pytest.mark.parametrize("name", PACKED)
def test_what_is_not_packed_at_all(robot, motion, tmp_path, name) -> None:
    WRITERS["m.csv"](tmp_path / name, motion)
    assert refusal(tmp_path / name, robot).startswith(": the compressed file is damaged or cut off")


@pytest.mark.parametrize("name", ["m.parquet", "m.feather", "columns.npz", "m.npy", "fields.npy", "fortran.npy"])
@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.99])
def test_files_that_are_cut_off(robot, motion, tmp_path, name, part) -> None:
    path = tmp_path / name
    WRITERS[name](path, motion)
    path.write_bytes(path.read_bytes()[: int(part * path.stat().st_size)])
    refusal(path, robot)


@pytest.mark.parametrize("name", ["m.parquet", "m.feather", "columns.npz", "m.npy"])
def test_something_else_under_that_name(robot, motion, tmp_path, name) -> None:
    WRITERS["m.csv"](tmp_path / name, motion)
    assert "cannot be read" in refusal(tmp_path / name, robot)


@pytest.mark.parametrize("name", ["m.parquet", "columns.npz"])
@pytest.mark.parametrize("seed", range(5))
def test_bytes_that_are_wrong(robot, motion, tmp_path, name, seed) -> None:
    """Checksums are not everywhere; but what is read is a trajectory or an error, never a crash."""
    path = tmp_path / name
    WRITERS[name](path, motion)
    data = bytearray(path.read_bytes())
    random = np.random.default_rng(seed)
    for place in random.integers(0, len(data), 30):
        data[place] ^= 0xFF
    path.write_bytes(data)
    try:
        with Trajectory(path, robot) as trajectory:
            rows = sum(chunk.rows for chunk in trajectory)
    except rne.FileError:
        return
    assert rows == N


def test_checksums_of_parquet_are_looked_at_where_there_are_some(robot, motion, tmp_path) -> None:
    path = tmp_path / "m.parquet"
    options = {"write_page_checksum": True, "compression": None, "use_dictionary": False}
    parquet.write_table(pa.table(motion), path, **options)
    column = parquet.ParquetFile(path).metadata.row_group(0).column(3)
    data = bytearray(path.read_bytes())
    data[column.data_page_offset + column.total_compressed_size - 4] ^= 1  # of a number
    path.write_bytes(data)
    assert refusal(path, robot).startswith(": after row 0: cannot be read: ")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("column", [0, 3, -1])
def test_checksums_of_an_npz_are_looked_at_in_any_order_of_memory(robot, motion, tmp_path, save, order, column) -> None:
    path = tmp_path / "m.npz"
    wanted = {key: np.asarray(array, order=order) for key, array in arrays(robot, motion).items()}
    save(path, **wanted)
    with zipfile.ZipFile(path) as archive:
        infos = archive.infolist()
    data = bytearray(path.read_bytes())
    info = next(info for info in infos if info.filename == "qd.npy")
    if save is np.savez:
        place = data.find(wanted["qd"][7, column].tobytes(), info.header_offset)
    else:
        place = info.header_offset + info.compress_size // 2
    data[place] ^= 1
    path.write_bytes(data)
    assert refusal(path, robot, chunk=50).startswith(": qd: cannot be read: ")


def test_an_npz_of_columns_is_not_read_ahead_of_its_rows(robot, motion, tmp_path) -> None:
    """Nothing is gone through when a file is only opened, and each column but the last is found by its place."""
    wanted = {key: np.asfortranarray(array) for key, array in arrays(robot, motion).items()}
    np.savez(tmp_path / "m.npz", **wanted)

    class Counting(io.FileIO):
        count = 0

        def read(self, size: int = -1) -> bytes:
            data = super().read(size)
            Counting.count += len(data)
            return data

    size = (tmp_path / "m.npz").stat().st_size
    with Counting(tmp_path / "m.npz") as stream, Trajectory(stream, robot, format="npz") as trajectory:
        opened = Counting.count
        assert sum(chunk.rows for chunk in trajectory) == N
    assert opened < size / 2
    assert Counting.count < 2.5 * size


def test_an_npz_that_is_encrypted(robot, motion, tmp_path) -> None:
    path = tmp_path / "columns.npz"
    WRITERS["columns.npz"](path, motion)
    data = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):  # the flag of encryption, in both headers
        start = -1
        while (start := data.find(mark, start + 1)) >= 0:
            data[start + place] |= 1
    path.write_bytes(data)
    assert "encrypted" in refusal(path, robot)


@pytest.mark.parametrize(
    "error", [EOFError(), zipfile.BadZipFile(), ValueError(""), zlib.error("\n"), ValueError("a\nb")]
)
def test_a_reason_is_never_empty_and_one_line(robot, motion, tmp_path, monkeypatch, error) -> None:
    WRITERS["columns.npz"](tmp_path / "columns.npz", motion)

    def fail(*args: object) -> None:
        raise error

    monkeypatch.setattr(zipfile.ZipExtFile, "read", fail)
    assert re.fullmatch(r": \w+: cannot be read: \S.*", refusal(tmp_path / "columns.npz", robot))


@pytest.mark.parametrize(
    ("name", "owner", "reader"),
    [
        ("m.parquet", parquet, "ParquetFile"),
        ("m.feather", pa.ipc, "open_file"),
        ("m.csv.gz", pa, "CompressedInputStream"),
    ],
)
def test_a_reason_of_pyarrow_is_never_empty(robot, motion, tmp_path, monkeypatch, name, owner, reader) -> None:
    WRITERS[name](tmp_path / name, motion)

    class Failing:
        def __init__(self, *args: object, **options: object) -> None:
            if name != "m.csv.gz":
                self.read()

        def read(self, *args: object) -> None:
            raise OSError

    monkeypatch.setattr(owner, reader, Failing)
    assert refusal(tmp_path / name, robot).endswith(": OSError")


@pytest.mark.parametrize("place", [0, 30])
def test_an_npz_whose_member_begins_with_something_else(robot, motion, tmp_path, place) -> None:
    """Its magic number, or its name."""
    path = tmp_path / "columns.npz"
    WRITERS["columns.npz"](path, motion)
    data = bytearray(path.read_bytes())
    data[place] ^= 0xFF
    path.write_bytes(data)
    assert "cannot be read: " in refusal(path, robot)


def test_a_column_that_is_damaged_in_the_third_row_group(robot, motion, tmp_path) -> None:
    path = tmp_path / "m.parquet"
    WRITERS["m.parquet"](path, motion)
    places = parquet.ParquetFile(path).metadata.row_group(2).column(3)
    data = bytearray(path.read_bytes())
    start = places.dictionary_page_offset or places.data_page_offset
    data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data)
    found = re.match(r": after row (\d+): cannot be read: ", refusal(path, robot, chunk=35))
    assert found
    assert 105 <= int(found.group(1)) <= 140


def test_a_column_that_is_null_in_the_third_row_group_is_nan_there(robot, motion, tmp_path) -> None:
    mask = np.zeros(N, bool)
    mask[140:210] = True
    table = pa.table({**motion, "q_roll": pa.array(motion["q_roll"], mask=mask)})
    parquet.write_table(table, tmp_path / "m.parquet", row_group_size=70)
    with Trajectory(tmp_path / "m.parquet", robot, chunk=50) as trajectory:
        got = rne.files.joined(list(trajectory))
    wanted = arrays(robot, motion)["q"]
    wanted[mask, robot.joint_names.index("roll")] = np.nan
    assert_same_bits(got.arrays["q"], wanted)
    assert got.nulls == 70


@pytest.mark.parametrize("name", ["m.parquet", "m.feather", "columns.npz", "fields.npy"])
def test_columns_that_do_not_fit(robot, motion, tmp_path, name) -> None:
    path = tmp_path / name

    def told(change: dict[str, str | None]) -> str:
        WRITERS[name](path, {change.get(k, k): column for k, column in motion.items() if change.get(k, k)})
        return refusal(path, robot)

    assert told({"q_roll": None}) == ": missing columns: q_roll"
    assert told({"q_roll": "q_role"}) == ": missing columns: q_roll (did you mean 'q_role'?)"
    assert told({"t": "qd_rolls"}).endswith(
        ": columns of joints that arm does not have: qd_rolls (did you mean 'qd_roll'?)"
    )


def test_columns_that_stand_twice(robot, motion, tmp_path) -> None:
    table = pa.table(motion)
    parquet.write_table(table.append_column("q_roll", table["q_roll"]), tmp_path / "m.parquet")
    assert refusal(tmp_path / "m.parquet", robot) == ": duplicate columns: q_roll"


def test_arrays_that_do_not_fit(robot, motion, tmp_path) -> None:
    wanted = arrays(robot, motion)
    path = tmp_path / "m.npz"
    np.savez(path, q=wanted["q"], qd=wanted["qd"][:-1])
    assert refusal(path, robot) == ": arrays of different length: q 300, qd 299"
    np.savez(path, q=wanted["q"][:, :-1])
    assert refusal(path, robot).startswith(": q: wanted 6 columns (q_turret, q_shoulder, ")
    np.savez(path, q=wanted["q"].astype(object))
    assert ": q: wanted an array of one or two axes, got object" in refusal(path, robot)
    np.savez(path, q=wanted["q"], qd=wanted["qd"] * 1j)
    assert "column 'qd_turret': wanted numbers" in refusal(path, robot)
    np.savez(path)
    assert refusal(path, robot).startswith(": missing columns: q_turret, ")


def test_arguments(robot, motion, tmp_path) -> None:
    WRITERS["m.csv"](tmp_path / "m.csv", motion)
    with pytest.raises(rne.ArgumentError, match="chunk: wanted a whole number of at least 1, got 0"):
        Trajectory(tmp_path / "m.csv", robot, chunk=0)
    with pytest.raises(rne.ArgumentError, match="format: wanted 'csv', 'parquet', 'arrow', 'npy' or 'npz', got 'xls'"):
        Trajectory(tmp_path / "m.csv", robot, format="xls")
    with pytest.raises(rne.ArgumentError, match="format: wanted 'csv'"):
        rne.files.Results(tmp_path / "r.csv", {}, format="xls")
    with pytest.raises(rne.ArgumentError, match="parquet files are compressed inside"):
        rne.files.Results(tmp_path / "r.parquet.gz", {})
    with pytest.raises(FileNotFoundError):
        Trajectory(tmp_path / "none.parquet", robot)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
@pytest.mark.parametrize("kind", ["parquet", "npz", "npy"])
def test_pipes_are_refused_where_the_format_needs_a_file(robot, tmp_path, kind) -> None:
    read, write = os.pipe()
    refused = pytest.raises(rne.FileError, match=r"<stream>: .*wanted is a file, not a pipe")
    with os.fdopen(read, "rb") as stream, os.fdopen(write, "wb"), refused:
        Trajectory(stream, robot, format=kind)


def test_without_pyarrow(tmp_path) -> None:
    root = Path(rne.__file__).parents[1]
    code = f"""
import sys; sys.path.insert(0, {str(root)!r}); sys.modules["pyarrow"] = None
from rne.cli import main
main(["id", {str(root / "models/planar2/robot.dh.toml")!r}, "none.csv"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "trajectory files need pyarrow, which is not installed (pip install 'rne[files]')\n"
