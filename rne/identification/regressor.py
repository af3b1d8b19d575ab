"""Equations of motion, linear in the parameters of bodies and drives: tau = Y(q, qd, qdd) pi.

A link is a moving joint with all bodies that move rigidly with it. Its parameters are given about the origin and in the
axes of the frame of the joint: for a URDF joint or a row of a modified DH table, the frame of the child link; for a row
of a standard DH table, the frame ``..._axis``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Floats, as_batch, as_loads, as_result, as_table, check_robot, finish, read_only, settle
from rne.batch.quick import UNFIT, Algorithm, alone, quick
from rne.batch.threads import launch
from rne.check import check_flag
from rne.errors import ArgumentError
from rne.kernels.entries import (
    INVERSE_DYNAMICS,
    REGRESSOR,
    REGRESSOR_ONE,
    REGRESSOR_PRODUCT,
    REGRESSOR_PRODUCT_ONE,
)
from rne.model.parameters import OF_BODY, OF_FRICTION, of_links
from rne.model.robot import Robot

_REGRESSOR, _one = Algorithm(REGRESSOR_ONE, REGRESSOR, states=3, gravity=True, floating=True), REGRESSOR_ONE["float64"]
_PRODUCT = Algorithm(
    REGRESSOR_PRODUCT_ONE, REGRESSOR_PRODUCT, states=3, wrench=True, gravity=True, weights=True, floating=True
)
_product_one = REGRESSOR_PRODUCT_ONE["float64"]


def regressor(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    rotors: bool = True,
    friction: bool = False,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Regressor Y, which maps the parameters of bodies and drives to torques: tau = Y pi.

    With `pi = parameters(robot)` and the same flags, Y pi equals `inverse_dynamics` for a robot without springs and
    without dampers between joints; otherwise add `regressor_remainder`. Y depends on the kinematics of the robot, not
    on its masses. Sources: Atkeson, An, Hollerbach 1986; Khalil, Dombre 2002, chapter 12.

    Parameters
    ----------
    robot : the robot.
    q, qd, qdd : (..., n) positions, velocities and accelerations; the last two default to zero.
    gravity, out, threads : as in `inverse_dynamics`; so are the errors raised.
    rotors : whether to include one column per joint for the reflected rotor inertia. `inverse_dynamics` always includes
        rotors.
    friction : whether to include three columns per joint: viscous friction, and Coulomb friction for positive and for
        negative velocity.

    Returns
    -------
    Y : (..., n, P), columns in the order of `parameter_names`. A mimic joint has its own columns: Y is G^T times the
        regressor of all moving joints, where qd_joints = G qd.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q, qd, qdd = [0.3, 0.5], [1.0, -2.0], [0.0, 4.0]
    >>> Y = rne.regressor(arm, q, qd, qdd)
    >>> bool(np.allclose(Y @ rne.parameters(arm), rne.inverse_dynamics(arm, q, qd, qdd)))
    True
    """
    _check_flags(rotors, friction)
    try:
        joints, flags = robot.links.joint_sites["local"], (bool(rotors), bool(friction))
        Y: Floats | None = None
        if threads is None or alone(threads):
            Y = _one.call(robot._card, q, qd, qdd, gravity, out, joints, flags)
        if Y is None:
            tail = (robot.n, _count(robot, rotors, friction))
            Y = quick(_REGRESSOR, robot, (q, qd, qdd), tail, out, threads, gravity, (joints,), (flags,))
        if Y is not None:
            return Y
    except UNFIT:
        pass
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd}, floating=True)
    result = as_result(out, (*batch.shape, robot.n, _count(robot, rotors, friction)), batch)
    table = as_table(robot, batch.dtype, gravity)
    more = (read_only(robot.links.joint_sites["local"].astype(batch.dtype)), (bool(rotors), bool(friction)))
    launch(REGRESSOR[batch.dtype], robot, batch, ("q", "qd", "qdd"), result, threads, table, *more)
    return finish(result, out)


