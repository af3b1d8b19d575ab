"""Inertia at a point of the robot: the operational-space inertia matrix and its ellipsoid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Floats, as_batch, as_frame, as_site, check_robot
from rne.batch.quick import UNFIT, alone
from rne.check import check_choice, row_numbers
from rne.dynamics.kinematics import jacobian
from rne.dynamics.mass_matrix import mass_matrix, mass_matrix_inverse
from rne.dynamics.singular import SINGULAR, SINGULAR_CHOICES
from rne.kernels.entries import OPERATIONAL_INERTIA_ONE
from rne.kernels.layout import WITH_ROTORS
from rne.model.robot import Robot
from rne.tables import Part, Report, cells, of_many, titled, worst

_ALL_ROWS = list(range(6))
_ALL_PACKED = sum(row << (3 * row) for row in _ALL_ROWS)  # three bits each, for the kernel

IMPOSSIBLE = 1e-10
"""Semi-axis, relative to the longest, below which a direction counts as immovable."""


class Ellipsoid(Report, NamedTuple("Ellipsoid", [("semi_axes", Floats), ("directions", Floats)])):
    """The generalized inertia ellipsoid, as `inertia_ellipsoid` returns it.

    Attributes
    ----------
    semi_axes : (..., k) 1/sqrt(eigenvalue) of Lambda, 1/sqrt(kg) for linear rows, the longest first. Zero for
        directions that cannot move, where the inertia is infinite.
    directions : (..., k, k) unit vectors as columns; their signs are arbitrary.

    Examples
    --------
    >>> import rne
    >>> slide = rne.from_dh([{"joint": "prismatic", "mass": 4.0}], convention="standard")
    >>> rne.inertia_ellipsoid(slide, [0.1], "link1").semi_axes
    array([0.5, 0. , 0. ])
    """

    __slots__ = ()

    def _parts(self) -> list[Part]:
        many, k = self.semi_axes.shape[:-1], self.semi_axes.shape[-1]
        rows = {"axis": [str(i + 1) for i in range(k)], "length": cells(worst(self.semi_axes))}
        if not many:  # a batch has no single direction
            rows |= {f"row {i + 1}": cells(direction) for i, direction in enumerate(self.directions)}
        return [*of_many(many, "postures"), titled(rows)]


def operational_inertia(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    *,
    rows: Sequence[int] | None = None,
    axes: str = "world",
    point: ArrayLike | None = None,
    rotors: bool = True,
    singular: str = "raise",
    threads: int | None = None,
) -> Floats:
    """Operational-space inertia matrix of a frame: Lambda = (J M^-1 J^T)^-1.

    Khatib 1987, equation 21. The kinetic energy of a motion v of the frame is at least v^T Lambda v / 2.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m.
    frame, axes, point : as for `jacobian`.
    rows : rows of the Jacobian to use, such as (0, 1, 2) for the linear ones; all six if None.
    rotors : whether to include the reflected rotor inertias.
    singular : what to return where the mass matrix is singular: "raise" an error, "nan", or the inertia of the
        remaining motions ("least_squares"), zero in directions in which the frame moves without moving mass.
    threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    Lambda : (..., k, k) symmetric. In singular positions, and always if the robot has fewer joints than there are
        rows, some directions cannot move, and their inertia is infinite: Lambda is then the pseudo-inverse, which is
        correct for all possible motions, and zero for impossible directions. A direction counts as impossible if its
        semi-axis (`inertia_ellipsoid`) is below 1e-10 of the longest. The calculation is in float64, because float32
        would lose a light link on a heavy arm; the result is float32 if `q` is.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.
    SingularError
        The mass matrix is singular.

    Examples
    --------
    >>> import rne
    >>> row = {"joint": "prismatic", "mass": 2.0}
    >>> slide = rne.from_dh([row], convention="standard")
    >>> rne.operational_inertia(slide, [0.1], "link1", rows=[2])
    array([[2.]])
    """
    if singular != "raise":
        check_choice("singular", singular, SINGULAR_CHOICES)
    try:
        found = _far_from_singular(robot, q, frame, rows, axes, point, rotors, threads)
        if found is not None:
            return found
    except UNFIT:
        pass
    given = "raise" if singular == "raise" else "nan"
    directions, mobility, dtype = _mobility(robot, q, frame, rows, axes, point, rotors, threads, given)
    possible = mobility > IMPOSSIBLE * mobility.max(axis=-1, keepdims=True, initial=0.0)
    with np.errstate(divide="ignore"):
        weights = np.where(possible | np.isnan(mobility), 1 / mobility, 0)
    scaled = directions * weights[..., None, :]
    inertia: Floats = scaled @ np.swapaxes(scaled, -1, -2)
    if singular == "least_squares":
        lost = np.isnan(mobility).any(axis=-1) & np.isfinite(np.asarray(q, np.float64)).all(axis=-1)
        if lost.any():
            at = np.broadcast_to(np.asarray(q, np.float64), (*lost.shape, robot.nq))[lost]
            J = jacobian(robot, at, frame, axes=axes, point=point)[:, _rows(rows), :]
            inertia[lost] = [_remaining(*pair) for pair in zip(J, mass_matrix(robot, at, rotors=rotors), strict=True)]
    return inertia.astype(dtype, copy=False)


def _far_from_singular(
    robot: Robot, q: Any, frame: str, rows: Any, axes: str, point: Any, rotors: Any, threads: Any
) -> Floats | None:
    """Inertia of one state, without singular values; None if these are needed, or an argument is not as expected."""
    if threads is not None and not alone(threads):
        return None
    site = robot.links.frames[frame].sites[axes] if point is None else as_site(robot, frame, axes, point)
    chosen = _ALL_ROWS if rows is None else _rows(rows)
    if type(rotors) is not bool or robot.n < len(chosen):
        return None
    if type(q) is list:
        q = np.array(q, np.float64) if all(type(x) is float or type(x) is int for x in q) else q
    single = type(q) is np.ndarray and q.dtype == np.float32
    packed = sum(row << (3 * k) for k, row in enumerate(chosen)) if rows is not None else _ALL_PACKED
    wide = q.astype(np.float64) if single else q
    kind = WITH_ROTORS if rotors else 0
    inertia: Floats | None = OPERATIONAL_INERTIA_ONE.call(robot._card, wide, None, site, len(chosen), packed, kind)
    return inertia.astype(np.float32) if single and inertia is not None else inertia


def _rows(rows: Sequence[int] | None) -> list[int]:
    return _ALL_ROWS if rows is None else row_numbers("rows", rows)


def _remaining(J: Floats, M: Floats) -> Floats:
    """Inertia (k, k) of one frame for a singular mass matrix: of motions that move mass."""
    values, vectors = np.linalg.eigh(M)
    moves = values > SINGULAR * values.max(initial=0.0)
    free = J @ vectors[:, ~moves]
    u, size, _ = np.linalg.svd(free)
    rank = int((size > 1e-9 * max(float(np.abs(J).max()), 1e-300)).sum())
    kept = u[:, rank:]
    across = kept.T @ J @ vectors[:, moves]
    inverse = np.linalg.pinv((across / values[moves]) @ across.T, rcond=IMPOSSIBLE**2, hermitian=True)
    remaining: Floats = kept @ inverse @ kept.T
    return remaining


def inertia_ellipsoid(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    *,
    rows: Sequence[int] = (0, 1, 2),
    axes: str = "world",
    point: ArrayLike | None = None,
    rotors: bool = True,
    threads: int | None = None,
) -> Ellipsoid:
    """Generalized inertia ellipsoid u^T Lambda u = 1 of a point: long in directions of low inertia.

    Asada 1983, with G = J^-T M J^-1 for square Jacobians. Calculated from the singular values of J C, with
    M^-1 = C C^T, without inverting a Jacobian: in singular positions a semi-axis becomes zero, which is not a special
    case.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m.
    frame, axes, point : as for `jacobian`.
    rows : rows of the Jacobian that span the ellipsoid; by default the three linear ones. Linear and angular ones
        together mix units.
    rotors : whether to include the reflected rotor inertias.
    threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    Ellipsoid
        Semi-axes (..., k) and directions (..., k, k).

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.
    SingularError
        The mass matrix is singular.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.inertia_ellipsoid(arm, [0.0, 0.0], "link2", rows=[0, 1]).semi_axes.round(3)
    array([1.852, 0.   ])
    """
    directions, mobility, dtype = _mobility(robot, q, frame, rows, axes, point, rotors, threads)
    return Ellipsoid(mobility.astype(dtype, copy=False), directions.astype(dtype, copy=False))


def _mobility(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    rows: Sequence[int] | None,
    axes: str,
    point: ArrayLike | None,
    rotors: bool,
    threads: int | None,
    singular: str = "raise",
) -> tuple[Floats, Floats, str]:
    """Directions (..., k, k) and semi-axes (..., k), in float64, and the dtype of the result.

    They are left singular vectors and values of J C, where M^-1 = C C^T.
    """
    check_robot(robot, floating=True)
    batch = as_batch(robot, {"q": q}, required="q")
    q = batch.rows["q"].astype(np.float64, copy=False).reshape(*batch.shape, robot.nq)
    as_frame(robot, frame)  # one frame, while a Jacobian may be of several
    J = jacobian(robot, q, frame, axes=axes, point=point, threads=threads)[..., _rows(rows), :]
    inverse = mass_matrix_inverse(robot, q, rotors=rotors, singular=singular, threads=threads)
    sound = np.isfinite(inverse).all(axis=(-1, -2)) & np.isfinite(J).all(axis=(-1, -2))
    J[~sound], inverse[~sound] = 0, np.eye(robot.n)
    directions, values, _ = np.linalg.svd(J @ np.linalg.cholesky(inverse))
    mobility = np.zeros(directions.shape[:-1], values.dtype)
    mobility[..., : values.shape[-1]] = values
    directions[~sound], mobility[~sound] = np.nan, np.nan
    return directions, mobility, batch.dtype
