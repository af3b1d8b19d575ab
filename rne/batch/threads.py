"""Batches spread over threads. Kernels release the GIL, so plain Python threads on slices of the batch suffice."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from typing import Any

import numpy as np

from rne.batch.arguments import Batch, Floats
from rne.errors import ArgumentError, shown
from rne.kernels.entries import addresses_of
from rne.kernels.jit import Entry
from rne.kernels.layout import WORTH_A_THREAD
from rne.model.robot import Robot

# Samples to a slice are whole blocks of the widest pack, so that no two threads work on the same block.
_BLOCK = 64

_pool: ThreadPoolExecutor | None = None
_pool_lock = threading.Lock()


def thread_count(threads: int | None, samples: int, joints: int) -> int:
    """Return how many threads to use.

    Parameters
    ----------
    threads : the caller's wish; None leaves it to the size of the batch, the environment variable ``RNE_NUM_THREADS``
        and the cores this process may use.
    samples, joints : size of the batch.

    Raises
    ------
    ArgumentError
        The wish is not a positive whole number.
    """
    if threads is None:
        worth = samples * joints // WORTH_A_THREAD
        if worth < 2:
            return 1
        wish = os.environ.get("RNE_NUM_THREADS")
        available = _positive("RNE_NUM_THREADS", wish) if wish else _cores()
        threads = min(available, worth)
    elif isinstance(threads, int | float | np.number):
        threads = _positive("threads", threads)
    else:
        raise ArgumentError(f"threads: wanted a positive whole number, got {shown(threads)}")
    return max(1, min(threads, -(-samples // _BLOCK)))


def _positive(name: str, value: Any) -> int:
    try:
        number = int(value)
        if number < 1 or isinstance(value, bool) or number != float(value):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{name}: wanted a positive whole number, got {value!r}") from None
    return number


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def launch(
    entry: Entry,
    robot: Robot,
    batch: Batch,
    inputs: tuple[str, ...],
    result: Floats,
    threads: int | None,
    table: Floats,
    *more: Any,
) -> None:
    """Fill `result`, C-contiguous, by an entry for batches.

    Parameters
    ----------
    entry : takes `table`, first and one past the last sample, address and row stride of each input and of the result in
        one array, and `more`.
    inputs : names of the arguments in `batch`, in the order in which the entry takes them.
    """
    samples = batch.samples
    count = thread_count(threads, samples, robot.n)
    if result.size == 0:
        return
    rows = batch.rows
    if robot._own is not None and (table is robot.links.table or table is robot.links.table32):
        entry = robot._own.get((entry, tuple(flag for flag in more if isinstance(flag, int))), entry)
    addresses = addresses_of([*[rows[name] for name in inputs], result.reshape(samples, -1)])
    call_on(entry, table, samples, count, addresses, *more)


def call_on(entry: Entry, table: Floats, samples: int, threads: int, addresses: Any, *more: Any) -> None:
    """Call an entry for batches on a number of threads; the arrays at the addresses must outlive the call."""
    call = entry.call
    if threads == 1:
        call(table, 0, samples, addresses, *more)
    else:
        run(lambda first, stop: call(table, first, stop, addresses, *more), samples, threads)


def run(work: Callable[[int, int], None], samples: int, threads: int) -> None:
    """Call `work(first, stop)` on slices that make up `range(samples)`, side by side."""
    if threads == 1:
        work(0, samples)
        return
    blocks = -(-samples // _BLOCK)
    bounds = [min(samples, blocks * k // threads * _BLOCK) for k in range(threads + 1)]
    pool = _get_pool()
    others = [pool.submit(work, first, stop) for first, stop in pairwise(bounds[1:])]
    try:
        work(bounds[0], bounds[1])
    finally:
        wait(others)
    for other in others:
        other.result()


def _get_pool() -> ThreadPoolExecutor:
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(max_workers=max(64, _cores()), thread_name_prefix="rne")
        return _pool


def _forget_pool() -> None:
    """After a fork the threads are gone, and the lock may have been held."""
    global _pool, _pool_lock
    _pool = None
    _pool_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)
