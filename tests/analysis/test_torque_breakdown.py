"""The breakdown of a torque: its total, each of its terms against the plain twin, its shares and its table."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import own_robots
import pytest
import reference as ref
import strategies
from checks import assert_near, assert_same_bits
from hypothesis import given
from hypothesis import strategies as st

import rne
from rne.model.tree import Drive

TERMS = ["effective", "coupling", "rotor", "centripetal", "coriolis", "gravity", "spring", "friction", "external"]


def panda():
    robot = rne.load("models/panda/robot.urdf")
    drives = {
        name: Drive(2e-4, 100.0 - 10 * k, 0.5, 0.3 * k, 0.2, stiffness=1.0 + k, rest=0.1)
        for k, name in enumerate(robot.joint_names)
    }
    return robot.with_drives(drives)


def trajectory(robot, samples=50, dtype=np.float64):
    q, qd, qdd = np.random.default_rng(5).normal(size=(3, samples, robot.n)).astype(dtype)
    wrench = np.random.default_rng(6).normal(size=(samples, 6)).astype(dtype)
    loads = {"panda_hand": wrench, "panda_link4": (wrench[0], "local")}
    return (q, qd, qdd), {"gravity": (1.0, -2.0, -9.0), "f_ext": loads, "friction": True}


# ------------------------------------------------------------------------------------------------------------- total


@pytest.mark.parametrize(("dtype", "near"), [(np.float64, 1e-12), (np.float32, 1e-5)])
def test_a_batch_with_all_loads_is_that_of_the_twin(dtype, near):
    robot = panda()
    states, options = trajectory(robot, dtype=dtype)
    parts = rne.torque_breakdown(robot, *states, **options)
    assert parts.total.dtype == dtype
    tree, gravity, still = robot.tree, options["gravity"], np.zeros(3)
    hand, (link, _) = options["f_ext"].values()
    for k in (0, 17, 49):
        q, qd, qdd = (x[k].astype(float) for x in states)
        R, _ = ref.forward_kinematics(tree, q)["panda_link4"]
        loads = {"panda_hand": hand[k], "panda_link4": np.concatenate([R @ link[:3], R @ link[3:]])}
        wanted = {
            "total": ref.torques(tree, q, qd, qdd, gravity=gravity, f_ext=loads, friction=True),
            "gravity": ref.gravity_vector(tree, q, gravity),
            "spring": ref.spring_torque(tree, q),
            "friction": ref.friction_torque(tree, qd),
            "external": ref.inverse_dynamics(tree, q, gravity=still, f_ext=loads),
        }
        for name, torque in wanted.items():
            assert_near(getattr(parts, name)[k], torque, near)
        assert_near(parts.centripetal[k] + parts.coriolis[k], ref.bias_vector(tree, q, qd, still), near)
    for name in TERMS:
        assert (getattr(parts, name).shape, getattr(parts, name).dtype) == ((50, 8), dtype)
        assert np.abs(getattr(parts, name)).max() > 0.01
    error = np.abs(sum(parts.terms.values()) - parts.total).max()
    assert error <= 8 * np.finfo(dtype).eps * sum(np.abs(term) for term in parts.terms.values()).max()


def test_a_single_state_is_the_state_of_a_batch():
    robot = panda()
    (q, qd, qdd), _ = trajectory(robot)
    parts = rne.torque_breakdown(robot, q[3], qd[3], qdd[3])
    assert parts.coupling.shape == parts.external.shape == parts.total.shape == (8,)
    whole = rne.torque_breakdown(robot, q, qd, qdd)
    assert_same_bits(parts.total, whole.total[3])
    for name, term in parts.terms.items():
        assert_same_bits(term, whole.terms[name][3])


@given(strategies.robots(1, 9, one_sided=True), st.data())
def test_terms_add_up(sample, data):
    tree, q, qd, qdd = sample
    robot, f_ext = rne.Robot(tree), data.draw(strategies.wrenches(tree))
    parts = rne.torque_breakdown(robot, q, qd, qdd, f_ext=f_ext, friction=True)
    assert_near(parts.total, ref.inverse_dynamics(tree, q, qd, qdd, f_ext=f_ext, friction=True))
    scale = max(1.0, *(np.abs(term).max() for term in parts.terms.values()))
    assert np.abs(sum(parts.terms.values()) - parts.total).max() <= 1e-13 * scale


# ------------------------------------------------------------------------------------------------------------- terms


@given(strategies.robots(1, 9, mimic=0.3, one_sided=True), st.data())
def test_each_term_is_that_of_the_twin(sample, data):
    tree, q, qd, qdd = sample
    stiff = data.draw(st.sampled_from([0.0, 25.0]))
    tree = replace(
        tree, joints=tuple(replace(j, drive=replace(j.drive, stiffness=stiff, rest=0.3)) for j in tree.joints)
    )
    f_ext = data.draw(strategies.wrenches(tree))
    parts = rne.torque_breakdown(rne.Robot(tree), q, qd, qdd, f_ext=f_ext, friction=True)
    weightless, nothing = np.zeros(3), np.zeros(len(q))
    bare = replace(tree, joints=tuple(replace(j, drive=replace(j.drive, rotor_inertia=0.0)) for j in tree.joints))
    inertia = ref.inverse_dynamics(bare, q, None, qdd, weightless)
    own, alone = np.zeros(len(q)), np.zeros(len(q))
    for k, (rate, acceleration) in enumerate(zip(qd, qdd, strict=True)):
        one = np.eye(len(q))[k]
        own[k] = ref.inverse_dynamics(bare, q, None, acceleration * one, weightless)[k]
        alone += ref.inverse_dynamics(tree, q, rate * one, None, weightless)
    velocity = ref.inverse_dynamics(tree, q, qd, None, weightless)
    assert_near(parts.effective, own)
    assert_near(parts.coupling, inertia - own)
    assert_near(parts.rotor, ref.inverse_dynamics(tree, q, None, qdd, weightless) - inertia)
    assert_near(parts.centripetal, alone)
    assert_near(parts.coriolis, velocity - alone)
    assert_near(parts.gravity, ref.gravity_vector(tree, q))
    assert_near(parts.spring, ref.spring_torque(tree, q))
    assert_near(parts.friction, ref.friction_torque(tree, qd))
    assert_near(parts.external, ref.inverse_dynamics(tree, q, nothing, nothing, weightless, f_ext))


def test_rotors_and_springs_of_followers():
    fingers = rne.load_urdf(
        """<robot name="fingers"><link name="palm"/>
        <link name="left"><inertial><mass value="2"/>
          <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <link name="right"><inertial><mass value="2"/>
          <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="l" type="continuous"><parent link="palm"/><child link="left"/><axis xyz="0 0 1"/></joint>
        <joint name="r" type="continuous"><parent link="palm"/><child link="right"/><axis xyz="0 0 1"/>
          <mimic joint="l" multiplier="-1.5" offset="0.1"/></joint></robot>"""
    ).with_drives({"l": Drive(0.01, 10.0), "r": Drive(0.02, 10.0, stiffness=3.0, rest=0.2)})
    parts = rne.torque_breakdown(fingers, [0.3], None, [2.0])
    assert_near(parts.rotor, [2.0 * (1.0 + 2.25 * 2.0)])
    assert_near(parts.effective, [2.0 * (1.0 + 2.25)])
    assert not parts.coupling.any()
    assert_near(parts.spring, [-1.5 * 3.0 * (-1.5 * 0.3 + 0.1 - 0.2)])


def test_what_is_not_asked_for_is_zero():
    robot = rne.load("models/panda/robot.urdf")
    (q, qd, _), _ = trajectory(robot)
    still = rne.torque_breakdown(robot, q)
    for name in TERMS[:5] + TERMS[6:]:
        assert not getattr(still, name).any()
    np.testing.assert_array_equal(still.gravity, still.total)
    weightless = rne.torque_breakdown(robot, q, qd, gravity=(0, 0, 0))
    assert not weightless.gravity.any()
    assert_near(weightless.centripetal + weightless.coriolis, weightless.total)


def test_leading_axes_broadcast_and_threads_change_nothing():
    robot = panda()
    (q, qd, qdd), _ = trajectory(robot)
    grid = rne.torque_breakdown(robot, q[:4, None], qd[None, :3], qdd[0], friction=True, threads=2)
    for term in grid.terms.values():
        assert term.shape == (4, 3, 8)
    single = rne.torque_breakdown(robot, q[2], qd[1], qdd[0], friction=True)
    for name, term in single.terms.items():
        assert_same_bits(grid.terms[name][2, 1], term)
    loads = {"panda_hand": np.ones((6, 1, 6))}
    assert rne.torque_breakdown(robot, q[0], f_ext=loads).gravity.shape == (6, 1, 8)


def test_mixed_precision_is_double_throughout():
    robot = panda()
    (q, qd, qdd), _ = trajectory(robot)
    single = q.astype(np.float32)
    parts = rne.torque_breakdown(robot, single, qd, qdd)
    assert_same_bits(parts.gravity, rne.gravity_vector(robot, single.astype(np.float64)))


def test_wrong_arguments_are_refused():
    robot = panda()
    with pytest.raises(rne.ArgumentError, match=r"qd: wanted shape \(\.\.\., 8\)"):
        rne.torque_breakdown(robot, np.zeros(8), np.zeros(7))
    with pytest.raises(rne.ArgumentError, match="robot: wanted a Robot"):
        rne.torque_breakdown("panda", np.zeros(8))
    with pytest.raises(rne.UnknownNameError, match="did you mean"):
        rne.torque_breakdown(robot, np.zeros(8), f_ext={"panda_hant": np.zeros(6)})
    with pytest.raises(rne.ArgumentError, match="gravity"):
        rne.torque_breakdown(robot, np.zeros(8), gravity=9.81)
    with pytest.raises(rne.ArgumentError, match="threads"):
        rne.torque_breakdown(robot, np.zeros((2, 8)), threads=0)


# ------------------------------------------------------------------------------------------------------------ shares


def wheel():
    """One joint about the vertical: no gravity, 1 kg m^2 on the body and as much on the rotor."""
    row = {"joint": "revolute", "mass": 1.0, "inertia": np.eye(3)}
    drive = {"rotor_inertia": 0.01, "gear_ratio": 10.0, "viscous": 0.005}
    return rne.from_dh([row | drive], convention="standard", name="wheel")


def test_shares_by_hand():
    """Mean sizes over the samples: inertia and rotor (2 + 4) / 2 = 3 each, friction 0.5 (1 + 3) / 2 = 1."""
    parts = rne.torque_breakdown(wheel(), [[0.0], [0.0]], [[1.0], [-3.0]], [[2.0], [-4.0]], friction=True)
    share = parts.share()
    assert list(share) == TERMS == list(parts.terms)
    assert_near(share["effective"], [3 / 7])
    assert_near(share["rotor"], [3 / 7])
    assert_near(share["friction"], [1 / 7])
    for name in ("coupling", "centripetal", "coriolis", "gravity", "spring", "external"):
        assert_near(share[name], [0.0])


def test_shares_add_up_to_one_or_are_zero():
    robot = panda()
    states, options = trajectory(robot)
    share = rne.torque_breakdown(robot, *states, **options).share()
    assert_near(sum(share.values()), np.ones(8), rtol=1e-14)
    idle = rne.torque_breakdown(wheel(), [0.3]).share()
    assert_near(sum(idle.values()), [0.0])
    none = rne.torque_breakdown(robot, np.zeros((0, 8))).share()
    assert_near(sum(none.values()), np.zeros(8))


def test_a_sample_that_is_no_number_makes_no_share():
    share = rne.torque_breakdown(wheel(), [[0.0], [np.nan]], None, [[1.0], [1.0]]).share()
    assert np.isnan(share["effective"]).all()


def test_table():
    parts = rne.torque_breakdown(wheel(), [[0.0], [0.0]], [[1.0], [-3.0]], [[2.0], [-4.0]], friction=True)
    header, line = str(parts).splitlines()
    assert header.split() == ["joint", "|torque|", *TERMS]
    assert " ".join(line.split()) == "joint1 7 42.9 % 0.0 % 42.9 % 0.0 % 0.0 % 0.0 % 0.0 % 14.3 % 0.0 %"
    assert len(header) == len(line)
    states, options = trajectory(panda())
    lines = str(rne.torque_breakdown(panda(), *states, **options)).splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(panda().joint_names)
    assert len({len(line) for line in lines}) == 1
    block = rne.load_urdf('<robot name="block"><link name="base"/></robot>')
    assert str(rne.torque_breakdown(block, [])).split() == ["joint", "|torque|", *TERMS]


def test_a_breakdown_is_frozen():
    parts = rne.torque_breakdown(wheel(), [0.0])
    with pytest.raises(FrozenInstanceError):
        parts.total = np.zeros(1)


def test_what_is_not_finite_stays_in_its_row_and_warns_of_nothing():
    arm, qdd = own_robots.arm(), np.ones((3, 6))
    qdd[1, 2] = np.inf
    parts = rne.torque_breakdown(arm, np.full((3, 6), 0.1), None, qdd)
    for term in (*parts.terms.values(), parts.total):
        assert np.isfinite(term[[0, 2]]).all()
    assert not np.isfinite(parts.total[1]).all()
