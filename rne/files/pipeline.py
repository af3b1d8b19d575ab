"""Work on a sequence in several threads, with results in its order."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import TypeVar

from rne.check import whole_number
from rne.errors import ArgumentError, shown
from rne.files.extra import pa

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 8  # results of a thread that wait for their turn
_PATIENCE = 1.0  # seconds to wait for a read to end after cancellation


def hold_pyarrow(threads: int) -> None:
    """Limit the number of threads of pyarrow, and disable its signal handlers, in the whole process."""
    pa.set_cpu_count(max(1, threads))
    pa.enable_signal_handlers(False)


def in_order(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Yield `work(item)` for each item, in the order of the items.

    Each thread takes the next item when it is free, so that reading, working and what is done with the results overlap.
    The items are taken from their iterator one at a time, in any thread, only a few in advance.

    Parameters
    ----------
    work : may be called from several threads at once; it is worth threads if it gives up the GIL.
    items : what to work on.
    threads : how many, besides the caller's; with 0 it does all by itself.

    Yields
    ------
    result : of each item. What `work` or the iterator raises is raised in its place.

    Returns
    -------
    results : an iterator.

    Examples
    --------
    >>> import rne
    >>> list(rne.files.in_order(abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
    if not callable(work):
        raise ArgumentError(f"work: wanted a function, got {shown(work)}")
    if not isinstance(items, Iterable):
        raise ArgumentError(f"items: wanted what can be gone through, got {shown(items)}")
    whole_number("threads", threads, 0)
    if threads < 1:
        yield from map(work, items)
        return
    source = iter(items)
    turn, stop, reading = threading.Lock(), threading.Event(), threading.Event()
    results: queue.Queue[Future[Result] | None] = queue.Queue(_AHEAD * threads)

    def run() -> None:
        while True:
            result: Future[Result] = Future()
            with turn:
                if stop.is_set():
                    return
                reading.set()
                try:
                    item = next(source)
                except StopIteration:
                    stop.set()
                    results.put(None)
                    return
                except BaseException as error:
                    stop.set()
                    result.set_exception(error)
                    results.put(result)
                    return
                finally:
                    reading.clear()
                results.put(result)
            try:
                result.set_result(work(item))
            except BaseException as error:
                stop.set()  # what comes later is not needed
                result.set_exception(error)
            del item, result

    # Daemons: one may wait for a pipe that never says another word.
    workers = [threading.Thread(target=run, daemon=True, name=f"rne-files-{k}") for k in range(threads)]
    for worker in workers:
        worker.start()
    try:
        while (result := results.get()) is not None:
            yield result.result()
            del result
    finally:
        stop.set()
        patience = time.monotonic() + _PATIENCE
        for worker in workers:
            while worker.is_alive() and not (reading.is_set() and time.monotonic() > patience):
                with contextlib.suppress(queue.Empty):  # it may wait for room
                    results.get_nowait()
                worker.join(0.01)
