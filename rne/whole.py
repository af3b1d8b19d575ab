"""Files that are there complete or not at all."""

from __future__ import annotations

import contextlib
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
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            yield stream
        return
    _remove_leftovers(target)
    part = target.with_name(f".{target.name[:100]}.{os.urandom(6).hex()}{_SUFFIX}")
    with _ended_by_exceptions():
        try:
            with _created(part, path) as stream:
                _lock(stream)
                yield stream
            if target.exists():
                shutil.copymode(target, part)
            part.replace(target)
        except OSError as error:  # a full disk is full for the file that was asked for
            if error.filename is None and error.errno:
                raise type(error)(error.errno, error.strerror, path) from None
            raise
        finally:
            part.unlink(missing_ok=True)


def _created(part: Path, path: str) -> BinaryIO:
    try:
        return part.open("x+b")
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None


def _lock(stream: BinaryIO) -> bool:
    """Mark a file as being written; the system takes the mark away when the process ends, however it ends."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_leftovers(target: Path) -> None:
    """Remove what runs that were killed have left; what nobody marks is theirs once it is not just being made."""
    for old in target.parent.glob(f".{_escaped(target.name[:100])}.*{_SUFFIX}"):
        with contextlib.suppress(OSError), old.open("rb+") as stream:
            if _lock(stream) and os.fstat(stream.fileno()).st_size:
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
