"""The page as a program sees it: where things are, what can be done, and that nothing is left behind."""

from __future__ import annotations

import socket
import sys
import threading
import time
from urllib.request import ProxyHandler, build_opener

import numpy as np
import pinocchio as pin
import pytest
from models_at_hand import MODELS, urdf_model, urdf_path

import rne
from rne.viewer.stage import Stage

pytestmark = pytest.mark.filterwarnings("ignore::rne.ModelWarning")


def shown(robot: rne.Robot, *motion, **options):
    return rne.view(robot, *motion, port=0, browser=False, **options)


def nodes(viewer) -> dict:
    """Frames of the links as the scene has them."""
    stage = viewer._stage
    return dict(zip(stage._scene.frames, stage._frames, strict=True))


@pytest.mark.parametrize("name", ["panda", "ur5e"])
def test_links_are_where_pinocchio_says(name):
    robot, model = rne.load(urdf_path(name)), urdf_model(urdf_path(name))
    q = np.random.default_rng(3).uniform(np.maximum(robot.lower_limit, -2), np.minimum(robot.upper_limit, 2))
    with shown(robot) as viewer:
        viewer.move(q)
        data = model.createData()
        pin.framesForwardKinematics(model, data, q)
        for link, node in nodes(viewer).items():
            pose = data.oMf[model.getFrameId(link, pin.FrameType.BODY)]
            w, x, y, z = node.wxyz
            np.testing.assert_allclose(pin.Quaternion(w, x, y, z).matrix(), pose.rotation, atol=1e-9)
            np.testing.assert_allclose(node.position, pose.translation, atol=1e-9)


def test_a_notebook_shows_the_page_as_long_as_it_is_there():
    with shown(rne.load_model("planar2")) as viewer:
        assert f'<iframe src="{viewer.url}"' in viewer._repr_html_()
    assert "iframe" not in viewer._repr_html_()


def test_nothing_is_shown_before_all_is_in_its_place(monkeypatch):
    """While meshes are sent, names would pile up at the origin."""
    whole = []

    def watched(self, q):
        whole.append((self._whole.visible, {node.visible for node in self._parts["names"]}))
        whole.append(np.array([frame.position for frame in self._frames]))

    monkeypatch.setattr(Stage, "move", watched)
    robot = rne.load_model("panda")
    with shown(robot) as viewer:
        (visible, names), places = whole[:2]
        assert (visible, names) == (False, {False})
        q = viewer._q
        poses = rne.forward_kinematics(robot, q, viewer._stage._scene.frames)
        np.testing.assert_allclose(places, [pose[:3, 3] for pose in poses.values()], atol=1e-12)
        assert np.ptp(places, axis=0).max() > 0.5
        assert viewer._stage._whole.visible


def test_torques_stand_above_the_sliders():
    """Where there are many joints, the sliders would push them out of sight."""
    with shown(rne.load_model("iiwa14")) as viewer:
        folder = viewer._bars._impl.parent_container_id
        top = {
            handle._impl.uuid: handle._impl.props.order
            for handle in viewer._server.gui._gui_input_handle_from_uuid.values()
        }
        container = viewer._server.gui._container_handle_from_uuid[folder]
        assert top
        assert all(container._impl.props.order < order for order in top.values())


def test_shapes_hang_on_their_links(visible):
    with shown(rne.load(visible)) as viewer:
        shapes = {node.name: node for node in viewer._stage._parts["shapes"]}
    assert [name.split("/")[2] for name in shapes] == ["0 base", "0 base", "1 arm", "1 arm", "1 arm"]
    box, mesh, cylinder, capsule, ball = shapes.values()
    assert tuple(box.dimensions) == (0.1, 0.2, 0.3)
    np.testing.assert_allclose(box.position, [0, 0, 0.1])
    np.testing.assert_allclose(box.wxyz, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)], atol=1e-12)
    assert (tuple(box.color), box.opacity) == ((0, 0, 255), 0.5)
    assert tuple(mesh.scale) == (0.1, 0.2, 0.3)
    assert (cylinder.radius, cylinder.height, ball.radius) == (0.05, 0.4, 0.06)
    np.testing.assert_allclose(np.abs(capsule.vertices).max(axis=0), [0.03, 0.03, 0.13], rtol=1e-3)


def test_meshes_that_cannot_be_read_are_told(visible):
    mesh = visible.parents[1] / "meshes" / "cube.stl"
    mesh.write_bytes(b"nothing")
    with shown(rne.load(visible)) as viewer:
        assert f"1 visual mesh not readable and left out: {mesh}" in viewer.notes
        assert len(viewer._stage._parts["shapes"]) == 4


def test_the_ends_of_sticks_are_the_joints():
    robot = rne.load(MODELS / "planar2" / "robot.dh.toml")
    with shown(robot) as viewer:
        viewer.move([np.pi / 2, -np.pi / 2])  # two links of 1 m: up, then right
        [sticks] = viewer._stage._parts["sticks"]
        long = sticks.points[np.linalg.norm(np.diff(sticks.points, axis=1)[:, 0], axis=1) > 1e-6]
        np.testing.assert_allclose(long, [[[0, 0, 0], [0, 1, 0]], [[0, 1, 0], [1, 1, 0]]], atol=1e-6)


