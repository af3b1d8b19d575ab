"""How far a simulation has come, while it runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from rne.errors import ArgumentError

# Seconds between two reports.
_EVERY = 0.1


@contextmanager
def reported(progress: Callable[[float], object] | None, path: NDArray[np.float64]) -> Iterator[None]:
    """Call `progress` from a thread of its own with the part of the rows of a path (samples, T, n) that are there.

    Rows that are not there yet are NaN: compiled loops fill them without the interpreter, so that the thread can look.
    """
    if progress is None:
        yield
        return
    if not callable(progress):
        raise ArgumentError(f"progress: wanted a function, got {type(progress).__name__}")
    path[:, 1:] = np.nan
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_EVERY):
            there = ~np.isnan(path[:, 1:, :1])
            progress(float(there.mean()) if there.size else 1.0)

    watching = threading.Thread(target=watch, name="rne progress", daemon=True)
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join()
    progress(1.0)
