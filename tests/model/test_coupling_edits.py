"""Springs and dampers between joints through every change of a robot: locks, other orders, payloads, copies."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from checks import assert_near, assert_same_bits, random_robot, random_states
from own_robots import gripper
from scipy.linalg import expm

import rne
from rne import lagrange
from rne.kernels import layout as at

CHAIN = random_robot(12, 9, mimic=0.0, couplings=0.5, massless=0.0, heavy_tips=True, one_sided=True)


def chain_states(names):
    """The states of `random_states` for the joints of CHAIN, in another order or fewer."""
    columns = [CHAIN.joint_names.index(name) for name in names]
    return [x[..., columns] for x in random_states(CHAIN.n, 6)]


@pytest.mark.filterwarnings("ignore::rne.ModelWarning")
def test_locking_leaves_a_spring_to_a_fixed_point():
    """One joint of a coupling locked, or both."""
    first, second = CHAIN.tree.couplings[0].first, CHAIN.tree.couplings[0].second
    q, qd, qdd = random_states(CHAIN.n, 6)
    for names in ([first], [second], [first, second]):
        values = dict(zip(names, (0.7, -0.4), strict=False))
        locked = CHAIN.with_locked(values)
        full = [x.copy() for x in (q, qd, qdd)]
        for name in names:
            for x, value in zip(full, (values[name], 0.0, 0.0), strict=True):
                x[:, CHAIN.joint_names.index(name)] = value
        left = [CHAIN.joint_names.index(name) for name in locked.joint_names]
        state = [x[:, left] for x in full]
        tau = rne.inverse_dynamics(CHAIN, *full, friction=True)[:, left]
        assert_near(rne.inverse_dynamics(locked, *state, friction=True), tau)
        assert_near(lagrange.inverse_dynamics(locked, *state, friction=True), tau)
        assert_near(locked.stiffness, CHAIN.stiffness[np.ix_(left, left)])
        assert_near(locked.damping, CHAIN.damping[np.ix_(left, left)])
        dropped = len(locked.tree.couplings) - int(locked.links.table[0, at.COUPLINGS])
        assert dropped == sum({c.first, c.second} <= set(names) for c in CHAIN.tree.couplings)
        energy = rne.potential_energy(CHAIN, full[0]) - rne.potential_energy(locked, state[0])
        assert_near(energy - energy[0], np.zeros(6), 1e-11)  # but for a constant
        assert_near(rne.potential_energy(locked, state[0]), lagrange.potential_energy(locked, state[0]))


def test_locking_a_leader_locks_the_couplings_of_its_followers():
    robot = gripper()
    coupling = rne.model.tree.Coupling("turn", "right_finger", stiffness=5.0, viscous=2.0, rest=0.3, ratio=4.0)
    coupled = rne.Robot(replace(robot.tree, couplings=(coupling,)))
    locked = coupled.with_locked({"left_finger": 0.02})
    finger = -1.5 * 0.02 + 0.01
    torque = rne.inverse_dynamics(locked, [0.5]) - rne.gravity_vector(locked, [0.5])
    assert_near(torque, [5.0 * (0.5 - 4.0 * finger - 0.3)])
    assert_near(rne.inverse_dynamics(coupled, [0.5, 0.02])[:1], rne.inverse_dynamics(locked, [0.5]))


def test_other_orders_payloads_drives_gravity_and_copies_keep_them():
    names = CHAIN.joint_names[::-1]
    reordered = rne.Robot(CHAIN.tree, names)
    tau = rne.inverse_dynamics(CHAIN, *random_states(CHAIN.n, 6), friction=True)
    assert_near(rne.inverse_dynamics(reordered, *chain_states(names), friction=True), tau[:, ::-1])
    assert_near(reordered.damping, CHAIN.damping[::-1, ::-1])
    again = pickle.loads(pickle.dumps(reordered))
    assert_same_bits(again.links.table, reordered.links.table)
    tip = CHAIN.tree.bodies[-1].name
    for other in (
        CHAIN.with_payload(1.0, frame=tip),
        CHAIN.with_gravity([1.0, 2.0, 3.0]),
        CHAIN.with_drives({CHAIN.joint_names[0]: rne.Drive()}),
    ):
        assert_near(other.stiffness, CHAIN.stiffness, 0.0)
    same = CHAIN.with_springs(CHAIN.stiffness).with_dampers(CHAIN.damping)
    assert_near(same.stiffness, CHAIN.stiffness, 1e-13)
    assert_near(same.damping, CHAIN.damping, 1e-13)


def test_free_vibration_is_the_matrix_exponential():
    """Three slides side by side on the ground, with any K and B between them, and a rest position."""
    masses = [1.0, 2.5, 0.7]
    rows = [{"joint": "prismatic", "mass": m, "parent": "base"} for m in masses]
    root, damp = np.random.default_rng(5).normal(size=(2, 3, 3))
    K, B, rest = 40 * root @ root.T, damp @ damp.T, np.array([0.1, -0.2, 0.3])
    robot = rne.from_dh(rows, convention="standard", gravity=[0, 0, 0]).with_springs(K, rest).with_dampers(B)
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-K / np.c_[masses], -B / np.c_[masses]]])
    start, t = np.array([0.5, 0.1, -0.3, 1.0, 0.0, -1.0]), np.linspace(0, 1.5, 7)
    at_rest = np.concatenate([rest, np.zeros(3)])
    wanted = at_rest + [expm(A * time) @ (start - at_rest) for time in t]
    for batch in ((), (3,)):
        motion = rne.simulate(robot, np.broadcast_to(start[:3], (*batch, 3)), start[3:], t, friction=True)
        assert_near(motion.q, np.broadcast_to(wanted[:, :3], motion.q.shape), 1e-9)
        assert_near(motion.qd, np.broadcast_to(wanted[:, 3:], motion.q.shape), 1e-8)
