"""Homogeneous transforms along the tree and their derivatives by the product rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import as_batch, check_robot
from rne.batch.coordinates import check_pose
from rne.batch.named import coordinates
from rne.check import Vector
from rne.model.floating import OF_POSITIONS, OF_VELOCITY, QUATERNION, UNIT
from rne.model.robot import Robot
from rne.model.tree import Body, Joint, Pose, Tree

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Placed:
    """A body and its pose in the base; leading axes are those of q.

    Attributes
    ----------
    body : the body p.
    joints : the L moving joints between the base and the body, from the base outward, as rows of the mimic map. The
        derivatives of T_p by all other joints are zero and not stored; empty for order 0.
    T : (..., 4, 4) frame of the body in the base; in the world, if the base floats.
    U_j : (..., L, 4, 4) dT_p/dq_j, in the notation of Fu, Gonzalez, Lee.
    U_jk : (..., L, L, 4, 4) d2T_p/dq_j dq_k, the derivative of U_j in direction k; None below order 2.
    """

    body: Body
    joints: tuple[int, ...]
    T: Array
    U_j: Array
    U_jk: Array | None

    def among_all(self, axes: int) -> tuple[Any, ...]:
        """Index of [..., i, j] (two axes) or [..., i, j, k] (three) of these joints among all moving joints."""
        return (..., *np.ix_(*[np.array(self.joints, dtype=np.intp)] * axes))


def states(robot: Robot, **values: ArrayLike | None) -> list[Array]:
    """Return q, qd, ... as float64 arrays (..., n), q (..., nq), with compatible leading axes; zeros for None.

    The first must not be None.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.
    """
    check_robot(robot, floating=True)
    arrays = {
        name: None if value is None else coordinates(robot, name, value).astype(np.float64)
        for name, value in values.items()
    }
    batch = as_batch(robot, arrays, required=next(iter(values)))  # only for its checks
    if robot.floating and not batch.shape:
        for name in OF_POSITIONS & batch.rows.keys():
            check_pose(name, batch.rows[name][0])
    return [np.zeros(robot.n) if array is None else array for array in arrays.values()]


def moving_joints(tree: Tree) -> list[Joint]:
    """Moving joints, mimic joints included, in the order of the file.

    Before them, the six motions of a base that floats, as joints between the base and itself.
    """
    joints = [joint for joint in tree.joints if joint.movable]
    return [*_motions_of_base(tree.root), *joints] if tree.floating else joints


def _motions_of_base(root: str) -> list[Joint]:
    axes = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    kinds = ["prismatic"] * 3 + ["revolute"] * 3
    return [
        Joint(name, kind, root, root, axis=axis) for name, kind, axis in zip(OF_VELOCITY, kinds, axes * 2, strict=True)
    ]


def mimic_map(robot: Robot) -> tuple[Array, Array]:
    """G (m, n) and c (m,) in qd_joints = G qd, q_joints = G q + c: a row per moving joint, a column per coordinate."""
    joints, by_name = moving_joints(robot.tree), {joint.name: joint for joint in robot.tree.joints}
    G, c = np.zeros((len(joints), robot.n)), np.zeros(len(joints))
    for row, joint in enumerate(joints):
        leader, ratio = joint, 1.0
        while leader.mimic is not None:
            c[row] += ratio * leader.mimic.offset
            ratio *= leader.mimic.ratio
            leader = by_name[leader.mimic.leader]
        if leader.movable:
            G[row, robot.coordinate_names.index(leader.name)] = ratio
    return G, c


def at_joints(robot: Robot, q: Array) -> Array:
    """Position (..., m) of every moving joint; zero for the motions of a base that floats, which have none."""
    G, c = mimic_map(robot)
    return np.asarray(q[..., robot.nq - len(robot.joint_names) :] @ G[:, robot.n - len(robot.joint_names) :].T + c)


def pose_of_base(q: Array) -> Array:
    """Pose (..., 4, 4) of a base that floats: the exponential of a rotation, by half of its angle.

    NaN where the quaternion does not have unit length within `UNIT`.
    """
    quaternion = q[..., QUATERNION]
    length = np.linalg.norm(quaternion, axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y, z, w = np.moveaxis(np.where(np.abs(length - 1) <= UNIT, quaternion / length, np.nan), -1, 0)
    Q = x[..., None, None] * revolute_operator((1.0, 0.0, 0.0))
    Q = (
        Q
        + y[..., None, None] * revolute_operator((0.0, 1.0, 0.0))
        + z[..., None, None] * revolute_operator((0.0, 0.0, 1.0))
    )
    T: Array = np.eye(4) + 2 * w[..., None, None] * Q + 2 * Q @ Q
    T[..., :3, 3] = q[..., :3]
    return T


def coupling_map(tree: Tree) -> Array:
    """S (couplings, m): elongation of each coupling per moving joint; fixed joints are at zero."""
    names = [joint.name for joint in moving_joints(tree)]
    S = np.zeros((len(tree.couplings), len(names)))
    for row, coupling in zip(S, tree.couplings, strict=True):
        row += [(name == coupling.first) - coupling.ratio * (name == coupling.second) for name in names]
    return S


def homogeneous(pose: Pose) -> Array:
    """Convert a pose to a 4x4 transform."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = pose.rotation, pose.position
    return T


