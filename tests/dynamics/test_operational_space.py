"""Inertia at a point: against its definition, closed formulas, and in singular positions."""

from __future__ import annotations

import numpy as np
import own_robots
import pytest
from checks import assert_near, random_states

import rne
from rne.model.tree import Drive


def planar(a=0.7, b=0.5):
    """Two links in the x-y plane, with masses away from their ends."""
    rows = [
        {"joint": "revolute", "a": a, "mass": 2.2, "com": [-0.35, 0, 0], "inertia": np.diag([0, 0.09, 0.09])},
        {"joint": "revolute", "a": b, "mass": 1.3, "com": [-0.3, 0, 0], "inertia": np.diag([0, 0.03, 0.03])},
    ]
    return rne.from_dh(rows, convention="standard")


def mass_matrix(robot, q):
    columns = [rne.inverse_dynamics(robot, q, None, unit, gravity=[0, 0, 0]) for unit in np.eye(robot.n)]
    return np.array(columns).T


@pytest.mark.parametrize("options", [{}, {"axes": "local"}, {"point": [0.1, 0.2, 0.3]}, {"rows": [5, 0, 2]}])
def test_it_is_the_inverse_of_the_mobility(options):
    robot = own_robots.arm()
    q = random_states(6, 2, 3)[0]
    got = rne.operational_inertia(robot, q, "tool", **options)
    rows = options.pop("rows", range(6))
    assert got.shape == (2, 3, len(rows), len(rows))
    for at in np.ndindex(2, 3):
        J = rne.jacobian(robot, q[at], "tool", **options)[list(rows)]
        mobility = J @ np.linalg.solve(mass_matrix(robot, q[at]), J.T)
        assert_near(got[at] @ mobility, np.eye(len(rows)), 1e-9)
        assert_near(got[at], got[at].T)


def test_a_square_jacobian_gives_the_ellipsoid_of_asada():
    """G = J^-T M J^-1 of a planar arm, by hand, at a random position."""
    robot, q = planar(), np.array([0.5, 1.1])
    s1, s12, c1, c12 = np.sin(0.5), np.sin(1.6), np.cos(0.5), np.cos(1.6)
    J = np.array([[-0.7 * s1 - 0.5 * s12, -0.5 * s12], [0.7 * c1 + 0.5 * c12, 0.5 * c12]])
    coupled, second = 1.3 * 0.7 * 0.2 * np.cos(1.1), 1.3 * 0.2**2 + 0.03
    first = 2.2 * 0.35**2 + 0.09 + 1.3 * 0.7**2 + second + 2 * coupled
    M = np.array([[first, second + coupled], [second + coupled, second]])
    G = np.linalg.inv(J).T @ M @ np.linalg.inv(J)
    assert_near(rne.operational_inertia(robot, q, "link2", rows=[0, 1]), G)
    values, vectors = np.linalg.eigh(G)
    ellipsoid = rne.inertia_ellipsoid(robot, q, "link2", rows=[0, 1])
    assert_near(ellipsoid.semi_axes, 1 / np.sqrt(values))
    assert_near(np.abs(ellipsoid.directions.T @ vectors), np.eye(2))
    flat = rne.inertia_ellipsoid(robot, q, "link2")
    assert_near(flat.semi_axes, [*ellipsoid.semi_axes, 0])
    assert_near(np.abs(flat.directions[:, 2]), [0, 0, 1])


def test_a_stretched_arm_cannot_move_along_itself():
    robot, q = planar(), np.zeros(2)
    ellipsoid = rne.inertia_ellipsoid(robot, q, "link2", rows=[0, 1])
    assert ellipsoid.semi_axes[1] < 1e-15
    assert_near(np.abs(ellipsoid.directions), [[0, 1], [1, 0]])
    inertia = rne.operational_inertia(robot, q, "link2", rows=[0, 1])
    assert_near(inertia, np.diag([0, ellipsoid.semi_axes[0] ** -2]))


def test_a_direction_is_impossible_below_a_ten_billionth_of_the_best():
    """At a small bend q2 the arm moves along itself, by about q2 of what it moves across."""
    robot = planar()
    near, nearer = rne.inertia_ellipsoid(robot, [[0, 1e-8], [0, 1e-11]], "link2", rows=[0, 1]).semi_axes
    bent, straight = rne.operational_inertia(robot, [[0, 1e-8], [0, 1e-11]], "link2", rows=[0, 1])
    assert near[1] > 1e-9 > 1e-10 > nearer[1] > 1e-13
    assert_near(bent[0, 0] * near[1] ** 2, 1, 1e-6)
    assert abs(straight[0, 0]) < 1e-6


