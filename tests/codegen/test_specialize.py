"""Robots with code of their own: the numbers of plain numpy, and everything else as it was."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import oracles
import pytest
import reference
from checks import assert_near, assert_same_bits, random_tree

import rne
from rne.codegen.evaluation import evaluate
from rne.codegen.functions import Functions
from rne.codegen.reach import carrying, reached

pytestmark = pytest.mark.filterwarnings("ignore::rne.errors.ModelWarning")
PANDA = "models/panda/robot.urdf"
SAMPLES = 37  # four packs and a piece of one
FUNCTIONS = {"inverse_dynamics": 3, "gravity_vector": 1, "mass_matrix": 1, "forward_dynamics": 3}


@pytest.fixture(scope="module")
def panda():
    return rne.load(PANDA, lock={"panda_finger_joint1": 0.0})


@pytest.fixture(scope="module")
def special(panda):
    return rne.specialize(panda)


def states(robot, samples=SAMPLES, seed=0):
    return np.random.default_rng(seed).normal(size=(3, samples, robot.n)) * [[[2.0]], [[1.0]], [[3.0]]]


def plain(robot, name, state):
    tree = robot.tree
    if name == "forward_dynamics":
        q, qd, tau = state
        return np.linalg.solve(reference.mass_matrix(tree, q), tau - reference.inverse_dynamics(tree, q, qd))
    return getattr(reference, {"gravity_vector": "inverse_dynamics"}.get(name, name))(tree, *state)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_batch_and_single_call_are_those_of_plain_numpy(panda, special, name):
    given = states(panda)[: FUNCTIONS[name]]
    batch = getattr(rne, name)(special, *given)
    for k in (0, 7, 8, 31, 32, 36):
        want = plain(panda, name, [x[k] for x in given])
        assert_near(batch[k], want, rtol=1e-11)
        assert_near(getattr(rne, name)(special, *(x[k].copy() for x in given)), want, rtol=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_random_robots(seed):
    """Slides, branches, followers, rotors, springs between joints."""
    tree = random_tree(seed, 6, couplings=0.4)
    robot = rne.Robot(tree)
    special = rne.specialize(robot)
    q, qd, qdd = states(robot, 11, seed)
    tau, M = rne.inverse_dynamics(special, q, qd, qdd), rne.mass_matrix(special, q)
    again = rne.forward_dynamics(special, q, qd, tau)
    for k in range(11):
        assert_near(tau[k], reference.torques(tree, q[k], qd[k], qdd[k]))
        assert_near(M[k], reference.mass_matrix(tree, q[k]))
        assert_near(rne.inverse_dynamics(special, q[k].copy(), qd[k].copy(), qdd[k].copy()), tau[k])
    assert_near(again, qdd, rtol=1e-8)
    want = rne.gravity_vector(robot, q)
    assert_near(rne.gravity_vector(special, q), want)


def test_wrenches_do_not_leave_its_code(panda, special):
    """With a wrench the torques are those of its own code, to the last bit, minus J^T w."""
    differ = 0
    for q, qd, qdd in states(panda).swapaxes(0, 1):
        wrench = {"panda_hand": np.array([3.0, -2.0, 9.0, 0.4, 0.1, -0.2])}
        pushed = rne.static_torque(special, q, wrench)
        want = rne.inverse_dynamics(special, q, qd, qdd) - pushed
        assert_same_bits(rne.inverse_dynamics(special, q, qd, qdd, f_ext=wrench), want)
        differ += not np.array_equal(want, rne.inverse_dynamics(panda, q, qd, qdd) - pushed)
    assert differ  # otherwise the code of all robots would pass


def test_single_precision(panda, special):
    for name, count in FUNCTIONS.items():
        given = states(panda)[:count].astype(np.float32)
        got = getattr(rne, name)(special, *given)
        assert got.dtype == np.float32
        want = getattr(rne, name)(panda, *given.astype(np.float64))
        assert_near(got, want, rtol=2e-4 if name == "forward_dynamics" else 1e-5)


def test_angles_of_any_size(panda, special):
    """Beyond 1e12 the system's sine takes over; the next pack goes on as before."""
    q, qd, qdd = states(panda, 40)
    q[3, 2], q[17, 5] = 3e14, -1e300
    want = [reference.inverse_dynamics(panda.tree, *x) for x in zip(q, qd, qdd, strict=True)]
    assert_near(rne.inverse_dynamics(special, q, qd, qdd), want, rtol=1e-11)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_not_finite_shows_where_it_does_in_the_code_for_all(panda, special, name):
    """In its sample alone, in the same numbers, of any argument: also where a straight line leaves its product out."""
    given = states(panda, 24)[: FUNCTIONS[name]]
    clean = getattr(rne, name)(special, *given)
    for bad in (np.nan, np.inf):
        for argument in range(len(given)):
            for joint in range(panda.n):
                broken = given.copy()
                broken[argument, 11, joint] = bad
                got, want = getattr(rne, name)(special, *broken), getattr(rne, name)(panda, *broken)
                assert not np.isfinite(want[11]).all()
                assert_same_bits(np.isfinite(got), np.isfinite(want))
                single = getattr(rne, name)(special, *(x[11].copy() for x in broken))
                assert_same_bits(np.isfinite(single), np.isfinite(want[11]))
                assert_same_bits(np.delete(got, 11, axis=0), np.delete(clean, 11, axis=0))


