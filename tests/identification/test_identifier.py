"""Identification in constant memory: chunks do not matter, and uncertainties hold for noise as filters leave it."""

from __future__ import annotations

import tracemalloc

import numpy as np
import oracles
import pinocchio as pin
import pytest
from checks import assert_near, random_states
from models_at_hand import MODELS
from own_robots import ARM, arm
from scipy import optimize, signal, stats

import rne
from rne.identification.fit import student

PLANAR = rne.load(MODELS / "planar2" / "robot.dh.toml")


def series(robot, samples, rng, step=0.01):
    """Return a smooth motion: five harmonics of 10 s."""
    t = np.arange(samples) * step
    q, qd, qdd = np.zeros((3, samples, robot.n))
    for k in range(1, 6):
        a, b = rng.normal(size=(2, robot.n)) / k
        w = 2 * np.pi * k / 10
        s, c = np.sin(w * t)[:, None], np.cos(w * t)[:, None]
        q, qd, qdd = q + a * s + b * c, qd + w * (a * c - b * s), qdd - w**2 * (a * s + b * c)
    return q, qd, qdd


def heavier(robot):
    rng = np.random.default_rng(3)
    pi = rne.parameters(robot, rotors=False)
    robot = robot.with_parameters(pi * np.repeat(rng.uniform(0.7, 1.4, len(pi) // 10), 10), strict=False)
    return robot.with_drives({name: rne.Drive(0.0, 1.0, *rng.uniform(0.2, 1.0, 3)) for name in robot.joint_names})


@pytest.mark.parametrize("samples", [1000, 20_000])
def test_chunks_do_not_matter(samples):
    robot, rng = arm(), np.random.default_rng(0)
    state = series(robot, samples, rng)
    tau = rne.inverse_dynamics(heavier(robot), *state, friction=True) + rng.normal(size=state[0].shape)
    whole = rne.identify(robot, *state, tau, friction=True)
    identifier, begin = rne.Identifier(robot, friction=True), 0
    while begin < samples:
        stop = begin + int(rng.integers(1, 700))
        identifier.update(*(x[begin:stop] for x in (*state, tau)))
        begin = stop
        if begin > samples // 3:
            assert identifier.solve().samples == min(begin, samples)  # in between; nothing is lost by it
    found = identifier.solve()
    assert found.samples == samples
    assert_near(found.beta, whole.beta, 1e-9)
    assert_near(found.noise, whole.noise, 1e-9)
    assert_near(found.condition, whole.condition, 1e-9)
    np.testing.assert_allclose(found.sd, whole.sd, rtol=0.05)  # blocks of the jackknife begin elsewhere


def test_the_estimate_is_that_of_reweighted_least_squares_on_pinocchio():
    """By hand: Pinocchio's regressor, a singular value decomposition, weights from residuals until they converge."""
    robot, rng = arm().with_drives({name: rne.Drive() for name in arm().joint_names}), np.random.default_rng(1)
    state = series(robot, 800, rng)
    sd = np.array([3.0, 2.0, 1.0, 0.3, 0.1, 0.03])
    tau = rne.inverse_dynamics(heavier(robot), *state) + rng.normal(size=(800, 6)) * sd
    pm = oracles.pin_model(ARM)
    names = robot.joint_names
    states = [
        [oracles.pin_q(pm, names, q), oracles.pin_v(pm, names, qd), oracles.pin_v(pm, names, qdd)]
        for q, qd, qdd in zip(*state, strict=True)
    ]
    rows = (pin.computeJointTorqueRegressor(pm.model, pm.data, *x) for x in states)
    Y = np.array([[oracles.from_pin_v(pm, names, column) for column in Y.T] for Y in rows]).swapaxes(1, 2)
    weights, pi = np.ones(6), None
    for _ in range(100):
        A = (Y * weights[:, None]).reshape(-1, Y.shape[-1])
        pi = np.linalg.pinv(A, rcond=1e-9) @ (tau * weights).ravel()
        left = tau - Y @ pi
        U, singular, _ = np.linalg.svd(A, full_matrices=False)
        U = U[:, singular > 1e-9 * singular[0]]
        degrees = 800 - np.sum(U**2, axis=1).reshape(800, 6).sum(axis=0)
        weights = 1 / np.sqrt(np.sum(left**2, axis=0) / degrees)
    found = rne.identify(robot, *state, tau, rotors=False)
    np.testing.assert_allclose(found.residual, np.sqrt(np.mean(left**2, axis=0)), rtol=1e-5)
    np.testing.assert_allclose(found.noise, 1 / weights, rtol=1e-3)
    assert_near(found.torques(*state), Y @ pi, 1e-3 * sd.min() / np.abs(tau).max())


def test_memory_does_not_grow():
    robot, rng = PLANAR, np.random.default_rng(2)
    identifier = rne.Identifier(robot, friction=True)
    state = series(robot, 20_000, rng)
    tau = rne.inverse_dynamics(robot, *state, friction=True)
    identifier.update(*state, tau)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(20):
            identifier.update(*state, tau)
        assert tracemalloc.get_traced_memory()[0] - before < 300_000
    finally:
        tracemalloc.stop()
    assert identifier.samples == 21 * 20_000


def colored(kind, samples, n, rng):
    white = rng.normal(size=(samples + 600, n))
    if kind == "autoregressive":
        noise = signal.lfilter([1.0], [1.0, -0.9], white, axis=0)
    elif kind == "filtered":
        noise = signal.filtfilt(*signal.butter(4, 0.1), white, axis=0)
    else:
        noise = white
    return noise[300 : 300 + samples] / noise.std()


@pytest.mark.parametrize("kind", ["white", "autoregressive", "filtered"])
def test_intervals_cover_the_truth_under_colored_noise(kind):
    robot = arm()
    truth, hits, naive, count = heavier(robot), 0, 0, 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        state = series(robot, 3000, rng)
        tau = rne.inverse_dynamics(truth, *state, friction=True)
        tau = tau + colored(kind, 3000, 6, rng) * 0.1 * tau.std(axis=0)
        found = rne.identify(robot, *state, tau, friction=True)
        wanted = found.base.values(rne.parameters(truth, friction=True))
        low, high = found.interval().T
        assert np.isfinite(low).all()
        hits += np.count_nonzero((low < wanted) & (wanted < high))
        white = found.sd / np.sqrt(found.inflation)
        naive += np.count_nonzero(np.abs(found.beta - wanted) < 1.96 * white)
        count += len(wanted)
        assert (found.autocorrelation > 0.8).all() or kind == "white"
    assert 0.90 < hits / count < 0.98
    assert (naive / count < 0.6) == (kind != "white")  # what would be said without a look at the correlation


def test_intervals_use_the_distribution_of_student():
    for freedom in (5, 12, 31, 100, np.inf):
        for level in (0.5, 0.9, 0.95, 0.99):
            wanted = stats.t.ppf((1 + level) / 2, freedom) if np.isfinite(freedom) else stats.norm.ppf((1 + level) / 2)
            assert student(level, freedom) == pytest.approx(wanted, rel=5e-3)
    found = rne.identify(PLANAR, *(x := series(PLANAR, 100, np.random.default_rng(0))), x[0])
    for level in (0.0, 1.0, "high", None):
        with pytest.raises(rne.ArgumentError, match="level: wanted"):
            found.interval(level)


def test_outliers_count_little_with_the_weights_of_huber():
    """Against scipy's minimizer of the same loss, with the scale that was found."""
    robot, rng = PLANAR, np.random.default_rng(5)
    truth = heavier(robot)
    state = series(robot, 2000, rng)
    tau = rne.inverse_dynamics(truth, *state, friction=True)
    noisy = tau + 0.05 * rng.normal(size=tau.shape) + 20 * (rng.uniform(size=tau.shape) < 0.05)
    plain = rne.identify(robot, *state, noisy, friction=True)
    robust = rne.identify(robot, *state, noisy, friction=True, huber=1.345)
    base = robust.base
    wanted = base.values(rne.parameters(truth, friction=True))
    assert np.abs(robust.beta - wanted).max() < 0.1 * np.abs(plain.beta - wanted).max()
    W = base.regressor(*state)

    def loss(beta):
        return ((noisy - W @ beta) / robust.noise).ravel() / 1.345

    start = np.linalg.lstsq(W.reshape(-1, len(base)), noisy.ravel(), rcond=None)[0]
    best = optimize.least_squares(loss, start, loss="huber", xtol=1e-14, ftol=1e-14, gtol=1e-14)
    assert (np.abs(robust.beta - best.x) < 0.01 * robust.sd).all()
    assert (np.abs(robust.beta - wanted) < 5 * robust.sd).all()
    for huber in (0.0, -1.0, "much", np.nan):
        with pytest.raises(rne.ArgumentError, match="huber: wanted"):
            rne.identify(robot, *state, noisy, huber=huber)
    with pytest.raises(rne.ArgumentError, match="reference: wanted together with huber"):
        rne.Identifier(robot, huber=1.345)
    with pytest.raises(rne.ArgumentError, match="reference: it is of another robot"):
        rne.Identifier(arm(), huber=1.345, reference=robust)


def test_held_out_data():
    robot, rng = arm(), np.random.default_rng(6)
    truth = heavier(robot)
    state = series(robot, 1500, rng)
    tau = rne.inverse_dynamics(truth, *state, friction=True) + rng.normal(size=state[0].shape)
    found = rne.identify(robot, *state, tau, friction=True)
    other = series(robot, 1200, rng)
    measured = rne.inverse_dynamics(truth, *other, friction=True) + rng.normal(size=other[0].shape)
    held = found.validate(*other, measured)

    def rms(model):
        return np.sqrt(np.mean((measured - model) ** 2, axis=0))

    assert_near(held.torque, rms(0.0), 1e-12)
    assert_near(held.given, rms(rne.inverse_dynamics(robot, *other, friction=True)), 1e-9)
    assert_near(held.found, rms(found.torques(*other)), 1e-9)
    assert_near(held.physical, rms(rne.inverse_dynamics(found.robot, *other, friction=True)), 1e-9)
    assert (held.found < 1.05).all()
    assert_near(held.relative, held.found / held.torque)
    streamed = rne.Identifier(robot, friction=True)
    with pytest.raises(rne.ArgumentError, match="tau: there are no samples"):
        streamed.validate(found)
    for begin in range(0, 1200, 100):
        streamed.update(*(x[begin : begin + 100] for x in (*other, measured)))
    assert_near(streamed.validate(found).found, held.found, 1e-9)
    for wrong in (None, robot, rne.identify(PLANAR, *random_states(2, 50), random_states(2, 50)[0])):
        with pytest.raises(rne.ArgumentError, match="found: wanted an Identification"):
            streamed.validate(wrong)


def test_the_consistent_parameters_have_their_own_uncertainty():
    """Intervals of `pi_physical` hold the true values, and are no wider than those without bounds."""
    robot, runs = PLANAR, 60
    truth = heavier(robot)
    state = series(robot, 2000, np.random.default_rng(7))
    tau = rne.inverse_dynamics(truth, *state)
    values, stated, free, true = [], [], [], rne.base_parameters(truth).values()
    for seed in range(runs):
        noisy = tau + 5.0 * np.random.default_rng(seed).normal(size=tau.shape)
        found = rne.identify(robot, *state, noisy, noise=[5.0, 5.0])
        values.append(found.base.values(found.pi_physical))
        stated.append(found.sd_physical)
        free.append(found.sd)
    inside = np.abs(np.array(values) - true) < 1.96 * np.array(stated)
    assert 0.9 < inside.mean() < 0.985
    assert (inside.mean(axis=0) > 0.85).all()
    spread, stated, free = np.std(values, axis=0, ddof=1), np.mean(stated, axis=0), np.mean(free, axis=0)
    apart = stated > 0.98 * free  # from the boundary
    assert apart.any()
    np.testing.assert_allclose(stated[apart], spread[apart], rtol=0.35)
    assert (stated <= 1.02 * free).all()
    assert (stated < 0.9 * free).any()


def test_a_log_that_comes_twice_is_noticed():
    """In other chunks, too; samples at rest may be equal."""
    arm = rne.load(MODELS / "planar2" / "robot.dh.toml")
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 3000, 2))
    tau = rne.inverse_dynamics(arm, q, qd, qdd) + 0.1 * rng.normal(size=q.shape)
    identifier = rne.Identifier(arm)
    for part in (slice(0, 3000), slice(0, 700), slice(700, 3000)):
        identifier.update(q[part], qd[part], qdd[part], tau[part])
    with pytest.warns(rne.ModelWarning, match="50 % of the samples came before, .* give each log once"):
        identifier.solve()
    still, held = np.zeros((3000, 2)), np.repeat(q[:3], 1000, axis=0)
    rne.identify(arm, held, still, still, rne.gravity_vector(arm, held).round(1))
