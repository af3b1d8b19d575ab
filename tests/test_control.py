"""Controlled motion against closed forms, scipy's integration of equations written by hand, and Pinocchio's torques."""

from __future__ import annotations

import models_at_hand as models
import numpy as np
import own_robots
import pinocchio as pin
import pytest
from checks import assert_near, random_states
from scipy.integrate import simpson, solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

import rne
from rne import control

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")

PLANAR = rne.load(models.MODELS / "planar2" / "robot.dh.toml")
PANDA = rne.load(models.urdf_path("panda"), lock={"panda_finger_joint1": 0.0})
IIWA = rne.load(models.urdf_path("iiwa14"))
T = np.linspace(0.0, 1.0, 101)

# The rod of `own_robots`: moment of inertia about the joint, and weight times distance.
INERTIA, WEIGHT = 2.0 / 3, 2.0 * 9.81 * 0.5


def sine(n: int, t: np.ndarray = T) -> tuple[np.ndarray, ...]:
    """Samples of a path that never rests."""
    phase = 0.4 * np.arange(n)
    angle = 3.0 * t[:, None] + phase
    return t, 0.5 * np.sin(angle), 1.5 * np.cos(angle), -4.5 * np.sin(angle)


# ------------------------------------------------------------------------------------------------- linear errors


@pytest.mark.parametrize("robot", [PLANAR, own_robots.arm(), own_robots.gripper(), PANDA], ids=lambda robot: robot.name)
@pytest.mark.parametrize("ki", [0.0, 200.0])
def test_computed_torque_makes_the_error_linear(robot, ki):
    """Its differential equation has constant coefficients: the solution is a matrix exponential, for each joint."""
    n, h = robot.n, T[1]
    kp, kd = np.linspace(60.0, 100.0, n), np.linspace(8.0, 20.0, n)
    path = sine(n)
    e0, v0 = 0.02 * np.linspace(-1.0, 1.0, n), 0.1 * np.linspace(1.0, -0.5, n)
    law = control.computed_torque(robot, kp=kp, kd=kd, ki=ki, path=path, friction=True)
    got = rne.simulate(robot, path[1][0] - e0, path[2][0] - v0, T, tau=law, friction=True, step=2e-3)
    for j in range(n):
        rate = expm(h * np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-ki, -kp[j], -kd[j]]]))
        state = np.array([0.0, e0[j], v0[j]])
        for k in range(len(T)):
            np.testing.assert_allclose([got.error[k, j], got.error_rate[k, j]], state[1:], rtol=0, atol=1e-8)
            state = rate @ state


def test_a_critically_damped_error():
    """e0 (1 + w t) exp(-w t), and what the table says of it."""
    e0, w = np.array([0.5, -0.2]), 10.0
    t = np.linspace(0.0, 2.0, 2001)
    law = control.computed_torque(PLANAR, kp=w**2, kd=2 * w, goal=e0)
    got = rne.simulate(PLANAR, [0.0, 0.0], t=t, tau=law)
    assert_near(got.error, np.outer((1 + w * t) * np.exp(-w * t), e0), 1e-10)
    found = got.tracking()
    assert_near(found.peak, np.abs(e0))
    assert_near(found.peak_time, [0.0, 0.0])
    square = 5 / (4 * w) / 2.0  # of e / e0, integrated to infinity, over the two seconds
    assert_near(found.rms, np.abs(e0) * np.sqrt(square), 1e-6)
    assert_near(found.final, e0 * (1 + 2 * w) * np.exp(-2 * w), 1e-10)
    settled = brentq(lambda t: (1 + w * t) * np.exp(-w * t) - 0.02, 0.0, 2.0)
    assert ((found.settling_time >= settled) & (found.settling_time < settled + 1e-3)).all()
    assert got.tracking(band=1e-12).settling_time.tolist() == [np.inf, np.inf]
    assert_near(found.peak_torque, np.abs(got.tau).max(axis=0), 0)


# ------------------------------------------------------------------------------- one joint, equations written by hand

KP, KI, KD = 40.0, 60.0, 9.0


