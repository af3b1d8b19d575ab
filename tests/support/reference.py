"""The plain twin: rigid-body dynamics of a `Tree` in numpy, one loop a sweep, to be read beside a textbook.

Everything is in world axes (the axes of the root body) and about points a drawing would show: bodies move with their
centers of mass (`F = m a_c`, `N = I wd + w x I w`, gravity is a force `m g`), fixed joints are joints that do not move,
and external wrenches enter through the Jacobian. No folding, no link frames, no normal forms: apart from the tree it
shares nothing with the fast code, which is its purpose. One state at a time, and slow. States may be complex, for
derivatives by complex steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.model.tree import Coupling, Joint, Tree

Array = NDArray[np.float64]
Wrenches = Mapping[str, ArrayLike]


@dataclass
class Motion:
    """Placement and motion of one body in world axes; `p`, `v` and `a` are those of the origin of its frame."""

    R: Array
    p: Array
    w: Array
    wd: Array
    v: Array
    a: Array
    axis: Array  # of the joint that carries the body


# ---------------------------------------------------------------------------------------------------- coordinates


def movable_joints(tree: Tree) -> list[Joint]:
    """Joints that move, followers included, in the order of the file."""
    return [joint for joint in tree.joints if joint.movable]


def coordinates(tree: Tree) -> list[str]:
    """Names of the coordinates: the movable joints that follow no other, in the order of the file."""
    return [joint.name for joint in movable_joints(tree) if joint.mimic is None]


def mimic_map(tree: Tree) -> tuple[Array, Array]:
    """`G (m, n)` and `q0 (m,)` of `q_full = G q + q0`, one row for each of the `m` movable joints in file order.

    A fixed joint that is named as a leader stands still at zero, so its follower stays at the offset.
    """
    names, joints = coordinates(tree), {joint.name: joint for joint in tree.joints}
    G, q0 = np.zeros((len(movable_joints(tree)), len(names))), np.zeros(len(movable_joints(tree)))
    for row, joint in enumerate(movable_joints(tree)):
        leader, ratio = joint, 1.0
        while leader.movable and leader.mimic is not None:
            q0[row] += ratio * leader.mimic.offset
            ratio *= leader.mimic.ratio
            leader = joints[leader.mimic.leader]
        if leader.movable:
            G[row, names.index(leader.name)] = ratio
    return G, q0


def expand(tree: Tree, q: ArrayLike) -> Array:
    """Positions of all movable joints, in file order, from the coordinates."""
    G, q0 = mimic_map(tree)
    return G @ _vector(q, len(coordinates(tree))) + q0


def _vector(x: ArrayLike | None, n: int) -> Array:
    v = np.zeros(n) if x is None else np.asarray(x)
    v = v if np.iscomplexobj(v) else v.astype(float)
    if v.shape != (n,):
        raise ValueError(f"one state of {n} numbers wanted, got the shape {v.shape}")
    return v


# ------------------------------------------------------------------------------------------------- shape of the tree


def root(tree: Tree) -> str:
    """Name of the body that no joint carries."""
    children = {joint.child for joint in tree.joints}
    (name,) = [body.name for body in tree.bodies if body.name not in children]
    return name


def outward(tree: Tree) -> list[Joint]:
    """All joints, fixed ones included, each after the joint that carries its parent."""
    reached, order, waiting = {root(tree)}, [], list(tree.joints)
    while waiting:
        joint = next(joint for joint in waiting if joint.parent in reached)
        waiting.remove(joint)
        reached.add(joint.child)
        order.append(joint)
    return order


def path_to_root(tree: Tree, body: str) -> list[Joint]:
    """Joints between a body and the root, the nearest first."""
    carrier = {joint.child: joint for joint in tree.joints}
    path = []
    while body in carrier:
        path.append(carrier[body])
        body = carrier[body].parent
    return path


# -------------------------------------------------------------------------------------------------------- kinematics


def turn(axis: ArrayLike, angle: float) -> Array:
    """Rotation by `angle` about a unit `axis` (Rodrigues)."""
    x, y, z = np.asarray(axis, dtype=float)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def motions(tree: Tree, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None) -> dict[str, Motion]:
    """Outward sweep: placement, velocity and acceleration of every body; the root stands still at the world origin."""
    G, q0 = mimic_map(tree)
    names, n = [joint.name for joint in movable_joints(tree)], G.shape[1]
    s = dict(zip(names, G @ _vector(q, n) + q0, strict=True))
    sd = dict(zip(names, G @ _vector(qd, n), strict=True))
    sdd = dict(zip(names, G @ _vector(qdd, n), strict=True))

    o = np.zeros(3)
    moving = {root(tree): Motion(np.eye(3), o, o, o, o, o, o)}
    for joint in outward(tree):
        up = moving[joint.parent]
        R = up.R @ np.array(joint.origin.rotation)
        r = up.R @ np.array(joint.origin.position)  # from the origin of the parent to that of the child
        z = R @ np.array(joint.axis)
        w, wd, slide, coriolis = up.w, up.wd, o, o
        if joint.kind == "revolute":
            R = R @ turn(joint.axis, s[joint.name])
            w = up.w + z * sd[joint.name]
            wd = up.wd + z * sdd[joint.name] + np.cross(up.w, z * sd[joint.name])
        elif joint.kind == "prismatic":
            r = r + z * s[joint.name]
            slide = z * sd[joint.name]
            coriolis = z * sdd[joint.name] + 2.0 * np.cross(up.w, slide)
        v = up.v + np.cross(up.w, r) + slide
        a = up.a + np.cross(up.wd, r) + np.cross(up.w, np.cross(up.w, r)) + coriolis
        moving[joint.child] = Motion(R, up.p + r, w, wd, v, a, z)
    return moving


def forward_kinematics(tree: Tree, q: ArrayLike) -> dict[str, tuple[Array, Array]]:
    """Rotation and position of every body frame in the frame of the root body."""
    return {name: (body.R, body.p) for name, body in motions(tree, q).items()}


def jacobian(tree: Tree, q: ArrayLike, body: str, *, of_joints: bool = False) -> Array:
    """Jacobian `(6, n)` of the origin of a body frame, linear rows first, world axes.

    With `of_joints=True` one column for each movable joint, before the followers are summed onto their leaders.
    """
    at, G = motions(tree, q), mimic_map(tree)[0]
    if body not in at:
        raise ValueError(f"no body {body!r}")
    names = [joint.name for joint in movable_joints(tree)]
    J = np.zeros((6, len(names)), at[body].p.dtype)
    for joint in path_to_root(tree, body):
        z = at[joint.child].axis
        if joint.kind == "revolute":
            J[:, names.index(joint.name)] = *np.cross(z, at[body].p - at[joint.child].p), *z
        elif joint.kind == "prismatic":
            J[:3, names.index(joint.name)] = z
    return J if of_joints else J @ G


# ---------------------------------------------------------------------------------------------------------- dynamics


def joint_wrenches(
    tree: Tree,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    gravity: ArrayLike | None = None,
    f_ext: Wrenches | None = None,
) -> dict[str, Array]:
    """Inward sweep: the wrench `[f, m]` that passes through each joint (fixed ones too) from parent to child.

    World axes, at the origin of the child's frame. `f_ext` maps body names to wrenches that act on the robot, world
    axes, at the origin of the body's frame.
    """
    g = np.asarray(tree.gravity if gravity is None else gravity, dtype=float)
    moving, bodies = motions(tree, q, qd, qdd), {body.name: body for body in tree.bodies}
    for name in f_ext or {}:
        if name not in bodies:
            raise ValueError(f"no body {name!r}")
    force = {name: np.zeros(3) for name in bodies}
    moment = {name: np.zeros(3) for name in bodies}
    through: dict[str, Array] = {}
    for joint in reversed(outward(tree)):
        body, b = bodies[joint.child], moving[joint.child]
        c = b.R @ np.array(body.com)  # from the origin of the frame to the center of mass
        inertia = b.R @ np.array(body.inertia) @ b.R.T
        a_c = b.a + np.cross(b.wd, c) + np.cross(b.w, np.cross(b.w, c))
        f = body.mass * (a_c - g)
        m = inertia @ b.wd + np.cross(b.w, inertia @ b.w) + np.cross(c, f)
        if f_ext and body.name in f_ext:
            wrench = np.asarray(f_ext[body.name])
            f, m = f - wrench[:3], m - wrench[3:]
        f, m = f + force[body.name], m + moment[body.name]
        through[joint.name] = np.concatenate([f, m])
        force[joint.parent] = force[joint.parent] + f
        moment[joint.parent] = moment[joint.parent] + m + np.cross(b.p - moving[joint.parent].p, f)
    return through


def friction_torque(tree: Tree, qd: ArrayLike) -> Array:
    """Friction of the drives as `rne.Drive` states it, and dampers between joints; no Coulomb friction at rest."""
    G, tau_full, rates = mimic_map(tree)[0], [], {}
    for joint, sd in zip(movable_joints(tree), G @ _vector(qd, G.shape[1]), strict=True):
        rates[joint.name] = sd
        drive, sign = joint.drive, np.sign(sd.real)
        dry = drive.stribeck * np.exp(-sign * sd / (drive.stribeck_velocity or 1.0))
        dry += drive.coulomb_plus if sign > 0 else drive.coulomb_minus
        dry *= np.tanh(sign * sd / drive.smoothing) if drive.smoothing else sign * sign
        even = np.polyval([drive.cubic, drive.quadratic * sign, drive.viscous, drive.offset], sd)
        tau_full.append(even + sign * dry)
    loads = [c.viscous * _stretch(c, rates) for c in tree.couplings]
    return G.T @ (np.array(tau_full) + _of_couplings(tree, loads))


def _stretch(coupling: Coupling, at_joint: Mapping[str, float]) -> float:
    return at_joint.get(coupling.first, 0.0) - coupling.ratio * at_joint.get(coupling.second, 0.0)


def _of_couplings(tree: Tree, loads: list[float]) -> Array:
    """Torques of all movable joints from what each coupling is loaded with."""
    torques = dict.fromkeys((joint.name for joint in tree.joints), 0.0)
    for coupling, load in zip(tree.couplings, loads, strict=True):
        torques[coupling.first] += load
        torques[coupling.second] -= coupling.ratio * load
    return np.array([torques[joint.name] for joint in movable_joints(tree)])


def spring_torque(tree: Tree, q: ArrayLike) -> Array:
    """Torque that holds the springs of and between joints; no other function of this file adds it."""
    G = mimic_map(tree)[0]
    pairs = list(zip(movable_joints(tree), expand(tree, q), strict=True))
    places = {joint.name: s for joint, s in pairs}
    loads = [c.stiffness * (_stretch(c, places) - c.rest) for c in tree.couplings]
    own = np.array([joint.drive.stiffness * (s - joint.drive.rest) for joint, s in pairs])
    return G.T @ (own + _of_couplings(tree, loads))


def inverse_dynamics(
    tree: Tree,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    gravity: ArrayLike | None = None,
    f_ext: Wrenches | None = None,
    friction: bool = False,
) -> Array:
    """Joint torques `(n,)` of one state: `tau = M qdd + C qd + g (+ friction) - J^T w`, reduced by `G^T tau_full`.

    `gravity=None` is the gravity of the tree. Rotor inertia is always in, springs never are.
    """
    G = mimic_map(tree)[0]
    n = G.shape[1]
    at, through = motions(tree, q), joint_wrenches(tree, q, qd, qdd, gravity)
    tau_full = []
    for joint, sdd in zip(movable_joints(tree), G @ _vector(qdd, n), strict=True):
        part = slice(3, 6) if joint.kind == "revolute" else slice(0, 3)
        rotor = joint.drive.reflected_inertia * sdd
        tau_full.append(at[joint.child].axis @ through[joint.name][part] + rotor)
    tau = G.T @ np.array(tau_full)
    for body, wrench in (f_ext or {}).items():
        tau = tau - jacobian(tree, q, body).T @ np.asarray(wrench)
    return tau + friction_torque(tree, _vector(qd, n)) if friction else tau


def torques(tree: Tree, q: Array, qd: Array, qdd: Array, **options: Any) -> Array:
    """Inverse dynamics of states (..., n), one after the other, springs included."""
    states = zip(*(x.reshape(-1, x.shape[-1]) for x in (q, qd, qdd)), strict=True)
    tau = [inverse_dynamics(tree, *state, **options) + spring_torque(tree, state[0]) for state in states]
    return np.reshape(tau, q.shape)


def mass_matrix(tree: Tree, q: ArrayLike) -> Array:
    """Mass matrix `(n, n)`, a column for each unit acceleration, rotor inertia included."""
    n = len(coordinates(tree))
    columns = [inverse_dynamics(tree, q, None, unit, gravity=np.zeros(3)) for unit in np.eye(n)]
    return np.array(columns).reshape(n, n).T


def gravity_vector(tree: Tree, q: ArrayLike, gravity: ArrayLike | None = None) -> Array:
    """Torques that hold the robot still."""
    return inverse_dynamics(tree, q, gravity=gravity)


def bias_vector(tree: Tree, q: ArrayLike, qd: ArrayLike, gravity: ArrayLike | None = None) -> Array:
    """`C qd + g`: the torques without acceleration."""
    return inverse_dynamics(tree, q, qd, gravity=gravity)


def forward_dynamics(
    tree: Tree, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, gravity: ArrayLike | None = None, friction: bool = False
) -> Array:
    """Joint accelerations, by solving `M qdd = tau - bias`."""
    bias = inverse_dynamics(tree, q, qd, gravity=gravity, friction=friction)
    return np.linalg.solve(mass_matrix(tree, q), np.asarray(tau, dtype=float) - bias)


# ------------------------------------------------------------------------------------------------------ mass, energy


def total_mass(tree: Tree) -> float:
    """Mass of all bodies, the root included."""
    return sum(body.mass for body in tree.bodies)


def center_of_mass(tree: Tree, q: ArrayLike) -> Array:
    """Center of mass of all bodies, the root included, in the frame of the root; NaN for a robot without mass."""
    at = motions(tree, q)
    moment = np.zeros(3)
    for body in tree.bodies:
        moment = moment + body.mass * (at[body.name].p + at[body.name].R @ np.array(body.com))
    return moment / total_mass(tree) if total_mass(tree) else np.full(3, np.nan)


def potential_energy(tree: Tree, q: ArrayLike, gravity: ArrayLike | None = None) -> float:
    """Energy of all bodies in the field of gravity, zero at the origin of the root frame."""
    g = np.asarray(tree.gravity if gravity is None else gravity, dtype=float)
    return -float(g @ center_of_mass(tree, q)) * total_mass(tree) if total_mass(tree) else 0.0


def kinetic_energy(tree: Tree, q: ArrayLike, qd: ArrayLike) -> float:
    """Energy of motion of all bodies and of the rotors."""
    moving, G = motions(tree, q, qd), mimic_map(tree)[0]
    energy = 0.0
    for body in tree.bodies:
        b = moving[body.name]
        v_c = b.v + np.cross(b.w, b.R @ np.array(body.com))
        w = b.R.T @ b.w
        energy += 0.5 * body.mass * (v_c @ v_c) + 0.5 * (w @ np.array(body.inertia) @ w)
    for joint, sd in zip(movable_joints(tree), G @ _vector(qd, G.shape[1]), strict=True):
        energy += 0.5 * joint.drive.reflected_inertia * sd**2
    return float(energy)
