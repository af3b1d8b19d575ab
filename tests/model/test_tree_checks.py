"""Trees put together by hand: whatever they can hold wrong is refused, and told by name."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from checks import assert_same_bits, random_robot

import rne
from rne.model.tree import Body, Coupling, Drive, Joint, Limits, Mimic, Pose, Tree

NAN = float("nan")
UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
MIRROR = ((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
BASE, ARM, HAND = Body("base"), Body("arm", 1.0, (0.1, 0.2, 0.3), UNIT), Body("hand", 1.0, inertia=UNIT)
TURN, BEND = Joint("turn", "revolute", "base", "arm"), Joint("bend", "revolute", "arm", "hand")
TREE = Tree("hand-made", (BASE, ARM, HAND), (TURN, BEND))


def with_arm(**changes):
    return replace(TREE, bodies=(BASE, replace(ARM, **changes), HAND))


def with_turn(**changes):
    return replace(TREE, joints=(replace(TURN, **changes), BEND))


def with_coupling(*names, **numbers):
    return replace(TREE, couplings=(Coupling(*names, **numbers),))


@pytest.mark.parametrize(
    ("tree", "wanted"),
    [
        (with_arm(mass=NAN), "link 'arm': Body.mass = nan is not finite"),
        (with_arm(mass="1"), "link 'arm': Body.mass = '1' is not a number"),
        (with_arm(mass=True), "Body.mass = True is not a number"),
        (with_arm(mass=1e13), "link 'arm': mass, center of mass or inertia is not finite or beyond"),
        (with_arm(com=(0.0, NAN, 0.0)), "Body.com = (0.0, nan, 0.0) holds an entry that is not finite"),
        (with_arm(com=(0.0, 0.0)), "Body.com = (0.0, 0.0) is not a list of 3 numbers"),
        (with_arm(inertia=(UNIT[0], UNIT[1])), "Body.inertia"),
        (with_arm(inertia=((1.0, 0.5, 0.0), UNIT[1], UNIT[2])), "is not symmetric"),
        (with_arm(name=""), "Body.name = '' is not a nonempty string"),
        (with_arm(name=3), "Body.name = 3 is not a nonempty string"),
        (replace(TREE, bodies=(BASE, ARM, HAND, "tool")), "bodies hold 'tool'; each must be a Body"),
        (replace(TREE, bodies=iter((BASE, ARM, HAND))), "is not a tuple"),
        (replace(TREE, joints=None), "joints = None is not a tuple"),
        (replace(TREE, joints=(TURN, BEND, Coupling("turn", "bend"))), "each must be a Joint"),
        (replace(TREE, name=None), "Tree.name = None is not a nonempty string"),
        (replace(TREE, gravity=(0.0, 0.0, NAN)), "Tree.gravity"),
        (replace(TREE, gravity=-9.81), "Tree.gravity = -9.81 is not a list of 3 numbers"),
        (with_turn(origin=Pose(((2.0, 0.0, 0.0), UNIT[1], UNIT[2]))), "joint 'turn': the rotation ((2.0, 0.0, 0.0)"),
        (with_turn(origin=Pose(MIRROR)), "is not an orthonormal, right-handed matrix"),
        (with_turn(origin=Pose(((1.0, 1e-4, 0.0), UNIT[1], UNIT[2]))), "is not an orthonormal, right-handed matrix"),
        (with_turn(origin=Pose(((NAN, 0.0, 0.0), UNIT[1], UNIT[2]))), "Pose.rotation"),
        (with_turn(origin=Pose(position=(0.0, 0.0, math.inf))), "Pose.position"),
        (with_turn(origin=Pose(position=(0.0, 0.0, 2e12))), "the position of the joint is beyond"),
        (with_turn(origin=UNIT), "its origin ((1.0, 0.0, 0.0)"),
        (with_turn(axis=(0.0, NAN, 1.0)), "Joint.axis"),
        (with_turn(axis=(0.0, 0.0, 0.5)), "is not a unit vector"),
        (with_turn(kind="continuous"), "the kind 'continuous' is unknown"),
        (with_turn(parent=None), "Joint.parent = None is not a nonempty string"),
        (with_turn(limits=Limits(lower=NAN)), "Limits.lower = nan is not finite"),
        (with_turn(limits=(-1.0, 1.0)), "its limits (-1.0, 1.0) is not of type Limits"),
        (with_turn(drive=Drive(viscous=NAN)), "Drive.viscous = nan is not finite"),
        (with_turn(drive=Drive(rest=math.inf)), "Drive.rest = inf is not finite"),
        (with_turn(drive=Drive(gear_ratio=0.0)), "the gear ratio is 0"),
        (with_turn(drive=None), "its drive None is not of type Drive"),
        (with_turn(mimic="bend"), "its mimic 'bend' is not of type Mimic"),
        (with_turn(mimic=Mimic("bend", NAN)), "Mimic.ratio = nan is not finite"),
        (with_turn(mimic=Mimic("bend", offset=math.inf)), "Mimic.offset = inf is not finite"),
        (with_coupling("turn", "bent", stiffness=1.0), "no joint is named 'bent' (did you mean 'bend'?)"),
        (with_coupling("elsewhere", "turn", stiffness=1.0), "no joint is named 'elsewhere'; there are turn, bend"),
        (
            with_coupling("turn", "turn", stiffness=1.0),
            "coupling of 'turn' and 'turn': a coupling connects two different joints",
        ),
        (with_coupling("turn", None, stiffness=1.0), "Coupling.second = None is not a nonempty string"),
        (with_coupling("turn", "bend", stiffness=NAN), "Coupling.stiffness = nan is not finite"),
        (with_coupling("turn", "bend", stiffness=1.0, rest=NAN), "Coupling.rest = nan is not finite"),
        (
            replace(TREE, joints=(TURN, replace(BEND, name="base_x")), floating=True),
            "joint 'base_x': this name is that of a number of the base, which floats; rename the joint",
        ),
        (replace(TREE, couplings=("turn", "bend")), "couplings hold 'turn'; each must be a Coupling"),
    ],
)
def test_what_makes_no_sense_is_refused(tree, wanted):
    with pytest.raises(rne.ModelError) as caught:
        rne.Robot(tree)
    assert wanted in str(caught.value)
    assert str(caught.value).startswith("<tree>: ")


def test_every_problem_is_told_at_once():
    tree = replace(with_arm(mass=NAN), joints=(replace(TURN, drive=Drive(viscous=NAN)), replace(BEND, limits=None)))
    with pytest.raises(rne.ModelError) as caught:
        rne.Robot(tree)
    assert len(caught.value.problems) == 3


def test_what_is_only_unusual_is_a_robot():
    """Integers, arrays, lists, limits of none, masses that lenient loading lets in, a spring to a fixed joint."""
    arrays = replace(ARM, mass=np.float32(1.0), com=np.array([0.1, 0.2, 0.3]), inertia=np.eye(3))
    fixed = Joint("bolt", "fixed", "hand", "tool", axis=(0.0, 0.0, 0.0))
    tree = Tree(
        "odd",
        [BASE, arrays, replace(HAND, mass=-1), Body("tool")],
        [replace(TURN, limits=Limits(-math.inf, math.inf), origin=Pose(np.eye(3))), BEND, fixed],
        gravity=[0, 0, -10],
        couplings=(Coupling("turn", "bolt", stiffness=2),),
    )
    plain = Tree("odd", (BASE, ARM, replace(HAND, mass=-1.0)), (TURN, BEND), (0.0, 0.0, -10.0))
    robot, q = rne.Robot(tree), [0.3, 0.4]
    assert_same_bits(rne.mass_matrix(robot, q), rne.mass_matrix(rne.Robot(plain), q))
    assert robot.stiffness.tolist() == [[2.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("seed", range(5))
def test_trees_of_all_kinds_pass(seed):
    tree = random_robot(seed, 12, couplings=0.4, mimic=0.3).tree
    assert rne.Robot(tree, rne.Robot(tree).joint_names[::-1]).n == rne.Robot(tree).n
