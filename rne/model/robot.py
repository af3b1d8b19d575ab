"""The robot: a tree and its compiled link table, immutable. Has names and limits, but no dynamics."""

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
from rne.model.drive import Drive
from rne.model.editing import Editing
from rne.model.floating import OF_POSITION, OF_VELOCITY, Floating
from rne.model.link_table import LinkTable, compile_tree
from rne.model.lock_doubts import lock_doubts
from rne.model.showing import Showing
from rne.model.states import Stated
from rne.model.tree import Joint, Tree
from rne.model.tree_checks import check_tree
from rne.model.writing import Writing


class Robot(Editing, Floating, Showing, Stated, Writing):
    """A robot, the first argument of most functions of rne. Immutable: `with_...` methods return new robots.

    It can be shared between threads, pickled, copied and sent to other processes.

    Parameters
    ----------
    tree : the description of the robot, as readers return it.
    joints : names of the coordinates in the order of q, qd, qdd and tau; by default the order of the file.

    Attributes
    ----------
    tree : Tree
        The description of the robot.
    joint_names : tuple of str
        The joints in the order of q: all movable joints, except those that mimic another.
    n : int
        Number of coordinates: of numbers in qd, qdd and tau.
    nq : int
        Numbers in q; `n`, or one more if the base floats.
    links : LinkTable
        The compiled table.

    Raises
    ------
    ArgumentError
        `joints` is not a permutation of the coordinates.
    ModelError
        The tree cannot be compiled.

    Examples
    --------
    >>> import rne
    >>> arm = rne.from_dh([{"joint": "revolute", "a": 1.0, "mass": 2.0}], convention="standard", name="arm")
    >>> arm.joint_names
    ('joint1',)
    >>> arm
    arm: 1 joint (1 revolute), 2 kg
    """

    __slots__ = ("_by_name", "_card", "_card32", "_joints", "_own", "_zeros", "joint_names", "links", "n", "nq", "tree")

    tree: Tree
    links: LinkTable
    joint_names: tuple[str, ...]
    n: int
    nq: int
    _by_name: dict[str, Joint]
    _joints: tuple[Joint, ...]
    _card: NDArray[np.intp]  # passed to compiled code in every call, in either precision
    _card32: NDArray[np.intp]
    _zeros: NDArray[np.float64]
    _own: Any  # code of this robot alone, as `rne.specialize` gives it; None for most

    def __init__(self, tree: Tree, joints: Sequence[str] | None = None) -> None:
        if not isinstance(tree, Tree):
            raise ArgumentError(f"tree: wanted a Tree, as readers return it, got {type(tree).__name__}")
        check_tree(tree)
        file_order = tuple(j.name for j in tree.joints if j.movable and j.mimic is None)
        if joints is not None:
            joints = edits.coordinate_order(joints, file_order)
        links = compile_tree(tree, joints)
        by_name, n = {joint.name: joint for joint in tree.joints}, len(links.coordinates)
        nq, n = (n + len(OF_POSITION), n + len(OF_VELOCITY)) if tree.floating else (n, n)
        values = {
            "tree": tree,
            "links": links,
            "joint_names": links.coordinates,
            "n": n,
            "nq": nq,
            "_by_name": by_name,
            "_own": None,
            "_joints": tuple(by_name[name] for name in links.coordinates),
            **make_cards(links.table, links.table32, nq, n),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        """Raise AttributeError, because a robot is immutable."""
        raise AttributeError(f"a Robot is frozen; {name!r} cannot be set (the with_... methods return new robots)")

    def __delattr__(self, name: str) -> None:
        """Raise AttributeError, because a robot is immutable."""
        raise AttributeError(f"a Robot is frozen; {name!r} cannot be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the tree; unpickling compiles the same table again."""
        made: tuple[Any, ...] = (Robot, (self.tree, self.joint_names))
        return made if self._own is None else self._own.remade(self.tree, self.joint_names)

    def __copy__(self) -> Robot:
        """Return the robot itself, because it is immutable."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Robot:
        """Return the robot itself, because it is immutable."""
        return self

    def __repr__(self) -> str:
        """Return a one-line summary."""
        kinds = [joint.kind for joint in self._joints]
        counts = [f"{kinds.count(kind)} {kind}" for kind in ("revolute", "prismatic") if kind in kinds]
        followers = len(self.links.joints) - len(self.joint_names)
        if followers:
            counts.append(f"{followers} mimicking")
        inside = f" ({', '.join(counts)})" if counts else ""
        joints, base = len(self.joint_names), " on a floating base" if self.floating else ""
        plural = "joint" if joints == 1 else "joints"
        return f"{self.name}: {joints} {plural}{inside}{base}, {self.total_mass:.6g} kg"

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.tree.name

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of all links, including fixed ones: the frames for wrenches, payloads and poses. The root is first."""
        root = self.tree.root
        return (root, *(body.name for body in self.tree.bodies if body.name != root))

    @property
    def gravity(self) -> NDArray[np.float64]:
        """Gravitational acceleration in base axes, m/s^2, shape (3,)."""
        return np.array(self.tree.gravity)

    @property
    def total_mass(self) -> float:
        """Mass of all bodies, the base included, kg."""
        return float(sum(body.mass for body in self.tree.bodies))

    @property
    def lower_limit(self) -> NDArray[np.float64]:
        """Lower position limits, rad or m, shape (nq,); -inf if unlimited, as a base that floats."""
        return self._limits(self.nq, [joint.limits.lower for joint in self._joints], -np.inf)

    @property
    def upper_limit(self) -> NDArray[np.float64]:
        """Upper position limits, rad or m, shape (nq,); inf if unlimited, as a base that floats."""
        return self._limits(self.nq, [joint.limits.upper for joint in self._joints], np.inf)

    @property
    def velocity_limit(self) -> NDArray[np.float64]:
        """Velocity limits, rad/s or m/s, shape (n,); inf if unlimited."""
        return self._limits(self.n, [joint.limits.velocity for joint in self._joints], np.inf)

    @property
    def effort_limit(self) -> NDArray[np.float64]:
        """Torque or force limits, N m or N, shape (n,); inf if unlimited, as what may act on a base that floats."""
        return self._limits(self.n, [joint.limits.effort for joint in self._joints], np.inf)

    @staticmethod
    def _limits(size: int, of_joints: list[float], of_base: float) -> NDArray[np.float64]:
        return np.array([*(of_base,) * (size - len(of_joints)), *of_joints])

    @property
    def stiffness(self) -> NDArray[np.float64]:
        """Stiffness matrix K of all springs, N m/rad or N/m, shape (n, n): d(tau)/dq of the springs."""
        return self.links.stiffness

    @property
    def damping(self) -> NDArray[np.float64]:
        """Damping matrix B of all viscous friction, N m s/rad or N s/m, shape (n, n): d(tau)/d(qd)."""
        return self.links.damping.copy()

    def joint(self, name: str) -> Joint:
        """Return the description of a joint.

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
        gravity : (3,) gravitational acceleration in base axes, m/s^2.
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

        A damper or spring may be negative if couplings compensate for it: an `ArgumentError` is raised only if damping
        B or stiffness K of the robot becomes indefinite, or more so than before.

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

        With its own parameters the robot does not change, even if they are not physical. Everything that moves with a
        joint becomes the body of its child link; links on fixed joints keep their frames, without mass.

        Parameters
        ----------
        pi : (P,) in the order of `rne.parameter_names`: those of the links, and optionally rotor inertias, friction, or
            both, which otherwise do not change. Gear ratios do not change.
        strict : whether to refuse parameters that are not physical, except for links that already have them. If False,
            any parameters are accepted, such as a published set of base parameters with first moments on links whose
            mass was regrouped. Torques, mass matrix and accelerations are then correct; energies, centers of mass and
            forces within the structure are not, because base parameters do not determine them.

        Raises
        ------
        ArgumentError
            Wrong number of parameters, a body that is not physical, or a negative value of a drive.
        ModelError
            First moments without mass on bodies that a prismatic joint moves.

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

        They replace all springs of the robot, including those of single joints and of mimic joints.

        Parameters
        ----------
        stiffness : (n, n) symmetric K, or (n,) its diagonal, in the order of `joint_names`, N m/rad or N/m. It need
            not be positive definite: a spring that pushes away from its rest position (a toggle, a weight balanced
            above its pivot) is physical and conserves energy.
        rest : (n,) positions at which all springs are relaxed, rad or m; zeros if None.

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
        """Return the robot with other viscous friction: tau = ... + B qd with ``friction=True``.

        It replaces all viscous friction of the robot; Coulomb friction does not change.

        Parameters
        ----------
        viscous : (n, n) symmetric and positive semidefinite B, or (n,) its diagonal, in the order of `joint_names`,
            N m s/rad or N s/m.

        Raises
        ------
        ArgumentError
            A wrong shape, numbers that are not finite, a matrix that is not symmetric, or not positive semidefinite.

        Examples
        --------
        >>> import rne
        >>> arm = rne.load("models/planar2/robot.dh.toml").with_dampers([[3.0, -1.0], [-1.0, 1.0]])
        >>> rne.friction_torque(arm, [1.0, 2.0])
        array([1., 1.])
        """
        return Robot(couplings.with_dampers(self.tree, self.joint_names, viscous), self.joint_names)
