"""All robots of example-robot-data on a floating base against Pinocchio with a free flyer."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from checks import assert_near
from oracles_floating import FreeFlyer, random_states

import rne

PATHS = {oracles.example_id(path): path for path in oracles.example_urdfs()}
REFUSED = [
    "alex_description/alex_psyonic_hands.urdf",
    "ur_description/ur3.urdf",
    "romeo_description/romeo_laas_small.urdf",
]
LOADED = [name for name in PATHS if name not in REFUSED]
SAMPLES = 9

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


@pytest.mark.parametrize("name", LOADED)
def test_example(name):
    robot = rne.load(PATHS[name], floating=True)
    oracle = FreeFlyer(robot.tree, robot.joint_names)
    q, qd, qdd = random_states(robot, SAMPLES)
    rows = list(zip(q, qd, qdd, strict=True))
    tau = rne.inverse_dynamics(robot, q, qd, qdd)
    assert_near(tau, np.array([oracle.inverse_dynamics(*row) for row in rows]), 1e-10)
    M = np.array([oracle.mass_matrix(x) for x in q])
    assert_near(rne.mass_matrix(robot, q), M, 1e-10)
    D = rne.inverse_dynamics_derivatives(robot, q, qd, qdd)
    for got, wanted in zip(D, zip(*[oracle.derivatives(*row) for row in rows], strict=True), strict=True):
        assert_near(got, np.array(wanted), 1e-10)
    frame = robot.frame_names[-1]
    assert_near(rne.jacobian(robot, q, frame), np.array([oracle.jacobian(x, frame) for x in q]), 1e-10)
    if robot.total_mass:
        com = np.array([oracle.center_of_mass(*row[:2])[0] for row in rows])
        assert_near(rne.center_of_mass(robot, q), com, 1e-10)
        found = [oracle.centroidal(*row[:2]) for row in rows]
        assert_near(rne.centroidal_momentum_matrix(robot, q), np.array([x[1] for x in found]), 1e-10)
        assert_near(rne.centroidal_momentum(robot, q, qd), np.array([x[0] for x in found]), 1e-10)
    try:
        back = rne.forward_dynamics(robot, q, qd, tau)
    except rne.SingularError:  # a link of them without mass, or with a joint that no mass feels
        assert np.linalg.cond(M).max() > 1e10
        return
    # To the accuracy that the condition of the matrix leaves.
    assert_near(back, qdd, 1e-10 + 1e-15 * np.linalg.cond(M).max())
