"""The robots in `models/`: numbers against other descriptions, closed formulas and published values."""

from __future__ import annotations

import copy
import math
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from oracles_dh import pin_model_from_dh

MODELS = Path(__file__).parents[1] / "models"
EXAMPLE_ROBOT_DATA = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
URDFS = {  # name: (degrees of freedom, mass of all links in kg)
    "panda": (8, 17.451901),
    "iiwa14": (7, 30.61),
    "ur5e": (6, 21.7),
    "ur10": (6, 32.435),
}
TABLES = {  # name: (convention, kinds of joint, mass of all links in kg)
    "puma560": ("standard", "RRRRRR", 23.45),
    "stanford": ("standard", "RRPRRR", 20.77),
    "planar2": ("standard", "RR", 2.0),
    "scara": ("modified", "RRPR", 15.7),
}
G = 9.81


def urdf_path(name: str) -> Path:
    return MODELS / name / "robot.urdf"


def urdf_model(path: Path) -> pin.Model:
    return pin.buildModelFromUrdf(str(path), True)


def dh_table(name: str) -> dict[str, Any]:
    return tomllib.loads((MODELS / name / "robot.dh.toml").read_text(encoding="utf-8"))


def example(*parts: str) -> Path:
    path = EXAMPLE_ROBOT_DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip("example-robot-data is not installed")
    return path


def gravity(model: pin.Model, q: Any) -> np.ndarray:
    q = np.asarray(q, dtype=float)
    return pin.rnea(model, model.createData(), q, np.zeros(model.nv), np.zeros(model.nv))


def mass_matrix(model: pin.Model, q: Any) -> np.ndarray:
    upper = np.triu(pin.crba(model, model.createData(), np.asarray(q, dtype=float)))
    return upper + np.triu(upper, 1).T


def frame_pose(model: pin.Model, q: Any, frame: str, seen_from: str | None = None) -> pin.SE3:
    data = model.createData()
    pin.framesForwardKinematics(model, data, np.asarray(q, dtype=float))
    pose = data.oMf[model.getFrameId(frame)]
    return pose if seen_from is None else data.oMf[model.getFrameId(seen_from)].actInv(pose)


def assert_same_torques(one: pin.Model, other: pin.Model, tolerance: float) -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        q, qd, qdd = rng.uniform(-1.5, 1.5, (3, one.nv))
        tau = pin.rnea(one, one.createData(), q, qd, qdd)
        np.testing.assert_allclose(tau, pin.rnea(other, other.createData(), q, qd, qdd), rtol=0, atol=tolerance)


