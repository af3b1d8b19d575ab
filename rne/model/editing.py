"""The methods of a robot that put bodies on it and take them off."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from rne.bodies.inertia import Inertia
from rne.check import IDENTITY, ZERO, numbers
from rne.errors import ArgumentError
from rne.model import body_edits, edits
from rne.model.tip import tip_of
from rne.model.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Sequence


class Editing:
    """A robot whose bodies can be changed; each method returns a new robot."""

    __slots__ = ()

    tree: Tree
    joint_names: tuple[str, ...]

    if TYPE_CHECKING:

        def __init__(self, tree: Tree, joints: Sequence[str] | None = None) -> None: ...

    def with_payload(
        self, mass: float, com: ArrayLike = ZERO, inertia: ArrayLike | None = None, frame: str | None = None
    ) -> Self:
        """Return the robot carrying one more body, or, with a negative mass, without a part of what it has.

        Parameters
        ----------
        mass : kg; zero (without inertia) returns the robot as it is. A negative one is taken off what is bolted
            together with the frame, and must leave a body that can be.
        com : (3,) center of mass in the axes of the frame, m.
        inertia : (3, 3) about the center of mass, in the axes of the frame, kg m^2, negative with a negative mass; a
            point mass without it.
        frame : link that carries it; by default the tip, the only one that moves or, of those, that has mass.

        Raises
        ------
        UnknownNameError, ArgumentError
            An unknown frame, several tips to choose from, or a body that cannot exist.

        Examples
        --------
        >>> import rne
        >>> arm = rne.load("models/planar2/robot.dh.toml")
        >>> arm.with_payload(0.5).total_mass, arm.with_payload(0.5).with_payload(-0.5).total_mass
        (2.5, 2.0)
        """
        carrier = self._tip() if frame is None else frame
        number = float(numbers("mass", mass, ()))
        if number < 0:
            return type(self)(body_edits.lightened(self.tree, carrier, number, com, inertia), self.joint_names)
        tree = edits.with_body(self.tree, carrier, mass, com, inertia)
        added = tree.bodies[-1]
        if added.mass == 0 and not np.any(added.inertia):
            return self
        return type(self)(tree, self.joint_names)

    def with_frame(
        self, name: str, position: ArrayLike, rotation: ArrayLike = IDENTITY, frame: str | None = None
    ) -> Self:
        """Return the robot with one more named frame, such as that of a tool; it weighs nothing.

        Parameters
        ----------
        name : what the functions of rne will know it by.
        position, rotation : (3,) of its origin, m, and (3, 3) of its axes as columns, in the axes of `frame`.
        frame : link that carries it; may be left out where the robot has one tip.

        Raises
        ------
        UnknownNameError, ArgumentError
            An unknown frame, several tips to choose from, a name that is already used, or a matrix that is not a
            rotation.
        """
        frame = self._tip() if frame is None else frame
        return type(self)(edits.with_frame(self.tree, name, frame, position, rotation), self.joint_names)

    def with_tool(
        self,
        tool: Self | Inertia,
        frame: str | None = None,
        *,
        position: ArrayLike = ZERO,
        rotation: ArrayLike = IDENTITY,
        replacing: str | None = None,
        name: str | None = None,
    ) -> Self:
        """Return the robot with a tool bolted on: a body, or another robot such as a gripper.

        Coordinates of the tool come after those of the robot. Its gravity and base pose are those of the robot.

        Parameters
        ----------
        tool : Inertia of a body, or Robot, which is held by its root.
        frame : link that carries it; may be left out where the robot has one tip, or the tool takes another's place.
        position, rotation : (3,) of the tool's origin, m, and (3, 3) of its axes as columns, in the axes of `frame`, or
            of the link that is replaced.
        replacing : name of a link on a fixed joint: it and all beyond are taken off, and the tool takes its place.
        name : of the link of a body, "tool" by default; of a robot, what its names begin with, followed by a slash,
            where the robot has one of them already.

        Raises
        ------
        UnknownNameError, ArgumentError
            An unknown frame or link, several tips to choose from, a name that is taken, or a matrix that is no
            rotation.

        Examples
        --------
        >>> import rne
        >>> panda = rne.load("models/panda/robot.urdf")
        >>> drill = rne.Inertia.cylinder(1.2, radius=0.03, length=0.2).shifted([0.0, 0.0, 0.1])
        >>> panda.with_tool(drill, replacing="panda_hand").n
        7
        """
        if not isinstance(tool, Inertia) and not isinstance(tool, type(self)):
            raise ArgumentError(f"tool: wanted an Inertia or a Robot, got {type(tool).__name__}")
        tree, carrier = self.tree, frame
        if replacing is not None:
            mount = body_edits.mount_of(tree, replacing)
            if frame is not None:
                raise ArgumentError("frame: the tool takes the place of another, which says where it is; leave one out")
            tree, carrier = body_edits.without_body(tree, replacing, 2), mount.parent
            turn, offset = np.array(mount.origin.rotation), np.array(mount.origin.position)
            position = offset + turn @ numbers("position", position, (3,))
            rotation = turn @ numbers("rotation", rotation, (3, 3))
        given = tool if isinstance(tool, Inertia) else tool.tree
        called = name if name is not None else "tool"
        carrier = self._tip() if carrier is None else carrier
        changed = body_edits.with_tool(tree, given, carrier, position, rotation, called)
        return type(self)(changed, body_edits.remaining(changed, self.joint_names))

    def without_body(self, name: str) -> Self:
        """Return the robot without a link and everything beyond it; coordinates of removed joints are removed, too.

        Parameters
        ----------
        name : of the link. The joint that carries it goes along.

        Raises
        ------
        UnknownNameError, ArgumentError
            There is no such link, it is the root, or a remaining joint mimics a removed one.

        Warns
        -----
        ModelWarning
            Springs or dampers between joints lose one of their ends, and go along.

        Examples
        --------
        >>> import rne
        >>> panda = rne.load("models/panda/robot.urdf")
        >>> panda.n, panda.without_body("panda_hand").n
        (8, 7)
        """
        tree = body_edits.without_body(self.tree, name, 2)
        return type(self)(tree, body_edits.remaining(tree, self.joint_names))

    def scaled_mass(self, factor: float, links: Iterable[str] | None = None) -> Self:
        """Return the robot with heavier or lighter links: mass and inertia times a factor, centers of mass as they are.

        Parameters
        ----------
        factor : more than zero.
        links : names of the links; all if None.

        Raises
        ------
        UnknownNameError, ArgumentError
            An unknown link, or a factor that is not positive.

        Examples
        --------
        >>> import rne
        >>> arm = rne.load("models/planar2/robot.dh.toml")
        >>> arm.scaled_mass(1.1).total_mass
        2.2
        """
        return type(self)(body_edits.scaled(self.tree, factor, links), self.joint_names)

    def _tip(self) -> str:
        carried = {joint.child for joint in self.tree.joints if joint.name == joint.child + edits.MOUNT}
        return tip_of(self.tree, carried)
