"""Bytes from disk; errors of the operating system become problems of the file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from rne.check import at_home
from rne.errors import ArgumentError, ModelError, Problem, shown
from rne.model.findings import Findings

# The largest of the 69 URDF files of example-robot-data has 0.2 MB, a chain of 10,000 links has 3 MB.
LARGEST_FILE = 16_000_000
"""Maximum size of a robot file in bytes; reading a larger one could take minutes."""


def file_name(path: object, otherwise: str, argument: str = "path") -> str:
    """Return a path as text, ``~`` replaced by the home folder.

    Parameters
    ----------
    path : what the caller gave.
    otherwise : what to do with the text of a file, should the caller have given that.
    argument : what the caller calls it.

    Raises
    ------
    ArgumentError
        It is not a path.
    ModelError
        It is the text of a file, not its name.
    """
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(name, str):
        hint = f"; {otherwise}" if isinstance(path, bytes | bytearray) else ""
        raise ArgumentError(f"{argument}: wanted the path of a file, as text or Path, got {type(path).__name__}{hint}")
    if not name:
        raise ModelError(Problem(argument, None, "", "the path is empty; a file is wanted, or the text of one"))
    if "\n" in name or name.lstrip().startswith("<"):
        raise ModelError(Problem(argument, None, "", f"{shown(name)} is not the path of a file; {otherwise}"))
    return at_home(name)


def read_bytes(findings: Findings, largest: int = LARGEST_FILE) -> bytes:
    """Return the content of the file that the findings are about.

    Raises
    ------
    ModelError
        It cannot be read, is not a regular file (reading a pipe could block), or is too large.
    """
    spot = findings.at("")
    try:
        status = os.stat(findings.where)
        if not stat.S_ISREG(status.st_mode):
            kind = "Is a directory" if stat.S_ISDIR(status.st_mode) else "it is a device or pipe"
            spot.fail(f"cannot read the file: {kind}; a regular file is wanted")
        if status.st_size > largest:
            size = f"{status.st_size / 1e6:.3g} MB, more than {largest / 1e6:g} MB"
            spot.fail(f"the file has {size}; no description of a robot is that large")
        return Path(findings.where).read_bytes()
    except ModelError:
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        spot.fail(f"cannot read the file: {reason}")
