"""What many tests share: how near is near, equality to the last bit, random states, robots made of random trees."""

from __future__ import annotations

import numpy as np
import strategies
from numpy.typing import ArrayLike, NDArray

import rne
from rne.model.tree import Tree

Array = NDArray[np.float64]


def assert_near(got: ArrayLike, wanted: ArrayLike, rtol: float = 1e-12) -> None:
    """Equal to `rtol` of the largest number in sight: a small torque beside large ones inherits their rounding."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.shape == wanted.shape
    assert np.isfinite(wanted).all()  # else nothing would be compared
    np.testing.assert_allclose(got, wanted, rtol=0.0, atol=rtol * max(1.0, np.abs(wanted).max(initial=0.0)))


def assert_same_bits(got: ArrayLike, wanted: ArrayLike) -> None:
    """Equal in shape, type and every bit; a NaN equals a NaN."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(np.signbit(got[got == 0]), np.signbit(wanted[wanted == 0]))


def random_states(n: int, *shape: int, seed: int = 0, dtype: type = np.float64) -> tuple[Array, Array, Array]:
    """Positions within some turns, velocities and accelerations, each (*shape, n)."""
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.normal(size=(3, *shape, n)) * np.array([2.0, 1.0, 3.0]).reshape(3, *(1,) * (len(shape) + 1))
    return q.astype(dtype), qd.astype(dtype), qdd.astype(dtype)


def random_robot(seed: int, joints: int = 9, **features: float | bool) -> rne.Robot:
    """Make a robot with that many movable joints, always the same for the same seed."""
    return rne.Robot(random_tree(seed, joints, **features))


def random_tree(seed: int, joints: int = 9, **features: float | bool) -> Tree:
    """Make the tree of `random_robot`."""
    return strategies.random_tree(np.random.default_rng(seed), joints, **features)


def assert_batch_is_its_single_calls(call, mimic: float) -> None:
    """A function `call(robot, (q, qd, qdd), **options)` gives a batch the bits of its single states, threads or not."""
    robot = random_robot(3, 9, mimic=mimic)
    state = random_states(robot.n, 21)
    batch = call(robot, state)
    assert_same_bits(batch, [call(robot, [x[k] for x in state]) for k in range(21)])
    assert_same_bits(batch, call(robot, state, threads=2))
    assert_same_bits(batch, call(robot, [np.asfortranarray(x) for x in state]))


def assert_nan_stays_in_its_sample(call) -> None:
    """A NaN in q of one sample shows there, and leaves every other the same bits."""
    robot = random_robot(5, 9, mimic=0.0)
    state = random_states(9, 17)
    clean = call(robot, state)
    broken = [x.copy() for x in state]
    broken[0][4] = np.nan
    got = call(robot, broken)
    assert np.isnan(got[4]).any()
    assert_same_bits(np.delete(got, 4, axis=0), np.delete(clean, 4, axis=0))
