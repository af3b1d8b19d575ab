"""Paul's shorter form of the inertias: differential translation and rotation vectors in the frames of the bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.errors import check_flag
from rne.lagrange.chain import homogeneous, mimic_map, moving_joints, placed_bodies, states
from rne.lagrange.terms import rotor_inertias
from rne.robot import Robot

Array = NDArray[np.float64]


def differential_vectors(robot: Robot, q: ArrayLike) -> dict[str, tuple[Array, Array]]:
    """How body p moves with each coordinate, in its own axes: dT_p/dq_i = T_p pDelta_i (Paul 1981, chapter 6).

    pDelta_i is the twist of the differential translation d and rotation delta. With n, o, a, p the columns of the
    transform from the frame of joint i, whose axis is z, to body p, Paul's elements are

        revolute    d = (-n_x p_y + n_y p_x, -o_x p_y + o_y p_x, -a_x p_y + a_y p_x),   delta = (n_z, o_z, a_z)
        prismatic   d = (n_z, o_z, a_z),   delta = 0

    which for an axis u in any direction are the components of u x p and of u along n, o, a.

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
    T = {p.body.name: p.T for p in placed_bodies(robot, position, order=0)}
    joints = moving_joints(robot.tree)
    vectors = {}
    for p in placed_bodies(robot, position):
        d, delta = np.zeros((2, *position.shape[:-1], len(joints), 3))
        for k in p.joints:
            joint = joints[k]
            at_joint = T[joint.parent] @ homogeneous(joint.origin)
            between = np.linalg.solve(at_joint, p.T)
            noa, r, u = between[..., :3, :3], between[..., :3, 3], np.array(joint.axis)
            along, across = u @ noa, (np.cross(u, r)[..., None, :] @ noa)[..., 0, :]
            if joint.kind == "revolute":
                d[..., k, :], delta[..., k, :] = across, along
            else:
                d[..., k, :] = along
        vectors[p.body.name] = (G.T @ d, G.T @ delta)
    return vectors


def paul_inertia_matrix(robot: Robot, q: ArrayLike, *, rotors: bool = True, products: bool = True) -> Array:
    """Mass matrix from differential vectors (Paul 1981, chapter 6).

    D_ij = sum_p delta_i^T I_p delta_j + m_p d_i . d_j + m_p rbar_p . (d_i x delta_j + d_j x delta_i), where I_p is the
    inertia tensor of body p about the origin of its frame. Paul takes I_p to be diagonal, which is an approximation
    unless the axes of the frames happen to be principal there; with its products the form is exact.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    rotors : whether to add the reflected rotor inertias, as Paul adds Ia_i to D_ii.
    products : whether I_p has its products of inertia; False is Paul's assumption, taken in the frame of each body.

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
    vectors = differential_vectors(robot, position)
    for body in robot.tree.bodies:
        d, delta = vectors[body.name]
        m, rbar = body.mass, np.array(body.com)
        tensor = np.array(body.inertia) + m * (rbar @ rbar * np.eye(3) - np.outer(rbar, rbar))
        if not products:
            tensor = np.diag(np.diag(tensor))
        # rbar . (d_i x delta_j) = d_i . (delta_j x rbar)
        cross = d @ np.swapaxes(np.cross(delta, rbar), -1, -2)
        rotation, translation = delta @ tensor @ np.swapaxes(delta, -1, -2), m * d @ np.swapaxes(d, -1, -2)
        D = D + rotation + translation + m * (cross + np.swapaxes(cross, -1, -2))
    return D
