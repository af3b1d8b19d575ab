"""Springs and dampers that are passive together, though not joint by joint: in edits, in files and identified."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_near, random_robot, random_states
from own_robots import arm

import rne
from rne.model.passivity import DAMPERS, SPRINGS, active, active_joints
from rne.model.tree import Coupling, Drive

PLANAR = rne.load("models/planar2/robot.dh.toml")
B = np.array([[1.0, -2.0], [-2.0, 5.0]])  # eigenvalues 3 -+ 2 sqrt(2), but the shoulder has a damper of -1 of its own


def damped():
    return PLANAR.with_dampers(B).with_springs(B)


@pytest.mark.parametrize("seed", range(8))
def test_active_is_what_the_matrices_of_the_link_table_say(seed):
    rng = np.random.default_rng(seed)
    robot = random_robot(seed, 7, couplings=0.6, mimic=0.3)
    joints = [
        replace(j, drive=replace(j.drive, viscous=float(v), stiffness=float(k))) if j.movable else j
        for j, v, k in zip(robot.tree.joints, *rng.uniform(-0.2, 4.0, (2, len(robot.tree.joints))), strict=True)
    ]
    couplings = [replace(c, viscous=float(rng.uniform(-0.2, 2.0))) for c in robot.tree.couplings]
    robot = rne.Robot(replace(robot.tree, joints=tuple(joints), couplings=tuple(couplings)))
    for what, matrix in ((DAMPERS, robot.damping), (SPRINGS, robot.stiffness)):
        lowest = np.linalg.eigvalsh(matrix)[0]
        found = active(robot.tree.joints, robot.tree.couplings, what)
        assert (found is not None) == (lowest < -1e-9 * np.abs(matrix).max())
        if found is not None:
            motion = np.array([found[1].get(name, 0.0) for name in robot.joint_names])
            assert found[0] == pytest.approx(lowest)
            assert motion @ matrix @ motion == pytest.approx(lowest, rel=1e-2)
            leaders = {name for name, share in zip(robot.joint_names, motion, strict=True) if abs(share) > 1e-2}
            assert leaders <= active_joints(robot.tree.joints, robot.tree.couplings, what)


def test_later_edits_take_what_matrices_gave():
    robot = damped()
    drives = {name: robot.joint(name).drive for name in robot.joint_names}
    assert drives["shoulder"].viscous == drives["shoulder"].stiffness == -1.0
    q, qd, qdd = random_states(2, 5)
    tau = rne.inverse_dynamics(robot, q, qd, qdd, friction=True)
    heavier = replace(drives["elbow"], rotor_inertia=0.1)
    again = [
        robot.with_drives(drives),
        robot.with_drives({"elbow": heavier}).with_drives({"elbow": drives["elbow"]}),
        robot.with_parameters(rne.parameters(robot, friction=True)),
        robot.with_parameters(rne.parameters(robot, rotors=True, friction=True)),
    ]
    for other in again:
        assert_near(rne.inverse_dynamics(other, q, qd, qdd, friction=True), tau, 1e-12)
        assert_near(other.damping, B, 1e-14)


def test_dampers_that_drive_together_are_refused():
    robot = damped()
    robot.with_drives({"shoulder": Drive(viscous=-1.1)})  # 0.9 * 5 > 2 * 2
    with pytest.raises(
        rne.ArgumentError, match=r"drives: .* drive the robot: qd\^T B qd is -0.0431544 along qd = {'sho"
    ):
        robot.with_drives({"shoulder": Drive(viscous=-1.25, stiffness=-1.0)})
    with pytest.raises(rne.ArgumentError, match="drive the robot"):
        robot.with_drives({"elbow": Drive()})  # not negative itself, but what made up for the shoulder is gone
    pi = rne.parameters(robot, friction=True)
    pi[-6] = -1.3
    with pytest.raises(rne.ArgumentError, match="drive the robot"):
        robot.with_parameters(pi)
    with pytest.raises(rne.ArgumentError, match="drive the robot"):
        PLANAR.with_drives({"shoulder": Drive(viscous=-1e-3)})


def test_springs_that_push_away_are_refused_unless_they_were_there():
    with pytest.raises(rne.ArgumentError, match=r"q\^T K q is -2 along .* with_springs"):
        PLANAR.with_drives({"elbow": Drive(stiffness=-2.0)})
    toggle = PLANAR.with_springs([3.0, -2.0])
    assert_near(toggle.with_drives({"elbow": Drive(stiffness=-2.0, viscous=1.0)}).stiffness, np.diag([3.0, -2.0]))
    assert_near(toggle.with_parameters(rne.parameters(toggle, friction=True)).stiffness, np.diag([3.0, -2.0]))
    with pytest.raises(rne.ArgumentError, match="push the robot away"):
        toggle.with_drives({"elbow": Drive(stiffness=-2.1)})


def test_a_robot_that_was_driven_before_can_be_edited():
    row = {"joint": "revolute", "mass": 1.0, "a": 1.0, "inertia": np.eye(3).tolist()}
    with pytest.warns(rne.ModelWarning, match="viscous friction -1 is negative"):
        robot = rne.from_dh([row | {"viscous": -1.0}, row], convention="standard", strict=False)
    assert_near(robot.with_drives({"joint2": Drive(viscous=2.0)}).damping, np.diag([-1.0, 2.0]))
    with pytest.raises(rne.ArgumentError, match="drive the robot"):
        robot.with_drives({"joint2": Drive(viscous=-2.0)})


# --------------------------------------------------------------------------------------------------------------- files


def rows(*viscous, **more):
    row = {"joint": "revolute", "mass": 1.0, "a": 1.0, "inertia": np.eye(3).tolist()}
    return [row | more | {"viscous": b} for b in viscous]


def test_files_are_judged_as_a_whole():
    pair = [{"joints": ["joint1", "joint2"], "viscous": 2.0}]
    robot = rne.from_dh(rows(-1.0, 3.0), convention="standard", couplings=pair)  # not a word
    assert_near(robot.damping, B)
    with pytest.raises(rne.ModelError, match=r"^<dh>: row 1: the viscous friction -1 is negative"):
        rne.from_dh(rows(-1.0, 0.5), convention="standard", couplings=pair)
    negative = [{"joints": ["joint1", "joint2"], "viscous": -0.5}]
    assert_near(
        rne.from_dh(rows(2.0, 2.0), convention="standard", couplings=negative).damping, [[1.5, 0.5], [0.5, 1.5]]
    )
    springs = [{"joints": ["joint1", "joint2"], "stiffness": 2.0}]
    stiff = [row | {"stiffness": k} for row, k in zip(rows(0.0, 0.0), (-1.0, 3.0), strict=True)]
    assert_near(rne.from_dh(stiff, convention="standard", couplings=springs).stiffness, B)
    with pytest.raises(rne.ModelError, match="the stiffness -1 is negative"):
        rne.from_dh(stiff, convention="standard")


def test_negative_dampers_are_told_beside_other_errors():
    with pytest.raises(rne.ModelError) as caught:
        rne.from_dh([*rows(-1.0), *rows(1.0, masss=2.0)], convention="standard")
    assert [problem.what.split()[0] for problem in caught.value.problems] == ["key", "the"]


# ---------------------------------------------------------------------------------------------------------- identified


def test_exact_torques_give_the_dampers_back():
    truth = damped().with_drives({"elbow": Drive(viscous=3.0, stiffness=3.0, coulomb_plus=0.2, coulomb_minus=0.1)})
    known = truth.with_drives({"shoulder": Drive(stiffness=-1.0), "elbow": Drive(stiffness=3.0)})
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 200, 2))
    found = rne.identify(known, q, qd, qdd, rne.inverse_dynamics(truth, q, qd, qdd, friction=True), friction=True)
    assert found.unphysical == ()
    assert_near(found.beta, rne.base_parameters(truth, friction=True).values(), 1e-10)
    assert_near(found.base.values(found.pi), found.beta, 1e-10)
    assert_near(found.robot.damping, B, 1e-9)
    assert_near(found.base.values(found.pi_physical), found.beta, 1e-4)


def test_noise_leaves_dampers_that_do_not_drive():
    """The true B is singular: half of the measurements make it indefinite."""
    couplings = (Coupling("shoulder", "elbow", viscous=2.0),)
    truth = rne.Robot(replace(PLANAR.tree, couplings=couplings))
    rng = np.random.default_rng(1)
    driven = 0
    for _ in range(6):
        q, qd, qdd = rng.normal(size=(3, 100, 2))
        tau = rne.inverse_dynamics(truth, q, qd, qdd, friction=True) + rng.normal(size=(100, 2)) * 0.1
        found = rne.identify(truth, q, qd, qdd, tau, friction=True)
        lowest = np.linalg.eigvalsh(viscous_of(truth, found.pi))[0]
        assert set(found.unphysical) >= ({"shoulder", "elbow"} if lowest < -1e-6 else set())
        driven += lowest < -1e-6
        robot = truth.with_parameters(found.pi_physical)
        assert np.linalg.eigvalsh(robot.damping)[0] > -1e-8
        error = (found.base.values(found.pi_physical) - found.beta) / found.sd
        assert np.abs(error).max() < 6
    assert 0 < driven < 6


def viscous_of(robot, pi):
    return robot.damping + np.diag(pi[-6:-4] - rne.parameters(robot, friction=True)[-6:-4])


def test_a_robot_without_dampers_between_joints_is_judged_joint_by_joint():
    robot = arm()
    pi = rne.parameters(robot, friction=True)
    pi[-18] = -0.1
    with pytest.raises(rne.ArgumentError, match=r"along qd = \{'turret': "):
        robot.with_parameters(pi)


def test_a_robot_without_joints_has_no_parameters():
    block = rne.load_urdf('<robot name="block"><link name="base"/></robot>')
    assert block.with_parameters(rne.parameters(block)).n == 0
    with pytest.raises(rne.ArgumentError, match="pi: wanted 0"):
        block.with_parameters([1.0])
