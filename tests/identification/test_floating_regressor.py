"""The regressor of robots whose base floats: against Pinocchio with a free flyer, and its rank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import oracles
import pinocchio as pin
import pytest
from checks import assert_near, random_tree
from oracles_floating import FreeFlyer, random_states

import rne

PIN_ORDER = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # Pinocchio has Iyy before Ixz
EXAMPLES = ["solo12.urdf", "talos_reduced.urdf", "quadrotor_base.urdf", "baxter.urdf"]
ALL = {"rotors": True, "friction": True}

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


def example_robot(name):
    return rne.load(oracles.example_urdf(name), floating=True)


def pinocchio_regressor(oracle, robot, q, qd, qdd):
    """Columns of the bodies in the order of rne; the frames of joints are those of URDF files in both."""
    G, model = oracle.G, oracle.model
    Y = G.T @ pin.computeJointTorqueRegressor(model, oracle.data, oracle.q(q), G @ qd, G @ qdd)
    bodies = ["root_joint", *robot.links.joints]
    columns = [10 * (model.getJointId(name) - 1) + k for name in bodies for k in PIN_ORDER]
    return Y[:, columns]


@pytest.mark.parametrize("name", EXAMPLES)
def test_pinocchio(name):
    robot = example_robot(name)
    oracle = FreeFlyer(robot.tree, robot.joint_names)
    q, qd, qdd = random_states(robot, 9, 2)
    weights = np.random.default_rng(3).normal(size=(9, robot.n))
    Y = rne.regressor(robot, q, qd, qdd, rotors=False)
    gradient = rne.regressor_vjp(robot, q, qd, qdd, weights, rotors=False)
    for k in range(9):
        wanted = pinocchio_regressor(oracle, robot, q[k], qd[k], qdd[k])
        assert_near(Y[k], wanted, 1e-11)
        assert_near(gradient[k], weights[k] @ wanted, 1e-11)
    assert_near(rne.regressor(robot, q[8], qd[8], qdd[8], rotors=False), Y[8], 1e-13)
    assert rne.parameter_names(robot)[:2] == ("m_base", "mx_base")


@pytest.mark.parametrize("seed", range(3))
def test_torques_are_linear_in_parameters(seed):
    """With drives, springs and joints that follow others; and other parameters give other torques of a new robot."""
    tree = replace(random_tree(seed, 9, mimic=0.3), floating=True)
    robot = rne.Robot(tree)
    q, qd, qdd = random_states(robot, 9, seed)
    pi = rne.parameters(robot, **ALL)
    Y = rne.regressor(robot, q, qd, qdd, **ALL)
    rest = rne.regressor_remainder(robot, q, qd, friction=True)
    assert_near(Y @ pi + rest, rne.inverse_dynamics(robot, q, qd, qdd, friction=True), 1e-11)
    weights = np.random.default_rng(3).normal(size=(9, robot.n))
    gradient = rne.regressor_vjp(robot, q, qd, qdd, weights, **ALL)
    assert_near(gradient, np.einsum("ki,kip->kp", weights, Y), 1e-11)
    assert_near(rne.regressor_vjp(robot, q[0], qd[0], qdd[0], weights[0], **ALL), gradient[0], 1e-13)
    heavier = pi.copy()
    heavier[[0, 1, 10]] += 0.5, 0.2, 0.1
    other = robot.with_parameters(heavier, strict=False)
    assert_near(rne.parameters(other, **ALL), heavier)
    assert_near(Y @ heavier + rest, rne.inverse_dynamics(other, q, qd, qdd, friction=True), 1e-11)
    with pytest.raises(rne.ArgumentError, match="of the base are physically impossible"):
        robot.with_parameters([-1.0, *pi[1:]])


@pytest.mark.parametrize("name", ["solo12.urdf", "talos_reduced.urdf", "quadrotor_base.urdf"])
def test_the_rank_is_that_of_pinocchios_regressor(name):
    robot = example_robot(name)
    oracle = FreeFlyer(robot.tree, robot.joint_names)
    base = rne.base_parameters(robot, rotors=False)
    states = random_states(robot, -(-15 * (1 + len(robot.links.joints)) // robot.n), 4)
    W = np.concatenate([pinocchio_regressor(oracle, robot, *state) for state in zip(*states, strict=True)])
    length = np.linalg.norm(W, axis=0)
    felt = length > 1e-9 * length.max()
    assert np.linalg.matrix_rank(W[:, felt] / length[felt], tol=1e-6) == len(base)
    if not robot.joint_names:
        assert len(base) == 10  # a free body feels every parameter
    q, qd, qdd = (x[0] for x in states)
    Y = rne.regressor(robot, q, qd, qdd, rotors=False)
    pi = rne.parameters(robot, rotors=False)
    assert_near(base.regressor(q, qd, qdd) @ base.values(), Y @ pi, 1e-10)


def test_exciting_motions_are_refused():
    with pytest.raises(rne.ArgumentError, match="floats"):
        rne.excitation(rne.base_parameters(example_robot("solo12.urdf")))
