"""Single rigid bodies: moments of inertia, composite bodies, Newton's and Euler's equations."""

from __future__ import annotations

import numpy as np

import rne
from rne.examples.registry import example
from rne.examples.sheet import Sheet


@example("L1 (4.1), (4.2), examples 4.1 and 4.2")
def inertia_of_shapes() -> Sheet:
    """Moments of inertia: point mass, thin rod about end and center, box, cylinder, sphere."""
    sheet = Sheet("I = integral of r^2 dm about an axis along z through the origin.")
    m, r = 2.5, 0.4
    sheet.row("point mass: I = m r^2", m * r**2, rne.Inertia.point(m, [r, 0, 0]).about([0, 0, 0])[2, 2])

    M, L = 3.0, 1.2
    end, center = rne.Inertia.rod(M, L, about="end"), rne.Inertia.rod(M, L)
    sheet.row("rod about its end: M L^2/3", M * L**2 / 3, end.about([0, 0, 0])[2, 2])
    sheet.row("rod about its center: M L^2/12", M * L**2 / 12, center.tensor[2, 2])
    sheet.row("I_end = I_C + M (L/2)^2", M * L**2 / 12 + M * (L / 2) ** 2, center.about([-L / 2, 0, 0])[2, 2])

    I_C, L_C = 0.12, 0.4  # the link of fig. 4-4, a body with any moment about its center of mass
    link = rne.Inertia(m, [L_C, 0, 0], np.diag([0, I_C, I_C]))
    sheet.row("link: I = I_C + m L_C^2", I_C + m * L_C**2, link.about([0, 0, 0])[2, 2])

    a, b, R = 0.3, 0.5, 0.2
    sheet.row("box: m (a^2 + b^2)/12", m * (a**2 + b**2) / 12, rne.Inertia.box(m, [a, b, 0.7]).tensor[2, 2])
    cylinder = rne.Inertia.cylinder(m, radius=R, length=L)
    sheet.row("cylinder about its axis: m R^2/2", m * R**2 / 2, cylinder.tensor[2, 2])
    sheet.row("cylinder across: m (3 R^2 + L^2)/12", m * (3 * R**2 + L**2) / 12, cylinder.tensor[0, 0])
    sheet.row("sphere: 2 m R^2/5", 2 * m * R**2 / 5, rne.Inertia.sphere(m, R).tensor[2, 2])
    return sheet


