"""Forward dynamics: against the plain twin, as the inverse of inverse dynamics, and as arrays."""

from __future__ import annotations

import numpy as np
import pytest
import reference as ref
import strategies
from checks import assert_same_bits, random_robot, random_states
from hypothesis import given
from hypothesis import strategies as st
from own_robots import arm, gripper

import rne

HEAVY = {"massless": 0.0, "heavy_tips": True}
SMALL = {"min_joints": 1, "max_joints": 9, "one_sided": True, **HEAVY}
ROBOTS = {
    "arm": arm(),
    "gripper": gripper(),
    "bush": random_robot(3, 11, branching=0.5, mimic=0.0, **HEAVY),
    "coupled": random_robot(5, 11, branching=0.3, mimic=0.4, **HEAVY),
    "chain": random_robot(4, 7, branching=0.0, mimic=0.0, prismatic=0.0, **HEAVY),
}
ALL = pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
METHODS = pytest.mark.parametrize("method", ["aba", "crba"])
PRECISION = pytest.mark.parametrize("dtype", [np.float64, np.float32])


def assert_solves(tree, q, got, wanted):
    """Near as far as the mass matrix lets accelerations be known."""
    M = ref.mass_matrix(tree, q)
    scale = np.sqrt(np.diagonal(M))
    condition = np.linalg.cond(M / np.outer(scale, scale))
    assert np.abs((got - wanted) * scale).max() <= 1e-14 * condition * len(q) * (1.0 + np.abs(wanted * scale).max())


# --------------------------------------------------------------------------------------------------------- by the twin


@given(strategies.robots(**SMALL), st.booleans())
def test_accelerations_are_those_of_the_twin(sample, friction):
    tree, q, qd, tau = sample
    if friction:  # the twin knows nothing of joints that friction holds
        qd = np.where(qd == 0, 0.125, qd)
    wanted = ref.forward_dynamics(tree, q, qd, tau, friction=friction)
    for method in ("auto", "aba", "crba"):
        got = rne.forward_dynamics(rne.Robot(tree), q, qd, tau, friction=friction, method=method)
        assert_solves(tree, q, got, wanted)


@given(strategies.robots(1, 8, mimic=0.7, prismatic=0.5, **HEAVY))
def test_followers_of_followers_are_those_of_the_twin(sample):
    tree, q, qd, tau = sample
    wanted = ref.forward_dynamics(tree, q, qd, tau)
    assert_solves(tree, q, rne.forward_dynamics(rne.Robot(tree), q, qd, tau), wanted)


@given(strategies.robots(1, 12, branching=0.9, fixed=0.5, mimic=0.0, **HEAVY))
def test_bushes_are_those_of_the_twin(sample):
    tree, q, qd, tau = sample
    wanted = ref.forward_dynamics(tree, q, qd, tau)
    for method in ("aba", "crba"):
        assert_solves(tree, q, rne.forward_dynamics(rne.Robot(tree), q, qd, tau, method=method), wanted)


@given(strategies.robots(**SMALL), st.data())
def test_wrenches_and_gravity_are_those_of_the_twin(sample, data):
    tree, q, qd, tau = sample
    f_ext = data.draw(strategies.wrenches(tree))
    gravity = data.draw(st.tuples(*[st.integers(-20, 20)] * 3))
    bias = ref.inverse_dynamics(tree, q, qd, None, gravity, f_ext)
    wanted = np.linalg.solve(ref.mass_matrix(tree, q), tau - bias)
    placed = ref.forward_kinematics(tree, q)
    local = {}
    for name, wrench in f_ext.items():
        R = placed[name][0]
        local[name] = (np.concatenate([R.T @ wrench[:3], R.T @ wrench[3:]]), "local")
    for loads in (f_ext, local):
        got = rne.forward_dynamics(rne.Robot(tree), q, qd, tau, gravity=gravity, f_ext=loads)
        assert_solves(tree, q, got, wanted)


# ---------------------------------------------------------------------------------------------------------------- laws


@ALL
@METHODS
@pytest.mark.parametrize("friction", [False, True])
def test_it_undoes_inverse_dynamics(robot, method, friction):
    q, qd, qdd = random_states(robot.n, 30)
    options = {"friction": friction, "gravity": (1, -2, 3), "f_ext": {robot.frame_names[-1]: np.arange(6.0)}}
    tau = rne.inverse_dynamics(robot, q, qd, qdd, **options)
    np.testing.assert_allclose(rne.forward_dynamics(robot, q, qd, tau, method=method, **options), qdd, 0, 1e-8)


@METHODS
def test_springs_are_part_of_the_robot(method):
    row = {"joint": "revolute", "a": 0.3, "alpha": 0.4, "mass": 1.0, "com": [-0.1, 0.0, 0.02]}
    springs = rne.from_dh([row | {"stiffness": 20.0, "rest": 0.3 * k} for k in range(3)], convention="standard")
    without = rne.from_dh([row] * 3, convention="standard")
    q, qd, qdd = random_states(3, 9)
    tau = rne.inverse_dynamics(springs, q, qd, qdd)
    np.testing.assert_allclose(rne.forward_dynamics(springs, q, qd, tau, method=method), qdd, 0, 1e-9)
    held = tau - 20.0 * (q - [0.0, 0.3, 0.6])
    np.testing.assert_allclose(rne.forward_dynamics(without, q, qd, held, method=method), qdd, 0, 1e-9)


