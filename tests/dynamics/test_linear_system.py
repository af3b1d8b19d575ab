"""Linear systems: the matrices, their prediction of small deviations, and the discrete system beside scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from checks import random_robot, random_states
from scipy.signal import cont2discrete

import rne

ROBOT = random_robot(6, 5, massless=0.0, mimic=0.0)
STATE = random_states(ROBOT.n, seed=1)


def test_matrices_are_those_of_the_derivatives():
    n = ROBOT.n
    by_q, by_qd, by_tau = rne.forward_dynamics_derivatives(ROBOT, *STATE, friction=True)
    A, B = rne.linearize(ROBOT, *STATE, friction=True)
    np.testing.assert_array_equal(A[:n], np.eye(n, 2 * n, n))
    np.testing.assert_array_equal(A[n:], np.hstack([by_q, by_qd]))
    np.testing.assert_array_equal(B, np.vstack([np.zeros((n, n)), by_tau]))


def test_a_small_step_is_predicted():
    """The error of the prediction falls with the square of the step."""
    A, B = rne.linearize(ROBOT, *STATE)
    rng, n = np.random.default_rng(3), ROBOT.n
    dx, du = rng.normal(size=2 * n), rng.normal(size=n)
    q, qd, tau = STATE
    wanted = (A @ dx + B @ du)[n:]
    errors = []
    for h in (1e-3, 1e-4):
        moved = rne.forward_dynamics(ROBOT, q + h * dx[:n], qd + h * dx[n:], tau + h * du)
        errors.append(np.abs(moved - rne.forward_dynamics(ROBOT, *STATE) - h * wanted).max())
    assert errors[0] < 1e-1 * np.abs(1e-3 * wanted).max()
    assert errors[1] < 1.1e-2 * errors[0]


@pytest.mark.parametrize("dt", [1e-3, 0.05])
def test_the_discrete_system_is_that_of_scipy(dt):
    n = ROBOT.n
    A, B = rne.linearize(ROBOT, *STATE)
    wanted = cont2discrete((A, B, np.eye(2 * n), np.zeros((2 * n, n))), dt, method="zoh")
    got = rne.linearize(ROBOT, *STATE, dt=dt)
    for ours, theirs in zip(got, wanted[:2], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())


def test_batches_and_single_precision():
    states = random_states(ROBOT.n, 2, 3)
    for dt in (None, 0.01):
        A, B = rne.linearize(ROBOT, *states, dt=dt)
        assert A.shape == (2, 3, 10, 10)
        assert B.shape == (2, 3, 10, 5)
        one = rne.linearize(ROBOT, *(x[1, 2] for x in states), dt=dt)
        np.testing.assert_allclose(A[1, 2], one.A, rtol=0, atol=1e-14 * np.abs(one.A).max())
        narrow = rne.linearize(ROBOT, *(x.astype(np.float32) for x in states), dt=dt)
        assert narrow.A.dtype == narrow.B.dtype == np.float32


@pytest.mark.parametrize("dt", [0.0, -1.0, np.nan, "1"])
def test_a_wrong_step_is_refused(dt):
    with pytest.raises(rne.ArgumentError, match="dt: wanted"):
        rne.linearize(ROBOT, *STATE, dt=dt)
