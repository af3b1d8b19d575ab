"""Where the packages of ROS are that a robot file names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from rne.check import at_home
from rne.errors import ArgumentError, shown

DEEPEST = 6
"""Levels below the top of a repository at which packages are looked for."""
MOST_FOLDERS = 20_000
"""Folders of one repository that are looked into, which takes about a second."""
MANIFEST = "package.xml"
_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")


class Packages:
    """The packages that a file can refer to: those given, those around it, and those of the environment.

    Parameters
    ----------
    source : the file that names them.
    given : folders by name; they come first.

    Notes
    -----
    A package is a folder with a ``package.xml`` that says its name, or a folder called so. It is looked for, in this
    order, in `given`; among the folders that hold the file; beside these; in the rest of the repository of the file,
    the nearest first; in ``ROS_PACKAGE_PATH`` and below; and in the ``share`` folders of ``AMENT_PREFIX_PATH``. The
    repository is the folder with ``.git`` around the file; without one, the folder around its outermost package.
    """

    def __init__(self, source: str | os.PathLike[str], given: Mapping[str, str] | None = None) -> None:
        self._around = list(Path(os.path.abspath(source)).parents)
        self._given = dict(given or {})
        self._below: dict[Path, dict[str, list[Path]]] = {}

    def find(self, name: str) -> Path | None:
        """Return the folder of a package, or None."""
        return next((folder for folder in self.candidates(name) if folder.is_dir()), None)

    def candidates(self, name: str) -> Iterator[Path]:
        """Yield the folders that may be a package, the likeliest first; some may not exist."""
        if name in self._given:
            yield Path(self._given[name])
            return
        for folder in self._around:
            if folder.name == name or _declared(folder) == name:
                yield folder
            yield folder / name
        if self._repository is not None:
            yield from sorted(self._packages_below(self._repository).get(name, ()), key=self._distance)
        for folder in _listed("ROS_PACKAGE_PATH"):
            if folder.name == name or _declared(folder) == name:
                yield folder
            yield folder / name
            yield from self._packages_below(folder).get(name, ())
        for folder in _listed("AMENT_PREFIX_PATH"):
            yield folder / "share" / name

    def locate(self, uri: str) -> Path | None:
        """Return the file that ``package://NAME/PATH``, or ``model://`` of Gazebo, means; None if it is not there."""
        name, _, inside = uri.partition("://")[2].partition("/")
        return next((path for folder in self.candidates(name) if (path := folder / inside).is_file()), None)

    @cached_property
    def _repository(self) -> Path | None:
        for folder in self._around:
            if (folder / ".git").exists():
                return folder
        packages = [folder for folder in self._around if (folder / MANIFEST).is_file()]
        return packages[-1].parent if packages else None

    def _packages_below(self, top: Path) -> dict[str, list[Path]]:
        if top not in self._below:
            self._below[top] = _index(top)
        return self._below[top]

    def _distance(self, folder: Path) -> int:
        """How many folders one goes up from the file until `folder` lies below."""
        return next((k for k, above in enumerate(self._around) if folder.is_relative_to(above)), len(self._around))


def ways_to_name(package: str) -> str:
    """Return how to make a package known that is not found, as it goes into a message."""
    return (
        f"package {package!r} is not found around the file; name its folder by packages={{{package!r}: FOLDER}} "
        f"(--package {package}=FOLDER), or the folder around it by ROS_PACKAGE_PATH or AMENT_PREFIX_PATH"
    )


def checked_packages(packages: Mapping[str, str | os.PathLike[str]] | None) -> dict[str, str]:
    """Return the argument `packages` with paths as text.

    Raises
    ------
    ArgumentError
        It is not a mapping from names to existing folders.
    """
    if packages is None:
        return {}
    if not isinstance(packages, Mapping):
        raise ArgumentError(f"packages: wanted a mapping from name to folder, got {type(packages).__name__}")
    found = {}
    for name, folder in packages.items():
        if not isinstance(name, str) or not name:
            raise ArgumentError(f"packages: wanted names as text, got {shown(name)}")
        if not isinstance(folder, str | os.PathLike) or not isinstance(os.fspath(folder), str):
            raise ArgumentError(f"packages[{name!r}]: wanted the path of a folder, got {type(folder).__name__}")
        found[name] = os.path.abspath(at_home(folder))
        if not os.path.isdir(found[name]):
            raise ArgumentError(f"packages[{name!r}]: {found[name]} is not an existing folder")
    return found


def _index(top: Path) -> dict[str, list[Path]]:
    """Return the packages below a folder by name: those that say so first, then folders that are called so."""
    declared: dict[str, list[Path]] = {}
    called: dict[str, list[Path]] = {}
    depth = len(top.parts)
    for count, (where, folders, files) in enumerate(os.walk(top)):
        folder = Path(where)
        if count >= MOST_FOLDERS:
            break
        if len(folder.parts) - depth >= DEEPEST:
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        called.setdefault(folder.name, []).append(folder)
        if MANIFEST in files:
            declared.setdefault(_declared(folder), []).append(folder)
    return {name: declared.get(name, []) + called.get(name, []) for name in declared | called}


def _declared(folder: Path) -> str:
    """Return the name in the ``package.xml`` of a folder; empty if there is none."""
    try:
        with open(folder / MANIFEST, "rb") as file:
            found = _NAME.search(file.read(100_000))
    except OSError:
        return ""
    return found[1].decode(errors="replace") if found else ""


def _listed(variable: str) -> list[Path]:
    return [Path(at_home(part)) for part in os.environ.get(variable, "").split(os.pathsep) if part]
