"""One joint: the arm of L1 by Newton-Euler and by Lagrange, and a rod as a pendulum."""

from __future__ import annotations

import numpy as np
from numpy import cos, sin

import rne
from rne.examples.registry import example
from rne.examples.sheet import Sheet


@example("L1 (4.5), (4.8), (4.9), fig. 4-4", "one_dof_arm")
def one_dof_arm() -> Sheet:
    """One-joint arm, by Newton-Euler and by Lagrange: torque, energies, bearing loads."""
    arm = rne.load_model("one_dof_arm")
    m, L_C, I_C, g = 2.5, 0.4, 0.12, 9.81
    (th,), (w,), (a,) = q, qd, qdd = [0.3], [1.4], [-2.0]  # theta from the horizontal
    I = I_C + m * L_C**2

    tau = I * a + m * g * L_C * cos(th)
    sheet = Sheet("theta from the horizontal; tau = I theta'' + m g L_C cos theta with I = I_C + m L_C^2.")
    sheet.row("I", I, rne.mass_matrix(arm, q))
    sheet.row("tau, by Newton-Euler", tau, rne.inverse_dynamics(arm, q, qd, qdd))
    sheet.row("tau, by Lagrange", tau, rne.lagrange.inverse_dynamics(arm, q, qd, qdd))
    sheet.row("m g L_C cos theta", m * g * L_C * cos(th), rne.gravity_vector(arm, q))
    sheet.row("theta'', from tau", a, rne.forward_dynamics(arm, q, qd, [tau]))
    K, P = rne.kinetic_energy(arm, q, qd), rne.potential_energy(arm, q)
    sheet.row("K = I theta'^2/2", I * w**2 / 2, K)
    sheet.row("P = m g L_C sin theta", m * g * L_C * sin(th), P)
    sheet.row("L = K - P", I * w**2 / 2 - m * g * L_C * sin(th), K - P)

    ax, ay = -L_C * (cos(th) * w**2 + sin(th) * a), L_C * (cos(th) * a - sin(th) * w**2)
    wrench = rne.joint_wrenches(arm, q, qd, qdd)[0]
    sheet.say("Force and moment that the base exerts on the link, F = m (a_C - g); the motor makes the moment about z:")
    sheet.rows_of("F_x F_y F_z", [m * ax, m * (ay + g), 0], wrench[:3])
    sheet.rows_of("N_x N_y N_z", [0, 0, tau], wrench[3:])

    M, h = 0.5, 0.2  # off the plane of the motion
    wrench = rne.joint_wrenches(arm.with_payload(M, [-0.4, 0, h]), q, qd, qdd)[0]
    sheet.say("With 0.5 kg at L_C but 0.2 m off the plane, the bearings provide the other moments, r x M (a_C - g):")
    sheet.rows_of("N_x N_y", [-h * M * (ay + g), h * M * ax], wrench[3:5])
    sheet.row("N_z = tau", (I + M * L_C**2) * a + (m + M) * g * L_C * cos(th), wrench[5])
    return sheet


@example("L1 examples 4.1 and 4.2 as a link", "rod_pendulum")
def rod_pendulum() -> Sheet:
    """A uniform rod turning about its end."""
    rod = rne.load_model("rod_pendulum")
    M, L, g = 3.0, 1.2, 9.81
    (th,), (w,), (a,) = q, qd, qdd = [0.7], [-1.1], [2.5]
    sheet = Sheet("theta from the horizontal.")
    sheet.row("I = M L^2/3", M * L**2 / 3, rne.mass_matrix(rod, q))
    sheet.row(
        "tau = I theta'' + M g L/2 cos theta",
        M * L**2 / 3 * a + M * g * L / 2 * cos(th),
        rne.inverse_dynamics(rod, q, qd, qdd),
    )
    sheet.row("K = M L^2 theta'^2/6", M * L**2 * w**2 / 6, rne.kinetic_energy(rod, q, qd))
    sheet.row("P = M g L/2 sin theta", M * g * L / 2 * sin(th), rne.potential_energy(rod, q))
    sheet.row("r_C", [L / 2 * cos(th), L / 2 * sin(th), 0], rne.center_of_mass(rod, q))
    return sheet


@example("L1 (4.9) as the forward problem", "one_dof_arm")
def pendulum_period() -> Sheet:
    """The one-joint arm released from the horizontal: energy, and the period by an elliptic integral."""
    arm = rne.load_model("one_dof_arm")
    m, L_C, I, g = 2.5, 0.4, 0.52, 9.81

    x, y = 1.0, cos(np.pi / 4)  # K(k) = pi / (2 agm(1, sqrt(1 - k^2))), at k = sin 45 degrees
    for _ in range(5):
        x, y = (x + y) / 2, np.sqrt(x * y)
    T = 4 * np.sqrt(I / (m * g * L_C)) * np.pi / (2 * x)

    swing = rne.simulate(arm, [0.0], t=[0, T / 4, T / 2, T])
    sheet = Sheet(f"Released from the horizontal at rest: T = 4 sqrt(I/(m g L_C)) K(sin 45 deg) = {T:.6f} s.")
    sheet.rows_of(["theta(T/4)", "theta(T/2)", "theta(T)"], [-np.pi / 2, -np.pi, 0.0], swing.q[1:, 0], within=1e-9)
    speed = np.sqrt(2 * m * g * L_C / I)
    sheet.rows_of(["theta'(T/4)", "theta'(T/2)", "theta'(T)"], [-speed, 0, 0], swing.qd[1:, 0], within=1e-9)
    sheet.row("energy at all four times", [0.0] * 4, swing.energy, within=1e-9)
    whole = rne.simulate(arm, [0.0], t=np.linspace(0, T, 301))
    sheet.plot(lambda: rne.plot.phase(arm, whole.q, whole.qd))
    return sheet
