"""Bases that float under sampled controllers, and under wrenches and gravity over time: exact solutions, momentum."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from checks import assert_near
from own_robots import sledge
from scipy.integrate import cumulative_simpson
from scipy.spatial.transform import Rotation

import rne
from rne.examples.legs import quadruped

METHODS = ("rk4", "adaptive")
KP, KD, GOAL, PERIOD, DELAY = 40.0, 9.0, 0.3, 0.05, 0.03


def drone(mass=2.0, gravity=(0, 0, 0)):
    return rne.load_urdf(
        f'<robot name="drone"><link name="frame"><inertial><mass value="{mass}"/>'
        '<inertia ixx="0.02" iyy="0.02" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
        floating=True,
        gravity=gravity,
    )


def sampled_loop(mass, count, largest=np.inf, resolution=0.0):
    """Positions and velocities of a free mass at the sampling instants: it moves exactly as under constant forces."""
    x, v, force, states = 0.1, 0.0, 0.0, []
    for _ in range(count):
        states.append((x, v))
        seen = np.floor(x / resolution + 0.5) * resolution if resolution else x
        asked = np.clip(KP * (GOAL - seen) - KD * v, -largest, largest)
        for h, u in ((DELAY, force), (PERIOD - DELAY, asked)):
            x, v = x + h * v + h * h / 2 * u / mass, v + h * u / mass
        force = asked
    return np.array(states)


@numba.njit
def climb(t, q, qd, tau):
    tau[2] = KP * (GOAL - q[2]) - KD * qd[2]


def same_climb(t, q, qd):
    tau = np.zeros(qd.shape)
    tau[..., 2] = KP * (GOAL - q[..., 2]) - KD * qd[..., 2]
    return tau


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("controller", [climb, same_climb])
def test_a_drone_climbs_by_its_sampled_loop(controller, method):
    """While it spins about the vertical; alone, and in a batch with one that spins faster."""
    robot, t, spin = drone(), np.arange(31) * PERIOD, np.array([2.0, 5.0])
    q, qd = np.tile(rne.neutral(robot), (2, 1)), np.zeros((2, 6))
    q[:, 2], qd[:, 5] = 0.1, spin
    sampled = rne.SampledController(controller, rate=1 / PERIOD, delay=DELAY)
    exact = sampled_loop(2.0, 31)
    flown = rne.simulate(robot, q, qd, t, tau=sampled, method=method)
    alone = rne.simulate(robot, q[1], qd[1], t, tau=sampled, method=method)
    for motion, w in ((flown, spin[:, None]), (alone, spin[1])):
        np.testing.assert_allclose(motion.q[..., 2], np.broadcast_to(exact[:, 0], motion.q.shape[:-1]), atol=1e-12)
        np.testing.assert_allclose(motion.qd[..., 2], np.broadcast_to(exact[:, 1], motion.q.shape[:-1]), atol=1e-12)
        yaw = 2 * np.arctan2(motion.q[..., 5], motion.q[..., 6])
        assert_near(np.exp(1j * yaw), np.exp(1j * w * t), 1e-8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("friction", [False, True])
def test_a_sampled_law_acts_on_the_joints(friction, method):
    """Relative to each other, bodies of 3 and 1 kg move as one of 3/4 kg; encoder and limit are the joint's."""
    # So little friction that it changes nothing, but has the loop of robots with friction run.
    robot, t = sledge(viscous=1e-15), np.arange(31) * PERIOD
    servo = rne.control.pid(robot, kp=KP, kd=KD, goal=[GOAL])
    digital = rne.SampledController(servo, rate=1 / PERIOD, delay=DELAY, saturate=True, position_resolution=1 / 128)
    q = rne.neutral(robot)
    q[:3], q[7] = [0.123, 0.2, 0.3], 0.1
    motion = rne.simulate(robot, q, None, t, tau=digital, friction=friction, method=method)
    exact = sampled_loop(0.75, 31, largest=3.0, resolution=1 / 128)
    np.testing.assert_allclose(motion.q[:, 7], exact[:, 0], atol=1e-11)
    np.testing.assert_allclose(motion.qd[:, 6], exact[:, 1], atol=1e-11)
    assert np.abs(motion.tau).max(axis=0).tolist() == [0, 0, 0, 0, 0, 0, 3.0]
    assert_near(motion.q[:, 0] + 0.25 * motion.q[:, 7], np.full(31, 0.123 + 0.025), 1e-11)


def test_numbers_of_a_sampled_controller_are_those_of_joints():
    robot = sledge()
    with pytest.raises(rne.ArgumentError, match=r"saturate: wanted one number or shape \(1,\), got \(7,\)"):
        rne.simulate(robot, rne.neutral(robot), tau=rne.SampledController(same_climb, rate=10, saturate=np.ones(7)))
    with pytest.raises(rne.ArgumentError, match=r"velocity_resolution: .*'drone', which has no joints"):
        rne.simulate(
            drone(), rne.neutral(drone()), tau=rne.SampledController(same_climb, rate=10, velocity_resolution=1e-3)
        )


def gust(t):
    return np.array([np.sin(3 * t), 0.5 * np.cos(2 * t), -0.3, 0.02 * np.sin(t), 0.05, 0.1 * np.cos(5 * t)])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("friction", [False, True])
