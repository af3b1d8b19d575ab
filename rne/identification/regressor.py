"""The equations of motion as linear in the parameters of bodies and drives, tau = Y(q, qd, qdd) pi.

The parameters of a link, a moving joint with all that is bolted to what it carries, are about the origin and in the
axes of the frame on the joint: that of the child link of a URDF joint or a modified DH row; in a standard DH table the
frame ``..._axis`` of the row.
"""

from __future__ import annotations

import numpy as np
from numpy import empty, ndarray
from numpy.typing import ArrayLike

from rne.batch.arguments import F8, Floats, as_batch, as_loads, as_result, as_table, check_robot, finish, read_only
from rne.batch.threads import launch
from rne.check import check_flag
from rne.kernels.entries import INVERSE_DYNAMICS, REGRESSOR, REGRESSOR_ONE
from rne.kernels.jit import REFUSED
from rne.model.parameters import OF_BODY, OF_FRICTION, of_links
from rne.model.robot import Robot


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
    """Matrix Y that turns the parameters of bodies and drives into torques: tau = Y pi.

    With `pi = parameters(robot)` and the same flags, Y pi is `inverse_dynamics` of every robot without springs and
    without dampers between joints; those are the `regressor_remainder`, which is to be added. Y depends on the joints
    of the robot, not on its masses. Atkeson, An, Hollerbach 1986; Khalil, Dombre 2002, chapter 12.

    Parameters
    ----------
    robot : the robot.
    q, qd, qdd : (..., n) positions, velocities and accelerations; the last two zero if None.
    gravity, out, threads : as for `inverse_dynamics`, which also tells the errors.
    rotors : whether there is a column a joint for the reflected rotor inertia. `inverse_dynamics` always has rotors.
    friction : whether there are three columns a joint for viscous friction and for Coulomb friction either way.

    Returns
    -------
    Y : (..., n, P), the columns as `parameter_names` tells them. A link that follows another by a mimic joint has
        columns of its own: Y is G^T Y of the joints.

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
    plain = type(q) is type(qd) is type(qdd) is ndarray and q.ndim == 1 and q.dtype is qd.dtype is qdd.dtype is F8
    if plain and gravity is None and out is None and threads is None:
        try:
            joints = robot.links.joint_sites["local"]
            Y = empty((robot.n, _count(robot, rotors, friction)))
            if REGRESSOR_ONE.call(robot._address, joints, q, qd, qdd, Y, rotors, friction) == 0:
                return Y
        except REFUSED:
            pass
    check_robot(robot)
    batch = as_batch(robot, {"q": q, "qd": qd, "qdd": qdd}, required="q")
    result = as_result(out, (*batch.shape, robot.n, _count(robot, rotors, friction)), batch)
    table = as_table(robot, batch.dtype, gravity)
    more = (read_only(robot.links.joint_sites["local"].astype(batch.dtype)), bool(rotors), bool(friction))
    launch(REGRESSOR[batch.dtype], robot, batch, ("q", "qd", "qdd"), result, threads, table, *more)
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
    """Torques that `regressor` has no columns for: springs, and with friction the dampers between joints.

    For every robot ``inverse_dynamics(robot, q, qd, qdd)`` is ``regressor(robot, q, qd, qdd) @ parameters(robot) +
    regressor_remainder(robot, q, qd)``, with `friction` alike in all four. A robot without springs and without dampers
    between joints has no remainder.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities; the latter zero if None. Leading axes broadcast against each other.
    friction : whether to add the dampers between joints. Friction of single joints has columns.
    out, threads : as for `inverse_dynamics`, which also tells the errors.

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
    check_robot(robot)
    batch = as_batch(robot, {"q": q, "qd": qd, "qdd": None}, required="q")
    result = as_result(out, (*batch.shape, robot.n), batch)
    table = robot.links.without_parameters(as_table(robot, batch.dtype))
    launch(INVERSE_DYNAMICS[batch.dtype], robot, batch, ("q", "qd", "qdd"), result, threads, table, loads)
    return finish(result, out)


def _check_flags(rotors: bool, friction: bool) -> None:
    check_flag("rotors", rotors)
    check_flag("friction", friction)


def _count(robot: Robot, rotors: bool, friction: bool) -> int:
    return len(robot.links.joints) * (len(OF_BODY) + bool(rotors) + len(OF_FRICTION) * bool(friction))


def parameter_names(robot: Robot, *, rotors: bool = True, friction: bool = False) -> tuple[str, ...]:
    """Names of the parameters, in the order of the columns of `regressor`: what it is, and the joint.

    First ten a link, joint by joint in the order of `robot.links.joints`: mass m (kg), first moments mx, my, mz (kg m),
    and the inertia tensor Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the origin of the frame on the joint (kg m^2, products
    with the sign - integral of x y dm), in the order in which a URDF file has it. Pinocchio's order is
    [0, 1, 2, 3, 4, 5, 7, 6, 8, 9] of these.

    Parameters
    ----------
    robot : the robot.
    rotors : whether the reflected rotor inertias follow, one a joint (kg m^2 or kg).
    friction : whether the friction follows: viscous of all joints (N m s/rad or N s/m), then coulomb_plus of all, then
        coulomb_minus (N m or N), the size of the Coulomb friction for positive and for negative velocity.

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
    check_robot(robot)
    _check_flags(rotors, friction)
    joints = robot.links.joints
    drives = ("rotor",) * bool(rotors) + OF_FRICTION * bool(friction)
    bodies = [f"{name}_{joint}" for joint in joints for name in OF_BODY]
    return (*bodies, *(f"{name}_{joint}" for name in drives for joint in joints))


def parameters(robot: Robot, *, rotors: bool = True, friction: bool = False) -> Floats:
    """Parameters pi of a robot, for tau = Y pi with the Y of `regressor`.

    Parameters
    ----------
    robot, rotors, friction : as for `parameter_names`, which tells what they are.

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
    check_robot(robot)
    _check_flags(rotors, friction)
    links = robot.links
    drives = ([links.rotors] if rotors else []) + ([*links.friction] if friction else [])
    return np.concatenate([of_links(links).ravel(), *drives])
