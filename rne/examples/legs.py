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


@example("guide contact")
def standing_quadruped() -> Sheet:
    """Forces on the feet of a quadruped that stands, and the torques that hold it."""
    robot = quadruped()
    feet = [f"{leg}_foot" for leg in _CORNERS]
    hip, knee, g = 0.5, -1.0, 9.81
    q = rne.neutral(robot)
    q[2], q[7:] = 0.6, [hip, knee] * 4

    # Nothing but the ground can supply force and moment on the base: the smallest forces on the feet that do.
    held = rne.contact_inverse_dynamics(robot, q, contacts=feet)
    forces, tau, f_ext = held.wrenches[:, :3], held.tau, held.f_ext

    weight = (20.0 + 4 * (_THIGH + _SHANK)) * g
    foot, middle = -_LENGTH * sin(hip + knee), -0.5 * _LENGTH * sin(hip + knee)  # from the knee, along x
    thigh = -_LENGTH * sin(hip)  # the knee, from the hip
    sheet = Sheet("The trunk floats, and has no motors: the ground must carry it through the feet.")
    sheet.row("sum of the forces on the feet, x y z", [0.0, 0.0, weight], forces.sum(axis=0))
    sheet.row("their moment about the center of mass", np.zeros(3), rne.total_wrench(robot, q, f_ext)[3:])
    needed = rne.inverse_dynamics(robot, q, f_ext=f_ext)
    sheet.row("force and moment on the trunk", np.zeros(6), needed[:6])
    sheet.row("torques under these forces", needed[6:], tau[6:])
    # By symmetry about the middle of the feet, which is where the center of mass is not: the legs lean.
    center = rne.center_of_mass(robot, q)
    arm = 0.3 + thigh + foot, -0.3 + thigh + foot
    front = weight * (center[0] - arm[1]) / (arm[0] - arm[1]) / 2
    sheet.row("front and rear foot, z", [front, weight / 2 - front], forces[[0, 2], 2])
    sheet.row("zero-moment point", [center[0], center[1], 0.0], rne.zero_moment_point(robot, q, f_ext))
    f = forces[0]
    drop = -_LENGTH * cos(hip + knee)  # height of the foot above the knee
    at_knee = -(drop * f[0] - foot * f[2]) - middle * _SHANK * g
    down = -_LENGTH * cos(hip) + drop
    at_hip = -(down * f[0] - (thigh + foot) * f[2]) - (thigh + middle) * _SHANK * g - 0.5 * thigh * _THIGH * g
    sheet.say("Torques of a leg by moments about its joints, r x F of weights and of the force on the foot.")
    sheet.row("hip and knee of the left front leg", [at_hip, at_knee], tau[6:8])
    moved = rne.contact_forward_dynamics(robot, q, None, tau, feet)
    sheet.row("accelerations under these torques with held feet", np.zeros(robot.n), moved.qdd)
    sheet.row("forces that hold the feet, z", forces[:, 2], moved.wrenches[:, 2])
    return sheet


@example("guide contact")
def landing_quadruped() -> Sheet:
    """A quadruped that lands on four feet: velocities after the impact, and the energy that it takes."""
    robot = quadruped()
    feet = [f"{leg}_foot" for leg in _CORNERS]
    hip, knee, speed = 0.5, -1.0, 2.0
    q, before = rne.neutral(robot), np.zeros(robot.n)
    q[7:], before[2] = [hip, knee] * 4, -speed

    impact = rne.contact_impulse(robot, q, before, feet)
    after = impact.qd
    pitch, down, turned = after[4], after[2], after[6:8]
    sheet = Sheet("The feet stop at once, the trunk goes on, and the joints turn as the geometry of the legs demands.")
    # The foot of a leg, from its hip: velocity of the hip, and rotation of thigh and shank.
    x, z = -_LENGTH * (sin(hip) + sin(hip + knee)), -_LENGTH * (cos(hip) + cos(hip + knee))
    shank = -_LENGTH * sin(hip + knee), -_LENGTH * cos(hip + knee)
    by_hip, by_knee = pitch + turned[0], turned[1]
    foot = [after[0] + z * by_hip + shank[1] * by_knee, down - 0.3 * pitch - x * by_hip - shank[0] * by_knee]
    sheet.row("velocity of the left front foot, x z", np.zeros(2), foot)
    kick = rne.inverse_dynamics(robot, q, None, after - before, gravity=[0.0, 0.0, 0.0])
    impulses = {name: impact.impulses[k] for k, name in enumerate(feet)}
    sheet.row("M times the change of velocity", rne.static_torque(robot, q, impulses), kick)
    jump = rne.centroidal_momentum(robot, q, after) - rne.centroidal_momentum(robot, q, before)
    sheet.row("momentum that the ground gives", jump, rne.total_wrench(robot, q, impulses))
    lost = rne.kinetic_energy(robot, q, before) - rne.kinetic_energy(robot, q, after)
    sheet.say("Carnot: the energy lost is that of the velocity lost.")
    sheet.row("energy lost", rne.kinetic_energy(robot, q, before - after), lost)
    bounced = rne.contact_impulse(robot, q, before, feet, restitution=1.0).qd
    sheet.row(
        "energy after an impact without loss", 0.5 * robot.total_mass * speed**2, rne.kinetic_energy(robot, q, bounced)
    )
    return sheet
