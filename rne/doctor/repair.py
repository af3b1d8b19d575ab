"""The nearest inertias that bodies can have, written into a URDF that is left alone otherwise.

A body is physically consistent if its mass is positive and the second moments of its mass about the centre of mass,
S = integral of r r^T dm = 1/2 tr(I) 1 - I, are positive semidefinite; that is the triangle inequality of the principal
moments, and more than I being positive definite (Traversaro, Brossette, Escande, Nori, "Identification of fully
physical consistent inertial parameters using optimization on manifolds", IROS 2016; Wensing, Kim, Slotine, RA-L 2018).
The nearest such S in the Frobenius norm keeps the eigenvectors and cuts negative eigenvalues off (Higham, "Computing a
nearest symmetric positive semidefinite matrix", 1988). They are cut at a billionth of the largest rather than at zero,
so that programs that ask for more than semidefinite are content, too. Mass and centre of mass stay.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rne.check import at_home
from rne.errors import ArgumentError, FileError
from rne.read.urdf.reader import open_urdf, read_document
from rne.read.urdf.xmltree import Element, parse

FLOOR = 1e-9
NAMES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_TAG = re.compile(rb"<[^<>\"']*(?:\"[^\"]*\"[^<>\"']*|'[^']*'[^<>\"']*)*>")
_ATTRIBUTE = re.compile(rb"([^\s=<>\"']+)(\s*=\s*)(\"[^\"]*\"|'[^']*')")
_PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True)
class Repair:
    """One inertia that was replaced.

    Attributes
    ----------
    link : the link.
    line : of its inertia in the file.
    before, after : ixx, iyy, izz, ixy, ixz, iyz in the axes of its inertial frame, kg m^2.
    """

    link: str
    line: int
    before: tuple[float, ...]
    after: tuple[float, ...]

    @property
    def change(self) -> float:
        """Size of the change as a share of the inertia that was there (Frobenius norms)."""
        return float(np.linalg.norm(_matrix(self.after) - _matrix(self.before)) / np.linalg.norm(_matrix(self.before)))


def nearest_inertia(inertia: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the nearest inertia (3, 3) about the centre of mass that a body can have; the same one if it can."""
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    values, vectors = np.linalg.eigh(second)
    floor = FLOOR * max(float(values[-1]), 0.0)
    if values[0] >= -floor:
        return inertia
    second = (vectors * values.clip(floor)) @ vectors.T
    fixed: NDArray[np.float64] = np.trace(second) * np.eye(3) - (second + second.T) / 2
    return fixed


def repair_inertias(path: str | os.PathLike[str]) -> tuple[bytes, tuple[Repair, ...]]:
    """Return a URDF with the nearest inertias that bodies can have in place of those that none has.

    Only the six numbers of such an ``<inertia>`` are written anew; every other byte of the file stays.

    Parameters
    ----------
    path : a URDF file that loads with ``strict=False``.

    Returns
    -------
    data : the file with the repairs in it.
    repairs : what was replaced, in the order of the file.

    Raises
    ------
    ModelError
        The file does not load, be it with ``strict=False``.
    FileError
        It is no URDF, or in an encoding whose characters cannot be replaced byte by byte.

    Examples
    --------
    >>> from rne.doctor import repair_inertias
    >>> repair_inertias("models/panda/robot.urdf")[1]
    ()
    """
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"path: wanted a path, got {type(path).__name__}")
    where = at_home(path)
    if not where.lower().endswith((".urdf", ".xml")):
        raise FileError(f"{where}: only the inertias of a URDF file can be repaired")
    findings, data, encoding = open_urdf(where, strict=False)
    read_document(data, findings, encoding)  # says what is wrong with a file that does not load
    if b"\0" in data:
        raise FileError(f"{where}: the encoding of the file does not allow a repair; save it as UTF-8")
    repairs, parts, copied = [], [], 0
    for link, inertia in _inertias(parse(data, findings, encoding)):
        before = tuple(float(inertia.attributes[name]) for name in NAMES)
        new = nearest_inertia(_matrix(before))
        after = tuple(float(new[place]) for place in _PLACES)
        if after == before:
            continue
        tag = _TAG.match(data, inertia.offset)
        assert tag is not None  # expat has seen it there
        parts += [data[copied : inertia.offset], _rewritten(tag[0], after)]
        copied = tag.end()
        repairs.append(Repair(link, inertia.line, before, after))
    return b"".join([*parts, data[copied:]]), tuple(repairs)


def _matrix(six: tuple[float, ...]) -> NDArray[np.float64]:
    matrix = np.empty((3, 3))
    for (i, j), number in zip(_PLACES, six, strict=True):
        matrix[i, j] = matrix[j, i] = number
    return matrix


def _inertias(robot: Element) -> Iterator[tuple[str, Element]]:
    """Yield the name of every link that has an inertia of six numbers, and its element."""
    for link in robot.children:
        if link.tag == "link":
            for inertial in (child for child in link.children if child.tag == "inertial"):
                for child in inertial.children:
                    if child.tag == "inertia" and child.attributes.keys() >= set(NAMES):
                        yield link.attributes["name"], child


def _rewritten(tag: bytes, six: tuple[float, ...]) -> bytes:
    numbers = {name.encode(): repr(number).encode() for name, number in zip(NAMES, six, strict=True)}

    def with_number(attribute: re.Match[bytes]) -> bytes:
        name, equals, value = attribute.groups()
        return name + equals + (b'"%b"' % numbers[name] if name in numbers else value)

    return _ATTRIBUTE.sub(with_number, tag)
