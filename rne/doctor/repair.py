"""Replacement of impossible inertias in a file by the nearest physical ones; the rest of the file is unchanged.

`rne.bodies.physical` defines which inertias are physical and which is the nearest. Mass and center of mass are kept.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from rne.bodies.physical import nearest_inertia
from rne.check import at_home
from rne.doctor.repair_dh import repair_dh
from rne.doctor.repairs import NAMES, PLACES, Repair, six_to_matrix
from rne.errors import ArgumentError, FileError
from rne.read import DH, EITHER, URDF, is_mjcf_file
from rne.read.urdf.reader import open_urdf, read_document
from rne.read.urdf.xmltree import Element, parse

_TAG = re.compile(rb"<[^<>\"']*(?:\"[^\"]*\"[^<>\"']*|'[^']*'[^<>\"']*)*>")
_ATTRIBUTE = re.compile(rb"([^\s=<>\"']+)(\s*=\s*)(\"[^\"]*\"|'[^']*')")


def repair_inertias(path: str | os.PathLike[str]) -> tuple[bytes, tuple[Repair, ...]]:
    """Return a robot file with physically impossible inertias replaced by the nearest possible ones.

    Only the numbers of such an inertia are rewritten; every other byte of the file is unchanged.

    Parameters
    ----------
    path : a URDF file or a DH table that loads with ``strict=False``.

    Returns
    -------
    data : content of the repaired file.
    repairs : the replaced inertias, in the order of the file.

    Raises
    ------
    ModelError
        The file does not load, not even with ``strict=False``.
    FileError
        The file is neither, its encoding does not allow replacing single characters, or the rows of a table are not
        under ``[[rows]]`` each.

    Examples
    --------
    >>> from rne.doctor import repair_inertias
    >>> repair_inertias("models/panda/robot.urdf")[1]
    ()
    """
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"path: wanted a path, got {type(path).__name__}")
    where = at_home(path)
    if where.lower().endswith(DH):
        return repair_dh(where)
    if not where.lower().endswith((URDF, EITHER)) or is_mjcf_file(where):
        raise FileError(f"{where}: only the inertias of URDF files and DH tables can be repaired")
    findings, data, encoding = open_urdf(where, strict=False)
    read_document(data, findings, encoding)  # raises if the file does not load
    if b"\0" in data:
        raise FileError(f"{where}: the encoding of the file does not allow a repair; save it as UTF-8")
    repairs, parts, copied = [], [], 0
    for link, inertia in _inertias(parse(data, findings, encoding)):
        before = tuple(float(inertia.attributes[name]) for name in NAMES)
        new = nearest_inertia(six_to_matrix(before))
        after = tuple(float(new[place]) for place in PLACES)
        if after == before:
            continue
        tag = _TAG.match(data, inertia.offset)
        assert tag is not None  # expat found it at this position
        parts += [data[copied : inertia.offset], _rewritten(tag[0], after)]
        copied = tag.end()
        repairs.append(Repair(link, inertia.line, before, after))
    return b"".join([*parts, data[copied:]]), tuple(repairs)


def _inertias(robot: Element) -> Iterator[tuple[str, Element]]:
    """Yield the name and the element of every link that has an inertia of six numbers."""
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