def test_momentum_is_the_integral_of_a_wrench(friction, method):
    """Linear momentum, and moment of momentum about the origin of the world, of bodies that slide, turn and rub."""
    robot, t = sledge(viscous=0.5, coulomb_plus=0.05, coulomb_minus=0.05), np.linspace(0, 1, 401)
    q = np.array([0.1, 0.2, 0.3, *Rotation.from_rotvec([0.5, -0.4, 1.0]).as_quat(), 0.1])
    motion = rne.simulate(
        robot, q, [0.4, -0.2, 0.1, 1.0, -2.0, 1.5, 0.3], t, f_ext={"load": gust}, friction=friction, method=method
    )
    h = rne.centroidal_momentum(robot, motion.q, motion.qd)
    h[:, 3:] += np.cross(rne.center_of_mass(robot, motion.q), h[:, :3])
    wrench = np.array([gust(at) for at in t])
    wrench[:, 3:] += np.cross(rne.forward_kinematics(robot, motion.q, "load")[:, :3, 3], wrench[:, :3])
    assert_near(h - h[0], cumulative_simpson(wrench, x=t, axis=0, initial=0), 1e-8)


def falling(t):
    return [2.0 * np.cos(4 * t), 1.0, -9.81 + 3.0 * np.sin(2 * t)]


@pytest.mark.parametrize("method", METHODS)
def test_gravity_over_time_moves_the_center_of_mass(method):
    """It falls as a point would, and the moment of momentum about it is kept, while legs swing and the trunk turns."""
    robot, t, rng = quadruped(), np.linspace(0, 0.5, 11), np.random.default_rng(7)
    q, qd = rne.integrate(robot, rne.neutral(robot), rng.normal(size=robot.n)), 0.5 * rng.normal(size=robot.n)
    motion = rne.simulate(robot, q, qd, t, gravity=falling, method=method)
    h = rne.centroidal_momentum(robot, motion.q, motion.qd)
    speed = h[0, :3] / robot.total_mass
    fall = [(1 - np.cos(4 * t)) / 8, t**2 / 2, -9.81 * t**2 / 2 + 3.0 * (t / 2 - np.sin(2 * t) / 4)]
    center = rne.center_of_mass(robot, motion.q)
    assert_near(center, center[0] + np.outer(t, speed) + np.transpose(fall), 1e-8)
    assert_near(h[:, 3:], np.broadcast_to(h[0, 3:], (11, 3)), 1e-7)
    # Potential energy is that of the gravity of its time.
    energy = rne.kinetic_energy(robot, motion.q, motion.qd)
    energy -= robot.total_mass * (np.array([falling(at) for at in t]) * center).sum(axis=1)
    assert_near(motion.energy, energy, 1e-9)


def test_a_batch_under_all_of_it_is_its_simulations():
    robot, t, rng = sledge(), np.linspace(0, 0.3, 7), np.random.default_rng(3)
    q = rne.integrate(robot, np.tile(rne.neutral(robot), (9, 1)), 0.3 * rng.normal(size=(9, robot.n)))
    qd, g, push = rng.normal(size=(9, robot.n)), rng.normal(size=(9, 3)), rng.normal(size=(9, 2, 6))
    servo = rne.control.pid(robot, kp=np.linspace(1, 9, 9)[:, None], ki=2.0, kd=1.0, goal=[0.1])
    digital = rne.SampledController(servo, rate=50.0, delay=0.007, velocity_resolution=0.01)
    wrench = rne.Signal([0.0, 0.2], push, interpolation="linear")
    motion = rne.simulate(robot, q, qd, t, tau=digital, gravity=g, f_ext={"load": (wrench, "local")})
    for k in (0, 8):
        servo = rne.control.pid(robot, kp=k + 1.0, ki=2.0, kd=1.0, goal=[0.1])
        digital = rne.SampledController(servo, rate=50.0, delay=0.007, velocity_resolution=0.01)
        wrench = rne.Signal([0.0, 0.2], push[k], interpolation="linear")
        alone = rne.simulate(robot, q[k], qd[k], t, tau=digital, gravity=g[k], f_ext={"load": (wrench, "local")})
        np.testing.assert_allclose(motion.q[k], alone.q, rtol=0, atol=1e-13)
        np.testing.assert_allclose(motion.tau[k], alone.tau, rtol=0, atol=1e-12)


def growing(t, q, qd):
    with np.errstate(over="ignore"):
        return 1e3 * qd * (1 + abs(qd))


def deliberate(t, q, qd):
    return np.full(6, np.nan)


def test_what_does_not_stay_finite_is_an_error_that_names_the_base():
    robot = drone()
    with pytest.raises(rne.ArgumentError, match=r"t = 1 s .*the base \(base_wx\)"):
        rne.simulate(robot, rne.neutral(robot), [0, 0, 0, 0.3, 0, 0], [0.0, 1.0], tau=growing)
    assert np.isnan(rne.simulate(robot, rne.neutral(robot), None, [0.0, 1.0], tau=deliberate).q[1]).any()
    with pytest.raises(rne.ArgumentError, match="wanted finite torques of the controller"):
        rne.simulate(robot, rne.neutral(robot), None, [0.0, 1.0], tau=deliberate, method="adaptive")
