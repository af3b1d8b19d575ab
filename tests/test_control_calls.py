"""How ready controllers are made and used: references, batches, what is refused; and a law of one's own for forces."""

from __future__ import annotations

import dataclasses
import pickle

import models_at_hand as models
import numpy as np
import own_robots
import pytest
from checks import assert_near, assert_same_bits, random_states
from scipy.interpolate import BPoly, CubicHermiteSpline

import rne
from rne import control
from rne.kernels.simulation import BLOCK

PLANAR = rne.load(models.MODELS / "planar2" / "robot.dh.toml")
T = np.array([0.0, 0.1, 0.15, 0.3, 0.35])
KNOTS = np.array([0.0, 0.08, 0.2, 0.25])


def samples(*shape: int, seed: int = 1) -> tuple[np.ndarray, ...]:
    """A path through random states of two joints."""
    return KNOTS, *random_states(2, *shape, len(KNOTS), seed=seed)


# ---------------------------------------------------------------------------------------------------- references


def test_between_samples_it_is_the_polynomial_through_both():
    t = np.linspace(KNOTS[0], KNOTS[-1], 57)
    knots, q, qd, qdd = samples()
    quintic = BPoly.from_derivatives(knots, np.stack([q, qd, qdd], axis=1))
    cubic = CubicHermiteSpline(knots, q, qd)
    for path, wanted in (((knots, q, qd, qdd), quintic), ((knots, q, qd), cubic)):
        got = control.pid(PLANAR, kp=1.0, path=path).reference(t)
        for order in range(2):
            assert_near(got[order], wanted(t, nu=order), 1e-11)
        inside = ~np.isin(t, knots)  # a cubic's acceleration jumps at the samples
        assert_near(got[2][inside], wanted(t, nu=2)[inside], 1e-11)


def test_before_and_after_it_stands_still():
    knots, q, qd, qdd = samples()
    got = control.pid(PLANAR, kp=1.0, path=(knots, q, qd, qdd)).reference(np.array([-1.0, 0.0, 0.25, 9.0]))
    assert_near(got[0], q[[0, 0, -1, -1]])
    assert_near(got[1], [[0.0, 0.0], qd[0], qd[-1], [0.0, 0.0]], 1e-11)
    assert_near(got[2], [[0.0, 0.0], qdd[0], qdd[-1], [0.0, 0.0]], 1e-11)


def test_the_kernel_follows_the_same_reference():
    """A law that knows the weightless robot tells the acceleration of its reference: a slide of 2 kg, without gains."""
    robot = rne.from_dh([{"joint": "prismatic", "mass": 2.0}], convention="modified", gravity=[0.0, 0.0, 0.0])
    knots, q, qd, qdd = (x[..., :1] if x.ndim > 1 else x for x in samples())
    t = np.linspace(-0.1, 0.4, 102)  # none is that of a sample, where the law looks ahead
    law = control.computed_torque(robot, kp=0.0, kd=0.0, path=(knots, q, qd, qdd))
    assert_near(rne.simulate(robot, [0.0], t=t, tau=law).tau, 2.0 * law.reference(t)[2], 1e-11)
    law = control.pid(robot, kp=3.0, kd=0.5, path=(knots, q, qd))
    got = rne.simulate(robot, [0.0], t=t, tau=law)
    assert_near(got.tau, 3.0 * got.error + 0.5 * got.error_rate)


