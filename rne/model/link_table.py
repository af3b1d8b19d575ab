"""The link table: a tree compiled into the numbers that the kernels use.

A link is a moving joint together with every body that moves rigidly with it. Compilation orders parents first, folds
fixed joints, rotates every joint axis onto z, resolves mimic joints into coordinates, brings the frames into the normal
form of `rne.kernels.layout` and regroups the inertias.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rne.errors import ModelError, Problem
from rne.kernels import layout as at
from rne.model.floating import OF_POSITION, OF_VELOCITY
from rne.model.frames import AXES, Frame, sites_of
from rne.model.mimics import resolved_mimics
from rne.model.regrouping import Link, fold, normalize, regroup
from rne.model.rotations import split_zxz
from rne.model.structure import parents_first
from rne.model.tree import Coupling, Tree

Array = NDArray[np.float64]

# Positions of the second moments, first moments and mass of a complete body in its pseudo-inertia.
_PSEUDO_INERTIA = {
    (0, 0): at.FULL_XX, (1, 1): at.FULL_YY, (2, 2): at.FULL_ZZ,
    (0, 1): at.FULL_XY, (0, 2): at.FULL_XZ, (1, 2): at.FULL_YZ,
    (0, 3): at.FULL_HX, (1, 3): at.FULL_HY, (2, 3): at.FULL_HZ, (3, 3): at.FULL_MASS,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class LinkTable:
    """Data of a robot for the kernels. Only this module and the kernels know its columns; others use the attributes.

    Attributes
    ----------
    table : (1 + links + couplings, WIDTH) float64, rows and columns as in `rne.kernels.layout`; read-only.
    table32 : the same in float32.
    joints : names of all moving joints, in the order of the rows 1, 2, ...; with mimic joints, unlike `coordinates`.
    joint_frames : names of the frames of these joints: those of their child bodies.
    coordinates : names of the joints whose positions make up q, in the order of q; behind the pose of the base if that
        floats.
    frames : pose of every body of the tree, by name.
    """

    table: Array
    table32: NDArray[np.float32]
    joints: tuple[str, ...]
    joint_frames: tuple[str, ...]
    coordinates: tuple[str, ...]
    frames: dict[str, Frame]

    @cached_property
    def joint_sites(self) -> dict[str, Array]:
        """The frames of the joints in the format of the kernels, (links, SITE_WIDTH), by the axes of the result."""
        return {axes: sites_of([self.frames[name] for name in self.joint_frames], axes) for axes in AXES}

    @property
    def _moving(self) -> Array:
        return self.table[1 : 1 + len(self.joints)]

    @property
    def parents(self) -> NDArray[np.intp]:
        """Row of the link that carries each joint, shape (joints,); 0 is the base."""
        return self._moving[:, at.PARENT].astype(np.intp)

    @property
    def masses(self) -> Array:
        """Mass of the link of each row, the base first, shape (1 + joints,), kg."""
        return self.table[: 1 + len(self.joints), at.FULL_MASS]

    @property
    def pseudo_inertias(self) -> Array:
        """Pseudo-inertia of the link of each row, the base first, in its frame, shape (1 + joints, 4, 4)."""
        J = np.empty((1 + len(self.joints), 4, 4))
        for (a, b), column in _PSEUDO_INERTIA.items():
            J[:, a, b] = J[:, b, a] = self.table[: 1 + len(self.joints), column]
        return J

    @property
    def leaders(self) -> NDArray[np.intp]:
        """Index in qd of the coordinate of each joint, shape (joints,): qd_joint = ratio * qd[leader]."""
        return self._moving[:, at.LEADER].astype(np.intp)

    @property
    def ratios(self) -> Array:
        """Ratio of each joint to its leader, shape (joints,)."""
        return self._moving[:, at.RATIO]

    @property
    def shifts(self) -> Array:
        """Offset of each joint from its leader, shape (joints,), rad or m."""
        return self._moving[:, at.SHIFT]

    @property
    def inertia_bounds(self) -> Array:
        """Upper bound on the inertia of the subtree at each joint, without rotors, shape (joints,), kg m^2 or kg."""
        return self._moving[:, at.BOUND]

    @property
    def rotors(self) -> Array:
        """Reflected inertia of the rotor at each joint, shape (joints,), kg m^2 or kg."""
        return self._moving[:, at.ROTOR]

    @property
    def friction(self) -> Array:
        """Viscous friction, and Coulomb friction for positive and for negative velocity, of each joint, (3, joints)."""
        return self._moving[:, [at.VISCOUS, at.COULOMB_PLUS, at.COULOMB_MINUS]].T

    @property
    def stiffness(self) -> Array:
        """Stiffness of all springs over the coordinates, shape (n, n)."""
        return self._over_coordinates(at.STIFFNESS)

    @cached_property
    def damping(self) -> Array:
        """Viscous friction of all drives and couplings over the coordinates, shape (n, n); read-only."""
        return frozen(np.ascontiguousarray(self._over_coordinates(at.VISCOUS)))

    @cached_property
    def dry_friction(self) -> Array:
        """Friction that holds each coordinate against positive and against negative velocity, shape (2, n)."""
        _, plus, minus = self.friction
        size, forward = np.abs(self.ratios), self.ratios > 0
        more, held = self._moving[:, at.STRIBECK], self._moving[:, at.SMOOTH_RATE] == 0  # smooth friction holds none
        plus, minus = held * (plus + more), held * (minus + more)
        sides = np.where(forward, plus, minus), np.where(forward, minus, plus)
        n = int(self.table[0, at.COORDINATES])
        return frozen(np.array([np.bincount(self.leaders, size * side, n) for side in sides]))

    @property
    def curved(self) -> bool:
        """Whether any joint has friction beyond viscous friction and Coulomb friction that jumps."""
        return bool(self._moving[:, at.CURVED].any())

    @cached_property
    def sticking(self) -> NDArray[np.bool_] | None:
        """Which coordinates dry friction can hold at rest, shape (n,); None if it can hold none."""
        found: NDArray[np.bool_] = np.any(self.dry_friction > 0, axis=0)
        return found if found.any() else None

    def _over_coordinates(self, column: int) -> Array:
        links = len(self.joints)
        G = np.zeros((links + 1, int(self.table[0, at.COORDINATES])))
        G[np.arange(1, links + 1), self.leaders] = self.ratios
        couplings = self.table[links + 1 :]
        first, second = couplings[:, at.FIRST].astype(int), couplings[:, at.SECOND].astype(int)
        between = couplings[:, [at.OF_FIRST]] * G[first] + couplings[:, [at.OF_SECOND]] * G[second]
        seen: Array = np.concatenate([G[1:], between])
        return (seen * self.table[1:, [column]]).T @ seen

    @staticmethod
    def without_parameters(table: NDArray[Any]) -> NDArray[Any]:
        """Return a copy without the numbers of `rne.parameters`; springs, couplings, curves of friction remain."""
        copy = table.copy()
        copy[: 1 + int(table[0, at.LINKS]), at.MASS : at.COULOMB_MINUS + 1] = 0.0  # with the body of the base
        return frozen(copy)

    @staticmethod
    def with_inertia_of_damping(table: NDArray[Any], lag: float) -> NDArray[Any]:
        """Return a copy of a table in which each rotor is heavier by `lag` (s) times the damping of its drive."""
        copy, moving = table.copy(), slice(1, 1 + int(table[0, at.LINKS]))
        copy[moving, at.ROTOR] += lag * table[moving, at.VISCOUS]
        return frozen(copy)

    @staticmethod
    def with_gravity(table: NDArray[Any], gravity: Array) -> NDArray[Any]:
        """Return a copy of a table with the given gravity."""
        copy = table.copy()
        copy[0, at.GRAVITY : at.GRAVITY + 3] = gravity
        return frozen(copy)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Make an array read-only, and return it."""
    array.flags.writeable = False
    return array


