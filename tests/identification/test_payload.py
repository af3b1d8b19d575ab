"""A payload that was planted comes back, and from poses at rest what they show of it."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_near, random_states
from own_robots import arm

import rne

BODY = rne.Inertia.box(2.0, [0.1, 0.2, 0.3]).shifted([0.03, -0.02, 0.08])


def loaded(robot, frame="hand"):
    return robot.with_payload(BODY.mass, BODY.com, BODY.tensor, frame=frame)


@pytest.mark.parametrize("frame", ["hand", "tool", "forearm"])
def test_all_ten_numbers_come_back(frame):
    robot, state = arm(), random_states(6, 200, seed=0)
    if frame not in robot.frame_names:
        frame = robot.frame_names[-3]
    tau = rne.inverse_dynamics(loaded(robot, frame), *state, friction=True)
    found = rne.identify_payload(robot, frame, *state, tau, friction=True)
    if not found.unexcited:
        row = [BODY.mass, *(BODY.mass * BODY.com), *BODY.about([0, 0, 0])[np.triu_indices(3)]]
        assert_near(found.values, row, 1e-9)
        assert_near(found.inertia.tensor, BODY.tensor, 1e-9)
    assert_near(found.residual, np.zeros(6), 1e-9)
    again = random_states(6, 20, seed=1)
    wanted = rne.inverse_dynamics(loaded(robot, frame), *again)
    assert_near(rne.inverse_dynamics(found.robot, *again), wanted, 1e-8)
    assert found.without.max() > 1


def test_the_hand_shows_all_ten():
    state = random_states(6, 200, seed=0)
    tau = rne.inverse_dynamics(loaded(arm()), *state)
    assert rne.identify_payload(arm(), "hand", *state, tau).unexcited == ()


def test_poses_at_rest_show_mass_and_center():
    robot, q = arm(), random_states(6, 40, seed=2)[0]
    rng = np.random.default_rng(3)
    tau = rne.inverse_dynamics(loaded(robot), q)
    found = rne.identify_payload(robot, "hand", q, None, None, tau)
    assert_near(found.mass, BODY.mass, 1e-9)
    assert_near(found.com, BODY.com, 1e-9)
    assert found.unexcited == ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
    assert np.isnan(found.sd[4:]).all()
    assert_near(found.inertia.tensor, np.zeros((3, 3)))
    assert_near(rne.inverse_dynamics(found.robot, q), tau, 1e-9)
    errors = []
    for _ in range(60):
        noisy = rne.identify_payload(robot, "hand", q, None, None, tau + 0.1 * rng.normal(size=tau.shape))
        errors.append([(noisy.mass - BODY.mass) / noisy.mass_sd, *((noisy.com - BODY.com) / noisy.com_sd)])
    squares = np.mean(np.square(errors))
    assert 0.6 < squares < 1.5  # the standard deviations are those of the errors
    assert (np.abs(errors) < 5).all()
    assert "not shown by the motion: Ixx" in str(noisy)


def test_what_cannot_be():
    robot, q = arm(), random_states(6, 40, seed=2)[0]
    with pytest.raises(rne.ArgumentError, match=f"frame: {robot.frame_names[0]!r} does not move"):
        rne.identify_payload(robot, robot.frame_names[0], q, None, None, q)
    light = rne.identify_payload(loaded(robot), "hand", q, None, None, rne.inverse_dynamics(robot, q))
    assert_near(light.mass, -BODY.mass, 1e-9)
    with pytest.raises(rne.ArgumentError, match="no body has the identified mass of -2 kg"):
        _ = light.inertia
    with pytest.raises(rne.ArgumentError, match="tau: there are no samples"):
        rne.identify_payload(robot, "hand", q[:0], None, None, q[:0])
