"""The recorded-looking trajectory of the Panda: its formula, its limits, its derivatives, its torques."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
from checks import assert_near, assert_same_bits
from models_at_hand import MODELS, urdf_model, urdf_path

import rne

SPAN, STEP, ROWS = 10.0, 0.005, 2001
COORDINATES = [*(f"panda_joint{i}" for i in range(1, 8)), "panda_finger_joint1"]
CENTERS = (0.0, -0.785, 0.0, -2.1, 0.0, 1.8, 0.785, 0.02)
SINES = (  # (harmonic of 1 / SPAN, amplitude), a line a coordinate; the formula is in models/panda/SOURCE
    ((1, 0.9), (2, 0.4), (5, 0.12)),
    ((1, -0.5), (3, 0.3), (4, 0.1)),
    ((2, 0.7), (3, -0.25), (6, 0.1)),
    ((1, 0.55), (2, -0.4), (4, 0.15)),
    ((1, -0.95), (3, 0.5), (5, 0.15)),
    ((2, 0.75), (4, -0.25), (7, 0.08)),
    ((1, 1.1), (3, -0.55), (6, 0.2)),
    ((2, 0.012), (3, 0.008)),
)


def read_trajectory() -> tuple[np.ndarray, ...]:
    """Columns t, q, qd, qdd: (ROWS,) and three times (ROWS, 8)."""
    table = np.loadtxt(MODELS / "panda" / "trajectory.csv", delimiter=",", skiprows=1)
    return table[:, 0], table[:, 1:9], table[:, 9:17], table[:, 17:]


def formula(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    base = 2 * math.pi / SPAN
    window = (1 - np.cos(base * t)) / 2, base * np.sin(base * t) / 2, base**2 * np.cos(base * t) / 2
    columns = []
    for center, sines in zip(CENTERS, SINES, strict=True):
        s = sum(a * np.sin(k * base * t) for k, a in sines)
        sd = sum(a * k * base * np.cos(k * base * t) for k, a in sines)
        sdd = sum(-a * (k * base) ** 2 * np.sin(k * base * t) for k, a in sines)
        w, wd, wdd = window
        columns.append((center + w * s, wd * s + w * sd, wdd * s + 2 * wd * sd + w * sdd))
    q, qd, qdd = (np.stack(parts, axis=1) for parts in zip(*columns, strict=True))
    return q, qd, qdd


def test_trajectory_is_its_formula_rounded() -> None:
    header = (MODELS / "panda" / "trajectory.csv").read_text(encoding="utf-8").partition("\n")[0]
    assert header.split(",") == ["t", *(f"{letter}_{name}" for letter in ("q", "qd", "qdd") for name in COORDINATES)]
    assert list(urdf_model(urdf_path("panda")).names)[1:9] == COORDINATES
    t, *read = read_trajectory()
    np.testing.assert_allclose(t, STEP * np.arange(ROWS), rtol=0, atol=1e-12)
    for values, exact, digits in zip(read, formula(STEP * np.arange(ROWS)), (6, 5, 4), strict=True):
        np.testing.assert_allclose(values, exact, rtol=0, atol=0.5 * 10.0**-digits + 1e-12)
        np.testing.assert_array_equal(values, np.round(values, digits))


def test_trajectory_keeps_within_the_limits() -> None:
    model = urdf_model(urdf_path("panda"))
    data = model.createData()
    _, q, qd, qdd = read_trajectory()
    assert np.all((q > model.lowerPositionLimit) & (q < model.upperPositionLimit))
    assert np.all(np.abs(qd) < model.velocityLimit)
    for row in range(0, ROWS, 10):
        assert np.all(np.abs(pin.rnea(model, data, q[row], qd[row], qdd[row])) < model.effortLimit)


def test_trajectory_derivatives_are_consistent() -> None:
    """Central differences of one column against the next: rounding / step plus step^2 / 6 of a third derivative."""
    _, q, qd, qdd = read_trajectory()
    for values, rate, error in ((q, qd, 3e-4), (qd, qdd, 2e-3)):
        np.testing.assert_allclose((values[2:] - values[:-2]) / (2 * STEP), rate[1:-1], rtol=0, atol=error)
    assert np.all(qd[[0, -1]] == 0)


def test_rne_gives_the_torques_of_the_whole_trajectory() -> None:
    """At once, in columns of the file, and one by one; against Pinocchio, whose finger follows by its own account."""
    model, robot = urdf_model(urdf_path("panda")), rne.load(urdf_path("panda"))
    data = model.createData()
    assert list(robot.joint_names) == COORDINATES
    _, q, qd, qdd = read_trajectory()
    tau = rne.inverse_dynamics(robot, q, qd, qdd)
    assert_near(tau, [pin.rnea(model, data, *state) for state in zip(q, qd, qdd, strict=True)], rtol=1e-13)
    assert np.all(np.abs(tau) < robot.effort_limit)
    for row in range(0, ROWS, 97):
        assert_same_bits(tau[row], rne.inverse_dynamics(robot, q[row], qd[row], qdd[row]))
