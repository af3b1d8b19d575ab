"""Dissipation, powers and energy balance: closed forms, other functions, and what simulations conserve."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import pytest
import reference as ref
import strategies
from checks import assert_near, random_robot, random_states
from hypothesis import given
from own_robots import arm, gripper

import rne

LECTURES = Path(__file__).parents[2] / "models" / "lectures"
COUPLED = random_robot(11, 7, couplings=0.5, one_sided=True, massless=0.0, heavy_tips=True)
STILL = [0.0, 0.0, 0.0]


def lecture(name):
    return rne.load(LECTURES / name / "robot.dh.toml")


# ------------------------------------------------------------------------------------------------------------- powers


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("cart_spring_damper_fixed", lambda x: 3.0 * x[0] ** 2 / 2),
        ("cart_spring_damper_moving", lambda x: 3.0 * (x[0] - x[1]) ** 2 / 2),
        ("cart_moving_base_relative", lambda x: 3.0 * x[1] ** 2 / 2),
        ("two_link_point_mass_friction", lambda x: 0.15 * x[0] ** 2 / 2 + 0.08 * x[1] ** 2 / 2),
    ],
)
def test_dissipation_is_that_of_the_lecture(name, function):
    robot = lecture(name)
    qd = random_states(robot.n, 2, 5)[1]
    D = function(np.moveaxis(qd, -1, 0))
    assert_near(rne.dissipation(robot, qd), D)
    assert_near(rne.dissipated_power(robot, qd), 2 * D)
    assert_near(rne.dissipation(robot, qd[0, 0]), D[0, 0])


@given(strategies.robots(1, 6, couplings=0.4, one_sided=True))
def test_its_slope_is_the_viscous_torque_and_the_power_is_that_of_all_friction(sample):
    tree, _, qd, _ = sample
    assert_near(rne.dissipated_power(rne.Robot(tree), qd), qd @ ref.friction_torque(tree, qd))
    viscous = replace(
        tree,
        joints=tuple(replace(j, drive=replace(j.drive, coulomb_plus=0.0, coulomb_minus=0.0)) for j in tree.joints),
    )
    half = np.eye(len(qd)) / 2  # exact for a quadratic function
    slope = rne.dissipation(rne.Robot(tree), qd + half) - rne.dissipation(rne.Robot(tree), qd - half)
    assert_near(slope, ref.friction_torque(viscous, qd), 1e-11)
    assert rne.dissipated_power(rne.Robot(tree), qd) >= -1e-12


def test_power_of_each_drive():
    tau, qd = random_states(6, 3, 4)[:2]
    power = rne.actuator_power(arm(), qd[0], tau)
    assert_near(power, tau * qd[0])
    assert rne.actuator_power(arm(), qd, tau[0, 0]).shape == (3, 4, 6)


def test_float32_stays_float32_and_out_is_filled():
    tau, qd, _ = random_states(6, 5, dtype=np.float32)
    for call, wanted in (
        (lambda **more: rne.dissipation(arm(), qd, **more), qd**2 @ [0.4, 0.2, 0, 0, 0, 0]),
        (
            lambda **more: rne.dissipated_power(arm(), qd, **more),
            qd**2 @ [0.8, 0.4, 0, 0, 0, 0] + np.abs(qd) @ [1.5, 0, 4, 0, 0, 0],
        ),
        (lambda **more: rne.actuator_power(arm(), qd, tau, **more), tau * qd),
    ):
        got = call()
        assert got.dtype == np.float32
        assert_near(got, wanted, 1e-6)
        out = np.empty_like(got)
        assert call(out=out) is out
        np.testing.assert_array_equal(out, got)
        with pytest.raises(rne.ArgumentError, match="out: wanted a float32 array"):
            call(out=np.empty(3))


@pytest.mark.parametrize("call", [rne.dissipation, rne.dissipated_power])
def test_wrong_velocities_are_refused(call):
    with pytest.raises(rne.ArgumentError, match=r"qd: wanted shape \(\.\.\., 6\)"):
        call(arm(), np.zeros(5))
    with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
        call("arm", np.zeros(6))


# ------------------------------------------------------------------------------------------------------------ balance


@pytest.mark.parametrize("robot", [arm(), gripper(), COUPLED], ids=["arm", "gripper", "coupled"])
def test_rates_are_the_slopes_of_the_energies_along_the_motion(robot):
    q, qd, qdd = random_states(robot.n, 6)
    balance, h = rne.energy_balance(robot, q, qd, qdd), 1e-4

    def slope(energy):
        return sum(w * energy(q + k * h * qd + (k * h) ** 2 / 2 * qdd, qd + k * h * qdd) for k, w in weights) / (12 * h)

    weights = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))
    assert_near(balance.kinetic, slope(lambda q, qd: rne.kinetic_energy(robot, q, qd)), 1e-8)
    assert_near(balance.potential, slope(lambda q, qd: rne.potential_energy(robot, q)), 1e-8)
    assert_near(balance.rate, balance.kinetic + balance.potential, 0.0)
    assert_near(balance.residual, balance.rate)  # no torques at all, and nothing lost


@pytest.mark.parametrize("robot", [arm(), COUPLED], ids=["arm", "coupled"])
def test_torques_that_fit_leave_no_residual_and_others_do(robot):
    q, qd, qdd = random_states(robot.n, 2, 3)
    frame, wrench = robot.frame_names[-1], random_states(6, 2, 3, seed=4)[0]
    loads = {"gravity": [1.0, 2.0, -9.0], "f_ext": {frame: (wrench, "local")}, "friction": True}
    tau = rne.inverse_dynamics(robot, q, qd, qdd, **loads)
    balance = rne.energy_balance(robot, q, qd, qdd, tau, **loads)
    twist = rne.frame_velocity(robot, q, qd, frame, axes="local")
    assert_near(balance.external, np.einsum("...i,...i->...", wrench, twist))
    assert_near(balance.actuators, np.einsum("...i,...i->...", tau, qd))
    lost = [v @ ref.friction_torque(robot.tree, v) for v in qd.reshape(6, -1)]
    assert_near(balance.dissipated, np.reshape(lost, (2, 3)))
    scale = np.abs(balance.actuators).max()
    assert_near(balance.residual / scale, np.zeros((2, 3)))
    wrong = rne.energy_balance(robot, q, qd, qdd, tau + 0.1, **loads)
    assert_near(wrong.residual, -0.1 * qd.sum(axis=-1), 1e-12 * scale)
    without = rne.energy_balance(robot, q, qd, qdd, tau, gravity=loads["gravity"], f_ext=loads["f_ext"])
    assert_near(without.dissipated, np.zeros((2, 3)))


def test_one_state_gives_numbers_and_wrong_arguments_are_refused():
    assert np.shape(rne.energy_balance(arm(), np.zeros(6)).residual) == ()
    for name in ("q", "qd", "qdd", "tau"):
        with pytest.raises(rne.ArgumentError, match=f"{name}: wanted shape"):
            rne.energy_balance(arm(), **{"q": np.zeros(6), name: np.zeros(5)})
    with pytest.raises(rne.UnknownNameError, match="f_ext"):
        rne.energy_balance(arm(), np.zeros(6), f_ext={"nose": np.zeros(6)})


# -------------------------------------------------------------------------------------------------------------- drift


@numba.njit
def servo(t, q, qd, tau):
    for j in range(len(q)):
        tau[j] = 5.0 * np.sin(3 * t) - 8.0 * q[j] - 2.0 * qd[j]


def servo_in_python(t, q, qd):
    return 5.0 * np.sin(3 * t) - 8.0 * q - 2.0 * qd


def swing(tau=None, friction=True, samples=401, **options):
    """A damped arm with a spring and a damper between its joints, its motion, and the arguments of the drift."""
    robot = lecture("two_link_point_mass_friction").with_springs([[6.0, -4.0], [-4.0, 4.0]], rest=[0.1, 0.3])
    robot = robot.with_dampers([[0.6, -0.4], [-0.4, 0.5]])
    motion = rne.simulate(
        robot, [1.0, -0.5], [0.3, 0.0], np.linspace(0, 2, samples), tau=tau, friction=friction, **options
    )
    return motion, rne.energy_drift(robot, motion, tau, friction=friction)


@pytest.mark.parametrize(
    "tau",
    [None, [2.0, -1.0], np.sin(np.arange(800).reshape(400, 2)), servo, servo_in_python],
    ids=["free", "constant", "held", "compiled", "python"],
)
def test_nothing_is_lost_but_by_torques_and_friction(tau):
    motion, drift = swing(tau)
    assert np.ptp(motion.energy) > 1.0
    assert drift.shape == motion.t.shape
    assert drift[0] == 0
    assert np.abs(drift).max() < 1e-7 * np.ptp(motion.energy)


@pytest.mark.parametrize("tau", [None, servo], ids=["friction", "friction and controller"])
def test_the_drift_is_of_fourth_order_in_the_times(tau):
    """The steps of the integration stay as they are: what shrinks is the error of the integrals."""
    coarse, fine = (np.abs(swing(tau, samples=n)[1]).max() for n in (51, 101))
    assert 13 < coarse / fine < 19


def ready(samples, **gains):
    robot = lecture("two_link_point_mass_friction")
    t = np.linspace(0, 2, samples)
    course = rne.quintic([1.0, -0.5], [1.5, 0.4], t, duration=2.0)
    control = rne.control.pid(robot, kp=[90.0, 40.0], ki=[60.0, 20.0], kd=[9.0, 3.0], path=(t, *course), **gains)
    motion = rne.simulate(robot, [1.0, -0.5], t=t, tau=control, friction=True)
    return motion, rne.energy_drift(robot, motion, control, friction=True)


def test_a_ready_controller_with_an_integral_is_accounted_for():
    motion, drift = ready(1001)
    assert np.ptp(motion.energy) > 1.0
    assert np.abs(drift).max() < 1e-7 * np.ptp(motion.energy)
    assert 13 < np.abs(ready(201)[1]).max() / np.abs(ready(401)[1]).max() < 19
    assert np.isfinite(ready(2)[1]).all()


def test_a_batch_of_ready_controllers_is_accounted_for():
    robot = lecture("two_link_point_mass")
    control = rne.control.pd_gravity(robot, kp=[[40.0, 20.0], [80.0, 40.0]], kd=4.0, goal=[0.4, 0.2])
    motion = rne.simulate(robot, [0.0, 0.0], t=np.linspace(0, 1, 1001), tau=control)
    drift = rne.energy_drift(robot, motion, control)
    assert drift.shape == (2, 1001)
    assert np.abs(drift).max() < 1e-6 < 0.1 < np.ptp(motion.energy)


def test_held_torques_do_exactly_the_work_that_they_do():
    """Without friction the drift is that of the energy, in however few times the motion is told."""
    torques = np.array([[3.0, -1.0], [-2.0, 1.0], [0.5, 0.5]])
    drift = swing(torques, friction=False, samples=4)[1]
    assert np.abs(drift).max() < 1e-9
    assert np.abs(swing(torques, friction=False, samples=4, step=0.05)[1]).max() > 1e-6  # that of the integration


def test_a_wrong_account_is_noticed():
    robot = lecture("two_link_point_mass_friction")
    motion = rne.simulate(robot, [1.0, -0.5], t=np.linspace(0, 1, 101), friction=True)
    assert np.abs(rne.energy_drift(robot, motion)).max() > 1e-2
    assert np.abs(rne.energy_drift(robot, motion, [1.0, 0.0], friction=True)).max() > 1e-2


def test_a_batch_of_simulations_and_coulomb_friction():
    """Coulomb friction jumps where a joint turns round, so its work is known to first order only."""
    drive = rne.Drive(viscous=0.2, coulomb_plus=0.3, coulomb_minus=0.3)
    robot = lecture("two_link_point_mass").with_drives({"theta1": drive})
    start = random_states(2, 3)[0] / 2
    motion = rne.simulate(robot, start, t=np.linspace(0, 1, 1001), tau=[[[1.0, 0.5]] * 1000] * 3, friction=True)
    drift = rne.energy_drift(robot, motion, [[[1.0, 0.5]] * 1000] * 3, friction=True)
    assert drift.shape == (3, 1001)
    assert np.abs(drift).max() < 1e-3 < 0.1 < np.ptp(motion.energy)


def test_one_time_only():
    motion = rne.simulate(arm(), np.zeros(6), t=[0.0])
    assert rne.energy_drift(arm(), motion, friction=True).tolist() == [0.0]
    assert rne.energy_drift(arm(), motion, lambda t, q, qd: q).tolist() == [0.0]


def test_what_is_no_motion_of_the_robot_is_refused():
    motion = rne.simulate(arm(), np.zeros(6), t=[0.0, 0.01])
    with pytest.raises(rne.ArgumentError, match="motion: it has 6 joints, but gripper has 2"):
        rne.energy_drift(gripper(), motion)
    with pytest.raises(rne.ArgumentError, match="motion: wanted a Simulation"):
        rne.energy_drift(arm(), np.zeros((2, 6)))
    with pytest.raises(rne.ArgumentError, match=r"tau: shape \(3, 1, 6\) does not fit a motion of shape \(2, 6\)"):
        rne.energy_drift(arm(), motion, np.zeros((3, 1, 6)))
