"""Inverse and forward dynamics, assembled from the coefficients of the equations of motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import check_flag
from rne.errors import ArgumentError
from rne.lagrange.chain import at_joints, coupling_map, mimic_map, moving_joints, states
from rne.lagrange.terms import christoffel, gravity_vector, inertia_matrix
from rne.model.robot import Robot

Array = NDArray[np.float64]


def coriolis_vector(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Array:
    """Coriolis and centripetal torques: sum_jk D_ijk qd_j qd_k.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities; leading axes broadcast against each other.

    Returns
    -------
    c : (..., n) N m or N.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape or type.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> coriolis_vector(arm, [0.3, np.pi / 2], [1.0, 2.0]).round(4)
    array([-4. ,  0.5])
    """
    position, velocity = states(robot, q=q, qd=qd)
    c: Array = np.einsum("...ijk,...j,...k->...i", christoffel(robot, position), velocity, velocity)
    return c


def inverse_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    friction: bool = False,
) -> Array:
    """Torques of a motion: tau_i = sum_j D_ij qdd_j + Ia_i qdd_i + sum_jk D_ijk qd_j qd_k + D_i + springs.

    Paul 1981, chapter 6, with the springs of `spring_torque`.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    qd, qdd : (..., n) velocities and accelerations; zero if None. Leading axes broadcast against each other.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.
    friction : whether to add viscous and Coulomb friction of the joints; no Coulomb friction at rest.

    Returns
    -------
    tau : (..., n) N m or N.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape or type.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> inverse_dynamics(arm, [0.0, 0.0], qdd=[1.0, 0.0], gravity=[0.0, 0.0, 0.0]).round(4)
    array([2.6667, 0.8333])
    """
    check_flag("friction", friction)
    position, velocity, acceleration = states(robot, q=q, qd=qd, qdd=qdd)
    inertial = np.einsum("...ij,...j->...i", inertia_matrix(robot, position), acceleration)
    tau: Array = inertial + gravity_vector(robot, position, gravity=gravity) + spring_torque(robot, position)
    if qd is not None:
        tau = tau + coriolis_vector(robot, position, velocity)
    if friction:
        tau = tau + friction_torque(robot, velocity)
    return tau


def friction_torque(robot: Robot, qd: ArrayLike) -> Array:
    """Torques that overcome friction: that of the drives, see `rne.Drive`, and the dampers between joints.

    Parameters
    ----------
    robot : the robot.
    qd : (..., n) velocities, rad/s or m/s, in the order of `robot.joint_names`.

    Returns
    -------
    tau : (..., n) N m or N.

    Raises
    ------
    ArgumentError
        `qd` has the wrong shape or type.

    Examples
    --------
    >>> import rne
    >>> row = {"joint": "revolute", "a": 0.1, "mass": 1.0, "viscous": 0.5, "coulomb": [0.2, -0.3]}
    >>> wheel = rne.from_dh([row], convention="standard")
    >>> friction_torque(wheel, [[2.0], [0.0], [-2.0]]).ravel()
    array([ 1.2,  0. , -1.3])
    """
    (velocity,) = states(robot, qd=qd)
    G, _ = mimic_map(robot)
    at_joint = velocity @ G.T
    drives = [joint.drive for joint in moving_joints(robot.tree)]
    viscous = np.array([drive.viscous for drive in drives])
    plus = np.array([drive.coulomb_plus for drive in drives])
    minus = np.array([drive.coulomb_minus for drive in drives])
    jump, rest = np.where(at_joint > 0, plus, np.where(at_joint < 0, minus, 0.0)), np.zeros_like(at_joint)
    for j, drive in enumerate(drives):
        v = at_joint[..., j]
        if drive.stribeck:
            jump[..., j] += drive.stribeck * np.exp(-np.abs(v) / drive.stribeck_velocity)
        if drive.smoothing:
            jump[..., j] *= np.tanh(np.abs(v) / drive.smoothing)
        rest[..., j] = drive.offset + drive.quadratic * v * np.abs(v) + drive.cubic * v**3
    coulomb = np.sign(at_joint) * jump + rest
    S = coupling_map(robot.tree)
    between = np.array([coupling.viscous for coupling in robot.tree.couplings]) * (at_joint @ S.T)
    tau: Array = (viscous * at_joint + coulomb + between @ S) @ G
    return tau


def spring_torque(robot: Robot, q: ArrayLike) -> Array:
    """Torques that hold the springs: dP/dq of P = sum_i k_i (q_i - rest_i)^2 / 2 over joints and couplings.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.

    Returns
    -------
    tau : (..., n) N m or N; springs of mimic joints act on their leaders.

    Raises
    ------
    ArgumentError
        `q` has the wrong shape or type.

    Examples
    --------
    >>> import rne
    >>> row = {"joint": "prismatic", "mass": 1.0, "stiffness": 50.0, "rest": 0.1}
    >>> cart = rne.from_dh([row], convention="standard")
    >>> spring_torque(cart, [0.3]).round(9)
    array([10.])
    """
    (position,) = states(robot, q=q)
    G, _ = mimic_map(robot)
    drives = [joint.drive for joint in moving_joints(robot.tree)]
    stiffness, rest = (np.array([getattr(drive, name) for drive in drives]) for name in ("stiffness", "rest"))
    at_joint, S = at_joints(robot, position), coupling_map(robot.tree)
    between = [
        np.array([getattr(coupling, name) for coupling in robot.tree.couplings]) for name in ("stiffness", "rest")
    ]
    tau: Array = (stiffness * (at_joint - rest) + between[0] * (at_joint @ S.T - between[1]) @ S) @ G
    return tau


def forward_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None,
    tau: ArrayLike | None,
    *,
    gravity: ArrayLike | None = None,
    friction: bool = False,
) -> Array:
    """Accelerations from torques, by solving the equations of `inverse_dynamics` for qdd.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    qd, tau : (..., n) velocities, and torques (N m or N); zero if None. Leading axes broadcast against each other.
    gravity, friction : as in `inverse_dynamics`.

    Returns
    -------
    qdd : (..., n) rad/s^2 or m/s^2.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape or type, or the mass matrix is singular.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> held = gravity_vector(arm, [0.3, 0.5])
    >>> abs(forward_dynamics(arm, [0.3, 0.5], [0.0, 0.0], held)).max() < 1e-12
    np.True_
    """
    position, velocity, torque = states(robot, q=q, qd=qd, tau=tau)
    M = inertia_matrix(robot, position)
    _refuse_singular(robot, M)
    rest = torque - inverse_dynamics(robot, position, velocity, gravity=gravity, friction=friction)
    solution = np.linalg.solve(M, rest[..., None])[..., 0]
    return np.asarray(solution, dtype=np.float64)


def _refuse_singular(robot: Robot, M: Array) -> None:
    """Name the joint that can move without inertia: the largest component of the eigenvector of the zero eigenvalue."""
    rows = M[np.isfinite(M).all(axis=(-2, -1))]
    if not rows.size:
        return
    scale = np.sqrt(np.maximum(np.einsum("...ii->...i", rows), 0.0))
    if (scale == 0).any():
        weak = int(np.argwhere(scale == 0)[0, -1])
    else:
        # angles and lengths are not comparable, so every coordinate is scaled by its own inertia
        values, directions = np.linalg.eigh(rows / (scale[:, :, None] * scale[:, None, :]))
        worst = int(values[:, 0].argmin())
        if values[worst, 0] > 4 * robot.n * np.finfo(float).eps:
            return
        weak = int(np.abs(directions[worst, :, 0]).argmax())
    name = robot.coordinate_names[weak]
    raise ArgumentError(f"robot: the mass matrix is singular, joint {name!r} can move without moving any inertia")
