"""Identification: planted parameters come back, exactly without noise and within what is stated with it."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from checks import assert_near, random_states
from models_at_hand import MODELS
from own_robots import ARM, arm, gripper
from scipy import stats

import rne
from rne.bodies.inertia import Inertia

SAMPLES = 150


def planted(robot, seed=0):
    """Return the robot with other masses and with friction: what is to be found."""
    pi, rng = rne.parameters(robot, rotors=False), np.random.default_rng(seed)
    joints = robot.links.joints
    changed = robot.with_parameters(pi * np.repeat(rng.uniform(0.7, 1.4, len(joints)), 10), strict=False)
    return changed.with_drives({name: rne.Drive(0.0, 1.0, *rng.uniform(0.2, 1.0, 3)) for name in joints})


def puma():
    return rne.load(MODELS / "puma560" / "robot.dh.toml")


ROBOTS = {"planar2": rne.load(MODELS / "planar2" / "robot.dh.toml"), "arm": arm(), "gripper": gripper()}
BOTH = pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)


@BOTH
@pytest.mark.parametrize("noise", [None, "estimated", "given"])
def test_without_noise_they_come_back_exactly(robot, noise):
    truth, state = planted(robot), random_states(robot.n, SAMPLES, seed=1)
    tau = rne.inverse_dynamics(truth, *state, friction=True)
    weights = np.full(robot.n, 0.1) if noise == "given" else noise
    found = rne.identify(robot, *state, tau, friction=True, noise=weights)
    wanted = found.base.values(rne.parameters(truth, friction=True))
    assert_near(found.beta, wanted, 1e-9)
    assert_near(found.base.K @ found.pi, wanted, 1e-9)
    assert_near(found.residual, np.zeros(robot.n), 1e-9)
    assert np.abs(found.prior_residual).max() > 0.05
    assert found.unphysical == ()
    again = random_states(robot.n, 20, seed=2)
    wanted = rne.inverse_dynamics(truth, *again, friction=True)
    assert_near(rne.inverse_dynamics(found.robot, *again, friction=True), wanted, 1e-8)


def test_torques_of_another_program():
    """Pinocchio's torques of the arm, identified from an arm whose links are all alike."""
    robot = arm().with_drives({name: rne.Drive() for name in arm().joint_names})
    body = [2.0, 0.02, 0.02, 0.02, 0.05, 0, 0, 0.05, 0, 0.05]
    start, state = robot.with_parameters(body * 6), random_states(6, SAMPLES, seed=3)
    pm = oracles.pin_model(ARM)
    tau = [oracles.pin_inverse_dynamics(pm, robot.joint_names, *(x[k] for x in state)) for k in range(SAMPLES)]
    found = rne.identify(start, *state, tau)
    assert_near(found.beta, found.base.values(rne.parameters(robot)), 1e-9)
    assert found.prior_residual.min() > 0.1


@BOTH
def test_with_noise_they_come_back_within_what_is_stated(robot):
    """Over runs with other noise each, the error in standard deviations is that of a normal distribution.

    The sums of squares, over the stated covariance, must lie where chi squared puts 99.8 % of its sums.
    """
    truth, state = planted(robot), random_states(robot.n, SAMPLES, seed=1)
    tau = rne.inverse_dynamics(truth, *state, friction=True)
    rng, runs = np.random.default_rng(4), 10
    sd = rng.uniform(0.02, 0.3, robot.n) * np.std(tau, axis=0)
    for noise in (sd, "estimated"):
        squares, worst, count = 0.0, 0.0, 0
        for _ in range(runs):
            found = rne.identify(robot, *state, tau + rng.normal(size=tau.shape) * sd, friction=True, noise=noise)
            shown = np.isfinite(found.sd)  # noise hides the rotors of the fingers of the gripper, which are tiny
            assert [text for text, x in zip(found.base.expressions, shown, strict=True) if not x] == [*found.unexcited]
            assert len(found.unexcited) <= 1
            error = (found.beta - found.base.values(rne.parameters(truth, friction=True)))[shown]
            squares += error @ np.linalg.solve(found.covariance[np.ix_(shown, shown)], error)
            worst = max(worst, np.abs(error / found.sd[shown]).max())
            count += len(error)
            np.testing.assert_allclose(found.noise, sd, rtol=0.3)
            np.testing.assert_allclose(found.sd**2, np.diagonal(found.covariance), rtol=1e-12)
        low, high = stats.chi2.ppf([0.001, 0.999], count)
        assert low < squares < high * (1.0 if noise is sd else 1.1)  # the estimated sd has an error of its own
        assert worst < stats.norm.isf(0.001 / count)


