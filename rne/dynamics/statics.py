"""Forces: joint torques of wrenches, wrenches in the joints, and transformations of wrenches and twists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import (
    NOWHERE,
    Floats,
    as_result,
    as_table,
    check_axes,
    check_robot,
    finish,
    read_only,
    settle,
)
from rne.batch.quick import UNFIT, Algorithm, alone, quick, torque_of, wrenches_of
from rne.batch.threads import launch
from rne.check import are_rotations, check_choice, real_array
from rne.dynamics.inverse_dynamics import torque_of_wrenches
from rne.dynamics.kinematics import forward_kinematics
from rne.errors import ArgumentError
from rne.kernels.entries import JOINT_WRENCHES, JOINT_WRENCHES_ONE
from rne.model.robot import Robot

_BEARINGS = Algorithm(JOINT_WRENCHES_ONE, JOINT_WRENCHES, states=3, wrench=True, gravity=True, floating=True)
_bearings_one = JOINT_WRENCHES_ONE["float64"]


def static_torque(
    robot: Robot,
    q: ArrayLike,
    f_ext: Mapping[str, Any],
    *,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Joint torques of wrenches: J^T w, by the principle of virtual work.

    `inverse_dynamics` subtracts it for wrenches that act on the robot. For wrenches that the robot exerts on its
    surroundings, it is the torque that the joints need.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m.
    f_ext : wrenches by frame name, as for `inverse_dynamics`.
    out, threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    tau : (..., n) N m or N.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.static_torque(arm, [0.0, 0.0], {"link2": [0.0, 3.0, 0.0, 0.0, 0.0, 0.0]})
    array([6., 3.])
    """
    try:
        tau: Floats | None = torque_of(robot, q, f_ext, out, threads)
        if tau is not None:
            return tau
    except UNFIT:
        pass
    check_robot(robot, floating=True)
    if f_ext is None:
        raise ArgumentError("f_ext: wanted a mapping from frame name to wrench, got NoneType")
    batch = settle(robot, {"q": q}, f_ext, floating=True)
    result = as_result(out, (*batch.shape, robot.n), batch)
    torque_of_wrenches(robot, batch, result, threads)
    return finish(result, out)


