"""Two links with masses at r1 and r2 and a payload M at the tip: L4."""

from __future__ import annotations

import numpy as np
from numpy import cos, sin

import rne
from rne.examples.registry import example
from rne.examples.sheet import Sheet


@example("L4 2.2", "two_link_r1r2")
def two_link_r1r2() -> Sheet:
    """Two links, masses at r1 and r2: tau1, tau2, and the energies with the zero level of L4."""
    arm = rne.load_model("two_link_r1r2")
    m1, m2, r1, l1, r2, l2, g = 1.8, 1.1, 0.35, 0.7, 0.25, 0.5, 9.81
    (th1, th2), (w1, w2), (a1, a2) = q, qd, qdd = [-1.2, 2.3], [0.7, 1.9], [-1.5, 3.2]
    s1, s12, s2, c1, c12, c2 = sin(th1), sin(th1 + th2), sin(th2), cos(th1), cos(th1 + th2), cos(th2)

    tau1 = (m1 * r1**2 + m2 * r2**2 + m2 * l1**2 + 2 * m2 * l1 * r2 * c2) * a1 + (m2 * r2**2 + m2 * l1 * r2 * c2) * a2
    tau1 += -2 * m2 * l1 * r2 * s2 * w1 * w2 - m2 * l1 * r2 * s2 * w2**2
    tau1 += (m1 * r1 + m2 * l1) * g * s1 + m2 * g * r2 * s12
    tau2 = (m2 * r2**2 + m2 * l1 * r2 * c2) * a1 + m2 * r2**2 * a2 + m2 * l1 * r2 * s2 * w1**2 + m2 * g * r2 * s12
    sheet = Sheet("theta1 from the downward vertical; L4 labels both torques 'joint 1', the second is that of joint 2.")
    sheet.rows_of("tau1 tau2", [tau1, tau2], rne.inverse_dynamics(arm, q, qd, qdd))

    Ek1 = m1 * r1**2 * w1**2 / 2
    own = m2 * (l1**2 * w1**2 + r2**2 * (w1 + w2) ** 2) / 2
    Ek2, printed = (own + m2 * length * r2 * (w1**2 + w1 * w2) * c2 for length in (l1, l2))
    _, *K = rne.kinetic_energy(arm, q, qd, per_link=True)
    sheet.row("Ek1 = m1 r1^2 th1'^2/2", Ek1, K[0])
    sheet.misprint("Ek2: m2 l2 r2 (...) c2 for m2 l1 r2", printed=printed, right=Ek2, rne=K[1])
    Ep = m1 * g * r1 * (1 - c1) + m2 * g * (l1 * (1 - c1) + r2 * (1 - c12))
    lifted = rne.potential_energy(arm, q) - rne.potential_energy(arm, [0.0, 0.0])  # P of rne is zero at the base
    sheet.row("P, zero where the arm hangs", Ep, lifted)
    return sheet


@example("L4 2.1, fig. 1", "two_link_r1r2")
def two_link_payload() -> Sheet:
    """The same arm with a payload M at the tip: Jacobian, accelerations, torques, misprints of L4."""
    M = 0.6
    arm = rne.load_model("two_link_r1r2").with_payload(M)  # at the tip
    m1, m2, r1, l1, r2, l2, g = 1.8, 1.1, 0.35, 0.7, 0.25, 0.5, 9.81
    th1, th2, w1, w2, a1, a2 = 0.6, -0.8, 1.1, -0.7, 1.5, -2.0
    s1, s12, s2, c1, c12, c2 = sin(th1), sin(th1 + th2), sin(th2), cos(th1), cos(th1 + th2), cos(th2)
    q, qd, qdd = [th1 + np.pi / 2, th2], [w1, w2], [a1, a2]

    sheet = Sheet("This section of L4 has theta1 from the horizontal: th1(vertical) = th1(horizontal) + pi/2.")
    x_pl, y_pl = l1 * c1 + l2 * c12, l1 * s1 + l2 * s12
    sheet.row("x_pl, y_pl", [x_pl, y_pl], rne.forward_kinematics(arm, q, "link2")[:2, 3])
    J = [[-(l1 * s1 + l2 * s12), -l2 * s12], [l1 * c1 + l2 * c12, l2 * c12]]
    sheet.rows_of("J_x J_y", J, rne.jacobian(arm, q, "link2")[:2])

    ours = {
        "c1": rne.frame_acceleration(arm, q, qd, qdd, "link1", point=[r1 - l1, 0, 0]),
        "c2": rne.frame_acceleration(arm, q, qd, qdd, "link2", point=[r2 - l2, 0, 0]),
        "pl": rne.frame_acceleration(arm, q, qd, qdd, "link2"),
    }
    A_c1 = [-r1 * s1 * a1 - r1 * c1 * w1**2, r1 * c1 * a1 - r1 * s1 * w1**2]
    sheet.rows_of("A_c1,x A_c1,y", A_c1, ours["c1"][:2])
    turning = w1**2, w2**2, 2 * w1 * w2

    def acceleration(r: float) -> list[float]:
        """Acceleration of the point of link 2 at distance r from its joint."""
        x = -(l1 * s1 + r * s12) * a1 - r * s12 * a2 - np.dot([l1 * c1 + r * c12, r * c12, r * c12], turning)
        y = (l1 * c1 + r * c12) * a1 + r * c12 * a2 - np.dot([l1 * s1 + r * s12, r * s12, r * s12], turning)
        return [x, y]

    x = -(l1 * s1 + r2 * s12) * a1 - r2 * s12 * a2 - np.dot([l1 * c1 + l2 * c12, l2 * c12, l2 * c12], turning)
    y = (l1 * c1 + r2 * c12) * a1 + r2 * s12 * a2 - np.dot([l1 * s1 + l2 * s12, l2 * c12, l2 * s12], turning)
    right, A = acceleration(r2), ours["c2"]
    sheet.misprint("A_c2,x: l2 for r2", printed=x, right=right[0], rne=A[0])
    sheet.misprint("A_c2,y: l2 for r2, s12 th2'', c12 th2'^2", printed=y, right=right[1], rne=A[1])
    right, A = acceleration(l2), ours["pl"]
    swapped = (l1 * s1 + l2 * s12 - l1 * c1 - l2 * c12) * a1 + l2 * (s12 - c12) * a2
    sheet.row("A_pl,x", right[0], A[0])
    sheet.misprint("A_pl,y: sines for cosines", printed=right[1] + swapped, right=right[1], rne=A[1])

    tau1, tau2 = m1 * r1**2 * a1 + m1 * r1 * g * c1, 0.0
    for m, r in (m2, r2), (M, l2):  # two masses on link 2
        cross, h = m * l1 * r * c2, m * l1 * r * s2
        tau1 += (m * l1**2 + m * r**2 + 2 * cross) * a1 + (m * r**2 + cross) * a2 - h * w2**2 - 2 * h * w1 * w2
        tau1 += m * g * (l1 * c1 + r * c12)
        tau2 += (m * r**2 + cross) * a1 + m * r**2 * a2 + h * w1**2 + m * g * r * c12
    sheet.say("Torques with the payload, which is a second mass of link 2:")
    sheet.rows_of("tau1 tau2", [tau1, tau2], rne.inverse_dynamics(arm, q, qd, qdd))
    return sheet


