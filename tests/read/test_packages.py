"""Where packages are looked for, which come first, and what is said of one that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import rne
from rne.cli import main
from rne.errors import ArgumentError, ModelError
from rne.read.packages import Packages
from rne.viewer.scene import describe

LINK = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="block" params="name">
<link name="${name}"><inertial><mass value="MASS"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></xacro:macro></robot>"""
ARM = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:include filename="$(find parts_description)/urdf/block.xacro"/><xacro:block name="base"/></robot>"""


@pytest.fixture(autouse=True)
def no_ros(monkeypatch):
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(variable, raising=False)


def package(folder: Path, mass: float, name: str = "parts_description") -> Path:
    """Make a package with a block of this mass."""
    (folder / "urdf").mkdir(parents=True)
    (folder / "package.xml").write_text(f'<?xml version="1.0"?><package format="3"><name>{name}</name></package>')
    (folder / "urdf/block.xacro").write_text(LINK.replace("MASS", str(mass)))
    return folder


def arm(folder: Path) -> Path:
    path = package(folder, 99.0, "arm_description") / "urdf/arm.urdf.xacro"
    path.write_text(ARM)
    return path


def mass(path: Path, **options) -> float:
    return rne.load(path, args={}, **options).total_mass


def test_a_sibling_in_the_repository_is_found(tmp_path):
    path = arm(tmp_path / "work/vendor/arms/arm_description")
    (tmp_path / "work/vendor/.git").mkdir()
    package(tmp_path / "work/vendor/common/deep/parts", 2.0)  # of another name than the package
    package(tmp_path / "work/other/parts_description", 3.0)  # in another repository
    assert mass(path) == 2.0


def test_without_git_the_repository_is_around_the_outermost_package(tmp_path):
    path = arm(tmp_path / "vendor/arm_description")
    package(tmp_path / "vendor/more/parts_description", 2.0)
    assert mass(path) == 2.0


def test_the_nearest_of_several_is_taken(tmp_path):
    path = arm(tmp_path / "vendor/series_b/robot/arm_description")
    (tmp_path / "vendor/.git").mkdir()
    for series, kilograms in ("a", 1.0), ("b", 2.0), ("c", 3.0):
        package(tmp_path / f"vendor/series_{series}/common/parts_description", kilograms)
    assert mass(path) == 2.0


def test_a_package_that_says_its_name_goes_before_a_folder_that_is_called_so(tmp_path):
    path = arm(tmp_path / "vendor/arm_description")
    (tmp_path / "vendor/.git").mkdir()
    package(tmp_path / "vendor/a/parts_description", 1.0, "something_else")
    package(tmp_path / "vendor/b/parts", 2.0)
    assert mass(path) == 2.0


def test_the_environment_of_ros_1(tmp_path, monkeypatch):
    path = arm(tmp_path / "here/arm_description")
    package(tmp_path / "there/src/deep/parts", 2.0)
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"{tmp_path}/nowhere:{tmp_path}/there/src")
    assert mass(path) == 2.0


def test_the_environment_of_ros_2(tmp_path, monkeypatch):
    path = arm(tmp_path / "here/arm_description")
    package(tmp_path / "install/share/parts_description", 2.0)
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path}/install")
    assert mass(path) == 2.0


def test_what_is_given_goes_first(tmp_path, monkeypatch):
    path = arm(tmp_path / "vendor/arm_description")
    package(tmp_path / "vendor/parts_description", 2.0)
    given = package(tmp_path / "home/any_name", 3.0)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for folder in (given, str(given), "~/any_name"):
        assert mass(path, packages={"parts_description": folder}) == 3.0
    run = CliRunner().invoke(main, ["info", str(path), "--package", f"parts_description={given}"])
    assert run.exit_code == 0, run.output
    assert "3 kg" in run.output


def test_one_that_is_not_found_is_named_with_the_ways_to_name_it(tmp_path):
    path = arm(tmp_path / "vendor/arm_description")
    with pytest.raises(ModelError) as caught:
        mass(path)
    said = str(caught.value)
    assert said.startswith(f"{path}: xacro cannot expand the file")
    assert said.count("package 'parts_description' is not found") == 1
    for way in (
        "packages={'parts_description': FOLDER}",
        "--package parts_description=FOLDER",
        "ROS_PACKAGE_PATH",
        "AMENT_PREFIX_PATH",
    ):
        assert way in said


@pytest.mark.parametrize(
    ("packages", "wanted"),
    [
        (["a"], "packages: wanted a mapping from name to folder, got list"),
        ({1: "/"}, "packages: wanted names as text, got 1"),
        ({"a": 3}, r"packages\['a'\]: wanted the path of a folder, got int"),
        ({"a": "/nowhere/at/all"}, r"packages\['a'\]: /nowhere/at/all is not an existing folder"),
    ],
)
def test_wrong_packages(packages, wanted):
    with pytest.raises(ArgumentError, match=wanted):
        rne.load("models/ur5e/robot.urdf", packages=packages)


@pytest.mark.parametrize("text", ["a", "=b", "a="])
def test_wrong_options(text):
    run = CliRunner().invoke(main, ["info", "models/ur5e/robot.urdf", "--package", text])
    assert run.exit_code == 2
    assert "wanted NAME=FOLDER" in run.output


MESHES = """<robot name="r"><link name="base"><visual><geometry>
<mesh filename="package://parts_description/meshes/a.stl"/></geometry></visual><visual><geometry>
<mesh filename="package://lost_one/meshes/b.stl"/></geometry></visual><visual><geometry>
<mesh filename="package://lost_one/meshes/c.stl"/></geometry></visual></link></robot>"""


def test_meshes_of_sibling_packages_are_found_and_lost_packages_named_once(tmp_path):
    path = package(tmp_path / "vendor/arm_description", 1.0, "arm_description") / "urdf/arm.urdf"
    path.write_text(MESHES)
    mesh = package(tmp_path / "vendor/more/parts", 1.0) / "meshes/a.stl"
    mesh.parent.mkdir()
    mesh.write_bytes(b"solid")
    scene = describe(rne.load(path))
    assert [shape.mesh for shape in scene.shapes] == [str(mesh)]
    assert sum("package 'lost_one' is not found" in note for note in scene.notes) == 1
    lost = tmp_path / "elsewhere"
    (lost / "meshes").mkdir(parents=True)
    for name in "bc":
        (lost / f"meshes/{name}.stl").write_bytes(b"solid")
    scene = describe(rne.load(path, packages={"lost_one": lost}))
    assert len(scene.shapes) == 3
    assert scene.notes == ()


def test_a_large_tree_is_not_walked_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr("rne.read.packages.MOST_FOLDERS", 10)
    for k in range(30):
        (tmp_path / f"vendor/d{k:02}").mkdir(parents=True)
    path = package(tmp_path / "vendor/arm_description", 1.0, "arm_description") / "package.xml"
    package(tmp_path / "vendor/z/parts", 2.0)
    assert Packages(path).find("parts_description") is None


def test_a_link_to_a_folder_above_is_not_followed(tmp_path):
    path = arm(tmp_path / "vendor/arm_description")
    (tmp_path / "vendor/loop").symlink_to(tmp_path / "vendor")
    assert Packages(path).find("parts_description") is None
