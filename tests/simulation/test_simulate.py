"""Simulated motion: closed forms, conservation laws, orders of convergence, and other people's integrators."""

from __future__ import annotations

import models_at_hand as models
import numpy as np
import oracles
import pinocchio as pin
import pytest
import reference as ref
import strategies
from checks import assert_near, random_states
from hypothesis import given, settings
from own_robots import rod, slide
from scipy.integrate import simpson, solve_ivp
from scipy.special import ellipk

import rne

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")

MS = 1e-3


def times(end: float, step: float = MS) -> np.ndarray:
    return np.linspace(0.0, end, round(end / step) + 1)


def double_pendulum() -> rne.Robot:
    return rne.load(models.MODELS / "planar2" / "robot.dh.toml")


def panda() -> rne.Robot:
    return rne.load(models.urdf_path("panda"), lock={"panda_finger_joint1": 0.0})


# ------------------------------------------------------------------------------------------------- closed forms


@pytest.mark.parametrize(("method", "rtol"), [("rk4", 1e-11), ("adaptive", 1e-9)])
def test_a_damped_mass_on_a_spring(method, rtol):
    m, k, c, rest, x0, v0, g = 2.0, 50.0, 3.0, 0.2, 0.5, -0.3, 9.81
    got = rne.simulate(slide(stiffness=k, viscous=c, rest=rest), [x0], [v0], times(2.0), method=method, friction=True)
    at_rest, decay = rest + m * g / k, c / (2 * m)
    omega = np.sqrt(k / m - decay**2)
    a, b = x0 - at_rest, (v0 + decay * (x0 - at_rest)) / omega
    t, cos, sin = got.t, np.cos(omega * got.t), np.sin(omega * got.t)
    x = at_rest + np.exp(-decay * t) * (a * cos + b * sin)
    v = np.exp(-decay * t) * ((b * omega - a * decay) * cos - (a * omega + b * decay) * sin)
    assert_near(got.q[:, 0], x, rtol)
    assert_near(got.qd[:, 0], v, 10 * rtol)
    assert_near(got.energy, m * v**2 / 2 - m * g * x + k * (x - rest) ** 2 / 2, 10 * rtol)


def test_without_friction_the_damper_is_idle():
    got = rne.simulate(slide(stiffness=50.0, viscous=3.0), [0.5], t=times(2.0))
    assert_near(got.energy, np.full(len(got.t), got.energy[0]), 1e-10)


@pytest.mark.parametrize("amplitude", [0.1, 1.5, 3.0])
def test_a_pendulum_keeps_its_period(amplitude):
    """A rod swings back and forth in 4 K(sin(q0 / 2)) sqrt(I / (m g l))."""
    period = 4 * ellipk(np.sin(amplitude / 2) ** 2) * np.sqrt((2.0 / 3) / (2.0 * 9.81 * 0.5))
    got = rne.simulate(rod(), [amplitude], t=period * np.array([0.0, 0.25, 0.5, 1.0]), step=MS)
    assert_near(got.q[:, 0], [amplitude, 0.0, -amplitude, amplitude], 1e-9)
    assert_near(got.qd[[0, 2, 3], 0], [0.0, 0.0, 0.0], 1e-8)


@pytest.mark.parametrize("method", ["rk4", "euler", "adaptive"])
def test_a_constant_force_on_a_free_mass(method):
    got = rne.simulate(
        slide(), [1.0], [2.0], times(1.0, 0.1), tau=[3.0], gravity=[0.0, 0.0, 4.0], method=method, step=1.0
    )
    acceleration, h = (3.0 + 2.0 * 4.0) / 2.0, 0.1 if method == "euler" else 0.0
    assert_near(got.qd[:, 0], 2.0 + acceleration * got.t)
    assert_near(got.q[:, 0], 1.0 + 2.0 * got.t + acceleration * got.t * (got.t + h) / 2)
    assert_near(got.energy, got.qd[:, 0] ** 2 - 2.0 * 4.0 * got.q[:, 0])


# ------------------------------------------------------------------------------------------ conservation, work


@pytest.mark.parametrize("q0", [[-0.5, 0.3], [-1.2, -0.8]])
def test_a_double_pendulum_keeps_its_energy(q0):
    arm = double_pendulum()
    got = rne.simulate(arm, q0, t=times(10.0))
    assert np.ptp(rne.kinetic_energy(arm, got.q, got.qd)) > 1.0, "it swings"
    assert np.ptp(got.energy) < 1e-8 * abs(got.energy[0])


