"""Coefficients of the equations of motion by the trace formulas: D_ij, D_ijk, D_i."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import check_flag, numbers
from rne.lagrange.chain import mimic_map, moving_joints, placed_bodies, states
from rne.lagrange.pseudo import pseudo_inertia
from rne.model.robot import Robot

Array = NDArray[np.float64]


def inertia_matrix(robot: Robot, q: ArrayLike, *, rotors: bool = True) -> Array:
    """Mass matrix: D_ij = sum_p Tr(dT_p/dq_j J_p dT_p^T/dq_i), and the reflected rotor inertia on the diagonal.

    Paul 1981, chapter 6, where D_ij is the matrix without rotors (`rotors=False`) and Ia_i is added to D_ii.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    rotors : whether to add the reflected rotor inertias; those of mimic joints act on their leaders.

    Returns
    -------
    M : (..., n, n) symmetric; kg m^2, kg m or kg, depending on whether the coordinates are angles or lengths.

    Raises
    ------
    ArgumentError
        `q` has the wrong shape or type.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> inertia_matrix(arm, [0.0, 0.0]).round(4)
    array([[2.6667, 0.8333],
           [0.8333, 0.3333]])
    """
    check_flag("rotors", rotors)
    (position,) = states(robot, q=q)
    G, _ = mimic_map(robot)
    m = len(G)
    D = np.zeros((*position.shape[:-1], m, m))
    for p in placed_bodies(robot, position):
        J = pseudo_inertia(p.body)
        # Tr(X Y^T) is the sum of the elementwise products of X and Y
        D[p.among_all(2)] += np.einsum("...jab,...iab->...ij", p.U_j @ J, p.U_j)
    if rotors:
        D[..., np.arange(m), np.arange(m)] += rotor_inertias(robot)
    return G.T @ D @ G


def rotor_inertias(robot: Robot) -> Array:
    """Ia (m,): reflected inertia of the rotor of every moving joint."""
    return np.array([joint.drive.reflected_inertia for joint in moving_joints(robot.tree)])


def christoffel(robot: Robot, q: ArrayLike) -> Array:
    """Christoffel symbols of the first kind: D_ijk = sum_p Tr(d2T_p/dq_j dq_k J_p dT_p^T/dq_i).

    The velocity torques are sum_jk D_ijk qd_j qd_k: the centripetal torque of joint j is D_ijj qd_j^2, and the Coriolis
    torque of j and k occurs twice, as D_ijk and as D_ikj. D_ijk equals (dD_ij/dq_k + dD_ik/dq_j - dD_jk/dq_i) / 2. Paul
    1981, section 6.4.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.

    Returns
    -------
    D : (..., n, n, n), symmetric in the last two axes. Mimic joints are eliminated on all three axes.

    Raises
    ------
    ArgumentError
        `q` has the wrong shape or type.

    Examples
    --------
    -m2 l1 r2 sin(q2) in three elements of the first joint, and with opposite sign in one of the second:

    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> christoffel(arm, [0.3, np.pi / 2]).round(4) + 0.0
    array([[[ 0. , -0.5],
            [-0.5, -0.5]],
           [[ 0.5,  0. ],
            [ 0. ,  0. ]]])
    """
    (position,) = states(robot, q=q)
    G, _ = mimic_map(robot)
    m = len(G)
    D = np.zeros((*position.shape[:-1], m, m, m))
    for p in placed_bodies(robot, position, order=2):
        if p.U_jk is not None:
            D[p.among_all(3)] += np.einsum("...jkab,...iab->...ijk", p.U_jk @ pseudo_inertia(p.body), p.U_j)
    for _ in range(3):  # each pass reduces the first of the three axes and moves it to the end
        D = np.tensordot(D, G, axes=(-3, 0))
    return D


def gravity_vector(robot: Robot, q: ArrayLike, *, gravity: ArrayLike | None = None) -> Array:
    """Torques that hold the robot still: D_i = - sum_p m_p g^T dT_p/dq_i rbar_p (Paul 1981, chapter 6).

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.

    Returns
    -------
    g : (..., n) N m or N.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape or type.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> gravity_vector(arm, [0.0, 0.0]).round(3)
    array([19.62 ,  4.905])
    """
    (position,) = states(robot, q=q)
    G, _ = mimic_map(robot)
    g = free_fall(robot, gravity)
    D = np.zeros((*position.shape[:-1], len(G)))
    for p in placed_bodies(robot, position):
        moment = pseudo_inertia(p.body)[:, 3]  # m [rbar, 1]
        D[..., list(p.joints)] -= p.U_j @ moment @ g
    return D @ G


def free_fall(robot: Robot, gravity: ArrayLike | None) -> Array:
    """g^T = [gx, gy, gz, 0], homogeneous coordinates of a free vector."""
    return np.append(robot.gravity if gravity is None else numbers("gravity", gravity, (3,)), 0.0)


def coriolis_matrix(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Array:
    """Coriolis matrix of the Christoffel symbols: C_ij = sum_k D_ijk qd_k.

    Among all matrices with the same C qd, this choice makes Mdot - 2 C skew-symmetric, and Mdot = C + C^T.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities; leading axes broadcast against each other.

    Returns
    -------
    C : (..., n, n).

    Raises
    ------
    ArgumentError
        An argument has the wrong shape or type.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> coriolis_matrix(arm, [0.3, np.pi / 2], [1.0, 2.0]).round(4) + 0.0
    array([[-1. , -1.5],
           [ 0.5,  0. ]])
    """
    position, velocity = states(robot, q=q, qd=qd)
    C: Array = np.einsum("...ijk,...k->...ij", christoffel(robot, position), velocity)
    return C