def compile_tree(tree: Tree, order: tuple[str, ...] | None = None) -> LinkTable:
    """Compile a tree into a link table.

    Parameters
    ----------
    tree : tree with a valid structure, as returned by a reader.
    order : names of the coordinates in the order of q; the order of the file by default.
    """
    links, frames, coordinates = _links(tree, order)
    table = np.zeros((len(links) + len(_couplings(tree, links)), at.WIDTH))
    _write(table, links, tree, coordinates)
    _write_bounds(table, links)
    table += 0.0  # turns negative zeros into zeros
    with np.errstate(over="ignore"):
        table32 = table.astype(np.float32)
    if not np.isfinite(table32).all():
        what = "products of masses, lengths or mimic ratios overflow in single precision; check their units"
        raise ModelError(Problem(tree.source, None, f"robot '{tree.name}'", what))
    for frame in frames.values():
        frame.rotation.flags.writeable = frame.position.flags.writeable = False
    table.flags.writeable = table32.flags.writeable = False
    moving = [link.joint for link in links[1:]]
    names, children = (tuple(getattr(joint, name) for joint in moving) for name in ("name", "child"))
    return LinkTable(table, table32, names, children, coordinates, frames)


def table_of_numbers(tree: Tree, order: tuple[str, ...]) -> NDArray[Any]:
    """Return the table of a tree whose masses, lengths, drives and gravity may be numbers of any kind, as objects.

    Rotations are floats. The bounds of the inertias, which take square roots, are left out: they are zero.
    """
    links, _, coordinates = _links(tree, order)
    table = np.zeros((len(links) + len(_couplings(tree, links)), at.WIDTH), object)
    _write(table, links, tree, coordinates)
    return table


