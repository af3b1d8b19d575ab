"""What there is to see of a robot: ellipsoids against closed forms, shapes against the file they come from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from models_at_hand import MODELS
from scipy.spatial.transform import Rotation

import rne
from rne.bodies.inertia import Inertia
from rne.model.tree import Body
from rne.viewer.scene import corners, describe, extent, solid

pytestmark = pytest.mark.filterwarnings("ignore::rne.ModelWarning")


def body(mass: float, tensor: np.ndarray, com: tuple = (0.0, 0.0, 0.0)) -> Body:
    return Body.from_inertia("body", Inertia(mass, com, tensor))


def test_the_ellipsoid_of_a_ball_is_the_ball():
    ball = solid(body(3.0, 2 / 5 * 3.0 * 0.25**2 * np.eye(3), (1.0, 2.0, 3.0)))
    np.testing.assert_allclose(ball.axes, 0.25, rtol=1e-12)
    np.testing.assert_array_equal(ball.center, [1, 2, 3])


def test_the_ellipsoid_of_a_box_is_larger_than_the_box_in_proportion():
    """Second moments m l^2 / 12 of a box and m a^2 / 5 of an ellipsoid: a = l sqrt(5 / 12)."""
    x, y, z = 0.2, 0.5, 0.9
    tensor = 6.0 / 12 * np.diag([y**2 + z**2, x**2 + z**2, x**2 + y**2])
    crate = solid(body(6.0, tensor))
    lengths = np.abs(crate.rotation @ np.diag(crate.axes)).max(axis=1)  # its axes are those of the frame
    np.testing.assert_allclose(lengths, np.sqrt(5 / 12) * np.array([x, y, z]), rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_turned_ellipsoid_comes_back(seed):
    rng = np.random.default_rng(seed)
    mass, (a, b, c), R = rng.uniform(0.5, 9), rng.uniform(0.1, 1, 3), Rotation.random(random_state=seed).as_matrix()
    tensor = R @ (mass / 5 * np.diag([b**2 + c**2, a**2 + c**2, a**2 + b**2])) @ R.T
    found = solid(body(mass, tensor))
    np.testing.assert_allclose(np.sort(found.axes), np.sort([a, b, c]), rtol=1e-9)
    shape = found.rotation @ np.diag(found.axes**2) @ found.rotation.T  # x^T shape^-1 x = 1 on the surface
    np.testing.assert_allclose(shape, R @ np.diag([a**2, b**2, c**2]) @ R.T, atol=1e-9)
    assert np.linalg.det(found.rotation) == pytest.approx(1)


def test_a_point_has_no_size_and_an_impossible_body_no_imaginary_one():
    assert not solid(body(2.0, np.zeros((3, 3)))).axes.any()
    axes = solid(body(1.0, np.diag([1.0, 1.0, 3.0]))).axes
    np.testing.assert_allclose(np.sort(axes), [0, np.sqrt(7.5), np.sqrt(7.5)])


def test_bodies_that_weigh_nothing_have_no_ellipsoid(visible):
    assert [s.link for s in describe(rne.load(visible)).solids] == ["arm"]


def test_visual_shapes_are_shown_each_on_its_link(visible):
    scene = describe(rne.load(visible))
    assert [(shape.link, shape.kind) for shape in scene.shapes] == [
        ("base", "box"),
        ("base", "mesh"),
        ("arm", "cylinder"),
        ("arm", "capsule"),
        ("arm", "sphere"),
    ]
    box, mesh = scene.shapes[:2]
    assert box.color == (0, 0, 1, 0.5)
    np.testing.assert_allclose(np.array(box.origin.rotation) @ [1, 0, 0], [0, 1, 0], atol=1e-15)
    assert Path(mesh.mesh) == visible.parents[1] / "meshes" / "cube.stl"
    [note] = scene.notes
    assert note == "1 visual mesh not found and left out: package://shop/meshes/lost.stl"


def test_collision_shapes_stand_in_for_meshes_that_are_not_there(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(
        """<robot name="r"><link name="base">
             <visual><geometry><mesh filename="gone.stl"/></geometry></visual>
             <collision><geometry><sphere radius="0.3"/></geometry></collision>
           </link></robot>"""
    )
    scene = describe(rne.load(path))
    assert [(shape.role, shape.kind) for shape in scene.shapes] == [("collision", "sphere")]
    assert scene.notes == (
        "1 visual mesh not found and left out: gone.stl",
        "no visual shape can be shown; the collision shapes are shown instead",
    )


def test_locked_and_loaded_robots_look_the_same(visible):
    robot = rne.load(visible)
    changed = robot.with_locked({"turn": 0.3}).with_payload(1.0, frame="tip")
    assert describe(changed).shapes == describe(robot).shapes
    assert describe(changed).solids[0].link == "arm"
    assert len(describe(changed).solids) == 2


def test_a_text_and_a_table_have_no_shapes(visible):
    for robot in (rne.load_urdf(visible.read_text()), rne.load(MODELS / "scara" / "robot.dh.toml")):
        scene = describe(robot)
        assert scene.shapes == ()
        assert scene.notes == ()
        assert {end for ends in scene.sticks for end in ends} == set(robot.frame_names)


def test_a_file_that_went_away_is_told(visible):
    robot = rne.load(visible)
    visible.unlink()
    [note] = describe(robot).notes
    assert note.startswith(f"no shapes: {visible}: cannot read the file")


def test_frames_in_one_place_share_a_label():
    labels = describe(rne.load(MODELS / "puma560" / "robot.dh.toml")).labels
    assert labels["base"].startswith("base, ")
    assert sorted(name for label in labels.values() for name in label.split(", ")) == sorted(
        rne.load(MODELS / "puma560" / "robot.dh.toml").frame_names
    )


def test_frames_that_a_slide_parts_have_labels_of_their_own(visible):
    assert describe(rne.load(visible)).labels == {"base": "base", "arm": "arm", "tip": "tip"}


def test_the_camera_looks_at_everything(visible):
    robot = rne.load(visible)
    box, mesh, *_ = describe(robot).shapes
    found = corners(box)  # 0.1 x 0.2 x 0.3 m, turned by a quarter about z, 0.1 m up
    np.testing.assert_allclose(np.abs(found[:, :2]), np.tile([0.1, 0.05], (8, 1)))
    np.testing.assert_allclose(np.sort(found[:, 2]), [-0.05] * 4 + [0.25] * 4)
    np.testing.assert_allclose(np.abs(corners(mesh, [[-1, -1, -1], [1, 1, 1]])), np.tile([0.1, 0.2, 0.3], (8, 1)))
    poses = rne.forward_kinematics(robot, [[0.0, 0.1], [np.pi / 2, 0.5]])  # the slide points up, then forward
    low, high = extent(poses, {"tip": np.array([[0.0, 0.0, 0.1]])})
    np.testing.assert_allclose(low, [0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(high, [0.6, 0, 0.5], atol=1e-12)
