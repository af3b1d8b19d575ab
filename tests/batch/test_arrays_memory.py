"""Where arguments and results live: any layout of inputs, `out=`, nothing shared, nothing changed, nothing hoarded."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from checks import assert_same_bits, random_robot, random_states
from own_robots import arm, gripper

import rne

ROOT = Path(__file__).parents[2]
ARM = arm()
SAMPLES = 37
STATE = random_states(6, SAMPLES, seed=3)
TAU = rne.inverse_dynamics(ARM, *STATE)


# ------------------------------------------------------------------------------------------------- layouts of inputs


def doubled(x):
    """Every second row of an array whose other rows are a trap."""
    wide = np.full((2 * len(x), x.shape[1]), np.nan)
    wide[::2] = x
    return wide[::2]


def spread(x):
    """Every third column of an array; no row is contiguous."""
    wide = np.full((len(x), 3 * x.shape[1]), np.nan)
    wide[:, 1::3] = x
    return wide[:, 1::3]


def backward(x):
    return np.ascontiguousarray(x[::-1])[::-1]


def mirrored(x):
    """Columns in reverse order in memory."""
    return np.ascontiguousarray(x[:, ::-1])[:, ::-1]


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def unaligned(x):
    """Numbers that begin at an odd address."""
    raw = np.zeros(x.nbytes + 1, np.uint8)
    shifted = raw[1:].view(x.dtype).reshape(x.shape)
    shifted[:] = x
    assert not shifted.flags.aligned
    return shifted


def a_field(x):
    """One field of records, the other of which lies between its rows."""
    records = np.zeros(len(x), [("stamp", "i4"), ("x", "f8", 6)])
    records["x"] = x
    return records["x"]


LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "every second row": doubled,
    "every third column": spread,
    "reversed": backward,
    "mirrored": mirrored,
    "read-only": read_only,
    "unaligned": unaligned,
    "field": a_field,
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_the_layout_of_the_inputs_does_not_matter(layout):
    state = [layout(x) for x in STATE]
    assert_same_bits(rne.inverse_dynamics(ARM, *state), TAU)
    for which in range(3):
        mixed = [layout(x) if k == which else x for k, x in enumerate(STATE)]
        assert_same_bits(rne.inverse_dynamics(ARM, *mixed), TAU)
    for k in (0, SAMPLES - 1):
        assert_same_bits(rne.inverse_dynamics(ARM, *(x[k] for x in state)), TAU[k])


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_the_layout_does_not_matter_with_followers(layout):
    robot = gripper()
    state = random_states(2, SAMPLES)
    wanted = rne.inverse_dynamics(robot, *state)
    wide = [layout(np.tile(x, 3))[:, :2] for x in state]
    assert_same_bits(rne.inverse_dynamics(robot, *wide), wanted)


def test_column_slices_of_a_log():
    log = np.concatenate([np.arange(SAMPLES)[:, None], *STATE, np.full((SAMPLES, 2), np.nan)], axis=1)
    state = [log[:, 1 + 6 * k : 7 + 6 * k] for k in range(3)]
    assert_same_bits(rne.inverse_dynamics(ARM, *state), TAU)
    assert_same_bits(rne.inverse_dynamics(ARM, *(x[::-2] for x in state)), TAU[::-2])
    assert_same_bits(rne.inverse_dynamics(ARM, *(x[5:6] for x in state)), TAU[5:6])
    half = log.astype(np.float32)
    tau = rne.inverse_dynamics(ARM, *(half[:, 1 + 6 * k : 7 + 6 * k] for k in range(3)))
    assert_same_bits(tau, rne.inverse_dynamics(ARM, *(x.astype(np.float32) for x in STATE)))


def test_axes_swapped_and_broadcast_in_place():
    cube = np.stack(STATE)  # (3, samples, 6)
    turned = np.moveaxis(cube, 0, 1)
    assert_same_bits(rne.inverse_dynamics(ARM, *(turned[:, k] for k in range(3))), TAU)
    same = np.broadcast_to(STATE[0][0], (SAMPLES, 6))
    assert_same_bits(rne.gravity_vector(ARM, same), np.tile(rne.gravity_vector(ARM, STATE[0][0]), (SAMPLES, 1)))
    square = [x[:36].reshape(6, 6, 6) for x in STATE]
    wanted = TAU[:36].reshape(6, 6, 6).swapaxes(0, 1)
    assert_same_bits(rne.inverse_dynamics(ARM, *(x.swapaxes(0, 1) for x in square)), wanted)


def test_a_log_on_disk(tmp_path):
    np.save(tmp_path / "log.npy", np.concatenate(STATE, axis=1))
    log = np.load(tmp_path / "log.npy", mmap_mode="r")
    tau = rne.inverse_dynamics(ARM, *(log[:, 6 * k : 6 * k + 6] for k in range(3)))
    assert type(tau) is np.ndarray
    assert_same_bits(tau, TAU)
    out = np.lib.format.open_memmap(tmp_path / "tau.npy", "w+", np.float64, (SAMPLES, 6))
    assert rne.inverse_dynamics(ARM, *STATE, out=out) is out
    out.flush()
    assert_same_bits(np.load(tmp_path / "tau.npy"), TAU)


# --------------------------------------------------------------------------------------------------- nothing is shared


@pytest.mark.parametrize("friction", [False, True])
def test_inputs_stay_as_they_were(friction):
    wrench = np.ones((SAMPLES, 6))
    for shape in (slice(None), 0):
        state = [x[shape].copy() for x in STATE]
        load = wrench[shape].copy()
        rne.inverse_dynamics(ARM, *state, f_ext={"tool": load}, friction=friction)
        rne.inverse_dynamics(ARM, *state, friction=friction)
        for x, before in zip(state, STATE, strict=True):
            assert_same_bits(x, before[shape])
        assert_same_bits(load, wrench[shape])


@pytest.mark.parametrize("pick", [slice(None), 0], ids=["batch", "single"])
def test_a_result_is_fresh_memory_of_its_own(pick):
    state = [x[pick] for x in STATE]
    for call in (
        lambda: rne.inverse_dynamics(ARM, *state),
        lambda: rne.inverse_dynamics(ARM, *state, gravity=[0, 0, 1]),
        lambda: rne.inverse_dynamics(ARM, *state, f_ext={"tool": np.ones(6)}),
        lambda: rne.gravity_vector(ARM, state[0]),
        lambda: rne.friction_torque(ARM, state[1]),
        lambda: rne.coriolis_vector(ARM, state[0], state[1]),
    ):
        first = call()
        before = first.copy()
        assert first.flags.owndata
        assert first.flags.c_contiguous
        assert first.flags.writeable
        second = call()
        assert not np.shares_memory(first, second)
        assert not any(np.shares_memory(first, x) for x in state)
        second[:] = np.nan
        assert_same_bits(call(), before)


# ---------------------------------------------------------------------------------------------------------------- out


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_out_is_filled_and_returned(dtype):
    state = [x.astype(dtype) for x in STATE]
    for pick in (slice(None), 0):
        one = [x[pick] for x in state]
        wanted = rne.inverse_dynamics(ARM, *one)
        out = np.full_like(wanted, np.nan)
        assert rne.inverse_dynamics(ARM, *one, out=out) is out
        assert_same_bits(out, wanted)
        assert rne.inverse_dynamics(ARM, *one, out=out, f_ext={"tool": np.ones(6, dtype)}) is out
        assert_same_bits(out, rne.inverse_dynamics(ARM, *one, f_ext={"tool": np.ones(6, dtype)}))
    q, qd, _ = state
    for got, wanted in (
        (rne.gravity_vector(ARM, q, out=np.empty_like(q)), rne.gravity_vector(ARM, q)),
        (rne.bias_vector(ARM, q, qd, out=np.empty_like(q)), rne.bias_vector(ARM, q, qd)),
        (rne.coriolis_vector(ARM, q, qd, out=np.empty_like(q)), rne.coriolis_vector(ARM, q, qd)),
        (rne.friction_torque(ARM, qd, out=np.empty_like(q)), rne.friction_torque(ARM, qd)),
    ):
        assert_same_bits(got, wanted)


@pytest.mark.parametrize("layout", [v for k, v in LAYOUTS.items() if k != "read-only"])
def test_out_may_have_any_layout_and_only_it_is_written(layout):
    out = layout(np.full((SAMPLES, 6), 7.0))
    around = out.base if out.base is not None else out
    raw = around.view(np.uint8) if around.flags.c_contiguous else None
    before = None if raw is None else raw.copy()
    assert rne.inverse_dynamics(ARM, *STATE, out=out) is out
    assert_same_bits(np.array(out), TAU)
    if raw is not None:
        out[...] = 7.0  # what surrounds it must be what it was
        assert_same_bits(raw, before)


@pytest.mark.parametrize(
    ("out", "given"),
    [
        (np.empty((SAMPLES, 5)), rf"got float64 \({SAMPLES}, 5\)"),
        (np.empty(6), r"got float64 \(6,\)"),
        (np.empty((1, SAMPLES, 6)), "got float64"),
        (np.empty((SAMPLES, 6), np.float32), "got float32"),
        (np.empty((SAMPLES, 6), ">f8"), "got >f8"),
        (np.empty((SAMPLES, 6), int), "got int64"),
        (np.empty((SAMPLES, 6), complex), "got complex128"),
        (np.empty((SAMPLES, 6), object), "got object"),
        ([[0.0] * 6] * SAMPLES, "got list"),
        (7, "got int"),
    ],
)
def test_an_out_that_does_not_fit_is_refused(out, given):
    with pytest.raises(rne.ArgumentError, match=rf"out: wanted a float64 array of shape \({SAMPLES}, 6\), {given}"):
        rne.inverse_dynamics(ARM, *STATE, out=out)


@pytest.mark.parametrize("pick", [slice(None), 0], ids=["batch", "single"])
def test_a_read_only_out_is_refused(pick):
    out = read_only(TAU)[pick]
    with pytest.raises(rne.ArgumentError, match="out: the array is read-only"):
        rne.inverse_dynamics(ARM, *(x[pick] for x in STATE), out=out)
    assert_same_bits(out, TAU[pick])


@pytest.mark.parametrize("shift", [0, 1, 5, -1])
@pytest.mark.parametrize("which", range(3))
def test_out_may_overlap_the_inputs(which, shift):
    """As if the inputs had been copied first, also where a row written is a row still to be read."""
    memory = np.zeros((SAMPLES + 10, 6))
    state = list(STATE)
    state[which] = memory[5 : 5 + SAMPLES]
    state[which][:] = STATE[which]
    out = memory[5 + shift : 5 + shift + SAMPLES]
    rne.inverse_dynamics(ARM, *state, out=out)
    assert_same_bits(out, TAU)


def test_out_may_be_an_input_of_one_state_or_a_wrench():
    q, qd, qdd = (x[0].copy() for x in STATE)
    assert rne.inverse_dynamics(ARM, q, qd, qdd, out=qdd) is qdd
    assert_same_bits(qdd, TAU[0])
    wrench = np.ones((SAMPLES, 6))
    wanted = rne.inverse_dynamics(ARM, *STATE, f_ext={"tool": wrench})
    assert_same_bits(rne.inverse_dynamics(ARM, *STATE, f_ext={"tool": wrench}, out=wrench), wanted)


def test_out_of_an_empty_batch():
    out = np.empty((0, 6))
    assert rne.inverse_dynamics(ARM, np.empty((0, 6)), out=out) is out


# ------------------------------------------------------------------------------------------------------ memory it takes


@pytest.mark.parametrize("threads", [1, 2])
def test_python_allocates_the_result_and_nothing_else(threads):
    state = random_states(6, 100_000)
    rne.inverse_dynamics(ARM, *state, threads=threads)
    tracemalloc.start()
    try:
        tau = rne.inverse_dynamics(ARM, *state, threads=threads)
        _, peak = tracemalloc.get_traced_memory()
        assert peak < tau.nbytes + 100_000
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        rne.inverse_dynamics(ARM, *state, threads=threads, out=tau)
        assert tracemalloc.get_traced_memory()[1] - before < 100_000
    finally:
        tracemalloc.stop()


PEAK = """
import resource, sys
import numpy as np
import rne

