"""A robot in the scene of viser: the nodes are created once, and then moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import trimesh
import viser
from numpy.typing import NDArray
from viser.transforms import SO3

from rne.dynamics.kinematics import forward_kinematics
from rne.model.robot import Robot
from rne.read.urdf.geometry import Geometry
from rne.viewer.meshes import Mesh, read_mesh
from rne.viewer.scene import Scene, corners, extent, missing_meshes

Array = NDArray[np.float64]

# Colors that are distinguishable with every kind of color vision (Okabe and Ito), and gray for shapes without a color.
_STICK, _SOLID, _CENTER = (0, 114, 178), (230, 159, 0), (40, 40, 40)
_GRAY = (0.72, 0.74, 0.77, 1.0)

# Sizes relative to the reach of the robot.
_AXIS, _AXIS_RADIUS, _STICK_WIDTH, _CENTER_RADIUS, _THINNEST = 0.09, 0.0025, 0.014, 0.009, 0.002

PARTS = ("shapes", "sticks", "ellipsoids", "centers of mass", "frames", "names")
"""Parts of the display that can be shown and hidden."""


class Stage:
    """The robot in the scene of a server.

    Parameters
    ----------
    server : the server.
    robot : the robot.
    scene : its displayable parts.
    q : (some, n) positions that the camera has to cover; the robot starts at the first.

    Attributes
    ----------
    notes : what could not be shown.
    shown : initially visible parts: the shapes if there are any, otherwise those that replace them.
    """

    def __init__(self, server: viser.ViserServer, robot: Robot, scene: Scene, q: Array) -> None:
        self._server, self._robot, self._scene = server, robot, scene
        self.notes = list(scene.notes)
        shapes = self._readable(scene.shapes)
        points = {solid.link: solid.center[None] for solid in scene.solids}
        for shape, mesh in shapes:
            box = corners(shape, mesh.bounds if mesh else None)
            points[shape.link] = np.concatenate([points.get(shape.link, np.empty((0, 3))), box])
        low, high = extent(forward_kinematics(robot, q), points)
        self._reach = max(float(np.linalg.norm(high - low)), 0.1)
        self._names = {name: f"/robot/{k} {name.replace('/', '_')}" for k, name in enumerate(scene.frames)}
        self._parts: dict[str, list[Any]] = {part: [] for part in PARTS}
        # Every node is in its place from the start, and none is shown before all are there: meshes take time.
        self._whole = server.scene.add_frame("/robot", show_axes=False, visible=False)
        poses = forward_kinematics(robot, q[0])
        self._frames = [self._frame(name, poses[name]) for name in scene.frames]
        for k, (shape, mesh) in enumerate(shapes):
            self._parts["shapes"].append(self._shape(f"{self._names[shape.link]}/shape {k}", shape, mesh))
        self._add_solids()
        self._sticks = self._add_sticks(poses)
        self._look_at((low + high) / 2, float(low[2]))
        self.shown = ["shapes"] if self._parts["shapes"] else ["sticks", "ellipsoids", "centers of mass", "frames"]
        for part in PARTS:
            self.show(part, part in self.shown)
        self.move(q[0])
        self._whole.visible = True

    def has(self, part: str) -> bool:
        """Return whether the robot has anything to show for a part."""
        return bool(self._parts[part] or part == "frames")

    def show(self, part: str, visible: bool) -> None:
        """Show or hide a part."""
        if part == "frames":  # the parents of all other nodes, so hide only the axes
            for frame in self._frames:
                frame.show_axes = visible
        for node in self._parts[part]:
            node.visible = visible

    def move(self, q: Array) -> None:
        """Move the robot to q (n,), which must be finite."""
        poses = forward_kinematics(self._robot, q, self._scene.frames)
        placed = np.array(list(poses.values()))
        turns = _wxyz(placed[:, :3, :3])
        for frame, pose, turn in zip(self._frames, placed, turns, strict=True):
            frame.wxyz, frame.position = turn, pose[:3, 3]
        if self._sticks is not None:
            self._sticks.points = self._stick_points(poses)

    def _frame(self, link: str, pose: Array) -> viser.FrameHandle:
        name, add = self._names[link], self._server.scene
        axes = {"axes_length": _AXIS * self._reach, "axes_radius": _AXIS_RADIUS * self._reach}
        frame = add.add_frame(name, **axes, wxyz=_wxyz(pose[:3, :3]), position=pose[:3, 3])
        if link in self._scene.labels:
            label = add.add_label(f"{name}/name", self._scene.labels[link], anchor="bottom-left", visible=False)
            self._parts["names"].append(label)
        return frame

    def _readable(self, shapes: Sequence[Geometry]) -> list[tuple[Geometry, Mesh | None]]:
        """Return the shapes with their meshes; a shape whose mesh cannot be read is omitted and noted."""
        found: list[tuple[Geometry, Mesh | None]] = []
        unreadable = []
        for shape in shapes:
            try:
                found.append((shape, read_mesh(shape.mesh, shape.color or _GRAY) if shape.kind == "mesh" else None))
            except ValueError:
                unreadable.append(shape.mesh)
        if unreadable:
            self.notes.append(missing_meshes(shapes[0].role, "not readable", unreadable))
        return found

    def _shape(self, name: str, shape: Geometry, mesh: Mesh | None) -> Any:
        add = self._server.scene
        color = shape.color or _GRAY
        look = {"color": color[:3], "opacity": None if color[3] >= 1 else color[3]}
        place = {"wxyz": _wxyz(np.array(shape.origin.rotation)), "position": shape.origin.position}
        match shape.kind, shape.size:
            case "box", size:
                return add.add_box(name, dimensions=size, **look, **place)
            case "sphere", (radius,):
                return add.add_icosphere(name, radius, **look, **place)
            case "cylinder", (radius, length):
                return add.add_cylinder(name, radius, length, **look, **place)
            case "capsule", (radius, length):
                capsule = trimesh.creation.capsule(length, radius)
                centered = capsule.vertices - capsule.bounds.mean(axis=0)  # not centered in all versions of trimesh
                return add.add_mesh_simple(name, centered, capsule.faces, **look, **place)
        return mesh and add.add_glb(name, mesh.glb, scale=shape.size, **place)

    def _add_solids(self) -> None:
        for solid in self._scene.solids:
            name, add = self._names[solid.link], self._server.scene
            self._parts["centers of mass"].append(
                add.add_icosphere(f"{name}/center", _CENTER_RADIUS * self._reach, _CENTER, position=solid.center)
            )
            if solid.axes.any():
                axes = np.maximum(solid.axes, _THINNEST * self._reach)  # a plate has no thickness
                self._parts["ellipsoids"].append(
                    add.add_icosphere(
                        f"{name}/ellipsoid",
                        1.0,
                        _SOLID,
                        scale=tuple(axes.tolist()),
                        opacity=0.55,
                        wxyz=_wxyz(solid.rotation),
                        position=solid.center,
                        cast_shadow=False,
                    )
                )

    def _add_sticks(self, poses: dict[str, Array]) -> viser.LineSegmentsHandle | None:
        if not self._scene.sticks:
            return None
        points = self._stick_points(poses)
        sticks = self._server.scene.add_line_segments(
            "/sticks", points, _STICK, thickness=_STICK_WIDTH * self._reach, thickness_units="world"
        )
        self._parts["sticks"].append(sticks)
        return sticks

    def _stick_points(self, poses: dict[str, Array]) -> NDArray[np.float32]:
        return np.array([[poses[end][:3, 3] for end in ends] for ends in self._scene.sticks], dtype=np.float32)

    def _look_at(self, middle: Array, floor: float) -> None:
        camera, cell = self._server.initial_camera, 10.0 ** np.round(np.log10(self._reach / 4))
        camera.look_at = middle
        camera.position = middle + self._reach * np.array([0.95, -0.85, 0.45])
        self._server.scene.add_grid(
            "/floor",
            infinite_grid=True,
            cell_size=cell,
            section_size=10 * cell,
            fade_distance=8 * self._reach,
            position=(0.0, 0.0, min(floor, 0.0)),
        )


def _wxyz(rotation: Array) -> Array:
    """Return the unit quaternions (..., 4), w first, of rotations (..., 3, 3)."""
    wxyz: Array = SO3.from_matrix(rotation).wxyz
    return wxyz
