"""The equations of motion as linear in the parameters of bodies and drives, tau = Y(q, qd, qdd) pi.

The parameters of a link, a moving joint with all that is bolted to what it carries, are about the origin and in the
axes of the frame on the joint: that of the child link of a URDF joint or a modified DH row; in a standard DH table the
frame ``..._axis`` of the row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Floats, as_result, as_table, check_robot, finish, read_only, settle
from rne.batch.quick import UNFIT, Algorithm, alone, quick
from rne.batch.threads import launch
from rne.check import check_flag
from rne.kernels.entries import REGRESSOR, REGRESSOR_ONE
from rne.model.parameters import OF_BODY, OF_FRICTION, from_pseudo_inertias
from rne.model.robot import Robot

_REGRESSOR, _one = Algorithm(REGRESSOR_ONE, REGRESSOR, states=3, gravity=True), REGRESSOR_ONE["float64"]


def regressor(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    rotors: bool = False,
    friction: bool = False,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Matrix Y that turns the parameters of bodies and drives into torques: tau = Y pi.

    With `pi = parameters(robot)`, Y pi is `inverse_dynamics` without springs, and without rotors unless these are asked
    for. Y depends on the joints of the robot, not on its masses. Atkeson, An, Hollerbach 1986; Khalil, Dombre 2002,
    chapter 12.

    Parameters
    ----------
    robot : the robot.
    q, qd, qdd : (..., n) positions, velocities and accelerations; the last two zero if None.
    gravity, out, threads : as for `inverse_dynamics`, which also tells the errors.
    rotors : whether to add a column a joint for the reflected rotor inertia.
    friction : whether to add three columns a joint for viscous friction and for Coulomb friction either way.

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
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd})
    result = as_result(out, (*batch.shape, robot.n, _count(robot, rotors, friction)), batch)
    table = as_table(robot, batch.dtype, gravity)
    more = (read_only(robot.links.joint_sites["local"].astype(batch.dtype)), (bool(rotors), bool(friction)))
    launch(REGRESSOR[batch.dtype], robot, batch, ("q", "qd", "qdd"), result, threads, table, *more)
    return finish(result, out)


def _check_flags(rotors: bool, friction: bool) -> None:
    check_flag("rotors", rotors)
    check_flag("friction", friction)


def _count(robot: Robot, rotors: bool, friction: bool) -> int:
    return len(robot.links.joints) * (len(OF_BODY) + bool(rotors) + len(OF_FRICTION) * bool(friction))


def parameter_names(robot: Robot, *, rotors: bool = False, friction: bool = False) -> tuple[str, ...]:
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
    >>> rne.parameter_names(arm, rotors=True)[9:12], rne.parameter_names(arm, rotors=True)[-2:]
    (('Izz_shoulder', 'm_elbow', 'mx_elbow'), ('rotor_shoulder', 'rotor_elbow'))
    """
    check_robot(robot)
    _check_flags(rotors, friction)
    joints = robot.links.joints
    drives = ("rotor",) * bool(rotors) + OF_FRICTION * bool(friction)
    bodies = [f"{name}_{joint}" for joint in joints for name in OF_BODY]
    return (*bodies, *(f"{name}_{joint}" for name in drives for joint in joints))


def parameters(robot: Robot, *, rotors: bool = False, friction: bool = False) -> Floats:
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
    >>> rne.parameters(arm)[-10:-6]  # m, mx, my, mz of the second link
    array([1. , 0.5, 0. , 0. ])
    """
    check_robot(robot)
    _check_flags(rotors, friction)
    links = robot.links
    frames = [links.frames[name] for name in links.joint_frames]
    bodies = [_body(J, frame.rotation, frame.position) for J, frame in zip(links.pseudo_inertias, frames, strict=True)]
    drives = ([links.rotors] if rotors else []) + ([*links.friction] if friction else [])
    return np.concatenate([np.zeros(0), *bodies, *drives])


def _body(J: Floats, rotation: Floats, position: Floats) -> Floats:
    """Ten parameters of a body about a frame at `rotation`, `position`, from its pseudo-inertia about the row's."""
    into = np.eye(4)
    into[:3, :3], into[:3, 3] = rotation.T, -rotation.T @ position
    return from_pseudo_inertias(into @ J @ into.T)
