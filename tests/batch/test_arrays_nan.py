"""NaN and infinity: they spoil the sample that holds them, wholly, and no other by a single bit."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_same_bits, random_robot, random_states
from own_robots import arm, gripper

import rne

ARM = arm()
STRANGE = pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf], ids=str)
PRECISION = pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["double", "single"])
# None is a whole number of blocks of 8 or of 16 samples; in the last, the block that is not full holds one sample.
SIZES = [1, 7, 13, 29, 33]


@PRECISION
@STRANGE
@pytest.mark.parametrize("which", range(3), ids=["q", "qd", "qdd"])
def test_a_strange_sample_leaves_the_others_alone(which, strange, dtype):
    for samples in SIZES:
        state = random_states(6, samples, seed=samples, dtype=dtype)
        clean = rne.inverse_dynamics(ARM, *state)
        assert np.isfinite(clean).all()
        for k in range(samples):
            spoilt = [x.copy() for x in state]
            spoilt[which][k, k % 6] = strange
            tau = rne.inverse_dynamics(ARM, *spoilt)
            assert_same_bits(np.delete(tau, k, axis=0), np.delete(clean, k, axis=0))
            assert not np.isfinite(tau[k]).any()


@PRECISION
@STRANGE
def test_a_strange_sample_leaves_the_others_alone_with_all_there_is(strange, dtype):
    """Followers, branches, slides, friction, wrenches and threads; torques of other branches may be sound."""
    robot = random_robot(11, 12, branching=0.5, mimic=0.3)
    samples = 77
    values = [*random_states(robot.n, samples, seed=1, dtype=dtype), np.ones((samples, 6), dtype)]
    frame = robot.frame_names[-1]

    def torques(q, qd, qdd, wrench):
        return rne.inverse_dynamics(robot, q, qd, qdd, f_ext={frame: wrench}, friction=True, threads=2)

    clean = torques(*values)
    for which in range(4):
        for k in range(0, samples, 3):
            spoilt = [x.copy() for x in values]
            spoilt[which][k, k % spoilt[which].shape[1]] = strange
            tau = torques(*spoilt)
            assert_same_bits(np.delete(tau, k, axis=0), np.delete(clean, k, axis=0))
            assert which == 3 or not np.isfinite(tau[k]).all()


@STRANGE
def test_every_function_keeps_strange_samples_apart(strange):
    q, qd, _ = random_states(6, 13)
    for name, call in {
        "gravity": lambda q, qd: rne.gravity_vector(ARM, q),
        "bias": lambda q, qd: rne.bias_vector(ARM, q, qd),
        "coriolis": lambda q, qd: rne.coriolis_vector(ARM, q, qd),
        "friction": lambda q, qd: rne.friction_torque(ARM, qd),
    }.items():
        clean = call(q, qd)
        for k in range(13):
            bad_q, bad_qd = q.copy(), qd.copy()
            bad_q[k, 1] = bad_qd[k, 1] = strange
            tau = call(bad_q, bad_qd)
            assert_same_bits(np.delete(tau, k, axis=0), np.delete(clean, k, axis=0))
            assert not np.isfinite(tau[k, 1]), name


@STRANGE
@pytest.mark.parametrize("which", range(3), ids=["q", "qd", "qdd"])
def test_a_strange_single_state_gives_no_finite_number(which, strange):
    for robot in (ARM, gripper(), rne.load("models/panda/robot.urdf"), rne.load("models/stanford/robot.dh.toml")):
        for joint in range(robot.n):
            state = [x.copy() for x in random_states(robot.n)]
            state[which][joint] = strange
            single = rne.inverse_dynamics(robot, *state)
            assert not np.isfinite(single[joint])
            assert_same_bits(np.isnan(single), np.isnan(rne.inverse_dynamics(robot, *(x[None] for x in state))[0]))


def test_a_slide_alone_does_not_swallow_a_strange_velocity():
    """By mechanics its force does not depend on its velocity; a number that came of a NaN would look like an answer."""
    row = {"joint": "prismatic", "mass": 2.0}
    slides = rne.from_dh([row, row], convention="standard")
    for joint in range(2):
        for strange in (np.nan, np.inf):
            qd = np.zeros(2)
            qd[joint] = strange
            assert np.isnan(rne.inverse_dynamics(slides, np.zeros(2), qd)[joint])


OF_POSTURES = (rne.mass_matrix, rne.mass_matrix_inverse, rne.gravity_vector, rne.christoffel, rne.coriolis_matrix)


@STRANGE
@pytest.mark.parametrize("function", OF_POSTURES, ids=lambda function: function.__name__)
def test_what_does_not_depend_on_a_joint_does_not_swallow_its_strange_position(function, strange):
    """Nothing depends on the angle of a first joint, or on how far a slide is out."""
    turn, slide = ([{"joint": kind, "mass": 2.0, "com": [0.1, 0.2, 0.3]}] for kind in ("revolute", "prismatic"))
    robots = [rne.from_dh(rows, convention="standard") for rows in (turn, slide)]
    for robot in (*robots, ARM, gripper()):
        states = random_states(robot.n, 11)[: 2 if function is rne.coriolis_matrix else 1]
        clean = function(robot, *states)
        for joint in range(robot.n):
            for state in states:
                spoiled = [x.copy() for x in states]
                spoiled[[x is state for x in states].index(True)][4, joint] = strange
                results = function(robot, *spoiled)
                assert not np.isfinite(results[4]).all()
                assert not np.isfinite(function(robot, *(x[4] for x in spoiled))).all()
                assert_same_bits(np.delete(results, 4, axis=0), np.delete(clean, 4, axis=0))


def test_a_strange_friction_is_no_number_even_without_friction():
    """A joint that has no friction multiplies by zero, which NaN survives."""
    assert np.isnan(rne.friction_torque(ARM, np.full(6, np.nan))).all()
    assert np.isnan(rne.friction_torque(ARM, np.full((3, 6), np.nan))).all()


@PRECISION
def test_numbers_too_large_overflow_in_their_own_sample(dtype):
    state = random_states(6, 21, dtype=dtype)
    clean = rne.inverse_dynamics(ARM, *state)
    state[1][9] = np.finfo(dtype).max / 2
    tau = rne.inverse_dynamics(ARM, *state)
    assert not np.isfinite(tau[9]).all()
    assert_same_bits(np.delete(tau, 9, axis=0), np.delete(clean, 9, axis=0))


def test_no_warning_comes_from_strange_numbers():
    """Warnings are errors in this suite; the numbers say it themselves."""
    with np.errstate(all="raise"):
        for value in (np.nan, np.inf, 1e200, 5e-324):
            rne.inverse_dynamics(ARM, *np.full((3, 6), value))
            rne.inverse_dynamics(ARM, *np.full((3, 9, 6), value), f_ext={"tool": np.full(6, value)}, friction=True)
