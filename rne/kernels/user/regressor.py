"""The regressor of the parameters of bodies and drives, for `rne.jit`."""

from __future__ import annotations

from rne.kernels import regressor as linear
from rne.kernels import regressor_product as product
from rne.kernels.jit import function
from rne.kernels.layout import LINKS
from rne.kernels.user.checks import check_positions, check_precision, check_rates, check_shape, check_sites


@function
def regressor(model, joints, q, qd, qdd, Y, rotors=True, friction=False):
    """Fill Y, the matrix with tau = Y pi for the parameters pi of bodies and drives; springs are not included.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    joints : as `rne.jit.joint_sites` returns it for the axes "local".
    q : (nq,) positions.
    qd, qdd : (n,) velocities and accelerations.
    Y : (n, P) is filled; `rne.parameter_names` lists the P columns.
    rotors, friction : whether to include columns for rotor inertias and friction.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q, Y = np.array([0.3, 0.5]), np.empty((2, 22))
    >>> rne.jit.regressor(rne.jit.model(arm), rne.jit.joint_sites(arm, "local"), q, np.zeros(2), np.zeros(2), Y)
    >>> bool(np.allclose(Y @ rne.parameters(arm), rne.gravity_vector(arm, q)))
    True
    """
    check_precision(model, Y)
    check_positions(model, q)
    check_rates(model, qd)
    check_rates(model, qdd)
    check_shape(joints.shape[0] == int(model[0, LINKS]))
    check_shape(Y.shape == (qd.shape[0], linear.columns_of(model, rotors, friction)))
    check_sites(model, joints)
    linear.one(model, joints, q, qd, qdd, Y, (rotors, friction))


@function
def regressor_vjp(model, joints, q, qd, qdd, weights, gradient, rotors=True, friction=False):
    """Fill the gradient of sum of weights . tau by the parameters of bodies and drives, weights times the regressor.

    Parameters
    ----------
    model, joints : as for `rne.jit.regressor`.
    q : (nq,) positions.
    qd, qdd, weights : (n,) velocities, accelerations, factors of the torques.
    gradient : (P,) is filled, in the order of `rne.parameter_names`.
    rotors, friction : whether to include rotor inertias and friction.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm, gradient = rne.load("models/planar2/robot.dh.toml"), np.empty(22)
    >>> rest, weights = np.zeros(2), np.array([1.0, 0.0])
    >>> joints = rne.jit.joint_sites(arm, "local")
    >>> rne.jit.regressor_vjp(rne.jit.model(arm), joints, rest, rest, rest, weights, gradient)
    >>> bool(np.allclose(gradient @ rne.parameters(arm), rne.gravity_vector(arm, rest)[0]))
    True
    """
    check_precision(model, gradient)
    check_positions(model, q)
    check_rates(model, qd)
    check_rates(model, qdd)
    check_rates(model, weights)
    check_shape(joints.shape[0] == int(model[0, LINKS]))
    check_shape(gradient.shape[0] == linear.columns_of(model, rotors, friction))
    check_sites(model, joints)
    product.one(model, joints, (q, qd, qdd), weights, gradient, (rotors, friction))
