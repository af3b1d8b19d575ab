"""Control: PID, PD with gravity compensation, computed torque, each compared with the solution of its equation."""

from __future__ import annotations

import numpy as np
from numpy import cos, exp, sin, sqrt
from numpy.typing import NDArray

import rne
from rne.examples.registry import example
from rne.examples.sheet import Sheet

Array = NDArray[np.float64]


@example("L3 control: PID", "cart_spring_damper_fixed", "two_link_point_mass")
def pid_control() -> Sheet:
    """PID: proportional, integral and derivative feedback of the error, with and without its integral."""
    cart = rne.load_model("cart_spring_damper_fixed")
    M1, c, k, g = 2.0, 3.0, 50.0, 9.81
    r, kp, ki, kd = 0.5, 300.0, 400.0, 40.0
    t = np.linspace(0, 2, 201)
    servo = rne.control.pid(cart, kp=kp, ki=ki, kd=kd, goal=[r])
    motion = rne.simulate(cart, [0.1], t=t, tau=servo, friction=True)

    # y = (integral of e, x1, x1') satisfies y' = A y + b, with modes exp(lambda t) about its equilibrium.
    A = np.array([[0, -1, 0], [0, 0, 1], [ki / M1, -(k + kp) / M1, -(c + kd) / M1]])
    rest = -np.linalg.solve(A, [r, 0, (kp * r + M1 * g) / M1])
    values, modes = np.linalg.eig(A)
    y = (modes * np.linalg.solve(modes, np.array([0, 0.1, 0]) - rest)) @ exp(np.outer(values, t))
    sheet = Sheet("F = kp e + ki (integral of e) + kd e' on mass, spring and damper; e = r - x1, r = 0.5 m.")
    sheet.row("x1(t), a linear equation of third order", y[1].real + rest[1], motion.q[:, 0], within=1e-8)
    sheet.row("x1'(t)", y[2].real + rest[2], motion.qd[:, 0], within=1e-8)
    sheet.say(motion.tracking())

    alone = rne.control.pid(cart, kp=kp, kd=kd, goal=[r])
    late = rne.simulate(cart, [0.1], t=[0, 5], tau=alone, friction=True)
    sheet.say("Without the integral the mass comes to rest where spring, weight and feedback balance, off the goal:")
    sheet.row("x1 = (kp r + M1 g)/(kp + k)", (kp * r + M1 * g) / (kp + k), late.q[-1, 0], within=1e-9)

    arm = rne.load_model("two_link_point_mass")
    servo = rne.control.pid(arm, kp=200.0, ki=400.0, kd=60.0, goal=[0.8, 0.4])
    motion = rne.simulate(arm, [0.0, 0.0], t=np.linspace(0, 12, 601), tau=servo)
    m1, m2, d1, d2 = 2.0, 1.3, 0.8, 0.6
    D2 = m2 * g * d2 * sin(1.2)
    error = [0.8, 0.4] - motion.q
    sheet.say("Two links, with the integral: they reach the goal, where the torques balance gravity.")
    sheet.row("e at last", [0, 0], error[-1], within=1e-6)
    sheet.row("T at last = D1, D2", [(m1 + m2) * g * d1 * sin(0.8) + D2, D2], motion.tau[-1], within=1e-5)
    sheet.plot(lambda: rne.plot.tracking(arm, motion.t, motion.q + error, motion.q, motion.tau))
    return sheet


@example("L3 control with a model of the weight", "one_dof_arm", "two_link_com_inertia")
def pd_gravity_control() -> Sheet:
    """PD with gravity compensation: one joint becomes an oscillator, any arm comes to rest at the goal."""
    arm = rne.load_model("one_dof_arm")
    I, goal, kp, kd = 0.52, 1.0, 30.0, 4.0
    t = np.linspace(0, 2, 201)
    servo = rne.control.pd_gravity(arm, kp=kp, kd=kd, goal=[goal])
    motion = rne.simulate(arm, [0.2], t=t, tau=servo)
    d = kd / (2 * I)
    w = sqrt(kp / I - d**2)
    sheet = Sheet("tau = kp e + kd e' + g(theta) leaves I theta'' + kd theta' + kp (theta - goal) = 0:")
    e = exp(-d * t) * (goal - 0.2) * (cos(w * t) + d / w * sin(w * t))
    sheet.row("e(t) = exp(-d t) e0 (cos wt + d/w sin wt)", e, goal - motion.q[:, 0], within=1e-8)

    two = rne.load_model("two_link_com_inertia")
    servo = rne.control.pd_gravity(two, kp=[60.0, 20.0], kd=[15.0, 4.0], goal=[0.9, -0.6])
    motion = rne.simulate(two, [-1.0, 0.5], t=np.linspace(0, 6, 6001), tau=servo)
    error = [0.9, -0.6] - motion.q
    sheet.say("Two links:")
    sheet.row("e at last", [0, 0], error[-1], within=1e-6)
    power = 15.0 * motion.qd[:, 0] ** 2 + 4.0 * motion.qd[:, 1] ** 2
    V = rne.kinetic_energy(two, motion.q, motion.qd) + error**2 @ [30.0, 10.0]  # the decrease of K + e^T kp e/2
    lost = (power[1:] + power[:-1]) @ np.diff(motion.t) / 2
    sheet.row("V(0) - V(6 s) = integral of theta'^T kd theta' dt", lost, V[0] - V[-1], within=1e-4)
    sheet.say(motion.tracking())
    sheet.plot(lambda: rne.plot.tracking(two, motion.t, motion.q + error, motion.q, motion.tau))
    return sheet


