"""Few samples: intervals are wide or absent, not too narrow."""

from __future__ import annotations

import math

import numpy as np
import pytest
from models_at_hand import MODELS
from scipy import stats

import rne
from rne.identification.fit import student

PLANAR = rne.load(MODELS / "planar2" / "robot.dh.toml")
TRUTH = PLANAR.with_payload(0.5)


def noisy(samples, seed):
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.normal(size=(3, samples, 2))
    tau = rne.inverse_dynamics(TRUTH, q, qd, qdd) + np.array([0.5, 0.2]) * rng.normal(size=q.shape)
    return q, qd, qdd, tau


@pytest.mark.parametrize("noise", ["estimated", None])
@pytest.mark.parametrize("samples", [4, 5, 6, 8])
def test_intervals_cover(samples, noise):
    true, covered = rne.base_parameters(TRUTH).values(), []
    for seed in range(60):
        low, high = rne.identify(PLANAR, *noisy(samples, seed), noise=noise).interval(0.95).T
        shown = ~np.isnan(low)
        covered.append(np.mean((low < true)[shown] & (true < high)[shown]))
    assert np.mean(covered) > 0.9


def test_as_many_equations_as_parameters():
    """Noise is fitted exactly, and nothing can be said of it."""
    found = rne.identify(PLANAR, *noisy(3, 0))
    assert np.isnan(found.sd).all()
    assert np.isnan(found.interval()).all()
    assert "no standard deviations" in str(found)
    known = rne.identify(PLANAR, *noisy(3, 0), noise=[0.5, 0.2])
    assert np.isfinite(known.sd).sum() == 6
    assert "no standard deviations" not in str(known)
    assert found.robot.n == 2


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 10, 63])
def test_student(level, freedom):
    assert math.isclose(student(level, freedom), stats.t.ppf((1 + level) / 2, freedom), rel_tol=0.03)


@pytest.mark.parametrize("samples", [1, 2, 3, 5])
def test_laws_from_few_samples(samples):
    state = noisy(samples, 0)
    found = rne.identify(PLANAR, *state, friction="select")
    assert np.isfinite(found.torques(*state[:3])).all()


def test_validation_without_samples():
    found = rne.identify(PLANAR, *noisy(50, 0))
    empty = np.zeros((0, 2))
    with pytest.raises(rne.ArgumentError, match="tau: there are no samples"):
        found.validate(empty, empty, empty, empty)
