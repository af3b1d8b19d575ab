"""What a user's compiled code calls: motion and torques of one state of floats, with lengths checked."""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from rne.kernels import christoffel as symbols
from rne.kernels import coriolis_matrix as echeandia_wensing
from rne.kernels import forward_dynamics as outward_and_back
from rne.kernels import friction as drag
from rne.kernels import gravity as at_rest
from rne.kernels import inverse_dynamics as newton_euler
from rne.kernels import mass_matrix as composite_bodies
from rne.kernels import static_torque as virtual_work
from rne.kernels.jit import borrowing, function, inline
from rne.kernels.layout import (
    COORDINATES,
    COUPLINGS,
    FRICTION,
    LINKS,
    PLACE_ROW,
    PLACE_WIDTH,
    SPRINGS,
    WIDTH,
    WITH_ROTORS,
)


@intrinsic
def check_precision(typing_context: Any, table: Any, filled: Any) -> Any:
    """Refuse, while compiling, an array to fill that would cut results to other numbers than those of the model."""
    if filled.dtype != table.dtype:
        raise TypingError(f"rne.jit: the array to fill holds {filled.dtype}, the model {table.dtype}; they must agree")

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.get_dummy_value()

    return types.void(table, filled), codegen


@inline
def check_length(table, x):
    """Refuse coordinates of another robot, and what is no model."""
    if table.shape[1] != WIDTH or table.shape[0] != int(table[0, LINKS]) + int(table[0, COUPLINGS]) + 1:
        raise ValueError("rne.jit: this is not a model as rne.jit.model returns it")
    if x.shape[0] != int(table[0, COORDINATES]):
        raise ValueError("rne.jit: an array has not one entry a joint")


@inline
def check_places(table, places):
    """Refuse places on links that the robot does not have."""
    if places.shape[1] != PLACE_WIDTH:
        raise ValueError("rne.jit: these are no places as rne.jit.places returns them")
    for m in range(places.shape[0]):
        if not 0.0 <= places[m, PLACE_ROW] <= table[0, LINKS]:
            raise ValueError("rne.jit: a place is that of another robot")


@inline
def check_shape(fits):
    """Refuse an array where `fits` is not true."""
    if not fits:
        raise ValueError("rne.jit: an array to fill, or that of the wrenches, has not the shape wanted")


@function
def christoffel(model, q, D):
    """Fill D with the Christoffel symbols: tau_i = sum of D_ijk qd_j qd_k.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q : (n,) positions.
    D : (n, n, n) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm, D = rne.load("models/planar2/robot.dh.toml"), np.empty((2, 2, 2))
    >>> rne.jit.christoffel(rne.jit.model(arm), np.array([0.0, 1.5707963267948966]), D)
    >>> D[0].round(6) + 0.0
    array([[ 0. , -0.5],
           [-0.5, -0.5]])
    """
    check_precision(model, D)
    check_length(model, q)
    check_shape(D.shape == (q.shape[0], q.shape[0], q.shape[0]))
    symbols.one(model, q, D)


@function
def coriolis_matrix(model, q, qd, C):
    """Fill C, the Coriolis matrix of Christoffel symbols.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q, qd : (n,) positions and velocities.
    C : (n, n) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm, C = rne.load("models/planar2/robot.dh.toml"), np.empty((2, 2))
    >>> rne.jit.coriolis_matrix(rne.jit.model(arm), np.array([0.0, 1.5707963267948966]), np.array([1.0, 2.0]), C)
    >>> C.round(6)
    array([[-1. , -1.5],
           [ 0.5,  0. ]])
    """
    check_precision(model, C)
    check_length(model, q)
    check_length(model, qd)
    check_shape(C.shape == (q.shape[0], q.shape[0]))
    echeandia_wensing.one(model, q, qd, C)


@borrowing
def forward_dynamics(model, q, qd, tau, qdd, friction=False):
    """Fill qdd = M^-1 (tau - C qd - g - springs), less friction if asked for.

    Raises ValueError where the mass matrix is singular: a pivot is below 1e-12 (float32: 1e-5) of what the
    joint can feel, as for `rne.forward_dynamics`.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q, qd, tau : (n,) positions, velocities, torques.
    qdd : (n,) is filled; not one of the others.
    friction : whether viscous and Coulomb friction act against the motion.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm, q, rest, qdd = rne.load("models/planar2/robot.dh.toml"), np.zeros(2), np.zeros(2), np.empty(2)
    >>> rne.jit.forward_dynamics(rne.jit.model(arm), q, rest, rne.gravity_vector(arm, q), qdd)
    >>> qdd.round(9) + 0.0
    array([0., 0.])
    """
    check_precision(model, qdd)
    check_length(model, q)
    check_length(model, qd)
    check_length(model, tau)
    check_length(model, qdd)
    loads = SPRINGS + FRICTION if friction else SPRINGS
    if outward_and_back.one(model, q, qd, tau, qdd, loads):
        raise ValueError("rne.jit: the mass matrix is singular")


@borrowing
def gravity_vector(model, q, g):
    """Fill g with the torques that hold the robot still.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q : (n,) positions.
    g : (n,) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm, g = rne.load("models/planar2/robot.dh.toml"), np.empty(2)
    >>> rne.jit.gravity_vector(rne.jit.model(arm), np.zeros(2), g)
    >>> g.round(3)
    array([19.62 ,  4.905])
    """
    check_precision(model, g)
    check_length(model, q)
    check_length(model, g)
    at_rest.one(model, q, g)


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
    check_precision(model, tau)
    check_length(model, q)
    check_length(model, qd)
    check_length(model, qdd)
    check_length(model, tau)
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
    check_precision(model, tau)
    check_length(model, qd)
    check_length(model, tau)
    drag.one(model, qd, tau)


@borrowing
def mass_matrix(model, q, mass):
    """Fill the mass matrix, rotor inertias included.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q : (n,) positions.
    mass : (n, n) is filled, both triangles.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm, M = rne.load("models/planar2/robot.dh.toml"), np.empty((2, 2))
    >>> rne.jit.mass_matrix(rne.jit.model(arm), np.zeros(2), M)
    >>> bool((M == rne.mass_matrix(arm, np.zeros(2))).all())
    True
    """
    check_precision(model, mass)
    check_length(model, q)
    check_length(model, mass)
    if mass.shape[1] != mass.shape[0]:
        raise ValueError("rne.jit: the mass matrix is not square")
    composite_bodies.one(model, q, mass, WITH_ROTORS)


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
    check_precision(model, tau)
    check_length(model, q)
    check_length(model, tau)
    check_places(model, places)
    if wrenches.shape[0] != places.shape[0] or wrenches.shape[1] != 6:
        raise ValueError("rne.jit: wrenches has not six numbers a place")
    virtual_work.one(model, places, wrenches, q, tau)
