"""A base that floats in evaluators and in compiled code."""

from __future__ import annotations

from dataclasses import replace

import numba
import numpy as np
import pytest
from checks import assert_near, assert_same_bits, random_tree
from oracles_floating import random_states

import rne


def floating(seed, joints, **features):
    return rne.Robot(replace(random_tree(seed, joints, massless=0.0, **features), floating=True))


HEAVY = [floating(3, 7, mimic=0.0, heavy_tips=True), floating(4, 9, mimic=0.4)]
heavy = pytest.mark.parametrize("robot", HEAVY, ids=["tree", "followers"])


@heavy
def test_evaluator(robot):
    evaluator = rne.Evaluator(robot)
    assert_near(evaluator.q, rne.neutral(robot))
    q, qd, qdd = (x[0] for x in random_states(robot, 1, 16))
    evaluator.q[:], evaluator.qd[:], evaluator.qdd[:] = q, qd, qdd
    assert_same_bits(evaluator.inverse_dynamics(), rne.inverse_dynamics(robot, q, qd, qdd))
    assert_same_bits(evaluator.gravity_vector(), rne.gravity_vector(robot, q))
    assert_same_bits(evaluator.bias_vector(), rne.bias_vector(robot, q, qd))
    assert_same_bits(evaluator.mass_matrix(), rne.mass_matrix(robot, q))
    assert_same_bits(evaluator.jacobian(robot.frame_names[-1]), rne.jacobian(robot, q, robot.frame_names[-1]))
    evaluator.tau[:] = 1.0
    assert_same_bits(evaluator.forward_dynamics(), rne.forward_dynamics(robot, q, qd, np.ones(robot.n)))
    tau = evaluator.tau
    for got, wanted in (
        (evaluator.inverse_dynamics_derivatives(), rne.inverse_dynamics_derivatives(robot, q, qd, evaluator.qdd)),
        (evaluator.forward_dynamics_derivatives(), rne.forward_dynamics_derivatives(robot, q, qd, tau)),
    ):
        for ours, theirs in zip(got, wanted, strict=True):
            assert_same_bits(ours, theirs)


@numba.njit
def _in_compiled_code(model, site, q, qd, qdd, tau, g, back, M, C, J, com, energies):
    rne.jit.inverse_dynamics(model, q, qd, qdd, tau)
    rne.jit.gravity_vector(model, q, g)
    rne.jit.forward_dynamics(model, q, qd, tau, back)
    rne.jit.mass_matrix(model, q, M)
    rne.jit.coriolis_matrix(model, q, qd, C)
    rne.jit.jacobian(model, site, q, J)
    rne.jit.center_of_mass(model, q, com)
    energies[0] = rne.jit.kinetic_energy(model, q, qd)
    energies[1] = rne.jit.potential_energy(model, q)


@heavy
def test_compiled_code(robot):
    q, qd, qdd = (x[0] for x in random_states(robot, 1, 17))
    n, frame = robot.n, robot.frame_names[-1]
    tau, g, back, M, C = np.empty(n), np.empty(n), np.empty(n), np.empty((n, n)), np.empty((n, n))
    J, com, energies = np.empty((6, n)), np.empty(3), np.empty(2)
    site = rne.jit.site(robot, frame)
    _in_compiled_code(rne.jit.model(robot), site, q, qd, qdd, tau, g, back, M, C, J, com, energies)
    assert_near(tau, rne.inverse_dynamics(robot, q, qd, qdd), 1e-14)
    assert_near(g, rne.gravity_vector(robot, q), 1e-14)
    assert_near(back, qdd, 1e-8)
    assert_near(M, rne.mass_matrix(robot, q), 1e-14)
    assert_near(C, rne.coriolis_matrix(robot, q, qd), 1e-14)
    assert_near(J, rne.jacobian(robot, q, frame), 1e-14)
    assert_near(com, rne.center_of_mass(robot, q), 1e-14)
    assert_near(energies, [rne.kinetic_energy(robot, q, qd), rne.potential_energy(robot, q)], 1e-14)


@numba.njit
def _derivatives(model, site, joints, states, weights, found):
    q, qd, qdd, tau = states
    by_state, of_accelerations, gradient, slope, rate, Y, by_parameters = found
    rne.jit.inverse_dynamics_derivatives(model, q, qd, qdd, by_state)
    rne.jit.forward_dynamics_derivatives(model, q, qd, tau, of_accelerations)
    rne.jit.inverse_dynamics_vjp(model, q, qd, qdd, weights, gradient)
    rne.jit.gravity_derivative(model, q, slope)
    rne.jit.jacobian_dot(model, site, q, qd, rate)
    rne.jit.regressor(model, joints, q, qd, qdd, Y)
    rne.jit.regressor_vjp(model, joints, q, qd, qdd, weights, by_parameters)


@heavy
def test_derivatives_in_compiled_code(robot):
    q, qd, qdd = (x[0] for x in random_states(robot, 1, 18))
    tau, weights = np.random.default_rng(19).normal(size=(2, robot.n))
    n, frame, columns = robot.n, robot.frame_names[-1], len(rne.parameter_names(robot))
    shapes = [(3, n, n), (3, n, n), (3, n), (n, n), (6, n), (n, columns), (columns,)]
    found = tuple(np.empty(shape) for shape in shapes)
    joints = rne.jit.joint_sites(robot, "local")
    _derivatives(rne.jit.model(robot), rne.jit.site(robot, frame), joints, (q, qd, qdd, tau), weights, found)
    wanted = (
        np.stack(rne.inverse_dynamics_derivatives(robot, q, qd, qdd)),
        np.stack(rne.forward_dynamics_derivatives(robot, q, qd, tau)),
        np.stack(rne.inverse_dynamics_vjp(robot, q, qd, qdd, weights)),
        rne.gravity_derivative(robot, q),
        rne.jacobian_dot(robot, q, qd, frame),
        rne.regressor(robot, q, qd, qdd),
        rne.regressor_vjp(robot, q, qd, qdd, weights),
    )
    for got, part in zip(found, wanted, strict=True):
        assert_near(got, part, 1e-13)


@numba.njit
def _christoffel(model, q, D):
    rne.jit.christoffel(model, q, D)


def test_compiled_code_refuses():
    robot = HEAVY[0]
    q = rne.neutral(robot)
    for wrong in (q, q[1:]):
        with pytest.raises(ValueError, match=r"rne\.jit"):
            _christoffel(rne.jit.model(robot), wrong, np.empty((robot.n,) * 3))
