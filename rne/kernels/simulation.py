"""Motion under given torques, integrated with a fixed step: semi-implicit Euler and the classical Runge-Kutta method.

One state of floats. The torque may come from a controller of the user's, compiled by numba, which is then compiled
together with the integrator.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rne.kernels.forward_dynamics import one
from rne.kernels.jit import function

EULER, RK4 = 0, 1


@function
def _accelerate(model, controller, t, q, qd, torque, tau, qdd, loads):
    """Fill `qdd`; returns whether the mass matrix is singular."""
    tau[:] = torque
    if controller is not None:
        controller(t, q, qd, tau)
    return one(model, q, qd, tau, qdd, loads)


@function
def integrate(model, controller, times, substeps, torques, q_path, qd_path, method, loads):
    """Fill rows 1, 2, ... of the paths (T, n) from row 0; returns -1, or the interval with a singular mass matrix.

    times : (T,) when the rows are due. substeps : (T - 1,) steps from one to the next.
    torques : (T - 1, n) held over each interval; the controller, or None, gets them in `tau` and may change them.
    """
    n = q_path.shape[1]
    q, qd = q_path[0].copy(), qd_path[0].copy()
    q_stage, qd_stage, tau, qdd = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    q_rate, qd_rate = np.empty(n), np.empty(n)
    for k in range(len(times) - 1):
        h = (times[k + 1] - times[k]) / substeps[k]
        for step in range(substeps[k]):
            t = times[k] + step * h
            if method == EULER:
                if _accelerate(model, controller, t, q, qd, torques[k], tau, qdd, loads):
                    return k
                qd += h * qdd
                q += h * qd
                continue
            q_stage[:] = q
            qd_stage[:] = qd
            q_rate[:] = 0.0
            qd_rate[:] = 0.0
            for stage in range(4):
                reach = 0.0 if stage == 0 else h if stage == 3 else 0.5 * h
                if _accelerate(model, controller, t + reach, q_stage, qd_stage, torques[k], tau, qdd, loads):
                    return k
                weight = h / 3.0 if stage == 1 or stage == 2 else h / 6.0
                following = h if stage == 2 else 0.5 * h
                for j in range(n):
                    q_rate[j] += weight * qd_stage[j]
                    qd_rate[j] += weight * qdd[j]
                    q_stage[j] = q[j] + following * qd_stage[j]
                    qd_stage[j] = qd[j] + following * qdd[j]
            q += q_rate
            qd += qd_rate
        q_path[k + 1] = q
        qd_path[k + 1] = qd
    return -1


def make_uncontrolled(stamp: str) -> Callable[..., int]:
    """Make the entry without a controller, which can be cached on disk."""

    def simulate_uncontrolled(model, times, substeps, torques, q_path, qd_path, method, loads):
        stamp  # noqa: B018  part of the cache key
        return integrate(model, None, times, substeps, torques, q_path, qd_path, method, loads)

    return simulate_uncontrolled
