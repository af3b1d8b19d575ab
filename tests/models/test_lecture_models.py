"""The lecture systems in `models/lectures/` against closed forms of the lectures, and against other descriptions."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from checks import assert_near, random_states
from descriptions import modified_rows, urdf
from numpy import cos, sin
from oracles_dh import pin_model_from_dh
from scipy.linalg import expm

import rne
from rne.model.tree import Drive

LECTURES = Path(__file__).parents[2] / "models" / "lectures"
FOLDERS = sorted(path.name for path in LECTURES.iterdir() if path.is_dir())
SPATIAL = {"four_link_spatial_dh": "RRRR", "rrp_spatial": "RRP", "stanford_6dof": "RRPRRR"}
G = 9.81


def system(name: str) -> rne.Robot:
    """Load a system; the folder holds one robot file."""
    (path,) = (LECTURES / name).glob("robot.*")
    return rne.load(path)


def table(name: str) -> dict:
    return tomllib.loads((LECTURES / name / "robot.dh.toml").read_text(encoding="utf-8"))


# ----------------------------------------------------------- closed forms: (name, coordinates, (q, qd, qdd) -> torques)


def one_dof_arm(q, qd, qdd):
    (m, Lc, Ic), (th,), (thdd,) = (2.5, 0.4, 0.12), q, qdd
    return [(Ic + m * Lc**2) * thdd + m * G * Lc * cos(th)]


def rod_pendulum(q, qd, qdd):
    (M, L), (th,), (thdd,) = (3.0, 1.2), q, qdd
    return [M * L**2 / 3 * thdd + M * G * L / 2 * cos(th)]


def cart_spring_horizontal(q, qd, qdd):
    return [2.0 * qdd[0] + 50.0 * q[0]]


def cart_spring_damper_fixed(q, qd, qdd):
    return [2.0 * qdd[0] + 3.0 * qd[0] + 50.0 * q[0] - 2.0 * G]


def cart_moving_base(q, qd, qdd):
    """Absolute coordinates x1, x0."""
    pair = 3.0 * (qd[0] - qd[1]) + 50.0 * (q[0] - q[1])
    return [2.0 * (qdd[0] - G) + pair, 5.0 * (qdd[1] - G) - pair]


def cart_moving_base_relative(q, qd, qdd):
    M0, M1, c, k = 5.0, 2.0, 3.0, 50.0
    force = M1 * (qdd[0] + qdd[1] - G)
    return [M0 * (qdd[0] - G) + force, force + c * qd[1] + k * q[1]]


def point_masses(m1, m2, d1, d2, c=(0.0, 0.0), zero=0.0):
    """Equations (3.15) and (3.18) of the lecture; `zero` turns the angle theta1 to the downward vertical."""

    def torques(q, qd, qdd):
        (th1, th2), (w1, w2), (a1, a2) = q, qd, qdd
        s1, s12, s2, c2 = sin(th1 + zero), sin(th1 + zero + th2), sin(th2), cos(th2)
        D11 = (m1 + m2) * d1**2 + m2 * d2**2 + 2 * m2 * d1 * d2 * c2
        D12, D22, h = m2 * d2**2 + m2 * d1 * d2 * c2, m2 * d2**2, m2 * d1 * d2 * s2
        T1 = D11 * a1 + D12 * a2 - 2 * h * w1 * w2 - h * w2**2 + (m1 + m2) * G * d1 * s1 + m2 * G * d2 * s12
        T2 = D12 * a1 + D22 * a2 + h * w1**2 + m2 * G * d2 * s12
        return [T1 + c[0] * w1, T2 + c[1] * w2]

    return torques


def com_and_inertia(q, qd, qdd):
    """Equations (4.10) to (4.13)."""
    m1, m2, L1, LC1, LC2, IC1, IC2 = 2.2, 1.3, 0.7, 0.35, 0.2, 0.09, 0.03
    (th1, th2), (w1, w2), (a1, a2) = q, qd, qdd
    M11 = m1 * LC1**2 + IC1 + m2 * (L1**2 + LC2**2 + 2 * L1 * LC2 * cos(th2)) + IC2
    M12, M22 = m2 * (LC2**2 + L1 * LC2 * cos(th2)) + IC2, m2 * LC2**2 + IC2
    h, g2 = m2 * L1 * LC2 * sin(th2), m2 * G * LC2 * cos(th1 + th2)
    g1 = m1 * G * LC1 * cos(th1) + m2 * G * L1 * cos(th1) + g2
    return [M11 * a1 + M12 * a2 - h * (w2**2 + 2 * w1 * w2) + g1, M12 * a1 + M22 * a2 + h * w1**2 + g2]


def r1r2(q, qd, qdd, M=0.0):
    """Section 2.2, with a payload M at l2: it adds itself as a second mass on link 2."""
    m1, r1, l1 = 1.8, 0.35, 0.7
    (th1, th2), (w1, w2), (a1, a2) = q, qd, qdd
    s1, s12, s2, c2 = sin(th1), sin(th1 + th2), sin(th2), cos(th2)
    tau1, tau2 = m1 * r1**2 * a1 + m1 * r1 * G * s1, 0.0
    for m, r in ((1.1, 0.25), (M, 0.5)):
        own, cross, h = m * r**2, m * l1 * r * c2, m * l1 * r * s2
        tau1 += (own + m * l1**2 + 2 * cross) * a1 + (own + cross) * a2 - 2 * h * w1 * w2 - h * w2**2
        tau1 += m * l1 * G * s1 + m * G * r * s12
        tau2 += (own + cross) * a1 + own * a2 + h * w1**2 + m * G * r * s12
    return [tau1, tau2]


def rp(m1, l1, m2, moments, g=G):
    """Link masses, place of the first, moments of both about the axis out of the plane."""

    def torques(q, qd, qdd):
        (th, d), (w, v), (a, vd) = q, qd, qdd
        tau1 = (m1 * l1**2 + moments + m2 * d**2) * a + 2 * m2 * d * v * w + (m1 * l1 + m2 * d) * g * cos(th)
        return [tau1, m2 * vd - m2 * d * w**2 + m2 * g * sin(th)]

    return torques


PLANAR = {
    "one_dof_arm": (["theta"], one_dof_arm),
    "rod_pendulum": (["theta"], rod_pendulum),
    "cart_spring_horizontal": (["x"], cart_spring_horizontal),
    "cart_spring_damper_fixed": (["x1"], cart_spring_damper_fixed),
    "cart_spring_damper_moving": (["x1", "x0"], cart_moving_base),
    "cart_moving_base_relative": (["x0", "z"], cart_moving_base_relative),
    "two_link_point_mass": (["theta1", "theta2"], point_masses(2.0, 1.3, 0.8, 0.6)),
    "two_link_point_mass_paul_values": (["theta1", "theta2"], point_masses(2.0, 1.0, 1.0, 1.0)),
    "two_link_point_mass_friction": (["theta1", "theta2"], point_masses(2.0, 1.3, 0.8, 0.6, (0.15, 0.08))),
    "two_link_point_mass_horizontal_zero": (["theta1", "theta2"], point_masses(2.0, 1.3, 0.8, 0.6, zero=np.pi / 2)),
    "two_link_com_inertia": (["theta1", "theta2"], com_and_inertia),
    "two_link_r1r2": (["theta1", "theta2"], r1r2),
    "rp_arm": (["theta", "d2"], rp(3.0, 0.3, 1.4, 0.06 + 0.035)),
    "rp_arm_craig_frames": (["theta", "d2"], rp(3.0, 0.3, 1.4, 0.06 + 0.035)),
    "rp_motor_sizing": (["theta", "r"], rp(10.0, 1.0, 5.0, 0.0, g=9.8)),
}


def test_every_system_is_tested_and_told():
    assert sorted({*PLANAR, *SPATIAL}) == FOLDERS
    readme = (LECTURES / "README.md").read_text(encoding="utf-8")
    for name in FOLDERS:
        robot = system(name)
        assert robot.name == name
        assert f"| `{name}` |" in readme
        source = (LECTURES / name / "SOURCE").read_text(encoding="utf-8")
        assert "row" in source
        assert len(source) > 200


@pytest.mark.parametrize("name", PLANAR)
def test_torques_are_those_of_the_lecture(name):
    coordinates, closed_form = PLANAR[name]
    robot = system(name)
    assert list(robot.joint_names) == coordinates
    q, qd, qdd = random_states(robot.n, 20, seed=len(name))
    columns = np.array(closed_form(q.T, qd.T, qdd.T)).T
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd, friction=True), columns)
    springless = closed_form(0 * q.T, 0 * qd.T, 0 * qdd.T)
    assert_near(rne.gravity_vector(robot, 0 * q), np.broadcast_to(np.array(springless).T, q.shape))


@pytest.mark.parametrize("name", ["two_link_point_mass", "two_link_com_inertia", "two_link_r1r2", "rp_arm"])
def test_velocity_torques_are_those_of_the_lecture(name):
    robot, closed_form = system(name), PLANAR[name][1]
    q, qd, _ = random_states(2, 20, seed=5)
    still = np.zeros_like(q.T)
    wanted = np.array(closed_form(q.T, qd.T, still)) - np.array(closed_form(q.T, still, still))
    assert_near(rne.coriolis_vector(robot, q, qd), wanted.T)


def test_the_two_descriptions_of_the_moving_base_agree():
    """They are related by z = x1 - x0 and Q_x1 = Q_z, Q_x0 = Q_0 - Q_z."""
    absolute, relative = system("cart_spring_damper_moving"), system("cart_moving_base_relative")
    q, qd, qdd = random_states(2, 20)
    to_relative = np.array([[0.0, 1.0], [1.0, -1.0]])  # (x1, x0) -> (x0, x1 - x0)
    other = rne.inverse_dynamics(relative, *(x @ to_relative.T for x in (q, qd, qdd)), friction=True)
    assert_near(rne.inverse_dynamics(absolute, q, qd, qdd, friction=True), other @ to_relative)


def test_the_moving_base_moves_as_the_matrix_exponential():
    """x' = A x + b, with the constant b as one more state that stands still; energy and friction power with it."""
    robot, t = system("cart_spring_damper_moving"), np.linspace(0.0, 2.0, 9)
    M, pair = np.diag([2.0, 5.0]), np.array([[1.0, -1.0], [-1.0, 1.0]])
    A = np.zeros((5, 5))
    A[:2, 2:4] = np.eye(2)
    A[2:4, :2], A[2:4, 2:4] = -np.linalg.solve(M, 50.0 * pair), -np.linalg.solve(M, 3.0 * pair)
    A[2:4, 4] = G
    start = np.array([0.15, -0.05, 0.0, 0.4, 1.0])
    motion = rne.simulate(robot, start[:2], start[2:4], t, friction=True)
    wanted = np.array([expm(A * time) @ start for time in t])
    assert_near(motion.q, wanted[:, :2], rtol=1e-11)
    assert_near(motion.qd, wanted[:, 2:4], rtol=1e-11)
    stretch, masses = motion.q @ [1.0, -1.0], [2.0, 5.0]
    assert_near(motion.energy, 25.0 * stretch**2 + (motion.qd**2 / 2 - G * motion.q) @ masses, rtol=1e-11)
    assert_near(rne.dissipated_power(robot, motion.qd), 3.0 * (motion.qd @ [1.0, -1.0]) ** 2)
    assert_near(rne.dissipation(robot, motion.qd), 1.5 * (motion.qd @ [1.0, -1.0]) ** 2)


