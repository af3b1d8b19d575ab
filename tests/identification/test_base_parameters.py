"""Base parameters: how many, which, and that the torques depend on nothing else."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from checks import assert_near, random_robot, random_states
from example_robots import example
from models_at_hand import MODELS
from own_robots import arm, gripper

import rne

ALL = {"rotors": True, "friction": True}
LECTURES = {
    "one_dof_arm": 3,
    "two_link_com_inertia": 6,
    "rp_arm": 6,
    "rrp_spatial": 12,
    "four_link_spatial_dh": 22,
    "stanford_6dof": 33,
}

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


def lecture(name):
    return rne.load(MODELS / "lectures" / name / "robot.dh.toml")


@pytest.mark.parametrize(("name", "count"), LECTURES.items())
def test_the_counts_of_the_lectures(name, count):
    base = rne.base_parameters(lecture(name), rotors=False)
    assert len(base) == count
    assert base.kept > 0.05
    assert base.dropped < 1e-14


def test_puma_has_36():
    """Gautier, Khalil 1990; a six-joint arm with parallel joints 2 and 3 and an upright first axis."""
    assert len(rne.base_parameters(rne.load(MODELS / "puma560" / "robot.dh.toml"), rotors=False)) == 36


@pytest.mark.parametrize("name", ["a1.urdf", "baxter.urdf", "panda.urdf", "talos_reduced.urdf", "ur10_robot.urdf"])
def test_the_rank_is_that_of_pinocchios_regressor(name):
    e = example(name)
    base = rne.base_parameters(e.robot, rotors=False)
    rng, nv = np.random.default_rng(0), e.robot.n
    rows = []
    for _ in range(-(-15 * len(e.robot.links.joints) // nv)):
        e.q[0], e.qd[0], e.qdd[0] = rng.normal(size=(3, nv)) * np.array([[2.0], [1.0], [3.0]])
        rows.append(e.reduced(pin.computeJointTorqueRegressor(e.model, e.pm.data, *e.pin_state(0)).T).T)
    W = np.concatenate(rows)
    length = np.linalg.norm(W, axis=0)
    felt = length > 1e-9 * length.max()
    assert np.linalg.matrix_rank(W[:, felt] / length[felt], tol=1e-6) == len(base)


def test_two_links_in_numbers_and_words():
    """The lengths of the lecture's arm are 0.7 and 0.5; z is across, so all is in Izz, mx, my and the second mass."""
    robot = lecture("two_link_com_inertia")
    base = rne.base_parameters(robot, rotors=False)
    assert base.expressions == (
        "mx_theta1 + 0.7 m_theta2",
        "my_theta1",
        "Izz_theta1 + 0.49 m_theta2",
        "mx_theta2",
        "my_theta2",
        "Izz_theta2",
    )
    m1, m2, r1, r2, I1, I2 = 2.2, 1.3, 0.35, 0.2, 0.09, 0.03
    wanted = [m1 * r1 + 0.7 * m2, 0, I1 + m1 * r1**2 + 0.49 * m2, m2 * r2, 0, I2 + m2 * r2**2]
    assert_near(base.values(), wanted, 1e-12)
    assert "6 base parameters of 20" in str(base)
    assert " 3  Izz_theta1 + 0.49 m_theta2" in f" {base}".replace("\n", "\n ")
    assert base.unfelt[:2] == ("m_theta1", "mz_theta1")


def test_regrouping_of_gautier_and_khalil():
    """Their formulas for a modified DH row with a = d_3, alpha = 0.3, d = r_3: what leaves link 2 and where it goes."""
    a, alpha, d = 0.4, 0.3, 0.15
    rows = [
        {"joint": "revolute", "mass": 1.0},
        {"joint": "revolute", "alpha": -np.pi / 2, "mass": 1.0},
        {"joint": "revolute", "a": a, "alpha": alpha, "d": d, "mass": 1.0},
    ]
    base = rne.base_parameters(rne.from_dh(rows, convention="modified"), rotors=False)
    c, s = np.cos(alpha), np.sin(alpha)
    K = {
        base.names[k]: dict(zip(base.names, row, strict=True)) for k, row in zip(base.independent, base.K, strict=True)
    }
    into = {  # what link 2 takes of link 3
        "Ixx": {"Iyy": 1, "mz": 2 * d, "m": d * d},
        "Ixy": {"mz": a * s, "m": a * d * s},
        "Ixz": {"mz": -a * c, "m": -a * d * c},
        "Iyy": {"Iyy": c * c, "mz": 2 * d * c * c, "m": a * a + d * d * c * c},
        "Iyz": {"Iyy": c * s, "mz": 2 * d * c * s, "m": d * d * c * s},
        "Izz": {"Iyy": s * s, "mz": 2 * d * s * s, "m": a * a + d * d * s * s},
        "mx": {"m": a},
        "my": {"mz": -s, "m": -d * s},
    }
    for name in ("mx", "my", "Ixy", "Ixz", "Iyz", "Izz"):
        for of in ("m", "mz", "Iyy"):
            assert K[f"{name}_joint2"][f"{of}_joint3"] == pytest.approx(into[name].get(of, 0), abs=1e-12), (name, of)
    for of in ("m", "mz", "Iyy"):  # link 2 keeps Ixx - Iyy
        wanted = into["Ixx"].get(of, 0) - into["Iyy"].get(of, 0)
        assert K["Ixx_joint2"][f"{of}_joint3"] == pytest.approx(wanted, abs=1e-12)
    assert K["Ixx_joint3"]["Iyy_joint3"] == pytest.approx(-1)


