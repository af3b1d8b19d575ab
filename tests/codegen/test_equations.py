"""Equations of the lectures, term by term as the courses have them, and in numbers as rne calculates."""

from __future__ import annotations

import time

import numpy as np
import oracles
import pytest
import reference
import sympy as sp
from checks import assert_near, random_tree

import rne
from rne import examples

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")
DOWN = -np.pi / 2
q1, q2, w1, w2, a1, a2 = sp.symbols("q1 q2 qd1 qd2 qdd1 qdd2")
m, m1, m2, M, L, LC, IC, l1, r1, r2, g, k, c = sp.symbols("m m1 m2 M L LC IC l1 r1 r2 g k c")
d1, d2, c1, c2, L1, LC1, LC2, IC1, IC2, l2 = sp.symbols("d1 d2 c1 c2 L1 LC1 LC2 IC1 IC2 l2")
Iyy2, Izz1, Izz2, M0, M1, rest = sp.symbols("Iyy2 Izz1 Izz2 M0 M1 rest")
s1, s2, s12, cos1, cos2, cos12 = sp.sin(q1), sp.sin(q2), sp.sin(q1 + q2), sp.cos(q1), sp.cos(q2), sp.cos(q1 + q2)


def turn(a, mass, theta=0.0, **more):
    return {"joint": "revolute", "a": a, "mass": mass, "theta": theta, **more}


def two_links(D11, D12, D22, h, g1, g2, friction=(0, 0)):
    """The equations of two links by their coefficients."""
    return [
        D11 * a1 + D12 * a2 - 2 * h * s2 * w1 * w2 - h * s2 * w2**2 + g1 + friction[0] * w1,
        D12 * a1 + D22 * a2 + h * s2 * w1**2 + g2 + friction[1] * w2,
    ]


POINTS = (
    (m1 + m2) * d1**2 + m2 * d2**2 + 2 * m2 * d1 * d2 * cos2,
    m2 * d2**2 + m2 * d1 * d2 * cos2,
    m2 * d2**2,
    m2 * d1 * d2,
)
R1R2 = (m1 * r1**2 + m2 * r2**2 + m2 * l1**2 + 2 * m2 * l1 * r2 * cos2, m2 * r2**2 + m2 * l1 * r2 * cos2, m2 * r2**2)
LOADED = (
    m1 * r1**2 + m2 * (l1**2 + r2**2 + 2 * l1 * r2 * cos2) + M * (l1**2 + l2**2 + 2 * l1 * l2 * cos2),
    m2 * (r2**2 + l1 * r2 * cos2) + M * (l2**2 + l1 * l2 * cos2),
    m2 * r2**2 + M * l2**2,
    m2 * l1 * r2 + M * l1 * l2,
)
FALL = [0, -g, 0]
SLIDE = {"alpha": np.pi / 2, "theta": np.pi / 2}
"""The pose of a turning link in the standard convention whose z lies along the arm."""

