"""Arguments of a single call as Python objects, looked at by compiled code itself.

What decides whether a call is quick is read where it costs a nanosecond: type, dtype, shape and memory layout of each
array, None, the number of threads. Numba's own way costs 60 ns an array, asking in Python 20 ns a question, and numpy's
way to a new array another 100 ns. Whatever is not as wanted is refused by returning None, before anything is written.

The layout of `PyArrayObject` and the numbering of numpy's function table are parts of numpy's binary interface, which
every extension module relies on; the size of what precedes it is asked of Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import NativeValue, box, intrinsic, models, register_model, unbox

from rne.kernels.card import (
    ARRAY,
    COORDINATES,
    DOUBLES,
    FLOATS,
    ITEMSIZE,
    JOINTS,
    NEW,
    NONE,
    NUMBERS,
    TABLE,
    ZEROS,
)
from rne.kernels.jit import inline, inline_allocating
from rne.kernels.layout import GRAVITY, WIDTH
from rne.kernels.scratch import STACK, table_at
from rne.kernels.simd.pack import address_of, array_at

# Offsets in bytes from the start of an array object.
_HEAD = object.__basicsize__
_TYPE, _DATA, _RANK, _SHAPE, _STRIDES, _DTYPE, _FLAGS = (_HEAD + k for k in (-8, 0, 8, 16, 24, 40, 48))
_READABLE = 0x101  # contiguous and aligned; the dtype says that the byte order is native
_ALIGNED = 0x100
_WRITEABLE = 0x501
_ITEM = 8  # bytes of a word


class Card(types.Type):  # type: ignore[misc]
    """Numba type of a card, as `rne.kernels.card` makes it, for tables of one precision."""

    def __init__(self, dtype: types.Float) -> None:
        self.dtype = dtype
        super().__init__(name=f"Card({dtype})")


class Object(types.Type):  # type: ignore[misc]
    """Numba type of any Python object, borrowed from the caller."""

    def __init__(self) -> None:
        super().__init__(name="Object")


OBJECT = Object()
_WORD = ir.IntType(64)


@register_model(Card)
@register_model(Object)
class _AddressModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, dmm: Any, fe_type: types.Type) -> None:
        super().__init__(dmm, fe_type, _WORD)


@unbox(Object)
def _unbox_object(_type: Object, value: ir.Value, c: Any) -> NativeValue:
    return NativeValue(c.builder.ptrtoint(value, _WORD))


@unbox(Card)
def _unbox_card(_type: Card, value: ir.Value, c: Any) -> NativeValue:
    return NativeValue(_load(c.builder, c.builder.ptrtoint(value, _WORD), _WORD(_DATA), _WORD))


@box(Object)
def _box_object(_type: Object, value: ir.Value, c: Any) -> ir.Value:
    return c.builder.inttoptr(value, c.pyapi.pyobj)


def _load(builder: ir.IRBuilder, address: ir.Value, offset: ir.Value, kind: ir.Type) -> ir.Value:
    return builder.load(builder.inttoptr(builder.add(address, offset), kind.as_pointer()))


def _reader(kind: ir.Type, result: types.Type, text: str) -> Any:
    def read(typing_context: Any, address: Any, offset: Any) -> Any:
        def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
            value = _load(builder, args[0], args[1], kind)
            return builder.sext(value, _WORD) if kind == ir.IntType(32) else value

        return result(types.intp, types.intp), codegen

    read.__doc__ = text
    return intrinsic(read)


_word = _reader(_WORD, types.intp, "Read a word at an address and offset.")
_int = _reader(ir.IntType(32), types.intp, "Read an int of C at an address and offset.")
_double = _reader(ir.DoubleType(), types.float64, "Read a double at an address and offset.")


@intrinsic
def _store(typing_context: Any, address: Any, offset: Any, value: Any) -> Any:
    """Write a word at an address and offset."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        builder.store(args[2], builder.inttoptr(builder.add(args[0], args[1]), _WORD.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.intp), codegen


