"""How `simulate` is called: batches, held torques, controllers compiled and plain."""

from __future__ import annotations

import dataclasses
import re

import models_at_hand as models
import numba
import numpy as np
import own_robots
import pytest
import reference as ref
from checks import assert_near, assert_same_bits, random_states

import rne
from rne.kernels.simulation import BLOCK

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")

METHODS = ("rk4", "euler", "adaptive")
FIXED = ("rk4", "euler")
PLANAR = rne.load(models.MODELS / "planar2" / "robot.dh.toml")
T = np.array([0.0, 0.1, 0.15, 0.3, 0.35])


def assert_same_motion(got: rne.Simulation, wanted: rne.Simulation) -> None:
    for name in ("t", "q", "qd", "energy", "tau"):
        assert np.array_equal(getattr(got, name), getattr(wanted, name), equal_nan=True), name


def member(batch: rne.Simulation, index: object) -> rne.Simulation:
    paths = {name: getattr(batch, name)[index] for name in ("q", "qd", "energy", "tau")}
    return dataclasses.replace(batch, **paths)


# ------------------------------------------------------------------------------------------------------- batches


@pytest.mark.parametrize("method", FIXED)
@pytest.mark.parametrize("robot", [own_robots.arm(), own_robots.gripper(), PLANAR], ids=lambda robot: robot.name)
@pytest.mark.parametrize("samples", [1, 3, 9, 2 * BLOCK + 5])
def test_a_member_of_a_batch_moves_as_if_alone(robot, samples, method):
    """To the last bit: neither the other lanes of a pack, nor other packs, nor other blocks are felt."""
    q0, qd0, _ = random_states(robot.n, samples)
    batch = rne.simulate(robot, 0.1 * q0, qd0, T, step=0.06, method=method, friction=True)
    assert batch.q.shape == batch.qd.shape == (samples, len(T), robot.n)
    assert np.isfinite(batch.q).all()
    for k in {0, 1 % samples, samples // 2, samples - 1}:
        alone = rne.simulate(robot, 0.1 * q0[k], qd0[k], T, step=0.06, method=method, friction=True)
        assert_same_motion(alone, member(batch, k))


def test_threads_change_nothing():
    q0, qd0, _ = random_states(2, 3 * BLOCK)
    one = rne.simulate(PLANAR, q0, qd0, T, threads=1)
    for threads in (2, 5, None):
        assert_same_motion(rne.simulate(PLANAR, q0, qd0, T, threads=threads), one)


@pytest.mark.parametrize("method", METHODS)
def test_leading_axes_broadcast(method):
    q0, qd0, _ = random_states(2, 2, 3)
    tau = random_states(2, 3, len(T) - 1, seed=4)[2]
    got = rne.simulate(PLANAR, q0[:, :1], qd0[0], T, tau=tau, method=method)
    assert got.q.shape == got.qd.shape == (2, 3, len(T), 2)
    assert got.energy.shape == (2, 3, len(T))
    for i in range(2):
        for j in range(3):
            alone = rne.simulate(PLANAR, q0[i, 0], qd0[0, j], T, tau=tau[j], method=method)
            assert_same_motion(alone, member(got, (i, j)))


def test_one_state_under_many_torques():
    tau = random_states(2, 4, len(T), seed=4)[2]
    got = rne.simulate(PLANAR, [0.1, 0.2], t=T, tau=tau)
    assert_same_motion(rne.simulate(PLANAR, [0.1, 0.2], t=T, tau=tau[2]), member(got, 2))


@pytest.mark.parametrize("method", METHODS)
def test_nan_stays_with_its_member(method):
    q0, qd0, _ = random_states(2, 11)
    wanted = rne.simulate(PLANAR, q0, qd0, T, method=method)
    bad_q, bad_qd = q0.copy(), qd0.copy()
    bad_q[3, 1], bad_qd[9, 0] = np.nan, np.inf
    got = rne.simulate(PLANAR, bad_q, bad_qd, T, method=method)
    for k in range(11):
        if k in (3, 9):
            assert np.isnan(got.q[k, 1:]).all()
            assert np.isnan(got.energy[k, 1:]).all()
        else:
            assert_same_motion(member(got, k), member(wanted, k))


@pytest.mark.parametrize("method", METHODS)
def test_nothing_to_simulate(method):
    none = rne.simulate(PLANAR, np.zeros((0, 2)), t=T, method=method)
    assert (none.q.shape, none.energy.shape) == ((0, len(T), 2), (0, len(T)))
    still = rne.simulate(PLANAR, [0.1, 0.2], [0.3, 0.4], [5.0], method=method, tau=[1.0, 1.0])
    assert still.q.tolist() == [[0.1, 0.2]]
    assert still.qd.tolist() == [[0.3, 0.4]]
    energy = ref.kinetic_energy(PLANAR.tree, *still.q, *still.qd) + ref.potential_energy(PLANAR.tree, still.q[0])
    assert_near(still.energy, [energy])
    block = rne.load_urdf('<robot name="block"><link name="base"/></robot>')
    assert rne.simulate(block, np.zeros((3, 0)), t=T, method=method).q.shape == (3, len(T), 0)
    assert rne.simulate(block, [], t=T, method=method).energy.tolist() == [0.0] * len(T)


def test_numbers_of_all_kinds():
    """Results are float64, from the numbers as they came; what came is left as it was."""
    q0, qd0, tau = (x.astype(np.float32) for x in random_states(2, 3))
    times = T.astype(np.float32)
    given = [x.copy() for x in (q0, qd0, tau, times)]
    got = rne.simulate(PLANAR, q0, qd0, times, tau=tau[0], gravity=np.float32([0, -9, 1]))
    wide = rne.simulate(PLANAR, *(x.astype(float) for x in (q0, qd0, times)), tau=tau[0].tolist(), gravity=[0, -9, 1])
    assert got.q.dtype == got.qd.dtype == got.energy.dtype == got.t.dtype == np.float64
    assert_same_motion(got, wide)
    for kept, now in zip(given, (q0, qd0, tau, times), strict=True):
        assert_same_bits(now, kept)
    assert_same_motion(rne.simulate(PLANAR, [0, 1], None, [0, 1]), rne.simulate(PLANAR, [0.0, 1.0], [0.0, 0.0]))


def test_gravity_is_that_of_the_call():
    got = rne.simulate(PLANAR, [0.1, 0.2], t=T, gravity=[1.0, 2.0, 3.0])
    assert_same_motion(got, rne.simulate(PLANAR.with_gravity([1.0, 2.0, 3.0]), [0.1, 0.2], t=T))
    assert PLANAR.tree.gravity == (0.0, -9.81, 0.0)


# ------------------------------------------------------------------------------------------------------- torques


@pytest.mark.parametrize("method", METHODS)
def test_held_torques(method):
    """They act from each time to the next: as many runs, one after the other, give the same."""
    tau = random_states(2, len(T), seed=2)[2]
    got = rne.simulate(PLANAR, [0.1, 0.2], t=T, tau=tau, method=method)
    assert_same_motion(rne.simulate(PLANAR, [0.1, 0.2], t=T, tau=tau[:-1], method=method), got)
    q, qd = got.q[0], got.qd[0]
    for k in range(len(T) - 1):
        part = rne.simulate(PLANAR, q, qd, T[k : k + 2], tau=tau[k], method=method)
        q, qd = part.q[1], part.qd[1]
        assert_near(q, got.q[k + 1], 1e-14)
        assert_near(qd, got.qd[k + 1], 1e-14)
    constant = rne.simulate(PLANAR, [0.1, 0.2], t=T, tau=np.tile(tau[0], (len(T), 1)), method=method)
    assert_same_motion(rne.simulate(PLANAR, [0.1, 0.2], t=T, tau=tau[0], method=method), constant)


@numba.njit
def servo(t, q, qd, tau):
    for j in range(len(q)):
        tau[j] += np.sin(5.0 * t) - 20.0 * q[j] - 2.0 * qd[j]


def plain_servo(t, q, qd):
    return np.sin(5.0 * t) - 20.0 * q - 2.0 * qd


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (BLOCK + 1,)])
def test_controllers_compiled_and_plain_agree(shape, method):
    if method == "adaptive" and shape == (BLOCK + 1,):
        shape = (2,)
    q0, qd0, _ = random_states(2, *shape, seed=6)
    options = {"step": 0.03, "method": method, "friction": True, "gravity": [0.0, -3.0, 0.0]}
    got = rne.simulate(PLANAR, q0, qd0, T, tau=servo, **options)
    plain = rne.simulate(PLANAR, q0, qd0, T, tau=plain_servo, **options)
    assert_near(got.q, plain.q, 1e-13)
    assert_near(got.qd, plain.qd, 1e-13)
    assert not np.allclose(got.q[..., 1, :], rne.simulate(PLANAR, q0, qd0, T, **options).q[..., 1, :])


