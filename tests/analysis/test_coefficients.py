"""Coefficients by name against the closed forms of two links, the trace formula, and the equations they stand in."""

from __future__ import annotations

import numpy as np
import pytest
import strategies
import sympy
from checks import assert_near, assert_same_bits, random_robot, random_states
from hypothesis import given

import rne
from rne import lagrange
from rne.model.tree import Drive

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")

M1, M2, L1, L2, G = 1.7, 0.9, 0.8, 0.6, 9.81
IA = (0.4, 0.15)


def point_masses(m1=M1, m2=M2, l1=L1, l2=L2, drives=IA):
    """Two massless rods with a mass at the end of each, theta1 from the downward vertical."""
    rows = [
        {"joint": "revolute", "name": "first", "a": l1, "theta": -np.pi / 2, "mass": m1, "rotor_inertia": drives[0]},
        {"joint": "revolute", "name": "second", "a": l2, "mass": m2, "rotor_inertia": drives[1]},
    ]
    return rne.from_dh(rows, convention="standard", gravity=[0.0, -G, 0.0])


def closed_forms(th1, th2):
    """Coefficients of two point masses, by the letters of the lecture."""
    c2, s2 = np.cos(th2), np.sin(th2)
    h, outer = M2 * L1 * L2 * s2, M2 * G * L2 * np.sin(th1 + th2)
    return {
        (1, 1): (M1 + M2) * L1**2 + M2 * L2**2 + 2 * M2 * L1 * L2 * c2,
        (1, 2): M2 * L2**2 + M2 * L1 * L2 * c2,
        (2, 1): M2 * L2**2 + M2 * L1 * L2 * c2,
        (2, 2): M2 * L2**2 + 0 * c2,
        (1, 1, 1): 0 * h,
        (1, 2, 2): -h,
        (2, 1, 1): h,
        (2, 2, 2): 0 * h,
        (1, 1, 2): -h,
        (1, 2, 1): -h,
        (2, 1, 2): 0 * h,
        (2, 2, 1): 0 * h,
        (1,): (M1 + M2) * G * L1 * np.sin(th1) + outer,
        (2,): outer,
    }


def test_coefficients_of_two_links_are_the_closed_forms():
    q = random_states(2, 5, 4)[0]
    c, names = rne.coefficients(point_masses(), q), ("first", "second")
    for joints, wanted in closed_forms(q[..., 0], q[..., 1]).items():
        key = joints if len(joints) > 1 else joints[0]
        assert_near(c[key], wanted)
        named = tuple(names[joint - 1] for joint in joints)
        assert_same_bits(c[named], c[key])
        if len(joints) == 1:
            assert_same_bits(c[named[0]], c[key])
    assert_near(c.rotor, IA)


def test_coefficients_of_a_turning_slide_are_what_sympy_derives():
    """Arm with a body on a slide, the angle from the horizontal: second derivatives of K, first ones of P."""
    m1, r1, i1, m2, i2 = 2.1, 0.35, 0.12, 1.3, 0.05
    th, r, w, v = sympy.symbols("theta r omega v")
    x, y = r * sympy.cos(th), r * sympy.sin(th)
    speed2 = (sympy.diff(x, th) * w + sympy.diff(x, r) * v) ** 2 + (sympy.diff(y, th) * w + sympy.diff(y, r) * v) ** 2
    K = (m1 * r1**2 + i1 + i2) * w**2 / 2 + m2 * speed2 / 2
    P = G * (m1 * r1 * sympy.sin(th) + m2 * y)
    q = (th, r)
    D = sympy.simplify(sympy.hessian(K, (w, v)))
    rows = [
        {"joint": "revolute", "theta": np.pi / 2, "alpha": np.pi / 2, "mass": m1, "com": [0, 0, r1]},
        {"joint": "prismatic", "mass": m2, "inertia": {"ixx": i2, "iyy": i2, "izz": 0.0}},
    ]
    rows[0]["inertia"] = {"ixx": i1, "iyy": i1, "izz": 0.0}
    robot = rne.from_dh(rows, convention="standard", gravity=[0, -G, 0])
    at = {th: 0.7, r: -0.4}
    c = rne.coefficients(robot, [0.7, -0.4])
    for i in range(2):
        assert_near(c[i + 1], float(sympy.diff(P, q[i]).subs(at)))
        for j in range(2):
            assert_near(c[i + 1, j + 1], float(D[i, j].subs(at)))
            for k in range(2):
                D_ijk = (sympy.diff(D[i, j], q[k]) + sympy.diff(D[i, k], q[j]) - sympy.diff(D[j, k], q[i])) / 2
                assert_near(c[i + 1, j + 1, k + 1], float(D_ijk.subs(at)))


