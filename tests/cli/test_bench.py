"""`rne bench`: the cases are there, the rates fit together, and the jitted loop calculates what it should."""

from __future__ import annotations

import json
import os
import time

import numpy as np
import pytest
from trajectories import Run

import rne
from rne.cli import bench
from rne.cli.latency import measure_latency
from rne.kernels.loop import LOOP


@pytest.fixture(autouse=True)
def short(monkeypatch) -> None:
    monkeypatch.setattr(bench, "_BATCHES", [1, 100, 3000])
    monkeypatch.setenv("RNE_NUM_THREADS", "3")


def test_json(run: Run, robot_file) -> None:
    result = run("bench", robot_file, "--json", "--seconds", "0.1")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert (data["robot"], data["coordinates"], data["cores"]) == ("arm", 2, os.cpu_count())
    cases = [(r["what"], r["dtype"], r["threads"], r["samples"]) for r in data["results"]]
    assert cases[:2] == [("call", "float64", 1, 1), ("jitted", "float64", 1, 1)]
    for dtype in ("float64", "float32"):
        for case in [(1, 1), (1, 100), (1, 3000), (2, 3000), (3, 3000)]:
            assert ("batch", dtype, *case) in cases
    assert len(cases) == 12
    for r in data["results"]:
        assert r["ns_per_sample"] * r["samples_per_s"] == pytest.approx(1e9)
        assert r["torques_per_s"] == pytest.approx(2 * r["samples_per_s"])
        assert 1 < r["ns_per_sample"] < 1e6
    rates = {case: r["ns_per_sample"] for case, r in zip(cases, data["results"], strict=True)}
    assert rates["batch", "float64", 1, 3000] < rates["call", "float64", 1, 1]


def test_page(run: Run, robot_file) -> None:
    lines = run("bench", robot_file, "--seconds", "0.1").stdout.splitlines()
    assert lines[0].startswith("arm: 2 joints")
    assert lines[2].split("  ")[0] == "what"
    assert len(lines) == 3 + 12


def test_states_are_within_the_limits_and_seeded(robot) -> None:
    def states(seed):
        return bench._states(robot, 500, np.random.default_rng(seed))

    q, qd, qdd = states(1)
    assert (q >= robot.lower_limit).all()
    assert (q <= robot.upper_limit).all()
    assert (abs(qd) <= robot.velocity_limit).all()
    assert np.isfinite(qdd).all()
    np.testing.assert_array_equal(q, states(1)[0])
    assert not np.array_equal(q, states(2)[0])


def test_limits_that_are_none_or_cross_do_no_harm(robot, monkeypatch) -> None:
    limits = {"lower": [-np.inf, 1.0], "upper": [1e308, 0.0], "velocity": [np.inf, -1.0]}
    for name, values in limits.items():
        monkeypatch.setattr(rne.Robot, f"{name}_limit", np.array(values))
    q, qd, _ = bench._states(robot, 500, np.random.default_rng(0))
    assert (abs(q) <= 2 * np.pi).all()
    assert 0 <= q[:, 1].min() < q[:, 1].max() <= 1
    assert (abs(qd) <= [10, 1]).all()


def test_the_loop_calculates_torques(robot) -> None:
    q, qd, qdd = bench._states(robot, 50, np.random.default_rng(0))
    tau = np.empty_like(q)
    LOOP.call(rne.jit.model(robot), q, qd, qdd, tau)
    np.testing.assert_array_equal(tau, rne.inverse_dynamics(robot, q, qd, qdd))


def test_large_batches_are_left_out(run: Run, robot_file, monkeypatch) -> None:
    monkeypatch.setattr(bench, "_MEMORY", 100 * 2 * 6 * 8)
    data = json.loads(run("bench", robot_file, "--json", "--seconds", "0.1").stdout)
    assert max(r["samples"] for r in data["results"]) == 100


def test_wrong_usage(run: Run, robot_file) -> None:
    assert run("bench", robot_file, "--seconds", "0").exit_code == 2


def test_latency(run: Run, robot_file) -> None:
    data = json.loads(run("bench", robot_file, "--latency", "--json", "--seconds", "0.6").stdout)
    assert [delay["what"] for delay in data["latency"]] == ["call", "evaluator", "jitted"]
    for delay in data["latency"]:
        assert 1 < delay["p50"] <= delay["p99"] <= delay["p99_9"] <= delay["p99_99"] <= delay["worst"]
        assert delay["calls"] > 100
    call, _, jitted = (delay["p50"] for delay in data["latency"])
    assert jitted < call
    lines = run("bench", robot_file, "--latency", "--seconds", "0.3").stdout.splitlines()
    assert lines[2].split()[:3] == ["what", "calls", "p50,"]
    assert len(lines) == 3 + 3


def test_latency_takes_the_time_it_is_given() -> None:
    """A measurement of three parts, each of a third of the seconds."""
    robot = rne.load("models/planar2/robot.dh.toml")
    for _ in measure_latency(robot, 0.01, np.random.default_rng(0)):  # compiles
        pass
    start = time.perf_counter()
    delays = list(measure_latency(robot, 0.9, np.random.default_rng(0)))
    assert 0.9 <= time.perf_counter() - start < 5
    assert len(delays) == 3