# name: rows, convention, gravity, base, friction, torques of the course.
LECTURES = {
    "one_dof_arm": (
        [turn("L", "m", com=["LC-L", 0, 0], inertia={"ixx": 0, "iyy": "IC", "izz": "IC"})],
        [(IC + m * LC**2) * a1 + m * g * LC * cos1],
    ),
    "rod_pendulum": (
        [turn("L", "M", com=["-L/2", 0, 0], inertia={"ixx": 0, "iyy": "M*L**2/12", "izz": "M*L**2/12"})],
        [M * L**2 / 3 * a1 + M * g * L / 2 * cos1],
    ),
    "cart_spring_horizontal": (
        [{"joint": "prismatic", "mass": "m", "stiffness": "k"}],
        [m * a1 + k * q1],
    ),
    "cart_spring_damper_fixed": (
        [{"joint": "prismatic", "mass": "M1", "stiffness": "k", "viscous": "c"}],
        [M1 * a1 + c * w1 + k * q1 - M1 * g],
    ),
    "cart_moving_base_relative": (
        [{"joint": "prismatic", "mass": "M0"}, {"joint": "prismatic", "mass": "M1", "stiffness": "k", "viscous": "c"}],
        [(M0 + M1) * a1 + M1 * a2 - (M0 + M1) * g, M1 * (a1 + a2) + c * w2 + k * q2 - M1 * g],
    ),
    "two_link_point_mass": (
        [turn("d1", "m1", DOWN), turn("d2", "m2")],
        two_links(*POINTS, (m1 + m2) * g * d1 * s1 + m2 * g * d2 * s12, m2 * g * d2 * s12),
    ),
    "two_link_point_mass_friction": (
        [turn("d1", "m1", DOWN, viscous="c1"), turn("d2", "m2", viscous="c2")],
        two_links(*POINTS, (m1 + m2) * g * d1 * s1 + m2 * g * d2 * s12, m2 * g * d2 * s12, (c1, c2)),
    ),
    "two_link_point_mass_horizontal_zero": (
        [turn("d1", "m1"), turn("d2", "m2")],
        two_links(*POINTS, (m1 + m2) * g * d1 * cos1 + m2 * g * d2 * cos12, m2 * g * d2 * cos12),
    ),
    "two_link_com_inertia": (
        [
            turn("L1", "m1", com=["LC1-L1", 0, 0], inertia={"ixx": 0, "iyy": "IC1", "izz": "IC1"}),
            turn("L2", "m2", com=["LC2-L2", 0, 0], inertia={"ixx": 0, "iyy": "IC2", "izz": "IC2"}),
        ],
        two_links(
            m1 * LC1**2 + IC1 + m2 * (L1**2 + LC2**2 + 2 * L1 * LC2 * cos2) + IC2,
            m2 * (LC2**2 + L1 * LC2 * cos2) + IC2,
            m2 * LC2**2 + IC2,
            m2 * L1 * LC2,
            m1 * g * LC1 * cos1 + m2 * g * (L1 * cos1 + LC2 * cos12),
            m2 * g * LC2 * cos12,
        ),
    ),
    "two_link_r1r2": (
        [turn("l1", "m1", DOWN, com=["r1-l1", 0, 0]), turn("l2", "m2", com=["r2-l2", 0, 0])],
        two_links(*R1R2, m2 * l1 * r2, (m1 * r1 + m2 * l1) * g * s1 + m2 * g * r2 * s12, m2 * g * r2 * s12),
    ),
    "two_link_r1r2_payload": (
        [
            turn("l1", "m1", DOWN, com=["r1-l1", 0, 0]),
            turn(
                "l2", "m2+M", com=["m2*(r2-l2)/(m2+M)", 0, 0],
                inertia={"ixx": 0, "iyy": "m2*M*(l2-r2)**2/(m2+M)", "izz": "m2*M*(l2-r2)**2/(m2+M)"},
            ),
        ],
        two_links(
            *LOADED,
            (m1 * r1 + m2 * l1 + M * l1) * g * s1 + (m2 * r2 + M * l2) * g * s12,
            (m2 * r2 + M * l2) * g * s12,
        ),
    ),
    "rp_arm": (
        [
            turn(0, "m1", **SLIDE, com=[0, 0, "l1"], inertia={"ixx": 0, "iyy": "Izz1", "izz": 0}),
            {"joint": "prismatic", "mass": "m2", "inertia": {"ixx": 0, "iyy": "Iyy2", "izz": 0}},
        ],
        [
            (m1 * l1**2 + Izz1 + Iyy2 + m2 * q2**2) * a1 + 2 * m2 * q2 * w2 * w1 + (m1 * l1 + m2 * q2) * g * cos1,
            m2 * a2 - m2 * q2 * w1**2 + m2 * g * s1,
        ],
    ),
    "rp_motor_sizing": (
        [
            turn(0, "m1", **SLIDE, com=[0, 0, "r1"]) | {"theta": np.pi / 2},
            {"joint": "prismatic", "mass": "m2"},
        ],
        [
            g * (m1 * r1 + m2 * q2) * cos1 + (m1 * r1**2 + m2 * q2**2) * a1 + 2 * m2 * q2 * w2 * w1,
            m2 * a2 - m2 * q2 * w1**2 + m2 * g * s1,
        ],
    ),
}  # fmt: skip
CARTS = {
    "cart_spring_horizontal": [0, 0, 0],
    "cart_spring_damper_fixed": [0, 0, "g"],
    "cart_moving_base_relative": [0, 0, "g"],
}


def of_lecture(name):
    rows, wanted = LECTURES[name]
    rows = [{key: value for key, value in row.items() if key != "alpha" or value} for row in rows]
    return rne.equations(rows, convention="standard", gravity=CARTS.get(name, FALL), friction=True), wanted


