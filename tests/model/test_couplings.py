"""Springs and dampers between joints: in every algorithm, alone and in batches."""

from __future__ import annotations

import re

import numba
import numpy as np
import pytest
import reference as ref
import strategies
from checks import assert_near, assert_same_bits, random_robot, random_states
from hypothesis import given
from oracles import pin_inverse_dynamics, pin_mass_matrix, pin_model
from own_robots import ARM, arm, gripper

import rne
from rne import lagrange
from rne.kernels.jit import STAMP
from rne.verification import identities

COUPLED = {"couplings": 0.5, "massless": 0.0, "heavy_tips": True, "one_sided": True}
BUSH = random_robot(11, 9, **COUPLED)  # with followers
CHAIN = random_robot(12, 9, mimic=0.0, **COUPLED)
ROBOTS = pytest.mark.parametrize("robot", [BUSH, CHAIN], ids=["bush", "chain"])


def random_matrices(n, seed=0):
    """A symmetric K of both signs, a rest position, and a B that is positive semidefinite but not definite."""
    rng = np.random.default_rng(seed)
    half, root, rest = rng.normal(size=(n, n)), rng.normal(size=(n, n - 1)), rng.normal(size=n)
    return 20 * (half + half.T), rest, root @ root.T


# ------------------------------------------------------------------------------------------------- matrices on a robot


def test_robots_of_the_tests_have_couplings():
    assert BUSH.n < len(BUSH.links.joints)
    assert CHAIN.n == len(CHAIN.links.joints) == 9
    assert min(len(BUSH.tree.couplings), len(CHAIN.tree.couplings)) > 4
    assert any(c.stiffness < 0 for c in (*BUSH.tree.couplings, *CHAIN.tree.couplings))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_torques_and_accelerations_are_those_of_pinocchio_and_two_matrices(dtype):
    K, rest, B = random_matrices(6)
    plain = arm().with_drives(dict.fromkeys(arm().joint_names, rne.Drive()))
    robot = plain.with_springs(K, rest).with_dampers(B)
    q, qd, qdd = random_states(6, 19, dtype=dtype)
    oracle, names = pin_model(ARM), robot.joint_names
    bare = np.array([pin_inverse_dynamics(oracle, names, *state) for state in zip(q, qd, qdd, strict=True)])
    near = {"rtol": 1e-12 if dtype == np.float64 else 3e-6}
    wanted = bare + (q - rest) @ K
    for friction, tau in ((False, wanted), (True, wanted + qd @ B)):
        got = rne.inverse_dynamics(robot, q, qd, qdd, friction=friction)
        assert_near(got, tau, **near)
        assert_same_bits(got[3], rne.inverse_dynamics(robot, q[3], qd[3], qdd[3], friction=friction))
        for method in ("aba", "crba"):
            back = rne.forward_dynamics(robot, q, qd, tau.astype(dtype), friction=friction, method=method)
            felt = [pin_mass_matrix(oracle, names, x) @ error for x, error in zip(q, back - qdd, strict=True)]
            assert_near(felt, np.zeros_like(tau), 1e-11 if dtype == np.float64 else 3e-3)
            one = rne.forward_dynamics(robot, q[3], qd[3], tau[3].astype(dtype), friction=friction, method=method)
            assert_same_bits(back[3], one)
    assert_near(rne.friction_torque(robot, qd), qd @ B, **near)


def test_matrices_come_back():
    K, rest, B = random_matrices(6, seed=1)
    robot = arm().with_springs(K, rest).with_dampers(B)
    assert_near(robot.stiffness, K, 1e-14)
    assert_near(robot.damping, B, 1e-14)
    assert_near(robot.with_springs([1.0] * 6).stiffness, np.eye(6), 0.0)
    assert robot.with_springs(np.zeros(6)).with_dampers(np.zeros(6)).tree.couplings == ()


