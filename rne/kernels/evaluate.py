"""Functions for control loops with a single argument: the address of all their inputs and outputs.

They check nothing and allocate nothing (except for robots of about 100 joints and more, whose scratch does not fit on
the stack). They use the C calling convention, `int64_t f(int64_t state)`, and return 0, or 1 if a mass matrix is
singular.
"""

from __future__ import annotations

from collections.abc import Callable

from rne.kernels import (
    derivatives,
    forward_derivatives,
    forward_dynamics,
    gravity,
    inverse_dynamics,
    jacobian,
    mass_matrix,
)
from rne.kernels.base import positions
from rne.kernels.jit import inline_allocating
from rne.kernels.layout import COORDINATES, SITE_WIDTH, WITH_ROTORS
from rne.kernels.scratch import table_at
from rne.kernels.simd.pack import array_at, doubles_at, words_at

# The words of a state: addresses of the table and the arrays, and the loads of the joints.
TABLE, Q, QD, QDD, TAU, G, BIAS, MASS, ZEROS, LOADS, SITE, JACOBIAN, TORQUES, ACCELERATIONS = range(14)
WORDS = 14


@inline_allocating
def _table(words):
    return table_at(words[TABLE], doubles_at(words[TABLE], 0))


@inline_allocating
def _row(words, k, n):
    return doubles_at(words[k], n)


def make_inverse_dynamics(stamp: str) -> Callable[[int], int]:
    """Make the function that fills tau."""

    def evaluate_inverse_dynamics(state):
        stamp  # noqa: B018  part of the cache key
        words = words_at(state, WORDS)
        table = _table(words)
        n = int(table[0, COORDINATES])
        q, qd, qdd, tau = _row(words, Q, positions(table)), _row(words, QD, n), _row(words, QDD, n), _row(words, TAU, n)
        inverse_dynamics.one(table, q, qd, qdd, tau, words[LOADS])
        return 0

    return evaluate_inverse_dynamics


def make_bias_vector(stamp: str) -> Callable[[int], int]:
    """Make the function that fills the torques of a motion without acceleration."""

    def evaluate_bias_vector(state):
        stamp  # noqa: B018  part of the cache key
        words = words_at(state, WORDS)
        table = _table(words)
        n = int(table[0, COORDINATES])
        q, qd, qdd, bias = (
            _row(words, Q, positions(table)),
            _row(words, QD, n),
            _row(words, ZEROS, n),
            _row(words, BIAS, n),
        )
        inverse_dynamics.one(table, q, qd, qdd, bias, 0)
        return 0

    return evaluate_bias_vector


def make_gravity_vector(stamp: str) -> Callable[[int], int]:
    """Make the function that fills the torques that hold the robot still."""

    def evaluate_gravity_vector(state):
        stamp  # noqa: B018  part of the cache key
        words = words_at(state, WORDS)
        table = _table(words)
        n = int(table[0, COORDINATES])
        gravity.one(table, _row(words, Q, positions(table)), _row(words, G, n))
        return 0

    return evaluate_gravity_vector


def make_mass_matrix(stamp: str) -> Callable[[int], int]:
    """Make the function that fills the mass matrix."""

    def evaluate_mass_matrix(state):
        stamp  # noqa: B018  part of the cache key
        words = words_at(state, WORDS)
        table = _table(words)
        n = int(table[0, COORDINATES])
        mass = array_at(words[MASS], doubles_at(words[TABLE], 0), n, n)
        mass_matrix.one(table, _row(words, Q, positions(table)), mass, WITH_ROTORS)
        return 0

    return evaluate_mass_matrix


def make_forward_dynamics(stamp: str) -> Callable[[int], int]:
    """Make the function that fills qdd; it returns 1 where the mass matrix is singular."""

    def evaluate_forward_dynamics(state):
        stamp  # noqa: B018  part of the cache key
        words = words_at(state, WORDS)
        table = _table(words)
        n = int(table[0, COORDINATES])
        q, qd, tau, qdd = _row(words, Q, positions(table)), _row(words, QD, n), _row(words, TAU, n), _row(words, QDD, n)
        return 1 if forward_dynamics.one(table, q, qd, tau, qdd, words[LOADS]) else 0

    return evaluate_forward_dynamics


def make_inverse_dynamics_derivatives(stamp: str) -> Callable[[int], int]:
    """Make the function that fills the derivatives of tau."""

    def evaluate_inverse_dynamics_derivatives(state):
        stamp  # noqa: B018  part of the cache key
        words = words_at(state, WORDS)
        table = _table(words)
        n = int(table[0, COORDINATES])
        q, qd, qdd = _row(words, Q, positions(table)), _row(words, QD, n), _row(words, QDD, n)
        D = array_at(words[TORQUES], doubles_at(words[TABLE], 0), 3 * n, n)
        derivatives.one(table, q, qd, qdd, D, words[LOADS])
        return 0

    return evaluate_inverse_dynamics_derivatives


def make_forward_dynamics_derivatives(stamp: str) -> Callable[[int], int]:
    """Make the function that fills the derivatives of qdd; it returns 1 where the mass matrix is singular."""

    def evaluate_forward_dynamics_derivatives(state):
        stamp  # noqa: B018  part of the cache key
        words = words_at(state, WORDS)
        table = _table(words)
        n = int(table[0, COORDINATES])
        q, qd, tau = _row(words, Q, positions(table)), _row(words, QD, n), _row(words, TAU, n)
        D = array_at(words[ACCELERATIONS], doubles_at(words[TABLE], 0), 3 * n, n)
        return 1 if forward_derivatives.one(table, q, qd, tau, D, words[LOADS]) else 0

    return evaluate_forward_dynamics_derivatives


def make_jacobian(stamp: str) -> Callable[[int], int]:
    """Make the function that fills the Jacobian of the frame of the state."""

    def evaluate_jacobian(state):
        stamp  # noqa: B018  part of the cache key
        words = words_at(state, WORDS)
        table = _table(words)
        n = int(table[0, COORDINATES])
        site = array_at(words[SITE], doubles_at(words[TABLE], 0), 1, SITE_WIDTH)
        jacobian.one(
            table, site, _row(words, Q, positions(table)), array_at(words[JACOBIAN], doubles_at(words[TABLE], 0), 6, n)
        )
        return 0

    return evaluate_jacobian
