"""Inertia of bodies: shapes against integrals, everything else against clouds of points, summed one by one."""

from __future__ import annotations

import pickle
from functools import reduce
from operator import add

import numpy as np
import pytest
import sympy as sp
from checks import assert_near, random_states
from own_robots import arm
from strategies import matrix_from_rpy

import rne
from rne import Inertia
from rne.model.tree import Body

ORIGIN = (0.0, 0.0, 0.0)
R = np.array(matrix_from_rpy((0.3, -0.8, 1.9)))


def cloud(seed, count=7):
    """Masses and places of points that lie in no plane."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.2, 2.0, count), rng.normal(size=(count, 3))


def body_of(masses, places):
    return sum(Inertia.point(m, r) for m, r in zip(masses, places, strict=True))


def tensor_of(masses, places, about=ORIGIN):
    """Sum of m (r^2 E - r r^T): products with a minus sign."""
    return sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, places - np.array(about), strict=True))


def assert_same(got, wanted, rtol=1e-12):
    assert_near(got.mass, wanted.mass, rtol)
    assert_near(got.com, wanted.com, rtol)
    assert_near(got.tensor, wanted.tensor, rtol)


# ------------------------------------------------------------------------------------------ shapes, by exact integrals

x, y, z, r, u, v = sp.symbols("x y z r u v", real=True)
ROUND = (r * sp.cos(u), r * sp.sin(u), z)
BALL = (r * sp.sin(u) * sp.cos(v), r * sp.sin(u) * sp.sin(v), r * sp.cos(u))
TURN = (u, 0, 2 * sp.pi)
HALF, THIRD = sp.Rational(1, 2), sp.Rational(1, 3)
SHAPES = {  # name: (body of 3 kg, place of a bit of it, its volume, ranges)
    "rod": (Inertia.rod(3.0, 1.2, [0, 2, 0]), (0, y, 0), 1, [(y, -sp.Rational(3, 5), sp.Rational(3, 5))]),
    "rod about its end": (Inertia.rod(3.0, 0.5, [0, 0, 1], about="end"), (0, 0, z), 1, [(z, 0, HALF)]),
    "box": (Inertia.box(3.0, [1, 2, 3]), (x, y, z), 1, [(x, -HALF, HALF), (y, -1, 1), (z, -3 * HALF, 3 * HALF)]),
    "cylinder": (Inertia.cylinder(3.0, 0.5, 2.0), ROUND, r, [(r, 0, HALF), TURN, (z, -1, 1)]),
    "tube": (Inertia.cylinder(3.0, 1.0, 2.0, inner=0.5), ROUND, r, [(r, HALF, 1), TURN, (z, -1, 1)]),
    "pipe": (
        Inertia.cylinder(3.0, 0.5, 2.0, inner=0.5), (ROUND[0].subs(r, HALF), ROUND[1].subs(r, HALF), z), 1,
        [TURN, (z, -1, 1)],
    ),
    "ball": (Inertia.sphere(3.0, 0.5), BALL, r**2 * sp.sin(u), [(r, 0, HALF), (u, 0, sp.pi), (v, 0, 2 * sp.pi)]),
    "hollow ball": (
        Inertia.sphere(3.0, 1.0, inner=1 / 3), BALL, r**2 * sp.sin(u), [(r, THIRD, 1), (u, 0, sp.pi), (v, 0, 2 * sp.pi)]
    ),
    "shell": (
        Inertia.sphere(3.0, 0.5, inner=0.5), tuple(c.subs(r, HALF) for c in BALL), sp.sin(u),
        [(u, 0, sp.pi), (v, 0, 2 * sp.pi)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_is_its_integral(name):
    body, place, volume, ranges = SHAPES[name]
    places = sp.Matrix([*place, 1])
    moments = (places * places.T * volume).applyfunc(lambda entry: reduce(sp.integrate, ranges, sp.expand(entry)))
    assert_near(body.pseudo, np.array(3 * moments / moments[3, 3], dtype=float))
    assert body.is_physical


def test_shapes_turn_with_their_axis():
    axis = R @ [0, 0, 1]
    assert_same(Inertia.cylinder(2.0, 0.3, 1.1, 7 * axis), Inertia.cylinder(2.0, 0.3, 1.1).at(R))
    assert_same(Inertia.rod(2.0, 1.1, axis, about="end"), Inertia.rod(2.0, 1.1, [0, 0, 1]).shifted([0, 0, 0.55]).at(R))


def test_numbers_of_the_lectures():
    """m r^2, M L^2 / 12 about the center and M L^2 / 3 about the end of a rod, I_C + m L_C^2 of the one-joint arm."""
    assert_near(Inertia.point(2.5, [0.4, 0, 0]).about(ORIGIN), np.diag([0, 0.4, 0.4]))
    assert_near(Inertia.rod(3.0, 1.2).tensor, np.diag([0, 0.36, 0.36]))
    assert_near(Inertia.rod(3.0, 1.2, about="end").about(ORIGIN), np.diag([0, 1.44, 1.44]))
    assert_near(Inertia(2.5, [0.4, 0, 0], np.diag([0, 0.12, 0.12])).about(ORIGIN)[2, 2], 0.52)


def test_nothing_is_a_shape_too():
    for body in (Inertia.sphere(1.0, 0.0), Inertia.box(1.0, [0, 0, 0]), Inertia.rod(1.0, 0.0), Inertia(0.0)):
        assert not body.tensor.any()
        assert body.is_physical


# ------------------------------------------------------------------------------------------------ together and moved


@pytest.mark.parametrize("seed", range(5))
def test_a_sum_of_points_is_the_cloud(seed):
    masses, places = cloud(seed)
    body = body_of(masses, places)
    com = masses @ places / masses.sum()
    assert_near(body.mass, masses.sum())
    assert_near(body.com, com)
    assert_near(body.tensor, tensor_of(masses, places, com))
    assert_near(body.about(ORIGIN), tensor_of(masses, places))
    assert_near(body.about([0.3, -2.0, 1.0]), tensor_of(masses, places, [0.3, -2.0, 1.0]))
    homogeneous = np.column_stack([places, np.ones(len(places))])
    assert_near(body.pseudo, homogeneous.T @ np.diag(masses) @ homogeneous)
    assert body.is_physical


def test_pseudo_and_tensor_differ_in_the_sign_of_products():
    body = body_of(*cloud(3))
    tensor, pseudo = body.about(ORIGIN), body.pseudo
    assert np.abs(tensor[[0, 0, 1], [1, 2, 2]]).min() > 0.01
    assert_near(pseudo[[0, 0, 1], [1, 2, 2]], -tensor[[0, 0, 1], [1, 2, 2]])
    assert_near(np.trace(pseudo[:3, :3]), np.trace(tensor) / 2)
    assert_same(Inertia.from_pseudo(pseudo), body)


def test_placing_a_body_is_placing_its_points():
    masses, places = cloud(1)
    position = np.array([0.5, -1.0, 2.0])
    assert_same(body_of(masses, places).at(R, position), body_of(masses, places @ R.T + position))
    assert_same(body_of(masses, places).shifted(position), body_of(masses, places + position))
    assert_same(body_of(masses, places).at(R, position).at(R.T, -R.T @ position), body_of(masses, places))


def test_order_and_brackets_of_a_sum_do_not_matter():
    a, b, c = (body_of(*cloud(seed)) for seed in (1, 2, 3))
    assert_same(a + b + c, c + (b + a))
    assert_same(a + b + c, reduce(add, [b, c, a]))
    assert_same(a.at(R, [1, 2, 3]) + b.at(R, [1, 2, 3]), (a + b).at(R, [1, 2, 3]))
    assert sum([a]) is a


def test_what_is_cut_out_is_subtracted():
    """Mass by volume: 8 parts of the whole ball, 1 of the hollow."""
    assert_same(Inertia.sphere(8.0, 1.0) - Inertia.sphere(1.0, 0.5), Inertia.sphere(7.0, 1.0, inner=0.5))
    a, b = body_of(*cloud(1)), body_of(*cloud(2))
    assert_same(a + b - b, a, rtol=1e-11)


def test_parts_far_from_the_origin_keep_their_digits():
    """A thousand meters out, moments about the origin would leave nothing of a gram that turns on a millimeter."""
    a, b = Inertia.box(1e-3, [1e-3, 2e-3, 3e-3]), Inertia.sphere(2e-3, 1e-3).shifted([2e-3, 0, 0])
    far = a.shifted([1000.0, 0, 0]) + b.shifted([1000.0, 0, 0])
    np.testing.assert_allclose(far.tensor, (a + b).tensor, rtol=1e-9, atol=1e-22)


# --------------------------------------------------------------------------------------------------- what it tells


@pytest.mark.parametrize("seed", range(5))
def test_principal_axes_have_no_products(seed):
    body = body_of(*cloud(seed))
    moments, axes = body.principal()
    assert (np.diff(moments) >= 0).all()
    assert_near(axes.T @ body.tensor @ axes, np.diag(moments))
    assert_near(axes.T @ axes, np.eye(3))
    assert_near(np.linalg.det(axes), 1.0)
    assert_near(body.at(R, [1, 2, 3]).principal()[0], moments)


def test_angular_momentum_is_that_of_the_points():
    masses, places = cloud(4)
    body, w, v, p = body_of(masses, places), np.array([0.3, -0.8, 1.1]), np.array([1.0, 2.0, -0.5]), np.array([1, 0, 2])
    wanted = sum(m * np.cross(r - p, v + np.cross(w, r - p)) for m, r in zip(masses, places, strict=True))
    assert_near(body.angular_momentum(w, v, about=p), wanted)
    assert_near(body.angular_momentum(w), tensor_of(masses, places) @ w)
    assert_near(body.angular_momentum(w, v, about=body.com), body.tensor @ w)
    assert_near(body.angular_momentum([[w, 2 * w]], [v, v], about=p)[0, 0], wanted)


@pytest.mark.parametrize(
    ("mass", "tensor", "physical"),
    [
        (1.0, np.diag([1.0, 2.0, 3.0]), True),
        (1.0, np.diag([1.0, 2.0, 3.001]), True),  # a plate in four digits
        (1.0, np.diag([1.0, 1.0, 2.0015]), True),
        (1.0, np.diag([1.0, 2.0, 3.01]), False),
        (1.0, np.diag([-1e-3, 1.0, 1.0]), False),
        (1.0, np.zeros((3, 3)), True),
        (-1.0, np.zeros((3, 3)), False),
        (0.0, np.eye(3), False),
        (0.0, np.zeros((3, 3)), True),
    ],
)
def test_what_a_body_can_have(mass, tensor, physical):
    assert Inertia(mass, tensor=tensor).is_physical is physical
    assert Inertia(mass, tensor=R @ tensor @ R.T).is_physical is physical


def test_rounding_does_not_make_a_point_unphysical():
    for seed in range(20):
        point = Inertia.point(1.3, np.random.default_rng(seed).normal(size=3))
        assert Inertia.from_pseudo(point.pseudo).is_physical


# ---------------------------------------------------------------------------------------------- bodies and payloads


def test_to_a_link_and_back():
    body = body_of(*cloud(2))
    link = Body.from_inertia("stone", body)
    assert isinstance(link, Body)
    assert link.name == "stone"
    assert_same(link.to_inertia(), body, rtol=0)
    upper = next(link for link in arm().tree.bodies if link.name == "upper")
    assert_same(upper.to_inertia(), Inertia(upper.mass, upper.com, upper.inertia), rtol=0)


def test_a_payload_of_parts_is_the_sum_of_payloads():
    parts = [Inertia.box(0.4, [0.1, 0.2, 0.3]).at(R, [0.1, 0, 0.2]), Inertia.rod(0.3, 0.5, about="end")]
    whole, robot = sum(parts), arm()
    for part in parts:
        robot = robot.with_payload(part.mass, part.com, part.tensor, frame="tool")
    states = random_states(6, 5)
    once = arm().with_payload(whole.mass, whole.com, whole.tensor, frame="tool")
    assert_near(rne.inverse_dynamics(once, *states), rne.inverse_dynamics(robot, *states))


# --------------------------------------------------------------------------------------------------------- no nonsense


def test_it_is_frozen_and_pickles():
    com = np.zeros(3)
    body = Inertia(1.0, com, np.eye(3))
    com[0] = 9.0
    assert not body.com.any()
    for change in (lambda: setattr(body, "mass", 2.0), lambda: body.com.fill(1.0), lambda: body.tensor.fill(1.0)):
        with pytest.raises((AttributeError, ValueError)):
            change()
    assert_same(pickle.loads(pickle.dumps(body)), body, rtol=0)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Inertia(np.nan), "mass"),
        (lambda: Inertia(1.0, [0, 0]), "com"),
        (lambda: Inertia(1.0, tensor=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "tensor: wanted a symmetric"),
        (lambda: Inertia.rod(np.inf, 1.0), "mass: wanted finite"),
        (lambda: Inertia.box("1 kg", [1, 1, 1]), "mass: wanted real numbers"),
        (lambda: Inertia.cylinder(None, 1.0, 1.0), "mass: wanted real numbers"),
        (lambda: Inertia.sphere([1.0, 2.0], 1.0), "mass: wanted shape"),
        (lambda: Inertia(1.0, np.ma.masked_array([0.0, 0, 9], [0, 0, 1])), "com: masked arrays"),
        (lambda: Inertia(1.0).angular_momentum(np.ma.masked_array([0.0, 0, 9], [0, 0, 1])), "w: masked arrays"),
        (lambda: Inertia.rod(1.0, 1.0, [0, 0, 0]), "axis"),
        (lambda: Inertia.rod(1.0, -1.0), "length"),
        (lambda: Inertia.rod(1.0, 1.0, about="middle"), "about: wanted 'center' or 'end'"),
        (lambda: Inertia.box(1.0, [1, -1, 1]), "size"),
        (lambda: Inertia.cylinder(1.0, 1.0, 1.0, inner=2.0), "inner: wanted at most the radius"),
        (lambda: Inertia.sphere(1.0, -1.0), "radius"),
        (lambda: Inertia.from_pseudo(np.ones((3, 3))), "pseudo"),
        (lambda: Inertia.from_pseudo([[0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]]), "without a mass"),
        (lambda: Inertia(1.0).at(2 * np.eye(3)), "rotation"),
        (lambda: Inertia(1.0).at(np.diag([1, 1, -1])), "rotation"),
        (lambda: Inertia(1.0).about([1, 2]), "point"),
        (lambda: Inertia(1.0) - Inertia.point(1.0, [1, 0, 0]), "cancel"),
        (lambda: Inertia(1.0).angular_momentum([1, 2]), "w: wanted real numbers"),
        (lambda: Inertia(1.0).angular_momentum([[1], [2, 3]]), "w: not an array of numbers"),
    ],
)
def test_what_makes_no_sense_is_refused(make, said):
    with pytest.raises(rne.ArgumentError, match=said):
        make()


@pytest.mark.parametrize("other", [1, None, "stone"])
def test_only_bodies_add_up(other):
    for combine in (lambda a: a + other, lambda a: other + a, lambda a: a - other):
        with pytest.raises(TypeError):
            combine(Inertia(1.0))
