"""What a user's compiled code calls: the algorithms for one state of floats, with their lengths checked."""

from __future__ import annotations

from rne.kernels import friction as drag
from rne.kernels import inverse_dynamics as newton_euler
from rne.kernels import static_torque as virtual_work
from rne.kernels.jit import borrowing, function, inline
from rne.kernels.layout import COORDINATES, FRICTION, SPRINGS


@inline
def _check(table, x):
    if x.shape[0] != int(table[0, COORDINATES]):
        raise ValueError("rne.jit: an array has not one entry a joint")


@borrowing
def inverse_dynamics(model, q, qd, qdd, tau, friction=False):
    """Fill tau = M qdd + C qd + g + springs, plus friction if asked for.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q, qd, qdd : (n,) positions, velocities, accelerations.
    tau : (n,) is filled.
    friction : whether to add viscous and Coulomb friction.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q, qd, qdd, tau = np.zeros((4, 2))
    >>> rne.jit.inverse_dynamics(rne.jit.model(arm), q, qd, qdd, tau)
    >>> bool((tau == rne.gravity_vector(arm, q)).all())
    True
    """
    _check(model, q)
    _check(model, qd)
    _check(model, qdd)
    _check(model, tau)
    newton_euler.one(model, q, qd, qdd, tau, SPRINGS + FRICTION if friction else SPRINGS)


@function
def friction_torque(model, qd, tau):
    """Fill tau with the torques that overcome joint friction.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    qd : (n,) velocities.
    tau : (n,) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> tau = np.empty(2)
    >>> rne.jit.friction_torque(rne.jit.model(arm), np.ones(2), tau)
    >>> bool((tau == rne.friction_torque(arm, np.ones(2))).all())
    True
    """
    _check(model, qd)
    _check(model, tau)
    drag.one(model, qd, tau)


@function
def static_torque(model, places, wrenches, q, tau):
    """Fill tau = J^T w; subtract it from inverse dynamics to account for wrenches that act on the robot.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    places : where the wrenches act, as `rne.jit.places` returns it.
    wrenches : (m, 6) [fx, fy, fz, mx, my, mz], one row a place.
    q : (n,) positions.
    tau : (n,) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> wrench, q, tau = np.array([[0.0, 0, 0, 0, 0, 5]]), np.zeros(2), np.empty(2)
    >>> rne.jit.static_torque(rne.jit.model(arm), rne.jit.places(arm, {"link2": "world"}), wrench, q, tau)
    >>> bool(np.allclose(tau, rne.gravity_vector(arm, q) - rne.inverse_dynamics(arm, q, f_ext={"link2": wrench[0]})))
    True
    """
    _check(model, q)
    _check(model, tau)
    if wrenches.shape[0] != places.shape[0] or wrenches.shape[1] != 6:
        raise ValueError("rne.jit: wrenches has not six numbers a place")
    virtual_work.one(model, places, wrenches, q, tau)