def _links(tree: Tree, order: tuple[str, ...] | None) -> tuple[list[Link], dict[str, Frame], tuple[str, ...]]:
    """Return the links, regrouped and in normal form, the poses of all bodies, and the coordinates in order."""
    joints = parents_first(tree.bodies, tree.joints)
    if len(joints) != len(tree.joints):
        raise ModelError(Problem(tree.source, None, f"robot '{tree.name}'", "joints do not form a tree"))
    links, frames = fold(tree, joints)
    normalize(links, frames)
    regroup(links, frames, tree)
    return links, frames, order or tuple(j.name for j in tree.joints if j.movable and j.mimic is None)


def _couplings(tree: Tree, links: list[Link]) -> list[Coupling]:
    names = {link.joint.name for link in links}
    return [coupling for coupling in tree.couplings if coupling.first in names or coupling.second in names]


def _write(table: NDArray[Any], links: list[Link], tree: Tree, coordinates: tuple[str, ...]) -> None:
    rows, couplings = {link.joint.name: row for row, link in enumerate(links)}, _couplings(tree, links)
    table[0, at.LINKS], table[0, at.COUPLINGS] = len(links) - 1, len(couplings)
    table[0, at.COORDINATES] = len(coordinates)
    if tree.floating:
        _write_base(table[0], links[0], len(coordinates))
    table[0, at.GRAVITY : at.GRAVITY + 3] = tree.gravity
    table[0, at.MIMIC] = len(coordinates) < len(links) - 1
    table[0, at.INDIRECT] = tree.floating or bool(table[0, at.MIMIC])
    for row, link in enumerate(links):
        _write_body(table[row], link)
        if row:
            _write_frame(table[row], link, row)
            _write_drive(table[row], link)
    for out, coupling in zip(table[len(links) :], couplings, strict=True):
        _write_coupling(out, coupling, rows)
    _write_coordinates(table, links, tree, coordinates)


def _write_base(out: Array, link: Link, joints: int) -> None:
    """Write what only a base that floats has: its columns of a state, and its regrouped body."""
    out[at.COORDINATES], out[at.BASE] = len(OF_VELOCITY) + joints, len(OF_POSITION)
    mass, first, second = link.felt
    out[at.BASE_MASS : at.BASE_MASS + 10] = [mass, *first, *_second(second)]


