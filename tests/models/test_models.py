"""The robots in `models/`: the folder, and those in URDF, against other descriptions and published values."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from checks import assert_near, random_states
from models_at_hand import (
    MODELS,
    TABLES,
    URDFS,
    G,
    assert_physical,
    assert_same_torques,
    frame_pose,
    gravity,
    numbers,
    tensor,
    urdf_model,
    urdf_path,
)
from oracles import example_urdf, pin_inverse_dynamics, pin_model, urdf_coordinates
from oracles_dh import pin_model_from_dh

import rne

# --- the folder --------------------------------------------------------------------------------------------------


def test_every_folder_holds_one_robot_and_its_source() -> None:
    folders = {path.name for path in MODELS.iterdir() if path.is_dir() and path.name != "lectures"}
    assert folders == {*URDFS, *TABLES}
    readme = (MODELS / "README.md").read_text(encoding="utf-8")
    for name in folders:
        assert [path.name for path in (MODELS / name).glob("robot.*")] == [
            "robot.urdf" if name in URDFS else "robot.dh.toml"
        ]
        assert len((MODELS / name / "SOURCE").read_text(encoding="utf-8")) > 200
        assert f"| `{name}` |" in readme
    assert not list(MODELS.rglob("*.py"))


# --- URDF --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", URDFS)
def test_urdf_has_the_published_size(name: str) -> None:
    dof, mass = URDFS[name]
    model = urdf_model(urdf_path(name))
    assert (model.nq, model.nv) == (dof, dof)
    assert sum(body.mass for body in model.inertias) == pytest.approx(mass, rel=1e-12)
    assert np.all(model.lowerPositionLimit < model.upperPositionLimit)
    assert np.all(model.velocityLimit > 0)
    assert np.all(model.effortLimit > 0)


@pytest.mark.parametrize("name", URDFS)
def test_urdf_holds_physical_inertias_and_no_geometry(name: str) -> None:
    root = ET.parse(urdf_path(name)).getroot()
    for inertia in root.iter("inertia"):
        assert_physical(tensor(inertia.attrib))
    tags = {element.tag for element in root.iter()}
    assert tags <= {"robot", "link", "inertial", "origin", "mass", "inertia"} | {
        "joint", "parent", "child", "axis", "limit", "mimic"
    }  # fmt: skip


def links_by_name(path: Path) -> dict[str, tuple[float, np.ndarray, np.ndarray]]:
    """Mass, center of mass and tensor in link axes of every link that weighs something."""
    links = {}
    for link in ET.parse(path).getroot().iter("link"):
        inertial = link.find("inertial")
        if inertial is None or float(inertial.find("mass").get("value")) == 0:
            continue
        origin = inertial.find("origin")
        turn = pin.rpy.rpyToMatrix(numbers(origin.get("rpy")))
        body = turn @ tensor(inertial.find("inertia").attrib) @ turn.T
        links[link.get("name")] = (float(inertial.find("mass").get("value")), numbers(origin.get("xyz")), body)
    return links


def joints_by_name(path: Path) -> dict[str, tuple[Any, ...]]:
    """Kind, parent, child, placement (position and rotation together), axis of every joint."""
    joints = {}
    for joint in ET.parse(path).getroot().findall("joint"):
        origin, axis = joint.find("origin"), joint.find("axis")
        place = pin.SE3(pin.rpy.rpyToMatrix(numbers(origin.get("rpy"))), numbers(origin.get("xyz")))
        joints[joint.get("name")] = (
            joint.get("type"),
            joint.find("parent").get("link"),
            joint.find("child").get("link"),
            place.homogeneous,
            None if axis is None else numbers(axis.get("xyz")),
        )
    return joints


def test_panda_equals_example_robot_data_link_by_link() -> None:
    path, reference = urdf_path("panda"), example_urdf("panda.urdf")
    links, expected_links = links_by_name(path), links_by_name(reference)
    assert list(links) == list(expected_links)
    for name, (mass, com, body) in expected_links.items():
        assert links[name][0] == mass
        np.testing.assert_allclose(links[name][1], com, rtol=0, atol=1e-15)
        np.testing.assert_allclose(links[name][2], body, rtol=1e-14, atol=0)
    joints, expected_joints = joints_by_name(path), joints_by_name(reference)
    assert joints.keys() == expected_joints.keys()
    for name, (kind, parent, child, place, axis) in expected_joints.items():
        assert joints[name][:3] == (kind, parent, child)
        np.testing.assert_allclose(joints[name][3], place, rtol=0, atol=1e-15)
        assert axis is None or np.array_equal(joints[name][4], axis)


def test_panda_equals_example_robot_data_in_motion_and_limits() -> None:
    ours = urdf_model(urdf_path("panda"))
    other = urdf_model(example_urdf("panda.urdf"))
    assert list(ours.names) == list(other.names)
    assert_same_torques(ours, other, 1e-9)
    for limit in ("lowerPositionLimit", "upperPositionLimit", "velocityLimit", "effortLimit"):
        np.testing.assert_array_equal(getattr(ours, limit), getattr(other, limit))


def test_iiwa14_stands_upright_and_carries_its_published_weight() -> None:
    model = urdf_model(urdf_path("iiwa14"))
    upright = frame_pose(model, np.zeros(7), "iiwa_link_ee")
    np.testing.assert_allclose(upright.translation, (0, 0, 0.36 + 0.42 + 0.4 + 0.126), rtol=0, atol=1e-12)
    np.testing.assert_allclose(upright.rotation, np.eye(3), rtol=0, atol=1e-12)
    # Stretched out level, joint 2 carries every center of mass at its distance along the arm.
    mass = np.array([6.35, 3.5, 3.5, 3.5, 1.8, 1.2])
    reach = np.array([0.059, 0.3345, 0.487, 0.6805, 0.8206, 0.921])
    level = np.array([0, math.pi / 2, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(gravity(model, level)[1], -G * mass @ reach, rtol=1e-12)
    assert frame_pose(model, level, "iiwa_link_ee").translation[0] == pytest.approx(0.42 + 0.4 + 0.126)


# Universal Robots, article "DH parameters for calculations of kinematics and dynamics": a2, a3, d1, d4, d5, d6, masses,
# and centers of mass in DH frames.
UR_ARTICLE = {
    "ur5e": (
        (-0.425, -0.3922, 0.1625, 0.1333, 0.0997, 0.0996),
        (3.761, 8.058, 2.846, 1.37, 1.3, 0.365),
        (
            "0 -0.02561 0.00193",
            "0.2125 0 0.11336",
            "0.15 0 0.0265",
            "0 -0.0018 0.01634",
            "0 0.0018 0.01634",
            "0 0 -0.001159",
        ),
    ),
    "ur10": (
        (-0.612, -0.5723, 0.1273, 0.163941, 0.1157, 0.0922),
        (7.1, 12.7, 4.27, 2.0, 2.0, 0.365),
        ("0.021 0 0.027", "0.38 0 0.158", "0.24 0 0.068", "0 0.007 0.018", "0 0.007 0.018", "0 0 -0.026"),
    ),
}


@pytest.mark.parametrize("name", UR_ARTICLE)
def test_ur_agrees_with_the_dh_table_of_the_maker(name: str) -> None:
    (a2, a3, d1, d4, d5, d6), mass, com = UR_ARTICLE[name]
    quarter = math.pi / 2
    a, d, alpha = (0, a2, a3, 0, 0, 0), (d1, 0, 0, d4, d5, d6), (quarter, 0, 0, quarter, -quarter, 0)
    rows = [
        {"joint": "revolute", "a": a[i], "d": d[i], "alpha": alpha[i], "mass": mass[i], "com": numbers(com[i])}
        | {"inertia": np.zeros((3, 3))}
        for i in range(6)
    ]
    table = pin_model_from_dh({"convention": "standard", "rows": rows})
    model = urdf_model(urdf_path(name))
    rng = np.random.default_rng(3)
    for q in rng.uniform(-math.pi, math.pi, (20, 6)):
        tool = frame_pose(model, q, "tool0", seen_from="base")
        np.testing.assert_allclose(tool.homogeneous, frame_pose(table, q, "dh6").homogeneous, rtol=0, atol=1e-12)
        np.testing.assert_allclose(gravity(model, q), gravity(table, q), rtol=0, atol=1e-11)


def test_ur10_moves_as_in_example_robot_data() -> None:
    """The inertial numbers are other ones there (SOURCE), the kinematics the same to the digits of its pi."""
    ours = urdf_model(urdf_path("ur10"))
    other = urdf_model(example_urdf("ur10_robot.urdf"))
    assert list(ours.names) == list(other.names)
    rng = np.random.default_rng(4)
    for q in rng.uniform(-math.pi, math.pi, (20, 6)):
        for frame in ("base", "tool0"):
            pose, expected = (frame_pose(model, q, frame).homogeneous for model in (ours, other))
            np.testing.assert_allclose(pose, expected, rtol=0, atol=1e-9)


# --- as rne loads them -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", URDFS)
def test_rne_loads_them_without_a_word_and_moves_them_as_pinocchio(name: str) -> None:
    """Warnings are errors here: the files are as they should be."""
    dof, mass = URDFS[name]
    path = urdf_path(name)
    robot, names = rne.load(path), urdf_coordinates(path)
    assert robot.joint_names == tuple(names)
    assert (robot.name, robot.n) == (ET.parse(path).getroot().get("name"), dof)
    assert robot.total_mass == pytest.approx(mass, rel=1e-12)
    states = random_states(dof, 10, seed=5)
    model = pin_model(path)
    wanted = [pin_inverse_dynamics(model, names, *state) for state in zip(*states, strict=True)]
    assert_near(rne.inverse_dynamics(robot, *states), wanted, rtol=1e-13)


@pytest.mark.parametrize("name", URDFS)
def test_rne_reads_their_limits(name: str) -> None:
    robot, model = rne.load(urdf_path(name)), urdf_model(urdf_path(name))
    for ours, theirs in (
        (robot.lower_limit, model.lowerPositionLimit),
        (robot.upper_limit, model.upperPositionLimit),
        (robot.velocity_limit, model.velocityLimit),
        (robot.effort_limit, model.effortLimit),
    ):
        np.testing.assert_array_equal(ours, theirs)


def test_rne_moves_the_panda_with_its_fingers_locked() -> None:
    """What the benchmarks run on: seven joints, the hand and both fingers on the last."""
    robot = rne.load(urdf_path("panda"), lock={"panda_finger_joint1": 0.0})
    assert robot.n == 7
    full = rne.load(urdf_path("panda"))
    states = random_states(7, 5)
    padded = [np.concatenate([x, np.zeros((5, 1))], axis=1) for x in states]
    assert_near(rne.inverse_dynamics(robot, *states), rne.inverse_dynamics(full, *padded)[:, :7], rtol=1e-13)
