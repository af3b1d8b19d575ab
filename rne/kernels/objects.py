"""Python objects as arguments of compiled functions, which inspect them themselves.

Type, dtype, shape and memory layout of each array, None, and the number of threads decide whether a call can take the
fast path. Reading them here takes about a nanosecond each. Numba's unboxing costs 60 ns per array, a check in Python
20 ns, and creating an array with numpy another 100 ns. Anything unexpected makes the function return None before
anything is written.

The layout of `PyArrayObject` and the order of numpy's function table are part of numpy's binary interface, which every
extension module relies on; the size of the object header is read from Python.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import NativeValue, box, intrinsic, models, register_model, unbox

# Offsets in bytes from the start of an array object.
_HEAD = object.__basicsize__
TYPE, DATA, RANK, SHAPE, STRIDES, DTYPE, FLAGS = (_HEAD + k for k in (-8, 0, 8, 16, 24, 40, 48))
READABLE = 0x101  # contiguous and aligned; the dtype says that the byte order is native
ALIGNED = 0x100
WRITEABLE = 0x501
WORD = 8  # bytes of a word


class Card(types.Type):  # type: ignore[misc]
    """Numba type of a card (`rne.kernels.card`) with tables of one precision."""

    def __init__(self, dtype: types.Float) -> None:
        self.dtype = dtype
        super().__init__(name=f"Card({dtype})")


class Object(types.Type):  # type: ignore[misc]
    """Numba type of any Python object, as a borrowed reference."""

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
    return NativeValue(_load(c.builder, c.builder.ptrtoint(value, _WORD), _WORD(DATA), _WORD))


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


word = _reader(_WORD, types.intp, "Read a word at an address and offset.")
int_of = _reader(ir.IntType(32), types.intp, "Read an int of C at an address and offset.")
double_of = _reader(ir.DoubleType(), types.float64, "Read a double at an address and offset.")


@intrinsic
def store(typing_context: Any, address: Any, offset: Any, value: Any) -> Any:
    """Write a word at an address and offset."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        builder.store(args[2], builder.inttoptr(builder.add(args[0], args[1]), _WORD.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.intp), codegen


@intrinsic
def address(typing_context: Any, value: Any) -> Any:
    """Return the address of an object, or of the words of a card."""
    return types.intp(value), lambda context, builder, sig, args: args[0]


@intrinsic
def as_object(typing_context: Any, address: Any) -> Any:
    """Return the object at an address to Python, which takes ownership of one reference."""
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


hold = _counting("Py_IncRef", "Count one more reference to an object.")
drop = _counting("Py_DecRef", "Count one reference to an object less.")


@intrinsic
def new_object(typing_context: Any, function: Any, dtype: Any, rank: Any, shape: Any) -> Any:
    """Return the address of a new, uninitialized array; the first `rank` of the four lengths in `shape` count."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        integer = ir.IntType(32)
        sizes = cgutils.alloca_once(builder, _WORD, 4)
        for k, size in enumerate(cgutils.unpack_tuple(builder, args[3])):
            builder.store(size, builder.gep(sizes, [integer(k)]))
        kind = ir.FunctionType(_WORD, [integer, _WORD.as_pointer(), _WORD, integer])
        call = builder.inttoptr(args[0], kind.as_pointer())
        return builder.call(call, [builder.trunc(args[2], integer), sizes, args[1], integer(0)])

    return types.intp(types.intp, types.intp, types.intp, types.UniTuple(types.intp, 4)), codegen
