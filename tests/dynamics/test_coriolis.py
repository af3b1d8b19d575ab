"""Coriolis matrix and Christoffel symbols: by their definition, by their laws, by hand, and as arrays."""

from __future__ import annotations

import numba
import numpy as np
import pytest
import reference as ref
import strategies
import sympy
from checks import assert_near, assert_same_bits, random_robot, random_states
from hypothesis import given

import rne

SMALL = {"min_joints": 1, "max_joints": 6}
LARGE = {"min_joints": 1, "max_joints": 12}

# Central differences of eighth order: the rate of change of f is the sum of these times (f(k h) - f(-k h)) / h.
DIFFERENCES = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
STEP = 2e-3


def rate(f):
    """Return df/dt at 0."""
    return sum(c * (f(k * STEP) - f(-k * STEP)) / STEP for k, c in enumerate(DIFFERENCES, start=1))


def symbols_by_differences(tree, q):
    """D_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2 of the mass matrix of the plain twin."""
    gradient = [rate(lambda t, unit=unit: ref.mass_matrix(tree, q + t * unit)) for unit in np.eye(len(q))]
    dM = np.array(gradient)  # [k, i, j] = dM_ij / dq_k
    return (np.einsum("kij->ijk", dM) + np.einsum("jik->ijk", dM) - np.einsum("ijk->ijk", dM)) / 2


@pytest.fixture(scope="module")
def panda():
    return rne.load("models/panda/robot.urdf", lock={"panda_finger_joint1": 0.0})


# ------------------------------------------------------------------------------------------------- by the definition


@given(strategies.robots(1, 4))
def test_symbols_are_those_of_the_mass_matrix_of_the_twin(sample):
    tree, q, qd, _ = sample
    robot = rne.Robot(tree)
    D = symbols_by_differences(tree, q)
    assert_near(rne.christoffel(robot, q), D, rtol=1e-9)
    assert_near(rne.coriolis_matrix(robot, q, qd), D @ qd, rtol=1e-9)


@given(strategies.robots(1, 5))
def test_symbols_are_those_of_lagrange(sample):
    tree, q, qd, _ = sample
    robot = rne.Robot(tree)
    assert_near(rne.christoffel(robot, q), rne.lagrange.christoffel(robot, q), rtol=1e-11)
    assert_near(rne.coriolis_matrix(robot, q, qd), rne.lagrange.coriolis_matrix(robot, q, qd), rtol=1e-11)


@given(strategies.robots(2, 4, mimic=0.7, prismatic=0.4))
def test_followers_of_followers(sample):
    tree, q, qd, _ = sample
    robot = rne.Robot(tree)
    D = symbols_by_differences(tree, q)
    assert_near(rne.christoffel(robot, q), D, rtol=1e-9)
    assert_near(rne.coriolis_matrix(robot, q, qd), D @ qd, rtol=1e-9)


@given(strategies.robots(2, 4, branching=0.9, fixed=0.5))
def test_bushes_with_much_bolted_on(sample):
    tree, q, qd, _ = sample
    assert_near(rne.coriolis_matrix(rne.Robot(tree), q, qd), symbols_by_differences(tree, q) @ qd, rtol=1e-9)


@given(strategies.robots(1, 6, prismatic=1.0))
def test_slides_alone_have_no_symbols(sample):
    tree, q, qd, _ = sample
    robot = rne.Robot(tree)
    assert_near(rne.christoffel(robot, q), np.zeros((robot.n,) * 3))
    assert_near(rne.coriolis_matrix(robot, q, qd), np.zeros((robot.n,) * 2))


# ------------------------------------------------------------------------------------------------------- by the laws


@given(strategies.robots(**LARGE))
def test_matrix_times_velocity_is_the_coriolis_vector(sample):
    tree, q, qd, _ = sample
    robot = rne.Robot(tree)
    wanted = ref.bias_vector(tree, q, qd, gravity=np.zeros(3))
    assert_near(rne.coriolis_matrix(robot, q, qd) @ qd, wanted)
    assert_near(np.einsum("ijk,j,k", rne.christoffel(robot, q), qd, qd), wanted)


@given(strategies.robots(**SMALL))
def test_rate_of_the_mass_matrix_less_twice_the_matrix_is_skew(sample):
    tree, q, qd, _ = sample
    Mdot = rate(lambda t: ref.mass_matrix(tree, q + t * qd))
    C = rne.coriolis_matrix(rne.Robot(tree), q, qd)
    assert_near(C + C.T, Mdot, rtol=1e-9)


