"""Joint torques that balance wrenches, and the wrenches transmitted by the joints, for `rne.jit`."""

from __future__ import annotations

from rne.kernels import joint_wrenches as bearings
from rne.kernels import static_torque as virtual_work
from rne.kernels.jit import function
from rne.kernels.layout import LINKS
from rne.kernels.user.checks import check_positions, check_precision, check_rates, check_shape, check_sites


@function
def static_torque(model, sites, wrenches, q, tau):
    """Fill tau = J^T w; subtract it from inverse dynamics to account for wrenches that act on the robot.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    sites : where the wrenches act, as `rne.jit.sites` returns it.
    wrenches : (m, 6) [fx, fy, fz, mx, my, mz], one row per site.
    q : (n,) positions.
    tau : (n,) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> wrench, q, tau = np.array([[0.0, 0, 0, 0, 0, 5]]), np.zeros(2), np.empty(2)
    >>> rne.jit.static_torque(rne.jit.model(arm), rne.jit.sites(arm, {"link2": "world"}), wrench, q, tau)
    >>> bool(np.allclose(tau, rne.gravity_vector(arm, q) - rne.inverse_dynamics(arm, q, f_ext={"link2": wrench[0]})))
    True
    """
    check_precision(model, tau)
    check_positions(model, q)
    check_rates(model, tau)
    check_sites(model, sites)
    if wrenches.shape[0] != sites.shape[0] or wrenches.shape[1] != 6:
        raise ValueError("rne.jit: wrenches does not have six numbers per site")
    virtual_work.one(model, sites, wrenches, q, tau)


@function
def joint_wrenches(model, joints, sites, wrenches, q, qd, qdd, w):
    """Fill w with the force and moment that every joint transmits.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    joints : as `rne.jit.joint_sites` returns it, for the required axes.
    sites, wrenches : as for `rne.jit.static_torque`; shapes (0, ...) and (0, 6) for no wrenches.
    q, qd, qdd : (n,) positions, velocities and accelerations.
    w : (joints, 6) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> model, joints, nowhere = rne.jit.model(arm), rne.jit.joint_sites(arm), rne.jit.sites(arm, {})
    >>> w, wrenches = np.empty((2, 6)), np.empty((0, 6))
    >>> rne.jit.joint_wrenches(model, joints, nowhere, wrenches, np.zeros(2), np.zeros(2), np.zeros(2), w)
    >>> w[:, [1, 5]]
    array([[19.62 , 19.62 ],
           [ 9.81 ,  4.905]])
    """
    check_precision(model, w)
    check_positions(model, q)
    check_rates(model, qd)
    check_rates(model, qdd)
    check_shape(wrenches.shape == (sites.shape[0], 6))
    check_shape(joints.shape[0] == int(model[0, LINKS]) and w.shape == (joints.shape[0], 6))
    check_sites(model, sites)
    check_sites(model, joints)
    bearings.one(model, joints, (sites, wrenches), q, qd, qdd, w)
