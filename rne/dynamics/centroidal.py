"""Momentum of the whole robot about its center of mass: its value, its matrix, and its rate at zero acceleration.

The first six rows of the mass matrix of a robot whose base floats are its momentum about the origin of the base, in
base axes (Wensing and Orin, "Improved computation of the humanoid centroidal dynamics", Int. J. Humanoid Robotics 13,
2016).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Batch, Floats, settle
from rne.dynamics.center_of_mass import center_of_mass
from rne.dynamics.configuration import neutral
from rne.dynamics.inverse_dynamics import coriolis_vector, inverse_dynamics
from rne.dynamics.mass_matrix import mass_matrix
from rne.model.floating import NEUTRAL, QUATERNION
from rne.model.quaternions import rotate, unit_quaternions
from rne.model.robot import Robot

_BASE = len(NEUTRAL)


def centroidal_momentum(robot: Robot, q: ArrayLike, qd: ArrayLike, *, threads: int | None = None) -> Floats:
    """Centroidal momentum: linear momentum, and angular momentum about the center of mass.

    Orin, Goswami, Lee, "Centroidal dynamics of a humanoid robot", Autonomous Robots 35 (2013). Reflected rotor inertias
    are not included: they belong to the drives, not to the motion of the bodies.

    Parameters
    ----------
    robot : the robot, on a fixed or a floating base.
    q, qd : (..., nq) and (..., n) positions and velocities.
    threads : as for `inverse_dynamics`.

    Returns
    -------
    h : (..., 6) linear momentum, kg m/s, and angular momentum, kg m^2/s, in world axes; in base axes if the base is
        fixed.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value, or the robot has no mass.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.centroidal_momentum(arm, [0.0, 0.0], [1.0, 0.0]).round(4) + 0.0
    array([0.    , 2.    , 0.    , 0.    , 0.    , 0.6667])
    """
    batch = settle(robot, {"q": q, "qd": qd}, floating=True)
    twin, state, rates = _floating(robot, batch)
    still = np.zeros(3)
    momentum = inverse_dynamics(twin, state, None, rates, gravity=still, threads=threads)[:, :6]
    return _about_center(twin, state, momentum[..., None], threads)[..., 0].reshape(*batch.shape, 6)


def centroidal_momentum_matrix(robot: Robot, q: ArrayLike, *, threads: int | None = None) -> Floats:
    """Centroidal momentum matrix A: the centroidal momentum is A qd.

    Parameters
    ----------
    robot, q, threads : as for `centroidal_momentum`, which lists the errors.

    Returns
    -------
    A : (..., 6, n) three linear rows, then three angular ones.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.centroidal_momentum_matrix(arm, [0.0, 0.0])[[1, 5]].round(4)
    array([[2.    , 0.5   ],
           [0.6667, 0.3333]])
    """
    batch = settle(robot, {"q": q}, floating=True)
    twin, state, _ = _floating(robot, batch)
    rows = mass_matrix(twin, state, rotors=False, threads=threads)[:, :6, twin.n - robot.n :]
    return _about_center(twin, state, rows, threads).reshape(*batch.shape, 6, robot.n)


def centroidal_momentum_bias(robot: Robot, q: ArrayLike, qd: ArrayLike, *, threads: int | None = None) -> Floats:
    """Rate of the centroidal momentum at zero acceleration: dA/dt qd.

    The rate of the centroidal momentum, A qdd + dA/dt qd, is the sum of all external forces, gravity among them, and of
    their moments about the center of mass.

    Parameters
    ----------
    robot, q, qd, threads : as for `centroidal_momentum`, which lists the errors.

    Returns
    -------
    rate : (..., 6) N and N m, in world axes (base axes if the base is fixed).

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.centroidal_momentum_bias(arm, [0.0, 0.0], [1.0, 0.0]).round(4) + 0.0
    array([-2.,  0.,  0.,  0.,  0.,  0.])
    """
    batch = settle(robot, {"q": q, "qd": qd}, floating=True)
    twin, state, rates = _floating(robot, batch)
    rate = coriolis_vector(twin, state, rates, threads=threads)[:, :6]
    return _about_center(twin, state, rate[..., None], threads)[..., 0].reshape(*batch.shape, 6)


@lru_cache(maxsize=16)
def _on_floating_base(robot: Robot) -> Robot:
    return Robot(replace(robot.tree, floating=True), robot.joint_names)


def _floating(robot: Robot, batch: Batch) -> tuple[Robot, Floats, Floats]:
    """Return the robot on a floating base, its positions at the origin of the world, and its velocities."""
    q = batch.rows["q"]
    qd = batch.rows.get("qd", np.zeros((batch.samples, robot.n), batch.dtype))
    if robot.floating:
        q = q.copy()
        q[:, :3] *= 0.0  # NaN remains
        return robot, q, qd
    twin = _on_floating_base(robot)
    pose = np.broadcast_to(neutral(twin)[:_BASE].astype(batch.dtype), (batch.samples, _BASE))
    return twin, np.concatenate([pose, q], axis=1), np.concatenate([np.zeros_like(pose[:, :6]), qd], axis=1)


def _about_center(robot: Robot, q: Floats, rows: Floats, threads: int | None) -> Floats:
    """Turn force-like columns (m, 6, k) at the base, in its axes, into those at the center of mass, in world axes."""
    unit = unit_quaternions(q[:, QUATERNION])
    R = np.stack([rotate(unit, np.broadcast_to(axis, (len(q), 3))) for axis in np.eye(3, dtype=q.dtype)], axis=-1)
    center = center_of_mass(robot, q, threads=threads)
    linear = R @ rows[:, :3]
    angular = R @ rows[:, 3:] - np.cross(center[:, :, None], linear, axis=1)
    return np.concatenate([linear, angular], axis=1).astype(q.dtype, copy=False)