def test_each_kind_holds_its_own_and_no_other():
    q = random_states(3, 6)[0]
    robot = random_robot(4, 3, mimic=0.0)
    c = rne.coefficients(robot, q)
    D, D3 = lagrange.inertia_matrix(robot, q, rotors=False), lagrange.christoffel(robot, q)
    assert_near(c.effective, np.einsum("...ii->...i", D))
    assert_near(c.coupling, D - np.einsum("...ii,ij->...ij", D, np.eye(3)))
    assert_near(c.centripetal, np.einsum("...ijj->...ij", D3))
    assert_near(c.coriolis, D3 - np.einsum("...ijj,jk->...ijk", D3, np.eye(3)))
    assert_near(c.gravity, lagrange.gravity_vector(robot, q))
    assert_near(c.mass_matrix, lagrange.inertia_matrix(robot, q))


@given(strategies.robots())
def test_they_make_up_the_equations_of_motion(drawn):
    tree, q, qd, qdd = drawn
    robot = rne.Robot(tree)
    c = rne.coefficients(robot, q)
    tau = c.inertia @ qdd + c.rotor * qdd + np.einsum("ijk,j,k->i", c.christoffel, qd, qd) + c.gravity
    spring = lagrange.spring_torque(robot, q)
    assert_near(tau + spring, rne.inverse_dynamics(robot, q, qd, qdd), 1e-11)


def test_gravity_of_the_call():
    c = rne.coefficients(point_masses(), [0.3, 0.4], gravity=[0, 0, 0])
    assert_near(c.gravity, [0.0, 0.0])


# --------------------------------------------------------------------------------------------------------------- text


def test_the_table_has_the_letters_of_the_books():
    """Level, bent up at a right angle: m1 = 3, m2 = 1, both rods 1 m, g = 10."""
    robot = point_masses(3.0, 1.0, 1.0, 1.0, drives=(0.4, 0.5)).with_gravity([0, -10, 0])
    assert str(rne.coefficients(robot, [np.pi / 2, np.pi / 2])).splitlines() == [
        "1 first, 2 second",
        "effective    D11 = 5    D22 = 1",
        "coupling     D12 = 1",
        "rotor        Ia1 = 0.4  Ia2 = 0.5",
        "centripetal  D111 = 0   D122 = -1",
        "             D211 = 1   D222 = 0",
        "coriolis     D112 = -1",
        "             D212 = 0",
        "gravity      D1 = 40    D2 = 0",
    ]


def test_the_table_of_many_postures_shows_the_largest_sizes():
    robot = point_masses(3.0, 1.0, 1.0, 1.0, drives=(0.0, 0.0)).with_gravity([0, -10, 0])
    lines = str(rne.coefficients(robot, [[-np.pi / 2, 0.0], [0.0, np.pi / 2]])).splitlines()
    assert lines[0] == "1 first, 2 second; largest sizes of 2 postures"
    assert lines[1].split() == ["effective", "D11", "=", "7", "D22", "=", "1"]
    assert lines[-1].split() == ["gravity", "D1", "=", "50", "D2", "=", "10"]


def test_numbers_of_two_digits_are_kept_apart():
    robot = random_robot(2, 11, mimic=0.0)
    text = str(rne.coefficients(robot, np.zeros(11)))
    assert "D1,11 = " in text
    assert "D11 = " in text
    assert "D2,1,11 = " in text


def test_one_joint_has_a_table_too():
    robot = rne.from_dh([{"joint": "prismatic", "mass": 2.0}], convention="standard", gravity=[0, 0, -10])
    assert [line.split() for line in str(rne.coefficients(robot, [0.0])).splitlines()] == [
        ["1", "joint1"],
        ["effective", "D11", "=", "2"],
        ["centripetal", "D111", "=", "0"],
        ["gravity", "D1", "=", "20"],
    ]


