"""Design: significance of terms, inertia at the tip, and identification of parameters from torques."""

from __future__ import annotations

import numpy as np
from numpy import cos, sin
from numpy.typing import NDArray

import rne
from rne.examples.registry import example
from rne.examples.sheet import Sheet

Array = NDArray[np.float64]
Motion = tuple[Array, Array, Array]


@example("L3 section 3.1, simplify for real-time control", "stanford_6dof", "two_link_com_inertia")
def significance() -> Sheet:
    """Significance of D_ij, D_ijk, D_i along a motion, and the error of dropping the small ones."""
    arm = rne.load_model("two_link_com_inertia")
    t = np.linspace(0, 1.5, 301)
    q, qd, qdd = rne.quintic([0.2, -0.5], [1.4, 0.9], t, duration=1.5)
    report = rne.significance(arm, q, qd, qdd, drop=["centripetal", "coriolis"])

    m1, m2, L1, LC1, LC2, IC1, IC2 = 2.2, 1.3, 0.7, 0.35, 0.2, 0.09, 0.03
    h = m2 * L1 * LC2 * sin(q[:, 1])
    c = np.stack([-h * (qd[:, 1] ** 2 + 2 * qd[:, 0] * qd[:, 1]), h * qd[:, 0] ** 2])
    sheet = Sheet("Without the velocity terms the torques of two links miss c1 and c2 of (4.12):")
    sheet.rows_of(["largest |c1|", "largest |c2|"], abs(c).max(axis=1), report.error.max_error)
    sheet.rows_of(["rms c1", "rms c2"], np.sqrt((c**2).mean(axis=1)), report.error.rms_error)
    M11 = m1 * LC1**2 + IC1 + m2 * (L1**2 + LC2**2 + 2 * L1 * LC2 * cos(q[:, 1])) + IC2
    effective = np.stack([M11 * qdd[:, 0], (m2 * LC2**2 + IC2) * qdd[:, 1]])
    at = [report.coefficients.names.index(name) for name in ("D11", "D22")]
    largest = report.coefficients.max_error[at]
    sheet.rows_of(["largest |D11 th1''|", "largest |D22 th2''|"], abs(effective).max(axis=1), largest)
    sheet.say(report)
    sheet.plot(lambda: rne.plot.significance(report))

    six = rne.load_model("stanford_6dof")
    motion = rne.quintic(
        [0.4, -0.8, 0.3, 0.9, -0.6, 0.3], [1.2, 0.4, 0.7, -0.5, 0.8, 1.5], np.linspace(0, 2, 401), duration=2.0
    )
    short = rne.significance(six, *motion, below=0.01)
    sheet.say(f"For six joints, {len(short.kept)} coefficients exceed 1 % of the peak torque, out of a total of:")
    n = 6  # D_ij, D_ijk with j and k in either order, D_i and Ia, and a spring and friction of each joint
    sheet.row("n^2 + n^2 (n + 1)/2 + 4 n", n**2 + n**2 * (n + 1) / 2 + 4 * n, len(short.coefficients.names))
    sheet.say(short)
    return sheet


@example("L0 generalized inertia ellipsoid (Asada)", "two_link_com_inertia")
def inertia_ellipsoid() -> Sheet:
    """Effective inertia at the tip: G = J^-T M J^-1, ellipsoid u^T G u = 1, semi-axes 1/sqrt(lambda)."""
    arm = rne.load_model("two_link_com_inertia")
    m1, m2, l1, l2, LC1, LC2, IC1, IC2 = 2.2, 1.3, 0.7, 0.5, 0.35, 0.2, 0.09, 0.03
    q, qd = [0.5, 1.1], [0.8, -0.4]
    s1, s12, c1, c12 = sin(q[0]), sin(q[0] + q[1]), cos(q[0]), cos(q[0] + q[1])
    J = np.array([[-l1 * s1 - l2 * s12, -l2 * s12], [l1 * c1 + l2 * c12, l2 * c12]])
    inverse = np.linalg.inv(J)
    M12, M22 = m2 * (LC2**2 + l1 * LC2 * cos(q[1])) + IC2, m2 * LC2**2 + IC2
    M11 = m1 * LC1**2 + IC1 + m2 * (l1**2 + LC2**2 + 2 * l1 * LC2 * cos(q[1])) + IC2
    G = inverse.T @ [[M11, M12], [M12, M22]] @ inverse
    values, vectors = np.linalg.eigh(G)

    ours = rne.inertia_ellipsoid(arm, q, "link2", rows=[0, 1])
    v = J @ qd
    sheet = Sheet("At the tip, in the plane (x and y of the tip are the rows 0 and 1 of the Jacobian):")
    sheet.rows_of(["G_xx, G_xy", "G_yx, G_yy"], G, rne.operational_inertia(arm, q, "link2", rows=[0, 1]))
    sheet.row("semi-axes 1/sqrt(lambda_i)", 1 / np.sqrt(values), ours.semi_axes)
    sheet.row("directions, up to their sign", np.eye(2), abs(vectors.T @ ours.directions))
    sheet.row("K = v^T G v/2", v @ G @ v / 2, rne.kinetic_energy(arm, q, qd))
    stretched = rne.inertia_ellipsoid(arm, [0.5, 0.0], "link2", rows=[0, 1])
    sheet.row("stretched, one axis vanishes: det J = 0", 0.0, stretched.semi_axes[1])
    return sheet


