"""The table of the recursion, against the recursions of Craig and of Luh, Walker and Paul, written from DH rows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from checks import assert_near

import rne

MODELS = Path(__file__).parents[2] / "models"
Z = np.array([0.0, 0.0, 1.0])
QUANTITIES = ("w", "wd", "a", "a_c", "F", "N", "f", "n")


def turn(axis: int, angle: float) -> np.ndarray:
    c, s, R = np.cos(angle), np.sin(angle), np.eye(3)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    R[i, i], R[j, j], R[i, j], R[j, i] = c, c, -s, s
    return R


def tensor(row: dict) -> np.ndarray:
    given = row.get("inertia", {})
    if isinstance(given, list):
        return np.array(given)
    xx, yy, zz, xy, xz, yz = (given.get(key, 0.0) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def placed(row: dict, q: float) -> tuple[float, float]:
    """Angle and offset of a row at the position of its joint."""
    turns = row["joint"] == "revolute"
    return row.get("theta", 0.0) + (q if turns else 0.0), row.get("d", 0.0) + (0.0 if turns else q)


def body(w, wd, a, row):
    """Acceleration of the center of mass, Newton's force and Euler's moment, in the axes of the link."""
    com, inertia = np.array(row.get("com", (0.0, 0.0, 0.0))), tensor(row)
    a_c = a + np.cross(wd, com) + np.cross(w, np.cross(w, com))
    return a_c, row.get("mass", 0.0) * a_c, inertia @ wd + np.cross(w, inertia @ w)


def craig(rows: list[dict], gravity, q, qd, qdd) -> dict[str, np.ndarray]:
    """Introduction to Robotics, (6.45) to (6.53): modified DH tables; n_i about the origin of frame i."""
    count = len(rows)
    w, wd, a = np.zeros(3), np.zeros(3), -np.asarray(gravity, dtype=float)
    out = {name: np.zeros((count, 3)) for name in QUANTITIES}
    R, P = [], []
    for i, row in enumerate(rows):
        theta, d = placed(row, q[i])
        tilt = turn(0, row.get("alpha", 0.0))
        R.append(tilt @ turn(2, theta))  # of frame i in frame i-1
        P.append(np.array([row.get("a", 0.0), 0.0, 0.0]) + tilt @ (d * Z))
        a = R[i].T @ (np.cross(wd, P[i]) + np.cross(w, np.cross(w, P[i])) + a)
        w, wd = R[i].T @ w, R[i].T @ wd
        if row["joint"] == "revolute":
            w, wd = w + qd[i] * Z, wd + np.cross(w, qd[i] * Z) + qdd[i] * Z
        else:
            a = a + 2 * np.cross(w, qd[i] * Z) + qdd[i] * Z
        a_c, F, N = body(w, wd, a, row)
        for name, value in zip(QUANTITIES, (w, wd, a, a_c, F, N), strict=False):
            out[name][i] = value
    f, n = np.zeros(3), np.zeros(3)
    for i in reversed(range(count)):
        turned, arm = (R[i + 1], P[i + 1]) if i + 1 < count else (np.eye(3), np.zeros(3))
        com = np.array(rows[i].get("com", (0.0, 0.0, 0.0)))
        n = out["N"][i] + turned @ n + np.cross(com, out["F"][i]) + np.cross(arm, turned @ f)
        f = turned @ f + out["F"][i]
        out["f"][i], out["n"][i] = f, n
    return out


def luh_walker_paul(rows: list[dict], gravity, q, qd, qdd) -> dict[str, np.ndarray]:
    """On-line computational scheme (1980): standard DH tables; n_i about the origin of frame i-1, on the joint axis."""
    count = len(rows)
    w, wd, a = np.zeros(3), np.zeros(3), -np.asarray(gravity, dtype=float)
    out = {name: np.zeros((count, 3)) for name in QUANTITIES}
    R, P = [], []
    for i, row in enumerate(rows):
        theta, d = placed(row, q[i])
        R.append(turn(2, theta) @ turn(0, row.get("alpha", 0.0)))  # of frame i in frame i-1
        P.append(R[i].T @ (turn(2, theta) @ np.array([row.get("a", 0.0), 0.0, 0.0]) + d * Z))
        if row["joint"] == "revolute":
            w, wd = R[i].T @ (w + qd[i] * Z), R[i].T @ (wd + qdd[i] * Z + np.cross(w, qd[i] * Z))
            slide = np.zeros(3)
        else:
            w, wd = R[i].T @ w, R[i].T @ wd
            slide = R[i].T @ (qdd[i] * Z) + 2 * np.cross(w, R[i].T @ (qd[i] * Z))
        a = R[i].T @ a + slide + np.cross(wd, P[i]) + np.cross(w, np.cross(w, P[i]))
        a_c, F, N = body(w, wd, a, row)
        for name, value in zip(QUANTITIES, (w, wd, a, a_c, F, N), strict=False):
            out[name][i] = value
    f, n = np.zeros(3), np.zeros(3)
    for i in reversed(range(count)):
        turned = R[i + 1] if i + 1 < count else np.eye(3)
        com = np.array(rows[i].get("com", (0.0, 0.0, 0.0)))
        n = turned @ n + np.cross(P[i], turned @ f) + np.cross(P[i] + com, out["F"][i]) + out["N"][i]
        f = turned @ f + out["F"][i]
        out["f"][i], out["n"][i] = f, n
    return out


def random_rows(rng: np.random.Generator, kinds: str) -> list[dict]:
    rows = []
    for kind in kinds:
        alpha, a, d, theta = rng.normal(size=4)
        A = rng.normal(size=(3, 5))
        m = A @ A.T
        inertia = np.trace(m) * np.eye(3) - m
        joint = {"R": "revolute", "P": "prismatic"}[kind]
        row = {"joint": joint, "alpha": alpha, "a": a, "d": d, "theta": theta, "mass": rng.uniform(1, 3)}
        rows.append(row | {"com": list(rng.normal(size=3)), "inertia": inertia.tolist()})
    return rows


def state(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=(3, n))


@pytest.mark.parametrize("kinds", ["R", "P", "RR", "RPR", "PRRP", "RRPRRR"])
def test_modified_tables_are_those_of_craig(kinds):
    rng = np.random.default_rng(len(kinds))
    rows, gravity = random_rows(rng, kinds), rng.normal(size=3)
    robot = rne.from_dh(rows, convention="modified", gravity=gravity)
    q, qd, qdd = state(rng, len(kinds))
    ours, theirs = rne.newton_euler_table(robot, q, qd, qdd), craig(rows, gravity, q, qd, qdd)
    for name in QUANTITIES:
        assert_near(getattr(ours, name), theirs[name])
    turns = np.array([kind == "R" for kind in kinds])
    assert_near(ours.along_axis, np.where(turns, theirs["n"][:, 2], theirs["f"][:, 2]))
    assert_near(ours.tau, ours.along_axis)


@pytest.mark.parametrize("kinds", ["R", "P", "RR", "RPR", "PRRP", "RRPRRR"])
def test_standard_tables_are_those_of_luh_walker_and_paul(kinds):
    rng = np.random.default_rng(10 + len(kinds))
    rows, gravity = random_rows(rng, kinds), rng.normal(size=3)
    robot = rne.from_dh(rows, convention="standard", gravity=gravity)
    q, qd, qdd = state(rng, len(kinds))
    ours, theirs = rne.newton_euler_table(robot, q, qd, qdd), luh_walker_paul(rows, gravity, q, qd, qdd)
    for name in QUANTITIES[:-1]:
        assert_near(getattr(ours, name), theirs[name])
    for i, kind in enumerate(kinds):  # the frame on a prismatic joint slides, their point does not
        axis = turn(0, rows[i]["alpha"]).T @ Z  # z of frame i-1 in the axes of frame i
        slide = (rows[i]["d"] + q[i]) * axis if kind == "P" else np.zeros(3)
        assert_near(ours.n[i], theirs["n"][i] - np.cross(slide, theirs["f"][i]))
    assert_near(ours.tau, ours.along_axis)


@pytest.mark.parametrize(
    ("name", "recursion"), [("puma560", luh_walker_paul), ("stanford", luh_walker_paul), ("scara", craig)]
)
def test_robots_of_the_shelf(name, recursion):
    table = tomllib.loads((MODELS / name / "robot.dh.toml").read_text(encoding="utf-8"))
    robot = rne.load_model(name)
    q, qd, qdd = state(np.random.default_rng(3), robot.n)
    ours, theirs = rne.newton_euler_table(robot, q, qd, qdd), recursion(table["rows"], robot.gravity, q, qd, qdd)
    for quantity in QUANTITIES[:-1]:
        assert_near(getattr(ours, quantity), theirs[quantity])
    rotors = np.array([robot.joint(joint).drive.reflected_inertia for joint in robot.joint_names])
    assert_near(ours.tau, ours.along_axis + rotors * qdd)
    assert ours.frames == tuple(f"link{i}" for i in range(1, robot.n + 1))


def test_a_tree_with_fixed_links_and_a_payload_keeps_balance():
    """Newton's law link by link in base axes, forces of bodies by `link_forces`; a follower has no torque itself."""
    panda = rne.load_model("panda").with_payload(2.0, [0.1, 0.0, 0.2], frame="panda_hand")
    q, qd, qdd = state(np.random.default_rng(4), panda.n) * 0.3
    push = np.array([5.0, -3.0, 8.0, 0.4, 0.2, -0.6])
    table = rne.newton_euler_table(panda, q, qd, qdd, f_ext={"panda_hand": push})
    poses = rne.forward_kinematics(panda, q)
    turned = {frame: poses[frame][:3, :3] for frame in table.frames}
    f = {frame: turned[frame] @ table.f[k] for k, frame in enumerate(table.frames)}
    F = {frame: turned[frame] @ table.F[k] for k, frame in enumerate(table.frames)}
    held = rne.link_forces(panda, q, qd, qdd, f_ext={"panda_hand": push})
    assert_near(sum(F.values()), held.held.sum(axis=0))
    assert_near(f["panda_link1"], sum(F.values()) - push[:3])
    hand = ["panda_link7", "panda_leftfinger", "panda_rightfinger"]
    assert_near(f["panda_link7"], sum(F[name] for name in hand) - push[:3])
    assert_near(f["panda_link3"], F["panda_link3"] + f["panda_link4"])
    fingers = [k for k, name in enumerate(table.joint_names) if "finger" in name]
    assert_near(table.tau[-1], table.along_axis[fingers].sum())
    assert str(table).splitlines()[-1].split()[0] == table.joint_names[-1]
    assert len(str(table).splitlines()[-1].split()) == 2  # the torque of a follower is in that of its leader