def test_equal_noise_is_estimated_from_the_residuals():
    robot = ROBOTS["planar2"]
    truth, state = planted(robot), random_states(2, 2000, seed=5)
    noisy = rne.inverse_dynamics(truth, *state) + np.random.default_rng(6).normal(size=(2000, 2)) * 0.2
    found = rne.identify(robot, *state, noisy, noise=None)
    np.testing.assert_allclose(found.noise, 0.2, rtol=0.05)
    np.testing.assert_allclose(found.residual, 0.2, rtol=0.05)
    given = rne.identify(robot, *state, noisy, noise=[0.2, 0.2])
    np.testing.assert_allclose(found.sd, given.sd, rtol=0.05)
    np.testing.assert_allclose(found.beta, given.beta, rtol=1e-9, atol=1e-12)


def test_weights_matter():
    """A joint with loud noise spoils the others if all count the same."""
    robot = ROBOTS["arm"]
    truth, state = planted(robot), random_states(6, SAMPLES, seed=7)
    sd = np.array([20.0, 20.0, 20.0, 0.01, 0.01, 0.01])
    noisy = rne.inverse_dynamics(truth, *state) + np.random.default_rng(8).normal(size=(SAMPLES, 6)) * sd
    errors = []
    for noise in (None, "estimated", sd):
        found = rne.identify(robot, *state, noisy, noise=noise, rotors=False)
        errors.append(np.abs(found.beta - found.base.values(rne.parameters(truth, rotors=False)))[-6:].max())
    assert errors[1] < 0.1 * errors[0]
    assert errors[2] < 0.1 * errors[0]


def test_what_is_not_asked_for_is_that_of_the_robot():
    """Springs and rotors act, and are known; the columns of the rotors find them where they are not."""
    robot = ROBOTS["planar2"].with_drives(
        {"shoulder": rne.Drive(0.002, 10.0, stiffness=3.0, rest=0.4), "elbow": rne.Drive(0.001, 20.0, stiffness=1.0)}
    )
    start, state = planted(robot), random_states(2, SAMPLES, seed=9)
    start = start.with_drives({name: robot.joint(name).drive for name in robot.joint_names})
    tau = rne.inverse_dynamics(robot, *state)
    found = rne.identify(start, *state, tau, rotors=False)
    assert_near(found.beta, found.base.values(rne.parameters(robot, rotors=False)), 1e-9)
    springs = {name: rne.Drive(stiffness=d.stiffness, rest=d.rest) for name, d in drives(robot).items()}
    found = rne.identify(start.with_drives(springs), *state, tau)
    assert_near(found.beta, found.base.values(rne.parameters(robot)), 1e-9)
    assert drives(found.robot)["elbow"].reflected_inertia == pytest.approx(0.4, abs=1e-9)


def drives(robot):
    return {name: robot.joint(name).drive for name in robot.joint_names}


def test_the_full_parameters_are_the_nearest_with_bodies():
    """The start is shifted along what no torque tells, so far that the nearest numbers of all belong to no body.

    At the nearest of a convex set every way to another of its points, such as the truth, leads further away.
    """
    truth, state = arm(), random_states(6, SAMPLES, seed=10)
    pi, base = rne.parameters(truth, rotors=False), rne.base_parameters(truth, rotors=False)
    start = np.tile([0.3, 0, 0, 0, 1e-3, 0, 0, 1e-3, 0, 1e-3], 6)
    found = rne.identify(truth.with_parameters(start), *state, rne.inverse_dynamics(truth, *state), rotors=False)
    assert found.unphysical == ()
    assert_near(base.K @ found.pi, base.values(), 1e-9)
    for row in found.pi.reshape(6, 10):
        assert np.linalg.eigvalsh(pseudo(row))[0] > -1e-6 * row[0]

    def inner(x, y):
        """Products of pseudo-inertias in units of mass and radius of gyration of the links at the start."""
        side, total = np.array([*[np.sqrt(0.0015 / 0.3)] * 3, 1.0]), 0.0
        for a, b in zip(x.reshape(6, 10), y.reshape(6, 10), strict=True):
            total += np.sum(pseudo(a) * pseudo(b) / np.outer(side, side) ** 2) / 0.3**2
        return total

    assert inner(found.pi - start, pi - found.pi) > -1e-3 * inner(found.pi - start, found.pi - start)
    assert inner(found.pi - start, found.pi - start) < 0.999 * inner(pi - start, pi - start)


def pseudo(row):
    m, x, y, z, xx, xy, xz, yy, yz, zz = row
    half = (xx + yy + zz) / 2
    return np.array([[half - xx, -xy, -xz, x], [-xy, half - yy, -yz, y], [-xz, -yz, half - zz, z], [x, y, z, m]])


