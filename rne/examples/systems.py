"""The robots of the lectures, in the folder `models` of an installed package or in `models/lectures` of the source."""

from __future__ import annotations

from pathlib import Path

import rne
from rne.check import unknown_name

_HERE = Path(__file__).resolve()
_PLACES = (_HERE.parent / "models", _HERE.parents[2] / "models" / "lectures")


def model_file(name: str) -> Path:
    """Return the path of the robot file of a lecture system.

    Parameters
    ----------
    name : folder of the system, such as "two_link_point_mass".

    Returns
    -------
    path : path of its `robot.dh.toml` or `robot.urdf`; the file SOURCE next to it states the source of the data.

    Raises
    ------
    UnknownNameError
        There is no such system.

    Examples
    --------
    >>> model_file("rod_pendulum").name
    'robot.dh.toml'
    """
    folder = next(place for place in _PLACES if place.is_dir())
    there = sorted(path.name for path in folder.iterdir() if path.is_dir())
    if name not in there:
        raise unknown_name("name", "lecture system", name, there)
    (path,) = (folder / name).glob("robot.*")
    return path


def lecture(name: str) -> rne.Robot:
    """Load the robot of a lecture system.

    Parameters
    ----------
    name : folder of the system, such as "two_link_point_mass".

    Returns
    -------
    robot : result of `rne.load`.

    Raises
    ------
    UnknownNameError
        There is no such system.

    Examples
    --------
    >>> print(lecture("rod_pendulum"))
    rod_pendulum: 1 joint (1 revolute), 3 kg
    """
    return rne.load(model_file(name))
