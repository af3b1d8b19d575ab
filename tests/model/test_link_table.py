"""The compiled table by its physics: frames, order, normal form, followers, and the two ways of holding the bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import reference as ref
import strategies
from checks import assert_near, assert_same_bits, random_robot, random_states
from hypothesis import given
from own_robots import arm, gripper

import rne
from rne.kernels import layout as at
from rne.model.link_table import compile_tree
from rne.model.tree import Body, Joint, Mimic, Pose, Tree

SMALL = {"min_joints": 1, "max_joints": 9}


def rz(c, s):
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def rx(c, s):
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def positions(links, q):
    """Positions of the joints in the order of the rows, by the columns that reduce them to coordinates."""
    rows = links.table[1:]
    return rows[:, at.RATIO] * np.asarray(q)[rows[:, at.LEADER].astype(int)] + rows[:, at.SHIFT]


def placements(links, q):
    """Rotation and origin of every row in base axes, as the docstring of `layout` says, in plain numpy."""
    placed = [(np.eye(3), np.zeros(3))]
    for row, s in zip(links.table[1:], positions(links, q) if len(links.table) > 1 else [], strict=True):
        R, p = placed[int(row[at.PARENT])]
        p = p + R @ row[at.PX : at.PZ + 1]
        R = R @ rz(*row[[at.COS_TURN, at.SIN_TURN]]) @ rx(*row[[at.COS_ALPHA, at.SIN_ALPHA]])
        R = R @ rz(*row[[at.COS_OFFSET, at.SIN_OFFSET]])
        if row[at.KIND] == at.REVOLUTE:
            R = R @ rz(np.cos(s), np.sin(s))
        else:
            p = p + R[:, 2] * s
        placed.append((R, p))
    return placed


# ------------------------------------------------------------------------------------------------------------- frames


@given(strategies.robots(**SMALL))
def test_frames_lie_where_the_twin_places_them(sample):
    tree, q, _, _ = sample
    links = compile_tree(tree)
    placed, wanted = placements(links, q), ref.forward_kinematics(tree, q)
    assert set(links.frames) == set(wanted)
    for name, frame in links.frames.items():
        R, p = placed[frame.row]
        assert_near(R @ frame.rotation, wanted[name][0])
        assert_near(p + R @ frame.position, wanted[name][1])


@given(strategies.robots(**SMALL))
def test_every_joint_moves_about_or_along_z(sample):
    tree, q, _, _ = sample
    links = compile_tree(tree)
    placed, moving = placements(links, q), ref.motions(tree, q)
    children = {joint.name: joint.child for joint in tree.joints}
    for row, name in enumerate(links.joints, start=1):
        assert_near(placed[row][0][:, 2], moving[children[name]].axis)


@given(strategies.trees(**SMALL))
def test_parents_stand_before_their_children_and_rows_know_their_neighbors(tree):
    links = compile_tree(tree)
    count = len(links.table) - 1
    parents = links.table[1:, at.PARENT]
    assert links.table[0, at.LINKS] == count == len(links.joints)
    assert links.table[0, at.COORDINATES] == len(links.coordinates)
    assert sorted(links.joints) == sorted(joint.name for joint in tree.joints if joint.movable)
    for row in range(1, count + 1):
        parent = int(parents[row - 1])
        assert 0 <= parent < row
        assert links.table[row, at.FOLLOWS] == (parent == row - 1)
        elsewhere = any(int(p) == row and child != row + 1 for child, p in enumerate(parents, start=1))
        assert links.table[row, at.KEEP] == elsewhere


@given(strategies.trees(**SMALL))
def test_frames_are_in_normal_form(tree):
    """One child of every link, the row after it, is reached by Rx alone; turns are proper, and none is hidden."""
    table = compile_tree(tree).table
    for row in range(1, len(table)):
        turn = tuple(table[row, [at.COS_TURN, at.SIN_TURN]])
        assert table[row, at.HAS_TURN] == (turn != (1.0, 0.0))
        if table[row, at.PARENT] == row - 1 and row > 1:
            assert turn == (1.0, 0.0)
        for pair in ((at.COS_TURN, at.SIN_TURN), (at.COS_ALPHA, at.SIN_ALPHA), (at.COS_OFFSET, at.SIN_OFFSET)):
            assert_near(np.hypot(*table[row, list(pair)]), 1.0, rtol=1e-15)


@given(strategies.trees(**SMALL, skew=0.0))
def test_right_angles_stay_exact(tree):
    """Sines and cosines of quarter turns are 0 and 1 to rounding, and nothing makes more of it."""
    table = compile_tree(tree).table[1:]
    for column in (at.COS_TURN, at.SIN_TURN, at.COS_ALPHA, at.SIN_ALPHA, at.COS_OFFSET, at.SIN_OFFSET):
        near = np.round(table[:, column])
        exact = np.abs(table[:, column] - near) < 1e-9
        assert (np.abs(table[exact, column] - near[exact]) < 1e-14).all()


# ------------------------------------------------------------------------------------------------------------- bodies


def complete_body(row):
    """Mass, first and second moments about the origin of the row, all of them."""
    mass, first = row[at.FULL_MASS], row[at.FULL_HX : at.FULL_HZ + 1]
    xx, yy, zz, xy, xz, yz = row[at.FULL_XX : at.FULL_YZ + 1]
    return mass, first, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def regrouped_body(row):
    """What the joints feel: a row holds no more."""
    xx, yy, xy, xz, yz = row[[at.XX, at.YY, at.XY, at.XZ, at.YZ]]
    second = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, 0.0]])
    return row[at.MASS], np.array([row[at.HX], row[at.HY], 0.0]), second


def energy(links, bodies, q, qd):
    """Kinetic energy of bodies given by their moments; velocities by high-order differences of the placements.

    A point r of a body moves by Pdot + Rdot r, so 2 E = m Pdot^2 + 2 Pdot . Rdot h + trace(Rdot S Rdot^T).
    """
    h, weights = 1e-3, ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
    rates = [(np.zeros((3, 3)), np.zeros(3)) for _ in links.table]
    for k, weight in weights:
        ahead, behind = placements(links, q + k * h * qd), placements(links, q - k * h * qd)
        for i, (R, p) in enumerate(rates):
            rates[i] = (
                R + weight / h * (ahead[i][0] - behind[i][0]),
                p + weight / h * (ahead[i][1] - behind[i][1]),
            )
    total = 0.0
    for (R, p), (mass, first, second) in zip(rates, bodies, strict=True):
        total += 0.5 * (mass * p @ p + 2 * p @ R @ first + np.trace(R @ second @ R.T))
    return total


@given(strategies.robots(1, 6, rotors=False))
def test_complete_bodies_carry_the_kinetic_energy(sample):
    tree, q, qd, _ = sample
    links = compile_tree(tree)
    bodies = [complete_body(row) for row in links.table]
    assert_near(energy(links, bodies, q, qd), ref.kinetic_energy(tree, q, qd), rtol=1e-9)
    assert_near(sum(body[0] for body in bodies), ref.total_mass(tree))


@given(strategies.robots(1, 6, rotors=False, mimic=0))
def test_regrouped_bodies_carry_the_same_energy_of_what_moves(sample):
    """Not the same bodies, but the same energy for every motion: so the same torques. The base does not move."""
    tree, q, qd, _ = sample
    links = compile_tree(tree)
    bodies = [regrouped_body(row) for row in links.table]
    bodies[0] = (0.0, np.zeros(3), np.zeros((3, 3)))
    assert_near(energy(links, bodies, q, qd), ref.kinetic_energy(tree, q, qd), rtol=1e-9)


@given(strategies.trees(**SMALL))
def test_what_a_joint_cannot_feel_has_moved_on(tree):
    table = compile_tree(tree).table[1:]
    revolute = table[:, at.KIND] == at.REVOLUTE
    assert not table[revolute, at.MASS].any()
    assert not table[~revolute][:, [at.HX, at.HY, at.XX, at.YY, at.XY, at.XZ, at.YZ]].any()


# -------------------------------------------------------------------------------------------------------- coordinates


@given(strategies.robots(1, 9, mimic=0.6))
def test_followers_stand_where_the_twin_has_them(sample):
    tree, q, _, _ = sample
    links = compile_tree(tree)
    by_name = dict(zip((j.name for j in ref.movable_joints(tree)), ref.expand(tree, q), strict=True))
    assert_near(positions(links, q), [by_name[name] for name in links.joints])


def test_the_order_of_coordinates_is_that_of_the_file_or_as_asked():
    tree = arm().tree
    names = ("turret", "shoulder", "reach", "roll", "pitch", "yaw")
    assert compile_tree(tree).coordinates == names
    assert compile_tree(tree, names[::-1]).coordinates == names[::-1]
    coupled = compile_tree(gripper().tree)
    assert coupled.coordinates == ("turn", "left_finger")
    assert coupled.joints == ("turn", "right_finger", "left_finger")


def test_the_order_of_the_file_does_not_change_the_physics():
    tree = random_robot(6, 10).tree
    names = ref.coordinates(tree)
    turned = replace(tree, joints=tree.joints[::-1], bodies=tree.bodies[::-1])
    states = random_states(len(names), 4)
    wanted = rne.inverse_dynamics(rne.Robot(tree), *states)
    got = rne.inverse_dynamics(rne.Robot(turned), *(x[:, ::-1] for x in states))
    assert_near(got[:, ::-1], wanted)


# ------------------------------------------------------------------------------------------------------------ freezing


def test_tables_are_read_only_and_finite():
    links = random_robot(1, 9).links
    assert not links.table.flags.writeable
    assert not links.table32.flags.writeable
    assert not any(f.rotation.flags.writeable or f.position.flags.writeable for f in links.frames.values())
    assert np.isfinite(links.table).all()
    assert_same_bits(links.table32, links.table.astype(np.float32))
    assert not np.signbit(links.table[links.table == 0]).any()
    with pytest.raises(ValueError, match="read-only"):
        links.table[0, 0] = 1


def test_compiling_twice_gives_the_same_bits():
    tree = random_robot(5, 12).tree
    assert_same_bits(compile_tree(tree).table, compile_tree(tree).table)


def test_a_ring_is_no_tree():
    bodies = tuple(Body(name, 1.0) for name in ("root", "a", "b"))
    ring = (Joint("ab", "revolute", "a", "b"), Joint("ba", "revolute", "b", "a"))
    with pytest.raises(rne.ModelError, match="joints do not form a tree"):
        compile_tree(Tree("ring", bodies, ring))


def test_slides_whose_masses_cancel_are_refused():
    """Weights of +1 and -1 kg, which only lenient loading lets in, leave nothing to slide but a moment."""
    bodies = (Body("base"), Body("a", 1.0, (1.0, 0, 0)), Body("b", -1.0))
    joints = (Joint("slide", "prismatic", "base", "a"), Joint("bolt", "fixed", "a", "b", Pose()))
    with pytest.raises(rne.ModelError, match="joint 'slide': the masses moved by the joint sum to zero"):
        compile_tree(Tree("ghost", bodies, joints))


# ----------------------------------------------------------------------------------------------- trees made by hand


@pytest.mark.parametrize(
    ("bodies", "joints", "wanted"),
    [
        ((), (), "has no links"),
        ((Body("a"),), (Joint("j", "revolute", "a", "b"),), "its child 'b' is not a link"),
        ((Body("a"), Body("b", 1.0)), (Joint("j", "Revolute", "a", "b"),), "did you mean 'revolute'"),
        ((Body("a"), Body("b", 1.0)), (Joint("j", "revolute", "a", "b", axis=(0.0, 0.0, 2.0)),), "not a unit vector"),
        ((Body("a"), Body("b", 1.0)), (Joint("j", "revolute", "a", "b", mimic=Mimic("j")),), "mimics itself"),
        ((Body("a"), Body("b", 1.0)), (Joint("j", "revolute", "a", "b", mimic=Mimic("k")),), "'k', which is not a jo"),
        ((Body("a"), Body("b", 1.0), Body("b", 2.0)), (Joint("j", "revolute", "a", "b"),), "duplicate name"),
        ((Body("a"), Body("b", float("nan"))), (Joint("j", "revolute", "a", "b"),), "mass = nan is not finite"),
        (
            (Body("a"), Body("b")),
            (Joint("j", "revolute", "a", "b"), Joint("k", "revolute", "b", "a")),
            "the joints form a loop",
        ),
    ],
)
def test_trees_that_no_reader_makes_are_refused(bodies, joints, wanted):
    with pytest.raises(rne.ModelError, match=wanted):
        rne.Robot(Tree("made by hand", bodies, joints))
