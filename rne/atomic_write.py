"""Files that are there complete or not at all."""

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
    """Open a new file that takes the place of `path` at the end; if anything goes wrong, `path` stays as it was.

    A link is followed; what is no regular file (a pipe, /dev/null) is written in place. What a killed run for the same
    file has left is removed.
    """
    path = os.path.expanduser(path)
    target = Path(os.path.realpath(path))  # which takes a link that leads to itself as a file
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
    """Let errors of the system tell of the file that was asked for; those of other files pass."""
    try:
        yield
    except OSError as error:
        ours = error.filename is None or error.filename == str(part)
        if not ours or error.errno in (None, errno.EPIPE):
            raise
        raise OSError(error.errno, error.strerror, path) from None


def _created(part: Path) -> BinaryIO:
    """Open a new file and mark it as being written, until the process ends, however it ends."""
    while True:
        stream = part.open("x+b")
        if fcntl is not None:
            with contextlib.suppress(OSError):  # of file systems that know no marks
                fcntl.flock(stream, fcntl.LOCK_EX)
        if part.exists():
            return stream
        stream.close()  # another run took it for a leftover before it was marked


def _remove_leftovers(target: Path) -> None:
    """Remove what runs that were killed have left: files that nobody marks any more."""
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
