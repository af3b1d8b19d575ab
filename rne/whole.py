"""Files that are there complete or not at all."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO, NoReturn

_ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` at the end; if anything goes wrong, `path` stays as it was.

    A link is followed; what is no regular file (a pipe, /dev/null) is written in place.
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            yield stream
        return
    part = target.with_name(f".rne-{os.urandom(6).hex()}.part")
    with _ended_by_exceptions():
        try:
            with _created(part, path) as stream:
                yield stream
            if target.exists():
                shutil.copymode(target, part)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


def _created(part: Path, path: str) -> BinaryIO:
    try:
        return part.open("xb")
    except OSError as error:  # tell it of the file that was asked for
        raise OSError(error.errno, error.strerror, path) from None


@contextmanager
def _ended_by_exceptions() -> Iterator[None]:
    """Let signals that end the process raise, so that files are tidied up; as Python does for Ctrl-C by itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [number for number in _ENDINGS if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
