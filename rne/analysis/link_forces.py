"""Free-body diagrams of all links: joint reactions, and the motion of the masses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.batch.arguments import Floats, check_robot, settle
from rne.batch.coordinates import width_of
from rne.check import numbers
from rne.dynamics.forward_dynamics import forward_dynamics
from rne.dynamics.frame_motion import frame_acceleration
from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.dynamics.kinematics import forward_kinematics
from rne.dynamics.statics import joint_wrenches
from rne.errors import ArgumentError, listed
from rne.model.robot import Robot
from rne.tables import Part, Report, cells, of_many, titled

_XYZ = "xyz"


@dataclass(frozen=True, eq=False, repr=False)
class LinkForces(Report):
    """Forces and accelerations of all links of a robot, for one state or many, as returned by `link_forces`.

    Printing shows a table; for many states, it holds the largest absolute value of each number. Joints are all moving
    joints, parents before children, as in `joint_wrenches`. Bodies are those that move and have mass, including
    payloads, in the order of the file; their quantities are in base axes, of a base that floats in
    world axes.

    Attributes
    ----------
    joint_names : the joints.
    axes, origin : axes of the forces and moments, and reference point of the moments, as in `joint_wrenches`.
    force, moment : (..., joints, 3) F_i and M_i, exerted by the parent link on the child link of the joint, N and N m.
    along_axis : (..., joints) k . M_i of a revolute joint, k . F_i of a prismatic one: the torque or force of the
        drive, if it has no friction, spring or rotor.
    qdd, tau : (..., n) accelerations and torques of the coordinates; tau is that of `inverse_dynamics`.
    body_names : the bodies.
    mass : (bodies,) kg.
    com, acceleration : (..., bodies, 3) centers of mass, m, and their accelerations, m/s^2.
    weight : (bodies, 3) m g, N.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml").with_payload(2.0)
    >>> forces = rne.link_forces(arm, [0.0, 0.0], tau=[0.0, 0.0])
    >>> forces.body_names
    ('link1', 'link2', 'payload_1')
    >>> forces.held[2].round(3)  # force of the released arm on its payload
    array([0.   , 0.357, 0.   ])
    """

    joint_names: tuple[str, ...]
    axes: str
    origin: str
    force: Floats
    moment: Floats
    along_axis: Floats
    qdd: Floats
    tau: Floats
    body_names: tuple[str, ...]
    mass: NDArray[np.float64]
    com: Floats
    acceleration: Floats
    weight: NDArray[np.float64]
    _world: str = "base axes"

    @property
    def held(self) -> Floats:
        """Net contact force (..., bodies, 3) on each body, m a - m g, N; for a payload, that of its mount."""
        force: Floats = self.mass[:, None] * self.acceleration - self.weight
        return force

    def _parts(self) -> list[Part]:
        def triple(letter: str, values: Floats) -> dict[str, list[str]]:
            shown = self._shown(values)
            near = np.abs(shown).max(initial=0.0)  # one scale for all three, so that rounding prints as zero in each
            return {f"{letter}{x}": cells(np.append(shown[:, k], near))[:-1] for k, x in enumerate(_XYZ)}

        joints = {"joint": self.joint_names, **triple("F", self.force), **triple("M", self.moment)}
        joints["along axis"] = cells(self._shown(self.along_axis[..., None])[:, 0])
        bodies = {"body": self.body_names, "mass": cells(self.mass), **triple("", self.com)}
        bodies |= {**triple("a", self.acceleration), **triple("held F", self.held)}
        states = self.qdd.shape[:-1]
        where = {"world": self._world, "local": "axes of the joints"}[self.axes]
        head = f"on the child link of each joint, in {where}:"
        return [*of_many(states), head, titled(joints), "", titled(bodies)]

    def _shown(self, values: Floats) -> Floats:
        """Values (k, 3) of one state, or the largest absolute values over many."""
        states = self.qdd.ndim - 1
        if not states:
            return values
        sizes: Floats = np.abs(values).max(axis=tuple(range(states)), initial=0.0)
        return sizes


def link_forces(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
    friction: bool = False,
    axes: str = "world",
    origin: str = "child",
    threads: int | None = None,
) -> LinkForces:
    """Free-body diagrams of all links: joint forces and moments, accelerations of the masses, and the torques.

    At rest, forces propagate from the end effector to the base; with G_i the weight of link i,

        F_i = F_(i+1) - G_i,    M_i = M_(i+1) + r_i x F_(i+1) - r_Ci x G_i,

    where F_i and M_i act on link i from link i-1. In motion, m_i a_i and the rate of the angular momentum are added.
    The motion is given by `qdd` or by the torques `tau`. With `tau`, accelerations and reactions are those that solve
    the simultaneous Newton-Euler equations of all links.

    Parameters
    ----------
    robot : the robot.
    q, qd, qdd : (..., n) positions, velocities and accelerations; the last two default to zero.
    tau : (..., n) torques of the drives, in place of `qdd`.
    gravity, f_ext, friction, threads : as in `inverse_dynamics`. `f_ext` acts on the robot; for the force F_(n+1) of
        the end effector on its surroundings, pass its negative.
    axes, origin : of the joint forces, as in `joint_wrenches`.

    Returns
    -------
    forces : LinkForces

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value, or `qdd` and `tau` are both given.
    UnknownNameError
        `f_ext` names a frame the robot does not have.
    SingularError
        `tau` is given and the mass matrix is singular.

    Examples
    --------
    Two rods of 1 kg and 1 m, held level, while the end effector pushes outward with 10 N:

    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> print(rne.link_forces(arm, [0.0, 0.0], f_ext={"link2": [-10.0, 0.0, 0.0, 0.0, 0.0, 0.0]}))
    on the child link of each joint, in base axes:
    joint     Fx     Fy  Fz  Mx  My     Mz  along axis
    shoulder  10  19.62   0   0   0  19.62       19.62
    elbow     10   9.81   0   0   0  4.905       4.905
    <BLANKLINE>
    body   mass    x  y  z  ax  ay  az  held Fx  held Fy  held Fz
    link1     1  0.5  0  0   0   0   0        0     9.81        0
    link2     1  1.5  0  0   0   0   0        0     9.81        0
    """
    check_robot(robot, floating=True)
    if tau is not None and qdd is not None:
        raise ArgumentError("tau: got both qdd and tau, and either determines the motion; give one of them")
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau}, f_ext, floating=True)
    given = {name: batch.rows[name].reshape(*batch.shape, width_of(robot, name)) for name in ("q", "qd", "qdd", "tau")}
    loads: dict[str, Any] = {"gravity": gravity, "f_ext": f_ext, "threads": threads}
    q, qd, motion = given["q"], given["qd"], given["qdd"]
    if tau is None:
        torque = inverse_dynamics(robot, q, qd, motion, friction=friction, **loads)
    else:
        torque = given["tau"].copy()
        motion = forward_dynamics(robot, q, qd, torque, friction=friction, **loads)
    w = joint_wrenches(robot, q, qd, motion, axes=axes, origin=origin, **loads)
    local = w if axes == "local" else joint_wrenches(robot, q, qd, motion, axes="local", origin=origin, **loads)

    refuse_without_mass(robot)
    first = 0 if robot.floating else 1
    moving = [body for body in robot.tree.bodies if body.mass and robot.links.frames[body.name].row >= first]
    com, acceleration = np.zeros((2, *batch.shape, len(moving), 3), batch.dtype)
    for k, body in enumerate(moving):
        pose = forward_kinematics(robot, q, body.name, threads=threads)
        com[..., k, :] = pose[..., :3, :3] @ np.array(body.com) + pose[..., :3, 3]
        at_com = frame_acceleration(robot, q, qd, motion, body.name, point=body.com, threads=threads)
        acceleration[..., k, :] = at_com[..., :3]
    mass = np.array([body.mass for body in moving])
    return LinkForces(
        robot.links.joints,
        axes,
        origin,
        force=w[..., :3],
        moment=w[..., 3:],
        along_axis=along_axes(robot, local),
        qdd=motion.copy(),
        tau=torque,
        body_names=tuple(body.name for body in moving),
        mass=mass,
        com=com,
        acceleration=acceleration,
        weight=mass[:, None] * (robot.gravity if gravity is None else numbers("gravity", gravity, (3,))),
        _world="world axes" if robot.floating else "base axes",
    )


def refuse_without_mass(robot: Robot) -> None:
    """Refuse a robot with bodies that are base parameters.

    Raises
    ------
    ArgumentError
        A body has first moments but no mass.
    """
    without = [body.name for body in robot.tree.bodies if any(body.first_moment)]
    if without:
        raise ArgumentError(
            f"robot: {listed(without)} with first moments but no mass are base parameters, which do not determine "
            "the forces within the structure; give the parameters of real bodies"
        )


def along_axes(robot: Robot, local: Floats) -> Floats:
    """Return components (..., joints) along the joint axes of wrenches (..., joints, 6) in the axes of the joints."""
    joints = [robot.joint(name) for name in robot.links.joints]
    directions = np.zeros((len(joints), 6))
    for row, joint in zip(directions, joints, strict=True):
        row[slice(3, 6) if joint.kind == "revolute" else slice(3)] = joint.axis
    along: Floats = (local * directions.astype(local.dtype)).sum(axis=-1)
    return along