def test_matrices_are_the_slopes_of_the_torques():
    """Couplings of any ratio, joints that follow, springs and dampers of single joints."""
    robot = BUSH.with_drives({name: rne.Drive(viscous=0.3, stiffness=7.0, rest=0.2) for name in BUSH.links.joints})
    q, steps = random_states(robot.n)[0], np.eye(robot.n)
    springs = [rne.inverse_dynamics(robot, x, gravity=[0, 0, 0]) for x in (q, *(q + steps))]
    assert_near(robot.stiffness, np.array(springs[1:]) - springs[0], 1e-11)
    assert_near(robot.damping, rne.friction_torque(robot, steps))


def test_matrices_of_a_robot_with_followers_are_over_its_coordinates():
    """They take the place of the springs of followers, too."""
    K, B = np.array([[4.0, -300.0], [-300.0, 2e5]]), np.array([[2.0, -1.0], [-1.0, 3.0]])
    drive = rne.Drive(viscous=1.0, coulomb_plus=0.5, coulomb_minus=0.5, stiffness=9.0, rest=0.3)
    plain = gripper().with_drives({"right_finger": rne.Drive(coulomb_plus=0.5, coulomb_minus=0.5)})
    robot = gripper().with_drives({"right_finger": drive}).with_springs(K, [0.1, 0.02]).with_dampers(B)
    q, qd, qdd = random_states(2, 5)
    wanted = rne.inverse_dynamics(plain, q, qd, qdd, friction=True) + (q - [0.1, 0.02]) @ K + qd @ B
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd, friction=True), wanted)


def test_new_springs_leave_the_dampers_and_the_other_way_round():
    K, rest, B = random_matrices(6, seed=2)
    both = arm().with_springs(K, rest).with_dampers(B)
    assert_near(both.with_springs(2 * K).damping, B, 1e-14)
    assert_near(both.with_dampers(2 * B).stiffness, K, 1e-14)
    assert_near(both.with_springs(2 * K).stiffness, 2 * K, 1e-14)
    q, qd, _ = random_states(6, 4)
    rubbing = arm().with_dampers(B)
    coulomb = rne.friction_torque(arm().with_dampers(np.zeros(6)), qd)
    assert np.abs(coulomb).max() > 1
    assert_near(rne.friction_torque(rubbing, qd), coulomb + qd @ B)
    still = rne.inverse_dynamics(both.with_dampers(2 * B), q)
    assert_same_bits(still, rne.inverse_dynamics(arm().with_springs(K, rest), q))


SYMMETRY = "wanted a symmetric matrix, but these entries differ: [0, 1] (turn, left_finger): 1 and 2"


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("with_springs", [[1.0, 1.0], [2.0, 1.0]], f"stiffness: {SYMMETRY}"),
        ("with_dampers", [[1.0, 1.0], [2.0, 1.0]], f"viscous: {SYMMETRY}"),
        ("with_dampers", [[1.0, -2.0], [-2.0, 1.0]], "would drive the robot: qd^T B qd is -1 along qd = {'turn': "),
        ("with_dampers", [1.0, -0.5], "qd^T B qd is -0.5 along qd = {'turn': 0.0, 'left_finger': "),
        ("with_springs", [1.0, 2.0, 3.0], "stiffness: wanted shape (2,), got (3,)"),
        ("with_springs", np.eye(3), "stiffness: wanted shape (2, 2), got (3, 3)"),
        ("with_springs", 5.0, "stiffness: wanted shape (2, 2), got ()"),
        ("with_springs", [[1.0, 0.0], [0.0]], "stiffness: not an array of numbers"),
        ("with_springs", [1.0, np.nan], "stiffness: wanted finite numbers"),
        ("with_dampers", ["a", "b"], "viscous: wanted real numbers, got <U1 of shape (2,)"),
    ],
)
def test_wrong_matrices_are_refused(name, value, wanted):
    with pytest.raises(rne.ArgumentError, match=re.escape(wanted)):
        getattr(gripper(), name)(value)


