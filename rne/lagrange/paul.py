"""Paul's simplified form of inertias and gravity: differential vectors, and first moments in the frames of joints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import check_flag, together, vectors
from rne.lagrange.chain import Placed, homogeneous, mimic_map, moving_joints, placed_bodies, states
from rne.lagrange.pseudo import pseudo_inertia
from rne.lagrange.terms import free_fall, rotor_inertias
from rne.model.robot import Robot
from rne.model.tree import Joint

Array = NDArray[np.float64]


def differential_vectors(robot: Robot, q: ArrayLike) -> dict[str, tuple[Array, Array]]:
    """Motion of body p with each coordinate in the axes of the body: dT_p/dq_i = T_p pDelta_i (Paul 1981, chapter 6).

    pDelta_i is the twist with differential translation d and rotation delta. With n, o, a, p the columns of the
    transform from the frame of joint i, whose axis is z, to body p, Paul's elements are

        revolute    d = (-n_x p_y + n_y p_x, -o_x p_y + o_y p_x, -a_x p_y + a_y p_x),   delta = (n_z, o_z, a_z)
        prismatic   d = (n_z, o_z, a_z),   delta = 0

    which for any axis u are the components of u x p and of u along n, o, a.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.

    Returns
    -------
    vectors : by body name, a pair d (..., n, 3), m/rad or 1, and delta (..., n, 3), rad/rad or rad/m.

    Raises
    ------
    ArgumentError
        `q` has the wrong shape or type.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> d, delta = differential_vectors(arm, [0.0, 0.0])["link2"]
    >>> d + 0.0, delta + 0.0
    (array([[0., 2., 0.],
           [0., 1., 0.]]), array([[0., 0., 1.],
           [0., 0., 1.]]))
    """
    (position,) = states(robot, q=q)
    G, _ = mimic_map(robot)
    found = {}
    for p, joints in _seen_from_joints(robot, position):
        d, delta = np.zeros((2, *position.shape[:-1], len(G), 3))
        for k, joint, _, between in joints:
            noa, r, u = between[..., :3, :3], between[..., :3, 3], np.array(joint.axis)
            along, across = u @ noa, (np.cross(u, r)[..., None, :] @ noa)[..., 0, :]
            if joint.kind == "revolute":
                d[..., k, :], delta[..., k, :] = across, along
            else:
                d[..., k, :] = along
        found[p.body.name] = (G.T @ d, G.T @ delta)
    return found


def differential_operator(d: ArrayLike, delta: ArrayLike) -> Array:
    """Operator of a differential translation d and rotation delta, [[delta x, d], [0, 0]] (Paul 1981, chapter 4).

    Applied to `differential_vectors` it yields the right-hand side of dT_p/dq_i = T_p pDelta_i; the left-hand side is
    `transform_derivatives`.

    Parameters
    ----------
    d, delta : (..., 3) translation and rotation.

    Returns
    -------
    Delta : (..., 4, 4).

    Raises
    ------
    ArgumentError
        An argument does not have shape (..., 3).

    Examples
    --------
    >>> differential_operator([1, 2, 3], [4, 5, 6])
    array([[ 0., -6.,  5.,  1.],
           [ 6.,  0., -4.,  2.],
           [-5.,  4.,  0.,  3.],
           [ 0.,  0.,  0.,  0.]])
    """
    translation, rotation = vectors("d", d), vectors("delta", delta)
    Delta = np.zeros((*together(d=translation, delta=rotation), 4, 4))
    Delta[..., :3, :3] = np.cross(rotation[..., None, :], np.eye(3)).swapaxes(-1, -2)
    Delta[..., :3, 3] = translation
    return Delta


def paul_gravity_vector(robot: Robot, q: ArrayLike, *, gravity: ArrayLike | None = None) -> Array:
    """Gravity torques from first moments in the frames of the joints (Paul 1981, chapter 6).

    D_i = (i-1)g . sum of m_p (i-1)rbar_p over the bodies p that joint i moves, all in the frame of joint i. With n, o,
    a the axes of that frame in the base and the joint axis along z, the row (i-1)g is

        revolute    (-g . o, g . n, 0, 0)
        prismatic   (0, 0, 0, -g . a)

    which for any axis u are u x g and -g . u.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.

    Returns
    -------
    g : (..., n) N m or N; the same as `gravity_vector`.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape or type.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> paul_gravity_vector(arm, [0.0, 0.0]).round(3)
    array([19.62 ,  4.905])
    """
    (position,) = states(robot, q=q)
    G, _ = mimic_map(robot)
    g = free_fall(robot, gravity)[:3]
    D = np.zeros((*position.shape[:-1], len(G)))
    for p, joints in _seen_from_joints(robot, position):
        moment = pseudo_inertia(p.body)[:, 3]
        for k, joint, at_joint, between in joints:
            row = np.zeros((*position.shape[:-1], 4))
            u, g_there = np.array(joint.axis), g @ at_joint[..., :3, :3]
            if joint.kind == "revolute":
                row[..., :3] = np.cross(u, g_there)
            else:
                row[..., 3] = -g_there @ u
            D[..., k] += (row * (between @ moment)).sum(axis=-1)
    return D @ G


def _seen_from_joints(robot: Robot, q: Array) -> Iterator[tuple[Placed, list[tuple[int, Joint, Array, NDArray[Any]]]]]:
    """Bodies with the joints that move them: row, joint, joint frame at q = 0 in the base, body in that frame."""
    T = {p.body.name: p.T for p in placed_bodies(robot, q, order=0)}
    moving = moving_joints(robot.tree)
    for p in placed_bodies(robot, q):
        at_joints = {k: T[moving[k].parent] @ homogeneous(moving[k].origin) for k in p.joints}
        yield p, [(k, moving[k], at_joint, np.linalg.solve(at_joint, p.T)) for k, at_joint in at_joints.items()]


def paul_inertia_matrix(robot: Robot, q: ArrayLike, *, rotors: bool = True, products: bool = True) -> Array:
    """Mass matrix from differential vectors (Paul 1981, chapter 6).

    D_ij = sum_p delta_i^T I_p delta_j + m_p d_i . d_j + m_p rbar_p . (d_i x delta_j + d_j x delta_i), where I_p is the
    inertia tensor of body p about the origin of its frame. Paul assumes a diagonal I_p, which is an approximation
    unless the axes of the frame are principal axes; with products of inertia the form is exact.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    rotors : whether to add the reflected rotor inertias, as Paul adds Ia_i to D_ii.
    products : whether to include the products of inertia; False is Paul's assumption, applied in the frame of each
        body.

    Returns
    -------
    M : (..., n, n).

    Raises
    ------
    ArgumentError
        `q` has the wrong shape or type.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> paul_inertia_matrix(arm, [0.0, 0.0]).round(4)
    array([[2.6667, 0.8333],
           [0.8333, 0.3333]])
    """
    check_flag("rotors", rotors)
    check_flag("products", products)
    (position,) = states(robot, q=q)
    G, _ = mimic_map(robot)
    D = np.broadcast_to(G.T * (rotor_inertias(robot) if rotors else 0.0) @ G, (*position.shape[:-1], robot.n, robot.n))
    twists = differential_vectors(robot, position)
    for body in robot.tree.bodies:
        d, delta = twists[body.name]
        m, rbar = body.mass, np.array(body.com)
        tensor = np.array(body.inertia) + m * (rbar @ rbar * np.eye(3) - np.outer(rbar, rbar))
        if not products:
            tensor = np.diag(np.diag(tensor))
        # m rbar . (d_i x delta_j) = d_i . (delta_j x rbar)
        first = m * rbar + np.array(body.first_moment)
        cross = d @ np.swapaxes(np.cross(delta, first), -1, -2)
        rotation, translation = delta @ tensor @ np.swapaxes(delta, -1, -2), m * d @ np.swapaxes(d, -1, -2)
        D = D + rotation + translation + cross + np.swapaxes(cross, -1, -2)
    return D
