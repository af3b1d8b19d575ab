"""Where meshes are found, and what is read from them."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import trimesh

from rne.viewer.meshes import locate, read_mesh

GRAY = (0.5, 0.5, 0.5, 1.0)


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"solid")
    return path


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    return touch(tmp_path / "ws" / "my_robot" / "urdf" / "robot.urdf")


def test_beside_the_file(urdf):
    mesh = touch(urdf.parent / "meshes" / "a.stl")
    assert locate("meshes/a.stl", urdf) == mesh
    assert locate(str(mesh), urdf) == mesh
    assert locate(mesh.as_uri(), urdf) == mesh
    assert locate("meshes/b.stl", urdf) is None


def test_in_the_package_of_the_file(urdf):
    mesh = touch(urdf.parents[1] / "meshes" / "a.stl")
    assert locate("package://my_robot/meshes/a.stl", urdf) == mesh
    assert locate("model://my_robot/meshes/a.stl", urdf) == mesh
    assert locate("package://other/meshes/a.stl", urdf) is None


def test_in_a_package_beside_that_of_the_file(urdf):
    mesh = touch(urdf.parents[2] / "other" / "meshes" / "a.stl")
    assert locate("package://other/meshes/a.stl", urdf) == mesh


def test_a_relative_path_of_the_robot_hides_no_package(urdf, monkeypatch):
    mesh = touch(urdf.parents[1] / "meshes" / "a.stl")
    monkeypatch.chdir(urdf.parent)
    assert locate("package://my_robot/meshes/a.stl", Path("robot.urdf")) == mesh


@pytest.mark.parametrize(("variable", "inside"), [("ROS_PACKAGE_PATH", ""), ("AMENT_PREFIX_PATH", "share")])
def test_where_ros_says(urdf, tmp_path, monkeypatch, variable, inside):
    mesh = touch(tmp_path / "far" / inside / "far_away" / "a.stl")
    monkeypatch.setenv(variable, f"/nowhere:{tmp_path / 'far'}")
    assert locate("package://far_away/a.stl", urdf) == mesh


def test_nothing_is_fetched(urdf):
    assert locate("https://example.org/a.stl", urdf) is None


def bounds(glb: bytes) -> np.ndarray:
    return trimesh.load_scene(io.BytesIO(glb), file_type="glb").bounds


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "glb"])
def test_a_mesh_keeps_its_size(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    trimesh.creation.box((0.1, 0.2, 0.3)).export(path)
    mesh = read_mesh(str(path), GRAY)
    for found in (mesh.bounds, bounds(mesh.glb)):
        np.testing.assert_allclose(found, [[-0.05, -0.1, -0.15], [0.05, 0.1, 0.15]], atol=1e-7)


@pytest.mark.parametrize(("unit", "scale"), [("1", 1.0), ("0.001", 0.001)])
def test_collada_says_its_unit(tmp_path, unit, scale):
    path = tmp_path / "a.dae"
    trimesh.creation.box((1, 2, 3)).export(path)
    text = path.read_text()
    assert "<asset>" in text
    path.write_text(text.replace("<asset>", f'<asset><unit name="u" meter="{unit}"/>', 1))
    np.testing.assert_allclose(bounds(read_mesh(str(path), GRAY).glb)[1], np.array([0.5, 1, 1.5]) * scale, rtol=1e-6)


def test_a_mesh_without_a_color_takes_that_of_the_robot(tmp_path):
    path = tmp_path / "a.stl"
    trimesh.creation.box((1, 1, 1)).export(path)
    glb = read_mesh(str(path), (1.0, 0.0, 0.0, 0.5)).glb
    [part] = trimesh.load_scene(io.BytesIO(glb), file_type="glb").geometry.values()
    assert tuple(part.visual.material.baseColorFactor) == (255, 0, 0, 128)
    assert part.visual.material.alphaMode == "BLEND"


def test_a_mesh_with_a_color_keeps_it(tmp_path):
    path = tmp_path / "a.ply"
    box = trimesh.creation.box((1, 1, 1))
    box.visual.vertex_colors = [0, 255, 0, 255]
    box.export(path)
    [part] = trimesh.load_scene(io.BytesIO(read_mesh(str(path), GRAY).glb), file_type="glb").geometry.values()
    assert (part.visual.vertex_colors == [0, 255, 0, 255]).all()


@pytest.mark.parametrize("name", ["a.stl", "a.dae", "a.glb", "a.unknown"])
def test_a_damaged_mesh_is_refused(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"\x00\x01 this is no mesh")
    with pytest.raises(ValueError, match=name):
        read_mesh(str(path), GRAY)