def test_a_robot_without_joints_has_nothing_to_show():
    stand = point_masses().with_locked({"first": 0.1, "second": 0.2})
    c = rne.coefficients(stand, np.zeros((3, 0)))
    assert (c.effective.shape, c.christoffel.shape) == ((3, 0), (3, 0, 0, 0))
    assert str(c).splitlines()[0] == "no joints; largest sizes of 3 postures"
    for free in (None, []):
        assert rne.effective_inertia(stand, [], free=free).free.shape == (0,)
    report = rne.significance(stand, np.zeros((3, 0)), below=0.1)
    assert (report.total.shape, report.coefficients.names, report.dropped) == ((3, 0), (), ())


# -------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (0, "index: wanted the name of a joint, or its number from 1 to 2, got 0"),
        (3, "from 1 to 2, got 3"),
        ((1, -1), "from 1 to 2, got -1"),
        ((1, True), "got True"),
        (1.0, "got 1.0"),
        ("frist", "no coordinate is named 'frist'; did you mean 'first'"),
        ((1, 1, 1, 1), "wanted one joint"),
        ((), "wanted one joint"),
    ],
)
def test_what_is_no_coefficient_is_refused(key, said):
    with pytest.raises(rne.ArgumentError, match=said):
        rne.coefficients(point_masses(), [0.0, 0.0])[key]


def test_precision_and_nan():
    robot, q = random_robot(1, 5, mimic=0.0), random_states(5, 3)[0]
    c = rne.coefficients(robot, q.astype(np.float32))
    assert {getattr(c, name).dtype for name in ("inertia", "christoffel", "gravity", "mass_matrix")} == {np.dtype("f4")}
    q[1, 0] = np.nan
    broken, clean = rne.coefficients(robot, q), rne.coefficients(robot, q[[0, 2]])
    assert_same_bits(broken[2, 3, 4][[0, 2]], clean[2, 3, 4])


# ------------------------------------------------------------------------------------------------- locked and free


# Tables 3.1 to 3.3 of the lecture, the misprints corrected: m1 = 2, d1 = d2 = 1; angle of joint 2, D11 = I_L, I_f.
TABLES = {
    1.0: [(0, 6, 2), (90, 4, 3), (180, 2, 2), (270, 4, 3)],
    4.0: [(0, 18, 2), (90, 10, 6), (180, 2, 2), (270, 10, 6)],
    100.0: [(0, 402, 2), (90, 202, 102), (180, 2, 2), (270, 202, 102)],
}


@pytest.mark.parametrize("m2", TABLES)
def test_locked_and_free_inertias_are_those_of_the_tables(m2):
    degrees, locked, free = np.array(TABLES[m2], dtype=float).T
    q = np.stack([0.3 + 0 * degrees, np.radians(degrees)], axis=-1)
    found = rne.effective_inertia(point_masses(2.0, m2, 1.0, 1.0), q, rotors=False)
    assert_near(found.locked[:, 0], locked, 1e-14)
    assert_near(found.free[:, 0], free, 1e-14)
    assert_near(found.locked[:, 1], 0 * degrees + m2)


def test_rotors_count_unless_told_not_to():
    q = [0.1, 0.7]
    forms = closed_forms(*q)
    D11, D12, D22 = forms[1, 1] + IA[0], forms[1, 2], forms[2, 2] + IA[1]
    locked, free = rne.effective_inertia(point_masses(), q)
    assert_near(locked, [D11, D22])
    assert_near(free, [D11 - D12**2 / D22, D22 - D12**2 / D11])