@example("L4 2.3", "two_link_r1r2")
def fourteen_unknowns() -> Sheet:
    """Accelerations and forces for given torques, compared with the system of 14 equations."""
    M = 0.6
    arm = rne.load_model("two_link_r1r2").with_payload(M)
    m1, m2, r1, l1, r2, l2, g = 1.8, 1.1, 0.35, 0.7, 0.25, 0.5, 9.81
    th1, th2, w1, w2, tau1, tau2 = 0.6, -0.8, 1.1, -0.7, 9.0, 2.5  # theta1 from the horizontal
    s1, s12, c1, c12 = sin(th1), sin(th1 + th2), cos(th1), cos(th1 + th2)

    # u = (th1'', th2'', A_c1, A_c2, A_pl, F01, F12, Fpl), vectors by x and y; F_ab acts on the outer body.
    A, b = np.zeros((14, 14)), np.zeros(14)
    for row, (inner, outer) in zip((0, 2, 4), ((r1, 0), (l1, r2), (l1, l2)), strict=True):  # two rows per point
        A[row : row + 2, 2 + row : 4 + row] = np.eye(2)
        A[row : row + 2, 0] = inner * s1 + outer * s12, -inner * c1 - outer * c12
        A[row : row + 2, 1] = outer * s12, -outer * c12
        b[row : row + 2] = -inner * w1**2 * np.array([c1, s1]) - outer * (w1 + w2) ** 2 * np.array([c12, s12])
    for row, mass in zip((6, 8, 10), (m1, m2, M), strict=True):  # F_inner - F_outer = m (A - g)
        A[row : row + 2, row - 4 : row - 2] = mass * np.eye(2)
        A[row : row + 2, row + 2 : row + 4] = -np.eye(2)
        b[row + 1] = -mass * g
    A[6:8, 10:12] = A[8:10, 12:14] = np.eye(2)
    arm1, arm2 = np.array([-s1, c1]), np.array([-s12, c12])  # moments about the centers of mass, no rotary inertia
    A[12, 8:10], A[12, 10:12], b[12] = r1 * arm1, (l1 - r1) * arm1, tau1 - tau2
    A[13, 10:12], A[13, 12:14], b[13] = r2 * arm2, (l2 - r2) * arm2, tau2
    u = np.linalg.solve(A, b)

    q, qd = [th1 + np.pi / 2, th2], [w1, w2]  # the file has theta1 from the downward vertical
    forces = rne.link_forces(arm, q, qd, tau=[tau1, tau2])
    points, joints = forces.acceleration[:, :2].ravel(), forces.force[:, :2].ravel()
    ours = np.concatenate([forces.qdd, points, joints, forces.held[2, :2]])  # what holds the payload is Fpl
    sheet = Sheet("u by solving A u = b, and by link_forces, which returns all of it:")
    names = "th1'' th2'' A_c1,x A_c1,y A_c2,x A_c2,y A_pl,x A_pl,y F01,x F01,y F12,x F12,y Fpl,x Fpl,y"
    sheet.rows_of(names, u.tolist(), ours)
    sheet.row("A u, of rne, and b", b, A @ ours)
    sheet.say(forces)
    return sheet
