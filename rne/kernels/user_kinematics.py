"""What a user's compiled code calls: places, velocities, energies and reactions of one state, with lengths checked."""

from __future__ import annotations

from rne.kernels import center_of_mass as balance
from rne.kernels import energies
from rne.kernels import frame_motion as motion
from rne.kernels import jacobian as whitney
from rne.kernels import joint_wrenches as bearings
from rne.kernels import poses as pose
from rne.kernels import regressor as linear
from rne.kernels.jit import function
from rne.kernels.layout import LINKS
from rne.kernels.user_dynamics import check_length, check_places, check_precision, check_shape


@function
def forward_kinematics(model, places, q, poses):
    """Fill poses with the homogeneous matrices of frames in the frame of the base.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    places : the m frames, as `rne.jit.places` or `rne.jit.place` returns them.
    q : (n,) positions.
    poses : (m, 4, 4) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> poses = np.empty((1, 4, 4))
    >>> rne.jit.forward_kinematics(rne.jit.model(arm), rne.jit.place(arm, "link2"), np.zeros(2), poses)
    >>> poses[0, :3, 3]
    array([2., 0., 0.])
    """
    check_precision(model, poses)
    check_length(model, q)
    check_shape(poses.shape == (places.shape[0], 4, 4))
    check_places(model, places)
    pose.one(model, places, q, poses)


@function
def jacobian(model, place, q, J):
    """Fill J with the geometric Jacobian of a point, three linear rows and three angular ones.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    place : the point and the axes, as `rne.jit.place` returns it.
    q : (n,) positions.
    J : (6, n) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> J = np.empty((6, 2))
    >>> rne.jit.jacobian(rne.jit.model(arm), rne.jit.place(arm, "link2"), np.zeros(2), J)
    >>> J[1]
    array([2., 1.])
    """
    check_precision(model, J)
    check_length(model, q)
    check_shape(J.shape == (6, q.shape[0]))
    check_places(model, place)
    whitney.one(model, place, q, J)


@function
def frame_velocity(model, place, q, qd, v):
    """Fill v with the velocity of a point, three numbers, and the angular velocity of its link.

    Parameters
    ----------
    model, place, q : as for `rne.jit.jacobian`.
    qd : (n,) velocities.
    v : (6,) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> v = np.empty(6)
    >>> rne.jit.frame_velocity(rne.jit.model(arm), rne.jit.place(arm, "link2"), np.zeros(2), np.array([1.0, 0.0]), v)
    >>> v
    array([0., 2., 0., 0., 0., 1.])
    """
    check_precision(model, v)
    check_length(model, q)
    check_length(model, qd)
    check_shape(v.shape[0] == 6)
    check_places(model, place)
    motion.one(model, place, q, qd, qd, v, 1)


@function
def frame_acceleration(model, place, q, qd, qdd, a):
    """Fill a with the classical acceleration of a point, and the angular acceleration; Jd qd where qdd is zero.

    Parameters
    ----------
    model, place, q : as for `rne.jit.jacobian`.
    qd, qdd : (n,) velocities and accelerations.
    a : (6,) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> model, place = rne.jit.model(arm), rne.jit.place(arm, "link2")
    >>> q, qd, qdd, a = np.zeros(2), np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.empty(6)
    >>> rne.jit.frame_acceleration(model, place, q, qd, qdd, a)
    >>> a
    array([-2.,  1.,  0.,  0.,  0.,  1.])
    """
    check_precision(model, a)
    check_length(model, q)
    check_length(model, qd)
    check_length(model, qdd)
    check_shape(a.shape[0] == 6)
    check_places(model, place)
    motion.one(model, place, q, qd, qdd, a, 2)


@function
def center_of_mass(model, q, c):
    """Fill c with the centre of mass of the robot, the base included.

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
    check_length(model, q)
    check_shape(c.shape[0] == 3)
    balance.one(model, q, q, c, balance.POSITION)


@function
def center_of_mass_jacobian(model, q, J):
    """Fill J with the Jacobian of the centre of mass.

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
    check_length(model, q)
    check_shape(J.shape == (3, q.shape[0]))
    balance.one(model, q, q, J, balance.JACOBIAN)


