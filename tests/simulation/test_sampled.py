"""Controllers in discrete time: a sampled loop with dead time is a linear recursion with an exact solution."""

from __future__ import annotations

import numba
import numpy as np
import own_robots
import pytest
from checks import assert_near
from own_robots import slide

import rne

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")

KP, KD, MASS, GOAL, PERIOD = 40.0, 9.0, 2.0, 0.3, 0.05


def free_slide() -> rne.Robot:
    """A mass of 2 kg that nothing pulls."""
    return rne.from_dh([{"joint": "prismatic", "mass": MASS}], convention="standard", gravity=[0, 0, 0])


def in_python(t, q, qd):
    return KP * (GOAL - q) - KD * qd


@numba.njit
def compiled(t, q, qd, tau):
    tau[0] = KP * (GOAL - q[0]) - KD * qd[0]


def law(robot: rne.Robot) -> rne.control.Controller:
    return rne.control.pid(robot, kp=KP, kd=KD, goal=[GOAL])


def moved(h: float) -> tuple[np.ndarray, np.ndarray]:
    """Transition of a free mass over a time, and what a constant force does in it."""
    return np.array([[1.0, h], [0.0, 1.0]]), np.array([h * h / 2, h]) / MASS


def recursion(delay: float, count: int) -> np.ndarray:
    """States at the sampling instants: Åström and Wittenmark, equation 2.15, with the older forces as states.

    Of a delay (d - 1) h + s, the force u(k - d) acts for s, and then u(k - d + 1).
    """
    d = int(np.ceil(delay / PERIOD - 1e-9))
    s = delay - (d - 1) * PERIOD if d else 0.0
    (phi, _), (rest, later) = moved(PERIOD), moved(PERIOD - s)
    early = rest @ moved(s)[1]
    feedback = np.array([-KP, -KD])
    states, forces, x = [], [0.0] * (d + 1), np.array([0.1, 0.0])
    for _ in range(count):
        states.append(x)
        forces.append(KP * GOAL + feedback @ x)
        old, new = forces[-1 - d], forces[-d] if d else forces[-1]
        x = phi @ x + (early * old + later * new if d else moved(PERIOD)[1] * forces[-1])
    return np.array(states)


@pytest.mark.parametrize("delay", [0.0, 0.03, 0.05, 0.12])
def test_a_sampled_loop_is_its_recursion(delay):
    """With any controller, method, and also with the dead times between two samples."""
    robot, t = free_slide(), np.arange(41) * PERIOD
    exact = recursion(delay, 41)
    for controller in (law(robot), in_python, compiled):
        sampled = rne.SampledController(controller, rate=1 / PERIOD, delay=delay)
        for method in ("rk4", "adaptive"):
            got = rne.simulate(robot, [0.1], t=t, tau=sampled, method=method)
            np.testing.assert_allclose(got.q[:, 0], exact[:, 0], rtol=0, atol=1e-13)
            np.testing.assert_allclose(got.qd[:, 0], exact[:, 1], rtol=0, atol=1e-13)


def test_the_poles_of_the_sampled_loop():
    """The error of the loop without delay obeys the recursion whose roots are the poles of the closed loop."""
    phi, gamma = moved(PERIOD)
    poles = np.linalg.eigvals(phi - np.outer(gamma, [KP, KD]))
    got = rne.simulate(
        free_slide(), [0.1], t=np.arange(121) * PERIOD, tau=rne.SampledController(compiled, rate=1 / PERIOD)
    )
    error = got.q[:, 0] - GOAL
    found = np.linalg.lstsq(np.column_stack([error[1:-1], error[:-2]]), error[2:], rcond=None)[0]
    assert_near(np.sort_complex(np.roots([1.0, -found[0], -found[1]])), np.sort_complex(poles), 1e-9)


