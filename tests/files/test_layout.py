"""An NPY without names is written in one order, and read only where its columns mean one thing."""

from __future__ import annotations

import itertools

import numpy as np
import own_robots
import pyarrow as pa
import pytest
from checks import assert_same_bits

import rne
from rne.files import Results, Trajectory

QUANTITIES = ("q", "qd", "qdd", "tau")


@pytest.fixture
def states(robot) -> dict[str, np.ndarray]:
    return {key: np.random.default_rng(k).normal(size=(5, robot.n)) for k, key in enumerate(QUANTITIES)}


def names(robot, keys) -> dict[str, list[str]]:
    return {key: [f"{key}_{joint}" for joint in robot.joint_names] for key in keys}


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("time", [None, pa.float64()])
def test_whatever_the_order_of_the_quantities_they_are_read_back(robot, states, tmp_path, count, time) -> None:
    path = tmp_path / "m.npy"
    for keys in itertools.permutations(QUANTITIES[:count]):
        with Results(path, names(robot, keys), time=time) as results:
            results.write(time and pa.array(np.arange(5.0)), {key: states[key] for key in keys[::-1]})
        with Trajectory(path, robot, quantities=QUANTITIES) as motion:
            [chunk] = motion
        assert tuple(chunk.arrays) == QUANTITIES[:count]
        for key in keys:
            assert_same_bits(chunk.arrays[key], states[key])


def subsets():
    return (keys for count in range(1, 5) for keys in itertools.combinations(QUANTITIES, count))


@pytest.mark.parametrize("keys", [keys for keys in subsets() if "q" in keys and keys != QUANTITIES[: len(keys)]])
def test_states_that_would_be_taken_for_others_are_not_written(robot, tmp_path, keys) -> None:
    with pytest.raises(rne.ArgumentError, match=r"m.npy: an NPY has no names, and is read as the first of .* as NPZ"):
        Results(tmp_path / "m.npy", names(robot, keys))
    with pytest.raises(rne.ArgumentError, match="q, energy would be taken for others"):
        Results(tmp_path / "m.npy", {**names(robot, ["q"]), "energy": ["energy"]})
    assert not list(tmp_path.iterdir())


def test_results_that_are_no_states_keep_their_order(tmp_path) -> None:
    with Results(tmp_path / "m.npy", {"tau": ["a"], "b": ["b"]}) as results:
        results.write(None, {"b": np.full((2, 1), 2.0), "tau": np.ones((2, 1))})
    assert np.load(tmp_path / "m.npy").tolist() == [[1, 2], [1, 2]]


def test_positions_and_torques_side_by_side_are_not_taken_for_velocities(robot, states, tmp_path) -> None:
    path = tmp_path / "m.npy"
    np.save(path, np.hstack([states["q"], states["tau"]]))
    with pytest.raises(rne.FileError, match=r"m.npy: 12 columns may be q_.*, qd_.* or q_.*, tau_.*; wanted are names"):
        Trajectory(path, robot, quantities=("q", "tau"))
    np.save(path, np.hstack([states["q"], states["qd"], states["tau"]]))
    with pytest.raises(
        rne.FileError, match=r"m.npy: 18 columns may be .*; wanted are names: an NPZ, fields of an NPY, or"
    ):
        Trajectory(path, robot, quantities=("q", "qd", "tau"))
    np.savez(tmp_path / "m.npz", **{key: states[key] for key in ("q", "qd", "tau")})
    with Trajectory(tmp_path / "m.npz", robot, quantities=("q", "qd", "tau")) as motion:
        assert_same_bits(rne.files.joined(list(motion)).arrays["tau"], states["tau"])


@pytest.mark.parametrize(
    "quantities", [("q",), ("qd", "q"), ("q", "qd", "tau"), ("q", "tau"), ("tau", "qdd", "qd", "q")]
)
def test_of_all_states_those_asked_for_are_read(robot, states, tmp_path, quantities) -> None:
    """Whatever the order in which they are asked for."""
    np.save(tmp_path / "m.npy", np.hstack([np.ones((5, 1)), *states.values()]))
    with Trajectory(tmp_path / "m.npy", robot, quantities=quantities) as motion:
        [chunk] = motion
    assert set(chunk.arrays) == set(quantities)
    for key in quantities:
        assert_same_bits(chunk.arrays[key], states[key])


def test_wrenches_follow_the_quantities(robot, states, tmp_path) -> None:
    frame = next(reversed(robot.links.frames))
    wrench = np.random.default_rng(9).normal(size=(5, 6))
    np.save(tmp_path / "m.npy", np.hstack([states["q"], states["qd"], states["qdd"], wrench]))
    with Trajectory(tmp_path / "m.npy", robot, wrenches=[frame]) as motion:
        [chunk] = motion
    assert_same_bits(chunk.wrenches[frame], wrench)


def test_one_joint(tmp_path) -> None:
    """Where four columns may be two things, what was asked for is said; rne itself does not write such a file."""
    rod = own_robots.rod()
    np.save(tmp_path / "m.npy", np.arange(4.0) * np.ones((3, 1)))
    with Trajectory(tmp_path / "m.npy", rod) as motion:
        [chunk] = motion
    assert chunk.arrays["qdd"].tolist() == [[3.0]] * 3
    [joint] = rod.joint_names
    assert motion.columns.remarks == (
        f"4 columns taken as t, q_{joint}, qd_{joint}, qdd_{joint} "
        f"(not q_{joint}, qd_{joint}, qdd_{joint}, tau_{joint})",
    )
    with pytest.raises(rne.FileError, match="4 columns may be"):
        Trajectory(tmp_path / "m.npy", rod, quantities=QUANTITIES)
    with pytest.raises(rne.ArgumentError, match="would be taken for t, q_"):
        Results(tmp_path / "r.npy", names(rod, QUANTITIES))
    Results(tmp_path / "r.npy", names(rod, QUANTITIES), time=pa.float64())
