"""Derivatives of torques and accelerations: complex steps of the plain twin, and the laws that connect them."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from checks import (
    assert_batch_is_its_single_calls,
    assert_nan_stays_in_its_sample,
    assert_near,
    assert_same_bits,
    random_robot,
    random_states,
    random_tree,
)
from complex_steps import by_complex_steps, torque_derivatives

import rne

# What is wanted is 1e-11 of the largest entry.
TOLERANCE = 1e-12
SEEDS = range(24)


def near(got, wanted, rtol=TOLERANCE):
    """Each matrix by its own largest entry."""
    for ours, theirs in zip(got, wanted, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=rtol * max(np.abs(theirs).max(initial=0.0), 1e-3))


def subject(seed, **features):
    features = {"couplings": 0.3, "one_sided": True, "degenerate": 0.2} | features
    tree = random_tree(seed, 1 + seed % 12, **features)
    robot = rne.Robot(tree)
    q, qd, qdd = random_states(robot.n, seed=seed)
    return tree, robot, (q, qd, qdd)


def wrenches(tree, seed):
    """Two in world axes and two in those of their frames, on any bodies, the root at times."""
    rng = np.random.default_rng(seed)
    names = rng.permutation([body.name for body in tree.bodies])[:4].tolist()
    return {
        name: rng.normal(size=6) * 10 if k % 2 else (rng.normal(size=6) * 10, "local") for k, name in enumerate(names)
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_dynamics_by_complex_steps(seed):
    tree, robot, state = subject(seed)
    for friction in (False, True):
        got = rne.inverse_dynamics_derivatives(robot, *state, friction=friction)
        near(got, torque_derivatives(tree, *state, friction=friction))


@pytest.mark.parametrize("seed", SEEDS)
def test_wrenches_by_complex_steps(seed):
    tree, robot, state = subject(seed)
    options = {"f_ext": wrenches(tree, seed), "gravity": np.array([1.0, -2.0, 7.0])}
    got = rne.inverse_dynamics_derivatives(robot, *state, **options)
    near(got, torque_derivatives(tree, *state, **options))
    weights = np.random.default_rng(seed).normal(size=robot.n)
    gradient = rne.inverse_dynamics_vjp(robot, *state, weights, **options)
    near(gradient, [weights @ part for part in torque_derivatives(tree, *state, **options)])


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_by_complex_steps(seed):
    tree, robot, state = subject(seed)
    weights = np.random.default_rng(seed).normal(size=robot.n)
    for friction in (False, True):
        got = rne.inverse_dynamics_vjp(robot, *state, weights, friction=friction)
        near(got, [weights @ part for part in torque_derivatives(tree, *state, friction=friction)])


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics_by_complex_steps(seed):
    """Both sides of M dqdd = -dtau at the acceleration that the torques cause."""
    tree, robot, (q, qd, tau) = subject(seed, heavy_tips=True, massless=0.0, degenerate=0.0)
    for options in ({}, {"friction": True}, {"f_ext": wrenches(tree, seed)}):
        got = rne.forward_dynamics_derivatives(robot, q, qd, tau, **options)
        qdd = rne.forward_dynamics(robot, q, qd, tau, **options)
        by_q, by_qd, M = torque_derivatives(tree, q, qd, qdd, **options)
        inverse = np.linalg.inv(M)
        condition = np.linalg.cond(M)
        near(got, [-inverse @ by_q, -inverse @ by_qd, inverse], 1e-14 * max(100, condition))
        near([M @ got.dqdd_dtau], [np.eye(robot.n)], 1e-14 * max(100, condition))


@pytest.mark.parametrize("seed", SEEDS)
def test_gravity_by_complex_steps(seed):
    tree, robot, (q, _, _) = subject(seed)
    G = rne.gravity_derivative(robot, q)
    near([G], [by_complex_steps(lambda x: reference.gravity_vector(tree, x), q)])
    assert (G == G.T).all()
    other = [3.0, 0.0, -1.0]
    near(
        [rne.gravity_derivative(robot, q, gravity=other)],
        [by_complex_steps(lambda x: reference.gravity_vector(tree, x, gravity=other), q)],
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_rate_by_complex_steps(seed):
    """Along the motion, one complex step is the rate of change."""
    tree, robot, (q, qd, _) = subject(seed)
    for body in (tree.bodies[-1].name, tree.bodies[len(tree.bodies) // 2].name):
        wanted = np.imag(reference.jacobian(tree, q + 1e-30j * qd, body)) / 1e-30
        got = rne.jacobian_dot(robot, q, qd, body)
        near([got], [wanted])
        R = reference.forward_kinematics(tree, q)[body][0]
        local = rne.jacobian_dot(robot, q, qd, body, axes="local")
        near([local], [np.concatenate([R.T @ wanted[:3], R.T @ wanted[3:]])])
        point = [0.1, -0.2, 0.3]
        assert_near(
            rne.jacobian_dot(robot, q, qd, body, point=point) @ qd,
            rne.jacobian_dot_qd(robot, q, qd, body, point=point),
            1e-12,
        )


def test_laws_that_connect_them():
    robot = random_robot(7, 10, massless=0.0)
    q, qd, qdd = random_states(robot.n, 5)
    by_q, by_qd, M = rne.inverse_dynamics_derivatives(robot, q, qd, qdd)
    assert_near(M, rne.mass_matrix(robot, q))
    assert_near(by_qd, 2 * rne.coriolis_matrix(robot, q, qd))
    still = rne.inverse_dynamics_derivatives(robot, q).dtau_dq
    assert_near(still, np.swapaxes(still, -1, -2))  # with springs, too
    # What is linear in qdd is the derivative of M qdd: the Christoffel symbols give it.
    D = rne.christoffel(robot, q)
    rate = np.einsum("...ijk,...j->...ik", D + np.swapaxes(D, -3, -2), qdd)  # dM_ij/dq_k qdd_j
    assert_near(by_q - rne.inverse_dynamics_derivatives(robot, q, qd).dtau_dq, rate)


def test_coulomb_friction_has_no_derivative():
    row = {"joint": "revolute", "a": 0.1, "mass": 1.0, "viscous": 0.5, "coulomb": 3.0}
    wheel = rne.from_dh([row], convention="standard")
    for qd in (-1.0, 0.0, 2.0):
        assert rne.inverse_dynamics_derivatives(wheel, [0.0], [qd], friction=True).dtau_dqd == 0.5
        assert rne.inverse_dynamics_derivatives(wheel, [0.0], [qd]).dtau_dqd == 0.0


def moved_most(robot):
    """Name of a frame beyond as many joints as any other."""
    q = np.full(robot.n, 0.3)
    return max(robot.frame_names, key=lambda name: np.count_nonzero(rne.jacobian(robot, q, name).any(axis=0)))


CALLS = {
    "inverse": lambda robot, s, **options: np.stack(
        rne.inverse_dynamics_derivatives(robot, *s, friction=True, **options), axis=-3
    ),
    "forward": lambda robot, s, **options: np.stack(rne.forward_dynamics_derivatives(robot, *s, **options), axis=-3),
    "gradient": lambda robot, s, **options: np.stack(
        rne.inverse_dynamics_vjp(robot, *s, s[2], friction=True, **options), axis=-2
    ),
    "gravity": lambda robot, s, **options: rne.gravity_derivative(robot, s[0], **options),
    "Jacobian": lambda robot, s, **options: rne.jacobian_dot(robot, s[0], s[1], moved_most(robot), **options),
    "wrenches": lambda robot, s, **options: (
        rne.inverse_dynamics_derivatives(
            robot, *s, f_ext={moved_most(robot): (np.arange(6.0), "local")}, **options
        ).dtau_dq
    ),
}


@pytest.mark.parametrize("name", sorted(set(CALLS) - {"forward"}))
@pytest.mark.parametrize("mimic", [0.0, 0.4])
def test_a_batch_is_its_single_calls(name, mimic):
    assert_batch_is_its_single_calls(CALLS[name], mimic)


@pytest.mark.parametrize("mimic", [0.0, 0.4])
def test_a_forward_batch_is_its_single_calls(mimic):
    """The robot of the others has joints that move no mass."""
    robot = random_robot(3, 9, mimic=mimic, massless=0.0, heavy_tips=True)
    state = random_states(robot.n, 21)
    batch = CALLS["forward"](robot, state)
    assert_same_bits(batch, [CALLS["forward"](robot, [x[k] for x in state]) for k in range(21)])
    assert_same_bits(batch, CALLS["forward"](robot, state, threads=2))


@pytest.mark.parametrize("name", CALLS)
def test_nan_stays_in_its_sample(name):
    assert_nan_stays_in_its_sample(CALLS[name])


@pytest.mark.parametrize("name", CALLS)
def test_single_precision(name):
    robot = random_robot(11, 7, massless=0.0)
    state = [x.astype(np.float32) for x in random_states(robot.n, 40)]
    got, wanted = CALLS[name](robot, state), CALLS[name](robot, [x.astype(np.float64) for x in state])
    if name == "wrenches":
        assert got.dtype == np.float64  # the wrench came in it
        return
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, wanted, rtol=0, atol=3e-4 * np.abs(wanted).max())


def test_out_holds_all_three():
    robot = random_robot(2, 5)
    state = random_states(robot.n, 4)
    out = np.zeros((4, 3, robot.n, robot.n))
    got = rne.inverse_dynamics_derivatives(robot, *state, out=out)
    assert all(np.shares_memory(part, out) for part in got)
    assert (out[:, 2] == rne.inverse_dynamics_derivatives(robot, *state).dtau_dqdd).all()


def test_a_singular_mass_matrix_is_refused():
    folded = rne.from_dh(
        [{"joint": "revolute", "a": 1.0}, {"joint": "revolute", "a": 1.0, "mass": 1.0}], convention="standard"
    )
    for q in ([0.0, 0.0], [[0.0, 1.0], [0.0, 0.0]]):
        with pytest.raises(rne.SingularError, match="singular"):
            rne.forward_dynamics_derivatives(folded, q)


def test_report_prints_all_matrices():
    robot = random_robot(2, 3, mimic=0.0)
    text = str(rne.inverse_dynamics_derivatives(robot, np.zeros(3)))
    assert [line.split()[0] for line in text.splitlines() if line.startswith("dtau")] == [
        "dtau_dq", "dtau_dqd", "dtau_dqdd",
    ]  # fmt: skip
