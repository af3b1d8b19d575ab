"""The suite for pytest-benchmark: `pytest benchmarks --benchmark-only`. Each contender of each row separately."""

from __future__ import annotations

from itertools import chain

import pytest

from benchmarks.cases import rows
from benchmarks.contenders import CONTENDERS, MissingError
from benchmarks.subjects import SUBJECTS, states

CASES = sorted(set(chain.from_iterable(
    [(row.task, row.robot, row.samples, row.threads, who) for who in (row.ours, row.rival)] for row in rows()
)))  # fmt: skip


@pytest.mark.parametrize(("task", "robot", "samples", "threads", "library"), CASES)
def test_speed(benchmark, task, robot, samples, threads, library):
    subject = SUBJECTS[robot]()
    try:
        run = CONTENDERS[task, library](subject, states(subject.robot, samples), threads)
    except MissingError as error:
        pytest.skip(str(error))
    benchmark.group = f"{task}, {robot}, samples: {samples:,}, threads: {threads}"
    benchmark.extra_info["samples"] = samples
    benchmark.pedantic(run, warmup_rounds=1, rounds=10)
