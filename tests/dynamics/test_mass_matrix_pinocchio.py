"""Mass matrix, its inverse and forward dynamics against Pinocchio on every example robot, humanoids and hands too."""

from __future__ import annotations

import numpy as np
import oracles
import pinocchio as pin
import pytest
from checks import random_states

import rne

PATHS = {oracles.example_id(path): path for path in oracles.example_urdfs()}
REFUSED = [
    "alex_description/alex_psyonic_hands.urdf",
    "ur_description/ur3.urdf",
    "romeo_description/romeo_laas_small.urdf",
]
WITHOUT_JOINTS = ["hector_description/quadrotor_base.urdf", "iris_description/iris_simple.urdf"]
SINGULAR = {"romeo_description/romeo.urdf": "RHand"}  # its fingers have no mass, nor has what they hang on
COMPARED = [name for name in PATHS if name not in REFUSED and name not in WITHOUT_JOINTS]
REGULAR = [name for name in COMPARED if name not in SINGULAR]
SAMPLES = 5

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")


class Oracle:
    """A robot as Pinocchio sees it: mass matrix, bias, forward dynamics of states in rne's order."""

    def __init__(self, name):
        self.names, self.model = oracles.urdf_coordinates(PATHS[name]), oracles.pin_model(PATHS[name])

    def mass_matrices(self, q):
        return np.array([oracles.pin_mass_matrix(self.model, self.names, x) for x in q])

    def forward_dynamics(self, q, qd, tau):
        """By its articulated bodies; where joints mimic others, which these do not know, from the mass matrix."""
        pm, names = self.model, self.names
        if len(pm.joint_names) > len(names):
            bias = np.array([oracles.pin_inverse_dynamics(pm, names, *state) for state in zip(q, qd, strict=True)])
            return np.linalg.solve(self.mass_matrices(q), (tau - bias)[..., None])[..., 0]
        pm.model.gravity = pin.Motion(np.array(oracles.GRAVITY), np.zeros(3))
        got = [
            pin.aba(
                pm.model,
                pm.data,
                oracles.pin_q(pm, names, a),
                oracles.pin_v(pm, names, b),
                oracles.pin_v(pm, names, c),
            )
            for a, b, c in zip(q, qd, tau, strict=True)
        ]
        return np.array([oracles.from_pin_v(pm, names, x) for x in got])


def assert_same_matrices(got, wanted, rtol):
    """Near by the diagonal entries that an entry stands between: small joints are not measured by large ones."""
    diagonal = np.sqrt(np.abs(np.diagonal(wanted, axis1=-2, axis2=-1)))
    scale = diagonal[..., :, None] * diagonal[..., None, :]
    assert got.shape == wanted.shape
    assert np.all(np.abs(got - wanted) <= rtol * scale + 1e-300)


def test_there_are_enough_robots():
    assert set(REFUSED) | set(WITHOUT_JOINTS) | set(SINGULAR) <= set(PATHS)
    assert len(REGULAR) == 63
    hands = [name for name in REGULAR if "hand" in name]
    humanoids = [name for name in REGULAR if "talos" in name or "icub" in name or "g1_" in name]
    assert len(hands) >= 3
    assert len(humanoids) >= 5


@pytest.mark.parametrize("name", COMPARED)
def test_mass_matrix_is_that_of_pinocchio(name):
    robot = rne.load(PATHS[name])
    q = random_states(robot.n, SAMPLES, seed=robot.n)[0]
    wanted = Oracle(name).mass_matrices(q)
    assert_same_matrices(rne.mass_matrix(robot, q), wanted, 1e-12)  # measured: 8e-15
    assert_same_matrices(np.array([rne.mass_matrix(robot, x) for x in q]), wanted, 1e-12)


@pytest.mark.parametrize("name", REGULAR)
def test_forward_dynamics_is_that_of_pinocchio(name):
    """Measured: 1e-14 of the largest acceleration, but 1e-9 on icub, whose mass matrix has the condition 5e9."""
    robot = rne.load(PATHS[name])
    q, qd, tau = random_states(robot.n, SAMPLES, seed=robot.n)
    wanted = Oracle(name).forward_dynamics(q, qd, tau)
    tolerance = (1e-8 if "icub" in name else 1e-10) * np.abs(wanted).max()
    for method in ("auto", "crba"):
        np.testing.assert_allclose(rne.forward_dynamics(robot, q, qd, tau, method=method), wanted, 0, tolerance)
    single = [rne.forward_dynamics(robot, *state) for state in zip(q, qd, tau, strict=True)]
    np.testing.assert_allclose(single, wanted, 0, tolerance)


@pytest.mark.parametrize("name", REGULAR[::2])
def test_the_inverse_is_that_of_pinocchio(name):
    robot, oracle = rne.load(PATHS[name]), Oracle(name)
    q = random_states(robot.n, SAMPLES, seed=robot.n)[0]
    pm = oracle.model
    if len(pm.joint_names) > robot.n:
        wanted = np.linalg.inv(oracle.mass_matrices(q))
    else:
        order = [pm.joint_names.index(joint) for joint in robot.joint_names]
        upper = [np.triu(pin.computeMinverse(pm.model, pm.data, oracles.pin_q(pm, oracle.names, x))) for x in q]
        wanted = np.array([(x + np.triu(x, 1).T)[np.ix_(order, order)] for x in upper])
    assert_same_matrices(rne.mass_matrix_inverse(robot, q), wanted, 1e-7 if "icub" in name else 1e-9)


@pytest.mark.parametrize(("name", "joint"), SINGULAR.items())
def test_a_hand_without_mass_is_named(name, joint):
    robot = rne.load(PATHS[name])
    with pytest.raises(rne.SingularError, match=f"singular at joint '{joint}'"):
        rne.forward_dynamics(robot, np.zeros(robot.n))


@pytest.mark.parametrize("name", WITHOUT_JOINTS)
def test_files_without_joints_give_empty_answers(name):
    robot = rne.load(PATHS[name])
    assert rne.mass_matrix(robot, []).shape == (0, 0)
    assert rne.mass_matrix_inverse(robot, np.zeros((5, 0))).shape == (5, 0, 0)
    assert rne.forward_dynamics(robot, np.zeros(0), np.zeros(0), np.zeros(0)).shape == (0,)
    assert rne.forward_dynamics(robot, np.zeros((5, 0))).shape == (5, 0)
