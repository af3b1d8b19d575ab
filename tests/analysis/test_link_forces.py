"""Free-body diagrams: the fourteen equations of two links with a payload, propagation of weights, Newton."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import reference as ref
import strategies
from checks import assert_near, random_robot, random_states
from hypothesis import given
from hypothesis import strategies as st
from numpy import cos, sin

import rne

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")

M1, M2, MP, L1, L2, R1, R2, I1, I2, G = 2.3, 1.4, 0.7, 0.8, 0.6, 0.3, 0.25, 0.11, 0.04, 9.81


def loaded_two_link():
    """theta1 from the horizontal, y up; a payload at the end of the second link."""
    rows = [
        {
            "joint": "revolute",
            "a": L1,
            "mass": M1,
            "com": [R1 - L1, 0, 0],
            "inertia": [[0, 0, 0], [0, I1, 0], [0, 0, I1]],
        },
        {
            "joint": "revolute",
            "a": L2,
            "mass": M2,
            "com": [R2 - L2, 0, 0],
            "inertia": [[0, 0, 0], [0, I2, 0], [0, 0, I2]],
        },
    ]
    return rne.from_dh(rows, convention="standard", gravity=[0, -G, 0]).with_payload(MP)


def fourteen_equations(q, qd, tau):
    """A u = b; u = both angular accelerations, those of both centers and the payload, F01, F12, Fpl in the plane."""
    (t1, t2), (w1, w2) = q, qd
    t12, w12 = t1 + t2, w1 + w2
    A, b = np.zeros((14, 14)), np.zeros(14)
    A[:6, 2:8] = np.eye(6)
    for k, (a1, a2) in enumerate(
        [(R1, 0.0), (L1, R2), (L1, L2)]
    ):  # x = a1 cos t1 + a2 cos t12 and so on, twice derived
        A[2 * k, :2] = a1 * sin(t1) + a2 * sin(t12), a2 * sin(t12)
        A[2 * k + 1, :2] = -a1 * cos(t1) - a2 * cos(t12), -a2 * cos(t12)
        b[2 * k] = -a1 * cos(t1) * w1**2 - a2 * cos(t12) * w12**2
        b[2 * k + 1] = -a1 * sin(t1) * w1**2 - a2 * sin(t12) * w12**2
    for k, m in enumerate((M1, M2, MP)):  # Newton: what comes in less what goes on, and the weight
        for x in (0, 1):
            A[6 + 2 * k + x, 2 + 2 * k + x] = m
            A[6 + 2 * k + x, 8 + 2 * k + x] = -1
            if k < 2:
                A[6 + 2 * k + x, 10 + 2 * k + x] = 1
        b[7 + 2 * k] = -m * G
    c, s = np.array([cos(t1), cos(t12)]), np.array([sin(t1), sin(t12)])
    arms = [(R1, L1 - R1), (R2, L2 - R2)]
    for k, (before, behind) in enumerate(arms):  # Euler about the centers: I alpha = tau - tau_next + r x F
        A[12 + k, :2] = [(I1, 0.0), (I2, I2)][k]
        A[12 + k, 8 + 2 * k : 10 + 2 * k] = -before * s[k], before * c[k]
        A[12 + k, 10 + 2 * k : 12 + 2 * k] = -behind * s[k], behind * c[k]
        b[12 + k] = [tau[0] - tau[1], tau[1]][k]
    return A, b


def test_accelerations_and_reactions_solve_the_fourteen_equations_of_two_links():
    robot = loaded_two_link()
    q, qd, tau = random_states(2, 6, seed=1)
    forces = rne.link_forces(robot, q, qd, tau=10 * tau)
    assert forces.body_names == ("link1", "link2", "payload_1")
    for k in range(6):
        A, b = fourteen_equations(q[k], qd[k], 10 * tau[k])
        u = [
            *forces.qdd[k],
            *forces.acceleration[k][:, :2].ravel(),
            *forces.force[k][:, :2].ravel(),
            *forces.held[k, 2, :2],
        ]
        scale = np.abs(A) @ np.abs(u) + np.abs(b)
        assert (np.abs(A @ u - b) <= 1e-12 * np.maximum(scale, 1.0)).all()
        assert_near(u, np.linalg.solve(A, b), 1e-11)
    assert_near(forces.along_axis, 10 * tau)
    assert_near(forces.tau, 10 * tau)


def test_forces_run_from_the_hand_to_the_base():
    """F_i = F_(i+1) - G_i and M_i = M_(i+1) + r_i x F_(i+1) - r_Ci x G_i from the hand's wrench on the world."""
    robot, q = random_robot(5, 6, mimic=0.0, branching=0.0), random_states(6, seed=2)[0]
    tip = robot.links.joint_frames[-1]
    hand = np.array([12.5, -7.25, 3.0, 0.4, 0.5, -0.6])
    forces = rne.link_forces(robot, q, f_ext={tip: -hand})
    origins = [rne.forward_kinematics(robot, q, frame)[:3, 3] for frame in robot.links.joint_frames]
    rows = [robot.links.frames[name].row - 1 for name in forces.body_names]
    F, M, end = hand[:3], hand[3:], origins[-1]
    for i in reversed(range(6)):
        M = M + np.cross(end - origins[i], F)
        for k in np.flatnonzero(np.equal(rows, i)):
            F = F - forces.weight[k]
            M = M - np.cross(forces.com[k] - origins[i], forces.weight[k])
        end = origins[i]
        assert_near(forces.force[i], F)
        assert_near(forces.moment[i], M)
    J = rne.jacobian(robot, q, tip)
    assert_near(forces.tau, ref.inverse_dynamics(robot.tree, q) + J.T @ hand)


