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
    that holds the robot still against it: tau = M qdd + C qd + g + springs + friction - J^T w.
Wrenches
    [fx, fy, fz, mx, my, mz], acting on the robot at the origin of a named frame, in world axes or in its own.
Drives
    The reflected rotor inertia, gear_ratio**2 * rotor_inertia, and springs, also between joints, are part of the
    dynamics. Friction is added on request.
Inertia
    Of a tensor, and in files, ixy is - integral of x y dm; a pseudo-inertia has + integral of x y dm in that place.
Mimic joints
    A coordinate reduction, q_j = ratio * q_i + offset, and so tau = G^T tau_full.
DH tables
    Name their convention, standard or modified; centre of mass and inertia are in the link's own frame, the inertia
    about the centre of mass; drives are given on the motor side.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from rne.errors import ArgumentError, FileError, ModelError, ModelWarning, RneError, SingularError, UnknownNameError
from rne.model.robot import Robot
from rne.model.tree import Drive
from rne.read.loading import from_dh, load, load_dh, load_urdf

if TYPE_CHECKING:
    from rne import control, files, jit, lagrange, plot
    from rne.analysis.coefficients import Coefficients, coefficients
    from rne.analysis.energy_balance import EnergyBalance, energy_balance, energy_drift
    from rne.analysis.link_forces import LinkForces, link_forces
    from rne.analysis.motor_sizing import motor_sizing
    from rne.analysis.significance import Significance, significance
    from rne.analysis.torque_breakdown import TorqueBreakdown, torque_breakdown
    from rne.bodies.free_body import newton_euler
    from rne.bodies.inertia import Inertia
    from rne.doctor import Diagnosis, diagnose
    from rne.dynamics.center_of_mass import center_of_mass, center_of_mass_jacobian, center_of_mass_velocity
    from rne.dynamics.coriolis import VelocityTorques, christoffel, coriolis_matrix, velocity_torques
    from rne.dynamics.energy import kinetic_energy, potential_energy
    from rne.dynamics.forward_dynamics import forward_dynamics
    from rne.dynamics.inverse_dynamics import (
        bias_vector,
        coriolis_vector,
        friction_torque,
        gravity_vector,
        inverse_dynamics,
    )
    from rne.dynamics.kinematics import (
        forward_kinematics,
        frame_acceleration,
        frame_velocity,
        jacobian,
        jacobian_dot_qd,
    )
    from rne.dynamics.mass_matrix import EffectiveInertia, effective_inertia, mass_matrix, mass_matrix_inverse
    from rne.dynamics.operational_space import Ellipsoid, inertia_ellipsoid, operational_inertia
    from rne.dynamics.power import actuator_power, dissipated_power, dissipation
    from rne.dynamics.statics import joint_wrenches, static_torque, transform_twist, transform_wrench
    from rne.identification.base_parameters import BaseParameters, base_parameters
    from rne.identification.excitation import Excitation, excitation
    from rne.identification.identify import Identification, identify
    from rne.identification.regressor import parameter_names, parameters, regressor
    from rne.simulation.result import Simulation
    from rne.simulation.simulate import simulate
    from rne.trajectory.differentiate import Derivatives, differentiate
    from rne.trajectory.profiles import quintic, quintic_duration, trapezoidal, trapezoidal_duration
    from rne.verification.verify import verify
    from rne.viewer import view

