"""Two links with point masses at their ends: L3 (3.3) to (3.33), L0 section 7.2. All angles from the vertical."""

from __future__ import annotations

import numpy as np
from numpy import cos, sin

import rne
from rne.examples.registry import example
from rne.examples.sheet import Sheet


@example("L3 (3.3) to (3.20), L0 7.2", "two_link_point_mass")
def two_link_point_mass() -> Sheet:
    """Two links, point masses at the ends: torques T1, T2, energies K, P, L, misprints of L3."""
    arm = rne.load_model("two_link_point_mass")
    m1, m2, d1, d2, g = 2.0, 1.3, 0.8, 0.6, 9.81
    (th1, th2), (w1, w2), (a1, a2) = q, qd, qdd = [-1.2, 2.3], [0.7, 1.9], [-1.5, 3.2]
    s1, s12, s2, c2, c1, c12 = sin(th1), sin(th1 + th2), sin(th2), cos(th2), cos(th1), cos(th1 + th2)

    D11, D12, D22 = (m1 + m2) * d1**2 + m2 * d2**2 + 2 * m2 * d1 * d2 * c2, m2 * d2**2 + m2 * d1 * d2 * c2, m2 * d2**2
    h = m2 * d1 * d2 * s2
    moving = D11 * a1 + D12 * a2 - 2 * h * w1 * w2 - h * w2**2
    T1 = moving + (m1 + m2) * g * d1 * s1 + m2 * g * d2 * s12
    T2 = D12 * a1 + D22 * a2 + h * w1**2 + m2 * g * d2 * s12
    tau = rne.inverse_dynamics(arm, q, qd, qdd)
    sheet = Sheet("theta1 from the downward vertical, theta2 relative to link 1; y up, P zero at the base.")
    sheet.row("T1 (3.15)", T1, tau[0])
    sheet.row("T2 (3.18)", T2, tau[1])
    sheet.row("T1, T2 by Lagrange", [T1, T2], rne.lagrange.inverse_dynamics(arm, q, qd, qdd))
    printed = moving + (m1 + m2) * g * d1 * s1 - m2 * g * d2 * s12
    sheet.misprint("T1 (3.16): - m2 g d2 sin(th1+th2)", printed=printed, right=T1, rne=tau[0])
    sheet.row("theta1'', theta2'' from T1, T2", qdd, rne.forward_dynamics(arm, q, qd, [T1, T2]))

    x2 = [d1 * s1 + d2 * s12, -d1 * c1 - d2 * c12]
    v2_squared = d1**2 * w1**2 + d2**2 * (w1 + w2) ** 2 + 2 * d1 * d2 * c2 * (w1**2 + w1 * w2)
    velocity = rne.frame_velocity(arm, q, qd, "link2")[:3]
    sheet.row("x2, y2", x2, rne.forward_kinematics(arm, q, "link2")[:2, 3])
    wrong = w1**2 + 2 * w1**2 * w2**2 + w2**2
    printed = d1**2 * w1**2 + d1**2 * wrong + 2 * d1 * d2 * c2 * (w1**2 + w1 * w2)
    sheet.misprint("v2^2 (3.9): 2 th1'^2 th2'^2, d1^2", printed=printed, right=v2_squared, rne=velocity @ velocity)

    K1, K2 = m1 * d1**2 * w1**2 / 2, m2 * v2_squared / 2
    P1, P2 = -m1 * g * d1 * c1, -m2 * g * (d1 * c1 + d2 * c12)
    K, P = rne.kinetic_energy(arm, q, qd), rne.potential_energy(arm, q)
    _, *K_links = rne.kinetic_energy(arm, q, qd, per_link=True)  # the base comes first
    _, *P_links = rne.potential_energy(arm, q, per_link=True)
    sheet.rows_of("K1 K2", [K1, K2], K_links)
    sheet.rows_of("P1 P2", [P1, P2], P_links)
    K2_printed = m2 * (d1**2 * w1**2 + d2**2 * wrong + 2 * d1 * d2 * c2 * (w1**2 + w1 * w2)) / 2
    sheet.misprint("K2 (3.10): 2 th1'^2 th2'^2", printed=K2_printed, right=K2, rne=K_links[1])
    L_printed = K1 + K2_printed - P1 - P2
    sheet.misprint("L = K - P (3.12): the same", printed=L_printed, right=K1 + K2 - P1 - P2, rne=K - P)

    rest = 2 * m2 * d1 * d2 * c2 * w1 + m2 * d1 * d2 * c2 * w2
    right = (m1 + m2) * d1**2 * w1 + m2 * d2**2 * w1 + m2 * d2**2 * w2 + rest
    printed = (m1 + m2) * d1**2 * w1**2 + m2 * d2**2 * w1**2 + m2 * d2**2 * w2**2 + rest
    momentum = rne.mass_matrix(arm, q) @ qd
    sheet.misprint("dL/dth1' (3.13): velocities squared", printed=printed, right=right, rne=momentum[0])
    return sheet