def test_payload_sits_at_the_end_of_the_second_link():
    q, qd, qdd = random_states(2, 20, seed=2)
    loaded = system("two_link_r1r2").with_payload(0.8)
    assert_near(rne.inverse_dynamics(loaded, q, qd, qdd), np.array(r1r2(q.T, qd.T, qdd.T, M=0.8)).T)


# ------------------------------------------------------------------------------------------------- published numbers


@pytest.mark.parametrize(
    ("m2", "locked", "free"),
    [(1, (6, 4, 2, 4), (2, 3, 2, 3)), (4, (18, 10, 2, 10), (2, 6, 2, 6)), (100, (402, 202, 2, 202), (2, 102, 2, 102))],
    ids=["3.1", "3.2", "3.3"],
)
def test_effective_inertia_tables(m2, locked, free):
    """Tables 3.1 to 3.3 with their misprints put right: D11 at 0 degrees is 6, not 3; I_f at 90 is 6, not 3."""
    robot = system("two_link_point_mass_paul_values").with_payload(m2 - 1.0)
    for degrees, I_L, I_f in zip((0, 90, 180, 270), locked, free, strict=True):
        q = [0.3, np.radians(degrees)]
        M = rne.inverse_dynamics(robot, q, qdd=np.eye(2), gravity=[0, 0, 0])
        assert_near([M[0, 0], M[0, 0] - M[0, 1] ** 2 / M[1, 1]], [I_L, I_f])