def test_many_states_are_those_one_by_one_and_print_their_largest():
    robot = rne.load_model("planar2")
    q, qd, qdd = np.random.default_rng(5).normal(size=(3, 4, 2))
    many = rne.newton_euler_table(robot, q, qd, qdd)
    ones = [rne.newton_euler_table(robot, *row) for row in zip(q, qd, qdd, strict=True)]
    for name in (*QUANTITIES, "along_axis", "tau"):
        np.testing.assert_array_equal(getattr(many, name), [getattr(one, name) for one in ones])
    assert str(many).startswith("largest sizes of 4 states\n")
    assert f"{np.abs(many.F[:, 1, 0]).max():.4g}" in many.latex()


def test_latex_has_every_number_in_balanced_arrays():
    robot = rne.from_dh(
        [{"joint": "revolute", "a": 0.4, "mass": 2.0, "name": "up_per", "link": "link_1"}] * 1, convention="modified"
    )
    table = rne.newton_euler_table(robot, [0.3], [1.5], [-0.7])
    text = table.latex()
    assert table._repr_latex_() == f"$$\n{text}\n$$"
    begun, ended = re.findall(r"\\begin\{(\w+)\}", text), re.findall(r"\\end\{(\w+)\}", text)
    assert sorted(begun) == sorted(ended) == ["array"] + ["pmatrix"] * 8
    assert r"\mathrm{link\_1}" in text
    vectors = re.findall(r"\\begin\{pmatrix\} (.*?) \\end\{pmatrix\}", text)
    for name, vector in zip(QUANTITIES, vectors, strict=True):
        shown = [float(cell) for cell in vector.split(r"\\")]
        np.testing.assert_allclose(shown, getattr(table, name)[0], rtol=5e-4, atol=1e-11)
    lines = text.splitlines()
    assert {line.count("&") for line in lines if "&" in line} == {1}
    assert text.count("{") == text.count("}")
