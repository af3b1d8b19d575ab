"""What `singular=` returns where a mass matrix cannot be inverted."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_near

import rne

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")

# Two rods of masses at their ends only: stretched or folded, no torque reaches the shoulder alone.
ROWS = [{"joint": "revolute", "name": name, "a": 1.0, "mass": mass} for name, mass in (("one", 0.0), ("two", 1.0))]
ARM = rne.from_dh(ROWS, convention="standard", gravity=[0.0, -9.81, 0.0])
Q = np.array([[0.1, 0.7], [0.2, 0.0], [0.3, -1.1], [0.4, 0.0]])
QD, TAU = np.full((4, 2), 0.5), np.array([[1.0, 0.2]] * 4)
WEAK = [1, 3]


def mass(q: np.ndarray) -> np.ndarray:
    """Mass matrix of a point mass at the tip of two rods of one meter, by hand."""
    c = np.cos(q[1])
    return np.array([[2 + 2 * c, 1 + c], [1 + c, 1.0]])


def bias(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    s, g = np.sin(q[1]), 9.81
    turn = [-s * (2 * qd[0] * qd[1] + qd[1] ** 2), s * qd[0] ** 2]
    inner, outer = np.cos(q[0]), np.cos(q[0] + q[1])
    return np.array(turn) + g * np.array([inner + outer, outer])


def test_a_batch_tells_how_many_are_singular_and_the_first():
    said = r"^sample 1: the mass matrix is singular at joint 'one'.*; 2 of 4 samples are singular$"
    for call in (
        lambda: rne.forward_dynamics(ARM, Q, QD, TAU),
        lambda: rne.mass_matrix_inverse(ARM, Q),
        lambda: rne.effective_inertia(ARM, Q),
        lambda: rne.effective_inertia(ARM, Q, free=["one", "two"]),
        lambda: rne.operational_inertia(ARM, Q, "link2", rows=[0, 1]),
    ):
        with pytest.raises(rne.SingularError, match=said):
            call()
    with pytest.raises(rne.SingularError, match=r"or lock it$"):
        rne.forward_dynamics(ARM, Q[1])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_nan_of_singular_samples_and_the_numbers_of_the_others(dtype):
    q, qd, tau = Q.astype(dtype), QD.astype(dtype), TAU.astype(dtype)
    qdd = rne.forward_dynamics(ARM, q, qd, tau, singular="nan")
    inverse = rne.mass_matrix_inverse(ARM, q, singular="nan")
    felt = rne.effective_inertia(ARM, q, singular="nan").free
    tip = rne.operational_inertia(ARM, q, "link2", rows=[0, 1], singular="nan")
    for got in (qdd, inverse, felt, tip):
        assert got.dtype == dtype
        assert np.isnan(got[WEAK]).all()
    for k in (0, 2):
        M, tol = mass(Q[k]), 1e-12 if dtype == np.float64 else 1e-5
        assert_near(qdd[k], np.linalg.solve(M, TAU[k] - bias(Q[k], QD[k])), tol)
        assert_near(inverse[k], np.linalg.inv(M), tol)
        assert_near(felt[k], 1 / np.diag(np.linalg.inv(M)), tol)
        assert_near(tip[k], np.eye(2), 10 * tol)  # a mass of 1 kg at the tip
    assert np.isnan(rne.forward_dynamics(ARM, Q[1], singular="nan")).all()


def test_least_squares():
    qdd = rne.forward_dynamics(ARM, Q, QD, TAU, singular="least_squares")
    inverse = rne.mass_matrix_inverse(ARM, Q, singular="least_squares")
    for k in range(4):
        wanted = np.linalg.lstsq(mass(Q[k]), TAU[k] - bias(Q[k], QD[k]), rcond=1e-10)[0]
        assert_near(qdd[k], wanted, 1e-11)
        assert_near(inverse[k], np.linalg.pinv(mass(Q[k]), rcond=1e-10), 1e-11)


def test_least_squares_of_what_is_felt_while_others_move():
    """Stretched, M is [[4, 2], [2, 1]]: with the other joint free, neither joint feels any inertia."""
    got = rne.effective_inertia(ARM, Q[1], singular="least_squares")
    assert_near(got.locked, [4.0, 1.0], 1e-12)
    assert_near(got.free, [0.0, 0.0], 1e-12)
    one = rne.effective_inertia(ARM, Q[1], free=["two"], singular="least_squares")
    assert_near(one.free, [0.0, 1.0], 1e-12)


def test_least_squares_at_a_point():
    """Stretched along x (turned back by q1), the tip has its mass across the rods; along them it cannot move."""
    tip = rne.operational_inertia(ARM, [0.0, 0.0], "link2", rows=[0, 1], singular="least_squares")
    assert_near(tip, [[0.0, 0.0], [0.0, 1.0]], 1e-12)
    # The elbow moves without moving mass, as the outer rod gives way.
    elbow = rne.operational_inertia(ARM, [0.0, 0.0], "link1", rows=[0, 1], singular="least_squares")
    assert_near(elbow, np.zeros((2, 2)), 1e-12)


@pytest.mark.parametrize(
    "call", [rne.forward_dynamics, rne.mass_matrix_inverse, rne.effective_inertia,
             lambda *args, **more: rne.operational_inertia(*args, "link2", **more)],
)  # fmt: skip
def test_other_choices_are_refused(call):
    with pytest.raises(rne.ArgumentError, match="singular: wanted 'raise', 'nan' or 'least_squares', got 'zero'"):
        call(ARM, Q, singular="zero")
