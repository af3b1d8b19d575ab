"""Robots whose base floats are verified by Kane's equations; what goes wrong with their base is caught."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import oracles
import pytest
from checks import assert_near, random_tree
from oracles_floating import FreeFlyer, random_states

import rne
from rne import lagrange
from rne.verification import derivative_identities, identities, kinematic_identities

FOLLOWERS = rne.Robot(replace(random_tree(4, 7, mimic=0.4, massless=0.0), floating=True))
BODY = rne.load_urdf(
    '<robot name="block"><link name="body"><inertial><origin xyz="0.1 -0.2 0.3"/><mass value="2"/>'
    '<inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0.01" ixz="-0.02" iyz="0.03"/></inertial></link></robot>',
    floating=True,
)


def example():
    return rne.load(oracles.example_urdf("solo12.urdf"), floating=True)


@pytest.mark.parametrize("make", [lambda: FOLLOWERS, lambda: BODY, example], ids=["followers", "body", "solo12"])
def test_verified_with_room(make):
    report = rne.verify(make(), samples=5)
    assert report.ok, str(report)
    assert not any("Christoffel" in check.name or "christoffel" in check.name for check in report.checks)
    for check in report.checks:
        if check.name != "mass matrix is positive definite":
            assert check.deviation < check.tolerance / 10, check


def spoiled(X):
    """A matrix of derivatives whose column of one rotation of the base is wrong."""
    X = X.copy()
    X[..., 4] *= 1 + 1e-4
    return X


@pytest.mark.parametrize(
    ("module", "name", "identity"),
    [
        (identities, "coriolis_matrix", "Coriolis matrix is that of Lagrange"),
        (identities, "mass_matrix", "mass matrix is that of Lagrange"),
        (kinematic_identities, "jacobian", "Jacobians are derivatives of poses"),
        (kinematic_identities, "regressor", "regressor times parameters is inverse dynamics"),
        (derivative_identities, "jacobian_dot", "Jacobian derivative is rate of the Jacobian"),
        (derivative_identities, "gravity_derivative", "gravity derivative is rate of Lagrange's gravity"),
    ],
)
def test_wrong_columns_of_the_base_are_caught(monkeypatch, module, name, identity):
    right = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given, **options: spoiled(right(*given, **options)))
    broken = {check.name for check in rne.verify(FOLLOWERS, samples=3).checks if not check.passed}
    assert identity in broken


@pytest.mark.parametrize("part", [0, 1])
def test_wrong_derivatives_by_motions_of_the_base_are_caught(monkeypatch, part):
    right = derivative_identities.inverse_dynamics_derivatives

    def wrong(*given, **options):
        D = right(*given, **options)
        return D._replace(**{D._fields[part]: spoiled(D[part])})

    monkeypatch.setattr(derivative_identities, "inverse_dynamics_derivatives", wrong)
    broken = {check.name for check in rne.verify(FOLLOWERS, samples=3).checks if not check.passed}
    assert "torque derivatives are rates of Lagrange's torques" in broken


def test_the_second_formulation_is_that_of_pinocchio():
    oracle = FreeFlyer(FOLLOWERS.tree, FOLLOWERS.joint_names)
    q, qd, qdd = random_states(FOLLOWERS, 3, 1)
    rows = list(zip(q, qd, qdd, strict=True))
    springs = lagrange.spring_torque(FOLLOWERS, q)
    tau = np.array([oracle.inverse_dynamics(*row) for row in rows])
    assert_near(lagrange.inverse_dynamics(FOLLOWERS, q, qd, qdd) - springs, tau, 1e-11)
    M = np.array([oracle.mass_matrix(x) for x in q])
    assert_near(lagrange.inertia_matrix(FOLLOWERS, q), M, 1e-11)
    assert_near(lagrange.paul_inertia_matrix(FOLLOWERS, q), M, 1e-11)
    frame = FOLLOWERS.frame_names[-1]
    assert_near(lagrange.transforms(FOLLOWERS, q)[frame], np.array([oracle.pose(x, frame) for x in q]), 1e-11)
    energies = np.array([oracle.energies(*row[:2]) for row in rows])
    assert_near(lagrange.kinetic_energy(FOLLOWERS, q, qd), energies[:, 0], 1e-11)
    assert_near(lagrange.potential_energy(FOLLOWERS, q, springs=False), energies[:, 1], 1e-11)


def test_poses_that_are_none():
    """An error for a single state, NaN for that sample of a batch."""
    q = random_states(FOLLOWERS, 3, 2)[0]
    q[1, 6] += 0.1
    with pytest.raises(rne.ArgumentError, match="unit quaternion"):
        lagrange.inertia_matrix(FOLLOWERS, q[1])
    M = lagrange.inertia_matrix(FOLLOWERS, q)
    assert np.isnan(M[1]).any()
    assert np.isfinite(M[[0, 2]]).all()
