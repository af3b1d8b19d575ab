"""Friction laws: those that were planted are chosen, with few terms, and predict what they have not seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_near
from models_at_hand import MODELS
from own_robots import gripper
from scipy.optimize import minimize

import rne
from rne.identification.friction_laws import EXTRA, LAWS, terms_of
from rne.identification.law_drives import opposing

PLANAR = rne.load(MODELS / "planar2" / "robot.dh.toml")


def series(samples, rng, n=2):
    t = np.arange(samples) * 0.01
    q, qd, qdd = np.zeros((3, samples, n))
    for k in range(1, 6):
        a, b = rng.normal(size=(2, n)) / k
        w = 2 * np.pi * k / 10
        s, c = np.sin(w * t)[:, None], np.cos(w * t)[:, None]
        q, qd, qdd = q + a * s + b * c, qd + w * (a * c - b * s), qdd - w**2 * (a * s + b * c)
    return q, qd, qdd


def planted(kind, state):
    return planted_at(kind, state, state)


def planted_at(kind, state, of):
    qd = state[1]
    speed = np.abs(of[1]).max(axis=0)
    if kind == "none":
        return 0.0 * qd
    if kind == "viscous":
        return 1.5 * qd
    if kind == "Coulomb":
        return 0.5 * qd + 2.0 * (qd > 0) - 1.5 * (qd < 0)
    if kind == "smooth":
        return 0.5 * qd + 3.0 * np.tanh(qd / (0.1 * speed))
    if kind == "Stribeck":
        return 0.5 * qd + np.sign(qd) * (2.0 + 4.0 * np.exp(-np.abs(qd) / (0.05 * speed)))
    if kind == "load":
        return 0.5 * qd + np.sign(qd) * (1.0 + 0.2 * np.abs(rne.inverse_dynamics(PLANAR, *state)))
    return 0.5 * qd + np.sign(qd) + 0.8 * (qd / speed) ** 3


@pytest.mark.parametrize(
    ("kind", "term"),
    [
        ("none", None), ("viscous", "viscous"), ("Coulomb", "coulomb_plus"), ("smooth", "tanh 0.1"),
        ("Stribeck", "stribeck 0.05"), ("load", "load"),
    ],
)  # fmt: skip
def test_the_law_that_was_planted_is_chosen(kind, term):
    rng = np.random.default_rng(0)
    state, other = series(4000, rng), series(2000, rng)
    both = tuple(np.concatenate(pair) for pair in zip(state, other, strict=True))
    friction = planted(kind, both)
    noise = 0.1 * rng.normal(size=friction.shape)
    tau = rne.inverse_dynamics(PLANAR.with_payload(0.5), *both) + friction + noise
    found = rne.identify(PLANAR, *(x[:4000] for x in both), tau[:4000], friction="select")
    for law in found.laws:
        assert (term in law.terms) if term else law.terms == ()
        assert len(law.terms) <= 4 + (kind == "load")
    held = found.validate(*(x[4000:] for x in both), tau[4000:])
    assert (held.found < 1.06 * 0.1).all()  # the noise
    plain = rne.identify(PLANAR, *(x[:4000] for x in both), tau[:4000], friction=True)
    unseen = plain.validate(*(x[4000:] for x in both), tau[4000:]).found
    if kind in ("smooth", "Stribeck", "load"):
        assert (held.found < 0.8 * unseen).all()
        assert all(law.error < 0.8 * law.plain_error for law in found.laws)
    assert (held.found < 1.01 * unseen).all()
    true = rne.base_parameters(PLANAR.with_payload(0.5)).values()
    bodies = np.array(["coulomb" not in name and "viscous" not in name for name in found.base.expressions])
    assert (np.abs(found.beta[bodies] - true) < 5 * found.sd[bodies]).all()
    model = found.friction(*(x[4000:] for x in both))
    assert (
        np.abs(model - friction[4000:]).max() < 0.35 or kind == "load"
    )  # where the torque of the given robot is wrong
    assert_near(tau[4000:] - found.torques(*(x[4000:] for x in both)), _left(found, both, tau), 1e-9)


def _left(found, both, tau):
    """Return residuals from the columns, in another order of the calculation."""
    state = tuple(x[4000:] for x in both)
    equations = found.equations
    model = equations.torque(state)
    for j, Z in enumerate(equations.columns(state)):
        model[:, j] += Z[:, :-1] @ (found.vector - equations.given)[equations.index[j]]
    return tau[4000:] - model


def test_the_terms_are_what_they_say():
    state = tuple(x[:50] for x in series(50, np.random.default_rng(1)))
    v = state[1] / [2.0, 3.0]
    terms = terms_of(PLANAR, state, np.array([2.0, 3.0]))
    found = {name: terms[..., k] for k, name in enumerate(EXTRA)}
    assert_near(found["offset"], np.ones_like(v))
    assert_near(found["tanh 0.05"], np.tanh(v / 0.05))
    assert_near(found["stribeck 0.4"], np.sign(v) * np.exp(-np.abs(v) / 0.4))
    assert_near(found["quadratic"], v * np.abs(v))
    assert_near(found["cubic"], v**3)
    assert_near(found["root"] ** 2 * np.sign(v), v)
    assert_near(found["load"], np.sign(v) * np.abs(rne.inverse_dynamics(PLANAR, *state)))
    assert all(set(law.terms) <= {*EXTRA, "viscous", "coulomb_plus", "coulomb_minus"} for law in LAWS)
    assert len({law.terms for law in LAWS}) == len(LAWS)


def test_the_robot_carries_the_law_and_beta_the_nearest_standard_one():
    """The latter as fitted to the smooth law by numpy, at the velocities of the samples."""
    rng = np.random.default_rng(2)
    state = series(3000, rng)
    friction = planted("smooth", state)
    tau = rne.inverse_dynamics(PLANAR, *state) + friction + 0.01 * rng.normal(size=friction.shape)
    found = rne.identify(PLANAR, *state, tau, friction="select", rotors=False)
    for j, name in enumerate(PLANAR.joint_names):
        qd = state[1][:, j]
        wanted = np.linalg.lstsq(np.stack([qd, qd > 0, -1.0 * (qd < 0)], axis=1), friction[:, j], rcond=None)[0]
        own = [f"{term}_{name}" for term in ("viscous", "coulomb_plus", "coulomb_minus")]
        at = [found.base.expressions.index(term) for term in own]
        np.testing.assert_allclose(found.beta[at], wanted, rtol=0.02)
        drive, speed = found.robot.joint(name).drive, np.abs(qd).max()
        got = [drive.viscous, drive.coulomb_plus, drive.coulomb_minus, drive.smoothing / speed]
        np.testing.assert_allclose(got, [0.5, 3.0, 3.0, 0.1], rtol=0.01)
    # As a given robot, it has nothing left to be found.
    again = rne.identify(found.robot, *state, tau, friction=True, rotors=False)
    assert_near(again.residual, found.residual, 1e-3)
    unseen = series(500, rng)
    wanted = rne.inverse_dynamics(PLANAR, *unseen) + planted_at("smooth", unseen, state)
    assert np.abs(rne.inverse_dynamics(found.robot, *unseen, friction=True) - wanted).max() < 0.02
    bodies = found.base.robot.with_parameters(found.pi[: 10 * 2])
    assert_near(rne.inverse_dynamics(bodies, *state), rne.inverse_dynamics(PLANAR, *state), 2e-3)
    rest = np.sqrt(np.mean((tau - rne.inverse_dynamics(found.robot, *state, friction=True)) ** 2, axis=0))
    assert_near(found.physical_residual, rest, 1e-6)
    assert "friction laws" in str(found)
    assert found.to_dict()["laws"][0]["name"] == found.laws[0].name


def test_chunks_followers_and_outliers():
    """A robot with a mimic joint, added in chunks, with weights of Huber, gives what it gives at once."""
    robot, rng = gripper(), np.random.default_rng(3)
    state = series(1200, rng, robot.n)
    tau = rne.inverse_dynamics(robot, *state) + 0.3 * np.tanh(20 * state[1]) + 0.01 * rng.normal(size=state[1].shape)
    whole = rne.identify(robot, *state, tau, friction="select")
    identifier = rne.Identifier(robot, friction="select")
    for begin in range(0, 1200, 150):
        identifier.update(*(x[begin : begin + 150] for x in (*state, tau)))
    assert [law.terms for law in identifier.solve().laws] == [law.terms for law in whole.laws]
    assert_near(identifier.solve().beta, whole.beta, 1e-9)
    robust = rne.identify(
        robot, *state, tau + 5.0 * (rng.uniform(size=tau.shape) < 0.02), friction="select", huber=1.345
    )
    assert (robust.noise < 0.05).all()
    with pytest.raises(rne.ArgumentError, match=r"made by rne.Identifier.like\(found\)"):
        rne.Identifier(robot, friction="select").validate(whole)
    with pytest.raises(rne.ArgumentError, match="friction: wanted True, False or 'select', got 'all'"):
        rne.identify(robot, *state, tau, friction="all")


@pytest.mark.parametrize("ratio", [-0.7, 0.7])
def test_friction_of_a_mimic_joint(ratio):
    """Torques with the chosen laws are those that were fitted, friction of leader and follower included."""
    tree = gripper().tree
    leader = next(joint.mimic.leader for joint in tree.joints if joint.mimic)
    joints = tuple(replace(j, mimic=replace(j.mimic, ratio=ratio)) if j.mimic else j for j in tree.joints)
    robot, rng = rne.Robot(replace(tree, joints=joints)), np.random.default_rng(3)
    names = [joint.name for joint in robot.tree.joints if joint.kind != "fixed"]
    truth = robot.with_drives({name: rne.Drive(0, 1, *rng.uniform(0.2, 1.0, 3)) for name in names})
    state = series(1200, rng, robot.n)
    tau = rne.inverse_dynamics(truth, *state, friction=True) + 0.01 * rng.normal(size=state[0].shape)
    found = rne.identify(robot, *state, tau, friction="select", rotors=False)
    rest = np.sqrt(np.mean((tau - found.torques(*state)) ** 2, axis=0))
    assert_near(found.residual, rest, 1e-9)
    assert (rest < 0.012).all()
    named = [found.base.names[k] for k in found.base.independent]
    assert {f"coulomb_plus_{leader}", f"coulomb_minus_{leader}"} <= set(named)


def _rest(robot, state, tau):
    return np.sqrt(np.mean((tau - rne.inverse_dynamics(robot, *state, friction=True)) ** 2, axis=0))


@pytest.mark.parametrize("seed", [0, 1])
def test_friction_of_the_consistent_robot_is_fitted_to_its_bodies(seed):
    """A weak motion does not tell gravity from friction; both change when the bodies become consistent."""
    rng, robot = np.random.default_rng(seed), rne.load(MODELS / "puma560" / "robot.dh.toml")
    q, qd, qdd = (0.2 * x for x in series(600, rng, 6))
    state = (q + 0.5, qd, qdd)
    friction = 2.0 * qd + 0.5 * np.arange(1, 7) * np.tanh(qd / (0.1 * np.abs(qd).max(axis=0)))
    tau = rne.inverse_dynamics(robot, *state) + friction + 0.3 * rng.normal(size=q.shape)
    found = rne.identify(robot, *state, tau, friction="select")
    assert len(found.unphysical) > 3
    assert (_rest(found.robot, state, tau) < 1.02 * found.residual).all()
    assert_near(found.physical_residual, _rest(found.robot, state, tau), 1e-6)


def test_a_robot_carries_a_negative_stribeck_term():
    """It is how a drive has Coulomb friction that is smooth, and differs between the directions."""
    rng = np.random.default_rng(4)
    state = series(3000, rng)
    v = state[1] / np.abs(state[1]).max(axis=0)
    friction = np.where(v > 0, 2.0, 3.0) * np.sign(v) - 1.8 * np.sign(v) * np.exp(-np.abs(v) / 0.05)
    tau = rne.inverse_dynamics(PLANAR, *state) + friction + 0.05 * rng.normal(size=friction.shape)
    found = rne.identify(PLANAR, *state, tau, friction="select")
    for joint in PLANAR.joint_names:
        drive = found.robot.joint(joint).drive
        np.testing.assert_allclose([drive.coulomb_plus, drive.coulomb_minus, drive.stribeck], [2, 3, -1.8], atol=0.1)
    assert (_rest(found.robot, state, tau) < 1.01 * found.residual).all()


@pytest.mark.parametrize("seed", [3, 5, 6, 11])
def test_friction_that_opposes_motion_is_the_best_of_that_kind(seed):
    """Against sequential quadratic programming."""
    rng, terms = np.random.default_rng(seed), ("viscous", "coulomb_plus", "coulomb_minus", "stribeck 0.1")
    v = rng.normal(size=500)
    v /= np.abs(v).max()
    X = np.stack([v, v > 0, -1.0 * (v < 0), np.sign(v) * np.exp(-np.abs(v) / 0.1)], axis=1)
    y = X @ [0.5 * rng.normal() + 0.5, *rng.uniform(-0.5, 2.0, 2), -2.5] + 0.1 * rng.normal(size=500)
    Z = np.column_stack([X, y])
    found = opposing(Z.T @ Z, np.arange(4), np.zeros(4), dict(zip(terms, range(4), strict=True)))
    got = np.array([found.get(term, 0.0) for term in terms])
    wanted = minimize(
        lambda p: np.mean((X @ p - y) ** 2),
        [1.0, 1.0, 1.0, 0.0],
        jac=lambda p: 2 * X.T @ (X @ p - y) / 500,
        method="SLSQP",
        bounds=[(0, None)] * 3 + [(None, None)],
        constraints=[{"type": "ineq", "fun": lambda p: p[1:3] + p[3]}],
        options={"ftol": 1e-14},
    ).x
    np.testing.assert_allclose(got, wanted, atol=1e-5)
    assert got[:3].min() >= 0
    assert got[1:3].min() + got[3] >= 0


@pytest.mark.parametrize("samples", [1, 2, 3])
def test_hardly_any_samples(samples):
    """Warnings are errors: nothing overflows."""
    rng = np.random.default_rng(0)
    q, qd, qdd, tau = rng.normal(size=(4, samples, 6))
    found = rne.identify(rne.load(MODELS / "puma560" / "robot.dh.toml"), q, qd, qdd, tau, friction="select")
    assert np.isfinite(found.residual).all()