@pytest.mark.parametrize("seed", range(4))
def test_free_inertia_is_torque_by_acceleration_without_torque_elsewhere(seed):
    """By forward dynamics: one newton meter on a joint, none on the free ones, the locked ones frozen in the model."""
    robot = random_robot(seed, 6, mimic=0.0, massless=0.0)
    drives = {name: Drive(rotor_inertia=0.1 * k) for k, name in enumerate(robot.joint_names)}
    robot, q = robot.with_drives(drives).with_gravity([0, 0, 0]), random_states(6, seed=seed)[0]
    free = [robot.joint_names[1], 4, 6]
    places = {1, 3, 5}
    found = rne.effective_inertia(robot, q, free=free)
    for i in range(6):
        loose = sorted(places | {i})
        held = {name: q[k] for k, name in enumerate(robot.joint_names) if k not in loose}
        rest = robot.with_locked(held)
        qdd = rne.forward_dynamics(rest, q[loose], None, np.eye(len(loose))[loose.index(i)])
        assert_near(found.free[i], 1 / qdd[loose.index(i)], 1e-10)
    assert_near(found.locked, np.diagonal(rne.mass_matrix(robot, q)))


@given(strategies.robots(massless=0.0, heavy_tips=True))
def test_free_is_at_most_locked_and_all_free_is_the_inverse(drawn):
    tree, q, _, _ = drawn
    robot = rne.Robot(tree)
    locked, free = rne.effective_inertia(robot, q)
    assert (free > 0).all()
    assert (free <= locked * (1 + 1e-9)).all()
    inverse = np.linalg.inv(lagrange.inertia_matrix(robot, q))
    np.testing.assert_allclose(free, 1 / np.diagonal(inverse), rtol=1e-6)
    few = rne.effective_inertia(robot, q, free=robot.joint_names[:1]).free
    assert (few <= locked * (1 + 1e-9)).all()
    assert (few >= free * (1 - 1e-9)).all()
    assert_near(rne.effective_inertia(robot, q, free=[]).free, locked)


def test_slides_at_right_angles_do_not_feel_each_other():
    rows = [{"joint": "prismatic", "alpha": np.pi / 2, "mass": 2.0}, {"joint": "prismatic", "mass": 3.0}]
    locked, free = rne.effective_inertia(rne.from_dh(rows, convention="standard"), [[0.1, 0.2], [0.3, 0.4]])
    assert_near(locked, [[5.0, 3.0]] * 2)
    assert_near(free, locked)


def test_a_massless_tip_is_refused_where_it_is_free_and_not_where_it_is_locked():
    rows = [{"joint": "revolute", "a": 1.0, "mass": 2.0}, {"joint": "revolute", "a": 0.5, "mass": 0.0}]
    robot = rne.from_dh(rows, convention="standard")
    q = [[0.0, 0.1], [0.2, 0.3]]
    for free in (None, [2], ["joint2", 1]):
        with pytest.raises(rne.SingularError, match="sample 0: the mass matrix is singular at joint 'joint2'"):
            rne.effective_inertia(robot, q, free=free)
    assert_near(rne.effective_inertia(robot, q, free=[1]).free, [[2.0, 0.0]] * 2)


def test_locked_and_free_in_any_precision_with_nan():
    robot, q = random_robot(6, 4, mimic=0.0, massless=0.0), random_states(4, 3, 2)[0]
    for free in (None, [1, 3], robot.joint_names):
        whole = rne.effective_inertia(robot, q, free=free)
        single = rne.effective_inertia(robot, q.astype(np.float32), free=free)
        assert single.free.dtype == single.locked.dtype == np.float32
        assert single.free.shape == (3, 2, 4)
        np.testing.assert_allclose(single.free, whole.free, rtol=1e-3)
        broken = q.copy()
        broken[1, 1] = np.nan
        found = rne.effective_inertia(robot, broken, free=free).free
        assert np.isnan(found[1, 1]).any()
        found[1, 1] = whole.free[1, 1]
        assert_near(found, whole.free)
        assert rne.effective_inertia(robot, q[:0], free=free).free.shape == (0, 2, 4)


@pytest.mark.parametrize(
    ("free", "said"),
    [
        (["frist"], "free: no coordinate is named 'frist'; did you mean 'first'"),
        ([0], "free: wanted the name of a joint, or its number from 1 to 2, got 0"),
        ("first", r"free: wanted several joints, such as \['first'\]"),
        (1, r"free: wanted several joints, such as \[1\]"),
    ],
)
def test_free_joints_are_named(free, said):
    with pytest.raises(rne.ArgumentError, match=said):
        rne.effective_inertia(point_masses(), [0.0, 0.0], free=free)