def by_hand(torque, q0: float, t: np.ndarray = T, inertia: float = INERTIA, weight: float = WEIGHT) -> np.ndarray:
    """Positions of the rod under torque(t, q, qd, integral) -> (tau, rate of the integral)."""

    def rate(t, y):
        tau, e = torque(t, *y)
        return [y[1], (tau - weight * np.sin(y[0])) / inertia, e]

    return solve_ivp(rate, (t[0], t[-1]), [q0, 0.0, 0.0], "DOP853", t, rtol=1e-12, atol=1e-13, max_step=0.01).y[0]


def reference(t: float) -> tuple[float, float, float]:
    return 0.5 * np.sin(3 * t), 1.5 * np.cos(3 * t), -4.5 * np.sin(3 * t)


MODEL = own_robots.rod().with_payload(0.5, frame="link1")  # a model that is wrong: a point of 0.5 kg at the tip
MODEL_INERTIA, MODEL_WEIGHT = INERTIA + 0.5, WEIGHT + 0.5 * 9.81


def feedback(t: float, q: float, qd: float, integral: float) -> float:
    r, rd, _ = reference(t)
    return KP * (r - q) + KD * (rd - qd) + KI * integral


LAWS = {
    "pid": (lambda **o: control.pid(MODEL, **o), lambda t, q, u: u),
    "pd_gravity": (lambda **o: control.pd_gravity(MODEL, **o), lambda t, q, u: u + MODEL_WEIGHT * np.sin(q)),
    "feedforward": (
        lambda **o: control.feedforward(MODEL, **o),
        lambda t, q, u: u + MODEL_INERTIA * reference(t)[2] + MODEL_WEIGHT * np.sin(reference(t)[0]),
    ),
    "computed_torque": (
        lambda **o: control.computed_torque(MODEL, **o),
        lambda t, q, u: MODEL_INERTIA * (reference(t)[2] + u) + MODEL_WEIGHT * np.sin(q),
    ),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("method", "accuracy"), [("rk4", 1e-9), ("adaptive", 1e-8), ("euler", 3e-3)])
def test_every_law_with_a_wrong_model(law, method, accuracy):
    make, torque = LAWS[law]
    path = sine(1)
    wanted = by_hand(lambda t, q, qd, x: (torque(t, q, feedback(t, q, qd, x)), reference(t)[0] - q), 0.3)
    got = rne.simulate(own_robots.rod(), [0.3], t=T, tau=make(kp=KP, ki=KI, kd=KD, path=path), method=method)
    assert_near(got.q[:, 0], wanted, accuracy)
    assert_near(got.q_ref, path[1])
    assert_near(got.qd_ref, path[2])


def test_the_integral_keeps_the_order_of_the_method():
    """A sixteenth of the error with half the step: the integral is a state like the others."""
    wanted = by_hand(lambda t, q, qd, x: (KP * (0.5 - q) - KD * qd + KI * x, 0.5 - q), 0.3)
    law = control.pid(own_robots.rod(), kp=KP, ki=KI, kd=KD, goal=[0.5])
    motions = [rne.simulate(own_robots.rod(), [0.3], t=T[::10], tau=law, step=h) for h in (0.05, 0.025, 0.0125)]
    coarse, middle, fine = (np.abs(motion.q[:, 0] - wanted[::10]).max() for motion in motions)
    assert 10 < coarse / middle < 26
    assert 12 < middle / fine < 21


def test_feedback_of_the_measured_velocity():
    wanted = by_hand(lambda t, q, qd, x: (feedback(t, q, qd, x) - KD * reference(t)[1], reference(t)[0] - q), 0.3)
    law = control.pid(own_robots.rod(), kp=KP, ki=KI, kd=KD, path=sine(1), derivative="measurement")
    assert_near(rne.simulate(own_robots.rod(), [0.3], t=T, tau=law).q[:, 0], wanted, 1e-9)


