"""Common parts of all formats: numbers and rotations as text, losses, and writing the file."""

from __future__ import annotations

import math
import os
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rne.atomic_write import replacing
from rne.check import Matrix, Vector
from rne.errors import ArgumentError, ModelError, ModelWarning, Problem, listed, shown

if TYPE_CHECKING:
    from rne.model.tree import Body, Joint, Tree

Array = NDArray[np.float64]

UNLIMITED = 1e9
"""Replaces an infinite limit if a format requires a number (rad, m, rad/s, m/s, N m, N)."""


FREE = "floating_base"
"""Name of the joint of a base that floats."""


class Losses:
    """What a format cannot hold, collected so that each kind is one warning with all names in it."""

    def __init__(self, tree: Tree, file_format: str) -> None:
        self._source = tree.name
        self._format = file_format
        self._names: dict[str, list[str]] = {}

    def add(self, what: str, name: str = "") -> None:
        """Note what is lost, and the joint or link that loses it."""
        self._names.setdefault(what, []).append(name)

    def add_states(self, tree: Tree) -> None:
        """Note the named states of a tree."""
        for state in tree.states:
            self.add("named states are not written", state.name)

    def tell(self, level: int) -> None:
        """Issue all warnings, at the caller `level` levels up."""
        for what, names in self._names.items():
            whose = f" ({listed(repr(name) for name in names)})" if any(names) else ""
            warnings.warn(f"{self._source} in {self._format}: {what}{whose}", ModelWarning, stacklevel=level + 1)


def refuse(tree: Tree, element: str, what: str) -> ModelError:
    """Return the error for what a format can by no means hold."""
    return ModelError(Problem(tree.source, None, element, what, "export"))


def finished(text: str, path: str | os.PathLike[str] | None, suffixes: Sequence[str]) -> str:
    """Return the text, and write it to the file if there is to be one.

    Raises
    ------
    ArgumentError
        The path is not a path, or its suffix belongs to another format.
    """
    if path is None:
        return text
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(name, str) or Path(name).suffix.lower() not in suffixes:
        raise ArgumentError(f"path: wanted the path of a file that ends in {' or '.join(suffixes)}, got {shown(path)}")
    with replacing(name) as stream:
        stream.write(text.encode("utf-8"))
    return text


def xml_text(root: ET.Element, tree: Tree) -> str:
    """Return an XML document, indented.

    Raises
    ------
    ModelError
        A name holds what XML cannot, such as a null byte.
    """
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode", xml_declaration=False) + "\n"
    try:
        ET.fromstring(text)
    except (ET.ParseError, UnicodeError):
        names = [tree.name, *(body.name for body in tree.bodies), *(joint.name for joint in tree.joints)]
        strange = [name for name in names if not name.isprintable()]
        what = f"names hold characters that XML has not: {listed(map(ascii, strange))}"
        raise refuse(tree, "robot", what) from None
    return '<?xml version="1.0" encoding="utf-8"?>\n' + text


def number(value: float) -> str:
    """Return a number in the fewest digits that give it back."""
    return repr(float(value) + 0.0)  # 0.0 takes the sign off a zero


def numbers(values: Iterable[float]) -> str:
    """Return numbers with blanks between them."""
    return " ".join(map(number, values))


def rpy_of(rotation: Matrix) -> Vector:
    """Return roll, pitch and yaw of a rotation: Rz(yaw) Ry(pitch) Rx(roll).

    The roll is that of what the yaw leaves, and not read from the last row: where pitch is a right angle, that has
    nothing but rounding in it.
    """
    (a, b, c), (d, e, f), (g, _, _) = rotation
    yaw = math.atan2(d, a)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return math.atan2(sy * c - cy * f, cy * e - sy * b), math.atan2(-g, cy * a + sy * d), yaw


def quaternion_of(rotation: Matrix) -> tuple[float, float, float, float]:
    """Return the unit quaternion (w, x, y, z) of a rotation, by its largest part (Shepperd 1978)."""
    R = np.array(rotation)
    trace = R.trace()
    squares = np.array([trace, R[0, 0], R[1, 1], R[2, 2]])
    largest = int(squares.argmax())
    if largest == 0:
        parts = [1 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    else:
        i = largest - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        parts = [0.0] * 4
        parts[0] = R[k, j] - R[j, k]
        parts[1 + i] = 1 + R[i, i] - R[j, j] - R[k, k]
        parts[1 + j] = R[j, i] + R[i, j]
        parts[1 + k] = R[k, i] + R[i, k]
    w, x, y, z = (np.array(parts) / np.linalg.norm(parts)).tolist()
    return w, x, y, z


def unused(name: str, among: Iterable[Body | Joint]) -> str:
    """Return a name that none of some bodies or joints has."""
    taken = {each.name for each in among}
    while name in taken:
        name += "_"
    return name


def in_order(tree: Tree, coordinates: Sequence[str]) -> list[Joint]:
    """Return the joints with the coordinates in the order wanted; all others keep their place in the tree."""
    by_name = {joint.name: joint for joint in tree.joints}
    wanted = (by_name[name] for name in coordinates)
    leads = set(coordinates)
    return [next(wanted) if joint.name in leads else joint for joint in tree.joints]


def symmetric_friction(joint: Joint, losses: Losses) -> float:
    """Return the Coulomb friction of a joint as one number, the mean of both directions."""
    drive = joint.drive
    if drive.curved:
        what = "friction beyond viscous and Coulomb friction"
        losses.add(f"{what} is not written; a DH table holds it", joint.name)
    if drive.coulomb_plus != drive.coulomb_minus:
        losses.add("Coulomb friction has one size for both directions; the mean is written", joint.name)
    return (drive.coulomb_plus + drive.coulomb_minus) / 2
