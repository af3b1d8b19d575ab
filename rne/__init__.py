"""Rigid-body dynamics of robot arms and trees by recursive Newton-Euler, batched at SIMD speed.

Conventions
-----------
State
    `q, qd, qdd, tau` have one coordinate a movable joint (a continuous joint is one angle), in the order in which the
    movable joints stand in the file; `robot.joint_names` tells it. SI units, radians.
Batches
    The batch axes come first: (..., n) gives (..., n), matrices (..., n, n). `qd` and `qdd` broadcast against `q`; None
    means zero. Lists, integers, float32 and strided arrays are accepted; float32 throughout gives float32. A NaN in one
    sample never touches another.
Gravity
    `gravity` is the acceleration of free fall in base axes, [0, 0, -9.81] by default. `gravity_vector(q)` is the torque
    that holds the robot still: tau = M qdd + C qd + g + friction - J^T w.
Wrenches
    [fx, fy, fz, mx, my, mz], acting on the robot at the origin of a named frame, in world axes or in its own.
Drives
    The reflected rotor inertia, gear_ratio**2 * rotor_inertia, is part of the dynamics. Friction is added on request.
Mimic joints
    A coordinate reduction, q_j = ratio * q_i + offset, and so tau = G^T tau_full.
DH tables
    Name their convention, standard or modified; centre of mass and inertia are in the link's own frame, the inertia
    about the centre of mass; drives are given on the motor side.
"""

from rne import jit
from rne.dynamics import bias_vector, coriolis_vector, friction_torque, gravity_vector, inverse_dynamics
from rne.errors import ArgumentError, FileError, ModelError, ModelWarning, RneError, SingularError, UnknownNameError
from rne.forward import forward_dynamics
from rne.inertia import mass_matrix, mass_matrix_inverse
from rne.loading import from_dh, load, load_dh, load_urdf
from rne.robot import Robot

__all__ = [
    "ArgumentError",
    "FileError",
    "ModelError",
    "ModelWarning",
    "RneError",
    "Robot",
    "SingularError",
    "UnknownNameError",
    "bias_vector",
    "coriolis_vector",
    "forward_dynamics",
    "friction_torque",
    "from_dh",
    "gravity_vector",
    "inverse_dynamics",
    "jit",
    "load",
    "load_dh",
    "load_urdf",
    "mass_matrix",
    "mass_matrix_inverse",
]