ROBOTS = {"arm": arm(), "gripper": gripper(), "random": random_robot(4, 7, mimic=0.2)}


@pytest.mark.parametrize("options", [{}, ALL], ids=["default", "drives"])
@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_the_torques_depend_on_them_alone(robot, options):
    base = rne.base_parameters(robot, **options)
    state = random_states(robot.n, 20, seed=7)
    Y = rne.regressor(robot, *state, **options)
    assert_near(Y[..., base.independent] @ base.K, Y, 1e-9)
    assert_near(base.regressor(*state) @ base.values(), Y @ rne.parameters(robot, **options), 1e-9)
    np.testing.assert_array_equal(base.K[:, base.independent], np.eye(len(base)))
    felt = np.abs(Y).max(axis=(0, 1)) > 1e-9
    assert base.unfelt == tuple(name for name, there in zip(base.names, felt, strict=True) if not there)


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_other_bodies_with_the_same_base_parameters_give_the_same_torques(robot):
    """Of inverse dynamics, which knows no regressor; and other ones give other torques."""
    pi, base = rne.parameters(robot, rotors=False), rne.base_parameters(robot, rotors=False)
    pi[::10] += 1.0
    rng, state = np.random.default_rng(3), random_states(robot.n, 20, seed=8)
    away = rng.normal(size=pi.shape)
    unseen = away - np.linalg.pinv(base.K) @ (base.K @ away)
    tau = [rne.inverse_dynamics(robot.with_parameters(pi + x, strict=False), *state) for x in (0.0, 0.5 * unseen, away)]
    assert np.abs(unseen).max() > 0.5
    assert_near(tau[1], tau[0], 1e-9)
    assert np.abs(tau[2] - tau[0]).max() > 0.1


def test_gravity_decides_what_is_felt():
    wheel = rne.from_dh([{"joint": "revolute", "a": 0.5, "mass": 1.0}], convention="standard")
    felt = "Izz_joint1 + rotor_joint1"
    assert rne.base_parameters(wheel).expressions == (felt,)
    assert rne.base_parameters(wheel, gravity=[9.81, 0, 0]).expressions == ("mx_joint1", "my_joint1", felt)
    assert len(rne.base_parameters(wheel.with_gravity([9.81, 0, 0]))) == 3


def test_a_rotor_is_felt_like_its_link_at_the_base_only():
    robot = lecture("two_link_com_inertia")
    base = rne.base_parameters(robot)
    assert len(base) == 7
    assert "Izz_theta1 + 0.49 m_theta2 + rotor_theta1" in base.expressions
    assert base.expressions[-1] == "rotor_theta2"
    assert len(rne.base_parameters(robot, **ALL)) == 7 + 2 * 3


def test_angles_that_miss_a_right_one_by_rounding_make_no_parameter():
    """Joint 1 stands 1e-7 rad beside the vertical, and so feels 1e-6 of a first moment as weight."""
    rows = [{"joint": "revolute", "a": 0.5, "mass": 1.0}]
    base = rne.base_parameters(rne.from_dh(rows, convention="standard"), gravity=[1e-6, 0, -9.81])
    assert len(base) == 1
    assert 1e-8 < base.dropped < 1e-5
    assert len(rne.base_parameters(base.robot, gravity=[1e-6, 0, -9.81], tolerance=1e-9)) == 3
    with pytest.raises(rne.ArgumentError, match="the singular values show no clear gap"):
        rne.base_parameters(arm(), gravity=[0.6, 0.6, -9.81], tolerance=0.45)
    for bad in (0.0, 1.0, -1e-3):
        with pytest.raises(rne.ArgumentError, match="tolerance: wanted a number between 0 and 1"):
            rne.base_parameters(arm(), tolerance=bad)


def test_a_robot_without_joints_has_none():
    block = rne.load_urdf('<robot name="block"><link name="base"/></robot>')
    base = rne.base_parameters(block)
    assert len(base) == 0
    assert base.values().shape == (0,)
    assert "0 base parameters of 0" in str(base)
