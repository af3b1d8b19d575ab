"""Derivatives of recorded motions of a base that floats, against a motion whose velocities are known."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_near
from scipy.spatial.transform import Rotation

import rne
from rne.examples.legs import quadruped

ROBOT = quadruped()


def analytic(t):
    """q, qd, qdd: R = Rz(a) Rx(b), and a path in the world, of simple functions of time."""
    a, da, dda = 1.5 * t, np.full_like(t, 1.5), np.zeros_like(t)
    b, db, ddb = 0.8 * np.sin(2 * t), 1.6 * np.cos(2 * t), -3.2 * np.sin(2 * t)
    R = Rotation.from_euler("ZX", np.column_stack([a, b]))
    sin, cos = np.sin(b), np.cos(b)
    w = np.column_stack([db, da * sin, da * cos])  # x, and z of the world in the axes of the base
    wd = np.column_stack([ddb, dda * sin + da * cos * db, dda * cos - da * sin * db])
    x = np.column_stack([np.sin(t), 0.3 * t**2, np.cos(2 * t)])
    dx = np.column_stack([np.cos(t), 0.6 * t, -2 * np.sin(2 * t)])
    ddx = np.column_stack([-np.sin(t), np.full_like(t, 0.6), -4 * np.cos(2 * t)])
    v = R.inv().apply(dx)
    vd = R.inv().apply(ddx) - np.cross(w, v)
    joints = np.sin(np.outer(t, np.arange(1, 9) / 3))
    rates = np.cos(np.outer(t, np.arange(1, 9) / 3)) * np.arange(1, 9) / 3
    second = -joints * (np.arange(1, 9) / 3) ** 2
    q = np.hstack([x, R.as_quat(), joints])
    return q, np.hstack([v, w, rates]), np.hstack([vd, wd, second])


@pytest.mark.parametrize("flips", [False, True])
def test_velocities_of_the_base_are_in_its_own_axes(flips):
    t = np.linspace(0, 6, 3001)
    q, qd, qdd = analytic(t)
    recorded = q.copy()
    if flips:
        recorded[np.random.default_rng(0).random(len(t)) < 0.3, 3:7] *= -1
        recorded[:, 3:7] = recorded[:, 3:7].round(5)
    made = rne.differentiate(t, recorded, robot=ROBOT, tau=qd)
    inside = ~made.edges.any(axis=1)
    rtol = 1e-3 if flips else 1e-6
    assert_near(made.qd[inside], qd[inside], rtol)
    assert_near(made.qdd[inside], qdd[inside], 20 * rtol)
    assert_near(made.tau[inside], qd[inside], rtol)
    assert_near(np.linalg.norm(made.q[:, 3:7], axis=1), np.ones(len(t)), 1e-15)
    assert (np.einsum("ij,ij->i", made.q[1:, 3:7], made.q[:-1, 3:7]) > 0.9).all()
    assert made.cutoff.shape == (15,)
    assert made.noise.shape == (14,)
    assert "14" in str(made)


def test_noise_is_filtered_as_that_of_joints():
    t, rng = np.linspace(0, 6, 3001), np.random.default_rng(1)
    q, qd, qdd = analytic(t)
    noisy = q + 1e-4 * rng.normal(size=q.shape)
    made = rne.differentiate(t, noisy, robot=ROBOT)
    inside = ~made.edges.any(axis=1)
    error = np.sqrt(np.mean((made.qdd - qdd)[inside] ** 2, axis=0))
    assert (error < 0.05).all()
    assert (error < 3 * made.noise + 0.01).all()
    assert np.abs((made.qd - qd)[inside]).max() < 5e-3


def test_what_is_no_pose_is_refused():
    t = np.linspace(0, 1, 101)
    q = analytic(t)[0]
    with pytest.raises(rne.ArgumentError, match=r"wanted shape \(101, 15\)"):
        rne.differentiate(t, q[:, :14], robot=ROBOT)
    q[7, 3:7] *= 1.01
    with pytest.raises(rne.ArgumentError, match=r"length 1\.01 at 7"):
        rne.differentiate(t, q, robot=ROBOT)