def test_too_few_joints_leave_directions_out():
    """Lambda of all six rows gives the energy of every motion that the arm can make."""
    robot, (q, qd, _) = planar(), random_states(2)
    v = rne.frame_velocity(robot, q, qd, "link2")
    inertia = rne.operational_inertia(robot, q, "link2")
    assert np.linalg.matrix_rank(inertia, tol=1e-9) == 2
    assert_near(v @ inertia @ v / 2, rne.kinetic_energy(robot, q, qd))


def test_rotors_count_unless_told_otherwise():
    drive = Drive(rotor_inertia=1e-3, gear_ratio=50.0)
    robot, q = planar(), np.array([0.5, 1.1])
    driven = robot.with_drives(dict.fromkeys(robot.joint_names, drive))
    options = {"rows": [0, 1]}
    bare = rne.operational_inertia(robot, q, "link2", **options)
    assert_near(rne.operational_inertia(driven, q, "link2", rotors=False, **options), bare)
    J = rne.jacobian(robot, q, "link2")[:2]
    wanted = np.linalg.inv(J).T @ (mass_matrix(robot, q) + 2.5 * np.eye(2)) @ np.linalg.inv(J)
    assert_near(rne.operational_inertia(driven, q, "link2", **options), wanted)


def test_followers_move_with_their_leader():
    robot, q = own_robots.gripper(), np.array([0.3, 0.02])
    J, M = rne.jacobian(robot, q, "right"), mass_matrix(robot, q)
    got = rne.operational_inertia(robot, q, "right", rows=[2, 3])
    assert_near(got @ J[[2, 3]] @ np.linalg.solve(M, J[[2, 3]].T) @ got, got, 1e-9)
    assert_near(rne.inertia_ellipsoid(robot, q, "right", rows=[0]).semi_axes ** 2, J[[0]] @ np.linalg.solve(M, J[0]))


def test_nan_stays_in_its_sample():
    robot = own_robots.arm()
    q = random_states(6, 5)[0]
    clean = rne.operational_inertia(robot, q, "tool")
    q[2, 3] = np.nan
    got, ellipsoid = rne.operational_inertia(robot, q, "tool"), rne.inertia_ellipsoid(robot, q, "tool")
    assert np.isnan(got[2]).all()
    assert np.isnan(ellipsoid.semi_axes[2]).all()
    assert np.isfinite(np.delete(ellipsoid.semi_axes, 2, axis=0)).all()
    assert_near(np.delete(got, 2, axis=0), np.delete(clean, 2, axis=0))


def test_shapes_and_precision():
    robot = own_robots.arm()
    q = random_states(6, 4)[0]
    wanted = rne.inertia_ellipsoid(robot, q, "tool")
    assert wanted.semi_axes.shape == (4, 3)
    assert wanted.directions.shape == (4, 3, 3)
    single = rne.inertia_ellipsoid(robot, q[1], "tool")
    assert_near(single.semi_axes, wanted.semi_axes[1])
    assert single.directions.shape == (3, 3)
    low = rne.inertia_ellipsoid(robot, q.astype(np.float32), "tool")
    assert low.semi_axes.dtype == low.directions.dtype == np.float32
    assert_near(low.semi_axes, wanted.semi_axes, 1e-4)


@pytest.mark.parametrize("rows", [[], [6], [-1], [1, 1], "xy", 3])
def test_wrong_rows_are_named(rows):
    with pytest.raises(rne.ArgumentError, match="rows: wanted different numbers from 0 to 5"):
        rne.operational_inertia(planar(), [0.0, 0.0], "link2", rows=rows)


def test_a_massless_joint_is_named():
    rows = [{"joint": "revolute", "a": 1.0, "mass": 1.0}, {"joint": "revolute", "a": 1.0, "mass": 0.0}]
    with pytest.warns(rne.ModelWarning):
        robot = rne.from_dh(rows, convention="standard")
    with pytest.raises(rne.SingularError, match="mass matrix is singular at joint 'joint2'"):
        rne.operational_inertia(robot, [0.1, 0.2], "link1")