@pytest.mark.parametrize(("method", "shapes"), [("rk4", {(2, 3, 2)}), ("euler", {(2, 3, 2)}), ("adaptive", {(2,)})])
def test_a_plain_controller_sees_the_shape_of_the_batch(method, shapes):
    q0, qd0, _ = random_states(2, 2, 3)
    seen, asked = [], []

    def controller(t, q, qd):
        seen.append((q, qd, q.copy(), qd.copy()))
        asked.append(t)
        return [0.5, -0.5]

    got = rne.simulate(PLANAR, q0, qd0, [1.0, 1.2], tau=controller, method=method, step=0.2)
    assert {x.shape for four in seen for x in four} == shapes
    assert_near(got.q, rne.simulate(PLANAR, q0, qd0, [1.0, 1.2], tau=[0.5, -0.5], method=method, step=0.2).q, 1e-9)
    for q, qd, q_then, qd_then in seen:  # they may be kept
        assert_same_bits(q, q_then)
        assert_same_bits(qd, qd_then)
    if method == "rk4":
        np.testing.assert_allclose(asked, [1.0, 1.1, 1.1, 1.2, 1.2], rtol=1e-15)


def test_an_adaptive_step_is_no_longer_than_allowed():
    """A pulse of torque in the middle of a rest is jumped over by steps as long as they like."""

    def pulse(t, q, qd):
        return [1.0, 0.0] if 0.5 < t < 0.52 else [0.0, 0.0]

    still = {"t": [0.0, 1.0], "gravity": [0.0, 0.0, 0.0], "tau": pulse, "method": "adaptive"}
    assert not rne.simulate(PLANAR, [0.1, 0.2], **still).qd.any()
    assert rne.simulate(PLANAR, [0.1, 0.2], step=0.01, **still).qd[1].all()


