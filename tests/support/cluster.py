"""Accidents of a cluster, for tests: imported by its workers."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from distributed.diagnostics.plugin import WorkerPlugin


class OneDies(WorkerPlugin):
    """The first worker to have done some tasks is killed, as by the kernel when memory runs out.

    Parameters
    ----------
    grave : file in which it leaves its number; while it is there, nobody else dies.
    after : tasks done.
    """

    def __init__(self, grave: Path, after: int) -> None:
        self.grave = grave
        self.left = after

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        self.left -= finish == "memory"
        if self.left > 0:
            return
        try:
            with self.grave.open("x") as file:
                file.write(str(os.getpid()))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)
