"""Torques, accelerations and matrices of the equations of motion, for `rne.jit`."""

from __future__ import annotations

from rne.kernels import christoffel as symbols
from rne.kernels import coriolis_matrix as echeandia_wensing
from rne.kernels import forward_dynamics as outward_and_back
from rne.kernels import friction as drag
from rne.kernels import gravity as at_rest
from rne.kernels import inverse_dynamics as newton_euler
from rne.kernels import mass_matrix as composite_bodies
from rne.kernels.jit import borrowing, function
from rne.kernels.layout import FRICTION, SPRINGS, WITH_ROTORS
from rne.kernels.user.checks import check_length, check_positions, check_precision, check_rates, check_shape


@borrowing
def inverse_dynamics(model, q, qd, qdd, tau, friction=False):
    """Fill tau = M qdd + C qd + g + springs, and friction on request.

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
    check_positions(model, q)
    check_rates(model, qd)
    check_rates(model, qdd)
    check_rates(model, tau)
    newton_euler.one(model, q, qd, qdd, tau, SPRINGS + FRICTION if friction else SPRINGS)


@borrowing
def forward_dynamics(model, q, qd, tau, qdd, friction=False):
    """Fill qdd = M^-1 (tau - C qd - g - springs), minus friction on request.

    Raises ValueError if the mass matrix is singular: if a pivot is below 1e-12 (float32: 1e-5) of its diagonal
    entry, or is rounding error relative to the largest possible inertia of the joint, as for `rne.forward_dynamics`.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q, qd, tau : (n,) positions, velocities, torques.
    qdd : (n,) is filled; must not be one of the others.
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
    check_positions(model, q)
    check_rates(model, qd)
    check_rates(model, tau)
    check_rates(model, qdd)
    loads = SPRINGS + FRICTION if friction else SPRINGS
    if outward_and_back.one(model, q, qd, tau, qdd, loads):
        raise ValueError("rne.jit: the mass matrix is singular")


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
    check_positions(model, q)
    check_rates(model, mass)
    if mass.shape[1] != mass.shape[0]:
        raise ValueError("rne.jit: the mass matrix is not square")
    composite_bodies.one(model, q, mass, WITH_ROTORS)


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
    check_positions(model, q)
    check_rates(model, qd)
    check_shape(C.shape == (qd.shape[0], qd.shape[0]))
    echeandia_wensing.one(model, q, qd, C)


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
    check_positions(model, q)
    check_rates(model, g)
    at_rest.one(model, q, g)


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
    check_rates(model, qd)
    check_rates(model, tau)
    drag.one(model, qd, tau)