@example("L3 control: computed torque; L0 path-control simulation", "two_link_point_mass")
def computed_torque_control() -> Sheet:
    """Computed torque along a quintic: errors decay as (e0 + (e0' + 10 e0) t) exp(-10 t)."""
    arm = rne.load_model("two_link_point_mass")
    m1, m2, d1, d2, g = 2.0, 1.3, 0.8, 0.6, 9.81
    t = np.linspace(0, 1.5, 301)
    wanted, rate, push = path = rne.quintic([0.2, -0.5], [1.4, 0.9], t, duration=1.5)
    servo = rne.control.computed_torque(arm, kp=100.0, kd=20.0, path=(t, *path))
    e0, ed0 = np.array([0.2, -0.1]), np.array([0.5, 0.0])
    motion = rne.simulate(arm, wanted[0] - e0, rate[0] - ed0, t, tau=servo)

    sheet = Sheet("tau = M(theta) (theta_d'' + Kd e' + Kp e) + c + g, Kp = 100, Kd = 20: critically damped.")
    e = (e0 + np.outer(t, ed0 + 10 * e0)) * exp(-10 * t)[:, None]
    ed = (ed0 - 10 * np.outer(t, ed0 + 10 * e0)) * exp(-10 * t)[:, None]
    sheet.row("e1(t), e2(t)", e, wanted - motion.q, within=1e-7)
    sheet.row("e1'(t), e2'(t)", ed, rate - motion.qd, within=1e-7)

    # The torques by (3.15), (3.18), at the positions given by the errors.
    (th1, th2), (w1, w2) = (wanted - e).T, (rate - ed).T
    a1, a2 = (push + 20 * ed + 100 * e).T
    D12, h, D2 = m2 * d2**2 + m2 * d1 * d2 * cos(th2), m2 * d1 * d2 * sin(th2), m2 * g * d2 * sin(th1 + th2)
    T1 = ((m1 + m2) * d1**2 - m2 * d2**2 + 2 * D12) * a1 + D12 * a2 - h * w2**2 - 2 * h * w1 * w2
    T1 += (m1 + m2) * g * d1 * sin(th1) + D2
    T2 = D12 * a1 + m2 * d2**2 * a2 + h * w1**2 + D2
    sheet.rows_of("T1(t) T2(t)", np.array([T1, T2]), motion.tau.T, within=1e-7)
    sheet.say(motion.tracking())

    heavy = rne.simulate(arm.with_payload(0.5), wanted[0], rate[0], t, tau=servo)
    sheet.say("With 0.5 kg at the tip that the model does not include, it deviates from the path:")
    sheet.say(heavy.tracking())
    sheet.plot(lambda: rne.plot.tracking(arm, t, wanted, motion.q, motion.tau))
    return sheet


@example("L2 6-2 force control", "two_link_com_inertia")
def force_control() -> Sheet:
    """A hand pressing on an elastic wall with a given force: tau = J^T F + g - kd theta'."""
    arm = rne.load_model("two_link_com_inertia")
    l1, l2, m1, m2, LC1, LC2, g = 0.7, 0.5, 2.2, 1.3, 0.35, 0.2, 9.81
    F, k, kd = 12.0, 4000.0, np.array([8.0, 4.0])  # along x; stiffness of the wall; damping of the joints
    q0 = np.array([0.4, 0.9])
    wall = l1 * cos(0.4) + l2 * cos(1.3)  # initially in contact with the hand

    def torques(_: float, q: Array, qd: Array) -> Array:
        """Torques of the motors, and those of the wall on the joints; both by J^T."""
        x = rne.forward_kinematics(arm, q, "link2")[0, 3]
        net = np.array([F - k * max(x - wall, 0.0), 0, 0, 0, 0, 0])
        return rne.static_torque(arm, q, {"link2": net}) + rne.gravity_vector(arm, q) - kd * qd

    motion = rne.simulate(arm, q0, t=np.linspace(0, 4, 81), tau=torques, step=2e-3)
    q = motion.q[-1]
    s1, s12, c1, c12 = sin(q[0]), sin(q[0] + q[1]), cos(q[0]), cos(q[0] + q[1])
    sheet = Sheet("F = 12 N along x on a wall of 4000 N/m; the wall presses back with k (x - x_wall).")
    x = rne.forward_kinematics(arm, q, "link2")[0, 3]
    sheet.row("force on the wall at last", F, k * (x - wall), within=1e-5)
    sheet.row("dent F/k", F / k, x - wall, within=1e-5)
    J_x = np.array([-(l1 * s1 + l2 * s12), -l2 * s12])
    G = np.array([m1 * g * LC1 * c1 + m2 * g * (l1 * c1 + LC2 * c12), m2 * g * LC2 * c12])
    at_rest = rne.inverse_dynamics(arm, q, f_ext={"link2": [-F, 0, 0, 0, 0, 0]})
    sheet.row("tau at last = J^T F + g", J_x * F + G, at_rest)
    sheet.row("joints at rest", [0, 0], motion.qd[-1], within=1e-6)
    sheet.plot(lambda: rne.plot.states(arm, motion.t, motion.q, motion.qd))
    return sheet