@example("L0 mass, center of mass, angular momentum; L0, L1 (4.17), (4.18) pseudo-inertia")
def composite_body() -> Sheet:
    """Four point masses and a rod as one body: tensor, pseudo-inertia, angular momentum."""
    masses = [1.2, 0.7, 2.0, 0.4]
    places = [[0.1, -0.2, 0.3], [-0.4, 0.25, 0.05], [0.05, 0.15, -0.35], [0.3, 0.3, 0.2]]
    M, L, center = 1.5, 0.8, np.array([0.2, -0.1, 0.1])  # a thin rod along x

    rod = rne.Inertia.rod(M, L).shifted(center)
    body = sum((rne.Inertia.point(m, r) for m, r in zip(masses, places, strict=True)), start=rod)

    # The sums of the course run over particles; three particles have the same moments as a rod up to second order.
    half = np.array([L / 2, 0, 0])
    m = np.array([*masses, M / 6, 2 * M / 3, M / 6])
    x, y, z = np.array([*places, center - half, center, center + half]).T
    wx, wy, wz = w = [0.3, -0.8, 1.1]
    G_x = (m * (y**2 + z**2)).sum() * wx - (m * x * y).sum() * wy - (m * x * z).sum() * wz
    G_y = -(m * x * y).sum() * wx + (m * (x**2 + z**2)).sum() * wy - (m * y * z).sum() * wz
    G_z = -(m * x * z).sum() * wx - (m * y * z).sum() * wy + (m * (x**2 + y**2)).sum() * wz

    sheet = Sheet("Sums over particles, the products of inertia with their sign:")
    sheet.row("m = sum m_i", m.sum(), body.mass)
    sheet.row("r_C = sum m_i r_i / m", [m @ x / m.sum(), m @ y / m.sum(), m @ z / m.sum()], body.com)
    sheet.rows_of("G_x G_y G_z", [G_x, G_y, G_z], body.angular_momentum(w))
    sheet.row("K = w G/2", (wx * G_x + wy * G_y + wz * G_z) / 2, w @ body.about([0, 0, 0]) @ w / 2)
    sheet.row("tensor: ixy = - sum m x y", -(m * x * y).sum(), body.about([0, 0, 0])[0, 1])

    r = np.array([x, y, z, np.ones_like(x)])
    J = (m * r) @ r.T
    sheet.say("The 4x4 pseudo-inertia has + sum m x y where the tensor has -; conversion in both directions:")
    sheet.row("J_12 = + sum m x y", (m * x * y).sum(), body.pseudo[0, 1])
    sheet.rows_of([f"J row {k}" for k in (1, 2, 3, 4)], J, body.pseudo)
    sheet.row("(-Ixx + Iyy + Izz)/2 = sum m x^2", (m * x * x).sum(), body.pseudo[0, 0])
    second, C = J[:3, :3], J[:3, 3] / J[3, 3]
    about_C = np.trace(second) * np.eye(3) - second - m.sum() * (C @ C * np.eye(3) - np.outer(C, C))
    sheet.rows_of([f"tensor about C, row {k}" for k in (1, 2, 3)], about_C, rne.Inertia.from_pseudo(J).tensor)
    moments, axes = body.principal()
    sheet.row("principal moments", np.linalg.eigvalsh(about_C), moments)
    sheet.row("no products in the principal axes", axes.T @ about_C @ axes, body.at(axes.T).tensor)
    return sheet


@example("L1 (4.3), (4.4); L0 chapter 6")
def free_body() -> Sheet:
    """Newton's and Euler's equations of one rigid body: F = m v_C', N = I_C w' + w x (I_C w)."""
    m, Ixx, Iyy, Izz, Ixy, Ixz, Iyz = 2.4, 0.12, 0.15, 0.09, 0.01, -0.02, 0.015
    body = rne.Inertia(m, tensor=[[Ixx, Ixy, Ixz], [Ixy, Iyy, Iyz], [Ixz, Iyz, Izz]])
    (wx, wy, wz), (ax, ay, az), acc = (0.7, -1.3, 2.1), (0.4, 0.9, -1.6), np.array([1.5, -0.2, 0.6])
    wrench = rne.free_body_wrench(body, w=[wx, wy, wz], alpha=[ax, ay, az], acc_com=acc)
    gyroscopic = rne.free_body_wrench(body, w=[wx, wy, wz], alpha=[0, 0, 0], acc_com=[0, 0, 0])

    G_x, G_y, G_z = Ixx * wx + Ixy * wy + Ixz * wz, Ixy * wx + Iyy * wy + Iyz * wz, Ixz * wx + Iyz * wy + Izz * wz
    turning = [wy * G_z - wz * G_y, wz * G_x - wx * G_z, wx * G_y - wy * G_x]
    N_x = Ixx * ax + Ixy * ay + Ixz * az + turning[0]
    N_y = Ixy * ax + Iyy * ay + Iyz * az + turning[1]
    N_z = Ixz * ax + Iyz * ay + Izz * az + turning[2]
    sheet = Sheet("About the center of mass, in the axes of the body; the products are entries of the tensor.")
    sheet.rows_of("F_x F_y F_z", m * acc, wrench[:3])
    sheet.rows_of("N_x N_y N_z", [N_x, N_y, N_z], wrench[3:])
    sheet.row("w x (I_C w)", turning, gyroscopic[3:])
    return sheet
