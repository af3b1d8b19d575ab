"""Compiled code on disk: one file for each function and signature, complete or absent.

Numba's own cache keeps an index of numbered files for each function. Two processes that save at the same time may
take the same number; a process that is killed between writing index and file leaves an index that points to code of
older sources; and a truncated file raises an error on every later call. Here nothing is shared. A file is named after
everything that its code depends on, begins with the hash of its name and content, and appears by renaming.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import uuid
import warnings
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

ASKED = ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "OPT")
"""Settings of numba, such as NUMBA_BOUNDSCHECK, that change the code."""

OF_ROBOT = "@"
"""Stands in the name of a function between what it does and for which robot."""


class WholeFiles:
    """The files of one function, with the interface that numba's cache expects.

    Parameters
    ----------
    folder : where the files are.
    name : of the function, its line and the version of Python.
    stamp : of the sources; files of the same function with another stamp are removed when one is saved.
    """

    def __init__(self, folder: str, name: str, stamp: str) -> None:
        self._folder = Path(folder)
        self._name = name
        self._stamp = stamp[:16]

    def load(self, key: Any) -> Any:
        """Return what was saved under a key; None if the file does not exist or is damaged."""
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        digest, data = content[:32], content[32:]
        return pickle.loads(data) if _digest(path, data) == digest else None

    def save(self, key: Any, data: Any) -> None:
        """Save. A process that is killed while saving leaves a temporary file that is never read."""
        content = dumps(data)
        path = self._path(key)
        draft = path.with_name(f"{path.name}.tmp.{uuid.uuid4().hex[:16]}")
        try:
            draft.write_bytes(_digest(path, content) + content)
            draft.replace(path)
        except OSError:
            draft.unlink(missing_ok=True)
            raise
        self._remove_stale()

    def _path(self, key: Any) -> Path:
        """Types, processor, closures and byte code are part of the key, with the same text in every process.

        The key does not include the environment's settings of numba, such as bounds checking. They are added here.
        """
        asked = [str(getattr(numba.config, name)) for name in ASKED]
        depends_on = repr((key, numba.__version__, llvmlite.__version__, asked))
        return self._folder / f"{self._name}.{self._stamp}.{hashlib.sha256(depends_on.encode()).hexdigest()[:16]}.nbc"

    def _remove_stale(self) -> None:
        function = self._name.rsplit("-", 1)[0].partition(OF_ROBOT)[0]
        for path in self._folder.glob(f"{function}[-{OF_ROBOT}]*.nb[ic]*"):
            if f".{self._stamp}." not in path.name:
                with contextlib.suppress(OSError):
                    path.unlink()


def _digest(path: Path, content: bytes) -> bytes:
    """Hash content and file name, so that intact code of another function under this name is rejected.

    The folder is not hashed, because a copy of the package may use code that was compiled for the original.
    """
    return hashlib.sha256(path.name.encode() + b"\0" + content).digest()


class EntryCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of a function, stored in `WholeFiles`.

    Raises
    ------
    RuntimeError
        No folder for it is writable.
    """

    def __init__(self, function: Any, stamp: str) -> None:
        super().__init__(function)
        self._cache_file = WholeFiles(self._cache_path, self._impl.filename_base, stamp)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save compiled code; if that fails, for example on a full disk, warn, and use the code without saving."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            say_uncached(str(error))


_said_uncached = False


def say_uncached(reason: str) -> None:
    """Warn once that compiled code cannot be saved."""
    global _said_uncached
    if not _said_uncached:
        _said_uncached = True
        warnings.warn(
            f"rne: no folder for compiled code can be written, so it is compiled anew in every process ({reason}); "
            "set NUMBA_CACHE_DIR to a writable folder to keep it",
            RuntimeWarning,
            stacklevel=2,
        )
