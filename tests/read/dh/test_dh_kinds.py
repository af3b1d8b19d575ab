"""Rows beyond a chain of turns and slides: fixed ones, screws, directions, followers, branches, tools."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from checks import assert_near
from oracles_dh import pin_model_from_dh

import rne
from rne.read.dh.reader import tree_from_rows

CONVENTIONS = ["standard", "modified"]


def random_row(rng: np.random.Generator, **more):
    row = dict(zip(("a", "alpha", "d", "theta"), rng.uniform(-1.5, 1.5, 4).tolist(), strict=True))
    row |= {"mass": 1 + rng.random(), "com": rng.normal(size=3).tolist(), "inertia": np.diag([0.3, 0.4, 0.5]).tolist()}
    return row | more


def tau_of(table, robot, G=None, q0=0.0):
    """Inverse dynamics of Pinocchio at a random state, with the joints of the table led by the coordinates."""
    model = pin_model_from_dh(table)
    G = np.eye(model.nv) if G is None else G
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, robot.n))
    tau = pin.rnea(model, model.createData(), G @ q + q0, G @ qd, G @ qdd)
    return rne.inverse_dynamics(robot, q, qd, qdd), G.T @ tau


def assert_same(rows, convention, **more):
    robot = rne.from_dh(rows, convention=convention, **more)
    assert_near(*tau_of({"rows": rows, "convention": convention}, robot))
    return robot


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", range(15))
def test_every_kind_of_row_is_that_of_pinocchio(convention, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(1, 8):
        kind = ["revolute", "prismatic", "screw", "fixed"][rng.integers(4)] if k > 1 else "revolute"
        row = random_row(rng, joint=kind)
        if kind != "fixed":
            row |= {"sign": int(rng.choice([-1, 1])), "rotor_inertia": 0.1, "gear_ratio": -3.0}
        if kind == "screw":
            row["pitch"] = float(rng.normal())
        if k > 2 and rng.integers(2):
            row["parent"] = ["base", *(f"link{i}" for i in range(1, k))][rng.integers(k)]
        if convention == "modified" and rng.integers(2):
            row |= {"gamma": float(rng.normal()), "b": float(rng.normal())}
        rows.append(row)
    assert_same(rows, convention)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_frames_of_fixed_rows_and_of_the_tool(convention):
    rng = np.random.default_rng(0)
    rows = [random_row(rng, joint="revolute"), random_row(rng, joint="fixed", link="flange")]
    tool = {"xyz": [0.1, 0.2, 0.3], "rpy": [0.4, 0.5, 0.6]}
    robot = rne.from_dh(rows, convention=convention, tool=tool)
    assert robot.frame_names[-2:] == ("flange", "tool")
    model = pin_model_from_dh({"rows": rows, "convention": convention})
    data = model.createData()
    pin.framesForwardKinematics(model, data, np.array([0.7]))
    flange = data.oMf[model.getFrameId("dh2")].homogeneous
    assert_near(rne.forward_kinematics(robot, [0.7], "flange"), flange)
    place = pin.SE3(pin.rpy.rpyToMatrix(*tool["rpy"]), np.array(tool["xyz"])).homogeneous
    assert_near(rne.forward_kinematics(robot, [0.7], "tool"), flange @ place)
    assert_near(
        rne.forward_kinematics(rne.from_dh(rows, convention=convention, tool=place), [0.7], "tool"), flange @ place
    )
    assert robot.with_payload(1.0).tree.joints[-1].parent == "tool"


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_direction_of_a_joint_turns_its_coordinate_and_nothing_else(convention):
    rng = np.random.default_rng(1)
    rows = [random_row(rng, joint="revolute"), random_row(rng, joint="prismatic"), random_row(rng, joint="revolute")]
    turned = [row | {"sign": -1} for row in rows]
    q, qd, qdd = rng.uniform(-1, 1, (3, 3))
    plain, against = (rne.from_dh(table, convention=convention) for table in (rows, turned))
    assert_near(rne.inverse_dynamics(against, -q, -qd, -qdd), -rne.inverse_dynamics(plain, q, qd, qdd))
    assert_near(rne.forward_kinematics(against, -q, "link3"), rne.forward_kinematics(plain, q, "link3"))


def test_a_screw_lifts_a_load_by_its_pitch():
    """The torque of a lead screw is the force times the travel per radian."""
    lead = 0.005
    row = {"joint": "screw", "pitch": lead / (2 * np.pi), "mass": 100.0}
    robot = rne.from_dh([row], convention="standard")
    assert_near(rne.gravity_vector(robot, [2.0]), [100.0 * 9.81 * lead / (2 * np.pi)])
    assert_near(rne.forward_kinematics(robot, [2 * np.pi], "link1")[2, 3], lead)
    left = rne.from_dh([row | {"pitch": -row["pitch"]}], convention="modified")
    assert_near(rne.gravity_vector(left, [2.0]), -rne.gravity_vector(robot, [2.0]))


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_followers(convention):
    rng = np.random.default_rng(2)
    rows = [
        random_row(rng, joint="revolute", name="a"),
        random_row(rng, joint="prismatic", mimic={"joint": "c", "ratio": -0.5, "offset": 0.2}),
        random_row(rng, joint="revolute", name="c"),
        random_row(rng, joint="revolute", mimic="a", sign=-1),
    ]
    robot = rne.from_dh(rows, convention=convention)
    assert robot.joint_names == ("a", "c")
    G = np.array([[1.0, 0], [0, -0.5], [0, 1], [1, 0]])
    assert_near(*tau_of({"rows": rows, "convention": convention}, robot, G, np.array([0, 0.2, 0, 0])))


def test_all_of_it_in_a_file(tmp_path):
    path = tmp_path / "arm.dh.toml"
    path.write_text("""convention = "modified"
