"""Inertia as it is felt at a point of the robot: the operational-space matrix and its ellipsoid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Floats, as_batch, as_site, check_robot
from rne.batch.quick import UNFIT, alone
from rne.dynamics.kinematics import jacobian
from rne.dynamics.mass_matrix import mass_matrix_inverse
from rne.errors import ArgumentError, shown
from rne.kernels.entries import OPERATIONAL_INERTIA_ONE
from rne.kernels.layout import WITH_ROTORS
from rne.model.robot import Robot
from rne.tables import Report, cells, columns, of_many, worst

_ALL_ROWS = list(range(6))
_ALL_PACKED = sum(row << (3 * row) for row in _ALL_ROWS)  # three bits each, as the kernel takes them

IMPOSSIBLE = 1e-10
"""Semi-axis, as a part of the longest, below which a direction cannot move at all."""


class Ellipsoid(Report, NamedTuple("Ellipsoid", [("semi_axes", Floats), ("directions", Floats)])):
    """The generalized inertia ellipsoid, as `inertia_ellipsoid` returns it.

    Attributes
    ----------
    semi_axes : (..., k) 1/sqrt(eigenvalue) of the inertia felt, 1/sqrt(kg) for linear rows, the longest first. Zero
        where nothing can move: there the inertia is infinite.
    directions : (..., k, k) unit vectors, one a column; the sign of each is arbitrary.

    Examples
    --------
    >>> import rne
    >>> slide = rne.from_dh([{"joint": "prismatic", "mass": 4.0}], convention="standard")
    >>> rne.inertia_ellipsoid(slide, [0.1], "link1").semi_axes
    array([0.5, 0. , 0. ])
    """

    __slots__ = ()

    def _table(self) -> str:
        many, k = self.semi_axes.shape[:-1], self.semi_axes.shape[-1]
        rows = {"axis": [str(i + 1) for i in range(k)], "length": cells(worst(self.semi_axes))}
        if not many:  # a batch has no single direction
            rows |= {f"row {i + 1}": cells(direction) for i, direction in enumerate(self.directions)}
        return of_many(many, "postures") + columns(rows)


def operational_inertia(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    *,
    rows: Sequence[int] | None = None,
    axes: str = "world",
    point: ArrayLike | None = None,
    rotors: bool = True,
    threads: int | None = None,
) -> Floats:
    """Inertia that a wrench at a frame has to accelerate: Lambda = (J M^-1 J^T)^-1.

    Khatib 1987, equation 21. The kinetic energy of a motion v of the frame is at least v^T Lambda v / 2.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m.
    frame, axes, point : as for `jacobian`.
    rows : which rows of the Jacobian to look at, such as (0, 1, 2) for the linear ones; all six if None.
    rotors : whether the rotors count.
    threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    Lambda : (..., k, k) symmetric. In singular positions, and always where the robot has fewer joints than there are
        rows, some directions cannot move at all, and no matrix can hold their infinite inertia: Lambda is then the
        pseudo-inverse, right for every motion that is possible, and zero for the directions that are not. A direction
        counts as impossible where its semi-axis (`inertia_ellipsoid`) is below 1e-10 of the longest. All is calculated
        in float64, and given in float32 if `q` is: of a light link on a heavy arm float32 would leave nothing.

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
    try:
        found = _far_from_singular(robot, q, frame, rows, axes, point, rotors, threads)
        if found is not None:
            return found
    except UNFIT:
        pass
    directions, mobility, dtype = _mobility(robot, q, frame, rows, axes, point, rotors, threads)
    possible = mobility > IMPOSSIBLE * mobility.max(axis=-1, keepdims=True, initial=0.0)
    with np.errstate(divide="ignore"):
        weights = np.where(possible | np.isnan(mobility), 1 / mobility, 0)
    scaled = directions * weights[..., None, :]
    inertia: Floats = scaled @ np.swapaxes(scaled, -1, -2)
    return inertia.astype(dtype, copy=False)


def _far_from_singular(
    robot: Robot, q: Any, frame: str, rows: Any, axes: str, point: Any, rotors: Any, threads: Any
) -> Floats | None:
    """Inertia of one state, without singular values; None where these are wanted, or anything does not fit."""
    if threads is not None and not alone(threads):
        return None
    site = robot.links.frames[frame].sites[axes] if point is None else as_site(robot, frame, axes, point)
    chosen = _ALL_ROWS if rows is None else _check_rows(rows)
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
    """Generalized inertia ellipsoid u^T Lambda u = 1 of a point: long where the arm feels light.

    Asada 1983, who writes G = J^-T M J^-1 for square Jacobians. It is worked out from the singular values of
    J C, with M^-1 = C C^T, and inverts no Jacobian: singular positions lose a semi-axis, which becomes zero, and are no
    special case.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m.
    frame, axes, point : as for `jacobian`.
    rows : which rows of the Jacobian span the ellipsoid; by default the three linear ones. Linear and angular ones
        together mix units.
    rotors : whether the rotors count.
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
) -> tuple[Floats, Floats, str]:
    """Directions (..., k, k) and semi-axes (..., k), in float64, and the type that the caller wants them in.

    They are left singular vectors and values of J C, where M^-1 = C C^T.
    """
    check_robot(robot)
    batch = as_batch(robot, {"q": q}, required="q")
    q = batch.rows["q"].astype(np.float64, copy=False).reshape(*batch.shape, robot.n)
    J = jacobian(robot, q, frame, axes=axes, point=point, threads=threads)[..., _check_rows(rows), :]
    inverse = mass_matrix_inverse(robot, q, rotors=rotors, threads=threads)
    sound = np.isfinite(inverse).all(axis=(-1, -2)) & np.isfinite(J).all(axis=(-1, -2))
    J[~sound], inverse[~sound] = 0, np.eye(robot.n)
    directions, values, _ = np.linalg.svd(J @ np.linalg.cholesky(inverse))
    mobility = np.zeros(directions.shape[:-1], values.dtype)
    mobility[..., : values.shape[-1]] = values
    directions[~sound], mobility[~sound] = np.nan, np.nan
    return directions, mobility, batch.dtype


def _check_rows(rows: Sequence[int] | None) -> list[int]:
    chosen = list(range(6)) if rows is None else list(rows) if isinstance(rows, Sequence | np.ndarray) else []
    if not all(isinstance(row, int | np.integer) and not isinstance(row, bool) for row in chosen):
        chosen = []
    if not chosen or len(set(chosen)) < len(chosen) or not set(chosen) <= set(range(6)):
        raise ArgumentError(f"rows: wanted different numbers from 0 to 5, at least one, got {shown(rows)}")
    return chosen
