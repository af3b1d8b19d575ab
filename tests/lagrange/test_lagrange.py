"""The second opinion is right: against the twin, Pinocchio, sympy, printed numbers, and by the laws of mechanics."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import oracles
import pinocchio as pin
import pytest
import reference as ref
import strategies
import sympy
from hypothesis import given
from hypothesis import strategies as st

import rne
from rne import lagrange
from rne.model.robot import Robot
from rne.read.urdf.reader import read_urdf

SMALL = {"min_joints": 1, "max_joints": 7}


def assert_near(got, wanted, rtol=1e-12, scale=1.0):
    """Equal to `rtol` of the largest number in sight, and of `scale` where larger ones went into it."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    scale = max(1.0, scale, np.abs(wanted).max(initial=0.0))
    np.testing.assert_allclose(got, wanted, rtol=0.0, atol=rtol * scale)


def rearranged(integers, names):
    """Some permutation of the coordinates."""
    return tuple(integers.draw(st.permutations(names)))


# --------------------------------------------------------------------------------------------- the twin and Pinocchio


@given(strategies.robots(**SMALL, one_sided=True), st.data())
def test_every_term_is_that_of_the_plain_twin_in_any_order_of_the_coordinates(drawn, data):
    tree, *state = drawn
    names = ref.coordinates(tree)
    order = [names.index(name) for name in rearranged(data, names)]
    robot = Robot(tree, tuple(names[k] for k in order))
    q, qd, qdd = state
    p, pd, pdd = (x[order] for x in state)
    assert_near(lagrange.inertia_matrix(robot, p), ref.mass_matrix(tree, q)[np.ix_(order, order)])
    assert_near(lagrange.gravity_vector(robot, p), ref.gravity_vector(tree, q)[order])
    assert_near(lagrange.coriolis_vector(robot, p, pd), ref.bias_vector(tree, q, qd, gravity=[0, 0, 0])[order])
    assert_near(lagrange.inverse_dynamics(robot, p, pd, pdd), ref.inverse_dynamics(tree, q, qd, qdd)[order])
    wanted = ref.inverse_dynamics(tree, q, qd, qdd, gravity=[1, 2, 3], friction=True)[order]
    assert_near(lagrange.inverse_dynamics(robot, p, pd, pdd, gravity=[1, 2, 3], friction=True), wanted)
    assert_near(lagrange.kinetic_energy(robot, p, pd), ref.kinetic_energy(tree, q, qd))
    assert_near(lagrange.potential_energy(robot, p), ref.potential_energy(tree, q))
    for name, (R, position) in ref.forward_kinematics(tree, q).items():
        T = lagrange.transforms(robot, p)[name]
        assert_near(T[:3], np.column_stack([R, position]))
        np.testing.assert_array_equal(T[3], [0, 0, 0, 1])


@given(strategies.robots(**SMALL))
def test_every_term_is_that_of_pinocchio(drawn):
    tree, q, qd, qdd = drawn
    robot, names = Robot(tree), ref.coordinates(tree)
    armature = {joint.name: joint.drive.reflected_inertia for joint in tree.joints if joint.movable}
    pm = oracles.pin_model(strategies.to_urdf(tree), armature=armature)
    assert_near(lagrange.inertia_matrix(robot, q), oracles.pin_mass_matrix(pm, names, q))
    assert_near(lagrange.gravity_vector(robot, q), oracles.pin_gravity(pm, names, q, tree.gravity))
    wanted = oracles.pin_inverse_dynamics(pm, names, q, qd, qdd, tree.gravity)
    assert_near(lagrange.inverse_dynamics(robot, q, qd, qdd), wanted)
    C = pin.computeCoriolisMatrix(pm.model, pm.data, oracles.pin_q(pm, names, q), oracles.pin_v(pm, names, qd))
    action = oracles.from_pin_v(pm, names, C @ oracles.pin_v(pm, names, qd))
    assert_near(lagrange.coriolis_matrix(robot, q, qd) @ qd, action)
    mass, center = oracles.pin_mass_and_center(pm, names, q)
    if mass:
        assert_near(lagrange.potential_energy(robot, q), -mass * center @ np.array(tree.gravity))


