"""Figures of an identification: the curves are what was measured, and what was found."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_near

import rne

ARM = rne.load("models/planar2/robot.dh.toml")


@pytest.fixture
def found() -> rne.Identification:
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 200, 2))
    tau = rne.inverse_dynamics(ARM, q, qd, qdd) + 0.5 * qd + 2.0 * np.sign(qd)
    return rne.identify(ARM, q, qd, qdd, tau + 0.1 * np.random.default_rng(1).normal(size=q.shape), friction=True)


def test_measured_found_and_residual(found):
    q, qd, qdd, tau = found.kept
    above, below = rne.plot.identification(found).axes[:2]
    measured, model = (line.get_ydata() for line in above.get_lines()[:2])
    assert_near(measured, tau[:, 0])
    assert_near(model, found.torques(q, qd, qdd)[:, 0])
    assert_near(below.get_lines()[-1].get_ydata(), measured - model)


def test_friction_over_velocity_with_its_samples(found):
    figure = rne.plot.friction(found)
    for joint, ax in enumerate(figure.axes):
        samples, law = ax.get_lines()[1:]
        velocity = law.get_xdata()
        assert (np.diff(velocity) >= 0).all()
        np.testing.assert_allclose(law.get_ydata(), 0.5 * velocity + 2.0 * np.sign(velocity), atol=0.1)
        assert np.std(samples.get_ydata() - law.get_ydata()) == pytest.approx(found.residual[joint], rel=0.05)