@function
def kinetic_energy(model, q, qd, rotors=True):
    """Return the energy of motion.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q, qd : (n,) positions and velocities.
    rotors : whether to count the reflected inertias of the rotors.

    Returns
    -------
    K : J.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> round(rne.jit.kinetic_energy(rne.jit.model(arm), np.zeros(2), np.array([1.0, 0.0])), 4)
    1.3333
    """
    check_length(model, q)
    check_length(model, qd)
    return energies.one(model, q, qd, 1, 1 if rotors else 0)


@function
def potential_energy(model, q, springs=True):
    """Return the energy in the field of gravity, zero at the origin of the base, and in the joint springs.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q : (n,) positions.
    springs : whether to count the springs.

    Returns
    -------
    P : J.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> round(rne.jit.potential_energy(rne.jit.model(arm), np.array([np.pi / 2, 0.0])), 6)
    19.62
    """
    check_length(model, q)
    return energies.one(model, q, q, 0, 1 if springs else 0)


@function
def joint_wrenches(model, joints, places, wrenches, q, qd, qdd, w):
    """Fill w with the force and moment that every joint bears.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    joints : as `rne.jit.joint_places` returns it, for the axes wanted.
    places, wrenches : as for `rne.jit.static_torque`; none are (0, ...) and (0, 6).
    q, qd, qdd : (n,) positions, velocities and accelerations.
    w : (joints, 6) is filled.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> model, joints, nowhere = rne.jit.model(arm), rne.jit.joint_places(arm), rne.jit.places(arm, {})
    >>> w, wrenches = np.empty((2, 6)), np.empty((0, 6))
    >>> rne.jit.joint_wrenches(model, joints, nowhere, wrenches, np.zeros(2), np.zeros(2), np.zeros(2), w)
    >>> w[:, [1, 5]]
    array([[19.62 , 19.62 ],
           [ 9.81 ,  4.905]])
    """
    check_precision(model, w)
    check_length(model, q)
    check_length(model, qd)
    check_length(model, qdd)
    check_shape(wrenches.shape == (places.shape[0], 6))
    check_shape(joints.shape[0] == int(model[0, LINKS]) and w.shape == (joints.shape[0], 6))
    check_places(model, places)
    check_places(model, joints)
    bearings.one(model, joints, places, wrenches, q, qd, qdd, w)


@function
def regressor(model, joints, q, qd, qdd, Y, rotors=False, friction=False):
    """Fill Y, the matrix that turns the parameters of bodies and drives into torques, tau = Y pi.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    joints : as `rne.jit.joint_places` returns it for the axes "local".
    q, qd, qdd : (n,) positions, velocities and accelerations.
    Y : (n, P) is filled; `rne.parameter_names` tells the P columns.
    rotors, friction : whether there are columns for the rotor inertias, and for friction.

    Examples
    --------
    >>> import numpy as np, rne
    >>> arm = rne.load("models/planar2/robot.dh.toml")
    >>> q, Y = np.array([0.3, 0.5]), np.empty((2, 20))
    >>> rne.jit.regressor(rne.jit.model(arm), rne.jit.joint_places(arm, "local"), q, np.zeros(2), np.zeros(2), Y)
    >>> bool(np.allclose(Y @ rne.parameters(arm), rne.gravity_vector(arm, q)))
    True
    """
    check_precision(model, Y)
    check_length(model, q)
    check_length(model, qd)
    check_length(model, qdd)
    check_shape(joints.shape[0] == int(model[0, LINKS]))
    check_shape(Y.shape == (q.shape[0], linear.columns_of(model, rotors, friction)))
    check_places(model, joints)
    linear.one(model, joints, q, qd, qdd, Y, rotors, friction)
