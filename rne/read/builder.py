"""Building robots in Python, link by link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rne.bodies.inertia import Inertia
from rne.check import check_choice, numbers, unknown_name, vector
from rne.errors import ArgumentError, shown
from rne.model.checks import check_body, check_limits, check_passive, note_weightless
from rne.model.drive import Drive
from rne.model.findings import Findings
from rne.model.robot import Robot
from rne.model.structure import check_structure, parents_first
from rne.model.tree import STANDARD_GRAVITY, Body, Coupling, Joint, Limits, Mimic, Pose, Tree
from rne.read.loading import make_robot
from rne.read.poses import as_pose, as_vector, rotation_rpy
from rne.read.screws import screw_joint, taken_apart

KINDS = ("revolute", "prismatic", "fixed")
SOURCE = "<python>"


class TreeBuilder:
    """Builds a robot, link by link.

    Parameters
    ----------
    name : name of the robot.
    base : name of the root link, which exists from the start.
    gravity : (3,) gravitational acceleration in the axes of the base, m/s^2; (0, 0, -9.81) if None.

    Examples
    --------
    An arm of two links; each joint is at the far end of the link before:

    >>> import rne
    >>> rod = rne.Inertia.rod(2.0, 0.5, about="end")
    >>> arm = rne.TreeBuilder("arm", gravity=[0, -9.81, 0])
    >>> robot = arm.add("upper", "revolute", inertia=rod).add("lower", "revolute", xyz=[0.5, 0, 0], inertia=rod).robot()
    >>> rne.gravity_vector(robot, [0.0, 0.0]).round(3)
    array([19.62 ,  4.905])
    """

    def __init__(self, name: str = "robot", *, base: str = "base", gravity: ArrayLike | None = None) -> None:
        self._name = as_text("name", name)
        self._gravity = STANDARD_GRAVITY if gravity is None else vector("gravity", gravity)
        self._bodies = [Body(as_text("base", base), has_inertial=False)]
        self._joints: list[Joint] = []
        self._couplings: list[Coupling] = []
        self._sizes: dict[str, float] = {}  # of screws that are not unit screws
        self._last = base

    def add(
        self,
        link: str,
        joint: str | None = None,
        *,
        name: str | None = None,
        parent: str | None = None,
        pose: Any = None,
        xyz: ArrayLike | None = None,
        rpy: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        screw: ArrayLike | None = None,
        inertia: Inertia | None = None,
        drive: Drive | None = None,
        limits: Limits | None = None,
        mimic: Mimic | None = None,
    ) -> Self:
        """Add a link and the joint that carries it; return the builder.

        Parameters
        ----------
        link : its name, and that of its frame.
        joint : "revolute", "prismatic" or "fixed", which it is if nothing is said of it. A screw says it itself.
        name : of the joint; that of the link with "_joint" behind it, if None.
        parent : link that carries it; if None, the link that was added last, or the base.
        pose : of the frame of the link in that of the parent at q = 0: a `Pose`, a 4x4 matrix, or a mapping with
            ``xyz`` and ``rpy``.
        xyz, rpy : the same as position, m, and roll, pitch, yaw, rad, in place of `pose`.
        axis : (3,) what the link turns about or slides along, in its own axes and through its origin; z if None. Of any
            length.
        screw : (6,) in place of `joint` and `axis`: [w, v] in the axes of the parent, at q = 0, as in Lynch and Park. A
            line anywhere (v = -w x point), with w = 0 a slide, with w . v = pitch a screw thread. If it is not a
            unit screw, the joint moves by q times its length.
        inertia : in the frame of the link; it weighs nothing if None.
        drive, limits : of the joint.
        mimic : which joint it follows.

        Raises
        ------
        UnknownNameError, ArgumentError
            An unknown parent, a name that is already used, or an argument of the wrong type.
        """
        if as_text("link", link) in {body.name for body in self._bodies}:
            raise ArgumentError(f"link: {link!r} is there already; each link needs a name of its own")
        carrier = self._parent(parent)
        called = f"{link}_joint" if name is None else as_text("name", name)
        if called in {other.name for other in self._joints}:
            raise ArgumentError(f"name: a joint {called!r} is there already; each joint needs a name of its own")
        for argument, value, kind in (
            ("inertia", inertia, Inertia), ("drive", drive, Drive), ("limits", limits, Limits), ("mimic", mimic, Mimic),
        ):  # fmt: skip
            if value is not None and not isinstance(value, kind):
                raise ArgumentError(f"{argument}: wanted an object of {kind.__name__}, got {shown(value)}")
        made = Joint(called, "fixed", carrier, link, _pose(pose, xyz, rpy), limits=limits or Limits(), mimic=mimic)
        made = replace(made, drive=drive or Drive())
        if screw is None:
            between: list[Body] = []
            joints = [_plain(made, joint, axis)]
        else:
            if joint is not None or axis is not None:
                raise ArgumentError("screw: it already defines kind and axis of the joint; omit joint and axis")
            line = taken_apart("screw", numbers("screw", screw, (6,)))
            between, joints = screw_joint(made, line)
            if line.size != 1.0:
                self._sizes[called] = line.size
        body = Body(link, has_inertial=False) if inertia is None else Body.from_inertia(link, inertia)
        self._bodies += [*between, body]
        self._joints += joints
        self._last = link
        return self

    def couple(
        self,
        first: str,
        second: str,
        *,
        stiffness: float = 0.0,
        viscous: float = 0.0,
        rest: float = 0.0,
        ratio: float = 1.0,
    ) -> Self:
        """Add a spring and damper between two joints, acting on q_first - ratio q_second - rest; return the builder.

        Parameters
        ----------
        first, second : names of the joints.
        stiffness, viscous, rest, ratio : as of a `Coupling`.
        """
        for argument, name in (("first", first), ("second", second)):
            if not isinstance(name, str) or name not in {joint.name for joint in self._joints}:
                raise unknown_name(argument, "joint", name, (joint.name for joint in self._joints))
        values = {"stiffness": stiffness, "viscous": viscous, "rest": rest, "ratio": ratio}
        given = {key: float(numbers(key, value, ())) for key, value in values.items()}
        self._couplings.append(Coupling(first, second, **given))
        return self

    def tree(self, *, strict: bool = True) -> Tree:
        """Return what has been added so far.

        Parameters
        ----------
        strict : False turns physical doubts from errors into notes, as for `rne.load`.

        Raises
        ------
        ModelError
            It is not a robot; lists every problem, by link and joint.
        """
        findings = Findings(SOURCE, strict)
        for body in self._bodies:
            check_body(body, findings.at(f"link {body.name!r}"))
        for joint in self._joints:
            check_limits(joint.limits, findings.at(f"joint {joint.name!r}"))
        for name, size in self._sizes.items():
            what = f"its screw has the length {size:.6g}; a unit of the coordinate makes that many, and not one"
            findings.at(f"joint {name!r}").note(what, "screw-length")
        check_structure(self._bodies, self._joints, findings)
        if not findings.errors:
            check_passive(self._joints, self._couplings, findings)
            note_weightless(parents_first(self._bodies, self._joints), self._bodies, findings)
        bodies, joints, couplings = tuple(self._bodies), tuple(self._joints), tuple(self._couplings)
        return Tree(self._name, bodies, joints, self._gravity, SOURCE, findings.close(), couplings)

    def robot(
        self,
        *,
        base: Any = None,
        lock: Mapping[str, float] | None = None,
        joints: Sequence[str] | None = None,
        gravity: ArrayLike | None = None,
        floating: bool | None = None,
        strict: bool = True,
    ) -> Robot:
        """Return the robot; more may be added afterwards, for another one.

        Parameters
        ----------
        base, lock, joints, gravity, floating, strict : as for `rne.load`, which lists errors and warnings.
        """
        return make_robot(self.tree(strict=strict), base, lock, joints, gravity, floating)

    def _parent(self, parent: str | None) -> str:
        if parent is None:
            return self._last
        if not isinstance(parent, str) or parent not in {body.name for body in self._bodies}:
            raise unknown_name("parent", "link", parent, (body.name for body in self._bodies))
        return parent


def as_text(argument: str, value: object) -> str:
    """Return a non-empty string, or raise ArgumentError."""
    if not isinstance(value, str) or not value.strip():
        raise ArgumentError(f"{argument}: wanted a non-empty string, got {shown(value)}")
    return value


def _pose(pose: object, xyz: ArrayLike | None, rpy: ArrayLike | None) -> Pose:
    if pose is None:
        turn = Pose.rotation if rpy is None else rotation_rpy(vector("rpy", rpy))
        return Pose(turn, Pose.position if xyz is None else vector("xyz", xyz))
    if xyz is not None or rpy is not None:
        raise ArgumentError("pose: give either pose, or xyz and rpy")
    return as_pose("pose", pose)


def _plain(joint: Joint, kind: str | None, axis: ArrayLike | None) -> Joint:
    if kind is not None:
        check_choice("joint", kind, KINDS)
    if kind in (None, "fixed"):
        for argument, given in (("axis", axis is not None), ("mimic", joint.mimic is not None)):
            if given:
                raise ArgumentError(f"{argument}: a fixed joint has none; say joint='revolute' or 'prismatic'")
        return joint
    direction = np.array([0.0, 0.0, 1.0]) if axis is None else numbers("axis", axis, (3,))
    size = np.abs(direction).max()
    if size == 0:
        raise ArgumentError("axis: wanted a direction, got all zeros")
    direction = direction / size  # squares of very large and very small numbers stay in range
    return replace(joint, kind=str(kind), axis=as_vector(direction / np.linalg.norm(direction)))
