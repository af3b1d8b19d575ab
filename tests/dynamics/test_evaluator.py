"""The evaluator gives the numbers of the functions, in memory of its own that never grows."""

from __future__ import annotations

import copy
import ctypes
import pickle
import tracemalloc

import numpy as np
import pytest
from own_robots import arm

import rne

ROBOT = arm().with_dampers(np.full(6, 0.5))
Q, QD, QDD, TAU = np.random.default_rng(3).normal(size=(4, ROBOT.n))
MOON = [0.1, 0.2, -1.62]
FILLED = {
    "inverse_dynamics": lambda robot, gravity, friction: rne.inverse_dynamics(
        robot, Q, QD, QDD, gravity=gravity, friction=friction
    ),
    "forward_dynamics": lambda robot, gravity, friction: rne.forward_dynamics(
        robot, Q, QD, TAU, gravity=gravity, friction=friction
    ),
    "gravity_vector": lambda robot, gravity, _: rne.gravity_vector(robot, Q, gravity=gravity),
    "bias_vector": lambda robot, gravity, _: rne.bias_vector(robot, Q, QD, gravity=gravity),
    "mass_matrix": lambda robot, *_: rne.mass_matrix(robot, Q),
    "jacobian": lambda robot, *_: rne.jacobian(robot, Q, "tool"),
    "inverse_dynamics_derivatives": lambda robot, gravity, friction: rne.inverse_dynamics_derivatives(
        robot, Q, QD, QDD, gravity=gravity, friction=friction
    ),
    "forward_dynamics_derivatives": lambda robot, gravity, friction: rne.forward_dynamics_derivatives(
        robot, Q, QD, TAU, gravity=gravity, friction=friction
    ),
}


def filled(robot=ROBOT, **options):
    evaluator = rne.Evaluator(robot, **options)
    evaluator.q[:], evaluator.qd[:], evaluator.qdd[:], evaluator.tau[:] = Q, QD, QDD, TAU
    return evaluator


def called(evaluator, method):
    return getattr(evaluator, method)(*(["tool"] if method == "jacobian" else []))


@pytest.mark.parametrize("method", FILLED)
@pytest.mark.parametrize(("gravity", "friction"), [(None, False), (MOON, True)])
def test_the_numbers_are_those_of_the_function(method, gravity, friction):
    evaluator = filled(gravity=gravity, friction=friction)
    found = called(evaluator, method)
    np.testing.assert_array_equal(found, FILLED[method](ROBOT, gravity, friction))
    evaluator.q[:] = 0.0
    assert called(evaluator, method) is found


def test_results_do_not_share_memory():
    evaluator = filled()
    results = [called(evaluator, method) for method in FILLED]
    parts = [part for result in results for part in (result if isinstance(result, tuple) else [result])]
    arrays = [evaluator.q, evaluator.qd, *parts]
    assert not any(np.shares_memory(a, b) for k, a in enumerate(arrays) for b in arrays[:k])
    assert evaluator.inverse_dynamics() is evaluator.tau
    assert evaluator.forward_dynamics() is evaluator.qdd


def test_evaluators_of_a_robot_are_independent():
    one, other = filled(), rne.Evaluator(ROBOT)
    tau = one.inverse_dynamics().copy()
    other.inverse_dynamics()
    np.testing.assert_array_equal(one.tau, tau)


def test_an_array_is_written_into_and_not_replaced():
    evaluator = filled()
    with pytest.raises(rne.ArgumentError, match=r"evaluator\.q\[:\]"):
        evaluator.q = Q
    with pytest.raises(rne.ArgumentError, match="speed"):
        evaluator.speed = Q
    evaluator.q += 1.0
    np.testing.assert_array_equal(evaluator.gravity_vector(), rne.gravity_vector(ROBOT, Q + 1.0))


def test_nothing_grows():
    evaluator = filled()
    want = evaluator.inverse_dynamics().copy()
    tracemalloc.start()
    for _ in range(1000):
        evaluator.inverse_dynamics()
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(100_000):
        evaluator.inverse_dynamics()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 1000
    np.testing.assert_array_equal(evaluator.tau, want)


@pytest.mark.parametrize("method", FILLED)
def test_machine_code_is_called_from_outside(method):
    evaluator = filled()
    want = called(filled(), method)
    function, state = evaluator.address_of(method, "tool" if method == "jacobian" else None)
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(function)(state) == 0
    found = {
        "inverse_dynamics": evaluator.tau, "forward_dynamics": evaluator.qdd,
    }.get(method)  # fmt: skip
    np.testing.assert_array_equal(called(evaluator, method) if found is None else found, want)


def test_the_address_is_that_of_inverse_dynamics():
    evaluator = filled()
    assert evaluator.address == evaluator.address_of("inverse_dynamics")


def test_an_unknown_method_or_frame_is_named():
    evaluator = filled()
    with pytest.raises(rne.UnknownNameError, match="method"):
        evaluator.address_of("rnea")
    with pytest.raises(rne.ArgumentError, match="frame"):
        evaluator.address_of("mass_matrix", "tool")
    with pytest.raises(rne.ArgumentError, match="frame"):
        evaluator.address_of("jacobian")
    with pytest.raises(rne.UnknownNameError, match="nowhere"):
        evaluator.jacobian("nowhere")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_has_memory_of_its_own(copied):
    evaluator = filled(gravity=MOON, friction=True)
    other = copied(evaluator)
    np.testing.assert_array_equal(other.q, Q)
    np.testing.assert_array_equal(other.inverse_dynamics(), evaluator.inverse_dynamics())
    assert other.q is not evaluator.q


@pytest.mark.filterwarnings("ignore::rne.ModelWarning")
def test_a_singular_mass_matrix_is_an_error():
    arm = rne.from_dh([{"joint": "revolute", "mass": 0.0}], convention="standard")
    with pytest.raises(rne.SingularError):
        rne.Evaluator(arm).forward_dynamics()
