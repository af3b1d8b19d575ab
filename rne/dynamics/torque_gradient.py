"""Weights times the derivatives of inverse dynamics, without these: the public function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rne.batch.arguments import Floats, as_loads, as_result, as_table, finish, settle
from rne.batch.quick import UNFIT, Algorithm, alone, quick
from rne.batch.threads import launch
from rne.dynamics.derivatives import derivative_of_wrenches
from rne.errors import ArgumentError
from rne.kernels.entries import DERIVATIVE_PRODUCT, DERIVATIVE_PRODUCT_ONE
from rne.kernels.layout import SPRINGS
from rne.model.robot import Robot
from rne.tables import Part, Report, cells, of_many, titled, worst

_PRODUCT = Algorithm(DERIVATIVE_PRODUCT_ONE, DERIVATIVE_PRODUCT, states=3, wrench=True, gravity=True, floating=True)
_one = DERIVATIVE_PRODUCT_ONE["float64"]


class TorqueGradient(Report, NamedTuple("TorqueGradient", [("q", Floats), ("qd", Floats), ("qdd", Floats)])):
    """Gradient of a weighted sum of torques, as `inverse_dynamics_vjp` returns it; views of one array (..., 3, n).

    Attributes
    ----------
    q, qd, qdd : (..., n) derivatives of the sum by positions, velocities and accelerations.

    Examples
    --------
    >>> import rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> rne.inverse_dynamics_vjp(arm, [0.0, 0.5], None, None, [1.0, 0.0]).qdd.round(3)
    array([2.544, 0.772])
    """

    __slots__ = ()

    def _parts(self) -> list[Part]:
        *many, n = self.q.shape
        terms = {name: cells(worst(part)) for name, part in self._asdict().items()}
        return [*of_many(tuple(many)), titled({"coordinate": [str(i + 1) for i in range(n)], **terms})]


def inverse_dynamics_vjp(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike | None,
    qdd: ArrayLike | None,
    weights: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    f_ext: Mapping[str, Any] | None = None,
    friction: bool = False,
    out: Floats | None = None,
    threads: int | None = None,
) -> TorqueGradient:
    """Gradient of sum of weights . tau by q, qd and qdd: vector times Jacobian of `inverse_dynamics`.

    One reverse sweep, O(n), about twice as long as inverse dynamics itself; the matrices are not formed. With the
    gradient of a cost by the torques as weights, this is the gradient of the cost by the motion.
    `rne.kernels.derivative_product` describes the sweep.

    Parameters
    ----------
    robot : the robot.
    q, qd, qdd : (..., n) positions, velocities and accelerations, as for `inverse_dynamics_derivatives`.
    weights : (..., n) factor of each torque.
    gravity, f_ext, friction, threads : as for `inverse_dynamics_derivatives`.
    out : array (..., 3, n) to fill; the fields of the result are views of it.

    Returns
    -------
    gradient : with fields `q`, `qd` and `qdd`, (..., n) each.

    Examples
    --------
    The gradient of the sum of squared torques over a trajectory:

    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q, qd, qdd = rne.quintic(np.zeros(2), np.ones(2), np.linspace(0, 1, 50), duration=1.0)
    >>> tau = rne.inverse_dynamics(arm, q, qd, qdd)
    >>> rne.inverse_dynamics_vjp(arm, q, qd, qdd, 2 * tau).q.shape
    (50, 2)
    """
    loads = SPRINGS if friction is False else as_loads(friction)
    if weights is None:
        raise ArgumentError("weights: wanted an array, got None")
    if f_ext is None:
        try:
            found: Floats | None = None
            if threads is None or alone(threads):
                found = _one.call(robot._card, q, qd, qdd, weights, gravity, out, loads)
            if found is None:
                given, tail = (q, qd, qdd, weights), (3, robot.n)
                found = quick(_PRODUCT, robot, given, tail, out, threads, gravity, flags=(loads,))
            if found is not None:
                return _parts(found)
        except UNFIT:
            pass
    batch = settle(robot, {"q": q, "qd": qd, "qdd": qdd, "weights": weights}, f_ext, floating=True)
    result = as_result(out, (*batch.shape, 3, robot.n), batch)
    table = as_table(robot, batch.dtype, gravity)
    names = ("q", "qd", "qdd", "weights")
    launch(DERIVATIVE_PRODUCT[batch.dtype], robot, batch, names, result, threads, table, loads)
    if batch.wrenches:
        rows = batch.rows["weights"].reshape(*batch.shape, robot.n)
        result[..., 0, :] -= np.einsum("...i,...ij->...j", rows, derivative_of_wrenches(robot, batch, threads))
    return _parts(finish(result, out))


def _parts(found: Floats) -> TorqueGradient:
    return TorqueGradient(found[..., 0, :], found[..., 1, :], found[..., 2, :])
