"""Meshes: where the file is that a URDF names, and what is in it."""

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
    """Return the file of a mesh; None if it is not there.

    Parameters
    ----------
    name : as the URDF has it: ``package://PACKAGE/PATH`` (or ``model://``), a file URL, or a path, which if relative
        begins at the folder of the URDF.
    source : the URDF.

    Notes
    -----
    A package is a folder of its name that holds the URDF, or lies beside one that does, or that the environment of ROS
    tells: a path of ``ROS_PACKAGE_PATH``, or the ``share`` folder of one of ``AMENT_PREFIX_PATH``.
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
    else:  # nothing is fetched from a network
        candidates = []
    return next((path for path in candidates if path.is_file()), None)


def _listed(variable: str) -> list[Path]:
    return [Path(part) for part in os.environ.get(variable, "").split(os.pathsep) if part]


@dataclass(frozen=True, eq=False)
class Mesh:
    """A mesh as browsers take it.

    Attributes
    ----------
    glb : binary glTF, in m and in the axes of its file.
    bounds : (2, 3) lower and upper corner of the box around it, m.
    """

    glb: bytes
    bounds: NDArray[np.float64]


def read_mesh(path: str, color: Color) -> Mesh:
    """Read a mesh.

    Parameters
    ----------
    path : STL, OBJ, DAE, PLY or what else trimesh reads.
    color : of the parts that have none of their own.

    Raises
    ------
    ValueError
        The file cannot be read, for whatever reason.
    """
    import trimesh

    try:
        scene: Any = trimesh.load_scene(path)
        # Only Collada says in what unit it is. Its up axis is not followed: neither do RViz and Gazebo.
        if path.lower().endswith(".dae") and scene.units not in (None, "m", "meters"):
            scene = scene.convert_units("meters")
        for part in scene.geometry.values():
            if not part.visual.defined:
                part.visual = trimesh.visual.TextureVisuals(material=_paint(color))
        mesh = Mesh(scene.export(file_type="glb"), scene.bounds)
    except Exception as error:  # trimesh's readers raise whatever a damaged file makes them
        raise ValueError(f"{path}: {error}") from error
    return mesh


def _paint(color: Color) -> Any:
    import trimesh

    *channels, opacity = color
    linear = [channel**2.2 for channel in channels]  # glTF counts light, URDF what the eye sees
    return trimesh.visual.material.PBRMaterial(
        baseColorFactor=[round(255 * channel) for channel in (*linear, opacity)],
        metallicFactor=0.0,
        roughnessFactor=0.7,
        alphaMode="OPAQUE" if opacity >= 1 else "BLEND",
    )
