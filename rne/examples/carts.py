"""Carts with springs and dampers: L1 section 3, L0 section 7.2."""

from __future__ import annotations

import numpy as np
from numpy import cos, exp, sin, sqrt

import rne
from rne.examples.registry import example
from rne.examples.sheet import Sheet


@example("L1 section 3", "cart_spring_horizontal")
def cart_spring_horizontal() -> Sheet:
    """A cart on massless wheels and a spring: F = m x'' + k x."""
    cart = rne.load_model("cart_spring_horizontal")
    m, k = 2.0, 50.0
    (x,), (v,), (a,) = q, qd, qdd = [0.12], [0.4], [1.5]
    sheet = Sheet("x from the unstretched position; gravity is perpendicular to the motion.")
    sheet.row("F = m x'' + k x", m * a + k * x, rne.inverse_dynamics(cart, q, qd, qdd))
    sheet.row("K = m x'^2/2", m * v**2 / 2, rne.kinetic_energy(cart, q, qd))
    sheet.row("P = k x^2/2", k * x**2 / 2, rne.potential_energy(cart, q))
    w, t = sqrt(k / m), np.array([0.0, 0.1, 0.2, 0.3])
    free = rne.simulate(cart, q, qd, t)
    sheet.row("x = x0 cos wt + x0'/w sin wt", x * cos(w * t) + v / w * sin(w * t), free.q[:, 0], within=1e-9)
    whole = rne.simulate(cart, q, qd, np.linspace(0, 2 * np.pi / w, 201))
    sheet.plot(lambda: rne.plot.phase(cart, whole.q, whole.qd))
    return sheet


@example("L0 7.2, base fixed; elastic vibration", "cart_spring_damper_fixed")
def cart_fixed_base() -> Sheet:
    """Mass, spring and damper on a fixed base: M1 x1'' + c x1' + k x1 = F + M1 g."""
    cart = rne.load_model("cart_spring_damper_fixed")
    M1, c, k, g = 2.0, 3.0, 50.0, 9.81
    (x,), (v,), (a,) = q, qd, qdd = [0.12], [0.4], [1.5]  # positive down
    F = M1 * a + c * v + k * x - M1 * g
    K, P = rne.kinetic_energy(cart, q, qd), rne.potential_energy(cart, q)
    sheet = Sheet("x1 is positive down, zero where the spring is unstretched.")
    sheet.row("F", F, rne.inverse_dynamics(cart, q, qd, qdd, friction=True))
    sheet.row("x1'', from F", a, rne.forward_dynamics(cart, q, qd, [F], friction=True))
    sheet.row("K = M1 x1'^2/2", M1 * v**2 / 2, K)
    sheet.row("P = k x1^2/2 - M1 g x1", k * x**2 / 2 - M1 * g * x, P)
    sheet.row("D = c x1'^2/2", c * v**2 / 2, rne.dissipation(cart, qd))
    balance = rne.energy_balance(cart, q, qd, qdd, [F], friction=True)
    sheet.row("dE/dt = F x1' - 2 D", F * v - c * v**2, balance.rate)
    weightless = rne.inverse_dynamics(cart, q, qd, qdd, gravity=[0, 0, 0], friction=True)
    sheet.row("F without weight: m x'' + c x' + k x", F + M1 * g, weightless)

    t = np.array([0.0, 0.5, 1.0, 2.0])
    free = rne.simulate(cart, [0.1], t=t, friction=True)
    xe, d = M1 * g / k, c / (2 * M1)
    w, A = sqrt(k / M1 - d**2), 0.1 - xe
    sheet.say("Released at x1 = 0.1 m: x1 = xe + exp(-d t) (A cos wt + B sin wt), xe = M1 g/k, d = c/(2 M1):")
    sheet.row("x1(t)", xe + exp(-d * t) * (A * cos(w * t) + d * A / w * sin(w * t)), free.q[:, 0], within=1e-9)
    sheet.row("x1'(t)", -A * (w + d**2 / w) * exp(-d * t) * sin(w * t), free.qd[:, 0], within=1e-9)
    whole = rne.simulate(cart, [0.1], t=np.linspace(0, 5, 501), friction=True)
    sheet.plot(lambda: rne.plot.energy(cart, whole.t, whole.q, whole.qd))
    return sheet