def test_where_noise_leaves_no_bodies_the_most_likely_ones_are_nearer_the_truth():
    """The truth is one of a convex set, and what is nearest in such a set cannot be further from it than before."""
    robot = arm()
    truth, state = planted(robot), random_states(6, SAMPLES, seed=16)
    sd, rng = np.array([1.0, 1.0, 1.0, 0.1, 0.1, 0.1]), np.random.default_rng(17)
    noisy = rne.inverse_dynamics(truth, *state, friction=True) + rng.normal(size=(SAMPLES, 6)) * sd
    found = rne.identify(robot, *state, noisy, friction=True, noise=sd)
    assert found.unphysical != ()
    likely = robot.with_parameters(found.pi_physical)  # which refuses what cannot be
    wanted = found.base.values(rne.parameters(truth, friction=True))

    def distance(beta):
        return np.sqrt((beta - wanted) @ np.linalg.solve(found.covariance, beta - wanted))

    beta = found.base.values(found.pi_physical)
    assert distance(beta) < 0.95 * distance(found.beta)
    assert_near(found.base.values(rne.parameters(likely, friction=True)), beta, 1e-9)


def test_a_robot_that_is_right_stays_as_it_is():
    robot, state = arm(), random_states(6, SAMPLES, seed=11)
    found = rne.identify(robot, *state, rne.inverse_dynamics(robot, *state, friction=True), friction=True)
    assert_near(found.pi, rne.parameters(robot, friction=True), 1e-9)
    assert_near(found.prior_residual, np.zeros(6), 1e-9)


def test_torques_that_no_body_explains_are_said_to_be_such():
    """A wheel that helps to be turned."""
    wheel = rne.from_dh([{"joint": "revolute", "mass": 1.0, "inertia": np.eye(3)}], convention="standard")
    state = random_states(1, 30)
    found = rne.identify(wheel, *state, -0.5 * state[2], rotors=False)
    assert_near(found.beta, [-0.5], 1e-12)
    assert found.unphysical == ("joint1",)
    assert "parameters are not physically consistent: joint1" in str(found)
    assert "found.robot has the most likely consistent ones" in str(found)
    assert found.base.values(found.pi_physical) == pytest.approx([0.0], abs=1e-9)
    assert_near(rne.inverse_dynamics(found.robot, *state), 0 * state[2], 1e-9)
    assert_near(found.physical_residual, np.sqrt(np.mean((0.5 * state[2]) ** 2, axis=0)), 1e-9)
    assert_near(found.torques(*state), -0.5 * state[2], 1e-12)
    loose = wheel.with_parameters(found.pi, strict=False)
    assert_near(rne.inverse_dynamics(loose, *state), -0.5 * state[2], 1e-12)
    lively = rne.identify(wheel, *state, state[2] - 0.1 * state[1], friction=True)
    assert lively.unphysical == ("joint1",)


def test_the_report():
    robot = ROBOTS["planar2"]
    state = random_states(2, SAMPLES, seed=12)
    found = rne.identify(robot, *state, rne.inverse_dynamics(robot.with_payload(0.5), *state))
    lines = str(found).splitlines()
    assert lines[0].startswith("planar2: 7 base parameters, condition number ")
    (line,) = [line for line in lines if line.endswith("Izz_shoulder + m_elbow + rotor_shoulder")]
    assert [float(x) for x in line.split()[1:5:3]] == [pytest.approx(11 / 6, rel=1e-4), pytest.approx(4 / 3, rel=1e-4)]
    assert lines[-1] == "parameters are physically consistent; found.robot has them"


def test_the_condition_number_is_that_of_columns_of_one_length():
    robot, state = ROBOTS["planar2"], random_states(2, SAMPLES, seed=13)
    found = rne.identify(robot, *state, rne.inverse_dynamics(robot, *state))
    W = found.base.regressor(*state).reshape(-1, 7)
    assert found.condition == pytest.approx(np.linalg.cond(W / np.linalg.norm(W, axis=0)))