def test_friction_brakes():
    wheel = rne.from_dh(
        [{"joint": "revolute", "mass": 1.0, "inertia": np.eye(3).tolist(), "viscous": 0.5, "coulomb": [0.2, -0.3]}],
        convention="standard",
        gravity=(0, 0, 0),
    )
    qdd = rne.forward_dynamics(wheel, np.zeros((3, 1)), [[2.0], [0.0], [-2.0]], friction=True)
    np.testing.assert_allclose(qdd.ravel(), [-1.2, 0.0, 1.3], rtol=0, atol=1e-15)
    assert not rne.forward_dynamics(wheel, np.zeros((3, 1)), [[2.0], [0.0], [-2.0]]).any()


def test_rotors_resist():
    row = {"joint": "prismatic", "mass": 2.0}
    for rotor, wanted in ((0.0, 3.0), (0.01, 2.0)):  # 6 N on 2 kg, and on 2 kg + 10^2 * 0.01 kg
        slide = rne.from_dh([row | {"rotor_inertia": rotor, "gear_ratio": 10.0}], convention="standard")
        for method in ("aba", "crba"):
            got = rne.forward_dynamics(slide, [0.5], None, [6.0], gravity=(0, 0, 0), method=method)
            np.testing.assert_allclose(got, [wanted], rtol=1e-15)


@ALL
def test_a_unit_torque_gives_a_column_of_the_inverse(robot):
    q = random_states(robot.n)[0]
    got = rne.forward_dynamics(robot, q, None, np.eye(robot.n)) - rne.forward_dynamics(robot, q)
    np.testing.assert_allclose(got, rne.mass_matrix_inverse(robot, q), rtol=1e-8, atol=1e-8 * np.abs(got).max())


def test_a_payload_is_felt():
    robot = arm().with_payload(3.0, com=(0.1, 0.0, 0.2), frame="tool")
    q, qd, tau = random_states(6)
    wanted = ref.forward_dynamics(robot.tree, q, qd, tau)
    assert_solves(robot.tree, q, rne.forward_dynamics(robot, q, qd, tau), wanted)


@pytest.mark.parametrize("joints", [20, 40, 150])
def test_long_chains(joints):
    """The longest needs more memory than the stack lends."""
    robot = random_robot(joints, joints, branching=0.05, mimic=0.0, prismatic=0.1, **HEAVY)
    q, qd, qdd = random_states(joints, 9)
    tau = rne.inverse_dynamics(robot, q, qd, qdd)
    for method in ("aba", "crba"):
        got = rne.forward_dynamics(robot, q, qd, tau, method=method)
        residual = rne.inverse_dynamics(robot, q, qd, got) - tau
        assert np.abs(residual).max() <= 1e-11 * np.abs(tau).max()
        assert_same_bits(got[3], rne.forward_dynamics(robot, q[3], qd[3], tau[3], method=method))
    assert_same_bits(rne.mass_matrix(robot, q)[3], rne.mass_matrix(robot, q[3]))


# -------------------------------------------------------------------------------------------------------------- arrays


@ALL
@METHODS
@PRECISION
def test_a_sample_of_a_batch_is_the_single_state_bit_for_bit(robot, method, dtype):
    states = random_states(robot.n, 37, dtype=dtype)
    for friction in (False, True):
        options = {"friction": friction, "method": method}
        batch = rne.forward_dynamics(robot, *states, **options)
        assert batch.dtype == dtype
        single = [rne.forward_dynamics(robot, *state, **options) for state in zip(*states, strict=True)]
        assert_same_bits(batch, np.array(single))
        assert_same_bits(batch, rne.forward_dynamics(robot, *states, threads=2, **options))


@ALL
def test_the_automatic_choice_is_one_of_the_two(robot):
    states = random_states(robot.n, 5)
    mimics = len(robot.links.joints) > robot.n
    wanted = rne.forward_dynamics(robot, *states, method="crba" if mimics else "aba")
    assert_same_bits(rne.forward_dynamics(robot, *states), wanted)
    assert_same_bits(np.array([rne.forward_dynamics(robot, *x) for x in zip(*states, strict=True)]), wanted)
    other = rne.forward_dynamics(robot, *states, method="aba" if mimics else "crba")
    np.testing.assert_allclose(other, wanted, rtol=0, atol=1e-8 * np.abs(wanted).max())


@ALL
@METHODS
def test_single_precision_is_as_right_as_the_mass_matrix_lets_it_be(robot, method):
    q, qd, tau = (x.astype(np.float32) for x in random_states(robot.n, 50))
    got = rne.forward_dynamics(robot, q, qd, tau, method=method)
    wanted = rne.forward_dynamics(robot, *(x.astype(float) for x in (q, qd, tau)))
    for k in range(50):
        M = rne.mass_matrix(robot, q[k].astype(float))
        scale = np.sqrt(np.diagonal(M))
        condition = np.linalg.cond(M / np.outer(scale, scale))
        known = 1e-6 * condition * robot.n * (1.0 + np.abs(wanted[k] * scale).max())
        assert np.abs((got[k] - wanted[k]) * scale).max() <= known