def test_a_compiled_controller_calls_compiled_dynamics():
    """Computed torque (Paul 1981): the error of every joint is that of a critically damped oscillator."""
    arm = own_robots.arm()
    model, e0, n = rne.jit.model(arm), 0.1, arm.n

    @numba.njit
    def computed_torque(t, q, qd, tau):
        qdd = np.empty(n)
        for j in range(n):
            qdd[j] = -100.0 * q[j] - 20.0 * qd[j]
        rne.jit.inverse_dynamics(model, q, qd, qdd, tau, True)

    got = rne.simulate(arm, np.full(n, e0), t=np.linspace(0.0, 0.5, 501), tau=computed_torque, friction=True)
    wanted = e0 * (1.0 + 10.0 * got.t) * np.exp(-10.0 * got.t)
    assert_near(got.q, np.tile(wanted[:, None], n), 1e-9)


@pytest.mark.parametrize("method", FIXED)
def test_a_controller_that_gives_nan_is_not_singular(method):
    @numba.njit
    def compiled(t, q, qd, tau):
        if t > 0.12 and q[0] > 1.0:
            tau[0] = np.nan

    def plain(t, q, qd):
        return np.where((t > 0.12) & (q[..., :1] > 1.0), np.nan, 0.0) * np.array([1.0, 0.0])

    q0 = np.array([[0.5, 0.3], [1.9, 0.2], [0.2, 0.1]])
    for controller in (compiled, plain):
        got = rne.simulate(PLANAR, q0, t=T, tau=controller, method=method)
        free = rne.simulate(PLANAR, q0, t=T, method=method)
        assert_same_motion(member(got, [0, 2]), member(free, [0, 2]))
        assert np.isfinite(got.q[1, :2]).all()
        assert np.isnan(got.q[1, 3:]).all()


@pytest.mark.parametrize("method", ["rk4", "euler", "adaptive"])
def test_a_controller_may_work_in_its_arguments(method):
    goal = np.array([0.5, -0.2])

    def plain(t, q, qd):
        q -= goal
        return -10 * q - 2 * qd

    @numba.njit
    def compiled(t, q, qd, tau):
        q -= goal
        qd *= 2.0
        tau[:] = -10 * q - qd

    wanted = rne.simulate(PLANAR, [0.1, 0.2], t=T, tau=lambda t, q, qd: -10 * (q - goal) - 2 * qd, method=method)
    for controller in (plain, compiled):
        got = rne.simulate(PLANAR, [0.1, 0.2], t=T, tau=controller, method=method)
        assert_near(got.q, wanted.q, 1e-9)