@example("L3 (3.21) to (3.33)", "two_link_point_mass")
def two_link_coefficients() -> Sheet:
    """Coefficients of the two-link arm by name: D_ii, D_ij, D_ijj, D_ijk, D_i."""
    arm = rne.load_model("two_link_point_mass")
    m1, m2, d1, d2, g = 2.0, 1.3, 0.8, 0.6, 9.81
    (th1, th2), (w1, w2), (a1, a2) = q, qd, qdd = [-1.2, 2.3], [0.7, 1.9], [-1.5, 3.2]
    s1, s12, s2, c2 = sin(th1), sin(th1 + th2), sin(th2), cos(th2)

    c = rne.coefficients(arm, q)  # joints count from 1, as in the course
    sheet = Sheet("Effective and coupling inertia:")
    D11 = (m1 + m2) * d1**2 + m2 * d2**2 + 2 * m2 * d1 * d2 * c2
    sheet.row("D11 = (m1+m2) d1^2 + m2 d2^2 + 2 m2 d1 d2 c2", D11, c[1, 1])
    sheet.row("D22 = m2 d2^2", m2 * d2**2, c[2, 2])
    D12 = m2 * d2**2 + m2 * d1 * d2 * c2
    sheet.row("D12 = D21 = m2 d2^2 + m2 d1 d2 c2", [D12, D12], [c[1, 2], c[2, 1]])

    h = m2 * d1 * d2 * s2
    sheet.say("Centripetal and Coriolis, the latter twice in T_i, as D_i12 and as D_i21:")
    sheet.rows_of("D111 D122 D211 D222", [0, -h, h, 0], [c[1, 1, 1], c[1, 2, 2], c[2, 1, 1], c[2, 2, 2]])
    sheet.rows_of("D112 D121 D212 D221", [-h, -h, 0, 0], [c[1, 1, 2], c[1, 2, 1], c[2, 1, 2], c[2, 2, 1]])
    parts = rne.velocity_torques(arm, q, qd)
    sheet.rows_of(["D_1jj th_j'^2", "D_2jj th_j'^2"], [-h * w2**2, h * w1**2], parts.centripetal)
    sheet.rows_of(["D_112 th1' th2' + D_121 th2' th1'", "D_212, D_221"], [-2 * h * w1 * w2, 0], parts.coriolis)

    D1, D2 = (m1 + m2) * g * d1 * s1 + m2 * g * d2 * s12, m2 * g * d2 * s12
    sheet.say("Gravity, and the sum of all:")
    sheet.rows_of("D1 D2", [D1, D2], [c[1], c[2]])
    T1 = D11 * a1 + D12 * a2 - h * w2**2 - 2 * h * w1 * w2 + D1
    T2 = D12 * a1 + m2 * d2**2 * a2 + h * w1**2 + D2
    total = c.mass_matrix @ qdd + np.einsum("ijk,j,k->i", c.christoffel, qd, qd) + c.gravity
    sheet.rows_of(["T1 = sum of all", "T2"], [T1, T2], total)
    sheet.rows_of(["T1 by inverse_dynamics", "T2"], [T1, T2], rne.inverse_dynamics(arm, q, qd, qdd))
    sheet.say(c)
    return sheet