def test_made_trajectories_are_references():
    """A quintic between its ends alone; a trapezoid by cubics between its corners."""
    q0, q1, limits = [0.2, -0.5], [1.4, 0.9], {"velocity_limit": 1.0, "acceleration_limit": 4.0}
    t = np.linspace(0.0, 2.0, 41)
    ends = np.array([0.0, 1.5])
    path = (ends, *rne.quintic(q0, q1, ends, duration=1.5))
    for got, wanted in zip(
        control.pid(PLANAR, kp=1.0, path=path).reference(t), rne.quintic(q0, q1, t, duration=1.5), strict=True
    ):
        assert_near(got, wanted)
    end = rne.trapezoidal_duration(q0, q1, **limits)
    ramp = end - 1.4  # the longest way at full speed takes 1.4 s
    corners = np.array([0.0, ramp, end - ramp, end])
    path = (corners, *rne.trapezoidal(q0, q1, corners, **limits)[:2])
    got = control.pid(PLANAR, kp=1.0, path=path).reference(t)
    wanted = rne.trapezoidal(q0, q1, t, **limits)
    assert_near(got[0], wanted[0])
    assert_near(got[1], wanted[1])


def test_jumps_of_the_reference_between_steps_do_not_disturb():
    """Of a trapezoid with its corners at ends of steps, and of a path that ends at full speed."""
    corners = np.array([0.0, 0.25, 1.4, 1.65])
    limits = {"velocity_limit": 1.0, "acceleration_limit": 4.0}
    path = (corners, *rne.trapezoidal([0.2, -0.5], [1.6, 0.9], corners, **limits)[:2])
    law = control.computed_torque(PLANAR, kp=100.0, kd=20.0, path=path)
    got = rne.simulate(PLANAR, [0.2, -0.5], t=np.linspace(0.0, 2.0, 41), tau=law)
    assert_near(got.q_ref, rne.trapezoidal([0.2, -0.5], [1.6, 0.9], got.t, **limits)[0])
    assert np.abs(got.error).max() < 1e-10
    law = control.computed_torque(
        PLANAR, kp=100.0, kd=20.0, path=([0.0, 0.7], *np.ones((2, 2, 2)) * [[[0.0], [0.7]], [[1.0], [1.0]]])
    )
    got = rne.simulate(PLANAR, [0.0, 0.0], [1.0, 1.0], t=np.linspace(0.0, 0.7, 8), tau=law)
    assert np.abs(got.error_rate).max() < 1e-10


# ------------------------------------------------------------------------------------------------------- batches

GAINS = {"kp": 30.0, "ki": 20.0, "kd": 4.0}
LAWS = ("pid", "pd_gravity", "feedforward", "computed_torque")


@pytest.mark.parametrize("method", ["rk4", "euler"])
@pytest.mark.parametrize("law", LAWS)
def test_a_member_of_a_batch_is_controlled_as_if_alone(law, method):
    """To the last bit, with goals and gains of its own."""
    count = BLOCK + 9
    q0, qd0, goals = (0.3 * x for x in random_states(2, count))
    gains = {name: value * np.linspace(0.5, 1.5, count)[:, None] * np.ones(2) for name, value in GAINS.items()}
    make, options = getattr(control, law), {"t": T, "method": method, "step": 0.01}
    batch = rne.simulate(PLANAR, q0, qd0, tau=make(PLANAR, **gains, goal=goals), **options)
    for threads in (2, 3):
        again = rne.simulate(PLANAR, q0, qd0, tau=make(PLANAR, **gains, goal=goals), threads=threads, **options)
        assert_same_bits(again.q, batch.q)
    for k in (0, 5, BLOCK - 1, BLOCK, count - 1):
        own = {name: value[k] for name, value in gains.items()}
        alone = rne.simulate(PLANAR, q0[k], qd0[k], tau=make(PLANAR, **own, goal=goals[k]), **options)
        for name in ("q", "qd", "tau", "energy", "q_ref", "qd_ref"):
            assert_same_bits(getattr(batch, name)[k], getattr(alone, name))


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
def test_leading_axes_of_states_gains_and_paths_broadcast(method):
    q0, path = 0.2 * random_states(2, 3)[0], (KNOTS, *(0.1 * x for x in samples(4, 1)[1:]))
    kp = np.full((4, 1, 2), 30.0) + np.arange(4)[:, None, None]
    batch = rne.simulate(PLANAR, q0, t=T, tau=control.pid(PLANAR, kp=kp, ki=5.0, path=path), method=method)
    assert batch.q.shape == batch.tau.shape == batch.q_ref.shape == batch.error.shape == (4, 3, len(T), 2)
    assert batch.tracking().rms.shape == (4, 3, 2)
    for i, j in ((0, 0), (3, 1), (1, 2)):
        own = (path[0], *(x[i, 0] for x in path[1:]))
        law = control.pid(PLANAR, kp=kp[i, 0], ki=5.0, path=own)
        alone = rne.simulate(PLANAR, q0[j], t=T, tau=law, method=method)
        assert_same_bits(batch.q[i, j], alone.q)
        assert_same_bits(batch.q_ref[i, j], alone.q_ref)
        assert_same_bits(batch.tau[i, j], alone.tau)