tool = { xyz = [0.0, 0.0, 0.1] }
[[rows]]
joint = "revolute"
name = "a"
mass = 1.0
[[rows]]
joint = "screw"
pitch = 0.01
sign = -1
mass = 1.0
gamma = 0.3
b = 0.2
mimic = { joint = "a", ratio = 2.0 }
[[rows]]
joint = "fixed"
link = "flange"
a = 0.1
[[rows]]
joint = "revolute"
parent = "flange"
mass = 2.0
[rows.mimic]
joint = "a"
ratoi = 3.0
""")
    with pytest.raises(rne.ModelError, match=r"row 4, mimic: key 'ratoi' is unknown \(did you mean 'ratio'\?\)"):
        rne.load(path)
    path.write_text(path.read_text().replace("ratoi", "ratio"))
    robot = rne.load(path)
    assert robot.joint_names == ("a",)
    assert robot.joint("joint4").mimic == rne.Mimic("a", 3.0)
    assert robot.joint("joint2_travel").mimic == rne.Mimic("joint2", 0.01)
    assert robot.frame_names[-1] == "tool"


def test_what_a_fixed_row_has_in_vain_is_told():
    row = {"joint": "fixed", "mass": 1.0, "viscous": 2.0, "upper": 1.0}
    tree = tree_from_rows([{"joint": "revolute", "mass": 1.0}, row], convention="standard")
    assert any("the joint is fixed, so upper, viscous say nothing" in note.what for note in tree.notes)


def test_names_of_links_are_known_to_the_rows_behind_only():
    rows = [{"joint": "revolute", "mass": 1.0, "parent": "upper"}, {"joint": "revolute", "mass": 1.0, "link": "upper"}]
    with pytest.raises(rne.ModelError, match="parent = 'upper' is not one of the previous links: base"):
        rne.from_dh(rows, convention="standard")
    twice = [{"joint": "revolute", "mass": 1.0, "link": "upper"}] * 2
    with pytest.raises(rne.ModelError, match="duplicate name"):
        rne.from_dh(twice, convention="standard")
