"""Free flight: a body that nothing holds, turns about its middle axis and tumbles."""

from __future__ import annotations

import numpy as np

import rne
from rne.examples.registry import example
from rne.examples.sheet import Sheet


@example("guide floating")
def tumbling_body() -> Sheet:
    """A body in space that flips over and over (Dzhanibekov): Euler's equations by an elliptic integral."""
    A, B, C = 1.0, 2.0, 3.0
    builder = rne.TreeBuilder("wing_nut", base="frame")
    builder.add("body", inertia=rne.Inertia(2.0, [0.0, 0.0, 0.0], np.diag([A, B, C])))
    nut = builder.robot(floating=True, gravity=[0.0, 0.0, 0.0])
    x, z = np.sqrt(3 * 0.999), 1.0  # near the rotation about y, which is unstable
    t = np.linspace(0, 60, 6001)
    flight = rne.simulate(nut, rne.neutral(nut), [0, 0, 0, x, 0, z], t)

    energy, square = (A * x**2 + C * z**2) / 2, (A * x) ** 2 + (C * z) ** 2
    sheet = Sheet("Moments of inertia 1, 2, 3 kg m^2; for a minute nothing acts on it. Energy and momentum are kept:")
    sheet.row("energy, at each of 6001 times", np.full(6001, energy), flight.energy, within=1e-9)
    momentum = rne.centroidal_momentum(nut, flight.q, flight.qd)[:, 3:]
    sheet.row("angular momentum in the world", np.tile([A * x, 0.0, C * z], (6001, 1)), momentum, within=1e-9)
    sheet.row("length of the quaternion", np.ones(6001), np.linalg.norm(flight.q[:, 3:7], axis=1))
    steady = rne.inverse_dynamics(nut, rne.neutral(nut), [0, 0, 0, x, 0, z])
    sheet.row("w x I w, the moment that would keep w as it is", [0.0, (A - C) * z * x, 0.0], steady[3:])

    # Landau and Lifshitz, Mechanics, section 37: wy is a sine amplitude; its period is four times the complete
    # integral K(m), by the arithmetic-geometric mean.
    pace = np.sqrt((C - B) * (square - 2 * energy * A) / (A * B * C))
    m = (B - A) * (2 * energy * C - square) / ((C - B) * (square - 2 * energy * A))
    mean, other = 1.0, np.sqrt(1 - m)
    while abs(mean - other) > 1e-15:
        mean, other = (mean + other) / 2, np.sqrt(mean * other)
    half = np.pi / mean / pace
    wy = flight.qd[:, 4]
    k = np.flatnonzero(wy[1:-1] * wy[2:] < 0) + 1
    flips = t[k] - wy[k] * (t[k + 1] - t[k]) / (wy[k + 1] - wy[k])
    sheet.say("wy changes its sign, half a period after the other, and reaches the same value each time:")
    sheet.row("times of the flips, s", half * np.arange(1, len(flips) + 1), flips, within=1e-6)
    sheet.row("largest wy, rad/s", np.sqrt((2 * energy * C - square) / (B * (C - B))), wy.max(), within=1e-4)
    sheet.plot(lambda: rne.plot.states(nut, flight.t, flight.q, flight.qd))
    return sheet