def test_one_state_under_many_gains():
    law = control.pid(PLANAR, kp=[[30.0, 30.0], [60.0, 60.0]], kd=5.0, goal=[0.3, 0.1])
    got = rne.simulate(PLANAR, [0.0, 0.0], t=T, tau=law)
    assert got.q.shape == (2, len(T), 2)
    assert got.tracking().peak.shape == (2, 2)


@pytest.mark.parametrize("method", ["rk4", "euler", "adaptive"])
def test_nan_stays_with_its_member(method):
    q0, qd0, goals = (0.3 * x for x in random_states(2, 5))
    wanted = rne.simulate(PLANAR, q0, qd0, T, tau=control.pid(PLANAR, **GAINS, goal=goals), method=method)
    q0[3, 1] = np.nan
    got = rne.simulate(PLANAR, q0, qd0, T, tau=control.pid(PLANAR, **GAINS, goal=goals), method=method)
    for name in ("q", "qd", "tau"):
        assert_same_bits(np.delete(getattr(got, name), 3, axis=0), np.delete(getattr(wanted, name), 3, axis=0))
        assert np.isnan(getattr(got, name)[3, 1:]).any()


def test_no_simulations_and_one_time():
    law = control.computed_torque(PLANAR, **GAINS, goal=[0.3, 0.1])
    none = rne.simulate(PLANAR, np.zeros((0, 2)), t=T, tau=law)
    assert none.tau.shape == (0, len(T), 2)
    assert "nan" in str(none.tracking())
    still = rne.simulate(PLANAR, [0.1, 0.2], t=[5.0], tau=law)
    qdd = 30.0 * (np.array([0.3, 0.1]) - [0.1, 0.2])
    assert_near(still.tau, [rne.inverse_dynamics(PLANAR, [0.1, 0.2], None, qdd)])
    assert_near(still.tracking().rms, [0.2, 0.1])
    assert rne.simulate(PLANAR, [0.1, 0.2], t=[5.0], tau=[1.0, 2.0]).tau.tolist() == [[1.0, 2.0]]
    assert rne.simulate(PLANAR, [0.1, 0.2], t=[5.0], tau=[1.0, 2.0], method="adaptive").tau.tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
def test_held_torques_are_told_by_the_interval_that_begins(method):
    held = np.arange(8.0).reshape(4, 2)
    got = rne.simulate(PLANAR, [0.1, 0.2], t=T, tau=held, method=method)
    assert_same_bits(got.tau, held[[0, 1, 2, 3, 3]])
    assert not rne.simulate(PLANAR, [0.1, 0.2], t=T, method=method).tau.any()


# -------------------------------------------------------------------------------------------------- the things


def test_a_controller_is_frozen_and_travels():
    law = control.feedforward(PLANAR, **GAINS, path=samples())
    got = rne.simulate(PLANAR, [0.1, 0.2], t=T, tau=pickle.loads(pickle.dumps(law)))
    assert_same_bits(got.q, rne.simulate(PLANAR, [0.1, 0.2], t=T, tau=law).q)
    with pytest.raises(dataclasses.FrozenInstanceError):
        law.gains = 0  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        law.gains[:] = 0
    assert "feedforward" in repr(law)
    assert PLANAR.name in repr(law)