@given(strategies.robots(**SMALL))
def test_energy_without_rotors_is_that_of_pinocchio(drawn):
    tree, q, qd, _ = drawn
    robot, names = Robot(tree), ref.coordinates(tree)
    wanted = oracles.pin_kinetic_energy(oracles.pin_model(strategies.to_urdf(tree)), names, q, qd)
    assert_near(lagrange.kinetic_energy(robot, q, qd, rotors=False), wanted)
    assert_near(lagrange.kinetic_energy(robot, q, qd, per_body=True).sum(), wanted)


@pytest.mark.parametrize("name", ["panda.urdf", "talos_full_v2.urdf", "g1_29dof_with_hand_rev_1_0.urdf"])
def test_example_robots_are_those_of_pinocchio(name):
    path = oracles.example_urdf(name)
    robot, names = Robot(read_urdf(path)), oracles.urdf_coordinates(path)
    pm = oracles.pin_model(path)
    q, qd, qdd = np.random.default_rng(robot.n).normal(size=(3, robot.n))
    assert_near(lagrange.inverse_dynamics(robot, q, qd, qdd), oracles.pin_inverse_dynamics(pm, names, q, qd, qdd))
    assert_near(lagrange.inertia_matrix(robot, q), oracles.pin_mass_matrix(pm, names, q))
    tau = np.random.default_rng(0).normal(size=robot.n)
    qdd = lagrange.forward_dynamics(robot, q, qd, tau)
    # light fingers turn the rounding of a torque into large accelerations; going back undoes that
    assert_near(lagrange.inverse_dynamics(robot, q, qd, qdd), tau, rtol=1e-11, scale=np.abs(qdd).max())


# ----------------------------------------------------------------------------------------------------------- springs


@st.composite
def sprung(draw):
    """A tree with a spring at every joint, followers included, and a motion of it."""
    tree, *state = draw(strategies.robots(**SMALL, heavy_tips=True, massless=0))
    stiffness, rest = st.integers(0, 200), st.integers(-100, 100)
    drives = [replace(j.drive, stiffness=float(draw(stiffness)), rest=draw(rest) / 100) for j in tree.joints]
    joints = [replace(j, drive=d) if j.movable else j for j, d in zip(tree.joints, drives, strict=True)]
    return replace(tree, joints=tuple(joints)), *state


@given(sprung())
def test_springs_are_in_torques_and_energies(drawn):
    tree, q, qd, qdd = drawn
    robot, springs = Robot(tree), ref.spring_torque(tree, q)
    assert_near(lagrange.spring_torque(robot, q), springs)
    tau = lagrange.inverse_dynamics(robot, q, qd, qdd)
    assert_near(tau, ref.inverse_dynamics(tree, q, qd, qdd) + springs)
    M = lagrange.inertia_matrix(robot, q)
    held = M @ lagrange.forward_dynamics(robot, q, qd, tau)
    assert_near(held, M @ qdd, rtol=1e-11, scale=np.abs(tau).max() + np.abs(M).max())
    assert_near(lagrange.gravity_vector(robot, q), ref.gravity_vector(tree, q))

    at_joint = ref.expand(tree, q)
    drives = [joint.drive for joint in tree.joints if joint.movable]
    stored = [d.stiffness * (x - d.rest) ** 2 / 2 for d, x in zip(drives, at_joint, strict=True)]
    without = lagrange.potential_energy(robot, q, springs=False)
    assert_near(without, ref.potential_energy(tree, q))
    assert_near(lagrange.potential_energy(robot, q), without + sum(stored))
    each = lagrange.potential_energy(robot, q, per_body=True)
    bare = lagrange.potential_energy(robot, q, per_body=True, springs=False)
    carried = [robot.frame_names.index(joint.child) for joint in tree.joints if joint.movable]
    assert_near((each - bare)[carried], stored, scale=np.abs(bare).max())


# ------------------------------------------------------------------------------------------------- laws of mechanics