samples, threads = map(int, sys.argv[1:])
robot = rne.load("models/panda/robot.urdf", lock={"panda_finger_joint1": 0.0})
state = [np.full((samples, 7), 0.1 * k) for k in range(3)]
warm = [x[: 128 * threads] for x in state]
rne.inverse_dynamics(robot, *warm, threads=threads)  # compiles, starts the threads
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before = peak()
tau = rne.inverse_dynamics(robot, *state, threads=threads)
print(peak() - before - tau.nbytes)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the peak of resident memory as Linux counts it")
@pytest.mark.parametrize(("samples", "threads"), [(1_000_000, 2), (100_000, 1)])
def test_a_large_batch_takes_its_result_and_a_mebibyte_a_thread(samples, threads):
    """What compiled code allocates is not seen by Python: the peak of a process of its own is."""
    command = [sys.executable, "-c", PEAK, str(samples), str(threads)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) < threads * 2**20


def test_results_do_not_depend_on_what_was_calculated_before():
    """Scratch memory is not cleared; a small robot after a large one, with other kinds of joints."""
    robots = [random_robot(seed, 3 + 5 * seed) for seed in range(4)]
    states = [random_states(robot.n, 11, seed=5) for robot in robots]
    first = [rne.inverse_dynamics(robot, *state) for robot, state in zip(robots, states, strict=True)]
    for robot, state, tau in reversed(list(zip(robots, states, first, strict=True))):
        assert_same_bits(rne.inverse_dynamics(robot, *state), tau)


@pytest.mark.parametrize("strides", [(0, 8), (8, 8), (48, -8), (40, 8), (-8, 56)])
def test_an_out_whose_entries_share_memory_is_refused(strides):
    memory = np.zeros(100)
    out = np.lib.stride_tricks.as_strided(memory[50:], (7, 6), strides)
    q = random_states(6, 7, seed=1)[0]
    if strides in ((48, -8), (-8, 56)):  # one way or the other, each entry has a place of its own
        assert_same_bits(rne.gravity_vector(ARM, q, out=out), rne.gravity_vector(ARM, q))
        return
    with pytest.raises(rne.ArgumentError, match="out: several of its entries share their memory"):
        rne.gravity_vector(ARM, q, out=out)
    assert not memory.any()
