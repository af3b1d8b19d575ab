"""What the tests of `rne.torch` and `rne.jax` share: robots, and a call of each function with what it takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from checks import random_robot, random_states
from own_robots import arm, gripper

import rne


def driven(robot: rne.Robot) -> rne.Robot:
    """Return the robot with a drive on every joint, springs and friction included."""
    drives = {
        name: rne.Drive(0.01 + 0.001 * k, 5.0, 0.7 + 0.1 * k, 0.4, 0.3, stiffness=2.0 + k, rest=0.1)
        for k, name in enumerate(robot.links.joints)
    }
    return robot.with_drives(drives)


ROBOTS = {
    "arm": driven(arm()),  # with a prismatic joint
    "gripper": driven(gripper()),  # with a mimic joint
    "branches": driven(random_robot(3, 5, branching=0.5, mimic=0.5, massless=0.0, heavy_tips=True)),
}

ARGUMENTS = {
    "inverse_dynamics": ("q", "qd", "qdd", "parameters"),
    "forward_dynamics": ("q", "qd", "tau", "parameters"),
    "mass_matrix_product": ("q", "v", "parameters"),
    "kinetic_energy": ("q", "qd", "parameters"),
    "potential_energy": ("q", "parameters"),
    "forward_kinematics": ("q",),
}
"""By function: what it can be differentiated by."""
PLAIN = {name: getattr(rne, name, None) for name in ARGUMENTS}
PLAIN["mass_matrix_product"] = lambda robot, q, v: np.einsum("...ij,...j->...i", rne.mass_matrix(robot, q), v)


def options_of(name: str, robot: rne.Robot, friction: bool) -> dict[str, Any]:
    """Return the options of a call that has all that there are."""
    if name == "forward_kinematics":
        return {"frames": robot.links.joint_frames[-1]}
    gravity = {} if name in ("mass_matrix_product", "kinetic_energy") else {"gravity": [1.0, -2.0, 7.0]}
    return gravity | ({"friction": friction} if name.endswith("dynamics") else {})


def values_of(name: str, robot: rne.Robot, *shape: int, friction: bool = False) -> dict[str, Any]:
    """Return random arrays for the arguments of a function, and the parameters of the robot."""
    q, qd, qdd = random_states(robot.n, *shape, seed=5)
    values = {"q": q, "qd": qd, "qdd": qdd, "tau": qdd, "v": qd}
    values["parameters"] = rne.parameters(robot, friction=friction)
    return {key: values[key] for key in ARGUMENTS[name]}
