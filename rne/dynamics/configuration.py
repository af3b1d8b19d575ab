"""Positions of a robot as points of a manifold: neutral position, steps along a velocity, and their inverse.

The pose of a base that floats is a rigid-body transformation. A step multiplies it by the exponential of a twist in
base axes (Lynch and Park, "Modern Robotics" (2017), section 3.3; Murray, Li, Sastry 1994, section 2.3), so that a
quaternion keeps its length. Joint positions are added.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import Batch, Floats, as_result, check_robot, finish, settle
from rne.model.floating import NEUTRAL, QUATERNION
from rne.model.quaternions import conjugate, product, rotate, unit_quaternions
from rne.model.robot import Robot

Array = NDArray[np.float64]

_BASE = len(NEUTRAL)
_SMALL = 0.1  # rad; below it, a series has less rounding error than differences of sines and cosines


def neutral(robot: Robot) -> Array:
    """Neutral position: all joints at zero, and a base that floats at the origin of the world, not rotated.

    Parameters
    ----------
    robot : the robot.

    Returns
    -------
    q : (nq,) zeros; with a floating base [0, 0, 0, 0, 0, 0, 1, 0, ...].

    Raises
    ------
    ArgumentError
        `robot` is not a Robot.

    Examples
    --------
    >>> import rne
    >>> rne.neutral(rne.load("models/planar2/robot.dh.toml", floating=True))
    array([0., 0., 0., 0., 0., 0., 1., 0., 0.])
    """
    check_robot(robot, floating=True)
    q = np.zeros(robot.nq)
    if robot.floating:
        q[:_BASE] = NEUTRAL
    return q


def integrate(robot: Robot, q: ArrayLike, dq: ArrayLike, *, out: Floats | None = None) -> Floats:
    """Position after a step: that which the robot reaches from `q` by the constant velocity `dq` in unit time.

    Parameters
    ----------
    robot : the robot.
    q : (..., nq) positions.
    dq : (..., n) velocities times a time: rad or m; leading axes broadcast. A base that floats moves along a screw,
        with linear and angular velocity constant in its own axes.
    out : array to fill and return; it must have dtype and shape of the result.

    Returns
    -------
    q : (..., nq) the new positions, with unit quaternions; without a floating base q + dq.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value; the quaternion of a single state does not have unit length
        within 1e-3. In a batch, the result of such a sample is NaN.

    Examples
    --------
    A quarter turn to the left while driving one meter on a quarter circle:

    >>> import numpy as np, rne
    >>> car = rne.load_urdf('<robot name="car"><link name="body"/></robot>', floating=True)
    >>> rne.integrate(car, rne.neutral(car), [1, 0, 0, 0, 0, np.pi / 2]).round(4)
    array([0.6366, 0.6366, 0.    , 0.    , 0.    , 0.7071, 0.7071])
    """
    batch = settle(robot, {"q": q, "dq": dq}, floating=True)
    result = as_result(out, (*batch.shape, robot.nq), batch)
    rows = result.reshape(batch.samples, robot.nq)
    start, step = _doubles(batch, "q"), _doubles(batch, "dq")
    base = _BASE if robot.floating else 0
    rows[:, base:] = start[:, base:] + step[:, robot.n - robot.nq + base :]
    if robot.floating:
        rows[:, :_BASE] = _moved(start[:, :_BASE], step[:, :3], step[:, 3:6])
        rows[np.isnan(rows[:, _BASE - 1])] = np.nan
    return finish(result, out)


def difference(robot: Robot, q0: ArrayLike, q1: ArrayLike, *, out: Floats | None = None) -> Floats:
    """Step between two positions, the inverse of `integrate`: integrate(robot, q0, difference(robot, q0, q1)) is q1.

    Parameters
    ----------
    robot : the robot.
    q0, q1 : (..., nq) positions; leading axes broadcast against each other.
    out : as for `integrate`, which lists the errors.

    Returns
    -------
    dq : (..., n) velocities in base axes times a time, rad or m, with a rotation of at most half a turn; without a
        floating base q1 - q0.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml", floating=True)
    >>> q = rne.integrate(arm, rne.neutral(arm), [0.1, 0.2, 0.3, 1.0, 0.0, -1.0, 0.5, 0.6])
    >>> rne.difference(arm, rne.neutral(arm), q).round(9)
    array([ 0.1,  0.2,  0.3,  1. ,  0. , -1. ,  0.5,  0.6])
    """
    batch = settle(robot, {"q0": q0, "q1": q1}, floating=True)
    result = as_result(out, (*batch.shape, robot.n), batch)
    rows = result.reshape(batch.samples, robot.n)
    start, end = _doubles(batch, "q0"), _doubles(batch, "q1")
    base = _BASE if robot.floating else 0
    rows[:, robot.n - robot.nq + base :] = end[:, base:] - start[:, base:]
    if robot.floating:
        rows[:, :6] = _twist(start[:, :_BASE], end[:, :_BASE])
        rows[np.isnan(rows[:, 5])] = np.nan
    return finish(result, out)


def _doubles(batch: Batch, name: str) -> Array:
    return batch.rows[name].astype(np.float64, copy=False)


@np.errstate(over="ignore", invalid="ignore")  # infinite steps become NaN
def _moved(pose: Array, v: Array, w: Array) -> Array:
    """Poses (m, 7) after a unit of time with the twists v and w, (m, 3) each."""
    angle = np.linalg.norm(w, axis=1, keepdims=True)
    half = np.sinc(angle / (2 * np.pi))
    along = np.cross(w, v)
    path = v + 0.5 * half**2 * along + _third(angle) * np.cross(w, along)
    turn = np.concatenate([0.5 * half * w, np.cos(0.5 * angle)], axis=1)
    unit = unit_quaternions(pose[:, QUATERNION])
    after = unit_quaternions(product(unit, turn))
    return np.concatenate([pose[:, :3] + rotate(unit, path), after], axis=1)


def _third(angle: Array) -> Array:
    """(x - sin x) / x^3."""
    square = angle * angle
    series = 1 / 6 - square * (1 / 120 - square * (1 / 5040 - square / 362880))
    safe = np.where(angle < _SMALL, 1.0, angle)
    return np.where(angle < _SMALL, series, (safe - np.sin(safe)) / safe**3)


@np.errstate(over="ignore", invalid="ignore")
def _twist(start: Array, end: Array) -> Array:
    """Twists (m, 6) that lead from poses to poses, (m, 7) each."""
    unit = unit_quaternions(start[:, QUATERNION])
    turn = product(conjugate(unit), unit_quaternions(end[:, QUATERNION]))
    turn = np.where(turn[:, 3:] < 0, -turn, turn)
    sine = np.linalg.norm(turn[:, :3], axis=1, keepdims=True)
    angle = 2 * np.arctan2(sine, turn[:, 3:])
    w = turn[:, :3] * np.where(sine > 0, angle / np.where(sine > 0, sine, 1.0), 2.0)
    path = rotate(conjugate(unit), end[:, :3] - start[:, :3])
    across = np.cross(w, path)
    square = angle * angle
    series = 1 / 12 + square * (1 / 720 + square * (1 / 30240 + square / 1209600))
    safe = np.where(angle < _SMALL, 1.0, angle)
    factor = np.where(angle < _SMALL, series, (1 - 0.5 * safe / np.tan(0.5 * safe)) / safe**2)
    return np.concatenate([path - 0.5 * across + factor * np.cross(w, across), w], axis=1)
