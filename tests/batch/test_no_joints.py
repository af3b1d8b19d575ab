"""A robot none of whose joints moves: every public function gives empty results, or says what it wants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from calls import CALLS, Call
from calls.bad import ROBOT
from own_robots import arm

import rne

STATUE = arm(lock=dict.fromkeys(arm().joint_names, 0.1))
N = ROBOT.n
# Plots are drawn of joints; there are none.
OF_ROBOTS = [call for call in CALLS if "robot" in call.good and not call.title.startswith("plot.")]


def without_joints(value: Any) -> Any:
    """The same argument for no joints."""
    if isinstance(value, np.ndarray) and value.shape[-1:] == (N,):
        return np.zeros((*value.shape[:-1], 0))
    if isinstance(value, tuple):
        return tuple(map(without_joints, value))
    return STATUE if value is ROBOT else value


@pytest.mark.parametrize("samples", [None, 4])
@pytest.mark.parametrize("call", OF_ROBOTS, ids=lambda call: call.title)
def test_no_joints_are_no_accident(call: Call, samples):
    arguments = {name: without_joints(value) for name, value in call.good.items()}
    if "free" in arguments:
        arguments["free"] = []
    if samples and np.ndim(arguments.get("q")) == 1:
        arguments["q"] = np.zeros((samples, 0))
    try:
        call.function(**arguments)
    except rne.RneError as error:
        assert str(error)  # noqa: PT017  and nothing else may come


def test_the_answers_for_no_joints():
    empty = np.zeros((3, 0))
    assert rne.inverse_dynamics(STATUE, empty).shape == (3, 0)
    assert rne.forward_dynamics(STATUE, empty).shape == (3, 0)
    assert rne.mass_matrix_inverse(STATUE, empty).shape == (3, 0, 0)
    for free in (None, []):
        assert [x.shape for x in rne.effective_inertia(STATUE, empty, free=free)] == [(3, 0), (3, 0)]
    assert STATUE.with_parameters(rne.parameters(STATUE)).tree == STATUE.tree
    with pytest.raises(rne.ArgumentError, match="pi: wanted 0"):
        STATUE.with_parameters(np.ones(10))
    with pytest.raises(rne.UnknownNameError, match="drop: no term"):
        rne.significance(STATUE, empty, drop=["D11"])