@given(strategies.robots(1, 5))
def test_d_ijk_are_the_christoffel_symbols_of_d_ij(drawn):
    tree, q, _, _ = drawn
    robot, h = Robot(tree), 1e-5
    steps = h * np.eye(robot.n)
    beyond, before = lagrange.inertia_matrix(robot, q + steps), lagrange.inertia_matrix(robot, q - steps)
    dM = np.moveaxis((beyond - before) / (2 * h), 0, -1)  # dM[i, j, k] = dD_ij/dq_k
    wanted = (dM + np.swapaxes(dM, 1, 2) - np.moveaxis(dM, -1, 0)) / 2
    D = lagrange.christoffel(robot, q)
    assert_near(D, wanted, rtol=1e-7, scale=np.abs(beyond).max())
    assert_near(D, np.swapaxes(D, 1, 2), rtol=1e-14)


@given(strategies.robots(1, 5))
def test_mdot_minus_2c_is_skew_symmetric(drawn):
    tree, q, qd, _ = drawn
    robot, h = Robot(tree), 1e-6
    beyond, before = lagrange.inertia_matrix(robot, q + h * qd), lagrange.inertia_matrix(robot, q - h * qd)
    C = lagrange.coriolis_matrix(robot, q, qd)
    S = (beyond - before) / (2 * h) - 2 * C
    assert_near(S, -S.T, rtol=1e-6, scale=np.abs(beyond).max())
    # exactly, since dM_ij/dq_k = D_ijk + D_jik of the true symbols
    D = lagrange.christoffel(robot, q)
    Mdot = np.einsum("ijk,k->ij", D + np.swapaxes(D, 0, 1), qd)
    assert_near(Mdot - 2 * C, -(Mdot - 2 * C).T, scale=np.abs(C).max())


@given(strategies.robots(**SMALL))
def test_gravity_is_the_gradient_of_potential_energy(drawn):
    tree, q, _, _ = drawn
    robot, h = Robot(tree), 1e-5
    beyond = lagrange.potential_energy(robot, q + h * np.eye(robot.n))
    before = lagrange.potential_energy(robot, q - h * np.eye(robot.n))
    assert_near(lagrange.gravity_vector(robot, q), (beyond - before) / (2 * h), rtol=1e-8, scale=np.abs(before).max())


@given(strategies.robots(**SMALL))
def test_kinetic_energy_is_that_of_the_inertia_matrix(drawn):
    tree, q, qd, _ = drawn
    robot = Robot(tree)
    M, rigid = lagrange.inertia_matrix(robot, q), lagrange.inertia_matrix(robot, q, rotors=False)
    assert_near(lagrange.kinetic_energy(robot, q, qd), qd @ M @ qd / 2, scale=np.abs(M).max())
    assert_near(lagrange.kinetic_energy(robot, q, qd, rotors=False), qd @ rigid @ qd / 2, scale=np.abs(M).max())


@given(strategies.robots(**SMALL))
def test_differential_vectors_give_the_same_inertias_and_the_derivatives_of_the_transforms(drawn):
    tree, q, _, _ = drawn
    robot, h = Robot(tree), 1e-5
    for rotors in (True, False):
        wanted = lagrange.inertia_matrix(robot, q, rotors=rotors)
        assert_near(lagrange.paul_inertia_matrix(robot, q, rotors=rotors), wanted)
    beyond, before = (lagrange.transforms(robot, q + s * h * np.eye(robot.n)) for s in (1, -1))
    T, U = lagrange.transforms(robot, q), lagrange.transform_derivatives(robot, q)
    for name, (d, delta) in lagrange.differential_vectors(robot, q).items():
        assert_near(U[name], (beyond[name] - before[name]) / (2 * h), rtol=1e-8, scale=100)
        assert_near(T[name] @ lagrange.differential_operator(d, delta), U[name], scale=10)


