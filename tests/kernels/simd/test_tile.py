"""The transposition between rows of samples and packs: any width and stride, and nothing touched outside the rows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from rne.kernels.simd.pack import LANES, as_packs
from rne.kernels.simd.tile import load_tile, store_tile

ROOT = Path(__file__).parents[3]
WIDTH = {np.float64: LANES[numba.float64], np.float32: LANES[numba.float32]}
BOTH = pytest.mark.parametrize("dtype", WIDTH)
WIDTHS = pytest.mark.parametrize("columns", range(1, 21))
GUARD = 7.75


@numba.njit(error_model="numpy")
def _load(buffer, k, base, step, row, last, columns):
    load_tile(as_packs(buffer, 0, 3, columns), k, base, step, row, last, columns)


@numba.njit(error_model="numpy")
def _store(buffer, k, base, step, row, last, columns):
    store_tile(as_packs(buffer, 0, 3, columns), k, base, step, row, last, columns)


def tile_of(columns, dtype):
    """Three rows of packs, as (row, column, lane), filled with a guard value."""
    return np.full((3, columns, WIDTH[dtype]), GUARD, dtype)


def load(batch, row, last, tile):
    _load(tile.reshape(-1), 1, batch.ctypes.data, batch.strides[0], row, last, batch.shape[1])


def store(batch, row, last, tile):
    _store(tile.reshape(-1), 1, batch.ctypes.data, batch.strides[0], row, last, batch.shape[1])


def layouts(samples, columns, dtype):
    """The same numbers laid out differently: the array of rows, and the memory that must not change around it."""
    plain = np.random.default_rng(columns).normal(size=(samples, columns)).astype(dtype)
    for before, after, step in ((0, 0, 1), (3, 2, 1), (1, 0, -1), (2, 5, 2), (0, 1, -3)):
        memory = np.full((samples * abs(step) + 2, before + columns + after), GUARD, dtype)
        rows = memory[1:-1, before : before + columns][::step][:samples]
        rows[:] = plain
        yield rows, memory


@BOTH
@WIDTHS
def test_rows_become_packs(columns, dtype):
    width = WIDTH[dtype]
    for samples in (1, 2, width - 1, width, width + 1, 2 * width + 3):
        for rows, _ in layouts(samples, columns, dtype):
            for row in range(0, samples, width):
                tile = tile_of(columns, dtype)
                load(rows, row, samples - 1, tile)
                lanes = np.minimum(row + np.arange(width), samples - 1)  # past the last sample, that one again
                np.testing.assert_array_equal(tile[1], rows[lanes].T)
                assert (tile[[0, 2]] == GUARD).all()


@BOTH
@WIDTHS
def test_packs_become_rows_and_nothing_around_them_is_touched(columns, dtype):
    width = WIDTH[dtype]
    for samples in (1, 3, width - 1, width, 2 * width + 1):
        for rows, memory in layouts(samples, columns, dtype):
            wanted = memory.copy()
            result = rows.copy()
            rows[:] = -1
            for row in range(0, samples, width):
                tile = tile_of(columns, dtype)
                lanes = np.minimum(row + np.arange(width), samples - 1)
                tile[1] = result[lanes].T
                store(rows, row, samples - 1, tile)
            np.testing.assert_array_equal(memory, wanted)


@BOTH
@WIDTHS
def test_one_row_may_stand_for_all_samples(columns, dtype):
    row = np.random.default_rng(columns).normal(size=(1, columns)).astype(dtype)
    tile = tile_of(columns, dtype)
    load(np.broadcast_to(row, (40, columns)), 16, 39, tile)
    np.testing.assert_array_equal(tile[1], np.repeat(row.T, WIDTH[dtype], axis=1))


@BOTH
def test_a_range_may_end_before_the_batch_does(dtype):
    """The slice of another thread begins after `last`: it must not be written, be it in the same block or not."""
    columns, width = 7, WIDTH[dtype]
    memory = np.full((3 * width, columns), GUARD, dtype)
    tile = tile_of(columns, dtype)
    tile[1] = 1.0
    store(memory, width, width + 2, tile)
    assert (memory[width : width + 3] == 1.0).all()
    assert (memory[:width] == GUARD).all()
    assert (memory[width + 3 :] == GUARD).all()


EDGES = '''
import ctypes, mmap, sys
import numpy as np
import rne

PAGE = mmap.PAGESIZE
libc = ctypes.CDLL(None, use_errno=True)
keep = []

def fenced(samples, columns, dtype, at_end):
    """An array that begins or ends exactly where memory does."""
    size = samples * columns * np.dtype(dtype).itemsize
    pages = -(-size // PAGE)
    area = mmap.mmap(-1, (pages + 2) * PAGE)
    keep.append(area)
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    for fence in (start, start + (pages + 1) * PAGE):
        assert libc.mprotect(ctypes.c_void_p(fence), ctypes.c_size_t(PAGE), 0) == 0
    first = start + PAGE + (pages * PAGE - size if at_end else 0)
    numbers = (ctypes.c_char * size).from_address(first)
    return np.frombuffer(numbers, dtype).reshape(samples, columns)

def chain(n):
    rows = [{"joint": "revolute", "a": 0.2, "alpha": 0.3 * k, "mass": 1.0} for k in range(n)]
    return rne.from_dh(rows, convention="standard")

for n in (1, 2, 3, 4, 5, 6, 7, 9):
    robot = chain(n)
    for samples in (1, 5, 8, 13, 16, 37):
        for dtype in (np.float64, np.float32):
            for at_end in (False, True):
                state = [fenced(samples, n, dtype, at_end) for _ in range(4)]
                for k, x in enumerate(state):
                    x[:] = 0.1 * k
                q, qd, qdd, out = state
                rne.inverse_dynamics(robot, q, qd, qdd, out=out)
                assert np.isfinite(out).all()
                rne.inverse_dynamics(robot, q[0], qd[0], qdd[0], out=out[0])
print("still alive")
'''


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fences memory by mprotect")
def test_nothing_is_read_or_written_beyond_the_edge_of_memory():
    """In a process of its own: a step too far is a segmentation fault."""
    done = subprocess.run([sys.executable, "-c", EDGES], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "still alive\n"), done.stderr