def joint_wrenches(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
    axes: str = "world",
    origin: str = "child",
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Full force and moment in every joint: what bearings, guides and drive together exert on the link.

    The wrench is exerted by the parent link on the child link of the joint, and is given at the origin of the frame
    that the file attaches to the joint, which moves with it: the frame of the child link of a URDF joint and of a
    modified DH row; in a standard DH table, the frame ``..._axis`` of the row. For prismatic joints,
    textbooks often use a point of the guide instead, which does not move with the joint: ``origin="parent"``.

    Rotors, springs and friction act within the drive, and are not part of the wrench. So the component along the axis
    (moment of a revolute, force of a prismatic joint) is the torque of `inverse_dynamics` without them, if no joint
    mimics another.

    Parameters
    ----------
    robot : the robot.
    q, qd, qdd : (..., n) positions, velocities and accelerations; the last two zero if None.
    gravity, f_ext, out, threads : as for `inverse_dynamics`, which lists the errors.
    axes : "world" for base axes, "local" for those of the frame on the joint.
    origin : reference point of the moment: "child", the current origin of the frame on the joint; or "parent", the
        point of the parent link where that origin is with the joint at zero. They differ for prismatic joints only.

    Returns
    -------
    w : (..., joints, 6) [force; moment] in N and N m, in the order of `robot.links.joints`: all movable joints,
        including mimic joints, parents before children.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.joint_wrenches(arm, [0.0, 0.0])[:, [1, 5]]
    array([[19.62 , 19.62 ],
           [ 9.81 ,  4.905]])
    """
    if type(origin) is str and origin == "child":
        try:
            links = robot.links
            places, site, wrench = (links.joint_sites[axes], NOWHERE), NOWHERE, None
            if f_ext:
                site, wrench = wrenches_of(robot, f_ext)
                places = links.joint_sites[axes], site
            w: Floats | None = None
            if threads is None or alone(threads):
                w = _bearings_one.call(robot._card, q, qd, qdd, wrench, gravity, out, places)
            if w is None:
                given, tail = (q, qd, qdd, wrench), (len(links.joints), 6)
                w = quick(_BEARINGS, robot, given, tail, out, threads, gravity, places=places)
            if w is not None and (f_ext is None or type(f_ext) is dict):
                return w
        except UNFIT:
            pass
    check_robot(robot, floating=True)
    check_axes("axes", axes)
    check_choice("origin", origin, ("child", "parent"))
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd}, f_ext, floating=True)
    result = as_result(out, (*batch.shape, len(robot.links.joints), 6), batch)
    batch = batch.with_joined("wrenches", batch.wrenches)
    more = (read_only(table.astype(batch.dtype)) for table in (robot.links.joint_sites[axes], batch.sites))
    inputs, table = ("q", "qd", "qdd", "wrenches"), as_table(robot, batch.dtype, gravity)
    launch(JOINT_WRENCHES[batch.dtype], robot, batch, inputs, result, threads, table, *more)
    if origin == "parent":
        _move_to_parents(
            robot, batch.rows["q"], result.reshape(batch.samples, len(robot.links.joints), 6), axes, threads
        )
    return finish(result, out)


def _move_to_parents(robot: Robot, q: Floats, w: Floats, axes: str, threads: int | None) -> None:
    """Change the reference point of the moments (samples, joints, 6) of prismatic joints to "parent", in place."""
    links = robot.links
    for k, (name, frame) in enumerate(zip(links.joints, links.joint_frames, strict=True)):
        joint = robot.joint(name)
        if joint.kind == "prismatic":
            slide = links.ratios[k] * q[:, robot.nq - robot.n + links.leaders[k]] + links.shifts[k]
            axis = np.array(joint.axis)
            if axes == "world":
                axis = forward_kinematics(robot, q, frame, threads=threads)[:, :3, :3] @ axis
            w[:, k, 3:] += np.cross(slide[:, None] * axis, w[:, k, :3])


def transform_wrench(wrench: ArrayLike, rotation: ArrayLike, position: ArrayLike) -> Floats:
    """Transform a wrench from one frame of a body to another frame of the same body.

    f' = R f, m' = R m + p x R f. The power of the wrench is that of `transform_twist` of the twist.

    Parameters
    ----------
    wrench : (..., 6) [force; moment] in the axes of its frame, about its origin.
    rotation : (..., 3, 3) of that frame in the other one: R takes its axes to those of the other.
    position : (..., 3) of its origin in the other one, m.

    Returns
    -------
    wrench : (..., 6) in the axes of the other frame, about its origin. For the 6x6 matrix of the transform, give the
        rows of the identity, and transpose.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape or type, or `rotation` is not a rotation matrix.

    Examples
    --------
    >>> import numpy as np, rne
    >>> rne.transform_wrench([0.0, 0.0, 5.0, 0.0, 0.0, 0.0], np.eye(3), [1.0, 0.0, 0.0])
    array([ 0.,  0.,  5.,  0., -5.,  0.])
    """
    return _transform("wrench", wrench, rotation, position, moved=1)


def transform_twist(twist: ArrayLike, rotation: ArrayLike, position: ArrayLike) -> Floats:
    """Transform the twist of a body from one of its frames to another one.

    w' = R w, v' = R v + p x R w.

    Parameters
    ----------
    twist : (..., 6) [velocity of the origin of its frame; angular velocity], in the axes of its frame.
    rotation, position : of that frame in the other one, as for `transform_wrench`, which lists the errors.

    Returns
    -------
    twist : (..., 6) [velocity of the origin of the other frame; angular velocity], in the axes of the other frame.

    Examples
    --------
    >>> import numpy as np, rne
    >>> rne.transform_twist([0.0, 0.0, 0.0, 0.0, 0.0, 2.0], np.eye(3), [1.0, 0.0, 0.0])
    array([ 0., -2.,  0.,  0.,  0.,  2.])
    """
    return _transform("twist", twist, rotation, position, moved=0)


def _transform(name: str, value: ArrayLike, rotation: ArrayLike, position: ArrayLike, moved: int) -> Floats:
    """Rotate both halves, and add to half `moved` the position times the other."""
    x, R, p = real_array(name, value), real_array("rotation", rotation), real_array("position", position)
    for argument, array, shape in ((name, x, (6,)), ("rotation", R, (3, 3)), ("position", p, (3,))):
        if array.shape[-len(shape) :] != shape:
            wanted = ", ".join(map(str, shape))
            raise ArgumentError(f"{argument}: wanted shape (..., {wanted}); got {array.shape}")
    try:
        halves = np.einsum("...ij,...kj->...ki", R, x.reshape(*x.shape[:-1], 2, 3))
        halves = np.stack(np.broadcast_arrays(halves[..., 0, :], halves[..., 1, :], p)[:2], axis=-2)
    except ValueError:
        given = f"{name} {x.shape}, rotation {R.shape}, position {p.shape}"
        raise ArgumentError(f"leading axes do not broadcast against each other: {given}") from None
    if not are_rotations(R).all():  # refuses reflections and scaled matrices; NaN passes
        raise ArgumentError("rotation: wanted orthonormal, right-handed matrices")
    halves[..., moved, :] += np.cross(p, halves[..., 1 - moved, :])
    return halves.reshape(*halves.shape[:-2], 6)