def test_where_a_joint_comes_to_rest():
    """Feedback alone gives in to the weight; the integral, or knowing the weight, holds it."""
    rod, goal, t = own_robots.rod(), 1.0, np.array([0.0, 30.0])
    sags = rne.simulate(rod, [0.5], t=t, tau=control.pid(rod, kp=KP, kd=KD, goal=[goal]))
    assert_near(sags.error[-1], [goal - brentq(lambda q: KP * (goal - q) - WEIGHT * np.sin(q), 0.0, goal)], 1e-9)
    assert_near(sags.error[-1], WEIGHT * np.sin(sags.q[-1]) / KP, 1e-9)
    for law in control.pid(rod, kp=KP, ki=KI, kd=KD, goal=[goal]), control.pd_gravity(rod, kp=KP, kd=KD, goal=[goal]):
        held = rne.simulate(rod, [0.5], t=t, tau=law)
        assert_near(held.error[-1], [0.0], 1e-9)
        assert_near(held.tau[-1], [WEIGHT * np.sin(goal)], 1e-8)
    heavier = rne.simulate(rod, [0.5], t=t, tau=control.pd_gravity(MODEL, kp=KP, kd=KD, goal=[goal]))
    assert_near(heavier.error[-1], (WEIGHT - MODEL_WEIGHT) * np.sin(heavier.q[-1]) / KP, 1e-9)


def test_a_spring_in_the_joint_belongs_to_the_model():
    law = control.pd_gravity(own_robots.rod(stiffness=30.0, rest=0.2), kp=KP, kd=KD, goal=[1.0])
    held = rne.simulate(own_robots.rod(stiffness=30.0, rest=0.2), [0.5], t=[0.0, 30.0], tau=law)
    assert_near(held.tau[-1], [WEIGHT * np.sin(1.0) + 30.0 * (1.0 - 0.2)], 1e-8)


# ------------------------------------------------------------------------------------------------------- limits


def pushed(effort: float) -> rne.Robot:
    """A mass of 2 kg on a level rail, with a motor of that force."""
    row = {"joint": "prismatic", "mass": 2.0} | ({"effort": effort} if np.isfinite(effort) else {})
    return rne.from_dh([row], convention="modified", gravity=[0.0, 0.0, 0.0])


def test_torques_end_at_the_limit_and_the_integral_waits():
    robot, goal, t = pushed(3.0), 1.0, np.linspace(0.0, 6.0, 601)

    def clipped(winding):
        def rate(t, y):
            e = goal - y[0]
            force = 20.0 * e + 10.0 * y[2] - 8.0 * y[1]
            stop = abs(force) > 3.0 and force * e > 0 and not winding
            return [y[1], np.clip(force, -3.0, 3.0) / 2.0, 0.0 if stop else e]

        return solve_ivp(rate, (0.0, 6.0), [0.0, 0.0, 0.0], "RK45", t, rtol=1e-8, atol=1e-9, max_step=1e-3).y[0]

    gains = {"kp": 20.0, "ki": 10.0, "kd": 8.0, "goal": [goal]}
    got = rne.simulate(robot, [0.0], t=t, tau=control.pid(robot, **gains, saturate=True), step=1e-4)
    assert_near(got.q[:, 0], clipped(winding=False), 1e-5)
    assert np.abs(got.tau).max() == 3.0
    assert (np.abs(got.tau) == 3.0).sum() > 20
    overshoot = [q.max() - goal for q in (got.q, clipped(winding=True))]
    assert 0 < overshoot[0] < 0.5 * overshoot[1]
    free = rne.simulate(robot, [0.0], t=t, tau=control.pid(robot, **gains))
    assert np.abs(free.tau).max() == 20.0
    unlimited = control.pid(pushed(np.inf), **gains, saturate=True)
    assert_near(rne.simulate(robot, [0.0], t=t, tau=unlimited).q, free.q, 0)


def test_every_joint_has_its_own_limit():
    law = control.computed_torque(PANDA, kp=2000.0, kd=80.0, goal=np.full(7, 0.8), saturate=True)
    got = rne.simulate(PANDA, np.zeros((3, 7)), random_states(7, 3)[1], np.linspace(0.0, 0.3, 31), tau=law)
    assert (np.abs(got.tau) <= PANDA.effort_limit).all()
    assert (np.abs(got.tau) == PANDA.effort_limit).any(axis=(0, 1)).sum() > 3
    assert "87" in str(got.tracking())


# ------------------------------------------------------------------------------------------- torques by Pinocchio