@given(strategies.robots(), st.data())
def test_every_body_obeys_newton(drawn, data):
    tree, q, qd, qdd = drawn
    robot, f_ext = rne.Robot(tree), data.draw(strategies.wrenches(tree))
    forces = rne.link_forces(robot, q, qd, qdd, f_ext=f_ext)
    h = 1e-4
    for k, name in enumerate(forces.body_names):
        com = next(body.com for body in tree.bodies if body.name == name)
        path = [rne.forward_kinematics(robot, q + s * h * qd + s**2 * h**2 * qdd / 2, name) for s in (-1, 0, 1)]
        before, now, after = (T[:3, :3] @ com + T[:3, 3] for T in path)
        assert_near(forces.com[k], now)
        scale = 1 + np.abs(now).max() + np.abs(forces.acceleration[k]).max() + np.abs(qd).max() ** 4
        assert np.abs(forces.acceleration[k] - (before - 2 * now + after) / h**2).max() < 1e-5 * scale
    assert_near(forces.mass, [body.mass for body in tree.bodies if body.name in forces.body_names])
    assert_near(forces.weight, np.outer(forces.mass, robot.gravity))
    # All that moves is held by the joints on the base and by the loads.
    first = robot.links.table[1:, 0] == 0
    moved = [w[:3] for name, w in f_ext.items() if robot.links.frames[name].row > 0]
    assert_near(forces.held.sum(axis=0), forces.force[first].sum(axis=0) + sum(moved, np.zeros(3)), 1e-11)


@given(strategies.robots(mimic=0.0))
def test_along_the_axes_is_the_torque_of_a_robot_without_drives(drawn):
    tree, q, qd, qdd = drawn
    robot = rne.Robot(tree)
    bare = robot.with_drives(dict.fromkeys(robot.joint_names, rne.Drive())).tree
    wanted = dict(zip(ref.coordinates(tree), ref.inverse_dynamics(bare, q, qd, qdd), strict=True))
    for options in ({}, {"axes": "local"}, {"origin": "parent"}):
        forces = rne.link_forces(robot, q, qd, qdd, **options)
        assert_near(forces.along_axis, [wanted[name] for name in forces.joint_names], 1e-11)


def test_torques_and_accelerations_give_the_same_answer():
    robot = random_robot(7, 5, massless=0.0, heavy_tips=True)
    q, qd, qdd = random_states(robot.n, 3, 4, seed=3)
    options = {"friction": True, "gravity": [1.0, 2.0, -3.0]}
    one = rne.link_forces(robot, q, qd, qdd, **options)
    other = rne.link_forces(robot, q, qd, tau=one.tau, **options)
    assert_near(one.tau, ref.torques(robot.tree, q, qd, qdd, **options))
    for name in ("qdd", "force", "moment", "acceleration", "held", "com"):
        assert_near(getattr(other, name), getattr(one, name), 1e-9)
    assert_near(one.weight, np.outer(one.mass, [1.0, 2.0, -3.0]))
    rows = rne.link_forces(robot, *(x.reshape(12, -1) for x in (q, qd, qdd)), **options)
    assert_near(rows.held, one.held.reshape(12, -1, 3))


def test_the_table_of_many_states_shows_the_largest_sizes():
    robot = loaded_two_link().with_gravity([0, -10, 0])
    text = str(rne.link_forces(robot, [[0.0, 0.0], [np.pi, 0.0]]))
    assert text.splitlines()[0] == "largest sizes of 2 states"
    assert text.splitlines()[3].split()[:4] == ["joint1", "0", "44", "0"]
    payload = text.splitlines()[-1].split()
    assert payload[:3] == ["payload_1", "0.7", "1.4"]
    assert payload[-2:] == ["7", "0"]
    assert "axes of the joints" in str(rne.link_forces(robot, [0.0, 0.0], axes="local"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"qdd": [0.0, 0.0], "tau": [0.0, 0.0]}, "tau: got both qdd and tau"),
        ({"tau": [0.0]}, "tau: wanted shape"),
        ({"axes": "base"}, "axes: wanted the axes 'world' or 'local'"),
        ({"origin": "base"}, "origin: wanted 'child' or 'parent'"),
        ({"f_ext": {"link3": np.zeros(6)}}, "f_ext: no frame is named 'link3'"),
        ({"gravity": [0.0]}, "gravity: wanted shape"),
    ],
)
def test_wrong_arguments_are_named(options, said):
    with pytest.raises(rne.ArgumentError, match=said):
        rne.link_forces(loaded_two_link(), [0.0, 0.0], **options)


def test_of_a_base_that_floats_the_axes_are_those_of_the_world():
    arm = rne.load("models/planar2/robot.dh.toml")
    free = rne.Robot(replace(arm.tree, floating=True))
    assert "in world axes" in str(rne.link_forces(free, rne.neutral(free)))
    assert "in base axes" in str(rne.link_forces(arm, [0.0, 0.0]))
