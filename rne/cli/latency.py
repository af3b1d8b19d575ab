"""`rne bench --latency`: how long one state takes, from the median to the worst."""

from __future__ import annotations

import gc
import time
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rne
from rne.model.robot import Robot
from rne.model.sampling import random_positions, velocity_limits
from rne.tables import Cell, table

_STATES = 256  # different ones, in turn
_TOGETHER = 64  # states that a call of the compiled loop goes through
_VELOCITY, _ACCELERATION = 10.0, 5.0  # rad/s, rad/s^2 at most, whatever the limits
_MOST = 20_000_000  # calls whose times are kept, 160 MB
_WARM = 1000  # calls before


@dataclass(frozen=True)
class Latency:
    """How long one state takes, in ns, and how many calls were timed.

    Attributes
    ----------
    what : "call" (from Python), "evaluator" (the same with `rne.Evaluator`), or "jitted" (in a compiled loop).
    """

    what: str
    calls: int
    p50: float
    p99: float
    p99_9: float
    p99_99: float
    worst: float


def measure_latency(robot: Robot, seconds: float, random: np.random.Generator) -> Iterator[Latency]:
    """Time the three ways, a third of the time each."""
    # Here, not on top: it imports numba, which the other commands start faster without.
    from rne.kernels.loop import LOOP

    q, qd, qdd = random_states(robot, _STATES, random)
    states = list(zip(q, qd, qdd, strict=True))
    inverse_dynamics, evaluator = rne.inverse_dynamics, rne.Evaluator(robot)
    model, tau = rne.jit.model(robot), np.zeros((_TOGETHER, robot.n))
    parts = [tuple(a[first : first + _TOGETHER] for a in (q, qd, qdd)) for first in range(0, _STATES, _TOGETHER)]

    def call(k: int) -> None:
        inverse_dynamics(robot, *states[k % _STATES])

    def evaluate(_k: int) -> None:
        evaluator.inverse_dynamics()

    def ready(k: int) -> None:
        evaluator.q[:], evaluator.qd[:], evaluator.qdd[:] = states[k % _STATES]

    def loop(k: int) -> None:
        LOOP.call(model, *parts[k % len(parts)], tau)

    for what, run, before, together in (
        ("call", call, _nothing, 1),
        ("evaluator", evaluate, ready, 1),
        ("jitted", loop, _nothing, _TOGETHER),
    ):
        times = _times(run, before, seconds / 3) / together
        p50, p99, p99_9, p99_99, worst = np.percentile(times, [50, 99, 99.9, 99.99, 100]).tolist()
        yield Latency(what, len(times), p50, p99, p99_9, p99_99, worst)


def _times(run: Callable[[int], None], before: Callable[[int], None], seconds: float) -> NDArray[np.int64]:
    """Return the times of single calls in ns, the empty call of a function and of the clock taken off."""
    for k in range(_WARM):
        before(k)
        run(k)
    clock = time.perf_counter_ns
    idle = min(_one(_nothing, k, clock) for k in range(_WARM))
    times = array("q")
    collecting = gc.isenabled()
    gc.disable()  # as control loops do: its pauses are of the program, not of a call
    try:
        end = clock() + int(seconds * 1e9)
        for k in range(_MOST):
            before(k)
            times.append(_one(run, k, clock))
            if clock() >= end:
                break
    finally:
        if collecting:
            gc.enable()
    return np.maximum(np.frombuffer(times, np.int64) - idle, 1)


def _one(run: Callable[[int], None], k: int, clock: Callable[[], int]) -> int:
    start = clock()
    run(k)
    return clock() - start


def _nothing(_k: int) -> None:
    pass


def random_states(robot: Robot, samples: int, random: np.random.Generator) -> list[NDArray[Any]]:
    """Return random positions, velocities and accelerations, as the limits allow."""
    q, velocity = random_positions(robot, samples, random), velocity_limits(robot).clip(max=_VELOCITY)
    acceleration = np.full(robot.n, _ACCELERATION)
    return [q, *(random.uniform(-bound, bound, (samples, robot.n)) for bound in (velocity, acceleration))]


def latency_page(robot: Robot, delays: list[Latency]) -> str:
    """Return a table of the latencies in us."""
    titles = ["what", "calls", "p50, us", "p99", "p99.9", "p99.99", "worst"]
    numbers = [field.name for field in fields(Latency)[2:]]
    rows: list[list[Cell]] = [
        [delay.what, delay.calls, *(float(f"{getattr(delay, name) / 1e3:.3g}") for name in numbers)] for delay in delays
    ]
    return f"{robot!r}\n\n{table(titles, rows)}"
