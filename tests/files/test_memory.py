"""Memory is that of the program, not that of the file; measured in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import rne

ROOT = Path(rne.__file__).parents[1]
ROBOT = ROOT / "models/planar2/robot.dh.toml"
NAMES = ["t", *(f"{key}_{joint}" for key in ("q", "qd", "qdd") for joint in ("shoulder", "elbow"))]


def write(path: Path, rows: int) -> None:
    t = np.arange(rows) / 1000
    columns = {name: np.sin(t * (k + 1)) if k else t for k, name in enumerate(NAMES)}
    if path.suffix == ".parquet":  # one row group, the worst that there is
        parquet.write_table(pa.table(columns), path, row_group_size=rows, use_dictionary=False)
    elif path.suffix == ".csv":
        csv.write_csv(pa.table(columns), path)
    else:
        np.savez(path, **columns)


def peak(path: Path, *options: str) -> int:
    """Most memory of `rne id`, kB; ru_maxrss would be no less than what this process has."""
    code = f"""
import re, sys; sys.path.insert(0, {str(ROOT)!r})
from rne.cli import main
main(["id", {str(ROBOT)!r}, *sys.argv[1:]], standalone_mode=False)
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read()).group(1))
"""
    command = [sys.executable, "-c", code, str(path), "-o", str(path.with_suffix(".out")), "--threads", "2", *options]
    return int(subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout.splitlines()[-1])


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
@pytest.mark.parametrize(
    ("suffix", "rows", "options"),
    [
        ("parquet", 1_500_000, ["--format", "parquet"]),
        ("csv", 800_000, []),
        ("npz", 1_200_000, ["--format", "npz"]),
    ],
)
def test_memory_does_not_grow_with_the_file(tmp_path, suffix, rows, options) -> None:
    peaks = []
    for count in (rows // 10, rows):
        path = tmp_path / f"m{count}.{suffix}"
        write(path, count)
        peaks.append(peak(path, *options))
        path.unlink()
    small, large = peaks
    assert large < small + 60_000  # a row group that is written, but not the numbers of the file
    assert large < 400_000
