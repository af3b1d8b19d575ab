"""A robot that stands on four legs: its base floats, and the ground holds it."""

from __future__ import annotations

import numpy as np
from numpy import cos, sin

import rne
from rne.examples.registry import example
from rne.examples.sheet import Sheet

_LENGTH = 0.3  # of thigh and shank, m
_THIGH = 4.0  # kg
_SHANK = 1.5  # kg
_CORNERS = {"front_left": (0.3, 0.1), "front_right": (0.3, -0.1), "rear_left": (-0.3, 0.1), "rear_right": (-0.3, -0.1)}


def quadruped() -> rne.Robot:
    """Return a robot with four legs of two joints each, which turn about y, and a trunk of 20 kg that floats."""
    builder = rne.TreeBuilder("quadruped", base="trunk")
    builder.add("cargo", parent="trunk", inertia=rne.Inertia.box(20.0, [0.6, 0.2, 0.15]))
    for leg, (x, y) in _CORNERS.items():
        for part, mass, above in (("thigh", _THIGH, "trunk"), ("shank", _SHANK, f"{leg}_thigh")):
            place = [x, y, 0.0] if part == "thigh" else [0.0, 0.0, -_LENGTH]
            rod = rne.Inertia.point(mass, [0.0, 0.0, -_LENGTH / 2])
            joint = "hip" if part == "thigh" else "knee"
            builder.add(
                f"{leg}_{part}", "revolute", name=f"{leg}_{joint}", parent=above, xyz=place, axis=[0, 1, 0], inertia=rod
            )
        builder.add(f"{leg}_foot", xyz=[0.0, 0.0, -_LENGTH])
    return builder.robot(floating=True)


@example("guide floating")
def standing_quadruped() -> Sheet:
    """Forces on the feet of a quadruped that stands, and the torques that hold it."""
    robot = quadruped()
    feet = [f"{leg}_foot" for leg in _CORNERS]
    hip, knee, g = 0.5, -1.0, 9.81
    q = rne.neutral(robot)
    q[2], q[7:] = 0.6, [hip, knee] * 4

    # The ground has to supply what nothing else can: the force and moment on the base.
    J = rne.jacobian(robot, q, feet)
    grip = np.concatenate([J[foot][:3] for foot in feet])  # forces of the feet only, (12, n)
    load = rne.gravity_vector(robot, q)
    forces, *_ = np.linalg.lstsq(grip[:, :6].T, load[:6])  # of least squares among those that hold the base
    f_ext = {foot: [*forces[3 * k : 3 * k + 3], 0, 0, 0] for k, foot in enumerate(feet)}
    tau = rne.inverse_dynamics(robot, q, f_ext=f_ext)

    weight = (20.0 + 4 * (_THIGH + _SHANK)) * g
    foot, middle = -_LENGTH * sin(hip + knee), -0.5 * _LENGTH * sin(hip + knee)  # from the knee, along x
    thigh = -_LENGTH * sin(hip)  # the knee, from the hip
    sheet = Sheet("The trunk floats: tau begins with the force and moment on it, and the ground must make them zero.")
    sheet.row("sum of the forces on the feet, x y z", [0.0, 0.0, weight], forces.reshape(4, 3).sum(axis=0))
    sheet.row("force and moment on the trunk", np.zeros(6), tau[:6])
    # By symmetry about the middle of the feet, which is where the center of mass is not: the legs lean.
    center = rne.center_of_mass(robot, q)[0]
    arm = 0.3 + thigh + foot, -0.3 + thigh + foot
    front = weight * (center - arm[1]) / (arm[0] - arm[1]) / 2
    sheet.row("front and rear foot, z", [front, weight / 2 - front], forces.reshape(4, 3)[[0, 2], 2])
    f = forces.reshape(4, 3)[0]
    drop = -_LENGTH * cos(hip + knee)  # height of the foot above the knee
    at_knee = -(drop * f[0] - foot * f[2]) - middle * _SHANK * g
    down = -_LENGTH * cos(hip) + drop
    at_hip = -(down * f[0] - (thigh + foot) * f[2]) - (thigh + middle) * _SHANK * g - 0.5 * thigh * _THIGH * g
    sheet.say("Torques of a leg by moments about its joints, r x F of weights and of the force on the foot.")
    sheet.row("hip and knee of the left front leg", [at_hip, at_knee], tau[6:8])
    moved = rne.forward_dynamics(robot, q, None, np.concatenate([np.zeros(6), tau[6:]]), f_ext=f_ext)
    sheet.row("accelerations under these torques and forces", np.zeros(robot.n), moved)
    return sheet
