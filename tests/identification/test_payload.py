"""A payload that was planted comes back, and from poses at rest what they show of it."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_near, random_states
from models_at_hand import MODELS
from own_robots import arm

import rne

PLANAR = rne.load(MODELS / "planar2" / "robot.dh.toml")
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


def test_a_few_poses():
    """One pose leaves nothing to estimate the noise from; with five and eight, the intervals hold what they should."""
    robot, rng = arm(), np.random.default_rng(4)
    one = random_states(6, 1, seed=5)[0]
    short = rne.identify_payload(PLANAR, "link2", one[:, :2], None, None, rne.gravity_vector(PLANAR, one[:, :2]) + 0.1)
    assert np.isnan(short.sd).all()
    assert np.isfinite(short.mass)
    assert "no standard deviations" in str(short)
    for poses in (5, 8):
        errors = []
        for seed in range(40):
            q = random_states(6, poses, seed=seed)[0]
            tau = rne.inverse_dynamics(loaded(robot), q) + 0.1 * rng.normal(size=q.shape)
            found = rne.identify_payload(robot, "hand", q, None, None, tau)
            errors.append([(found.mass - BODY.mass) / found.mass_sd, *((found.com - BODY.com) / found.com_sd)])
        assert np.mean(np.abs(errors) < 1.96) > 0.88  # with weights of its own for each joint, 0.6 to 0.8


def test_what_no_body_can_be_is_said():
    robot, state = arm(), random_states(6, 200, seed=0)
    tau = rne.inverse_dynamics(robot.with_payload(2.0, [0.0, 0.0, 0.1], frame="hand"), *state)
    light = rne.identify_payload(loaded(robot), "hand", *state, rne.inverse_dynamics(robot, *state))
    assert "no body has this mass" in str(light)
    noisy = rne.identify_payload(robot, "hand", *state, tau + np.random.default_rng(0).normal(size=tau.shape))
    assert (np.linalg.eigvalsh(noisy.inertia.tensor) >= 0).all()
    assert "payload.robot have the nearest one" in str(noisy)
    heavy = rne.identify_payload(robot, "hand", *state, rne.inverse_dynamics(loaded(robot), *state))
    assert "no body" not in str(heavy)
