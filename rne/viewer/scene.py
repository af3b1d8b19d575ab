"""The displayable parts of a robot as plain data: frames, bodies as ellipsoids, shapes, and sticks."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rne.errors import ModelError
from rne.model.robot import Robot
from rne.model.tree import Body, Tree
from rne.read import is_mjcf_file
from rne.read.packages import Packages, ways_to_name
from rne.read.urdf.geometry import Geometry, read_geometry
from rne.viewer.meshes import locate, package_of

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solid:
    """The inertia of a link, as the uniform ellipsoid with the same mass, center of mass and inertia.

    Attributes
    ----------
    link : name of the link.
    mass : kg.
    center : (3,) center of mass in the frame of the link, m.
    rotation : (3, 3) axes of the ellipsoid in the frame of the link, as columns.
    axes : (3,) lengths of the half axes, m.
    """

    link: str
    mass: float
    center: Array
    rotation: Array
    axes: Array


@dataclass(frozen=True)
class Scene:
    """The displayable parts of a robot.

    Attributes
    ----------
    frames : names of the links.
    solids : bodies with mass.
    shapes : shapes of the links; the mesh of a shape is the path of an existing file.
    sticks : pairs of links whose frames are connected by a line: the two links of every joint.
    labels : by link, the label at its frame: its name, and the names of all frames that always coincide with it.
    notes : messages about what was omitted.
    """

    frames: tuple[str, ...]
    solids: tuple[Solid, ...]
    shapes: tuple[Geometry, ...]
    sticks: tuple[tuple[str, str], ...]
    labels: dict[str, str]
    notes: tuple[str, ...] = ()


def describe(robot: Robot) -> Scene:
    """Return the displayable parts of a robot.

    The shapes come from the file from which the robot was loaded, if it is a URDF file. They are the visual shapes, or
    the collision shapes if no visual shape can be shown. Missing meshes are omitted.

    Parameters
    ----------
    robot : the robot.

    Examples
    --------
    >>> import rne
    >>> scene = describe(rne.load("models/planar2/robot.dh.toml"))
    >>> scene.solids[0].link, scene.solids[0].axes.round(3)
    ('link1', array([0.644, 0.05 , 0.05 ]))
    """
    shapes, notes = _shapes(robot)
    return Scene(
        frames=robot.frame_names,
        solids=tuple(solid(body) for body in robot.tree.bodies if body.mass > 0 and not any(body.first_moment)),
        shapes=shapes,
        sticks=tuple((joint.parent, joint.child) for joint in robot.tree.joints),
        labels=_labels(robot.tree),
        notes=notes,
    )


def solid(body: Body) -> Solid:
    """Return the uniform ellipsoid with the mass and the inertia of a body.

    Its half axes are a_k = sqrt(5 s_k / m), where s_k are the second moments, integral of x_k^2 dm, about the center of
    mass and along the principal axes; for the ellipsoid they are m a_k^2 / 5. In terms of the principal moments of
    inertia, s_1 = (I_2 + I_3 - I_1) / 2. Negative second moments, which are not physical, are replaced by zero.

    Examples
    --------
    >>> from rne.bodies.inertia import Inertia
    >>> box = Inertia.box(12.0, [1.0, 2.0, 3.0])
    >>> solid(Body.from_inertia("crate", box)).axes ** 2 * 12 / 5  # s_k = m l_k^2 / 3 for half lengths l_k
    array([9., 4., 1.])
    """
    moments, rotation = body.to_inertia().principal()
    second = np.maximum(moments.sum() / 2 - moments, 0.0)
    return Solid(body.name, body.mass, np.array(body.com), rotation, np.sqrt(5 * second / body.mass))


def corners(shape: Geometry, bounds: Array | None = None) -> Array:
    """Return the corners of the bounding box of a shape, (8, 3), in the frame of its link, m.

    Parameters
    ----------
    shape : the shape.
    bounds : (2, 3) lower and upper corner of its mesh, if it has one, before scaling.
    """
    half = shape.half_extents
    box = np.array([half, half]) * [[-1], [1]] if half else np.array(bounds) * shape.size
    own = np.array(list(itertools.product(*box.T)))
    found: Array = own @ np.array(shape.origin.rotation).T + shape.origin.position
    return found


def extent(poses: Mapping[str, Array], points: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return the lower and upper corner, (3,) each, of the bounding box of the frames and their points, m.

    Parameters
    ----------
    poses : by link, (..., 4, 4), as returned by `rne.forward_kinematics`.
    points : by link, (points, 3) in its frame, m.
    """
    everything = [pose[..., :3, 3].reshape(-1, 3) for pose in poses.values()]
    for link, own in points.items():
        pose = poses[link]
        placed = own @ np.swapaxes(pose[..., :3, :3], -1, -2) + pose[..., None, :3, 3]
        everything.append(placed.reshape(-1, 3))
    cloud = np.concatenate(everything)
    return cloud.min(axis=0), cloud.max(axis=0)


def _labels(tree: Tree) -> dict[str, str]:
    above = {joint.child: joint for joint in tree.joints}
    names: dict[str, list[str]] = {}
    for body in tree.bodies:
        place = body.name
        while place in above and above[place].kind != "prismatic" and not any(above[place].origin.position):
            place = above[place].parent
        names.setdefault(place, []).append(body.name)
    return {place: ", ".join(there) for place, there in names.items()}


def _shapes(robot: Robot) -> tuple[tuple[Geometry, ...], tuple[str, ...]]:
    source = robot.tree.source
    if source.startswith("<") or source.endswith(".toml"):
        return (), ()
    try:
        if is_mjcf_file(source):
            return (), ("shapes of MJCF files are not shown; bodies are ellipsoids of their inertia",)
        everything = read_geometry(source)
    except ModelError as error:
        return (), (f"no shapes: {error}",)
    links, packages = set(robot.frame_names), Packages(source, dict(robot.tree.packages))
    notes: list[str] = []
    for role in ("visual", "collision"):
        wanted = [shape for shape in everything if shape.role == role and shape.link in links]
        found = [_with_file(shape, source, packages) for shape in wanted]
        missing = [shape.mesh for shape, there in zip(wanted, found, strict=True) if there is None]
        if missing:
            notes.append(missing_meshes(role, "not found", missing))
            unknown = dict.fromkeys(name for mesh in missing if (name := package_of(mesh)) and not packages.find(name))
            notes += [ways_to_name(name) for name in unknown if ways_to_name(name) not in notes]
        shapes = tuple(shape for shape in found if shape is not None)
        if shapes:
            if role == "collision":
                notes.append("no visual shape can be shown; the collision shapes are shown instead")
            return shapes, tuple(notes)
    return (), tuple(notes)


def _with_file(shape: Geometry, source: str, packages: Packages) -> Geometry | None:
    """Return the shape with the path of its mesh, if it has one; None if the file does not exist."""
    if shape.kind != "mesh":
        return shape
    path = locate(shape.mesh, Path(source), packages)
    return None if path is None else replace(shape, mesh=os.fspath(path))


def missing_meshes(role: str, what: str, names: list[str]) -> str:
    """Return the message about omitted meshes."""
    different = list(Counter(names))
    more = ", ..." if len(different) > 3 else ""
    plural = "mesh" if len(different) == 1 else "meshes"
    return f"{len(different)} {role} {plural} {what} and left out: {', '.join(different[:3])}{more}"
