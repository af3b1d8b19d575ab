"""Xacro: URDF with macros, expanded by the program of ROS (extra `xacro`), which needs no ROS for it.

A xacro file is a program: it computes, includes other files and reads the environment. Load none from strangers.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Mapping
from contextlib import redirect_stderr
from typing import Any

from rne.check import at_home
from rne.errors import ArgumentError, close_names, did_you_mean, listed, needing, shown
from rne.model.findings import Findings
from rne.model.tree import Tree
from rne.read.files import read_bytes
from rne.read.packages import Packages, ways_to_name
from rne.read.urdf.reader import read_document

_ONE_AT_A_TIME = threading.Lock()  # xacro keeps what it works on in globals


def read_xacro(
    path: str | os.PathLike[str],
    args: Mapping[str, object] | None = None,
    *,
    packages: Mapping[str, str] | None = None,
    strict: bool = True,
    extensions: bool = False,
) -> Tree:
    """Expand a xacro file and read the URDF that comes out.

    Packages (``$(find name)``) are looked for as `rne.read.packages.Packages` says.

    Parameters
    ----------
    path : the file.
    args : values of its arguments (``<xacro:arg>``) by name: text, numbers or booleans.
    packages : folders of packages by name; they go before those that are found.
    strict, extensions : as for `rne.read.urdf.read_urdf`.

    Returns
    -------
    Tree
        As the URDF says it. Lines count in the expanded text, which ``xacro PATH name:=value`` prints; the source says
        so.

    Raises
    ------
    ModelError
        The file cannot be read or expanded, or the result is not a robot.
    ArgumentError
        A value of `args` is neither text nor number, or the file never asks for an argument of this name.
    MissingExtraError
        The extra is not installed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> text = '''<robot name="block" xmlns:xacro="http://www.ros.org/wiki/xacro">
    ...   <xacro:arg name="link" default="base"/> <link name="$(arg link)"/>
    ... </robot>'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "block.urdf.xacro")
    ...     _ = path.write_text(text)
    ...     read_xacro(path, {"link": "ground"}).bodies[0].name
    'ground'
    """
    where = at_home(path)
    given = _Arguments({name: _as_text(name, value) for name, value in (args or {}).items()})
    read_bytes(Findings(where))  # for its errors
    text, warnings = _expand(where, given, Packages(where, packages))
    for name in (name for name in args or {} if name not in given.asked):
        hint = did_you_mean(close_names(name, given.asked)) or f"it asks for {listed(sorted(given.asked))}"
        raise ArgumentError(f"args: {where} asks for no argument {name!r}; {hint}")
    findings = Findings(f"{where} (expanded)", strict)
    for line in warnings:
        findings.at("").note(f"xacro: {line}")
    return read_document(text.encode(), findings, "utf-8", extensions)


class _Arguments(dict[str, str]):
    """Arguments that remember which names were asked for; xacro adds the defaults of those that were not given."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.asked: set[str] = set()

    def __contains__(self, name: object) -> bool:
        self.asked.add(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        return super().__getitem__(name)


def _as_text(name: object, value: object) -> str:
    if not isinstance(name, str):
        raise ArgumentError(f"args: wanted names as text, got {shown(name)}")
    if not isinstance(value, str | int | float):
        raise ArgumentError(f"args[{name!r}]: wanted text, a number or a boolean, got {type(value).__name__}")
    return str(value)


class _NotFoundError(Exception):
    """A package that is not found; xacro passes it on, with words of its own or without."""


def _expand(where: str, given: _Arguments, packages: Packages) -> tuple[str, list[str]]:
    """Return the expanded text and the warnings of xacro."""
    xacro, substitution = _import()
    missing: list[str] = []

    def find(name: str) -> str:
        folder = packages.find(name)
        if folder is None:
            missing.append(name)
            raise _NotFoundError(name)
        return os.fspath(folder)

    said = io.StringIO()
    with _ONE_AT_A_TIME, redirect_stderr(said):
        before, substitution._eval_find = substitution._eval_find, find
        try:
            text: str = xacro.process_file(where, mappings=given).toprettyxml(indent="  ")
        except Exception as error:  # expressions in the file may raise anything
            what = ways_to_name(missing[-1]) if missing else _told(error)
            place = " ".join(str(file) for file in (xacro.filestack or [])[-1:] if str(file) != where)
            inside = f" (in {place})" if place else ""
            Findings(where).at("").fail(f"xacro cannot expand the file{inside}: {what}")
        finally:
            substitution._eval_find = before
    parts = said.getvalue().split("warning: ")
    return text, ["; ".join(part.strip().split("\n")) for part in parts if part.strip()]


def _told(error: Exception) -> str:
    """Return the message of an error of xacro, which says twice what the system said, and breaks its lines."""
    cause = getattr(error, "exc", None)
    if isinstance(cause, OSError) and cause.strerror:
        return f"{cause.filename}: {cause.strerror}"
    return "; ".join(line.strip() for line in str(error).splitlines() if line.strip()) or type(error).__name__


def _import() -> tuple[Any, Any]:
    with needing("xacro", "xacro files need"):
        import xacro
        from xacro import substitution_args
    return xacro, substitution_args
