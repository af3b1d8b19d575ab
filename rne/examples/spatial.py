"""Spatial arms of four, three and six joints by the trace formula of L0 and L1, and Paul's differential vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import rne
from rne import lagrange
from rne.examples.registry import example
from rne.examples.sheet import Sheet

Array = NDArray[np.float64]


def compare_with_traces(sheet: Sheet, name: str, q: list[float], qd: list[float], qdd: list[float]) -> None:
    """Compare the terms of an arm by the trace formula of the course, `rne.lagrange`, with those by recursion."""
    arm = rne.load_model(name)
    joints = range(1, arm.n + 1)
    D = lagrange.inertia_matrix(arm, q, rotors=False)
    D_ijk, D_i = lagrange.christoffel(arm, q), lagrange.gravity_vector(arm, q)
    sheet.say("D_ij = sum_p Tr(dT_p/dq_j J_p dT_p^T/dq_i), without rotors; D_i = - sum_p m_p g^T dT_p/dq_i rbar_p:")
    sheet.rows_of([f"D_{i}j" for i in joints], D, rne.mass_matrix(arm, q, rotors=False))
    Ia = np.diag(rne.mass_matrix(arm, q) - rne.mass_matrix(arm, q, rotors=False))
    sheet.row("Ia_i, on the diagonal of M", [arm.joint(joint).drive.rotor_inertia for joint in arm.joint_names], Ia)
    sheet.row("D_ijk = sum_p Tr(d2T_p/dq_j dq_k J_p dT_p^T/dq_i)", D_ijk, rne.christoffel(arm, q))
    sheet.row("D_i", D_i, rne.gravity_vector(arm, q))
    tau = D @ qdd + Ia * qdd + np.einsum("ijk,j,k->i", D_ijk, qd, qd) + D_i
    sheet.say("tau_i = sum_j D_ij qj'' + Ia_i qi'' + sum_jk D_ijk qj' qk' + D_i, and back:")
    sheet.rows_of([f"tau_{i}" for i in joints], tau, rne.inverse_dynamics(arm, q, qd, qdd))
    sheet.row("q'' from tau", qdd, rne.forward_dynamics(arm, q, qd, tau))
    K = np.asarray(lagrange.kinetic_energy(arm, q, qd, per_body=True))
    heavy = [k for k, body in enumerate(arm.tree.bodies) if body.mass > 0]  # not the frames on the joint axes
    _, *K_links = rne.kinetic_energy(arm, q, qd, per_link=True, rotors=False)
    sheet.row("K_i = Tr(sum_jk dT_i/dq_j J_i dT_i^T/dq_k qj' qk')/2", K[heavy], K_links)
    rotors = rne.kinetic_energy(arm, q, qd) - rne.kinetic_energy(arm, q, qd, rotors=False)
    sheet.row("K_a = sum Ia_i qi'^2/2", np.sum(Ia * np.square(qd)) / 2, rotors)
    g, T = np.array([*arm.gravity, 0]), lagrange.transforms(arm, q)
    P = -sum(body.mass * g @ T[body.name] @ [*body.com, 1] for body in arm.tree.bodies)
    sheet.row("P = - sum m_i g^T T_i rbar_i", P, rne.potential_energy(arm, q))


@example("L0 fig. 7-4, (9.3.x); L1 (4.14) to (4.18), page 27", "four_link_spatial_dh")
def four_link() -> Sheet:
    """Four-link spatial arm: motion of a point, D_ij, D_ijk, D_i, torques, energies."""
    arm = rne.load_model("four_link_spatial_dh")
    q, qd, qdd = [0.3, -0.5, 0.7, -0.2], [0.4, -0.6, 0.9, 1.2], [-0.8, 1.5, 0.6, -2.0]
    r = np.array([0.1, -0.05, 0.2])  # a point P of link 3, in its frame

    T3, dT3 = lagrange.transforms(arm, q)["link3"], lagrange.transform_derivatives(arm, q)["link3"]
    v = (np.array(qd) @ (dT3 @ [*r, 1]))[:3]
    ours = rne.frame_velocity(arm, q, qd, "link3", point=r)[:3]
    sheet = Sheet("A point P of link 3:")
    place = rne.forward_kinematics(arm, q, "link3") @ [*r, 1]
    sheet.row("r0 = T_3 3r", T3 @ [*r, 1], place)
    sheet.row("v = sum_j dT_3/dq_j qj' 3r", v, ours)
    sheet.row("v^2", v @ v, ours @ ours)

    def place_at(t: float) -> Array:
        """Position of P at time t of the motion."""
        posture = np.array(q) + t * np.array(qd) + t**2 / 2 * np.array(qdd)
        place: Array = lagrange.transforms(arm, posture)["link3"][:3] @ [*r, 1]
        return place

    h = 1e-3  # step of the second difference of fourth order
    a = (-place_at(2 * h) + 16 * place_at(h) - 30 * place_at(0) + 16 * place_at(-h) - place_at(-2 * h)) / (12 * h**2)
    ours = rne.frame_acceleration(arm, q, qd, qdd, "link3", point=r)[:3]
    sheet.row("a, as second difference of r0", a, ours, within=1e-7)
    compare_with_traces(sheet, "four_link_spatial_dh", q, qd, qdd)
    return sheet


@example("L0 chapter 7 with a slide", "rrp_spatial")
def rrp_arm() -> Sheet:
    """Spatial arm with a prismatic last joint, for which Ia is an equivalent mass."""
    sheet = Sheet("Joints q1, q2 are revolute, q3 is prismatic.")
    compare_with_traces(sheet, "rrp_spatial", [0.4, -0.7, 0.25], [0.9, -1.1, 0.5], [1.3, 0.7, -0.9])
    return sheet


@example("L3 section 3.1; L0 (9.3.25) to (9.3.27)", "stanford_6dof")
def stanford_arm() -> Sheet:
    """Six-joint arm: D_ij, D_ijk, D_i by the trace formula and by recursion."""
    q, qd, qdd = [0.4, -0.8, 0.5, 0.9, -0.6, 0.3], [0.5, -0.4, 0.3, 1.2, -0.9, 0.7], [1.0, 0.6, -0.8, 2.0, 1.1, -1.5]
    sheet = Sheet("Stanford-type arm R R P R R R, lengths of the Stanford arm, masses of our own.")
    compare_with_traces(sheet, "stanford_6dof", q, qd, qdd)
    arm, t = rne.load_model("stanford_6dof"), np.linspace(0, 1, 201)
    motion = rne.quintic(np.array(q), np.array([1.2, 0.2, 0.7, 0.1, 0.4, -0.6]), t, duration=1.0)
    sheet.plot(lambda: rne.plot.breakdown(arm, t, rne.torque_breakdown(arm, *motion)))
    return sheet


@example("L0 (9.3.36) to (9.3.50)", "four_link_spatial_dh", "stanford_6dof")
def differential_vectors() -> Sheet:
    """The shorter form of D_ij and D_i by Paul, with differential vectors."""
    sheet = Sheet("D_ij = sum_p delta_i^T I_p delta_j + m_p d_i . d_j + m_p rbar_p . (d_i x delta_j + d_j x delta_i)")
    postures = {"four_link_spatial_dh": [0.3, -0.5, 0.7, -0.2], "stanford_6dof": [0.4, -0.8, 0.5, 0.9, -0.6, 0.3]}
    for name, q in postures.items():
        arm = rne.load_model(name)
        T, vectors = lagrange.transforms(arm, q), lagrange.differential_vectors(arm, q)
        first, last = T["link1"], T[f"link{arm.n}"]
        (nx, ny, nz), (ox, oy, oz), (ax, ay, az), (px, py, _) = last[:3].T  # joint 1 stands at the base
        d, delta = vectors[f"link{arm.n}"]
        sheet.say(f"{name}: effect of joint 1 on the last link p, from 0T_p,")
        sheet.row("d_1 = (-n_x p_y + n_y p_x, ...)", [-nx * py + ny * px, -ox * py + oy * px, -ax * py + ay * px], d[0])
        sheet.row("delta_1 = (n_z, o_z, a_z)", [nz, oz, az], delta[0])

        exact, ours = lagrange.paul_inertia_matrix(arm, q, rotors=False), rne.mass_matrix(arm, q, rotors=False)
        sheet.rows_of([f"D_{i}j" for i in range(1, arm.n + 1)], exact, ours)
        D_i = rne.gravity_vector(arm, q)
        sheet.row("D_i = (i-1)g . sum m_p (i-1)rbar_p", lagrange.paul_gravity_vector(arm, q), D_i)
        gn, go, _ = arm.gravity @ first[:3, :3]  # joint 2 rotates about z of T_1
        beyond = [body for body in arm.tree.bodies if body.mass and body.name != "link1"]
        moments = sum(body.mass * np.linalg.solve(first, T[body.name] @ [*body.com, 1]) for body in beyond)
        sheet.row("D_2 = [-g.o, g.n, 0, 0] . sum m_p 1rbar_p", np.dot([-go, gn, 0, 0], moments), D_i[1])
        error = np.abs(lagrange.paul_inertia_matrix(arm, q, rotors=False, products=False) - ours).max()
        sheet.say(
            f"With diagonal tensors about the frames, as Paul has them, some D_ij is wrong by {error:.2g} kg m^2."
        )
    return sheet
