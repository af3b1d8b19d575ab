"""Torques, wrenches and gravity over time: closed forms, Pinocchio with scipy, and all loops against each other."""

from __future__ import annotations

import models_at_hand as models
import numba
import numpy as np
import own_robots
import pinocchio as pin
import pytest
from checks import assert_near
from own_robots import rod
from scipy.integrate import solve_ivp
from scipy.special import ellipj

import rne

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")

MASS = 2.0
METHODS = ["rk4", "adaptive"]


def free_slide(**drive: float) -> rne.Robot:
    """A mass of 2 kg that slides along z, which nothing pulls; its frame is "link1"."""
    row = {"joint": "prismatic", "mass": MASS, **drive}
    return rne.from_dh([row], convention="standard", gravity=[0, 0, 0])


def along_z(force: float) -> np.ndarray:
    return np.array([0.0, 0.0, force, 0.0, 0.0, 0.0])


FRAME = [*free_slide().links.frames][-1]
T = np.linspace(0.0, 1.0, 41)

# Forces over time, and where they lead from rest.
KNOTS = np.array([0.0, 0.31, 0.64, 2.0])
FORCES = {
    "constant": (along_z(3.0), 3.0 * T**2 / 2),
    "zero-order": (
        rne.Signal(KNOTS, [along_z(f) for f in (4.0, 0.0, -4.0, 9.0)]),
        4.0 * (T**2 - np.maximum(T - 0.31, 0.0) ** 2 - np.maximum(T - 0.64, 0.0) ** 2) / 2,
    ),
    "linear": (
        rne.Signal(KNOTS[:2], [along_z(0.0), along_z(3.1)], interpolation="linear"),
        10.0 * (T**3 - np.maximum(T - 0.31, 0.0) ** 3) / 6,
    ),
    "function": (lambda t: along_z(5.0 * np.sin(9.0 * t)), 5.0 * (T / 9.0 - np.sin(9.0 * T) / 81.0)),
}


@pytest.mark.parametrize("kind", FORCES)
def test_a_force_on_a_free_slide(kind):
    force, wanted = FORCES[kind]
    robot, rough = free_slide(), free_slide(coulomb=1e-30)
    atol = 1e-10 if kind == "function" else 1e-13
    for method in METHODS:
        got = rne.simulate(robot, [0.0], t=T, f_ext={FRAME: force}, method=method)
        np.testing.assert_allclose(got.q[:, 0], wanted / MASS, rtol=0, atol=atol)
        assert (got.tau == 0).all()
    for more in ({"friction": True}, {"tau": lambda t, q, qd: 0.0 * q}, {"tau": still}):
        got = rne.simulate(rough, [0.0], t=T, f_ext={FRAME: (force, "local")}, **more)
        np.testing.assert_allclose(got.q[:, 0], wanted / MASS, rtol=0, atol=max(atol, 1e-9 * ("friction" in more)))
        assert (got.tau == 0).all()


@numba.njit
def still(t, q, qd, tau):
    pass


@pytest.mark.parametrize("kind", ["zero-order", "linear"])
def test_a_log_of_torques_is_played_back(kind):
    """As the force on the same mass; the torques at the times of the result are those of the log."""
    force, wanted = FORCES[kind]
    log = rne.Signal(force.t, force.values[:, 2:3], force.interpolation)
    for method in METHODS:
        got = rne.simulate(free_slide(), [0.0], t=T, tau=log, method=method)
        np.testing.assert_allclose(got.q[:, 0], wanted / MASS, rtol=0, atol=1e-13)
        np.testing.assert_allclose(got.tau, log(T), rtol=0, atol=1e-12)


def test_a_log_on_the_times_of_the_result_is_an_array_of_torques():
    arm = own_robots.arm()
    tau = np.random.default_rng(0).normal(size=(3, 21, 6))
    t = np.arange(21) * 0.01
    wanted = rne.simulate(arm, np.zeros((3, 6)), t=t, tau=tau)
    got = rne.simulate(arm, np.zeros((3, 6)), t=t, tau=rne.Signal(t, tau))
    assert (got.q == wanted.q).all()
    assert (got.tau[:, :-1] == wanted.tau[:, :-1]).all()


def push(t: float) -> np.ndarray:
    return np.array([3.0, -2.0, 5.0, 0.3, 0.2, -0.1]) * np.sin(7.0 * t)


def swaying(t: float) -> np.ndarray:
    return np.array([2.0 * np.sin(5.0 * t), t, -9.81 + np.cos(3.0 * t)])