def test_example_6_4_asks_226_newton_meters():
    robot = system("rp_motor_sizing")
    assert_near(rne.gravity_vector(robot, [0.0, 2.0]), [196.0, 0.0])
    assert_near(rne.inverse_dynamics(robot, [0.0, 2.0], qdd=[1.0, 0.0]), [226.0, 0.0])


# ---------------------------------------------------------------------------------- spatial arms, other descriptions


def tensor_of(row):
    xx, yy, zz, xy, xz, yz = (row["inertia"][key] for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


@pytest.mark.parametrize("name", SPATIAL)
def test_spatial_arms_in_modified_dh_and_urdf_and_of_pinocchio(name):
    """A tilted base as well: gravity along an oblique line."""
    robot, data = system(name), table(name)
    rows = [row | {"inertia": tensor_of(row)} for row in data["rows"]]
    assert "".join(row["joint"][0].upper() for row in rows) == SPATIAL[name]
    drives = {row["name"]: Drive(row["rotor_inertia"], viscous=row.get("viscous", 0.0)) for row in rows}
    modified = rne.from_dh(modified_rows(rows), convention="modified")
    from_urdf = rne.load_urdf(urdf(rows)).with_drives(drives)
    states = random_states(robot.n, 20, seed=robot.n)
    for gravity in ((0.0, 0.0, -G), (-1.5, 2.5, -9.2)):
        tau = rne.inverse_dynamics(robot, *states, gravity=gravity, friction=True)
        for other in (modified, from_urdf):
            assert_near(rne.inverse_dynamics(other, *states, gravity=gravity, friction=True), tau)
        model = pin_model_from_dh(data | {"gravity": gravity})
        wanted = [pin.rnea(model, model.createData(), *state) for state in zip(*states, strict=True)]
        assert_near(tau - rne.friction_torque(robot, states[1]), wanted)
