"""A revolute and a prismatic joint: the RP arm with two choices of frames, and the sizing of its motors."""

from __future__ import annotations

import numpy as np
from numpy import cos, sin

import rne
from rne.examples.registry import example
from rne.examples.sheet import Sheet


@example("L3 RP arm", "rp_arm", "rp_arm_craig_frames")
def rp_arm() -> Sheet:
    """RP arm, z of link 2 out of the plane (Izz2) or along the joint (Iyy2): the same tau1, f2."""
    m1, l1, m2, Izz1, Izz2, g = 3.0, 0.3, 1.4, 0.06, 0.035, 9.81
    (th, d2), (w, v), (a, vd) = q, qd, qdd = [0.5, 0.45], [0.9, -0.6], [1.2, 0.8]
    tau1 = (m1 * l1**2 + Izz1 + Izz2 + m2 * d2**2) * a + 2 * m2 * d2 * v * w + (m1 * l1 + m2 * d2) * g * cos(th)
    f2 = m2 * vd - m2 * d2 * w**2 + m2 * g * sin(th)
    sheet = Sheet("theta from the horizontal, d2 from the axis to the center of mass of link 2.")
    for title, name in ("standard DH, Izz2", "rp_arm"), ("modified DH (Craig), Iyy2", "rp_arm_craig_frames"):
        arm = rne.load_model(name)
        sheet.say(f"{title}:")
        sheet.rows_of("tau1 f2", [tau1, f2], rne.inverse_dynamics(arm, q, qd, qdd))
        M = rne.mass_matrix(arm, q)
        sheet.rows_of("M11 M12 M22", [m1 * l1**2 + Izz1 + Izz2 + m2 * d2**2, 0, m2], [M[0, 0], M[0, 1], M[1, 1]])
        parts = rne.velocity_torques(arm, q, qd)
        sheet.row("Coriolis 2 m2 d2 d2' theta'", 2 * m2 * d2 * v * w, parts.coriolis[0])
        sheet.row("centripetal - m2 d2 theta'^2", -m2 * d2 * w**2, parts.centripetal[1])
    t = np.linspace(0, 1, 201)
    motion = rne.quintic(np.array([0.0, 0.3]), np.array([1.5, 0.6]), t, duration=1.0)
    sheet.plot(lambda: rne.plot.breakdown(arm, t, rne.torque_breakdown(arm, *motion)))
    return sheet


@example("L0 chapter 6, example 6-4", "rp_motor_sizing")
def motor_sizing() -> Sheet:
    """Motor sizing of an RP arm: 226 N m when horizontal, fully extended and at full acceleration."""
    arm = rne.load_model("rp_motor_sizing")
    m1, r1, m2, r, g = 10.0, 1.0, 5.0, 2.0, 9.8
    cases = [0.0, 2.0]  # horizontal and fully extended: at rest, at full speed, at full acceleration
    qd, qdd = [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    static, moving, speeding = rne.inverse_dynamics(arm, cases, qd, qdd)[:, 0]

    sheet = Sheet("T = g (m1 r1 + m2 r) cos theta + (m1 r1^2 + m2 r^2) theta'' + 2 m2 r r' theta'; theta = 0, r = 2 m.")
    sheet.row("at rest: 9.8 (10 * 1 + 5 * 2)", 196, static)
    sheet.row("theta' = 1, r' = 1: 196 + 2 * 5 * 2", g * (m1 * r1 + m2 * r) + 2 * m2 * r, moving)
    sheet.row("theta'' = 1: 196 + (10 * 1^2 + 5 * 2^2) * 1", 226, speeding)

    report = rne.motor_sizing(arm, cases, qd, qdd)
    sheet.say("All three as a set of worst cases:")
    sheet.row("peak torque", 226, report.peak_torque[0])
    terms = "gravity effective coupling centripetal coriolis"
    sheet.rows_of(terms, [196, 30, 0, 0, 0], [getattr(report, name)[0] for name in terms.split()])
    sheet.row("peak power = (196 + 20) theta'", 216, report.peak_power[0])
    sheet.say(report)
    sheet.plot(lambda: rne.plot.sizing(report))
    return sheet