__all__ = [
    "ArgumentError",
    "BaseParameters",
    "Coefficients",
    "Derivatives",
    "Diagnosis",
    "Drive",
    "EffectiveInertia",
    "Ellipsoid",
    "EnergyBalance",
    "Excitation",
    "FileError",
    "Identification",
    "Inertia",
    "LinkForces",
    "ModelError",
    "ModelWarning",
    "RneError",
    "Robot",
    "Significance",
    "Simulation",
    "SingularError",
    "TorqueBreakdown",
    "UnknownNameError",
    "VelocityTorques",
    "actuator_power",
    "base_parameters",
    "bias_vector",
    "center_of_mass",
    "center_of_mass_jacobian",
    "center_of_mass_velocity",
    "christoffel",
    "coefficients",
    "control",
    "coriolis_matrix",
    "coriolis_vector",
    "diagnose",
    "differentiate",
    "dissipated_power",
    "dissipation",
    "effective_inertia",
    "energy_balance",
    "energy_drift",
    "excitation",
    "files",
    "forward_dynamics",
    "forward_kinematics",
    "frame_acceleration",
    "frame_velocity",
    "friction_torque",
    "from_dh",
    "gravity_vector",
    "identify",
    "inertia_ellipsoid",
    "inverse_dynamics",
    "jacobian",
    "jacobian_dot_qd",
    "jit",
    "joint_wrenches",
    "kinetic_energy",
    "lagrange",
    "link_forces",
    "load",
    "load_dh",
    "load_urdf",
    "mass_matrix",
    "mass_matrix_inverse",
    "motor_sizing",
    "newton_euler",
    "operational_inertia",
    "parameter_names",
    "parameters",
    "plot",
    "potential_energy",
    "quintic",
    "quintic_duration",
    "regressor",
    "significance",
    "simulate",
    "static_torque",
    "torque_breakdown",
    "transform_twist",
    "transform_wrench",
    "trapezoidal",
    "trapezoidal_duration",
    "velocity_torques",
    "verify",
    "view",
]

# What needs numba is imported when it is first asked for (PEP 562): a robot is loaded in half the time without it.
# Not in __all__ is dask: a star would hide the library.
_MODULES = ("control", "dask", "files", "jit", "lagrange", "plot")
_HOMES = {
    name: f"rne.{module}"
    for module, names in {
        "analysis.energy_balance": "EnergyBalance energy_balance energy_drift",
        "analysis.torque_breakdown": "TorqueBreakdown torque_breakdown",
        "dynamics.coriolis": "VelocityTorques christoffel coriolis_matrix velocity_torques",
        "doctor": "Diagnosis diagnose",
        "dynamics.inverse_dynamics": "bias_vector coriolis_vector friction_torque gravity_vector inverse_dynamics",
        "dynamics.energy": "kinetic_energy potential_energy",
        "analysis.coefficients": "Coefficients coefficients",
        "identification.excitation": "Excitation excitation",
        "dynamics.forward_dynamics": "forward_dynamics",
        "bodies.free_body": "newton_euler",
        "dynamics.mass_matrix": "EffectiveInertia effective_inertia mass_matrix mass_matrix_inverse",
        "identification.identify": "Identification identify",
        "dynamics.kinematics": "forward_kinematics frame_acceleration frame_velocity jacobian jacobian_dot_qd",
        "identification.regressor": "parameter_names parameters regressor",
        "dynamics.center_of_mass": "center_of_mass center_of_mass_jacobian center_of_mass_velocity",
        "simulation.result": "Simulation",
        "dynamics.operational_space": "Ellipsoid inertia_ellipsoid operational_inertia",
        "dynamics.power": "actuator_power dissipated_power dissipation",
        "identification.base_parameters": "BaseParameters base_parameters",
        "analysis.link_forces": "LinkForces link_forces",
        "bodies.inertia": "Inertia",
        "analysis.significance": "Significance significance",
        "simulation.simulate": "simulate",
        "analysis.motor_sizing": "motor_sizing",
        "trajectory.differentiate": "Derivatives differentiate",
        "dynamics.statics": "joint_wrenches static_torque transform_twist transform_wrench",
        "trajectory.profiles": "quintic quintic_duration trapezoidal trapezoidal_duration",
        "verification.verify": "verify",
        "viewer": "view",
    }.items()
    for name in names.split()
}


if not TYPE_CHECKING:  # type checkers would take it as leave to ask for any name

    def __getattr__(name: str) -> object:
        """Import a public name that is not there yet, and keep it."""
        if name in _MODULES:
            return import_module(f"rne.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module 'rne' has no attribute {name!r}")
        globals()[name] = value = getattr(import_module(_HOMES[name]), name)
        return value

    def __dir__() -> list[str]:
        """Names that are there, and those that would be."""
        return sorted({*globals(), *__all__})
