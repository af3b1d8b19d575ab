"""What the link table says by name, against what the file says of joints and bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import reference as ref
import strategies
from checks import assert_near
from hypothesis import given

from rne.kernels import layout as at
from rne.model.link_table import LinkTable, compile_tree

SMALL = {"min_joints": 1, "max_joints": 7}


def carried(tree):
    """Name of the moving joint that moves each body, "" for the base."""
    above = {joint.child: joint for joint in tree.joints}
    found = {}
    for body in tree.bodies:
        name = body.name
        while name in above and not above[name].movable:
            name = above[name].parent
        found[body.name] = above[name].name if name in above else ""
    return found


@given(strategies.trees(**SMALL))
def test_drives_are_those_of_the_file(tree):
    links, joints = compile_tree(tree), {joint.name: joint for joint in tree.joints}
    drives = [joints[name].drive for name in links.joints]
    np.testing.assert_array_equal(links.rotors, [drive.reflected_inertia for drive in drives])
    wanted = [[drive.viscous, drive.coulomb_plus, drive.coulomb_minus] for drive in drives]
    np.testing.assert_array_equal(links.friction, np.array(wanted).T)


@given(strategies.trees(**SMALL))
def test_parents_are_those_of_the_file(tree):
    links, joints, on = compile_tree(tree), {joint.name: joint for joint in tree.joints}, carried(tree)
    rows = {"": 0, **{name: row for row, name in enumerate(links.joints, start=1)}}
    assert links.parents.tolist() == [rows[on[joints[name].parent]] for name in links.joints]


@given(strategies.trees(**SMALL))
def test_masses_are_those_of_all_that_a_joint_moves_alone(tree):
    links, on = compile_tree(tree), carried(tree)
    wanted = [sum(body.mass for body in tree.bodies if on[body.name] == name) for name in ("", *links.joints)]
    assert_near(links.masses, np.array(wanted))


@given(strategies.trees(**SMALL))
def test_pseudo_inertias_are_those_of_all_that_a_joint_moves_alone(tree):
    links, on = compile_tree(tree), carried(tree)
    for name, J in zip(("", *links.joints), links.pseudo_inertias, strict=True):
        wanted = np.zeros((4, 4))
        for body in tree.bodies:
            if on[body.name] == name:
                inertia, c = np.array(body.inertia), np.array(body.com)
                own, into = np.zeros((4, 4)), np.eye(4)
                own[:3, :3] = np.trace(inertia) / 2 * np.eye(3) - inertia + body.mass * np.outer(c, c)
                own[:3, 3] = own[3, :3] = body.mass * c
                own[3, 3] = body.mass
                into[:3, :3], into[:3, 3] = links.frames[body.name].rotation, links.frames[body.name].position
                wanted += into @ own @ into.T
        assert_near(J, wanted)


@given(strategies.robots(**SMALL))
def test_followers_stand_where_the_twin_has_them(sample):
    tree, q, _, _ = sample
    links = compile_tree(tree)
    wanted = dict(zip([joint.name for joint in ref.movable_joints(tree)], ref.expand(tree, q), strict=True))
    got = links.ratios * np.asarray(q)[links.leaders] + links.shifts
    assert_near(got, np.array([wanted[name] for name in links.joints]))


@given(strategies.trees(**SMALL))
def test_a_table_without_parameters_is_that_of_springs_on_nothing(tree):
    """All that a kernel of torques reads of bodies, rotors and friction of joints is gone; the rest is as it was."""
    springs = [replace(j.drive, rotor_inertia=0, viscous=0, coulomb_plus=0, coulomb_minus=0) for j in tree.joints]
    joints = tuple(replace(joint, drive=drive) for joint, drive in zip(tree.joints, springs, strict=True))
    bare = LinkTable.without_parameters(compile_tree(tree).table)
    wanted = compile_tree(replace(tree, joints=joints)).table.copy()
    wanted[1 : 1 + int(wanted[0, at.LINKS]), at.MASS : at.YZ + 1] = 0.0
    np.testing.assert_array_equal(bare, wanted)
    assert not bare.flags.writeable
