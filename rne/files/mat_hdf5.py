"""Arrays of MATLAB and HDF5 files, as the members of an NPZ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rne.errors import FileError, needing
from rne.files.base import reason


class Held:
    """An array in memory, read row by row.

    Parameters
    ----------
    where : for errors.
    array : of one or two axes; else it is odd.
    turned : whether the rows are its second axis, as MATLAB stores them in HDF5.

    Attributes
    ----------
    odd, rows, width, dtype : as those of a member of an NPZ.
    """

    def __init__(self, where: str, array: Any, turned: bool = False) -> None:
        self._array, self._turned, self._next = array, turned, 0
        self.dtype: np.dtype[Any] = array.dtype
        shape = array.shape[::-1] if turned else array.shape
        self._flat = len(shape) == 2 and shape[0] == 1 and shape[1] > 1  # a vector that MATLAB laid down
        self.odd, self.rows, self.width = "", 0, 1
        if self.dtype.kind not in "iufmMbV" or len(shape) not in (1, 2):
            self.odd = f"{where}: wanted an array of one or two axes, got {self.dtype} of shape {shape}"
        elif self._flat:
            self.rows = shape[1]
        else:
            self.rows, self.width = shape[0], 1 if len(shape) == 1 else shape[1]

    def read(self, rows: int) -> NDArray[Any]:
        """Return the next rows, (rows, width)."""
        part = slice(self._next, self._next + rows)
        self._next += rows
        if self._flat:
            found = self._array[part, 0] if self._turned else self._array[0, part]
        else:
            found = self._array[:, part].T if self._turned and len(self._array.shape) == 2 else self._array[part]
        return np.asarray(found).reshape(rows, self.width)


def mat_members(stream: BinaryIO, name: str) -> dict[str, Held]:
    """Return the arrays of a MATLAB file; fields of structures as structure/field.

    Raises
    ------
    FileError
        It cannot be read.
    MissingExtraError
        scipy, or h5py for files of version 7.3, is not installed.
    """
    with needing("mat", "MATLAB files need"):
        from scipy.io import loadmat
        from scipy.io.matlab import MatReadError
    try:
        content = loadmat(stream, simplify_cells=True)
    except NotImplementedError:  # version 7.3 is HDF5
        stream.seek(0)
        return hdf5_members(stream, name)
    except OSError as error:
        if error.errno is not None:
            raise
        raise FileError(f"{name}: the MATLAB file cannot be read: {reason(error)}") from error
    except (MatReadError, ValueError, TypeError, EOFError, KeyError, IndexError, OverflowError) as error:
        raise FileError(f"{name}: the MATLAB file cannot be read: {reason(error)}") from error
    arrays: dict[str, Any] = {}
    _flatten({key: value for key, value in content.items() if not key.startswith("__")}, "", arrays)
    return _in_common_group({key: Held(f"{name}: {key}", np.asarray(array)) for key, array in arrays.items()})


def _flatten(content: Mapping[str, Any], before: str, found: dict[str, Any]) -> None:
    for key, value in content.items():
        if isinstance(value, Mapping):
            _flatten(value, f"{before}{key}/", found)
        else:
            found[before + key] = value


def hdf5_members(stream: BinaryIO, name: str) -> dict[str, Held]:
    """Return the datasets of an HDF5 file, by their paths; they are read piece by piece.

    Raises
    ------
    FileError
        It cannot be read.
    MissingExtraError
        h5py is not installed.
    """
    with needing("hdf5", "HDF5 files need"):
        import h5py
    with hdf5_damage(name):
        file = h5py.File(stream, "r")
        found: dict[str, Held] = {}

        def visit(path: str, item: Any) -> None:
            if isinstance(item, h5py.Dataset) and not path.startswith("#refs#"):
                found[path] = Held(f"{name}: {path}", item, turned="MATLAB_class" in item.attrs)

        file.visititems(visit)
    return _in_common_group(found)


def _in_common_group(members: dict[str, Held]) -> dict[str, Held]:
    """Remove the name of a group that contains all arrays."""
    groups = {key.partition("/")[0] for key in members}
    if len(groups) == 1 and members and all("/" in key for key in members):
        return _in_common_group({key.partition("/")[2]: member for key, member in members.items()})
    return members


@contextmanager
def hdf5_damage(where: str) -> Iterator[None]:
    """Turn errors of damaged files into one line; OSError passes unchanged."""
    try:
        yield
    except OSError as error:
        if error.errno is not None:
            raise
        raise FileError(f"{where}: the HDF5 file is damaged or cut off: {reason(error)}") from error
    except (RuntimeError, KeyError, ValueError) as error:
        raise FileError(f"{where}: the HDF5 file is damaged or cut off: {reason(error)}") from error
