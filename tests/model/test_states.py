"""Named states of any robot."""

from __future__ import annotations

import numpy as np
import pytest
from own_robots import arm

import rne


def test_states_by_row_and_by_joint():
    robot = arm()
    q = np.linspace(-1, 1, robot.n)
    stated = robot.with_states({"home": q, "bent": {robot.joint_names[2]: 0.4}})
    assert robot.state_names == ()
    assert stated.state_names == ("home", "bent")
    np.testing.assert_array_equal(stated.state("home"), [q, np.zeros(robot.n)])
    np.testing.assert_array_equal(stated.state("bent")[0], [0, 0, 0.4, 0, 0, 0])
    again = stated.with_states({"home": 2 * q})
    assert again.state_names == ("home", "bent")
    np.testing.assert_array_equal(again.state("home")[0], 2 * q)


def test_states_go_along_with_changes_of_order_and_joints():
    robot = arm()
    q = np.linspace(-1, 1, robot.n)
    stated = robot.with_states({"home": q}).with_payload(1.0, frame=robot.frame_names[-1])
    other = rne.Robot(stated.tree, robot.joint_names[::-1])
    np.testing.assert_array_equal(other.state("home")[0], q[::-1])
    locked = stated.with_locked({robot.joint_names[0]: 0.3})
    np.testing.assert_array_equal(locked.state("home")[0], q[1:])


def test_states_survive_a_pickle():
    import pickle

    stated = arm().with_states({"home": np.ones(6)})
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(stated)).state("home")[0], np.ones(6))


def test_states_of_a_tree_are_checked():
    tree = arm().tree
    with pytest.raises(rne.ModelError, match=r"state 'home': State\.q = .* is not a tuple of pairs"):
        rne.Robot(rne.Tree(tree.name, tree.bodies, tree.joints, states=(rne.State("home", ((1.0,),)),)))  # type: ignore[arg-type]
    with pytest.raises(rne.ModelError, match="states hold 3; each must be a State"):
        rne.Robot(rne.Tree(tree.name, tree.bodies, tree.joints, states=(3,)))  # type: ignore[arg-type]
