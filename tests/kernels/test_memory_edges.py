"""No function of a state reads or writes outside its arrays, those of the caller and its own scratch.

In processes of their own: a step beyond the arrays of the caller is a segmentation fault, a step beyond scratch an
error of the bounds checks of numba, with which the kernels are compiled for this test alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

CALLS = """
import inspect
import numpy as np
from states_of_calls import OF_A_STATE, STATE_NAMES, names_of

with_out = [call for call in OF_A_STATE if "out" in inspect.signature(call.function).parameters]
assert len(with_out) > 20

def options(call):
    "No options, then one other than by default at a time."
    yield {}
    for name, parameter in inspect.signature(call.function).parameters.items():
        if isinstance(parameter.default, bool):
            yield {name: not call.good.get(name, parameter.default)}
        if name == "method":
            yield {name: "crba"}
        if name == "f_ext":
            yield {name: {"hand": np.arange(6.0)}}

def batches(samples):
    for call in with_out:
        state = {name: np.add.outer(0.1 * np.arange(samples), call.good[name]) for name in names_of(call)}
        for more in options(call):
            yield call, state, more
"""

FENCED = (
    CALLS
    + """
import ctypes, mmap

libc = ctypes.CDLL(None, use_errno=True)
keep = []

def fenced(array, at_end):
    "A copy of an array that begins or ends exactly where memory does."
    pages = -(-array.nbytes // mmap.PAGESIZE)
    area = mmap.mmap(-1, (pages + 2) * mmap.PAGESIZE)
    keep.append(area)
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    for fence in (start, start + (pages + 1) * mmap.PAGESIZE):
        assert libc.mprotect(ctypes.c_void_p(fence), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    first = start + mmap.PAGESIZE + (pages * mmap.PAGESIZE - array.nbytes if at_end else 0)
    copy = np.frombuffer((ctypes.c_char * array.nbytes).from_address(first), array.dtype).reshape(array.shape)
    copy[...] = array
    return copy

for samples in (1, 5, 13):
    for call, state, more in batches(samples):
        for at_end in (False, True):
            for one in (False, True):
                values = {name: x[0] if one else x for name, x in state.items()}
                wanted = call(**values, **more)
                if isinstance(wanted, tuple):  # views of one array, behind the axis of the samples
                    wanted = np.stack(wanted, axis=0 if one else 1)
                out = fenced(np.full_like(wanted, np.nan), at_end)
                call(**{name: fenced(x, at_end) for name, x in values.items()}, out=out, **more)
                np.testing.assert_array_equal(out, wanted, err_msg=call.title)
print("still alive")
"""
)

CHECKED = (
    CALLS
    + """
for call, state, more in batches(5):
    call(**state, **more)
print("still alive")
"""
)


def run(script, **more):
    path = os.pathsep.join([str(TESTS.parent), str(TESTS / "support")])
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=TESTS.parent,
        env={**os.environ, "PYTHONPATH": path, **more},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fences memory by mprotect")
def test_nothing_is_touched_beyond_the_arrays_of_the_caller():
    done = run(FENCED)
    assert (done.returncode, done.stdout) == (0, "still alive\n"), done.stderr


def test_nothing_is_touched_beyond_scratch():
    """Compiled once more, for a minute or two, unless the kernels have not changed since."""
    done = run(CHECKED, NUMBA_BOUNDSCHECK="1", NUMBA_OPT="1")
    assert (done.returncode, done.stdout) == (0, "still alive\n"), done.stderr
