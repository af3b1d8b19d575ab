"""Motions: free swings with an energy audit, and torques along a planned motion."""

from __future__ import annotations

import numpy as np
from numpy import cos, sin

import rne
from rne.examples.registry import example
from rne.examples.sheet import Sheet


@example("L0, L3 forward problem", "two_link_point_mass")
def free_swing() -> Sheet:
    """The two-link arm released: energy, and the frequencies of small oscillations."""
    arm = rne.load_model("two_link_point_mass")
    m1, m2, d1, d2, g = 2.0, 1.3, 0.8, 0.6, 9.81
    th1, th2 = 1.2, 0.6
    E = -m1 * g * d1 * cos(th1) - m2 * g * (d1 * cos(th1) + d2 * cos(th1 + th2))
    swing = rne.simulate(arm, [th1, th2], t=np.linspace(0, 2, 201))
    sheet = Sheet("Released at theta1 = 1.2, theta2 = 0.6; the energy K + P over two seconds:")
    sheet.row("E, at each of 201 times", np.full(201, E), swing.energy, within=1e-9)

    # M theta'' + G theta = 0 about the hanging posture; along an eigenvector the motion is a cosine.
    D12, D22 = m2 * d2**2 + m2 * d1 * d2, m2 * d2**2
    M = np.array([[(m1 + m2) * d1**2 + m2 * d2**2 + 2 * m2 * d1 * d2, D12], [D12, D22]])
    G = np.array([[(m1 + m2) * g * d1 + m2 * g * d2, m2 * g * d2], [m2 * g * d2, m2 * g * d2]])
    squares, modes = (x.real for x in np.linalg.eig(np.linalg.solve(M, G)))  # complex in numpy 2.5, whatever they are
    sheet.say("Small oscillations, 1e-4 rad, along either mode:")
    for square, mode in zip(squares, modes.T, strict=True):
        start, t = 1e-4 * mode, np.linspace(0, 1, 11)
        small = rne.simulate(arm, start, t=t)
        wanted = np.outer(cos(np.sqrt(square) * t), start)
        sheet.row(f"theta = theta0 cos wt, w = {np.sqrt(square):.4f} rad/s", wanted, small.q, within=1e-7)
    sheet.plot(lambda: rne.plot.energy(arm, swing.t, swing.q, swing.qd))
    return sheet


@example("L0, L3 inverse problem along a path", "two_link_com_inertia")
def quintic_motion() -> Sheet:
    """Torques along a quintic motion from rest to rest: s = 10 u^3 - 15 u^4 + 6 u^5, u = t/T."""
    arm = rne.load_model("two_link_com_inertia")
    m1, m2, L1, LC1, LC2, IC1, IC2, g = 2.2, 1.3, 0.7, 0.35, 0.2, 0.09, 0.03, 9.81
    start, end, T, t = np.array([0.2, -0.5]), np.array([1.4, 0.9]), 1.5, np.linspace(0, 1.5, 7)
    q, qd, qdd = rne.quintic(start, end, t, duration=T)

    u = (t / T)[:, None]
    sheet = Sheet("From (0.2, -0.5) to (1.4, 0.9) rad in 1.5 s, at seven times:")
    sheet.row("theta", start + (10 * u**3 - 15 * u**4 + 6 * u**5) * (end - start), q)
    sheet.row("theta'", (30 * u**2 - 60 * u**3 + 30 * u**4) / T * (end - start), qd)
    sheet.row("theta''", (60 * u - 180 * u**2 + 120 * u**3) / T**2 * (end - start), qdd)

    (th1, th2), (w1, w2), (a1, a2) = q.T, qd.T, qdd.T
    M11 = m1 * LC1**2 + IC1 + m2 * (L1**2 + LC2**2 + 2 * L1 * LC2 * cos(th2)) + IC2
    M12, M22 = m2 * (LC2**2 + L1 * LC2 * cos(th2)) + IC2, m2 * LC2**2 + IC2
    h, g2 = m2 * L1 * LC2 * sin(th2), m2 * g * LC2 * cos(th1 + th2)
    tau1 = M11 * a1 + M12 * a2 - h * (w2**2 + 2 * w1 * w2) + (m1 * LC1 + m2 * L1) * g * cos(th1) + g2
    tau2 = M12 * a1 + M22 * a2 + h * w1**2 + g2
    tau = rne.inverse_dynamics(arm, q, qd, qdd)
    sheet.rows_of(["tau1", "tau2"], [tau1, tau2], tau.T)
    sheet.row("power tau . theta'", tau1 * w1 + tau2 * w2, (tau * qd).sum(axis=1))

    report = rne.motor_sizing(arm, q, qd, qdd, t=t)
    sheet.rows_of(["peak |tau1|", "peak |tau2|"], [abs(tau1).max(), abs(tau2).max()], report.peak_torque)
    sheet.say(report)
    sheet.plot(lambda: rne.plot.breakdown(arm, t, rne.torque_breakdown(arm, q, qd, qdd)))
    return sheet


