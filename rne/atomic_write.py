"""Atomic writing: a file is either complete or absent."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO, NoReturn

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_SUFFIX = ".rne-part"


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` at the end; if an error occurs, `path` is unchanged.

    Symbolic links are followed. A target that is not a regular file (a pipe, /dev/null) is written in place. Temporary
    files left by killed processes for the same target are removed.
    """
    path = os.path.expanduser(path)
    target = Path(os.path.realpath(path))  # a link to itself is treated as a file
    if target.exists() and not target.is_file():
        with _named(path), target.open("wb") as stream:
            yield stream
        return
    _remove_leftovers(target)
    part = target.with_name(f".{target.name[:100]}.{os.urandom(6).hex()}{_SUFFIX}")
    with _ended_by_exceptions(), _named(path, part):
        try:
            with _created(part) as stream:
                yield stream
            if target.exists():
                shutil.copymode(target, part)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def _named(path: str, part: Path | None = None) -> Iterator[None]:
    """Make OS errors name the requested file instead of the temporary one; errors of other files pass unchanged."""
    try:
        yield
    except OSError as error:
        ours = error.filename is None or error.filename == str(part)
        if not ours or error.errno in (None, errno.EPIPE):
            raise
        raise OSError(error.errno, error.strerror, path) from None


def _created(part: Path) -> BinaryIO:
    """Create a file and lock it, which marks it as being written until the process ends in whatever way."""
    while True:
        stream = part.open("x+b")
        if fcntl is not None:
            with contextlib.suppress(OSError):  # file systems without locks
                fcntl.flock(stream, fcntl.LOCK_EX)
        if part.exists():
            return stream
        stream.close()  # another process removed it as a leftover before it was locked


def _remove_leftovers(target: Path) -> None:
    """Remove the temporary files of killed processes: those that are no longer locked."""
    if fcntl is None:
        return
    for old in target.parent.glob(f".{_escaped(target.name[:100])}.*{_SUFFIX}"):
        with contextlib.suppress(OSError), old.open("rb+") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            old.unlink()


def _escaped(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


@contextmanager
def _ended_by_exceptions() -> Iterator[None]:
    """Turn termination signals into exceptions, as Python does for Ctrl-C, so that temporary files are removed."""
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
