"""Jacobians of several frames in one call."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_same_bits, random_tree
from oracles_floating import random_states

import rne

ROBOT = rne.Robot(replace(random_tree(3, 7, mimic=0.2), floating=True))
FRAMES = list(ROBOT.frame_names[:3])


@pytest.mark.parametrize("options", [{}, {"axes": "local"}, {"point": [0.1, 0.2, 0.3]}])
def test_each_is_that_of_a_call_of_its_own(options):
    q = random_states(ROBOT, 5)[0]
    for given in (q, q[0]):
        got = rne.jacobian(ROBOT, given, FRAMES, **options)
        assert list(got) == FRAMES
        for name in FRAMES:
            assert_same_bits(got[name], rne.jacobian(ROBOT, given, name, **options))


def test_they_fill_one_array():
    q, out = random_states(ROBOT, 5)[0], np.empty((5, 3, 6, ROBOT.n))
    got = rne.jacobian(ROBOT, q, tuple(FRAMES), out=out)
    for k, name in enumerate(FRAMES):
        assert got[name].base is out
        assert_same_bits(out[:, k], rne.jacobian(ROBOT, q, name))
    with pytest.raises(rne.ArgumentError, match=r"out: wanted a float64 array of shape \(5, 2, 6"):
        rne.jacobian(ROBOT, q, FRAMES[:2], out=out)


def test_wrong_frames_are_named():
    with pytest.raises(rne.UnknownNameError, match="no frame is named 'nowhere'"):
        rne.jacobian(ROBOT, rne.neutral(ROBOT), [*FRAMES, "nowhere"])
