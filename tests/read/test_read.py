"""Which reader a suffix picks, and agreement with Pinocchio where it is installed."""

from pathlib import Path

import numpy as np
import pytest

import rne
from rne.errors import ModelError
from rne.read import read
from rne.read.urdf.reader import read_urdf

URDF = '<robot name="block"><link name="base"/></robot>'
DH = 'name = "block"\nconvention = "modified"\n[[rows]]\njoint = "revolute"\nmass = 1\n'

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 -0.8 1.2"/><mass value="3"/>
    <inertia ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.4" iyz="0.03" izz="0.5"/></inertial></link>
  <link name="lower"><inertial><origin xyz="-0.1 0 0.1"/><mass value="2"/>
    <inertia ixx="0.03" ixy="0" ixz="0.002" iyy="0.04" iyz="0" izz="0.05"/></inertial></link>
  <joint name="a" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="1 2 3" rpy="0.7 0.2 -0.4"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="b" type="prismatic"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.5" rpy="0 0 2"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.mark.parametrize(
    ("name", "text"),
    [("r.urdf", URDF), ("r.URDF", URDF), ("r.xml", URDF), ("r.toml", DH), ("r.dh.toml", DH)],
)
def test_suffix_picks_the_reader(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    assert read(path).name == read(str(path)).name == "block"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("r.sdf", "SDF"),
        ("r.json", "suffix '.json' is not that of a robot format; wanted is one of .urdf, .xml, .mjcf, .toml, .xacro"),
        ("robot", "suffix ''"),
    ],
)
def test_other_suffixes(tmp_path, name, wanted):
    with pytest.raises(ModelError) as caught:
        read(tmp_path / name)
    assert wanted in str(caught.value)
    assert str(tmp_path / name) in str(caught.value)


def test_the_name_of_a_robot_that_comes_with_rne(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match=r"wanted is one of .*; rne\.load_model\('panda'\) is a robot that comes with"):
        read("panda")


@pytest.mark.parametrize("name", ["none.urdf", "none.toml"])
def test_missing_file(tmp_path, name):
    with pytest.raises(ModelError, match=f"{name}: cannot read the file: No such file"):
        read(tmp_path / name)


def test_folder(tmp_path):
    folder = tmp_path / "r.urdf"
    folder.mkdir()
    with pytest.raises(ModelError, match=r"r\.urdf: cannot read the file"):
        read(folder)


def test_strict_reaches_the_reader(tmp_path):
    path = tmp_path / "r.toml"
    path.write_text(DH.replace("mass = 1", "mass = -1"))
    with pytest.raises(ModelError, match="negative"):
        read(path)
    assert "negative" in str(read(path, strict=False).notes[0])


def same_as_pinocchio(tree, model) -> None:
    """Compare joints that hang on a moving link, and bodies that carry nothing bolted to them."""
    bodies = {body.name: body for body in tree.bodies}
    bolted = {joint.parent for joint in tree.joints if not joint.movable}
    moving = {joint.child for joint in tree.joints if joint.movable}
    for joint in filter(lambda joint: joint.movable, tree.joints):
        index = model.getJointId(joint.name)
        placement, inertia, body = model.jointPlacements[index], model.inertias[index], bodies[joint.child]
        if joint.parent in moving:
            np.testing.assert_allclose(joint.origin.rotation, placement.rotation, atol=1e-15)
            np.testing.assert_allclose(joint.origin.position, placement.translation, atol=1e-15)
        if body.name not in bolted and body.mass:
            np.testing.assert_allclose(body.com, inertia.lever, atol=1e-15)
            np.testing.assert_allclose(body.inertia, inertia.inertia, atol=1e-15)
            assert body.mass == inertia.mass


def test_arm_is_as_pinocchio_reads_it():
    pin = pytest.importorskip("pinocchio")
    same_as_pinocchio(read_urdf(ARM), pin.buildModelFromXML(ARM))


# Faults of the published files themselves; everything else of the collection loads.
FAULTY = {
    "alex_psyonic_hands.urdf": "mimics 'index_q1', which is not a joint",
    "romeo_laas_small.urdf": "not positive semidefinite",
    "ur3.urdf": "has no links",
}


def published_robots() -> list[Path]:
    pin = pytest.importorskip("pinocchio")
    folders = [parent / "share/example-robot-data/robots" for parent in Path(pin.__file__).parents]
    return sorted(path for folder in folders for path in folder.glob("**/*.urdf"))


def test_published_robots():
    pin = pytest.importorskip("pinocchio")
    files = published_robots()
    if not files:
        pytest.skip("example-robot-data is not installed")
    for path in files:
        if path.name in FAULTY:
            with pytest.raises(ModelError, match=FAULTY[path.name]):
                read(path)
            continue
        tree, model = read(path), pin.buildModelFromUrdf(str(path))
        assert {joint.name for joint in tree.joints if joint.movable} == set(model.names[1:]), path
        same_as_pinocchio(tree, model)


def test_a_tilde_is_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "arm.urdf").write_text('<robot name="r"><link name="base"/></robot>')
    (tmp_path / "arm.dh.toml").write_text(
        'convention = "standard"\n[[rows]]\njoint = "revolute"\nmass = 1.0\na = 1.0\n'
    )
    for load, name in (rne.load, "arm.urdf"), (rne.load_urdf, "arm.urdf"), (rne.load, "arm.dh.toml"):
        assert load(f"~/{name}").tree.source == str(tmp_path / name)
        assert load(Path("~") / name).tree.source == str(tmp_path / name)
    assert rne.diagnose("~/arm.urdf").ok
    assert rne.doctor.repair_inertias("~/arm.urdf")[1] == ()
    with pytest.raises(ModelError, match=f"{tmp_path}/none.urdf: cannot read the file"):
        rne.load("~/none.urdf")
