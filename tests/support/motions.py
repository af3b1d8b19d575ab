"""Motions in every format, written by the libraries themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars
import pyarrow as pa
from pyarrow import csv, feather, parquet

import rne

Columns = dict[str, np.ndarray]
N = 300


def arrays(robot: rne.Robot, columns: Columns) -> Columns:
    """(N, n) arrays by quantity."""
    return {
        key: np.column_stack([columns[f"{key}_{joint}"] for joint in robot.joint_names]) for key in ("q", "qd", "qdd")
    }


def load_npz(path: Path) -> Columns:
    with np.load(path) as file:
        return dict(file)


def _npz(path: Path, columns: Columns) -> None:
    np.savez(path, **columns)


def _structured(path: Path, columns: Columns) -> None:
    np.save(path, np.rec.fromarrays(list(columns.values()), names=list(columns)))


WRITERS: dict[str, Callable[[Path, Columns], object]] = {
    "m.csv": lambda path, columns: csv.write_csv(pa.table(columns), path),
    "m.csv.gz": lambda path, columns: csv.write_csv(pa.table(columns), pa.output_stream(path, "gzip")),
    "m.csv.zst": lambda path, columns: csv.write_csv(pa.table(columns), pa.output_stream(path, "zstd")),
    "m.csv.bz2": lambda path, columns: csv.write_csv(pa.table(columns), pa.output_stream(path, "bz2")),
    "polars.csv": lambda path, columns: polars.DataFrame(columns).write_csv(path),
    "numpy.csv": lambda path, columns: np.savetxt(
        path, np.column_stack(list(columns.values())), "%.17g", ",", header=",".join(columns)
    ),
    "m.parquet": lambda path, columns: parquet.write_table(pa.table(columns), path, row_group_size=70),
    "polars.parquet": lambda path, columns: polars.DataFrame(columns).write_parquet(path, row_group_size=128),
    "m.feather": lambda path, columns: feather.write_feather(pa.table(columns), str(path), chunksize=90),
    "polars.arrow": lambda path, columns: polars.DataFrame(columns).write_ipc(path),
    "columns.npz": _npz,
    "fields.npy": _structured,
    "m.npy": lambda path, columns: np.save(path, np.column_stack(list(columns.values()))),
    "fortran.npy": lambda path, columns: np.save(path, np.asfortranarray(np.column_stack(list(columns.values())))),
    "big-endian.npy": lambda path, columns: np.save(path, np.column_stack(list(columns.values())).astype(">f8")),
}