def tensor(values: dict[str, Any]) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = (float(values[key]) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def assert_physical(inertia: np.ndarray) -> None:
    low, middle, high = np.linalg.eigvalsh(inertia)
    assert low > 0
    assert low + middle > high


def numbers(text: str) -> np.ndarray:
    return np.array([float(word) for word in text.split()])


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
    """Mass, centre of mass and tensor in link axes of every link that weighs something."""
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
    path, reference = urdf_path("panda"), example("panda_description", "urdf", "panda.urdf")
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
    other = urdf_model(example("panda_description", "urdf", "panda.urdf"))
    assert list(ours.names) == list(other.names)
    assert_same_torques(ours, other, 1e-9)
    for limit in ("lowerPositionLimit", "upperPositionLimit", "velocityLimit", "effortLimit"):
        np.testing.assert_array_equal(getattr(ours, limit), getattr(other, limit))


def test_iiwa14_stands_upright_and_carries_its_published_weight() -> None:
    model = urdf_model(urdf_path("iiwa14"))
    upright = frame_pose(model, np.zeros(7), "iiwa_link_ee")
    np.testing.assert_allclose(upright.translation, (0, 0, 0.36 + 0.42 + 0.4 + 0.126), rtol=0, atol=1e-12)
    np.testing.assert_allclose(upright.rotation, np.eye(3), rtol=0, atol=1e-12)
    # Stretched out level, joint 2 carries every centre of mass at its distance along the arm.
    mass = np.array([6.35, 3.5, 3.5, 3.5, 1.8, 1.2])
    reach = np.array([0.059, 0.3345, 0.487, 0.6805, 0.8206, 0.921])
    level = np.array([0, math.pi / 2, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(gravity(model, level)[1], -G * mass @ reach, rtol=1e-12)
    assert frame_pose(model, level, "iiwa_link_ee").translation[0] == pytest.approx(0.42 + 0.4 + 0.126)


# Universal Robots, article "DH parameters for calculations of kinematics and dynamics": a2, a3, d1, d4, d5, d6, masses,
# and centres of mass in DH frames.
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
    other = urdf_model(example("ur_description", "urdf", "ur10_robot.urdf"))
    assert list(ours.names) == list(other.names)
    rng = np.random.default_rng(4)
    for q in rng.uniform(-math.pi, math.pi, (20, 6)):
        for frame in ("base", "tool0"):
            pose, expected = (frame_pose(model, q, frame).homogeneous for model in (ours, other))
            np.testing.assert_allclose(pose, expected, rtol=0, atol=1e-9)


# --- DH tables ---------------------------------------------------------------------------------------------------

TOP_KEYS = {"name", "convention", "gravity", "base", "rows"}
ROW_KEYS = {"joint", "a", "alpha", "d", "theta", "mass", "com", "inertia"}
OPTIONAL_KEYS = {"name", "rotor_inertia", "gear_ratio", "viscous", "coulomb", "lower", "upper", "velocity", "effort"}


@pytest.mark.parametrize("name", TABLES)
def test_table_is_complete_and_physical(name: str) -> None:
    convention, kinds, mass = TABLES[name]
    table = dh_table(name)
    assert table.keys() <= TOP_KEYS
    assert (table["name"], table["convention"]) == (name, convention)
    assert "".join(row["joint"][0].upper() for row in table["rows"]) == kinds
    assert sum(row["mass"] for row in table["rows"]) == pytest.approx(mass, rel=1e-12)
    for row in table["rows"]:
        assert row.keys() >= ROW_KEYS
        assert row.keys() <= ROW_KEYS | OPTIONAL_KEYS
        assert row["joint"] in ("revolute", "prismatic")
        assert row["inertia"].keys() == {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"}
        assert_physical(tensor(row["inertia"]))
        assert len(row["com"]) == 3
        assert row["mass"] >= 0
        assert row.get("lower", -1.0) < row.get("upper", 1.0)
        if isinstance(row.get("coulomb"), list):
            plus, minus = row["coulomb"]
            assert plus > 0 > minus


PUMA_POSES = {  # name: (pose, gravity torque as the Robotics Toolbox prints it)
    "zero": ((0, 0, 0, 0, 0, 0), (0, 37.4837, 0.2489, 0, 0, 0)),
    "ready": ((0, math.pi / 2, -math.pi / 2, 0, 0, 0), (0, -0.7752, 0.2489, 0, 0, 0)),
    "stretched": ((0, 0, -math.pi / 2, 0, 0, 0), (0, 46.0069, 8.7722, 0, 0.0283, 0)),
    "nominal": ((0, math.pi / 4, math.pi, 0, math.pi / 4, 0), (0, 31.6399, 6.0351, 0, 0.0283, 0)),
}


@pytest.mark.parametrize("pose", PUMA_POSES)
def test_puma_gravity_as_published(pose: str) -> None:
    q, expected = PUMA_POSES[pose]
    np.testing.assert_allclose(gravity(pin_model_from_dh(dh_table("puma560")), q), expected, rtol=0, atol=5.1e-5)


def test_puma_mass_matrix_as_published() -> None:
    """At the nominal pose, motors included, as the Robotics Toolbox prints it."""
    expected = np.array(
        [
            [3.6594, -0.4044, 0.1006, -0.0025, 0, 0],
            [-0.4044, 4.4137, 0.3509, 0, 0.0024, 0],
            [0.1006, 0.3509, 0.9378, 0, 0.0015, 0],
            [-0.0025, 0, 0, 0.1925, 0, 0],
            [0, 0.0024, 0.0015, 0, 0.1713, 0],
            [0, 0, 0, 0, 0, 0.1941],
        ]
    )
    model = pin_model_from_dh(dh_table("puma560"))
    np.testing.assert_allclose(mass_matrix(model, PUMA_POSES["nominal"][0]), expected, rtol=0, atol=5.1e-5)


def test_puma_tensors_regrouped_without_a_trace() -> None:
    """The published tensors of links 1 to 3, which are not physical, give the same torques and mass matrix."""
    published = dh_table("puma560")
    ours = pin_model_from_dh(copy.deepcopy(published))
    moments = ((0.0, 0.35, 0.0), (0.13, 0.524, 0.539), (0.066, 0.086, 0.0125))
    for row, (xx, yy, zz) in zip(published["rows"], moments, strict=False):
        assert row["inertia"] != row["inertia"] | {"ixx": xx, "iyy": yy, "izz": zz}
        row["inertia"] |= {"ixx": xx, "iyy": yy, "izz": zz}
    assert_same_torques(ours, pin_model_from_dh(published), 1e-12)


def akb_gravity(q: np.ndarray) -> np.ndarray:
    """Gravity terms of Armstrong, Khatib and Burdick (IEEE ICRA 1986) with their measured constants, N m.

    The torques hold the arm still (left-hand side of the equation of motion). Angles are those of their modified DH
    frames, where positive angles of joints 2 and 3 lower the upper arm.
    """
    g1, g2, g3, g4, g5 = -37.2, -8.44, 1.02, 0.249, -0.0282
    s2, c2 = math.sin(q[1]), math.cos(q[1])
    s23, c23 = math.sin(q[1] + q[2]), math.cos(q[1] + q[2])
    s4, c4, s5, c5 = math.sin(q[3]), math.cos(q[3]), math.sin(q[4]), math.cos(q[4])
    forearm = g2 * s23 + g4 * c23 + g5 * (s23 * c5 + c23 * c4 * s5)
    shoulder = g1 * c2 + g3 * s2 + forearm
    return np.array([0.0, shoulder, forearm, -g5 * s23 * s4 * s5, g5 * (c23 * s5 + s23 * c4 * c5), 0.0])


# Paul's frames, used in the table, see the arm from the other side: theirs = ours + half a turn in joints 1, 2 and 3.
AKB_OFFSET = np.array([math.pi, math.pi, math.pi, 0.0, 0.0, 0.0])


def test_puma_frames_of_armstrong_khatib_burdick_differ_by_half_turns() -> None:
    """With the same lengths, their modified DH table and ours put joints 1 to 6 and the wrist in the same places."""
    quarter = math.pi / 2
    alpha, a = (0, -quarter, 0, quarter, -quarter, quarter), (0, 0, 0.4318, -0.0203, 0, 0)
    body = {"joint": "revolute", "mass": 1.0, "com": (0, 0, 0), "inertia": np.eye(3)}
    rows = [body | {"alpha": alpha[i], "a": a[i], "d": (0.672, 0, 0.15005, 0.4318, 0, 0)[i]} for i in range(6)]
    theirs, ours = pin_model_from_dh({"convention": "modified", "rows": rows}), pin_model_from_dh(dh_table("puma560"))
    rng = np.random.default_rng(5)
    for q in rng.uniform(-math.pi, math.pi, (10, 6)):
        jacobians = [
            pin.computeFrameJacobian(m, m.createData(), p, m.getFrameId("dh6"), pin.LOCAL_WORLD_ALIGNED)
            for m, p in ((theirs, q + AKB_OFFSET), (ours, q))
        ]
        np.testing.assert_allclose(jacobians[0], jacobians[1], rtol=0, atol=1e-12)


def test_puma_gravity_agrees_with_armstrong_khatib_burdick() -> None:
    """Their constants belong to slightly other lengths and centres of mass: 1 % of the greatest torque."""
    model = pin_model_from_dh(dh_table("puma560"))
    rng = np.random.default_rng(6)
    for q in rng.uniform(-math.pi, math.pi, (100, 6)):
        difference = np.abs(gravity(model, q) - akb_gravity(q + AKB_OFFSET))
        assert np.all(difference < np.array([1e-12, 0.4, 0.4, 3e-4, 3e-4, 1e-12]))


def test_stanford_boom_balances_as_its_published_masses_say() -> None:
    """Level boom: joint 2 carries every weight at its distance along the boom; upright: joint 3 carries them all."""
    model = pin_model_from_dh(dh_table("stanford"))
    reach = 0.8
    level = np.array([0, math.pi / 2, reach, 0, 0, 0])
    mass = np.array([4.25, 1.08, 0.63, 0.51])
    moment = mass @ (reach + np.array([-0.6447, -0.0092, 0.0566, 0.263 + 0.1554]))
    np.testing.assert_allclose(gravity(model, level)[1:3], (-G * moment, 0), rtol=1e-12, atol=1e-12)
    upright = gravity(model, [0, 0, reach, 0, 0, 0])
    assert upright[2] == pytest.approx(G * mass.sum())


def test_planar2_matches_its_closed_form() -> None:
    model = pin_model_from_dh(dh_table("planar2"))
    q1, q2 = 0.4, -1.1
    m12 = 1 / 3 + math.cos(q2) / 2
    expected = [[5 / 3 + math.cos(q2), m12], [m12, 1 / 3]]
    np.testing.assert_allclose(mass_matrix(model, (q1, q2)), expected, rtol=1e-14)
    outer = G * math.cos(q1 + q2) / 2
    np.testing.assert_allclose(gravity(model, (q1, q2)), (1.5 * G * math.cos(q1) + outer, outer), rtol=1e-14)


def test_scara_lifts_only_with_the_quill() -> None:
    model = pin_model_from_dh(dh_table("scara"))
    np.testing.assert_allclose(gravity(model, (0.3, -0.9, 0.1, 2.0)), (0, 0, -1.7 * G, 0), rtol=0, atol=1e-12)
    tool = frame_pose(model, (0, 0, 0.1, 0), "dh4")
    np.testing.assert_allclose(tool.translation, (0.6, 0, 0.287), rtol=0, atol=1e-12)
    moving = mass_matrix(model, (0, 0, 0, 0))[2, 2]
    assert moving == pytest.approx(1.7 + 1e-5 * (2 * math.pi / 0.02) ** 2)


# --- the trajectory of the panda ---------------------------------------------------------------------------------

SPAN, STEP, ROWS = 10.0, 0.005, 2001
COORDINATES = [*(f"panda_joint{i}" for i in range(1, 8)), "panda_finger_joint1"]
CENTRES = (0.0, -0.785, 0.0, -2.1, 0.0, 1.8, 0.785, 0.02)
SINES = (  # (harmonic of 1 / SPAN, amplitude), a line a coordinate; the formula is in models/panda/SOURCE
    ((1, 0.9), (2, 0.4), (5, 0.12)),
    ((1, -0.5), (3, 0.3), (4, 0.1)),
    ((2, 0.7), (3, -0.25), (6, 0.1)),
    ((1, 0.55), (2, -0.4), (4, 0.15)),
    ((1, -0.95), (3, 0.5), (5, 0.15)),
    ((2, 0.75), (4, -0.25), (7, 0.08)),
    ((1, 1.1), (3, -0.55), (6, 0.2)),
    ((2, 0.012), (3, 0.008)),
)


def read_trajectory() -> tuple[np.ndarray, ...]:
    """Columns t, q, qd, qdd: (ROWS,) and three times (ROWS, 8)."""
    table = np.loadtxt(MODELS / "panda" / "trajectory.csv", delimiter=",", skiprows=1)
    return table[:, 0], table[:, 1:9], table[:, 9:17], table[:, 17:]


def formula(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    base = 2 * math.pi / SPAN
    window = (1 - np.cos(base * t)) / 2, base * np.sin(base * t) / 2, base**2 * np.cos(base * t) / 2
    columns = []
    for centre, sines in zip(CENTRES, SINES, strict=True):
        s = sum(a * np.sin(k * base * t) for k, a in sines)
        sd = sum(a * k * base * np.cos(k * base * t) for k, a in sines)
        sdd = sum(-a * (k * base) ** 2 * np.sin(k * base * t) for k, a in sines)
        w, wd, wdd = window
        columns.append((centre + w * s, wd * s + w * sd, wdd * s + 2 * wd * sd + w * sdd))
    q, qd, qdd = (np.stack(parts, axis=1) for parts in zip(*columns, strict=True))
    return q, qd, qdd


def test_trajectory_is_its_formula_rounded() -> None:
    header = (MODELS / "panda" / "trajectory.csv").read_text(encoding="utf-8").partition("\n")[0]
    assert header.split(",") == ["t", *(f"{letter}_{name}" for letter in ("q", "qd", "qdd") for name in COORDINATES)]
    assert list(urdf_model(urdf_path("panda")).names)[1:9] == COORDINATES
    t, *read = read_trajectory()
    np.testing.assert_allclose(t, STEP * np.arange(ROWS), rtol=0, atol=1e-12)
    for values, exact, digits in zip(read, formula(STEP * np.arange(ROWS)), (6, 5, 4), strict=True):
        np.testing.assert_allclose(values, exact, rtol=0, atol=0.5 * 10.0**-digits + 1e-12)
        np.testing.assert_array_equal(values, np.round(values, digits))


def test_trajectory_keeps_within_the_limits() -> None:
    model = urdf_model(urdf_path("panda"))
    data = model.createData()
    _, q, qd, qdd = read_trajectory()
    assert np.all((q > model.lowerPositionLimit) & (q < model.upperPositionLimit))
    assert np.all(np.abs(qd) < model.velocityLimit)
    for row in range(0, ROWS, 10):
        assert np.all(np.abs(pin.rnea(model, data, q[row], qd[row], qdd[row])) < model.effortLimit)


def test_trajectory_derivatives_are_consistent() -> None:
    """Central differences of one column against the next: rounding / step plus step^2 / 6 of a third derivative."""
    _, q, qd, qdd = read_trajectory()
    for values, rate, error in ((q, qd, 3e-4), (qd, qdd, 2e-3)):
        np.testing.assert_allclose((values[2:] - values[:-2]) / (2 * STEP), rate[1:-1], rtol=0, atol=error)
    assert np.all(qd[[0, -1]] == 0)
