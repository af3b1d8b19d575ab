"""Residuals of measured torques, against plain sums in numpy."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_near

import rne

ARM = rne.load("models/planar2/robot.dh.toml")


def test_numbers_are_those_of_their_definitions() -> None:
    random = np.random.default_rng(0)
    q, qd, qdd, noise = random.normal(size=(4, 500, 2))
    bias = np.array([1.0, -2.0])
    tau = rne.inverse_dynamics(ARM, q, qd, qdd) + noise + bias
    tau[123, 0] += 50.0
    t = np.arange(500) / 100
    report = rne.residual(ARM, q, qd, qdd, tau, t=t)
    rest = noise + bias
    rest[123, 0] += 50.0
    assert_near(report.rms, np.sqrt((rest**2).mean(axis=0)), 1e-9)
    assert_near(report.bias, rest.mean(axis=0), 1e-9)
    assert_near(report.relative, np.linalg.norm(rest, axis=0) / np.linalg.norm(tau, axis=0), 1e-9)
    assert_near(report.r2, 1 - (rest**2).sum(axis=0) / ((tau - tau.mean(axis=0)) ** 2).sum(axis=0), 1e-9)
    assert report.worst_time[0] == 1.23
    assert report.worst[0] == pytest.approx(rest[123, 0])
    parts = [rne.residual(ARM, q[k], qd[k], qdd[k], tau[k], t=t[k]) for k in (slice(7), slice(7, 300), slice(300, 500))]
    whole = rne.Residual.joined(parts)
    for name in ("samples", "rms", "bias", "mean", "variance", "worst", "worst_time"):
        assert_near(getattr(whole, name), getattr(report, name), 1e-9)


def test_samples_that_are_no_numbers_do_not_count() -> None:
    q = np.zeros((4, 2))
    tau = rne.gravity_vector(ARM, q) + 1.0
    tau[2, 0] = np.nan
    report = rne.residual(ARM, q, tau=tau)
    np.testing.assert_array_equal(report.samples, [3, 4])
    assert_near(report.rms, [1.0, 1.0], 1e-12)
    assert np.isnan(report.r2).all()  # a constant has no variance to explain
    none = rne.residual(ARM, q, tau=np.full((4, 2), np.nan))
    assert_near(rne.Residual.joined([none, report, none]).rms, [1.0, 1.0], 1e-12)
    assert np.isnan(none.rms).all()
