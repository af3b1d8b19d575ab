"""Poses, Jacobians and motion of frames, and the center of mass, for `rne.jit`."""

from __future__ import annotations

from rne.kernels import center_of_mass as balance
from rne.kernels import frame_motion as motion
from rne.kernels import jacobian as whitney
from rne.kernels import poses as pose
from rne.kernels.jit import function
from rne.kernels.layout import COORDINATES
from rne.kernels.user.checks import check_positions, check_precision, check_rates, check_shape, check_sites


@function
def forward_kinematics(model, sites, q, poses):
    """Fill poses with the homogeneous matrices of frames in the frame of the base.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    sites : the m frames, as `rne.jit.sites` or `rne.jit.site` returns them.
    q : (n,) positions.
    poses : (m, 4, 4) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> poses = np.empty((1, 4, 4))
    >>> rne.jit.forward_kinematics(rne.jit.model(arm), rne.jit.site(arm, "link2"), np.zeros(2), poses)
    >>> poses[0, :3, 3]
    array([2., 0., 0.])
    """
    check_precision(model, poses)
    check_positions(model, q)
    check_shape(poses.shape == (sites.shape[0], 4, 4))
    check_sites(model, sites)
    pose.one(model, sites, q, poses)


@function
def jacobian(model, site, q, J):
    """Fill J with the geometric Jacobian of a point, three linear rows and three angular ones.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    site : the point and the axes, as `rne.jit.site` returns it.
    q : (n,) positions.
    J : (6, n) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> J = np.empty((6, 2))
    >>> rne.jit.jacobian(rne.jit.model(arm), rne.jit.site(arm, "link2"), np.zeros(2), J)
    >>> J[1]
    array([2., 1.])
    """
    check_precision(model, J)
    check_positions(model, q)
    check_shape(J.shape == (6, int(model[0, COORDINATES])))
    check_sites(model, site)
    whitney.one(model, site, q, J)


@function
def frame_velocity(model, site, q, qd, v):
    """Fill v with the velocity of a point, and the angular velocity of its link.

    Parameters
    ----------
    model, site, q : as for `rne.jit.jacobian`.
    qd : (n,) velocities.
    v : (6,) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> v = np.empty(6)
    >>> rne.jit.frame_velocity(rne.jit.model(arm), rne.jit.site(arm, "link2"), np.zeros(2), np.array([1.0, 0.0]), v)
    >>> v
    array([0., 2., 0., 0., 0., 1.])
    """
    check_precision(model, v)
    check_positions(model, q)
    check_rates(model, qd)
    check_shape(v.shape[0] == 6)
    check_sites(model, site)
    motion.one(model, site, q, qd, qd, v, 1)


@function
def frame_acceleration(model, site, q, qd, qdd, a):
    """Fill a with the classical acceleration of a point, and the angular acceleration; with qdd = 0, this is Jd qd.

    Parameters
    ----------
    model, site, q : as for `rne.jit.jacobian`.
    qd, qdd : (n,) velocities and accelerations.
    a : (6,) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> model, site = rne.jit.model(arm), rne.jit.site(arm, "link2")
    >>> q, qd, qdd, a = np.zeros(2), np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.empty(6)
    >>> rne.jit.frame_acceleration(model, site, q, qd, qdd, a)
    >>> a
    array([-2.,  1.,  0.,  0.,  0.,  1.])
    """
    check_precision(model, a)
    check_positions(model, q)
    check_rates(model, qd)
    check_rates(model, qdd)
    check_shape(a.shape[0] == 6)
    check_sites(model, site)
    motion.one(model, site, q, qd, qdd, a, 2)


@function
def center_of_mass(model, q, c):
    """Fill c with the center of mass of the robot, the base included.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q : (n,) positions.
    c : (3,) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> c = np.empty(3)
    >>> rne.jit.center_of_mass(rne.jit.model(arm), np.zeros(2), c)
    >>> c
    array([1., 0., 0.])
    """
    check_precision(model, c)
    check_positions(model, q)
    check_shape(c.shape[0] == 3)
    balance.one(model, q, q, c, balance.POSITION)


@function
def center_of_mass_jacobian(model, q, J):
    """Fill J with the Jacobian of the center of mass.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q : (n,) positions.
    J : (3, n) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> J = np.empty((3, 2))
    >>> rne.jit.center_of_mass_jacobian(rne.jit.model(arm), np.zeros(2), J)
    >>> J[1]
    array([1.  , 0.25])
    """
    check_precision(model, J)
    check_positions(model, q)
    check_shape(J.shape == (3, int(model[0, COORDINATES])))
    balance.one(model, q, q, J, balance.JACOBIAN)
