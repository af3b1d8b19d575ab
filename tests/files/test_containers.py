"""MATLAB, HDF5 and ROS bags: the same motion as a Parquet file of it, whatever writes them."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.io
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import StoragePlugin
from rosbags.rosbag2 import Writer as Writer2
from rosbags.typesys import Stores, get_typestore

import rne
from rne.files import Trajectory, joined, seconds

N = 300
START = 1_700_000_000_500_000_000
STEP = 4_000_000


@pytest.fixture
def state(robot) -> dict[str, np.ndarray]:
    random = np.random.default_rng(5)
    return {key: random.normal(size=(N, robot.n)) for key in ("q", "qd", "tau")}


def read(path, robot, **options):
    with Trajectory(path, robot, quantities=["q", "qd", "tau"], **options) as motion:
        chunk = joined(list(motion))
        return motion, chunk


def assert_same(chunk, state) -> None:
    assert set(chunk.arrays) == {"q", "qd", "tau"}
    for key, wanted in state.items():
        np.testing.assert_array_equal(chunk.arrays[key], wanted)


@pytest.mark.parametrize("in_structure", [False, True])
def test_matlab(robot, state, tmp_path, in_structure) -> None:
    t = np.arange(N) / 250
    content = {**state, "t": t, "note": "by hand", "scale": 3.0}
    scipy.io.savemat(tmp_path / "m.mat", {"log": content} if in_structure else content)
    _, chunk = read(tmp_path / "m.mat", robot, chunk=17)
    assert_same(chunk, state)
    np.testing.assert_array_equal(seconds("m", chunk.t), t)
    (tmp_path / "bad.mat").write_bytes((tmp_path / "m.mat").read_bytes()[:3000])
    with pytest.raises(rne.FileError, match=r"bad.mat: the MATLAB file cannot be read: "):
        read(tmp_path / "bad.mat", robot)


@pytest.mark.parametrize("group", ["", "run/7/"])
def test_hdf5(robot, state, tmp_path, group) -> None:
    with h5py.File(tmp_path / "m.h5", "w") as file:
        for key, array in state.items():
            file.create_dataset(group + key, data=array, chunks=(50, 2), compression="gzip")
        file[group + "t"] = np.arange(N) / 250
        file[group + "note"] = "by hand"
    _, chunk = read(tmp_path / "m.h5", robot, chunk=17)
    assert_same(chunk, state)
    with Trajectory(tmp_path / "m.h5", robot) as motion:  # it may be gone through again
        once, twice = joined(list(motion)), joined(list(motion))
    np.testing.assert_array_equal(once.arrays["qd"], twice.arrays["qd"])
    with h5py.File(tmp_path / "one.hdf5", "w") as file:
        table = np.zeros(N, [(f"q_{joint}", "f8") for joint in robot.joint_names])
        for k, joint in enumerate(robot.joint_names):
            table[f"q_{joint}"] = state["q"][:, k]
        file["table"] = table
    np.testing.assert_array_equal(read(tmp_path / "one.hdf5", robot)[1].arrays["q"], state["q"])
    (tmp_path / "bad.h5").write_bytes((tmp_path / "m.h5").read_bytes()[:3000])
    with pytest.raises(rne.FileError, match=r"bad.h5: the HDF5 file is damaged or cut off"):
        read(tmp_path / "bad.h5", robot)


def test_matlab_7_3_stores_columns_as_rows(robot, state, tmp_path) -> None:
    """As MATLAB writes it: every axis reversed, and the class of each array beside it."""
    with h5py.File(tmp_path / "m.mat", "w", userblock_size=512) as file:
        for key, array in {**state, "t": (np.arange(N) / 250)[:, None]}.items():
            file[key] = array.T
            file[key].attrs["MATLAB_class"] = np.bytes_("double")
    with (tmp_path / "m.mat").open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    chunk = read(tmp_path / "m.mat", robot, chunk=17)[1]
    assert_same(chunk, state)
    np.testing.assert_array_equal(seconds("m", chunk.t), np.arange(N) / 250)


def bag(path: Path, kind: str, robot, state, order, topics=("/joint_states",), gripper=True) -> Path:
    """A bag of joint states in another order, and messages of a gripper on the same topic between them."""
    store = get_typestore(Stores.ROS1_NOETIC if kind == "bag" else Stores.ROS2_HUMBLE)
    types = store.types
    time, header = types["builtin_interfaces/msg/Time"], types["std_msgs/msg/Header"]
    message = types["sensor_msgs/msg/JointState"]
    extra = {"seq": 0} if kind == "bag" else {}
    writer = (
        Writer1(path)
        if kind == "bag"
        else Writer2(path, version=9, storage_plugin=StoragePlugin.MCAP if kind == "mcap" else StoragePlugin.SQLITE3)
    )
    places = [list(robot.joint_names).index(joint) for joint in order]
    with writer:
        connections = [writer.add_connection(topic, message.__msgtype__, typestore=store) for topic in topics]
        for k in range(N):
            stamp = START + k * STEP
            head = header(stamp=time(sec=stamp // 10**9, nanosec=stamp % 10**9), frame_id="", **extra)
            rows = [(list(order), *(state[key][k, places] for key in ("q", "qd", "tau")))]
            if gripper:
                rows.append((["finger"], np.ones(1), np.ones(1), np.ones(1)))
            for names, q, qd, tau in rows:
                one = message(header=head, name=names, position=q, velocity=qd, effort=tau)
                pack = store.serialize_ros1 if kind == "bag" else store.serialize_cdr
                for connection in connections:
                    writer.write(connection, stamp + 1_000_000, pack(one, message.__msgtype__))
    return path


@pytest.mark.parametrize("kind", ["bag", "db3", "mcap"])
def test_bags(robot, state, tmp_path, kind) -> None:
    order = sorted(robot.joint_names)
    assert order != list(robot.joint_names)
    path = bag(tmp_path / ("m.bag" if kind == "bag" else "m"), kind, robot, state, order)
    files = [path] if kind == "bag" else [path, *path.glob(f"*.{kind}")]
    assert len(files) == 1 + (kind != "bag")
    for file in files:
        motion, chunk = read(file, robot, chunk=17)
        assert_same(chunk, state)
        np.testing.assert_array_equal(seconds("m", chunk.t, origin=chunk.t[0]), np.arange(N) * STEP / 1e9)
        assert chunk.t[0].as_py().value if hasattr(chunk.t[0].as_py(), "value") else chunk.t[0].value == START
        assert f"left out: {N}" in " ".join(motion.doubts())
    with Trajectory(path, robot) as motion:  # it may be gone through again
        once, twice = joined(list(motion)), joined(list(motion))
    np.testing.assert_array_equal(once.arrays["qd"], twice.arrays["qd"])


def test_bags_refused(robot, state, tmp_path) -> None:
    path = bag(tmp_path / "m.bag", "bag", robot, state, robot.joint_names, topics=("/left", "/right"))
    with pytest.raises(rne.FileError, match=r"several topics, /left, /right; say which: --topic /left"):
        Trajectory(path, robot)
    assert_same(read(path, robot, topic="/right")[1], state)
    with pytest.raises(rne.FileError, match="no joint states on topic '/up'; there are /left, /right"):
        Trajectory(path, robot, topic="/up")
    other = rne.load("models/planar2/robot.dh.toml")
    with pytest.raises(rne.FileError, match="no message names all of shoulder, elbow"):
        Trajectory(path, other, topic="/left")
    (tmp_path / "bad.bag").write_bytes(path.read_bytes()[:5000])
    with pytest.raises(rne.FileError, match=r"bad.bag: the bag cannot be read"):
        Trajectory(tmp_path / "bad.bag", robot)
    with pytest.raises(rne.ArgumentError, match="is a folder, and no ROS 2 bag"):
        Trajectory(tmp_path, robot)