def by_pinocchio(q0: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Motion of the UR5e under `push` at its tool and `swaying` gravity: ABA of Pinocchio, DOP853 of scipy."""
    model = pin.buildModelFromUrdf(str(models.urdf_path("ur5e")))
    data, tool = model.createData(), model.getFrameId("tool0")
    n = model.nv

    def rate(t, y):
        q, v = y[:n], y[n:]
        model.gravity.linear = swaying(t)
        J = pin.computeFrameJacobian(model, data, q, tool, pin.LOCAL_WORLD_ALIGNED)
        return np.concatenate([v, pin.aba(model, data, q, v, J.T @ push(t))])

    return solve_ivp(rate, t[[0, -1]], [*q0, *np.zeros(n)], "DOP853", t, rtol=1e-12, atol=1e-13).y[:n].T


def test_wrenches_and_gravity_over_time_against_pinocchio():
    """Functions of time keep the order of the method, alone and in a batch; so do adaptive steps and Python."""
    robot = rne.load(models.urdf_path("ur5e"))
    q0, t = np.random.default_rng(0).uniform(-1, 1, (3, 6)), np.linspace(0, 0.4, 9)
    wanted = np.stack([by_pinocchio(q, t) for q in q0])
    more = {"t": t, "f_ext": {"tool0": push}, "gravity": swaying}
    errors = [np.abs(rne.simulate(robot, q0, **more, step=h).q - wanted).max() for h in (2e-3, 1e-3, 5e-4)]
    assert errors[0] < 1e-5
    assert errors[0] > 12 * errors[1] > 144 * errors[2]
    alone = rne.simulate(robot, q0[1], **more, step=5e-4)
    assert np.abs(alone.q - wanted[1]).max() <= errors[2]
    assert np.abs(rne.simulate(robot, q0[1], **more, method="adaptive").q - wanted[1]).max() < 1e-8
    python = rne.simulate(robot, q0, **more, step=5e-4, tau=lambda t, q, qd: np.zeros(6))
    np.testing.assert_allclose(python.q[1], alone.q, rtol=0, atol=1e-12)


def test_friction_keeps_its_order_under_functions_of_time():
    robot = rne.load(models.urdf_path("ur5e"))
    robot = robot.with_drives({name: rne.Drive(viscous=0.03) for name in robot.joint_names})
    q0, t = np.full(6, 0.3), np.linspace(0, 0.4, 5)
    more = {"t": t, "f_ext": {"tool0": push}, "gravity": swaying, "friction": True}
    wanted = rne.simulate(robot, q0, **more, method="adaptive").q
    errors = [np.abs(rne.simulate(robot, q0, **more, step=h).q - wanted).max() for h in (4e-3, 2e-3)]
    assert errors[0] < 1e-4
    assert errors[0] > 11 * errors[1]


@pytest.mark.parametrize("given", ["array", "signal", "function"])
def test_a_pendulum_on_an_accelerated_base(given):
    """On a base with the acceleration a, gravity is g - a: a pendulum about a tilted vertical, in closed form."""
    robot, a = rod(), np.array([4.0, 0.0, 0.0])
    effective = robot.gravity - a
    axis = 0.1
    values = np.stack([effective, effective])
    gravity = {
        "array": values,
        "signal": rne.Signal([0.0, 9.0], values),
        "function": lambda t: effective,
    }[given]
    q0 = [[axis], [axis]] if given == "array" else [axis]
    got = rne.simulate(robot, q0, t=np.linspace(0, 2, 81), gravity=gravity)
    q = (got.q[0] if given == "array" else got.q)[:, 0]
    # Torque -dP/dq = A cos(q - c) from the potential at two angles; the pendulum swings about its lowest point.
    zero, quarter = (rne.potential_energy(robot, [x], gravity=effective) for x in (0.0, np.pi / 2))
    lowest = np.arctan2(-quarter, -zero)
    inertia = rne.mass_matrix(robot, [0.0])[0, 0]
    omega = np.sqrt(np.hypot(zero, quarter) / inertia)
    k = np.sin((axis - lowest) / 2)
    sn, cn, dn, _ = ellipj(omega * got.t, k**2)
    np.testing.assert_allclose(q, lowest + 2 * np.arcsin(k * cn / dn), rtol=0, atol=1e-8)
    np.testing.assert_allclose(np.ptp(got.energy, axis=-1), 0.0, rtol=0, atol=1e-8)
    assert sn[0] == 0.0


def test_each_simulation_has_its_gravity():
    arm = own_robots.arm()
    gravity = np.array([[0.0, 0.0, -9.81], [1.0, 2.0, -9.0], [0.0, 0.0, 0.0]])
    q0, t = np.random.default_rng(1).uniform(-0.2, 0.2, (3, 6)), np.linspace(0, 0.3, 7)
    got = rne.simulate(arm, q0, t=t, gravity=gravity)
    for k in range(3):
        one = rne.simulate(arm, q0[k], t=t, gravity=gravity[k])
        np.testing.assert_allclose(got.q[k], one.q, rtol=0, atol=1e-11)
        np.testing.assert_allclose(got.energy[k], one.energy, rtol=0, atol=1e-10)
    assert (got.robot.gravity == arm.gravity).all()


def test_the_energy_follows_changing_gravity():
    """dE/dt is the rate of gravity times the moment of mass: E is found again from it by quadrature."""
    arm = own_robots.arm()
    t = np.linspace(0, 0.3, 301)
    got = rne.simulate(
        arm, np.full(6, 0.1), t=t, gravity=rne.Signal([0.0, 0.3], [[0, 0, -9.81], [3, 1, -8.0]], "linear")
    )
    rate = (np.array([3.0, 1.0, -8.0]) - [0, 0, -9.81]) / 0.3
    power = np.array([rne.potential_energy(arm, q, gravity=rate, springs=False) for q in got.q])
    work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * 1e-3)])
    np.testing.assert_allclose(got.energy - got.energy[0], work, rtol=0, atol=1e-4 * np.ptp(work))


def test_the_energy_drift_knows_logs_and_sampled_controllers():
    arm, t = own_robots.arm(), np.linspace(0, 0.2, 21)
    log = rne.Signal([0.0, 0.2], np.outer([1.0, -2.0], [1, 2, 3, 0.1, 0.1, 0.1]), interpolation="linear")
    motion = rne.simulate(arm, np.full(6, 0.1), t=t, tau=log)
    assert np.ptp(motion.energy) > 1e-2
    assert np.abs(rne.energy_drift(arm, motion, log)).max() < 1e-5
    sampled = rne.SampledController(lambda t, q, qd: np.array([1, 2, 3, 0.1, 0.1, 0.1]) - 0.01 * qd, rate=100.0)
    motion = rne.simulate(arm, np.full(6, 0.1), t=t, tau=sampled)
    assert np.ptp(motion.energy) > 1e-2
    assert np.abs(rne.energy_drift(arm, motion, sampled)).max() < 1e-7


def test_wrenches_of_a_batch():
    """One force for each simulation, as leading axes."""
    forces = np.arange(4.0)
    got = rne.simulate(free_slide(), np.zeros((4, 1)), t=[0.0, 0.5], f_ext={FRAME: np.stack([*map(along_z, forces)])})
    assert_near(got.q[:, 1, 0], forces / MASS * 0.5**2 / 2)
    signal = rne.Signal([0.0, 1.0], np.stack([np.stack([along_z(f)] * 2) for f in forces]))
    again = rne.simulate(free_slide(), [0.0], t=[0.0, 0.5], f_ext={FRAME: signal}, method="euler")
    assert again.q.shape == (4, 2, 1)
    assert_near(again.qd[:, 1, 0], forces / MASS * 0.5)


def test_progress_is_reported():
    told: list[float] = []
    rne.simulate(
        own_robots.arm(), np.zeros(6), t=np.linspace(0, 0.4, 41), tau=lambda t, q, qd: np.zeros(6), progress=told.append
    )
    assert told[-1] == 1.0
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"f_ext": [1.0]}, "f_ext: wanted a mapping from frame name to wrench, got list"),
        ({"f_ext": {"nowhere": along_z(1.0)}}, "f_ext: no frame 'nowhere'|f_ext: .*nowhere"),
        ({"f_ext": {FRAME: [1.0, 2.0]}}, r"f_ext\['.*'\]: wanted shape \(..., 6\), got \(2,\)"),
        ({"f_ext": {FRAME: rne.Signal([0.0], [[1.0]])}}, r"f_ext\['.*'\]: wanted a Signal of width 6, got 1"),
        ({"f_ext": {FRAME: lambda t: [t]}}, r"f_ext\['.*'\]: wanted \(..., 6\) of the function, got \(1,\)"),
        ({"f_ext": {FRAME: lambda t: along_z(np.nan)}}, r"f_ext\['.*'\]: wanted finite numbers of the function"),
        ({"f_ext": {FRAME: (along_z(1.0), "tool")}}, r"f_ext\['.*'\]: wanted the axes 'world' or 'local'"),
        ({"gravity": [1.0, 2.0]}, r"gravity: wanted shape \(..., 3\), got \(2,\)"),
        ({"gravity": np.zeros((4, 3)), "q0": np.zeros((3, 1))}, r"gravity: leading axes \(4,\) do not broadcast"),
        ({"tau": rne.Signal([0.0], [[1.0, 2.0]])}, "tau: wanted a Signal of width 1, one column per joint, got 2"),
        ({"progress": 3}, "progress: wanted a function, got int"),
    ],
)
def test_what_is_refused(change, said):
    with pytest.raises(rne.RneError, match=said):
        rne.simulate(free_slide(), **{"q0": [0.0], "t": [0.0, 0.1], **change})