@intrinsic
def _address(typing_context: Any, value: Any) -> Any:
    """Where an object, or what a card says, begins."""
    return types.intp(value), lambda context, builder, sig, args: args[0]


@intrinsic
def _as_object(typing_context: Any, address: Any) -> Any:
    """Return the object at an address to Python, which takes over one reference."""
    return OBJECT(types.intp), lambda context, builder, sig, args: args[0]


def _counting(name: str, text: str) -> Any:
    def count(typing_context: Any, address: Any) -> Any:
        def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
            pointer = ir.IntType(8).as_pointer()
            function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.VoidType(), [pointer]), name)
            builder.call(function, [builder.inttoptr(args[0], pointer)])
            return context.get_dummy_value()

        return types.void(types.intp), codegen

    count.__doc__ = text
    return intrinsic(count)


_hold = _counting("Py_IncRef", "Count one more reference to an object.")
_drop = _counting("Py_DecRef", "Count one reference to an object less.")


@intrinsic
def _new(typing_context: Any, function: Any, dtype: Any, rank: Any, shape: Any) -> Any:
    """Return the address of a new array of `rank` axes, of which `shape` holds four; not written to."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        integer = ir.IntType(32)
        sizes = cgutils.alloca_once(builder, _WORD, 4)
        for k, size in enumerate(cgutils.unpack_tuple(builder, args[3])):
            builder.store(size, builder.gep(sizes, [integer(k)]))
        kind = ir.FunctionType(_WORD, [integer, _WORD.as_pointer(), _WORD, integer])
        call = builder.inttoptr(args[0], kind.as_pointer())
        return builder.call(call, [builder.trunc(args[2], integer), sizes, args[1], integer(0)])

    return types.intp(types.intp, types.intp, types.intp, types.UniTuple(types.intp, 4)), codegen


# ------------------------------------------------------------------------------------------------- asked by entries


@inline
def coordinates(card):
    """Number of coordinates of the robot."""
    return _word(_address(card), _ITEM * COORDINATES)


@inline
def joints(card):
    """Number of moving joints of the robot."""
    return _word(_address(card), _ITEM * JOINTS)


@inline
def _is_array(card, o, dtype, rank):
    c = _address(card)
    return _word(o, _TYPE) == _word(c, _ITEM * ARRAY) and _word(o, _DTYPE) == dtype and _int(o, _RANK) == rank


@inline
def _is_none(card, o):
    return o == _word(_address(card), _ITEM * NONE)


@inline
def given(card, value, width):
    """Where the numbers of a vector (width,) lie; 0 for anything but a plain array of the precision of the card."""
    o = _address(value)
    if not _is_array(card, o, _word(_address(card), _ITEM * FLOATS), 1):
        return 0
    if _word(_word(o, _SHAPE), 0) != width or _int(o, _FLAGS) & _READABLE != _READABLE:
        return 0
    return _word(o, _DATA)


@inline
def given_or_zero(card, value, width):
    """As `given`; None stands for zeros, no more than the card has."""
    if _is_none(card, _address(value)):
        return _word(_address(card), _ITEM * ZEROS)
    return given(card, value, width)


@inline
def is_given(card, value):
    """Tell whether a value is not None."""
    return not _is_none(card, _address(value))


@inline_allocating
def vector_at(card, address, width):
    """View the numbers at an address as a vector."""
    return array_at(address, card, 1, width)[0]


@inline_allocating
def site_at(card, value, rows, width):
    """View a table of sites that comes from `rne.model.frames`, in the precision of the card."""
    return array_at(_word(_address(value), _DATA), card, rows, width)


@inline
def rows_of(value):
    """Length of the first axis of an array that comes from `rne.model`."""
    return _word(_word(_address(value), _SHAPE), 0)


@inline
def own_table(card):
    """Where the table of the robot lies."""
    return _word(_address(card), _ITEM * TABLE)


@inline
def table_of(card, gravity, buffer):
    """Where the table for this call lies: that of the robot, or a copy with other gravity in `buffer`; 0 refuses."""
    c, g = _address(card), _address(gravity)
    table = _word(c, _ITEM * TABLE)
    if _is_none(card, g):
        return table
    size = _word(c, _ITEM * NUMBERS)
    if size > STACK or not _with_gravity(card, g, table, size, buffer):
        return 0
    return address_of(buffer)


@inline
def _with_gravity(card, g, table, size, copy):
    """Copy a table into `copy` (size,), with the gravity of an object; tells whether that is three finite numbers."""
    if not _is_array(card, g, _word(_address(card), _ITEM * DOUBLES), 1):
        return False
    if _word(_word(g, _SHAPE), 0) != 3 or _int(g, _FLAGS) & _READABLE != _READABLE:
        return False
    numbers = array_at(table, card, 1, size)
    for k in range(size):
        copy[k] = numbers[0, k]
    data = _word(g, _DATA)
    fits = True
    for k in range(3):
        copy[GRAVITY + k] = _double(data, _ITEM * k)
        fits = fits and copy[GRAVITY + k] - copy[GRAVITY + k] == 0.0  # neither NaN nor infinite
    return fits


@inline_allocating
def table_here(card, address):
    """View the table at an address."""
    return table_at(address, card)


@inline
def _new_array(card, rank, lengths):
    c = _address(card)
    floats = _word(c, _ITEM * FLOATS)
    _hold(floats)  # which the new array takes over
    return _new(_word(c, _ITEM * NEW), floats, rank, lengths)


@inline
def result_of(card, out, rank, lengths):
    """Return the array to fill, `out` or a new one; 0 where `out` cannot be filled in place.

    A single state is read before anything is written, so `out` may share its memory. lengths : four numbers, of which
    `rank` count.
    """
    c, o = _address(card), _address(out)
    floats = _word(c, _ITEM * FLOATS)
    if _is_none(card, o):
        return _new_array(card, rank, lengths)
    if not _is_array(card, o, floats, rank) or _int(o, _FLAGS) & _WRITEABLE != _WRITEABLE:
        return 0
    for k in range(rank):
        if _word(_word(o, _SHAPE), _ITEM * k) != lengths[k]:
            return 0
    _hold(o)
    return o


@inline_allocating
def filled(card, result, rows, columns):
    """View the array to fill as a matrix of that shape."""
    return array_at(_word(result, _DATA), card, rows, columns)


@inline
def answer(result):
    """Return the filled array."""
    return _as_object(result)


@inline
def refused(card):
    """Return None: the call has to go another way."""
    none = _word(_address(card), _ITEM * NONE)
    _hold(none)
    return _as_object(none)


@inline
def given_up(card, result):
    """Return None after all, and not the array."""
    _drop(result)
    return refused(card)


@inline
def shape(a, b, c, d):
    """Lengths of up to four axes, of which `result_of` is told how many count."""
    return a, b, c, d


# ----------------------------------------------------------------------------------------------------------- batches


@inline
def rows_given(card, value, samples, width, addresses, k):
    """Write where a batch (samples, width) lies, and its row stride in bytes, as pair k of an array of addresses.

    A vector (width,) is the same in all samples, None is zeros. Tells whether it is one of these.
    """
    c, o, to = _address(card), _address(value), _word(_address(addresses), _DATA)
    floats = _word(c, _ITEM * FLOATS)
    data, step = _word(c, _ITEM * ZEROS), 0
    if not _is_none(card, o):
        if _is_array(card, o, floats, 1):
            if _word(_word(o, _SHAPE), 0) != width or _int(o, _FLAGS) & _READABLE != _READABLE:
                return False
        elif _is_array(card, o, floats, 2):
            lengths, strides = _word(o, _SHAPE), _word(o, _STRIDES)
            if _word(lengths, 0) != samples or _word(lengths, _ITEM) != width or not _int(o, _FLAGS) & _ALIGNED:
                return False
            if width > 1 and _word(strides, _ITEM) != _word(c, _ITEM * ITEMSIZE):
                return False
            step = _word(strides, 0)
        else:
            return False
        data = _word(o, _DATA)
    _store(to, 2 * _ITEM * k, data)
    _store(to, 2 * _ITEM * k + _ITEM, step)
    return True


@inline
def samples_of(card, value):
    """Number of samples in a batch (samples, ...); 0 for anything but a plain array of two axes."""
    o = _address(value)
    if not _is_array(card, o, _word(_address(card), _ITEM * FLOATS), 2):
        return 0
    return _word(_word(o, _SHAPE), 0)


@inline
def _shares_memory(card, result, numbers, samples, width, addresses, k):
    """Tell whether `result`, of so many numbers, reaches into the batch (samples, width) of pair k of the addresses."""
    size, to = _word(_address(card), _ITEM * ITEMSIZE), _word(_address(addresses), _DATA)
    first = _word(to, 2 * _ITEM * k)
    last = first + (samples - 1) * _word(to, 2 * _ITEM * k + _ITEM)
    filled_from = _word(result, _DATA)
    return min(first, last) < filled_from + size * numbers and filled_from < max(first, last) + size * width


def make_ready(stamp: str) -> Callable[..., Any]:
    """Make the entry that makes a batch ready for the entry that calculates it.

    It returns the array to fill, and writes address and row stride in bytes of each argument, and of that array, into
    `addresses`; or None, where anything does not fit. sizes : how many arguments (samples, n) there are; how many with
    the wrenches (samples, 6); rank of the array, and three lengths of its axes but the first. given : three arguments
    and the wrenches.
    """

    def ready(card, addresses, out, sizes, given):
        stamp  # noqa: B018  part of the cache key
        states, pairs, rank = sizes[0], sizes[1], sizes[2]
        q, second, third, wrenches = given
        n, samples = coordinates(card), samples_of(card, q)
        fits = samples > 0 and rows_given(card, q, samples, n, addresses, 0)
        fits = fits and (states < 2 or rows_given(card, second, samples, n, addresses, 1))
        fits = fits and (states < 3 or rows_given(card, third, samples, n, addresses, 2))
        if not fits or (pairs > states and not rows_given(card, wrenches, samples, 6, addresses, states)):
            return refused(card)
        result = result_of(card, out, rank, shape(samples, sizes[3], sizes[4], sizes[5]))
        if result == 0:
            return refused(card)
        size = sizes[3] * sizes[4] * sizes[5]
        if is_given(card, out):
            for k in range(pairs):
                if _shares_memory(card, result, samples * size, samples, n if k < states else 6, addresses, k):
                    return given_up(card, result)
        to, item = _word(_address(addresses), _DATA), 2 * _ITEM * pairs
        _store(to, item, _word(result, _DATA))
        _store(to, item + _ITEM, size * _word(_address(card), _ITEM * ITEMSIZE))
        return answer(result)

    return ready


def make_table(stamp: str) -> Callable[..., Any]:
    """Make the entry that returns a copy of the table with other gravity, or None where that is not three numbers."""

    def table_with_gravity(card, gravity):
        stamp  # noqa: B018  part of the cache key
        c = _address(card)
        size = _word(c, _ITEM * NUMBERS)
        result = _new_array(card, 2, shape(size // WIDTH, WIDTH, 1, 1))
        if result == 0:
            return refused(card)
        if not _with_gravity(card, _address(gravity), _word(c, _ITEM * TABLE), size, filled(card, result, 1, size)[0]):
            return given_up(card, result)
        return answer(result)

    return table_with_gravity
