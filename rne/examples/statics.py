"""Statics: L2, with the joint torques of a two-link arm, a force sensor and a bolt, and forces through four links."""

from __future__ import annotations

import numpy as np
from numpy import cos, sin

import rne
from rne.examples.registry import example
from rne.examples.sheet import Sheet


@example("L2 example 1", "two_link_com_inertia")
def two_link_statics() -> Sheet:
    """Static torques of two links under a force at the hand, with and without weight."""
    arm = rne.load_model("two_link_com_inertia")
    m1, m2, l1, l2, lC1, lC2, g = 2.2, 1.3, 0.7, 0.5, 0.35, 0.2, 9.81
    th1, th2 = q = [0.4, 0.9]  # from the x axis
    s1, s12, s2, c1, c12, c2 = sin(th1), sin(th1 + th2), sin(th2), cos(th1), cos(th1 + th2), cos(th2)
    Fx, Fy = 12.5, -7.25
    F = np.array([Fx, Fy, 0, 0, 0, 0])  # by the hand on its surroundings; -F acts on the robot

    tau1, tau2 = -(l1 * s1 + l2 * s12) * Fx + (l1 * c1 + l2 * c12) * Fy, -l2 * s12 * Fx + l2 * c12 * Fy
    sheet = Sheet("F is what the hand exerts on its surroundings: tau = J^T F.")
    sheet.rows_of(["tau1, weightless", "tau2, weightless"], [tau1, tau2], rne.static_torque(arm, q, {"link2": F}))
    fx, fy = c12 * Fx + s12 * Fy, -s12 * Fx + c12 * Fy
    in_tip_axes = rne.static_torque(arm, q, {"link2": ([fx, fy, 0, 0, 0, 0], "local")})
    tau = [l1 * s2 * fx + (l2 + l1 * c2) * fy, l2 * fy]
    sheet.rows_of(["l1 s2 fx + (l2 + l1 c2) fy", "l2 fy, in tip axes"], tau, in_tip_axes)

    G1, G2 = m1 * g * lC1 * c1 + m2 * g * (l1 * c1 + lC2 * c12), m2 * g * lC2 * c12
    sheet.rows_of(["- k_1 . sum r x G", "- k_2 . sum r x G"], [G1, G2], rne.gravity_vector(arm, q))
    both = rne.inverse_dynamics(arm, q, f_ext={"link2": -F})
    sheet.rows_of(["tau1, with weight", "tau2, with weight"], [tau1 + G1, tau2 + G2], both)

    W = rne.joint_wrenches(arm, q, f_ext={"link2": -F})
    sheet.say("F_i = F_i+1 - G_i, and M_i about joint i: what link i-1 exerts on link i,")
    sheet.rows_of(["F_1", "F_2"], [[Fx, Fy + (m1 + m2) * g], [Fx, Fy + m2 * g]], W[:, :2])
    sheet.rows_of("M_1z M_2z", [tau1 + G1, tau2 + G2], W[:, 5])
    return sheet


@example("L2 example 2")
def parallel_frames() -> Sheet:
    """A force sensor uvw and a bolt xyz with parallel axes: M_xyz = M_uvw + r x F."""
    rx, ry, rz = r = [0.1, -0.25, 0.4]  # from the bolt to the sensor
    Fu, Fv, Fw, Mu, Mv, Mw = wrench = [15.0, -8.0, 22.0, 1.2, 0.7, -2.5]
    at_bolt = rne.transform_wrench(wrench, np.eye(3), r)
    sheet = Sheet("Forces first, then moments.")
    sheet.rows_of("Fx Fy Fz", [Fu, Fv, Fw], at_bolt[:3])
    moments = [Mu - rz * Fv + ry * Fw, Mv + rz * Fu - rx * Fw, Mw - ry * Fu + rx * Fv]
    sheet.rows_of("Mx My Mz", moments, at_bolt[3:])

    x, y, z, dx, dy, dz = [0.01, -0.02, 0.03, 0.004, 0.005, -0.006]
    displaced = [x + rz * dy - ry * dz, y - rz * dx + rx * dz, z + ry * dx - rx * dy, dx, dy, dz]
    # The position of the sensor relative to the bolt is r, so that of the bolt relative to the sensor is -r.
    seen = rne.transform_twist([x, y, z, dx, dy, dz], np.eye(3), np.negative(r))
    sheet.rows_of(["u = x + rz dy - ry dz", "v", "w", "dx", "dy", "dz"], displaced, seen)
    sheet.row("virtual work, at either frame", np.dot(wrench, displaced), at_bolt @ [x, y, z, dx, dy, dz])
    return sheet


@example("L2 propagation, virtual work, tau = J^T F", "four_link_spatial_dh")
def four_link_statics() -> Sheet:
    """Forces and moments from the hand through four links to the base: F_i, M_i, tau = J^T F."""
    arm = rne.load_model("four_link_spatial_dh")
    q, qd, qdd = [0.3, -0.5, 0.7, -0.2], [0.4, -0.6, 0.9, 1.2], [-0.8, 1.5, 0.6, -2.0]
    w = np.array([8.0, -5.0, 12.0, 0.6, -0.4, 0.9])  # [F; M] of the hand on its surroundings, world axes

    forces = rne.link_forces(arm, q, f_ext={"link4": -w})
    sheet = Sheet("At rest, from the hand to the base: F_i = F_i+1 - G_i, M_i = M_i+1 + r_i x F_i+1 - r_Ci x G_i.")
    T = rne.forward_kinematics(arm, q)
    origins = [T[f"link{i}_axis"][:3, 3] for i in (1, 2, 3, 4)] + [T["link4"][:3, 3]]
    k = [T[f"link{i}_axis"][:3, 2] for i in (1, 2, 3, 4)]
    F, M, tau = w[:3], w[3:], np.zeros(4)
    for i in (4, 3, 2, 1):
        link = next(body for body in arm.tree.bodies if body.name == f"link{i}")
        G = link.mass * arm.gravity
        r, r_C = origins[i] - origins[i - 1], (T[link.name] @ [*link.com, 1])[:3] - origins[i - 1]
        M = M + np.cross(r, F) - np.cross(r_C, G)
        F, tau[i - 1] = F - G, k[i - 1] @ M
        sheet.rows_of([f"F_{i}", f"M_{i}"], [F, M], [forces.force[i - 1], forces.moment[i - 1]])

    sheet.say("The motor provides the component k_i . M_i, which is J^T F plus gravity if friction is neglected:")
    sheet.row("k_i . M_i", tau, forces.along_axis)
    sheet.row("tau_i = k_i . M_i", tau, rne.inverse_dynamics(arm, q, f_ext={"link4": -w}))
    J = np.transpose([[*np.cross(axis, origins[4] - at), *axis] for axis, at in zip(k, origins[:4], strict=True)])
    sheet.row("J, columns (k_i x (p - p_i), k_i)", J, rne.jacobian(arm, q, "link4"))
    sheet.row("tau = J^T F", J.T @ w, rne.static_torque(arm, q, {"link4": w}))
    both = rne.lagrange.inverse_dynamics(arm, q, qd, qdd) + J.T @ w
    sheet.row("in motion: tau + J^T F", both, rne.inverse_dynamics(arm, q, qd, qdd, f_ext={"link4": -w}))
    return sheet
