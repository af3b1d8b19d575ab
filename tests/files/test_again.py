"""A trajectory gone through again begins at its beginning, or says why it cannot."""

from __future__ import annotations

import os

import numpy as np
import pytest
from checks import assert_same_bits
from motions import WRITERS, N, arrays

import rne
from rne.files import Differentiated, Trajectory


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("opened", [False, True])
def test_it_starts_over(robot, motion, tmp_path, name, opened) -> None:
    path = tmp_path / name
    WRITERS[name](path, motion)
    kind = {"feather": "arrow", "gz": "csv", "zst": "csv", "bz2": "csv"}.get(path.suffix[1:], path.suffix[1:])
    kind = "arrow" if name == "polars.arrow" else kind
    with path.open("rb") as stream, Trajectory(stream if opened else path, robot, chunk=70, format=kind) as trajectory:
        part = next(iter(trajectory))
        assert part.first == 0
        for _ in range(2):
            chunks = list(trajectory)
            assert [chunk.first for chunk in chunks] == list(np.cumsum([0, *(c.rows for c in chunks)])[:-1])
            whole = rne.files.joined(chunks)
            assert whole.rows == N
            for key, wanted in arrays(robot, motion).items():
                assert_same_bits(whole.arrays[key], wanted)


def test_a_stream_starts_over_where_it_was(robot, motion, tmp_path) -> None:
    WRITERS["m.csv"](tmp_path / "m.csv", motion)
    (tmp_path / "m.csv").write_bytes(b"not this\n" + (tmp_path / "m.csv").read_bytes())
    with (tmp_path / "m.csv").open("rb") as stream:
        stream.readline()
        trajectory = Trajectory(stream, robot)
        assert [sum(chunk.rows for chunk in trajectory) for _ in range(2)] == [N, N]


@pytest.mark.parametrize("name", ["m.csv", "m.parquet", "columns.npz"])
def test_what_was_begun_before_ends(robot, motion, tmp_path, name) -> None:
    WRITERS[name](tmp_path / name, motion)
    with Trajectory(tmp_path / name, robot, chunk=70) as trajectory:
        one, two = iter(trajectory), iter(trajectory)
        next(one), next(two)
        with pytest.raises(rne.ArgumentError, match=f"{name}: was begun anew in the meantime"):
            next(one)
        assert sum(chunk.rows for chunk in two) == N - 70


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe_is_read_once(robot, motion, tmp_path) -> None:
    WRITERS["m.csv"](tmp_path / "m.csv", {key: column[:5] for key, column in motion.items()})
    read, write = os.pipe()
    with os.fdopen(write, "wb") as stream:
        stream.write((tmp_path / "m.csv").read_bytes())
    with os.fdopen(read, "rb") as stream, Trajectory(stream, robot) as trajectory:
        assert sum(chunk.rows for chunk in trajectory) == 5
        with pytest.raises(rne.ArgumentError, match="<stream>: a pipe can be read only once"):
            list(trajectory)


def test_a_file_that_is_closed_or_changed(robot, motion, tmp_path) -> None:
    WRITERS["m.csv"](tmp_path / "m.csv", motion)
    with Trajectory(tmp_path / "m.csv", robot) as trajectory:
        list(trajectory)
        text = (tmp_path / "m.csv").read_text()
        (tmp_path / "m.csv").write_text(text.replace("qd_roll", "qd_rolled"))
        with pytest.raises(rne.FileError, match=r"m.csv:1: the columns have changed"):
            list(trajectory)
    with pytest.raises(rne.ArgumentError, match=r"m.csv: the trajectory is closed"):
        list(trajectory)


def test_derivatives_again(robot, motion, tmp_path) -> None:
    """With the same counts, not twice as many."""
    t = np.repeat(motion["t"][:60], 2)
    rows = {key: column[:120] for key, column in motion.items() if key.startswith("q_")}
    WRITERS["m.csv"](tmp_path / "m.csv", {"t": t, **rows})
    with Trajectory(tmp_path / "m.csv", robot, chunk=30) as trajectory:
        derived = Differentiated(trajectory)
        once, again = (rne.files.joined([read() for read in derived.pieces()]) for _ in range(2))
    assert derived.duplicates == 60
    assert_same_bits(once.arrays["qdd"], again.arrays["qdd"])
