"""`rne bench`: the speed of inverse dynamics on this machine, for the robot of the user."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import rne
from rne.cli.latency import latency_page, measure_latency
from rne.cli.latency import random_states as _states
from rne.cli.options import examples, say, show, takes_robot
from rne.errors import ArgumentError
from rne.model.floating import refuse_floating
from rne.model.robot import Robot
from rne.tables import Cell, table

Floats = NDArray[Any]

_BATCHES = [10**k for k in range(7)]
_MEMORY = 2**31  # bytes; batches that need more are omitted
_CALLS = 1000  # least number of samples of a run, so that the resolution of the clock does not matter
_SHARE = 1000  # least number of samples for each additional thread


@dataclass(frozen=True)
class Case:
    """One case to time.

    Attributes
    ----------
    what : "call" (one state, from Python), "jitted" (one state, from compiled code) or "batch".
    dtype, threads, samples : precision, number of threads, and number of states in a call.
    """

    what: str
    dtype: str
    threads: int
    samples: int


@dataclass(frozen=True)
class Result(Case):
    """A case and its shortest time of all runs."""

    ns_per_sample: float
    samples_per_s: float
    torques_per_s: float


Run = tuple[Case, Callable[[], object], int]  # a case, the function that runs it, and the number of calls per run


@click.command(
    short_help="Measure the speed of rne on this machine.",
    epilog=examples(
        "rne bench panda.urdf",
        "rne bench panda.urdf --seconds 60 --json > rates.json",
        "rne bench panda.urdf --latency",
    ),
)
@takes_robot
@click.option(
    "--seconds", type=click.FloatRange(0, min_open=True), default=10.0, show_default=True, help="Time to measure for."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the random states.")
@click.option("--latency", is_flag=True, help="Measure how long single calls take, up to the slowest.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with all digits.")
def bench(robot: Robot, notes: list[str], seconds: float, seed: int, latency: bool, as_json: bool) -> None:
    """Measure how many joint torques per second this machine calculates for a robot.

    A sample is one state: positions, velocities and accelerations in, one torque per joint out. States are random
    within the limits. Times are the shortest of all runs, without compilation; batches write into an existing array.

    With --latency it is the time of one state that counts: its median, the percentiles 99, 99.9 and 99.99, and the
    worst, for a call from Python, for an evaluator, and for a loop in compiled code. A call of the loop goes through
    64 states and reports their mean, since reading the clock takes as long as a state.
    """
    refuse_floating(robot.tree)
    say(*(f"warning: {note}" for note in notes))
    if not robot.n:
        raise ArgumentError(f"{robot.name} has no movable joint")
    if latency:
        delays = list(measure_latency(robot, seconds, np.random.default_rng(seed)))
        data = {**_about(robot, seed), "latency": [asdict(delay) for delay in delays]}
        show(json.dumps(data, indent=2) if as_json else latency_page(robot, delays))
        return
    runs = list(_runs(robot, np.random.default_rng(seed)))
    results = []
    terminal = sys.stderr.isatty()
    with click.progressbar(runs, label="measuring", file=sys.stderr) if terminal else nullcontext(runs) as bar:
        for case, run, calls in bar:
            ns = _shortest(run, seconds / len(runs)) / (calls * case.samples)
            results.append(
                Result(**asdict(case), ns_per_sample=ns, samples_per_s=1e9 / ns, torques_per_s=robot.n * 1e9 / ns)
            )
    show(json.dumps(_data(robot, seed, results), indent=2) if as_json else _page(robot, results))


def _runs(robot: Robot, random: np.random.Generator) -> Iterator[Run]:
    # Imported here because they import numba, which would delay the start of the other commands.
    from rne.batch.threads import thread_count
    from rne.kernels.loop import LOOP

    largest = max(n for n in _BATCHES if n == 1 or n * robot.n * 6 * 8 <= _MEMORY)
    q, qd, qdd = _states(robot, largest, random)
    tau = np.zeros_like(q)  # not np.empty: arbitrary values might overflow in float32
    first = min(_CALLS, largest)
    rows = list(zip(q[:first], qd[:first], qdd[:first], strict=True))
    inverse_dynamics = rne.inverse_dynamics

    def call() -> None:
        for state in rows:
            inverse_dynamics(robot, *state)

    yield Case("call", "float64", 1, 1), call, first
    model = rne.jit.model(robot)
    yield Case("jitted", "float64", 1, 1), lambda: LOOP.call(model, *(a[:first] for a in (q, qd, qdd, tau))), first
    most = thread_count(None, 2**62, robot.n)
    for dtype in (np.float64, np.float32):
        arrays = [array.astype(dtype, copy=False) for array in (q, qd, qdd, tau)]
        for threads in sorted({*(2**k for k in range(most.bit_length())), most}):
            for samples in _BATCHES:
                if samples <= largest and samples >= _SHARE * (threads - 1):
                    calls = max(1, _CALLS // samples)
                    batch = _batch(robot, [array[:samples] for array in arrays], threads, calls)
                    yield Case("batch", np.dtype(dtype).name, threads, samples), batch, calls


def _batch(robot: Robot, arrays: list[Floats], threads: int, calls: int) -> Callable[[], None]:
    q, qd, qdd, tau = arrays

    def run() -> None:
        for _ in range(calls):
            rne.inverse_dynamics(robot, q, qd, qdd, out=tau, threads=threads)

    return run


def _shortest(run: Callable[[], object], seconds: float) -> int:
    """Return the shortest time of `run`, in ns; at least two runs, the first of which may compile."""
    run()
    shortest = None
    end = time.perf_counter() + seconds
    while shortest is None or time.perf_counter() < end:
        start = time.perf_counter_ns()
        run()
        took = time.perf_counter_ns() - start
        shortest = took if shortest is None else min(took, shortest)
    return max(shortest, 1)


def _page(robot: Robot, results: list[Result]) -> str:
    titles = ["what", "precision", "threads", "samples/call", "ns/sample", "10^6 samples/s", "10^6 torques/s"]
    rows: list[list[Cell]] = [
        [
            r.what,
            r.dtype,
            r.threads,
            r.samples,
            *map(_rounded, (r.ns_per_sample, r.samples_per_s / 1e6, r.torques_per_s / 1e6)),
        ]
        for r in results
    ]
    return f"{robot!r}\n\n{table(titles, rows)}"


def _rounded(number: float) -> float:
    """Return a measured value with three significant digits."""
    return float(f"{number:.3g}")


def _data(robot: Robot, seed: int, results: list[Result]) -> dict[str, Any]:
    return {**_about(robot, seed), "results": [asdict(result) for result in results]}


def _about(robot: Robot, seed: int) -> dict[str, Any]:
    return {
        "robot": robot.name,
        "source": robot.tree.source,
        "coordinates": robot.n,
        "seed": seed,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }
