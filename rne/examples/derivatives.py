"""What derivatives are for: the motion that needs the least torque, and a controller that balances an arm."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import exp
from numpy.typing import NDArray

import rne
from rne.errors import needing
from rne.examples.registry import example
from rne.examples.sheet import Sheet

Array = NDArray[np.float64]


def _splines(count: int, u: Array) -> tuple[Array, Array, Array, Array]:
    """Values (len(u), count) of splines of degree 5 over [0, 1], of their first and second derivatives, and a bound.

    A spline stays between its least and its greatest coefficient. The bound (count - 1, count) turns these into the
    coefficients of its derivative, which is a spline, too.
    """
    from scipy.interpolate import BSpline

    knots = np.concatenate([np.zeros(5), np.linspace(0, 1, count - 4), np.ones(5)])
    each = BSpline(knots, np.eye(count), 5)
    bound = 5 * np.diff(np.eye(count), axis=0) / (knots[6 : count + 5] - knots[1:count])[:, None]
    return each(u), each.derivative(1)(u), each.derivative(2)(u), bound


def _beside(figure: Any, t: Array, other: Array) -> Any:
    """Add the torques of another motion, dashed, to a figure of torques."""
    for ax, line in zip(figure.axes, other.T, strict=False):
        low, high = ax.get_ylim()
        lines = ax.plot(t, line, "--", color="0.4", linewidth=1.0, label="quintic")
        room = 0.05 * (high - low)
        ax.set_ylim(min(low, line.min() - room), max(high, line.max() + room))
        if ax is figure.axes[0]:
            ax.legend(handles=lines)
    return figure


@example("guide to derivatives", "panda")
def least_torque() -> Sheet:
    """Least torque squared: a motion of the Panda from point to point, within its limits."""
    with needing("scipy", "the optimization needs"):
        from scipy.optimize import minimize, nnls

    panda = rne.load_model("panda").with_locked({"panda_finger_joint1": 0.0})
    start, end = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8]), np.array([1.2, 0.5, -0.6, -1.2, 0.8, 2.2, -0.4])
    T, t = 1.2, np.linspace(0, 1.2, 121)
    quintic = rne.quintic(start, end, t, duration=T)

    # q = B c: the rows of c between the ends are free; three at each end are equal, and it starts and ends at rest.
    count = 13
    B, Bd, Bdd, bound = _splines(count, t / T)
    Bd, Bdd, bound = Bd / T, Bdd / T**2, bound / T
    first = np.asarray(np.linalg.lstsq(B, quintic[0], rcond=None)[0], np.float64)
    free = slice(3, count - 3)

    def motion(x: Array) -> tuple[Array, Array, Array]:
        c = first.copy()
        c[free] = x.reshape(-1, panda.n)
        return B @ c, Bd @ c, Bdd @ c

    def cost(x: Array) -> tuple[float, Array]:
        path = motion(x)
        tau = rne.inverse_dynamics(panda, *path)
        by = rne.inverse_dynamics_vjp(panda, *path, 2 * tau)
        gradient = B.T @ by.q + Bd.T @ by.qd + Bdd.T @ by.qdd
        return (tau**2).sum() / 1e4, gradient[free].ravel() / 1e4

    x0 = first[free].ravel()
    sheet = Sheet("From point to point in 1.2 s along a quintic, which is a spline of degree 5 with 7 free rows:")
    for name, wanted, got in zip(("q", "q'", "q''"), quintic, motion(x0), strict=True):
        sheet.row(f"{name} of the quintic, of the spline", wanted, got, within=1e-9)
    sheet.say("The gradient of the sum of squared torques, along a direction of the 49 numbers:")
    h, way = 1e-5, np.random.default_rng(0).normal(size=x0.size)
    there, back = cost(x0 + h * way)[0], cost(x0 - h * way)[0]
    sheet.row("difference quotient; reverse sweep", (there - back) / (2 * h), cost(x0)[1] @ way, within=1e-7)

    # Limits of positions, and of velocities A x + b.
    ends = first.copy()
    ends[free] = 0.0
    A, b = np.kron(bound[:, free], np.eye(panda.n)), (bound @ ends).ravel()
    lower, upper = np.tile(panda.lower_limit, len(x0) // panda.n), np.tile(panda.upper_limit, len(x0) // panda.n)
    most = np.tile(panda.velocity_limit, len(bound))
    G, g = np.concatenate([A, -A]), np.concatenate([most - b, most + b])  # G x <= g
    best = minimize(
        cost, x0, jac=True, method="SLSQP", bounds=list(zip(lower, upper, strict=True)),
        constraints={"type": "ineq", "fun": lambda x: g - G @ x, "jac": lambda _: -G},
        options={"maxiter": 300, "ftol": 1e-9},
    )  # fmt: skip
    q, qd, qdd = motion(best.x)
    tau, before = rne.inverse_dynamics(panda, q, qd, qdd), rne.inverse_dynamics(panda, *quintic)
    saved = 1 - (tau**2).sum() / (before**2).sum()
    sheet.say(
        f"Least torque squared within the limits, after {best.nit} steps: {saved:.0%} less than along the quintic."
    )
    sheet.row("torques by Lagrange, by Newton-Euler", rne.lagrange.inverse_dynamics(panda, q, qd, qdd), tau)
    limits = np.concatenate([G, np.eye(len(x0)), -np.eye(len(x0))])
    touched = limits[np.concatenate([g, upper, -lower]) - limits @ best.x < 1e-6]
    downhill = -cost(best.x)[1]
    sheet.row(
        "downhill is out of the limits it touches", touched.T @ nnls(touched.T, downhill)[0], downhill, within=1e-3
    )
    sheet.say(rne.motor_sizing(panda, q, qd, qdd, t=t))
    sheet.plot(lambda: _beside(rne.plot.torques(panda, t, tau), t, before))
    return sheet


@example("guide to derivatives", "two_link_point_mass")
def lqr_upright() -> Sheet:
    """LQR: two links balanced upright by the feedback that is optimal for the linear system."""
    arm = rne.load_model("two_link_point_mass")
    m1, m2, d1, d2, g = 2.0, 1.3, 0.8, 0.6, 9.81
    up = np.array([np.pi, 0.0])
    A, B = rne.linearize(arm, up, tau=rne.gravity_vector(arm, up))

    # M theta'' - G theta = tau about the upright posture.
    D12, D22 = m2 * d2**2 + m2 * d1 * d2, m2 * d2**2
    M = np.array([[(m1 + m2) * d1**2 + m2 * d2**2 + 2 * m2 * d1 * d2, D12], [D12, D22]])
    G = g * np.array([[(m1 + m2) * d1 + m2 * d2, m2 * d2], [m2 * d2, m2 * d2]])
    inverse, zero = np.linalg.inv(M), np.zeros((2, 2))
    sheet = Sheet("x' = A x + B u about theta = (pi, 0), x = (theta - (pi, 0), theta'), u = tau - g(pi, 0):")
    sheet.row("A = [0 1; M^-1 G 0]", np.block([[zero, np.eye(2)], [inverse @ G, zero]]), A)
    sheet.row("B = [0; M^-1]", np.concatenate([zero, inverse]), B)

    # Least integral of x^T Q x + u^T R u: from the stable half of the Hamiltonian matrix, u = -K x.
    Q, R = np.diag([100.0, 100.0, 1.0, 1.0]), 0.1 * np.eye(2)
    values, modes = np.linalg.eig(np.block([[A, -B @ np.linalg.solve(R, B.T)], [-Q, -A.T]]))
    stable = modes[:, values.real < 0]
    P = (stable[4:] @ np.linalg.inv(stable[:4])).real
    K = np.linalg.solve(R, B.T @ P)
    closed, own = np.linalg.eig(A - B @ K)
    sheet.say(f"Gains K = {K.round(2).tolist()}; the real parts were {np.linalg.eigvals(A).real.round(2).tolist()}.")
    sheet.row("Riccati: A^T P + P A + Q = P B R^-1 B^T P", P @ B @ K, A.T @ P + P @ A + Q, within=1e-9)

    hold = rne.gravity_vector(arm, up)

    def balance(_: float, q: Array, qd: Array) -> Array:
        feedback: Array = hold - np.concatenate([q - up, qd], axis=-1) @ K.T
        return feedback

    t, small = np.linspace(0, 2, 401), np.array([1e-4, -5e-5, 0.0, 0.0])
    near = rne.simulate(arm, up + small[:2], t=t, tau=balance)
    x = np.concatenate([near.q - up, near.qd], axis=1)
    wanted = (own * np.linalg.solve(own, small)) @ exp(np.outer(closed, t))
    sheet.say("Let go 1e-4 rad off: the simulation, and the linear system, a sum of exponentials.")
    sheet.row("theta1 - pi, theta2, theta1', theta2'", wanted.real.T, x, within=1e-6)
    rate = ((x @ Q) * x).sum(axis=1) + ((x @ K.T @ R) * (x @ K.T)).sum(axis=1)
    simpson = (rate[:-1:2] + 4 * rate[1::2] + rate[2::2]).sum() * t[1] / 3
    sheet.row("x0^T P x0; integral of the cost", small @ P @ small - x[-1] @ P @ x[-1], simpson, within=1e-5)

    far = rne.simulate(arm, up + np.array([0.5, -0.3]), t=t, tau=balance)
    sheet.say("Half a radian off, where the system is no longer linear, it comes back, too:")
    sheet.row("x after 2 s", np.zeros(4), np.concatenate([far.q[-1] - up, far.qd[-1]]), within=1e-2)
    sheet.plot(lambda: rne.plot.tracking(arm, t, np.tile(up, (len(t), 1)), far.q, far.tau))
    return sheet
