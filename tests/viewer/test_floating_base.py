"""A base that floats moves in the viewer, and in plots."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_near

import rne
from rne.examples.legs import quadruped

ROBOT = quadruped()
FLIGHT = rne.simulate(ROBOT, rne.neutral(ROBOT), np.linspace(-1, 2, ROBOT.n), np.linspace(0, 1, 11))


def placed(viewer, name):
    """Position and quaternion (w first) of a link in the scene."""
    frame = viewer._stage._frames[ROBOT.frame_names.index(name)]
    return np.array(frame.position), np.array(frame.wxyz)


def test_a_motion_moves_the_base():
    pytest.importorskip("viser")
    q = FLIGHT.q.copy()
    q[5, 3:7] *= 2.0  # is no pose: the robot stays where it was
    with rne.view(ROBOT, q, FLIGHT.qd, t=FLIGHT.t, port=0, browser=False) as viewer:
        for k in (3, 10):
            viewer.seek(float(FLIGHT.t[k]) + 1e-9)
            position, wxyz = placed(viewer, "trunk")
            assert_near(position, FLIGHT.q[k, :3], 1e-12)
            assert_near(abs(wxyz @ FLIGHT.q[k, [6, 3, 4, 5]]), 1.0, 1e-12)
        viewer.seek(float(FLIGHT.t[5]) + 1e-9)
        assert_near(placed(viewer, "trunk")[0], FLIGHT.q[10, :3], 1e-12)
        assert "base_" not in viewer._bars.content


def test_sliders_are_of_joints():
    pytest.importorskip("viser")
    with rne.view(ROBOT, port=0, browser=False) as viewer:
        assert len(viewer._sliders) == 8
        viewer.move(FLIGHT.q[4])
        assert_near(placed(viewer, "trunk")[0], FLIGHT.q[4, :3], 1e-12)
        assert_near(viewer._sliders[2].value, FLIGHT.q[4, 9], 1e-12)
        with pytest.raises(rne.ArgumentError, match="unit quaternion"):
            viewer.move(np.zeros(15))


def test_plots_have_panels_of_the_base():
    pytest.importorskip("matplotlib")
    figure = rne.plot.states(ROBOT, FLIGHT.t, FLIGHT.q, FLIGHT.qd)
    lines = [ax.get_lines()[0].get_ydata() for ax in figure.axes]
    assert len(lines) == 28
    assert_near(lines[0], FLIGHT.q[:, 0], 1e-12)
    assert_near(lines[2 * 3], FLIGHT.q[:, 3], 1e-12)
    assert_near(lines[2 * 6], FLIGHT.q[:, 7], 1e-12)
    assert_near(lines[2 * 6 + 1], FLIGHT.qd[:, 6], 1e-12)
    assert figure.axes[0].get_ylabel() == "position (m)"
    assert figure.axes[6].get_ylabel() == "quaternion"
    assert len(rne.plot.torques(ROBOT, FLIGHT.t, FLIGHT.tau).axes) == 14
    drift = rne.plot.energy(ROBOT, FLIGHT.t, FLIGHT.q, FLIGHT.qd).axes[1].get_lines()[0].get_ydata()
    assert np.abs(drift).max() < 1e-6
