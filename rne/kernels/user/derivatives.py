"""Derivatives of torques, accelerations and Jacobians, for `rne.jit`."""

from __future__ import annotations

from rne.kernels import derivative_product as product
from rne.kernels import derivatives as by_state
from rne.kernels import forward_derivatives as of_accelerations
from rne.kernels import gravity_derivative as at_rest
from rne.kernels import jacobian_dot as rate
from rne.kernels.jit import function
from rne.kernels.layout import COORDINATES, FRICTION, SPRINGS
from rne.kernels.user.checks import check_positions, check_precision, check_rates, check_shape, check_sites


@function
def inverse_dynamics_derivatives(model, q, qd, qdd, D, friction=False):
    """Fill D with the derivatives of the torques by q, qd and qdd; the last one is the mass matrix.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q : (nq,) positions.
    qd, qdd : (n,) velocities, accelerations.
    D : (3, n, n) is filled.
    friction : whether to include viscous friction.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm, D = rne.load("models/planar2/robot.dh.toml"), np.empty((3, 2, 2))
    >>> q, qd, qdd = np.zeros(2), np.ones(2), np.zeros(2)
    >>> rne.jit.inverse_dynamics_derivatives(rne.jit.model(arm), q, qd, qdd, D)
    >>> bool((D[2] == rne.mass_matrix(arm, q)).all())
    True
    """
    n = qd.shape[0]
    check_precision(model, D)
    check_positions(model, q)
    check_rates(model, qd)
    check_rates(model, qdd)
    check_shape(D.shape == (3, n, n))
    by_state.one(model, q, qd, qdd, D.reshape((3 * n, n)), SPRINGS + FRICTION if friction else SPRINGS)


@function
def forward_dynamics_derivatives(model, q, qd, tau, D, friction=False):
    """Fill D with the derivatives of the accelerations by q, qd and tau; the last one is the inverse mass matrix.

    Raises ValueError if the mass matrix is singular, as for `rne.jit.forward_dynamics`.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q : (nq,) positions.
    qd, tau : (n,) velocities, torques.
    D : (3, n, n) is filled.
    friction : whether viscous friction acts against the motion.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm, D = rne.load("models/planar2/robot.dh.toml"), np.empty((3, 2, 2))
    >>> rne.jit.forward_dynamics_derivatives(rne.jit.model(arm), np.zeros(2), np.zeros(2), np.zeros(2), D)
    >>> (D[2] @ rne.mass_matrix(arm, np.zeros(2))).round(9) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """
    n = qd.shape[0]
    check_precision(model, D)
    check_positions(model, q)
    check_rates(model, qd)
    check_rates(model, tau)
    check_shape(D.shape == (3, n, n))
    loads = SPRINGS + FRICTION if friction else SPRINGS
    if of_accelerations.one(model, q, qd, tau, D.reshape((3 * n, n)), loads):
        raise ValueError("rne.jit: the mass matrix is singular")


@function
def gravity_derivative(model, q, G):
    """Fill G with the derivative of the gravity torques by q.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q : (nq,) positions.
    G : (n, n) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm, G = rne.load("models/planar2/robot.dh.toml"), np.empty((2, 2))
    >>> rne.jit.gravity_derivative(rne.jit.model(arm), np.array([1.5707963267948966, 0.0]), G)
    >>> G.round(3)
    array([[-19.62 ,  -4.905],
           [ -4.905,  -4.905]])
    """
    check_precision(model, G)
    check_positions(model, q)
    n = int(model[0, COORDINATES])
    check_shape(G.shape == (n, n))
    at_rest.one(model, q, G)


@function
def inverse_dynamics_vjp(model, q, qd, qdd, weights, gradient, friction=False):
    """Fill the gradient of sum of weights . tau by q, qd and qdd.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q : (nq,) positions.
    qd, qdd, weights : (n,) velocities, accelerations, factors of the torques.
    gradient : (3, n) is filled.
    friction : whether to include viscous friction.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm, gradient = rne.load("models/planar2/robot.dh.toml"), np.empty((3, 2))
    >>> rest, weights = np.zeros(2), np.array([1.0, 0.0])
    >>> rne.jit.inverse_dynamics_vjp(rne.jit.model(arm), rest, rest, rest, weights, gradient)
    >>> bool(np.allclose(gradient[2], rne.mass_matrix(arm, rest)[0]))
    True
    """
    check_precision(model, gradient)
    check_positions(model, q)
    check_rates(model, qd)
    check_rates(model, qdd)
    check_rates(model, weights)
    check_shape(gradient.shape == (3, qd.shape[0]))
    flat = gradient.reshape(gradient.size)
    product.one(model, (q, qd, qdd), weights, flat, SPRINGS + FRICTION if friction else SPRINGS)


@function
def jacobian_dot(model, site, q, qd, J):
    """Fill J with the rate of change of the geometric Jacobian of a point.

    Parameters
    ----------
    model, site : as for `rne.jit.jacobian`.
    q, qd : (nq,) positions, (n,) velocities.
    J : (6, n) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm, J = rne.load("models/planar2/robot.dh.toml"), np.empty((6, 2))
    >>> rne.jit.jacobian_dot(rne.jit.model(arm), rne.jit.site(arm, "link2"), np.zeros(2), np.array([1.0, 0.0]), J)
    >>> J[0]
    array([-2., -1.])
    """
    check_precision(model, J)
    check_positions(model, q)
    check_rates(model, qd)
    check_shape(J.shape == (6, qd.shape[0]))
    check_sites(model, site)
    rate.one(model, site, q, qd, J.reshape(J.size))
