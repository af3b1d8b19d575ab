"""Batches on several threads: the same bits however many, from however many callers, and refused where senseless."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from checks import assert_same_bits, random_robot, random_states
from own_robots import arm, gripper

import rne
from rne.batch import threads as many

ARM = arm()
SAMPLES = 1000 + 37  # some blocks of 64, and one that is not full
STATE = random_states(6, SAMPLES, seed=6)
TAU = rne.inverse_dynamics(ARM, *STATE, threads=1)


@pytest.mark.parametrize("threads", [1, 2, 3, 5, 16, 200, np.int64(4), 3.0, None])
def test_the_number_of_threads_does_not_change_a_bit(threads):
    assert_same_bits(rne.inverse_dynamics(ARM, *STATE, threads=threads), TAU)
    out = np.full_like(TAU, np.nan)
    assert_same_bits(rne.inverse_dynamics(ARM, *STATE, threads=threads, out=out), TAU)


@pytest.mark.parametrize("samples", [1, 63, 64, 65, 128, 129, 191, 200])
@pytest.mark.parametrize("threads", [2, 3, 7])
def test_no_sample_is_forgotten_at_the_seams(samples, threads):
    got = rne.inverse_dynamics(ARM, *(x[:samples] for x in STATE), threads=threads)
    assert_same_bits(got, TAU[:samples])


@pytest.mark.parametrize("threads", [2, 3, 200])
def test_threads_with_everything_else(threads):
    half = [x.astype(np.float32) for x in STATE]
    options = {"friction": True, "gravity": (1, 2, 3), "f_ext": {"tool": np.ones((SAMPLES, 6), np.float32)}}
    wanted = rne.inverse_dynamics(ARM, *half, **options, threads=1)
    assert_same_bits(rne.inverse_dynamics(ARM, *half, **options, threads=threads), wanted)
    assert_same_bits(rne.inverse_dynamics(ARM, *(x[::-1] for x in STATE), threads=threads), TAU[::-1])
    coupled, state = gripper(), random_states(2, SAMPLES)
    wanted = rne.inverse_dynamics(coupled, *state, threads=1)
    assert_same_bits(rne.inverse_dynamics(coupled, *state, threads=threads), wanted)
    for call in (
        lambda n: rne.gravity_vector(ARM, STATE[0], threads=n),
        lambda n: rne.bias_vector(ARM, *STATE[:2], threads=n),
        lambda n: rne.coriolis_vector(ARM, *STATE[:2], threads=n),
        lambda n: rne.friction_torque(ARM, STATE[1], threads=n),
    ):
        assert_same_bits(call(threads), call(1))


BAD = [0, -1, 1.5, np.nan, np.inf, True, False, "two", "", [2], b"2x", 1j]


@pytest.mark.parametrize("threads", BAD, ids=repr)
def test_a_senseless_number_of_threads_is_refused(threads):
    with pytest.raises(rne.ArgumentError, match="threads: wanted a positive whole number, got"):
        rne.inverse_dynamics(ARM, *STATE, threads=threads)
    with pytest.raises(rne.ArgumentError, match="threads: wanted a positive whole number, got"):
        rne.friction_torque(ARM, STATE[1], threads=threads)


@pytest.mark.parametrize("threads", [0, "two"])
@pytest.mark.parametrize("samples", [(), (1,), (0,)], ids=str)
def test_it_is_refused_for_a_small_batch_too(threads, samples):
    q = np.zeros((*samples, 6))
    with pytest.raises(rne.ArgumentError, match="threads"):
        rne.inverse_dynamics(ARM, q, q, q, threads=threads)


def test_the_environment_may_limit_the_threads(monkeypatch):
    big = 10**9
    monkeypatch.setenv("RNE_NUM_THREADS", "3")
    assert many.thread_count(None, big, 7) == 3
    assert many.thread_count(2, big, 7) == 2
    assert_same_bits(rne.inverse_dynamics(ARM, *STATE), TAU)
    monkeypatch.setenv("RNE_NUM_THREADS", "")
    assert many.thread_count(None, big, 7) == len(os.sched_getaffinity(0))
    for senseless in ("0", "-2", "many", "1.5", "nan"):
        monkeypatch.setenv("RNE_NUM_THREADS", senseless)
        with pytest.raises(rne.ArgumentError, match="RNE_NUM_THREADS: wanted a positive whole number"):
            many.thread_count(None, big, 7)
        assert_same_bits(rne.inverse_dynamics(ARM, *STATE), TAU)  # too small to ask
        assert_same_bits(rne.inverse_dynamics(ARM, *STATE, threads=2), TAU)


def test_small_batches_stay_on_the_thread_of_the_caller(monkeypatch):
    monkeypatch.setenv("RNE_NUM_THREADS", "8")
    assert many.thread_count(None, 1, 7) == 1
    assert many.thread_count(None, 200, 7) == 1
    assert many.thread_count(None, 10**6, 7) == 8
    assert many.thread_count(8, 100, 7) == 2  # no more than there are blocks of 64


@pytest.mark.parametrize(("samples", "threads"), [(1, 1), (64, 2), (65, 2), (1000, 3), (1000, 16), (129, 200)])
def test_slices_make_up_the_range_and_no_block_is_shared(samples, threads):
    seen, lock = [], threading.Lock()

    def work(first, stop):
        with lock:
            seen.append((first, stop))

    many.run(work, samples, threads)
    covered = [k for first, stop in sorted(seen) for k in range(first, stop)]
    assert covered == list(range(samples))
    assert all(first % 64 == 0 for first, _ in seen)


def test_an_error_on_another_thread_reaches_the_caller_after_all_have_ended():
    ended = []

    def work(first, stop):
        if first:
            raise KeyError("elsewhere")
        ended.append(stop)

    with pytest.raises(KeyError, match="elsewhere"):
        many.run(work, 1000, 3)
    assert ended


def test_threads_of_the_caller_may_share_a_robot():
    """Single calls, batches and batches on threads side by side, all on one robot."""
    robot = random_robot(2, 9)
    states = [random_states(robot.n, 300, seed=seed) for seed in range(8)]
    wanted = [rne.inverse_dynamics(robot, *state, threads=1) for state in states]

    def work(job):
        number, kind = job
        if kind == 0:
            one = [rne.inverse_dynamics(robot, *(x[k] for x in states[number])) for k in range(300)]
            return number, np.array(one)
        return number, rne.inverse_dynamics(robot, *states[number], threads=kind)

    with ThreadPoolExecutor(6) as pool:
        for number, tau in pool.map(work, [(n, kind) for _ in range(4) for n in range(8) for kind in (0, 1, 3)]):
            assert_same_bits(tau, wanted[number])


# Functions of a state (q, qd, qdd) of a robot that has the frame "tool".
FUNCTIONS = {
    "inverse dynamics": rne.inverse_dynamics,
    "forward dynamics": rne.forward_dynamics,
    "gravity": lambda robot, q, qd, qdd, **options: rne.gravity_vector(robot, q, **options),
    "mass matrix": lambda robot, q, qd, qdd, **options: rne.mass_matrix(robot, q, **options),
    "Coriolis matrix": lambda robot, q, qd, qdd, **options: rne.coriolis_matrix(robot, q, qd, **options),
    "energy": lambda robot, q, qd, qdd, **options: rne.kinetic_energy(robot, q, qd, **options),
    "pose": lambda robot, q, qd, qdd, **options: rne.forward_kinematics(robot, q, "tool", **options),
    "Jacobian": lambda robot, q, qd, qdd, **options: rne.jacobian(robot, q, "tool", **options),
    "reactions": lambda robot, q, qd, qdd, **options: rne.joint_wrenches(robot, q, qd, qdd, **options),
    "wrench": lambda robot, q, qd, qdd, **options: rne.static_torque(robot, q, {"tool": qd}, **options),
}


def test_sixteen_threads_may_call_everything_on_one_robot():
    """Each goes through all functions in an order of its own, one state or a batch, on one thread or two."""
    states = [random_states(6, 130, seed=seed) for seed in range(4)]
    jobs = [(name, number, how) for name in FUNCTIONS for number in range(4) for how in ("one", 1, 2)]

    def work(job):
        name, number, how = job
        state, call = states[number], FUNCTIONS[name]
        return call(ARM, *(x[number] for x in state)) if how == "one" else call(ARM, *state, threads=how)

    wanted = dict(zip(jobs, map(work, jobs), strict=True))
    gate = threading.Barrier(16)

    def all_jobs(seed):
        gate.wait()
        order = np.random.default_rng(seed).permutation(len(jobs))
        return [(jobs[k], work(jobs[k])) for k in order]

    with ThreadPoolExecutor(16) as pool:
        for results in pool.map(all_jobs, range(16)):
            for job, got in results:
                assert_same_bits(got, wanted[job])


RACE = """
import threading
import numpy as np
import rne

robot = rne.load("models/planar2/robot.dh.toml")
results, gate = [], threading.Barrier(6)

def work():
    gate.wait()
    results.append(rne.inverse_dynamics(robot, np.zeros((3, 2)), threads=1))
    results.append(rne.inverse_dynamics(robot, np.zeros(2), np.zeros(2), np.zeros(2))[None].repeat(3, axis=0))

threads = [threading.Thread(target=work) for _ in range(6)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(results), all(np.array_equal(results[0], r) for r in results))
"""


def test_the_first_calls_of_a_process_may_come_from_many_threads_at_once():
    command = [sys.executable, "-c", RACE]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert done.stdout == "12 True\n", done.stderr
