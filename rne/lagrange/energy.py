"""Kinetic and potential energy from transforms and pseudo-inertias."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import check_flag
from rne.lagrange.chain import at_joints, coupling_map, mimic_map, moving_joints, placed_bodies, states
from rne.lagrange.pseudo import pseudo_inertia
from rne.lagrange.terms import free_fall, rotor_inertias
from rne.model.robot import Robot

Array = NDArray[np.float64]


def kinetic_energy(
    robot: Robot, q: ArrayLike, qd: ArrayLike, *, per_body: bool = False, rotors: bool = True
) -> Array | np.float64:
    """Kinetic energy: K = sum_p Tr(Td_p J_p Td_p^T) / 2 + sum_i Ia_i qd_i^2 / 2, with Td_p = sum_j dT_p/dq_j qd_j.

    Paul 1981, chapter 6.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities; leading axes broadcast against each other.
    per_body : whether to return the energy of each body, without rotors.
    rotors : whether the total includes the energy of the rotors.

    Returns
    -------
    K : (...) J; with `per_body` (..., bodies), in the order of `robot.frame_names`.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape or type.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> float(kinetic_energy(arm, [0.0, 0.0], [1.0, 0.0]).round(4))
    1.3333
    """
    check_flag("per_body", per_body)
    check_flag("rotors", rotors)
    position, velocity = states(robot, q=q, qd=qd)
    G, _ = mimic_map(robot)
    at_joint = velocity @ G.T
    K = {}
    for p in placed_bodies(robot, position):
        Td = np.einsum("...jab,...j->...ab", p.U_j, at_joint[..., list(p.joints)])
        K[p.body.name] = 0.5 * np.einsum("...ab,...ab->...", Td @ pseudo_inertia(p.body), Td)
    energies = np.stack([K[name] for name in robot.frame_names], axis=-1)
    if per_body:
        return energies
    total: Array = energies.sum(axis=-1)
    return total + 0.5 * (at_joint**2 @ rotor_inertias(robot)) if rotors else total


def potential_energy(
    robot: Robot, q: ArrayLike, *, per_body: bool = False, springs: bool = True, gravity: ArrayLike | None = None
) -> Array | np.float64:
    """Potential energy of gravity and springs: P = - sum_p m_p g^T T_p rbar_p + sum_i k_i (q_i - rest_i)^2 / 2.

    Paul 1981, chapter 6. The energy of gravity is zero at the origin of the base. Rotors have no weight of their own;
    the base body is included.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.
    per_body : whether to return the energy of each body.
    springs : whether to include the springs; with `per_body` their energy is added to the child body of the joint, for
        a spring between two joints of the first of them that moves.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.

    Returns
    -------
    P : (...) J; with `per_body` (..., bodies), in the order of `robot.frame_names`.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape or type.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> potential_energy(arm, [np.pi / 2, 0.0], per_body=True).round(3) + 0.0
    array([ 0.   ,  0.   ,  4.905,  0.   , 14.715])
    """
    check_flag("per_body", per_body)
    check_flag("springs", springs)
    (position,) = states(robot, q=q)
    g = free_fall(robot, gravity)
    P = {p.body.name: -(p.T @ pseudo_inertia(p.body)[:, 3] @ g) for p in placed_bodies(robot, position, order=0)}
    if springs:
        at_joint = at_joints(robot, position)
        joints = moving_joints(robot.tree)
        for k, joint in enumerate(joints):
            P[joint.child] = P[joint.child] + 0.5 * joint.drive.stiffness * (at_joint[..., k] - joint.drive.rest) ** 2
        for coupling, row in zip(robot.tree.couplings, coupling_map(robot.tree), strict=True):
            if row.any():
                moving = [j.child for name in (coupling.first, coupling.second) for j in joints if j.name == name]
                P[moving[0]] = P[moving[0]] + 0.5 * coupling.stiffness * (at_joint @ row - coupling.rest) ** 2
    energies = np.stack([P[name] for name in robot.frame_names], axis=-1)
    total: Array = energies.sum(axis=-1)
    return energies if per_body else total