def test_semi_implicit_euler_keeps_the_energy_in_bounds():
    """Over a hundred swings the error comes and goes, but does not grow; that of explicit Euler would."""
    got = rne.simulate(rod(), [1.0], t=times(150.0, 0.01), method="euler")
    error = np.abs(got.energy - got.energy[0])
    assert 1e-3 < error[:300].max() < 0.5
    assert error[-300:].max() < 1.01 * error[:300].max()


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
def test_what_friction_takes_is_missing(method):
    """Energy lost is the integral of friction torque times velocity; Coulomb friction, too, while nothing turns."""
    drive = rne.model.tree.Drive(1e-4, 50.0, viscous=0.3, coulomb_plus=0.2, coulomb_minus=0.9)
    arm = double_pendulum().with_drives({"shoulder": drive, "elbow": rne.model.tree.Drive(viscous=0.1)})
    got = rne.simulate(arm, [0.0, 0.0], t=times(0.6), friction=True, method=method)
    assert (got.qd[1:, 0] < 0).all()
    power = (rne.friction_torque(arm, got.qd) * got.qd).sum(axis=1)
    lost = simpson(power, x=got.t)
    assert lost > 0.3
    assert_near(got.energy[0] - got.energy[-1], lost, 1e-4 * MS)


def test_what_a_motor_does_is_stored():
    arm = panda()
    push = np.array([3.0, -8.0, 2.0, 5.0, 0.5, -0.4, 0.2])
    got = rne.simulate(arm, np.zeros(7), t=times(0.5), tau=push, gravity=[0.3, -1.0, -5.0])
    assert_near(got.energy - got.energy[0], (got.q - got.q[0]) @ push, 1e-8)
    assert_near(got.energy[0], rne.potential_energy(arm, got.q[0], gravity=[0.3, -1.0, -5.0]))


# ------------------------------------------------------------------------------------------------------- orders


@pytest.mark.parametrize(("method", "order", "step"), [("rk4", 4, 0.002), ("euler", 1, 0.001)])
def test_halving_the_step_shows_the_order(method, order, step):
    """Of the error over many motions; a single one may be luckier."""
    arm, (q0, qd0, _) = double_pendulum(), random_states(2, 50)
    exact = rne.simulate(arm, q0, qd0, [0.0, 0.5], step=2.5e-5).q[:, 1]
    runs = [rne.simulate(arm, q0, qd0, [0.0, 0.5], method=method, step=step / 2**k).q[:, 1] for k in range(4)]
    errors = np.array([np.linalg.norm(q - exact) for q in runs])
    assert 1e-12 < errors[-1] < errors[0] < 0.1
    np.testing.assert_allclose(np.log2(errors[:-1] / errors[1:]), order, atol=0.15)