@pytest.mark.parametrize("seed", range(6))
def test_nan_goes_through_random_robots_as_in_the_code_for_all(seed):
    """Slides, branches, followers, massless links and right angles, whose zeros a straight line leaves out."""
    robot = rne.Robot(random_tree(seed, 5, couplings=0.3, skew=0.2, massless=0.3, heavy_tips=True))
    for name in ("inverse_dynamics", "gravity_vector", "mass_matrix", "forward_dynamics"):
        if name == "forward_dynamics" and robot.n < 5:
            continue  # no code of its own
        line = carrying(Functions(robot, of_joints=True).trace(name).program, reached(robot, name))
        _nan_spreads_as(robot, name, line)


def _nan_spreads_as(robot, name, line):
    """A straight line run by numpy against the compiled code for all robots, with one NaN after the other."""
    links, count, follows = robot.links, FUNCTIONS[name], robot.n < len(robot.links.joints)
    rng = np.random.default_rng(0)
    for argument in range(count):
        for coordinate in range(robot.n):
            state = rng.normal(size=(count, robot.n))
            state[argument, coordinate] = np.nan
            of_joints = state[:, links.leaders] * links.ratios if follows else state
            values = dict(zip(("q", "qd", "qdd"), of_joints, strict=False))
            got = evaluate(line, values | {"sin": np.sin(of_joints[0]), "cos": np.cos(of_joints[0])})
            if follows and name != "mass_matrix":
                of_joints, got = got, np.zeros(robot.n)
                np.add.at(got, links.leaders, of_joints)
            want = getattr(rne, name)(robot, *state)
            assert_same_bits(np.isnan(got.reshape(want.shape)), np.isnan(want))


def test_its_own_code_runs(panda, special, monkeypatch):
    """For what it is for; what it is not for runs the code for all robots, to the last bit."""
    q, qd, qdd = states(panda)
    called = []
    for (entry, flags), own in special._own.items():
        own.compiled()  # before `call` is replaced: the first call of an entry sets it
        call = own.call
        monkeypatch.setattr(own, "call", lambda *a, call=call, key=(entry, flags): called.append(key) or call(*a))
    rne.inverse_dynamics(special, q, qd, qdd)
    rne.inverse_dynamics(special, q[0].copy(), qd[0].copy(), qdd[0].copy())
    rne.mass_matrix(special, q.reshape(1, *q.shape))
    assert len({entry for entry, _ in called}) >= 3
    called.clear()
    for options in ({"friction": True}, {"gravity": [0.0, 0.0, -1.6]}):
        got = rne.inverse_dynamics(special, q, qd, qdd, **options)
        assert_same_bits(got, rne.inverse_dynamics(panda, q, qd, qdd, **options))
    assert_same_bits(rne.mass_matrix(special, q, rotors=False), rne.mass_matrix(panda, q, rotors=False))
    assert_same_bits(rne.coriolis_matrix(special, q, qd), rne.coriolis_matrix(panda, q, qd))
    assert not [entry for entry, _ in called if entry.batch]