@pytest.mark.parametrize("samples", [1, 5])
@pytest.mark.parametrize("law", ["pid", "pd_gravity", "feedforward", "computed_torque"])
def test_torques_of_an_arm_are_those_of_pinocchio(law, samples):
    """At every time of the motion, from its own states, with a payload that the model does not know."""
    model = models.urdf_model(models.urdf_path("iiwa14"))
    data, path, n, rest = model.createData(), sine(7), 7, np.zeros(7)
    kp, kd = np.linspace(20.0, 50.0, n), np.linspace(4.0, 9.0, n)

    def wanted(q, qd, r, rd, rdd):
        u = kp * (r - q) + kd * (rd - qd)
        if law == "pd_gravity":
            return u + pin.rnea(model, data, q, rest, rest)
        if law == "feedforward":
            return u + pin.rnea(model, data, r, rd, rdd)
        return pin.rnea(model, data, q, qd, rdd + u) if law == "computed_torque" else u

    robot = IIWA.with_payload(2.0, com=[0.0, 0.05, 0.1])
    q0, qd0, _ = (0.2 * x for x in random_states(n, samples))
    # The last joints are light: without short steps their damping runs away.
    got = rne.simulate(robot, q0, qd0, T[:21], tau=getattr(control, law)(IIWA, kp=kp, kd=kd, path=path), step=5e-5)
    assert np.isfinite(got.q).all()
    for s in range(samples):
        for k in range(0, 21, 4):
            assert_near(got.tau[s, k], wanted(got.q[s, k], got.qd[s, k], *(x[k] for x in path[1:])), 1e-12)


def test_feed_forward_of_the_true_model_leaves_nothing_to_the_feedback():
    t = np.linspace(0.0, 1.5, 16)
    path = (t, *rne.quintic([0.2, -0.5], [1.4, 0.9], t, duration=1.5))
    law = control.feedforward(PLANAR, kp=50.0, kd=10.0, path=path)
    got = rne.simulate(PLANAR, [0.2, -0.5], t=t, tau=law)
    assert got.tracking().peak.max() < 1e-10
    assert_near(got.tau, rne.inverse_dynamics(PLANAR, *path[1:]), 1e-8)
    loaded = rne.simulate(PLANAR.with_payload(0.3), [0.2, -0.5], t=t, tau=law)
    assert loaded.tracking().peak.max() > 1e-2


# ---------------------------------------------------------------------------------------------------- energy


def test_gravity_compensation_only_takes_energy():
    """Takegaki and Arimoto: kinetic energy and that of the gains, taken as springs, fall by the work of the damping."""
    goal = 0.3 * np.arange(7)
    inertia = np.diag(rne.mass_matrix(IIWA, goal))
    kp, kd = 100.0 * inertia, 3.0 * inertia
    q0, qd0, _ = (0.3 * x for x in random_states(7, 4))
    t = np.linspace(0.0, 1.0, 1001)
    got = rne.simulate(IIWA, q0, qd0, t, tau=control.pd_gravity(IIWA, kp=kp, kd=kd, goal=goal))
    V = rne.kinetic_energy(IIWA, got.q, got.qd) + 0.5 * (kp * got.error**2).sum(axis=-1)
    assert (np.diff(V, axis=1) < 0).all()
    assert_near(V[:, 0] - V[:, -1], simpson((kd * got.qd**2).sum(axis=-1), x=t), 1e-6)


@pytest.mark.parametrize("kind", ["law", "compiled", "plain", "held"])
@pytest.mark.parametrize("method", ["rk4", "adaptive"])
def test_the_torques_reported_are_those_that_do_the_work(kind, method):
    import numba

    @numba.njit
    def compiled(t, q, qd, tau):
        for j in range(len(q)):
            tau[j] = -3.0 * q[j] - np.sin(t)

    tau = {
        "law": control.pid(PLANAR, kp=30.0, kd=3.0, goal=[0.5, 0.1]),
        "compiled": compiled,
        "plain": lambda t, q, qd: -3.0 * q - np.sin(t),
        "held": [2.0, -1.0],
    }[kind]
    t = np.linspace(0.0, 0.5, 501)
    got = rne.simulate(PLANAR, [0.1, 0.2], t=t, tau=tau, method=method)
    work = simpson((got.tau * got.qd).sum(axis=-1), x=t)
    assert_near(got.energy[-1] - got.energy[0], work, 1e-8)
