"""The description of a robot as in a file: bodies and joints with names and SI units, before any computation.

Readers return a `Tree`; `rne.model.link_table` compiles it. A tree keeps the order of the file, fixed joints,
and bodies without mass; it does not depend on how the dynamics are calculated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rne.bodies.inertia import Inertia
from rne.check import IDENTITY, ZERO, Matrix, Vector, matrix, vector
from rne.errors import ArgumentError, Problem, shown
from rne.model.drive import Drive
from rne.model.states import State

STANDARD_GRAVITY: Vector = (0.0, 0.0, -9.81)


@dataclass(frozen=True)
class Pose:
    """Pose of a frame in another: `x_outer = rotation @ x_inner + position`.

    Parameters
    ----------
    rotation : 3 rows of 3 numbers, a rotation matrix; its columns are the inner axes in the outer frame.
    position : 3 numbers, the inner origin in the outer frame, m.

    Examples
    --------
    >>> import rne
    >>> rne.Pose(position=(0.0, 0.0, 0.5)).rotation
    ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    """

    rotation: Matrix = IDENTITY
    position: Vector = ZERO


@dataclass(frozen=True)
class Mimic:
    """Relation of a mimic joint to its leader: `q = ratio * q_leader + offset`.

    Parameters
    ----------
    leader : name of the joint that is followed.
    ratio : motion per unit of motion of the leader, with sign; dimensionless, rad/m or m/rad.
    offset : position when the leader is at zero, rad or m.

    Examples
    --------
    >>> import rne
    >>> rne.Mimic("finger_left", ratio=-1.0)
    Mimic(leader='finger_left', ratio=-1.0, offset=0.0)
    """

    leader: str
    ratio: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Limits:
    """Limits of a joint as in the file; infinite where the file has none.

    `Robot.lower_limit` and others return them, and random states respect them; the dynamics do not enforce them.

    Parameters
    ----------
    lower, upper : positions, rad or m.
    velocity : maximum speed, rad/s or m/s.
    effort : maximum torque or force, N m or N.

    Examples
    --------
    >>> import rne
    >>> rne.Limits(lower=-1.5, upper=1.5).effort
    inf
    """

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf


@dataclass(frozen=True)
class Body:
    """A link with its mass and inertia, in the axes of its own frame.

    Parameters
    ----------
    name : name of the link and of its frame.
    mass : kg.
    com : 3 numbers, the center of mass, m.
    inertia : 3 rows of 3 numbers, the inertia tensor about the center of mass, kg m^2; off-diagonal elements are
        -integral of x y dm and so on.
    has_inertial : whether the file specifies mass and inertia.
    line : line of the link in the file, or None.
    first_moment : 3 numbers, kg m, in addition to mass * com: for base parameters whose mass was regrouped. Zero for
        physical bodies.

    Examples
    --------
    >>> import rne
    >>> rod = rne.Body("rod", 2.0, (0.5, 0.0, 0.0), ((0.0, 0.0, 0.0), (0.0, 0.04, 0.0), (0.0, 0.0, 0.04)))
    >>> rod.to_inertia().mass
    2.0
    """

    name: str
    mass: float = 0.0
    com: Vector = ZERO
    inertia: Matrix = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    has_inertial: bool = True
    line: int | None = None
    first_moment: Vector = ZERO

    @classmethod
    def from_inertia(cls, name: str, inertia: Inertia) -> Body:
        """Return a link with the inertia of a body, in the frame of that inertia.

        Raises
        ------
        ArgumentError
            The name is not a string, or empty, or `inertia` is not an `Inertia`.
        """
        if not isinstance(name, str) or not name.strip():
            raise ArgumentError(f"name: wanted a non-empty string, got {shown(name)}")
        if not isinstance(inertia, Inertia):
            raise ArgumentError(f"inertia: wanted an Inertia, got {type(inertia).__name__}")
        return cls(name, inertia.mass, vector("com", inertia.com), matrix("tensor", inertia.tensor))

    def to_inertia(self) -> Inertia:
        """Return mass, center of mass and tensor of the link, in its frame.

        Raises
        ------
        ArgumentError
            It has additional first moments, which are not physical.

        Examples
        --------
        >>> import rne
        >>> rne.load("models/planar2/robot.dh.toml").tree.bodies[-1].to_inertia().com
        array([-0.5,  0. ,  0. ])
        """
        if any(self.first_moment):
            raise ArgumentError(
                f"link {self.name!r}: first moments in addition to its mass, {self.first_moment} kg m, are not physical"
            )
        return Inertia(self.mass, self.com, self.inertia)


@dataclass(frozen=True)
class Joint:
    """A joint between two links.

    Parameters
    ----------
    name : name of the joint.
    kind : "revolute", "prismatic" or "fixed"; a continuous joint is a revolute one with infinite position limits.
    parent, child : names of the links that it connects.
    origin : pose of the frame of the child in that of the parent with the joint at zero.
    axis : 3 numbers, a unit vector in the axes of the child, through its origin: the axis of rotation or the
        direction of translation.
    limits : bounds of position, velocity and effort.
    drive : rotor, friction and spring of the joint.
    mimic : relation to the joint that it follows; None for an independent coordinate.
    line : line of the joint in the file, or None.

    Examples
    --------
    >>> import rne
    >>> rne.Joint("lift", "prismatic", "base", "carriage", limits=rne.Limits(0.0, 0.8)).movable
    True
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose = Pose()
    axis: Vector = (0.0, 0.0, 1.0)
    limits: Limits = Limits()
    drive: Drive = Drive()  # noqa: RUF009  frozen
    mimic: Mimic | None = None
    line: int | None = None

    @property
    def movable(self) -> bool:
        """Whether the joint is not fixed."""
        return self.kind != "fixed"


