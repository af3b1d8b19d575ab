"""Powers of friction and of the drives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Batch, Floats, as_batch, as_result, check_robot, finish
from rne.dynamics.inverse_dynamics import friction_torque
from rne.model.robot import Robot


def dissipation(robot: Robot, qd: ArrayLike, *, out: Floats | None = None) -> Any:
    """Rayleigh's dissipation function of viscous friction: D = qd^T B qd / 2, with B = `robot.damping`.

    Its slope dD/d(qd) is the viscous torque, and 2 D the power lost to it (Rayleigh, "The Theory of Sound", section
    81). Coulomb friction has no part in it; `dissipated_power` counts both.

    Parameters
    ----------
    robot : the robot.
    qd : (..., n) velocities, rad/s or m/s.
    out : as for `inverse_dynamics`, which also tells the errors.

    Returns
    -------
    D : (...) W.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml").with_dampers([0.5, 0.25])
    >>> float(rne.dissipation(arm, [1.0, 2.0]))
    0.75
    """
    check_robot(robot)
    batch = as_batch(robot, {"qd": qd}, required="qd")
    return _power(batch.rows["qd"] @ (0.5 * robot.damping).astype(batch.dtype), batch, out)


def dissipated_power(robot: Robot, qd: ArrayLike, *, out: Floats | None = None, threads: int | None = None) -> Any:
    """Power that friction turns into heat: qd . friction_torque, viscous and Coulomb, never negative.

    Parameters
    ----------
    robot : the robot.
    qd : (..., n) velocities, rad/s or m/s.
    out, threads : as for `inverse_dynamics`, which also tells the errors.

    Returns
    -------
    P : (...) W; without Coulomb friction twice the `dissipation`.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml").with_drives({"elbow": rne.Drive(coulomb_plus=3.0)})
    >>> float(rne.dissipated_power(arm.with_dampers([0.5, 0.25]), [1.0, 2.0]))
    7.5
    """
    check_robot(robot)
    batch = as_batch(robot, {"qd": qd}, required="qd")
    return _power(friction_torque(robot, batch.rows["qd"], threads=threads), batch, out)


def _power(tau: Floats, batch: Batch, out: Floats | None) -> Any:
    """Power qd . tau of each sample."""
    result = as_result(out, batch.shape, batch)
    np.einsum("ki,ki->k", tau, batch.rows["qd"], out=result.reshape(-1))
    return finish(result, out) if out is not None else result[()]


def actuator_power(robot: Robot, tau: ArrayLike, qd: ArrayLike, *, out: Floats | None = None) -> Floats:
    """Power of each drive: tau_i qd_i, positive where it drives and negative where it brakes.

    Parameters
    ----------
    robot : the robot.
    tau, qd : (..., n) torques and velocities; leading axes broadcast against each other.
    out : as for `inverse_dynamics`, which also tells the errors.

    Returns
    -------
    P : (..., n) W; the sum over the joints is the power of all drives.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.actuator_power(arm, [20.0, 5.0], [0.5, -2.0])
    array([ 10., -10.])
    """
    check_robot(robot)
    batch = as_batch(robot, {"tau": tau, "qd": qd}, required="tau")
    result = as_result(out, (*batch.shape, robot.n), batch)
    np.multiply(batch.rows["tau"], batch.rows["qd"], out=result.reshape(batch.samples, robot.n))
    return finish(result, out)
