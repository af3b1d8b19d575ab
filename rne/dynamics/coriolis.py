"""Torques that come of velocities: Coriolis matrix, Christoffel symbols, centripetal and Coriolis parts."""

from __future__ import annotations

from typing import NamedTuple

from numpy import empty, ndarray, zeros, zeros_like
from numpy.typing import ArrayLike

from rne.batch.arguments import F8, Floats, as_batch, as_result, as_table, check_robot, finish
from rne.batch.threads import launch, thread_count
from rne.dynamics.inverse_dynamics import coriolis_vector
from rne.kernels.entries import CHRISTOFFEL, CORIOLIS_MATRIX, CORIOLIS_MATRIX_ONE
from rne.kernels.jit import REFUSED
from rne.model.robot import Robot
from rne.tables import Report, cells, columns, of_many, worst

_one = CORIOLIS_MATRIX_ONE["float64"]


class VelocityTorques(Report, NamedTuple("VelocityTorques", [("centripetal", Floats), ("coriolis", Floats)])):
    """Torques of a motion without acceleration and gravity, by what makes them.

    Attributes
    ----------
    centripetal : (..., n) what every joint causes by moving alone, sum of D_ijj qd_j^2, N m or N.
    coriolis : (..., n) what joints cause by moving together, sum of D_ijk qd_j qd_k over j other than k.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> centripetal, coriolis = rne.velocity_torques(arm, [0.0, 1.5707963267948966], [1.0, 0.0])
    >>> centripetal.round(6), coriolis.round(6) + 0.0
    (array([0. , 0.5]), array([0., 0.]))
    """

    __slots__ = ()

    def _table(self) -> str:
        *many, n = self.centripetal.shape
        terms = {name: cells(worst(getattr(self, name))) for name in self._fields}
        return of_many(tuple(many)) + columns({"coordinate": [str(i + 1) for i in range(n)], **terms})


def coriolis_matrix(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Coriolis matrix C(q, qd) of Christoffel symbols: C_ij = sum of D_ijk qd_k.

    Of the many matrices with the right product C qd this is the one whose Mdot - 2 C is skew-symmetric and which is
    linear in qd with C(q, a) b = C(q, b) a. Computed as by Echeandia and Wensing (J. Comput. Nonlinear Dyn. 16, 2021)
    in O(n d) for trees of depth d. Rotors add nothing to it, since their inertia does not depend on the posture.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities. Leading axes broadcast against each other.
    out, threads : as for `inverse_dynamics`, which also tells the errors.

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
    if type(q) is type(qd) is ndarray and q.ndim == 1 and q.dtype is qd.dtype is F8 and out is None and threads is None:
        # As in `inverse_dynamics`: the compiled function takes only what fits.
        try:
            C = empty((robot.n, robot.n))
            if _one.call(robot._address, q, qd, C) == 0:
                return C
        except REFUSED:
            pass
    check_robot(robot)
    batch = as_batch(robot, {"q": q, "qd": qd}, required="q")
    result = as_result(out, (*batch.shape, robot.n, robot.n), batch)
    table = as_table(robot, batch.dtype)
    if batch.shape == ():
        thread_count(threads, 1, robot.n)  # refuses what is no number of threads
        rows = (batch.rows[name][0].copy() for name in ("q", "qd"))
        CORIOLIS_MATRIX_ONE[batch.dtype].call(table.ctypes.data, *rows, result)
    else:
        launch(CORIOLIS_MATRIX[batch.dtype], robot, batch, ("q", "qd"), result, threads, table)
    return finish(result, out)


def christoffel(robot: Robot, q: ArrayLike, *, out: Floats | None = None, threads: int | None = None) -> Floats:
    """Christoffel symbols of the first kind of the mass matrix, D_ijk with tau_i = sum of D_ijk qd_j qd_k.

    D_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2, symmetric in j and k (to the last bit), so that either mixed
    term stands in the sum. Of order n d^2 for trees of depth d, as Echeandia and Wensing (J. Comput. Nonlinear Dyn. 16,
    2021); what the symbols are integrals of is told in `rne.kernels.christoffel`.

    Parameters
    ----------
    robot : the robot.
    q : (..., n) positions.
    out, threads : as for `inverse_dynamics`, which also tells the errors.

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
    check_robot(robot)
    batch = as_batch(robot, {"q": q}, required="q")
    result = as_result(out, (*batch.shape, robot.n, robot.n, robot.n), batch)
    launch(CHRISTOFFEL[batch.dtype], robot, batch, ("q",), result, threads, as_table(robot, batch.dtype))
    return finish(result, out)


def velocity_torques(robot: Robot, q: ArrayLike, qd: ArrayLike, *, threads: int | None = None) -> VelocityTorques:
    """Centripetal and Coriolis torques apart; their sum is `coriolis_vector` up to rounding.

    The centripetal torque is what is left of the Coriolis vector where a single coordinate moves, summed over all.

    Parameters
    ----------
    robot : the robot.
    q, qd : (..., n) positions and velocities. Leading axes broadcast against each other.
    threads : as for `inverse_dynamics`, which also tells the errors.

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
    check_robot(robot)
    batch = as_batch(robot, {"q": q, "qd": qd}, required="q")
    positions, rates = batch.rows["q"], batch.rows["qd"]
    centripetal = zeros((batch.samples, robot.n), batch.dtype)
    for j in range(robot.n):
        alone = zeros_like(centripetal)
        alone[:, j] = rates[:, j]
        centripetal += coriolis_vector(robot, positions, alone, threads=threads)
    together = coriolis_vector(robot, positions, rates, threads=threads) - centripetal
    shape = (*batch.shape, robot.n)
    return VelocityTorques(centripetal.reshape(shape), together.reshape(shape))
