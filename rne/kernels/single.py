"""Inspection of the arguments of an entry for one state, which are Python objects: sizes, data, the result to fill.

If an argument is not as expected, `given` and the others return 0, and the entry returns None before it writes.
"""

from __future__ import annotations

from rne.kernels.base import is_unit
from rne.kernels.card import (
    ARRAY,
    COORDINATES,
    DOUBLES,
    FLOATS,
    NEW,
    NONE,
    NUMBERS,
    POSITIONS,
    RATES,
    TABLE,
    ZEROS,
)
from rne.kernels.jit import inline, inline_allocating
from rne.kernels.layout import BASE_QUATERNION, GRAVITY
from rne.kernels.objects import (
    DATA,
    DTYPE,
    FLAGS,
    RANK,
    READABLE,
    SHAPE,
    TYPE,
    WORD,
    WRITEABLE,
    address,
    as_object,
    double_of,
    drop,
    hold,
    int_of,
    new_object,
    word,
)
from rne.kernels.scratch import STACK, table_at
from rne.kernels.simd.pack import address_of, array_at


@inline
def coordinates(card):
    """Number of coordinates of a robot on a fixed base; -1, which refuses every array, if the base floats."""
    return word(address(card), WORD * COORDINATES)


@inline
def rates(card):
    """Number of coordinates in qd, qdd and tau, for entries that are written for a floating base, too."""
    return word(address(card), WORD * RATES)


@inline
def is_array(card, o, dtype, rank):
    """Return whether the object at an address is a plain array of that dtype and rank."""
    c = address(card)
    return word(o, TYPE) == word(c, WORD * ARRAY) and word(o, DTYPE) == dtype and int_of(o, RANK) == rank


@inline
def is_none(card, o):
    """Return whether the object at an address is None."""
    return o == word(address(card), WORD * NONE)


@inline
def given(card, value, width):
    """Address of the data of a vector (width,); 0 for anything except a plain array in the precision of the card."""
    o = address(value)
    if not is_array(card, o, word(address(card), WORD * FLOATS), 1):
        return 0
    if word(word(o, SHAPE), 0) != width or int_of(o, FLAGS) & READABLE != READABLE:
        return 0
    return word(o, DATA)


@inline
def given_or_zero(card, value, width):
    """As `given`; None means zeros, as many as the card has."""
    if is_none(card, address(value)):
        return word(address(card), WORD * ZEROS)
    return given(card, value, width)


@inline
def given_position(card, q):
    """Address of the numbers of q; 0 for anything that `given` refuses, and without a unit quaternion of the base."""
    n = word(address(card), WORD * POSITIONS)
    at = given(card, q, n)
    if at != 0 and n != rates(card):
        x = array_at(at, card, 1, n)
        k = BASE_QUATERNION
        if not is_unit(x[0, k], x[0, k + 1], x[0, k + 2], x[0, k + 3]):
            return 0
    return at


@inline
def is_given(card, value):
    """Return whether a value is not None."""
    return not is_none(card, address(value))


@inline_allocating
def vector_at(card, address, width):
    """View the numbers at an address as a vector."""
    return array_at(address, card, 1, width)[0]


@inline_allocating
def position_at(card, address_of_q):
    """View the numbers of q at an address as a vector."""
    return array_at(address_of_q, card, 1, word(address(card), WORD * POSITIONS))[0]


@inline_allocating
def site_at(card, value, rows, width):
    """View a table of sites that comes from `rne.model.frames`, in the precision of the card."""
    return array_at(word(address(value), DATA), card, rows, width)


@inline
def rows_of(value):
    """Length of the first axis of an array that comes from `rne.model`."""
    return word(word(address(value), SHAPE), 0)


@inline
def own_table(card):
    """Address of the table of the robot."""
    return word(address(card), WORD * TABLE)


@inline
def table_of(card, gravity, buffer):
    """Address of the table of this call: that of the robot, or a copy in `buffer` with another gravity; 0 to refuse."""
    c, g = address(card), address(gravity)
    table = word(c, WORD * TABLE)
    if is_none(card, g):
        return table
    size = word(c, WORD * NUMBERS)
    if size > STACK or not with_gravity(card, g, table, size, buffer):
        return 0
    return address_of(buffer)


@inline
def with_gravity(card, g, table, size, copy):
    """Copy a table to `copy` (size,) with the gravity of an object; return whether that is three finite numbers."""
    if not is_array(card, g, word(address(card), WORD * DOUBLES), 1):
        return False
    if word(word(g, SHAPE), 0) != 3 or int_of(g, FLAGS) & READABLE != READABLE:
        return False
    numbers = array_at(table, card, 1, size)
    for k in range(size):
        copy[k] = numbers[0, k]
    data = word(g, DATA)
    fits = True
    for k in range(3):
        copy[GRAVITY + k] = double_of(data, WORD * k)
        fits = fits and copy[GRAVITY + k] - copy[GRAVITY + k] == 0.0  # neither NaN nor infinite
    return fits


@inline_allocating
def table_here(card, address):
    """View the table at an address."""
    return table_at(address, card)


@inline
def new_array(card, rank, lengths):
    """Return the address of a new array in the precision of the card; its shape as for `result_of`."""
    c = address(card)
    floats = word(c, WORD * FLOATS)
    hold(floats)  # the new array takes ownership of it
    return new_object(word(c, WORD * NEW), floats, rank, lengths)


@inline
def result_of(card, out, rank, lengths):
    """Return the array to fill, `out` or a new one; 0 where `out` cannot be filled in place.

    A single state is read before anything is written, so `out` may share its memory. lengths : four numbers, of which
    the first `rank` count.
    """
    c, o = address(card), address(out)
    floats = word(c, WORD * FLOATS)
    if is_none(card, o):
        return new_array(card, rank, lengths)
    if not is_array(card, o, floats, rank) or int_of(o, FLAGS) & WRITEABLE != WRITEABLE:
        return 0
    for k in range(rank):
        if word(word(o, SHAPE), WORD * k) != lengths[k]:
            return 0
    hold(o)
    return o


@inline_allocating
def filled(card, result, rows, columns):
    """View the array to fill as a matrix of that shape."""
    return array_at(word(result, DATA), card, rows, columns)


@inline
def answer(result):
    """Return the filled array."""
    return as_object(result)


@inline
def refused(card):
    """Return None: the call must take the general path."""
    none = word(address(card), WORD * NONE)
    hold(none)
    return as_object(none)


@inline
def given_up(card, result):
    """Release the array, and return None."""
    drop(result)
    return refused(card)


@inline
def shape(a, b, c, d):
    """Lengths of up to four axes, for `result_of`."""
    return a, b, c, d
