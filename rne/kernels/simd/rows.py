"""Consecutive numbers in a row of a 2-D array, read and written as tuples.

These are intrinsics, because numba would compile a function anew for every literal index.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np import arrayobj


def _pointers(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value], count: int) -> list[ir.Value]:
    """Pointers to items [i, first], [i, first + 1] ... of a C-contiguous array."""
    array_type = sig.args[0]
    array = arrayobj.make_array(array_type)(context, builder, args[0])
    i, first = (context.cast(builder, v, t, types.intp) for v, t in zip(args[1:3], sig.args[1:3], strict=True))
    columns = builder.extract_value(array.shape, 1)
    begin = builder.add(builder.mul(i, columns), first)
    start = builder.gep(array.data, [begin])
    return [builder.gep(start, [context.get_constant(types.intp, k)]) for k in range(count)]


def _make_get(count: int) -> Any:
    @intrinsic
    def get(typing_context: Any, array: Any, i: Any, first: Any) -> Any:
        result = types.UniTuple(array.dtype, count)

        def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
            align = _align(array)
            values = [builder.load(pointer, align=align) for pointer in _pointers(context, builder, sig, args, count)]
            return context.make_tuple(builder, result, values)

        return result(array, i, first), codegen

    return get


def _align(array: Any) -> int:
    """Return the alignment to assume: scratch and tables, and packs in them, are aligned only as single floats."""
    return int(getattr(array.dtype, "dtype", array.dtype).bitwidth) // 8


get3 = _make_get(3)
get6 = _make_get(6)
get9 = _make_get(9)


@intrinsic
def put(typing_context: Any, array: Any, i: Any, first: Any, values: Any) -> Any:
    """Write a tuple of numbers to row `i` from column `first` on."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        for k, pointer in enumerate(_pointers(context, builder, sig, args, values.count)):
            builder.store(builder.extract_value(args[3], k), pointer, align=_align(array))
        return context.get_dummy_value()

    return types.void(array, i, first, values), codegen


@intrinsic
def add_to(typing_context: Any, array: Any, i: Any, first: Any, values: Any) -> Any:
    """Add a tuple of numbers to row `i` from column `first` on."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        for k, pointer in enumerate(_pointers(context, builder, sig, args, values.count)):
            there = builder.load(pointer, align=_align(array))
            builder.store(builder.fadd(there, builder.extract_value(args[3], k)), pointer, align=_align(array))
        return context.get_dummy_value()

    return types.void(array, i, first, values), codegen


@intrinsic
def index(typing_context: Any, k: Any) -> Any:
    """`k` as an index that does not make numba compile the called function anew."""

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        return context.cast(builder, args[0], sig.args[0], types.intp)

    return types.intp(k), codegen
