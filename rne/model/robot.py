"""The robot: a tree and its compiled link table, frozen. Knows names and limits; calculates nothing."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rne.check import unknown_name, vector
from rne.errors import ArgumentError, ModelWarning
from rne.kernels.card import make_cards
from rne.model import couplings, edits, parameters
from rne.model.editing import Editing
from rne.model.link_table import LinkTable, compile_tree
from rne.model.lock_doubts import lock_doubts
from rne.model.tree import Drive, Joint, Tree
from rne.model.tree_checks import check_tree
from rne.model.writing import Writing


class Robot(Editing, Writing):
    """A robot, ready to be given to the functions of rne. Frozen: `with_...` methods return new robots.

    May be shared between threads, pickled, copied and sent to other processes.

    Parameters
    ----------
    tree : what a reader made of a file.
    joints : names of the coordinates in the order wanted for q, qd, qdd and tau; by default that of the file.

    Attributes
    ----------
    tree : Tree
        The robot as its file says it.
    joint_names : tuple of str
        The coordinates in the order of q: all movable joints, except those that mimic another.
    n : int
        Number of coordinates.
    links : LinkTable
        The compiled table.

    Raises
    ------
    ArgumentError
        `joints` is not a rearrangement of the coordinates.
    ModelError
        The tree cannot be compiled.

    Examples
    --------
    >>> import rne
    >>> arm = rne.from_dh([{"joint": "revolute", "a": 1.0, "mass": 2.0}], convention="standard", name="arm")
    >>> arm.joint_names
    ('joint1',)
    >>> print(arm)
    arm: 1 joint (1 revolute), 2 kg
    """

    __slots__ = ("_by_name", "_card", "_card32", "_joints", "_own", "_zeros", "joint_names", "links", "n", "tree")

    tree: Tree
    links: LinkTable
    joint_names: tuple[str, ...]
    n: int
    _by_name: dict[str, Joint]
    _joints: tuple[Joint, ...]
    _card: NDArray[np.intp]  # what a call hands to compiled code, in either precision
    _card32: NDArray[np.intp]
    _zeros: NDArray[np.float64]
    _own: Any  # code of this robot alone, as `rne.specialize` gives it; None for most

    def __init__(self, tree: Tree, joints: Sequence[str] | None = None) -> None:
        if not isinstance(tree, Tree):
            raise ArgumentError(f"tree: wanted a Tree, as a reader makes it, got {type(tree).__name__}")
        check_tree(tree)
        file_order = tuple(j.name for j in tree.joints if j.movable and j.mimic is None)
        if joints is not None:
            joints = edits.coordinate_order(joints, file_order)
        links = compile_tree(tree, joints)
        by_name, n = {joint.name: joint for joint in tree.joints}, len(links.coordinates)
        values = {
            "tree": tree,
            "links": links,
            "joint_names": links.coordinates,
            "n": n,
            "_by_name": by_name,
            "_own": None,
            "_joints": tuple(by_name[name] for name in links.coordinates),
            **make_cards(links.table, links.table32, n),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a robot is frozen."""
        raise AttributeError(f"a Robot is frozen; {name!r} cannot be set (the with_... methods return new robots)")

    def __delattr__(self, name: str) -> None:
        """Refuse: a robot is frozen."""
        raise AttributeError(f"a Robot is frozen; {name!r} cannot be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the tree; the table is compiled again, to the same bits, at the other end."""
        made: tuple[Any, ...] = (Robot, (self.tree, self.joint_names))
        return made if self._own is None else self._own.remade(self.tree, self.joint_names)

    def __copy__(self) -> Robot:
        """Return the robot itself, which is frozen."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Robot:
        """Return the robot itself, which is frozen."""
        return self

    def __repr__(self) -> str:
        """Tell a person what the robot is."""
        kinds = [joint.kind for joint in self._joints]
        counts = [f"{kinds.count(kind)} {kind}" for kind in ("revolute", "prismatic") if kind in kinds]
        followers = len(self.links.joints) - self.n
        if followers:
            counts.append(f"{followers} mimicking")
        inside = f" ({', '.join(counts)})" if counts else ""
        plural = "joint" if self.n == 1 else "joints"
        return f"{self.name}: {self.n} {plural}{inside}, {self.total_mass:.6g} kg"

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.tree.name

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of all links, fixed ones included: the frames that wrenches, payloads and poses refer to."""
        return tuple(body.name for body in self.tree.bodies)

    @property
    def gravity(self) -> NDArray[np.float64]:
        """Acceleration of free fall in base axes, m/s^2, shape (3,)."""
        return np.array(self.tree.gravity)

    @property
    def total_mass(self) -> float:
        """Mass of all bodies, the base included, kg."""
        return float(sum(body.mass for body in self.tree.bodies))

    @property
    def lower_limit(self) -> NDArray[np.float64]:
        """Lower position limits, rad or m, shape (n,); -inf where there is none."""
        return np.array([joint.limits.lower for joint in self._joints])

    @property
    def upper_limit(self) -> NDArray[np.float64]:
        """Upper position limits, rad or m, shape (n,); inf where there is none."""
        return np.array([joint.limits.upper for joint in self._joints])

    @property
    def velocity_limit(self) -> NDArray[np.float64]:
        """Velocity limits, rad/s or m/s, shape (n,); inf where there is none."""
        return np.array([joint.limits.velocity for joint in self._joints])

    @property
    def effort_limit(self) -> NDArray[np.float64]:
        """Torque or force limits, N m or N, shape (n,); inf where there is none."""
        return np.array([joint.limits.effort for joint in self._joints])

    @property
    def stiffness(self) -> NDArray[np.float64]:
        """Stiffness K of all springs over the coordinates, N m/rad or N/m, shape (n, n): d(tau)/dq of the springs."""
        return self.links.stiffness

    @property
    def damping(self) -> NDArray[np.float64]:
        """Damping B of all viscous friction over the coordinates, N m s/rad or N s/m, shape (n, n): d(tau)/d(qd)."""
        return self.links.damping

    def joint(self, name: str) -> Joint:
        """Return what the file says of a joint.

        Raises
        ------
        UnknownNameError
            There is no such joint.
        """
        if isinstance(name, str) and name in self._by_name:
            return self._by_name[name]
        raise unknown_name("name", "joint", name, (j.name for j in self.tree.joints))

    def with_gravity(self, gravity: ArrayLike) -> Robot:
        """Return the robot with another gravity.

        Parameters
        ----------
        gravity : (3,) acceleration of free fall in base axes, m/s^2.
        """
        return Robot(replace(self.tree, gravity=vector("gravity", gravity)), self.joint_names)

    def with_locked(self, values: Mapping[str, float]) -> Robot:
        """Return the robot with joints frozen at the given positions (rad or m), by name."""
        tree = edits.locked(self.tree, values, "values")
        for doubt in lock_doubts(self.tree, values, "values"):
            warnings.warn(doubt, ModelWarning, stacklevel=2)
        left = {joint.name for joint in tree.joints if joint.movable}
        return Robot(tree, tuple(name for name in self.joint_names if name in left))

    def with_drives(self, drives: Mapping[str, Drive]) -> Robot:
        """Return the robot with other drives, by joint name: rotor inertia, gear ratio, friction and springs.

        A damper or spring may be negative where couplings make up for it: it is an `ArgumentError` only if damping B or
        stiffness K of the robot are not positive semidefinite, and were better before.

        Examples
        --------
        >>> import rne
        >>> arm = rne.load("models/planar2/robot.dh.toml").with_dampers([[1.0, -2.0], [-2.0, 5.0]])
        >>> arm.with_drives({"shoulder": rne.Drive(viscous=-1.1)}).damping.round(3).tolist()
        [[0.9, -2.0], [-2.0, 5.0]]
        """
        return Robot(edits.with_drives(self.tree, drives), self.joint_names)

    def with_parameters(self, pi: ArrayLike, *, strict: bool = True) -> Robot:
        """Return the robot with other parameters, such as identified ones; the inverse of `rne.parameters`.

        With its own parameters it stays the same robot, even if no body has them. All that moves with a joint becomes
        the body of its child link; what is bolted to that keeps its frames and weighs nothing.

        Parameters
        ----------
        pi : (P,) as `rne.parameter_names` tells them: those of the links, and rotor inertias, friction, or both, which
            otherwise stay as they are. Gear ratios stay.
        strict : whether to refuse numbers that no body has, but for links that have them already. If False, torques,
            mass matrix and accelerations are right for any, such as for a published set of base parameters, with first
            moments on links whose mass has been regrouped away. Energies and forces within the structure then are not,
            nor are centers of mass: they do not follow from base parameters.

        Raises
        ------
        ArgumentError
            Another number of parameters, numbers that no body has, negative ones of a drive.
        ModelError
            First moments on what slides, but no mass.

        Examples
        --------
        >>> import rne
        >>> arm = rne.load("models/planar2/robot.dh.toml")
        >>> arm.with_parameters(2 * rne.parameters(arm)).total_mass
        4.0
        """
        return Robot(parameters.with_parameters(self.tree, self.links, pi, strict), self.joint_names)

    def with_springs(self, stiffness: ArrayLike, rest: ArrayLike | None = None) -> Robot:
        """Return the robot with other springs: tau = ... + K (q - rest), and P = ... + (q - rest)^T K (q - rest) / 2.

        They take the place of all springs that the robot has, those of single joints and of followers among them.

        Parameters
        ----------
        stiffness : (n, n) symmetric K, or (n,) its diagonal, in the order of `joint_names`, N m/rad or N/m. It need not
            be positive: a spring that pushes away from its rest is physical (a toggle, a weight balanced above its
            pivot) and keeps the energy all the same.
        rest : (n,) positions at which no spring pulls, rad or m; zeros if None.

        Raises
        ------
        ArgumentError
            A wrong shape, numbers that are not finite, or a matrix that is not symmetric.

        Examples
        --------
        >>> import rne
        >>> arm = rne.load("models/planar2/robot.dh.toml").with_springs([[8.0, -5.0], [-5.0, 5.0]], rest=[0.1, 0.0])
        >>> (rne.inverse_dynamics(arm, [0.3, 0.5]) - rne.gravity_vector(arm, [0.3, 0.5])).round(9)
        array([-0.9,  1.5])
        """
        return Robot(couplings.with_springs(self.tree, self.joint_names, stiffness, rest), self.joint_names)

    def with_dampers(self, viscous: ArrayLike) -> Robot:
        """Return the robot with other viscous friction: tau = ... + B qd where friction is asked for.

        It takes the place of all viscous friction that the robot has; Coulomb friction stays.

        Parameters
        ----------
        viscous : (n, n) symmetric and positive semidefinite B, or (n,) its diagonal, in the order of `joint_names`,
            N m s/rad or N s/m.

        Raises
        ------
        ArgumentError
            A wrong shape, numbers that are not finite, a matrix that is not symmetric, or one that would drive.

        Examples
        --------
        >>> import rne
        >>> arm = rne.load("models/planar2/robot.dh.toml").with_dampers([[3.0, -1.0], [-1.0, 1.0]])
        >>> rne.friction_torque(arm, [1.0, 2.0])
        array([1., 1.])
        """
        return Robot(couplings.with_dampers(self.tree, self.joint_names, viscous), self.joint_names)
