"""Work in several threads comes out in order, errors too, and nobody waits for what never comes."""

from __future__ import annotations

import os
import threading
import time

import pytest

from rne.files import in_order


@pytest.mark.parametrize("threads", [0, 1, 2, 5])
def test_results_come_in_order(threads) -> None:
    def work(k: int) -> int:
        time.sleep(0.001 * (k * 7 % 5))
        return k * k

    assert list(in_order(work, range(200), threads)) == [k * k for k in range(200)]
    assert list(in_order(work, [], threads)) == []


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_the_first_error_comes_in_its_place(threads) -> None:
    def work(k: int) -> int:
        if k in (20, 21):
            time.sleep(0.02 if k == 20 else 0)
            raise ValueError(f"at {k}")
        return k

    before = threading.active_count()
    results = in_order(work, range(1000), threads)
    for k in range(20):
        assert next(results) == k
    with pytest.raises(ValueError, match="at 20"):
        next(results)
    assert threading.active_count() < before + 10


@pytest.mark.parametrize("threads", [0, 2])
def test_errors_in_reading_come_after_what_was_read(threads) -> None:
    def items():
        yield from range(5)
        raise OSError("gone")

    results = in_order(str, items(), threads)
    assert [next(results) for _ in range(5)] == ["0", "1", "2", "3", "4"]
    with pytest.raises(OSError, match="gone"):
        next(results)


@pytest.mark.parametrize("threads", [0, 1, 4])
def test_no_more_is_read_than_soon_needed(threads) -> None:
    read = []

    def items():
        for k in range(100_000):
            read.append(k)
            yield k

    results = in_order(abs, items(), threads)
    for _ in range(10):
        next(results)
    time.sleep(0.05)
    assert len(read) <= 10 + 9 * threads + threads
    results.close()
    count = len(read)
    time.sleep(0.05)
    assert len(read) == count
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("rne-files")]


def test_a_read_that_never_ends_is_not_waited_for() -> None:
    read, write = os.pipe()

    def items():
        yield 1
        with os.fdopen(read, "rb") as stream:
            stream.read()

    results = in_order(abs, items(), 2)
    assert next(results) == 1
    start = time.monotonic()
    results.close()
    assert time.monotonic() - start < 5
    os.close(write)


def test_threads_work_side_by_side() -> None:
    """Each waits until the other has begun, which one alone would do for ever."""
    meeting = threading.Barrier(2)
    assert len(list(in_order(lambda _: meeting.wait(10), range(2), 2))) == 2
