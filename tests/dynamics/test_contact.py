"""Dynamics under contact by identities of mechanics, closed forms, and limiting cases."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from checks import assert_near, assert_same_bits, random_robot, random_tree
from oracles_floating import random_states

import rne
from rne.examples.legs import quadruped

G = 9.81
ALL = {"front_left_foot", "front_right_foot", "rear_left_foot", "rear_right_foot"}


def block(feet=4, mass=8.0):
    """A block with feet at its corners."""
    builder = rne.TreeBuilder("block", base="block")
    builder.add("stone", parent="block", inertia=rne.Inertia.box(mass, [1.0, 0.6, 0.4]))
    for k, (x, y) in enumerate([(0.5, 0.3), (0.5, -0.3), (-0.5, 0.3), (-0.5, -0.3)][:feet]):
        builder.add(f"foot{k + 1}", parent="block", xyz=[x, y, -0.2])
    return builder.robot(floating=True)


def walker(samples=7):
    """A random robot whose base floats, contacts, and states with f_ext."""
    robot = rne.Robot(replace(random_tree(4, 12, heavy_tips=True, massless=0.0), floating=True))
    frames = robot.frame_names
    contacts = {frames[-1]: ("surface", "local"), frames[5]: "point", frames[2]: ([1], "local")}
    q, qd, tau = random_states(robot, samples, 2)
    return robot, contacts, q, qd, 5 * tau, {frames[3]: np.arange(6.0)}


@pytest.mark.parametrize("floating", [True, False])
def test_equations_of_motion_and_held_frames(floating):
    """A free rolling direction turns with its frame, so its velocity is constant, not its acceleration zero."""
    robot, contacts, q, qd, tau, f_ext = walker()
    if not floating:
        robot = rne.Robot(replace(robot.tree, floating=False), robot.joint_names)
        q, qd, tau = q[:, 7:], qd[:, 6:], tau[:, 6:]
    _, held, wheel = contacts
    contacts = {held: "point", wheel: ([1], "local")}
    motion = rne.contact_forward_dynamics(robot, q, qd, tau, contacts, f_ext=f_ext)
    forces = {name: [(motion.wrenches[:, k], "world")] for k, name in enumerate(motion.names)}
    total = rne.inverse_dynamics(robot, q, qd, motion.qdd, f_ext=f_ext)
    total -= sum(rne.static_torque(robot, q, {name: w[0]}) for name, w in forces.items())
    assert_near(total, tau, 1e-9)
    assert_near(rne.frame_acceleration(robot, q, qd, motion.qdd, held)[:, :3], np.zeros((len(q), 3)), 1e-9)
    h = 1e-5

    def sideways(t):
        after = rne.integrate(robot, q, t * qd + 0.5 * t * t * motion.qdd)
        return rne.frame_velocity(robot, after, qd + t * motion.qdd, wheel, axes="local")[:, 1]

    assert_near((sideways(h) - sideways(-h)) / (2 * h), np.zeros(len(q)), 1e-6)
    assert_near(motion.remainder, np.zeros_like(motion.remainder), 1e-12)


def test_balance_of_momentum_and_power():
    robot, contacts, q, qd, tau, f_ext = walker()
    weight = robot.total_mass * np.array([*robot.tree.gravity, 0, 0, 0])
    tau[:, :6] = 0.0
    motion = rne.contact_forward_dynamics(robot, q, qd, tau, contacts, f_ext=f_ext)
    rate = np.einsum("kij,kj->ki", rne.centroidal_momentum_matrix(robot, q), motion.qdd)
    rate += rne.centroidal_momentum_bias(robot, q, qd)
    outside = rne.total_wrench(robot, q, motion.f_ext) + rne.total_wrench(robot, q, f_ext) + weight
    assert_near(outside, rate, 1e-9)
    # The same wrenches come out of inverse dynamics, where six passive coordinates leave no choice.
    only = {name: kind for name, kind in contacts.items() if kind[0] == "surface"}
    held = rne.contact_forward_dynamics(robot, q, qd, tau, only)
    again = rne.contact_inverse_dynamics(robot, q, qd, held.qdd, only)
    assert_near(again.wrenches, held.wrenches, 1e-8)
    assert_near(again.tau, tau, 1e-8)
    assert_near(again.remainder, np.zeros_like(tau), 1e-8)


def test_a_block_on_four_feet():
    robot, q = block(), rne.neutral(block())
    feet = [f"foot{k}" for k in range(1, 5)]
    push = [0.0, 0.0, 8.0 * G / 4, 0.0, 0.0, 0.0]
    motion = rne.contact_forward_dynamics(robot, q, contacts=feet)
    assert_near(motion.qdd, np.zeros(6), 1e-12)
    assert_near(motion.wrenches, np.tile(push, (4, 1)), 1e-12)
    assert_near(rne.contact_inverse_dynamics(robot, q, contacts=feet).wrenches, np.tile(push, (4, 1)), 1e-12)
    # Half a weight on two of them would be 1/4 + 1/4 as well, but a softer pair of feet carries less of a pull aside.
    soft = {"foot1": 4.0, "foot2": 4.0}
    aside = rne.contact_inverse_dynamics(robot, q, None, [0, 1.0, 0, 0, 0, 0], feet, wrench_weights=soft)
    assert_near(aside.wrenches[:, :3].sum(axis=0), [0.0, 8.0, 8.0 * G], 1e-12)
    assert_near(rne.total_wrench(robot, q, aside.f_ext)[3:], np.zeros(3), 1e-11)
    assert np.abs(aside.wrenches[:2, 1]).max() < np.abs(aside.wrenches[2:, 1]).min()


def test_contacts_that_contradict_each_other():
    """Points of a body that turns cannot all be without acceleration; the mean of theirs can."""
    robot, q = block(), rne.neutral(block())
    feet = [f"foot{k}" for k in range(1, 5)]
    motion = rne.contact_forward_dynamics(robot, q, [0, 0, 0, 0, 0, 2.0], contacts=feet, gravity=[0, 0, 0])
    arms = np.array([[0.5, 0.3, 0.0], [0.5, -0.3, 0.0], [-0.5, 0.3, 0.0], [-0.5, -0.3, 0.0]])
    assert_near(motion.qdd, np.zeros(6), 1e-12)
    assert_near(motion.remainder[:, :3], -4.0 * arms, 1e-12)
    assert_near(motion.wrenches, np.zeros((4, 6)), 1e-11)


def test_statics_of_the_quadruped():
    robot = quadruped()
    q = rne.neutral(robot)
    q[7:] = [0.5, -1.0, 0.4, -0.8, 0.3, -0.9, 0.5, -1.1]
    held = rne.contact_inverse_dynamics(robot, q, contacts=sorted(ALL))
    assert_near(held.tau, rne.gravity_vector(robot, q) - rne.static_torque(robot, q, held.f_ext), 1e-11)
    assert_near(held.tau[:6], np.zeros(6), 0.0)
    assert_near(rne.forward_dynamics(robot, q, None, held.tau, f_ext=held.f_ext), np.zeros(robot.n), 1e-10)
    center = rne.center_of_mass(robot, q)
    assert_near(rne.zero_moment_point(robot, q, held.f_ext), [*center[:2], 0.0], 1e-12)
    assert_near(rne.contact_forward_dynamics(robot, q, None, held.tau, sorted(ALL)).qdd, np.zeros(robot.n), 1e-10)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_impact(e):
    robot, contacts, q, qd, _, _ = walker()
    impact = rne.contact_impulse(robot, q, qd, contacts, restitution=e)
    foot, hand, _ = contacts
    for name, rows, axes in ((foot, slice(6), "local"), (hand, slice(3), "world")):
        before, after = (rne.frame_velocity(robot, q, v, name, axes=axes)[:, rows] for v in (qd, impact.qd))
        assert_near(after, -e * before, 1e-9)
    jump = rne.centroidal_momentum(robot, q, impact.qd) - rne.centroidal_momentum(robot, q, qd)
    f_ext = {name: impact.impulses[:, k] for k, name in enumerate(impact.names)}
    assert_near(rne.total_wrench(robot, q, f_ext), jump, 1e-9)
    lost = rne.kinetic_energy(robot, q, qd) - rne.kinetic_energy(robot, q, impact.qd)
    carnot = (1 - e) / (1 + e) * rne.kinetic_energy(robot, q, impact.qd - qd)
    assert_near(lost, carnot, 1e-9)


def test_baumgarte():
    robot, contacts, q, qd, tau, _ = walker()
    name, at, _ = contacts
    turned = rne.integrate(robot, q, 1e-4 * np.ones(robot.n))
    targets = {frame: rne.forward_kinematics(robot, turned, frame) for frame in (name, at)}
    held = {name: "surface", at: ("point", "local")}
    motion = rne.contact_forward_dynamics(robot, q, qd, tau, held, gains=[30.0, 7.0], targets=targets)
    v, a = (rne.frame_velocity(robot, q, qd, name), rne.frame_acceleration(robot, q, qd, motion.qdd, name))
    e = -1e-4 * np.einsum("kij,j->ki", rne.jacobian(robot, q, name), np.ones(robot.n))
    assert_near(a, -7.0 * v - 30.0 * e, 1e-5)  # e to first order
    one = {frame: T[2] for frame, T in targets.items()}
    single = rne.contact_forward_dynamics(robot, q[2], qd[2], tau[2], held, gains=[30.0, 7.0], targets=one)
    assert_near(single.qdd, motion.qdd[2], 1e-12)


def test_batches_precisions_and_broken_samples():
    robot, contacts, q, qd, tau, f_ext = walker(21)
    feet = {**contacts, robot.frame_names[1]: "surface", robot.frame_names[6]: "surface"}  # repeat each other
    for held in (contacts, feet):
        calls = [
            partial(rne.contact_forward_dynamics, robot, contacts=held, f_ext=f_ext),
            partial(rne.contact_inverse_dynamics, robot, contacts=held, torque_weights=1.0),
            lambda q, qd, _, held=held, **options: rne.contact_impulse(robot, q, qd, held, **options),
        ]
        for call in calls:
            clean = numbers(call(q, qd, tau))
            for k in (0, 20):
                for got, batch in zip(numbers(call(q[k], qd[k], tau[k])), clean, strict=True):
                    assert_same_bits(got, batch[k])
            broken = q.copy()
            broken[3, 9], broken[5, 3:7] = np.nan, 2.0
            for got, wanted in zip(numbers(call(broken, qd, tau, threads=2)), clean, strict=True):
                assert_same_bits(np.delete(got, (3, 5), axis=0), np.delete(wanted, (3, 5), axis=0))
                assert np.isnan(got[3]).any()
                assert np.isnan(got[5]).any()
    singles = [x.astype(np.float32) for x in (q, qd, tau)]
    got = rne.contact_forward_dynamics(robot, *singles, contacts)
    wanted = rne.contact_forward_dynamics(robot, *(x.astype(np.float64) for x in singles), contacts)
    assert got.qdd.dtype == got.wrenches.dtype == np.float32
    assert_same_bits(got.qdd, wanted.qdd.astype(np.float32))


def numbers(result):
    return [value for value in vars(result).values() if isinstance(value, np.ndarray)]


def test_without_contacts():
    robot, _, q, qd, tau, f_ext = walker()
    flight = rne.contact_forward_dynamics(robot, q, qd, tau, [], f_ext=f_ext)
    assert_near(flight.qdd, rne.forward_dynamics(robot, q, qd, tau, f_ext=f_ext), 1e-9)
    assert flight.wrenches.shape == (len(q), 0, 6)
    needed = rne.contact_inverse_dynamics(robot, q, qd, tau, friction=True, f_ext=f_ext)
    assert_near(needed.tau + needed.remainder, rne.inverse_dynamics(robot, q, qd, tau, friction=True, f_ext=f_ext))
    assert_same_bits(rne.contact_impulse(robot, q, qd, []).qd, qd)
    fixed = random_robot(2, 5, mimic=0.0)
    alone = rne.contact_inverse_dynamics(fixed, np.ones(5), contacts=[fixed.frame_names[-1]])
    assert_near(alone.wrenches, np.zeros((1, 6)), 0.0)
    leaning = rne.contact_inverse_dynamics(fixed, np.ones(5), contacts=[fixed.frame_names[-1]], torque_weights=1.0)
    assert np.linalg.norm(leaning.tau) < np.linalg.norm(alone.tau)


def test_a_singular_mass_matrix():
    with pytest.warns(rne.ModelWarning, match="forward dynamics is singular"):
        massless = rne.from_dh([{"joint": "revolute", "a": 1.0}] * 2, convention="standard")
    q = np.zeros((3, 2))
    with pytest.raises(rne.SingularError, match=r"sample 0: .*3 of 3 samples"):
        rne.contact_forward_dynamics(massless, q, contacts={"link2": [1]})
    assert np.isnan(rne.contact_impulse(massless, q, q, {"link2": [1]}, singular="nan").qd).all()


def test_rounding_below_zero_of_a_singular_mass_matrix():
    """A shell without mass about an arm: pivots are zero up to rounding, of either sign."""
    builder = rne.TreeBuilder("r", base="shell")
    builder.add("arm", "revolute", xyz=[0.1, 0.2, 0.3], axis=[1, 2, 3], inertia=rne.Inertia.box(1.0, [0.1, 0.2, 0.3]))
    robot = builder.robot(floating=True)
    q = rne.integrate(robot, rne.neutral(robot), np.random.default_rng(0).normal(size=(40, 7)))
    held = {"shell": [2], "arm": "surface"}
    motion = rne.contact_forward_dynamics(robot, q, contacts=held, singular="nan")
    assert np.isnan(motion.qdd).any()
    with pytest.raises(rne.SingularError):
        rne.contact_forward_dynamics(robot, q, contacts=held)


def test_targets_are_poses():
    robot = block()
    wanted = dict.fromkeys(["foot1", "foot2"], np.ones((4, 4)))
    with pytest.raises(rne.ArgumentError, match=r"targets\['foot1'\]: wanted poses, with a rotation"):
        rne.contact_forward_dynamics(robot, rne.neutral(robot), contacts=list(wanted), gains=[1.0, 2.0], targets=wanted)


def test_zero_moment_point_on_a_slope():
    """The moment about it is along the normal, and it lies on the ground."""
    robot, _, q, _, _, _ = walker()
    rng = np.random.default_rng(0)
    f_ext = {
        name: (rng.normal(size=(len(q), 6)), axes)
        for name, axes in zip(robot.frame_names[3:5], ("world", "local"), strict=True)
    }
    n, o = np.array([0.1, -0.2, 0.9]), np.array([0.3, 0.2, 0.1])
    points = rne.zero_moment_point(robot, q, f_ext, normal=n, point=o)
    assert_near((points - o) @ n, np.zeros(len(q)), 1e-11)
    for k, p in enumerate(points):
        here = {name: (w[k], axes) for name, (w, axes) in f_ext.items()}
        moment = rne.total_wrench(robot, q[k], here, point=p)[3:]
        assert_near(np.cross(n, moment) / max(1.0, np.abs(points).max()), np.zeros(3), 1e-11)
    assert np.isnan(rne.zero_moment_point(robot, q[0], {robot.frame_names[3]: np.zeros(6)})).all()
    base = robot.frame_names[0]
    moving = rne.inverse_dynamics(robot, q, None, np.ones_like(q[:, 1:]))[:, :6]
    rate = np.einsum("kij,kj->ki", rne.centroidal_momentum_matrix(robot, q), np.ones_like(q[:, 1:]))
    rate[:, :3] -= robot.total_mass * np.array(robot.tree.gravity)
    assert_near(rne.total_wrench(robot, q, {base: (moving, "local")}), rate, 1e-10)
    with pytest.raises(rne.ArgumentError, match=r"normal: .*no gravity"):
        rne.zero_moment_point(rne.Robot(replace(robot.tree, gravity=(0.0, 0.0, 0.0))), q, f_ext)
