"""The shapes of a URDF: what the links look like and where they may collide. The dynamics never need them.

Meshes are named, never opened. A shape that cannot be read is left out: nothing that is calculated depends on it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from rne.check import ZERO, Vector
from rne.model.findings import Findings
from rne.model.tree import Pose
from rne.read.poses import rotation_rpy
from rne.read.urdf.nodes import Node
from rne.read.urdf.reader import open_urdf
from rne.read.urdf.xmltree import Element, parse

Color = tuple[float, float, float, float]

_SIZES = {"box": ("size",), "cylinder": ("radius", "length"), "capsule": ("radius", "length"), "sphere": ("radius",)}


@dataclass(frozen=True)
class Geometry:
    """A shape on a link.

    Attributes
    ----------
    link : the link that carries it.
    role : "visual" or "collision".
    kind : "box", "cylinder", "capsule" or "sphere", centered on its frame, axes along z; or "mesh".
    size : of a box its three sides, of a cylinder or capsule radius and length (between the centers of the caps), of a
        sphere its radius, of a mesh its three scales; m.
    origin : its frame in that of the link.
    mesh : where the file says that the mesh is.
    color : red, green, blue, opacity, from 0 to 1; None where the file gives none.
    """

    link: str
    role: str
    kind: str
    size: tuple[float, ...]
    origin: Pose
    mesh: str = ""
    color: Color | None = None

    @property
    def half_extents(self) -> Vector | None:
        """Half the sides of the box around it, in its own axes, m; None for a mesh, which is never opened."""
        match self.kind, self.size:
            case "box", (x, y, z):
                return x / 2, y / 2, z / 2
            case "sphere", (radius,):
                return radius, radius, radius
            case "cylinder", (radius, length):
                return radius, radius, length / 2
            case "capsule", (radius, length):
                return radius, radius, length / 2 + radius
        return None


def read_geometry(path_or_text: str | bytes | os.PathLike[str]) -> tuple[Geometry, ...]:
    """Read the shapes of a URDF file or text.

    Parameters
    ----------
    path_or_text : as for `rne.load_urdf`.

    Returns
    -------
    tuple of Geometry
        In the order of the file.

    Raises
    ------
    ModelError
        The file cannot be read, or is not well-formed XML.

    Examples
    --------
    >>> ball = '<visual><geometry><sphere radius="0.5"/></geometry></visual>'
    >>> read_geometry(f'<robot name="r"><link name="a">{ball}</link></robot>')[0].half_extents
    (0.5, 0.5, 0.5)
    """
    findings, data, encoding = open_urdf(path_or_text, strict=False)
    robot = parse(data, findings, encoding)
    colors = {
        material.attributes.get("name", ""): color
        for material in robot.children
        if material.tag == "material" and (color := _color(Node(material, "", findings), {})) is not None
    }
    shapes = []
    for link in robot.children:
        if link.tag == "link":
            for element in link.children:
                if element.tag in ("visual", "collision"):
                    shapes += _shape(link.attributes.get("name", ""), element, colors, findings)
    return tuple(shapes)


def _shape(link: str, element: Element, colors: dict[str, Color], findings: Findings) -> list[Geometry]:
    errors = len(findings.errors)
    node = Node(element, link, findings)
    geometry, origin, material = node.child("geometry"), node.child("origin"), node.child("material")
    pose = Pose(rotation_rpy(origin.vector("rpy", ZERO)), origin.vector("xyz", ZERO)) if origin else Pose()
    color = _color(material, colors) if material else None
    for shape in geometry.element.children if geometry else ():
        form = Node(shape, link, findings)
        if shape.tag in _SIZES:
            sides = _SIZES[shape.tag]
            size = form.vector("size", ZERO) if sides == ("size",) else tuple(map(form.needed_number, sides))
            if len(findings.errors) == errors and min(size) > 0:
                return [Geometry(link, element.tag, shape.tag, size, pose, color=color)]
        elif shape.tag == "mesh" and form.text("filename"):
            scale = form.vector("scale", (1.0, 1.0, 1.0))
            if len(findings.errors) == errors:
                return [Geometry(link, element.tag, "mesh", scale, pose, form.text("filename") or "", color)]
    return []


def _color(material: Node, known: dict[str, Color]) -> Color | None:
    color = material.child("color")
    words = (color.text("rgba") or "").split() if color else []
    try:
        r, g, b, a = map(float, words)
    except ValueError:
        return known.get(material.text("name") or "")
    return r, g, b, a
