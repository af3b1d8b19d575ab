"""Joint stops, rigid and soft, and limits that were passed."""

from __future__ import annotations

import numpy as np
import own_robots
import pytest
from checks import assert_near
from scipy.integrate import solve_ivp

import rne

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")

G = 9.81


def ball(lower: float = 0.0, upper: float = np.inf, **drive: float) -> rne.Robot:
    """A mass of 2 kg above a floor."""
    row = {"joint": "prismatic", "mass": 2.0, "lower": lower, **drive}
    if np.isfinite(upper):
        row["upper"] = upper
    return rne.from_dh([row], convention="modified", gravity=[0.0, 0.0, -G])


def bounces(height: float, e: float, t: float) -> float:
    """Height of a ball after a time: parabolas, each e times as fast as the one before."""
    fall = np.sqrt(2 * height / G)
    if t < fall:
        return height - G * t**2 / 2
    t, v = t - fall, e * G * fall
    while v > 1e-9 and t > 2 * v / G:
        t, v = t - 2 * v / G, e * v
    return v * t - G * t**2 / 2 if v > 1e-9 else 0.0


@pytest.mark.parametrize("e", [1.0, 0.7, 0.5])
def test_a_bouncing_ball(e):
    t = np.linspace(0.0, 1.4, 141)
    free = rne.simulate(ball(), [1.0], t=t, stops={"restitution": e}, method="adaptive")
    np.testing.assert_allclose(free.q[:, 0], [bounces(1.0, e, x) for x in t], rtol=0, atol=1e-12)
    t = np.linspace(0.0, 1.4, 141)
    got = rne.simulate(ball(), [1.0], t=t, stops={"restitution": e})
    np.testing.assert_allclose(got.q[:, 0], [bounces(1.0, e, x) for x in t], rtol=0, atol=1e-10)
    coarse = rne.simulate(ball(), [1.0], t=t[::70], stops={"restitution": e}, step=0.05)
    np.testing.assert_allclose(coarse.q[:, 0], got.q[::70, 0], rtol=0, atol=1e-10)
    euler = rne.simulate(ball(), [1.0], t=t[:80], stops={"restitution": e}, method="euler", step=1e-4)
    np.testing.assert_allclose(euler.q[:, 0], got.q[:80, 0], rtol=0, atol=5e-3)


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
def test_infinitely_many_bounces_end_at_rest(method):
    """With e = 1/2 all bounces take three times the first fall: sqrt(2 h / g) (1 + e) / (1 - e)."""
    end = 3 * np.sqrt(2 / G)
    got = rne.simulate(ball(), [1.0], t=[0.0, end - 0.01, end + 1e-3, 3.0], stops={"restitution": 0.5}, method=method)
    assert got.q[1, 0] > 0.0
    assert got.q[2:, 0].tolist() == [0.0, 0.0]
    assert got.qd[2:, 0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("method", ["rk4", "euler", "adaptive"])
def test_a_joint_at_a_stop_is_pressed_against_it_and_can_leave(method):
    robot = ball(lower=-0.5, upper=0.5)
    lift = np.concatenate([np.full((5, 1), 30.0), np.full((15, 1), 0.0)])
    got = rne.simulate(robot, [0.45], t=np.linspace(0, 2, 21), tau=lift, stops={"restitution": 0.0}, method=method)
    assert got.q[4:6, 0].tolist() == [0.5, 0.5]
    assert got.qd[4:6, 0].tolist() == [0.0, 0.0]
    assert got.q[8, 0] < 0.5
    assert got.q[-1, 0] == -0.5
    assert not got.limits


def test_a_rebound_pushes_the_other_joints():
    """By momentum: the impulse at the elbow changes the velocities by M^-1 e2 p, so that the elbow turns back."""
    rows = [
        {"joint": "revolute", "a": 1.0, "mass": 1.0},
        {"joint": "revolute", "a": 1.0, "mass": 1.0, "lower": -1.0, "upper": 1.0},
    ]
    arm = rne.from_dh(rows, convention="standard", gravity=[0, 0, 0])
    step, e = 1e-6, 0.6
    before = rne.simulate(arm, [0.0, 0.999], [0.3, 1.0], [0.0, 1e-3], step=step)
    hit = int(np.ceil(1e3 * 0.001))
    assert hit == 1
    got = rne.simulate(arm, [0.0, 1.0 - 1e-12], [0.3, 1.0], [0.0, 1e-9], stops={"restitution": e}, step=1e-9)
    inverse = np.linalg.inv(rne.mass_matrix(arm, [0.0, 1.0]))
    p = -(1 + e) * 1.0 / inverse[1, 1]
    assert_near(got.qd[1], np.array([0.3, 1.0]) + inverse[:, 1] * p, 1e-6)
    assert before.qd[1, 1] > 0.0


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_rigid_stops_never_give_energy(e):
    arm = own_robots.arm()
    rng = np.random.default_rng(0)
    q0, qd0 = rng.uniform(-0.2, 0.2, (10, 6)), 3 * rng.normal(size=(10, 6))
    got = rne.simulate(arm, q0, qd0, np.linspace(0, 1, 501), stops={"restitution": e}, step=2.5e-4)
    low, high = arm.lower_limit, arm.upper_limit
    assert (got.q >= low - 1e-9).all()
    assert (got.q <= high + 1e-9).all()
    free = rne.simulate(arm, q0, qd0, np.linspace(0, 1, 501))
    assert (free.limits.excess[:, :2] > 0).any(axis=(1, 2)).mean() > 0.5, "without stops it passes them"
    scale = np.abs(got.energy).max()
    assert np.diff(got.energy, axis=1).max() < 1e-6 * scale
    if e == 1.0:
        assert np.ptp(got.energy, axis=1).max() < 1e-4 * scale


@pytest.mark.parametrize(("damping", "atol"), [(0.0, 1e-8), (40.0, 1e-8)])
def test_a_soft_stop_is_a_spring_that_never_pulls(damping, atol):
    """Against scipy, with the force max(0, k x + d v) below the floor."""
    m, k = 2.0, 5e3

    def rate(t, y):
        force = max(0.0, -k * y[0] - damping * y[1]) if y[0] < 0 else 0.0
        return [y[1], force / m - G]

    t = np.linspace(0.0, 1.0, 101)
    exact = solve_ivp(rate, (0.0, 1.0), [0.3, 0.0], "DOP853", t, rtol=1e-11, atol=1e-13, max_step=1e-4).y
    got = rne.simulate(ball(), [0.3], t=t, stops={"stiffness": k, "damping": damping})
    np.testing.assert_allclose(got.q[:, 0], exact[0], rtol=0, atol=1e-6)
    free = rne.simulate(ball(), [0.3], t=t, stops={"stiffness": k, "damping": damping}, method="adaptive")
    np.testing.assert_allclose(free.q[:, 0], exact[0], rtol=0, atol=1e-8)
    euler = rne.simulate(ball(), [0.3], t=t, stops={"stiffness": k, "damping": damping}, method="euler", step=1e-5)
    np.testing.assert_allclose(euler.q[:, 0], exact[0], rtol=0, atol=2e-3)


def test_friction_and_stops_together():
    """Falling to a rigid floor with dry friction 4 N: it arrives at sqrt(2 h (g - c / m)) and rebounds lower."""
    m, c, e = 2.0, 4.0, 0.5
    v = np.sqrt(2 * (G - c / m))
    top = (e * v) ** 2 / (2 * (G + c / m))
    got = rne.simulate(ball(coulomb=c), [1.0], t=np.linspace(0, 3, 3001), friction=True, stops={"restitution": e}).q[
        :, 0
    ]
    arrival = int(np.argmin(got[:700]))
    fall = np.sqrt(2 / (G - c / m))
    assert abs(arrival * 1e-3 - fall) <= 1e-3
    assert_near(got[arrival : arrival + 500].max(), top, 1e-5)
    assert got[-1] == 0.0
    free = rne.simulate(
        ball(coulomb=c), [1.0], t=[0.0, 0.3, 0.9, 3.0], friction=True, stops={"restitution": e}, method="adaptive"
    )
    np.testing.assert_allclose(free.q[:, 0], got[[0, 300, 900, 3000]], rtol=0, atol=1e-9)


def test_adaptive_steps_find_the_stops_of_coupled_joints():
    """Fixed steps converge to the adaptive ones while six joints rebound and come off their stops."""
    arm = own_robots.arm()
    rng = np.random.default_rng(0)
    q0, qd0 = rng.uniform(-0.2, 0.2, (2, 6)), 3 * rng.normal(size=(2, 6))
    t = np.linspace(0, 0.5, 11)
    free = rne.simulate(arm, q0, qd0, t, stops={"restitution": 0.5}, method="adaptive")
    assert (free.q == arm.upper_limit).any() or (np.abs(np.diff(np.sign(free.qd), axis=1)) > 0).any()
    coarse, fine = (rne.simulate(arm, q0, qd0, t, stops={"restitution": 0.5}, step=h) for h in (1e-3, 2.5e-4))
    assert np.abs(fine.q - free.q).max() < 1e-9
    assert np.abs(fine.q - free.q).max() < 0.1 * np.abs(coarse.q - free.q).max()


# ------------------------------------------------------------------------------------------------------ limits passed


def test_limits_that_were_passed_are_reported():
    robot = ball(lower=-0.5)
    got = rne.simulate(robot, [0.0], [1.0], t=np.linspace(0, 1, 1001))
    assert got.limits
    x = got.t - G * got.t**2 / 2
    assert_near(got.limits.excess[0, 0], -0.5 - x[-1], 1e-10)
    assert (got.limits.excess[1:] == 0).all()
    beyond = got.t[x < -0.5]
    assert got.limits.first[0, 0] == beyond[0]
    assert got.limits.last[0, 0] == got.limits.peak[0, 0] == 1.0
    assert np.isnan(got.limits.first[1:]).all()
    assert "lower" in str(got)
    assert "limits that were passed" in str(got)
    assert "joint1" in str(got.limits)


def test_limits_of_velocity_and_effort_and_of_batches():
    arm = own_robots.arm()
    tau = np.zeros(6)
    tau[5] = 25.0  # of 10 at most
    got = rne.simulate(arm, np.zeros((3, 6)), t=np.linspace(0, 0.2, 21), tau=tau)
    limits = got.limits
    assert limits.excess.shape == limits.peak.shape == (3, 4, 6)
    assert_near(limits.excess[:, 3, 5], np.full(3, 15.0))
    assert (limits.excess[:, 3, :5] == 0).all()
    fast = np.abs(got.qd).max(axis=1) - arm.velocity_limit
    np.testing.assert_allclose(limits.excess[:, 2], np.maximum(fast, 0.0), rtol=1e-12)
    assert "3 of 3 simulations" in str(limits)


def test_limits_of_a_joint_that_mimics_another():
    """The right finger goes -1.5 times as far as the left one, plus 0.01 m, and may go from -0.05 to 0 m."""
    gripper = own_robots.gripper()
    left = gripper.joint_names.index("left_finger")
    q0, qd0 = np.zeros(gripper.n), np.zeros(gripper.n)
    q0[left], qd0[left] = 0.02, 0.1
    got = rne.simulate(gripper, q0, qd0, t=np.linspace(0, 0.4, 401), gravity=[0, 0, 0])
    limits = got.limits
    assert limits.joints == (*gripper.joint_names, "right_finger")
    right = 0.01 - 1.5 * got.q[:, left]
    assert right.min() < -0.05
    assert_near(limits.excess[0, -1], -0.05 - right.min())
    assert limits.first[0, -1] == got.t[np.argmax(right < -0.05 - 1e-9)]
    assert limits.excess[3, -1] == 0
    assert "right_finger" in str(limits)


def test_limits_that_were_kept():
    kept = rne.simulate(ball(lower=-9.0), [0.0], t=[0.0, 0.1]).limits
    assert not kept
    assert str(kept) == "all limits were kept"


@pytest.mark.parametrize(
    ("stops", "more", "said"),
    [
        ("rigid", {}, r"stops: wanted \{'restitution': e\} or .* got str"),
        ({"bounce": 1.0}, {}, r"stops: .* got \['bounce'\]"),
        ({"restitution": 1.1}, {}, r"stops\['restitution'\]: wanted numbers from 0 to 1, got 1.1"),
        ({"stiffness": 0.0}, {}, r"stops\['stiffness'\]: wanted numbers above 0"),
        ({"stiffness": 1.0, "damping": -1.0}, {}, r"stops\['damping'\]: wanted numbers of 0 or more"),
        ({"restitution": [1.0, 1.0]}, {}, r"stops\['restitution'\]: wanted shape \(1,\)"),
    ],
)
def test_stops_that_are_refused(stops, more, said):
    with pytest.raises(rne.ArgumentError, match=said):
        rne.simulate(ball(), [0.0], stops=stops, **more)


def test_rigid_stops_leave_room():
    shut = rne.from_dh(
        [{"joint": "prismatic", "mass": 1.0, "lower": 0.5, "upper": 0.5}], convention="standard", gravity=[0, 0, -9.81]
    )
    said = r"both limits of joint 'joint1' are 0.5.*with_locked\(\{'joint1': 0.5\}"
    with pytest.raises(rne.ArgumentError, match=said):
        rne.simulate(shut, [0.5], stops={"restitution": 0.5})
    soft = rne.simulate(shut, [0.5], t=np.linspace(0, 1, 11), stops={"stiffness": 1e4, "damping": 50.0})
    assert_near(soft.q[-1], [0.5 - 9.81 / 1e4], 1e-6)
