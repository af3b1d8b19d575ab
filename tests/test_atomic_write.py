"""A file that is replaced is the old one or the new one; kills, full disks and signals are in `cli/test_whole.py`."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from rne.atomic_write import replacing


def write(path: Path, content: bytes, error: type[BaseException] | None = None) -> None:
    with replacing(str(path)) as stream:
        stream.write(content)
        if error:
            raise error


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path):
    target = tmp_path / "a.csv"
    target.write_bytes(b"old")
    with replacing(str(target)) as stream:
        stream.write(b"new")
        stream.flush()
        assert target.read_bytes() == b"old"
        assert len(list(tmp_path.iterdir())) == 2
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("there", [True, False])
def test_what_goes_wrong_leaves_everything_as_it_was(tmp_path, error, there):
    target = tmp_path / "a.csv"
    if there:
        target.write_bytes(b"old")
    with pytest.raises(error):
        write(target, b"half", error)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"] * there


def test_the_mode_of_a_file_stays_and_a_link_is_followed(tmp_path):
    target, link = tmp_path / "a.csv", tmp_path / "link.csv"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_leftovers_of_killed_runs_are_removed_and_those_of_others_are_not(tmp_path):
    ours, others = tmp_path / ".a.csv.0123456789ab.rne-part", tmp_path / ".b.csv.0123456789ab.rne-part"
    ours.write_bytes(b"left")
    others.write_bytes(b"left")
    with replacing(str(tmp_path / "a.csv")) as first:
        write(tmp_path / "a.csv", b"second")  # a run beside, which takes the file of the first for no leftover
        first.write(b"first")
    assert not ours.exists()
    assert others.exists()
    assert (tmp_path / "a.csv").read_bytes() == b"first"


def test_errors_of_the_system_name_the_file_that_was_asked_for(tmp_path):
    target = tmp_path / "nowhere" / "a.csv"
    with pytest.raises(FileNotFoundError) as caught:
        write(target, b"")
    assert caught.value.filename == str(target)
    elsewhere = tmp_path / "elsewhere"
    with pytest.raises(FileNotFoundError) as caught, replacing(str(tmp_path / "a.csv")):
        elsewhere.open()
    assert caught.value.filename == str(elsewhere)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe with a name")
def test_a_pipe_is_written_in_place(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write(pipe, b"through")
    reader.join(10)
    assert read == [b"through"]
    assert pipe.is_fifo()
