"""Bytes from disk, with the errors of the operating system told as problems of the file."""

from __future__ import annotations

import os
from pathlib import Path

from rne.errors import ArgumentError
from rne.read.findings import Findings


def path_name(path: object) -> str:
    """Return a path as text; raise `ArgumentError` if it is none."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"path: wanted a path, got {type(path).__name__}")
    return os.fspath(path)


def read_bytes(findings: Findings) -> bytes:
    """Return the content of the file that the findings are about; raise `ModelError` if it cannot be read."""
    if not findings.where:
        findings.at("").fail("the path is empty; a file is wanted, or the text of one")
    try:
        return Path(findings.where).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        findings.at("").fail(f"cannot read the file: {reason}")
