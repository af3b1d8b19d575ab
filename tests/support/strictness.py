"""What loading says of a text, strict and lenient, and whether the robot is that of another text."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pinocchio as pin
import pytest

import rne
from rne.errors import ModelError

LAST = "strict=False (--no-strict) loads the robot, with a warning in place of each error"


def refused(text: str, wanted: str) -> ModelError:
    """Strict loading refuses the text, and says that lenient loading would take it."""
    with pytest.raises(ModelError, match=re.escape(wanted)) as caught:
        rne.load_urdf(text)
    assert str(caught.value).splitlines()[-1] == LAST
    assert caught.value.loads_leniently
    return caught.value


def warned(text: str, wanted: str, *, strict: bool) -> rne.Robot:
    """Loading warns, in these words among others."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        robot = rne.load_urdf(text, strict=strict)
    assert any(wanted in str(warning.message) for warning in caught)
    assert {warning.category for warning in caught} == {rne.ModelWarning}
    return robot


def doubtful(text: str, wanted: str) -> rne.Robot:
    """An error when strict, a warning when not; return the lenient robot."""
    refused(text, wanted)
    return warned(text, wanted, strict=False)


def let_pass(text: str, wanted: str) -> rne.Robot:
    """A warning, strict or not."""
    warned(text, wanted, strict=False)
    return warned(text, wanted, strict=True)


def assert_same(robot: rne.Robot, text: str) -> None:
    """The robot is that of another text, which loads without a word; the torques of that are Pinocchio's."""
    other = rne.load_urdf(text)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, other.n))
    assert robot.joint_names == other.joint_names
    tau = rne.inverse_dynamics(robot, q, qd, qdd)
    np.testing.assert_array_equal(tau, rne.inverse_dynamics(other, q, qd, qdd))
    if other.n == len(re.findall('type="revolute"', text)):
        model = pin.buildModelFromXML(text)
        np.testing.assert_allclose(tau, pin.rnea(model, model.createData(), q, qd, qdd), rtol=1e-11, atol=1e-13)