@example("L0 7.2, moving base", "cart_spring_damper_moving", "cart_moving_base_relative")
def cart_moving_base() -> Sheet:
    """Moving mass and base with spring and damper between them, in x1, x0 and in x0, z = x1 - x0."""
    cart, chain = rne.load_model("cart_spring_damper_moving"), rne.load_model("cart_moving_base_relative")
    M1, M0, c, k, g = 2.0, 5.0, 3.0, 50.0, 9.81
    (x1, x0), (v1, v0) = q, qd = [0.12, 0.05], [0.4, -0.3]
    F = 7.0  # of a drive between the two: F on the mass, -F on the base
    a1 = (F + M1 * g - c * (v1 - v0) - k * (x1 - x0)) / M1
    a0 = (-F + M0 * g + c * (v1 - v0) + k * (x1 - x0)) / M0

    sheet = Sheet("[M1 0; 0 M0] x'' + [c -c; -c c] x' + [k -k; -k k] x = [F + M1 g; -F + M0 g], x = (x1, x0), down:")
    sheet.rows_of(["[k -k]", "[-k k]"], [[k, -k], [-k, k]], cart.stiffness)
    sheet.rows_of(["[c -c]", "[-c c]"], [[c, -c], [-c, c]], cart.damping)
    sheet.rows_of("x1'' x0''", [a1, a0], rne.forward_dynamics(cart, q, qd, [F, -F], friction=True))
    sheet.rows_of("F -F", [F, -F], rne.inverse_dynamics(cart, q, qd, [a1, a0], friction=True))
    sheet.row("K = (M1 x1'^2 + M0 x0'^2)/2", (M1 * v1**2 + M0 * v0**2) / 2, rne.kinetic_energy(cart, q, qd))
    P = k * (x1 - x0) ** 2 / 2 - M1 * g * x1 - M0 * g * x0
    sheet.row("P = k (x1 - x0)^2/2 - M1 g x1 - M0 g x0", P, rne.potential_energy(cart, q))
    sheet.row("D = c (x1' - x0')^2/2", c * (v1 - v0) ** 2 / 2, rne.dissipation(cart, qd))
    balance = rne.energy_balance(cart, q, qd, [a1, a0], [F, -F], friction=True)
    sheet.row("power of the drive, dW/dt = F (x1' - x0')", F * (v1 - v0), balance.actuators)
    sheet.row("dE/dt = dW/dt - 2 D", F * (v1 - v0) - c * (v1 - v0) ** 2, balance.rate)

    sheet.say("The same system as a chain: Q_z = F, Q_x0 = 0.")
    qr, qdr = [x0, x1 - x0], [v0, v1 - v0]
    sheet.rows_of("x0'' z''", [a0, a1 - a0], rne.forward_dynamics(chain, qr, qdr, [0, F], friction=True))
    K, D = (M1 * v1**2 + M0 * v0**2) / 2, c * (v1 - v0) ** 2 / 2
    ours = rne.kinetic_energy(chain, qr, qdr), rne.potential_energy(chain, qr), rne.dissipation(chain, qdr)
    sheet.rows_of("K P D", [K, P, D], ours)

    t = np.array([0.0, 0.25, 0.5, 1.0])
    free = rne.simulate(cart, q, qd, t, friction=True, gravity=[0, 0, 0])
    m = M0 * M1 / (M0 + M1)
    d = c / (2 * m)
    w = sqrt(k / m - d**2)
    A, B = x1 - x0, (v1 - v0 + d * (x1 - x0)) / w
    sheet.say("Released without gravity: z = exp(-d t) (A cos wt + B sin wt) with m = M0 M1/(M0 + M1), d = c/(2 m):")
    z = exp(-d * t) * (A * cos(w * t) + B * sin(w * t))
    sheet.row("z(t) = x1 - x0", z, free.q[:, 0] - free.q[:, 1], within=1e-9)
    center = (M1 * x1 + M0 * x0 + (M1 * v1 + M0 * v0) * t) / (M1 + M0)
    sheet.row("center of mass, in uniform motion", center, free.q @ [M1, M0] / (M1 + M0), within=1e-9)
    whole = rne.simulate(cart, q, qd, np.linspace(0, 4, 401), friction=True, gravity=[0, 0, 0])
    sheet.plot(lambda: rne.plot.states(cart, whole.t, whole.q, whole.qd))
    return sheet