def test_a_motion_is_sought_held_and_played():
    robot = rne.load(MODELS / "planar2" / "robot.dh.toml")
    q = np.linspace([0.0, 0.0], [1.0, 2.0], 11)
    with shown(robot, q, t=np.linspace(5, 6, 11)) as viewer:
        viewer.seek(5.55)
        np.testing.assert_allclose(nodes(viewer)["link1"].position[:2], [np.cos(0.5), np.sin(0.5)], atol=1e-12)
        assert viewer._readout.content == "t = 5.550 s, sample 6 of 11"
        assert viewer._button.label == "Play"
        viewer.seek(99)
        assert viewer._readout.content == "t = 6.000 s, sample 11 of 11"
        viewer.play()
        end = time.monotonic() + 20
        while viewer._readout.content.endswith("sample 11 of 11") and time.monotonic() < end:
            time.sleep(0.01)
        assert not viewer._readout.content.endswith("sample 11 of 11")
        assert viewer._button.label == "Pause"
        viewer.pause()
        told = viewer._readout.content
        time.sleep(0.2)
        assert viewer._readout.content == told


def test_where_numbers_are_missing_the_robot_stays():
    robot = rne.load(MODELS / "planar2" / "robot.dh.toml")
    with shown(robot, [[0.0, 0.0], [1.0, 0.0], [np.nan, 0.0]], t=[0, 1, 2]) as viewer:
        viewer.seek(1)
        before = nodes(viewer)["link2"].position.copy()
        viewer.seek(2)
        np.testing.assert_array_equal(nodes(viewer)["link2"].position, before)
        assert "not numbers" in viewer._readout.content
        assert "not a number" in viewer._bars.content
    with shown(robot, [[np.nan, 0.0]]) as viewer:
        np.testing.assert_allclose(nodes(viewer)["link2"].position, [2, 0, 0])


def test_what_cannot_be_done_is_refused():
    robot = rne.load(MODELS / "planar2" / "robot.dh.toml")
    with shown(robot) as viewer:
        for call in (viewer.play, viewer.pause, lambda: viewer.seek(1.0)):
            with pytest.raises(rne.ArgumentError, match="there is no motion"):
                call()
        with pytest.raises(rne.ArgumentError, match=r"q: wanted shape \(2,\)"):
            viewer.move([0.0])
        with pytest.raises(rne.ArgumentError, match="finite"):
            viewer.move([np.nan, 0.0])
    with shown(robot, [[0.0, 0.0]]) as viewer, pytest.raises(rne.ArgumentError, match="plays a motion"):
        viewer.move([0.0, 0.0])
    with pytest.raises(rne.ArgumentError, match="q: wanted the positions"):
        shown(robot, t=[0.0])
    with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
        shown("panda.urdf")


def test_a_robot_that_does_not_move():
    frozen = rne.load(MODELS / "planar2" / "robot.dh.toml").with_locked({"shoulder": 0.0, "elbow": 0.0})
    with shown(frozen) as viewer:
        assert "no movable joints" in viewer._bars.content


def test_a_page_goes_without_a_trace(capfd, caplog):
    robot = rne.load(MODELS / "planar2" / "robot.dh.toml")
    before = threading.active_count()
    viewer = shown(robot)
    port = int(viewer.url.rsplit(":", 1)[1])
    with build_opener(ProxyHandler({})).open(viewer.url, timeout=20) as answer:
        page = answer.read().decode()
    assert "<html" in page
    assert viewer.url in repr(viewer)
    assert viewer.url in viewer._repr_html_()
    with socket.create_connection(("127.0.0.1", port), timeout=20):  # as browsers do, and then not use it
        pass
    waiting = threading.Thread(target=viewer.wait)
    waiting.start()
    viewer.stop()
    viewer.stop()
    waiting.join(20)
    assert not waiting.is_alive()
    assert "stopped" in repr(viewer)
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=5):
        pass
    end = time.monotonic() + 20
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.05)
    assert threading.active_count() <= before
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


def test_two_pages_do_not_fight_over_a_port():
    robot = rne.load(MODELS / "planar2" / "robot.dh.toml")
    with shown(robot) as one:
        port = int(one.url.rsplit(":", 1)[1])
        with rne.view(robot, port=port, browser=False) as other:
            assert other.url != one.url


def test_a_place_where_nobody_can_listen_is_refused():
    robot = rne.load(MODELS / "planar2" / "robot.dh.toml")
    with pytest.raises(rne.ArgumentError, match=r"cannot listen on 192\.0\.2\.1:8080"):  # no machine has this address
        rne.view(robot, host="192.0.2.1", browser=False)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with rne.view(robot, port=port, browser=False) as viewer:
            assert not viewer.url.endswith(f":{port}")


def test_without_viser_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    for name in ("rne.viewer.page", "rne.viewer.stage"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(rne.RneError, match=r"pip install 'rne\[view\]'"):
        shown(rne.load(MODELS / "planar2" / "robot.dh.toml"))