@example("L0, L3 path simulation", "two_link_com_inertia")
def trapezoidal_motion() -> Sheet:
    """A trapezoidal velocity profile within limits: duration, phases, and demand on the motors."""
    arm = rne.load_model("two_link_com_inertia")
    start, end = np.array([0.2, -0.5]), np.array([1.4, 0.9])
    v, a = 1.5, 4.0  # limits of both joints; theta2 has the longer distance, 1.4 rad, and determines the duration
    way = 1.4
    ramp, T = v / a, way / v + v / a
    t = np.array([0.0, ramp / 2, ramp, T / 2, T - ramp / 2, T])
    q, qd, qdd = rne.trapezoidal(start, end, t, velocity_limit=v, acceleration_limit=a)

    sheet = Sheet("From (0.2, -0.5) to (1.4, 0.9) rad, at most 1.5 rad/s and 4 rad/s^2:")
    sheet.row("T = d/v + v/a", T, rne.trapezoidal_duration(start, end, velocity_limit=v, acceleration_limit=a))
    share = np.array([0, a * ramp**2 / 8, a * ramp**2 / 2, way / 2, way - a * ramp**2 / 8, way]) / way
    sheet.row("theta at six times", start + np.outer(share, end - start), q)
    sheet.row("theta' halfway", v * (end - start) / way, qd[3])
    sheet.row("theta'' during acceleration and deceleration", np.outer([a, -a], end - start) / way, qdd[[1, 4]])
    sheet.row(
        "quintic with these limits, T = 15 d/(8 v)",
        15 / 8 * way / v,
        rne.quintic_duration(start, end, velocity_limit=v),
    )

    m1, m2, L1, LC1, LC2, IC1, IC2, g = 2.2, 1.3, 0.7, 0.35, 0.2, 0.09, 0.03, 9.81
    (th1, th2), (w1, w2), (a1, a2) = q[1], qd[1], qdd[1]  # halfway up the ramp, where the six samples peak
    M11 = m1 * LC1**2 + IC1 + m2 * (L1**2 + LC2**2 + 2 * L1 * LC2 * cos(th2)) + IC2
    M12, M22 = m2 * (LC2**2 + L1 * LC2 * cos(th2)) + IC2, m2 * LC2**2 + IC2
    h, g2 = m2 * L1 * LC2 * sin(th2), m2 * g * LC2 * cos(th1 + th2)
    tau1 = M11 * a1 + M12 * a2 - h * (w2**2 + 2 * w1 * w2) + (m1 * LC1 + m2 * L1) * g * cos(th1) + g2
    tau2 = M12 * a1 + M22 * a2 + h * w1**2 + g2
    report = rne.motor_sizing(arm, q, qd, qdd)
    sheet.rows_of(["peak tau1", "peak tau2"], [tau1, tau2], report.peak_torque)
    sheet.say(report)
    times = np.linspace(0, T, 301)
    whole = rne.trapezoidal(start, end, times, velocity_limit=v, acceleration_limit=a)
    sheet.plot(lambda: rne.plot.states(arm, times, whole[0], whole[1]))
    return sheet