def test_output_times_and_steps_do_not_matter():
    """Times between the samples, and steps that do not divide them, give the same motion."""
    robot, sampled = free_slide(), rne.SampledController(compiled, rate=1 / PERIOD, delay=0.03)
    exact = recursion(0.03, 41)
    for t in (np.sort(np.append(np.linspace(0, 2, 77), np.arange(41) * PERIOD)), np.array([0.0, 2.0])):
        got = rne.simulate(robot, [0.1], t=np.unique(t), tau=sampled, step=0.007)
        np.testing.assert_allclose(got.q[-1, 0], exact[40, 0], rtol=0, atol=1e-12)


def test_the_integral_is_a_sum():
    """I(k + 1) = I(k) + T e(k), as a program computes it; against a controller in Python that does the same."""
    robot, ki = free_slide(), 25.0
    total = 0.0

    def pid(t, q, qd):
        nonlocal total
        tau = KP * (GOAL - q) - KD * qd + ki * total
        total += PERIOD * (GOAL - q[0])
        return tau

    t = np.arange(41) * PERIOD
    built_in = rne.control.pid(robot, kp=KP, kd=KD, ki=ki, goal=[GOAL])
    wanted = rne.simulate(robot, [0.1], t=t, tau=rne.SampledController(pid, rate=1 / PERIOD, delay=0.02))
    for method in ("rk4", "adaptive"):
        got = rne.simulate(
            robot, [0.1], t=t, tau=rne.SampledController(built_in, rate=1 / PERIOD, delay=0.02), method=method
        )
        np.testing.assert_allclose(got.q, wanted.q, rtol=0, atol=1e-12)


@pytest.mark.parametrize("limit", [3.0, True])
def test_a_saturated_actuator(limit):
    """Far from its goal a mass is pushed by the largest force: a parabola, until the controller asks for less."""
    robot = rne.from_dh([{"joint": "prismatic", "mass": MASS, "effort": 3.0}], convention="standard", gravity=[0, 0, 0])
    for controller in (law(robot), in_python, compiled):
        got = rne.simulate(
            robot, [-1.0], t=np.arange(11) * PERIOD, tau=rne.SampledController(controller, rate=20.0, saturate=limit)
        )
        np.testing.assert_allclose(got.q[:, 0], -1.0 + 3.0 / MASS * got.t**2 / 2, rtol=0, atol=1e-13)
        assert (got.tau == 3.0).all()


def test_the_integral_stops_at_the_limits_of_the_sampled_controller():
    robot = free_slide()
    winding = rne.control.pid(robot, kp=KP, kd=KD, ki=200.0, goal=[GOAL])
    t = np.arange(121) * PERIOD
    got = rne.simulate(robot, [-3.0], t=t, tau=rne.SampledController(winding, rate=200.0, saturate=3.0))
    wound = rne.simulate(robot, [-3.0], t=t, tau=rne.SampledController(winding, rate=200.0, saturate=1e9))
    assert np.abs(got.tau).max() == 3.0
    assert np.abs(wound.tau).max() > 100.0
    same = rne.control.pid(
        rne.from_dh([{"joint": "prismatic", "mass": MASS, "effort": 3.0}], convention="standard", gravity=[0, 0, 0]),
        kp=KP, kd=KD, ki=200.0, goal=[GOAL], saturate=True,
    )  # fmt: skip
    again = rne.simulate(robot, [-3.0], t=t, tau=rne.SampledController(same, rate=200.0))
    np.testing.assert_allclose(got.q, again.q, rtol=0, atol=1e-12)


def test_measurements_are_rounded():
    """What the controller sees are the multiples of the resolution nearest to the state."""
    seen = []

    def looking(t, q, qd):
        seen.append((t, q[0], qd[0]))
        return np.zeros(1)

    steps = rne.SampledController(looking, rate=20.0, position_resolution=0.01, velocity_resolution=[0.25])
    got = rne.simulate(slide(), [0.1], [0.3], t=np.arange(21) * PERIOD, tau=steps)
    t, q, qd = np.array(seen).T
    assert_near(t, got.t)
    assert_near(q, np.round(got.q[:, 0] / 0.01) * 0.01, 1e-14)
    assert_near(qd, np.round(got.qd[:, 0] / 0.25) * 0.25, 1e-14)
    coarse = {"rate": 1 / PERIOD, "position_resolution": 0.01, "velocity_resolution": 0.25}
    motions = [
        rne.simulate(free_slide(), [0.1], t=got.t, tau=rne.SampledController(tau, **coarse)).q
        for tau in (in_python, compiled, law(free_slide()))
    ]
    assert np.abs(motions[0] - recursion(0.0, 21)[:, :1]).max() > 1e-3
    np.testing.assert_allclose(motions[1:], [motions[0]] * 2, rtol=0, atol=1e-13)