@given(strategies.robots(**LARGE))
def test_matrix_is_linear_and_symmetric_in_two_velocities(sample):
    tree, q, a, b = sample
    robot = rne.Robot(tree)
    at_a, at_b = rne.coriolis_matrix(robot, q, a), rne.coriolis_matrix(robot, q, b)
    assert_near(rne.coriolis_matrix(robot, q, 2.5 * a - 0.5 * b), 2.5 * at_a - 0.5 * at_b)
    assert_near(at_a @ b, at_b @ a)


@given(strategies.robots(**LARGE))
def test_symbols_are_symmetric_and_the_matrix_is_made_of_them(sample):
    tree, q, qd, _ = sample
    robot = rne.Robot(tree)
    D = rne.christoffel(robot, q)
    assert_same_bits(D, D.swapaxes(1, 2))
    assert_near(D @ qd, rne.coriolis_matrix(robot, q, qd))


@given(strategies.robots(**LARGE, rotors=False))
def test_rotors_add_nothing(sample):
    tree, q, qd, _ = sample
    robot = rne.Robot(tree)
    heavy = robot.with_drives({j.name: rne.model.tree.Drive(rotor_inertia=0.3) for j in tree.joints if j.movable})
    assert_same_bits(rne.coriolis_matrix(heavy, q, qd), rne.coriolis_matrix(robot, q, qd))


@given(strategies.robots(**LARGE))
def test_centripetal_and_coriolis_torques(sample):
    tree, q, qd, _ = sample
    robot = rne.Robot(tree)
    D, parts = rne.christoffel(robot, q), rne.velocity_torques(robot, q, qd)  # which uses no symbols
    centripetal = np.einsum("ijj,j", D, qd**2)
    assert_near(parts.centripetal, centripetal)
    assert_near(parts.coriolis, np.einsum("ijk,j,k", D, qd, qd) - centripetal)
    assert_near(sum(parts), ref.bias_vector(tree, q, qd, np.zeros(3)))


@pytest.mark.parametrize("joints", [40, 120])
def test_long_trees_whose_scratch_leaves_the_stack(joints):
    robot = random_robot(joints, joints, branching=0.1)
    q, qd, _ = random_states(robot.n, 3)
    wanted = np.array([ref.bias_vector(robot.tree, *state, gravity=np.zeros(3)) for state in zip(q, qd, strict=True)])
    C = rne.coriolis_matrix(robot, q, qd)
    assert_near(np.einsum("bij,bj->bi", C, qd), wanted, rtol=1e-10)
    assert_same_bits(rne.coriolis_matrix(robot, q[1], qd[1]), C[1])
    assert_near(np.einsum("ijk,k->ij", rne.christoffel(robot, q[2]), qd[2]), C[2], rtol=1e-10)


# ----------------------------------------------------------------------------------------------------------- by hand


def test_planar_arm_of_two_points_by_lagrange():
    """D_111 = 0, D_122 = -m2 d1 d2 sin q2, D_211 = +m2 d1 d2 sin q2, D_222 = 0, D_112 = D_121 = D_122, D_212 = 0."""
    m1, m2, d1, d2, q1, q2, w1, w2 = sympy.symbols("m1 m2 d1 d2 q1 q2 w1 w2")
    elbow = sympy.Matrix([d1 * sympy.cos(q1), d1 * sympy.sin(q1)])
    hand = elbow + sympy.Matrix([d2 * sympy.cos(q1 + q2), d2 * sympy.sin(q1 + q2)])
    q, w = sympy.Matrix([q1, q2]), sympy.Matrix([w1, w2])
    energy = sum(m * (p.jacobian(q) * w).dot(p.jacobian(q) * w) / 2 for m, p in ((m1, elbow), (m2, hand)))
    M = sympy.hessian(energy, (w1, w2))
    D = [
        [[(M[i, j].diff(q[k]) + M[i, k].diff(q[j]) - M[j, k].diff(q[i])) / 2 for k in (0, 1)] for j in (0, 1)]
        for i in (0, 1)
    ]
    h = m2 * d1 * d2 * sympy.sin(q2)
    closed = [[[0, -h], [-h, -h]], [[h, 0], [0, 0]]]
    assert all(sympy.simplify(D[i][j][k] - closed[i][j][k]) == 0 for i in (0, 1) for j in (0, 1) for k in (0, 1))
    rows = [{"joint": "revolute", "a": 0.7, "mass": 2.0}, {"joint": "revolute", "a": 0.4, "mass": 1.5}]
    arm = rne.from_dh(rows, convention="standard")
    number = 1.5 * 0.7 * 0.4 * np.sin(0.9)
    wanted = number * np.array([[[0, -1], [-1, -1]], [[1, 0], [0, 0]]])
    assert_near(rne.christoffel(arm, [0.3, 0.9]), wanted, rtol=1e-14)
    assert_near(rne.coriolis_matrix(arm, [0.3, 0.9], [2.0, -3.0]), wanted @ [2.0, -3.0], rtol=1e-14)
    parts = rne.velocity_torques(arm, [0.3, 0.9], [2.0, -3.0])
    assert_near(parts.centripetal, [-number * 9, number * 4], rtol=1e-14)
    assert_near(parts.coriolis, [2 * number * 6, 0], rtol=1e-14)