def test_a_step_is_the_longest_allowed():
    """Uneven times are met by whole steps: 0.25 s in four of at most 0.07, 0.1 s in two, 0.05 s in one."""
    arm, q0, qd0 = double_pendulum(), [0.3, 0.5], [1.0, -0.5]
    got = rne.simulate(arm, q0, qd0, [1.0, 1.25, 1.35, 1.4], step=0.07)
    fine = rne.simulate(arm, q0, qd0, [1.0, 1.0625, 1.125, 1.1875, 1.25, 1.3, 1.35, 1.4], step=1.0)
    np.testing.assert_allclose(got.q, fine.q[[0, 4, 6, 7]], rtol=0, atol=1e-14)
    end = 3 * 0.1
    assert end / 0.1 > 3.0, "by rounding; it is three steps, not four"
    assert np.array_equal(*(rne.simulate(arm, q0, qd0, [0.0, end], step=step).q for step in (0.1, 0.11)))
    for method in ("rk4", "euler"):
        one = rne.simulate(arm, q0, qd0, [0.0, 0.1], step=np.inf, method=method)
        assert np.array_equal(one.q, rne.simulate(arm, q0, qd0, [0.0, 0.1], step=0.1, method=method).q)


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_a_step_is_a_millisecond_unless_asked_otherwise(method):
    """Two times far apart are no wide step: the unasked-for one would give thousands of joules."""
    arm, q0 = double_pendulum(), [0.3, 0.5]
    got, fine = rne.simulate(arm, q0, method=method), rne.simulate(arm, q0, t=times(1.0, 1e-3), method=method)
    assert np.array_equal(got.t, [0.0, 1.0])
    np.testing.assert_allclose(got.q[1], fine.q[-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(got.energy[1], got.energy[0], rtol=0, atol=1e-8 if method == "rk4" else 0.5)


# ------------------------------------------------------------------------------------------------ other opinions


def pinocchio_panda(arm: rne.Robot) -> tuple[pin.Model, pin.Data]:
    full = models.urdf_model(models.urdf_path("panda"))
    fingers = [full.getJointId(name) for name in full.names[1:] if name not in arm.joint_names]
    model = pin.buildReducedModel(full, fingers, pin.neutral(full))
    assert tuple(model.names[1:]) == arm.joint_names
    return model, model.createData()


def test_runge_kutta_and_scipy_on_pinocchio_agree():
    arm = panda()
    model, data = pinocchio_panda(arm)
    (q0, qd0, _), push = random_states(7, seed=3), np.array([3.0, -8.0, 2.0, 5.0, 0.5, -0.4, 0.2])

    def rate(t, y):
        return np.concatenate([y[7:], pin.aba(model, data, y[:7], y[7:], push)])

    t = np.array([0.0, 0.05, 0.2, 0.5])
    exact = solve_ivp(rate, (0.0, 0.5), [*q0, *qd0], "DOP853", rtol=1e-12, atol=1e-12, t_eval=t).y
    for options, rtol in (({"step": 1e-4}, 1e-9), ({"method": "adaptive"}, 1e-8)):
        got = rne.simulate(arm, q0, qd0, t, tau=push, **options)
        assert_near(got.q, exact[:7].T, rtol)
        assert_near(got.qd, exact[7:].T, 10 * rtol)


@pytest.mark.parametrize("name", ["panda", "ur5e"])
def test_a_step_is_that_of_the_textbook_on_pinocchio(name):
    """Four stages weighted 1, 2, 2, 1; to rounding, fingers that mimic included."""
    arm, path = rne.load(models.urdf_path(name)), models.urdf_path(name)
    pm, names, n = oracles.pin_model(path), arm.joint_names, arm.n
    q, qd, h = *random_states(n, seed=5)[:2], 0.01

    def acceleration(q, qd):
        M, zero = oracles.pin_mass_matrix(pm, names, q), np.zeros(n)
        return np.linalg.solve(M, -oracles.pin_inverse_dynamics(pm, names, q, qd, zero))

    a1 = acceleration(q, qd)
    a2 = acceleration(q + h / 2 * qd, qd + h / 2 * a1)
    a3 = acceleration(q + h / 2 * qd + h**2 / 4 * a1, qd + h / 2 * a2)
    a4 = acceleration(q + h * qd + h**2 / 2 * a2, qd + h * a3)
    got = rne.simulate(arm, q, qd, [0.0, h], step=h)
    assert_near(got.q[1], q + h * qd + h**2 / 6 * (a1 + a2 + a3), 1e-11)
    assert_near(got.qd[1], qd + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4), 1e-10)
    got = rne.simulate(arm, q, qd, [0.0, h], step=h, method="euler")
    assert_near(got.qd[1], qd + h * a1, 1e-10)
    assert_near(got.q[1], q + h * (qd + h * a1), 1e-11)


@settings(max_examples=15)
@given(strategies.robots(max_joints=5, massless=0.0, one_sided=True))
def test_random_robots_move_as_the_twin_says(robot):
    tree, q, qd, tau = robot
    mine, h, y = rne.Robot(tree), 0.01, np.concatenate([q, qd])
    n = len(q)

    def rate(y):
        return np.concatenate([y[n:], ref.forward_dynamics(tree, y[:n], y[n:], tau)])

    k1 = rate(y)
    k2 = rate(y + h / 2 * k1)
    k3 = rate(y + h / 2 * k2)
    wanted = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + h * k3))
    got = rne.simulate(mine, q, qd, [0.0, h], tau=tau, step=h)
    assert_near(np.concatenate([got.q[1], got.qd[1]]), wanted, 1e-9)
    euler = rne.simulate(mine, q, qd, [0.0, h], tau=tau, step=h, method="euler")
    assert_near(euler.qd[1], qd + h * k1[n:], 1e-9)


@settings(max_examples=15)
@given(strategies.robots(max_joints=5, massless=0.0, one_sided=True))
def test_random_robots_rub_as_the_twin_says(robot):
    """A step of first order: with the velocity at its end, every joint obeys the law of dry friction."""
    tree, q, qd, tau = robot
    mine, h = rne.Robot(tree), 0.01
    M, zero, size = ref.mass_matrix(tree, q), np.zeros(len(q)), len(q)
    # Friction at plus and minus one tells damping and dry friction of the twin.
    each = [ref.friction_torque(tree, s * row) for row in np.eye(size) for s in (1.0, 2.0, -1.0)]
    one, two, back = np.array(each).reshape(size, 3, size).transpose(1, 0, 2)
    D = (two - one).T
    plus, minus = (one - D.T).diagonal(), -(back + D.T).diagonal()
    got = rne.simulate(mine, q, qd, [0.0, h], tau=tau, friction=True, step=h, method="euler")
    v = got.qd[1]
    force = (M + h * D) @ v - M @ qd - h * (tau - ref.inverse_dynamics(tree, q, qd, zero))
    slack = 1e-9 * max(1.0, np.abs(M @ v).max(), h * np.abs(tau).max(), h * plus.max(), h * minus.max())
    for j in range(size):
        low = -h * plus[j] if v[j] >= 0 else h * minus[j]
        high = h * minus[j] if v[j] <= 0 else -h * plus[j]
        assert low - slack <= force[j] <= high + slack
    assert_near(got.q[1], q + h * v, 1e-12)
