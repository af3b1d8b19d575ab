"""Equivalents of the functions of rne in other libraries, for error messages and for a page of the documentation.

`docs/names.md` is the output of `as_markdown()`. The names of Pinocchio are those of its Python module. The names of
the Robotics Toolbox are methods of its robots or its trajectory functions, in Python or MATLAB. The names of MATLAB are
those of the Robotics System Toolbox.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from rne.errors import close_names, did_you_mean

LIBRARIES = ("Pinocchio", "Robotics Toolbox", "MuJoCo", "MATLAB")

NAMES: dict[str, tuple[str, str, str, str]] = {
    "load": ("buildModelFromUrdf buildModelFromXML", "URDF", "MjModel", "importrobot loadrobot"),
    "from_dh": ("", "DHRobot SerialLink", "", ""),
    "Robot": ("Model RobotWrapper", "ERobot", "", "rigidBodyTree"),
    "Body": ("", "Link", "", "rigidBody"),
    "Joint": ("", "", "", "rigidBodyJoint"),
    "Robot.with_locked": ("buildReducedModel", "", "", ""),
    "Robot.with_payload": ("", "payload", "", ""),
    "Robot.total_mass": ("computeTotalMass", "", "mj_getTotalmass", ""),
    "inverse_dynamics": (
        "rnea rneaInParallel computeStaticTorque",
        "rne rne_python",
        "mj_inverse mj_rne",
        "inverseDynamics",
    ),
    "forward_dynamics": ("aba abaInParallel", "accel", "mj_forward mj_fwdAcceleration", "forwardDynamics"),
    "mass_matrix": ("crba", "inertia", "mj_fullM mj_crb mj_makeM", "massMatrix"),
    "mass_matrix_inverse": ("computeMinverse", "", "mj_solveM", ""),
    "inverse_dynamics_derivatives": ("computeRNEADerivatives", "", "mjd_inverseFD", ""),
    "forward_dynamics_derivatives": ("computeABADerivatives", "", "", ""),
    "linearize": ("", "", "mjd_transitionFD", ""),
    "gravity_derivative": ("computeGeneralizedGravityDerivatives computeStaticTorqueDerivatives", "", "", ""),
    "gravity_vector": ("computeGeneralizedGravity", "gravload", "", "gravityTorque"),
    "bias_vector": ("nonLinearEffects nle", "", "qfrc_bias", ""),
    "coriolis_matrix": ("computeCoriolisMatrix getCoriolisMatrix", "coriolis", "", ""),
    "coriolis_vector": ("", "", "", "velocityProduct"),
    "friction_torque": ("", "friction", "", ""),
    "static_torque": ("", "pay", "mj_applyFT", ""),
    "torque_breakdown": ("", "itorque", "", ""),
    "joint_wrenches": ("", "", "mj_rnePostConstraint", ""),
    "forward_kinematics": (
        "forwardKinematics framesForwardKinematics updateFramePlacement updateFramePlacements",
        "fkine fkine_all",
        "mj_kinematics mj_fwdKinematics mj_fwdPosition",
        "getTransform",
    ),
    "jacobian": (
        "computeFrameJacobian getFrameJacobian computeJointJacobian computeJointJacobians getJointJacobian",
        "jacob0 jacobe",
        "mj_jac mj_jacBody mj_jacBodyCom mj_jacSite",
        "geometricJacobian",
    ),
    "jacobian_dot": (
        "frameJacobianTimeVariation getFrameJacobianTimeVariation",
        "jacob0_dot jacob_dot",
        "mj_jacDot",
        "",
    ),
    "frame_velocity": ("getFrameVelocity getVelocity", "", "mj_objectVelocity", ""),
    "frame_acceleration": (
        "getFrameAcceleration getFrameClassicalAcceleration getAcceleration getClassicalAcceleration",
        "",
        "mj_objectAcceleration",
        "",
    ),
    "center_of_mass": ("centerOfMass", "", "mj_comPos", "centerOfMass"),
    "center_of_mass_jacobian": ("jacobianCenterOfMass", "", "mj_jacSubtreeCom", ""),
    "center_of_mass_velocity": ("", "", "mj_subtreeVel", ""),
    "centroidal_momentum": ("computeCentroidalMomentum", "", "", ""),
    "centroidal_momentum_matrix": ("computeCentroidalMap ccrba", "", "", ""),
    "centroidal_momentum_bias": ("computeCentroidalMomentumTimeVariation dccrba", "", "", ""),
    "contact_forward_dynamics": ("constraintDynamics", "", "", ""),
    "contact_inverse_dynamics": ("contactInverseDynamics", "", "", ""),
    "contact_impulse": ("impulseDynamics", "", "", ""),
    "integrate": ("", "", "mj_integratePos", ""),
    "difference": ("", "", "mj_differentiatePos", ""),
    "kinetic_energy": ("computeKineticEnergy", "", "mj_energyVel", ""),
    "potential_energy": ("computePotentialEnergy", "", "mj_energyPos", ""),
    "operational_inertia": ("", "cinertia inertia_x", "", ""),
    "transform_wrench": ("", "wtrans", "", ""),
    "regressor": ("computeJointTorqueRegressor", "", "", ""),
    "simulate": ("", "fdyn", "mj_step", ""),
    "quintic": ("", "jtraj quintic", "", "quinticpolytraj"),
    "trapezoidal": ("", "lspb trapezoidal", "", "trapveltraj"),
    "verify": ("", "", "mj_compareFwdInv", ""),
    "view": ("", "teach", "", "interactiveRigidBodyTree show"),
}
"""For each name in rne, the names in each of the libraries, separated by blanks."""


ABSENT: dict[str, str] = {
    "inverse_kinematics inverseKinematics generalizedInverseKinematics analyticalInverseKinematics ik invkin "
    "ikine ikine_a ikine_LM ikine_GN ikine_NR ik_LM ik_GN ik_NR IKinSpace IKinBody": (
        "rne has no inverse kinematics; a solver of your own needs rne.forward_kinematics and rne.jacobian"
    ),
    "manipulability manipulability_index maniplty yoshikawa": (
        "rne has no measure of manipulability; J = rne.jacobian(...) gives np.sqrt(np.linalg.det(J @ J.T))"
    ),
    "collision collisions check_collision checkCollision computeCollisions computeDistances mj_collision": (
        "rne has no collision detection"
    ),
    "njoints n_joints num_joints dof n_dof ndof": "robot.n is the number of coordinates",
    "max_payload maximum_payload": "rne has no function for it; docs/guides/payload.md calculates it in a few lines",
}
"""What people look for and rne does not have, names separated by blanks, and what to do about it."""


def equivalent(name: str) -> str | None:
    """Return what a name of another library, in any case, is here, or that it is not; None if it is unknown."""
    for here, theirs in NAMES.items():
        of = {
            library: word
            for library, words in zip(LIBRARIES, theirs, strict=True)
            for word in words.split()
            if word.casefold() == name.casefold()
        }
        if of:
            return f"{next(iter(of.values()))} of {' and '.join(of)} is rne.{here}"
    return next((told for words, told in ABSENT.items() if name.casefold() in words.casefold().split()), None)


def advice(name: str, known: Iterable[str]) -> str:
    """Return the second half of a message about an unknown name: its equivalent or a similar name, if there is one.

    Examples
    --------
    >>> advice("gravload", []), advice("mas_matrix", ["mass_matrix"])
    ('; gravload of Robotics Toolbox is rne.gravity_vector', "; did you mean 'rne.mass_matrix'?")
    """
    told = equivalent(name) or did_you_mean([f"rne.{near}" for near in close_names(name, known)])
    return f"; {told}" if told else ""


def advice_on_robot(name: str, known: Iterable[str]) -> str:
    """Return the second half of a message about an attribute that a robot does not have, as `advice` does.

    Examples
    --------
    >>> advice_on_robot("mass_matrix", [])
    '; it is a function, rne.mass_matrix(robot, ...)'
    """
    import rne

    public: Any = rne
    if name in public.__all__:
        return f"; it is a function, rne.{name}(robot, ...)"
    told = equivalent(name) or did_you_mean(close_names(name, known))
    return f"; {told}" if told else ""


def as_markdown() -> str:
    """Return the table as a Markdown page, with the first docstring line of each function.

    Examples
    --------
    >>> as_markdown().splitlines()[0]
    '# Equivalents in other libraries'
    """
    import rne

    lines = [
        "# Equivalents in other libraries",
        "",
        "Accessing `rne.rnea`, or another name in this table that `rne` does not have, raises an error that names the",
        "equivalent. Signs, argument order and axes may differ; see the docstrings of `rne`.",
        "",
        f"| rne | description | {' | '.join(LIBRARIES)} |",
        "|---" * (2 + len(LIBRARIES)) + "|",
    ]
    for here, theirs in NAMES.items():
        first = (inspect.getdoc(attrgetter(here)(rne)) or "").partition("\n")[0].replace("|", "\\|")
        cells = [", ".join(f"`{word}`" for word in words.split()) for words in theirs]
        lines.append(f"| {' | '.join([f'`{here}`', first, *cells])} |")
    lines += ["", "Of these it has no equivalent:", ""]
    lines += [f"- {', '.join(f'`{word}`' for word in words.split())}: {told}." for words, told in ABSENT.items()]
    return "\n".join([*lines, ""])