def _second(second: Array) -> list[Any]:
    return [second[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


def _write_body(out: Array, link: Link) -> None:
    mass, first, second = link.moments
    out[at.FULL_MASS] = mass
    out[at.FULL_HX : at.FULL_HZ + 1] = first
    out[at.FULL_XX : at.FULL_YZ + 1] = _second(second)


def _write_frame(out: Array, link: Link, row: int) -> None:
    turn, alpha, offset = split_zxz(link.rotation)
    follows = link.parent == row - 1
    if follows and row > 1:
        turn = (1.0, 0.0)  # by `normalize`, up to rounding
    out[at.PARENT] = link.parent
    out[at.KIND] = at.REVOLUTE if link.joint.kind == "revolute" else at.PRISMATIC
    out[at.FOLLOWS], out[at.KEEP] = follows, link.keep
    out[[at.COS_TURN, at.SIN_TURN]] = turn
    out[at.HAS_TURN] = turn != (1.0, 0.0)
    out[at.PX : at.PZ + 1] = link.position
    out[[at.COS_ALPHA, at.SIN_ALPHA]] = alpha
    out[[at.COS_OFFSET, at.SIN_OFFSET]] = offset
    mass, first, second = link.felt
    out[at.MASS], out[at.HX], out[at.HY] = mass, first[0], first[1]
    xx, yy, _, xy, xz, yz = _second(second)
    out[[at.XX, at.YY, at.XY, at.XZ, at.YZ]] = xx, yy, xy, xz, yz


def _write_drive(out: Array, link: Link) -> None:
    drive = link.joint.drive
    out[at.ROTOR] = drive.reflected_inertia
    out[at.VISCOUS] = drive.viscous
    out[at.COULOMB_PLUS], out[at.COULOMB_MINUS] = drive.coulomb_plus, drive.coulomb_minus
    out[at.STIFFNESS], out[at.REST] = drive.stiffness, drive.rest
    out[at.CURVED], out[at.OFFSET] = drive.curved, drive.offset
    out[at.QUADRATIC], out[at.CUBIC], out[at.STRIBECK] = drive.quadratic, drive.cubic, drive.stribeck
    out[at.STRIBECK_RATE] = 1 / drive.stribeck_velocity if drive.stribeck else 0.0
    out[at.SMOOTH_RATE] = 1 / drive.smoothing if drive.smoothing else 0.0


def _write_coupling(out: Array, coupling: Coupling, rows: dict[str, int]) -> None:
    """Write a coupling; a fixed joint has a zero coefficient, and the row of the other joint in place of its own."""
    first, second = rows.get(coupling.first), rows.get(coupling.second)
    out[at.OF_FIRST] = 0.0 if first is None else 1.0
    out[at.OF_SECOND] = 0.0 if second is None else -coupling.ratio
    out[at.FIRST], out[at.SECOND] = first or second, second or first  # no joint moves row 0
    out[at.STIFFNESS], out[at.REST], out[at.VISCOUS] = coupling.stiffness, coupling.rest, coupling.viscous


NO_LIMIT = 1e3
"""Travel in m at and above which a limit counts as none: as a bound, it would make other numbers look like rounding."""


def _write_bounds(table: Array, links: list[Link]) -> None:
    """Bound the inertia at each joint by that of its subtree stretched out straight, about the origin of the link.

    The square root of the second moment about a point obeys the triangle inequality (Minkowski).
    """
    mass = np.array([link.moments[0] for link in links]).clip(0.0)
    swing = np.array([np.trace(link.moments[2]) for link in links]).clip(0.0)
    for row in range(len(links) - 1, 0, -1):
        joint, above = links[row].joint, links[row].parent
        slides = joint.kind == "prismatic"
        table[row, at.BOUND] = mass[row] if slides else swing[row]
        reach = float(np.linalg.norm(links[row].position))
        if slides:
            stops = abs(joint.limits.lower), abs(joint.limits.upper)
            reach += max((stop for stop in stops if stop < NO_LIMIT), default=0.0)
        mass[above] += mass[row]
        swing[above] += (np.sqrt(swing[row]) + np.sqrt(mass[row]) * reach) ** 2


def _write_coordinates(table: Array, links: list[Link], tree: Tree, coordinates: tuple[str, ...]) -> None:
    """Resolve mimic joints, including chains: q_joint = ratio * q[leader] + shift."""
    mimics = resolved_mimics(tree.joints)
    before = len(OF_VELOCITY) if tree.floating else 0
    place = {name: before + k for k, name in enumerate(coordinates)}
    columns = int(table[0, at.BASE])
    reduced = bool(table[0, at.MIMIC])
    for row, link in enumerate(links[1:], start=1):
        mimic = mimics[link.joint.name]
        leader = place[mimic.leader]
        table[row, [at.RATIO, at.SHIFT, at.LEADER]] = mimic.ratio, mimic.offset, leader
        table[row, at.COORDINATE] = columns + (row - 1 if reduced else leader - before)
