"""NPY and NPZ, written piece by piece."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from rne.errors import FileError
from rne.files.base import Sink


def check_stream(stream: BinaryIO, name: str, kind: str) -> None:
    """Refuse a stream that cannot be written from its end back to its beginning, before there is anything to lose."""
    if stream.seekable():
        start = stream.tell()
        stream.write(b"\0")  # what comes next takes its place
        try:
            stream.seek(start)
        except OSError:  # of gzip, which says that it can
            pass
        else:
            return
    raise FileError(f"{name}: {kind} cannot be written into a pipe, or a stream that packs it; wanted is a file")


class NpySink(Sink):
    """Writes one array (N, columns); its header is written again when N is known.

    Parameters
    ----------
    stream : must be seekable.
    shape : of a row.
    dtype : of the numbers.
    """

    def __init__(self, stream: BinaryIO, shape: tuple[int, ...], dtype: Any) -> None:
        self._stream, self._shape, self.dtype = stream, shape, np.dtype(dtype)
        self._start = stream.tell()
        self._rows = 0
        self._header(0)

    def _header(self, rows: int) -> None:
        # numpy leaves room for the longest number of rows, so that this header has always the same length.
        description = {"descr": npy.dtype_to_descr(self.dtype), "fortran_order": False, "shape": (rows, *self._shape)}
        npy.write_array_header_1_0(self._stream, description)

    def encode(self, columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        return np.column_stack(list(columns.values())).astype(self.dtype, copy=False)

    def write(self, encoded: NDArray[Any]) -> None:
        self._stream.write(encoded.tobytes())
        self._rows += len(encoded)

    def close(self) -> None:
        end = self._stream.tell()
        self._stream.seek(self._start)
        self._header(self._rows)
        self._stream.seek(end)


class NpzSink(Sink):
    """Writes an array for each quantity. They grow side by side in files without names until they are put together.

    Parameters
    ----------
    stream : of the archive.
    folder : where there is room for as much again; the usual one for temporary files if None.
    shapes : of a row, by key.
    dtype : of the numbers, but for times, which keep their digits.
    """

    def __init__(
        self, stream: BinaryIO, folder: Path | None, shapes: Mapping[str, tuple[int, ...]], dtype: Any
    ) -> None:
        self._stream = stream
        self._parts = {key: tempfile.TemporaryFile(dir=folder) for key in shapes}  # noqa: SIM115
        self._sinks = {
            key: NpySink(part, shapes[key], np.float64 if key == "t" else dtype) for key, part in self._parts.items()
        }

    def encode(self, columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        return {key: columns[key].astype(sink.dtype, copy=False) for key, sink in self._sinks.items()}

    def write(self, encoded: Mapping[str, NDArray[Any]]) -> None:
        for key, sink in self._sinks.items():
            sink.write(encoded[key])

    def close(self) -> None:
        with zipfile.ZipFile(self._stream, "w", allowZip64=True) as archive:
            for key, part in self._parts.items():
                self._sinks[key].close()
                part.seek(0)
                with archive.open(f"{key}.npy", "w", force_zip64=True) as member:
                    while data := part.read(1 << 20):
                        member.write(data)
                part.close()

    def abandon(self) -> None:
        for part in self._parts.values():
            part.close()
