"""Memory of one call: scratch on the stack while it is small, the table by its address, addresses of arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rne.kernels.jit import inline_allocating
from rne.kernels.layout import COORDINATES, COUPLINGS, LINKS, WIDTH
from rne.kernels.simd.pack import address_of, array_at, as_floats, as_packs, pack_floats, packs_for, stack_buffer

# Floats; 32 KiB hold a robot of nearly 200 joints. An allocation would cost as much as a short arm.
STACK = 4096


@inline_allocating
def scratch(table, size):
    """Return `size` floats, or more, of the kind that `table` holds."""
    buffer = stack_buffer(table, STACK)
    if size > STACK:
        buffer = np.empty(size, table.dtype)
    return buffer


@inline_allocating
def one_state(table, columns):
    """Return room for one state: `state`, the same as packs of joints, and `work` (links + 1, columns)."""
    links = int(table[0, LINKS])
    packs = packs_for(table, links)
    width = pack_floats(table, packs)
    buffer = scratch(table, 6 * width + (links + 1) * columns)
    work = as_floats(buffer, 6 * width, links + 1, columns)
    return as_floats(buffer, 0, 6, width), as_packs(buffer, 0, 6, packs), work


@inline_allocating
def many_states(table, columns, numbers):
    """Return room for a pack of samples: `state`, `work` (links + 1, columns), `tile`, and `out` (1, numbers)."""
    links, n = int(table[0, LINKS]), int(table[0, COORDINATES])
    samples = pack_floats(table, 1)
    sizes = (6 * links, (links + 1) * columns, n)
    buffer = np.empty(samples * (sizes[0] + sizes[1] + sizes[2] + numbers), table.dtype)
    state = as_packs(buffer, 0, 6, links)
    work = as_packs(buffer, samples * sizes[0], links + 1, columns)
    tile = as_packs(buffer, samples * (sizes[0] + sizes[1]), 1, n)
    return state, work, tile, as_packs(buffer, samples * (sizes[0] + sizes[1] + sizes[2]), 1, numbers)


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
def write_places(where, first, a, b, c, d):
    """Write address and row stride in bytes of four arrays (samples, width) into `where`, from `first` on."""
    for k, array in enumerate((a, b, c, d)):
        where[first + 2 * k] = address_of(array)
        where[first + 2 * k + 1] = array.strides[0]


def make_places(stamp: str) -> Callable[..., None]:
    """Make the entry for `write_places`."""

    def places(where, first, a, b, c, d):
        stamp  # noqa: B018  part of the cache key
        write_places(where, first, a, b, c, d)

    return places
