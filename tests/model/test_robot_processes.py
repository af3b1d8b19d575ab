"""A robot goes anywhere: pickled, to spawned and forked processes, before and after compiled calls."""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from checks import assert_same_bits, random_robot, random_states
from own_robots import arm, gripper

import rne

ROOT = Path(__file__).parents[2]
STATE = random_states(6, 300, seed=8)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickling_keeps_every_bit(protocol):
    order = ("yaw", "pitch", "roll", "reach", "shoulder", "turret")
    robots = [arm(), arm(joints=order, gravity=(1, 2, 3)), gripper(), random_robot(3, 12), arm().with_payload(1.0)]
    for robot in robots:
        copy = pickle.loads(pickle.dumps(robot, protocol))
        assert copy is not robot
        assert repr(copy) == repr(robot)
        assert copy.joint_names == robot.joint_names
        assert_same_bits(copy.links.table, robot.links.table)
        state = random_states(robot.n, 5)
        assert_same_bits(rne.inverse_dynamics(copy, *state), rne.inverse_dynamics(robot, *state))


def test_a_pickle_holds_no_compiled_things():
    """It is the tree, and small; it may be read by another version of the table."""
    robot = arm()
    before = pickle.dumps(robot)
    rne.inverse_dynamics(robot, *STATE, threads=2)
    assert pickle.dumps(robot) == before
    assert len(before) < 10_000


# What a child does: reads a robot and a state from its input, and answers with the torques.
CHILD = """
import pickle, sys
import rne
robot, state = pickle.load(sys.stdin.buffer)
one = rne.inverse_dynamics(robot, *(x[0] for x in state))
sys.stdout.buffer.write(pickle.dumps((one, rne.inverse_dynamics(robot, *state, threads=2))))
"""


def test_another_process_gives_the_same_bits():
    robot = arm()
    sent = pickle.dumps((robot, STATE))
    done = subprocess.run([sys.executable, "-c", CHILD], input=sent, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    one, many = pickle.loads(done.stdout)
    assert_same_bits(one, rne.inverse_dynamics(robot, *(x[0] for x in STATE)))
    assert_same_bits(many, rne.inverse_dynamics(robot, *STATE))


SPAWN = """
import multiprocessing, sys
import numpy as np
import rne

def work(job):
    robot, q = job
    return rne.inverse_dynamics(robot, q)

if __name__ == "__main__":
    robot = rne.load("models/scara/robot.dh.toml")
    q = np.linspace(-1, 1, 40).reshape(10, 4)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        tau = np.concatenate(pool.map(work, [(robot, q[:5]), (robot, q[5:])]))
    print(np.array_equal(tau, rne.inverse_dynamics(robot, q)))
"""


def test_a_pool_of_spawned_processes(tmp_path):
    script = tmp_path / "script.py"  # spawning needs a file, whose __main__ is guarded
    script.write_text(SPAWN)
    command = [sys.executable, str(script)]
    done = subprocess.run(command, cwd=ROOT, env=_with_path(), capture_output=True, text=True, check=False)
    assert done.stdout == "True\n", done.stderr


def _with_path():
    import os

    return {**os.environ, "PYTHONPATH": str(ROOT)}


FORK = """
import multiprocessing, sys
import numpy as np
import rne

robot = rne.load("models/scara/robot.dh.toml")
q = np.linspace(-1, 1, 4000).reshape(1000, 4)
wanted = rne.inverse_dynamics(robot, q, threads=3)  # threads of the parent exist, and are gone in the child

def work(threads):
    return np.array_equal(rne.inverse_dynamics(robot, q, threads=threads), wanted)

with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map_async(work, [1, 2, 3, 3]).get(timeout=60))
"""


@pytest.mark.skipif(not hasattr(multiprocessing, "get_context") or sys.platform == "win32", reason="no fork")
def test_a_pool_of_forked_processes_after_threads_have_run():
    """In a process of its own: this one has threads of other libraries, with which forking is another's gamble."""
    done = subprocess.run([sys.executable, "-c", FORK], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "[True, True, True, True]\n", done.stderr


def test_states_of_a_robot_do_not_pass_through_it():
    """Two robots made of one tree share nothing that a call could change."""
    tree = arm().tree
    one, other = rne.Robot(tree), rne.Robot(tree)
    assert not np.shares_memory(one.links.table, other.links.table)