def test_a_controller_keeps_what_it_was_given():
    goal = np.array([0.3, 0.1])
    law = control.pid(PLANAR, kp=5.0, goal=goal)
    goal[:] = 9.0
    assert law.reference(np.zeros(1))[0].tolist() == [[0.3, 0.1]]


def test_gravity_of_the_call_is_not_that_of_the_model():
    law = control.pd_gravity(PLANAR, kp=0.0, kd=0.0, goal=[0.0, 0.0])
    got = rne.simulate(PLANAR, [0.4, 0.2], t=T, tau=law, gravity=[0.0, 0.0, 0.0])
    assert_near(got.tau[0], rne.gravity_vector(PLANAR, [0.4, 0.2]))
    assert got.qd[-1].any()


def test_the_table_tells_the_worst_of_a_batch():
    law = control.pid(PLANAR, kp=1.0, goal=[[0.0, 0.0], [0.5, -0.25]])
    text = str(rne.simulate(PLANAR, [0.0, 0.0], t=[0.0], tau=law).tracking())
    rows = {line.split()[0]: line.split() for line in text.splitlines()}
    assert set(rows) == {"joint", *PLANAR.joint_names}
    assert rows["shoulder"][1:5] == ["0.5", "0.5", "0.5", "rad"]
    assert rows["elbow"][1:5] == ["0.25", "0.25", "-0.25", "rad"]
    gripper = own_robots.gripper()
    text = str(rne.simulate(gripper, [0.0, 0.0], t=[0.0], tau=control.pid(gripper, kp=1.0, goal=[0.0, 0.0])).tracking())
    assert "m " in text.splitlines()[2]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: control.pid(PLANAR, kp=1.0), "goal, path: wanted exactly one of them, got neither"),
        (lambda: control.pid(PLANAR, kp=1.0, goal=[0.0, 0.0], path=samples()), "got both"),
        (lambda: control.pid("arm", kp=1.0, goal=[0.0, 0.0]), "robot: wanted a Robot"),
        (lambda: control.pid(PLANAR, kp=None, goal=[0.0, 0.0]), "kp: wanted an array"),
        (lambda: control.pid(PLANAR, kp=-1.0, goal=[0.0, 0.0]), "kp: wanted finite, nonnegative numbers, got -1"),
        (lambda: control.pid(PLANAR, kp=1.0, ki=np.inf, goal=[0.0, 0.0]), "ki: wanted finite, nonnegative numbers"),
        (lambda: control.pid(PLANAR, kp=1.0, kd=np.nan, goal=[0.0, 0.0]), "kd: wanted finite, nonnegative numbers"),
        (lambda: control.pid(PLANAR, kp=[1.0], goal=[0.0, 0.0]), "kp: wanted shape"),
        (lambda: control.pid(PLANAR, kp="high", goal=[0.0, 0.0]), "kp: wanted real numbers"),
        (lambda: control.pid(PLANAR, kp=1.0, goal=[0.0]), "goal: wanted shape"),
        (lambda: control.pid(PLANAR, kp=1.0, goal=[0.0, 0.0], derivative="q"), "derivative: wanted 'error' or"),
        (lambda: control.pid(PLANAR, kp=np.ones((3, 2)), goal=np.zeros((4, 2))), "leading axes do not broadcast"),
        (lambda: control.pid(PLANAR, kp=1.0, path=samples()[:2]), "path: wanted .*np.gradient"),
        (lambda: control.pid(PLANAR, kp=1.0, path=np.zeros((4, 2))), "path: wanted .*got a ndarray"),
        (lambda: control.pid(PLANAR, kp=1.0, path=([0.0], [[0.0, 0.0]], [[0.0, 0.0]])), "path: t: wanted shape"),
        (lambda: control.pid(PLANAR, kp=1.0, path=([1.0, 0.0], *np.zeros((2, 2, 2)))), "path: t: .*later"),
        (lambda: control.pid(PLANAR, kp=1.0, path=([0.0, 1.0], *np.zeros((2, 3, 2)))), r"path: q: .*\(\.\.\., 2, 2\)"),
        (lambda: control.pid(PLANAR, kp=1.0, path=([0.0, 1.0], np.zeros((2, 2)), np.zeros(2))), "path: qd: wanted"),
        (lambda: control.pid(PLANAR, kp=1.0, path=([0.0, 1.0], *np.zeros((2, 2, 3)))), "path: q: wanted shape"),
        (lambda: control.pid(PLANAR, kp=1.0, path=([0.0, 1.0], np.zeros((2, 2)), None)), "path: qd: .*None"),
    ],
)
def test_what_makes_no_controller(make, said):
    with pytest.raises(rne.ArgumentError, match=said):
        make()


