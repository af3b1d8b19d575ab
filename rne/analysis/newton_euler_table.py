"""The table of the Newton-Euler recursion, as textbooks print it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rne.analysis.link_forces import along_axes, refuse_without_mass
from rne.batch.arguments import Floats, check_robot, settle
from rne.bodies.inertia import Inertia
from rne.check import numbers
from rne.dynamics.frame_motion import frame_acceleration, frame_velocity
from rne.dynamics.inverse_dynamics import inverse_dynamics
from rne.dynamics.kinematics import forward_kinematics
from rne.dynamics.statics import joint_wrenches
from rne.model.robot import Robot
from rne.tables import Part, Report, cells, of_many, titled

_QUANTITIES = {
    "w": (r"\omega_i", "rad/s"),
    "wd": (r"\dot\omega_i", "rad/s^2"),
    "a": ("a_i", "m/s^2"),
    "a_c": (r"a_{c,i}", "m/s^2"),
    "F": ("F_i", "N"),
    "N": ("N_i", "N m"),
    "f": ("f_i", "N"),
    "n": ("n_i", "N m"),
}


@dataclass(frozen=True, eq=False, repr=False)
class NewtonEulerTable(Report):
    """The quantities of the Newton-Euler recursion, as returned by `newton_euler_table`.

    Printing shows a table with three components for each quantity of each link; `latex` returns it with column vectors.
    For many states, both hold the largest absolute value of each number. All vectors are in the axes of the frame of
    the link.

    Attributes
    ----------
    joint_names : the movable joints, parents before children.
    frames : the frame of the link that each joint moves.
    w, wd : (..., links, 3) angular velocity and acceleration, rad/s and rad/s^2.
    a : (..., links, 3) acceleration of the origin of the frame minus gravity, m/s^2.
    a_c : (..., links, 3) acceleration of the center of mass minus gravity, m/s^2.
    F : (..., links, 3) m a_c, N.
    N : (..., links, 3) I_c wd + w x I_c w, N m.
    f, n : (..., links, 3) force and moment that the link before exerts on the link, N and N m. The moment is about the
        origin of the frame on the joint, which lies on its axis.
    along_axis : (..., links) component of n along the axis of a revolute joint, of f along that of a prismatic one.
    tau : (..., coordinates) torques or forces of `inverse_dynamics`, with rotors and springs.
    coordinates : names of the joints of tau.

    Examples
    --------
    >>> import rne
    >>> table = rne.newton_euler_table(rne.load_model("planar2"), [0.0, 0.0], [1.0, 0.0])
    >>> table.w[:, 2], table.a_c[1]
    (array([1., 1.]), array([-1.5 ,  9.81,  0.  ]))
    """

    joint_names: tuple[str, ...]
    frames: tuple[str, ...]
    w: Floats
    wd: Floats
    a: Floats
    a_c: Floats
    F: Floats
    N: Floats
    f: Floats
    n: Floats
    along_axis: Floats
    tau: Floats
    coordinates: tuple[str, ...]

    def latex(self) -> str:
        r"""Return the table as a LaTeX array, for math mode: a column for each link, vectors as columns.

        Examples
        --------
        >>> import rne
        >>> text = rne.newton_euler_table(rne.load_model("planar2"), [0.0, 0.0]).latex()
        >>> print(text.splitlines()[-2])
        \tau_i & 19.62 & 4.905
        """
        links = len(self.frames)
        lines = [rf"\begin{{array}}{{l{'c' * links}}}"]
        lines += [" & ".join(["", *map(_upright, self.frames)]) + r" \\", r"\hline"]
        for name, (symbol, _) in _QUANTITIES.items():
            rows = (r" \\ ".join(row) for row in self._cells(name))
            vectors = [rf"\begin{{pmatrix}} {row} \end{{pmatrix}}" for row in rows]
            lines.append(" & ".join([symbol, *vectors]) + r" \\")
        own = [cell if cell else "-" for cell in self._tau()]
        return "\n".join([*lines, " & ".join([r"\tau_i", *own]), r"\end{array}"])

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def _cells(self, name: str) -> list[list[str]]:
        """Format a quantity (..., links, 3), with rounding errors of all links as zeros."""
        texts = cells(self._shown(getattr(self, name)).ravel())
        return [texts[3 * k : 3 * k + 3] for k in range(len(self.frames))]

    def _shown(self, values: Floats) -> Floats:
        """Return the values of one state, or the largest absolute values over many."""
        many = self.tau.ndim - 1
        largest: Floats = np.abs(values).max(axis=tuple(range(many)), initial=0.0) if many else values
        return largest

    def _tau(self) -> list[str]:
        """Format the torque of each joint; empty for one that follows another, since its leader has both."""
        torques = dict(zip(self.coordinates, cells(self._shown(self.tau)), strict=True))
        return [torques.get(name, "") for name in self.joint_names]

    def _parts(self) -> list[Part]:
        shown = {name: self._cells(name) for name in _QUANTITIES}
        rows = [
            (frame if name == "w" else "", f"{name} [{unit}]", *shown[name][k])
            for k, frame in enumerate(self.frames)
            for name, (_, unit) in _QUANTITIES.items()
        ]
        link, quantity, x, y, z = zip(*rows, strict=True) if rows else ((),) * 5
        vectors = titled({"link": link, "quantity": quantity, "x": x, "y": y, "z": z}, left=["quantity"])
        drives = {"joint": self.joint_names, "along axis": cells(self._shown(self.along_axis)), "tau": self._tau()}
        head = "in the axes of the links; a and a_c less gravity:"
        return [*of_many(self.tau.shape[:-1]), head, vectors, "", titled(drives)]


def newton_euler_table(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
) -> NewtonEulerTable:
    """Every quantity of the Newton-Euler recursion, link by link, as textbooks print it.

    Outward w, wd, a, a_c, F = m a_c and N = I_c wd + w x I_c w, inward f and n, and tau along the axis, each in the
    axes of its link (Luh, Walker, Paul 1980; Craig, section 6.5). Gravity is the acceleration -g of the base, as in the
    books, so a, a_c and F include it.

    The link of a joint is everything that the joint moves up to the next joints; bodies on fixed joints and payloads
    belong to it. Its frame is that of the child link of the joint; of a standard DH table, whose frames are not on
    their joint axes, it is the frame of the row.

    Parameters
    ----------
    robot : the robot.
    q, qd, qdd : (..., n) positions, velocities and accelerations; the last two default to zero.
    gravity, f_ext : as in `inverse_dynamics`.

    Returns
    -------
    table : NewtonEulerTable

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.
    UnknownNameError
        `f_ext` names a frame the robot does not have.

    Examples
    --------
    Two rods of 1 kg and 1 m, level; the shoulder turns with 2 rad/s:

    >>> import rne
    >>> print(rne.newton_euler_table(rne.load_model("planar2"), [0.0, 0.0], [2.0, 0.0]))
    in the axes of the links; a and a_c less gravity:
    link   quantity       x       y      z
    link1  w [rad/s]      0       0      2
           wd [rad/s^2]   0       0      0
           a [m/s^2]     -4    9.81      0
           a_c [m/s^2]   -2    9.81      0
           F [N]         -2    9.81      0
           N [N m]        0       0      0
           f [N]         -8   19.62      0
           n [N m]        0       0  19.62
    link2  w [rad/s]      0       0      2
           wd [rad/s^2]   0       0      0
           a [m/s^2]     -8    9.81      0
           a_c [m/s^2]   -6    9.81      0
           F [N]         -6    9.81      0
           N [N m]        0       0      0
           f [N]         -6    9.81      0
           n [N m]        0       0  4.905
    <BLANKLINE>
    joint     along axis    tau
    shoulder       19.62  19.62
    elbow          4.905  4.905
    """
    check_robot(robot)
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd}, f_ext)
    refuse_without_mass(robot)
    q, qd, qdd = (batch.rows[name].reshape(*batch.shape, robot.n) for name in ("q", "qd", "qdd"))
    g = robot.gravity if gravity is None else numbers("gravity", gravity, (3,))
    loads: dict[str, Any] = {"gravity": gravity, "f_ext": f_ext}
    wrenches = joint_wrenches(robot, q, qd, qdd, **loads)
    poses, still = forward_kinematics(robot, q), forward_kinematics(robot, np.zeros(robot.n))
    frames = _frames(robot)
    found: dict[str, Floats] = {name: np.zeros((*batch.shape, len(frames), 3), batch.dtype) for name in _QUANTITIES}
    for k, frame in enumerate(frames):
        axes = poses[frame][..., :3, :3]
        moving = frame_acceleration(robot, q, qd, qdd, frame)
        w, wd = _turned(frame_velocity(robot, q, qd, frame)[..., 3:], axes), _turned(moving[..., 3:], axes)
        body = _link(robot, k + 1, frame, still)
        a = _turned(moving[..., :3] - g, axes)
        a_c = a + np.cross(wd, body.com) + np.cross(w, np.cross(w, body.com))
        N = wd @ body.tensor + np.cross(w, w @ body.tensor)
        f, n = (_turned(wrenches[..., k, part], axes) for part in (slice(3), slice(3, 6)))
        for name, value in zip(_QUANTITIES, (w, wd, a, a_c, body.mass * a_c, N, f, n), strict=True):
            found[name][..., k, :] = value
    return NewtonEulerTable(
        robot.links.joints,
        frames,
        **found,
        along_axis=along_axes(robot, joint_wrenches(robot, q, qd, qdd, axes="local", **loads)),
        tau=inverse_dynamics(robot, q, qd, qdd, **loads),
        coordinates=robot.joint_names,
    )


def _frames(robot: Robot) -> tuple[str, ...]:
    """Return the frame of each link: that of its child, or of the one body bolted to a child that is a frame only."""
    bodies, found = {body.name: body for body in robot.tree.bodies}, []
    for frame in robot.links.joint_frames:
        bolted = [joint.child for joint in robot.tree.joints if joint.parent == frame and not joint.movable]
        found.append(frame if bodies[frame].has_inertial or len(bolted) != 1 else bolted[0])
    return tuple(found)


def _link(robot: Robot, row: int, frame: str, poses: Mapping[str, Floats]) -> Inertia:
    """Return the inertia of a link, a row of the link table, in a frame; poses are those of any posture."""
    R, p = poses[frame][:3, :3], poses[frame][:3, 3]
    link = Inertia(0.0)
    for body in robot.tree.bodies:
        if robot.links.frames[body.name].row == row:
            turn, place = R.T @ poses[body.name][:3, :3], R.T @ (poses[body.name][:3, 3] - p)
            link = link + Inertia(body.mass, body.com, body.inertia).at(turn, place)
    return link


def _turned(vectors: Floats, axes: Floats) -> Floats:
    """Return vectors (..., 3) in base axes in those of frames (..., 3, 3)."""
    turned: Floats = np.einsum("...i,...ij->...j", vectors, axes)
    return turned


def _upright(name: str) -> str:
    """Return a name for math mode, with escapes for what TeX reads as a command."""
    escaped = "".join(f"\\{letter}" if letter in "_#$%&{}" else letter for letter in name.replace("\\", "/"))
    return rf"\mathrm{{{escaped.replace(' ', '~').replace('^', '').replace('-', '{-}')}}}"