@example("L0 7.2, Newton-Euler dynamic balance", "two_link_point_mass_friction")
def two_link_friction() -> Sheet:
    """The same arm with viscous friction: D, work, power, and the energy dissipated in a swing."""
    arm = rne.load_model("two_link_point_mass_friction")
    m1, m2, d1, d2, g, c1, c2 = 2.0, 1.3, 0.8, 0.6, 9.81, 0.15, 0.08
    (th1, th2), (w1, w2), (a1, a2) = q, qd, qdd = [-1.2, 2.3], [0.7, 1.9], [-1.5, 3.2]
    D11, D12 = (m1 + m2) * d1**2 + m2 * d2**2 + 2 * m2 * d1 * d2 * cos(th2), m2 * d2**2 + m2 * d1 * d2 * cos(th2)
    h, D2 = m2 * d1 * d2 * sin(th2), m2 * g * d2 * sin(th1 + th2)
    T1 = D11 * a1 + D12 * a2 - 2 * h * w1 * w2 - h * w2**2 + (m1 + m2) * g * d1 * sin(th1) + D2 + c1 * w1
    T2 = D12 * a1 + m2 * d2**2 * a2 + h * w1**2 + D2 + c2 * w2
    D = (c1 * w1**2 + c2 * w2**2) / 2

    sheet = Sheet("d/dt dK/dth' - dK/dth + dD/dth' + dP/dth = dW/dth, an energy method despite its name:")
    tau = rne.inverse_dynamics(arm, q, qd, qdd, friction=True)
    sheet.rows_of(["T1 = ... + c1 th1'", "T2 = ... + c2 th2'"], [T1, T2], tau)
    sheet.rows_of(["dD/dth1'", "dD/dth2'"], [c1 * w1, c2 * w2], rne.friction_torque(arm, qd))
    sheet.row("D = c1 th1'^2/2 + c2 th2'^2/2", D, rne.dissipation(arm, qd))
    sheet.row("dissipated power 2 D", 2 * D, rne.dissipated_power(arm, qd))
    sheet.rows_of(["T1 th1'", "T2 th2'"], [T1 * w1, T2 * w2], rne.actuator_power(arm, qd, tau))
    balance = rne.energy_balance(arm, q, qd, qdd, tau, friction=True)
    sheet.row("dE/dt = dW/dt - 2 D", T1 * w1 + T2 * w2 - 2 * D, balance.rate)

    swing = rne.simulate(arm, [1.2, 0.6], t=np.linspace(0, 2, 2001), friction=True)
    drift = rne.energy_drift(arm, swing, friction=True)
    lost = swing.energy[0] - swing.energy[-1]
    sheet.say(f"Released at (1.2, 0.6), it loses {lost:.4f} J in two seconds:")
    power = c1 * swing.qd[:, 0] ** 2 + c2 * swing.qd[:, 1] ** 2
    heat = (power[1:] + power[:-1]) @ np.diff(swing.t) / 2
    sheet.row("E(0) - E(2 s) = integral of 2 D dt", heat, lost, within=1e-6)  # limited by the trapezoidal rule
    sheet.row("unexplained change of energy", np.zeros(2001), drift, within=1e-8)
    sheet.plot(lambda: rne.plot.energy(arm, swing.t, swing.q, swing.qd))
    return sheet


