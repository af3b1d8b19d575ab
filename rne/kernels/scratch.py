"""Memory of one call: one reservation of scratch for a state, one for a batch; tables and arrays by their addresses.

The algorithms are plain functions over a table, a state and scratch. What reserves the scratch and loads the state
stands apart from them, so that they run on any kind of number: floats, packs, or numbers that record what is done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rne.kernels.jit import borrowing, function, inline, inline_allocating
from rne.kernels.layout import COORDINATES, COUPLINGS, LINKS, STATE, WIDTH
from rne.kernels.simd.pack import address_of, array_at, as_floats, as_packs, pack_floats, packs_for, stack_buffer

# Floats; 32 KiB hold a robot of nearly 200 joints. An allocation would cost as much as a short arm.
STACK = 4096


@inline
def nothing(table):
    """Tell that a function wants no numbers besides its columns."""
    return 0


def on_scratch(columns: int, spare: Any = nothing) -> Callable[[Callable[..., Any]], Any]:
    """Make of `run(table, room, *args)`, which works on one state, a compiled function `one(table, *args)`.

    `room` is `state` (STATE, joints or more), the same as packs of joints, `work` (links + 1, columns) and `spare`
    (1, ...), all from one aligned reservation: on the stack while it is small, or else on the heap. Three functions,
    because the stack must be that of a caller, and the one that works does not count references.

    Parameters
    ----------
    columns : numbers kept for each link.
    spare : how many more numbers are wanted, an inlined function of the table.
    """

    def make(python_function: Callable[..., Any]) -> Any:
        work = inline(python_function)

        @borrowing
        def run(table, buffer, *args):
            links = int(table[0, LINKS])
            packs = packs_for(table, links)
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
        def run_on_heap(table, size, *args):
            return run(table, aligned(table, size), *args)

        @borrowing
        def one(table, *args):
            links = int(table[0, LINKS])
            size = STATE * pack_floats(table, packs_for(table, links)) + (links + 1) * columns + spare(table)
            if size > STACK:
                return run_on_heap(table, size, *args)
            return run(table, stack_buffer(table, STACK), *args)

        one.__doc__ = python_function.__doc__
        return one

    return make


@inline_allocating
def many_states(table, columns, given, numbers):
    """Return room for a pack of samples, all from one aligned reservation.

    That is `state` (STATE, links), `work` (links + 1, columns), `tile` (2, coordinates), which mimic joints and
    factors of matrices need, and two flat rows: `loads` (1, given) and `out` (1, numbers).
    """
    links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
    lanes = pack_floats(table, 1)
    work = STATE * links
    tile = work + (links + 1) * columns
    loads = tile + 2 * n
    out = loads + given
    buffer = aligned(table, lanes * (out + numbers))
    return (
        as_packs(buffer, 0, STATE, links),
        as_packs(buffer, lanes * work, links + 1, columns),
        as_packs(buffer, lanes * tile, 2, n),
        as_packs(buffer, lanes * loads, 1, given),
        as_packs(buffer, lanes * out, 1, numbers),
    )


@inline_allocating
def table_at(address, example):
    """View the table at `address` whose numbers are of the kind that array `example` holds."""
    header = array_at(address, example, 1, WIDTH)
    return array_at(address, example, int(header[0, LINKS]) + 1 + int(header[0, COUPLINGS]), WIDTH)


@inline_allocating
def aligned(table, size):
    """Return `size` floats of the kind that `table` holds, from the start of a cache line on.

    A pack that lies across two lines costs two accesses.
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
