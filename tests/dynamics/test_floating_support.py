"""One rule for all: every public function of a robot supports a floating base, and is listed, or refuses it."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from calls import CALLS
from calls.bad import ROBOT

import rne
from rne.model.floating import OF_POSITIONS, SUPPORTED


@cache
def floating(robot):
    """The robot with a base that floats, and weighs."""
    twin = rne.Robot(replace(robot.tree, floating=True), robot.joint_names)
    return twin.with_payload(2.0, inertia=np.eye(3), frame=twin.frame_names[0])


FLOATING = floating(ROBOT)
OF_VELOCITIES = {"qd", "qdd", "tau", "dq", "weights", "measured", "model"}
# Its arguments are files, which tests/files tries with a base that floats.
OF_FILES = {"files.Trajectory"}
# Functions of rne.jit that make what compiled functions take, and methods that return a changed robot or what it is.
OTHERS = {"model", "site", "sites", "joint_sites"}


def adapted(good):
    """The same arguments with a base at the origin, at rest."""
    found = {}
    for name, value in good.items():
        if isinstance(value, list | np.ndarray) and name in OF_POSITIONS | OF_VELOCITIES:
            base = rne.neutral(FLOATING)[:7] if name in OF_POSITIONS else np.zeros(6)
            value = np.concatenate([np.broadcast_to(base, (*np.shape(value)[:-1], base.size)), value], axis=-1)
        found[name] = floating(value) if isinstance(value, rne.Robot) else value
    return found


def unadapted(good):
    """The same arguments, of the lengths for a fixed base."""
    return {name: floating(value) if isinstance(value, rne.Robot) else value for name, value in good.items()}


def made(call, good):
    """Make the call of a function, or of a method of the robot."""
    if getattr(call.function, "__self__", None) is ROBOT:
        return getattr(FLOATING, call.function.__name__)(**good)
    return call.function(**good)


def takes_robot(call):
    return any(isinstance(value, rne.Robot) for value in call.good.values())


@pytest.mark.parametrize("call", [c for c in CALLS if takes_robot(c)], ids=lambda call: call.title)
def test_supported_or_refused(call):
    name = call.title
    if name in OF_FILES:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in SUPPORTED or name in OTHERS or name.startswith("lagrange."):
            assert made(call, adapted(call.good)) is not None
            return
        for good in (adapted(call.good), unadapted(call.good)):
            with pytest.raises(rne.ArgumentError, match=r"base of '\w+' floats.*Those that do: rne\.actuator_power"):
                made(call, good)


def test_dh_tables_are_refused():
    with pytest.raises(rne.ArgumentError, match="floats"):
        FLOATING.to_dh()


def test_what_is_supported_is_listed_and_called():
    titles = {call.title for call in CALLS if takes_robot(call)}
    assert set(SUPPORTED) <= titles
    assert list(SUPPORTED) == sorted(SUPPORTED, key=str.lower)