@example("L3 Lagrange example 2", "two_link_point_mass_horizontal_zero", "two_link_point_mass")
def two_link_horizontal_zero() -> Sheet:
    """The same arm with theta1 from the horizontal: cosines in the gravity terms."""
    arm = rne.load_model("two_link_point_mass_horizontal_zero")
    m1, m2, l1, l2, g = 2.0, 1.3, 0.8, 0.6, 9.81
    (th1, th2), (w1, w2), (a1, a2) = q, qd, qdd = [0.4, -0.9], [1.3, -2.1], [0.5, 1.0]
    s1, s12, c1, c12, s2, c2 = sin(th1), sin(th1 + th2), cos(th1), cos(th1 + th2), sin(th2), cos(th2)

    velocity = rne.frame_velocity(arm, q, qd, "link2")
    sheet = Sheet("theta1 from the horizontal, theta2 relative to link 1.")
    sheet.row("x2'", -l1 * s1 * w1 - l2 * s12 * (w1 + w2), velocity[0])
    sheet.row("y2'", l1 * c1 * w1 + l2 * c12 * (w1 + w2), velocity[1])
    D11, D12 = (m1 + m2) * l1**2 + m2 * l2**2 + 2 * m2 * l1 * l2 * c2, m2 * l2**2 + m2 * l1 * l2 * c2
    h, g2 = m2 * l1 * l2 * s2, m2 * g * l2 * c12
    tau1 = D11 * a1 + D12 * a2 - h * w2**2 - 2 * h * w1 * w2 + (m1 + m2) * g * l1 * c1 + g2
    tau2 = D12 * a1 + m2 * l2**2 * a2 + h * w1**2 + g2
    sheet.rows_of("tau1 tau2", [tau1, tau2], rne.inverse_dynamics(arm, q, qd, qdd))

    hanging = rne.load_model("two_link_point_mass")  # its theta1 is zero when the link points down
    turned = rne.inverse_dynamics(hanging, [th1 + np.pi / 2, th2], qd, qdd)
    sheet.rows_of(["tau1, th1(vertical) = th1 + pi/2", "tau2"], [tau1, tau2], turned)
    return sheet


@example("L1 (4.10) to (4.13), fig. 4-5", "two_link_com_inertia")
def two_link_com_inertia() -> Sheet:
    """Two links with center-of-mass offset and inertia: M(th) th'' + c(th, th') + g(th) = tau."""
    arm = rne.load_model("two_link_com_inertia")
    m1, m2, L1, LC1, LC2, IC1, IC2, g = 2.2, 1.3, 0.7, 0.35, 0.2, 0.09, 0.03, 9.81
    (th1, th2), (w1, w2), (a1, a2) = q, qd, qdd = [0.4, -0.9], [1.3, -2.1], [0.5, 1.0]
    C1, C12, S2, C2 = cos(th1), cos(th1 + th2), sin(th2), cos(th2)

    M11 = m1 * LC1**2 + IC1 + m2 * (L1**2 + LC2**2 + 2 * L1 * LC2 * C2) + IC2
    M12, M22 = m2 * (LC2**2 + L1 * LC2 * C2) + IC2, m2 * LC2**2 + IC2
    c1, c2 = -m2 * L1 * LC2 * S2 * (w2**2 + 2 * w1 * w2), m2 * L1 * LC2 * S2 * w1**2
    g1, g2 = m1 * g * LC1 * C1 + m2 * g * (L1 * C1 + LC2 * C12), m2 * g * LC2 * C12
    M = rne.mass_matrix(arm, q)
    sheet = Sheet("theta1 from the horizontal, y up.")
    sheet.rows_of("M11 M12 M22", [M11, M12, M22], [M[0, 0], M[0, 1], M[1, 1]])
    sheet.rows_of("c1 c2", [c1, c2], rne.coriolis_vector(arm, q, qd))
    sheet.rows_of("g1 g2", [g1, g2], rne.gravity_vector(arm, q))
    tau = [M11 * a1 + M12 * a2 + c1 + g1, M12 * a1 + M22 * a2 + c2 + g2]
    sheet.rows_of("tau1 tau2", tau, rne.inverse_dynamics(arm, q, qd, qdd))

    h = m2 * L1 * LC2 * S2
    parts = rne.velocity_torques(arm, q, qd)
    sheet.say("L1 calls c the centrifugal force; it consists of centrifugal and Coriolis terms:")
    sheet.rows_of(["centrifugal part of c1", "centrifugal part of c2"], [-h * w2**2, h * w1**2], parts.centripetal)
    sheet.rows_of(["Coriolis part of c1", "Coriolis part of c2"], [-2 * h * w1 * w2, 0], parts.coriolis)
    return sheet