@given(strategies.robots(**SMALL))
def test_gravity_by_first_moments_is_that_of_the_trace_formula(drawn):
    tree, q, _, _ = drawn
    robot = Robot(tree)
    for gravity in (None, [1.0, -2.0, 3.0]):
        wanted = lagrange.gravity_vector(robot, q, gravity=gravity)
        assert_near(lagrange.paul_gravity_vector(robot, q, gravity=gravity), wanted, scale=robot.total_mass)


def test_a_differential_operator_of_many_is_the_cross_product_and_a_shift():
    d, delta, r = np.random.default_rng(1).normal(size=(3, 4, 5, 3))
    moved = lagrange.differential_operator(d, delta) @ np.concatenate([r, np.ones((4, 5, 1))], axis=-1)[..., None]
    assert_near(moved[..., :3, 0], d + np.cross(delta, r))
    with pytest.raises(rne.ArgumentError, match=r"delta: wanted real numbers of shape \(\.\.\., 3\)"):
        lagrange.differential_operator([1, 2, 3], [1, 2])


@given(strategies.robots(**SMALL, heavy_tips=True, massless=0))
def test_forward_dynamics_undoes_inverse_dynamics(drawn):
    tree, q, qd, qdd = drawn
    robot = Robot(tree)
    options = {"gravity": [1.0, 2.0, 3.0], "friction": True}
    tau = lagrange.inverse_dynamics(robot, q, qd, qdd, **options)
    got = lagrange.forward_dynamics(robot, q, qd, tau, **options)
    M = lagrange.inertia_matrix(robot, q)
    assert_near(M @ got, M @ qdd, rtol=1e-11, scale=np.abs(tau).max() + np.abs(M).max())


# ---------------------------------------------------------------------------------------------------------- by sympy


def test_planar_two_link_is_the_closed_form_that_sympy_derives():
    """Rods of the handy robot: K of the two centers and P = -m g^T r, through the equations of Lagrange."""
    t = sympy.Symbol("t")
    q1, q2 = (sympy.Function(name)(t) for name in ("q1", "q2"))
    half, g, izz = sympy.Rational(1, 2), sympy.Rational(981, 100), sympy.Rational(1, 12)
    c1 = sympy.Matrix([sympy.cos(q1), sympy.sin(q1)]) * half
    c2 = 2 * c1 + sympy.Matrix([sympy.cos(q1 + q2), sympy.sin(q1 + q2)]) * half
    v1, v2 = c1.diff(t), c2.diff(t)
    K = (v1.dot(v1) + v2.dot(v2) + izz * q1.diff(t) ** 2 + izz * (q1 + q2).diff(t) ** 2) / 2
    L = K - g * (c1[1] + c2[1])
    tau = [L.diff(x.diff(t)).diff(t) - L.diff(x) for x in (q1, q2)]

    arm = rne.load("models/planar2/robot.dh.toml")
    for q, qd, qdd in np.random.default_rng(0).normal(size=(5, 3, 2)):
        values = [(x.diff(t, 2), a) for x, a in zip((q1, q2), qdd, strict=True)]
        values += [(x.diff(t), v) for x, v in zip((q1, q2), qd, strict=True)]
        values += list(zip((q1, q2), q, strict=True))
        wanted = [float(expression.subs(values)) for expression in tau]
        assert_near(lagrange.inverse_dynamics(arm, q, qd, qdd), wanted, rtol=1e-14)


# ---------------------------------------------------------------------------------------------------- printed numbers


def two_point_masses(m1, m2, d1, d2):
    """Point masses at the ends of massless rods, angles from the downward vertical (Paul 1981, chapter 6)."""
    rows = [{"joint": "revolute", "a": length, "mass": mass} for length, mass in ((d1, m1), (d2, m2))]
    rows[0]["theta"] = -math.pi / 2
    return rne.from_dh(rows, convention="standard", gravity=[0.0, -9.81, 0.0])


