"""The robots that come with rne: the folder `robots` of an installed package, or `models/` of the source."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rne.check import unknown_name
from rne.model.robot import Robot
from rne.read.loading import load

_HERE = Path(__file__).resolve().parents
_PLACES = (_HERE[1] / "robots", _HERE[2] / "models")


def _files() -> Mapping[str, Path]:
    """Robot files by the names of their folders, those of real robots first."""
    place = next(place for place in _PLACES if place.is_dir())
    return {file.parent.name: file for depth in ("*", "lectures/*") for file in sorted(place.glob(f"{depth}/robot.*"))}


def models() -> tuple[str, ...]:
    """Return the names of the robots that come with rne, for `load_model`.

    Returns
    -------
    names : real robots first, then the systems of lectures that `rne example` uses.

    Examples
    --------
    >>> import rne
    >>> rne.models()[:3]
    ('iiwa14', 'panda', 'planar2')
    """
    return tuple(_files())


def model_path(name: str) -> Path:
    """Return the path of the file of a robot that comes with rne.

    Parameters
    ----------
    name : one of `models`.

    Returns
    -------
    path : a `robot.urdf` or `robot.dh.toml`. The file SOURCE next to it states where the data are from; next to that of
        the Panda there is a `trajectory.csv`, too.

    Raises
    ------
    UnknownNameError
        There is no such robot.

    Examples
    --------
    >>> import rne
    >>> rne.model_path("rod_pendulum").name
    'robot.dh.toml'
    """
    files = _files()
    if not isinstance(name, str) or name not in files:
        raise unknown_name("name", "robot", name, files)
    return files[name]


def load_model(name: str, **options: Any) -> Robot:
    """Load a robot that comes with rne.

    Parameters
    ----------
    name : one of `models`.
    options : as for `load`.

    Returns
    -------
    robot : Robot

    Raises
    ------
    UnknownNameError
        There is no such robot.

    Examples
    --------
    >>> import rne
    >>> rne.load_model("rod_pendulum")
    rod_pendulum: 1 joint (1 revolute), 3 kg
    """
    return load(model_path(name), **options)