def operator(joint: Joint) -> Array:
    """Derivative operator Q: the derivative of the transform of a joint is the transform times Q (Paul 1981, ch. 6)."""
    return revolute_operator(joint.axis) if joint.kind == "revolute" else prismatic_operator(joint.axis)


def revolute_operator(axis: Vector) -> Array:
    """Q of a rotation about a unit axis; [[0, -1, 0, 0], [1, 0, 0, 0], 0, 0] for z."""
    x, y, z = axis
    return np.array([[0.0, -z, y, 0.0], [z, 0.0, -x, 0.0], [-y, x, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])


def prismatic_operator(axis: Vector) -> Array:
    """Q of a translation along a unit axis; for z a single one, in the position of p_z."""
    Q = np.zeros((4, 4))
    Q[:3, 3] = axis
    return Q


def motion(joint: Joint, position: Array) -> Array:
    """Transform (..., 4, 4) of a joint at `position` (...): the exponential of Q q, in closed form."""
    Q, q = operator(joint), position[..., None, None]
    if joint.kind == "revolute":
        turned: Array = np.eye(4) + np.sin(q) * Q + (1.0 - np.cos(q)) * (Q @ Q)
        return turned
    return np.eye(4) + q * Q


def placed_bodies(robot: Robot, q: Array, *, order: int = 1) -> Iterator[Placed]:
    """Yield every body, from the base outward, with derivatives of its transform up to order 0, 1 or 2.

    T_p = T_parent A, with A = origin * motion of the joint that carries p, and dA/dq = A Q. Hence
    dT_p/dq_j = (transforms up to joint j) Q_j (transforms from joint j to p).
    """
    at_joint = at_joints(robot, q)
    row = {joint.name: k for k, joint in enumerate(moving_joints(robot.tree))}
    carried: dict[str, list[Joint]] = {}
    for joint in robot.tree.joints:
        carried.setdefault(joint.parent, []).append(joint)
    bodies = {body.name: body for body in robot.tree.bodies}
    (root,) = bodies.keys() - {joint.child for joint in robot.tree.joints}

    shape = q.shape[:-1]
    T = np.broadcast_to(np.eye(4), (*shape, 4, 4))
    nothing = np.zeros((*shape, 0, 4, 4))
    waiting = [Placed(bodies[root], (), T, nothing, np.zeros((*shape, 0, 0, 4, 4)) if order == 2 else None)]
    if robot.floating:
        waiting = [_afloat(bodies[root], pose_of_base(q), order)]
    while waiting:
        above = waiting.pop()
        yield above
        for joint in carried.get(above.body.name, []):
            if joint.movable:
                k = row[joint.name]
                A = homogeneous(joint.origin) @ motion(joint, at_joint[..., k])
                if order == 0:
                    waiting.append(_fixed(above, bodies[joint.child], A))
                else:
                    waiting.append(_moved(above, bodies[joint.child], A, operator(joint), k))
            else:
                waiting.append(_fixed(above, bodies[joint.child], homogeneous(joint.origin)))


def _afloat(body: Body, T: Array, order: int) -> Placed:
    """Place a base that floats: in its own axes, dT/dt = T Q_j nu_j, and so U_j changes by T Q_k Q_j in direction k.

    Directions of rotation do not commute, and U_jk is not symmetric: the nu_j are quasi-velocities.
    """
    if order == 0:
        return Placed(body, (), T, np.zeros((*T.shape[:-2], 0, 4, 4)), None)
    Q = np.stack([operator(joint) for joint in _motions_of_base(body.name)])
    U_jk = T[..., None, None, :, :] @ (Q @ Q[:, None]) if order == 2 else None
    return Placed(body, tuple(range(len(Q))), T, T[..., None, :, :] @ Q, U_jk)


def _fixed(above: Placed, body: Body, A: Array) -> Placed:
    """T_p = T_parent A with A held constant."""
    U_jk = None if above.U_jk is None else above.U_jk @ A
    return Placed(body, above.joints, above.T @ A, above.U_j @ A[..., None, :, :], U_jk)


def _moved(above: Placed, body: Body, A: Array, Q: Array, k: int) -> Placed:
    """T_p = T_parent A with dA/dq_k = A Q, by the product rule."""
    dA = A @ Q
    d2A = dA @ Q
    shape, length = A.shape[:-2], len(above.joints)
    U_j = np.empty((*shape, length + 1, 4, 4))
    U_j[..., :-1, :, :] = above.U_j @ A[..., None, :, :]
    U_j[..., -1, :, :] = above.T @ dA
    U_jk = None
    if above.U_jk is not None:
        U_jk = np.empty((*shape, length + 1, length + 1, 4, 4))
        U_jk[..., :-1, :-1, :, :] = above.U_jk @ A[..., None, None, :, :]
        U_jk[..., :-1, -1, :, :] = U_jk[..., -1, :-1, :, :] = above.U_j @ dA[..., None, :, :]
        U_jk[..., -1, -1, :, :] = above.T @ d2A
    return Placed(body, (*above.joints, k), above.T @ A, U_j, U_jk)


def transforms(robot: Robot, q: ArrayLike) -> dict[str, Array]:
    """Homogeneous transforms of all bodies: T_p, the frame of body p in the base (Paul 1981, chapter 2).

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.

    Returns
    -------
    T : by body name, in the order of `robot.frame_names`, (..., 4, 4); positions in m.

    Raises
    ------
    ArgumentError
        `q` has the wrong shape or type.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> transforms(arm, [0.0, np.pi / 2])["link2"].round(3) + 0.0
    array([[ 0., -1.,  0.,  1.],
           [ 1.,  0.,  0.,  1.],
           [ 0.,  0.,  1.,  0.],
           [ 0.,  0.,  0.,  1.]])
    """
    (position,) = states(robot, q=q)
    found = {placed.body.name: placed.T for placed in placed_bodies(robot, position, order=0)}
    return {name: found[name].copy() for name in robot.frame_names}


def transform_derivatives(robot: Robot, q: ArrayLike) -> dict[str, Array]:
    """First derivatives of the transforms of all bodies, dT_p/dq_i by the product rule (Paul 1981, chapter 6).

    The velocity of a point r of body p is sum_i dT_p/dq_i r qd_i. The derivatives equal T_p pDelta_i, with the
    differential operators of `differential_vectors`.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m, in the order of `robot.joint_names`.

    Returns
    -------
    U : by body name, in the order of `robot.frame_names`, (..., n, 4, 4); zero for coordinates that do not move it.

    Raises
    ------
    ArgumentError
        `q` has the wrong shape or type.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> tip = np.array([0.0, 0.0, 0.0, 1.0])
    >>> transform_derivatives(arm, [0.0, 0.0])["link2"] @ tip
    array([[0., 2., 0., 0.],
           [0., 1., 0., 0.]])
    """
    (position,) = states(robot, q=q)
    G, _ = mimic_map(robot)
    found = {
        p.body.name: np.einsum("ki,...kab->...iab", G[list(p.joints)], p.U_j) for p in placed_bodies(robot, position)
    }
    return {name: found[name] for name in robot.frame_names}
