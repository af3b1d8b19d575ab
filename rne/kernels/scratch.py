"""Memory of one call: one block of scratch for a state, one for a batch; tables and arrays by their addresses.

The algorithms are plain functions of a table, a state and scratch. The code that reserves scratch and loads the state
is separate, so that the algorithms run on any number type: floats, packs, or numbers that record operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rne.kernels.jit import borrowing, function, inline, inline_allocating
from rne.kernels.layout import BASE, COORDINATES, COUPLINGS, LINKS, STATE, WIDTH
from rne.kernels.simd.pack import address_of, array_at, as_floats, as_packs, pack_floats, packs_for, stack_buffer

# Floats; 32 KiB are enough for nearly 200 joints. An allocation would take as long as the dynamics of a short arm.
STACK = 4096


@inline
def nothing(table):
    """Return 0: a function needs no numbers besides its columns."""
    return 0


def _named_after(algorithm: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put the name of an algorithm into that of a function made for it.

    Numba names machine code after module, qualified name, argument types and a number that counts the functions of the
    process. Code that two processes compiled and cached may agree in all of them, and then the code that was loaded
    first runs for both.
    """

    def rename(made: Callable[..., Any]) -> Callable[..., Any]:
        made.__qualname__ = f"{algorithm.__module__}.{algorithm.__qualname__}.{made.__qualname__}"
        return made

    return rename


def on_scratch(columns: int, spare: Any = nothing) -> Callable[[Callable[..., Any]], Any]:
    """Turn `run(table, room, *args)`, which works on one state, into a compiled function `one(table, *args)`.

    `room` is `state` (STATE, columns or more), the same as packs of joints, `work` (links + 1, columns) and `spare`
    (1, ...), all from one aligned block: on the stack if it is small, otherwise on the heap. Three functions, because
    the stack must belong to a caller, and the function that calculates does not count references.

    Parameters
    ----------
    columns : numbers stored for each link.
    spare : an inlined function of the table that returns how many more numbers are needed.
    """

    def make(python_function: Callable[..., Any]) -> Any:
        work = inline(python_function)

        @borrowing
        @_named_after(python_function)
        def run(table, buffer, *args):
            links = int(table[0, LINKS])
            packs = packs_for(table, links + int(table[0, BASE]))
            width = pack_floats(table, packs)
            first = STATE * width
            room = (
                as_floats(buffer, 0, STATE, width),
                as_packs(buffer, 0, STATE, packs),
                as_floats(buffer, first, links + 1, columns),
                as_floats(buffer, first + (links + 1) * columns, 1, spare(table)),
            )
            return work(table, room, *args)

        @function
        @_named_after(python_function)
        def run_on_heap(table, size, *args):
            return run(table, aligned(table, size), *args)

        @borrowing
        @_named_after(python_function)
        def one(table, *args):
            links = int(table[0, LINKS])
            packs = packs_for(table, links + int(table[0, BASE]))
            size = STATE * pack_floats(table, packs) + (links + 1) * columns + spare(table)
            if size > STACK:
                return run_on_heap(table, size, *args)
            return run(table, stack_buffer(table, STACK), *args)

        one.__doc__ = python_function.__doc__
        return one

    return make


@inline_allocating
def many_states(table, columns, given, numbers):
    """Return scratch for a pack of samples, all from one aligned block.

    These are `state` (STATE, columns), `work` (links + 1, columns), `tile` (2, coordinates of q), which mimic joints
    and factors of matrices need, and two rows: `loads` (1, given) and `out` (1, numbers).
    """
    links, base = int(table[0, LINKS]), int(table[0, BASE])
    n = int(table[0, COORDINATES]) + (1 if base else 0)
    lanes = pack_floats(table, 1)
    work = STATE * (links + base)
    tile = work + (links + 1) * columns
    loads = tile + 2 * n
    out = loads + given
    buffer = aligned(table, lanes * (out + numbers))
    return (
        as_packs(buffer, 0, STATE, links + base),
        as_packs(buffer, lanes * work, links + 1, columns),
        as_packs(buffer, lanes * tile, 2, n),
        as_packs(buffer, lanes * loads, 1, given),
        as_packs(buffer, lanes * out, 1, numbers),
    )


@inline_allocating
def table_at(address, example):
    """View the table at `address`, with the dtype of array `example`."""
    header = array_at(address, example, 1, WIDTH)
    return array_at(address, example, int(header[0, LINKS]) + 1 + int(header[0, COUPLINGS]), WIDTH)


@inline_allocating
def aligned(table, size):
    """Return `size` floats with the dtype of `table`, aligned to a cache line.

    A pack that crosses two cache lines costs two accesses.
    """
    line = pack_floats(table, 1)
    buffer = np.empty(size + line, table.dtype)
    skip = -(address_of(buffer) // buffer.itemsize) % line
    return buffer[skip : skip + size]


@inline_allocating
def write_addresses(addresses, first, a, b, c, d):
    """Write address and row stride in bytes of four arrays (samples, width) into `addresses`, from `first` on."""
    for k, array in enumerate((a, b, c, d)):
        addresses[first + 2 * k] = address_of(array)
        addresses[first + 2 * k + 1] = array.strides[0]


def make_addresses(stamp: str) -> Callable[..., None]:
    """Make the entry for `write_addresses`."""

    def addresses_of_four(addresses, first, a, b, c, d):
        stamp  # noqa: B018  part of the cache key
        write_addresses(addresses, first, a, b, c, d)

    return addresses_of_four
