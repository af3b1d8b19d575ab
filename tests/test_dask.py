"""The functions on dask arrays: the bits of the functions on numpy arrays, whatever the chunks, and nothing early."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import pytest
from checks import assert_same_bits, random_states
from own_robots import arm, gripper

import rne
import rne.dask as lazy

ROOT = Path(__file__).parents[1]
ARM = arm()
STATE = random_states(6, 2, 50, seed=4)
CHUNKS = ((1, 1), (20, 20, 10), (6,))
Q, QD, QDD = (da.from_array(x, chunks=CHUNKS) for x in STATE)
WRENCH = random_states(6, 2, 50, seed=5)[0]

# What each function takes besides the state.
OPTIONS = {
    "contact_forward_dynamics": {"contacts": {"tool": "point"}, "f_ext": {"hand": (WRENCH, "local")}},
    "contact_impulse": {"contacts": ["tool"]},
    "contact_inverse_dynamics": {"contacts": {"tool": ("surface", "local")}, "passive": [2], "torque_weights": 1.0},
    "effective_inertia": {"free": ["turret", 2]},
    "forward_dynamics": {"friction": True, "f_ext": {"tool": WRENCH[0, 0]}},
    "forward_kinematics": {"frames": ["tool"]},
    "frame_acceleration": {"frame": "tool", "axes": "local"},
    "frame_velocity": {"frame": "tool", "point": [0, 0, 0.1]},
    "inertia_ellipsoid": {"frame": "tool"},
    "inverse_dynamics": {"gravity": [1.0, 2.0, 3.0], "friction": True, "f_ext": {"tool": (WRENCH, "local")}},
    "inverse_dynamics_derivatives": {"friction": True, "f_ext": {"tool": (WRENCH, "local")}},
    "jacobian": {"frame": "tool"},
    "jacobian_dot": {"frame": "tool"},
    "jacobian_dot_qd": {"frame": "tool"},
    "linearize": {"dt": 0.01},
    "kinetic_energy": {"rotors": False},
    "operational_inertia": {"frame": "tool", "rows": (0, 1, 2)},
    "potential_energy": {"per_link": True},
    "regressor": {"rotors": True, "friction": True},
    "regressor_vjp": {"friction": True},
    "static_torque": {"f_ext": {"tool": WRENCH, "hand": (WRENCH[0], "local")}},
    "total_wrench": {"f_ext": {"tool": WRENCH, "hand": (WRENCH[0], "local")}},
    "zero_moment_point": {"f_ext": {"tool": WRENCH}},
}
PLACES = {"q": 0, "qd": 1, "qdd": 2, "tau": 2, "weights": 1, "dq": 1, "q0": 0, "q1": 1}


def state_of(name, arrays):
    return {key: arrays[PLACES[key]] for key in inspect.signature(getattr(rne, name)).parameters if key in PLACES}


def parts(result):
    """The arrays of a result by name, and all else that it holds."""
    if isinstance(result, (np.ndarray, np.generic, da.Array)):
        return {"": result}
    values = result if isinstance(result, dict) else result._asdict() if hasattr(result, "_asdict") else vars(result)
    return dict(values)


def lazily(value):
    """Options with dask arrays in place of arrays, in chunks of their own."""
    if isinstance(value, np.ndarray):
        return da.from_array(value, chunks=(*(7,) * (value.ndim - 1), 4))
    if isinstance(value, dict):
        return {key: lazily(each) for key, each in value.items()}
    return tuple(map(lazily, value)) if isinstance(value, tuple) else value


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", lazy.__all__)
def test_every_function_gives_the_bits_of_its_namesake(name, dtype):
    options = OPTIONS.get(name, {})
    arrays = [x.astype(dtype) for x in STATE]
    wanted = parts(getattr(rne, name)(ARM, **state_of(name, arrays), **options))
    chunked = [da.from_array(x, chunks=CHUNKS) for x in arrays]
    promise = getattr(lazy, name)(ARM, **state_of(name, chunked), **lazily(options))
    promised, got = parts(promise), parts(dask.compute(promise, scheduler="sync")[0])
    assert set(got) == set(promised) == set(wanted)
    for key, value in wanted.items():
        if not isinstance(value, np.ndarray):
            assert got[key] == promised[key] == value
            continue
        array = promised[key]
        assert isinstance(array, da.Array)
        assert_same_bits(got[key], value)
        # What dask was told before anything was computed is what came.
        assert (array.shape, array.dtype) == (value.shape, value.dtype)
        assert type(array._meta) is np.ndarray
        assert (array._meta.ndim, array._meta.dtype) == (value.ndim, value.dtype)
        assert array.chunks[2:] == tuple((length,) for length in value.shape[2:])
        assert_same_bits(array.blocks[1, -1].compute(scheduler="sync"), value[1:, -array.chunks[1][-1] :])


def test_every_function_of_states_is_there():
    """All public functions of a robot and states, but those whose result is a report on all samples together."""
    reports = {
        "coefficients",
        "energy_balance",
        "link_forces",
        "motor_sizing",
        "residual",
        "significance",
        "simulate",
        "verify",
    }
    public = {name: getattr(rne, name) for name in rne.__all__}
    of_states = {
        name
        for name, value in public.items()
        if inspect.isfunction(value)
        and "robot" in (takes := inspect.signature(value).parameters)
        and ("threads" in takes or "out" in takes)
    }
    assert of_states - reports == set(lazy.__all__)


@pytest.mark.parametrize("name", lazy.__all__)
def test_the_face_is_that_of_the_namesake(name):
    function = getattr(lazy, name)
    wanted = {key: p.default for key, p in inspect.signature(getattr(rne, name)).parameters.items()}
    for absent in ("out", "threads"):
        wanted.pop(absent, None)
    assert {key: p.default for key, p in inspect.signature(function).parameters.items()} == wanted
    assert function.__doc__.startswith(getattr(rne, name).__doc__.splitlines()[0])
    with pytest.raises(TypeError, match="unexpected keyword argument 'threads'"):
        function(ARM, **state_of(name, STATE), **OPTIONS.get(name, {}), threads=2)
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("chunks", [(1, 1, 6), (2, 50, 6), (2, 7, 2), ((1, 1), (3, 40, 7), (1, 5))], ids=str)
def test_the_chunks_change_no_bit(chunks):
    wanted = rne.inverse_dynamics(ARM, *STATE)
    got = lazy.inverse_dynamics(ARM, Q.rechunk(chunks), *STATE[1:])
    assert got.chunks == (*Q.rechunk(chunks).chunks[:2], (6,))
    assert_same_bits(got.compute(scheduler="sync"), wanted)
    assert_same_bits(lazy.inverse_dynamics(ARM, Q, QD.rechunk(chunks), QDD).compute(scheduler="threads"), wanted)


def test_what_is_no_dask_array_is_taken_and_broadcast():
    q, qd, qdd = STATE
    for given in (
        (Q, None, None),
        (Q, qd[0, 0], list(qdd[0, 0])),
        (Q, qd[:1], QDD[:, :1]),
        (Q[:1], QD[:, :1], qdd),
        (q[0, 0], QD, None),
        (q, qd, qdd),
        (Q[0, 0], QD[0, 0], None),
        (Q[0, :0], qd[1, :1], None),
        ([0, 0, 1, 0, 0, 0], QD[0], 0 * QDD[0].astype(np.int32)),
    ):
        plain = [x.compute(scheduler="sync") if isinstance(x, da.Array) else x for x in given]
        got, wanted = lazy.inverse_dynamics(ARM, *given), rne.inverse_dynamics(ARM, *plain)
        assert isinstance(got, da.Array)
        assert got.shape == wanted.shape
        assert_same_bits(got.compute(scheduler="sync"), wanted)


def test_float32_stays_only_where_all_is_float32():
    single = Q.astype(np.float32)
    assert lazy.inverse_dynamics(ARM, single, None).dtype == np.float32
    assert lazy.inverse_dynamics(ARM, single, QD).dtype == np.float64
    assert lazy.inverse_dynamics(ARM, single, [0.0] * 6).dtype == np.float64
    assert lazy.gravity_vector(ARM, Q.astype(np.int16)).dtype == np.float64


def test_unknown_lengths_stay_unknown():
    """As of arrays that come from data frames."""
    q, qd = Q[0], QD[0]
    some = da.from_array(STATE[0][0][:, 0] > 0, chunks=20)
    tau = lazy.inverse_dynamics(ARM, q[some], qd[some], STATE[2][0, 0])
    assert np.isnan(tau.shape[0])
    assert tau.shape[1] == 6
    kept = STATE[0][0][:, 0] > 0
    wanted = rne.inverse_dynamics(ARM, STATE[0][0][kept], STATE[1][0][kept], STATE[2][0, 0])
    assert_same_bits(tau.compute(scheduler="sync"), wanted)
    with pytest.raises(rne.ArgumentError, match=r"q: wanted shape \(\.\.\., 6\), .*; got \(\?, 5\)"):
        lazy.inverse_dynamics(ARM, q[some][:, :5])
    with pytest.raises(rne.ArgumentError, match="chunks of unknown lengths do not match"):
        lazy.inverse_dynamics(ARM, q[some], qd)


def never(block):
    raise AssertionError("computed too early")


LAZY = da.zeros((4, 6), chunks=(2, 6)).map_blocks(never, dtype=float, meta=np.empty((0, 0)))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: lazy.inverse_dynamics(ARM, LAZY[:, :5]),
            r"q: wanted shape \(..., 6\), one number per joint .* \(4, 5\)",
        ),
        (lambda: lazy.inverse_dynamics(ARM, LAZY[0, 0]), r"q: wanted shape .*; got \(\)"),
        (lambda: lazy.inverse_dynamics(ARM, LAZY, LAZY[:3]), r"do not broadcast .*: q \(4, 6\), qd \(3, 6\)"),
        (lambda: lazy.inverse_dynamics(ARM, LAZY, [1.0, 2.0]), r"qd: wanted shape .* got \(2,\)"),
        (lambda: lazy.inverse_dynamics(ARM, LAZY > 0), "q: wanted real numbers, got bool"),
        (lambda: lazy.inverse_dynamics(ARM, LAZY * 1j), "q: wanted real numbers, got complex"),
        (lambda: lazy.inverse_dynamics(ARM, da.ma.masked_array(LAZY)), "q: masked arrays"),
        (lambda: lazy.inverse_dynamics(ARM, "there"), "q: wanted real numbers"),
        (lambda: lazy.inverse_dynamics(ARM, None, LAZY), "q: wanted an array, got None"),
        (lambda: lazy.inverse_dynamics("arm", LAZY), "robot: wanted a Robot"),
        (lambda: lazy.inverse_dynamics(ARM, LAZY, gravity=[1, 2]), "gravity"),
        (lambda: lazy.inverse_dynamics(ARM, LAZY, f_ext=LAZY), "f_ext: wanted a mapping"),
        (lambda: lazy.inverse_dynamics(ARM, LAZY, f_ext={"tol": LAZY}), "no frame is named 'tol'"),
        (lambda: lazy.inverse_dynamics(ARM, LAZY, f_ext={"tool": LAZY[:, :3]}), r"f_ext\['tool'\]: wanted .* \(4, 3\)"),
        (lambda: lazy.inverse_dynamics(ARM, LAZY, f_ext={"tool": (LAZY, "up")}), "axes 'world' or 'local', got 'up'"),
        (lambda: lazy.jacobian(ARM, LAZY, "tol"), "no frame is named 'tol'"),
        (lambda: lazy.forward_dynamics(ARM, LAZY, method="best"), "method"),
    ],
)
def test_arguments_are_checked_before_anything_is_computed(call, words):
    with pytest.raises(rne.ArgumentError, match=words):
        call()


@pytest.mark.parametrize("name", lazy.__all__)
def test_nothing_is_computed_early(name):
    options = OPTIONS.get(name, {}) | ({"f_ext": {"tool": LAZY}} if "f_ext" in OPTIONS.get(name, {}) else {})
    promise = getattr(lazy, name)(ARM, **state_of(name, [LAZY] * 3), **options)
    with pytest.raises(AssertionError, match="computed too early"):
        dask.compute(promise, scheduler="sync")


def test_a_singular_mass_matrix_is_told_on_computing():
    with pytest.warns(rne.ModelWarning, match="forward dynamics is singular"):
        massless = rne.from_dh([{"joint": "revolute", "a": 1.0}], convention="standard")
    qdd = lazy.forward_dynamics(massless, da.zeros((4, 1), chunks=2))
    with pytest.raises(rne.SingularError, match="sample 0"):
        qdd.compute(scheduler="sync")


def test_no_wrenches_are_no_torque():
    np.testing.assert_array_equal(lazy.static_torque(ARM, Q, {}).compute(scheduler="sync"), np.zeros(Q.shape))


def test_joints_that_mimic_others():
    robot = gripper()
    q, qd, qdd = random_states(robot.n, 30)
    got = lazy.inverse_dynamics(robot, da.from_array(q, chunks=(11, 1)), qd, qdd)
    assert_same_bits(got.compute(scheduler="sync"), rne.inverse_dynamics(robot, q, qd, qdd))


def test_the_robot_stands_in_the_graph_once():
    tau = lazy.inverse_dynamics(ARM, Q, QD, QDD)
    sizes = [len(pickle.dumps(task)) for key, task in dict(tau.dask).items() if str(key[0]).startswith("rne-")]
    robot = len(pickle.dumps(ARM))
    assert len(sizes) == 6
    assert max(sizes) < robot / 2
    graph = dict(tau.dask)
    assert sum(b"turret" in pickle.dumps(task) for task in graph.values()) == 1


def test_equal_calls_have_equal_names():
    """So that dask computes what is asked for twice once."""
    names = {lazy.inverse_dynamics(arm(), Q, QD).name for _ in range(2)}
    assert len(names) == 1
    others = {
        lazy.inverse_dynamics(ARM.with_payload(1.0), Q, QD).name,
        lazy.inverse_dynamics(ARM, Q, QD, friction=True).name,
        lazy.inverse_dynamics(ARM, Q, QDD).name,
        lazy.inverse_dynamics(ARM, Q, None, QD).name,
        lazy.coriolis_vector(ARM, Q, QD).name,
    }
    assert len(others) == 5
    assert not names & others


def test_a_block_stays_on_its_thread(monkeypatch):
    counts, count = [], rne.batch.threads.thread_count

    def noting(*wish):
        counts.append(count(*wish))
        return counts[-1]

    monkeypatch.setenv("RNE_NUM_THREADS", "2")
    for module in (rne.batch.threads, rne.batch.quick):
        monkeypatch.setattr(module, "thread_count", noting)
    rne.gravity_vector(ARM, np.zeros((20_000, 6)))
    assert counts == [2]
    lazy.gravity_vector(ARM, da.zeros((40_000, 6), chunks=(20_000, 6))).compute(scheduler="sync")
    assert len(counts) >= 3
    assert set(counts[1:]) == {1}


def test_a_star_does_not_hide_the_library():
    names = {"dask": dask}
    exec("from rne import *", names)
    assert names["dask"] is dask
    assert rne.dask is lazy


WITHOUT = """
import sys
sys.modules["dask"] = None
import rne
arm = rne.load("models/planar2/robot.dh.toml")
try:
    rne.dask.gravity_vector(arm, [0.0, 0.0])
except rne.RneError as error:
    print(error)
"""


def test_without_dask_it_says_what_to_install():
    done = subprocess.run([sys.executable, "-c", WITHOUT], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "rne.dask needs dask, which is not installed (pip install 'rne[dask]')\n", done.stderr


def test_names_that_can_be_read_but_once_serve_all_blocks():
    names = ("turret", "shoulder", "roll")
    wanted = rne.effective_inertia(ARM, STATE[0], free=names)
    for free in ((name for name in names), iter(names), map(str, names)):
        got = dask.compute(lazy.effective_inertia(ARM, Q, free=free))[0]
        assert_same_bits(got.locked, wanted.locked)
        assert_same_bits(got.free, wanted.free)