def test_none_is_zero_and_leading_axes_broadcast():
    robot = arm()
    q, qd, tau = random_states(6, 4)
    zero = np.zeros(6)
    assert_same_bits(rne.forward_dynamics(robot, q), rne.forward_dynamics(robot, q, zero, zero))
    assert_same_bits(rne.forward_dynamics(robot, q[0]), rne.forward_dynamics(robot, q[0], zero, zero))
    got = rne.forward_dynamics(robot, q[:, None], qd[None, :3], tau[0])
    assert got.shape == (4, 3, 6)
    assert_same_bits(got[2, 1], rne.forward_dynamics(robot, q[2], qd[1], tau[0]))
    assert rne.forward_dynamics(robot, np.zeros((0, 6))).shape == (0, 6)


def test_wrenches_may_be_the_only_batch():
    robot, q = arm(), random_states(6)[0]
    wrenches = np.random.default_rng(1).normal(size=(5, 6))
    got = rne.forward_dynamics(robot, q, f_ext={"tool": wrenches})
    assert got.shape == (5, 6)
    assert_same_bits(got[3], rne.forward_dynamics(robot, q, f_ext={"tool": wrenches[3]}))


@METHODS
def test_out_is_filled_and_returned_and_may_be_an_input(method):
    robot = arm()
    q, qd, tau = random_states(6, 21)
    wanted = rne.forward_dynamics(robot, q, qd, tau, method=method)
    for out in (np.full((21, 6), np.nan), np.full((6, 21), np.nan).T):
        assert rne.forward_dynamics(robot, q, qd, tau, out=out, method=method) is out
        assert_same_bits(out, wanted)
    mine = tau.copy()
    assert_same_bits(rne.forward_dynamics(robot, q, qd, mine, out=mine, method=method), wanted)
    mine = tau[0].copy()
    assert_same_bits(rne.forward_dynamics(robot, q[0], qd[0], mine, out=mine, method=method), wanted[0])
    with pytest.raises(rne.ArgumentError, match="out: wanted a float64 array of shape"):
        rne.forward_dynamics(robot, q, qd, tau, out=np.empty((20, 6)))


def test_inputs_stay_as_they_were():
    robot, states = arm(), random_states(6, 9)
    before = [x.copy() for x in states]
    rne.forward_dynamics(robot, *states, friction=True, f_ext={"tool": np.ones(6)})
    rne.forward_dynamics(robot, *(x[0] for x in states))
    for now, then in zip(states, before, strict=True):
        assert_same_bits(now, then)


@ALL
@METHODS
@PRECISION
@pytest.mark.parametrize("which", range(3))
def test_a_strange_sample_leaves_the_others_alone(robot, method, dtype, which):
    states = random_states(robot.n, 13, dtype=dtype)
    clean = rne.forward_dynamics(robot, *states, method=method)
    for k in range(13):
        for strange in (np.nan, np.inf):
            spoilt = [x.copy() for x in states]
            spoilt[which][k, k % robot.n] = strange
            got = rne.forward_dynamics(robot, *spoilt, method=method)
            assert_same_bits(np.delete(got, k, axis=0), np.delete(clean, k, axis=0))
            assert not np.isfinite(got[k]).all()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((np.zeros(5),), {}, r"q: wanted shape \(\.\.\., 6\)"),
        ((np.zeros(6), np.zeros(7)), {}, r"qd: wanted shape \(\.\.\., 6\)"),
        ((np.zeros(6), np.zeros(6), np.zeros(7)), {}, r"tau: wanted shape \(\.\.\., 6\)"),
        ((None,), {}, "q: wanted an array, got None"),
        ((np.zeros(6),), {"method": "lagrange"}, "method: wanted one of 'auto', 'aba', 'crba', got 'lagrange'"),
        ((np.zeros(6),), {"gravity": (0, 0)}, "gravity"),
        ((np.zeros(6),), {"f_ext": {"tol": np.zeros(6)}}, "no frame is named 'tol'; did you mean 'tool'"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, options, message):
    with pytest.raises(rne.ArgumentError, match=message):
        rne.forward_dynamics(arm(), *arguments, **options)
    with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
        rne.forward_dynamics("arm", np.zeros(6), np.zeros(6), np.zeros(6))


@pytest.mark.parametrize("threads", [0, -1, 1.5, "two", True])
def test_a_senseless_number_of_threads_is_refused_for_one_state_too(threads):
    arm, x = rne.load("models/planar2/robot.dh.toml"), np.zeros(2)
    with pytest.raises(rne.ArgumentError, match="threads"):
        rne.forward_dynamics(arm, x, x, x, threads=threads)
    with pytest.raises(rne.ArgumentError, match="threads"):
        rne.mass_matrix(arm, x, threads=threads)
