"""Every public function of a state takes it by the names of the joints."""

from __future__ import annotations

import numpy as np
import pytest
from calls import CALLS
from calls.bad import ROBOT

NAMES = list(ROBOT.joint_names)


def columns(q):
    return {name: np.array(q[..., NAMES.index(name)]) for name in reversed(NAMES)}


STATE_NAMES = ("q", "qd", "qdd", "tau", "q0", "qd0", "goal")


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.title)
def test_every_public_function_of_a_state_takes_names(call) -> None:
    """A dict in another order gives what the array gives."""
    given = {
        name: value
        for name, value in call.good.items()
        if name in STATE_NAMES and isinstance(value, np.ndarray) and value.shape[-1:] == (ROBOT.n,)
    }
    if not given or call.good.get("robot") is not ROBOT:
        pytest.skip("takes no state")
    wanted = call()
    for name, value in given.items():
        assert_alike(call(**{name: columns(value)}), wanted)


def assert_alike(got, wanted) -> None:
    assert type(got) is type(wanted)
    if isinstance(wanted, np.ndarray):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)
    elif isinstance(wanted, tuple | list):
        for one, other in zip(got, wanted, strict=True):
            assert_alike(one, other)
    elif isinstance(wanted, dict):
        for key in wanted:
            assert_alike(got[key], wanted[key])