@pytest.mark.parametrize("name", LECTURES)
def test_equations_of_the_lectures_term_by_term(name):
    start = time.process_time()
    found, wanted = of_lecture(name)
    assert time.process_time() - start < 5.0
    for got, want in zip(found.tau, wanted, strict=True):
        assert sp.simplify(sp.expand_trig(got - want)) == 0


def test_there_are_twelve_variants_and_more():
    assert len(LECTURES) >= 12
    known = {name for entry in examples.EXAMPLES.values() for name in entry.systems}
    assert set(LECTURES) - {"two_link_r1r2_payload"} <= known


def test_written_as_in_the_course():
    """L3 (3.21) to (3.33), to the letter."""
    found, _ = of_lecture("two_link_point_mass")
    D = found.coefficients
    assert str(D["D11"]) == "d1**2*(m1 + m2) + 2*d1*d2*m2*cos(q2) + d2**2*m2"
    assert str(D["D1"]) == "d1*g*(m1 + m2)*sin(q1) + d2*g*m2*sin(q1 + q2)"
    h = m2 * d1 * d2 * s2
    for name, value in {
        "D111": 0,
        "D122": -h,
        "D211": h,
        "D222": 0,
        "D112": -h,
        "D121": -h,
        "D212": 0,
        "D221": 0,
    }.items():
        assert sp.expand(D[name] - value) == 0
    assert r"D_{1} &= d_{1} g \left(m_{1} + m_{2}\right) \sin{\left(q_{1} \right)}" in found.latex()
    assert found._repr_latex_().startswith(r"$\displaystyle \begin{aligned}")


def test_the_sum_of_all_terms_is_tau():
    found, _ = of_lecture("two_link_com_inertia")
    qd, qdd = sp.Matrix(found.qd), sp.Matrix(found.qdd)
    assert sp.simplify(sp.expand_trig(found.M * qdd + found.C * qd + found.g - found.tau)) == sp.zeros(2, 1)
    rate = sp.diff(found.M, q1) * w1 + sp.diff(found.M, q2) * w2 - 2 * found.C
    assert sp.simplify(rate + rate.T) == sp.zeros(2, 2)


STATE = {"q1": 0.4, "q2": -0.9, "qd1": 1.3, "qd2": -2.1, "qdd1": 0.5, "qdd2": 1.0}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("two_link_point_mass", {"m1": 2.0, "m2": 1.3, "d1": 0.8, "d2": 0.6, "g": 9.81}),
        ("two_link_r1r2", {"m1": 1.8, "m2": 1.1, "l1": 0.7, "l2": 0.5, "r1": 0.35, "r2": 0.25, "g": 9.81}),
        ("rp_motor_sizing", {"m1": 10.0, "m2": 5.0, "r1": 1.0, "g": 9.8}),
    ],
)
def test_numbers_put_in_are_those_of_the_lecture_robots(name, values):
    found, _ = of_lecture(name)
    robot = rne.load_model(name)
    tau = np.array(found.subs(values | STATE).tau, float).ravel()
    state = [[STATE[f"{kind}{j}"] for j in (1, 2)] for kind in ("q", "qd", "qdd")]
    assert_near(tau, rne.inverse_dynamics(robot, *state))


@pytest.mark.parametrize("name", ["two_link_com_inertia", "rp_arm", "rp_arm_craig_frames", "cart_moving_base_relative"])
def test_robots_in_numbers(name):
    robot = rne.load_model(name)
    space: dict = {}
    exec(rne.equations(robot, friction=True).python("f"), space)
    state = np.random.default_rng(0).normal(size=(3, robot.n))
    M, C, gravity, tau = space["f"](*state)
    assert_near(M, rne.mass_matrix(robot, state[0]))
    assert_near(C, rne.coriolis_matrix(robot, *state[:2]))
    assert_near(gravity, rne.gravity_vector(robot, state[0]))
    want = reference.torques(robot.tree, *state, friction=True)
    assert_near(tau, want)


def test_a_spatial_arm_of_three_joints():
    robot = rne.load_model("rrp_spatial")
    space: dict = {}
    exec(rne.equations(robot).python(), space)
    state = np.random.default_rng(1).normal(size=(3, 3))
    assert_near(space["dynamics"](*state)[3], reference.inverse_dynamics(robot.tree, *state))