def test_a_wrong_rest_is_refused():
    with pytest.raises(rne.ArgumentError, match=r"rest: wanted shape \(2,\), got \(3,\)"):
        gripper().with_springs([1.0, 1.0], rest=[0.0, 0.0, 0.0])


# ------------------------------------------------------------------------------------------------------- by the twins


@given(strategies.robots(2, 9, **COUPLED))
def test_inverse_and_forward_dynamics_are_those_of_the_twin(sample):
    tree, q, qd, qdd = sample
    qd = np.where(qd == 0, 0.125, qd)  # the twin knows nothing of joints that friction holds
    robot = rne.Robot(tree)
    springs = ref.spring_torque(tree, q)
    tau = ref.inverse_dynamics(tree, q, qd, qdd, friction=True) + springs
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd, friction=True), tau)
    assert_near(rne.friction_torque(robot, qd), ref.friction_torque(tree, qd))
    at_least = 1e-14 * robot.n * np.linalg.cond(ref.mass_matrix(tree, q)) * (1 + np.abs(tau).max())
    for method in ("auto", "crba"):
        back = rne.forward_dynamics(robot, q, qd, tau, friction=True, method=method)
        assert_near(ref.inverse_dynamics(tree, q, qd, back, friction=True) + springs, tau, max(1e-11, at_least))


@given(strategies.robots(2, 6, **COUPLED))
def test_lagrange_has_them_of_its_own(sample):
    tree, q, qd, qdd = sample
    robot = rne.Robot(tree)
    assert_near(lagrange.spring_torque(robot, q), ref.spring_torque(tree, q))
    assert_near(lagrange.friction_torque(robot, qd), ref.friction_torque(tree, qd))
    assert_near(
        lagrange.inverse_dynamics(robot, q, qd, qdd, friction=True),
        rne.inverse_dynamics(robot, q, qd, qdd, friction=True),
    )


@ROBOTS
def test_a_batch_is_its_single_states_bit_for_bit(robot):
    q, qd, tau = random_states(robot.n, 21)
    for friction in (False, True):
        for call in (
            lambda *state, f=friction: rne.inverse_dynamics(robot, *state, friction=f),
            lambda *state, f=friction: rne.forward_dynamics(robot, *state, friction=f),
            lambda q, qd, tau: rne.potential_energy(robot, q, per_link=True),
            lambda q, qd, tau: rne.friction_torque(robot, qd),
        ):
            batch = call(q, qd, tau)
            assert_same_bits(batch, [call(*state) for state in zip(q, qd, tau, strict=True)])


def test_a_nan_stays_in_its_sample():
    q, qd, qdd = random_states(CHAIN.n, 17)
    clean = rne.inverse_dynamics(CHAIN, q, qd, qdd, friction=True)
    q[4, CHAIN.joint_names.index(CHAIN.tree.couplings[0].first)] = np.nan
    got = rne.inverse_dynamics(CHAIN, q, qd, qdd, friction=True)
    assert np.isnan(got[4]).any()
    assert_same_bits(np.delete(got, 4, axis=0), np.delete(clean, 4, axis=0))


def test_a_robot_that_does_not_fit_the_stack():
    robot = random_robot(3, 260, couplings=0.3, mimic=0.1)
    q, qd, qdd = random_states(robot.n)
    tau = ref.inverse_dynamics(robot.tree, q, qd, qdd, friction=True) + ref.spring_torque(robot.tree, q)
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd, friction=True), tau, 1e-10)


# ------------------------------------------------------------------------------------- energies, terms, compiled code


