"""Velocity-dependent torques: Coriolis matrix, Christoffel symbols, centripetal and Coriolis parts."""

from __future__ import annotations

from typing import NamedTuple

from numpy import zeros, zeros_like
from numpy.typing import ArrayLike

from rne.batch.arguments import Floats, as_result, as_table, finish, settle
from rne.batch.quick import UNFIT, Algorithm, alone, quick
from rne.batch.threads import launch
from rne.dynamics.inverse_dynamics import coriolis_vector
from rne.kernels.entries import CHRISTOFFEL, CHRISTOFFEL_ONE, CORIOLIS_MATRIX, CORIOLIS_MATRIX_ONE
from rne.model.robot import Robot
from rne.tables import Part, Report, cells, of_many, titled, worst

_CORIOLIS, _one = (
    Algorithm(CORIOLIS_MATRIX_ONE, CORIOLIS_MATRIX, states=2, floating=True),
    CORIOLIS_MATRIX_ONE["float64"],
)
_CHRISTOFFEL, _christoffel_one = Algorithm(CHRISTOFFEL_ONE, CHRISTOFFEL), CHRISTOFFEL_ONE["float64"]


class VelocityTorques(Report, NamedTuple("VelocityTorques", [("centripetal", Floats), ("coriolis", Floats)])):
    """Velocity-dependent torques, split by their cause.

    Attributes
    ----------
    centripetal : (..., n) torques of each joint moving alone, sum of D_ijj qd_j^2, N m or N.
    coriolis : (..., n) torques of pairs of joints moving together, sum of D_ijk qd_j qd_k over j other than k.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> centripetal, coriolis = rne.velocity_torques(arm, [0.0, 1.5707963267948966], [1.0, 0.0])
    >>> centripetal.round(6), coriolis.round(6) + 0.0
    (array([0. , 0.5]), array([0., 0.]))
    """

    __slots__ = ()

    def _parts(self) -> list[Part]:
        *many, n = self.centripetal.shape
        terms = {name: cells(worst(getattr(self, name))) for name in self._fields}
        return [*of_many(tuple(many)), titled({"coordinate": [str(i + 1) for i in range(n)], **terms})]


def coriolis_matrix(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Coriolis matrix C(q, qd) of Christoffel symbols: C_ij = sum of D_ijk qd_k.

    Among the matrices with the same product C qd, this is the one with a skew-symmetric Mdot - 2 C that is linear in qd
    with C(q, a) b = C(q, b) a. Algorithm of Echeandia and Wensing (J. Comput. Nonlinear Dyn. 16, 2021), O(n d) for
    trees of depth d. Rotors do not contribute, because their inertia does not depend on the posture.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities. Leading axes broadcast against each other.
    out, threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    C : (..., n, n) N m s/rad where both joints are revolute.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.coriolis_matrix(arm, [0.0, 1.5707963267948966], [1.0, 2.0]).round(6)
    array([[-1. , -1.5],
           [ 0.5,  0. ]])
    """
    try:
        C: Floats | None = None
        if threads is None or alone(threads):
            C = _one.call(robot._card, q, qd, out)
        if C is None:
            C = quick(_CORIOLIS, robot, (q, qd), (robot.n, robot.n), out, threads)
        if C is not None:
            return C
    except UNFIT:
        pass
    batch = settle(robot, {"q": q, "qd": qd}, floating=True)
    result = as_result(out, (*batch.shape, robot.n, robot.n), batch)
    table = as_table(robot, batch.dtype)
    launch(CORIOLIS_MATRIX[batch.dtype], robot, batch, ("q", "qd"), result, threads, table)
    return finish(result, out)


def christoffel(robot: Robot, q: ArrayLike, *, out: Floats | None = None, threads: int | None = None) -> Floats:
    """Christoffel symbols of the first kind of the mass matrix, D_ijk with tau_i = sum of D_ijk qd_j qd_k.

    D_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2, exactly symmetric in j and k, so the sum contains
    each mixed term twice. O(n d^2) for trees of depth d, like Echeandia and Wensing (J. Comput. Nonlinear Dyn. 16,
    2021); `rne.kernels.christoffel` describes the integrals.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions.
    out, threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    D : (..., n, n, n) N m s^2/rad^2 where all three joints are revolute.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> D = rne.christoffel(arm, [0.0, 1.5707963267948966])
    >>> D[0].round(6) + 0.0
    array([[ 0. , -0.5],
           [-0.5, -0.5]])
    >>> D[1].round(6) + 0.0
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    try:
        D: Floats | None = None
        if threads is None or alone(threads):
            D = _christoffel_one.call(robot._card, q, out)
        if D is None:
            D = quick(_CHRISTOFFEL, robot, (q,), (robot.n,) * 3, out, threads)
        if D is not None:
            return D
    except UNFIT:
        pass
    batch = settle(robot, {"q": q})
    result = as_result(out, (*batch.shape, robot.n, robot.n, robot.n), batch)
    launch(CHRISTOFFEL[batch.dtype], robot, batch, ("q",), result, threads, as_table(robot, batch.dtype))
    return finish(result, out)


def velocity_torques(robot: Robot, q: ArrayLike, qd: ArrayLike, *, threads: int | None = None) -> VelocityTorques:
    """Separate centripetal and Coriolis torques; their sum is `coriolis_vector` up to rounding.

    The centripetal torque is the sum of the Coriolis vectors of each coordinate moving alone.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities. Leading axes broadcast against each other.
    threads : as for `inverse_dynamics`, which lists the errors.

    Returns
    -------
    torques : with fields `centripetal` and `coriolis`, (..., n) each.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> torques = rne.velocity_torques(arm, [0.0, 1.5707963267948966], [1.0, 2.0])
    >>> torques.centripetal.round(6), torques.coriolis.round(6) + 0.0
    (array([-2. ,  0.5]), array([-2.,  0.]))
    """
    batch = settle(robot, {"q": q, "qd": qd}, floating=True)
    positions, rates = batch.rows["q"], batch.rows["qd"]
    centripetal = zeros((batch.samples, robot.n), batch.dtype)
    for j in range(robot.n):
        alone = zeros_like(centripetal)
        alone[:, j] = rates[:, j]
        centripetal += coriolis_vector(robot, positions, alone, threads=threads)
    together = coriolis_vector(robot, positions, rates, threads=threads) - centripetal
    shape = (*batch.shape, robot.n)
    return VelocityTorques(centripetal.reshape(shape), together.reshape(shape))
