"""Bytes from disk, with the errors of the operating system told as problems of the file."""

from __future__ import annotations

from pathlib import Path

from rne.read.findings import Findings


def read_bytes(findings: Findings) -> bytes:
    """Return the content of the file that the findings are about; raise `ModelError` if it cannot be read."""
    if not findings.where:
        findings.at("").fail("the path is empty; a file is wanted, or the text of one")
    try:
        return Path(findings.where).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        findings.at("").fail(f"cannot read the file: {reason}")
