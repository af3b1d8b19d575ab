"""What a user's compiled code calls: the algorithms for one state of floats, with their lengths checked."""

from __future__ import annotations

from rne.kernels import center_of_mass as balance
from rne.kernels import christoffel as symbols
from rne.kernels import coriolis_matrix as echeandia_wensing
from rne.kernels import energies
from rne.kernels import forward_dynamics as outward_and_back
from rne.kernels import frame_motion as motion
from rne.kernels import friction as drag
from rne.kernels import inverse_dynamics as newton_euler
from rne.kernels import jacobian as whitney
from rne.kernels import joint_wrenches as bearings
from rne.kernels import mass_matrix as composite_bodies
from rne.kernels import poses as pose
from rne.kernels import static_torque as virtual_work
from rne.kernels.jit import borrowing, function, inline
from rne.kernels.layout import COORDINATES, FRICTION, LINKS, SPRINGS, WITH_ROTORS


@inline
def _check(table, x):
    if x.shape[0] != int(table[0, COORDINATES]):
        raise ValueError("rne.jit: an array has not one entry a joint")


@inline
def _check_shape(fits):
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
    _check(model, q)
    for axis in range(3):
        if D.shape[axis] != q.shape[0]:
            raise ValueError("rne.jit: D has not one entry for each three joints")
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
    _check(model, q)
    _check(model, qd)
    if C.shape[0] != q.shape[0] or C.shape[1] != q.shape[0]:
        raise ValueError("rne.jit: C has not one entry a pair of joints")
    echeandia_wensing.one(model, q, qd, C)


@function
def forward_dynamics(model, q, qd, tau, qdd, friction=False):
    """Fill qdd = M^-1 (tau - C qd - g - springs), less friction if asked for.

    Raises ValueError where the mass matrix is singular: a pivot is below 1e-12 (float32: 1e-5) of its diagonal entry.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q, qd, tau : (n,) positions, velocities, torques.
    qdd : (n,) is filled.
    friction : whether viscous and Coulomb friction act against the motion.
    """
    _check(model, q)
    _check(model, qd)
    _check(model, tau)
    _check(model, qdd)
    loads = SPRINGS + FRICTION if friction else SPRINGS
    if outward_and_back.one(model, q, qd, tau, qdd, loads):
        raise ValueError("rne.jit: the mass matrix is singular")


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
def mass_matrix(model, q, mass):
    """Fill the mass matrix, rotor inertias included.

    Parameters
    ----------
    model : as `rne.jit.model` returns it.
    q : (n,) positions.
    mass : (n, n) is filled, both triangles.
    """
    _check(model, q)
    _check(model, mass)
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
    _check(model, q)
    _check(model, tau)
    if wrenches.shape[0] != places.shape[0] or wrenches.shape[1] != 6:
        raise ValueError("rne.jit: wrenches has not six numbers a place")
    virtual_work.one(model, places, wrenches, q, tau)


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
    _check(model, q)
    _check_shape(poses.shape == (places.shape[0], 4, 4))
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
    _check(model, q)
    _check_shape(J.shape == (6, q.shape[0]))
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
    _check(model, q)
    _check(model, qd)
    _check_shape(v.shape[0] == 6)
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
    _check(model, q)
    _check(model, qd)
    _check(model, qdd)
    _check_shape(a.shape[0] == 6)
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
    _check(model, q)
    _check_shape(c.shape[0] == 3)
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
    _check(model, q)
    _check_shape(J.shape == (3, q.shape[0]))
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
    _check(model, q)
    _check(model, qd)
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
    _check(model, q)
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
    _check(model, q)
    _check(model, qd)
    _check(model, qdd)
    _check_shape(wrenches.shape == (places.shape[0], 6))
    _check_shape(joints.shape[0] == int(model[0, LINKS]) and w.shape == (joints.shape[0], 6))
    bearings.one(model, joints, places, wrenches, q, qd, qdd, w)
