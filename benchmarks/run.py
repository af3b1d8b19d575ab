"""The side-by-side run: `python -m benchmarks.run` measures everything and writes results.json in this folder.

A trial run, with a different `--seconds`, `--scale` or `--only`, writes trial.json instead, which git ignores.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks import ROOT
from benchmarks.cases import Row, rows
from benchmarks.contenders import CONTENDERS, MissingError
from benchmarks.measure import alternate, extra_memory, fresh_processes, ratios
from benchmarks.subjects import SUBJECTS, panda, states, tree

RESULTS = Path(__file__).with_name("results.json")  # committed, and shown in the README
TRIAL = Path(__file__).with_name("trial.json")  # ignored by git
WHOLE = {"seconds": 4.0, "scale": 1.0, "only": ""}  # settings of a run whose results may be committed

SIZES = (7, 15, 30, 75, 150, 300)  # joints
TREES = 4  # of each size, since small trees differ much
LINK_SAMPLES = 84_000  # joints times samples of a run, equal for all sizes

Result = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--seconds", type=float, default=WHOLE["seconds"], help="time for each row")
    parser.add_argument("--scale", type=float, default=WHOLE["scale"], help="factor by which batches are made smaller")
    parser.add_argument("--only", default=WHOLE["only"], help="only rows with this in their name")
    parser.add_argument("--output", type=Path, help="file to write; results.json, or trial.json for a trial run")
    args = parser.parse_args(arguments)
    output = args.output or target(args.seconds, args.scale, args.only)
    start, results = time.perf_counter(), []
    for result in _results(args.seconds, args.scale, args.only):
        results.append(result)
        print(f"{time.perf_counter() - start:4.0f} s  {describe(result)}", flush=True)
    if not results:
        parser.error(f"--only: no row has {args.only!r} in its name")
    page = {"date": datetime.date.today().isoformat(), "machine": machine(), "results": results}
    output.write_text(json.dumps(page, indent=2) + "\n")
    print(f"written to {output}")


def target(seconds: float, scale: float, only: str) -> Path:
    """The default output file of a run; a trial run does not replace the committed results."""
    return RESULTS if {"seconds": seconds, "scale": scale, "only": only} == WHOLE else TRIAL


def describe(result: Result) -> str:
    if "skipped" in result:
        return f"{result['name']}: skipped, {result['skipped']}"
    median = [f"median of turns {result['median_ratio']:.3g}"] if "median_ratio" in result else []
    bounds = [f"{word} {result[word]:.3g}" for word in ("must", "aim") if result.get(word) is not None]
    met = [] if result.get("must") is None else ["met" if meets(result, "must") else "NOT MET"]
    return f"{result['name']}: {result['value']:.3g} {result['unit']}  ({', '.join([*median, *bounds, *met])})"


def meets(result: Result, word: str) -> bool:
    """Whether the value reaches `must` or `aim`."""
    return result["value"] >= result[word] if result["more_is_better"] else result["value"] <= result[word]


def _results(seconds: float, scale: float, only: str) -> Iterator[Result]:
    for row in rows():
        if only in name(row):
            yield duel(replace(row, samples=max(2, round(row.samples / scale))), seconds)
    for branching, shape in ((0.3, "trees"), (0.0, "chains")):
        if only in f"random {shape}":
            yield growth(shape, branching, 2 * seconds, scale)
    if only in "memory":
        yield from (memory(threads, round(100_000 / scale)) for threads in (1, 2))
    if only in "fresh process":
        yield from fresh()


def name(row: Row) -> str:
    threads = f", {row.threads} threads" if row.threads > 1 else ""
    batch = "" if "one call" in row.task else f", {row.samples:,} samples"
    ours = row.ours.removeprefix("rne").strip()
    return f"{row.task}{batch}{threads}{ours and ', '}{ours}, {row.robot}, against {row.rival}"


def _result(name: str, value: float, unit: str, must: float | None, aim: float | None, **more: Any) -> Result:
    return {"name": name, "value": value, "unit": unit, "must": must, "aim": aim, "more_is_better": False, **more}


def duel(row: Row, seconds: float) -> Result:
    """One row: two contenders in turns."""
    subject = SUBJECTS[row.robot]()
    given = states(subject.robot, row.samples)
    try:
        ours, rival = (CONTENDERS[row.task, who](subject, given, row.threads) for who in (row.ours, row.rival))
    except MissingError as error:
        return {"name": name(row), "skipped": str(error), "row": asdict(row)}
    times = alternate([ours, rival], seconds)
    found = ratios(*times)
    ns = [round(1e9 * min(spent) / row.samples, 1) for spent in times]
    more = {"more_is_better": True, **found, "ours_ns": ns[0], "rival_ns": ns[1], "row": asdict(row)}
    return _result(name(row), found["ratio"], "times as fast", row.must, row.aim, **more)


def growth(shape: str, branching: float, seconds: float, scale: float) -> Result:
    """Time for each joint of a sample, in random trees of all sizes, relative to the smallest."""
    runs, joints = [], []
    for size in SIZES:
        samples = max(1, round(LINK_SAMPLES / size / scale))
        for seed in range(TREES):
            subject = tree(size, seed, branching)
            given = states(subject.robot, samples)
            runs.append(CONTENDERS["inverse dynamics", "rne"](subject, given, 1))
            joints.append(size * samples)
    each = [1e9 * min(spent) / count for spent, count in zip(alternate(runs, seconds), joints, strict=True)]
    ns = {size: sum(each[k * TREES : (k + 1) * TREES]) / TREES for k, size in enumerate(SIZES)}
    worst = max(ns[size] / ns[SIZES[0]] for size in SIZES)
    more = {"ns_per_joint": {str(size): round(value, 2) for size, value in ns.items()}}
    label = f"time per joint of random {shape} of {SIZES[0]} to {SIZES[-1]} joints, at worst"
    return _result(label, worst, f"times that of {SIZES[0]}", 1.5, None, kind="growth", shape=f"random {shape}", **more)


def memory(threads: int, samples: int) -> Result:
    """Memory of a batch beyond its result, per thread."""
    subject = panda()
    given = states(subject.robot, samples)
    run = CONTENDERS["inverse dynamics", "rne"](subject, given, threads)
    extra = extra_memory(run, given.q.nbytes) / threads / 2**20
    label = f"memory of a batch of {samples:,} beyond its result, per thread, threads: {threads}"
    return _result(label, extra, "MiB", 1.0, None, kind="memory", threads=threads)


def fresh() -> Iterator[Result]:
    """Run time of a fresh process, with and without compiled code on disk."""
    times = fresh_processes(cold=2, warm=10)
    label = "fresh process: import, load, first call"
    more = {"kind": "fresh", "against_pinocchio": ratios(times["warm"], times["pinocchio"])["ratio"]}
    yield _result(f"{label}, caches warm", min(times["warm"]), "s", 0.7, 0.4, **more)
    yield _result(f"{label}, caches cold", min(times["cold"]), "s", 8.0, 4.0, kind="fresh")


def machine() -> dict[str, Any]:
    """Properties of the machine on which the results depend, without anything that identifies it."""
    packages = ("numpy", "numba", "pin", "mujoco", "casadi")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = {package: _version(package) for package in packages}
    return {"cpu": _cpu(), "cores": cores, "system": platform.system(), "python": platform.python_version(),
            "rne": _own_version(), **versions, "gcc": _gcc()}  # fmt: skip


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _own_version() -> str:
    """The version of the measured sources, which need not be installed."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def _gcc() -> str | None:
    try:
        return subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


if __name__ == "__main__":
    main()
