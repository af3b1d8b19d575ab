"""Measurement of ratios, of memory, and of the start of a fresh process."""

from __future__ import annotations

import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import ROOT
from benchmarks.subjects import PANDA

Run = Callable[[], Any]

TURN = 0.02  # s; least time of a turn, so that the resolution of the clock does not matter
PAUSE = 0.003  # s; by then the threads of the previous contender are idle


def alternate(runs: Sequence[Run], seconds: float, least: int = 5) -> list[list[float]]:
    """Run all in turns for about `seconds`, and at least `least` turns; returns the times of each per turn, in s.

    Disturbances affect all alike, so a ratio of times from one such loop is reproducible even if the times are not.
    Fast contenders run several times per turn, so that all turns take equally long; shorter turns would be disturbed
    less often.
    """
    for run in runs:
        run()  # compiles
    once = [_time(run, 1) for run in runs]
    repeats = [max(1, round(max(TURN, *once) / spent)) for spent in once]
    times: list[list[float]] = [[] for _ in runs]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[0]) < least:
        for run, many, spent in zip(runs, repeats, times, strict=True):
            time.sleep(PAUSE)
            spent.append(_time(run, many))
    return times


def _time(run: Run, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - start) / repeats


def ratios(ours: Sequence[float], rival: Sequence[float]) -> dict[str, float]:
    """Time of the rival divided by ours: of the shortest times, and the median over the turns."""
    turns = [r / o for o, r in zip(ours, rival, strict=True)]
    return {"ratio": min(rival) / min(ours), "median_ratio": statistics.median(turns), "turns": len(turns)}


# ----------------------------------------------------------------------------------------------------------- memory


def extra_memory(run: Run, result_bytes: int) -> int:
    """Peak memory of a call beyond its result, bytes: allocated by Python and numpy, or resident, whichever is larger.

    Resident memory includes that of compiled code, in whole pages; it is available only on Linux.
    """
    run()
    tracemalloc.start()
    run()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return max(0, most - result_bytes, _resident(run) - result_bytes)


def _resident(run: Run) -> int:
    reset, status = Path("/proc/self/clear_refs"), Path("/proc/self/status")
    if not reset.exists():
        return 0
    if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)
    reset.write_text("5")  # resets the peak
    before = _kib(status, "VmRSS")
    run()
    return 1024 * (_kib(status, "VmHWM") - before)


def _kib(status: Path, name: str) -> int:
    (line,) = [line for line in status.read_text().splitlines() if line.startswith(name)]
    return int(line.split()[1])


# ---------------------------------------------------------------------------------------------------- fresh process

_OURS = """
import rne
panda = rne.load({path!r}, lock={{"panda_finger_joint1": 0.0}})
rne.inverse_dynamics(panda, [0.1] * 7, [0.2] * 7, [0.3] * 7)
"""
_PINOCCHIO = """
import numpy as np, pinocchio as pin
panda = pin.buildModelFromUrdf({path!r})
pin.rnea(panda, panda.createData(), *(np.full(panda.nv, x) for x in (0.1, 0.2, 0.3)))
"""


def fresh_processes(cold: int, warm: int) -> dict[str, list[float]]:
    """Seconds from the start of Python to its end, including import, loading and the first call.

    A cold start has no compiled code on disk; a warm start uses that of the cold start.
    """
    times: dict[str, list[float]] = {"cold": [], "warm": [], "pinocchio": []}
    for _ in range(cold):
        with tempfile.TemporaryDirectory() as cache:
            times["cold"].append(_process(_OURS, cache))
            for _ in range(warm // cold):
                times["warm"].append(_process(_OURS, cache))
                times["pinocchio"].append(_process(_PINOCCHIO, cache))
    return times


def _process(code: str, cache: str) -> float:
    command = [sys.executable, "-c", code.format(path=str(PANDA))]
    start = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env={**os.environ, "NUMBA_CACHE_DIR": cache}, check=True)
    return time.perf_counter() - start