@example("L3 identification by experiment; L0 structure and motion parameters", "one_dof_arm", "two_link_com_inertia",
         "rp_arm", "rrp_spatial", "four_link_spatial_dh", "stanford_6dof", "two_link_point_mass_friction")  # fmt: skip
def identification() -> Sheet:
    """Identification: tau = Y pi, numbers of base parameters, least squares with friction."""
    arm = rne.load_model("two_link_com_inertia")
    m1, m2, L1, LC1, LC2, IC1, IC2, g = 2.2, 1.3, 0.7, 0.35, 0.2, 0.09, 0.03, 9.81
    q, qd, qdd = [0.3, -0.7], [0.9, -1.4], [2.0, -0.6]
    (th1, th2), (w1, w2), (a1, a2) = q, qd, qdd
    C1, S1, C12, S12, C2, S2 = cos(th1), sin(th1), cos(th1 + th2), sin(th1 + th2), cos(th2), sin(th2)
    Y, names = rne.regressor(arm, q, qd, qdd, rotors=False), rne.parameter_names(arm, rotors=False)

    # Mass m, first moments mx, my and Izz of each link about its joint; the others have no effect in the plane.
    turning = w2**2 + 2 * w1 * w2
    mx2 = [L1 * (C2 * (2 * a1 + a2) - S2 * turning) + g * C12, L1 * (C2 * a1 + S2 * w1**2) + g * C12]
    my2 = [-L1 * (S2 * (2 * a1 + a2) + C2 * turning) - g * S12, -L1 * (S2 * a1 - C2 * w1**2) - g * S12]
    columns = {"mx_theta1": [g * C1, 0], "my_theta1": [-g * S1, 0], "Izz_theta1": [a1, 0]}
    columns |= {
        "m_theta2": [L1**2 * a1 + L1 * g * C1, 0],
        "mx_theta2": mx2,
        "my_theta2": my2,
        "Izz_theta2": [a1 + a2] * 2,
    }
    sheet = Sheet("Columns of Y, each a partial derivative of tau1 and tau2:")
    for name, column in columns.items():
        sheet.row(f"dtau/d {name}", column, Y[:, names.index(name)])
    sheet.row("all other columns", 0.0, np.abs(np.delete(Y, [names.index(name) for name in columns], axis=1)).max())
    pi = [m1 * LC1, 0, IC1 + m1 * LC1**2, m2, m2 * LC2, 0, IC2 + m2 * LC2**2]
    felt = [names.index(name) for name in columns]
    parameters = rne.parameters(arm, rotors=False)
    sheet.row("pi", pi, parameters[felt])
    tau = np.transpose(list(columns.values())) @ pi
    sheet.rows_of(["tau1 = Y1 pi", "tau2 = Y2 pi"], tau, Y @ parameters)
    sheet.rows_of(["tau1", "tau2"], tau, rne.inverse_dynamics(arm, q, qd, qdd))

    sheet.say("Numbers of base parameters without rotors; for two links they are these combinations:")
    sheet.say(rne.base_parameters(arm, rotors=False))
    counts = {"one_dof_arm": 3, "two_link_com_inertia": 6, "rp_arm": 6, "rrp_spatial": 12, "four_link_spatial_dh": 22}
    for name, count in (counts | {"stanford_6dof": 33}).items():
        sheet.row(name, count, len(rne.base_parameters(rne.load_model(name), rotors=False)))

    # Torques "measured" on an arm with friction, and an initial model with other masses.
    true = rne.load_model("two_link_point_mass_friction")
    motion = rne.excitation(rne.base_parameters(true, friction=True), velocity_limit=[3.0, 3.0], period=4.0, tries=50)
    measured = rne.inverse_dynamics(true, motion.q, motion.qd, motion.qdd, friction=True)
    guess = true.with_payload(0.4).with_dampers([0.0, 0.0])
    found = rne.identify(guess, motion.q, motion.qd, motion.qdd, measured, friction=True)
    m1, m2, d1, d2 = 2.0, 1.3, 0.8, 0.6
    wanted = {"Izz_theta1": (m1 + m2) * d1**2, "Izz_theta2": m2 * d2**2, "viscous_theta1": 0.15, "viscous_theta2": 0.08}
    kept = [found.base.names[k] for k in found.base.independent]
    sheet.say("From torques of the arm with friction, starting with 0.4 kg of excess mass and no friction:")
    for name, value in wanted.items():
        sheet.row(f"{name}, regrouped", value, found.beta[kept.index(name)])
    sheet.say(found)
    sheet.plot(lambda: rne.plot.torques(true, motion.t, measured))
    return sheet


