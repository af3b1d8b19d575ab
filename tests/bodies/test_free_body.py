"""Newton-Euler of a free body against the sum of its points, and against Pinocchio."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from checks import assert_near

import rne
from rne import Inertia

RNG = np.random.default_rng(8)
MASSES, PLACES = RNG.uniform(0.5, 2.0, 6), RNG.normal(size=(6, 3))
BODY = sum(Inertia.point(m, r) for m, r in zip(MASSES, PLACES, strict=True))
W, ALPHA, ACC = RNG.normal(size=(3, 4, 3))


def split(wrench):
    return wrench[..., :3], wrench[..., 3:]


def test_force_and_moment_are_those_of_the_points():
    force, moment = split(rne.free_body_wrench(BODY, W, ALPHA, ACC))
    for k in range(4):
        arms = PLACES - BODY.com
        acceleration = ACC[k] + np.cross(ALPHA[k], arms) + np.cross(W[k], np.cross(W[k], arms))
        forces = MASSES[:, None] * acceleration
        assert_near(force[k], forces.sum(axis=0))
        assert_near(moment[k], np.cross(arms, forces).sum(axis=0))


def test_pinocchio_says_the_same():
    inertia = pin.Inertia(BODY.mass, np.zeros(3), np.array(BODY.tensor))
    for w, alpha, acc in zip(W, ALPHA, ACC, strict=True):
        velocity, acceleration = pin.Motion(np.zeros(3), w), pin.Motion(acc, alpha)
        wanted = inertia * acceleration + inertia.vxiv(velocity)
        force, moment = split(rne.free_body_wrench(BODY, w, alpha, acc))
        assert_near(force, wanted.linear)
        assert_near(moment, wanted.angular)


def test_numbers_of_the_lecture():
    """Its part that is only there when a body turns about no principal axis, w x I w, by itself too."""
    body = Inertia(2.4, tensor=[[0.12, 0.01, -0.02], [0.01, 0.15, 0.015], [-0.02, 0.015, 0.09]])
    w = [0.7, -1.3, 2.1]
    force, moment = split(rne.free_body_wrench(body, w, [0.4, 0.9, -1.6], [1.5, -0.2, 0.6]))
    assert_near(force, [3.6, -0.48, 1.44])
    assert_near(moment, [0.2155, 0.06705, -0.21035])
    assert_near(rne.free_body_wrench(body, w, [0, 0, 0], [0, 0, 0])[3:], [0.1265, -0.04795, -0.07185])


def test_batches_broadcast():
    wrench = rne.free_body_wrench(BODY, W[0], ALPHA, ACC[:, None])
    assert wrench.shape == (4, 4, 6)
    for i in range(4):
        for j in range(4):
            assert_near(wrench[i, j], rne.free_body_wrench(BODY, W[0], ALPHA[j], ACC[i]))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((BODY, [1, 2], [0, 0, 0], [0, 0, 0]), "w: wanted"),
        ((BODY, [1, 2, 3], 0.0, [0, 0, 0]), "alpha: wanted"),
        ((BODY, [1, 2, 3], [0, 0, 0], [1j, 0, 0]), "acc_com: wanted"),
        ((3.0, [1, 2, 3], [0, 0, 0], [0, 0, 0]), "inertia: wanted an Inertia, got float"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, said):
    with pytest.raises(rne.ArgumentError, match=said):
        rne.free_body_wrench(*arguments)


@pytest.mark.parametrize(
    ("w", "alpha", "acc_com"),
    [((3,), (4, 3), (3,)), ((5, 1, 3), (3,), (4, 3)), ((3,), (3,), (2, 3)), ((0, 3), (3,), (3,))],
)
def test_force_and_moment_have_the_axes_of_all_vectors(w, alpha, acc_com):
    rng, body = np.random.default_rng(0), rne.Inertia(2.0, tensor=np.diag([1.0, 2.0, 2.5]))
    given = [rng.normal(size=shape) for shape in (w, alpha, acc_com)]
    full = np.broadcast_arrays(*given)
    force, moment = split(rne.free_body_wrench(body, *given))
    assert force.shape == moment.shape == full[0].shape
    np.testing.assert_array_equal(force, 2.0 * full[2])
    turned = full[1] * [1.0, 2.0, 2.5] + np.cross(full[0], full[0] * [1.0, 2.0, 2.5])
    np.testing.assert_allclose(moment, turned, rtol=1e-14, atol=1e-14)
    force += 1.0  # fresh, not a view that repeats
