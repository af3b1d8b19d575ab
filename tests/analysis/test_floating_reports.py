"""Reports and inertias of robots whose base floats: against matrices of Pinocchio, and identities of mechanics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_near, random_tree
from oracles_floating import FreeFlyer, random_states

import rne

ROBOT = rne.Robot(replace(random_tree(5, 9, mimic=0.3, heavy_tips=True, massless=0.0), floating=True))
ORACLE = FreeFlyer(ROBOT.tree, ROBOT.joint_names)
Q, QD, QDD = random_states(ROBOT, 5, 6)
FRAME = ROBOT.frame_names[-1]
WRENCH = {FRAME: np.array([1.0, -2.0, 3.0, 0.5, 0.2, -0.1])}
M = np.array([ORACLE.mass_matrix(q) for q in Q])


def test_breakdown():
    parts = rne.torque_breakdown(ROBOT, Q, QD, QDD, f_ext=WRENCH, friction=True)
    assert parts.joint_names == ROBOT.coordinate_names
    assert_near(sum(parts.terms.values()), parts.total, 1e-12)
    assert_near(parts.total, rne.inverse_dynamics(ROBOT, Q, QD, QDD, f_ext=WRENCH, friction=True))
    assert_near(parts.effective + parts.coupling + parts.rotor, np.einsum("kij,kj->ki", M, QDD), 1e-11)
    still = np.array([ORACLE.inverse_dynamics(q, 0 * v, 0 * v) for q, v in zip(Q, QD, strict=True)])
    moving = np.array([ORACLE.inverse_dynamics(q, v, 0 * v) for q, v in zip(Q, QD, strict=True)])
    assert_near(parts.gravity, still, 1e-11)
    assert_near(parts.centripetal + parts.coriolis, moving - still, 1e-10)
    for j in (1, 4, 8):  # one coordinate that moves alone has no Coriolis torque
        alone = QD * np.eye(ROBOT.n)[j]
        split = rne.velocity_torques(ROBOT, Q, alone)
        assert np.abs(split.coriolis).max() <= 1e-12 * max(1.0, np.abs(split.centripetal).max())


def test_inertia_of_a_point():
    J = np.array([ORACLE.jacobian(q, FRAME) for q in Q])
    wanted = np.linalg.inv(J @ np.linalg.inv(M) @ J.swapaxes(-1, -2))
    assert_near(rne.operational_inertia(ROBOT, Q, FRAME), wanted, 1e-8)
    assert_near(rne.operational_inertia(ROBOT, Q[2], FRAME), wanted[2], 1e-8)
    linear = np.linalg.inv((J @ np.linalg.inv(M) @ J.swapaxes(-1, -2))[:, :3, :3])
    axes, directions = rne.inertia_ellipsoid(ROBOT, Q, FRAME)
    rebuilt = directions / axes[:, None, :] ** 2 @ directions.swapaxes(-1, -2)
    assert_near(rebuilt, linear, 1e-8)


def test_effective_inertia():
    locked, free = rne.effective_inertia(ROBOT, Q)
    assert_near(locked, np.diagonal(M, axis1=1, axis2=2), 1e-11)
    assert_near(1 / free, np.diagonal(np.linalg.inv(M), axis1=1, axis2=2), 1e-8)
    base = list(ROBOT.coordinate_names[:6])
    afloat = rne.effective_inertia(ROBOT, Q, free=base).free
    B, across = M[:, :6, :6], M[:, 6:, :6]
    wanted = locked[:, 6:] - np.einsum("kij,kji->ki", across, np.linalg.solve(B, across.swapaxes(-1, -2)))
    assert_near(afloat[:, 6:], wanted, 1e-8)


def test_energy_balance_and_residual():
    tau = rne.inverse_dynamics(ROBOT, Q, QD, QDD, f_ext=WRENCH, friction=True)
    balance = rne.energy_balance(ROBOT, Q, QD, QDD, tau, f_ext=WRENCH, friction=True)
    assert_near(balance.residual + balance.actuators, balance.actuators, 1e-10)
    h = 1e-5
    energy = []
    for t in (h, -h):
        at, v = rne.integrate(ROBOT, Q, t * QD + t * t / 2 * QDD), QD + t * QDD
        energy.append(rne.kinetic_energy(ROBOT, at, v) + rne.potential_energy(ROBOT, at))
    assert_near(balance.rate, (energy[0] - energy[1]) / (2 * h), 1e-6)
    report = rne.residual(ROBOT, Q, QD, QDD, tau + 0.5, f_ext=WRENCH, friction=True)
    assert report.joint_names == ROBOT.coordinate_names
    assert_near(report.bias, np.full(ROBOT.n, 0.5), 1e-9)


@pytest.mark.parametrize("given", ["qdd", "tau"])
def test_link_forces(given):
    """In flight, forces on all bodies add up to those on the base and from outside: momentum and weight."""
    tau = rne.inverse_dynamics(ROBOT, Q, QD, QDD)
    forces = rne.link_forces(ROBOT, Q, QD, **({"qdd": QDD} if given == "qdd" else {"tau": tau}))
    assert set(forces.body_names) == {body.name for body in ROBOT.tree.bodies if body.mass}
    R = rne.forward_kinematics(ROBOT, Q, ROBOT.tree.root)[:, :3, :3]
    on_base = np.einsum("kij,kj->ki", R, tau[:, :3])
    assert_near(forces.held.sum(axis=1), on_base, 1e-7)
    assert_near(forces.tau, tau, 1e-12)


def test_diagnosis():
    assert "condition" in str(rne.diagnose(ROBOT))