def regressor_vjp(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None,
    qdd: ArrayLike | None,
    weights: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    rotors: bool = True,
    friction: bool = False,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Gradient of sum of weights . tau by the parameters of bodies and drives: weights times `regressor`.

    One outward sweep, O(n); the regressor is not formed. With the gradient of a cost by the torques as weights, this is
    the gradient of the cost by the parameters, sample by sample; `inverse_dynamics_vjp` is that by the motion.
    `rne.kernels.regressor_product` describes the sweep.

    Parameters
    ----------
    robot : the robot.
    q, qd, qdd : (..., n) positions, velocities and accelerations, as for `regressor`.
    weights : (..., n) factor of each torque.
    gravity, rotors, friction, out, threads : as for `regressor`; so are the errors raised.

    Returns
    -------
    gradient : (..., P), in the order of `parameter_names`.

    Examples
    --------
    The gradient of the sum of squared torques over a trajectory:

    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q, qd, qdd = rne.quintic(np.zeros(2), np.ones(2), np.linspace(0, 1, 50), duration=1.0)
    >>> tau = rne.inverse_dynamics(arm, q, qd, qdd)
    >>> gradient = rne.regressor_vjp(arm, q, qd, qdd, 2 * tau).sum(axis=0)
    >>> bool(np.isclose(gradient @ rne.parameters(arm), 2 * (tau**2).sum()))
    True
    """
    _check_flags(rotors, friction)
    if weights is None:
        raise ArgumentError("weights: wanted an array, got None")
    try:
        joints, flags = robot.links.joint_sites["local"], (bool(rotors), bool(friction))
        found: Floats | None = None
        if threads is None or alone(threads):
            found = _product_one.call(robot._card, q, qd, qdd, weights, gravity, out, joints, flags)
        if found is None:
            given, tail = (q, qd, qdd, weights), (_count(robot, rotors, friction),)
            found = quick(_PRODUCT, robot, given, tail, out, threads, gravity, (joints,), (flags,))
        if found is not None:
            return found
    except UNFIT:
        pass
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd, "weights": weights}, floating=True)
    result = as_result(out, (*batch.shape, _count(robot, rotors, friction)), batch)
    table = as_table(robot, batch.dtype, gravity)
    more = (read_only(robot.links.joint_sites["local"].astype(batch.dtype)), (bool(rotors), bool(friction)))
    launch(REGRESSOR_PRODUCT[batch.dtype], robot, batch, ("q", "qd", "qdd", "weights"), result, threads, table, *more)
    return finish(result, out)


def regressor_remainder(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    *,
    friction: bool = False,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Torques without columns in `regressor`: springs and, with friction, dampers between joints.

    For every robot ``inverse_dynamics(robot, q, qd, qdd)`` equals ``regressor(robot, q, qd, qdd) @ parameters(robot) +
    regressor_remainder(robot, q, qd)``, with the same `friction` in all four calls. The remainder is zero for a robot
    without springs and without dampers between joints.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities (zero if None). Leading axes broadcast against each other.
    friction : whether to add the dampers between joints. Friction of single joints has columns in the regressor.
    out, threads : as in `inverse_dynamics`; so are the errors raised.

    Returns
    -------
    tau : (..., n) N m or N.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml").with_springs([[8.0, -5.0], [-5.0, 5.0]], rest=[0.1, 0.0])
    >>> rne.regressor_remainder(arm, [0.3, 0.5]).round(9)
    array([-0.9,  1.5])
    """
    loads = as_loads(friction)
    check_robot(robot, floating=True)
    batch = as_batch(robot, {"q": q, "qd": qd, "qdd": None}, required="q")
    result = as_result(out, (*batch.shape, robot.n), batch)
    table = robot.links.without_parameters(as_table(robot, batch.dtype))
    launch(INVERSE_DYNAMICS[batch.dtype], robot, batch, ("q", "qd", "qdd"), result, threads, table, loads)
    return finish(result, out)


def _check_flags(rotors: bool, friction: bool) -> None:
    check_flag("rotors", rotors)
    check_flag("friction", friction)


def _count(robot: Robot, rotors: bool, friction: bool) -> int:
    joints = len(robot.links.joints)
    bodies = len(OF_BODY) * (robot.floating + joints)
    return bodies + joints * (bool(rotors) + len(OF_FRICTION) * bool(friction))


def parameter_names(robot: Robot, *, rotors: bool = True, friction: bool = False) -> tuple[str, ...]:
    """Names of the parameters, ``<quantity>_<joint>``, in the order of the columns of `regressor`.

    The first are ten per link, joint by joint in the order of `robot.links.joints`: mass m (kg), first moments mx, my,
    mz (kg m), and the inertia tensor Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the origin of the frame of the joint (kg m^2;
    products with the sign - integral of x y dm), in the order of a URDF file. Pinocchio orders them as
    [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]. Those of a base that floats come first, named ``<quantity>_base``, in its own axes
    and about its origin.

    Parameters
    ----------
    robot : the robot.
    rotors : whether to append the reflected rotor inertias, one per joint (kg m^2 or kg).
    friction : whether to append the friction: viscous of all joints (N m s/rad or N s/m), then coulomb_plus of all
        joints and coulomb_minus of all joints (N m or N), the magnitudes of Coulomb friction for positive and for
        negative velocity.

    Returns
    -------
    names : P names.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.parameter_names(arm)[9:12], rne.parameter_names(arm)[-2:]
    (('Izz_shoulder', 'm_elbow', 'mx_elbow'), ('rotor_shoulder', 'rotor_elbow'))
    """
    check_robot(robot, floating=True)
    _check_flags(rotors, friction)
    joints = robot.links.joints
    drives = ("rotor",) * bool(rotors) + OF_FRICTION * bool(friction)
    bodies = [f"{name}_{body}" for body in (*("base",) * robot.floating, *joints) for name in OF_BODY]
    return (*bodies, *(f"{name}_{joint}" for name in drives for joint in joints))


def parameters(robot: Robot, *, rotors: bool = True, friction: bool = False) -> Floats:
    """Parameters pi of a robot, for tau = Y pi with the Y of `regressor`.

    Parameters
    ----------
    robot, rotors, friction : as in `parameter_names`, which lists the parameters and their units.

    Returns
    -------
    pi : (P,) float64.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.parameters(arm)[10:14]  # m, mx, my, mz of the second link
    array([1. , 0.5, 0. , 0. ])
    """
    check_robot(robot, floating=True)
    _check_flags(rotors, friction)
    links = robot.links
    drives = ([links.rotors] if rotors else []) + ([*links.friction] if friction else [])
    return np.concatenate([of_links(links, robot.floating).ravel(), *drives])