@example("L3 identification by experiment, validated", "two_link_com_inertia")
def from_log_to_robot() -> Sheet:
    """From a log to a validated robot: torques by the formulas of a heavier arm with friction and noise."""
    g, L1 = 9.81, 0.7

    def torques(motion: Motion, m1: float, m2: float, LC1: float, LC2: float, IC1: float, IC2: float) -> Array:
        """Return the torques of two links, equation (4.12), for angles from the horizontal."""
        (th1, th2), (w1, w2), (a1, a2) = (x.T for x in motion)
        M12 = m2 * (LC2**2 + L1 * LC2 * cos(th2)) + IC2
        M11 = m1 * LC1**2 + IC1 + m2 * (L1**2 + LC2**2 + 2 * L1 * LC2 * cos(th2)) + IC2
        h, G2 = m2 * L1 * LC2 * sin(th2), m2 * g * LC2 * cos(th1 + th2)
        tau1 = M11 * a1 + M12 * a2 - h * (w2**2 + 2 * w1 * w2) + (m1 * LC1 + m2 * L1) * g * cos(th1) + G2
        return np.stack([tau1, M12 * a1 + (m2 * LC2**2 + IC2) * a2 + h * w1**2 + G2], axis=1)

    def log(t: Array, seed: int) -> tuple[Motion, Array, Array]:
        """Return a motion, the torques measured on the unknown arm, and their noise."""
        motion = plan.at(t)
        noise = 0.2 * np.random.default_rng(seed).normal(size=(len(t), 2))
        friction = [0.8, 0.4] * motion[1] + [1.5, 0.7] * np.sign(motion[1])
        return motion, torques(motion, *unknown) + friction + noise, noise

    arm = rne.load_model("two_link_com_inertia")  # as its drawing says
    drawn, unknown = (2.2, 1.3, 0.35, 0.2, 0.09, 0.03), (2.5, 1.7, 0.31, 0.27, 0.11, 0.045)
    plan = rne.excitation(rne.base_parameters(arm, rotors=False, friction=True), velocity_limit=[3.0, 3.0], tries=50)
    motion, measured, _ = log(np.linspace(0.0, 20.0, 4001), seed=1)
    found = rne.identify(arm, *motion, measured, rotors=False, friction=True)

    m1, m2, LC1, LC2, IC1, IC2 = unknown
    wanted = {
        "mx_theta1": m1 * LC1 + m2 * L1,
        "Izz_theta1": IC1 + m1 * LC1**2 + m2 * L1**2,
        "mx_theta2": m2 * LC2,
        "Izz_theta2": IC2 + m2 * LC2**2,
        "viscous_theta1": 0.8,
        "coulomb_plus_theta1": 1.5,
        "viscous_theta2": 0.4,
        "coulomb_minus_theta2": 0.7,
    }
    kept = [found.base.names[k] for k in found.base.independent]
    sheet = Sheet("Measured minus calculated torque of the arm as drawn, RMS, and base parameters that were found:")
    error = measured - torques(motion, *drawn)
    sheet.rows_of(["joint 1 as given", "joint 2 as given"], np.sqrt((error**2).mean(axis=0)), found.prior_residual)
    for name, value in wanted.items():
        at = kept.index(name)
        sheet.row(f"{name}, regrouped", value, found.beta[at], within=float(5 * found.sd[at] / value))
    sheet.say(found)

    sheet.say("Another log, which was not used: what is left is the noise. The robot predicts it as well:")
    motion, measured, noise = log(np.linspace(0.0, 6.0, 1201), seed=2)
    held = found.validate(*motion, measured)
    floor = np.sqrt((noise**2).mean(axis=0))
    sheet.rows_of(["joint 1, held out", "joint 2, held out"], floor, held.found, within=0.05)
    model = rne.inverse_dynamics(found.robot, *motion, friction=True)
    left = np.sqrt(((measured - model) ** 2).mean(axis=0))
    sheet.rows_of(["found.robot, joint 1", "found.robot, joint 2"], floor, left, within=0.05)
    sheet.say(held)
    sheet.plot(lambda: rne.plot.friction(found))
    return sheet
