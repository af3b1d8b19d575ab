"""Mesh files: locating those that a URDF names, and reading them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from rne.read.packages import Packages
from rne.read.urdf.geometry import Color

PACKAGED = ("package", "model")
"""Schemes of addresses that begin with the name of a package."""


def locate(name: str, source: Path, packages: Packages | None = None) -> Path | None:
    """Return the file of a mesh; None if it does not exist.

    Parameters
    ----------
    name : as the URDF has it: ``package://PACKAGE/PATH`` (or ``model://``), a file URL, or a path, which if relative
        begins at the folder of the URDF.
    source : the URDF.
    packages : that it can name; by default those around it and those named by the environment variables of ROS.
    """
    scheme, separator, _ = name.partition("://")
    if separator and scheme in PACKAGED:
        return (packages or Packages(source)).locate(name)
    if separator and scheme != "file":  # nothing is fetched from a network
        return None
    path = Path(unquote(urlsplit(name).path)) if separator else source.parent / name
    return path if path.is_file() else None


def package_of(name: str) -> str:
    """Return the package that the name of a mesh begins with; nothing for one that names none."""
    scheme, _, rest = name.partition("://")
    return rest.partition("/")[0] if scheme in PACKAGED else ""


@dataclass(frozen=True, eq=False)
class Mesh:
    """A mesh in a format for browsers.

    Attributes
    ----------
    glb : binary glTF, in m and in the axes of its file.
    bounds : (2, 3) lower and upper corner of the bounding box, m.
    """

    glb: bytes
    bounds: NDArray[np.float64]


def read_mesh(path: str, color: Color) -> Mesh:
    """Read a mesh.

    Parameters
    ----------
    path : file in STL, OBJ, DAE, PLY or another format that trimesh reads.
    color : color of the parts without one of their own.

    Raises
    ------
    ValueError
        The file cannot be read.
    """
    import trimesh

    try:
        scene: Any = trimesh.load_scene(path)
        # Only Collada states its unit. Its up axis is ignored, as in RViz and Gazebo.
        if path.lower().endswith(".dae") and scene.units not in (None, "m", "meters"):
            scene = scene.convert_units("meters")
        for part in scene.geometry.values():
            if not part.visual.defined:
                part.visual = trimesh.visual.TextureVisuals(material=_paint(color))
        mesh = Mesh(scene.export(file_type="glb"), scene.bounds)
    except Exception as error:  # the readers of trimesh raise any exception on damaged files
        raise ValueError(f"{path}: {error}") from error
    return mesh


def _paint(color: Color) -> Any:
    import trimesh

    *channels, opacity = color
    linear = [channel**2.2 for channel in channels]  # glTF colors are linear, those of URDF are gamma encoded
    return trimesh.visual.material.PBRMaterial(
        baseColorFactor=[round(255 * channel) for channel in (*linear, opacity)],
        metallicFactor=0.0,
        roughnessFactor=0.7,
        alphaMode="OPAQUE" if opacity >= 1 else "BLEND",
    )