def test_a_bead_on_a_turning_rod():
    """Mass m on a slide at q2 beyond a turning joint: M = diag(I + m q2^2, m).

    So D_112 = D_121 = m q2 and D_211 = -m q2.
    """
    hub = {"joint": "revolute", "alpha": np.pi / 2, "theta": np.pi / 2, "mass": 2.0}
    rows = [hub, {"joint": "prismatic", "mass": 3.0}]
    rod = rne.from_dh(rows, convention="standard")
    D = np.zeros((2, 2, 2))
    D[0, 0, 1] = D[0, 1, 0] = 3.0 * 0.6
    D[1, 0, 0] = -3.0 * 0.6
    assert_near(rne.christoffel(rod, [0.2, 0.6]), D, rtol=1e-14)
    assert_near(rne.coriolis_matrix(rod, [0.2, 0.6], [1.5, 2.0]), D @ [1.5, 2.0], rtol=1e-14)


# --------------------------------------------------------------------------------------------------------- as arrays


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", range(4))
def test_batch_single_and_jitted_agree_to_the_last_bit(seed, dtype):
    robot = random_robot(seed, 5 + seed)
    q, qd, _ = random_states(robot.n, 21, seed=seed, dtype=dtype)
    C, D = rne.coriolis_matrix(robot, q, qd), rne.christoffel(robot, q)
    assert (C.shape, C.dtype) == ((21, robot.n, robot.n), dtype)
    assert (D.shape, D.dtype) == ((21, robot.n, robot.n, robot.n), dtype)
    model = rne.jit.model(robot, dtype)
    inner_C, inner_D = np.empty_like(C[0]), np.empty_like(D[0])
    for k in range(21):
        assert_same_bits(rne.coriolis_matrix(robot, q[k], qd[k]), C[k])
        assert_same_bits(rne.christoffel(robot, q[k]), D[k])
        rne.jit.coriolis_matrix(model, q[k], qd[k], inner_C)
        rne.jit.christoffel(model, q[k], inner_D)
        assert_same_bits(inner_C, C[k])
        assert_same_bits(inner_D, D[k])


def test_jitted_functions_refuse_wrong_lengths(panda):
    model = rne.jit.model(panda)

    @numba.njit
    def call(q, qd, C):
        rne.jit.coriolis_matrix(model, q, qd, C)

    call(np.zeros(7), np.zeros(7), np.zeros((7, 7)))
    for q, qd, C in ((6, 7, (7, 7)), (7, 8, (7, 7)), (7, 7, (6, 7)), (7, 7, (7, 8))):
        with pytest.raises(ValueError, match=r"rne\.jit"):
            call(np.zeros(q), np.zeros(qd), np.zeros(C))
    for shape in ((6, 7, 7), (7, 6, 7), (7, 7, 8)):
        with pytest.raises(ValueError, match=r"rne\.jit"):
            rne.jit.christoffel(model, np.zeros(7), np.zeros(shape))


