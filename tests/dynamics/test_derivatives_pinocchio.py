"""Derivatives against Pinocchio on every example robot."""

from __future__ import annotations

import numpy as np
import oracles
import pinocchio as pin
import pytest
from checks import random_states

import rne

# What is wanted is 1e-9 of the largest entry of each matrix.
TOLERANCE = 1e-12

PATHS = {oracles.example_id(path): path for path in oracles.example_urdfs()}
REFUSED = {
    "alex_description/alex_psyonic_hands.urdf",
    "ur_description/ur3.urdf",
    "romeo_description/romeo_laas_small.urdf",
    "hector_description/quadrotor_base.urdf",  # without joints
    "iris_description/iris_simple.urdf",
}
COMPARED = [name for name in PATHS if name not in REFUSED]

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


def near(got, wanted, rtol=TOLERANCE):
    for ours, theirs in zip(got, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=rtol * max(np.abs(theirs).max(), 1e-3))


@pytest.mark.parametrize("name", COMPARED)
def test_derivatives_are_those_of_pinocchio(name):
    path = PATHS[name]
    robot, names, pm = rne.load(path), oracles.urdf_coordinates(path), oracles.pin_model(path)
    model, data, nv = pm.model, pm.data, pm.model.nv
    G = np.array([oracles.pin_v(pm, names, unit) for unit in np.eye(robot.n)]).T
    states = random_states(robot.n, 3, seed=robot.n)
    got = rne.inverse_dynamics_derivatives(robot, *states)
    gradient = rne.inverse_dynamics_vjp(robot, *states, states[1])
    slope = rne.gravity_derivative(robot, states[0])
    for k, (q, qd, qdd) in enumerate(zip(*states, strict=True)):
        position, rates = oracles.pin_q(pm, names, q), (oracles.pin_v(pm, names, qd), oracles.pin_v(pm, names, qdd))
        pin.computeRNEADerivatives(model, data, position, *rates)
        M = np.triu(data.M) + np.triu(data.M, 1).T
        parts = [part.reshape(nv, nv) for part in (data.dtau_dq, data.dtau_dv, M)]
        wanted = [G.T @ part @ G for part in parts]
        near([part[k] for part in got], wanted)
        near([part[k] for part in gradient], [qd @ part for part in wanted])
        still = pin.computeGeneralizedGravityDerivatives(model, data, position).reshape(nv, nv)
        near([slope[k]], [G.T @ still @ G])
        if robot.n == nv:
            inverse = np.linalg.cond(wanted[2])
            if inverse > 1e9:
                continue
            pin.computeABADerivatives(model, data, position, rates[0], G @ qdd)
            P = G.T  # a permutation of the coordinates, where none follows another
            wanted = [P @ part.reshape(nv, nv) @ G for part in (data.ddq_dq, data.ddq_dv)]
            Minv = np.triu(data.Minv) + np.triu(data.Minv, 1).T
            found = rne.forward_dynamics_derivatives(robot, q, qd, qdd)
            near(found, [*wanted, P @ Minv @ G], 1e-9)
