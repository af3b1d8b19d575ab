"""Every quick way through a function accepts and refuses exactly what the slow one does, and gives the same numbers.

The twin of an array is its list, which no quick way takes.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from calls import Call
from calls.bad import ROBOT, N
from hypothesis import example, given
from hypothesis import strategies as st
from states_of_calls import OF_A_STATE, names_of, parts

import rne

WIDTHS = [N, 6, N - 1, N + 1, 1, 2, 0]
LEADING = [(), (1,), (3,), (2,), (0,), (2, 3), (9,)]
DTYPES = ["f8", "f4", ">f8", "i8", "f2", "?", "c16"]
LAYOUTS = ["plain", "Fortran", "every second", "reversed", "sliced rows", "repeated", "read-only"]


class Wrapped:
    """No array, but one for the asking: a list would lose the shape where a length is zero."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.array, dtype=dtype)


def twin(x: np.ndarray) -> Any:
    return x.tolist() if x.size else Wrapped(x)


@st.composite
def arrays(draw: st.DrawFn, right: int, alike: tuple[tuple[int, ...], str, str]) -> np.ndarray:
    """Mostly what fits and is like the others, as only that comes near the quick ways."""
    choices = st.sampled_from(LEADING), st.sampled_from(DTYPES), st.sampled_from(LAYOUTS)
    lead, dtype, layout = (
        draw(choice) if draw(st.integers(0, 7)) == 7 else x for choice, x in zip(choices, alike, strict=True)
    )
    width = right if draw(st.integers(0, 3)) else draw(st.sampled_from([N, N, N, *WIDTHS]))
    numbers = np.random.default_rng(draw(st.integers(0, 9))).integers(-8, 9, size=(*lead, width)) / 8
    with np.errstate(invalid="ignore"):
        x = numbers.astype(dtype)
    return laid_out(x, layout)


def laid_out(x: np.ndarray, layout: str) -> np.ndarray:
    if layout == "Fortran":
        return np.asfortranarray(x)
    if layout == "every second":
        return np.repeat(x, 2, axis=-1)[..., ::2]
    if layout == "reversed":
        return x[..., ::-1].copy()[..., ::-1]
    if layout == "sliced rows" and x.ndim > 1:
        return np.repeat(x, 2, axis=0)[::2]
    if layout == "repeated" and x.ndim > 1 and len(x):
        return np.broadcast_to(x[:1], x.shape)
    if layout == "read-only":
        x.flags.writeable = False
    return x


def outcome(call: Call, arguments: dict[str, Any]) -> tuple[str, Any]:
    try:
        return "given", call.function(**call.good | arguments)
    except rne.RneError as error:
        return "refused", (type(error), str(error))


def check(call: Call, given_arrays: dict[str, np.ndarray], wrench: np.ndarray | None) -> None:
    def loads(x: Any) -> dict[str, Any]:
        return {} if wrench is None else {"f_ext": {"hand": x}}

    got = outcome(call, {**given_arrays, **loads(wrench)})
    slow = {name: twin(x) for name, x in given_arrays.items()}
    wanted = outcome(call, {**slow, **loads(None if wrench is None else twin(wrench))})
    assert got[0] == wanted[0], (got, wanted)
    if got[0] == "refused":
        assert got[1][0] is wanted[1][0]
        return
    pairs = list(zip(parts(got[1]), parts(wanted[1]), strict=True))
    assert pairs
    for a, b in pairs:
        single = a.dtype == np.float32
        assert a.shape == b.shape
        scale = max(1.0, np.abs(b[np.isfinite(b)]).max(initial=0.0)) if b.dtype.kind == "f" else 1.0
        np.testing.assert_allclose(a, b, rtol=0, atol=(2e-4 if single else 1e-12) * scale)


@pytest.mark.parametrize("call", OF_A_STATE, ids=lambda call: call.title)
def test_an_array_is_taken_or_refused_as_its_list_is(call: Call):
    takes_wrenches = "f_ext" in inspect.signature(call.function).parameters

    @given(st.data())
    def run(data: st.DataObject) -> None:
        alike = tuple(data.draw(st.sampled_from(x)) for x in (LEADING, ["f8", "f8", "f4"], ["plain"] * 3 + LAYOUTS))
        state = {name: data.draw(arrays(N, alike)) for name in names_of(call)}
        wrench = data.draw(arrays(6, alike)) if takes_wrenches and data.draw(st.booleans()) else None
        check(call, state, wrench)

    run()


WITH_WRENCHES = [call for call in OF_A_STATE if "f_ext" in inspect.signature(call.function).parameters]


@pytest.mark.parametrize("call", WITH_WRENCHES, ids=lambda call: call.title)
@example(width=N, dtype="f8", samples=1)
@example(width=N, dtype="f4", samples=5)
@given(width=st.sampled_from(WIDTHS), dtype=st.sampled_from(["f8", "f4"]), samples=st.integers(1, 40))
def test_a_wrench_has_six_numbers_whatever_q_has(call: Call, width, dtype, samples):
    """Of the width of q it was read past its end, with another answer at each call."""
    state = {name: np.zeros((samples, N), dtype) for name in names_of(call)}
    wrench = np.ones((samples, width), dtype)
    if width == 6:
        assert outcome(call, {**state, "f_ext": {"hand": wrench}})[0] == "given"
        return
    with pytest.raises(rne.ArgumentError, match=r"f_ext\['hand'\]: wanted shape \(\.\.\., 6\)"):
        call(**state, f_ext={"hand": wrench})


def test_a_robot_of_six_joints_takes_the_quick_way_with_wrenches():
    """There both widths are six, and a wrench is still a wrench."""
    from own_robots import arm

    robot, rng = arm(), np.random.default_rng(0)
    q, wrench = rng.normal(size=(2, 5, 6))
    single = [rne.static_torque(robot, q[k], {"tool": wrench[k]}) for k in range(5)]
    np.testing.assert_array_equal(rne.static_torque(robot, q, {"tool": wrench}), single)


# `integrate` is numpy throughout, and has no quick way.
WITH_OUT = [
    call for call in OF_A_STATE if "out" in inspect.signature(call.function).parameters and call.title != "integrate"
]


@pytest.mark.parametrize("call", WITH_OUT, ids=lambda call: call.title)
@pytest.mark.parametrize("count", [None, 20])
def test_plain_arrays_take_a_quick_way(call: Call, count, monkeypatch):
    """In either precision, with an array to fill and with another gravity: the general path is cut off."""
    rng = np.random.default_rng(1)
    state = {name: rng.normal(size=N if count is None else (count, N)) for name in names_of(call)}
    options: list[dict[str, Any]] = [{}, {name: x.astype("f4") for name, x in state.items()}]
    found = parts(call(**state))
    whole = found[0] if found[0].base is None else found[0].base  # several results are views of one array
    options.append({"out": np.empty_like(whole)})
    if "gravity" in inspect.signature(call.function).parameters:
        options.append({"gravity": np.array([0.5, 1.0, -3.0])})
    monkeypatch.setattr(rne.batch.arguments, "as_batch", None)
    for option in options:
        assert parts(call(**state | option))


def test_all_functions_of_a_state_are_here():
    """What takes a robot and q is compared, and nothing twice or not at all by a slip of the filter."""
    titles = {call.title for call in OF_A_STATE}
    assert {"inverse_dynamics", "forward_dynamics", "static_torque", "joint_wrenches", "torque_breakdown"} <= titles
    assert {"energy_balance", "jacobian", "mass_matrix_inverse", "regressor", "frame_acceleration"} <= titles
    assert ROBOT.n != 6  # else a wrench of the width of q would be right
