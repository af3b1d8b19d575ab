"""One arm written down three times, in standard DH, in modified DH and as URDF, moves by the same torques.

The other two descriptions are derived from the standard table by `descriptions`, by nothing of rne.
"""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
import pytest
from checks import assert_near, random_states
from descriptions import modified_rows, urdf
from oracles_dh import pin_model_from_dh
from strategies import matrix_from_rpy

import rne

GRAVITY = (1.0, -2.0, -9.0)
KINDS = {"elbow": "RRR", "with a slide": "RRPR", "slide first": "PRRPRR", "slides": "PP"}


def standard_rows(kinds, seed):
    """Rows of a table with everything in it: offsets, twists of any angle and of right angles, all six moments."""
    rng = np.random.default_rng(seed)
    rows = []
    for number, kind in enumerate(kinds):
        moments = rng.uniform(0.01, 0.1, 3)
        R = np.array(matrix_from_rpy(tuple(rng.uniform(-3, 3, 3))))
        rows.append(
            {
                "name": f"axis{number}",
                "joint": {"R": "revolute", "P": "prismatic"}[kind],
                "a": rng.uniform(-0.5, 0.5),
                "alpha": float(rng.choice([0.0, math.pi / 2, -math.pi / 2, rng.uniform(-3, 3)])),
                "d": rng.uniform(-0.5, 0.5),
                "theta": rng.uniform(-3, 3),
                "mass": rng.uniform(0.5, 5),
                "com": rng.uniform(-0.2, 0.2, 3).tolist(),
                "inertia": (R @ np.diag(moments.sum() - moments) @ R.T).tolist(),
            }
        )
    return rows


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS)
def test_standard_and_modified_dh_and_urdf_are_one_arm(kinds, seed):
    rows = standard_rows(kinds, seed)
    standard = rne.from_dh(rows, convention="standard", gravity=GRAVITY)
    modified = rne.from_dh(modified_rows(rows), convention="modified", gravity=GRAVITY)
    from_urdf = rne.load_urdf(urdf(rows), gravity=GRAVITY)
    assert standard.joint_names == modified.joint_names == from_urdf.joint_names
    states = random_states(standard.n, 5, seed=seed)
    tau = rne.inverse_dynamics(standard, *states)
    assert_near(rne.inverse_dynamics(modified, *states), tau)
    assert_near(rne.inverse_dynamics(from_urdf, *states), tau)
    assert np.abs(tau).max() > 1.0
    misread = rne.from_dh(rows, convention="modified", gravity=GRAVITY)
    assert kinds == "PP" or np.abs(rne.inverse_dynamics(misread, *states) - tau).max() > 0.1


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS)
def test_tables_with_rotors_and_base_are_those_of_pinocchio(kinds, convention):
    rows = standard_rows(kinds, seed=9)
    for k, row in enumerate(rows):
        row |= {"rotor_inertia": 2e-4 * (k + 1), "gear_ratio": (-1) ** k * 40.0}
    base = {"xyz": [0.1, 0.2, -0.3], "rpy": [0.4, -0.5, 0.6]}
    robot = rne.from_dh(rows, convention=convention, gravity=GRAVITY, base=base)
    model = pin_model_from_dh({"rows": rows, "convention": convention, "gravity": GRAVITY, "base": base})
    q, qd, qdd = random_states(robot.n, 5)
    tau = [pin.rnea(model, model.createData(), *state) for state in zip(q, qd, qdd, strict=True)]
    assert_near(rne.inverse_dynamics(robot, q, qd, qdd), tau)


def test_motor_inertia_counts_once_and_by_the_square_of_the_gear():
    row = {"joint": "revolute", "mass": 1.0, "rotor_inertia": 3e-4, "gear_ratio": -50.0}
    wheel = rne.from_dh([row], convention="standard")
    assert_near(rne.inverse_dynamics(wheel, [0.3], [5.0], [2.0]), [3e-4 * 50**2 * 2.0])


def test_motor_friction_reaches_the_joint_through_the_gear():
    """By hand: gear^2 B qd + |gear| Tc of the sign of qd, whichever way round the gear is."""
    motor = {"joint": "revolute", "viscous": 1.5e-3, "coulomb": [0.2, -0.4], "inertia": np.eye(3).tolist(), "mass": 1}
    wheels = [motor | {"gear_ratio": ratio, "name": f"wheel{ratio}"} for ratio in (40.0, -30.0)]
    robot = rne.from_dh(wheels, convention="modified", gravity=[0, 0, 0])
    qd = np.array([[2.0, 3.0], [-2.0, -3.0], [0.0, 0.0]])
    wanted = [[4.8 + 8.0, 4.05 + 6.0], [-4.8 - 16.0, -4.05 - 12.0], [0.0, 0.0]]
    assert_near(rne.friction_torque(robot, qd), wanted)
    assert_near(
        rne.inverse_dynamics(robot, 0 * qd, qd, friction=True) - rne.inverse_dynamics(robot, 0 * qd, qd), wanted
    )