def test_initial_torques_act_until_the_first_command():
    sampled = rne.SampledController(compiled, rate=20.0, delay=0.2, initial=[2.5])
    got = rne.simulate(free_slide(), [0.1], t=[0.0, 0.1, 0.2], tau=sampled)
    assert_near(got.q[:, 0], 0.1 + 2.5 / MASS * got.t**2 / 2)
    assert got.tau[:, 0].tolist() == [2.5, 2.5, KP * (GOAL - 0.1)]


@pytest.mark.parametrize("rough", [False, True])
def test_batches_and_all_loops_agree(rough):
    """An arm at 200 Hz with a delay, with and without friction: together, alone, in Python, and adaptive."""
    arm, gains = own_robots.arm(), np.array([40.0, 40.0, 100.0, 8.0, 4.0, 1.0])
    rng = np.random.default_rng(3)
    q0, goals = rng.uniform(-0.2, 0.2, (2, 5, 6))
    servo = rne.control.pd_gravity(arm, kp=gains, kd=0.2 * gains, ki=gains, goal=goals)
    more = {"rate": 200.0, "delay": 0.007, "saturate": True, "position_resolution": 1e-3}
    t = np.linspace(0, 0.4, 21)
    got = rne.simulate(arm, q0, t=t, tau=rne.SampledController(servo, **more), friction=rough)
    integral = np.zeros((5, 6))

    def by_hand(t, q, qd):
        nonlocal integral
        e = goals - q
        tau = gains * (e - 0.2 * qd + integral) + rne.gravity_vector(arm, q)
        held = (np.abs(tau) >= arm.effort_limit) & (e * tau > 0)
        integral = integral + np.where(held, 0.0, e) / 200.0
        return tau

    wanted = rne.simulate(arm, q0, t=t, tau=rne.SampledController(by_hand, **more), friction=rough)
    np.testing.assert_allclose(got.q, wanted.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(got.tau, wanted.tau, rtol=0, atol=1e-6)
    one = rne.control.pd_gravity(arm, kp=gains, kd=0.2 * gains, ki=gains, goal=goals[2])
    alone = rne.simulate(arm, q0[2], t=t, tau=rne.SampledController(one, **more), friction=rough)
    np.testing.assert_allclose(alone.q, got.q[2], rtol=0, atol=1e-9)
    exact = rne.simulate(arm, q0[2], t=t[:6], tau=rne.SampledController(one, **more), friction=rough, method="adaptive")
    np.testing.assert_allclose(exact.q, got.q[2, :6], rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rate": 0.0}, "rate: wanted a number above 0, got 0.0"),
        ({"delay": -0.1}, "delay: wanted a number of 0 or more"),
        ({"controller": [1.0]}, "controller: wanted one of rne.control or a function, got list"),
        ({"saturate": [1.0, 2.0]}, r"saturate: wanted one number or shape \(1,\), got \(2,\)"),
        ({"saturate": 0.0}, "saturate: wanted numbers above 0"),
        ({"position_resolution": -1.0}, "position_resolution: wanted numbers of 0 or more"),
        ({"velocity_resolution": np.inf}, "velocity_resolution: wanted numbers of 0 or more"),
        ({"initial": [1.0, 2.0]}, r"initial: wanted shape \(1,\)"),
        ({"rate": 1e12}, "rate: .* samples are too many"),
        ({"delay": 1e7}, "delay: .* more than a million periods"),
    ],
)
def test_what_is_refused(change, said):
    with pytest.raises(rne.ArgumentError, match=said):
        rne.simulate(slide(), [0.0], tau=rne.SampledController(**{"controller": in_python, "rate": 10.0, **change}))
