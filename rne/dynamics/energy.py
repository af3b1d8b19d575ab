"""Kinetic and potential energy, and the power of friction and drives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Batch, Floats, as_batch, as_result, as_table, check_robot, finish, settle
from rne.batch.quick import UNFIT, Algorithm, alone, quick
from rne.batch.threads import launch
from rne.check import check_flag
from rne.dynamics.inverse_dynamics import friction_torque
from rne.kernels.entries import ENERGIES, ENERGIES_ONE
from rne.model.robot import Robot

_ENERGIES = Algorithm(ENERGIES_ONE, ENERGIES, states=2, gravity=True, floating=True)
_one = ENERGIES_ONE["float64"]


def kinetic_energy(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    per_link: bool = False,
    rotors: bool = True,
    out: Floats | None = None,
    threads: int | None = None,
) -> Any:
    """Kinetic energy: K = sum_i (m_i v_i^2 + w_i I_i w_i) / 2 + sum_j Ia_j qd_j^2 / 2 = qd^T M qd / 2.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities.
    per_link : whether to return the energy of each link, including bodies fixed to it.
    rotors : whether to include the reflected rotor inertias Ia; with `per_link` at the link that the joint moves.
    out, threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    K : (...) J. With `per_link` (..., 1 + joints): the base, which does not move, then the link that each of
        `robot.links.joints` moves; the same order as `potential_energy`.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.kinetic_energy(arm, [0.0, 0.0], [1.0, 0.0], per_link=True).round(4)
    array([0.    , 0.1667, 1.1667])
    """
    if per_link is not False:
        check_flag("per_link", per_link)
    if rotors is not True:
        check_flag("rotors", rotors)
    return _energy(robot, q, qd, None, (1, 1 if rotors else 0, 1 if per_link else 0), out, threads)


def potential_energy(
    robot: Robot,
    q: ArrayLike,
    *,
    per_link: bool = False,
    springs: bool = True,
    gravity: ArrayLike | None = None,
    out: Floats | None = None,
    threads: int | None = None,
) -> Any:
    """Potential energy of gravity and springs: P = -sum_i m_i g . c_i + (q - rest)^T K (q - rest) / 2.

    The energy of gravity is zero at the origin of the base. The gradient of P is `inverse_dynamics` at rest; without
    springs it is `gravity_vector`.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m.
    per_link : whether to return the energy of each link, including bodies fixed to it.
    springs : whether to include the springs; with `per_link` at the link that the joint moves, for springs between two
        joints at the first of them that moves.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.
    out, threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    P : (...) J. With `per_link` (..., 1 + joints): the base, then the link that each of `robot.links.joints` moves.
        The base is included, a constant that Pinocchio omits.

    Examples
    --------
    >>> import math, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.potential_energy(arm, [math.pi / 2, 0.0], per_link=True)
    array([ 0.   ,  4.905, 14.715])
    """
    if per_link is not False:
        check_flag("per_link", per_link)
    if springs is not True:
        check_flag("springs", springs)
    return _energy(robot, q, None, gravity, (0, 1 if springs else 0, 1 if per_link else 0), out, threads)


def _energy(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None,
    gravity: ArrayLike | None,
    flags: tuple[int, int, int],
    out: Floats | None,
    threads: int | None,
) -> Any:
    """Energy; flags: kinetic or potential, including rotors or springs, of each link."""
    kinetic, drives, per_link = flags
    if not per_link:
        try:
            energy: Floats | None = None
            if threads is None or alone(threads):
                energy = _one.call(robot._card, q, qd, gravity, out, kinetic, drives)
            if energy is None:
                loads = (kinetic, drives)
                energy = quick(_ENERGIES, robot, (q, qd), (), out, threads, gravity, flags=loads, batch_flags=(0,))
            if energy is not None:
                return energy[()] if out is None else energy
        except UNFIT:
            pass
    batch = settle(robot, {"q": q, "qd": qd}, floating=True)
    result = as_result(out, (*batch.shape, 1 + len(robot.links.joints)) if per_link else batch.shape, batch)
    table = as_table(robot, batch.dtype, gravity)
    launch(ENERGIES[batch.dtype], robot, batch, ("q", "qd"), result, threads, table, *flags)
    return finish(result, out) if out is not None else result[()]


def dissipation(robot: Robot, qd: ArrayLike, *, out: Floats | None = None) -> Any:
    """Rayleigh's dissipation function of viscous friction: D = qd^T B qd / 2, with B = `robot.damping`.

    Its gradient dD/d(qd) is the viscous torque, and 2 D the dissipated power (Rayleigh, "The Theory of Sound", section
    81). Coulomb friction is not included; `dissipated_power` includes both.

    Parameters
    ----------
    robot : the robot.
    qd : (..., n) velocities, rad/s or m/s.
    out : as for `inverse_dynamics`, which lists the errors.

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
    check_robot(robot, floating=True)
    batch = as_batch(robot, {"qd": qd}, required="qd")
    return _power(batch.rows["qd"] @ (0.5 * robot.damping).astype(batch.dtype), batch, out)


def dissipated_power(robot: Robot, qd: ArrayLike, *, out: Floats | None = None, threads: int | None = None) -> Any:
    """Power dissipated by friction: qd . friction_torque, viscous and Coulomb, never negative.

    Parameters
    ----------
    robot : the robot.
    qd : (..., n) velocities, rad/s or m/s.
    out, threads : as for `inverse_dynamics`, which lists the errors.

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
    check_robot(robot, floating=True)
    batch = as_batch(robot, {"qd": qd}, required="qd")
    return _power(friction_torque(robot, batch.rows["qd"], threads=threads), batch, out)


def _power(tau: Floats, batch: Batch, out: Floats | None) -> Any:
    """Power qd . tau of each sample."""
    result = as_result(out, batch.shape, batch)
    np.einsum("ki,ki->k", tau, batch.rows["qd"], out=result.reshape(-1))
    return finish(result, out) if out is not None else result[()]


def actuator_power(robot: Robot, qd: ArrayLike, tau: ArrayLike, *, out: Floats | None = None) -> Floats:
    """Power of each drive: tau_i qd_i, positive where it drives and negative where it brakes.

    Parameters
    ----------
    robot : the robot.
    qd, tau : (..., n) velocities and torques; leading axes broadcast against each other.
    out : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    P : (..., n) W; the sum over the joints is the power of all drives.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.actuator_power(arm, [0.5, -2.0], [20.0, 5.0])
    array([ 10., -10.])
    """
    check_robot(robot, floating=True)
    batch = as_batch(robot, {"qd": qd, "tau": tau}, required="tau")
    result = as_result(out, (*batch.shape, robot.n), batch)
    np.multiply(batch.rows["tau"], batch.rows["qd"], out=result.reshape(batch.samples, robot.n))
    return finish(result, out)
