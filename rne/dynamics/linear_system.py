"""Linear systems that approximate the motion of a robot near a state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Floats
from rne.batch.named import coordinates
from rne.check import numbers
from rne.dynamics.derivatives import forward_dynamics_derivatives, tables_of
from rne.errors import ArgumentError, needing
from rne.model.robot import Robot
from rne.tables import Part, Report


class LinearSystem(Report, NamedTuple("LinearSystem", [("A", Floats), ("B", Floats)])):
    """A linear system dx/dt = A x + B u, or x[k + 1] = A x[k] + B u[k], as `linearize` returns it.

    x holds the deviations of positions, then those of velocities; u those of torques.

    Attributes
    ----------
    A : (..., 2 n, 2 n)
    B : (..., 2 n, n)

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.linearize(arm, [0.0, 0.0]).B.shape
    (4, 2)
    """

    __slots__ = ()

    def _parts(self) -> list[Part]:
        return tables_of(self._asdict())


def linearize(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    dt: float | None = None,
    *,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
    friction: bool = False,
    threads: int | None = None,
) -> LinearSystem:
    """Linear system of small deviations from a state, for controllers and observers.

    The state x = (q, qd) obeys dx/dt = (qd, qdd(q, qd, tau)) with the accelerations of `forward_dynamics`; A and B are
    the derivatives of the right-hand side by x and by tau. At a state that is not an equilibrium, they describe the
    difference from the motion that starts there, to first order. With a floating base, deviations of positions are
    those of `difference`, in the moving axes of the base; so their rates depend on the velocity of the base, too. With
    `dt`, the torques are held for this time (zero-order hold), and A and B are exact for the linear system, by one
    matrix exponential (Van Loan, IEEE Trans. Automatic Control 23, 1978). `python-control` and `scipy.signal` take A
    and B as they are.

    Parameters
    ----------
    robot : the robot.
    q, qd, tau : (..., n) positions, velocities and torques, as for `forward_dynamics`. An equilibrium needs the torques
        of `inverse_dynamics`.
    dt : s, length of a step; None for a continuous system. Requires scipy.
    gravity, f_ext, friction, threads : as for `forward_dynamics_derivatives`, which lists the errors.

    Returns
    -------
    system : with fields `A` (..., 2 n, 2 n) and `B` (..., 2 n, n).

    Raises
    ------
    ArgumentError
        `dt` is not a positive number.
    MissingExtraError
        scipy is not installed.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> up = [1.5707963267948966, 0.0]
    >>> A, B = rne.linearize(arm, up, tau=rne.inverse_dynamics(arm, up), dt=0.01)
    >>> A[2:, :2].round(3)
    array([[ 0.126, -0.126],
           [-0.168,  0.463]])
    """
    if dt is not None:
        dt = float(numbers("dt", dt, ()))
        if dt <= 0:
            raise ArgumentError(f"dt: wanted a positive time in s, got {dt:g}")
    by_q, by_qd, by_tau = forward_dynamics_derivatives(
        robot, q, qd, tau, gravity=gravity, f_ext=f_ext, friction=friction, threads=threads
    )
    n, batch = robot.n, by_q.shape[:-2]
    system = np.zeros((*batch, 3 * n, 3 * n), by_q.dtype)
    system[..., :n, n : 2 * n] = np.eye(n)
    if robot.floating and qd is not None:
        system[..., :6, :6] = _transport(np.broadcast_to(coordinates(robot, "qd", qd)[..., :6], (*batch, 6)))
    system[..., n : 2 * n, :n], system[..., n : 2 * n, n : 2 * n] = by_q, by_qd
    system[..., n : 2 * n, 2 * n :] = by_tau
    if dt is not None and n:
        with needing("scipy", "dt: a discrete system needs"):
            from scipy.linalg import expm
        system = expm(system * system.dtype.type(dt))
    return LinearSystem(system[..., : 2 * n, : 2 * n].copy(), system[..., : 2 * n, 2 * n :].copy())


def _transport(motion: Floats) -> Floats:
    """Rates (..., 6, 6) of deviations of the pose of a base that moves with velocities (..., 6), seen from its axes."""
    v, w = (
        np.cross(part[..., None, :], np.eye(3, dtype=motion.dtype)).swapaxes(-1, -2)
        for part in np.split(motion, 2, axis=-1)
    )
    return -np.block([[w, v], [np.zeros_like(w), w]])
