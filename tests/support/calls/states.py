"""Calls of what is calculated of one state, or of many."""

from __future__ import annotations

import numpy as np

import rne
from calls.bad import (
    BAD,
    BODIES,
    CONTACTS,
    NO_GAINS,
    PSEUDO,
    ROBOT,
    ROTATION,
    ROW_NUMBERS,
    SEVERAL,
    STATE,
    TARGETS,
    UNEVEN,
    VECTOR,
    VECTORS,
    WEIGHTS,
    WRENCH,
    WRENCHES,
    N,
    no_number,
    no_numbers,
    no_weights,
)  # fmt: skip
from calls.call import BODY, QD, QDD, Call, call_of

PLAIN = (
    "bias_vector",
    "center_of_mass",
    "center_of_mass_jacobian",
    "center_of_mass_velocity",
    "centroidal_momentum",
    "centroidal_momentum_bias",
    "centroidal_momentum_matrix",
    "christoffel",
    "coefficients",
    "coriolis_matrix",
    "coriolis_vector",
    "dissipated_power",
    "energy_balance",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "frame_acceleration",
    "frame_velocity",
    "friction_torque",
    "gravity_derivative",
    "gravity_vector",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "jacobian_dot",
    "jacobian_dot_qd",
    "joint_wrenches",
    "kinetic_energy",
    "mass_matrix",
    "mass_matrix_inverse",
    "newton_euler_table",
    "potential_energy",
    "regressor",
    "regressor_remainder",
    "torque_breakdown",
    "velocity_torques",
)

BY_LAGRANGE = (
    "christoffel",
    "coriolis_matrix",
    "coriolis_vector",
    "differential_vectors",
    "friction_torque",
    "gravity_vector",
    "inertia_matrix",
    "inverse_dynamics",
    "kinetic_energy",
    "paul_gravity_vector",
    "paul_inertia_matrix",
    "potential_energy",
    "spring_torque",
    "transform_derivatives",
    "transforms",
)

STATES: tuple[Call, ...] = (
    *(call_of(getattr(rne, name)) for name in PLAIN),
    *(call_of(getattr(rne, name), {"rows": ROW_NUMBERS}) for name in ("operational_inertia", "inertia_ellipsoid")),
    call_of(rne.neutral),
    call_of(rne.jacobian, {"frame": ["nowhere", "", None, 3, b"hand", object(), ["hand", "nowhere"], [3], {}]}),
    call_of(rne.integrate, {"dq": STATE}, dq=np.ones(N)),
    call_of(rne.difference, {"q0": STATE, "q1": STATE}, q0=np.zeros(N), q1=np.ones(N)),
    call_of(rne.static_torque, {"f_ext": [None, *WRENCHES]}, f_ext={"hand": WRENCH}),
    call_of(
        rne.forward_kinematics,
        {"frames": ["nowhere", "", 3, b"hand", object(), ["hand", "nowhere"], [3], {}]},
        frames="hand",
    ),
    call_of(
        rne.free_body_wrench,
        {"inertia": [None, 1.0, np.eye(3), BODY.tensor], "w": UNEVEN, "alpha": UNEVEN, "acc_com": UNEVEN},
        inertia=BODY,
        w=np.ones((3, 3)),
        alpha=np.ones((3, 3)),
        acc_com=np.ones((3, 3)),
    ),
    *(
        call_of(
            function,
            {name: [None, *no_numbers(6, finite=False)], "rotation": ROTATION, "position": VECTORS},
            **{name: WRENCH},
            rotation=np.eye(3),
            position=np.ones(3),
        )
        for function, name in ((rne.transform_wrench, "wrench"), (rne.transform_twist, "twist"))
    ),
    *(
        call_of(function, {"contacts": CONTACTS, **bad}, contacts={"hand": ("surface", "local")}, **good)
        for function, bad, good in (
            (rne.contact_forward_dynamics, {"gains": NO_GAINS, "targets": TARGETS}, {}),
            (rne.contact_impulse, {"qd": [None, *STATE], "restitution": no_number(-0.1, 1.5)}, {}),
            (
                rne.contact_inverse_dynamics,
                {"passive": SEVERAL, "wrench_weights": WEIGHTS, "torque_weights": [[1.0], -1.0, *no_weights(N)]},
                {"passive": [1]},
            ),
        )
    ),
    call_of(rne.total_wrench, {"f_ext": [None, *WRENCHES]}, f_ext={"hand": WRENCH}),
    call_of(
        rne.zero_moment_point, {"f_ext": [None, *WRENCHES], "normal": [[0, 0, 0], *VECTOR]}, f_ext={"hand": WRENCH}
    ),
    call_of(rne.actuator_power, {"tau": [None, *STATE]}, tau=QDD),
    call_of(rne.dissipation, {"qd": [None, *STATE]}),
    call_of(rne.effective_inertia, {"free": SEVERAL}, free=["turret", 2]),
    call_of(rne.newton_euler_table(ROBOT, QD).latex),
    call_of(rne.models),
    call_of(rne.inverse_dynamics_vjp, {"weights": [None, *STATE]}, weights=QD),
    call_of(rne.regressor_vjp, {"weights": [None, *STATE]}, weights=QD),
    call_of(rne.linearize, {"dt": [0, 0.0, -1.0, np.nan, np.inf, "1", [1.0], True, object()]}, dt=0.01),
    call_of(rne.link_forces, {"tau": [QD, *STATE]}),
    call_of(rne.link_forces, {"qdd": [QDD, *STATE]}, qdd=None, tau=QDD),
    call_of(rne.jit.model),
    call_of(rne.jit.site),
    call_of(
        rne.jit.sites,
        {"frames": [None, ["hand"], "hand", 3, {"nowhere": "world"}, {"hand": "base"}, {"hand": None}, {3: "world"}]},
        frames={"hand": "world"},
    ),
    call_of(rne.jit.joint_sites),
    *(call_of(getattr(rne.lagrange, name)) for name in BY_LAGRANGE),
    call_of(rne.lagrange.forward_dynamics, tau=QD),
    call_of(
        rne.lagrange.differential_operator,
        {"d": UNEVEN, "delta": UNEVEN},
        d=np.ones((3, 3)),
        delta=np.ones((3, 3)),
    ),
    call_of(
        rne.lagrange.inertia_to_pseudo,
        {"com": [None, *VECTOR], "inertia": [None, *BAD["inertia"]]},
        mass=1.0,
        com=np.ones(3),
        inertia=np.eye(3),
    ),
    call_of(rne.lagrange.pseudo_inertia, {"body": BODIES}, body=ROBOT.tree.bodies[1]),
    call_of(rne.lagrange.pseudo_to_inertia, {"pseudo": PSEUDO}, pseudo=BODY.pseudo),
)
