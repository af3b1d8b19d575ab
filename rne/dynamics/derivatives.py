"""Derivatives of torques and of accelerations by the state: the public functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy import empty
from numpy.typing import ArrayLike

from rne.batch.arguments import Batch, Floats, as_loads, as_result, as_table, finish, read_only, settle
from rne.batch.quick import UNFIT, Algorithm, Marks, alone, quick
from rne.batch.threads import launch
from rne.dynamics.forward_dynamics import recalculate, with_pushed_torques
from rne.dynamics.mass_matrix import refuse_singular
from rne.kernels.entries import (
    DERIVATIVES,
    DERIVATIVES_ONE,
    FORWARD_DERIVATIVES,
    FORWARD_DERIVATIVES_ONE,
    GRAVITY_DERIVATIVE,
    GRAVITY_DERIVATIVE_ONE,
    STATIC_DERIVATIVE,
)
from rne.kernels.layout import SPRINGS
from rne.model.robot import Robot
from rne.tables import Part, Report, cells, of_many, titled, worst

_INVERSE = Algorithm(DERIVATIVES_ONE, DERIVATIVES, states=3, gravity=True, floating=True)
_FORWARD = Algorithm(FORWARD_DERIVATIVES_ONE, FORWARD_DERIVATIVES, states=3, gravity=True, floating=True)
_GRAVITY = Algorithm(GRAVITY_DERIVATIVE_ONE, GRAVITY_DERIVATIVE, gravity=True, floating=True)
_inverse_one, _forward_one = DERIVATIVES_ONE["float64"], FORWARD_DERIVATIVES_ONE["float64"]
_gravity_one = GRAVITY_DERIVATIVE_ONE["float64"]


def tables_of(matrices: Mapping[str, Floats]) -> list[Part]:
    """Return matrices (..., m, n) as one table under another: of many, the largest entries."""
    found: list[Part] = []
    for name, matrix in matrices.items():
        *many, rows, count = matrix.shape
        largest = worst(matrix.reshape(*many, rows * count)).reshape(rows, count)
        numbers = {f"{k + 1}": cells(largest[:, k]) for k in range(count)}
        blank = [""] if found else of_many(tuple(many))
        found += [*blank, titled({name: [f"{i + 1}" for i in range(rows)], **numbers})]
    return found


class TorqueDerivatives(
    Report,
    NamedTuple("TorqueDerivatives", [("dtau_dq", Floats), ("dtau_dqd", Floats), ("dtau_dqdd", Floats)]),
):
    """Derivatives of the torques of inverse dynamics, as `inverse_dynamics_derivatives` returns them.

    Entry [i, j] is the derivative of torque i by position, velocity or acceleration j. All three are views of one array
    (..., 3, n, n).

    Attributes
    ----------
    dtau_dq : (..., n, n) N m/rad where both joints are revolute.
    dtau_dqd : (..., n, n) N m s/rad.
    dtau_dqdd : (..., n, n) N m s^2/rad, the mass matrix.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.inverse_dynamics_derivatives(arm, [0.0, 0.5], [1.0, 0.0]).dtau_dqd.round(3) + 0.0
    array([[ 0.   , -0.479],
           [ 0.479,  0.   ]])
    """

    __slots__ = ()

    def _parts(self) -> list[Part]:
        return tables_of(self._asdict())


class AccelerationDerivatives(
    Report,
    NamedTuple("AccelerationDerivatives", [("dqdd_dq", Floats), ("dqdd_dqd", Floats), ("dqdd_dtau", Floats)]),
):
    """Derivatives of the accelerations of forward dynamics, as `forward_dynamics_derivatives` returns them.

    Entry [i, j] is the derivative of acceleration i by position, velocity or torque j. All three are views of one array
    (..., 3, n, n).

    Attributes
    ----------
    dqdd_dq : (..., n, n) 1/s^2 where both joints are revolute.
    dqdd_dqd : (..., n, n) 1/s.
    dqdd_dtau : (..., n, n) rad/(N m s^2), the inverse of the mass matrix.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.forward_dynamics_derivatives(arm, [0.0, 0.0]).dqdd_dtau.round(3)
    array([[ 1.714, -4.286],
           [-4.286, 13.714]])
    """

    __slots__ = ()

    def _parts(self) -> list[Part]:
        return tables_of(self._asdict())


def inverse_dynamics_derivatives(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
    friction: bool = False,
    out: Floats | None = None,
    threads: int | None = None,
) -> TorqueDerivatives:
    """Derivatives of `inverse_dynamics` by q, qd and qdd, analytic, O(n d) for trees of depth d.

    After Carpentier and Mansard (RSS 2018) and Singh, Russell and Wensing (IEEE RA-L 7, 2022), by integrals over the
    bodies beyond each joint; `rne.kernels.derivatives` describes them. Springs, dampers, couplings, rotors and mimic
    joints are included.

    Parameters
    ----------
    robot : the robot.
    q, qd, qdd : (..., n) positions, velocities and accelerations, as for `inverse_dynamics`. With a floating base, the
        derivatives by q are by the tangent directions dq of `integrate`: columns 0 to 2 by translation along, and 3 to
        5 by rotation about the axes of the base.
    gravity : as for `inverse_dynamics`.
    f_ext : as for `inverse_dynamics`. When q moves, a wrench in world axes keeps its direction, and one in local axes
        turns with its frame; the point where it acts moves with the frame in both cases.
    friction : whether to include friction: viscous friction and dampers. Coulomb friction is constant while a joint
        moves, and its derivative counts as zero at rest, too, where it does not exist.
    out : array (..., 3, n, n) to fill; the fields of the result are views of it.
    threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    derivatives : with fields `dtau_dq`, `dtau_dqd` and `dtau_dqdd`, (..., n, n) each. The last one is the mass matrix.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> dtau_dq, dtau_dqd, M = rne.inverse_dynamics_derivatives(arm, [0.0, 0.0])
    >>> bool((M == rne.mass_matrix(arm, [0.0, 0.0])).all())
    True
    """
    loads = SPRINGS if friction is False else as_loads(friction)
    if f_ext is None:
        try:
            D: Floats | None = None
            if threads is None or alone(threads):
                D = _inverse_one.call(robot._card, q, qd, qdd, gravity, out, loads)
            if D is None:
                tail = (3, robot.n, robot.n)
                D = quick(_INVERSE, robot, (q, qd, qdd), tail, out, threads, gravity, flags=(loads,))
            if D is not None:
                return _torques(D)
        except UNFIT:
            pass
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd}, f_ext, floating=True)
    result = as_result(out, (*batch.shape, 3, robot.n, robot.n), batch)
    table = as_table(robot, batch.dtype, gravity)
    launch(DERIVATIVES[batch.dtype], robot, batch, ("q", "qd", "qdd"), result, threads, table, loads)
    if batch.wrenches:
        result[..., 0, :, :] -= derivative_of_wrenches(robot, batch, threads)
    return _torques(finish(result, out))


def _torques(D: Floats) -> TorqueDerivatives:
    return TorqueDerivatives(D[..., 0, :, :], D[..., 1, :, :], D[..., 2, :, :])


def derivative_of_wrenches(robot: Robot, batch: Batch, threads: int | None) -> Floats:
    """Return the derivative (..., n, n) by q of the torques J^T w of the wrenches of a batch."""
    joined = batch.with_joined("wrenches", batch.wrenches)
    result = empty((*batch.shape, robot.n, robot.n), batch.dtype)
    table, sites = as_table(robot, batch.dtype), read_only(batch.sites.astype(batch.dtype))
    launch(STATIC_DERIVATIVE[batch.dtype], robot, joined, ("q", "wrenches"), result, threads, table, sites)
    return result


def forward_dynamics_derivatives(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
    friction: bool = False,
    out: Floats | None = None,
    threads: int | None = None,
) -> AccelerationDerivatives:
    """Derivatives of `forward_dynamics` by q, qd and tau: M^-1, and -M^-1 times those of inverse dynamics.

    Carpentier and Mansard (RSS 2018), with the factors L^T D L of the mass matrix (Featherstone 2008, section 6.5).

    Parameters
    ----------
    robot : the robot.
    q, qd, tau : (..., n) positions, velocities and torques, as for `forward_dynamics`.
    gravity, f_ext, friction, threads : as for `inverse_dynamics_derivatives`.
    out : array (..., 3, n, n) to fill; the fields of the result are views of it.

    Returns
    -------
    derivatives : with fields `dqdd_dq`, `dqdd_dqd` and `dqdd_dtau`, (..., n, n) each. The last one is the inverse of
        the mass matrix, exactly symmetric.

    Raises
    ------
    ArgumentError
        An argument has the wrong shape, type or value.
    UnknownNameError
        `f_ext` names a frame the robot does not have.
    SingularError
        The mass matrix is singular, as for `forward_dynamics`.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> dqdd_dq, dqdd_dqd, inverse = rne.forward_dynamics_derivatives(arm, [0.0, 0.5], tau=[1.0, 0.0])
    >>> (inverse @ rne.mass_matrix(arm, [0.0, 0.5])).round(9) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """
    loads = SPRINGS if friction is False else as_loads(friction)
    if f_ext is None:
        try:
            D: Floats | None = None
            marks = Marks()
            if threads is None or alone(threads):
                D = _forward_one.call(robot._card, q, qd, tau, gravity, out, loads)
            if D is None:
                tail = (3, robot.n, robot.n)
                given, flags = (q, qd, tau), (loads,)
                D = quick(_FORWARD, robot, given, tail, out, threads, gravity, flags=flags, batch_flags=marks.make)
            if D is not None and not marks.any():
                return _accelerations(D)
        except UNFIT:
            pass
    batch = settle(robot, {"q": q, "qd": qd, "tau": tau}, f_ext, floating=True)
    result = as_result(out, (*batch.shape, 3, robot.n, robot.n), batch)
    table = as_table(robot, batch.dtype, gravity)
    batch = with_pushed_torques(robot, batch, threads)
    marked = np.zeros(batch.samples, np.uint8)
    launch(FORWARD_DERIVATIVES[batch.dtype], robot, batch, ("q", "qd", "tau"), result, threads, table, loads, marked)
    suspects = refuse_singular(robot, batch, marked)
    if suspects.size and batch.dtype == "float32":
        recalculate(FORWARD_DERIVATIVES["float64"], robot, batch, suspects, result, gravity, loads, threads)
    if batch.wrenches:
        result[..., 0, :, :] += result[..., 2, :, :] @ derivative_of_wrenches(robot, batch, threads)
    return _accelerations(finish(result, out))


def _accelerations(D: Floats) -> AccelerationDerivatives:
    return AccelerationDerivatives(D[..., 0, :, :], D[..., 1, :, :], D[..., 2, :, :])


def gravity_derivative(
    robot: Robot,
    q: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Derivative of `gravity_vector` by q: the second derivative of the potential energy, a symmetric matrix.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions, rad or m.
    gravity, out, threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    G : (..., n, n) N m/rad where both joints are revolute. Springs are not included. With a floating base the columns
        are by tangent directions (`integrate`); its own six rows and columns are not symmetric, because its axes turn.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.gravity_derivative(arm, [1.5707963267948966, 0.0]).round(3)
    array([[-19.62 ,  -4.905],
           [ -4.905,  -4.905]])
    """
    try:
        G: Floats | None = None
        if threads is None or alone(threads):
            G = _gravity_one.call(robot._card, q, gravity, out)
        if G is None:
            G = quick(_GRAVITY, robot, (q,), (robot.n, robot.n), out, threads, gravity)
        if G is not None:
            return G
    except UNFIT:
        pass
    batch = settle(robot, {"q": q}, floating=True)
    result = as_result(out, (*batch.shape, robot.n, robot.n), batch)
    launch(
        GRAVITY_DERIVATIVE[batch.dtype], robot, batch, ("q",), result, threads, as_table(robot, batch.dtype, gravity)
    )
    return finish(result, out)
