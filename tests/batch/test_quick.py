"""No optional argument, type or list changes a number: the quick ways against the canonical one, bit for bit."""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest
from calls.bad import ROBOT, N
from states_of_calls import OF_A_STATE, names_of, parts

import rne


class Other(np.ndarray):
    """An array that no quick way takes."""


WITH_OUT = [call for call in OF_A_STATE if "out" in inspect.signature(call.function).parameters]
titles = pytest.mark.parametrize("call", WITH_OUT, ids=lambda call: call.title)
SAMPLES = (None, 1, 5, 70)
samples = pytest.mark.parametrize("count", SAMPLES)


def states(call, count, dtype="f8"):
    shape = (N,) if count is None else (count, N)
    random = np.random.default_rng(5)
    return {name: random.normal(size=shape).astype(dtype) for name in names_of(call)}


def canonical(call, given, **more):
    return call(**{name: x.view(Other) for name, x in given.items()}, **more)


def whole(result, count):
    """The first array of a result, or those of a named tuple as the one array that `out` would be."""
    if isinstance(result, tuple) and hasattr(result, "_fields") and len({part.shape for part in result}) == 1:
        return np.stack(result, axis=0 if count is None else 1)
    return np.asarray(parts(result)[0])


@titles
@samples
def test_quick_and_canonical_agree_to_the_last_bit(call, count):
    given = states(call, count)
    found, wanted = parts(call(**given)), parts(canonical(call, given))
    assert found
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a, np.asarray(b))


@titles
@samples
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_an_array_to_fill_is_filled(call, count, dtype):
    given = states(call, count, dtype)
    wanted = whole(call(**given), count)
    if call.title == "forward_kinematics" and wanted.ndim < 2:
        pytest.skip("a dict")
    out = np.full_like(wanted, np.nan)
    before = sys.getrefcount(out)
    returned = call(**given, out=out)
    assert returned is out or all(np.shares_memory(part, out) for part in returned)
    np.testing.assert_array_equal(out, wanted)
    del returned
    assert sys.getrefcount(out) == before


@titles
@samples
def test_a_number_of_threads_changes_nothing(call, count):
    if "threads" not in inspect.signature(call.function).parameters:
        pytest.skip("it has no threads")
    given = states(call, count)
    for threads in (1, 2, np.int64(1)):
        np.testing.assert_array_equal(parts(call(**given, threads=threads))[0], parts(call(**given))[0])
    for threads in (True, 0, -1, 1.5, "1"):
        with pytest.raises(rne.ArgumentError, match="threads"):
            call(**given, threads=threads)


WITH_GRAVITY = [call for call in WITH_OUT if "gravity" in inspect.signature(call.function).parameters]


@pytest.mark.parametrize("call", WITH_GRAVITY, ids=lambda call: call.title)
@samples
@pytest.mark.parametrize("gravity", [np.array([0.5, 1.0, -3.0]), [0.5, 1, -3], np.array([0.5, 1.0, -3.0], "f4")])
def test_gravity_is_that_of_a_robot_with_it(call, count, gravity):
    given = states(call, count)
    moved = ROBOT.with_gravity(gravity)
    for dtype in ("f8", "f4"):
        narrow = {name: x.astype(dtype) for name, x in given.items()}
        np.testing.assert_array_equal(parts(call(**narrow, gravity=gravity))[0], parts(call(**narrow, robot=moved))[0])
    for bad in (np.array([0.0, np.nan, 0.0]), np.zeros(2), np.zeros((3, 1)), "down", 9.81):
        with pytest.raises(rne.ArgumentError, match="gravity"):
            call(**given, gravity=bad)


@titles
def test_an_array_to_fill_may_be_an_argument(call):
    """A sample is read before it is written, and a batch that would be overwritten is not filled in place."""
    for count in (None, 20):
        given = states(call, count)
        wanted = whole(call(**given), count)
        name = names_of(call)[0]
        if wanted.shape != given[name].shape:
            continue
        np.testing.assert_array_equal(call(**given, out=given[name]), wanted)
        if count is not None:  # shifted by a row
            memory = np.empty((count + 1, N))
            again = states(call, count)
            memory[:-1] = again[name]
            again[name] = memory[:-1]
            np.testing.assert_array_equal(call(**again, out=memory[1:]), wanted)


@titles
@samples
def test_no_reference_is_lost_or_kept(call, count):
    """What is counted by hand in compiled code: the dtype of results, None, arguments and arrays to fill.

    The canonical way shows what numpy loses by itself: `np.zeros` of numpy 2.4 keeps a reference to its dtype.
    """
    given = states(call, count)
    watched = [np.dtype(np.float64), *given.values()]

    def kept(run):
        run()
        before = np.array([sys.getrefcount(x) for x in watched])
        for _ in range(50):
            run()
        return np.array([sys.getrefcount(x) for x in watched]) - before

    quick, slow = kept(lambda: call(**given)), kept(lambda: canonical(call, given))
    assert np.all((quick > -10) & (quick < np.maximum(slow, 0) + 10))


WITH_WRENCH = [rne.inverse_dynamics, rne.forward_dynamics, rne.joint_wrenches]


@pytest.mark.parametrize("function", WITH_WRENCH)
@samples
@pytest.mark.parametrize("axes", ["world", "local"])
def test_a_wrench_takes_the_quick_way_to_the_same_number(function, count, axes):
    shape = (N,) if count is None else (count, N)
    q, qd, third = np.random.default_rng(6).normal(size=(3, *shape))
    wrench = np.random.default_rng(7).normal(size=(*shape[:-1], 6))
    found = function(ROBOT, q, qd, third, f_ext={"hand": (wrench, axes)})
    wanted = function(ROBOT, q.view(Other), qd, third, f_ext={"hand": (wrench, axes)})
    np.testing.assert_array_equal(found, wanted)
    narrow = [x.astype("f4") for x in (q, qd, third, wrench)]
    single = function(ROBOT, *narrow[:3], f_ext={"hand": (narrow[3], axes)})
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, wanted, rtol=1e-3, atol=1e-3)
    out = np.empty_like(wanted)
    assert function(ROBOT, q, qd, third, f_ext={"hand": (wrench, axes)}, out=out) is out
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize(
    "function", [*WITH_WRENCH, lambda robot, q, qd, third, f_ext: rne.static_torque(robot, q, f_ext)]
)
@samples
def test_several_wrenches_take_the_quick_way_to_the_same_bits(function, count, monkeypatch):
    shape = (N,) if count is None else (count, N)
    q, qd, third = np.random.default_rng(6).normal(size=(3, *shape))
    names = list(ROBOT.frame_names)[-3:]
    wrenches = np.random.default_rng(7).normal(size=(3, *shape[:-1], 6))
    f_ext = {
        name: (wrench, axes) for name, wrench, axes in zip(names, wrenches, ["world", "local", "world"], strict=True)
    }
    wanted = function(ROBOT, q.view(Other), qd, third, f_ext=f_ext)
    bare = function(ROBOT, q, qd, third, f_ext={names[0]: f_ext[names[0]]})
    assert abs(wanted - bare).max() > 1e-3  # the others count
    with monkeypatch.context() as patch:
        patch.setattr(rne.batch.arguments, "as_batch", None)  # no other way is taken
        np.testing.assert_array_equal(function(ROBOT, q, qd, third, f_ext=f_ext), wanted)
    wrong = {names[0]: f_ext[names[0]], names[1]: wrenches[0][..., :5]}
    with pytest.raises(rne.ArgumentError, match=r"f_ext\['?" + names[1]):
        function(ROBOT, q, qd, third, f_ext=wrong)