@pytest.mark.parametrize("model", ["ur5e/robot.urdf", "puma560/robot.dh.toml"])
def test_six_joints_are_straight_lines_in_time(model):
    robot = rne.load(f"models/{model}")
    start = time.process_time()
    found = rne.equations(robot)
    code = found.python()
    assert time.process_time() - start < 20.0
    assert found.assignments
    assert all(expression.count_ops() <= 4 for _, expression in found.assignments)
    space: dict = {}
    exec(code, space)
    state = np.random.default_rng(0).normal(size=(3, 6))
    M, C, gravity, tau = space["dynamics"](*state)
    assert_near(M, reference.mass_matrix(robot.tree, state[0]))
    assert_near(tau, reference.inverse_dynamics(robot.tree, *state))
    assert_near(M @ state[2] + C @ state[1] + gravity, tau)
    values = {
        f"{kind}{j + 1}": x for kind, row in zip(("q", "qd", "qdd"), state, strict=True) for j, x in enumerate(row)
    }
    assert_near(np.array(found.subs(values).tau, float).ravel(), tau)
    assert "x_{0} &= " in found.latex()


def test_against_pinocchio():
    path = oracles.example_urdf("ur10_robot.urdf")
    robot, pm = rne.load(path), oracles.pin_model(path)
    space: dict = {}
    exec(rne.equations(robot).python(), space)
    state = np.random.default_rng(5).normal(size=(3, 6))
    assert_near(space["dynamics"](*state)[3], oracles.pin_inverse_dynamics(pm, robot.joint_names, *state), rtol=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_trees_with_followers_and_springs(seed):
    robot = rne.Robot(random_tree(seed, 5))
    space: dict = {}
    exec(rne.equations(robot, friction=True).python(), space)
    state = np.random.default_rng(seed).normal(size=(3, robot.n))
    assert_near(space["dynamics"](*state)[3], reference.torques(robot.tree, *state, friction=True))


def test_coulomb_friction():
    row = {"joint": "revolute", "mass": 1, "coulomb": ["p", "n"], "viscous": "c", "gear_ratio": 2}
    found = rne.equations([row], convention="standard", friction=True)
    for rate, want in ((0.5, 4 * 0.5 * 3 + 2 * 5), (0, 0), (-0.5, -4 * 0.5 * 3 - 2 * 7)):
        assert found.subs({"c": 3, "p": 5, "n": 7, "qd1": rate, "qdd1": 0}).tau[0] == want


@pytest.mark.parametrize("friction", [False, True])
@pytest.mark.parametrize("name", ["two_link_point_mass", "rp_arm", "two_link_point_mass_friction"])
def test_derivatives_are_those_of_sympy(name, friction):
    """Of equations written out, which sympy differentiates itself."""
    found = rne.equations(rne.load_model(name), friction=friction, derivatives=True)
    for got, by in ((found.dtau_dq, found.q), (found.dtau_dqd, found.qd)):
        wanted = found.tau.jacobian(list(by))
        values = dict(zip((*found.q, *found.qd, *found.qdd), np.random.default_rng(0).normal(size=6), strict=True))
        assert_near(np.array((got - wanted).subs(values), dtype=float), np.zeros((2, 2)))
    assert rne.equations(rne.load_model(name)).dtau_dq is None


def test_derivatives_in_symbols():
    rows = [turn("d1", "m1", theta=DOWN), turn("d2", "m2")]
    found = rne.equations(rows, convention="standard", gravity=FALL, derivatives=True)
    for got, by in ((found.dtau_dq, found.q), (found.dtau_dqd, found.qd)):
        assert sp.simplify(got - found.tau.jacobian(list(by))) == sp.zeros(2, 2)
    pinned = found.subs({"d1": 0.5, "d2": 0.3})
    assert pinned.dtau_dq.free_symbols < found.dtau_dq.free_symbols


def test_derivatives_of_many_joints_are_those_of_rne():
    robot = rne.load("models/ur5e/robot.urdf")
    names: dict = {}
    exec(rne.equations(robot, derivatives=True).python(), names)
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 6))
    *_, by_q, by_qd = names["dynamics"](q, qd, qdd)
    wanted = rne.inverse_dynamics_derivatives(robot, q, qd, qdd)
    assert_near(by_q, wanted.dtau_dq)
    assert_near(by_qd, wanted.dtau_dqd)
