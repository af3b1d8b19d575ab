"""The robots in `models/` that are DH tables: numbers against published values and closed formulas."""

from __future__ import annotations

import copy
import math

import numpy as np
import pinocchio as pin
import pytest
from checks import assert_near, random_states
from models_at_hand import (
    MODELS,
    TABLES,
    G,
    assert_physical,
    assert_same_torques,
    dh_table,
    frame_pose,
    gravity,
    mass_matrix,
    tensor,
)
from oracles_dh import pin_model_from_dh

import rne

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


PUMA_MASS_MATRIX = (  # at the nominal pose, motors included, as the Robotics Toolbox prints it
    (3.6594, -0.4044, 0.1006, -0.0025, 0, 0),
    (-0.4044, 4.4137, 0.3509, 0, 0.0024, 0),
    (0.1006, 0.3509, 0.9378, 0, 0.0015, 0),
    (-0.0025, 0, 0, 0.1925, 0, 0),
    (0, 0.0024, 0.0015, 0, 0.1713, 0),
    (0, 0, 0, 0, 0, 0.1941),
)


def test_puma_mass_matrix_as_published() -> None:
    M = mass_matrix(pin_model_from_dh(dh_table("puma560")), PUMA_POSES["nominal"][0])
    np.testing.assert_allclose(M, PUMA_MASS_MATRIX, rtol=0, atol=5.1e-5)


def test_puma_tensors_regrouped_without_a_trace() -> None:
    """The published tensors of links 1 to 3, which are not physical, give the same torques and mass matrix."""
    published = dh_table("puma560")
    ours = pin_model_from_dh(copy.deepcopy(published))
    moments = ((0.0, 0.35, 0.0), (0.13, 0.524, 0.539), (0.066, 0.086, 0.0125))
    for row, (xx, yy, zz) in zip(published["rows"], moments, strict=False):
        assert row["inertia"] != row["inertia"] | {"ixx": xx, "iyy": yy, "izz": zz}
        row["inertia"] |= {"ixx": xx, "iyy": yy, "izz": zz}
    assert_same_torques(ours, pin_model_from_dh(published), 1e-12)


def test_the_nominal_mass_of_the_first_link_changes_no_torque() -> None:
    """Held to the table as it was published, without this mass, by Pinocchio; gravity from any side."""
    published = dh_table("puma560")
    ours = pin_model_from_dh(copy.deepcopy(published))
    assert published["rows"][0]["mass"] == 13.0
    published["rows"][0]["mass"] = 0.0
    theirs = pin_model_from_dh(published)
    for gravity_vector in ((0.0, 0.0, -9.81), (3.0, -5.0, 7.0)):
        ours.gravity.linear = theirs.gravity.linear = np.array(gravity_vector)
        assert_same_torques(ours, theirs, 1e-12)
    robot, with_another = rne.load(MODELS / "puma560" / "robot.dh.toml"), copy.deepcopy(dh_table("puma560"))
    with_another["rows"][0]["mass"] = 1.0
    other = rne.from_dh(with_another["rows"], convention="standard")
    q, qd, qdd = np.random.default_rng(8).normal(size=(3, 50, 6))
    for gravity_vector in ((0.0, 0.0, -9.81), (3.0, -5.0, 7.0)):
        tau = rne.inverse_dynamics(robot, q, qd, qdd, gravity=gravity_vector)
        np.testing.assert_array_equal(tau, rne.inverse_dynamics(other, q, qd, qdd, gravity=gravity_vector))
    np.testing.assert_array_equal(rne.mass_matrix(robot, q), rne.mass_matrix(other, q))


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
    """Their constants belong to slightly other lengths and centers of mass: 1 % of the greatest torque."""
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


# --- as rne loads them -------------------------------------------------------------------------------------------


def load(name: str) -> rne.Robot:
    """Without a word, for warnings are errors here."""
    return rne.load(MODELS / name / "robot.dh.toml")


def rne_mass_matrix(robot: rne.Robot, q: np.ndarray) -> np.ndarray:
    return rne.inverse_dynamics(robot, q, None, np.eye(robot.n), gravity=(0, 0, 0)).T