def test_single_precision_keeps_its_digits(panda):
    q, qd, _ = random_states(7, 200)
    for function, states in ((rne.coriolis_matrix, (q, qd)), (rne.christoffel, (q,)), (rne.velocity_torques, (q, qd))):
        exact = np.array(function(panda, *states))
        rounded = np.array(function(panda, *(x.astype(np.float32) for x in states)))
        assert rounded.dtype == np.float32
        assert_near(rounded, exact, rtol=5e-6)
        assert np.abs(rounded - exact).max() > 0


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_sample_that_is_no_number_touches_no_other(panda, bad):
    q, qd, _ = random_states(7, 19)
    C, D, parts = rne.coriolis_matrix(panda, q, qd), rne.christoffel(panda, q), rne.velocity_torques(panda, q, qd)
    q[5, 3], qd[11, 2] = bad, bad
    rest = np.delete(np.arange(19), [5, 11])
    with np.errstate(invalid="ignore"):
        spoilt, symbols = rne.coriolis_matrix(panda, q, qd), rne.christoffel(panda, q)
        apart = rne.velocity_torques(panda, q, qd)
    assert not np.isfinite(spoilt[5]).all()
    assert not np.isfinite(spoilt[11]).all()
    assert not np.isfinite(symbols[5]).all()
    assert_same_bits(spoilt[rest], C[rest])
    assert_same_bits(np.delete(symbols, 5, axis=0), np.delete(D, 5, axis=0))
    for got, wanted in zip(apart, parts, strict=True):
        assert not np.isfinite(got[[5, 11]]).all()
        assert_same_bits(got[rest], wanted[rest])


def test_leading_axes_broadcast(panda):
    q, qd, _ = random_states(7, 4)
    C = rne.coriolis_matrix(panda, q[:, None], qd[None, :3])
    assert C.shape == (4, 3, 7, 7)
    assert_same_bits(C[2, 1], rne.coriolis_matrix(panda, q[2], qd[1]))
    one_posture = rne.coriolis_matrix(panda, q[0].tolist(), qd)
    assert_same_bits(one_posture[:3], C[0])
    parts = rne.velocity_torques(panda, q[:, None], qd[None, :3])
    assert parts.centripetal.shape == parts.coriolis.shape == (4, 3, 7)
    assert rne.christoffel(panda, np.zeros((2, 0, 7))).shape == (2, 0, 7, 7, 7)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_change_nothing(panda, threads):
    q, qd, _ = random_states(7, 400)
    assert_same_bits(rne.coriolis_matrix(panda, q, qd, threads=threads), rne.coriolis_matrix(panda, q, qd))
    assert_same_bits(rne.christoffel(panda, q, threads=threads), rne.christoffel(panda, q))


def test_out_is_filled_and_returned(panda):
    q, qd, _ = random_states(7, 30)
    C, D = rne.coriolis_matrix(panda, q, qd), rne.christoffel(panda, q)
    place = np.full((30, 7, 7), np.nan)
    assert rne.coriolis_matrix(panda, q, qd, out=place) is place
    assert_same_bits(place, C)
    strided = np.full((7, 7, 60), np.nan).T[::2]
    assert rne.coriolis_matrix(panda, q, qd, out=strided) is strided
    assert_same_bits(strided, C)
    single = np.empty((7, 7))
    assert rne.coriolis_matrix(panda, q[4], qd[4], out=single) is single
    assert_same_bits(single, C[4])
    place = np.empty((30, 7, 7, 7))
    assert rne.christoffel(panda, q, out=place) is place
    assert_same_bits(place, D)
    with pytest.raises(rne.ArgumentError, match="out: wanted a float64 array of shape"):
        rne.coriolis_matrix(panda, q, qd, out=np.empty((30, 7)))


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (rne.coriolis_matrix, (np.zeros(6), np.zeros(7)), r"q: wanted shape \(\.\.\., 7\)"),
        (rne.coriolis_matrix, (np.zeros(7), np.zeros(8)), r"qd: wanted shape \(\.\.\., 7\)"),
        (rne.coriolis_matrix, (np.zeros((2, 7)), np.zeros((3, 7))), "do not broadcast"),
        (rne.coriolis_matrix, (np.zeros(7), np.zeros(7, complex)), "qd: wanted real numbers"),
        (rne.christoffel, (np.zeros(8),), r"q: wanted shape \(\.\.\., 7\)"),
        (rne.velocity_torques, (np.zeros(7), np.zeros(6)), r"qd: wanted shape \(\.\.\., 7\)"),
    ],
)
def test_wrong_arguments_are_refused(panda, function, arguments, message):
    with pytest.raises(rne.ArgumentError, match=message):
        function(panda, *arguments)
    with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
        function("panda", *arguments)


def test_a_robot_without_joints_has_empty_matrices():
    block = rne.load_urdf('<robot name="block"><link name="base"/></robot>')
    assert rne.coriolis_matrix(block, np.zeros(0), np.zeros(0)).shape == (0, 0)
    assert rne.coriolis_matrix(block, np.zeros((3, 0)), np.zeros(0)).shape == (3, 0, 0)
    assert rne.christoffel(block, []).shape == (0, 0, 0)
    assert rne.velocity_torques(block, np.zeros((2, 0)), np.zeros(0)).coriolis.shape == (2, 0)