def test_what_cannot_be_simulated_or_judged():
    other = control.pid(own_robots.gripper(), kp=1.0, goal=[0.0, 0.0])
    with pytest.raises(rne.ArgumentError, match="tau: the controller is for a robot with joints turn, left_finger"):
        rne.simulate(PLANAR, [0.0, 0.0], t=T, tau=other)
    many = control.pid(PLANAR, kp=1.0, goal=np.zeros((3, 2)))
    with pytest.raises(rne.ArgumentError, match=r"tau: a controller of shape \(3,\) does not broadcast .*\(4,\)"):
        rne.simulate(PLANAR, np.zeros((4, 2)), t=T, tau=many)
    free = rne.simulate(PLANAR, [0.0, 0.0], t=T)
    assert free.error is None
    assert free.error_rate is None
    with pytest.raises(rne.ArgumentError, match="q_ref: tracking needs a reference, from a controller"):
        free.tracking()
    with pytest.raises(rne.ArgumentError, match="band: wanted a positive number"):
        free.tracking(band=0.0)
    assert_near(dataclasses.replace(free, q_ref=free.q + 0.5).tracking().rms, [0.5, 0.5])


# ------------------------------------------------------------------------------------------- forces, by J^T


def test_a_force_on_a_wall():
    """A law of one's own: the tip presses on a stiff wall at x = 1.2 with 15 N, by tau = g + J^T f - damping."""
    wall, stiffness, force = 1.2, 2e4, 15.0
    tip = PLANAR.frame_names[-1]

    def reaction(q):
        depth = np.maximum(rne.forward_kinematics(PLANAR, q, tip)[..., 0, 3] - wall, 0.0)
        return -stiffness * depth

    def push(t, q, qd):
        pushing = {tip: np.array([force + reaction(q), 0.0, 0.0, 0.0, 0.0, 0.0])}
        return rne.gravity_vector(PLANAR, q) + rne.static_torque(PLANAR, q, pushing) - 4.0 * qd

    q0 = [1.4, -1.9]
    assert rne.forward_kinematics(PLANAR, q0, tip)[0, 3] < wall
    got = rne.simulate(PLANAR, q0, t=np.linspace(0.0, 4.0, 5), tau=push, step=4e-3)
    assert_near(reaction(got.q[-1]), -force, 1e-3)


def test_a_reference_at_one_time():
    t = np.linspace(0.0, 1.0, 5)
    path = (t, *rne.quintic([0.1, 0.2], [1.0, -0.5], t, duration=1.0))
    for reference in (
        control.pid(PLANAR, kp=1.0, path=path).reference,
        control.pid(PLANAR, kp=1.0, goal=[[0.1, 0.2]]).reference,
    ):
        for at in (0.5, -1.0, 7, np.float32(0.25), np.array(1.0)):
            for one, row in zip(reference(at), reference([at]), strict=True):
                np.testing.assert_array_equal(one, row[..., 0, :])
    assert reference(0.5)[0].shape == (1, 2)
    for wrong in ("now", None, 1j):
        with pytest.raises(rne.ArgumentError, match="t: wanted real numbers"):
            reference(wrong)
