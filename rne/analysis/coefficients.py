"""Coefficients of the equations of motion in textbook notation: D_ii, D_ij, D_ijj, D_ijk, D_i, Ia."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Floats, check_robot
from rne.check import as_joint
from rne.dynamics.coriolis import christoffel
from rne.dynamics.inverse_dynamics import gravity_vector
from rne.dynamics.mass_matrix import mass_matrix, reflected_inertia
from rne.errors import ArgumentError
from rne.model.robot import Robot
from rne.tables import Part, Report, cells, titled

# Coefficients per line of a table.
_ABREAST = 6


@dataclass(frozen=True, eq=False, repr=False)
class Coefficients(Report):
    """Coefficients of the equations of motion, for one posture or many.

    tau_i = sum_j D_ij qdd_j + Ia_i qdd_i + sum_jk D_ijk qd_j qd_k + D_i.

    Indexing by joints selects one coefficient: ``c[1]`` is D_1, ``c[1, 2]`` is D_12, ``c[1, 1, 2]`` is D_112. Joints
    are numbered from 1, as in textbooks, or named: ``c["shoulder", "elbow"]``. Printing shows a table; for many
    postures, it holds the largest absolute value of each coefficient.

    Attributes
    ----------
    joint_names : the coordinates, in the order of the axes of the arrays.
    inertia : (..., n, n) D_ij of the bodies, without the rotors; kg m^2, kg m or kg.
    rotor : (n,) Ia, the reflected inertias of the rotors, independent of the posture.
    christoffel : (..., n, n, n) D_ijk, symmetric in j and k: the sum contains both D_ijk and D_ikj.
    gravity : (..., n) D_i, N m or N.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> c = rne.coefficients(arm, [[0.0, 1.5707963267948966], [0.0, 0.0]])
    >>> c["shoulder", "elbow"].round(4)
    array([0.3333, 0.8333])
    >>> c[2, 1, 1].round(4)
    array([0.5, 0. ])
    """

    joint_names: tuple[str, ...]
    inertia: Floats
    rotor: Floats
    christoffel: Floats
    gravity: Floats

    @property
    def effective(self) -> Floats:
        """Effective inertias D_ii (..., n): inertia at joint i with the other joints locked, without its rotor."""
        return np.diagonal(self.inertia, axis1=-2, axis2=-1).copy()

    @property
    def coupling(self) -> Floats:
        """Coupling inertias D_ij (..., n, n), zero for i = j."""
        return self.inertia * ~np.eye(len(self.joint_names), dtype=bool)

    @property
    def centripetal(self) -> Floats:
        """Centripetal coefficients D_ijj (..., n, n): effect of the velocity of joint j alone on joint i."""
        return np.diagonal(self.christoffel, axis1=-2, axis2=-1).copy()

    @property
    def coriolis(self) -> Floats:
        """Coriolis coefficients D_ijk (..., n, n, n), zero for j = k."""
        return self.christoffel * ~np.eye(len(self.joint_names), dtype=bool)

    @property
    def mass_matrix(self) -> Floats:
        """Mass matrix with rotors (..., n, n): D_ij, with Ia_i added to D_ii."""
        M: Floats = self.inertia + np.diag(self.rotor).astype(self.inertia.dtype)
        return M

    def __getitem__(self, joints: str | int | tuple[str | int, ...]) -> Floats:
        """One coefficient for all postures (...): D_i for one joint, D_ij for two, D_ijk for three.

        Raises
        ------
        UnknownNameError, ArgumentError
            No joint has this name or number, or more than three joints are given.
        """
        given = joints if isinstance(joints, tuple) else (joints,)
        places = tuple(as_joint(self.joint_names, joint, "index") for joint in given)
        if not 1 <= len(places) <= 3:
            raise ArgumentError(f"index: wanted one joint (D_i), two (D_ij) or three (D_ijk), got {len(places)}")
        whole: Floats = (self.gravity, self.inertia, self.christoffel)[len(places) - 1]
        for place in places:
            whole = np.take(whole, place, axis=len(self.gravity.shape) - 1)
        return whole

    def _page(self) -> str:
        title, entries = self._entries()
        return "\n".join((title, *_aligned(entries)))

    def _parts(self) -> list[Part]:
        title, entries = self._entries()
        rows = [
            (name if k == 0 else "", ", ".join(row)) for name, rows in entries.items() for k, row in enumerate(rows)
        ]
        terms = {"term": [name for name, _ in rows], "coefficients": [text for _, text in rows]}
        return [title, titled(terms, left=["coefficients"])]

    def _entries(self) -> tuple[str, dict[str, list[list[str]]]]:
        """Return the line above the table, and the entries of each term."""
        n, postures = len(self.joint_names), self.gravity.shape[:-1]
        joints = range(n)
        first, second = np.triu_indices(n, 1)
        pairs = [(int(j), int(k)) for j, k in zip(first, second, strict=True)]
        named: list[tuple[str, Floats, list[tuple[int, ...]]]] = [
            ("effective", self.effective, [(i, i) for i in joints]),
            ("coupling", self.inertia[..., first, second], list(pairs)),
            ("rotor", np.broadcast_to(self.rotor, self.gravity.shape), [(i,) for i in joints]),
            ("centripetal", self.centripetal, [(i, j, j) for i in joints for j in joints]),
            ("coriolis", self.christoffel[..., first, second], [(i, j, k) for i in joints for j, k in pairs]),
            ("gravity", self.gravity, [(i,) for i in joints]),
        ]
        entries = {
            title: _entries(places, _one_posture(values, postures), letter="Ia" if title == "rotor" else "D")
            for title, values, places in named
            if title != "rotor" or self.rotor.any()
        }
        title = ", ".join(f"{i} {name}" for i, name in enumerate(self.joint_names, start=1)) or "no joints"
        if postures:
            title += f"; largest sizes of {math.prod(postures)} postures"
        return title, entries


def coefficients(
    robot: Robot, q: ArrayLike, *, gravity: ArrayLike | None = None, threads: int | None = None
) -> Coefficients:
    """Coefficients of the equations of motion in textbook notation, for one posture or many.

    Effective inertia D_ii, coupling inertia D_ij, centripetal D_ijj and Coriolis D_ijk coefficients, gravity D_i (Paul
    1981, chapter 6). The values are those of `mass_matrix` without rotors, `christoffel` and `gravity_vector`.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m.
    gravity : (3,) acceleration of free fall in base axes, m/s^2; that of the robot if None.
    threads : as in `inverse_dynamics`.

    Returns
    -------
    coefficients : Coefficients

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> print(rne.coefficients(arm, [0.0, 1.5707963267948966]))
    1 shoulder, 2 elbow
    effective    D11 = 1.667   D22 = 0.3333
    coupling     D12 = 0.3333
    centripetal  D111 = 0      D122 = -0.5
                 D211 = 0.5    D222 = 0
    coriolis     D112 = -0.5
                 D212 = 0
    gravity      D1 = 14.71    D2 = 0
    """
    check_robot(robot)
    return Coefficients(
        robot.joint_names,
        inertia=mass_matrix(robot, q, rotors=False, threads=threads),
        rotor=reflected_inertia(robot),
        christoffel=christoffel(robot, q, threads=threads),
        gravity=gravity_vector(robot, q, gravity=gravity, threads=threads),
    )


def symbol(*places: int | np.integer[Any], letter: str = "D") -> str:
    """Symbol of a coefficient: its letter and the numbers of its joints; `places` count from 0.

    Examples
    --------
    >>> symbol(0, 0, 1), symbol(0, 11)
    ('D112', 'D1,12')
    """
    numbers = [str(place + 1) for place in places]
    return letter + ("," if any(len(number) > 1 for number in numbers) else "").join(numbers)


def _one_posture(values: Floats, postures: tuple[int, ...]) -> Floats:
    """Flatten the values of one posture, or take the largest absolute values over many."""
    if not postures:
        return values.ravel()
    count = math.prod(values.shape[len(postures) :])
    largest: Floats = np.abs(values).reshape(math.prod(postures), count).max(axis=0, initial=0.0)
    return largest


def _entries(places: list[tuple[int, ...]], values: Floats, letter: str = "D") -> list[list[str]]:
    """Entries such as "D12 = 0.5"; coefficients with three indices get one row per first joint."""
    texts = [f"{symbol(*at, letter=letter)} = {cell}" for at, cell in zip(places, cells(values), strict=True)]
    rows = groupby(zip(places, texts, strict=True), key=lambda entry: entry[0][0] if len(entry[0]) == 3 else None)
    return [[text for _, text in row] for _, row in rows]


def _aligned(entries: dict[str, list[list[str]]]) -> list[str]:
    """Lines with aligned entries, each group preceded by its title."""
    margin = max(map(len, entries))
    width = max((len(text) for rows in entries.values() for row in rows for text in row), default=0)
    lines = []
    for title, rows in entries.items():
        broken = [row[k : k + _ABREAST] for row in rows for k in range(0, len(row), _ABREAST)]
        for k, row in enumerate(broken):
            lines.append("  ".join([f"{'' if k else title:<{margin}}", *(f"{text:<{width}}" for text in row)]).rstrip())
    return lines
