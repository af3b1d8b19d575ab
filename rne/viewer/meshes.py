"""Mesh files: locating those that a URDF names, and reading them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from rne.read.urdf.geometry import Color


def locate(name: str, source: Path) -> Path | None:
    """Return the path of a mesh file; None if it does not exist.

    Parameters
    ----------
    name : as in the URDF: ``package://PACKAGE/PATH`` (or ``model://``), a file URL, or a path; a relative path starts
        at the folder of the URDF file.
    source : path of the URDF file.

    Notes
    -----
    A package is a folder of that name which contains the URDF file, or is next to a folder that contains it, or is
    found by the environment variables of ROS: in a path of ``ROS_PACKAGE_PATH``, or in the ``share`` folder of a path
    of ``AMENT_PREFIX_PATH``.
    """
    scheme, separator, rest = name.partition("://")
    if not separator:
        candidates = [source.parent / name]
    elif scheme == "file":
        candidates = [Path(unquote(urlsplit(name).path))]
    elif scheme in ("package", "model"):
        package, _, inside = rest.partition("/")
        around = source.absolute().parents
        roots = [*around, *_listed("ROS_PACKAGE_PATH"), *(p / "share" for p in _listed("AMENT_PREFIX_PATH"))]
        candidates = []
        for root in roots:
            candidates += [root / inside] if root.name == package else []
            candidates.append(root / package / inside)
    else:  # nothing is downloaded
        candidates = []
    return next((path for path in candidates if path.is_file()), None)


def _listed(variable: str) -> list[Path]:
    return [Path(part) for part in os.environ.get(variable, "").split(os.pathsep) if part]


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
