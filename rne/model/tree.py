"""What a robot file says: bodies joined by joints, in names and SI numbers, nothing computed yet.

Readers make a `Tree`; `rne.model.link_table` compiles it. A tree keeps the order of the file, fixed joints,
and bodies without mass; it says nothing about how the dynamics are calculated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rne.bodies.inertia import Inertia
from rne.check import IDENTITY, ZERO, Matrix, Vector, matrix, vector
from rne.errors import ArgumentError, Problem, shown
from rne.model.states import State

STANDARD_GRAVITY: Vector = (0.0, 0.0, -9.81)


@dataclass(frozen=True)
class Pose:
    """Placement of a frame in another: `x_outer = rotation @ x_inner + position`.

    Parameters
    ----------
    rotation : 3 rows of 3 numbers, a rotation matrix; its columns are the inner axes seen from the outer frame.
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
    """What a joint does that follows another: `q = ratio * q_leader + offset`.

    Parameters
    ----------
    leader : name of the joint that is followed.
    ratio : what a unit of the leader makes, its sign included; rad, m, rad/m or m/rad.
    offset : position where the leader is at zero, rad or m.

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
    """Bounds of a joint as the file gives them; infinite where it gives none.

    They are told, by `Robot.lower_limit` and the like, and drawn from; no function of the dynamics enforces them.

    Parameters
    ----------
    lower, upper : positions, rad or m.
    velocity : largest speed, rad/s or m/s.
    effort : largest torque or force, N m or N.

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
class Drive:
    """What the drive of a joint adds to the rigid bodies, in SI units.

    Friction is on the joint side here; a DH row gives it on the motor side, like the rotor inertia.

    Parameters
    ----------
    rotor_inertia : inertia of the rotor on the motor side, kg m^2 (for a prismatic joint an equivalent mass, kg).
    gear_ratio : motor turns a joint turn; the joint feels `gear_ratio**2 * rotor_inertia`. Sign does not matter.
    viscous : viscous friction on the joint side, N m s/rad or N s/m.
    coulomb_plus, coulomb_minus : size (not negative) of the Coulomb friction on the joint side for positive and for
        negative velocity, N m or N.
    stiffness, rest : joint spring `stiffness * (q - rest)`, N m/rad or N/m.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml").with_drives({"elbow": rne.Drive(viscous=0.5)})
    >>> rne.friction_torque(arm, [1.0, 2.0])
    array([0., 1.])
    """

    rotor_inertia: float = 0.0
    gear_ratio: float = 1.0
    viscous: float = 0.0
    coulomb_plus: float = 0.0
    coulomb_minus: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0

    @property
    def reflected_inertia(self) -> float:
        """Inertia of the rotor as the joint feels it."""
        return self.gear_ratio * self.gear_ratio * self.rotor_inertia  # ** raises an error where it overflows


@dataclass(frozen=True)
class Body:
    """A link: what a file says of its mass, in the axes of its own frame.

    Parameters
    ----------
    name : of the link, and of its frame.
    mass : kg.
    com : 3 numbers, the center of mass, m.
    inertia : 3 rows of 3 numbers, the inertia tensor about the center of mass, kg m^2; -integral of x y dm off the
        diagonal.
    has_inertial : whether the file gives mass and inertia at all.
    line : where the link stands in the file, None for no file.
    first_moment : 3 numbers, kg m, beside mass * com: of base parameters whose mass is regrouped away; of no body.

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
        """Return a link with the inertia of a body, in the frame in which that is given.

        Raises
        ------
        ArgumentError
            The name is no text, or empty, or `inertia` is no `Inertia`.
        """
        if not isinstance(name, str) or not name.strip():
            raise ArgumentError(f"name: wanted a text with something in it, got {shown(name)}")
        if not isinstance(inertia, Inertia):
            raise ArgumentError(f"inertia: wanted an Inertia, got {type(inertia).__name__}")
        return cls(name, inertia.mass, vector("com", inertia.com), matrix("tensor", inertia.tensor))

    def to_inertia(self) -> Inertia:
        """Return mass, center of mass and tensor of the link, in its frame.

        Raises
        ------
        ArgumentError
            It has first moments without a mass, which no body has.

        Examples
        --------
        >>> import rne
        >>> rne.load("models/planar2/robot.dh.toml").tree.bodies[-1].to_inertia().com
        array([-0.5,  0. ,  0. ])
        """
        if any(self.first_moment):
            raise ArgumentError(
                f"link {self.name!r}: no body has first moments beside its mass, {self.first_moment} kg m"
            )
        return Inertia(self.mass, self.com, self.inertia)


@dataclass(frozen=True)
class Joint:
    """A joint between two links.

    Parameters
    ----------
    name : of the joint.
    kind : "revolute", "prismatic" or "fixed"; a continuous joint is a revolute one with infinite position limits.
    parent, child : names of the links before and behind the joint.
    origin : placement of the frame of the child in that of the parent with the joint at zero.
    axis : 3 numbers, a unit vector in the axes of the child, through its origin: what the child turns about or slides
        along.
    limits : bounds of position, velocity and effort.
    drive : rotor, friction and spring of the joint.
    mimic : which joint it follows; None for a coordinate of its own.
    line : where the joint stands in the file, None for no file.

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
    drive: Drive = Drive()
    mimic: Mimic | None = None
    line: int | None = None

    @property
    def movable(self) -> bool:
        """Whether the joint moves at all."""
        return self.kind != "fixed"


@dataclass(frozen=True)
class Coupling:
    """A spring and a damper between two joints, by name, beside those of each joint's own drive.

    Both feel the stretch `q_first - ratio * q_second - rest`: the spring stores `stiffness * stretch**2 / 2`, the
    damper resists at `viscous` times the rate of the stretch. A fixed joint stands at zero. What a `Mimic` does rigidly
    this does elastically.

    Parameters
    ----------
    first, second : names of the joints.
    stiffness : of the spring, N m/rad for two revolute joints.
    viscous : of the damper, N m s/rad for two revolute joints; not negative.
    rest : stretch at which the spring is relaxed, rad or m.
    ratio : of the stretch.

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
    """What a reader met in a file and has no use for, such as shapes, transmissions and elements of other programs.

    Parameters
    ----------
    element : where it stands, as an XPath from the root, for example ``link/visual`` or ``joint/limit/@jerk``.
    lines : of every place.

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
        """How often the file has it."""
        return len(self.lines)


@dataclass(frozen=True)
class Tree:
    """A robot as its file says it; `Robot(tree)` makes a robot of it.

    `robot.tree` is the tree of a robot that was loaded; one put together by hand is checked by `Robot`.

    Parameters
    ----------
    name : of the robot.
    bodies, joints : tuples of `Body` and `Joint`, in the order of the file. They form one tree, whose root is the base.
    gravity : 3 numbers, acceleration of free fall in the axes of the root body, m/s^2.
    source : the file it came from, or ``<urdf>``, ``<dh>``.
    notes : tuple of `Problem`: what the reader met that is legal but worth a word; they become warnings.
    couplings : tuple of `Coupling`: springs and dampers between joints.
    ignored : tuple of `Ignored`: what the reader passed over without a word, by element.
    packages : pairs of a name and a folder, the ROS packages that were named in loading it.
    states : tuple of `State`: positions and velocities by name, such as the keyframes of MJCF.

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
