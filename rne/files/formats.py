"""Which format a file has, by its name."""

from __future__ import annotations

import io
from pathlib import Path

from rne.check import check_choice
from rne.errors import ArgumentError

FORMATS = ("csv", "parquet", "arrow", "npy", "npz")  # written, and read from streams
CODECS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".lz4": "lz4"}  # as pyarrow calls them
_SUFFIXES = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".npy": "npy",
    ".npz": "npz",
    ".mat": "mat",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
    ".bag": "bag",
    ".db3": "bag",
    ".mcap": "bag",
}
_OTHERS = {
    ".json", ".jsonl", ".mdf", ".mf4", ".ods", ".pickle", ".pkl", ".tdms", ".ulg", ".xls", ".xlsx", ".xml", ".yaml",
    ".yml", ".zip", ".tar", ".7z", ".orc", ".avro", ".sqlite", ".urdf", ".toml", ".py", ".pdf", ".png",
}  # fmt: skip
_READ = (
    "CSV (.csv, .txt, .tsv, ...; also .gz, .zst, .bz2, .lz4), Parquet, Arrow, NPZ, NPY, and to be read alone .mat, "
    "HDF5 (.h5, .hdf5) and ROS bags (.bag, .db3, .mcap)"
)


def check_format(name: str | None) -> None:
    """Refuse an unknown format; None selects it by the name of the file.

    Raises
    ------
    ArgumentError
        The format is unknown.
    """
    if name is not None:
        check_choice("format", name, FORMATS)


def format_of(name: str) -> str:
    """Return the format of a file; what no other suffix names is CSV."""
    path = Path(name)
    if path.suffix.lower() in CODECS:
        inner = _SUFFIXES.get(Path(path.stem).suffix.lower())
        if inner is not None:
            raise ArgumentError(f"{name}: {inner} files are compressed inside; only CSV is read and written compressed")
    if (path / "metadata.yaml").exists():
        return "bag"
    if path.suffix.lower() in _OTHERS:
        raise ArgumentError(f"{name}: files {path.suffix} are not read or written; those are {_READ}")
    return _SUFFIXES.get(path.suffix.lower(), "csv")


def codec_of(file: object) -> str | None:
    """Return how a file is compressed, by its name; None for a stream that is not a regular file.

    What `gzip.open` returns has the name of the file too, but takes and gives what is not compressed.
    """
    if not isinstance(file, str | Path):
        raw = getattr(file, "raw", file)  # below a buffer
        file = raw.name if isinstance(raw, io.FileIO) else ""
    return CODECS.get(Path(file).suffix.lower()) if isinstance(file, str | Path) else None