def test_motions_that_show_too_little():
    """Poses at rest show the weights, and a joint that moves alone its own inertia; the report names all else."""
    robot, (q, qd, qdd) = ROBOTS["planar2"], random_states(2, SAMPLES, seed=14)
    truth = planted(robot)
    wanted = rne.base_parameters(robot).values(rne.parameters(truth))
    at_rest, alone = (q, 0 * q, 0 * q), (q * [0, 1], qd * [0, 1], qdd * [0, 1])
    for state, hidden in ((at_rest, ["Izz_shoulder", "Izz_elbow", "rotor_elbow"]), (alone, ["Izz_shoulder"])):
        tau = rne.inverse_dynamics(truth, *state)
        results = {choice: rne.identify(robot, *state, tau, unexcited=choice) for choice in ("fix", "drop", "ridge")}
        for choice, found in results.items():
            for name in hidden:
                assert any(text.startswith(name) for text in found.unexcited)
            assert "; ".join(found.unexcited) in str(found)
            assert_near(found.residual, np.zeros(2), 1e-6 if choice == "ridge" else 1e-9)
            shown = np.array([text not in found.unexcited for text in found.base.expressions])
            assert (np.isnan(found.sd) == ~shown).all() or choice == "ridge"
            assert found.robot.n == 2
        shown = np.array([text not in results["fix"].unexcited for text in results["fix"].base.expressions])
        given = results["fix"].base.values()
        assert_near(results["fix"].beta[~shown], given[~shown])
        assert_near(results["drop"].beta[~shown], 0 * given[~shown])
        if state is at_rest:
            assert_near(results["fix"].beta[shown], wanted[shown], 1e-9)
            assert_near(results["ridge"].beta[shown], wanted[shown], 1e-6)
    assert rne.identify(robot, q[:2], qd[:2], qdd[:2], rne.inverse_dynamics(truth, q[:2], qd[:2], qdd[:2])).unexcited
    with pytest.raises(rne.ArgumentError, match="unexcited: wanted 'fix', 'drop' or 'ridge', got 'keep'"):
        rne.identify(robot, q, qd, qdd, tau, unexcited="keep")
    with pytest.raises(rne.ArgumentError, match="tau: there are no samples"):
        rne.identify(robot, q[:0], qd[:0], qdd[:0], q[:0])


def test_wrong_arguments():
    robot, state = ROBOTS["planar2"], random_states(2, SAMPLES, seed=15)
    tau = rne.inverse_dynamics(robot, *state)
    broken = tau.copy()
    broken[7, 1] = np.nan
    with pytest.raises(rne.ArgumentError, match="tau: sample 7 of 150 is not finite"):
        rne.identify(robot, *state, broken)
    for noise in ([1.0, 0.0], [1.0], "loud", [1.0, np.nan]):
        with pytest.raises(rne.ArgumentError, match="noise: wanted"):
            rne.identify(robot, *state, tau, noise=noise)
    still = rne.load_urdf('<robot name="block"><link name="base"/></robot>')
    with pytest.raises(rne.ArgumentError, match="robot: it has no joints"):
        rne.identify(still, *np.zeros((4, 9, 0)))
    with pytest.raises(rne.ArgumentError, match="tau: wanted shape"):
        rne.identify(robot, *state, tau[:, :1])


# ----------------------------------------------------------------------------------------------------- with_parameters


def test_a_robot_of_its_own_parameters_is_the_same():
    robot = arm().with_drives({"roll": rne.Drive(0.01, 7.0, 0.1, 0.2, 0.3, 4.0, 0.5)})
    state = random_states(6, 20)
    for options in ({}, {"rotors": False}, {"friction": True}, {"rotors": False, "friction": True}):
        again = robot.with_parameters(rne.parameters(robot, **options))
        tau = rne.inverse_dynamics(robot, *state, friction=True)
        assert_near(rne.inverse_dynamics(again, *state, friction=True), tau, 1e-12)
        assert drives(again)["roll"].gear_ratio == 7.0
        assert again.total_mass == pytest.approx(robot.total_mass)
        assert again.frame_names == robot.frame_names
    assert {b.name: b.mass for b in again.tree.bodies}["tool"] == 0.0


def test_a_body_is_placed_by_its_own_frame():
    robot = arm()
    body = Inertia.box(3.0, [0.1, 0.2, 0.3]).shifted([0.01, 0.02, 0.03])
    row = [body.mass, *(body.mass * body.com), *body.about([0, 0, 0])[np.triu_indices(3)]]
    changed = robot.with_parameters([*rne.parameters(robot, rotors=False)[:-10], *row])
    (hand,) = [b for b in changed.tree.bodies if b.name == "hand"]
    assert_near(hand.com, body.com)
    assert_near(hand.inertia, body.tensor)


def test_parameters_that_cannot_be():
    robot = arm()
    pi = rne.parameters(robot, rotors=False)
    wrong = pi.copy()
    wrong[4] = 100.0  # beyond the sum of the other two moments
    with pytest.raises(rne.ArgumentError, match=r"the numbers .* of joint 'turret' are physically impossible"):
        robot.with_parameters(wrong)
    robot.with_parameters(wrong, strict=False)
    massless = pi.copy()
    massless[10] = 0.0
    with pytest.raises(rne.ArgumentError, match=r"of joint 'shoulder' are .*: the first moments .* are without a mass"):
        robot.with_parameters(massless)
    for bad in (pi[:-1], pi[:, None], [], [[1.0], [1.0, 2.0]], 3.0):
        with pytest.raises(rne.ArgumentError, match="pi: wanted 60 or 66 or 78 or 84 numbers"):
            robot.with_parameters(bad)
    with pytest.raises(rne.ArgumentError, match="pi: wanted finite numbers"):
        robot.with_parameters(pi * np.nan)
    with pytest.raises(rne.ArgumentError, match="rotor_inertia: wanted zero or more"):
        robot.with_parameters([*pi, *[-1.0] * 6])