@pytest.mark.parametrize(
    ("m2", "degrees", "wanted"),
    # the tables of the book, misprints of its copies corrected: D11, D12, D22
    [
        *[(1, 0, (6, 2, 1)), (1, 90, (4, 1, 1)), (1, 180, (2, 0, 1)), (1, 270, (4, 1, 1))],
        *[(4, 0, (18, 8, 4)), (4, 90, (10, 4, 4)), (4, 180, (2, 0, 4)), (4, 270, (10, 4, 4))],
        *[(100, 0, (402, 200, 100)), (100, 90, (202, 100, 100)), (100, 180, (2, 0, 100)), (100, 270, (202, 100, 100))],
    ],
)
def test_effective_inertias_are_those_of_the_tables(m2, degrees, wanted):
    M = lagrange.inertia_matrix(two_point_masses(2.0, m2, 1.0, 1.0), [0.4, math.radians(degrees)])
    assert_near([M[0, 0], M[0, 1], M[1, 1]], wanted, rtol=1e-15)


def test_coefficients_of_two_point_masses_are_the_closed_forms():
    m1, m2, d1, d2, g = 2.0, 3.0, 0.7, 0.5, 9.81
    th1, th2 = 0.3, -1.1
    arm, s = two_point_masses(m1, m2, d1, d2), m2 * d1 * d2 * math.sin(th2)
    assert_near(lagrange.christoffel(arm, [th1, th2]), [[[0, -s], [-s, -s]], [[s, 0], [0, 0]]], rtol=1e-15)
    second = m2 * g * d2 * math.sin(th1 + th2)
    wanted = [(m1 + m2) * g * d1 * math.sin(th1) + second, second]
    assert_near(lagrange.gravity_vector(arm, [th1, th2]), wanted, rtol=1e-15)


def test_motor_of_the_arm_with_a_slide_needs_226_newton_meters():
    """A classroom example: worst static torque and largest acceleration of a turning and sliding arm, stretched out."""
    rows = [
        {"joint": "revolute", "alpha": math.pi / 2, "theta": math.pi / 2, "mass": 10.0, "com": [0.0, 0.0, 1.0]},
        {"joint": "prismatic", "mass": 5.0},
    ]
    arm = rne.from_dh(rows, convention="standard", gravity=[0.0, -9.8, 0.0])
    q, qdd = [0.0, 2.0], [1.0, 0.0]
    assert_near(lagrange.gravity_vector(arm, q)[0], 196.0, rtol=1e-15)
    assert_near(lagrange.inverse_dynamics(arm, q, qdd=qdd)[0], 226.0, rtol=1e-15)


# ------------------------------------------------------------------------------------------------------ pseudo-inertia


def test_pseudo_inertia_has_products_of_the_other_sign():
    """Two points of 1 kg at (1, 2, 3) and (-1, 0, 2): sums of x x, x y, ..., against the tensor of the same points."""
    points = np.array([[1.0, 2.0, 3.0, 1.0], [-1.0, 0.0, 2.0, 1.0]])
    com = points.mean(axis=0)[:3]
    arms = points[:, :3] - com
    tensor = sum(r @ r * np.eye(3) - np.outer(r, r) for r in arms)
    J = points.T @ points
    assert_near(lagrange.inertia_to_pseudo(2.0, com, tensor), J, rtol=1e-15)
    mass, center, inertia = lagrange.pseudo_to_inertia(J)
    assert mass == 2.0
    assert_near(center, com, rtol=1e-15)
    assert_near(inertia, tensor, rtol=1e-15)
    assert J[0, 1] == 2.0  # + integral of x y dm
    about_origin = tensor + 2.0 * (com @ com * np.eye(3) - np.outer(com, com))
    assert about_origin[0, 1] == -2.0  # - integral of x y dm


@pytest.mark.parametrize(
    "call", [lambda: lagrange.pseudo_to_inertia(np.eye(3)), lambda: lagrange.inertia_to_pseudo(1.0, [0.0], np.eye(3))]
)
def test_pseudo_inertia_refuses_other_shapes(call):
    with pytest.raises(rne.ArgumentError, match="wanted shape"):
        call()


def test_first_moments_without_mass_are_refused():
    J = np.zeros((4, 4))
    J[0, 3] = J[3, 0] = 1.0
    with pytest.raises(rne.ArgumentError, match="without a mass"):
        lagrange.pseudo_to_inertia(J)