def test_the_same_robot_to_everything_else(panda, special):
    assert isinstance(special, rne.Robot)
    assert str(special) == str(panda)
    assert special.joint_names == panda.joint_names
    q, qd, qdd = states(panda)
    push = {"panda_hand": np.ones(6)}
    got = rne.inverse_dynamics(special, q, qd, qdd, f_ext=push)
    assert_near(got, rne.inverse_dynamics(panda, q, qd, qdd, f_ext=push))
    assert_same_bits(rne.inverse_dynamics(special, q, qd, qdd, threads=2), rne.inverse_dynamics(special, q, qd, qdd))
    out = np.empty_like(q)
    assert rne.inverse_dynamics(special, q, qd, qdd, out=out) is out
    assert special.with_payload(1.0, frame="panda_hand")._own is None
    loaded = rne.inverse_dynamics(special.with_payload(1.0, frame="panda_hand"), q)
    assert_same_bits(loaded, rne.inverse_dynamics(panda.with_payload(1.0, frame="panda_hand"), q))


def test_a_singular_mass_matrix_is_an_error():
    rows = [{"joint": "revolute", "a": 1.0}, {"joint": "revolute", "a": 1.0, "mass": 1.0}]
    robot = rne.specialize(rne.from_dh(rows, convention="standard"))
    assert np.isfinite(rne.forward_dynamics(robot, [0.0, 1.0], None, [1.0, 0.0])).all()
    for q in ([0.0, 0.0], [[0.0, 1.0]] * 9 + [[0.0, 0.0]]):
        with pytest.raises(rne.SingularError):
            rne.forward_dynamics(robot, q)


def test_wrong_arguments_are_errors_as_before(special):
    with pytest.raises(rne.ArgumentError, match="q: wanted shape"):
        rne.inverse_dynamics(special, np.zeros(6))
    with pytest.raises(rne.ArgumentError, match="out"):
        rne.mass_matrix(special, np.zeros(7), out=np.zeros(7))


def _torques(robot):
    return rne.inverse_dynamics(robot, *states(robot))


def test_pickles_copies_and_forks(special):
    want = _torques(special)
    again = pickle.loads(pickle.dumps(special))
    assert again._own is not None
    assert_same_bits(_torques(again), want)
    assert copy.deepcopy(special) is special
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert_same_bits(pool.apply(_torques, (special,)), want)


def test_compiled_code_is_found_again(tmp_path):
    """In a new process, by another robot of the same numbers; not by one of other numbers."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}

    def files(change=""):
        robot = f'rne.load("models/planar2/robot.dh.toml"){change}'
        program = f"import rne; rne.gravity_vector(rne.specialize({robot}), [[0.1, 0.2]])"
        subprocess.run([sys.executable, "-c", program], env=environment, check=True, cwd=Path(__file__).parents[2])
        return {(path.name, path.stat().st_mtime_ns) for path in tmp_path.rglob("own_code.*.nbc")}

    first = files()
    assert first
    assert files() == first
    assert first < files(".with_gravity([0, -1.6, 0])")


@pytest.mark.parametrize("joints", [40, 60])
def test_robots_that_are_too_large(joints):
    robot = rne.Robot(random_tree(1, joints, mimic=0.0))
    with pytest.raises(rne.ArgumentError, match=rf"has {joints} joints; code of its own is for up to 39.*compile"):
        rne.specialize(robot)


def test_a_robot_without_joints(panda):
    still = rne.specialize(panda.with_locked(dict.fromkeys(panda.joint_names, 0.1)))
    assert rne.inverse_dynamics(still, np.zeros((3, 0))).shape == (3, 0)


def test_a_big_robot_of_pinocchio():
    path = oracles.example_urdf("anymal-kinova.urdf")
    robot, pm = rne.load(path), oracles.pin_model(path)
    special = rne.specialize(robot)
    q, qd, qdd = states(robot, 9)
    tau = rne.inverse_dynamics(special, q, qd, qdd)
    for k in range(9):
        assert_near(tau[k], oracles.pin_inverse_dynamics(pm, robot.joint_names, q[k], qd[k], qdd[k]), rtol=1e-11)


def test_few_multiply_adds_carry_a_nan(panda):
    """The first position of a Panda counts in no result: one for all seven. Masses take one for each joint."""
    for name, count in {"inverse_dynamics": 1, "gravity_vector": 1, "forward_dynamics": 1, "mass_matrix": 7}.items():
        plain = Functions(panda, of_joints=True).trace(name).program
        assert carrying(plain, reached(panda, name)).count() - plain.count() == count
