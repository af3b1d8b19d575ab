"""Readers: a robot file becomes a `rne.model.tree.Tree`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rne.check import check_flag
from rne.errors import ArgumentError
from rne.model.findings import Findings
from rne.model.tree import Tree
from rne.read.dh.reader import read_dh
from rne.read.files import file_name, read_bytes
from rne.read.mjcf.reader import is_mjcf, read_mjcf
from rne.read.packages import checked_packages
from rne.read.urdf.nodes import EXPAND
from rne.read.urdf.reader import read_urdf
from rne.read.urdf.xacro import read_xacro

URDF, MJCF, DH, XACRO = ".urdf", ".mjcf", ".toml", ".xacro"
EITHER = ".xml"
"""Suffix of URDF and MJCF files, told apart by their outermost element."""
_REFUSED = {
    ".sdf": "this is SDF, which is not supported; convert it to URDF first",
}


def read(
    path: str | os.PathLike[str],
    *,
    args: Mapping[str, object] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    strict: bool = True,
    extensions: bool = False,
) -> Tree:
    """Read a robot file; its suffix determines the format.

    Parameters
    ----------
    path : a URDF file (``.urdf``, ``.xml``), a xacro file (``.xacro``), an MJCF file (``.xml``, ``.mjcf``) or a DH
        table (``.toml``, for example ``robot.dh.toml``).
    args : values of the arguments of a xacro file, by name; such a file is expanded if they are given, even if empty.
    packages : folders of ROS packages by name; the tree keeps them for the meshes.
    strict : whether doubts are errors (True) or notes of the tree (False); see `rne.read.urdf.read_urdf`.
    extensions : whether to read what other programs keep in a URDF; other formats have nothing of the kind.

    Returns
    -------
    Tree
        What the file says, in SI units.

    Raises
    ------
    ModelError
        The file cannot be read, has another format, or is not a robot; contains all problems found.
    ArgumentError
        The path is not a path, `args` do not match the file, or `packages` are not folders.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "block.urdf")
    ...     _ = path.write_text('<robot name="block"><link name="base"/></robot>')
    ...     read(path).name
    'block'
    """
    where = file_name(path, "load_urdf takes the text of a URDF file")
    suffix = Path(where).suffix.lower()
    if args is not None and not isinstance(args, Mapping):
        raise ArgumentError(f"args: wanted a mapping from name to value, got {type(args).__name__}")
    check_flag("extensions", extensions)
    folders = checked_packages(packages)
    if suffix == XACRO and args is None:  # it is a program, which is run only on request
        Findings(where).at("").fail(f"this is xacro, not yet URDF; {EXPAND}")
    if suffix != XACRO and args:
        raise ArgumentError(f"args: only xacro files take arguments, and {where} is not one; omit them")
    if suffix == XACRO:
        tree = read_xacro(where, args, packages=folders, strict=strict, extensions=extensions)
    elif is_mjcf_file(where):
        tree = read_mjcf(Path(where), strict=strict)
    elif suffix in (URDF, EITHER):
        tree = read_urdf(Path(where), strict=strict, extensions=extensions)
    elif suffix == DH:
        tree = read_dh(where, strict=strict)
    else:
        wanted = ", ".join([URDF, EITHER, MJCF, DH, XACRO])
        what = _REFUSED.get(suffix, f"the suffix {suffix!r} is not that of a robot format; wanted is one of {wanted}")
        from rne.read.shipped import models  # which imports this module

        if where in models():
            what += f"; rne.load_model({where!r}) is a robot that comes with rne"
        Findings(where).at("").fail(what)
    return replace(tree, packages=tuple(folders.items()))


def is_mjcf_file(where: str) -> bool:
    """Whether a file is MJCF, by its suffix or its outermost element; `ModelError` if it cannot be read."""
    suffix = Path(where).suffix.lower()
    return suffix == MJCF or (suffix == EITHER and is_mjcf(read_bytes(Findings(where))))
