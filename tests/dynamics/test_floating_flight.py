"""Free flight: momentum and energy are kept, and rigid bodies turn as Euler's equations say in closed form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_near, random_tree
from oracles_floating import random_states
from scipy.integrate import solve_ivp
from scipy.special import ellipj

import rne


def body(moments):
    x, y, z = moments
    return rne.load_urdf(
        f'<robot name="top"><link name="body"><inertial><mass value="2"/><inertia ixx="{x}" iyy="{y}" izz="{z}" '
        'ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
        floating=True,
        gravity=[0, 0, 0],
    )


def flown(robot, q, qd, end, steps, record=None):
    """Fly without torques by steps of Runge and Kutta on the group: the position by increments within each step."""
    h, tau = end / steps, np.zeros(robot.n)
    for _ in range(steps):
        # Velocities at stages of the classical method; positions along them from the start of the step.
        k1 = rne.forward_dynamics(robot, q, qd, tau)
        v2 = qd + 0.5 * h * k1
        k2 = rne.forward_dynamics(robot, rne.integrate(robot, q, 0.5 * h * qd), v2, tau)
        v3 = qd + 0.5 * h * k2
        k3 = rne.forward_dynamics(robot, rne.integrate(robot, q, 0.5 * h * v2), v3, tau)
        v4 = qd + h * k3
        k4 = rne.forward_dynamics(robot, rne.integrate(robot, q, h * v3), v4, tau)
        q = rne.integrate(robot, q, h / 6 * (qd + 2 * v2 + 2 * v3 + v4))
        qd = qd + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if record is not None:
            record.append(qd)
    return q, qd


def test_momentum_and_energy_are_kept():
    tree = replace(random_tree(4, 5, mimic=0.0, massless=0.0, rotors=False, friction=False), floating=True)
    robot = rne.Robot(tree).with_gravity([0.0, 0.0, 0.0])
    q, qd, _ = (x[0] for x in random_states(robot, 1, 3))
    qd *= 0.3
    before = rne.centroidal_momentum(robot, q, qd), rne.kinetic_energy(robot, q, qd)
    errors = []
    for steps in (200, 400):
        end, speed = flown(robot, q, qd, 0.4, steps)
        errors.append(np.abs(rne.centroidal_momentum(robot, end, speed) - before[0]).max())
        assert abs(np.linalg.norm(end[3:7]) - 1.0) < 1e-15
    assert errors[1] < 1e-4 * np.abs(before[0]).max()
    assert errors[1] < 0.6 * errors[0]
    assert abs(rne.kinetic_energy(robot, end, speed) - before[1]) < 1e-4 * before[1]


def test_an_axisymmetric_top():
    """w3 is constant, and w1 + i w2 turns at the rate (C - A) / A w3."""
    top = body((1.0, 1.0, 1.5))
    q = rne.neutral(top)
    _, qd = flown(top, q, np.array([0, 0, 0, 0.3, 0.0, 2.0]), 3.0, 300)
    angle = 0.5 * 2.0 * 3.0
    assert_near(qd[3:], [0.3 * np.cos(angle), 0.3 * np.sin(angle), 2.0], 1e-8)


def test_the_intermediate_axis():
    """Dzhanibekov: about the axis of the middle moment, rotation flips over and over, by Jacobi's elliptic functions.

    Landau and Lifshitz, Mechanics, section 37; moments 1 < 2 < 3.
    """
    moments = np.array([1.0, 2.0, 3.0])
    top, record = body(moments), []
    w0 = np.array([0.01, 2.0, 0.0])
    flown(top, rne.neutral(top), np.array([0, 0, 0, *w0]), 12.0, 2400, record)
    w = np.array(record)[:, 3:]
    energy, momentum = (moments * w0**2).sum(), ((moments * w0) ** 2).sum()
    t = np.arange(1, 2401) * (12.0 / 2400)
    exact = solve_ivp(
        lambda t, w: -np.cross(w, moments * w) / moments, (0.0, 12.0), w0, t_eval=t, rtol=1e-12, atol=1e-13
    ).y.T
    assert_near(w, exact, 1e-7)
    assert w[:, 1].min() < -1.9  # it has flipped
    # The amplitude of the middle component, and its period, from energy and momentum alone.
    I1, I2, I3 = moments
    rate = np.sqrt((I3 - I2) * (momentum - energy * I1) / (I1 * I2 * I3))
    k = (I2 - I1) * (energy * I3 - momentum) / ((I3 - I2) * (momentum - energy * I1))
    size = np.sqrt((energy * I3 - momentum) / (I2 * (I3 - I2)))
    if k > 1.0:  # the other ordering of energy and momentum
        rate = np.sqrt((I1 - I2) * (momentum - energy * I3) / (I1 * I2 * I3))
        k, size = 1.0 / k, np.sqrt((momentum - energy * I1) / (I2 * (I2 - I1)))
    peak = np.abs(w[:, 1]).max()
    assert_near(peak, size, 1e-4)
    zero = np.flatnonzero(np.diff(np.sign(w[:, 1])))[0]
    later = t[zero:] - np.interp(0.0, [w[zero + 1, 1], w[zero, 1]], [t[zero + 1], t[zero]])
    assert_near(w[zero:, 1], -size * ellipj(rate * later, k)[0], 1e-3)


def test_a_thrown_body_falls():
    thrown = body((1.0, 2.0, 3.0)).with_gravity([0.0, 0.0, -9.81])
    q, _ = flown(thrown, rne.neutral(thrown), np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0]), 1.0, 10)
    assert_near(q[:3], [1.0, 2.0, 3.0 - 0.5 * 9.81], 1e-12)


def test_a_drone_hovers_and_turns():
    """Thrust along its own z axis and a moment: the attitude decides where it goes."""
    drone = body((0.01, 0.01, 0.02)).with_gravity([0.0, 0.0, -9.81])
    q = rne.neutral(drone)
    tau = np.array([0.0, 0.0, 2 * 9.81, 0.0, 0.0, 0.004])
    assert_near(rne.forward_dynamics(drone, q, None, tau), [0, 0, 0, 0, 0, 0.2], 1e-12)
    q[3:7] = 0.0, np.sin(0.1), 0.0, np.cos(0.1)  # leans by 0.2 rad about y
    world = rne.forward_kinematics(drone, q, "body")[:3, :3] @ rne.forward_dynamics(drone, q, None, tau)[:3]
    assert_near(world, [9.81 * np.sin(0.2), 0.0, 9.81 * (np.cos(0.2) - 1.0)], 1e-12)


@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "jacobian"])
def test_on_dask(function):
    da = pytest.importorskip("dask.array")
    robot = rne.Robot(replace(random_tree(3, 7, mimic=0.0, massless=0.0), floating=True))
    q, qd, third = random_states(robot, 30, 5)
    state = {"jacobian": (q,), "mass_matrix": (q,)}.get(function, (q, qd, third))
    more = (robot.frame_names[-1],) if function == "jacobian" else ()
    lazy = [da.from_array(x, chunks=(10, -1)) for x in state]
    got = getattr(rne.dask, function)(robot, *lazy, *more).compute()
    np.testing.assert_array_equal(got, getattr(rne, function)(robot, *state, *more))
    with pytest.raises(rne.ArgumentError, match="floats"):
        rne.dask.christoffel(robot, lazy[0])