@given(strategies.robots(2, 6, **COUPLED))
def test_springs_store_what_they_resist(sample):
    tree, q, _, _ = sample
    robot = rne.Robot(tree)
    stored = rne.potential_energy(robot, q) - rne.potential_energy(robot, q, springs=False)
    at_joint = dict(zip([j.name for j in ref.movable_joints(tree)], ref.expand(tree, q), strict=True))
    stretches = [at_joint[c.first] - c.ratio * at_joint[c.second] - c.rest for c in tree.couplings]
    wanted = sum(c.stiffness * s**2 / 2 for c, s in zip(tree.couplings, stretches, strict=True))
    assert_near(stored, wanted, 1e-11)
    half = 0.5 * np.eye(robot.n)  # exact for a quadratic function
    slope = lagrange.potential_energy(robot, q + half) - lagrange.potential_energy(robot, q - half)
    gravity = lagrange.potential_energy(robot, q + half, springs=False) - lagrange.potential_energy(
        robot, q - half, springs=False
    )
    assert_near(slope - gravity, ref.spring_torque(tree, q), 1e-11)


@ROBOTS
def test_the_energy_of_a_spring_is_with_the_first_of_its_joints(robot):
    q = random_states(robot.n, 5)[0]
    springs = rne.potential_energy(robot, q, per_link=True) - rne.potential_energy(
        robot, q, per_link=True, springs=False
    )
    assert_near(
        springs.sum(axis=-1), rne.potential_energy(robot, q) - rne.potential_energy(robot, q, springs=False), 1e-11
    )
    carriers = {robot.links.joints.index(c.first) + 1 for c in robot.tree.couplings}
    assert set(np.flatnonzero(np.abs(springs).max(axis=0) > 1e-9)) == carriers
    names = [robot.joint(name).child for name in robot.links.joints]
    bodies = lagrange.potential_energy(robot, q, per_body=True) - lagrange.potential_energy(
        robot, q, per_body=True, springs=False
    )
    assert_near(springs[:, 1:], bodies[:, [robot.frame_names.index(name) for name in names]], 1e-11)


def test_a_breakdown_tells_springs_and_friction():
    q, qd, qdd = random_states(CHAIN.n, 4)
    parts = rne.torque_breakdown(CHAIN, q, qd, qdd, friction=True)
    assert_near(parts.spring, [ref.spring_torque(CHAIN.tree, x) for x in q])
    assert_near(parts.friction, [ref.friction_torque(CHAIN.tree, x) for x in qd])
    assert_near(sum(parts.terms.values()), parts.total)


@ROBOTS
def test_verify_holds(robot):
    assert rne.verify(robot, samples=5).ok


def test_verify_misses_a_coupling(monkeypatch):
    """Lagrange's equations have springs of their own to compare with."""
    monkeypatch.setattr(
        identities, "inverse_dynamics", lambda _, *state, **more: rne.inverse_dynamics(arm(), *state, **more)
    )
    K, rest, _ = random_matrices(6)
    assert not rne.verify(arm().with_springs(K, rest), samples=5).ok


def _user_code(stamp):
    @numba.njit(cache=True)
    def there_and_back(model, q, qd, qdd, tau, back, drag):
        stamp  # noqa: B018
        rne.jit.inverse_dynamics(model, q, qd, qdd, tau, True)
        rne.jit.forward_dynamics(model, q, qd, tau, back, True)
        rne.jit.friction_torque(model, qd, drag)

    return there_and_back


there_and_back = _user_code(STAMP)


@ROBOTS
def test_compiled_code_has_the_same_bits(robot):
    model = rne.jit.model(robot)
    q, qd, qdd = random_states(robot.n)
    tau, back, drag = np.empty((3, robot.n))
    there_and_back(model, q, qd, qdd, tau, back, drag)
    assert_same_bits(tau, rne.inverse_dynamics(robot, q, qd, qdd, friction=True))
    assert_same_bits(back, rne.forward_dynamics(robot, q, qd, tau, friction=True))
    assert_same_bits(drag, rne.friction_torque(robot, qd))
    for rows in (len(robot.links.joints) + 1, len(model) - 1):  # as if couplings were none, or one fewer
        with pytest.raises(ValueError, match="not a model"):
            there_and_back(np.ascontiguousarray(model[:rows]), q, qd, qdd, tau, back, drag)