def test_an_adaptive_simulation_ends_where_a_held_torque_is_not_a_number():
    tau = np.array([[0.0, 0.0], [np.nan, 0.0]])
    got = rne.simulate(PLANAR, [0.1, 0.2], t=[0.0, 0.1, 0.2], tau=tau, method="adaptive")
    assert np.isfinite(got.q[:2]).all()
    assert np.isnan(got.q[2]).all()


# ------------------------------------------------------------------------------------------ which axis of tau is time


@pytest.mark.parametrize("method", METHODS)
def test_at_a_single_time_every_torque_is_told(method):
    tau = random_states(2, 3, seed=4)[2]
    one = rne.simulate(PLANAR, [0.1, 0.2], t=[2.0], tau=tau[:1], method=method)
    np.testing.assert_array_equal(one.tau, tau[:1])
    several = rne.simulate(PLANAR, [0.1, 0.2], t=[2.0], tau=tau[:, None], method=method)
    assert several.q.shape == (3, 1, 2)
    np.testing.assert_array_equal(several.tau, tau[:, None])
    with pytest.raises(rne.ArgumentError, match=r"tau: wanted .* shape \(2,\) or \(\.\.\., 1, 2\), got \(0, 2\)"):
        rne.simulate(PLANAR, [0.1, 0.2], t=[2.0], tau=np.zeros((0, 2)), method=method)
    with pytest.raises(rne.ArgumentError, match=r"got \(3, 2\); for one row per .* pass tau.reshape\(3, 1, 2\)"):
        rne.simulate(PLANAR, np.zeros((3, 2)), t=[2.0], tau=tau, method=method)


@pytest.mark.parametrize("more", [0, 1], ids=["a row an interval", "a row a time"])
def test_an_axis_that_may_be_time_or_the_batch_is_asked_for(more):
    rows, times = len(T) - 1 + more, len(T)
    q0, _, tau = random_states(2, rows, seed=4)
    said = rf"shape \({rows}, 2\) is ambiguous: one row for each of {rows} simulations, or for each of {times} times"
    with pytest.raises(rne.ArgumentError, match=said) as refusal:
        rne.simulate(PLANAR, q0, t=T, tau=tau)
    each, over = re.findall(r"tau\.reshape(\([\d, ]+\))", str(refusal.value))
    constant = rne.simulate(PLANAR, q0, t=T, tau=tau.reshape(eval(each)))
    in_time = rne.simulate(PLANAR, q0, t=T, tau=tau.reshape(eval(over)))
    for k in range(rows):
        assert_same_motion(member(constant, k), rne.simulate(PLANAR, q0[k], t=T, tau=tau[k]))
        assert_same_motion(member(in_time, k), rne.simulate(PLANAR, q0[k], t=T, tau=tau))


def test_axes_that_can_only_be_time_are_no_question():
    q0, _, tau = random_states(2, 2, len(T), seed=4)
    got = rne.simulate(PLANAR, q0[:, 0], t=T, tau=tau[0])  # two simulations, more times
    assert_same_motion(member(got, 1), rne.simulate(PLANAR, q0[1, 0], t=T, tau=tau[0]))
    square = random_states(2, len(T), len(T), seed=5)[2]  # as many simulations as times, both axes given
    got = rne.simulate(PLANAR, square[:, 0], t=T, tau=square)
    assert_same_motion(member(got, 2), rne.simulate(PLANAR, square[2, 0], t=T, tau=square[2]))
    with pytest.raises(rne.ArgumentError, match=r"for one row per simulation pass tau.reshape\(2, 1, 2\)"):
        rne.simulate(PLANAR, q0[:, 0], t=T, tau=tau[:, 0])


def test_the_drift_of_the_energy_asks_for_the_same_axis():
    q0, _, tau = random_states(2, len(T), seed=4)
    motion = rne.simulate(PLANAR, q0, t=T, tau=tau[:, None])
    with pytest.raises(rne.ArgumentError, match=r"tau: shape .* is ambiguous"):
        rne.energy_drift(PLANAR, motion, tau)
    assert np.abs(rne.energy_drift(PLANAR, motion, tau[:, None])).max() < 1e-6