@dataclass(frozen=True)
class Coupling:
    """A spring and a damper between two joints, in addition to those in the drive of each joint.

    Both act on the stretch `q_first - ratio * q_second - rest`: the spring stores `stiffness * stretch**2 / 2`, the
    damper resists with `viscous` times the rate of the stretch. A fixed joint is at zero. It is the elastic counterpart
    of a `Mimic`.

    Parameters
    ----------
    first, second : names of the joints.
    stiffness : spring constant, N m/rad for two revolute joints.
    viscous : damping constant, N m s/rad for two revolute joints; not negative.
    rest : stretch at which the spring is relaxed, rad or m.
    ratio : factor of the second joint in the stretch.

    Examples
    --------
    >>> import rne
    >>> rne.Coupling("motor", "link", stiffness=300.0).ratio
    1.0
    """

    first: str
    second: str
    stiffness: float = 0.0
    viscous: float = 0.0
    rest: float = 0.0
    ratio: float = 1.0


@dataclass(frozen=True)
class Ignored:
    """An element of a file that the reader ignored, such as shapes, transmissions and elements of other programs.

    Parameters
    ----------
    element : its path from the root, as an XPath, for example ``link/visual`` or ``joint/limit/@jerk``.
    lines : line of every occurrence.

    Examples
    --------
    >>> import rne
    >>> rne.Ignored("link/visual", (4, 9)).count
    2
    """

    element: str
    lines: tuple[int, ...]

    @property
    def count(self) -> int:
        """Number of occurrences in the file."""
        return len(self.lines)


@dataclass(frozen=True)
class Tree:
    """The description of a robot as in its file; `Robot(tree)` compiles it.

    `robot.tree` is the tree of a robot. `Robot` checks a tree that was built by hand.

    Parameters
    ----------
    name : name of the robot.
    bodies, joints : tuples of `Body` and `Joint`, in the order of the file. They form one tree, whose root is the base.
    gravity : 3 numbers, gravitational acceleration in the axes of the root body, m/s^2.
    source : the file it was read from, or ``<urdf>``, ``<dh>``.
    notes : tuple of `Problem`: findings of the reader that are legal but probably not intended; they become warnings.
    couplings : tuple of `Coupling`: springs and dampers between joints.
    ignored : tuple of `Ignored`: elements that the reader ignored silently.
    packages : pairs of name and folder, the ROS packages that were specified for loading.
    states : tuple of `State`: positions and velocities by name, such as the keyframes of MJCF.
    floating : whether the base moves freely, instead of being fixed.

    Examples
    --------
    A pendulum of 2 kg on a rod of 0.5 m, which hangs down and turns about y:

    >>> import rne
    >>> bob = rne.Body("bob", 2.0, (0.0, 0.0, -0.5))
    >>> pivot = rne.Joint("pivot", "revolute", "base", "bob", axis=(0.0, 1.0, 0.0))
    >>> pendulum = rne.Robot(rne.Tree("pendulum", (rne.Body("base"), bob), (pivot,)))
    >>> float(rne.mass_matrix(pendulum, [0.0])[0, 0])
    0.5
    """

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    gravity: Vector = STANDARD_GRAVITY
    source: str = "<tree>"
    notes: tuple[Problem, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    packages: tuple[tuple[str, str], ...] = ()
    states: tuple[State, ...] = ()
    floating: bool = False

    @property
    def root(self) -> str:
        """Name of the body that no joint carries."""
        children = {joint.child for joint in self.joints}
        return next(body.name for body in self.bodies if body.name not in children)
