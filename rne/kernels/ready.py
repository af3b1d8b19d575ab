"""Preparation of batches for the entries that calculate them, and of tables with another gravity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rne.kernels.card import FLOATS, ITEMSIZE, NUMBERS, TABLE, ZEROS
from rne.kernels.jit import inline
from rne.kernels.layout import WIDTH
from rne.kernels.objects import ALIGNED, DATA, FLAGS, READABLE, SHAPE, STRIDES, WORD, address, int_of, store, word
from rne.kernels.single import (
    answer,
    filled,
    given_up,
    is_array,
    is_given,
    is_none,
    new_array,
    refused,
    result_of,
    shape,
    with_gravity,
)


@inline
def rows_given(card, value, samples, width, addresses, k):
    """Write address and row stride in bytes of a batch (samples, width) as pair k of an array of addresses.

    A vector (width,) applies to all samples, None means zeros. Returns whether the argument is one of these.
    """
    c, o, to = address(card), address(value), word(address(addresses), DATA)
    floats = word(c, WORD * FLOATS)
    data, step = word(c, WORD * ZEROS), 0
    if not is_none(card, o):
        if is_array(card, o, floats, 1):
            if word(word(o, SHAPE), 0) != width or int_of(o, FLAGS) & READABLE != READABLE:
                return False
        elif is_array(card, o, floats, 2):
            lengths, strides = word(o, SHAPE), word(o, STRIDES)
            if word(lengths, 0) != samples or word(lengths, WORD) != width or not int_of(o, FLAGS) & ALIGNED:
                return False
            if width > 1 and word(strides, WORD) != word(c, WORD * ITEMSIZE):
                return False
            step = word(strides, 0)
        else:
            return False
        data = word(o, DATA)
    store(to, 2 * WORD * k, data)
    store(to, 2 * WORD * k + WORD, step)
    return True


@inline
def samples_of(card, value):
    """Number of samples in a batch (samples, ...); 0 for anything except a plain array of two axes."""
    o = address(value)
    if not is_array(card, o, word(address(card), WORD * FLOATS), 2):
        return 0
    return word(word(o, SHAPE), 0)


@inline
def _shares_memory(card, result, numbers, samples, width, addresses, k):
    """Return whether the memory of `result` overlaps the batch (samples, width) at pair k of the addresses."""
    size, to = word(address(card), WORD * ITEMSIZE), word(address(addresses), DATA)
    first = word(to, 2 * WORD * k)
    last = first + (samples - 1) * word(to, 2 * WORD * k + WORD)
    filled_from = word(result, DATA)
    return min(first, last) < filled_from + size * numbers and filled_from < max(first, last) + size * width


def make_ready(stamp: str) -> Callable[..., Any]:
    """Make the entry that prepares a batch for the entry that calculates it.

    It returns the array to fill, and writes address and row stride in bytes of each argument and of that array to
    `addresses`; or it returns None if an argument is not as expected. sizes : the number of arguments (samples, n); the
    number including the wrenches (samples, width); this width; length of a sample of the first argument, and of the
    others; rank of the array, and the lengths of its second to fourth axis. given : three arguments and the wrenches.
    """

    def ready(card, addresses, out, sizes, given):
        stamp  # noqa: B018  part of the cache key
        states, pairs, width, positions, n, rank = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5]
        q, second, third, wrenches = given
        samples = samples_of(card, q)
        fits = samples > 0 and rows_given(card, q, samples, positions, addresses, 0)
        fits = fits and (states < 2 or rows_given(card, second, samples, n, addresses, 1))
        fits = fits and (states < 3 or rows_given(card, third, samples, n, addresses, 2))
        if not fits or (pairs > states and not rows_given(card, wrenches, samples, width, addresses, states)):
            return refused(card)
        result = result_of(card, out, rank, shape(samples, sizes[6], sizes[7], sizes[8]))
        if result == 0:
            return refused(card)
        size = sizes[6] * sizes[7] * sizes[8]
        if is_given(card, out):
            for k in range(pairs):
                numbers = positions if k == 0 else n if k < states else width
                if _shares_memory(card, result, samples * size, samples, numbers, addresses, k):
                    return given_up(card, result)
        to, item = word(address(addresses), DATA), 2 * WORD * pairs
        store(to, item, word(result, DATA))
        store(to, item + WORD, size * word(address(card), WORD * ITEMSIZE))
        return answer(result)

    return ready


def make_table(stamp: str) -> Callable[..., Any]:
    """Make the entry that returns a copy of the table with another gravity, or None if that is not three numbers."""

    def table_with_gravity(card, gravity):
        stamp  # noqa: B018  part of the cache key
        c = address(card)
        size = word(c, WORD * NUMBERS)
        result = new_array(card, 2, shape(size // WIDTH, WIDTH, 1, 1))
        if result == 0:
            return refused(card)
        if not with_gravity(card, address(gravity), word(c, WORD * TABLE), size, filled(card, result, 1, size)[0]):
            return given_up(card, result)
        return answer(result)

    return table_with_gravity