@pytest.mark.parametrize("name", TABLES)
def test_rne_moves_them_as_pinocchio(name: str) -> None:
    """Rotors are in the torques of both."""
    robot, table = load(name), dh_table(name)
    assert robot.name == name
    assert robot.joint_names == tuple(row.get("name", f"joint{i}") for i, row in enumerate(table["rows"], start=1))
    assert robot.total_mass == pytest.approx(TABLES[name][2], rel=1e-12)
    assert robot.gravity.tolist() == table.get("gravity", [0, 0, -9.81])
    model = pin_model_from_dh(table)
    states = random_states(robot.n, 10, seed=6)
    wanted = [pin.rnea(model, model.createData(), *state) for state in zip(*states, strict=True)]
    assert_near(rne.inverse_dynamics(robot, *states), wanted, rtol=1e-13)


@pytest.mark.parametrize("name", TABLES)
def test_rne_reads_their_limits_and_friction(name: str) -> None:
    robot, rows = load(name), dh_table(name)["rows"]
    for limit, missing in (("lower", -math.inf), ("upper", math.inf), ("velocity", math.inf), ("effort", math.inf)):
        assert getattr(robot, f"{limit}_limit").tolist() == [row.get(limit, missing) for row in rows]
    for sign in (1.0, -1.0):
        wanted = []
        for row in rows:
            coulomb = row.get("coulomb", 0.0)
            one_sided = coulomb[0 if sign > 0 else 1] if isinstance(coulomb, list) else sign * coulomb
            gear = row.get("gear_ratio", 1.0)
            wanted.append(gear**2 * row.get("viscous", 0.0) * sign * 0.5 + abs(gear) * one_sided)
        assert_near(rne.friction_torque(robot, np.full(robot.n, sign * 0.5)), wanted, rtol=1e-14)


@pytest.mark.parametrize("pose", PUMA_POSES)
def test_rne_holds_the_puma_as_published(pose: str) -> None:
    q, expected = PUMA_POSES[pose]
    np.testing.assert_allclose(rne.gravity_vector(load("puma560"), q), expected, rtol=0, atol=5.1e-5)


def test_rne_feels_the_puma_as_published() -> None:
    M = rne_mass_matrix(load("puma560"), PUMA_POSES["nominal"][0])
    np.testing.assert_allclose(M, PUMA_MASS_MATRIX, rtol=0, atol=5.1e-5)


def test_rne_agrees_coarsely_with_armstrong_khatib_burdick() -> None:
    q = np.random.default_rng(7).uniform(-math.pi, math.pi, (100, 6))
    difference = np.abs(rne.gravity_vector(load("puma560"), q) - [akb_gravity(x + AKB_OFFSET) for x in q])
    assert np.all(difference < np.array([1e-12, 0.4, 0.4, 3e-4, 3e-4, 1e-12]))


def test_rne_moves_the_planar_arm_as_its_closed_form() -> None:
    """M, Coriolis torques and gravity of two rods, from any book."""
    robot = load("planar2")
    (q1, q2), (v1, v2), a = (0.4, -1.1), (0.7, -1.9), np.array([1.2, 0.8])
    m12, h, outer = 1 / 3 + math.cos(q2) / 2, math.sin(q2) / 2, G * math.cos(q1 + q2) / 2
    M = np.array([[5 / 3 + math.cos(q2), m12], [m12, 1 / 3]])
    coriolis = np.array([-h * (2 * v1 * v2 + v2**2), h * v1**2])
    weight = np.array([1.5 * G * math.cos(q1) + outer, outer])
    assert_near(rne.inverse_dynamics(robot, [q1, q2], [v1, v2], a), M @ a + coriolis + weight, rtol=1e-14)
    assert_near(rne.coriolis_vector(robot, [q1, q2], [v1, v2]), coriolis, rtol=1e-14)


def test_rne_lifts_the_quill_of_the_scara_and_nothing_else() -> None:
    robot = load("scara")
    assert_near(rne.gravity_vector(robot, (0.3, -0.9, 0.1, 2.0)), (0, 0, -1.7 * G, 0), rtol=1e-13)
    assert rne_mass_matrix(robot, np.zeros(4))[2, 2] == pytest.approx(1.7 + 1e-5 * (2 * math.pi / 0.02) ** 2)
