"""Descriptions of parameters start on the line of the name in our docstrings, where numpydoc expects a type."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

SECTIONS = {"Parameters", "Attributes"}


def put_below(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Move descriptions from the line of the name to the line below, in place."""
    found: list[str] = []
    section = ""
    for line, after in zip(lines, [*lines, ""][1:], strict=True):
        if re.fullmatch(r"-{3,}", after):
            section = line
        entry = re.fullmatch(r"(\*{0,2}\w[\w, *]*?) : (.+)", line) if section in SECTIONS else None
        found += [entry[1], f"    {entry[2]}"] if entry else [line]
    lines[:] = found


def setup(app: Sphinx) -> dict[str, Any]:
    """Come before numpydoc, which connects with the usual priority of 500."""
    app.connect("autodoc-process-docstring", put_below, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
